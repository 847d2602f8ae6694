use std::io;

use memlith::Timestamp;
use serde::{Deserialize, Serialize};

use crate::state_folder::StateFolder;

/// Where memory is switched off by the person: nothing is captured, nothing is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switch {
    off: Vec<Off>,
}

/// What is switched off, and until when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Off {
    /// What.
    pub what: What,
    /// Until when, in microseconds since 1970; for good where absent.
    pub until: Option<i64>,
}

/// What can be switched off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// Every hook.
    All,
    /// One project, by its name.
    Project(String),
    /// One session, by its client's name for it.
    Session(String),
}

const FILE: &str = "off.json";

impl Switch {
    /// What is switched off; nothing where the file is absent. A file that can't be read
    /// switches everything off: somebody wrote it to be left alone.
    #[must_use]
    pub fn read(state: &StateFolder) -> Switch {
        let Some(bytes) = state.read(FILE) else { return Switch::default() };
        serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Switch { off: vec![Off { what: What::All, until: None }] })
    }

    /// Whether a hook of this project and session does nothing at `now`.
    #[must_use]
    pub fn is_off(&self, project: &str, session: &str, now: Timestamp) -> bool {
        self.off.iter().any(|off| {
            off.until.is_none_or(|until| now.0 < until)
                && match &off.what {
                    What::All => true,
                    What::Project(name) => name == project,
                    What::Session(name) => name == session,
                }
        })
    }

    /// What is switched off at `now`.
    pub fn all(&self, now: Timestamp) -> impl Iterator<Item = &Off> {
        self.off.iter().filter(move |off| off.until.is_none_or(|until| now.0 < until))
    }

    /// Switches off.
    pub fn off(&mut self, what: What, until: Option<Timestamp>) {
        self.off.retain(|off| off.what != what);
        self.off.push(Off { what, until: until.map(|until| until.0) });
    }

    /// Switches on again; `None` switches on everything.
    pub fn on(&mut self, what: Option<&What>) {
        self.off.retain(|off| what.is_some_and(|what| off.what != *what));
    }

    /// Writes it down.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn save(&self, state: &StateFolder) -> io::Result<()> {
        state.write(FILE, &serde_json::to_vec(self)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_holds_for_what_it_names_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path().join("state"));
        let mut switch = Switch::read(&state);
        assert!(!switch.is_off("p", "s", Timestamp(5)));
        switch.off(What::Project("p".into()), Some(Timestamp(10)));
        switch.off(What::Session("s".into()), None);
        switch.save(&state).unwrap();
        let mut switch = Switch::read(&state);
        assert!(switch.is_off("p", "t", Timestamp(9)) && !switch.is_off("p", "t", Timestamp(10)));
        assert!(switch.is_off("q", "s", Timestamp(99)) && !switch.is_off("q", "t", Timestamp(0)));
        switch.on(Some(&What::Session("s".into())));
        assert!(!switch.is_off("q", "s", Timestamp(99)) && switch.is_off("p", "t", Timestamp(9)));
        switch.on(None);
        assert_eq!(switch, Switch::default());
    }

    #[test]
    fn what_cannot_be_read_is_off() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path().to_owned());
        state.write(FILE, b"{").unwrap();
        assert!(Switch::read(&state).is_off("p", "s", Timestamp(0)));
    }
}
