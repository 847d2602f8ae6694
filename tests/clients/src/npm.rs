use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use crate::cargo::{root, succeed};

/// Programs of other people, as npm has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fetched {
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
    /// Returns the folder of the programs, and fetches them where they aren't there yet.
    ///
    /// # Errors
    /// npm is absent or can't fetch them, or the folder can't be written.
    pub(crate) fn programs(self) -> anyhow::Result<PathBuf> {
        let folder = root().join("target").join(self.folder);
        let programs = folder.join("node_modules/.bin");
        if self.programs.iter().all(|program| programs.join(program).exists()) {
            return Ok(programs);
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
            // Half of them would be taken for all the next time.
            let _ = fs::remove_dir_all(folder.join("node_modules"));
            return Err(error.context(format!("fetch {} with npm", self.packages.join(" "))));
        }
        Ok(programs)
    }
}
