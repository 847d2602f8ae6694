use std::collections::BTreeSet;

use anyhow::{Context, ensure};

use crate::cargo::{cargo, output, root};
use crate::planted::bug::{Bug, REGISTRY};

/// Strings that every sabotaged program holds beside the names of the bugs.
const SIGNS: [&str; 2] = ["MEMLITH_PLANTED", "planted_is"];

/// Builds the binary that is shipped and looks for planted bugs in its symbols and bytes.
///
/// # Errors
/// It doesn't build, or it holds one.
pub(crate) fn absent() -> anyhow::Result<()> {
    let text = std::fs::read_to_string(root().join(REGISTRY)).context(REGISTRY)?;
    let names = Bug::lines(&text).filter_map(|(_, bug)| bug.map(|bug| bug.name));
    let signs: BTreeSet<String> = names.chain(SIGNS.map(str::to_owned)).collect();
    output(&mut cargo(&["build", "--release", "--quiet", "--package=memlith-cli"]))?;
    let binary = root().join("target/release/memlith");
    let bytes = std::fs::read(&binary).with_context(|| binary.display().to_string())?;
    let held = held(&bytes, &signs);
    ensure!(held.is_empty(), "{} holds planted bugs: {held:?}", binary.display());
    println!(
        "{}: {} bytes, symbols included, and none of {} signs of planted bugs",
        binary.display(),
        bytes.len(),
        signs.len()
    );
    Ok(())
}

/// The signs that `bytes` holds.
fn held<'a>(bytes: &[u8], signs: &'a BTreeSet<String>) -> Vec<&'a str> {
    // A byte that no sign begins with is passed over for all of them at once.
    let first: BTreeSet<u8> = signs.iter().filter_map(|sign| sign.bytes().next()).collect();
    let mut held = BTreeSet::new();
    for (at, byte) in bytes.iter().enumerate().filter(|(_, byte)| first.contains(byte)) {
        let rest = bytes.get(at..).unwrap_or_default();
        held.extend(
            signs
                .iter()
                .filter(|sign| sign.as_bytes().first() == Some(byte))
                .filter(|sign| rest.starts_with(sign.as_bytes()))
                .map(String::as_str),
        );
    }
    held.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_found_wherever_it_is() {
        let signs = BTreeSet::from(["folder-sync".to_owned(), "planted_is".to_owned()]);
        assert_eq!(held(b"\0\xfffolder-synx_ZN7planted_i", &signs), [] as [&str; 0]);
        assert_eq!(held(b"\0folder-sync", &signs), ["folder-sync"]);
        assert_eq!(held(b"_ZN11planted_is17h0E", &signs), ["planted_is"]);
    }
}
