//! The entries in a client's own settings.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject};

use crate::client::Client;
use crate::settings_file::{SettingsFile, rendered};

/// A client's settings, where hooks are entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The client whose settings they are.
    pub client: Client,
    /// The file; it may be absent.
    pub path: PathBuf,
}

/// Settings were not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The file can't be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not what a client's settings are.
    #[error("{}: {reason}: mend it", path.display())]
    NotSettings {
        /// The file.
        path: PathBuf,
        /// The fault in the file.
        reason: String,
    },
}

/// The hooks of ours that a client's settings hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Installed {
    /// The program that they call.
    pub program: PathBuf,
    /// The events that don't call it.
    pub missing: Vec<&'static str>,
}

/// How long a client waits for a hook, in seconds; a hook gives up long before. Codex warns of
/// more at each start.
const TIMEOUT_SECONDS: u32 = 3;

impl Settings {
    /// A client's settings below `folder`: a person's home, or a project.
    #[must_use]
    pub fn below(client: Client, folder: &Path) -> Settings {
        let path = match client {
            Client::ClaudeCode => folder.join(".claude").join("settings.json"),
            Client::Codex => folder.join(".codex").join("hooks.json"),
        };
        Settings { client, path }
    }

    fn events(&self) -> &'static [&'static str] {
        match self.client {
            Client::ClaudeCode => &[
                "SessionStart",
                "UserPromptSubmit",
                "Stop",
                "SubagentStop",
                "PreCompact",
                "SessionEnd",
            ],
            Client::Codex => &["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"],
        }
    }

    fn file(&self) -> SettingsFile<'_> {
        SettingsFile(&self.path)
    }

    /// The text with our entries for `program`, and without older ones of ours.
    fn with_entries(&self, text: &str, program: &Path) -> Result<String, InstallError> {
        let root = self.file().parse(text)?;
        let object = root.object_value_or_create().ok_or_else(|| self.file().refuse(NO_OBJECT))?;
        self.remove_entries(&object)?;
        let hooks =
            object.object_value_or_create("hooks").ok_or_else(|| self.file().refuse(NO_HOOKS))?;
        for event in self.events() {
            let groups = hooks.array_value_or_create(event);
            let groups =
                groups.ok_or_else(|| self.file().refuse(format!("`hooks.{event}` is no list")))?;
            groups.append(entry(&command(self.client, program)));
        }
        Ok(rendered(text, &root))
    }

    /// The events that don't call `program`.
    fn missing(&self, hooks: &CstObject, program: &Path) -> Vec<&'static str> {
        let wanted = command(self.client, program);
        let calls = |event: &str| {
            let groups = hooks.array_value(event).map(|groups| groups.elements());
            let mut commands =
                groups.unwrap_or_default().into_iter().flat_map(|group| commands_of(&group));
            commands.any(|(_, text)| text == wanted)
        };
        self.events().iter().copied().filter(|event| !calls(event)).collect()
    }

    /// The file that switches all hooks of the client off: the settings, or those of this machine
    /// beside them.
    #[must_use]
    pub fn off_by(&self) -> Option<PathBuf> {
        if self.client != Client::ClaudeCode {
            return None;
        }
        let files = [self.path.clone(), self.path.with_file_name("settings.local.json")];
        files.into_iter().find(|path| {
            let file = SettingsFile(path);
            let text = file.read().ok().flatten().unwrap_or_default();
            let object = file.parse(&text).ok().and_then(|root| root.object_value());
            let value = object.and_then(|object| object.get("disableAllHooks")?.value());
            value.and_then(|value| Some(value.as_boolean_lit()?.value())).unwrap_or_default()
        })
    }

    /// The text before our entries came, where nothing but them makes `now` of it.
    fn pristine(&self, now: Option<&str>) -> Result<Option<String>, InstallError> {
        let backup = Settings { path: self.file().backup(), ..self.clone() };
        let (Some(now), Some(before)) = (now, backup.file().read()?) else { return Ok(None) };
        let Some(Installed { program, .. }) = installed(self)? else { return Ok(None) };
        let made = self.with_entries(&before, &program)?;
        Ok((made == now).then_some(before))
    }

    /// The text without our entries, and without what held nothing else.
    fn without_entries(&self, text: &str) -> Result<String, InstallError> {
        let root = self.file().parse(text)?;
        if let Some(object) = root.object_value() {
            self.remove_entries(&object)?;
        }
        Ok(rendered(text, &root))
    }

    fn remove_entries(&self, object: &CstObject) -> Result<(), InstallError> {
        let Some(hooks) = object.get("hooks") else { return Ok(()) };
        let Some(hooks_value) = hooks.object_value() else {
            return Err(self.file().refuse(NO_HOOKS));
        };
        let mut is_changed = false;
        for event in hooks_value.properties() {
            let Some(groups) = event.array_value() else { continue };
            is_changed |= remove_ours(&groups, self.client);
            if is_changed && groups.elements().is_empty() {
                event.remove();
            }
        }
        if is_changed && hooks_value.properties().is_empty() {
            hooks.remove();
        }
        Ok(())
    }
}

const NO_OBJECT: &str = "it is no JSON object";
const NO_HOOKS: &str = "`hooks` is no object";

/// Enters the hooks of `program` in a client's settings; `false` where they stand there
/// already. What else stands there stays, comments and blanks too; a copy of the file as it
/// was is kept beside it. With `dry_run` nothing is written.
///
/// # Errors
/// [`InstallError`]; the file is as it was.
pub fn install(settings: &Settings, program: &Path, dry_run: bool) -> Result<bool, InstallError> {
    let before = settings.file().read()?;
    let is_there = |hooks: &Installed| hooks.program == program && hooks.missing.is_empty();
    if installed(settings)?.as_ref().is_some_and(is_there) {
        return Ok(false);
    }
    // From what was there before an older installation, where that alone was changed since.
    let pristine = settings.pristine(before.as_deref())?;
    let base = pristine.as_deref().or(before.as_deref()).unwrap_or("{}\n");
    let after = settings.with_entries(base, program)?;
    if dry_run {
        return Ok(true);
    }
    if let Some(before) = &before
        && settings.without_entries(before)? == *before
    {
        let backup = Settings { path: settings.file().backup(), ..settings.clone() };
        backup.file().write(before)?;
    }
    settings.file().write(&after)?;
    Ok(true)
}

/// Takes our hooks out of a client's settings; `false` where there are none.
///
/// Where nothing else was changed since, the file is byte for byte what it was before.
///
/// # Errors
/// [`InstallError`]; the file is as it was.
pub fn uninstall(settings: &Settings) -> Result<bool, InstallError> {
    let Some(now) = settings.file().read()? else { return Ok(false) };
    if installed(settings)?.is_none() {
        return Ok(false);
    }
    let after = settings.without_entries(&now)?;
    match settings.pristine(Some(&now))? {
        Some(before) => settings.file().write(&before)?,
        // We made the file, and nobody entered anything.
        None if is_empty(&after) => {
            fs::remove_file(&settings.path).map_err(|source| settings.file().io(source))?;
        }
        None => settings.file().write(&after)?,
    }
    // Without it the next installation keeps a new one.
    let _ = fs::remove_file(settings.file().backup());
    Ok(true)
}

/// The hooks of ours in a client's settings; `None` where there are none.
///
/// # Errors
/// [`InstallError`].
pub fn installed(settings: &Settings) -> Result<Option<Installed>, InstallError> {
    let Some(text) = settings.file().read()? else { return Ok(None) };
    let root = settings.file().parse(&text)?;
    let Some(hooks) = root.object_value().and_then(|object| object.object_value("hooks")) else {
        return Ok(None);
    };
    let arrays = hooks.properties().into_iter().filter_map(|event| event.array_value());
    let mut commands =
        arrays.flat_map(|groups| groups.elements()).flat_map(|group| commands_of(&group));
    let program = commands.find_map(|(_, text)| program_of(&text, settings.client));
    Ok(program.map(|program| Installed { missing: settings.missing(&hooks, &program), program }))
}

/// The command line of a hook.
fn command(client: Client, program: &Path) -> String {
    let program = program.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+');
    let program = if program.chars().all(is_plain) {
        program
    } else {
        format!("'{}'", program.replace('\'', r"'\''"))
    };
    format!("{program}{}", words(client))
}

/// The words of the command line behind the program.
fn words(client: Client) -> String {
    format!(" agent hook {client}")
}

/// The program of a command line of ours.
fn program_of(command: &str, client: Client) -> Option<PathBuf> {
    let program = command.strip_suffix(&words(client))?;
    let quoted = program.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    Some(PathBuf::from(match quoted {
        Some(quoted) => quoted.replace(r"'\''", "'"),
        None => program.to_owned(),
    }))
}

fn entry(command: &str) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let hook = CstInputValue::Object(vec![
        ("type".to_owned(), text("command")),
        ("command".to_owned(), text(command)),
        ("timeout".to_owned(), CstInputValue::Number(TIMEOUT_SECONDS.to_string())),
    ]);
    CstInputValue::Object(vec![("hooks".to_owned(), CstInputValue::Array(vec![hook]))])
}

/// The hooks of a group, each with its command line.
fn commands_of(group: &CstNode) -> Vec<(CstNode, String)> {
    let hooks = group.as_object().and_then(|group| group.array_value("hooks"));
    let elements = hooks.map(|hooks| hooks.elements()).unwrap_or_default();
    let command = |hook: CstNode| {
        let value = hook.as_object()?.get("command")?.value()?;
        let text = value.as_string_lit()?.decoded_value().ok()?;
        Some((hook, text))
    };
    elements.into_iter().filter_map(command).collect()
}

/// Takes our hooks out of groups, and groups that held nothing else; whether there were any.
fn remove_ours(groups: &CstArray, client: Client) -> bool {
    let mut is_changed = false;
    for group in groups.elements() {
        let all = commands_of(&group);
        let (ours, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(_, text)| program_of(text, client).is_some());
        is_changed |= !ours.is_empty();
        if !ours.is_empty() && others.is_empty() {
            group.remove();
        } else {
            ours.into_iter().for_each(|(hook, _)| hook.remove());
        }
    }
    is_changed
}

fn is_empty(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    text.is_empty() || text == "{}"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(folder: &tempfile::TempDir) -> Settings {
        Settings::below(Client::ClaudeCode, folder.path())
    }

    fn program() -> &'static Path {
        Path::new("/opt/my tools/memlith")
    }

    #[test]
    fn what_was_there_stays_and_comes_back_to_the_byte() {
        for before in [
            "{}",
            "{\n  // mine\n  \"model\": \"opus\", /* why */\n}\n",
            "{\"hooks\":{\"Stop\":[{\"matcher\":\"\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}],},}",
            "{\n\t\"hooks\": {\n\t\t\"Stop\": [ ]\n\t},\n\t\"z\": 1\n}",
            "\n\n{ \"hooks\": {} }\n\n",
            "\u{feff}{\n  \"model\": \"opus\"\n}\n",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let settings = settings(&folder);
            fs::create_dir_all(settings.path.parent().unwrap()).unwrap();
            fs::write(&settings.path, before).unwrap();
            assert!(install(&settings, program(), true).unwrap());
            assert_eq!(fs::read_to_string(&settings.path).unwrap(), before);
            assert!(install(&settings, program(), false).unwrap());
            assert!(!install(&settings, program(), false).unwrap(), "again");
            assert_eq!(installed(&settings).unwrap().unwrap().program, program());
            let with = fs::read_to_string(&settings.path).unwrap();
            assert!(before.matches("mine").count() == with.matches("mine").count(), "{with}");
            assert!(install(&settings, Path::new("/other/memlith"), false).unwrap());
            let moved = fs::read_to_string(&settings.path).unwrap();
            assert_eq!(moved.matches("agent hook claude-code").count(), 6, "{moved}");
            assert!(uninstall(&settings).unwrap());
            assert_eq!(fs::read_to_string(&settings.path).unwrap(), before);
            assert!(!uninstall(&settings).unwrap());
        }
    }

    #[test]
    fn a_file_that_was_not_there_is_gone_again() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(&folder);
        assert!(!uninstall(&settings).unwrap());
        assert!(install(&settings, program(), false).unwrap());
        assert!(uninstall(&settings).unwrap());
        assert!(!settings.path.exists());
    }

    #[test]
    fn what_was_entered_since_stays() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(&folder);
        install(&settings, program(), false).unwrap();
        let with = fs::read_to_string(&settings.path).unwrap();
        let with = with.replacen('{', "{\"model\": \"opus\",", 1);
        fs::write(&settings.path, with).unwrap();
        assert!(uninstall(&settings).unwrap());
        let left = fs::read_to_string(&settings.path).unwrap();
        assert!(left.contains("opus") && !left.contains("memlith"), "{left}");
    }

    #[test]
    fn what_is_no_settings_is_left_alone() {
        for before in ["[]", "{", "{\"hooks\": 3}", "{\"hooks\": {\"Stop\": {}}}", "no"] {
            let folder = tempfile::tempdir().unwrap();
            let settings = settings(&folder);
            fs::create_dir_all(settings.path.parent().unwrap()).unwrap();
            fs::write(&settings.path, before).unwrap();
            let error = install(&settings, program(), false).unwrap_err();
            assert!(matches!(error, InstallError::NotSettings { .. }), "{before}: {error}");
            assert_eq!(fs::read_to_string(&settings.path).unwrap(), before);
        }
    }
}
