//! The inputs of a folder: everything that was read of a ledger, and nothing else.

use memlith::{Seq, Timestamp};

/// Sessions, statements and procedures read of a ledger at one position.
///
/// The order of the lists says nothing: [`render`](crate::render()) sorts them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The last record that was read.
    pub view: Seq,
    /// The sessions.
    pub sessions: Vec<Session>,
    /// Statements that were learned in them.
    pub statements: Vec<Statement>,
    /// The procedures that were accepted and hold.
    pub procedures: Vec<Procedure>,
}

/// A session: what a reference of a task points to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Its id, which a citation names.
    pub thread: String,
    /// When the latest of it happened.
    pub updated_at: Timestamp,
    /// The directory it worked in; empty where that isn't known.
    pub directory: String,
    /// The project that it was about; empty where that isn't known.
    pub project: String,
    /// Where its transcript lies.
    pub transcript: String,
    /// The citation of its first record; it stands in no file.
    pub first: String,
    /// The branch of git that it worked on.
    pub branch: Option<String>,
    /// The name of its file behind the time; made from the title where there is none.
    pub slug: Option<String>,
    /// The first request, in one line.
    pub title: String,
    /// The family of tasks that it belongs to; empty where that isn't known.
    pub family: String,
    /// How it ended.
    pub outcome: Ending,
    /// The kind of work that it was about.
    pub work: Work,
    /// Words to search for.
    pub keywords: Vec<String>,
    /// Failures of its commands and what mended them, and its commits.
    pub facts: Vec<Fact>,
    /// Requests that it was asked, each with its record.
    pub requests: Vec<Request>,
    /// How strongly it competes.
    pub class: Class,
    /// The text that a first phase wrote of it, where one did.
    pub written: Option<Written>,
}

/// Something that happened in a session, which nobody said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fact {
    /// Where it stands.
    pub part: Part,
    /// The words for it.
    pub text: String,
}

/// A request of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Its record.
    pub id: String,
    /// The words.
    pub text: String,
}

/// The text that a first phase wrote of a session, kept to the byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The raw memory: front matter and tasks.
    pub raw_memory: String,
    /// The summary of the session.
    pub summary: String,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// It went well.
    Success,
    /// A part of it did.
    Partial,
    /// It failed.
    Fail,
    /// Nothing says how.
    #[default]
    Uncertain,
}

/// The kind of work that a session was about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// Code was run or changed: what failed counts most.
    Coding,
    /// Pages were looked at: what was found counts most.
    Browsing,
    /// Neither: what the person wants counts most.
    #[default]
    Reasoning,
}

/// How strongly something competes, in four classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It has faded.
    Faded,
    /// It is as it was when it was written.
    #[default]
    Plain,
    /// It was used.
    Used,
    /// A person pinned it.
    Pinned,
}

/// Where a statement stands in the folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Statements of who the person is.
    Profile,
    /// Statements of what the person wants.
    Preference,
    /// Statements of what is so.
    #[default]
    Knowledge,
    /// Statements of what failed, and what to do instead.
    Failure,
}

/// A memory that stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// Its id.
    pub id: String,
    /// Where it stands.
    pub part: Part,
    /// The words.
    pub text: String,
    /// The sessions that support it, by [`Session::thread`]; at least one.
    pub threads: Vec<String>,
    /// The day of its newest evidence decides its place.
    pub at: Timestamp,
    /// How strongly it competes.
    pub class: Class,
    /// Whether something of the same standing says otherwise.
    pub is_contested: bool,
    /// The id of a later one that says, or may say, another value of the same.
    pub newer: Option<String>,
    /// The records that it rests on.
    pub evidence: Vec<String>,
}

/// A procedure that sessions followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Procedure {
    /// Its id.
    pub id: String,
    /// Name of the skill: lower-case letters, digits and hyphens, at most 64.
    pub name: String,
    /// When it is of use, in one line.
    pub description: String,
    /// The steps, in order.
    pub steps: Vec<String>,
    /// Things that failed runs did otherwise.
    pub pitfalls: Vec<String>,
    /// Number of sessions that followed it.
    pub support: u32,
    /// Number of these that went well.
    pub succeeded: u32,
    /// Number of these that failed.
    pub failed: u32,
    /// The sessions, by [`Session::thread`].
    pub threads: Vec<String>,
}

impl Ending {
    /// The word for it in the files.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Ending::Success => "success",
            Ending::Partial => "partial",
            Ending::Fail => "fail",
            Ending::Uncertain => "uncertain",
        }
    }
}
