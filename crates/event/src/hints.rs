use serde::{Deserialize, Serialize};

use crate::Text;

/// Hints on the work of one who asks: items that have to do with it come a little earlier.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hints<'a> {
    /// The aim of all the work.
    #[serde(borrow)]
    pub mission: Option<Text<'a>>,
    /// Where: a folder, a repository.
    pub workspace: Option<Text<'a>>,
    /// With what.
    pub tool: Option<Text<'a>>,
    /// How far it is.
    pub phase: Option<Text<'a>>,
}

/// The names of the hints, in order.
pub const HINT_NAMES: [&str; 4] = ["mission", "workspace", "tool", "phase"];

impl Hints<'_> {
    /// The hints that are given, with their names, in a fixed order.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let hints = [&self.mission, &self.workspace, &self.tool, &self.phase];
        HINT_NAMES.into_iter().zip(hints).filter_map(|(name, hint)| Some((name, hint.as_deref()?)))
    }

    /// Whether none is given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.each().next().is_none()
    }

    /// Copies the hints, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Hints<'static> {
        Hints {
            mission: self.mission.map(Text::into_owned),
            workspace: self.workspace.map(Text::into_owned),
            tool: self.tool.map(Text::into_owned),
            phase: self.phase.map(Text::into_owned),
        }
    }
}

impl<'a> Hints<'a> {
    /// The place of the hint of this name; `None` where no hint has it.
    pub fn named_mut(&mut self, name: &str) -> Option<&mut Option<Text<'a>>> {
        match name {
            "mission" => Some(&mut self.mission),
            "workspace" => Some(&mut self.workspace),
            "tool" => Some(&mut self.tool),
            "phase" => Some(&mut self.phase),
            _ => None,
        }
    }

    /// Every hint that is given, to be changed.
    pub fn each_mut(&mut self) -> impl Iterator<Item = &mut Text<'a>> {
        let hints = [&mut self.mission, &mut self.workspace, &mut self.tool, &mut self.phase];
        hints.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_is_found_by_its_name() {
        let mut hints = Hints::default();
        assert!(hints.is_empty());
        for name in HINT_NAMES {
            *hints.named_mut(name).unwrap() = Some(format!("a {name}").into());
        }
        assert!(hints.named_mut("mood").is_none());
        let each: Vec<_> = hints.each().map(|(name, hint)| (name, hint.to_owned())).collect();
        assert_eq!(each, HINT_NAMES.map(|name| (name, format!("a {name}"))));
    }
}
