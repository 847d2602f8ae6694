//! A client that is asked about a session, as its person's extractor.

use anyhow::ensure;
use serde_json::Value;

use super::scene::Scene;

const SAID: &str = "We keep the shed painted teal, whatever the season.";
const FOUND: &str = r#"{"facts":[{"text":"We keep the shed painted teal","evidence":[1]},
    {"text":"The shed is at 7 Mill Lane","evidence":[]}]}"#;

/// Plays it; how many things held.
///
/// # Errors
/// The first that did not.
pub(super) fn play(scene: &Scene) -> anyhow::Result<u32> {
    let name = scene.client_name();
    scene.memlith(&["install", name])?;
    scene.session("shop", SAID)?;
    let model = &scene.model;
    model.take_asked();
    model.will_find(FOUND);
    let refused = scene.memlith_with_client(&["writeback", "--all", "--with", name]);
    ensure!(refused.is_err() && model.take_asked().is_empty(), "it was sent unasked: {refused:?}");
    let told =
        scene.memlith_with_client(&["writeback", "--all", "--with", name, "--yes", "--json"])?;
    let told: Value = serde_json::from_str(&told)?;
    ensure!(told["memories"] == 1 && told["dropped"] == 1, "not what the model found: {told}");
    let asked: Vec<String> = model.take_asked();
    let asked: Vec<&String> =
        asked.iter().filter(|body| body.contains("as numbered evidence")).collect();
    ensure!(asked.len() == 1, "asked {} times", asked.len());
    ensure!(asked.iter().all(|body| body.contains(SAID)), "not about the session: {asked:?}");
    let offered = serde_json::from_str::<Value>(asked[0])?["tools"].clone();
    ensure!(offered.as_array().is_none_or(Vec::is_empty), "tools are offered: {offered}");
    let listed = scene.memlith(&["list"])?;
    ensure!(listed.contains("painted teal") && !listed.contains("Mill Lane"), "{listed}");
    let jobs = scene.memlith(&["jobs"])?;
    ensure!(jobs.contains("0 jobs wait") && jobs.contains("models today: 1 calls"), "{jobs}");
    let log = scene.memlith(&["log"])?;
    ensure!(!log.contains("numbered evidence"), "the question was captured: {log}");
    ensure!(log.matches("session.started").count() == 1, "its own session was captured: {log}");
    Ok(9)
}
