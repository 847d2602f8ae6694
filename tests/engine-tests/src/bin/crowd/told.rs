use std::fmt;
use std::str::FromStr;

use memlith::{RecordId, Seq};

use crate::Outcome;

/// A line from a worker: what it is about to do, or what was acknowledged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Told {
    /// A text with this marker is about to be written.
    Writing(String),
    Wrote(String, RecordId),
    /// A checkout at this view, the record that says so, and the records that it showed.
    Asked(Seq, RecordId, Vec<RecordId>),
    Unobserved(String),
    Checkpointed(String),
    Erasing(RecordId),
    Erased(RecordId),
    Verified,
    /// A finding of a verification while others were at work.
    Found(String),
    Reopened,
    Ended,
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Told::Writing(marker) => write!(f, "writing {marker}"),
            Told::Wrote(marker, id) => write!(f, "wrote {marker} {id}"),
            Told::Asked(view, observed, items) => {
                write!(f, "asked {} {observed}", view.0)?;
                items.iter().try_for_each(|id| write!(f, " {id}"))
            }
            Told::Unobserved(why) => write!(f, "unobserved {why}"),
            Told::Checkpointed(how) => write!(f, "checkpointed {how}"),
            Told::Erasing(id) => write!(f, "erasing {id}"),
            Told::Erased(id) => write!(f, "erased {id}"),
            Told::Verified => write!(f, "verified"),
            Told::Found(what) => write!(f, "found {what}"),
            Told::Reopened => write!(f, "reopened"),
            Told::Ended => write!(f, "ended"),
        }
    }
}

impl FromStr for Told {
    type Err = Box<dyn std::error::Error>;

    fn from_str(line: &str) -> Outcome<Told> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut words = rest.split(' ').filter(|word| !word.is_empty());
        let mut word = || words.next().ok_or_else(|| format!("half a line: {line}"));
        Ok(match verb {
            "writing" => Told::Writing(word()?.to_owned()),
            "wrote" => Told::Wrote(word()?.to_owned(), word()?.parse()?),
            "asked" => {
                let (view, observed) = (Seq(word()?.parse()?), word()?.parse()?);
                let items: Result<_, _> = words.map(str::parse).collect();
                Told::Asked(view, observed, items?)
            }
            "unobserved" => Told::Unobserved(rest.to_owned()),
            "checkpointed" => Told::Checkpointed(rest.to_owned()),
            "erasing" => Told::Erasing(word()?.parse()?),
            "erased" => Told::Erased(word()?.parse()?),
            "verified" => Told::Verified,
            "found" => Told::Found(rest.to_owned()),
            "reopened" => Told::Reopened,
            "ended" => Told::Ended,
            _ => return Err(format!("no such line: {line}").into()),
        })
    }
}
