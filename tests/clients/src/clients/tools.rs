//! The client calls the tools of the MCP server, as its model asks for them.

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::Client;
use super::scene::Scene;

const TEXT: &str = "The parcel scale of this shop is calibrated in grams.";

/// Has the client write a memory and ask for it in its next session, by the real server: each
/// result is in the client's next request, and the memory is an assistant's, of the project.
///
/// # Errors
/// A result doesn't come back, or the ledger has something else.
pub(crate) fn are_driven(scene: &Scene) -> anyhow::Result<u32> {
    let server = json!({"mcpServers": {
        "memlith": {"command": scene.program_name(), "args": ["mcp", "serve"]},
    }});
    let config = scene.at("server.json");
    std::fs::write(&config, server.to_string())?;
    let config = config.display().to_string();
    let command = format!("mcp_servers.memlith.command={:?}", scene.program_name());
    let args: Vec<&str> = match scene.client() {
        Client::ClaudeCode => {
            let allowed = "mcp__memlith__memory_remember,mcp__memlith__memory_checkout";
            vec!["-p", "Go on.", "--mcp-config", &config, "--allowedTools", allowed]
        }
        Client::Codex => vec![
            "exec",
            "--skip-git-repo-check",
            "-c",
            &command,
            "-c",
            "mcp_servers.memlith.args=[\"mcp\",\"serve\"]",
            "-c",
            "mcp_servers.memlith.default_tools_approval_mode=\"approve\"",
            "Go on.",
        ],
    };
    let wrote = scene.called(&args, ("memory_remember", json!({"text": TEXT})))?;
    // Both clients show their model the structured result.
    let became = json!("\"outcome\":\"added\"").to_string();
    let became = became.trim_matches('"');
    ensure!(wrote.contains(became), "what became of the write is not in the request: {wrote}");
    let question = json!({"query": "In which unit is the parcel scale calibrated?"});
    let asked = scene.called(&args, ("memory_checkout", question))?;
    ensure!(asked.contains(TEXT), "the answer of memory is not in the request: {asked}");
    let listed = scene.memlith(&["list", "--json"])?;
    let listed: Value = serde_json::from_str(&listed).context("list the memories")?;
    let items = listed.get("items").and_then(Value::as_array).context("list the memories")?;
    let one = items.iter().find(|item| item.get("text").is_some_and(|text| text == TEXT));
    let id = one.and_then(|one| one.get("id")?.as_str()).context("the memory is not listed")?;
    let shown = scene.memlith(&["show", id, "--json"])?;
    let shown: Value = serde_json::from_str(&shown).context("show the memory")?;
    ensure!(shown.get("rank").is_some_and(|rank| rank == "assistant"), "its rank: {shown}");
    ensure!(shown.to_string().contains("ana/shop"), "its scope is not the project's: {shown}");
    Ok(4)
}
