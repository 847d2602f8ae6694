use std::fmt::{self, Write};
use std::time::Duration;

use memlith::{Cited, Pack, RecordId, Timestamp, for_people, read::LeftOutReason};
use serde::{Serialize, Serializer};

use crate::demo::command::CommandLine;
use crate::wall::millis;

/// Account of the demo, from the first step to the last.
#[derive(Debug, Serialize)]
pub(crate) struct Told {
    /// The ledger's folder; gone unless it is kept.
    pub(crate) ledger: String,
    pub(crate) kept: bool,
    /// When the session ended: every instant of the demo is relative to it.
    pub(crate) session_end: Timestamp,
    /// Whether the verification found nothing and the restart changed no answer.
    pub(crate) ok: bool,
    pub(crate) steps: Vec<Step>,
}

/// One step.
#[derive(Debug, Serialize)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    /// Result of the step, in a line.
    pub(crate) outcome: String,
    #[serde(rename = "wall_ms", serialize_with = "as_millis")]
    pub(crate) took: Duration,
    /// The command that does the same.
    #[serde(serialize_with = "as_text")]
    pub(crate) command: CommandLine,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<Answer>,
}

/// Answer of a checkout: the items it showed, and those it left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Answer {
    pub(crate) question: String,
    pub(crate) now: Timestamp,
    pub(crate) items: Vec<Shown>,
    pub(crate) left_out: Vec<LeftOut>,
    /// The items as the command prints them.
    #[serde(skip)]
    pub(crate) text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Shown {
    pub(crate) id: RecordId,
    pub(crate) citation: String,
    pub(crate) text: String,
    /// Whether it is a record of what happened; otherwise a memory.
    pub(crate) record: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct LeftOut {
    pub(crate) id: RecordId,
    pub(crate) reason: LeftOutReason,
}

impl Answer {
    pub(crate) fn of(question: &str, now: Timestamp, pack: &Pack) -> Answer {
        let left_out = pack.left_out.iter();
        Answer {
            question: question.to_owned(),
            now,
            items: pack.items.iter().map(Shown::of).collect(),
            left_out: left_out.map(|one| LeftOut { id: one.id, reason: one.reason }).collect(),
            text: for_people(&pack.items),
        }
    }

    /// Whether the item was found, and kept back because of what it is.
    pub(crate) fn withholds(&self, id: RecordId) -> bool {
        self.withheld().any(|withheld| withheld == id)
    }

    fn withheld(&self) -> impl Iterator<Item = RecordId> {
        let withheld = self.left_out.iter().filter(|one| one.reason == LeftOutReason::Authority);
        withheld.map(|one| one.id)
    }
}

/// The question, and what may not answer it.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.question)?;
        let withheld: Vec<String> = self.withheld().map(|id| id.to_string()).collect();
        if withheld.is_empty() {
            Ok(())
        } else {
            write!(f, "  (kept back: {})", withheld.join(", "))
        }
    }
}

impl Shown {
    fn of(item: &Cited) -> Shown {
        Shown {
            id: item.id,
            citation: item.citation.to_string(),
            text: item.excerpt.text.clone(),
            record: item.why.record,
        }
    }
}

impl Told {
    pub(crate) fn is_sound(&self) -> bool {
        self.ok
    }

    pub(crate) fn to_text(&self) -> String {
        let mut out = String::new();
        for (number, step) in self.steps.iter().enumerate() {
            // Writing to a string can't fail.
            let _ = writeln!(
                out,
                "{:>2}. {:11} {}  [{:.1} ms]\n    $ {}",
                number + 1,
                step.name,
                step.outcome,
                millis(step.took),
                step.command
            );
            if let Some(answer) = &step.answer {
                out.push_str(&answer.text);
                out.push('\n');
            }
        }
        let total: Duration = self.steps.iter().map(|step| step.took).sum();
        let _ = writeln!(out, "All in {:.1} ms.", millis(total));
        out.push_str(&if self.kept {
            format!(
                "The ledger stays in {}: each command above gives its answer again.\n",
                self.ledger
            )
        } else {
            "The ledger was temporary. `memlith demo --keep DIR` leaves it, and each command \
             above gives its answer again.\n"
                .to_owned()
        });
        out
    }
}

fn as_millis<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(millis(*time))
}

fn as_text<S: Serializer>(command: &CommandLine, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(command)
}
