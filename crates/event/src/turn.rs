use serde::{Deserialize, Serialize};

use crate::Text;

/// Events of a session: records, never true or false.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEvent<'a> {
    /// Somebody said something.
    Said(#[serde(borrow)] Said<'a>),
    /// A tool was called and came back.
    ToolRan(ToolRan<'a>),
}

/// Something that the envelope's actor said.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Said<'a> {
    /// The words.
    #[serde(borrow)]
    pub text: Text<'a>,
    /// The content of an attached picture, in words.
    pub caption: Option<Text<'a>>,
    /// Whether it is context that a program put in the actor's mouth (instructions,
    /// environment), not speech.
    pub context: bool,
}

/// A tool's call and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolRan<'a> {
    /// The tool's name.
    #[serde(borrow)]
    pub tool: Text<'a>,
    /// The arguments of the call: JSON, or plain text.
    pub arguments: Text<'a>,
    /// Whether it succeeded, where the source says.
    pub ok: Option<bool>,
    /// The exit code of a command.
    pub exit_code: Option<i32>,
    /// The output that came back, at most 64 KiB: the head and the tail of a longer one.
    pub output: Text<'a>,
    /// The length in bytes of the whole output, where `output` is not all of it.
    pub output_len: Option<u64>,
}
