use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};

use crate::cargo::{output, root};
use crate::programs::Programs;

/// Counts that a busy machine can't change: instructions of a fixed workload, bytes it
/// reads, syncs it makes, each compared with what is committed.
///
/// Instructions are counted by callgrind, with the hash's portable code, and compared
/// with a tolerance: the allocator and the loader have a say in them. Where valgrind is
/// missing, or the compiler is another one, they are skipped, loudly. Bytes and syncs are
/// compared exactly, everywhere.
#[derive(clap::Args)]
pub(crate) struct Gates {
    /// Writes the committed counts anew.
    #[arg(long)]
    pub(crate) write: bool,
}

/// The committed counts: `compiler NAME`, `instructions STEP N` and `exact COUNT N`.
const COUNTS: &str = "xtask/gates.txt";

/// By how much a count of instructions may differ, in percent.
const TOLERANCE: u64 = 2;

/// Step that is subtracted from every other: a process that begins and ends.
const NOTHING: &str = "nothing";

/// Counts as they are committed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    compiler: String,
    instructions: BTreeMap<String, u64>,
    exact: BTreeMap<String, u64>,
}

impl Gates {
    /// Builds the workload, counts, and compares or writes.
    ///
    /// # Errors
    /// A failed build or run, or a count that is not what is committed.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let chosen = ["--release", "--package=xtask", "--example=gates", "--features=portable"];
        let programs = Programs::ordinary(&chosen)?;
        let program = programs.path("xtask/gates")?;
        let folder = tempfile::tempdir().context("make a temporary folder")?;
        let counted = count(program, folder.path())?;
        let path = root().join(COUNTS);
        if self.write {
            ensure!(!counted.instructions.is_empty(), "valgrind is missing: nothing was written");
            return std::fs::write(&path, counted.to_text()).context("write the counts");
        }
        let committed = std::fs::read_to_string(&path);
        let committed = Counts::parse(&committed.with_context(|| format!("read {COUNTS}"))?)?;
        let wrong = compare(&committed, &counted);
        ensure!(
            wrong.is_empty(),
            "{}\nif that is as it should be: cargo xtask gates --write",
            wrong.join("\n")
        );
        Ok(())
    }
}

/// Runs the workload in `folder`.
fn count(program: &Path, folder: &Path) -> anyhow::Result<Counts> {
    output(Command::new(program).arg("build").arg(folder))?;
    let exact = output(Command::new(program).arg("counts").arg(folder))?;
    let exact = exact.lines().map(|line| {
        let (name, count) = line.split_once(' ').context("a count without a number")?;
        Ok((name.to_owned(), count.parse()?))
    });
    let compiler = output(Command::new("rustc").arg("--version"))?.trim().to_owned();
    let mut counts = Counts {
        compiler,
        instructions: BTreeMap::new(),
        exact: exact.collect::<anyhow::Result<_>>()?,
    };
    if !has_valgrind() {
        println!("SKIPPED: valgrind is missing, no instructions were counted");
        return Ok(counts);
    }
    let steps = output(Command::new(program).arg("steps"))?;
    for step in steps.lines() {
        counts.instructions.insert(step.to_owned(), instructions(program, step, folder)?);
    }
    let nothing = counts.instructions.remove(NOTHING).context("no step that does nothing")?;
    for count in counts.instructions.values_mut() {
        *count = count.saturating_sub(nothing);
    }
    Ok(counts)
}

fn has_valgrind() -> bool {
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    cfg!(target_arch = "x86_64") && valgrind.status().is_ok_and(|status| status.success())
}

/// The instructions of one step in a process of its own.
fn instructions(program: &Path, step: &str, folder: &Path) -> anyhow::Result<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg(program).args(["step", step]).arg(folder);
    // What the environment holds lies on the stack, and moves what follows it.
    valgrind.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let ended = valgrind.output().context("start valgrind")?;
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    ensure!(ended.status.success(), "the step {step} failed under valgrind: {said}");
    collected(&said).with_context(|| format!("valgrind says no count for {step}: {said}"))
}

/// The number in a line as `==17== Collected : 123456`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find_map(|line| line.split_once("Collected :"))?;
    line.1.trim().parse().ok()
}

/// Returns the differences, a line each; prints every count on the way.
fn compare(committed: &Counts, counted: &Counts) -> Vec<String> {
    let mut wrong = Vec::new();
    let names = committed.exact.keys().chain(counted.exact.keys());
    for name in names.collect::<std::collections::BTreeSet<_>>() {
        let (expected, found) = (committed.exact.get(name), counted.exact.get(name));
        println!("{name:34} {:>14} {:>14}", shown(expected), shown(found));
        if expected != found {
            wrong.push(format!("{name} is {}, not {}", shown(found), shown(expected)));
        }
    }
    if counted.instructions.is_empty() {
        return wrong;
    }
    if committed.compiler != counted.compiler {
        println!(
            "SKIPPED: instructions were committed with {}, this is {}",
            committed.compiler, counted.compiler
        );
        return wrong;
    }
    let names = committed.instructions.keys().chain(counted.instructions.keys());
    for name in names.collect::<std::collections::BTreeSet<_>>() {
        let (expected, found) = (committed.instructions.get(name), counted.instructions.get(name));
        println!("instructions of {name:18} {:>14} {:>14}", shown(expected), shown(found));
        if !matches!((expected, found), (Some(one), Some(other)) if is_near(*one, *other)) {
            let (found, expected) = (shown(found), shown(expected));
            wrong.push(format!("{name} takes {found} instructions, not {expected}"));
        }
    }
    wrong
}

/// Fewer count as well: who makes a step faster writes the new count.
fn is_near(expected: u64, found: u64) -> bool {
    expected.abs_diff(found).saturating_mul(100) <= expected.saturating_mul(TOLERANCE)
}

fn shown(count: Option<&u64>) -> String {
    count.map_or_else(|| "-".to_owned(), u64::to_string)
}

impl Counts {
    fn parse(text: &str) -> anyhow::Result<Counts> {
        let mut counts = Counts::default();
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        for line in lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["compiler", name @ ..] => counts.compiler = name.join(" "),
                ["instructions", name, count] => {
                    counts.instructions.insert((*name).to_owned(), count.parse()?);
                }
                ["exact", name, count] => {
                    counts.exact.insert((*name).to_owned(), count.parse()?);
                }
                _ => bail!("{COUNTS} has a line that is no count: {line}"),
            }
        }
        Ok(counts)
    }

    fn to_text(&self) -> String {
        let mut out = format!(
            "# What a fixed workload costs; written by `cargo xtask gates --write`.\n\
             # Instructions may differ by {TOLERANCE} %, on this compiler; the rest not at all.\n\
             compiler {}\n",
            self.compiler
        );
        for (kind, counts) in [("instructions", &self.instructions), ("exact", &self.exact)] {
            for (name, count) in counts {
                // Writing to a string can't fail.
                let _ = writeln!(out, "{kind} {name} {count}");
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(open: u64, syncs: u64) -> Counts {
        Counts {
            compiler: "rustc 1.2.3 (x y)".to_owned(),
            instructions: [("open".to_owned(), open)].into(),
            exact: [("append.file_syncs".to_owned(), syncs)].into(),
        }
    }

    #[test]
    fn instructions_have_a_tolerance_and_syncs_have_none() {
        let committed = counts(1_000, 1);
        assert_eq!(compare(&committed, &counts(1_020, 1)), Vec::<String>::new());
        for counted in [counts(1_021, 1), counts(979, 1), counts(1_000, 2), Counts::default()] {
            assert_eq!(compare(&committed, &counted).len(), 1, "{counted:?}");
        }
        let other = Counts { compiler: "rustc 2".to_owned(), ..counts(9_999, 1) };
        assert_eq!(compare(&committed, &other), Vec::<String>::new());
    }

    #[test]
    fn what_is_written_is_read_again_and_the_committed_file_holds_every_kind() {
        let written = counts(12, 3);
        assert_eq!(Counts::parse(&written.to_text()).unwrap(), written);
        assert!(Counts::parse("exact x\n").is_err());
        let committed =
            Counts::parse(&std::fs::read_to_string(root().join(COUNTS)).unwrap()).unwrap();
        assert_eq!(committed.exact.get("append-one.file_syncs"), Some(&1));
        assert_eq!(committed.exact.get("append-hundred.file_syncs"), Some(&1));
        assert!(committed.instructions.contains_key("checkout"));
    }

    #[test]
    fn callgrind_says_how_many() {
        let said = "==7== Events    : Ir\n==7== Collected : 123456\n==7==\n";
        assert_eq!(collected(said), Some(123_456));
        assert_eq!(collected("==7== nothing"), None);
    }
}
