//! Tests of arguments that make no sense, or can't be read.

use crate::harness::Desk;

#[test]
fn what_makes_no_sense_is_usage() {
    let desk = Desk::empty();
    for (args, words) in [
        (&["cold-checkout", "--events", "10", "--tail", "10"][..], "--tail"),
        (&["cold-checkout", "--events", "10", "--runs", "0"], "--runs"),
        (&["cold-checkout", "--size", "10mb"], "a size looks like"),
        (&["faster"], "unrecognized subcommand"),
    ] {
        desk.refused(2, args, &[words]);
    }
}

#[test]
fn the_file_that_is_no_data_set_is_named() {
    let desk = Desk::empty();
    std::fs::write(desk.path().join("notes.txt"), "tea").unwrap();
    desk.refused(4, &["recall", "--dataset", "notes.txt"], &["notes.txt"]);
    desk.refused(4, &["reconcile", "--pairs", "notes.txt"], &["notes.txt", "line 1"]);
    let absent = ["cold-checkout", "--events", "10", "--tail", "2", "--program", "nowhere"];
    desk.refused(4, &absent, &["nowhere", "--program"]);
}
