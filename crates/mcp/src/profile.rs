/// Which tools a server has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Tools an agent needs to remember and to ask.
    #[default]
    Standard,
    /// All of these tools, and those that look closer and tidy up.
    Full,
    /// Anthropic's memory tool, on a folder that lies in the ledger.
    MemoryTool,
    /// The nine tools of the reference memory server.
    Graph,
}

/// The choice of what a server offers to its clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Which tools.
    pub profile: Profile,
    /// Whether words can be erased for good.
    pub may_erase: bool,
}
