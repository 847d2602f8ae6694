//! `memlith jobs run --with` against a model server that others wrote.

mod scene;
mod stub;

use anyhow::Context;

use crate::cargo::memlith;
use crate::npm::Fetched;
use scene::{Expected, Scene};
use stub::Stub;

/// A server for tests with the chat completions of OpenAI's interface.
const SERVER: Fetched =
    Fetched { folder: "chat", packages: &["@dwmkerr/mock-llm@0.1.29"], programs: &["mock-llm"] };

/// Scenes that are played: the models of the settings, and the expected end of one session.
const SCENES: [(&[&str], Expected); 8] = [
    (&["plain"], Expected::Learned),
    (&["prose"], Expected::Learned),
    (&["wordy"], Expected::Learned),
    (&["gone", "plain"], Expected::Learned),
    (&["gone"], Expected::Retried("answered 404")),
    (&["busy", "plain"], Expected::Retried("answered 429")),
    (&["broken"], Expected::Retried("answered 500")),
    (&["silent"], Expected::Retried("reply is empty")),
];

/// Plays each scene with a ledger of its own.
///
/// # Errors
/// The server can't be fetched, or something else came of a session.
pub(crate) fn run() -> anyhow::Result<()> {
    let programs = SERVER.programs()?;
    let memlith = memlith()?;
    let stub = Stub::start(&programs)?;
    for (models, expected) in SCENES {
        let scene = Scene::new(&memlith, &stub, models)?;
        scene.play(expected).with_context(|| format!("models {models:?}"))?;
    }
    println!("an independent model server: {} scenes passed", SCENES.len());
    Ok(())
}
