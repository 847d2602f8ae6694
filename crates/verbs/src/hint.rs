use memlith::{Hints, read::HINT_NAMES};

/// Reads a hint as `NAME=TEXT`.
pub(crate) fn parse(text: &str) -> Result<(&'static str, String), String> {
    let (name, hint) = text.split_once('=').unwrap_or((text, ""));
    let known = HINT_NAMES.into_iter().find(|known| *known == name);
    match known {
        Some(name) if !hint.trim().is_empty() => Ok((name, hint.to_owned())),
        Some(_) | None => {
            Err(format!("a hint is NAME=TEXT, with the name one of {}", HINT_NAMES.join(", ")))
        }
    }
}

/// All hints together; of one that is given twice the last counts.
pub(crate) fn all(given: Vec<(&'static str, String)>) -> Hints<'static> {
    let mut hints = Hints::default();
    for (name, text) in given {
        if let Some(hint) = hints.named_mut(name) {
            *hint = Some(text.into());
        }
    }
    hints
}
