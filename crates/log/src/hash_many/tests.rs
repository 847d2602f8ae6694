use proptest::prelude::*;

use super::*;

const KEY: &ContextKey = &[7; 32];

fn plain(input: &[u8]) -> Digest {
    let mut padded = input.to_vec();
    padded.resize(input.len().next_multiple_of(BLOCK_LEN), 0);
    let mut hasher = <blake3::Hasher as blake3::hazmat::HasherExt>::new_from_context_key(KEY);
    Digest(*hasher.update(&padded).finalize().as_bytes())
}

fn bytes(len: usize, seed: u8) -> Vec<u8> {
    (0..len).map(|at| u8::try_from(at % 251).unwrap() ^ seed).collect()
}

fn ways() -> [HashMany; 2] {
    [HashMany::default(), HashMany { way: Some(Way::OneByOne), ..HashMany::default() }]
}

#[test]
fn this_process_hashes_together() {
    let together = matches!(Way::of_this_process(), Way::Together { .. });
    assert_eq!(together, !cfg!(any(scalar_hash, miri)));
}

#[test]
fn the_known_digests_are_the_ordinary_hashers() {
    let mut alone = HashMany { way: Some(Way::OneByOne), ..HashMany::default() };
    assert_eq!(way::known_digests(&mut alone), Some(way::KNOWN));
}

#[test]
fn every_length_has_the_digest_of_the_ordinary_hasher_in_every_place_of_a_batch() {
    let step = if cfg!(miri) { 61 } else { 1 };
    for mut many in ways() {
        let mut digests = Vec::new();
        for len in (0..=2_200).step_by(step) {
            let count = 1 + len % 35;
            let inputs: Vec<_> =
                (0..count).map(|at| bytes(len, u8::try_from(at).unwrap())).collect();
            many.digests(KEY, count, |at| &inputs[at], &mut digests);
            let expected: Vec<_> = inputs.iter().map(|input| plain(input)).collect();
            assert_eq!(digests, expected, "{count} of {len} bytes");
        }
    }
}

#[test]
fn a_machine_that_hashes_otherwise_is_found_out_and_hashes_one_by_one() {
    let wrong = Way::Together { platform: Platform::detect(), last_block: CHUNK_END };
    assert!(matches!(wrong.tested(), Way::OneByOne));
    assert!(matches!(Way::OneByOne.tested(), Way::OneByOne));
    // It is in use that the digests would have been wrong.
    let mut many = HashMany { way: Some(wrong), ..HashMany::default() };
    let (inputs, mut digests) = ([bytes(64, 0), bytes(64, 1)], Vec::new());
    many.digests(KEY, 2, |at| &inputs[at], &mut digests);
    assert_ne!(digests[0], plain(&inputs[0]));
}

#[test]
fn what_one_batch_left_is_not_in_the_next() {
    let mut many = HashMany::default();
    let mut digests = Vec::new();
    for seed in [1, 2] {
        let inputs: Vec<_> = (0..40).map(|at| bytes(2_000 - at * 40, seed)).collect();
        many.digests(KEY, 40, |at| &inputs[at], &mut digests);
        let expected: Vec<_> = inputs.iter().map(|input| plain(input)).collect();
        assert_eq!(digests, expected);
    }
    many.digests(KEY, 0, |_| &[], &mut digests);
    assert!(digests.is_empty());
}

#[test]
fn a_block_has_the_digest_of_the_ordinary_hasher() {
    let block: [u8; BLOCK_LEN] = bytes(BLOCK_LEN, 3).try_into().unwrap();
    for mut many in ways() {
        // Before a batch has chosen the way, and behind one.
        assert_eq!(many.block(KEY, &block), plain(&block));
        many.digests(KEY, 2, |_| &block, &mut Vec::new());
        assert_eq!(many.block(KEY, &block), plain(&block));
    }
}

#[test]
fn registers_are_filled_to_a_power_of_two_and_never_beyond_the_lanes() {
    let filled = |degree| (1..=LANES).map(|count| lanes_filled(count, degree)).collect();
    let of_16: Vec<usize> = filled(16);
    assert_eq!(of_16, [2, 2, 4, 4, 8, 8, 8, 8, 16, 16, 16, 16, 16, 16, 16, 16]);
    let of_4: Vec<usize> = filled(4);
    assert_eq!(of_4, [2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14, 16, 16]);
    let of_1: Vec<usize> = filled(1);
    assert!(of_1.into_iter().eq(1..=LANES));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn a_mixed_batch_has_the_digests_of_the_ordinary_hasher(
        lens in prop::collection::vec(prop_oneof![0..2_200_usize, 500..700_usize], 0..120),
    ) {
        let inputs: Vec<_> =
            lens.iter().zip((0..=255_u8).cycle()).map(|(len, seed)| bytes(*len, seed)).collect();
        let expected: Vec<_> = inputs.iter().map(|input| plain(input)).collect();
        for mut many in ways() {
            let mut digests = Vec::new();
            many.digests(KEY, inputs.len(), |at| &inputs[at], &mut digests);
            prop_assert_eq!(&digests, &expected);
        }
    }
}
