use super::*;

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
