use std::path::PathBuf;

use crate::baseline::Order;
use crate::report::Report;
use crate::{Outcome, change, fresh, people, stand, verdict, week};

const USAGE: &str = "usage: plain [stand|change|week|fresh|two-people|verdict|all] \
                     [--misses] [--json] [--gate] [--sets FOLDER] [--first N] \
                     [--order engine|bm25|newest]";

/// Arguments of the program.
pub(crate) struct Arguments {
    pub(crate) names: Vec<Name>,
    /// Whether the mistakes of the tuned half are listed; those of the other stay unseen.
    pub(crate) misses: bool,
    pub(crate) json: bool,
    /// Whether a goal that isn't reached is a failure.
    pub(crate) gate: bool,
    /// The folder with the sets.
    pub(crate) sets: PathBuf,
    /// How many lines of each set are taken.
    pub(crate) first: usize,
    /// Order that is judged: the engine's own, or one to compare it with.
    pub(crate) order: Order,
}

/// One of the evaluations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Stand,
    Change,
    Week,
    Fresh,
    TwoPeople,
    Verdict,
}

impl Name {
    const ALL: [Name; 6] =
        [Name::Stand, Name::Change, Name::Week, Name::Fresh, Name::TwoPeople, Name::Verdict];

    pub(crate) fn label(self) -> &'static str {
        match self {
            Name::Stand => "stand",
            Name::Change => "change",
            Name::Week => "week",
            Name::Fresh => "fresh",
            Name::TwoPeople => "two-people",
            Name::Verdict => "verdict",
        }
    }

    pub(crate) fn run(self, arguments: &Arguments) -> Outcome<Report> {
        match self {
            Name::Stand => stand::run(arguments),
            Name::Change => change::run(arguments),
            Name::Week => week::run(arguments),
            Name::Fresh => fresh::run(arguments),
            Name::TwoPeople => people::run(arguments),
            Name::Verdict => verdict::run(arguments),
        }
    }
}

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Outcome<Arguments> {
        let mut parsed = Arguments {
            names: Vec::new(),
            misses: false,
            json: false,
            gate: false,
            sets: PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/plain")),
            first: usize::MAX,
            order: Order::Engine,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--misses" => parsed.misses = true,
                "--json" => parsed.json = true,
                "--gate" => parsed.gate = true,
                "--sets" => parsed.sets = words.next().ok_or(USAGE)?.into(),
                "--first" => parsed.first = words.next().ok_or(USAGE)?.parse()?,
                "--order" => {
                    let order = words.next().as_deref().and_then(Order::of);
                    parsed.order = order.ok_or(USAGE)?;
                }
                "all" => parsed.names.extend(Name::ALL),
                other => {
                    let named = Name::ALL.into_iter().find(|name| name.label() == other);
                    parsed.names.push(named.ok_or(USAGE)?);
                }
            }
        }
        if parsed.names.is_empty() {
            parsed.names.extend(Name::ALL);
        }
        Ok(parsed)
    }
}
