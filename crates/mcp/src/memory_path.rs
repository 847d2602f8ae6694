use std::fmt;
use std::str::FromStr;

/// A path in the folder `/memories`, which lies in the ledger: `/memories` itself where empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MemoryPath(Vec<String>);

/// The folder that all paths lie in.
pub(crate) const ROOT: &str = "/memories";

/// The longest path, in bytes.
const PATH_BYTES_MAX: usize = 1_024;

/// Encodings of a step up, or of a separator, where a path is read a second time.
const ENCODED: [&str; 3] = ["%2e", "%2f", "%5c"];

impl MemoryPath {
    /// Whether it is the folder itself.
    pub(crate) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The steps below `folder`, where it lies there; none for `folder` itself.
    pub(crate) fn below(&self, folder: &MemoryPath) -> Option<&[String]> {
        self.0.strip_prefix(folder.0.as_slice())
    }

    /// The path at the same place below `to` as this below `from`.
    pub(crate) fn moved(&self, from: &MemoryPath, to: &MemoryPath) -> Option<MemoryPath> {
        self.below(from).map(|steps| MemoryPath([&to.0, steps].concat()))
    }
}

impl fmt::Display for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ROOT)?;
        self.0.iter().try_for_each(|step| write!(f, "/{step}"))
    }
}

impl FromStr for MemoryPath {
    type Err = String;

    fn from_str(path: &str) -> Result<MemoryPath, String> {
        let shown: String = path.chars().take(200).collect();
        let rest = path.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let rest = rest.ok_or_else(|| format!("Path must start with {ROOT}, got: {shown}"))?;
        if path.len() > PATH_BYTES_MAX {
            return Err(format!("Path is longer than {PATH_BYTES_MAX} bytes: {shown}"));
        }
        let lower = path.to_ascii_lowercase();
        let is_odd = |c: char| c.is_control() || c == '\\';
        let steps = rest.strip_prefix('/').unwrap_or(rest);
        let steps = steps.strip_suffix('/').unwrap_or(steps);
        let steps: Vec<String> = match steps {
            "" => Vec::new(),
            steps => steps.split('/').map(str::to_owned).collect(),
        };
        let escapes = |step: &String| matches!(step.trim(), "" | "." | "..");
        if path.contains(is_odd)
            || ENCODED.iter().any(|encoded| lower.contains(encoded))
            || steps.iter().any(escapes)
        {
            return Err(format!("Path {shown} would escape {ROOT} directory"));
        }
        Ok(MemoryPath(steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_lies_in_the_folder_or_is_none() {
        for (path, shown) in [
            ("/memories", "/memories"),
            ("/memories/", "/memories"),
            ("/memories/a.md", "/memories/a.md"),
            ("/memories/a/b c/d.md", "/memories/a/b c/d.md"),
            ("/memories/a/", "/memories/a"),
            ("/memories/..a", "/memories/..a"),
        ] {
            assert_eq!(path.parse::<MemoryPath>().unwrap().to_string(), shown);
        }
        for path in [
            "",
            "/",
            "/etc/passwd",
            "memories/a",
            "/memoriesx/a",
            "/memories/../etc/passwd",
            "/memories/a/../../b",
            "/memories/..",
            "/memories/./a",
            "/memories//etc/passwd",
            "/memories/ .. /a",
            "/memories/a\\..\\b",
            "/memories/%2e%2e/a",
            "/memories/%2E%2E%2Fa",
            "/memories/a\0b",
            "/memories/a\nb",
            "/memories/../memories/../../x",
        ] {
            assert!(path.parse::<MemoryPath>().is_err(), "{path:?}");
        }
        assert!(format!("/memories/{}", "x".repeat(1_100)).parse::<MemoryPath>().is_err());
    }

    #[test]
    fn what_lies_below_moves_along() {
        let path = |path: &str| path.parse::<MemoryPath>().unwrap();
        let moved = path("/memories/a/b.md").moved(&path("/memories/a"), &path("/memories/c/d"));
        assert_eq!(moved, Some(path("/memories/c/d/b.md")));
        assert_eq!(path("/memories/ab").below(&path("/memories/a")), None);
    }
}
