use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use memlith_verbs::usage::Usage;
use memlith_verbs::wall::Stopwatch;

/// A process that was timed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// From before it was started until its last byte was here.
    pub(crate) wall: Duration,
    /// Resources it had used when its answer was out.
    pub(crate) usage: Usage,
    /// The items that it showed.
    pub(crate) items: Vec<Value>,
}

/// An answer and more, so that it is mostly there in one read.
const BUFFER_LEN: usize = 1 << 20;

/// Runs a checkout in a process of its own and times it. What it does once its answer is out, a
/// checkpoint perhaps, isn't in the time; it has ended when this returns.
pub(crate) fn timed(command: &mut Command) -> Result<Run> {
    let mut buffer = vec![0; BUFFER_LEN];
    let mut answer = Vec::with_capacity(BUFFER_LEN);
    let mut run = Run::default();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let watch = Stopwatch::start();
    let mut child = command.spawn().context("start the process")?;
    let mut stdout = child.stdout.take().context("read from the process")?;
    loop {
        let count = stdout.read(&mut buffer).context("read the answer")?;
        if count == 0 {
            break;
        }
        run.wall = watch.elapsed();
        answer.extend(buffer.iter().take(count));
    }
    let mut told = String::new();
    let mut stderr = child.stderr.take().context("read what the process says")?;
    stderr.read_to_string(&mut told).context("read what the process says")?;
    let status = child.wait().context("wait for the process")?;
    ensure!(status.success() && !answer.is_empty(), "failed: {status}: {told}");
    run.usage = told.lines().find_map(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let answer: Value = serde_json::from_slice(&answer).context("read the answer's JSON")?;
    let items = answer.get("items").and_then(Value::as_array);
    run.items = items.cloned().context("the answer has no items")?;
    let is_cited = |item: &Value| item.get("citation").is_some_and(Value::is_string);
    ensure!(run.items.iter().all(is_cited), "an item of the answer is not cited");
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_fails_or_cites_nothing_is_no_measurement() {
        let run = |script: &str| timed(Command::new("sh").args(["-c", script]));
        let answer = r#"echo '{"items":[{"citation":"memlith://x/1#0"}]}'"#;
        let usage = r#"echo '{"bytes_read":7,"rss_bytes":null}' >&2"#;
        let measured = run(&format!("{answer}; {usage}")).unwrap();
        assert!(measured.wall > Duration::ZERO);
        assert_eq!(measured.usage, Usage { bytes_read: Some(7), ..Usage::default() });
        assert_eq!(measured.items.len(), 1);
        let failed = format!("{answer}; exit 3");
        for script in [failed.as_str(), "exit 0", "echo {}", r#"echo '{"items":[{"id":1}]}'"#] {
            assert!(run(script).is_err(), "{script}");
        }
    }
}
