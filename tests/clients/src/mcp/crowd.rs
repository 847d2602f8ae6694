//! Many servers on one ledger: nothing is lost, and how long calls take.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

use super::server::{Server, call, ensure_done};
use super::{desk, memlith};
use crate::cargo::{output, succeed};

/// The calls of one server, of which each third writes, asks and looks up.
const CALLS: u32 = 200;

/// Has so many servers call at once, on one ledger.
///
/// # Errors
/// A call is refused, a write is lost, or the ledger doesn't verify afterwards.
pub(super) fn call_at_once(program: &Path, servers: u32) -> anyhow::Result<()> {
    let desk = desk(program)?;
    let callers: Vec<_> = (0..servers)
        .map(|number| {
            let (program, desk) = (program.to_owned(), desk.path().to_owned());
            std::thread::spawn(move || calls(&program, &desk, number))
        })
        .collect();
    let mut times = Vec::new();
    for caller in callers {
        let Ok(done) = caller.join() else { bail!("a caller panicked") };
        times.extend(done?);
    }
    times.sort_unstable();
    let writes = servers * CALLS.div_ceil(3);
    let count = output(&mut memlith(program, desk.path(), &["maintain", "stat", "--json"]))?;
    let count: Value = serde_json::from_str(&count).context("count the memories")?;
    let kept = count.pointer("/memories/active").and_then(Value::as_u64);
    ensure!(kept == Some(u64::from(writes)), "{writes} memories were written, kept are {count}");
    succeed(memlith(program, desk.path(), &["verify", "--full"]).stdout(Stdio::null()))?;
    let at = |share: usize| times.get((times.len() * share).div_ceil(100).max(1) - 1);
    let [Some(half), Some(most)] = [at(50), at(99)] else { bail!("nothing was timed") };
    println!(
        "{servers} servers, {} calls, {writes} of them writes: all kept; p50 {:.1} ms, p99 {:.1} ms",
        times.len(),
        half.as_secs_f64() * 1e3,
        most.as_secs_f64() * 1e3
    );
    Ok(())
}

/// One server's calls, one after the other, and how long each took.
#[expect(clippy::disallowed_methods, reason = "a measurement")]
fn calls(program: &Path, desk: &Path, number: u32) -> anyhow::Result<Vec<Duration>> {
    let mut server = Server::start(memlith(program, desk, &[]))?;
    let mut times = Vec::new();
    for turn in 0..CALLS {
        let (tool, arguments) = match turn % 3 {
            0 => {
                let text = format!("Crate {} stands in hall {turn}.", number * CALLS + turn);
                ("memory_remember", json!({"text": text}))
            }
            1 => ("memory_checkout", json!({"query": format!("where does crate {turn} stand?")})),
            _ => ("memory_search", json!({"query": format!("hall {turn}")})),
        };
        let id = json!(turn);
        let begun = Instant::now();
        server.write(call(id.clone(), tool, &arguments).to_string().as_bytes())?;
        let answer = server.answer(&id)?;
        times.push(begun.elapsed());
        ensure_done(&answer)?;
    }
    server.end()?;
    Ok(times)
}
