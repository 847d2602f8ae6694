use std::path::Path;

use anyhow::Context;
use serde_json::Value;

use crate::cargo::{cargo, output};

/// A package of the workspace, named as in the crate table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Package {
    /// The name without the prefix `memlith-`.
    pub(crate) name: String,
    /// Its folder, relative to the root.
    pub(crate) folder: String,
    /// Its description.
    pub(crate) description: String,
    /// The packages of this workspace it is built from; what only its tests use is not named.
    pub(crate) depends_on: Vec<String>,
}

/// The packages of the workspace at `root`, by name.
///
/// # Errors
/// Cargo refuses the workspace, or its answer has another shape than metadata version 1.
pub(super) fn packages(root: &Path) -> anyhow::Result<Vec<Package>> {
    let text =
        output(&mut cargo(&["metadata", "--no-deps", "--format-version", "1", "--offline"]))?;
    read(&text, root).context("`cargo metadata` has an unknown shape")
}

fn read(text: &str, root: &Path) -> Option<Vec<Package>> {
    let metadata: Value = serde_json::from_str(text).ok()?;
    let all = metadata.get("packages")?.as_array()?;
    let mut packages = all.iter().map(|one| package(one, root)).collect::<Option<Vec<_>>>()?;
    packages.sort();
    Some(packages)
}

fn package(one: &Value, root: &Path) -> Option<Package> {
    let manifest = Path::new(one.get("manifest_path")?.as_str()?);
    let folder = manifest.parent()?.strip_prefix(root).ok()?;
    let mut depends_on: Vec<String> = one
        .get("dependencies")?
        .as_array()?
        .iter()
        .filter(|dependency| dependency.get("path").is_some_and(Value::is_string))
        .filter(|dependency| dependency.get("kind").and_then(Value::as_str) != Some("dev"))
        .filter_map(|dependency| dependency.get("name")?.as_str())
        .map(short)
        .collect();
    depends_on.sort();
    depends_on.dedup();
    Some(Package {
        name: short(one.get("name")?.as_str()?),
        folder: folder.to_str()?.to_owned(),
        description: one.get("description").and_then(Value::as_str).unwrap_or("").to_owned(),
        depends_on,
    })
}

fn short(name: &str) -> String {
    name.strip_prefix("memlith-").unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_becomes_packages() {
        let text = r#"{"packages": [{
            "name": "memlith-event", "manifest_path": "/m/crates/event/Cargo.toml",
            "description": "Words.", "dependencies": [
                {"name": "memlith-log", "path": "/m/crates/log", "kind": null},
                {"name": "memlith-gen", "path": "/m/crates/gen", "kind": "build"},
                {"name": "memlith-testkit", "path": "/m/tests/testkit", "kind": "dev"},
                {"name": "serde", "kind": null}]}]}"#;
        let packages = read(text, Path::new("/m")).unwrap();
        let expected = Package {
            name: "event".to_owned(),
            folder: "crates/event".to_owned(),
            description: "Words.".to_owned(),
            depends_on: vec!["gen".to_owned(), "log".to_owned()],
        };
        assert_eq!(packages, [expected]);
    }

    #[test]
    fn this_workspace_is_read() {
        let packages = packages(&crate::cargo::root()).unwrap();
        assert!(packages.iter().any(|package| package.folder == "crates/log"));
    }
}
