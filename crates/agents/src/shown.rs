use std::collections::BTreeSet;

use memlith::RecordId;

use crate::state_folder::StateFolder;

/// Memories that a session was given, so that they are not given again.
pub(crate) struct Shown {
    name: String,
    ids: BTreeSet<RecordId>,
}

impl Shown {
    /// The memories that the session of this name was given.
    pub(crate) fn of(state: &StateFolder, session: &str) -> Shown {
        let hash = blake3::hash(session.as_bytes()).to_hex();
        let name = format!("shown/{}", hash.get(..32).unwrap_or_default());
        let text = state.read(&name).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        Shown { ids: text.lines().filter_map(|line| line.parse().ok()).collect(), name }
    }

    pub(crate) fn has(&self, id: RecordId) -> bool {
        self.ids.contains(&id)
    }

    /// The id that was given and begins so; a short citation.
    pub(crate) fn named(&self, short: &str) -> Option<RecordId> {
        let mut found = self.ids.iter().filter(|id| id.to_string().starts_with(short));
        let first = found.next().copied();
        first.filter(|_| found.next().is_none())
    }

    /// Notes what the session is given now.
    pub(crate) fn add(&self, state: &StateFolder, ids: &[RecordId]) {
        let new: Vec<String> =
            ids.iter().filter(|id| !self.has(**id)).map(RecordId::to_string).collect();
        if !new.is_empty() {
            // Where it can't be noted, it is given once more.
            let _ = state.append(&self.name, &new.join("\n"));
        }
    }

    /// The session was compacted or is over: what it was given is out of its sight.
    pub(crate) fn forget(&self, state: &StateFolder) {
        state.remove(&self.name);
    }
}
