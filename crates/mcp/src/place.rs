//! Where a client works: its first workspace root, else the folder of the server.

use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rmcp::{Peer, RoleServer};
use tokio::sync::Mutex;

/// A client that doesn't answer is taken for one without roots.
const PATIENCE: Duration = Duration::from_secs(5);

/// The folder of one client, asked for once and again when it says that its roots changed.
#[derive(Debug)]
pub(crate) struct Place {
    /// Where the server was started.
    start: PathBuf,
    asked: Mutex<Option<PathBuf>>,
}

impl Place {
    pub(crate) fn new(start: PathBuf) -> Place {
        Place { start, asked: Mutex::new(None) }
    }

    /// The folder that calls of this client are about.
    pub(crate) async fn folder(&self, peer: &Peer<RoleServer>) -> PathBuf {
        // Held while the client is asked: calls that come meanwhile wait for the same answer.
        let mut asked = self.asked.lock().await;
        if let Some(folder) = asked.as_ref() {
            return folder.clone();
        }
        let folder = root(peer).await.unwrap_or_else(|| self.start.clone());
        *asked = Some(folder.clone());
        folder
    }

    /// Asks again at the next call.
    pub(crate) async fn forget(&self) {
        *self.asked.lock().await = None;
    }
}

/// The first of the client's roots that is a folder here.
#[expect(deprecated, reason = "newer revisions have no roots; every client in use has them")]
async fn root(peer: &Peer<RoleServer>) -> Option<PathBuf> {
    peer.peer_info()?.capabilities.roots.as_ref()?;
    let listed = tokio::time::timeout(PATIENCE, peer.list_roots()).await.ok()?.ok()?;
    listed.roots.iter().filter_map(|root| path(&root.uri)).find(|path| path.is_dir())
}

/// The path of a `file:` URI of this machine.
fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let decoded = percent_decode_str(rest).decode_utf8().ok()?;
    let path = Path::new(decoded.as_ref());
    (path.is_absolute() && !decoded.contains('\0')).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_this_machine_is_a_place() {
        assert_eq!(path("file:///a%20b/c"), Some(PathBuf::from("/a b/c")));
        assert_eq!(path("file://localhost/a"), Some(PathBuf::from("/a")));
        for uri in ["file://host/a", "https://x/y", "/a", "file:///a%00b", "file:///%ff", "file:a"]
        {
            assert_eq!(path(uri), None, "{uri}");
        }
    }
}
