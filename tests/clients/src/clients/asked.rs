//! A client that is asked about a session, as its person's extractor.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::scene::Scene;

const SAID: &str = "We keep the shed painted teal, whatever the season.";
const FOUND: &str = r#"{"facts":[{"text":"We keep the shed painted teal","evidence":[1]},
    {"text":"The shed is at 7 Mill Lane","evidence":[]}]}"#;

/// The first transcript below a folder.
fn transcript_in(folder: &Path) -> Option<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.sort();
    found.into_iter().find_map(|path| match path.is_dir() {
        true => transcript_in(&path),
        false => path.extension().is_some_and(|name| name == "jsonl").then_some(path),
    })
}

/// Plays it; how many things held.
///
/// # Errors
/// The first that did not.
pub(super) fn play(scene: &Scene) -> anyhow::Result<u32> {
    let name = scene.client_name();
    scene.memlith(&["agent", "install", name])?;
    scene.memlith(&["agent", "remove", name])?;
    // A server of the person's, whose tools are not to be offered.
    let config = scene.at("home/.codex/config.toml");
    let mut text = std::fs::read_to_string(&config)?;
    let program = scene.program_name();
    text.push_str(&format!(
        "[mcp_servers.memo]\ncommand = {program:?}\nargs = [\"mcp\", \"serve\"]\n"
    ));
    std::fs::write(&config, text)?;
    // Without hooks, so that no rule looks at it first.
    scene.session("shop", SAID)?;
    let folder =
        scene.at(if name == "codex" { "home/.codex/sessions" } else { "home/.claude/projects" });
    let transcript = transcript_in(&folder).context("the client left no transcript")?;
    scene.memlith(&["import", name, &transcript.display().to_string()])?;
    let model = &scene.model;
    model.take_asked();
    model.will_find(FOUND);
    let refused = scene.memlith_with_client(&["jobs", "run", "--all", "--with", name]);
    ensure!(refused.is_err() && model.take_asked().is_empty(), "it was sent unasked: {refused:?}");
    let told =
        scene.memlith_with_client(&["jobs", "run", "--all", "--with", name, "--yes", "--json"])?;
    let told: Value = serde_json::from_str(&told)?;
    let count = |key: &str| told.get(key).and_then(Value::as_u64);
    let counts = (count("memories"), count("dropped"));
    ensure!(counts == (Some(1), Some(1)), "not what the model found: {told}");
    let asked = model.take_asked();
    let mut asked = asked.iter().filter(|body| body.contains("as numbered evidence"));
    let (Some(body), None) = (asked.next(), asked.next()) else { bail!("asked more than once") };
    ensure!(body.contains(SAID), "not about the session: {body}");
    let body: Value = serde_json::from_str(body)?;
    let tools = body.get("tools").and_then(Value::as_array).into_iter().flatten();
    // Codex offers to ask a person, whom it doesn't have here.
    let tools: Vec<&Value> = tools
        .filter_map(|tool| tool.get("name"))
        .filter(|name| *name != "request_user_input")
        .collect();
    ensure!(tools.is_empty(), "tools are offered: {tools:?}");
    let listed = scene.memlith(&["list"])?;
    ensure!(listed.contains("painted teal") && !listed.contains("Mill Lane"), "{listed}");
    let jobs = scene.memlith(&["jobs", "list"])?;
    ensure!(jobs.contains("0 jobs wait") && jobs.contains("models today: 1 calls"), "{jobs}");
    let log = scene.memlith(&["list", "events"])?;
    ensure!(!log.contains("numbered evidence"), "the question was captured: {log}");
    ensure!(log.matches("session.started").count() == 1, "its own session was captured: {log}");
    Ok(9)
}
