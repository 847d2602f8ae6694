//! Any bytes as a checkpoint file: what is accepted is written the same again.
//!
//! Digests let no mutation through, so with the first byte odd all of them are made
//! right first, as `docs/format.md` defines them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_log::CHECKPOINT_CONTEXT;
use memlith_state::{CHUNK_LEN, Checkpoint};

const HEADER_LEN: usize = 176;
const ENTRY_LEN: usize = 32;
const PAGE_DIGESTS: usize = 256;

fuzz_target!(|input: &[u8]| {
    let Some((mode, file)) = input.split_first() else { return };
    let mut file = file.to_vec();
    if mode & 1 != 0 {
        make_right(&mut file);
    }
    if let Ok(read) = Checkpoint::decode(file.clone()) {
        let name = &read.name;
        let root = Checkpoint::root_of(name.fold_version, &name.configuration, &read.sections);
        assert_eq!(root, name.root);
        assert_eq!(read.encode(), file, "{name:?}");
    }
});

/// Makes every digest right, as far as the section table makes sense.
fn make_right(file: &mut [u8]) {
    if file.len() < HEADER_LEN {
        return;
    }
    if let Some((digests, root)) = digests_of(file) {
        let at = HEADER_LEN + count_of(file) * ENTRY_LEN;
        if let Some(place) = file.get_mut(at..at + digests.len()) {
            place.copy_from_slice(&digests);
        }
        file[112..144].copy_from_slice(&root);
    }
    let header = digest(&file[..144]);
    file[144..176].copy_from_slice(&header);
}

/// Pages and chunk digests one after another, and the root.
fn digests_of(file: &[u8]) -> Option<(Vec<u8>, [u8; 32])> {
    let count = count_of(file);
    let table = file.get(HEADER_LEN..HEADER_LEN.checked_add(count.checked_mul(ENTRY_LEN)?)?)?;
    let mut root = [&file[64..68], &file[68..100], &(count as u64).to_le_bytes()[..]].concat();
    let mut chunks = Vec::new();
    for entry in table.chunks(ENTRY_LEN) {
        let number = |at: usize| {
            let bytes = entry[at..at + 8].try_into().unwrap();
            usize::try_from(u64::from_le_bytes(bytes)).ok()
        };
        let (offset, len) = (number(16)?, number(24)?);
        let section = file.get(offset..offset.checked_add(len)?)?;
        root.extend(&entry[..16]);
        root.extend((len as u64).to_le_bytes());
        chunks.extend(section.chunks(CHUNK_LEN).flat_map(digest));
    }
    let pages: Vec<u8> = chunks.chunks(PAGE_DIGESTS * 32).flat_map(digest).collect();
    root.extend(&pages);
    Some(([pages, chunks].concat(), digest(&root)))
}

fn count_of(file: &[u8]) -> usize {
    u32::from_le_bytes(file[108..112].try_into().unwrap()) as usize
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new_derive_key(CHECKPOINT_CONTEXT).update(bytes).finalize().as_bytes()
}
