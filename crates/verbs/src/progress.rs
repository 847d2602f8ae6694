//! Progress on standard error.

use std::io::Read;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Progress of long work, on standard error where that is a terminal; gone when dropped.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Shows nothing.
    pub fn hidden() -> Progress {
        Progress(ProgressBar::hidden())
    }

    /// A bar where the length of the work is known, else a spinner.
    pub fn new(what: &'static str, bytes: Option<u64>) -> Progress {
        let (bar, template) = match bytes {
            Some(bytes) => (
                ProgressBar::new(bytes),
                "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            ),
            None => (ProgressBar::new_spinner(), "{spinner} {msg} {elapsed}"),
        };
        let style = ProgressStyle::with_template(template);
        let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(100));
        Progress(bar)
    }

    /// `input`, counted as it is read.
    pub fn counts<R: Read>(&self, input: R) -> impl Read + use<R> {
        self.0.wrap_read(input)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
