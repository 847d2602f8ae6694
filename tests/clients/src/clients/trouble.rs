//! Ledgers that can't be used: the turn ends as without memory.

use std::fs::{self, File};
use std::path::Path;

use anyhow::ensure;

use super::scene::Scene;

/// Where the person's own ledger lies.
pub(crate) const LEDGER: &str = "home/.local/share/memlith";

/// A damaged ledger, none, one that another process holds, and one without room.
///
/// # Errors
/// A turn does not end, or what was missed is not captured later.
pub(crate) fn costs_no_turn(scene: &Scene, settings: &Path) -> anyhow::Result<()> {
    damaged_and_gone(scene)?;
    locked(scene)?;
    full(scene, settings)
}

fn damaged_and_gone(scene: &Scene) -> anyhow::Result<()> {
    let ledger = scene.at(LEDGER);
    let segment = ledger.join("seg-0000000000");
    let bytes = fs::read(&segment)?;
    let mut damaged = bytes.clone();
    damaged.iter_mut().skip(16).take(1).for_each(|byte| *byte ^= 1);
    fs::write(&segment, damaged)?;
    scene.session("shop", "Anything new?")?;
    fs::write(&segment, bytes)?;
    let today = scene.memlith(&["agent", "status"])?;
    ensure!(today.contains("a hook failed"), "today says nothing of it:\n{today}");
    fs::rename(&ledger, scene.at("aside"))?;
    scene.session("shop", "Anything else?")?;
    fs::rename(scene.at("aside"), &ledger)?;
    Ok(())
}

/// Another process writes the whole time; what was said meanwhile is captured once it is done.
fn locked(scene: &Scene) -> anyhow::Result<()> {
    let said = "We lock the shed with a brass padlock.";
    let lock = File::options().write(true).open(scene.at(LEDGER).join("LOCK"))?;
    lock.lock()?;
    scene.session("shop", said)?;
    let log = scene.memlith(&["list", "events"])?;
    ensure!(!log.contains(said), "captured although another process had the lock:\n{log}");
    lock.unlock()?;
    captured_later(scene, said)
}

/// No file of the ledger can grow; what was said meanwhile is captured once one can.
fn full(scene: &Scene, settings: &Path) -> anyhow::Result<()> {
    let said = "We oil the shed door in spring.";
    let program = scene.program_name();
    // Nothing is written behind 4 blocks of a file, as on a full disk; small notes can be made.
    let limited = scene.at("limited");
    fs::write(&limited, format!("#!/bin/sh\ntrap '' XFSZ\nulimit -f 4\nexec {program} \"$@\"\n"))?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&limited, mode)?;
    let before = fs::read_to_string(settings)?;
    let with_limit = before.replace(&program, &limited.display().to_string());
    ensure!(with_limit != before, "the settings don't name the program:\n{before}");
    fs::write(settings, with_limit)?;
    scene.session("shop", said)?;
    let log = scene.memlith(&["list", "events"])?;
    ensure!(!log.contains(said), "captured although there was no room:\n{log}");
    fs::write(settings, before)?;
    scene.memlith(&["verify", "--full"])?;
    captured_later(scene, said)
}

/// A process that captures what is left waits ten seconds at most for a lock.
const TRIES: u32 = 1_000;

/// Does the capturing that hooks leave to a process that nobody waits for.
fn captured_later(scene: &Scene, said: &str) -> anyhow::Result<()> {
    let mut log = String::new();
    for _ in 0..TRIES {
        // One at a time is at it: where a hook has started one, this one leaves it to that.
        scene.memlith(&["agent", "hook", scene.client_name(), "--catch-up"])?;
        log = scene.memlith(&["list", "events"])?;
        if log.contains(said) {
            break;
        }
    }
    ensure!(log.matches(said).count() == 1, "not captured once, later: {said}\n{log}");
    Ok(())
}
