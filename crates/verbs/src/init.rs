use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::{Ledger, LedgerId, Options, storage::Sharing};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::verb::Verb;

/// Make a new, empty ledger; or share one that is there.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith init                        # in .memlith
  memlith init --ledger ~/notes.memlith
  memlith init --ledger /srv/team.memlith --group   # its folder's group reads and writes too
  memlith init --shared /mnt/team                   # several nodes write it; prints an invitation
  memlith init --shared /mnt/team --join INVITATION")]
pub struct InitArgs {
    /// Shares the ledger with the group of its folder: files 0660, folders 2770. Without it
    /// only its owner reads it.
    #[arg(long)]
    group: bool,

    /// Shares the ledger, a new one or one that is there, over a place that other nodes write too, a
    /// folder or a store: they agree on one order. Stop what has it open first.
    #[cfg(feature = "sync")]
    #[arg(long, value_name = "PLACE")]
    shared: Option<memlith_sync::Address>,

    /// Joins a ledger that is shared there, by the words that its first node printed.
    #[cfg(feature = "sync")]
    #[arg(long, value_name = "INVITATION", requires = "shared")]
    join: Option<String>,
}

#[derive(Serialize)]
struct Initialised {
    ledger: LedgerId,
    dir: String,
}

/// The files of a ledger's folder that git leaves alone: all but the name of the project.
const IGNORED: &str = "*\n!project\n";

/// Keeps the ledger out of the commits of the repository that it lies in; read by whom it is.
fn keep_out_of_commits(dir: &Path, is_shared: bool) -> Result<()> {
    let path = dir.join(".gitignore");
    let name = || format!("write {}", path.display());
    // A file of that name stays, and no link is followed.
    let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(error).with_context(name),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = if is_shared { 0o660 } else { 0o600 };
        file.set_permissions(fs::Permissions::from_mode(mode)).with_context(name)?;
    }
    #[cfg(not(unix))]
    let _ = is_shared;
    file.write_all(IGNORED.as_bytes()).with_context(name)
}

/// Makes or joins a ledger that several nodes write.
#[cfg(feature = "sync")]
fn share(
    args: &InitArgs,
    address: &memlith_sync::Address,
    (dir, options): (&Path, Options),
    context: &Context,
) -> Result<Ledger> {
    memlith_sync::check_place(dir, address).map_err(crate::sync::told)?;
    let shared = memlith_sync::open_shared(address, dir).map_err(crate::sync::told)?;
    if args.join.is_none() {
        shared.probe().map_err(memlith::Error::from)?;
    }
    let ledger = match &args.join {
        Some(invitation) => {
            let options = Options { shared: Some(shared.clone()), ..options };
            Ledger::join(dir, options, invitation)?
        }
        None => {
            if !memlith_sync::is_ledger(dir) {
                Ledger::create(dir, options.clone())?.close()?;
            }
            // It may be shared already, and its shared log have lost something.
            let ledger = Ledger::open(dir, Options { read_only: true, ..options })?;
            let is_noted = memlith_sync::is_noted(dir);
            if is_noted
                && shared
                    .read(ledger.id(), memlith::Seq::GENESIS)
                    .map_err(memlith::Error::from)?
                    .is_none()
            {
                return Err(crate::exit::refused(
                    "the place holds nothing of this ledger: mount it, or bring it back; only where it \
                     is gone for good, remove `sync/shared.json` in the ledger's folder first",
                ));
            }
            ledger.share(shared.as_ref())?;
            ledger
        }
    };
    memlith_sync::note_shared(dir, address).map_err(crate::sync::told)?;
    if args.join.is_none() {
        // What lies there beyond this copy may be damaged.
        let _ = Ledger::open(dir, Options { shared: Some(shared), ..Options::default() })?;
    }
    let team = memlith_sync::team_of(dir).map_err(crate::sync::told)?;
    if let Some(team) = team.filter(|team| team.role.is_none()) {
        context.note(format_args!(
            "what this node writes is passed over until an owner gives it a role: memlith \
             sync role {} writer --as owner",
            team.key
        ));
    }
    if args.join.is_none() {
        context.note(format_args!(
            "other nodes join with --join {}; whoever has that and reaches the place reads everything",
            ledger.invitation()?
        ));
    }
    Ok(ledger)
}

impl Verb for InitArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &InitArgs, context: &mut Context) -> Result<Exit> {
    let dir = context.new_ledger_dir();
    let sharing = if args.group { Sharing::Group } else { Sharing::Private };
    let options = Options { sharing, ..context.options.clone() };
    #[cfg(feature = "sync")]
    let ledger = match &args.shared {
        Some(address) => share(args, address, (&dir, options), context)?,
        None => Ledger::create(&dir, options)?,
    };
    #[cfg(not(feature = "sync"))]
    let ledger = Ledger::create(&dir, options)?;
    keep_out_of_commits(&dir, args.group)?;
    #[cfg(feature = "sync")]
    let how = match (&args.shared, &args.join) {
        (_, Some(_)) => "joined",
        (Some(_), None) => "shared",
        (None, None) => "made",
    };
    #[cfg(not(feature = "sync"))]
    let how = "made";
    let made = Initialised { ledger: ledger.id(), dir: dir.display().to_string() };
    context.answer(&made, format_args!("{how} ledger {} in {}", made.ledger, made.dir))?;
    if memlith::prove::exposed(&dir)?.iter().any(|exposed| exposed.name.is_empty()) {
        // A folder that was there is somebody's already: its mode is changed on their word alone.
        context.note("the folder was there before, and others can list it: `memlith doctor mend`");
    }
    ledger.close()?;
    Ok(Exit::Ok)
}
