use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use serde::Serialize;

use crate::anchor::Anchors;
use crate::context::Context;
use crate::exit::Exit;
use crate::verb::Verb;

/// Write the tree under the head that was signed last as static tiles (C2SP tlog-tiles).
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith head tiles ./tiles")]
pub(crate) struct TilesArgs {
    /// The folder; files that are right already are left alone.
    dir: PathBuf,
}

#[derive(Serialize)]
struct TilesAnswer {
    dir: String,
    size: u64,
    tiles: usize,
    written: usize,
}

/// Hashes of a tile: a subtree of 2^8 nodes.
const TILE: u64 = 256;

impl Verb for TilesArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        tiles(&self, context)
    }
}

fn tiles(args: &TilesArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let signed = Anchors::of_user()?.signer()?.sign(&ledger)?;
    let (audit, size) = (ledger.audit(), signed.head.head().size);
    let mut answer =
        TilesAnswer { dir: args.dir.display().to_string(), size, tiles: 0, written: 0 };
    let mut put = |path: &str, bytes: &[u8]| -> Result<()> {
        let path = args.dir.join(path);
        answer.tiles += 1;
        if std::fs::read(&path).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        answer.written += 1;
        let folder = path.parent().unwrap_or(&args.dir);
        std::fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
        memlith_files::replace(&path, bytes).with_context(|| format!("write {}", path.display()))
    };
    let (mut level, mut nodes) = (0_u32, size);
    while nodes > 0 {
        for first in (0..nodes).step_by(usize::try_from(TILE)?) {
            let width = (nodes - first).min(TILE);
            let hashes = audit.nodes(&signed.tree, (size, level * 8), first..first + width)?;
            put(&tile_path(level, first / TILE, width), &hashes.concat())?;
        }
        (level, nodes) = (level + 1, nodes / TILE);
    }
    // The head last: whoever reads it finds its tiles.
    put("checkpoint", signed.head.to_string().as_bytes())?;
    let text = format!("{} tiles of {size} records, {} written", answer.tiles - 1, answer.written);
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}

/// The path of a tile: its number in groups of three digits, all but the last with an `x`.
///
/// Source: c2sp.org/tlog-tiles.
fn tile_path(level: u32, mut number: u64, width: u64) -> String {
    let mut name = format!("{:03}", number % 1_000);
    while number >= 1_000 {
        number /= 1_000;
        name = format!("x{:03}/{name}", number % 1_000);
    }
    let part = if width < TILE { format!(".p/{width}") } else { String::new() };
    format!("tile/{level}/{name}{part}")
}
