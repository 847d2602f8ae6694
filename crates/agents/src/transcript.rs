use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::project::Project;

/// A transcript names its folder within so many bytes.
const HEAD_MAX: u64 = 1 << 20;

/// The project that a transcript of a client is of, by the folder that it names first; `None`
/// where it names none.
#[must_use]
pub fn project_of_transcript(path: &Path) -> Option<Project> {
    let head = BufReader::new(File::open(path).ok()?.take(HEAD_MAX));
    let folder = head.lines().map_while(Result::ok).find_map(|line| folder_of(&line))?;
    Some(Project::of(&folder))
}

/// The folder in a line of a transcript.
fn folder_of(line: &str) -> Option<PathBuf> {
    let value: Value = serde_json::from_str(line).ok()?;
    let named = value.get("cwd").or_else(|| value.pointer("/payload/cwd"))?;
    Some(PathBuf::from(named.as_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_that_is_named_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let own = folder.path().display().to_string();
        let cwd = serde_json::json!({"type": "session_meta", "payload": {"cwd": own}});
        std::fs::write(&path, format!("not json\n{{\"cwd\":3}}\n{cwd}\n{{\"cwd\":\"/x\"}}\n"))
            .unwrap();
        assert_eq!(project_of_transcript(&path), Some(Project::of(folder.path())));
        std::fs::write(&path, "{}\n").unwrap();
        assert_eq!(project_of_transcript(&path), None);
        assert_eq!(project_of_transcript(Path::new("/no/such")), None);
    }
}
