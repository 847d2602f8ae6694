use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::cargo::{cargo, output, root, succeed};

/// Makes the archive that people install from: the program with every feature, its completions
/// and its man pages, as `target/dist/memlith-VERSION-TARGET.tar.gz`.
///
/// # Errors
/// It doesn't build, or the archive can't be written.
pub(crate) fn run() -> Result<()> {
    let target = target()?;
    let built = ["--locked", "--package=memlith-cli", "--features=full"];
    succeed(cargo(&["build", "--profile=dist", "--bin=memlith"]).args(built))?;
    let name = format!("memlith-{}-{target}", env!("CARGO_PKG_VERSION"));
    let dist = root().join("target/dist");
    let folder = dist.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("empty {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
    let pages = folder.display().to_string();
    succeed(cargo(&["run", "--quiet", "--example=pages"]).args(built).args(["--", &pages]))?;
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&root().join(file), &folder.join(file))?;
    }
    copy(&dist.join("memlith"), &folder.join("memlith"))?;
    let archive = dist.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.arg("--create").arg("--gzip").arg("--file").arg(&archive);
    succeed(tar.arg("--directory").arg(&dist).arg(&name))?;
    let (size, packed) = (len(&folder.join("memlith"))?, len(&archive)?);
    println!("{}: {packed} bytes, the program {size} bytes", archive.display());
    Ok(())
}

/// The machine that this compiler builds for.
fn target() -> Result<String> {
    let said = output(Command::new("rustc").arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc says no host")
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("copy {}", from.display()))?;
    Ok(())
}

fn len(path: &Path) -> Result<u64> {
    let metadata = fs::metadata(path).with_context(|| format!("look at {}", path.display()))?;
    Ok(metadata.len())
}
