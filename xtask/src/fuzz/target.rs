use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::cargo::root;
use crate::fuzz::build::Build;
use crate::fuzz::report::Report;

/// When a target has run enough.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    Seconds(u32),
    /// Executions.
    Runs(u32),
}

/// One run of one target.
pub(crate) struct Run<'a> {
    pub(crate) target: &'a str,
    pub(crate) limit: Limit,
    pub(crate) seed: u32,
    /// The planted bug that is at work.
    pub(crate) bug: Option<&'a str>,
    /// Where it keeps what it finds, and what breaks it.
    pub(crate) corpus: PathBuf,
    pub(crate) artifacts: PathBuf,
}

/// The longest inputs, in bytes, of the targets that longer ones slow down without their
/// reaching more; the seeds are shorter. Other inputs have at most 4 KiB, libFuzzer's own
/// bound, or the length of the longest seed.
const MAX_LENS: [(&str, u32); 11] = [
    ("command_line", 256),
    ("frame", 512),
    ("import_claude_code", 2_048),
    ("import_codex", 2_048),
    ("import_eventloom", 2_048),
    ("mark", 257),
    ("operations", 52),
    ("record_id", 64),
    ("redact", 512),
    ("render", 512),
    ("timestamp", 64),
];

impl Run<'_> {
    /// A run that keeps what it finds for the next one.
    pub(crate) fn of(target: &str) -> Run<'_> {
        Run {
            target,
            limit: Limit::Seconds(0),
            seed: 0,
            bug: None,
            corpus: Path::new("fuzz/corpus").join(target),
            artifacts: Path::new("fuzz/artifacts").join(target),
        }
    }

    /// Runs the target until its limit, or an input that breaks it.
    ///
    /// # Errors
    /// It can't be started.
    pub(crate) fn go(&self, build: &Build) -> anyhow::Result<Report> {
        for folder in [&self.corpus, &self.artifacts] {
            fs::create_dir_all(root().join(folder))
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let program = build.program(self.target);
        let words = Path::new("fuzz/words").join(self.target);
        let mut command = Command::new(&program);
        command
            .current_dir(root())
            .stdin(Stdio::null())
            // The message of the oracle is the news, not libFuzzer's frames above it.
            .env("RUST_BACKTRACE", "0")
            .env_remove("MEMLITH_PLANTED")
            .envs(self.bug.map(|bug| ("MEMLITH_PLANTED", bug)))
            .arg(match self.limit {
                Limit::Seconds(seconds) => format!("-max_total_time={seconds}"),
                Limit::Runs(runs) => format!("-runs={runs}"),
            })
            .arg(format!("-seed={}", self.seed))
            .arg(format!("-artifact_prefix={}/", self.artifacts.display()))
            // A slow input is a finding: the decoders are bounded.
            .args(["-timeout=10", "-rss_limit_mb=1024", "-print_final_stats=1"]);
        let len = MAX_LENS.iter().find(|(target, _)| *target == self.target);
        command.args(len.map(|(_, len)| format!("-max_len={len}")));
        if root().join(&words).exists() {
            command.arg(format!("-dict={}", words.display()));
        }
        let output = command
            .args([&self.corpus, &Path::new("fuzz/seeds").join(self.target)])
            .output()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let log = String::from_utf8_lossy(&output.stderr);
        Ok(Report::of(self.target, &program, &log, output.status.success()))
    }
}

/// The names of all targets, sorted.
///
/// # Errors
/// There is none.
pub(crate) fn targets() -> anyhow::Result<Vec<String>> {
    let folder = root().join("fuzz/src/bin");
    let entries = fs::read_dir(&folder).with_context(|| format!("no {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let path: PathBuf = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned));
        }
    }
    names.sort();
    anyhow::ensure!(!names.is_empty(), "no fuzz targets in {}", folder.display());
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_seed_as_long_as_its_inputs_may_be() {
        for target in targets().unwrap() {
            let folder = root().join("fuzz/seeds").join(&target);
            let seeds: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().collect();
            let count = seeds.len();
            assert!(count > 0, "add an input that {target} accepts to fuzz/seeds/{target}");
            for (_, len) in MAX_LENS.iter().filter(|(name, _)| *name == target) {
                let longest = seeds.iter().map(|seed| seed.metadata().unwrap().len()).max();
                assert!(longest <= Some(u64::from(*len)), "a seed of {target} is cut");
            }
        }
        for (name, _) in MAX_LENS {
            assert!(targets().unwrap().iter().any(|target| target == name), "no target {name}");
        }
    }
}
