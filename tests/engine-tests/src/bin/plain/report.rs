use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::arguments::{Arguments, Name};
use crate::goal::{Goal, percent};
use crate::half::Half;
use crate::tally::{Tally, Verdict};

/// Counts of an evaluation, each half on its own.
pub(crate) struct Report {
    name: Name,
    /// Labels that are counted, in the order in which they are printed.
    labels: &'static [&'static str],
    /// Names of the counts beside the cases.
    counts: &'static [&'static str],
    goals: &'static [Goal],
    tuned: Tally,
    untouched: Tally,
}

impl Report {
    pub(crate) fn new(
        name: Name,
        labels: &'static [&'static str],
        goals: &'static [Goal],
    ) -> Report {
        let (tuned, untouched) = (Tally::default(), Tally::default());
        Report { name, labels, counts: &[], goals, tuned, untouched }
    }

    pub(crate) fn with_counts(self, counts: &'static [&'static str]) -> Report {
        Report { counts, ..self }
    }

    /// Counts a case whose first text is `text`.
    pub(crate) fn take(&mut self, text: &str, verdict: Verdict) {
        self.half(Half::of(text)).take(verdict);
    }

    pub(crate) fn half(&mut self, half: Half) -> &mut Tally {
        match half {
            Half::Tuned => &mut self.tuned,
            Half::Untouched => &mut self.untouched,
        }
    }

    pub(crate) fn reaches_its_goals(&self) -> bool {
        self.goals.iter().all(|goal| goal.is_reached(&self.tuned, &self.untouched))
    }

    /// The report for people.
    pub(crate) fn text(&self, arguments: &Arguments) -> String {
        let mut out = format!("{}\n", self.name.label());
        // Writing to a string can't fail.
        for (half, tally) in self.halves() {
            let _ = write!(out, "  {half:<10}{:>5} cases", tally.of);
            for label in self.labels {
                let count = tally.count(label);
                let _ = write!(out, "  {label} {count}{}", share(count, tally.of));
            }
            for label in self.counts {
                let _ = write!(out, "  {label} {}", tally.count(label));
            }
            out.push('\n');
        }
        for goal in self.goals {
            let reached = goal.is_reached(&self.tuned, &self.untouched);
            let _ = writeln!(out, "  {}: {}", goal.text(), if reached { "yes" } else { "no" });
        }
        if arguments.misses {
            for (half, tally) in self.halves() {
                for (kind, (right, of)) in &tally.kinds {
                    let _ = writeln!(out, "  {half}, {kind}: {right} of {of} right");
                }
            }
            for miss in &self.tuned.misses {
                let _ = writeln!(out, "  tuned: {miss}");
            }
        }
        out
    }

    fn json(&self, misses: bool) -> Value {
        let halves = self.halves().map(|(half, tally)| {
            let listed = misses && half == "tuned";
            let mut fields = Map::new();
            fields.insert("cases".to_owned(), tally.of.into());
            for label in self.labels.iter().chain(self.counts) {
                fields.insert(label.replace(' ', "_"), tally.count(label).into());
            }
            let kinds = tally
                .kinds
                .iter()
                .map(|(kind, (right, of))| (kind.clone(), json!({ "right": right, "of": of })));
            fields.insert("kinds".to_owned(), Value::Object(kinds.collect()));
            if listed {
                fields.insert("misses".to_owned(), json!(tally.misses));
            }
            (half.to_owned(), Value::Object(fields))
        });
        let mut fields: Map<String, Value> = halves.into_iter().collect();
        fields.insert("goals_reached".to_owned(), self.reaches_its_goals().into());
        Value::Object(fields)
    }

    fn halves(&self) -> [(&'static str, &Tally); 2] {
        [("tuned", &self.tuned), ("untouched", &self.untouched)]
    }
}

/// All reports as one object, by the names of the sets.
pub(crate) fn json(reports: &[Report], misses: bool) -> Value {
    let named = reports.iter().map(|report| (report.name.label().to_owned(), report.json(misses)));
    Value::Object(named.collect())
}

/// How much `count` is of `of`, where that is a share.
fn share(count: u64, of: u64) -> String {
    match (count * 1_000).checked_div(of) {
        Some(thousandths) => format!(" ({})", percent(thousandths)),
        None => String::new(),
    }
}
