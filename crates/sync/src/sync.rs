use std::path::Path;

use memlith::{Caller, Ledger};

use crate::address::Address;
use crate::carrier;
use crate::error::{Error, Result};
use crate::keys::MachineId;
use crate::machine::{Home, Machine, Remote, read_code};
use crate::run::{self, Run};
use crate::status::Status;
use crate::verify::{self, RemoteReport};

/// The machines of one person, as the ledger in one folder takes part in them.
#[derive(Debug)]
pub struct Sync {
    home: Home,
}

/// A place that is to carry the ledger.
#[derive(Clone, Debug)]
pub struct NewRemote {
    /// Where it is.
    pub address: Address,
    /// Its name; the last part of the address where absent.
    pub name: Option<String>,
    /// This machine's name for the others, where it takes part for the first time.
    pub machine: String,
    /// The code that another machine gave; without one this machine is the first.
    pub code: Option<String>,
}

/// The longest name of a machine.
const NAME_CHARS_MAX: usize = 64;

impl Sync {
    /// The part that the ledger in the folder `ledger` takes.
    #[must_use]
    pub fn of(ledger: &Path) -> Sync {
        Sync { home: Home::of(ledger) }
    }

    /// Whether anything was added: without, nothing ever leaves.
    #[must_use]
    pub fn is_set_up(&self) -> bool {
        self.home.exists()
    }

    /// Adds a place; nothing is sent before [`Sync::run`].
    ///
    /// # Errors
    /// The code is none, or another than this machine's; the name is taken; and those of the disk.
    pub fn add(&self, ledger: &Ledger, new: NewRemote) -> Result<Status> {
        let code = match &new.code {
            None => None,
            Some(text) => Some(read_code(text).ok_or_else(|| {
                Error::Refused("that is no code: `memlith sync status` shows it elsewhere".into())
            })?),
        };
        let address = self.checked(new.address)?;
        let is_plain = |c: char| !c.is_control();
        if new.machine.trim().is_empty()
            || new.machine.chars().count() > NAME_CHARS_MAX
            || !new.machine.chars().all(is_plain)
        {
            let what = "a machine's name has 1 to 64 characters on one line: give --machine";
            return Err(Error::Refused(what.to_owned()));
        }
        self.home.make()?;
        let _held = self.locked()?;
        let mut machine = match self.home.read()? {
            None => Machine::new(new.machine, ledger, code)?,
            Some(mut machine) => {
                if let Some(code) = code {
                    if !machine.others.is_empty() && machine.code.1 != code {
                        return Err(Error::Refused(
                            "this machine knows others by another code: remove it with \
                             `memlith sync remove --all` first"
                                .to_owned(),
                        ));
                    }
                    machine.code = (0, code);
                }
                machine
            }
        };
        let text = address.to_string();
        let last = text.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
        let name = new.name.unwrap_or_else(|| last.trim_end_matches(".git").to_owned());
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(is_name) {
            return Err(Error::Refused(format!(
                "`{name}` is no name of a remote: give one with --name"
            )));
        }
        if machine.remotes.iter().any(|remote| remote.name == name || remote.address == address) {
            return Err(Error::Refused(format!(
                "{name} is there already: `memlith sync remove {name}` first, or another --name"
            )));
        }
        machine.remotes.push(Remote::new(name, address));
        self.home.write(&machine)?;
        machine.status(ledger)
    }

    /// The address without links, unless it lies in the ledger's own folder.
    fn checked(&self, address: Address) -> Result<Address> {
        let path = match address {
            Address::Store(_) => {
                return Err(Error::Refused(format!(
                    "{address} holds shared ledgers: `memlith init --shared` names it"
                )));
            }
            Address::Folder(path) => path,
            Address::Git(_) | Address::Ssh { .. } | Address::Rclone(_) => return Ok(address),
        };
        let Ok(real) = std::fs::canonicalize(&path) else {
            return Err(Error::Refused(format!(
                "{} is not there: mount or make it",
                path.display()
            )));
        };
        let own = std::fs::canonicalize(self.home.ledger()).unwrap_or_default();
        if real.starts_with(&own) {
            let what = format!("{} lies in the ledger's folder: name another", real.display());
            return Err(Error::Refused(what));
        }
        Ok(Address::Folder(real))
    }

    /// Brings every remote and this machine to one state; `None` while another process does.
    ///
    /// Durable when it returns: what came is in copies beside the ledger. Cost: what is new, once
    /// over the network and twice through memory; where nothing is, two small reads a machine.
    ///
    /// # Errors
    /// Nothing was added, and those of the disk here. What fails on a remote stands in the run.
    pub fn run(&self, ledger: &Ledger, caller: &Caller) -> Result<Option<Run>> {
        let Some(mut machine) = self.machine()? else { return Err(not_set_up()) };
        let Some(_held) = self.home.lock()? else { return Ok(None) };
        // Another run may have ended just now.
        machine = self.home.read()?.unwrap_or(machine);
        if machine.ledger != ledger.id() {
            return Err(Error::Refused(
                "the folder `sync` beside this ledger is another ledger's: remove it".to_owned(),
            ));
        }
        run::run(&self.home, &mut machine, (ledger, caller)).map(Some)
    }

    /// Says how remotes and machines stand, without reaching any; `None` where nothing was added.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn status(&self, ledger: &Ledger) -> Result<Option<Status>> {
        self.machine()?.map(|machine| machine.status(ledger)).transpose()
    }

    /// Reads every file that this machine and the others put on each remote, and compares it with
    /// what its manifest states. Those that aren't whole are noted: the machines that put them there do
    /// it again, at their next run behind this one's. `None` where nothing was added.
    ///
    /// # Errors
    /// A remote can't be reached, and those of the disk.
    pub fn verify(&self, ledger: &Ledger) -> Result<Option<Vec<RemoteReport>>> {
        let Some(machine) = self.machine()? else { return Ok(None) };
        let reports = verify::verify(&self.home, &machine, ledger)?;
        let damaged = reports.iter().flat_map(|report| report.damaged.clone()).collect();
        if machine.wants != damaged {
            let noted = self.change(|machine| {
                machine.wants = damaged;
                Ok(())
            });
            if let Err(error) = noted {
                tracing::warn!(%error, "what was found damaged is not noted: verify again");
            }
        }
        Ok(Some(reports))
    }

    /// Sends nothing to a remote any more. What lies there stays.
    ///
    /// # Errors
    /// It isn't there, and those of the disk.
    pub fn remove_remote(&self, name: &str) -> Result<()> {
        self.change(|machine| {
            let before = machine.remotes.len();
            machine.remotes.retain(|remote| remote.name != name);
            let is_gone = machine.remotes.len() < before;
            is_gone
                .then_some(())
                .ok_or_else(|| Error::Refused(format!("there is no remote {name}")))
        })
    }

    /// Gives a machine up, by its name or id: nothing that is put on a remote from now on can be
    /// read there, and nothing is taken from it. What it had stays readable there. The next run
    /// tells the others.
    ///
    /// # Errors
    /// It isn't there, or several have that name; and those of the disk.
    pub fn remove_machine(&self, name: &str) -> Result<()> {
        self.change(|machine| {
            // As `sync status` shows it.
            let is_short = name.len() >= 8;
            let is_named = |id: &str, own: &str| own == name || is_short && id.starts_with(name);
            let found =
                machine.others.iter().filter(|one| is_named(&one.id.to_string(), &one.name));
            let ids: Vec<_> = found.map(|one| one.id.clone()).collect();
            match (ids.as_slice(), MachineId::of_folder(name)) {
                ([id], _) => machine.give_up(id),
                // One that was met and let in by nobody.
                ([], Some(id)) if id != machine.id() => machine.give_up(&id),
                ([], _) if is_named(&machine.id().to_string(), &machine.name) => {
                    let what = "that is this machine: `memlith sync remove --all` takes it out";
                    Err(Error::Refused(what.to_owned()))
                }
                ([], _) => Err(Error::Refused(format!("there is no machine {name}"))),
                (_, _) => {
                    let what = format!("several machines are named {name}: give its id");
                    Err(Error::Refused(what))
                }
            }
        })
    }

    /// Forgets all remotes, machines, keys and copies, and takes this machine's files off the
    /// remotes; gives those that can't be reached. The ledger stays.
    ///
    /// # Errors
    /// Another process is at it, and those of the disk here.
    pub fn remove_all(&self) -> Result<Vec<String>> {
        let machine = self.machine()?.ok_or_else(not_set_up)?;
        let _held = self.locked()?;
        let mut left = Vec::new();
        for remote in &machine.remotes {
            if let Err(error) = self.clear(&machine, remote) {
                left.push(format!("{}: {error}", remote.name));
            }
        }
        self.home.remove()?;
        Ok(left)
    }

    fn clear(&self, machine: &Machine, remote: &Remote) -> Result<()> {
        let mut carrier = carrier::open(&remote.address, &remote.name, &self.home)?;
        let own = machine.id();
        let names =
            carrier.list()?.remove(&own).unwrap_or_default().into_keys().collect::<Vec<_>>();
        carrier.remove(&own, &names)?;
        carrier.publish(&own)
    }

    fn machine(&self) -> Result<Option<Machine>> {
        if self.home.exists() { self.home.read() } else { Ok(None) }
    }

    fn change(&self, change: impl FnOnce(&mut Machine) -> Result<()>) -> Result<()> {
        let mut machine = self.machine()?.ok_or_else(not_set_up)?;
        let _held = self.locked()?;
        machine = self.home.read()?.unwrap_or(machine);
        change(&mut machine)?;
        self.home.write(&machine)
    }

    fn locked(&self) -> Result<std::fs::File> {
        self.home.lock()?.ok_or_else(|| {
            Error::Refused("a run is under way: try again when it has ended".to_owned())
        })
    }
}

fn not_set_up() -> Error {
    Error::Refused("nothing is synced: `memlith sync add` names a place".to_owned())
}
