//! Power cuts at the level of the disk: every write and flush of a session is recorded,
//! and the disk is built again as it was after any of them, with any of the writes that no
//! flush had covered.

use std::fs;

use anyhow::Context;
use memlith::storage::SeededRng;

use crate::kill::below;
use crate::mounted::{Image, Kind, Mount, missing};
use crate::power::boot;
use crate::recording::{Recorder, Recording};
use crate::row::Row;
use crate::trial::{Program, Trial, next_after};

/// The size of the disk in bytes.
const DISK_LEN: u64 = 32 << 20;

/// Judges `images` disks of a session of `steps` steps; all of its prefixes where 0.
///
/// # Errors
/// The machine can't, although it has what is needed.
pub(crate) fn run(program: &Program, steps: u64, images: u64, seed: u64) -> anyhow::Result<Row> {
    let name = "replayed block writes";
    if let Some(why) = missing(&["nbdkit", "nbdfuse", "losetup", "mkfs.ext4", "unshare"]) {
        return Ok(Row::skipped(name, why));
    }
    let mut row = Row::new(name);
    let place = tempfile::tempdir()?;
    let recorder = Recorder::start(place.path(), DISK_LEN)?;
    let (trial, first) = session(program, &recorder, &place.path().join("mounted"), steps)?;
    let recording = recorder.recording()?;
    drop(recorder);
    anyhow::ensure!(told(&recording, recording.len())? == steps, "the session said too little");
    let rng = SeededRng::new(seed);
    let span = (recording.len() - first) as u64;
    for number in 0..if images == 0 { span + 1 } else { images } {
        let at = if images == 0 { number } else { below(&rng, span + 1)? };
        let entries = first + usize::try_from(at)?;
        // Every other image has all writes; the others a random part of the unflushed.
        let all = images == 0 || number % 2 == 0;
        let file = place.path().join("image");
        recording.image(&file, DISK_LEN, entries, || Ok(all || below(&rng, 2)? == 0))?;
        let told = told(&recording, entries)?;
        let what = format!("seed {seed}, image {number}: {entries} entries, all {all}");
        let image = Image::at(file.clone(), place.path().join("again"))?;
        let mount = image.mount().with_context(|| what.clone())?;
        let boot = boot(place.path(), number)?;
        let mut found = trial.moved(&mount.folder().join("ledger"));
        row.tried += 1;
        found.judge(&mut row, &boot, told, &what)?;
        mount.leave()?;
        fs::remove_file(&file)?;
    }
    row.note = format!("{} writes and flushes, {steps} steps", span - steps);
    Ok(row)
}

/// Runs the session on the recording device; gives its trial and how many entries the record
/// had before.
fn session(
    program: &Program,
    recorder: &Recorder,
    folder: &std::path::Path,
    steps: u64,
) -> anyhow::Result<(Trial, usize)> {
    Kind::Ext4.make(recorder.device())?;
    let mount = Mount::device(recorder.device(), folder)?;
    let trial = Trial::create(program, &folder.join("ledger"))?;
    // What made the ledger was told to be durable when it ended.
    let first = recorder.recording()?.len();
    let ended = trial.start_saying_to(recorder.listener()?, steps)?.wait()?;
    anyhow::ensure!(ended.success(), "the session failed");
    mount.leave()?;
    Ok((trial, first))
}

/// How many steps were acknowledged when the disk had seen `entries` entries.
fn told(recording: &Recording, entries: usize) -> anyhow::Result<u64> {
    recording.said(entries).try_fold(0, |step, line| next_after(line, step))
}
