mod client;
mod drain;
mod handles;
mod token;

use std::io::BufRead;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use memlith::copy::ImportReport;
use memlith::{Ledger, Rank};
use memlith_mcp::{Answered, Host, Http, Offer, Refused, Stop, serve_http, serve_stdio};

use crate::actor::ActorArg;
use crate::args::Cli;
use crate::context::Context;
use crate::exit::{self, Exit};
use crate::global::GlobalArgs;

use client::Client;
use drain::Drain;
use handles::Handles;

/// Serve memory to any MCP client; over standard input and output unless --http.
///
/// The client's workspace gives the project. Writes are an assistant's, unless --as says more:
/// no call can claim a rank. Nothing is erased without --allow-erase. Ends when the client goes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith mcp
  memlith mcp --profile full
  memlith mcp --http 7411       # prints the token that clients show")]
pub(crate) struct McpArgs {
    /// Serve over HTTP on the loopback, on this port or on any that is free.
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    http: Option<u16>,

    /// Which tools there are.
    #[arg(long, value_enum, default_value = "standard")]
    profile: ProfileArg,

    /// Let clients erase for good what the rank of --as may erase.
    #[arg(long)]
    allow_erase: bool,
}

/// Which tools there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProfileArg {
    /// Tools that an agent needs to remember and to ask.
    Standard,
    /// Also review, history, trace, procedures, compact and audit.
    Full,
    /// Anthropic's memory tool, on a folder that lies in the ledger.
    MemoryTool,
    /// The nine tools of the reference memory server.
    Graph,
}

/// The command line, as the server runs its verbs.
#[derive(Debug)]
struct CommandLine {
    global: GlobalArgs,
    handles: Arc<Handles>,
}

pub(crate) fn run(args: &McpArgs, context: &mut Context) -> Result<Exit> {
    let start = std::env::current_dir().context("find the working directory")?;
    let offer = Offer { profile: args.profile.profile(), may_erase: args.allow_erase };
    let host = Arc::new(CommandLine { global: global(context), handles: Arc::default() });
    let handles = Arc::clone(&host.handles);
    let stop = Stop::default();
    let drained = (context.now, context.options.clone());
    let drain = Drain::begin(Arc::clone(&handles), drained, stop.clone())?;
    let served = match args.http {
        None => serve_stdio(host, offer, start, &stop),
        Some(port) => {
            let token = token::token()?;
            let http = Http { port, token: token.clone() };
            // Whoever started it has to know these, also with --quiet.
            let told = |address| {
                anstream::eprintln!("http://{address}/mcp\nAuthorization: Bearer {token}");
            };
            serve_http(host, offer, start, (http, &stop), told)
        }
    };
    drain.end();
    handles.settle();
    served?;
    Ok(Exit::Ok)
}

/// Takes the file of the reference memory server into `ledger`, as what an assistant wrote.
///
/// # Errors
/// A line is none of that server, or the ledger refuses.
pub(crate) fn import_graph(
    input: impl BufRead,
    ledger: &Ledger,
    context: &Context,
) -> Result<ImportReport> {
    let folder = std::env::current_dir().context("find the working directory")?;
    let handles = Arc::new(Handles::of(&context.ledger_dir()?, ledger.clone()));
    let host = CommandLine { global: global(context), handles };
    let imported = memlith_mcp::import_graph(&host, &folder, input);
    let imported = imported.map_err(|refused| exit::unusable(refused.what))?;
    let mut report = ImportReport::default();
    report.added = imported.added;
    report.already_present = imported.already_present;
    Ok(report)
}

/// Builds the flags that every verb runs with: what the person who started the server said.
fn global(context: &Context) -> GlobalArgs {
    let assistant = || ActorArg { rank: Rank::Assistant, name: "assistant".to_owned() };
    let options = &context.options;
    GlobalArgs {
        ledger: context.named.clone(),
        json: false,
        now: context.now,
        scope: context.is_scoped.then(|| context.scope.clone()),
        actor: Some(if context.is_actor_named { context.actor.clone() } else { assistant() }),
        quiet: false,
        no_mmap: !options.mmap,
        lock_timeout: crate::wait::Wait(options.lock_timeout),
        accept_clock_jump: options.accept_clock_jump,
        allow_network_fs: options.allow_network_fs,
        read_past_loss: options.read_past_loss,
    }
}

impl Host for CommandLine {
    fn run(&self, folder: &std::path::Path, words: &[String]) -> Result<Answered, Refused> {
        let verb = Cli::verb_of(words).map_err(|error| refused(&error))?;
        let client = Client::new(folder, Arc::clone(&self.handles));
        client::refuse_if_off(folder)?;
        let listener = Box::new(client.clone());
        let mut context = Context::for_listener(self.global.clone(), Some(listener));
        match verb.run(&mut context) {
            Ok(exit) => Ok(Answered { has_findings: exit != Exit::Ok, ..client.take() }),
            Err(error) => {
                self.handles.drop_if_broken(&error);
                Err(Refused { what: exit::told(&error) })
            }
        }
    }
}

/// Reports the parser's error about a tool's arguments, without the help that only a terminal has.
fn refused(error: &clap::Error) -> Refused {
    let text = error.to_string();
    let what = text.split("\n\n").next().unwrap_or_default();
    // The marks of a placeholder are escaped for a model.
    Refused { what: what.strip_prefix("error: ").unwrap_or(what).replace(['<', '>'], "") }
}

impl ProfileArg {
    fn profile(self) -> memlith_mcp::Profile {
        match self {
            ProfileArg::Standard => memlith_mcp::Profile::Standard,
            ProfileArg::Full => memlith_mcp::Profile::Full,
            ProfileArg::MemoryTool => memlith_mcp::Profile::MemoryTool,
            ProfileArg::Graph => memlith_mcp::Profile::Graph,
        }
    }
}
