use std::fmt;

use memlith_event::{Actor, Body, IdempotencyKey, Scope, Weight};
use memlith_log::Timestamp;

/// The result of a line of the input; a line can have several, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// An event, its envelope complete but for links.
    Event(Box<Body<'static>>),
    /// A reinforcement, whose targets only the ledger can resolve.
    Reinforced(Box<Reinforced>),
    /// Something that was left out.
    Skipped {
        /// The line, from 1.
        line: u64,
        /// Why.
        reason: SkipReason,
    },
}

/// A reinforcement of events that the same input has yielded before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reinforced {
    /// The change of the targets.
    pub kind: ReinforcementKind,
    /// The events, ascending by their place in the input, each once.
    pub targets: Vec<Target>,
    /// The source's own strength, where it gives one.
    pub weight: Option<Weight>,
    /// When.
    pub occurred_at: Timestamp,
    /// The actor of the reinforcement.
    pub actor: Actor<'static>,
    /// The scope of the reinforcement.
    pub scope: Scope<'static>,
    /// Its own key.
    pub key: IdempotencyKey,
}

/// The change that a reinforcement makes to its targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReinforcementKind {
    /// They were shown.
    Surfaced,
    /// They were right.
    Confirmed,
    /// They were raised.
    Promoted,
    /// They were wrong.
    Invalidated,
}

/// An earlier event, by what the ledger knows it by: a key is unique for its actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The actor of the event.
    pub actor: Actor<'static>,
    /// The event's key.
    pub key: IdempotencyKey,
    /// Whether it is what a prompt corrected, if it corrected anything: it is rolled back.
    pub is_correction: bool,
}

/// Why something was left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// The line is not JSON, or nested too deep.
    InvalidJson,
    /// The line is not UTF-8.
    InvalidUtf8,
    /// The line is longer than the cap.
    LineTooLong,
    /// The line has no time, and none came before it.
    NoTimestamp,
    /// The line belongs to no session, and none came before it.
    NoSession,
    /// A tool's call without a result: not yet come, or too many calls ago.
    UnansweredCall,
    /// A tool's call, or words of a program, about a file that is not captured.
    IgnoredFile,
    /// A tool's output, as it names a file that is not captured; its call is kept.
    IgnoredOutput,
    /// A tool's output that Memlith printed; its call is kept.
    EchoedOutput,
    /// It happened in the folder of a project with a ledger of its own.
    OtherProject,
    /// The beginning of another session, which this one repeats.
    CopiedTurn,
    /// A text that the line's message has already given.
    RepeatedText,
    /// A target that names no earlier event of the input.
    UnresolvedTarget,
    /// A reinforcement that does not follow its own rules.
    MalformedReinforcement,
    /// A line or block of a type that says nothing to be remembered, or is unknown.
    Type(String),
}

impl SkipReason {
    /// The reason for a type of line or block; its name is cut at 64 characters.
    pub(crate) fn of_type(name: &str) -> SkipReason {
        SkipReason::Type(name.chars().take(64).collect())
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SkipReason::InvalidJson => "invalid-json",
            SkipReason::InvalidUtf8 => "invalid-utf8",
            SkipReason::LineTooLong => "line-too-long",
            SkipReason::NoTimestamp => "no-timestamp",
            SkipReason::NoSession => "no-session",
            SkipReason::UnansweredCall => "unanswered-call",
            SkipReason::IgnoredFile => "ignored-file",
            SkipReason::IgnoredOutput => "ignored-output",
            SkipReason::EchoedOutput => "echoed-output",
            SkipReason::OtherProject => "other-project",
            SkipReason::CopiedTurn => "copied-turn",
            SkipReason::RepeatedText => "repeated-text",
            SkipReason::UnresolvedTarget => "unresolved-target",
            SkipReason::MalformedReinforcement => "malformed-reinforcement",
            SkipReason::Type(name) => return write!(f, "type:{name}"),
        })
    }
}
