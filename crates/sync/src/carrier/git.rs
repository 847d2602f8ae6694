use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Carrier, Listed, is_name, run};
use crate::error::{Error, Result};
use crate::keys::MachineId;

/// A git remote: one branch for each machine, whose only commit holds the machine's files.
#[derive(Debug)]
pub(super) struct Git {
    /// A bare repository of this machine, with what was fetched.
    folder: PathBuf,
    /// The files of each machine's branch as they were fetched: blob and length by name.
    fetched: BTreeMap<MachineId, BTreeMap<String, (String, u64)>>,
    /// Notes that were read, by blob.
    read: RefCell<BTreeMap<String, Vec<u8>>>,
    /// The blobs of this machine's branch as it is to be published; none where nothing is to be.
    tree: Option<BTreeMap<String, String>>,
}

/// Notes are read several times in a run, parts once.
const KEPT_BYTES: usize = 1 << 20;

const REMOTE: &str = "refs/remotes/there";
const BRANCH: &str = "refs/heads/memlith";

impl Git {
    /// Opens this machine's repository for the remote `url`, and fetches.
    pub(super) fn open(url: &str, folder: &Path) -> Result<Git> {
        let (fetched, read) = (BTreeMap::new(), RefCell::default());
        let mut git = Git { folder: folder.to_owned(), fetched, read, tree: None };
        if !folder.join("HEAD").is_file() {
            let parent = folder.parent().unwrap_or(folder);
            let made = std::fs::create_dir_all(parent);
            made.map_err(Error::io(format!("make {}", parent.display())))?;
            let mut init = Command::new("git");
            init.args(["init", "--quiet", "--bare", "--"]).arg(folder);
            run("git", &mut init, &[])?;
        }
        let refs = format!("+{BRANCH}/*:{REMOTE}/*");
        git.run(&[
            "fetch",
            "--quiet",
            "--prune",
            "--no-tags",
            "--no-write-fetch-head",
            "--",
            url,
            &refs,
        ])?;
        std::fs::write(folder.join("memlith-url"), url)
            .map_err(Error::io(format!("write into {}", folder.display())))?;
        let refs = git.run(&["for-each-ref", "--format=%(refname)", REMOTE])?;
        let refs = String::from_utf8_lossy(&refs).into_owned();
        let names = refs.lines().filter_map(|line| line.strip_prefix(REMOTE)?.strip_prefix('/'));
        for machine in names.filter_map(MachineId::of_folder) {
            let files = git.files(&machine)?;
            git.fetched.insert(machine, files);
        }
        Ok(git)
    }

    fn run(&self, args: &[&str]) -> Result<Vec<u8>> {
        self.run_with(args, &[])
    }

    fn run_with(&self, args: &[&str], input: &[u8]) -> Result<Vec<u8>> {
        let mut git = Command::new("git");
        git.arg("--git-dir").arg(&self.folder);
        git.args(["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "core.compression=0"]);
        git.args(args).env("GIT_TERMINAL_PROMPT", "0");
        for (who, name) in [("AUTHOR", "memlith"), ("COMMITTER", "memlith")] {
            git.env(format!("GIT_{who}_NAME"), name).env(format!("GIT_{who}_EMAIL"), "");
            // The remote needs no record of when somebody worked.
            git.env(format!("GIT_{who}_DATE"), "2026-01-01T00:00:00Z");
        }
        run("git", &mut git, input)
    }

    /// The files of a branch: blob and length by name.
    fn files(&self, machine: &MachineId) -> Result<BTreeMap<String, (String, u64)>> {
        let branch = format!("{REMOTE}/{machine}");
        let listing = self.run(&["ls-tree", "-z", "-l", &branch])?;
        let listing = String::from_utf8_lossy(&listing);
        let file = |line: &str| {
            let (about, name) = line.split_once('\t')?;
            let mut about = about.split_whitespace().skip(2);
            let (blob, len) = (about.next()?.to_owned(), about.next()?.parse().ok()?);
            is_name(name).then(|| (name.to_owned(), (blob, len)))
        };
        Ok(listing.split('\0').filter_map(file).collect())
    }

    /// The files of this machine's branch as they are to be.
    fn tree(&mut self, machine: &MachineId) -> &mut BTreeMap<String, String> {
        if self.tree.is_none() {
            let there = self.fetched.get(machine).cloned().unwrap_or_default();
            self.tree = Some(there.into_iter().map(|(name, (blob, _))| (name, blob)).collect());
        }
        self.tree.get_or_insert_default()
    }
}

impl Carrier for Git {
    fn keeps_history(&self) -> bool {
        true
    }

    fn list(&self) -> Result<Listed> {
        let lens = |files: &BTreeMap<String, (String, u64)>| {
            files.iter().map(|(name, (_, len))| (name.clone(), *len)).collect()
        };
        Ok(self.fetched.iter().map(|(machine, files)| (machine.clone(), lens(files))).collect())
    }

    fn get(&self, machine: &MachineId, name: &str, max: u64) -> Result<Option<Vec<u8>>> {
        let file = self.fetched.get(machine).and_then(|files| files.get(name));
        let Some((blob, len)) = file else { return Ok(None) };
        if *len > max {
            return Ok(Some(Vec::new()));
        }
        if let Some(bytes) = self.read.borrow().get(blob) {
            return Ok(Some(bytes.clone()));
        }
        let bytes = self.run(&["cat-file", "blob", blob])?;
        if bytes.len() <= KEPT_BYTES {
            self.read.borrow_mut().insert(blob.clone(), bytes.clone());
        }
        Ok(Some(bytes))
    }

    fn put(&mut self, machine: &MachineId, files: &[(String, Vec<u8>)]) -> Result<()> {
        for (name, bytes) in files {
            let blob = self.run_with(&["hash-object", "-w", "--stdin"], bytes)?;
            let blob = String::from_utf8_lossy(&blob).trim().to_owned();
            self.tree(machine).insert(name.clone(), blob);
        }
        Ok(())
    }

    fn remove(&mut self, machine: &MachineId, names: &[String]) -> Result<()> {
        let tree = self.tree(machine);
        for name in names {
            tree.remove(name);
        }
        Ok(())
    }

    fn publish(&mut self, machine: &MachineId) -> Result<()> {
        let Some(tree) = self.tree.take() else { return Ok(()) };
        let lines = tree.iter().map(|(name, blob)| format!("100644 blob {blob}\t{name}\0"));
        let tree = self.run_with(&["mktree", "-z"], lines.collect::<String>().as_bytes())?;
        let tree = String::from_utf8_lossy(&tree).trim().to_owned();
        // Without a parent: the remote may drop what nothing leads to.
        let commit = self.run(&["commit-tree", &tree, "-m", "memory"])?;
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        let url = std::fs::read_to_string(self.folder.join("memlith-url"))
            .map_err(Error::io(format!("read in {}", self.folder.display())))?;
        let to = format!("+{commit}:{BRANCH}/{machine}");
        self.run(&["push", "--quiet", "--no-verify", "--", &url, &to])?;
        self.run(&["update-ref", &format!("{REMOTE}/{machine}"), &commit])?;
        let files = self.files(machine)?;
        self.fetched.insert(machine.clone(), files);
        Ok(())
    }
}
