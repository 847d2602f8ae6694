use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::cargo::{cargo, output, root, succeed};

/// Coverage-guided fuzzing with libFuzzer: every target for so many seconds.
///
/// Works on stable Rust with a C++ compiler and no other tool: `libfuzzer-sys` compiles
/// libFuzzer, and the compiler's own pass counts the edges. A target is a file in
/// `fuzz/src/bin`; its committed inputs are in `fuzz/seeds/TARGET`, what it finds is kept in
/// `fuzz/corpus/TARGET`, and what breaks it in `fuzz/artifacts/TARGET`.
pub(crate) struct Fuzz {
    /// The only target to run; all where it is not given.
    pub(crate) target: Option<String>,
    /// How long each target runs.
    pub(crate) seconds_per_target: u32,
    /// Where the mutations start.
    pub(crate) seed: u32,
}

/// The instrumentation that libFuzzer reads: edges as 8-bit counters, and compared values.
///
/// Source: libFuzzer's `-fsanitize=fuzzer-no-link`, spelled for rustc's LLVM.
const RUSTFLAGS: &str = "--cfg fuzzing -Dwarnings \
    -Ccodegen-units=1 \
    -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

impl Fuzz {
    /// The seed of the checks: a fixed one, so that an unrelated change finds nothing new.
    pub(crate) const SEED: u32 = 1;

    /// Seconds a target runs in `cargo xtask check`.
    pub(crate) const SHORT_SECONDS: u32 = 5;

    /// Builds the targets and runs them one after the other.
    ///
    /// # Errors
    /// No such target, a failed build, or an input that breaks a target.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let targets = self.targets()?;
        let host = host()?;
        let mut build =
            cargo(&["build", "--manifest-path", "fuzz/Cargo.toml", "--bins", "--quiet"]);
        // Naming the host keeps the instrumentation out of build scripts.
        build.args(["--target", &host]).env("RUSTFLAGS", RUSTFLAGS);
        build.env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("CARGO_TARGET_DIR");
        succeed(&mut build)
            .context("the targets need a C++ compiler for libFuzzer: install g++")?;
        let programs = root().join("fuzz/target").join(host).join("debug");
        for target in targets {
            self.run_one(&programs, &target)?;
        }
        Ok(())
    }

    fn targets(&self) -> anyhow::Result<Vec<String>> {
        let known = targets(&root().join("fuzz/src/bin"))?;
        match &self.target {
            None => Ok(known),
            Some(name) if known.contains(name) => Ok(vec![name.clone()]),
            Some(name) => bail!("no fuzz target `{name}`; there are {}", known.join(", ")),
        }
    }

    fn run_one(&self, programs: &Path, target: &str) -> anyhow::Result<()> {
        let [corpus, artifacts, seeds] = ["corpus", "artifacts", "seeds"]
            .map(|folder| Path::new("fuzz").join(folder).join(target));
        for folder in [&corpus, &artifacts] {
            fs::create_dir_all(root().join(folder))
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let program = programs.join(target);
        let run = Command::new(&program)
            .current_dir(root())
            .stdin(Stdio::null())
            // The message of the oracle is the news, not libFuzzer's frames above it.
            .env("RUST_BACKTRACE", "0")
            .arg(format!("-max_total_time={}", self.seconds_per_target))
            .arg(format!("-seed={}", self.seed))
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            // A slow input is a finding: the decoders are bounded.
            .args(["-timeout=10", "-rss_limit_mb=1024", "-print_final_stats=0"])
            .args([&corpus, &seeds])
            .output()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let log = String::from_utf8_lossy(&run.stderr);
        let Some(line) = finished(&log).filter(|_| run.status.success()) else {
            let shown = program.strip_prefix(root()).unwrap_or(&program);
            bail!(
                "{target} broke; again with `{} FILE` for the FILE that is named here:\n{}",
                shown.display(),
                tail(&log)
            );
        };
        println!("{target}: {line}");
        Ok(())
    }
}

/// The names of the targets in a folder, sorted.
fn targets(folder: &Path) -> anyhow::Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("no {}", folder.display()))?;
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

/// The triple that rustc builds for.
fn host() -> anyhow::Result<String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}

/// What libFuzzer says of a run that reached its time: `4005052 runs, cov: 147 ...`.
fn finished(log: &str) -> Option<String> {
    let line = log.lines().find(|line| line.contains("DONE"))?;
    let (runs, rest) = line.split_once("DONE")?;
    let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("{} runs, {rest}", runs.trim().trim_start_matches('#')))
}

/// The last lines of a log, without libFuzzer's progress.
fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with('#')).collect();
    lines.iter().skip(lines.len().saturating_sub(40)).map(|line| format!("   {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_finished_run_is_told() {
        let log = "#2\tINITED cov: 9\n#4005052\tDONE   cov: 147 ft: 265 exec/s: 364095\nDone";
        assert_eq!(finished(log).as_deref(), Some("4005052 runs, cov: 147 ft: 265 exec/s: 364095"));
        assert_eq!(finished("#2\tINITED cov: 9\n== ERROR: deadly signal"), None);
    }

    #[test]
    fn every_target_has_a_seed() {
        for target in targets(&root().join("fuzz/src/bin")).unwrap() {
            let seeds = root().join("fuzz/seeds").join(&target);
            let count = fs::read_dir(&seeds).map_or(0, Iterator::count);
            assert!(count > 0, "add an input that {target} accepts to fuzz/seeds/{target}");
        }
    }
}
