use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A place that can carry ledgers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A folder that something else carries: a share, a stick, a folder that is kept in step.
    Folder(PathBuf),
    /// A git remote, as git names it.
    Git(String),
    /// A folder on a machine that ssh reaches.
    Ssh {
        /// The machine as ssh names it: `host`, or `user@host`.
        host: String,
        /// Its port, where it is not the one that ssh takes.
        port: Option<u16>,
        /// The folder.
        folder: String,
    },
    /// A folder of a store that rclone reaches, as rclone names it: `REMOTE:PATH`.
    Rclone(String),
    /// A store that can hold a shared log: `s3://bucket/prefix`, `s2://basin`, `postgres://…`.
    Store(String),
}

/// Schemes of stores.
const STORES: [&str; 3] = ["s3", "s2", "postgres"];

/// The text names no place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` names no place: give a folder from its root (/mnt/share/memory); for one's machines also \
     git:URL, rclone:REMOTE:PATH or ssh://[USER@]HOST[:PORT]/FOLDER, for a shared ledger also \
     s3://BUCKET/PREFIX, s2://BASIN or postgres://USER@HOST/DATABASE"
)]
pub struct BadAddress(String);

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Address, BadAddress> {
        let bad = || BadAddress(text.to_owned());
        if let Some(url) = text.strip_prefix("git:") {
            let is_option = url.is_empty() || url.starts_with('-');
            return if is_option { Err(bad()) } else { Ok(Address::Git(url.to_owned())) };
        }
        if let Some(remote) = text.strip_prefix("rclone:") {
            let is_remote = remote.get(1..).is_some_and(|rest| rest.contains(':'));
            return if is_remote && !remote.starts_with('-') {
                Ok(Address::Rclone(remote.trim_end_matches('/').to_owned()))
            } else {
                Err(bad())
            };
        }
        if let Some((scheme, rest)) = text.split_once("://")
            && STORES.contains(&scheme)
        {
            return if rest.is_empty() { Err(bad()) } else { Ok(Address::Store(text.to_owned())) };
        }
        if let Some(rest) = text.strip_prefix("ssh://") {
            let (machine, folder) = rest.split_once('/').ok_or_else(bad)?;
            let (host, port) = match machine.rsplit_once(':') {
                Some((host, port)) => (host, Some(port.parse().map_err(|_| bad())?)),
                None => (machine, None),
            };
            let is_host = |c: char| c.is_ascii_alphanumeric() || "@.-_[]".contains(c);
            if host.is_empty() || host.starts_with('-') || !host.chars().all(is_host) {
                return Err(bad());
            }
            if folder.trim_matches('/').is_empty() {
                return Err(bad());
            }
            return Ok(Address::Ssh { host: host.to_owned(), port, folder: format!("/{folder}") });
        }
        let path = PathBuf::from(text);
        let is_one = path.is_absolute() && path.parent().is_some();
        if is_one { Ok(Address::Folder(path)) } else { Err(bad()) }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Folder(path) => write!(f, "{}", path.display()),
            Address::Git(url) => write!(f, "git:{url}"),
            Address::Rclone(remote) => write!(f, "rclone:{remote}"),
            Address::Store(text) => f.write_str(text),
            Address::Ssh { host, port: Some(port), folder } => {
                write!(f, "ssh://{host}:{port}{folder}")
            }
            Address::Ssh { host, port: None, folder } => write!(f, "ssh://{host}{folder}"),
        }
    }
}

impl Address {
    /// The address without the secrets that it may hold, for people.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            // A remote that is described in place: `:s3,key=value:bucket`.
            Address::Rclone(remote) if remote.starts_with(':') => {
                let kind = remote.split([',', ':']).find(|part| !part.is_empty());
                let path = remote.rsplit(':').next().unwrap_or_default();
                format!("rclone::{}:{path}", kind.unwrap_or_default())
            }
            Address::Store(text) => match (text.split_once("://"), text.rsplit_once('@')) {
                (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
                _ => text.clone(),
            },
            Address::Folder(_) | Address::Git(_) | Address::Ssh { .. } | Address::Rclone(_) => {
                self.to_string()
            }
        }
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Address, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_an_address_are_not_shown() {
        for (text, shown) in [
            (
                "rclone::s3,access_key_id=a,secret_access_key=b,endpoint=\"http://h:1\":bucket/m",
                "rclone::s3:bucket/m",
            ),
            ("rclone:cloud:bucket/m", "rclone:cloud:bucket/m"),
            ("postgres://ana:secret@db.example.org/team", "postgres://db.example.org/team"),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().shown(), shown);
        }
    }

    #[test]
    fn an_address_is_read_as_it_is_written_and_nothing_is_taken_for_an_option() {
        let all = [
            "/mnt/share/memory",
            "git:git@example.org:ana/memory.git",
            "git:/srv/memory.git",
            "ssh://ana@box.example.org:2222/home/ana/memory",
            "ssh://box/m",
            "rclone:cloud:bucket/memory",
            "s3://bucket/team",
        ];
        for text in all {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "share",
            "git:",
            "git:--upload-pack=x",
            "ssh://-oProxyCommand=x/y",
            "ssh://h",
            "ssh://h/",
            "/",
            "ssh://h:x/y",
            "ssh://a b/c",
            "rclone:cloud",
            "rclone:-x:y",
            "s3://",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
