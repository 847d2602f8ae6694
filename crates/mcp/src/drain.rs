//! Worker that finishes what hooks and sessions left undone, while a server lives.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context as _, Result};
use memlith::storage::{Clock as _, SystemClock};
use memlith::{Options, Timestamp};
use memlith_agents::CatchUp;
use memlith_verbs::{background, environment, send_due_head};

use crate::handles::Handles;
use crate::stop::Stop;

/// How often it is looked for: each so many beats of so long.
const BEATS: u32 = 50;
const BEAT: Duration = Duration::from_millis(100);

/// A thread that does it beside the calls, and listens for SIGTERM.
#[derive(Debug)]
pub(crate) struct Drain {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drain {
    /// Begins; `now` where the person said what time it is, and `options` to open ledgers with.
    ///
    /// # Errors
    /// The system gives no thread, or no signals.
    pub(crate) fn begin(
        handles: Arc<Handles>,
        (now, options): (Option<Timestamp>, Options),
        stop: Stop,
    ) -> Result<Drain> {
        let is_over = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::new(AtomicBool::new(false));
        let sigterm = signal_hook::consts::SIGTERM;
        signal_hook::flag::register(sigterm, Arc::clone(&is_stopped))
            .context("listen for SIGTERM")?;
        let over = Arc::clone(&is_over);
        let work = move || {
            let mut beat = 0;
            while !over.load(Ordering::Relaxed) {
                #[expect(clippy::disallowed_methods, reason = "nothing tells it of a job")]
                std::thread::sleep(BEAT);
                if is_stopped.swap(false, Ordering::Relaxed) {
                    stop.now();
                }
                beat = (beat + 1) % BEATS;
                if beat == 0 {
                    let is_over =
                        || over.load(Ordering::Relaxed) || is_stopped.load(Ordering::Relaxed);
                    drain(&handles, now, &options, &is_over);
                }
            }
        };
        let thread = std::thread::Builder::new().name("drain".to_owned()).spawn(work);
        Ok(Drain { is_over, thread: Some(thread.context("start a thread")?) })
    }

    /// Ends it behind the job that it is at. A long transcript is not waited for: what is cut
    /// there is captured by the next one, as after a kill.
    pub(crate) fn end(mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let Some(thread) = self.thread.take() else { return };
        for _ in 0..BEATS {
            if thread.is_finished() {
                // One that panicked has said so.
                let _ = thread.join();
                return;
            }
            #[expect(clippy::disallowed_methods, reason = "a thread has no join with a limit")]
            std::thread::sleep(BEAT / 10);
        }
    }
}

/// Does what is there to be done, by the server's own handles.
fn drain(handles: &Handles, now: Option<Timestamp>, options: &Options, is_over: &dyn Fn() -> bool) {
    let Some(home) = environment::agents_home() else { return };
    let now = now.unwrap_or_else(|| SystemClock::new().now());
    let open = |dir: &Path| handles.open(dir, options.clone());
    let work = CatchUp::new(&home).beside(handles.dirs(), &open, is_over);
    let work = work.with(&background).then(&send_due_head);
    if let Err(error) = work.run(now) {
        tracing::warn!("learn what sessions taught: {error}");
    }
}
