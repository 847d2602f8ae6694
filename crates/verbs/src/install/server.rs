//! The MCP server in a client's settings.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use memlith_agents::{McpClient, install_mcp, uninstall_mcp};

use super::{Done, InstallArgs, NAME, RemoveArgs, TargetArgs, entered, ledger};
use crate::context::Context;
use crate::environment;
use crate::exit::{Exit, unusable, usage};

pub(super) fn install(args: &InstallArgs, context: &mut Context) -> Result<Exit> {
    if cfg!(not(feature = "mcp")) {
        return Err(crate::exit::without("mcp"));
    }
    if args.check {
        return Err(usage("--check is of hooks: a client shows itself which servers it has"));
    }
    let (client, settings) = target(&args.target)?;
    let program = match client.is_shared() {
        true => PathBuf::from(NAME),
        false => std::env::current_exe().context("find this program")?,
    };
    let changed = install_mcp(client, &settings, &program, args.dry_run)?;
    let (ledger, made) = ledger(args.dry_run, context)?;
    let verb = entered(args.dry_run, changed);
    let shown = settings.display();
    let text = format!(
        "{verb} the server in {shown}\n{made} ledger {}\nstart the client anew",
        ledger.display()
    );
    context.answer(&done(client, settings, changed, Some(program), Some(ledger)), text)?;
    Ok(Exit::Ok)
}

pub(super) fn uninstall(args: &RemoveArgs, context: &mut Context) -> Result<Exit> {
    let (client, settings) = target(&args.target)?;
    let changed = uninstall_mcp(client, &settings)?;
    let shown = settings.display();
    let text = match changed {
        true => format!("took the server out of {shown}; what is remembered stays"),
        false => format!("no server of ours in {shown}"),
    };
    context.answer(&done(client, settings, changed, None, None), text)?;
    Ok(Exit::Ok)
}

/// The client, and its settings here.
fn target(args: &TargetArgs) -> Result<(McpClient, PathBuf)> {
    let client = args.client.ok_or_else(|| {
        let names = McpClient::ALL.map(McpClient::name).join(", ");
        usage(format!("--client names the MCP client: {names}"))
    })?;
    let home = environment::home().ok_or_else(|| unusable("HOME names no folder"))?;
    let config = environment::settings().ok_or_else(|| unusable("HOME names no folder"))?;
    let project = std::env::current_dir().context("find the working directory")?;
    Ok((client, client.settings(&home, &config, &project)))
}

fn done(
    client: McpClient,
    settings: PathBuf,
    changed: bool,
    program: Option<PathBuf>,
    ledger: Option<PathBuf>,
) -> Done {
    let shown = |path: PathBuf| path.display().to_string();
    Done {
        client: client.name(),
        settings: shown(settings),
        changed,
        program: program.map(shown),
        ledger: ledger.map(shown),
        faults: Vec::new(),
    }
}
