//! The entry of the MCP server in a client's own settings.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use jsonc_parser::cst::{CstInputValue, CstObject};

use crate::install::InstallError;
use crate::settings_file::{SettingsFile, rendered};

/// A client that starts MCP servers which its settings name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpClient {
    /// Claude Code, in a project's `.mcp.json`.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Cursor.
    Cursor,
    /// Visual Studio Code, in a project's `.vscode/mcp.json`.
    VsCode,
    /// Zed.
    Zed,
    /// Windsurf.
    Windsurf,
}

/// The name of the entry.
const NAME: &str = "memlith";

impl McpClient {
    /// Every client.
    pub const ALL: [McpClient; 6] = [
        McpClient::ClaudeCode,
        McpClient::ClaudeDesktop,
        McpClient::Cursor,
        McpClient::VsCode,
        McpClient::Zed,
        McpClient::Windsurf,
    ];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            McpClient::ClaudeCode => "claude-code",
            McpClient::ClaudeDesktop => "claude-desktop",
            McpClient::Cursor => "cursor",
            McpClient::VsCode => "vscode",
            McpClient::Zed => "zed",
            McpClient::Windsurf => "windsurf",
        }
    }

    /// Its settings: of a person whose home is `home` and whose settings lie in `config`, or of
    /// the project in `project` where it has them there alone.
    #[must_use]
    pub fn settings(self, home: &Path, config: &Path, project: &Path) -> PathBuf {
        match self {
            McpClient::ClaudeCode => project.join(".mcp.json"),
            McpClient::ClaudeDesktop => config.join("Claude/claude_desktop_config.json"),
            McpClient::Cursor => home.join(".cursor/mcp.json"),
            McpClient::VsCode => project.join(".vscode/mcp.json"),
            McpClient::Zed => config.join("zed/settings.json"),
            McpClient::Windsurf => home.join(".codeium/windsurf/mcp_config.json"),
        }
    }

    /// Whether others read its settings too, so that no folder of this machine belongs there.
    #[must_use]
    pub fn is_shared(self) -> bool {
        matches!(self, McpClient::ClaudeCode | McpClient::VsCode)
    }

    /// The name of the table of servers in its settings.
    fn table(self) -> &'static str {
        match self {
            McpClient::VsCode => "servers",
            McpClient::Zed => "context_servers",
            McpClient::ClaudeCode
            | McpClient::ClaudeDesktop
            | McpClient::Cursor
            | McpClient::Windsurf => "mcpServers",
        }
    }
}

impl fmt::Display for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for McpClient {
    type Err = String;

    fn from_str(name: &str) -> Result<McpClient, String> {
        let known = McpClient::ALL.into_iter().find(|client| client.name() == name);
        known.ok_or_else(|| {
            let names = McpClient::ALL.map(McpClient::name);
            format!("an MCP client is one of {}", names.join(", "))
        })
    }
}

/// Enters the server that `program` is in the settings at `path`; `false` where it stands there.
/// What else stands there stays, comments and blanks too; a copy of the file as it was is kept
/// beside it. With `dry_run` nothing is written.
///
/// # Errors
/// [`InstallError`]; the file is as it was.
pub fn install_mcp(
    client: McpClient,
    path: &Path,
    program: &Path,
    dry_run: bool,
) -> Result<bool, InstallError> {
    let file = SettingsFile(path);
    let before = file.read()?;
    let root = file.parse(before.as_deref().unwrap_or("{}\n"))?;
    let no_object = || file.refuse("it is no JSON object");
    let object = root.object_value_or_create().ok_or_else(no_object)?;
    let no_table = || file.refuse(format!("`{}` is no object", client.table()));
    let table = object.object_value_or_create(client.table()).ok_or_else(no_table)?;
    if program_of(&table).as_deref() == Some(program) {
        return Ok(false);
    }
    if let Some(old) = table.get(NAME) {
        old.remove();
    }
    table.append(NAME, entry(program));
    if dry_run {
        return Ok(true);
    }
    let after = rendered(before.as_deref().unwrap_or_default(), &root);
    let backup = file.backup();
    if let Some(before) = before.filter(|_| !backup.exists()) {
        SettingsFile(&backup).write(&before)?;
    }
    file.write(&after)?;
    Ok(true)
}

/// Takes the entry out of the settings at `path`; `false` where there is none.
///
/// # Errors
/// [`InstallError`]; the file is as it was.
pub fn uninstall_mcp(client: McpClient, path: &Path) -> Result<bool, InstallError> {
    let file = SettingsFile(path);
    let Some(now) = file.read()? else { return Ok(false) };
    let root = file.parse(&now)?;
    let table = root.object_value().and_then(|object| object.get(client.table()));
    let Some((property, table)) =
        table.and_then(|property| Some((property.clone(), property.object_value()?)))
    else {
        return Ok(false);
    };
    let Some(entry) = table.get(NAME) else { return Ok(false) };
    entry.remove();
    if table.properties().is_empty() {
        property.remove();
    }
    file.write(&rendered(&now, &root))?;
    Ok(true)
}

fn entry(program: &Path) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    CstInputValue::Object(vec![
        ("command".to_owned(), text(&program.display().to_string())),
        ("args".to_owned(), CstInputValue::Array(vec![text("mcp"), text("serve")])),
    ])
}

/// The program of our entry, where it is as we write it.
fn program_of(table: &CstObject) -> Option<PathBuf> {
    let command = table.object_value(NAME)?.get("command")?.value()?;
    Some(PathBuf::from(command.as_string_lit()?.decoded_value().ok()?))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_was_there_stays_and_the_entry_comes_and_goes() {
        for client in McpClient::ALL {
            assert_eq!(client.name().parse(), Ok(client));
            for before in ["{}\n", "{\n  // mine\n  \"model\": \"opus\", /* why */\n}\n"] {
                let folder = tempfile::tempdir().unwrap();
                let path = client.settings(folder.path(), folder.path(), folder.path());
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, before).unwrap();
                let program = Path::new("/opt/my tools/memlith");
                assert!(install_mcp(client, &path, program, true).unwrap());
                assert_eq!(fs::read_to_string(&path).unwrap(), before);
                assert!(install_mcp(client, &path, program, false).unwrap());
                assert!(!install_mcp(client, &path, program, false).unwrap(), "again");
                let with = fs::read_to_string(&path).unwrap();
                assert!(with.contains("\"command\": \"/opt/my tools/memlith\""), "{with}");
                assert!(with.contains(client.table()), "{with}");
                assert_eq!(with.contains("// mine"), before.contains("// mine"), "{with}");
                assert!(install_mcp(client, &path, Path::new("memlith"), false).unwrap());
                let moved = fs::read_to_string(&path).unwrap();
                assert_eq!(moved.matches("\"args\"").count(), 1, "{moved}");
                assert!(uninstall_mcp(client, &path).unwrap());
                assert!(!uninstall_mcp(client, &path).unwrap());
                let left = fs::read_to_string(&path).unwrap();
                assert!(!left.contains("memlith") && !left.contains(client.table()), "{left}");
                assert_eq!(left.contains("/* why */"), before.contains("/* why */"), "{left}");
                let kept = SettingsFile(&path).backup();
                assert_eq!(fs::read_to_string(kept).unwrap(), before);
            }
        }
        assert!("emacs".parse::<McpClient>().is_err());
    }

    #[test]
    fn others_servers_stay_and_what_is_no_settings_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        let others = "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}";
        fs::write(&path, others).unwrap();
        assert!(install_mcp(McpClient::Cursor, &path, Path::new("memlith"), false).unwrap());
        assert!(uninstall_mcp(McpClient::Cursor, &path).unwrap());
        assert!(fs::read_to_string(&path).unwrap().contains("\"other\""));
        for before in ["[]", "{", "{\"mcpServers\": 3}", "no"] {
            fs::write(&path, before).unwrap();
            let error = install_mcp(McpClient::Cursor, &path, Path::new("memlith"), false);
            assert!(matches!(error, Err(InstallError::NotSettings { .. })), "{before}: {error:?}");
            assert_eq!(fs::read_to_string(&path).unwrap(), before);
        }
    }
}
