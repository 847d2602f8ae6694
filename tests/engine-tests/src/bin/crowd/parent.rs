use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use memlith::{Ledger, Options};

use crate::Outcome;
use crate::oracle;
use crate::told::Told;
use crate::worker::random_below;

const WORKERS: usize = 8;

/// After how many acknowledgements another process is killed, on average.
const ACKNOWLEDGED_A_KILL: u16 = 24;

/// Number of acts of each kind, as the workers told of them.
pub(crate) type Counts = BTreeMap<String, u64>;

/// All that the workers told, and what became of them.
#[derive(Default)]
pub(crate) struct Story {
    pub(crate) told: Vec<Told>,
    pub(crate) kills: u64,
}

/// A line of a worker, or its end.
type Line = (usize, Option<Told>);

struct Crowd<'a> {
    folder: &'a Path,
    count: u64,
    sender: Sender<Line>,
    workers: Vec<Place>,
}

/// The place of one worker, which lives several times.
struct Place {
    process: Child,
    run: u64,
    done: u64,
    ended: bool,
    killed: bool,
}

/// Runs the crowd and judges what it left.
pub(crate) fn crowd(count: &str) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    Ledger::create(folder.path(), Options::default())?.close()?;
    let (sender, lines) = channel();
    let count = count.parse()?;
    let mut crowd = Crowd { folder: folder.path(), count, sender, workers: Vec::new() };
    for place in 0..WORKERS {
        let process = crowd.start(place, 0, count)?;
        let (run, done, ended, killed) = (0, 0, false, false);
        crowd.workers.push(Place { process, run, done, ended, killed });
    }
    let story = crowd.follow(&lines)?;
    let report = oracle::judge(folder.path(), &story)?;
    let mut out = std::io::stdout();
    for (what, count) in &report {
        writeln!(out, "{count:>8} {what}")?;
    }
    Ok(())
}

impl Crowd<'_> {
    fn start(&self, place: usize, run: u64, count: u64) -> Outcome<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("work").arg(self.folder).arg(place.to_string());
        command.args([run.to_string(), count.to_string()]).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let output = process.stdout.take().ok_or("a worker has no output")?;
        let sender = self.sender.clone();
        thread::spawn(move || listen(place, output, &sender));
        Ok(process)
    }

    /// Takes in every line until all workers have ended, and kills some of them meanwhile.
    fn follow(mut self, lines: &Receiver<Line>) -> Outcome<Story> {
        let mut story = Story::default();
        while self.workers.iter().any(|worker| !worker.ended) {
            let (place, line) = lines.recv()?;
            match line {
                Some(told) => self.hear(place, told, &mut story)?,
                None => self.bury(place)?,
            }
        }
        Ok(story)
    }

    fn hear(&mut self, place: usize, told: Told, story: &mut Story) -> Outcome<()> {
        let worker = self.workers.get_mut(place).ok_or("no such worker")?;
        let acknowledges =
            !matches!(told, Told::Writing(_) | Told::Erasing(_) | Told::Found(_) | Told::Ended);
        worker.ended |= told == Told::Ended;
        story.told.push(told);
        if !acknowledges {
            return Ok(());
        }
        worker.done += 1;
        if random_below(ACKNOWLEDGED_A_KILL)? == 0 {
            let victim = usize::from(random_below(u16::try_from(WORKERS)?)?);
            let victim = self.workers.get_mut(victim).ok_or("no such worker")?;
            if !victim.ended && !victim.killed {
                victim.process.kill()?;
                victim.killed = true;
                story.kills += 1;
            }
        }
        Ok(())
    }

    /// A worker's output has ended: it starts again if it was killed.
    fn bury(&mut self, place: usize) -> Outcome<()> {
        let worker = self.workers.get_mut(place).ok_or("no such worker")?;
        let status = worker.process.wait()?;
        if !worker.killed && !status.success() {
            return Err(format!("worker {place} ended with {status}").into());
        }
        if worker.ended {
            return Ok(());
        }
        worker.run += 1;
        let (run, left) = (worker.run, self.count.saturating_sub(worker.done));
        let process = self.start(place, run, left)?;
        let worker = self.workers.get_mut(place).ok_or("no such worker")?;
        (worker.process, worker.killed) = (process, false);
        Ok(())
    }
}

/// Hands on the lines of a worker; what a kill cut off is none.
fn listen(place: usize, output: ChildStdout, sender: &Sender<Line>) {
    let mut output = BufReader::new(output);
    let mut line = String::new();
    while output.read_line(&mut line).is_ok_and(|read| read > 0) && line.ends_with('\n') {
        let Ok(told) = line.trim_end().parse() else { break };
        if sender.send((place, Some(told))).is_err() {
            return;
        }
        line.clear();
    }
    let _ = sender.send((place, None));
}
