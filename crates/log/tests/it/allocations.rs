//! Measures the cost of an append in the steady state: memory, and operations of the disk.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use memlith_log::{Durability, Env, LocalStorage, Log, LogOptions, NewRecord};

use crate::ledger::record;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, which counts for each thread.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn count() {
    // A thread that ends has no counter any more.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is the system allocator's own, with the arguments it was given.
#[expect(unsafe_code, reason = "an allocator can't be written without")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, len) }
    }
}

/// The allocations of this thread in `work`.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn an_append_like_the_one_before_allocates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let env = Env::system(LocalStorage::create(folder.path()).unwrap());
    let options = LogOptions { segment_lens: [16 << 20; 4], ..LogOptions::default() };
    let log = Log::create(env, LogOptions { allow_network_fs: true, ..options }).unwrap();
    let body = vec![7; 600];
    let mut writer = log.writer().unwrap();
    let mut appended = Vec::with_capacity(100);
    for (batch, durability, times) in [
        (1, Durability::Buffered, 100),
        (100, Durability::Buffered, 30),
        (1, Durability::Immediate, 3),
    ] {
        let records = vec![record(&body); batch];
        let mut append = || {
            let tick = writer.tick().unwrap();
            appended.clear();
            writer.append_into(tick, &records, durability, &mut appended).unwrap();
        };
        append();
        // The list of offsets, one for each 16 KiB, doubles now and then, and the file grows by
        // a MiB of zeros at a time.
        let count = allocations(|| (0..times).for_each(|_| append()));
        assert!(count <= 6, "{count} by {times} appends of {batch}, {durability:?}");
    }
}

#[test]
fn taking_the_lock_costs_the_same_however_long_the_log_is() {
    let folder = tempfile::tempdir().unwrap();
    let env = Env::system(LocalStorage::create(folder.path()).unwrap());
    let options = LogOptions { segment_lens: [16 << 20; 4], ..LogOptions::default() };
    let log = Log::create(env, LogOptions { allow_network_fs: true, ..options }).unwrap();
    let append = |records: &[NewRecord<'_>]| {
        log.writer().unwrap().append(records, Durability::Buffered).unwrap();
    };
    let one = [record(b"one")];
    append(&one);
    let early = allocations(|| append(&one));
    let many = vec![record(&[7; 600]); 1_000];
    for _ in 0..8 {
        append(&many);
    }
    append(&one);
    assert_eq!(allocations(|| append(&one)), early);
    assert!(early < 40, "{early}");
}
