//! Places that carry ledgers, and the little that each must be able to do.

mod folder;
mod git;
mod rclone;
mod ssh;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::address::Address;
use crate::error::{Error, Result};
use crate::keys::MachineId;
use crate::machine::Home;

/// The files of a remote: those of each machine in a folder of its own, which it alone writes.
///
/// Nothing that a carrier gives is believed. It may lose, double, cut or set back files; whoever
/// reads them sees that.
pub(crate) trait Carrier: Debug {
    /// Whether what was there once can be got back by somebody who has the remote.
    fn keeps_history(&self) -> bool;

    /// The lengths of all files, by machine and name.
    fn list(&self) -> Result<Listed>;

    /// The bytes of a file, at most `max` of them; none where it isn't there.
    fn get(&self, machine: &MachineId, name: &str, max: u64) -> Result<Option<Vec<u8>>>;

    /// Puts files, each whole or not at all, in this order.
    fn put(&mut self, machine: &MachineId, files: &[(String, Vec<u8>)]) -> Result<()>;

    /// Removes files.
    fn remove(&mut self, machine: &MachineId, names: &[String]) -> Result<()>;

    /// Makes what was put and removed what others see, where it isn't yet.
    fn publish(&mut self, machine: &MachineId) -> Result<()>;
}

/// The lengths of files by machine and name.
pub(crate) type Listed = BTreeMap<MachineId, BTreeMap<String, u64>>;

/// Opens the place `address`, of the name `remote`.
pub(crate) fn open(address: &Address, remote: &str, home: &Home) -> Result<Box<dyn Carrier>> {
    Ok(match address {
        Address::Rclone(folder) => Box::new(rclone::Rclone::open(folder, &home.carrier(remote))?),
        Address::Store(_) => {
            let what = format!("{address} holds shared ledgers: `memlith init --shared` names it");
            return Err(Error::Refused(what));
        }
        Address::Folder(path) => Box::new(folder::Folder::open(path)?),
        Address::Git(url) => Box::new(git::Git::open(url, &home.carrier(remote))?),
        Address::Ssh { host, port, folder } => {
            Box::new(ssh::Ssh::open(host, *port, folder, &home.carrier(remote))?)
        }
    })
}

/// Whether a file of a machine's folder may have this name.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'z' | b'-'))
}

/// Runs a program with `input`, and gives what it printed.
fn run(name: &'static str, command: &mut Command, input: &[u8]) -> Result<Vec<u8>> {
    let io = || Error::io(format!("run {name}"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(io())?;
    let stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        // One that ends early says why on its own.
        let _writing = scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        child.wait_with_output()
    });
    let output = output.map_err(io())?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(3)..).unwrap_or_default().join("; ");
    let said = if last.is_empty() { output.status.to_string() } else { last };
    Err(Error::Program { program: name, code: output.status.code(), said })
}
