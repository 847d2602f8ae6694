use anyhow::Result;
use clap::{Args, ValueEnum};
use memlith_mcp::{Offer, Profile, serve};
use memlith_verbs::exit::Exit;
use memlith_verbs::{Context, Verb};

/// Serve memory to any MCP client; over standard input and output unless --http.
///
/// The client's workspace gives the project. Writes are an assistant's, unless --as says more:
/// no call can claim a rank. Nothing is erased without --allow-erase. Ends when the client goes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith mcp serve
  memlith mcp serve --profile full
  memlith mcp serve --http 7411       # prints the token that clients show")]
pub(crate) struct ServeArgs {
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

impl Verb for ServeArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let offer = Offer { profile: self.profile.profile(), may_erase: self.allow_erase };
        serve(context, offer, self.http)?;
        Ok(Exit::Ok)
    }
}

impl ProfileArg {
    fn profile(self) -> Profile {
        match self {
            ProfileArg::Standard => Profile::Standard,
            ProfileArg::Full => Profile::Full,
            ProfileArg::MemoryTool => Profile::MemoryTool,
            ProfileArg::Graph => Profile::Graph,
        }
    }
}
