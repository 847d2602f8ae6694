use std::ffi::OsString;
use std::time::Duration;

use memlith::Scope;
use memlith_writeback::{ExtractError, Extracted, Extractor, Packet, Turn};

use crate::program::{Program, ProgramFailure};

/// An extractor that is a program: the evidence of one job as JSON on its standard input
/// ([`Packet::json`]), the reply as JSON on its standard output.
///
/// What it replies is checked as a model's: an item without evidence, or that names what its
/// evidence doesn't, is dropped. The program gets no environment but what is given here, and is
/// killed with all that it started when its time is up or it says more than 64 KiB.
#[derive(Clone, Debug)]
pub struct CommandExtractor {
    /// The program and its arguments; no shell stands between.
    pub words: Vec<String>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Time limit for one job.
    pub patience: Duration,
}

/// Maximum length of a reply in bytes.
const REPLY_MAX: usize = 64 << 10;

/// A claim outlives the program's time by so much, in microseconds: what it says is to be
/// written down.
const AFTERWARDS_US: i64 = 60 * 1_000_000;

impl Extractor for CommandExtractor {
    fn name(&self) -> &str {
        Program::name(&self.words)
    }

    fn claim_us(&self) -> i64 {
        let patience = i64::try_from(self.patience.as_micros()).unwrap_or(i64::MAX);
        patience.saturating_add(AFTERWARDS_US)
    }

    fn extract(&self, _: &Scope<'_>, turns: &[Turn]) -> Result<Extracted, ExtractError> {
        let told = Packet::of(turns).json().to_string().into_bytes();
        let environment = &self.environment;
        let program =
            Program { words: &self.words, environment, folder: None, answer_max: REPLY_MAX };
        let later = |what: String| ExtractError::Later { what, wait_us: None };
        match program.ask(told, self.patience) {
            Ok(said) => String::from_utf8(said).map(Extracted::Reply).map_err(|_| {
                ExtractError::Never { what: "the program's reply is no UTF-8".to_owned() }
            }),
            Err(ProgramFailure::Unavailable) => {
                Err(later("the program can't be started".to_owned()))
            }
            Err(ProgramFailure::TimedOut) => {
                let seconds = self.patience.as_secs();
                Err(later(format!("the program said nothing within {seconds} s")))
            }
            Err(ProgramFailure::Failed(Some(code))) => {
                Err(later(format!("the program ended with code {code}")))
            }
            Err(ProgramFailure::Failed(None)) => Err(later("the program was killed".to_owned())),
            Err(ProgramFailure::TooLong) => Err(ExtractError::Never {
                what: format!("the program's reply is longer than {REPLY_MAX} bytes"),
            }),
        }
    }
}
