//! The worker that learns in the background, as a unit of the user's own service manager.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::{InstallArgs, entered, ledger};
use crate::context::Context;
use crate::environment;
use crate::exit::{Exit, refused, unusable};

/// The program of the service manager.
const MANAGER: &str = "systemctl";

/// A worker that a unit runs.
struct Worker {
    /// The unit's name.
    unit: &'static str,
    description: &'static str,
    /// The words behind the program and its ledger.
    words: &'static str,
    /// A file of the ledger's folder without which the unit doesn't start.
    needs: Option<&'static str>,
}

const WORKERS: [Worker; 2] = [
    Worker {
        unit: "memlith-writeback.service",
        description: "Memlith learns what sessions taught",
        words: "jobs run --watch",
        needs: None,
    },
    Worker {
        unit: "memlith-deliver.service",
        description: "Memlith delivers what deliver.toml says",
        words: "deliver run --watch",
        needs: Some("deliver.toml"),
    },
];

#[derive(Serialize)]
struct Done {
    units: Vec<UnitDone>,
    ledger: Option<String>,
}

#[derive(Serialize)]
struct UnitDone {
    unit: String,
    changed: bool,
    is_running: bool,
}

/// The unit's file, and the link that starts it with its user's first session.
struct Unit {
    worker: &'static Worker,
    file: PathBuf,
    link: PathBuf,
}

pub(super) fn install(args: &InstallArgs, context: &mut Context) -> Result<Exit> {
    let units = Unit::all()?;
    if args.check {
        return check(&units, context);
    }
    if !environment::has_program(Path::new(MANAGER)) {
        return Err(unusable(format!(
            "PATH has no {MANAGER}: this machine's services are not systemd's; have its own \
             manager run `memlith jobs run --watch` and `memlith deliver run --watch`"
        )));
    }
    let program = std::env::current_exe().context("find this program")?;
    let (ledger, made) = ledger(args.dry_run, context)?;
    let mut changes = Vec::new();
    for unit in &units {
        let text = unit.text(&program, &ledger)?;
        let changed = !unit.is(&text)?;
        if changed && !args.dry_run {
            unit.write(&text).with_context(|| format!("write {}", unit.file.display()))?;
        }
        changes.push(changed);
    }
    let is_reloaded = !args.dry_run && told(&["daemon-reload"]);
    let (mut lines, mut done) = (Vec::new(), Vec::new());
    for (unit, changed) in units.iter().zip(changes) {
        let is_running = is_reloaded && told(&["restart", unit.worker.unit]) && unit.is_running();
        let state = match (args.dry_run, is_reloaded, is_running) {
            (true, ..) => "nothing was started".to_owned(),
            (_, _, true) => "it runs, and starts with your first session".to_owned(),
            (_, false, _) => {
                "it starts with your next first session: no service manager answers now".to_owned()
            }
            (_, true, false) => unit.why_not(&ledger),
        };
        lines.push(format!("{} unit {}: {state}", entered(args.dry_run, changed), unit.shown()));
        done.push(unit.done(changed, is_running));
    }
    lines.push(format!("{made} ledger {}", ledger.display()));
    let done = Done { units: done, ledger: Some(ledger.display().to_string()) };
    context.answer(&done, lines.join("\n"))?;
    Ok(Exit::Ok)
}

pub(super) fn uninstall(context: &mut Context) -> Result<Exit> {
    let has_manager = environment::has_program(Path::new(MANAGER));
    let (mut lines, mut done) = (Vec::new(), Vec::new());
    for unit in Unit::all()? {
        let is_there = unit.file.is_file();
        if is_there && has_manager {
            // Where no manager answers nothing runs that it could stop.
            told(&["stop", unit.worker.unit]);
        }
        for path in [&unit.link, &unit.file] {
            removed(path).with_context(|| format!("remove {}", path.display()))?;
        }
        lines.push(match is_there {
            true => format!("took out unit {}; what was done stays", unit.shown()),
            false => format!("no unit {}", unit.shown()),
        });
        done.push(unit.done(is_there, false));
    }
    if has_manager && done.iter().any(|unit| unit.changed) {
        told(&["daemon-reload"]);
    }
    context.answer(&Done { units: done, ledger: None }, lines.join("\n"))?;
    Ok(Exit::Ok)
}

/// Says whether the units run; one that needs a file that isn't there is well.
fn check(units: &[Unit], context: &mut Context) -> Result<Exit> {
    let ledger = environment::agents_home().map(|home| home.ledger).unwrap_or_default();
    let (mut lines, mut done, mut is_well) = (Vec::new(), Vec::new(), true);
    for unit in units {
        let is_there = unit.file.is_file();
        let is_running = is_there && unit.is_running();
        let rests = is_there && unit.lacks(&ledger).is_some();
        is_well &= is_running || rests;
        lines.push(match (is_there, is_running) {
            (false, _) => {
                format!("no unit {}: run `memlith agent install --watch`", unit.worker.unit)
            }
            (true, true) => format!("{} runs", unit.worker.unit),
            (true, false) => {
                format!("{} is there and doesn't run: {}", unit.worker.unit, unit.why_not(&ledger))
            }
        });
        done.push(unit.done(false, is_running));
    }
    context.answer(&Done { units: done, ledger: None }, lines.join("\n"))?;
    Ok(Exit::ok_if(is_well))
}

impl Unit {
    fn all() -> Result<Vec<Unit>> {
        let settings = environment::settings().ok_or_else(|| unusable("HOME names no folder"))?;
        let folder = settings.join("systemd").join("user");
        let wanted = folder.join("default.target.wants");
        let unit = |worker: &'static Worker| Unit {
            worker,
            file: folder.join(worker.unit),
            link: wanted.join(worker.unit),
        };
        Ok(WORKERS.iter().map(unit).collect())
    }

    fn is_running(&self) -> bool {
        environment::has_program(Path::new(MANAGER))
            && told(&["is-active", "--quiet", self.worker.unit])
    }

    /// The file that it needs and that isn't there.
    fn lacks(&self, ledger: &Path) -> Option<PathBuf> {
        let file = ledger.join(self.worker.needs?);
        (!file.exists()).then_some(file)
    }

    fn why_not(&self, ledger: &Path) -> String {
        let unit = self.worker.unit;
        match self.lacks(ledger) {
            Some(file) => {
                let file = file.display();
                format!("{file} is not there; then `{MANAGER} --user restart {unit}`")
            }
            None => format!("see `{MANAGER} --user status {unit}`"),
        }
    }

    /// Whether it is there already, word for word, and started with a session.
    fn is(&self, text: &str) -> Result<bool> {
        let found = match fs::read_to_string(&self.file) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => {
                return Err(error).with_context(|| format!("read {}", self.file.display()));
            }
        };
        Ok(found == text && fs::read_link(&self.link).is_ok_and(|to| to == self.file))
    }

    fn write(&self, text: &str) -> io::Result<()> {
        let folders = [self.file.parent(), self.link.parent()];
        for folder in folders.into_iter().flatten() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&self.file, text)?;
        removed(&self.link)?;
        std::os::unix::fs::symlink(&self.file, &self.link)
    }

    fn shown(&self) -> std::path::Display<'_> {
        self.file.display()
    }

    fn done(&self, changed: bool, is_running: bool) -> UnitDone {
        UnitDone { unit: self.shown().to_string(), changed, is_running }
    }

    /// The unit: a process that is ended between two batches, may write its ledger and its own
    /// notes, and gains no rights.
    fn text(&self, program: &Path, ledger: &Path) -> Result<String> {
        let Worker { description, words, needs, .. } = self.worker;
        let needed = needs.map(|name| ledger.join(name));
        let condition = match needed.as_deref().map(specified).transpose()? {
            Some(file) => format!("ConditionPathExists={file}\n"),
            None => String::new(),
        };
        let (program, ledger) = (quoted(program)?, quoted(ledger)?);
        Ok(format!(
            "# Written by `memlith agent install --watch`; `memlith agent remove --watch` takes it out.\n\
             [Unit]\n\
             Description={description}\n\
             {condition}\
             \n\
             [Service]\n\
             ExecStart={program} --ledger {ledger} {words}\n\
             EnvironmentFile=-%E/memlith/writeback.env\n\
             Restart=on-failure\n\
             RestartSec=60\n\
             Nice=10\n\
             UMask=0077\n\
             NoNewPrivileges=yes\n\
             \n\
             [Install]\n\
             WantedBy=default.target\n"
        ))
    }
}

/// Removes a file, if it is there.
fn removed(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether the service manager did as it was told; what it says goes nowhere.
fn told(arguments: &[&str]) -> bool {
    let mut command = Command::new(MANAGER);
    command.arg("--user").args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A path as the whole value of a setting in a unit: `%` is doubled.
fn specified(path: &Path) -> Result<String> {
    named(path).map(|text| text.replace('%', "%%"))
}

/// The name of a path, where a unit can hold it.
fn named(path: &Path) -> Result<&str> {
    path.to_str().filter(|text| !text.contains(char::is_control)).ok_or_else(|| {
        refused(format!("{} is no name that a unit can hold: choose another", path.display()))
    })
}

/// A path as one word of a command line in a unit.
///
/// Source: systemd.service(5), "Command lines": C escapes within quotes, `%` and `$` doubled.
fn quoted(path: &Path) -> Result<String> {
    let text = named(path)?;
    let mut word = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => word.extend(['\\', character]),
            '%' | '$' => word.extend([character, character]),
            _ => word.push(character),
        }
    }
    word.push('"');
    Ok(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_the_unit() -> Result<()> {
        let path = Path::new("/home/a b/100%/$x/\"y\"\\z");
        assert_eq!(quoted(path)?, "\"/home/a b/100%%/$$x/\\\"y\\\"\\\\z\"");
        assert!(quoted(Path::new("/home/a\nExecStart=x")).is_err());
        Ok(())
    }
}
