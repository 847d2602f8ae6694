//! Any bytes as the file of a run: what is accepted is written the same again, and folds read
//! it, and go on from it, without a panic.
//!
//! Digests let no mutation through, so with the first byte odd all of them are made right
//! first, as `docs/format.md` defines them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_event::{Projection, Scope};
use memlith_log::{CHECKPOINT_CONTEXT, Seq, Timestamp};
use memlith_memory::Memory;
use memlith_recall::{Query, Recall, search};
use memlith_salience::Salience;
use memlith_state::{CHUNK_LEN, FileBytes, Run, Sections};

const HEADER_LEN: usize = 104;
const ENTRY_LEN: usize = 24;
const PAGE_DIGESTS: usize = 256;

fuzz_target!(|input: &[u8]| {
    let Some((mode, file)) = input.split_first() else { return };
    let mut file = file.to_vec();
    if mode & 1 != 0 {
        make_right(&mut file);
    }
    let Ok(run) = Run::open(FileBytes::Read(file.clone())) else { return };
    if run.check().is_err() {
        assert!(run.is_damaged());
        return;
    }
    let (name, again) =
        Run::encode(run.name.fold_version, run.name.from, run.name.to, &run.sections);
    assert_eq!((name, &again), (run.name, &file), "{name:?}");
    read(run.sections.clone());
});

/// Reads everything, by every way there is.
fn read(mut sections: Sections) {
    let (mut memory, mut salience, mut recall) =
        (Memory::default(), Salience::default(), Recall::default());
    let loaded = memory
        .replace(0..0, &mut sections)
        .and_then(|()| salience.replace(0..0, &mut sections))
        .and_then(|()| recall.replace(0..0, &mut sections));
    if loaded.is_err() || sections.finish().is_err() {
        return;
    }
    all_rows(&memory);
    all_rows(&salience);
    all_rows(&recall);
    for item in memory.items().take(20) {
        let seq = item.id.seq;
        let _ = memory.authority(seq, Timestamp(0));
        memory.touches(seq).take(20).for_each(drop);
        let _ = salience.level(seq, item.occurred_at, Timestamp(0));
    }
    let scope = Scope::tenant("default");
    let eligible = |_: Seq| true;
    let (text, now) = ("which port is staging on", Timestamp(0));
    let query = Query { text, scope: &scope, now, limit: 10, eligible: &eligible };
    assert!(search(&recall, &query).len() <= 10);
}

fn all_rows(projection: &impl Projection) {
    for table in projection.tables() {
        table.each_row(&mut |_, row| assert!(!row.is_empty()));
    }
}

/// Makes every digest right, as far as the header makes sense.
fn make_right(file: &mut [u8]) {
    if file.len() < HEADER_LEN {
        return;
    }
    let count = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let data_len = u64::from_le_bytes(file[32..40].try_into().unwrap());
    let Ok(data_len) = usize::try_from(data_len) else { return };
    let chunks = data_len.div_ceil(CHUNK_LEN);
    let Some(pages_at) = count.checked_mul(ENTRY_LEN).map(|table| HEADER_LEN + table) else {
        return;
    };
    let digests_at = pages_at.saturating_add(chunks.div_ceil(PAGE_DIGESTS).saturating_mul(32));
    let data_at = digests_at.saturating_add(chunks.saturating_mul(32));
    if data_at.checked_add(data_len) == Some(file.len()) {
        let digests: Vec<u8> = file[data_at..].chunks(CHUNK_LEN).flat_map(digest).collect();
        let pages: Vec<u8> = digests.chunks(PAGE_DIGESTS * 32).flat_map(digest).collect();
        file[digests_at..data_at].copy_from_slice(&digests);
        file[pages_at..digests_at].copy_from_slice(&pages);
        let table = &file[HEADER_LEN..pages_at];
        let len = (table.len() as u64).to_le_bytes();
        let root = [&file[8..12], &file[16..24], &len[..], table, &pages].concat();
        file[40..72].copy_from_slice(&digest(&root));
    }
    let header = digest(&file[..72]);
    file[72..104].copy_from_slice(&header);
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new_derive_key(CHECKPOINT_CONTEXT).update(bytes).finalize().as_bytes()
}
