/// How a verb that did its work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// As asked.
    Ok,
    /// Bytes of the ledger are not as they should be.
    Integrity,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::Integrity => 3,
        }
    }
}
