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

/// The unit's name.
const UNIT: &str = "memlith-writeback.service";
/// The program of the service manager.
const MANAGER: &str = "systemctl";

#[derive(Serialize)]
struct Done {
    unit: String,
    changed: bool,
    is_running: bool,
    ledger: Option<String>,
}

/// The unit's file, and the link that starts it with its user's first session.
struct Unit {
    file: PathBuf,
    link: PathBuf,
}

pub(super) fn install(args: &InstallArgs, context: &mut Context) -> Result<Exit> {
    let unit = Unit::of_user()?;
    if args.check {
        return check(&unit, context);
    }
    if !environment::has_program(Path::new(MANAGER)) {
        return Err(unusable(format!(
            "PATH has no {MANAGER}: this machine's services are not systemd's; have its own \
             manager run `memlith jobs run --watch`"
        )));
    }
    let program = std::env::current_exe().context("find this program")?;
    let (ledger, made) = ledger(args.dry_run, context)?;
    let text = text(&program, &ledger)?;
    let changed = !unit.is(&text)?;
    if changed && !args.dry_run {
        unit.write(&text).with_context(|| format!("write {}", unit.file.display()))?;
    }
    let is_running = !args.dry_run && told(&["daemon-reload"]) && told(&["restart", UNIT]);
    let state = match (args.dry_run, is_running) {
        (true, _) => "nothing was started",
        (false, true) => "it runs, and starts with your first session",
        (false, false) => "it starts with your next first session: no service manager answers now",
    };
    let verb = entered(args.dry_run, changed);
    let shown = unit.file.display();
    let answer = format!("{verb} unit {shown}\n{made} ledger {}\n{state}", ledger.display());
    context.answer(&unit.done(changed, is_running, Some(&ledger)), answer)?;
    Ok(Exit::Ok)
}

pub(super) fn uninstall(context: &mut Context) -> Result<Exit> {
    let unit = Unit::of_user()?;
    let is_there = unit.file.is_file();
    if is_there && environment::has_program(Path::new(MANAGER)) {
        // Where no manager answers nothing runs that it could stop.
        told(&["stop", UNIT]);
    }
    for path in [&unit.link, &unit.file] {
        removed(path).with_context(|| format!("remove {}", path.display()))?;
    }
    if is_there && environment::has_program(Path::new(MANAGER)) {
        told(&["daemon-reload"]);
    }
    let shown = unit.file.display();
    let text = match is_there {
        true => format!("took out unit {shown}; what was learned stays"),
        false => format!("no unit {shown}"),
    };
    context.answer(&unit.done(is_there, false, None), text)?;
    Ok(Exit::Ok)
}

fn check(unit: &Unit, context: &mut Context) -> Result<Exit> {
    let is_there = unit.file.is_file();
    let is_running = is_there
        && environment::has_program(Path::new(MANAGER))
        && told(&["is-active", "--quiet", UNIT]);
    let text = match (is_there, is_running) {
        (false, _) => "no unit: memlith agent install --watch".to_owned(),
        (true, true) => format!("{UNIT} runs"),
        (true, false) => format!("{UNIT} is there and doesn't run: systemctl --user status {UNIT}"),
    };
    context.answer(&unit.done(false, is_running, None), text)?;
    Ok(Exit::ok_if(is_running))
}

impl Unit {
    fn of_user() -> Result<Unit> {
        let settings = environment::settings().ok_or_else(|| unusable("HOME names no folder"))?;
        let folder = settings.join("systemd").join("user");
        let link = folder.join("default.target.wants").join(UNIT);
        Ok(Unit { file: folder.join(UNIT), link })
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

    fn done(&self, changed: bool, is_running: bool, ledger: Option<&Path>) -> Done {
        Done {
            unit: self.file.display().to_string(),
            changed,
            is_running,
            ledger: ledger.map(|ledger| ledger.display().to_string()),
        }
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

/// The unit: a process that is ended between two jobs, may write its ledger and its own notes,
/// and gains no rights.
fn text(program: &Path, ledger: &Path) -> Result<String> {
    let (program, ledger) = (quoted(program)?, quoted(ledger)?);
    Ok(format!(
        "# Written by `memlith agent install --watch`; `memlith agent remove --watch` takes it out.\n\
         [Unit]\n\
         Description=Memlith learns what sessions taught\n\
         \n\
         [Service]\n\
         ExecStart={program} --ledger {ledger} jobs run --watch\n\
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

/// A path as one word of a command line in a unit.
///
/// Source: systemd.service(5), "Command lines": C escapes within quotes, `%` and `$` doubled.
fn quoted(path: &Path) -> Result<String> {
    let text = path.to_str().filter(|text| !text.contains(char::is_control));
    let text = text.ok_or_else(|| {
        refused(format!("{} is no name that a unit can hold: choose another", path.display()))
    })?;
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
