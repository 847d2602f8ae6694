//! Deviations of failed runs from a procedure.

use std::collections::BTreeMap;

use crate::corpus::{Corpus, Token};
use crate::evidence::{Bits, Expected, evidence};
use crate::sessions::Word;
use crate::window::Window;
use crate::{Deviation, DeviationKind, Sessions};

/// The most deviations of a candidate.
const DEVIATIONS_MAX: usize = 16;

/// The windows of a procedure among runs, and the runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) windows: &'a [Window],
}

/// A departure of one window: the step, what kind, and the verb that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Departure {
    step: usize,
    form: Form,
    verb: Option<Word>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Replaced,
    LeftOut,
    OutOfOrder,
    Extra,
    WentWrong,
}

/// Windows that depart in one way: the failed ones, and the number of the others.
#[derive(Debug, Default)]
struct Count {
    others: u64,
    /// The failed windows, each with the place that shows it.
    failed: Vec<(usize, usize)>,
}

/// The deviations, and for each failed window whether it has one.
pub(crate) fn contrast(
    sessions: &Sessions,
    tokens: &[Token],
    failed: Side<'_>,
    others: Side<'_>,
    doubt: Bits,
) -> (Vec<Deviation>, Vec<bool>) {
    let mut counts: BTreeMap<Departure, Count> = BTreeMap::new();
    for (number, window) in failed.windows.iter().enumerate() {
        for (departure, place) in departures(sessions, tokens, failed.corpus, window) {
            counts.entry(departure).or_default().failed.push((number, place));
        }
    }
    for window in others.windows {
        for (departure, _) in departures(sessions, tokens, others.corpus, window) {
            if let Some(count) = counts.get_mut(&departure) {
                count.others += 1;
            }
        }
    }
    let needed = doubt.plus(Bits::of_choices(counts.len() as u64));
    let (all, all_others) = (failed.windows.len() as u64, others.windows.len() as u64);
    let mut told: Vec<(Bits, Departure, Count)> = counts
        .into_iter()
        .map(|(departure, count)| {
            // The share among the others, and one more who does and one who doesn't.
            let share = Expected::ratio(count.others + 1, all_others + 2);
            let expected = Expected(share.0.saturating_mul(all));
            (evidence(count.failed.len() as u64, expected, all), departure, count)
        })
        .filter(|(bits, _, _)| *bits >= needed)
        .collect();
    told.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    told.truncate(DEVIATIONS_MAX);
    let mut deviates = vec![false; failed.windows.len()];
    for (number, _) in told.iter().flat_map(|(_, _, count)| &count.failed) {
        if let Some(deviates) = deviates.get_mut(*number) {
            *deviates = true;
        }
    }
    let tell = |(_, departure, count): &(Bits, Departure, Count)| {
        let source = |(number, place): &(usize, usize)| {
            let window = failed.windows.get(*number)?;
            let run = failed.corpus.run(window.run)?;
            Some((run.session, sessions.step(run.outside(*place))?.seq))
        };
        Deviation {
            step: departure.step,
            kind: departure.kind(sessions),
            failed: u32::try_from(count.failed.len()).unwrap_or(u32::MAX),
            others: u32::try_from(count.others).unwrap_or(u32::MAX),
            sources: count.failed.iter().filter_map(source).collect(),
        }
    };
    (told.iter().map(tell).collect(), deviates)
}

/// Deviations in a window, each once, with a place that shows it.
fn departures(
    sessions: &Sessions,
    tokens: &[Token],
    corpus: &Corpus,
    window: &Window,
) -> Vec<(Departure, usize)> {
    let mut found = went_wrong(sessions, corpus, window);
    let steps: Vec<(usize, usize)> =
        (0..).zip(&window.places).filter_map(|(step, place)| Some((step, (*place)?))).collect();
    let mut others: Vec<usize> = Vec::new();
    for pair in steps.windows(2) {
        let [(_, before), (_, after)] = pair else { continue };
        others.extend(before + 1..*after);
    }
    let mut push = |step, form, verb, place| {
        found.push((Departure { step, form, verb }, place));
    };
    // A step that stands elsewhere in the window isn't one left out and another extra.
    for step in missing(window) {
        let elsewhere = |place: &&usize| tokens.get(step) == Some(&corpus.token(**place));
        if let Some(place) = others.iter().find(elsewhere).copied() {
            others.retain(|other| *other != place);
            push(step, Form::OutOfOrder, None, place);
        }
    }
    let moved: Vec<usize> = found_steps(&found);
    let mut push = |step, form, verb, place| {
        found.push((Departure { step, form, verb }, place));
    };
    for pair in steps.windows(2) {
        let [(step, place), (next, end)] = pair else { continue };
        let mut absent = (step + 1..*next).filter(|step| !moved.contains(step));
        for other in others.iter().filter(|other| (*place..*end).contains(other)) {
            let verb = corpus.run_of(*other).and_then(|run| sessions.verb(run.outside(*other)));
            match absent.next() {
                Some(step) => push(step, Form::Replaced, verb, *other),
                None => push(*next, Form::Extra, verb, *other),
            }
        }
        absent.for_each(|step| push(step, Form::LeftOut, None, *place));
    }
    if let (Some((first, place)), Some((last, end))) = (steps.first(), steps.last()) {
        (0..*first).for_each(|step| push(step, Form::LeftOut, None, *place));
        (last + 1..tokens.len()).for_each(|step| push(step, Form::LeftOut, None, *end));
    }
    found.sort_unstable();
    found.dedup_by_key(|(departure, _)| *departure);
    found
}

fn went_wrong(sessions: &Sessions, corpus: &Corpus, window: &Window) -> Vec<(Departure, usize)> {
    let wrong = |(step, place): (usize, &Option<usize>)| {
        let place = (*place)?;
        let outside = corpus.run_of(place)?.outside(place);
        let departure = Departure { step, form: Form::WentWrong, verb: None };
        (sessions.ok(outside) == Some(false)).then_some((departure, place))
    };
    window.places.iter().enumerate().filter_map(wrong).collect()
}

fn missing(window: &Window) -> impl Iterator<Item = usize> {
    (0..window.places.len()).filter(|step| !window.has(*step))
}

/// The steps that were found at another place.
fn found_steps(found: &[(Departure, usize)]) -> Vec<usize> {
    let moved = found.iter().filter(|(departure, _)| departure.form == Form::OutOfOrder);
    moved.map(|(departure, _)| departure.step).collect()
}

impl Departure {
    fn kind(&self, sessions: &Sessions) -> DeviationKind {
        let verb = self.verb.map(|verb| sessions.text(verb).to_owned()).unwrap_or_default();
        match self.form {
            Form::Replaced => DeviationKind::Replaced { by: verb },
            Form::LeftOut => DeviationKind::LeftOut,
            Form::OutOfOrder => DeviationKind::OutOfOrder,
            Form::Extra => DeviationKind::Extra { verb },
            Form::WentWrong => DeviationKind::WentWrong,
        }
    }
}
