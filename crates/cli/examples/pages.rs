//! Writes the man pages and the completions of every shell into a folder, for an archive.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_complete::Shell;
use memlith_cli::Cli;

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).context("name a folder")?;
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    for folder in [&man, &completions] {
        fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    }
    clap_mangen::generate_to(Cli::command(), &man).context("write the man pages")?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut Cli::command(), "memlith", &completions)
            .context("write completions")?;
    }
    Ok(())
}
