mod server;
mod watch;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::Ledger;
use memlith_agents::{Client, Installed, McpClient, Settings, install, installed, uninstall};
use serde::Serialize;

use crate::context::Context;
use crate::environment;
use crate::exit::{Exit, unusable, usage};
use crate::verb::Verb;

/// Give a coding agent a memory: enter hooks, or the MCP server, in its settings.
///
/// Makes the ledger in $XDG_DATA_HOME/memlith (~/.local/share/memlith) if there is none. What
/// else stands in the settings stays as it is; a copy of the file is kept beside it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith agent install claude-code
  memlith agent install codex --dry-run
  memlith agent install claude-code --project   # for everybody who works in this folder
  memlith agent install claude-code --check
  memlith agent install mcp --client cursor     # the server, for a client without hooks
  memlith agent install --watch                 # units of systemd that learn and deliver")]
pub struct InstallArgs {
    #[command(flatten)]
    target: TargetArgs,

    /// Say what would be done and change nothing.
    #[arg(long)]
    dry_run: bool,

    /// Say whether the hooks are there and call a program that is, or whether the unit runs.
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
}

/// Take the hooks, or the MCP server, out of a client's settings; what is remembered stays.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith agent remove claude-code
  memlith agent remove codex --project
  memlith agent remove mcp --client cursor
  memlith agent remove --watch")]
pub struct RemoveArgs {
    #[command(flatten)]
    target: TargetArgs,
}

#[derive(Args, Debug)]
struct TargetArgs {
    /// Client that has the hooks: claude-code or codex; or mcp, for the server of `memlith mcp serve`.
    #[arg(required_unless_present = "watch")]
    what: Option<What>,

    /// The MCP client: claude-code, claude-desktop, cursor, vscode, zed or windsurf.
    #[arg(long, value_name = "NAME")]
    client: Option<McpClient>,

    /// The settings of the project in the working directory instead of the person's.
    #[arg(long)]
    project: bool,

    /// `memlith jobs run --watch` and `deliver run --watch` as services of yours instead: units of
    /// systemd.
    #[arg(long, conflicts_with_all = ["what", "client", "project"])]
    watch: bool,
}

/// Entry to be made in a client's settings: hooks, or the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// The hooks of a client.
    Hooks(Client),
    /// The MCP server.
    Server,
}

impl FromStr for What {
    type Err = String;

    fn from_str(name: &str) -> Result<What, String> {
        if name == "mcp" {
            return Ok(What::Server);
        }
        let client = name.parse().map_err(|error| format!("{error}, or it is mcp"))?;
        Ok(What::Hooks(client))
    }
}

#[derive(Serialize)]
struct Done {
    client: &'static str,
    settings: String,
    changed: bool,
    program: Option<String>,
    ledger: Option<String>,
    faults: Vec<String>,
}

/// The program by its name alone, which `$PATH` finds on every machine.
const NAME: &str = "memlith";

impl TargetArgs {
    /// Command that the hooks call: this program, but by its name where others read the settings
    /// too.
    fn program(&self) -> Result<PathBuf> {
        if self.project {
            return Ok(PathBuf::from(NAME));
        }
        std::env::current_exe().context("find this program")
    }

    fn settings(&self, client: Client) -> Result<Settings> {
        if self.client.is_some() {
            return Err(usage("--client names a client of the MCP server: `agent install mcp`"));
        }
        let folder = if self.project {
            std::env::current_dir().context("find the working directory")?
        } else {
            environment::home().ok_or_else(|| unusable("HOME names no folder"))?
        };
        Ok(Settings::below(client, &folder))
    }
}

impl Verb for InstallArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &InstallArgs, context: &mut Context) -> Result<Exit> {
    let client = match args.target.what {
        None => return watch::install(args, context),
        Some(What::Server) => return server::install(args, context),
        Some(What::Hooks(client)) => client,
    };
    let settings = args.target.settings(client)?;
    if args.check {
        return check(&settings, context);
    }
    let program = args.target.program()?;
    let changed = install(&settings, &program, args.dry_run)?;
    let (ledger, made) = ledger(args.dry_run, context)?;
    if let Some(fault) = switched_off(client) {
        context.note(fault);
    }
    let verb = entered(args.dry_run, changed);
    let done = Done::of(&settings, changed, Some(program), Some(ledger));
    let text = format!(
        "{verb} hooks in {}\n{made} ledger {}\nlook with `memlith agent status`, switch off with `memlith agent off`",
        done.settings,
        done.ledger.as_deref().unwrap_or_default(),
    );
    context.answer(&done, text)?;
    if args.target.project && !environment::has_program(Path::new(NAME)) {
        context.note("PATH has no memlith: put it there, and tell others who share the settings");
    }
    if client == Client::Codex && changed && !args.dry_run {
        context.note("Codex asks once whether you trust the hooks: say yes");
    }
    Ok(Exit::Ok)
}

/// The person's ledger, which is made where there is none, and in words whether it was.
fn ledger(dry_run: bool, context: &Context) -> Result<(PathBuf, &'static str)> {
    let home = environment::agents_home().ok_or_else(|| unusable("HOME names no folder"))?;
    if home.ledger.is_dir() {
        return Ok((home.ledger, "found"));
    }
    if dry_run {
        return Ok((home.ledger, "would make"));
    }
    if let Some(parent) = home.ledger.parent() {
        std::fs::create_dir_all(parent).with_context(|| format!("make {}", parent.display()))?;
    }
    Ledger::create(&home.ledger, context.options.clone())?.close()?;
    Ok((home.ledger, "made"))
}

/// In words, what became of an entry.
fn entered(dry_run: bool, changed: bool) -> &'static str {
    match (dry_run, changed) {
        (true, true) => "would enter",
        (false, true) => "entered",
        (_, false) => "found",
    }
}

fn check(settings: &Settings, context: &mut Context) -> Result<Exit> {
    let hooks = installed(settings)?;
    let faults = match &hooks {
        None => {
            let to_do = format!("run `{}`", again(settings));
            vec![format!("no hooks in {}: {to_do}", settings.path.display())]
        }
        Some(hooks) => {
            let own = faults(hooks, settings).into_iter();
            own.chain(switched_off(settings.client)).collect()
        }
    };
    let program = hooks.map(|hooks| hooks.program);
    let text = match &program {
        Some(program) if faults.is_empty() => format!("the hooks call {}", program.display()),
        _ => faults.join("\n"),
    };
    let done = Done { faults: faults.clone(), ..Done::of(settings, false, program, None) };
    context.answer(&done, text)?;
    Ok(Exit::ok_if(faults.is_empty()))
}

/// The command that enters the hooks in these settings.
fn again(settings: &Settings) -> String {
    let client = settings.client;
    let person = environment::home().map(|home| Settings::below(client, &home));
    let project = if person.as_ref() == Some(settings) { "" } else { " --project" };
    format!("memlith agent install {client}{project}")
}

/// The folders whose settings a client reads here: the person's, and those of the project.
pub(crate) fn folders() -> BTreeSet<PathBuf> {
    let here = std::env::current_dir().unwrap_or_default();
    let project = memlith_agents::Project::of(&here).root;
    environment::home().into_iter().chain([here, project]).collect()
}

/// Says that settings which the client reads here switch its hooks off, where they do.
pub(crate) fn switched_off(client: Client) -> Option<String> {
    let file = folders().iter().find_map(|folder| Settings::below(client, folder).off_by())?;
    let file = file.display();
    Some(format!("{file} has `disableAllHooks`, so that no hook runs here: take it out"))
}

/// Says what keeps the hooks of these settings from working, each with what to do; nothing where
/// they can.
pub(crate) fn faults(hooks: &Installed, settings: &Settings) -> Vec<String> {
    let again = format!("run `{}` again", again(settings));
    let shown = hooks.program.display();
    let mut faults = Vec::new();
    if !environment::has_program(&hooks.program) {
        faults.push(match hooks.program == Path::new(NAME) {
            true => format!("the hooks call {shown}, which PATH doesn't have: put it there"),
            false => format!("the hooks call {shown}, which isn't there: {again}"),
        });
    }
    if !hooks.missing.is_empty() {
        let events = hooks.missing.join(", ");
        faults.push(format!("the hook of {events} is not there: {again}"));
    }
    let ledger = environment::agents_home().map(|home| home.ledger);
    if let Some(ledger) = ledger.filter(|ledger| !ledger.is_dir()) {
        faults.push(format!("the ledger {} is gone: {again}, which makes one", ledger.display()));
    }
    faults
}

impl Verb for RemoveArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run_uninstall(&self, context)
    }
}

fn run_uninstall(args: &RemoveArgs, context: &mut Context) -> Result<Exit> {
    let client = match args.target.what {
        None => return watch::uninstall(context),
        Some(What::Server) => return server::uninstall(args, context),
        Some(What::Hooks(client)) => client,
    };
    let settings = args.target.settings(client)?;
    let changed = uninstall(&settings)?;
    let ledger = environment::agents_home().map(|home| home.ledger);
    let done = Done::of(&settings, changed, None, ledger.filter(|dir| dir.is_dir()));
    let text = match (&done.ledger, changed) {
        (_, false) => format!("no hooks in {}", done.settings),
        (None, true) => format!("took the hooks out of {}", done.settings),
        (Some(ledger), true) => format!(
            "took the hooks out of {}; the ledger {ledger} stays: delete it yourself",
            done.settings
        ),
    };
    context.answer(&done, text)?;
    Ok(Exit::Ok)
}

impl Done {
    fn of(
        settings: &Settings,
        changed: bool,
        program: Option<PathBuf>,
        ledger: Option<PathBuf>,
    ) -> Done {
        let shown = |path: PathBuf| path.display().to_string();
        Done {
            client: settings.client.name(),
            settings: settings.path.display().to_string(),
            changed,
            program: program.map(shown),
            ledger: ledger.map(shown),
            faults: Vec::new(),
        }
    }
}
