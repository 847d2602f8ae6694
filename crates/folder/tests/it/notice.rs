//! The part of an agent's file of instructions that names the folder.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use memlith_folder::{Error, put_notice, remove_notice};

const FOLDER: &str = "/home/ana/.codex/memories";

#[test]
fn the_users_text_stays_and_so_do_line_ends_and_mode() {
    let desk = tempfile::tempdir().unwrap();
    let file = desk.path().join("AGENTS.md");
    for (text, left) in [
        ("# Rules\n\nUse tabs.\n", "# Rules\n\nUse tabs.\n"),
        ("# Rules\r\nUse tabs.\r\n", "# Rules\r\nUse tabs.\r\n"),
        ("no end of line", "no end of line\n"),
    ] {
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(put_notice(&file, Path::new(FOLDER)).unwrap());
        let put = fs::read_to_string(&file).unwrap();
        assert!(put.starts_with(left) && put.contains(FOLDER));
        assert_eq!(put.matches("\r\n").count() > 0, text.contains('\r'));
        assert_eq!(put.replace("\r\n", "").contains('\n'), !text.contains('\r'));
        assert!(!put_notice(&file, Path::new(FOLDER)).unwrap(), "put twice");
        // What the user writes behind it stays behind it.
        fs::write(&file, format!("{put}mine")).unwrap();
        assert!(put_notice(&file, Path::new("/elsewhere")).unwrap());
        let moved = fs::read_to_string(&file).unwrap();
        assert!(moved.ends_with("mine") && !moved.contains(FOLDER));
        assert!(remove_notice(&file).unwrap() && !remove_notice(&file).unwrap());
        assert_eq!(fs::read_to_string(&file).unwrap(), format!("{left}mine"));
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
    assert_eq!(fs::read_dir(desk.path()).unwrap().count(), 1, "something was left behind");
}

#[test]
fn a_file_that_holds_nothing_else_comes_and_goes() {
    let desk = tempfile::tempdir().unwrap();
    let file = desk.path().join("CLAUDE.md");
    assert!(!remove_notice(&file).unwrap());
    assert!(put_notice(&file, Path::new("a\n<!-- memlith:end -->")).unwrap());
    assert!(!put_notice(&file, Path::new("a\n<!-- memlith:end -->")).unwrap());
    assert!(remove_notice(&file).unwrap() && !file.exists());
}

#[test]
fn broken_markers_and_links_are_refused() {
    let desk = tempfile::tempdir().unwrap();
    let file = desk.path().join("AGENTS.md");
    let (begin, end) = ("<!-- memlith:begin -->\n", "<!-- memlith:end -->\n");
    for broken in [
        begin.to_owned(),
        end.to_owned(),
        format!("{end}{begin}"),
        format!("{begin}{end}{begin}{end}"),
        format!("{begin}{begin}{end}"),
        format!("{begin}x{end}{end}"),
        format!("see {begin}"),
        format!("see {begin}mine\n{end}"),
    ] {
        fs::write(&file, &broken).unwrap();
        let put = put_notice(&file, Path::new(FOLDER));
        assert!(matches!(put, Err(Error::Markers { .. })), "{broken}");
        assert!(matches!(remove_notice(&file), Err(Error::Markers { .. })), "{broken}");
        assert_eq!(fs::read_to_string(&file).unwrap(), broken);
    }
    let link = desk.path().join("CLAUDE.md");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert!(matches!(put_notice(&link, Path::new(FOLDER)), Err(Error::SymbolicLink { .. })));
    fs::write(&file, vec![b'x'; 5 << 20]).unwrap();
    assert!(matches!(put_notice(&file, Path::new(FOLDER)), Err(Error::TooMuch { .. })));
    fs::write(&file, [0xff, b'\n']).unwrap();
    assert!(matches!(put_notice(&file, Path::new(FOLDER)), Err(Error::Io { .. })));
    assert_eq!(fs::read(&file).unwrap(), [0xff, b'\n']);
}
