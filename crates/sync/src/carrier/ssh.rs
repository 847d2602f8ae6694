use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Carrier, Listed, is_name, run};
use crate::error::{Error, Result};
use crate::keys::MachineId;

/// A folder on a machine that ssh reaches; a shell there needs no more than what every system has.
#[derive(Debug)]
pub(super) struct Ssh {
    host: String,
    port: Option<u16>,
    /// The folder, quoted for a shell.
    folder: String,
    /// The socket of a connection that several commands share.
    control: String,
    /// The files that were there when it was opened, and the notes among them.
    listed: Listed,
    notes: BTreeMap<(MachineId, String), Vec<u8>>,
}

/// Lists the files, with the bytes of notes: a line each, so that one answer does for a run that
/// finds nothing new.
const LIST: &str = "for file in */*; do if [ -f \"$file\" ]; then len=$(wc -c < \"$file\"); \
    case \"$file\" in */card|*/manifest) if [ \"$len\" -le 1048576 ]; then \
    echo \"$len $file $(base64 < \"$file\" | tr -d '\\n')\"; else echo \"$len $file\"; fi;; \
    *) echo \"$len $file\";; esac; fi; done";

impl Ssh {
    /// Opens the folder, which must be there.
    pub(super) fn open(host: &str, port: Option<u16>, folder: &str, own: &Path) -> Result<Ssh> {
        std::fs::create_dir_all(own).map_err(Error::io(format!("make {}", own.display())))?;
        let quoted = shlex::try_quote(folder).map_err(|_| {
            Error::Refused(format!("{folder:?} can't be named to a shell: take another folder"))
        })?;
        // One connection for one machine: another one of the same name is not taken for it.
        let at = blake3::hash(format!("{host} {port:?}").as_bytes()).to_hex();
        let control = own.join(at.get(..12).unwrap_or_default()).display().to_string();
        let (host, folder) = (host.to_owned(), quoted.into_owned());
        let (listed, notes) = (Listed::new(), BTreeMap::new());
        let mut ssh = Ssh { host, port, folder, control, listed, notes };
        let listing = ssh.run(LIST, &[])?;
        for line in String::from_utf8_lossy(&listing).lines() {
            let mut words = line.split_whitespace();
            let len = words.next().and_then(|len| len.parse().ok());
            let file = words.next().and_then(|path| path.split_once('/'));
            let Some((len, (machine, name))) = len.zip(file) else { continue };
            let Some(machine) = MachineId::of_folder(machine).filter(|_| is_name(name)) else {
                continue;
            };
            if let Some(note) = words.next().and_then(|note| STANDARD.decode(note).ok()) {
                ssh.notes.insert((machine.clone(), name.to_owned()), note);
            }
            ssh.listed.entry(machine).or_default().insert(name.to_owned(), len);
        }
        Ok(ssh)
    }

    fn run(&self, script: &str, input: &[u8]) -> Result<Vec<u8>> {
        let mut ssh = Command::new("ssh");
        ssh.args(["-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]);
        ssh.args(["-o", "ControlMaster=auto", "-o", "ControlPersist=30"]);
        ssh.arg("-o").arg(format!("ControlPath={}", self.control));
        if let Some(port) = self.port {
            ssh.arg("-p").arg(port.to_string());
        }
        ssh.arg("--").arg(&self.host);
        ssh.arg(format!("set -e; umask 077; cd {}; {script}", self.folder));
        run("ssh", &mut ssh, input)
    }
}

impl Carrier for Ssh {
    fn keeps_history(&self) -> bool {
        false
    }

    fn list(&self) -> Result<Listed> {
        Ok(self.listed.clone())
    }

    fn get(&self, machine: &MachineId, name: &str, max: u64) -> Result<Option<Vec<u8>>> {
        if let Some(note) = self.notes.get(&(machine.clone(), name.to_owned())) {
            return Ok(Some(note.clone()));
        }
        if !self.listed.get(machine).is_some_and(|files| files.contains_key(name)) {
            return Ok(None);
        }
        let script = format!(
            "if [ -f {machine}/{name} ]; then echo there; head -c {max} {machine}/{name}; fi"
        );
        let got = self.run(&script, &[])?;
        Ok(got.strip_prefix(b"there\n").map(<[u8]>::to_vec))
    }

    fn put(&mut self, machine: &MachineId, files: &[(String, Vec<u8>)]) -> Result<()> {
        for (name, bytes) in files {
            let len = bytes.len();
            // What was cut on the way is not given the name.
            let script = format!(
                "mkdir -p {machine}; cat > {machine}/.{name}; \
                 [ \"$(wc -c < {machine}/.{name})\" -eq {len} ]; sync {machine}/.{name}; \
                 mv -f {machine}/.{name} {machine}/{name}"
            );
            self.run(&script, bytes)?;
            self.notes.remove(&(machine.clone(), name.clone()));
            let files = self.listed.entry(machine.clone()).or_default();
            files.insert(name.clone(), len as u64);
        }
        Ok(())
    }

    fn remove(&mut self, machine: &MachineId, names: &[String]) -> Result<()> {
        for names in names.chunks(256) {
            let names: Vec<String> = names.iter().map(|name| format!("{machine}/{name}")).collect();
            self.run(&format!("rm -f {}", names.join(" ")), &[])?;
        }
        Ok(())
    }

    fn publish(&mut self, _: &MachineId) -> Result<()> {
        Ok(())
    }
}
