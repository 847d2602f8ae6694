//! The command line of the MCP Inspector, from npm.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::{at, desk, memlith};
use crate::cargo::output;
use crate::npm::Fetched;

/// As it is published; later ones need a newer Node.
const INSPECTOR: Fetched = Fetched {
    folder: "mcp/npm",
    packages: &["@modelcontextprotocol/inspector@0.21.0"],
    programs: &["mcp-inspector"],
};

/// Arguments that start a server with everything there is.
const FULL: [&str; 7] = ["mcp", "serve", "--profile", "full", "--allow-erase", "--as", "owner"];

/// One call of every tool; ID stands for a memory that was written.
const CALLS: [(&str, &[&str]); 16] = [
    ("memory_remember", &["text=Ana drinks tea."]),
    ("memory_checkout", &["query=what does Ana drink?"]),
    ("memory_search", &["query=tea", "limit=3"]),
    ("memory_list", &["limit=5"]),
    ("memory_outcome", &["result=success", "ids=[\"ID\"]"]),
    ("memory_explain", &["id=ID"]),
    ("memory_history", &["id=ID"]),
    ("memory_trace", &["id=ID"]),
    ("memory_review", &["do=list"]),
    ("memory_procedures", &[]),
    ("memory_compact", &["dry_run=true"]),
    ("memory_audit", &[]),
    ("memory_update", &["id=ID", "text=Ana drinks mint tea."]),
    ("memory_forget", &["ids=[\"ID\"]", "reason=a test"]),
    ("memory_erase", &["ids=[\"ID\"]", "dry_run=true"]),
    ("memory_status", &[]),
];

/// Returns its program, fetched where it isn't there yet.
pub(super) fn fetched() -> anyhow::Result<PathBuf> {
    Ok(INSPECTOR.programs()?.join("mcp-inspector"))
}

/// Calls every tool over both transports.
///
/// # Errors
/// A call fails, or a tool is listed that isn't called.
pub(super) fn drive(program: &Path, server: &Path) -> anyhow::Result<()> {
    let desk = desk(server)?;
    let shown = server.display().to_string();
    let words = [&[shown.as_str()][..], &FULL].concat();
    // What follows is the Inspector's; a server's own flags stand behind it.
    let over_stdio = |inspector: &mut Command, asked: &[String]| {
        inspector.args(asked).arg("--").args(&words);
    };
    let called = every_tool(program, desk.path(), over_stdio)?;
    println!("Inspector, standard input: {called} tools called");
    let mut served = Served(
        memlith(server, desk.path(), &[&FULL[..], &["--http"]].concat())
            .stderr(Stdio::piped())
            .spawn()
            .context("start the server")?,
    );
    let told = served.0.stderr.take().context("read what the server says")?;
    let mut told = BufReader::new(told).lines();
    let mut next = || told.next().context("the server says where it is")?.context("read it");
    let (url, token) = (next()?, next()?);
    let over_http = |inspector: &mut Command, asked: &[String]| {
        inspector.args([&url, "--transport", "http", "--header", &token]).args(asked);
    };
    let called = every_tool(program, desk.path(), over_http)?;
    println!("Inspector, HTTP: {called} tools called");
    Ok(())
}

/// A server that ends with this.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        // One that has ended already needs nothing.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn every_tool(
    program: &Path,
    desk: &Path,
    connect: impl Fn(&mut Command, &[String]),
) -> anyhow::Result<usize> {
    let ask = |asked: &[String]| -> anyhow::Result<Value> {
        let mut inspector = Command::new(program);
        at(inspector.arg("--cli"), desk);
        connect(&mut inspector, asked);
        serde_json::from_str(&output(&mut inspector)?).context("the Inspector prints JSON")
    };
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let listed = ask(&words(&["--method", "tools/list"]))?;
    let tools = listed.get("tools").and_then(Value::as_array).context("tools are listed")?;
    let names: BTreeSet<&str> =
        tools.iter().filter_map(|tool| tool.get("name")?.as_str()).collect();
    let called: BTreeSet<&str> = CALLS.iter().map(|(name, _)| *name).collect();
    ensure!(names == called, "listed are {names:?}, called {called:?}");
    let mut id = String::new();
    for (name, arguments) in CALLS {
        let mut asked = words(&["--tool-name", name]);
        for argument in arguments {
            asked.extend(["--tool-arg".to_owned(), argument.replace("ID", &id)]);
        }
        // Behind the arguments, which go on to the next flag.
        asked.extend(words(&["--method", "tools/call"]));
        let answer = ask(&asked)?;
        ensure!(answer.get("isError") == Some(&Value::Bool(false)), "{name}: {answer}");
        let written = answer.pointer("/structuredContent/id").and_then(Value::as_str);
        if let Some(written) = written.filter(|_| name == "memory_remember") {
            written.clone_into(&mut id);
        }
    }
    Ok(called.len())
}
