use std::path::Path;

/// A module that no file names is never run.
#[test]
fn no_test_file_is_forgotten() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it"));
    check(folder, &folder.join("main.rs"));
}

/// Every Rust file in `folder` is named in the file `names`, and so in the folders below.
fn check(folder: &Path, names: &Path) {
    let text = std::fs::read_to_string(names).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            check(&path, &path.with_extension("rs"));
        }
        let is_code = path.extension().is_some_and(|ending| ending == "rs");
        let module = path.file_stem().unwrap().to_str().unwrap();
        let is_named = path == *names || text.contains(&format!("mod {module};"));
        assert!(!is_code || is_named, "{}", path.display());
    }
}
