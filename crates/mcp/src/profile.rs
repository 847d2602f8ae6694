/// Which tools a server has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// What an agent needs to remember and to ask.
    #[default]
    Standard,
    /// Also what looks closer and tidies up.
    Full,
    /// Anthropic's memory tool, on a folder that lies in the ledger.
    MemoryTool,
    /// The nine tools of the reference memory server.
    Graph,
}

/// What a server offers to its clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Which tools.
    pub profile: Profile,
    /// Whether words can be erased for good.
    pub may_erase: bool,
}
