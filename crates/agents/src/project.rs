//! Which project a folder is of.
//!
//! A repository is called by its origin, else by its topmost folder. The name that it had when
//! something was first remembered of it is kept in the folder of git that all worktrees share
//! (`.git/memlith-project`), so that a new remote, a rename or a move lose nothing.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::state_folder::StateFolder;

/// A project: what a coding agent's memories are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its topmost folder.
    pub root: PathBuf,
    /// Its name, the same in every clone and worktree: the one that its repository is known by,
    /// else where that came from, else its topmost folder; with what `.memlith/project` says.
    pub name: String,
    /// The ledger of its own, where it has one.
    pub ledger: Option<PathBuf>,
}

/// The longest name, in bytes.
const NAME_MAX: usize = 512;

/// The largest settings of a repository that are read, in bytes.
const CONFIG_MAX: u64 = 1 << 20;

impl Project {
    /// The project that `directory` is in.
    ///
    /// Cost: a few looks at each folder above it. Nothing is run, and nothing but the named
    /// files is read.
    #[must_use]
    pub fn of(directory: &Path) -> Project {
        let directory = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        let (root, name) = root_of(&directory);
        let own = directory.ancestors().take_while(|folder| folder.starts_with(&root));
        let ledger = own.map(|folder| folder.join(".memlith")).find(|folder| is_ledger(folder));
        Project { root, name, ledger }
    }
}

impl Project {
    /// Keeps the project's name where its repository finds it again: once, and anew where the
    /// repository was moved or has another origin. One that can't be written is found by what it is
    /// called now.
    pub fn keep_name(&self) {
        let git = self.root.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists());
        let Some((git, common)) = git.and_then(|git| Some((git.clone(), common_folder(&git)?)))
        else {
            return;
        };
        let now = Kept::of_now(&git);
        let name = kept_name(&git).unwrap_or_else(|| now.name());
        let kept = Kept { name, ..now };
        // What `.git` names may be no folder of git: nothing is written into others.
        if common.join("config").is_file() && Kept::read(&common).as_ref() != Some(&kept) {
            let text = format!("{}\n{}\n{}\n", kept.name, kept.origin, kept.folder);
            // Beside and renamed, so that no link is followed.
            if let Err(error) = StateFolder::new(common).write(NAME_FILE, text.as_bytes()) {
                tracing::debug!("keep the name of a project: {error}");
            }
        }
    }
}

/// The name that a repository is known by, and where it was when that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    /// The name of its project.
    name: String,
    /// Its origin when that was written; empty where it had none.
    origin: String,
    /// Its topmost folder then.
    folder: String,
}

/// The file of [`Kept`] in the folder of git, a line each.
const NAME_FILE: &str = "memlith-project";

impl Kept {
    fn read(common: &Path) -> Option<Kept> {
        let text = read(&common.join(NAME_FILE))?;
        let mut lines = text.lines().map(limited);
        let name = lines.next().filter(|name| !name.is_empty())?;
        Some(Kept { name, origin: lines.next()?, folder: lines.next()? })
    }

    /// The repository as it is; without a name.
    fn of_now(git: &Path) -> Kept {
        let folder = path_name(&top_of(git, git.parent().unwrap_or(git)));
        Kept { name: String::new(), origin: origin(git).unwrap_or_default(), folder }
    }

    /// The name that it is given where none is kept.
    fn name(&self) -> String {
        if self.origin.is_empty() { self.folder.clone() } else { self.origin.clone() }
    }

    /// Whether the repository is a copy of one that is still where it was.
    fn is_copy(&self, now: &Kept) -> bool {
        let before = Path::new(&self.folder).join(".git");
        let there = common_folder(&before).and_then(|common| Kept::read(&common));
        self.folder != now.folder && there.is_some_and(|there| there.name == self.name)
    }
}

/// The name that a repository is known by, unless it is another one by now: a copy that has
/// another origin, or none.
fn kept_name(git: &Path) -> Option<String> {
    let kept = Kept::read(&common_folder(git)?)?;
    let now = Kept::of_now(git);
    let is_same_origin = !kept.origin.is_empty() && kept.origin == now.origin;
    (is_same_origin || !kept.is_copy(&now)).then_some(kept.name)
}

/// The topmost folder of a project, and its name.
fn root_of(directory: &Path) -> (PathBuf, String) {
    let git = directory.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists());
    let repository = git.map(|git| {
        let name = kept_name(&git).unwrap_or_else(|| Kept::of_now(&git).name());
        (git.parent().unwrap_or(&git).to_owned(), name)
    });
    let within =
        |folder: &&Path| repository.as_ref().is_none_or(|(top, _)| folder.starts_with(top));
    for folder in directory.ancestors().take_while(within) {
        if let Some(part) = named(folder) {
            // What a file in it says of its name counts within its repository alone.
            let name = repository
                .map_or_else(|| part.clone(), |(_, name)| limited(&format!("{name}: {part}")));
            return (folder.to_owned(), name);
        }
    }
    if let Some(repository) = repository {
        return repository;
    }
    // Without a repository a ledger reaches as far down as its folder.
    let has_ledger = |folder: &&Path| is_ledger(&folder.join(".memlith"));
    let root = directory.ancestors().find(has_ledger).unwrap_or(directory);
    (root.to_owned(), path_name(root))
}

/// Whether a `.memlith` is no ledger: it says what the project is called, and nothing else.
#[must_use]
pub fn holds_a_name_alone(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.iter().any(|name| name == "project")
        && names.iter().all(|name| name == "project" || name == ".gitignore")
}

/// Whether a folder is there that may hold a ledger.
fn is_ledger(folder: &Path) -> bool {
    folder.is_dir() && !holds_a_name_alone(folder)
}

/// The name that `.memlith/project` gives.
fn named(folder: &Path) -> Option<String> {
    let text = read(&folder.join(".memlith").join("project"))?;
    let name = text.lines().next()?.trim();
    (!name.is_empty()).then(|| limited(name))
}

/// Where the repository came from, without who fetched it and how.
fn origin(git: &Path) -> Option<String> {
    let config = read(&common_folder(git)?.join("config"))?;
    let mut is_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            is_origin = line.replace(' ', "").eq_ignore_ascii_case("[remote\"origin\"]");
        } else if let Some((name, value)) = line.split_once('=')
            && is_origin
            && name.trim().eq_ignore_ascii_case("url")
        {
            return address(value.trim().trim_matches('"'), git);
        }
    }
    None
}

/// The folder that all worktrees of a repository share.
fn common_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    // A worktree or a submodule: a file that says where its folder lies.
    let text = read(git)?;
    let named = text.lines().find_map(|line| line.strip_prefix("gitdir:"))?.trim();
    let folder = git.parent()?.join(named);
    match read(&folder.join("commondir")) {
        Some(common) => Some(folder.join(common.trim())),
        None => Some(folder),
    }
}

/// The folder that names a repository without an origin: that of its first worktree.
fn top_of(git: &Path, folder: &Path) -> PathBuf {
    let common = common_folder(git).and_then(|common| fs::canonicalize(common).ok());
    let top = common.filter(|common| common.ends_with(".git"));
    top.and_then(|common| common.parent().map(Path::to_owned)).unwrap_or_else(|| folder.to_owned())
}

/// Hosts whose paths are the same in small and capital letters.
const FOLDING_HOSTS: [&str; 4] = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"];

/// An address without scheme, user, password, port, query and `.git`: one name for all ways
/// to reach it. One that is no address of a host is a path, from the folder of `git`.
fn address(url: &str, git: &Path) -> Option<String> {
    let url = url.split(['?', '#']).next()?;
    let (rest, is_local) = match url.split_once("://") {
        Some(("file", rest)) => (rest, true),
        Some((_, rest)) => (rest, false),
        // As git has it: `host:path`, with no slash before the colon.
        None => (url, !url.split('/').next()?.contains(':')),
    };
    if is_local {
        let path = top_of(git, git.parent()?).join(rest);
        let path = plain(&fs::canonicalize(&path).unwrap_or(path)).display().to_string();
        return Some(limited(path.trim_end_matches('/').trim_end_matches(".git")));
    }
    // `user@host:path` is the short form of `ssh://user@host/path`.
    let host_ends = rest.find(['/', ':']).unwrap_or(rest.len());
    let authority = rest.find('/').unwrap_or(rest.len());
    let (host, path) = match rest.get(..authority)?.rfind('@') {
        Some(at) => {
            let rest = rest.get(at + 1..)?;
            rest.split_at(rest.find(['/', ':']).unwrap_or(rest.len()))
        }
        None => rest.split_at(host_ends),
    };
    let path = path.trim_start_matches(':');
    let path = match path.split_once('/') {
        Some((port, path)) if port.bytes().all(|byte| byte.is_ascii_digit()) => path,
        Some(_) | None => path.trim_start_matches('/'),
    };
    let path = path.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/');
    let host = host.to_ascii_lowercase();
    let known = |prefix| host.strip_prefix(prefix).filter(|host| FOLDING_HOSTS.contains(host));
    // "ssh.github.com:443" and "www.github.com" are other ways in.
    let host = ["www.", "ssh.", "altssh."].into_iter().find_map(known).unwrap_or(&host);
    let path = match FOLDING_HOSTS.contains(&host) {
        true => path.to_ascii_lowercase(),
        false => path.to_owned(),
    };
    (!host.is_empty() && !path.is_empty()).then(|| limited(&format!("{host}/{path}")))
}

/// The path without `.` and `..`.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

fn path_name(folder: &Path) -> String {
    limited(&folder.display().to_string())
}

fn limited(name: &str) -> String {
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    name.get(..name.floor_char_boundary(NAME_MAX)).unwrap_or_default().to_owned()
}

fn read(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > CONFIG_MAX {
        return None;
    }
    fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: PathBuf, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn config(url: &str) -> String {
        format!("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = {url}\n[branch \"m\"]\n")
    }

    #[test]
    fn every_way_to_reach_a_repository_has_one_name() {
        // Put together here: as one word it is what a search for secrets finds.
        let with_user = |user: &str| format!("https://{user}@GitHub.com/ana/shop");
        for url in [
            "https://github.com/ana/shop.git",
            &with_user("ana:token"),
            &with_user("ana%40x:to%2Fken"),
            "git@github.com:ana/shop.git",
            "ssh://git@github.com:22/ana/shop.git/",
            "git://github.com/ana/shop?x=1",
            "https://www.GitHub.com/Ana/Shop",
            "ssh://git@ssh.github.com:443/ana/shop.git",
        ] {
            let name = address(url, Path::new("/src/a/.git"));
            assert_eq!(name.as_deref(), Some("github.com/ana/shop"), "{url}");
        }
        for (url, expected) in [
            ("/srv/shop.git", "/srv/shop"),
            ("file:///srv/shop.git", "/srv/shop"),
            ("../shop.git", "/src/shop"),
            ("far/shop.git", "/src/a/far/shop"),
            ("https://h.org/X/y", "h.org/X/y"),
        ] {
            let name = address(url, Path::new("/src/a/.git"));
            assert_eq!(name.as_deref(), Some(expected), "{url}");
        }
        assert_eq!(address("https://", Path::new("/src/a/.git")), None);
    }

    #[test]
    fn clones_and_worktrees_are_one_project_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write(at("a/.git/config"), &config("git@h.org:x/y.git"));
        write(at("b/.git/config"), &config("https://h.org/x/y"));
        write(at("a/src/deep/file"), "");
        write(at("c/.git/config"), "[core]\n");
        write(at("w/.git"), &format!("gitdir: {}\n", at("a/.git/worktrees/w").display()));
        write(at("a/.git/worktrees/w/commondir"), "../..\n");
        write(at("v/.git"), &format!("gitdir: {}\n", at("c/.git/worktrees/v").display()));
        write(at("c/.git/worktrees/v/commondir"), "../..\n");
        let name = |path: &str| Project::of(&at(path)).name;
        assert_eq!(name("a/src/deep"), "h.org/x/y");
        assert_eq!(name("b"), "h.org/x/y");
        assert_eq!(name("w"), "h.org/x/y");
        assert_eq!(name("v"), name("c"));
        assert_ne!(name("c"), name("a"));
    }

    #[test]
    fn without_a_repository_a_ledger_makes_a_project_of_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write(at("notes/.memlith/mark"), "");
        write(at("notes/deep/er/file"), "");
        write(at("notes/code/.git/config"), &config("git@h.org:x/y.git"));
        let project = Project::of(&at("notes/deep/er"));
        assert_eq!(project, Project::of(&at("notes")));
        assert!(project.ledger.unwrap().ends_with("notes/.memlith"));
        assert_eq!(Project::of(&at("notes/code")).ledger, None, "another project's");
    }

    #[test]
    fn a_part_of_a_repository_can_be_a_project_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write(at("mono/.git/config"), &config("git@h.org:x/mono.git"));
        write(at("mono/web/.memlith/project"), "web shop\nmore\n");
        write(at("mono/web/src/file"), "");
        write(at("mono/api/.memlith/mark"), "");
        let project = Project::of(&at("mono/web/src"));
        assert_eq!(project.name, "h.org/x/mono: web shop");
        assert_eq!(project.ledger, None, "a name alone is no ledger");
        let project = Project::of(&at("mono/api"));
        assert_eq!(project.name, "h.org/x/mono");
        let ledger = project.ledger.unwrap();
        assert!(ledger.ends_with("mono/api/.memlith"), "{}", ledger.display());
    }

    #[test]
    fn a_repository_keeps_its_name_and_a_copy_with_another_origin_has_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let of = |path: &str| Project::of(&at(path));
        write(at("a/.git/config"), "[core]\n");
        let first = of("a");
        first.keep_name();
        write(at("a/.git/config"), &config("git@h.org:x/y.git"));
        assert_eq!(of("a").name, first.name, "a remote was added");
        of("a").keep_name();
        write(at("a/.git/config"), &config("git@h.org:x/z.git"));
        assert_eq!(of("a").name, first.name, "another remote");
        write(at("a/.git/config"), &config("git@h.org:x/y.git"));
        fs::rename(at("a"), at("b")).unwrap();
        assert_eq!(of("b").name, first.name, "it was moved");
        of("b").keep_name();
        write(at("c/.git/config"), &config("git@h.org:other/y.git"));
        fs::copy(at("b/.git/memlith-project"), at("c/.git/memlith-project")).unwrap();
        assert_eq!(of("c").name, "h.org/other/y", "a copy that goes on by itself");
        write(at("c/.git/config"), &config("git@h.org:x/y.git"));
        assert_eq!(of("c").name, first.name, "a clone by copying");
    }

    #[cfg(unix)]
    #[test]
    fn a_name_is_written_through_no_link_and_into_no_other_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write(at("mine"), "mine\n");
        write(at("a/.git/config"), "[core]\n");
        std::os::unix::fs::symlink(at("mine"), at("a/.git/memlith-project")).unwrap();
        Project::of(&at("a")).keep_name();
        assert_eq!(fs::read_to_string(at("mine")).unwrap(), "mine\n");
        write(at("other/file"), "");
        write(at("b/.git"), &format!("gitdir: {}\n", at("other").display()));
        Project::of(&at("b")).keep_name();
        assert!(!at("other/memlith-project").exists());
    }
}
