//! Sessions that once failed, each as short as it got; `memlith-torture random` found them.

use std::fs;
use std::path::Path;

use memlith_torture::random::{Session, play};

#[test]
fn no_session_that_once_failed_fails_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let mut played = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let session: Session = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        play(&session).unwrap_or_else(|what| panic!("{}: {what}", path.display()));
        played += 1;
    }
    assert!(played >= 4, "{played} sessions");
}
