use std::fmt;
use std::time::{Duration, Instant};

/// The steps of one command: each is announced, timed, and does not stop the next.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<Done>,
}

struct Done {
    name: &'static str,
    wall: Duration,
    outcome: Result<(), Failure>,
}

struct Failure {
    error: anyhow::Error,
    advice: &'static str,
}

impl Steps {
    /// Runs one step; `advice` tells what to do where it fails.
    pub(crate) fn step(
        &mut self,
        name: &'static str,
        advice: &'static str,
        run: impl FnOnce() -> anyhow::Result<()>,
    ) {
        println!("\n== {name}");
        let start = started();
        let outcome = run().map_err(|error| Failure { error, advice });
        let done = Done { name, wall: start.elapsed(), outcome };
        println!("{done}");
        self.done.push(done);
    }

    /// Prints the summary.
    ///
    /// # Errors
    /// A step failed; its advice is in the summary.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        println!("\n== summary");
        for done in &self.done {
            println!("{done}");
        }
        let failed = self.done.iter().filter(|done| done.outcome.is_err()).count();
        anyhow::ensure!(failed == 0, "{failed} of {} steps failed", self.done.len());
        Ok(())
    }
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.wall.as_secs_f64();
        match &self.outcome {
            Ok(()) => write!(f, "== {}: ok, {seconds:.1} s", self.name),
            Err(Failure { error, advice }) => write!(
                f,
                "== {}: FAILED, {seconds:.1} s\n   {error:#}\n   what to do: {advice}",
                self.name
            ),
        }
    }
}

/// Begins to measure a wall time that is reported.
#[expect(clippy::disallowed_methods, reason = "a wall time is what is reported")]
pub(crate) fn started() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_fails_the_command_and_not_the_next_step() {
        let mut steps = Steps::default();
        let mut reached = false;
        steps.step("first", "mend it", || anyhow::bail!("broken"));
        steps.step("second", "", || {
            reached = true;
            Ok(())
        });
        assert!(reached);
        let shown = steps.done.iter().map(Done::to_string).collect::<String>();
        assert!(shown.contains("broken") && shown.contains("what to do: mend it"), "{shown}");
        assert_eq!(steps.finish().unwrap_err().to_string(), "1 of 2 steps failed");
    }

    #[test]
    fn good_steps_succeed() {
        let mut steps = Steps::default();
        steps.step("only", "", || Ok(()));
        assert!(steps.finish().is_ok());
    }
}
