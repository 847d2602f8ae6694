use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// A program that is asked one thing: something on its standard input, an answer on its
/// standard output.
///
/// It gets no environment but what is given here, no open file but its input and output, and
/// is killed with all that it started when its time is up or it says too much.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The program and its arguments; no shell stands between.
    pub words: &'a [String],
    /// Its whole environment.
    pub environment: &'a [(OsString, OsString)],
    /// The folder that it works in; this process's where absent.
    pub folder: Option<&'a Path>,
    /// The most bytes of an answer.
    pub answer_max: usize,
}

/// Why a program gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramFailure {
    /// The program could not be started.
    #[error("can't be started")]
    Unavailable,
    /// Its time was up.
    #[error("took too long, and was stopped")]
    TimedOut,
    /// The program ended with this code, or by a signal.
    #[error("{}", .0.map_or("was killed".to_owned(), |code| format!("ended with {code}")))]
    Failed(Option<i32>),
    /// The program printed more than it may.
    #[error("said more than it may")]
    TooLong,
}

/// Message from a running program: output, or its end.
enum Heard {
    Said(Vec<u8>),
    Ended(Option<ExitStatus>),
}

impl Program<'_> {
    /// Name of the program alone: arguments and folders are nobody's business.
    pub(crate) fn name(words: &[String]) -> &str {
        let program = words.first().map_or("", String::as_str);
        program.rsplit('/').next().unwrap_or(program)
    }

    /// Runs the program with `told` as its input and returns its output, all of it within
    /// `within`.
    ///
    /// # Errors
    /// [`ProgramFailure`]: the program is not running any more.
    pub fn ask(&self, told: Vec<u8>, within: Duration) -> Result<Vec<u8>, ProgramFailure> {
        #[expect(clippy::disallowed_methods, reason = "a program's time is limited")]
        let started = Instant::now();
        if within.is_zero() {
            return Err(ProgramFailure::TimedOut);
        }
        let (running, heard) = self.start(told).ok_or(ProgramFailure::Unavailable)?;
        let (mut said, mut ended) = (None, None);
        loop {
            let left = within.saturating_sub(started.elapsed());
            match heard.recv_timeout(left) {
                Ok(Heard::Said(bytes)) if bytes.len() > self.answer_max => {
                    running.stop(ended.is_some());
                    return Err(ProgramFailure::TooLong);
                }
                Ok(Heard::Said(bytes)) => said = Some(bytes),
                Ok(Heard::Ended(status)) => ended = Some(status),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    running.stop(ended.is_some());
                    return Err(ProgramFailure::TimedOut);
                }
            }
            if let (Some(said), Some(status)) = (&mut said, ended) {
                return match status {
                    Some(status) if status.success() => Ok(std::mem::take(said)),
                    Some(status) => Err(ProgramFailure::Failed(status.code())),
                    None => Err(ProgramFailure::Failed(None)),
                };
            }
        }
    }

    fn start(&self, told: Vec<u8>) -> Option<(Running, Receiver<Heard>)> {
        let (program, arguments) = self.words.split_first()?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(self.environment.iter().cloned());
        if let Some(folder) = self.folder {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A group of its own, so that what it starts ends with it.
        let mut child = command.process_group(0).spawn().ok()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (sender, heard) = channel();
        if let Some(mut input) = child.stdin.take() {
            // One that reads nothing must not hold up the rest.
            std::thread::spawn(move || input.write_all(&told));
        }
        self.listen(child, sender);
        Some((Running(pid), heard))
    }

    /// Waits for what `child` says and for its end, apart: what it started may outlive it.
    fn listen(&self, mut child: Child, sender: Sender<Heard>) {
        let output = child.stdout.take();
        let (said, most) = (sender.clone(), self.answer_max as u64 + 1);
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(output) = output {
                let _ = output.take(most).read_to_end(&mut bytes);
            }
            let _ = said.send(Heard::Said(bytes));
        });
        std::thread::spawn(move || {
            let _ = sender.send(Heard::Ended(child.wait().ok()));
        });
    }
}

/// The group of a running program.
struct Running(Option<Pid>);

impl Running {
    /// Ends it, unless its number may be another's by now.
    fn stop(&self, ended: bool) {
        if let Some(group) = self.0.filter(|_| !ended) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
