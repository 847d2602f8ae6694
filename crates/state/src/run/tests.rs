use super::*;
use crate::digests::PAGE_DIGESTS;
use crate::wave::Wave;

fn sample() -> (RunName, Vec<u8>) {
    let mut sections = Sections::default();
    sections.push("small", vec![7; 40]);
    sections.push("large", vec![9; CHUNK_LEN * 2 + 100]);
    Run::encode(3, Seq(7), Seq(41), &sections)
}

fn read(file: Vec<u8>) -> Result<Run, CheckpointError> {
    let run = Run::open(FileBytes::Read(file))?;
    run.check()?;
    Ok(run)
}

#[test]
fn a_run_round_trips() {
    let (name, file) = sample();
    let mut run = read(file.clone()).unwrap();
    assert_eq!(run.name, name);
    assert_eq!(Run::encode(3, Seq(7), Seq(41), &run.sections), (name, file));
    assert_eq!(run.sections.take("small").get(0, 40), Some(&[7; 40][..]));
    assert_eq!(run.sections.take("large").len(), CHUNK_LEN * 2 + 100);
    run.sections.finish().unwrap();
}

#[test]
fn every_flipped_bit_and_every_cut_is_refused() {
    let (_, file) = sample();
    let stride = 7;
    for bit in (0..file.len() * 8).step_by(stride) {
        let mut bytes = file.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(read(bytes).is_err(), "bit {bit}");
    }
    for len in (0..file.len()).step_by(stride) {
        assert!(read(file[..len].to_vec()).is_err(), "cut at {len}");
    }
}

#[test]
fn only_what_is_read_is_checked() {
    let (_, mut file) = sample();
    let last = file.len() - 1;
    file[last] ^= 1;
    let mut run = Run::open(FileBytes::Read(file)).unwrap();
    let large = run.sections.take("large");
    assert!(large.get(0, CHUNK_LEN).is_some() && !run.is_damaged());
    assert!(large.get(CHUNK_LEN * 2, 100).is_none() && run.is_damaged());
    assert!(large.clone().get(0, 1).is_some(), "what was sound stays readable");
    assert!(run.check().is_err());
}

#[test]
fn the_root_is_of_the_content_and_the_start() {
    let (name, _) = sample();
    let mut sections = Sections::default();
    sections.push("small", vec![7; 40]);
    let root = |version, from, to| Run::encode(version, Seq(from), Seq(to), &sections).0.root;
    assert_ne!(root(3, 7, 41), name.root);
    let others = [root(4, 7, 41), root(3, 8, 41)];
    assert!(others.iter().all(|other| *other != root(3, 7, 41)));
    assert_eq!(root(3, 7, 42), root(3, 7, 41));
}

/// A run whose chunk digests take two pages, the second with one digest: its file, where its
/// data lies, and how long that is.
fn two_pages() -> (Vec<u8>, usize, usize) {
    let len = CHUNK_LEN * PAGE_DIGESTS + 5;
    let mut sections = Sections::default();
    let bytes: Vec<u8> = (0..len).map(|at| (at / 7 + at / CHUNK_LEN).to_le_bytes()[0]).collect();
    sections.push("large", bytes);
    let (_, file) = Run::encode(3, Seq(7), Seq(41), &sections);
    let data_at = file.len() - len;
    (file, data_at, len)
}

#[test]
fn every_chunk_is_compared_with_its_own_digest() {
    let (file, data_at, len) = two_pages();
    read(file.clone()).unwrap();
    let digests_at = data_at - (PAGE_DIGESTS + 1) * 32;
    let pages_at = digests_at - 2 * 32;
    let last = PAGE_DIGESTS;
    for (damaged, chunk) in [
        (data_at, 0),
        (data_at + CHUNK_LEN - 1, 0),
        (data_at + CHUNK_LEN, 1),
        (data_at + 255 * CHUNK_LEN, 255),
        (data_at + len - 1, last),
        // A digest is covered by its page: the first that is looked up there is refused.
        (digests_at + 32, 0),
        (digests_at + last * 32, last),
    ] {
        let mut bytes = file.clone();
        bytes[damaged] ^= 1;
        let refused = read(bytes).unwrap_err();
        let offset = (data_at + chunk * CHUNK_LEN) as u64;
        assert_eq!(refused, CheckpointError::Digest { part: "a chunk", offset });
    }
    let mut bytes = file;
    bytes[pages_at + 32] ^= 1;
    assert_eq!(read(bytes).unwrap_err(), CheckpointError::Digest { part: "the root", offset: 0 });
}

#[test]
fn a_read_that_begins_in_a_sound_chunk_and_ends_in_a_damaged_one_is_refused() {
    let (mut file, data_at, len) = two_pages();
    let sound = file[data_at..].to_vec();
    file[data_at + CHUNK_LEN] ^= 1;
    let mut run = Run::open(FileBytes::Read(file)).unwrap();
    let large = run.sections.take("large");
    assert_eq!(large.get(CHUNK_LEN - 2, 2), sound.get(CHUNK_LEN - 2..CHUNK_LEN));
    assert_eq!(large.get(CHUNK_LEN - 2, 3), None, "the first chunk was seen before");
    assert_eq!(large.get(CHUNK_LEN, 0), Some(&[][..]), "no byte of it is read");
    assert_eq!(large.get(len, 0), Some(&[][..]));
    assert_eq!(large.get(len - 6, 6), sound.get(len - 6..), "over the border of two pages");
    assert_eq!((large.get(len - 5, 6), large.get(len + 1, 0)), (None, None));
}

#[test]
fn what_was_seen_of_other_chunks_vouches_for_none() {
    let (file, data_at, _) = two_pages();
    for damaged in [0, 1, 63, 64, 65, 128, 192, 255, 256] {
        let mut bytes = file.clone();
        bytes[data_at + damaged * CHUNK_LEN] ^= 1;
        let mut run = Run::open(FileBytes::Read(bytes)).unwrap();
        let large = run.sections.take("large");
        for chunk in (0..=PAGE_DIGESTS).filter(|chunk| *chunk != damaged) {
            assert!(large.get(chunk * CHUNK_LEN, 1).is_some(), "{chunk} beside {damaged}");
        }
        assert!(!run.is_damaged());
        assert!(large.get(damaged * CHUNK_LEN, 1).is_none() && run.is_damaged(), "{damaged}");
    }
}

#[test]
fn what_is_soon_needed_is_as_it_was() {
    let (mut file, data_at, len) = two_pages();
    file[data_at + 3 * CHUNK_LEN] ^= 1;
    let mut run = Run::open(FileBytes::Read(file)).unwrap();
    let large = run.sections.take("large");
    let mut wave = Wave::default();
    large.will_need(0, usize::MAX, &mut wave);
    large.will_need(len, 1, &mut wave);
    wave.ask();
    let seen = (0..=PAGE_DIGESTS).filter(|chunk| run.chunks.is_seen(*chunk)).count();
    assert_eq!((seen, run.is_damaged()), (0, false), "a hint reads nothing");
    assert!(large.get(3 * CHUNK_LEN, 1).is_none() && run.is_damaged());
}

#[test]
fn what_lies_together_is_asked_for_at_once() {
    let (file, ..) = two_pages();
    // Another file's chunks don't follow, whether it comes before this one or behind it.
    for other_chunk in [1, 11] {
        let open = || Run::open(FileBytes::Read(file.clone())).unwrap();
        let (mut run, mut other, mut wave) = (open(), open(), Wave::default());
        let (large, other) = (run.sections.take("large"), other.sections.take("large"));
        for chunk in [10, 4, 3, 10, 2, 7, 8] {
            large.will_need(chunk * CHUNK_LEN, 1, &mut wave);
        }
        other.will_need(other_chunk * CHUNK_LEN, 1, &mut wave);
        let stretches = wave.together().into_iter().map(|(_, chunks)| chunks);
        let mut stretches: Vec<_> = stretches.collect();
        stretches.sort_by_key(|chunks| *chunks.start());
        let mut expected = [2..=4, 7..=8, 10..=10, other_chunk..=other_chunk];
        expected.sort_by_key(|chunks| *chunks.start());
        assert_eq!(stretches, expected);
    }
}
