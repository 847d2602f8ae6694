use std::io;

use memlith::Timestamp;
use memlith::copy::Withheld;
use serde::{Deserialize, Serialize};

use crate::state_folder::StateFolder;

/// Where and when memory is switched off by the person: nothing is captured, nothing is given.
///
/// Times that are over are kept: what was said then stays out whenever a transcript is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switch {
    off: Vec<Off>,
}

/// A thing that is switched off, from when and until when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Off {
    /// The thing that is switched off.
    pub what: What,
    /// From when, in microseconds since 1970.
    pub from: i64,
    /// Until when, in microseconds since 1970; until it is switched on where absent.
    pub until: Option<i64>,
}

/// A thing that can be switched off.
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
    /// Reads what is switched off; nothing where the file is absent. A file that can't be read
    /// switches everything off: somebody wrote it to be left alone.
    #[must_use]
    pub fn read(settings: &StateFolder) -> Switch {
        let Some(bytes) = settings.read(FILE) else { return Switch::default() };
        let all = Off { what: What::All, from: i64::MIN, until: None };
        serde_json::from_slice(&bytes).unwrap_or_else(|_| Switch { off: vec![all] })
    }

    /// Whether a hook of this project and session does nothing at `now`.
    #[must_use]
    pub fn is_off(&self, project: &str, session: &str, now: Timestamp) -> bool {
        self.all(now).any(|off| match &off.what {
            What::All => true,
            What::Project(name) => name == project,
            What::Session(name) => name == session,
        })
    }

    /// Everything that is switched off at `now`.
    pub fn all(&self, now: Timestamp) -> impl Iterator<Item = &Off> {
        self.off.iter().filter(move |off| off.holds(now))
    }

    /// The times of which nothing may be taken in of a project's sessions.
    #[must_use]
    pub fn withheld(&self, project: &str) -> Vec<Withheld> {
        let times = self.off.iter().filter_map(|off| {
            let session = match &off.what {
                What::All => None,
                What::Project(name) if name == project => None,
                What::Project(_) => return None,
                What::Session(name) => Some(name.clone()),
            };
            let until = off.until.map(Timestamp);
            Some(Withheld { session, from: Timestamp(off.from), until })
        });
        times.collect()
    }

    /// Switches off from `now` on.
    pub fn off(&mut self, what: What, now: Timestamp, until: Option<Timestamp>) {
        self.on(Some(&what), now);
        self.off.push(Off { what, from: now.0, until: until.map(|until| until.0) });
    }

    /// Switches on again at `now`; `None` switches on everything.
    pub fn on(&mut self, what: Option<&What>, now: Timestamp) {
        for off in self.off.iter_mut().filter(|off| off.holds(now)) {
            if what.is_none_or(|what| off.what == *what) {
                off.until = Some(now.0);
            }
        }
    }

    /// Writes it down.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn save(&self, settings: &StateFolder) -> io::Result<()> {
        settings.write(FILE, &serde_json::to_vec(self)?)
    }
}

impl Off {
    fn holds(&self, now: Timestamp) -> bool {
        self.from <= now.0 && self.until.is_none_or(|until| now.0 < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_holds_for_what_it_names_until_it_ends_and_is_not_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path().join("state"));
        let mut switch = Switch::read(&state);
        assert!(!switch.is_off("p", "s", Timestamp(5)));
        switch.off(What::Project("p".into()), Timestamp(5), Some(Timestamp(10)));
        switch.off(What::Session("s".into()), Timestamp(5), None);
        switch.save(&state).unwrap();
        let mut switch = Switch::read(&state);
        assert!(switch.is_off("p", "t", Timestamp(9)) && !switch.is_off("p", "t", Timestamp(10)));
        assert!(switch.is_off("q", "s", Timestamp(99)) && !switch.is_off("q", "t", Timestamp(7)));
        switch.on(Some(&What::Session("s".into())), Timestamp(8));
        assert!(!switch.is_off("q", "s", Timestamp(9)) && switch.is_off("p", "t", Timestamp(9)));
        switch.on(None, Timestamp(9));
        assert_eq!(switch.all(Timestamp(9)).count(), 0);
        let time = |session: Option<&str>, until| Withheld {
            session: session.map(str::to_owned),
            from: Timestamp(5),
            until: Some(Timestamp(until)),
        };
        assert_eq!(switch.withheld("p"), [time(None, 9), time(Some("s"), 8)]);
        assert_eq!(switch.withheld("q"), [time(Some("s"), 8)]);
    }

    #[test]
    fn what_cannot_be_read_is_off() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path().to_owned());
        state.write(FILE, b"{").unwrap();
        assert!(Switch::read(&state).is_off("p", "s", Timestamp(0)));
    }
}
