use super::*;

fn sample() -> Checkpoint {
    let run = |from, to| RunName {
        from: Seq(from),
        to: Seq(to),
        fold_version: 3,
        root: Digest([u8::try_from(to).unwrap(); 32]),
    };
    let runs = vec![run(0, 31), run(32, 41)];
    let (fold_version, configuration) = (3, Digest([5; 32]));
    let root = Checkpoint::root_of(fold_version, &configuration, &runs);
    let name = CheckpointName {
        ledger: LedgerId([1; 16]),
        n: Seq(41),
        chain: Digest([2; 32]),
        fold_version,
        configuration,
        epoch: Seq::GENESIS,
        root,
    };
    let frames = vec![(Seq(33), 128), (Seq(38), 1_024)];
    Checkpoint { name, place: (2, 4_096), stride: 32, runs, frames }
}

#[test]
fn a_checkpoint_round_trips() {
    assert_eq!(Checkpoint::decode(&sample().encode()), Ok(sample()));
}

#[test]
fn every_flipped_bit_and_every_cut_is_refused() {
    let file = sample().encode();
    for bit in 0..file.len() * 8 {
        let mut bytes = file.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(Checkpoint::decode(&bytes).is_err(), "bit {bit}");
    }
    for len in 0..file.len() {
        assert!(Checkpoint::decode(&file[..len]).is_err(), "cut at {len}");
    }
}

#[test]
fn runs_that_do_not_tile_the_log_are_refused() {
    let changes: [fn(&mut Vec<RunName>); 5] = [
        |runs| runs.truncate(1),
        |runs| *runs = runs.split_off(1),
        |runs| runs.swap(0, 1),
        |runs| runs[1].from = Seq(31),
        |runs| runs[1].to = Seq(42),
    ];
    for change in changes {
        let mut checkpoint = sample();
        change(&mut checkpoint.runs);
        let name = &mut checkpoint.name;
        name.root = Checkpoint::root_of(3, &name.configuration, &checkpoint.runs);
        let refused = Checkpoint::decode(&checkpoint.encode());
        assert!(matches!(refused, Err(CheckpointError::SectionTable { .. })), "{refused:?}");
    }
}

#[test]
fn frames_that_do_not_ascend_to_the_last_record_are_refused() {
    for frames in [[(38, 128), (33, 1_024)], [(33, 1_024), (38, 1_024)], [(33, 128), (42, 1_024)]] {
        let frames = frames.map(|(seq, offset)| (Seq(seq), offset)).to_vec();
        let refused = Checkpoint::decode(&Checkpoint { frames, ..sample() }.encode());
        assert!(matches!(refused, Err(CheckpointError::SectionTable { .. })), "{refused:?}");
    }
}

#[test]
fn no_more_frames_are_saved_than_are_read() {
    let frames = (0..70_000).map(|at| (Seq(at), at * 65_536)).collect();
    let mut checkpoint = Checkpoint { frames, ..sample() };
    checkpoint.name.n = Seq(80_000);
    checkpoint.runs[1].to = Seq(80_000);
    checkpoint.name.root = Checkpoint::root_of(3, &checkpoint.name.configuration, &checkpoint.runs);
    let read = Checkpoint::decode(&checkpoint.encode()).unwrap();
    assert_eq!(read.frames, checkpoint.frames[..65_536]);
}
