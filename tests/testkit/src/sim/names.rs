use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::chance::Chance;

/// The names of all files, in folders, and which of them a power cut leaves.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    cache: Tree,
    durable: Tree,
    /// In the order they were made; each waits for a sync of its folder.
    pending: Vec<NameChange>,
}

#[derive(Clone, Debug, Default)]
struct Tree {
    files: BTreeMap<Arc<str>, u64>,
    /// All but the ledger's own, which always exists.
    folders: BTreeSet<Arc<str>>,
}

#[derive(Clone, Debug)]
enum NameChange {
    Link { name: Arc<str>, node: u64 },
    Rename { from: Arc<str>, to: Arc<str>, node: u64 },
    Unlink { name: Arc<str> },
    Folder { name: Arc<str> },
}

/// Which of the pending changes of names a power cut leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kept {
    None,
    All,
    /// The first so many, as a journal would.
    First(usize),
    /// Any of them.
    Some,
}

/// The folder that `name` stands in; `""` is the ledger's own.
pub(super) fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl Names {
    pub(super) fn node(&self, name: &str) -> Option<u64> {
        self.cache.files.get(name).copied()
    }

    pub(super) fn has_folder(&self, folder: &str) -> bool {
        folder.is_empty() || self.cache.folders.contains(folder)
    }

    /// The files directly in `folder`, sorted.
    pub(super) fn list(&self, folder: &str) -> Vec<String> {
        let inside = self.cache.files.keys().filter(|name| folder_of(name) == folder);
        inside.map(|name| name.rsplit('/').next().unwrap_or_default().to_owned()).collect()
    }

    /// Every file's name and node as processes see them.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Arc<str>, u64)> {
        self.cache.files.iter().map(|(name, node)| (name, *node))
    }

    /// Every file's name and node as far as they are durable.
    pub(super) fn durable_files(&self) -> impl Iterator<Item = (&Arc<str>, u64)> {
        self.durable.files.iter().map(|(name, node)| (name, *node))
    }

    pub(super) fn link(&mut self, name: &Arc<str>, node: u64) {
        self.change(NameChange::Link { name: name.clone(), node });
    }

    pub(super) fn rename(&mut self, from: &Arc<str>, to: &Arc<str>) {
        if let Some(node) = self.node(from) {
            self.change(NameChange::Rename { from: from.clone(), to: to.clone(), node });
        }
    }

    pub(super) fn unlink(&mut self, name: &Arc<str>) {
        self.change(NameChange::Unlink { name: name.clone() });
    }

    pub(super) fn add_folder(&mut self, name: &Arc<str>) {
        self.change(NameChange::Folder { name: name.clone() });
    }

    fn change(&mut self, change: NameChange) {
        self.cache.apply(&change);
        self.pending.push(change);
    }

    /// Makes what was changed in `folder` durable, and nothing else.
    pub(super) fn sync(&mut self, folder: &str) {
        let durable = &mut self.durable;
        self.pending.retain(|change| {
            let inside = change.touches(folder);
            if inside {
                durable.apply(change);
            }
            !inside
        });
    }

    pub(super) fn pending_count(&self) -> usize {
        self.pending.len()
    }

    /// The names that a power cut leaves.
    pub(super) fn cut(&self, kept: Kept, chance: &mut Chance) -> Names {
        let mut tree = self.durable.clone();
        for (at, change) in self.pending.iter().enumerate() {
            let keep = match kept {
                Kept::None => false,
                Kept::All => true,
                Kept::First(count) => at < count,
                Kept::Some => chance.once_in(2),
            };
            if keep {
                tree.apply(change);
            }
        }
        let Tree { files, folders } = &mut tree;
        files.retain(|name, _| {
            let folder = folder_of(name);
            folder.is_empty() || folders.contains(folder)
        });
        Names { cache: tree.clone(), durable: tree, pending: Vec::new() }
    }
}

impl NameChange {
    fn touches(&self, folder: &str) -> bool {
        match self {
            NameChange::Link { name, .. }
            | NameChange::Unlink { name }
            | NameChange::Folder { name } => folder_of(name) == folder,
            NameChange::Rename { from, to, .. } => {
                folder_of(from) == folder || folder_of(to) == folder
            }
        }
    }
}

impl Tree {
    fn apply(&mut self, change: &NameChange) {
        match change {
            NameChange::Link { name, node } => {
                self.files.insert(name.clone(), *node);
            }
            NameChange::Rename { from, to, node } => {
                // Without the creation that came before it, a rename alone still names the file.
                if self.files.get(from) == Some(node) {
                    self.files.remove(from);
                }
                self.files.insert(to.clone(), *node);
            }
            NameChange::Unlink { name } => {
                self.files.remove(name);
            }
            NameChange::Folder { name } => {
                self.folders.insert(name.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(names: &Names) -> Vec<(String, u64)> {
        names.files().map(|(name, node)| (name.to_string(), node)).collect()
    }

    #[test]
    fn a_name_is_durable_after_the_sync_of_its_own_folder() {
        let mut names = Names::default();
        names.link(&"a".into(), 1);
        names.add_folder(&"q".into());
        names.link(&"q/b".into(), 2);
        names.sync("q");
        let cut = |names: &Names| listed(&names.cut(Kept::None, &mut Chance::new(0)));
        assert_eq!(cut(&names), [], "a file in a folder without a name is gone");
        names.sync("");
        assert_eq!(cut(&names), [("a".to_owned(), 1), ("q/b".to_owned(), 2)]);
        names.rename(&"a".into(), &"c".into());
        names.unlink(&"q/b".into());
        assert_eq!(cut(&names), [("a".to_owned(), 1), ("q/b".to_owned(), 2)]);
        names.sync("");
        assert_eq!(cut(&names), [("c".to_owned(), 1), ("q/b".to_owned(), 2)]);
    }
}
