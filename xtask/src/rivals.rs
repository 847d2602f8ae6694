use anyhow::{Context, ensure};

use crate::cargo::{cargo, root, succeed};
use crate::programs::{OUTAGE, Programs};
use crate::report::{Row, Table};

/// Other stores under the campaigns on the real machine, beside Memlith: the same session,
/// the same kills and cuts, the same judge of what was acknowledged.
///
/// The control appends a line and syncs, and keeps what the system promises and no more:
/// what it loses, the campaign takes from every store.
#[derive(clap::Args)]
pub(crate) struct Rivals {
    /// Runs as long as for the figures that are quoted.
    #[arg(long)]
    long: bool,
}

/// Each store, and its program in `tests/rivals`; Memlith has its own.
const STORES: [(&str, Option<&str>); 4] = [
    ("memlith", None),
    ("SQLite, WAL, synchronous=FULL", Some("sqlite-victim")),
    ("redb, Durability::Immediate", Some("redb-victim")),
    ("control, append and sync", Some("append-victim")),
];

/// Each campaign's words in short, and in long.
const CAMPAIGNS: [(&str, &str); 5] = [
    ("kill 50", "kill 1000"),
    ("syscalls 4", "syscalls 24"),
    ("power 10 --on ext4", "power 200 --on ext4"),
    ("power 10 --on xfs", "power 200 --on xfs"),
    ("blocks 40", "blocks 0"),
];

impl Rivals {
    /// Runs every campaign on every store, one after the other, and prints the table.
    ///
    /// # Errors
    /// A program doesn't build, a campaign doesn't run, or Memlith came to harm.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let manifest = "tests/rivals/Cargo.toml";
        succeed(&mut cargo(&["build", "--quiet", "--release", "--manifest-path", manifest]))?;
        let outage = Programs::ordinary(&["--release", "--package=memlith-outage"])?;
        let (mut table, mut harmed) = (Table::default(), Vec::new());
        for (short, long) in CAMPAIGNS {
            let words = if self.long { long } else { short };
            for (store, program) in STORES {
                for row in told(&outage, words, program)? {
                    let row = row.of_store(store);
                    eprintln!("{row}");
                    harmed.extend((program.is_none() && row.harms() > 0).then_some(words));
                    table.rows.push(row);
                }
            }
        }
        println!("{table}");
        ensure!(harmed.is_empty(), "Memlith came to harm: {}", harmed.join(", "));
        Ok(())
    }
}

/// Runs Memlith's campaign, or that on another store's `program`, and returns its rows.
fn told(outage: &Programs, words: &str, program: Option<&str>) -> anyhow::Result<Vec<Row>> {
    let mut command = outage.command(OUTAGE)?;
    command.args(words.split(' '));
    if let Some(program) = program {
        command.arg("--program").arg(root().join("tests/rivals/target/release").join(program));
    }
    Row::told(&mut command).with_context(|| format!("{words}, {}", program.unwrap_or("memlith")))
}
