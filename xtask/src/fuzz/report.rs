use std::fmt;
use std::path::Path;

use serde::Serialize;

use crate::cargo::root;

/// Result of one run of a target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Report {
    pub(crate) target: String,
    /// Inputs that were tried.
    pub(crate) executions: u64,
    /// Inputs per second.
    #[serde(rename = "executions_per_s")]
    pub(crate) rate: u64,
    /// Edges of the program that were reached, and all that it has.
    pub(crate) edges: u64,
    pub(crate) edges_all: u64,
    /// Inputs that are kept, each for an edge of its own.
    pub(crate) corpus: u64,
    /// Description of the failure, where something broke it.
    pub(crate) broken: Option<String>,
}

impl Report {
    /// Reads the result from libFuzzer's log.
    pub(crate) fn of(target: &str, program: &Path, log: &str, succeeded: bool) -> Report {
        let stat = |name: &str| {
            let line = log.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().parse::<u64>().ok()
        };
        let shown = program.strip_prefix(root()).unwrap_or(program).display();
        let broken =
            || format!("again with `{shown} FILE` for the FILE that is named here:\n{}", tail(log));
        Report {
            target: target.to_owned(),
            executions: stat("stat::number_of_executed_units:").unwrap_or(0),
            rate: stat("stat::average_exec_per_sec:").unwrap_or(0),
            edges: last(log, "cov:"),
            edges_all: counters(log),
            corpus: last(log, "corp:"),
            broken: (!succeeded).then(broken),
        }
    }

    /// The first line that the oracle said.
    pub(crate) fn said(&self) -> &str {
        let lines = || self.broken.as_deref().unwrap_or_default().lines().map(str::trim);
        let message = lines().skip_while(|line| !line.contains("panicked at")).nth(1);
        message.or_else(|| lines().find(|line| line.contains("ERROR: "))).unwrap_or_default()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { target, executions, rate, edges, edges_all, corpus, broken } = self;
        write!(f, "{target:<20} {executions:>10} executions {rate:>7}/s ")?;
        write!(f, "{edges:>6} of {edges_all} edges {corpus:>5} inputs kept")?;
        match broken {
            None => Ok(()),
            Some(what) => write!(f, ", BROKEN; {what}"),
        }
    }
}

/// The first number after the last place where `name` stands: `cov: 147 ft: 265 corp: 9/1Kb`.
fn last(log: &str, name: &str) -> u64 {
    let line = log.lines().rev().find(|line| line.starts_with('#') && line.contains(name));
    let after = line.and_then(|line| line.split(name).nth(1)).unwrap_or_default();
    number(after)
}

/// All edges: `INFO: Loaded 1 modules   (3123 inline 8-bit counters): ...`.
fn counters(log: &str) -> u64 {
    let line = log.lines().find(|line| line.contains("inline 8-bit counters"));
    line.and_then(|line| line.split('(').nth(1)).map_or(0, number)
}

fn number(text: &str) -> u64 {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end).and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// The last lines of a log, without libFuzzer's progress.
fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with('#')).collect();
    lines.iter().skip(lines.len().saturating_sub(40)).map(|line| format!("   {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "INFO: Loaded 1 modules   (3123 inline 8-bit counters): 3123 [0x1, 0x2),\n\
        #2\tINITED cov: 9 ft: 9 corp: 1/1b\n\
        #4005052\tDONE   cov: 147 ft: 265 corp: 31/1234b exec/s: 364095\n\
        stat::number_of_executed_units: 4005052\n\
        stat::average_exec_per_sec:     364095\n";

    #[test]
    fn a_finished_run_is_told() {
        let report = Report::of("x", Path::new("x"), LOG, true);
        let expected = Report {
            target: "x".to_owned(),
            executions: 4_005_052,
            rate: 364_095,
            edges: 147,
            edges_all: 3_123,
            corpus: 31,
            broken: None,
        };
        assert_eq!(report, expected);
        assert_eq!(serde_json::to_value(&report).unwrap()["executions_per_s"], 364_095);
    }

    #[test]
    fn a_broken_run_tells_what_the_oracle_said() {
        let log = "thread '<unnamed>' panicked at src/bin/x.rs:1:2:\nit is lost\n==1== ERROR: l\n";
        let report = Report::of("x", Path::new("x"), log, false);
        assert_eq!(report.said(), "it is lost");
        assert!(report.to_string().contains("BROKEN"));
        let report = Report::of("x", Path::new("x"), "==1== ERROR: timeout", false);
        assert_eq!(report.said(), "==1== ERROR: timeout");
    }
}
