//! Arguments of the tools. The rank of a call is no argument of any.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::words::Words;

/// The arguments of a tool, and the command line that they are.
pub(crate) trait Arguments: DeserializeOwned + JsonSchema {
    /// The verb and its words.
    fn words(self) -> Words;
}

/// A question to be answered.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checkout {
    /// The question, in the user's own words.
    query: String,
    /// Purpose of the answer: general, coding, review, security, ...; an unknown one is
    /// refused with the list.
    purpose: Option<String>,
    /// The most tokens of the answer; 2000 where absent.
    #[schemars(range(min = 1))]
    budget_tokens: Option<u32>,
    /// A past state: an RFC 3339 time, a date, or the number of a record.
    as_of: Option<String>,
}

/// A memory to be written.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Remember {
    #[serde(flatten)]
    assertion: Assertion,
    /// Write only what adds something: what is said already in other words reinforces that.
    #[serde(default)]
    only_new: bool,
    /// Your own name for this write: repeated under the same name, it writes nothing.
    key: Option<String>,
}

/// A memory that is wrong, and what is right.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Correct {
    /// The memory that is wrong, by its id (`mem_...`) or citation.
    id: String,
    #[serde(flatten)]
    assertion: Assertion,
}

/// A statement of what is so.
#[derive(Debug, Deserialize, JsonSchema)]
struct Assertion {
    /// One sentence that says what is so and can be read alone.
    text: String,
    /// The entity that it is about; with `predicate` and `value`.
    entity: Option<String>,
    /// The property of the entity.
    predicate: Option<String>,
    /// The property's value.
    value: Option<String>,
    /// The property has one value at a time: another one takes its place.
    #[serde(default)]
    single: bool,
    /// The first instant at which it holds; else now.
    valid_from: Option<String>,
    /// The first instant at which it no longer holds; else it has no end.
    valid_until: Option<String>,
    /// The memories it rests on: it leaves and comes back with them.
    #[serde(default)]
    rests_on: Vec<String>,
}

/// Words to look up.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recall {
    /// The words.
    query: String,
    /// The most answers; 10 where absent.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<u16>,
    /// A past state: an RFC 3339 time, a date, or the number of a record.
    as_of: Option<String>,
}

/// A list of memories, records or sessions, the newest first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    /// memories, records (what happened) or sessions; memories where absent.
    what: Option<String>,
    /// Only memories about this entity.
    entity: Option<String>,
    /// Only what stands so: active, superseded, pending, invalidated, ...
    status: Option<String>,
    /// Only what user, assistant, tool, web, file or derived spoke.
    origin: Option<String>,
    /// Only what is of the session of this name.
    session: Option<String>,
    /// Only what happened at this instant or later.
    since: Option<String>,
    /// Only what happened before this instant.
    until: Option<String>,
    /// The oldest first.
    #[serde(default)]
    oldest: bool,
    /// The most rows; 50 where absent.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<u16>,
    /// Go on where a page before ended: its `next`.
    cursor: Option<String>,
}

/// Memories that are wrong.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Invalidate {
    /// Their ids (`mem_...`) or citations.
    #[schemars(length(min = 1))]
    ids: Vec<String>,
    /// Why.
    reason: Option<String>,
}

/// How an answer did that was made of memories.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outcome {
    /// success, partial or failure.
    result: String,
    /// The memories that the answer rested on.
    #[serde(default)]
    ids: Vec<String>,
    /// The checkout that the answer was made from, by its `observation`; without `ids` all
    /// that it showed.
    shown_in: Option<String>,
    /// It was checked by a program: an exit code, a test result. Nothing else is verified.
    #[serde(default)]
    verified: bool,
    /// A note on what happened.
    note: Option<String>,
}

/// A memory whose salience is explained.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Explain {
    /// Its id (`mem_...`), citation or number.
    id: String,
    /// The instant; now where absent.
    at: Option<String>,
}

/// No arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// An action on what waits for review. To accept and reject is a person's.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "do", deny_unknown_fields)]
pub(crate) enum Review {
    /// List what waits, the oldest first.
    List {},
    /// Show one with what it rests on and what would give way to it.
    Show {
        /// Its id.
        id: String,
    },
    /// Propose a memory that was made of others.
    Propose {
        /// episode, claim, procedure or rule.
        kind: String,
        /// The words.
        text: String,
        /// The memories or records it rests on.
        rests_on: Vec<String>,
    },
}

/// One record.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct History {
    /// Its id (`mem_...`), citation or number.
    id: String,
}

/// One record.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trace {
    /// Its id (`mem_...`), citation or number.
    id: String,
}

/// How procedures are looked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Procedures {
    /// The fewest sessions that followed a procedure, 2 or more; 3 where absent.
    #[schemars(range(min = 2))]
    min_support: Option<u32>,
    /// Propose what is found: it waits for review. Else it is only shown.
    #[serde(default)]
    propose: bool,
}

/// A run that writes summaries.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Compact {
    /// Say what would be written, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

/// Which answers are checked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Audit {
    /// Only this checkout, by its `observation`; else all.
    id: Option<String>,
}

/// Memories to be erased for good.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Erase {
    /// The ids (`mem_...`) or citations.
    #[schemars(length(min = 1))]
    ids: Vec<String>,
    /// Say what would be erased, and erase nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Arguments for Checkout {
    fn words(self) -> Words {
        let words = Words::verb("checkout").flag("purpose", self.purpose);
        let words = words.flag("budget-tokens", self.budget_tokens).flag("as-of", self.as_of);
        words.value(self.query)
    }
}

impl Arguments for Remember {
    fn words(self) -> Words {
        let words = Words::verb("remember").switch("only-new", self.only_new);
        let text = self.assertion.text.clone();
        self.assertion.flags(words.flag("key", self.key)).value(text)
    }
}

impl Arguments for Correct {
    fn words(self) -> Words {
        let text = self.assertion.text.clone();
        self.assertion.flags(Words::verb("correct")).value(self.id).value(text)
    }
}

impl Assertion {
    fn flags(self, words: Words) -> Words {
        let words = words.flag("entity", self.entity).flag("predicate", self.predicate);
        let words = words.flag("value", self.value).switch("single", self.single);
        let words = words.flag("valid-from", self.valid_from);
        words.flag("valid-until", self.valid_until).flags("rests-on", self.rests_on)
    }
}

impl Arguments for Recall {
    fn words(self) -> Words {
        let words = Words::verb("recall").flag("limit", self.limit).flag("as-of", self.as_of);
        words.value(self.query)
    }
}

impl Arguments for List {
    fn words(self) -> Words {
        let words = Words::verb("list").flag("entity", self.entity).flag("status", self.status);
        let words = words.flag("origin", self.origin).flag("session", self.session);
        let words = words.flag("since", self.since).flag("until", self.until);
        let words = words.switch("oldest", self.oldest).flag("cursor", self.cursor);
        let words = words.flag("limit", self.limit.map(|limit| limit.min(1000)));
        words.values(self.what.into_iter().collect())
    }
}

impl Arguments for Invalidate {
    fn words(self) -> Words {
        Words::verb("invalidate").flag("reason", self.reason).values(self.ids)
    }
}

impl Arguments for Outcome {
    fn words(self) -> Words {
        let words = Words::verb("outcome").switch("verified", self.verified);
        let words = words.flag("shown-in", self.shown_in).flag("note", self.note);
        words.value(self.result).values(self.ids)
    }
}

impl Arguments for Explain {
    fn words(self) -> Words {
        Words::verb("explain").flag("at", self.at).value(self.id)
    }
}

impl Arguments for Nothing {
    fn words(self) -> Words {
        Words::verb("stat")
    }
}

impl Arguments for Review {
    fn words(self) -> Words {
        match self {
            Review::List {} => Words::verb("review list"),
            Review::Show { id } => Words::verb("review show").value(id),
            Review::Propose { kind, text, rests_on } => {
                Words::verb("review propose").flags("rests-on", rests_on).value(kind).value(text)
            }
        }
    }
}

impl Arguments for History {
    fn words(self) -> Words {
        Words::verb("history").value(self.id)
    }
}

impl Arguments for Trace {
    fn words(self) -> Words {
        Words::verb("trace").value(self.id)
    }
}

impl Arguments for Procedures {
    fn words(self) -> Words {
        let words = Words::verb("mine").switch("dry-run", !self.propose);
        words.flag("min-support", self.min_support)
    }
}

impl Arguments for Compact {
    fn words(self) -> Words {
        Words::verb("compact").switch("dry-run", self.dry_run)
    }
}

impl Arguments for Audit {
    fn words(self) -> Words {
        Words::verb("audit receipts").values(self.id.into_iter().collect())
    }
}

impl Arguments for Erase {
    fn words(self) -> Words {
        // Nobody sits at a terminal who could be asked: whoever started the server was.
        Words::verb("erase").switch("dry-run", self.dry_run).switch("yes", true).values(self.ids)
    }
}
