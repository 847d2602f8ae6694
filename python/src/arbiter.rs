use std::fmt;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use memlith::write::{Arbiter, ArbiterQuestion, Reply};
use pyo3::prelude::*;

/// A callable of Python that is asked where likeness leaves open what a write is.
///
/// It gets the words of the write, and of each row near it the id, the words and the cosine; it
/// answers `"add"`, `"skip"`, or the id of the row that the write takes the place of.
#[derive(FromPyObject)]
pub(crate) struct Callable {
    name: String,
    seconds: f64,
    #[pyo3(attribute("judge"))]
    call: Py<PyAny>,
}

impl fmt::Debug for Callable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callable").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Arbiter for Callable {
    fn name(&self) -> &str {
        &self.name
    }

    fn patience(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or_default()
    }

    /// Asks on a thread of its own: one that stalls is left to itself when the time is over.
    fn judge(&self, question: &ArbiterQuestion, within: Duration) -> Reply {
        let Some(call) = Python::try_attach(|py| Arc::new(self.call.clone_ref(py))) else {
            return Reply::Unavailable;
        };
        let rows = question.candidates.iter();
        let rows = rows.map(|row| (row.id.to_string(), row.text.clone(), of_one(row.cosine.0)));
        let asked = (question.write.clone(), rows.collect::<Vec<_>>());
        let (sender, replies) = mpsc::channel();
        let ask = move || {
            let reply = Python::try_attach(|py| reply(py, &call, asked));
            // Nobody waits any more where the time is over.
            let _ = sender.send(reply.unwrap_or(Reply::Unavailable));
        };
        match thread::Builder::new().name("arbiter".to_owned()).spawn(ask) {
            Ok(_) => replies.recv_timeout(within).unwrap_or(Reply::TimedOut),
            Err(_) => Reply::Unavailable,
        }
    }
}

/// A cosine of ten millionths as a number up to 1.
fn of_one(cosine: i32) -> f64 {
    f64::from(cosine) / 10_000_000.0
}

fn reply(py: Python<'_>, call: &Py<PyAny>, asked: (String, Vec<(String, String, f64)>)) -> Reply {
    match call.bind(py).call1(asked) {
        Ok(answer) => match answer.extract::<String>().as_deref() {
            Ok("add") => Reply::Add,
            Ok("skip") => Reply::Skip,
            Ok(id) => id.parse().map_or(Reply::Unreadable, Reply::Update),
            Err(_) => Reply::Unreadable,
        },
        Err(error) => {
            error.write_unraisable(py, Some(call.bind(py)));
            Reply::Failed(None)
        }
    }
}
