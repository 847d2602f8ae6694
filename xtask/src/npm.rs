use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::cargo::{root, succeed};

/// Programs of other people, as npm has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fetched {
    /// What they are, as a sentence that skips them says it.
    pub(crate) what: &'static str,
    /// The folder below `target` that they are kept in.
    pub(crate) folder: &'static str,
    /// The packages and their versions.
    pub(crate) packages: &'static [&'static str],
    /// The programs in them.
    pub(crate) programs: &'static [&'static str],
}

/// Fetching takes no longer.
const FETCH_SECONDS: &str = "120";

impl Fetched {
    /// The folder of the programs, fetched where they aren't there yet; `None` where they can't
    /// be had here, which it says.
    ///
    /// # Errors
    /// The folder can't be written.
    pub(crate) fn programs(self) -> anyhow::Result<Option<PathBuf>> {
        let folder = root().join("target").join(self.folder);
        let programs = folder.join("node_modules/.bin");
        if self.programs.iter().all(|program| programs.join(program).exists()) {
            return Ok(Some(programs));
        }
        let what = self.what;
        let mut npm = Command::new("npm");
        if npm.arg("--version").stdout(Stdio::null()).status().is_err() {
            println!("SKIPPED: npm is not installed, {what} not run");
            return Ok(None);
        }
        fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
        let mut install = Command::new("timeout");
        install.args(["--kill-after=5", FETCH_SECONDS, "npm"]);
        install.args(["install", "--silent", "--no-fund", "--no-audit"]).args(self.packages);
        // Without a package of its own npm looks for one above.
        let own = folder.join("package.json");
        fs::write(&own, "{\"private\":true}\n")
            .with_context(|| format!("write {}", own.display()))?;
        if let Err(error) = succeed(install.current_dir(&folder)) {
            println!("SKIPPED: {what} not run, as they can't be fetched: {error:#}");
            // Half of them would be taken for all the next time.
            let _ = fs::remove_dir_all(folder.join("node_modules"));
            return Ok(None);
        }
        Ok(Some(programs))
    }
}
