use memlith_log::RecordId;
use serde::{Deserialize, Serialize};

use crate::{Cosine, Text};

/// By what likeness a write was weighed against the rows that stood: all that a replay
/// can't compute again.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Weighing<'a> {
    /// The thresholds of the model that the decision names.
    pub thresholds: Thresholds,
    /// The rows that came near enough to matter, the nearest first, of equal ones the older.
    pub near: Vec<Near>,
    /// The question to an arbiter and its answer, where one was asked.
    #[serde(borrow)]
    pub arbitration: Option<Arbitration<'a>>,
    /// The rows that the new row stands beside and contradicts, ascending.
    pub contests: Vec<RecordId>,
}

/// Where likeness becomes sameness, for one embedding model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thresholds {
    /// From here on a write restates.
    pub restate: Cosine,
    /// Below this it is another assertion.
    pub add: Cosine,
    /// Between the two, and with nobody to ask: from here on it supersedes.
    pub midpoint: Cosine,
}

/// A row, and how near a write came to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Near {
    /// The row.
    pub id: RecordId,
    /// How near.
    pub cosine: Cosine,
    /// The difference that keeps the two from saying the same, if there is any.
    pub differs: Option<Difference>,
}

/// In what two texts differ that no likeness makes good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// One denies what the other says.
    Negation,
    /// A number.
    Number,
    /// A unit of measurement.
    Unit,
    /// A date or a time of day.
    Date,
    /// A name.
    Name,
    /// Before or after, to or from, more or less.
    Direction,
    /// A word in another's place, or nobody can tell: no restatement, and nothing else.
    Value,
}

/// Question to an arbiter, and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arbitration<'a> {
    /// Its name.
    #[serde(borrow)]
    pub by: Text<'a>,
    /// The answer, or why it counts for nothing.
    pub reply: Reply,
}

/// Answer of an arbiter, or why the midpoint decided instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It is another assertion.
    Add,
    /// It takes the place of this row.
    Update(RecordId),
    /// It is not worth a row.
    Skip,
    /// It could not be asked.
    Unavailable,
    /// It said nothing in time.
    TimedOut,
    /// It failed: the exit code, where there was one.
    Failed(Option<i32>),
    /// It said more than a reply can be.
    TooLong,
    /// It said what is no reply.
    Unreadable,
    /// It named a row that it wasn't shown.
    Invented,
    /// The rows that it was asked about changed again and again meanwhile.
    Outrun,
}

impl Default for Thresholds {
    /// Those that Matrix published; they fit the model that they were made for.
    fn default() -> Thresholds {
        let of = |thousandths: i32| Cosine(thousandths * (Cosine::ONE / 1_000));
        Thresholds { restate: of(950), add: of(800), midpoint: of(875) }
    }
}

impl Thresholds {
    /// Whether they are in their order, and cosines.
    #[must_use]
    pub fn are_ordered(&self) -> bool {
        let Thresholds { restate, add, midpoint } = *self;
        -Cosine::ONE <= add.0 && add <= midpoint && midpoint <= restate && restate.0 <= Cosine::ONE
    }
}

impl Difference {
    /// The word for it in output.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Difference::Negation => "negation",
            Difference::Number => "number",
            Difference::Unit => "unit",
            Difference::Date => "date",
            Difference::Name => "name",
            Difference::Direction => "direction",
            Difference::Value => "value",
        }
    }
}

impl Reply {
    /// Whether the arbiter decided, and not the midpoint.
    #[must_use]
    pub fn decides(self) -> bool {
        matches!(self, Reply::Add | Reply::Update(_) | Reply::Skip)
    }
}
