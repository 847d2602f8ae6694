use memlith_event::Scope;

/// How an input is read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whose the events become. Importers set the session, and of `locomo` the subject,
    /// so that no dialogue sees another.
    pub scope: Scope<'static>,
    /// The highest tier an item may have, where the source is trusted less than fully.
    pub tier_cap: Option<u8>,
    /// The longest line that is read, in bytes; a longer one is stepped over without
    /// being held.
    pub line_max_bytes: usize,
    /// The longest document that is read, in bytes; a document is held whole.
    pub document_max_bytes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            scope: Scope::tenant("default"),
            tier_cap: None,
            line_max_bytes: 32 << 20,
            document_max_bytes: 256 << 20,
        }
    }
}
