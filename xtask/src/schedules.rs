use crate::cargo::{cargo, root, succeed};
use crate::step::Steps;

/// The interleavings of threads over one handle, explored by loom and by shuttle.
///
/// Each explorer takes the place of the locks by a `cfg`, which changes every crate: each
/// has its own target folder, so that neither disturbs an ordinary build.
#[derive(clap::Args)]
pub(crate) struct Schedules {
    /// Explores up to the bounds of a release.
    #[arg(long)]
    long: bool,
}

impl Schedules {
    /// Builds and runs both explorers.
    ///
    /// # Errors
    /// A failed build, or a schedule in which something does not hold; shuttle prints the
    /// schedule, loom the panic.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let mut steps = Steps::default();
        for explorer in ["loom", "shuttle"] {
            let advice = "mend what the panic names; shuttle prints the schedule it happened in";
            steps.step(explorer, advice, || self.explore(explorer));
        }
        steps.finish()
    }

    fn explore(&self, explorer: &str) -> anyhow::Result<()> {
        let mut run = cargo(&["run", "--quiet", "--package", "memlith-schedules"]);
        run.env("RUSTFLAGS", format!("--cfg {explorer}")).env_remove("CARGO_ENCODED_RUSTFLAGS");
        run.env("CARGO_TARGET_DIR", root().join("target/schedules").join(explorer));
        if self.long {
            run.args(["--", "long"]);
        }
        succeed(&mut run)
    }
}
