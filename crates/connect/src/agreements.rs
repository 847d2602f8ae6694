use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use crate::private_file;
use crate::settings::Settings;

/// The servers that a person agreed to send evidence to.
///
/// They lie in the person's own settings, not in the ledger's folder: a ledger that came with
/// somebody else's project brings no agreement along. What was agreed to is an address, the
/// variable whose key it gets, and the file that is sent as instructions.
#[derive(Clone, Debug)]
pub struct Agreements {
    folder: PathBuf,
}

/// The file's name; a line of hexadecimal for each agreement.
const FILE: &str = "writeback-agreed";

/// Maximum length of the file in bytes.
const FILE_BYTES_MAX: u64 = 64 << 10;

const CONTEXT: &str = "memlith-connect 2026-11-26 agreement to a server";

impl Agreements {
    /// The agreements in the folder of a person's settings.
    #[must_use]
    pub fn new(folder: PathBuf) -> Agreements {
        Agreements { folder }
    }

    /// Whether a person agreed to these settings.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn has(&self, settings: &Settings) -> io::Result<bool> {
        let agreed = name(settings);
        Ok(self.read()?.lines().any(|line| line == agreed))
    }

    /// Remembers that a person agreed.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn keep(&self, settings: &Settings) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let mut text = self.read()?;
        text.push_str(&name(settings));
        text.push('\n');
        private_file::replace(&self.folder.join(FILE), text.as_bytes())
    }

    fn read(&self) -> io::Result<String> {
        let bytes = private_file::read(&self.folder.join(FILE), FILE_BYTES_MAX)?;
        Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
    }
}

fn name(settings: &Settings) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    let prompt = settings.prompt().map(|path| path.display().to_string()).unwrap_or_default();
    for part in [settings.endpoint(), settings.key_env().unwrap_or_default(), &prompt] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_server_key_or_text_is_another_agreement() {
        let ledger = tempfile::tempdir().unwrap();
        fs::write(ledger.path().join("ask.txt"), "x").unwrap();
        let settings = |text: &str| {
            let least = format!("model = \"small\"\n{text}");
            fs::write(ledger.path().join(Settings::FILE), least).unwrap();
            Settings::load(ledger.path()).unwrap()
        };
        let agreed = settings("endpoint = \"https://a.test\"\nkey_env = \"A\"");
        let agreements = Agreements::new(ledger.path().join("settings"));
        assert!(!agreements.has(&agreed).unwrap());
        agreements.keep(&agreed).unwrap();
        let other_model = "endpoint = \"https://a.test\"\nkey_env = \"A\"\nfallback = \"large\"";
        assert!(agreements.has(&settings(other_model)).unwrap());
        for other in [
            "endpoint = \"https://b.test\"\nkey_env = \"A\"",
            "endpoint = \"https://a.test\"\nkey_env = \"B\"",
            "endpoint = \"https://a.test\"",
            "endpoint = \"https://a.test\"\nkey_env = \"A\"\nprompt = \"ask.txt\"",
        ] {
            assert!(!agreements.has(&settings(other)).unwrap(), "{other}");
        }
        let text = fs::read_to_string(ledger.path().join("settings").join(FILE)).unwrap();
        assert!(!text.contains("a.test"));
    }
}
