//! Any bytes as a checkpoint file: what is accepted is written the same again, and its runs
//! cover every record once, its frames ascend.
//!
//! Digests let no mutation through, so with the first byte odd they are made right first, as
//! `docs/format.md` defines them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_log::CHECKPOINT_CONTEXT;
use memlith_state::Checkpoint;

const HEADER_LEN: usize = 172;
const RUN_LEN: usize = 48;

fuzz_target!(|input: &[u8]| {
    let Some((mode, file)) = input.split_first() else { return };
    let mut file = file.to_vec();
    if mode & 1 != 0 {
        make_right(&mut file);
    }
    let Ok(read) = Checkpoint::decode(&file) else { return };
    let name = &read.name;
    let root = Checkpoint::root_of(name.fold_version, &name.configuration, &read.runs);
    assert_eq!(root, name.root);
    let mut next = 0;
    for run in &read.runs {
        assert_eq!(run.from.0, next, "{read:?}");
        assert!(run.to >= run.from, "{read:?}");
        next = run.to.0.wrapping_add(1);
    }
    assert_eq!(next, name.n.0.wrapping_add(1), "{read:?}");
    for pair in read.frames.windows(2) {
        assert!(pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1, "{read:?}");
    }
    assert!(read.frames.iter().all(|frame| frame.0 <= name.n), "{read:?}");
    assert_eq!(read.encode(), file, "{name:?}");
});

/// Makes the root and the digest right.
fn make_right(file: &mut [u8]) {
    let Some(end) = file.len().checked_sub(32).filter(|end| *end >= HEADER_LEN) else { return };
    let count = u32::from_le_bytes(file[68..72].try_into().unwrap());
    let mut root = [&file[64..68], &file[72..104], &u64::from(count).to_le_bytes()[..]].concat();
    let frames_at = (count as usize).saturating_mul(RUN_LEN).saturating_add(HEADER_LEN).min(end);
    for run in file[HEADER_LEN..frames_at].chunks_exact(RUN_LEN) {
        root.extend(&run[..8]);
        root.extend(&run[16..]);
    }
    file[112..144].copy_from_slice(&digest(&root));
    let whole = digest(&file[..end]);
    file[end..].copy_from_slice(&whole);
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new_derive_key(CHECKPOINT_CONTEXT).update(bytes).finalize().as_bytes()
}
