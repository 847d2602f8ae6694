//! The flags that every verb takes.

use std::path::PathBuf;

use clap::Args;
use memlith::Timestamp;

use crate::actor::ActorArg;
use crate::scope::ScopeArg;
use crate::wait::Wait;

/// The flags that every verb takes, before or after it.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// The ledger's folder; else $MEMLITH_LEDGER, else the project's own `.memlith`, else your own,
    /// else `.memlith` in the nearest folder above.
    #[arg(long, global = true, value_name = "DIR")]
    pub ledger: Option<PathBuf>,

    /// Answer in JSON: one object, one line.
    #[arg(long, global = true)]
    pub json: bool,

    /// The instant of the read or write instead of the clock's: RFC 3339, or a date. A write
    /// is of the past, or at most 5 minutes ahead of the clock.
    #[arg(long, global = true, value_name = "TIME", value_parser = crate::instant::parse)]
    pub now: Option<Timestamp>,

    /// Scope of the memories: `tenant=T,agent=A,subject=S,session=S,session-only`; or `all`, the
    /// owner's view of everything, which is for reading alone.
    #[arg(long, global = true, value_name = "SCOPE")]
    pub scope: Option<ScopeArg>,

    /// Actor: `user`, `assistant`, `tool`, `web`, `reviewer` or `owner`, with a name as in
    /// `user:ana`.
    #[arg(long = "as", global = true, value_name = "RANK[:NAME]")]
    pub actor: Option<ActorArg>,

    /// Print data and errors alone.
    #[arg(long, short, global = true)]
    pub quiet: bool,

    /// Read files instead of mapping them into memory.
    #[arg(long, global = true)]
    pub no_mmap: bool,

    /// How long to wait for another process's lock: `10`, `0.5s` or `200ms`.
    #[arg(long, global = true, value_name = "TIME", default_value = "10s")]
    pub lock_timeout: Wait,

    /// Write although the clock is more than 400 days ahead of the last record.
    #[arg(long, global = true)]
    pub accept_clock_jump: bool,

    /// Write to a network or unknown file system, at your own risk.
    #[arg(long, global = true)]
    pub allow_network_fs: bool,

    /// Read what is left of a ledger whose acknowledged end is gone.
    #[arg(long, global = true)]
    pub read_past_loss: bool,
}
