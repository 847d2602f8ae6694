/// How a session ended, where anybody said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Ending {
    /// Nobody said.
    #[default]
    Unknown,
    /// It reached what it was for.
    Succeeded,
    /// It did not.
    Failed,
}
