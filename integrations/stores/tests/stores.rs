//! The suite that every shared log passes, on the stores that the environment names.
//!
//! `integrations/stores/run.sh` starts them.

use std::path::Path;
use std::sync::Arc;

use memlith::copy::SharedLog;
use memlith_stores::{ObjectLog, PostgresLog, S2Log};
use s2_sdk::types::{S2Config, S2Endpoints};

#[path = "../../../crates/sync/tests/it/conformance.rs"]
#[expect(dead_code, reason = "one test is of folders alone")]
mod conformance;

use conformance::World;

/// The store that a variable names; said loudly where it names none.
fn named(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok();
    if value.is_none() {
        eprintln!("SKIPPED: {variable} names no store; integrations/stores/run.sh starts them");
    }
    value
}

fn all(world: &dyn Fn() -> World) {
    world().shared().probe().unwrap();
    conformance::a_race_is_linear(&world());
    conformance::lost_answers_are_looked_up(&world());
    conformance::a_death_in_between_is_no_fork(&world());
    conformance::changes_are_named(&world());
    conformance::twins_are_named(&world());
    conformance::erasures_reach_every_node(&world());
    conformance::another_node_ends_an_erasure(&world());
    conformance::roles_are_kept_by_every_reader(&world());
    conformance::a_lost_frame_is_named_and_put_back(&world());
    conformance::words_that_were_taken_without_a_role_are_missed_and_put_back(&world());
    conformance::an_open_copy_acknowledges_nothing_at_a_place_that_was_set_back(&world());
    conformance::an_open_copy_puts_nothing_where_a_frame_was_lost(&world());
    conformance::another_chain_is_passed_over(&world());
    conformance::a_long_frame_is_found_again_whatever_lies_within(&world());
}

#[test]
fn an_object_store_passes() {
    let Some(endpoint) = named("MEMLITH_TEST_S3") else { return };
    let open = move |folder: &Path| -> Arc<dyn SharedLog> {
        let store = object_store::aws::AmazonS3Builder::new()
            .with_endpoint(&endpoint)
            .with_allow_http(true)
            .with_region("us-east-1")
            .with_access_key_id("test")
            .with_secret_access_key("test")
            .with_bucket_name("memlith")
            .build()
            .unwrap();
        let prefix = folder.file_name().unwrap().to_string_lossy().into_owned();
        Arc::new(ObjectLog::open(Arc::new(store), &prefix).unwrap())
    };
    all(&|| World::new(open.clone()));
}

#[test]
fn s2_passes() {
    let Some(endpoint) = named("MEMLITH_TEST_S2") else { return };
    let open = move |_: &Path| -> Arc<dyn SharedLog> {
        let endpoints = S2Endpoints::for_endpoint(&endpoint).unwrap();
        let config = S2Config::new("test").with_endpoints(endpoints);
        Arc::new(S2Log::open(config, "memlith-test").unwrap())
    };
    all(&|| World::new(open.clone()));
}

#[test]
fn postgres_passes() {
    let Some(address) = named("MEMLITH_TEST_POSTGRES") else { return };
    let open =
        move |_: &Path| -> Arc<dyn SharedLog> { Arc::new(PostgresLog::open(&address).unwrap()) };
    all(&|| World::new(open.clone()));
}
