//! One ledger that several nodes write, over a folder.

use std::sync::Arc;

use memlith::copy::{SharedError, SharedLog};
use memlith_sync::FolderLog;

use crate::conformance::{self, World};

fn world() -> World {
    World::new(|folder| -> Arc<dyn SharedLog> {
        let place = folder.join("place");
        std::fs::create_dir_all(&place).unwrap();
        Arc::new(FolderLog::open(&place).unwrap())
    })
}

#[test]
fn six_nodes_that_race_write_one_chain_and_lose_nothing() {
    conformance::a_race_is_linear(&world());
}

#[test]
fn two_nodes_that_take_turns_meet_once_a_write() {
    assert_eq!(conformance::puts_of_turns(&world(), 20), 39);
}

#[test]
fn answers_that_are_lost_double_and_lose_nothing() {
    conformance::lost_answers_are_looked_up(&world());
}

#[test]
fn a_node_that_dies_between_the_shared_log_and_its_copy_goes_on() {
    conformance::a_death_in_between_is_no_fork(&world());
}

#[test]
fn what_was_changed_or_set_back_is_named() {
    conformance::changes_are_named(&world());
}

#[test]
fn two_ledgers_of_one_id_are_told_apart() {
    conformance::twins_are_named(&world());
}

#[test]
fn what_one_node_erases_is_gone_from_all_and_from_the_shared_log() {
    let world = world();
    conformance::erasures_reach_every_node(&world);
    assert!(!crate::people::holds(world.path(), "zebra"));
}

#[test]
fn an_erasure_that_was_cut_short_is_ended_by_another_node() {
    conformance::another_node_ends_an_erasure(&world());
}

#[test]
fn a_node_writes_what_its_role_allows_whatever_it_believes() {
    conformance::roles_are_kept_by_every_reader(&world());
}

#[test]
fn a_shared_log_that_lost_a_frame_is_told_from_one_that_ends_and_gets_it_back() {
    conformance::a_lost_frame_is_named_and_put_back(&world());
}

#[test]
fn words_that_were_taken_without_a_role_are_missed_and_put_back() {
    conformance::words_that_were_taken_without_a_role_are_missed_and_put_back(&world());
}

#[test]
fn an_open_copy_acknowledges_nothing_at_a_place_that_was_set_back() {
    conformance::an_open_copy_acknowledges_nothing_at_a_place_that_was_set_back(&world());
}

#[test]
fn an_open_copy_puts_nothing_where_a_frame_was_lost() {
    conformance::an_open_copy_puts_nothing_where_a_frame_was_lost(&world());
}

#[test]
fn a_frame_that_continues_another_chain_is_passed_over_by_all() {
    conformance::another_chain_is_passed_over(&world());
}

#[test]
fn a_frame_of_many_batches_is_found_again_whatever_lies_at_a_name_within_it() {
    conformance::a_long_frame_is_found_again_whatever_lies_within(&world());
}

#[test]
fn a_node_does_not_join_in_the_folder_of_another_ledger() {
    conformance::a_folder_of_another_ledger_joins_nothing(&world());
}

#[test]
fn a_pipe_in_the_place_of_a_frame_holds_nobody_up() {
    let world = world();
    let (id, place) = (memlith::LedgerId([7; 16]), world.path().join("place"));
    std::fs::create_dir_all(place.join(id.to_string())).unwrap();
    let pipe = place.join(id.to_string()).join("00000000000000000009");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let log = FolderLog::open(&place).unwrap();
    let read = log.read(id, memlith::Seq(9));
    assert!(matches!(read, Err(SharedError::Unreadable(_))), "{read:?}");
}

#[test]
fn a_shared_ledger_is_not_written_without_its_shared_log() {
    conformance::nothing_is_written_alone(&world());
}
