//! A rendered folder of memories under the real Codex, in the hours in which it consolidates
//! nothing because it just did.
//!
//! Outside of them it writes `raw_memories.md` and `rollout_summaries/` anew from its own
//! database, whatever the baseline holds; so these checks say nothing of a later start.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::scene::Scene;

const FOLDER: &str = "home/.codex/memories";

/// Codex without its own first phase.
const READS_ONLY: &str = "\n[memories]\ngenerate_memories = false\nuse_memories = true\n";

const RENDERS: usize = 3;
const STARTS: usize = 3;

/// Renders, starts Codex over what was rendered, and has it cite; how many things held.
///
/// # Errors
/// The first that did not.
pub(crate) fn play(scene: &Scene) -> anyhow::Result<usize> {
    let config = scene.at("home/.codex/config.toml");
    fs::write(&config, fs::read_to_string(&config)? + READS_ONLY)?;
    fs::create_dir_all(scene.at("home/.local/share"))?;
    scene.memlith(&["init"])?;
    // The first start consolidates, and makes what Codex has in an empty folder. Where there is none it keeps its
    // memories elsewhere, and comes to this one when it is rendered.
    fs::create_dir(scene.at(FOLDER))?;
    start(scene)?;
    for (index, color) in ["amaranth", "teal", "ochre"].iter().take(RENDERS).enumerate() {
        let told = format!("Always paint shed {index} in {color}.");
        scene.memlith(&["remember", &told])?;
        let folder = scene.at(FOLDER);
        let folder = folder.to_str().context("a path that is no text")?;
        scene.memlith(&["agent", "folder", "render", folder, "--scope", "all", "--adopt"])?;
        let rendered = files(&scene.at(FOLDER))?;
        for _ in 0..STARTS {
            stands_and_stays(scene, color, &rendered)?;
        }
    }
    a_citation_confirms(scene)?;
    Ok(RENDERS * STARTS + 1)
}

/// The summary stands in the one request, and the folder is what it was.
fn stands_and_stays(scene: &Scene, word: &str, rendered: &Files) -> anyhow::Result<()> {
    let asked = start(scene)?;
    ensure!(asked.len() == 1, "asked {} times, once for the prompt", asked.len());
    let summary = fs::read_to_string(scene.at(FOLDER).join("memory_summary.md"))?;
    ensure!(summary.contains(word), "the summary doesn't tell of {word}: {summary}");
    let request: Value = serde_json::from_str(&asked.concat()).context("a request")?;
    let mut texts = Vec::new();
    collect(&request, &mut texts);
    let is_told = texts.iter().any(|text| text.contains(summary.trim_end()));
    ensure!(is_told, "the summary isn't in the request: {request}");
    same(rendered, &files(&scene.at(FOLDER))?)
}

/// Checks that an answer that Codex kept confirms the items it cites, once.
fn a_citation_confirms(scene: &Scene) -> anyhow::Result<()> {
    let handbook = fs::read_to_string(scene.at(FOLDER).join("MEMORY.md"))?;
    let line = handbook.lines().position(|line| line.contains("ochre")).context("no line")? + 1;
    let block = format!(
        "\n<oai-mem-citation>\n<citation_entries>\nMEMORY.md:{line}-{line}|note=[color]\n\
         </citation_entries>\n<rollout_ids>\n</rollout_ids>\n</oai-mem-citation>"
    );
    scene.model.says_also(&block);
    start(scene)?;
    scene.model.says_also("");
    let answer = kept_answer(&scene.at("home/.codex/sessions"))?;
    let confirmed = cite(scene, &answer)?;
    ensure!(confirmed.contains("\"mem_"), "nothing was confirmed: {confirmed}");
    let count = || anyhow::Ok(scene.memlith(&["list", "events"])?.matches("confirmed").count());
    let before = count()?;
    cite(scene, &answer)?;
    ensure!(before > 0 && count()? == before, "confirmed {before} times, then {}", count()?);
    Ok(())
}

fn cite(scene: &Scene, answer: &str) -> anyhow::Result<String> {
    let path = scene.at("answer");
    fs::write(&path, answer)?;
    scene.memlith_with_input(
        &["agent", "folder", "cite", &scene.at(FOLDER).display().to_string(), "--json"],
        &path,
    )
}

/// The answer that cites, in the transcripts of Codex.
fn kept_answer(sessions: &Path) -> anyhow::Result<String> {
    for bytes in files(sessions)?.values() {
        for line in String::from_utf8_lossy(bytes).lines() {
            let mut texts = Vec::new();
            collect(&serde_json::from_str(line)?, &mut texts);
            let cites = |text: &&String| text.contains("|note=[color]");
            if let Some(text) = texts.iter().find(cites) {
                return Ok(text.clone());
            }
        }
    }
    anyhow::bail!("no transcript holds the citation")
}

/// One start of Codex; the requests that it sent.
fn start(scene: &Scene) -> anyhow::Result<Vec<String>> {
    let prompt = "Which color has the shed?";
    let args = ["exec", "--enable", "memories", "--skip-git-repo-check", prompt];
    scene.all_asked("shop", &mut scene.program(&args))
}

type Files = BTreeMap<String, Vec<u8>>;

/// All files below a folder, but those of its repository.
fn files(folder: &Path) -> anyhow::Result<Files> {
    let mut found = Files::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(&next).with_context(|| format!("list {}", next.display()))? {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| name == ".git") {
                continue;
            }
            if path.is_dir() {
                left.push(path);
            } else {
                found.insert(path.display().to_string(), fs::read(&path)?);
            }
        }
    }
    Ok(found)
}

fn same(before: &Files, after: &Files) -> anyhow::Result<()> {
    let differ = |path: &&String| before.get(*path) != after.get(*path);
    let changed: Vec<&String> = before.keys().chain(after.keys()).filter(differ).collect();
    ensure!(changed.is_empty(), "Codex changed {changed:?}");
    Ok(())
}

/// All texts in a value.
fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
