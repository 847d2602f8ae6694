use std::fmt;

use serde_json::{Value, json};

/// Result of one campaign: a line of the table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    /// The campaign.
    pub(crate) name: String,
    /// Faults, kills or cuts that were tried.
    pub(crate) tried: u64,
    /// Of these, how often an error was reported and nothing else.
    pub(crate) refused: u64,
    /// After how many of them something acknowledged was gone.
    pub(crate) lost: u64,
    /// After how many of them something was there that can't be.
    pub(crate) wrong: u64,
    /// After how many of them the ledger did not open any more.
    pub(crate) unopened: u64,
    /// Why it was not run, in the words of the user.
    pub(crate) skipped: Option<String>,
    /// Descriptions of the first few cases that went wrong.
    pub(crate) stories: Vec<String>,
    /// Anything else worth a word.
    pub(crate) note: String,
    /// Wall time in milliseconds.
    pub(crate) wall_ms: u64,
}

/// Maximum number of stories that are told; the rest is counted.
const STORIES_MAX: usize = 5;

impl Row {
    /// A campaign that has tried nothing yet.
    pub(crate) fn new(name: impl Into<String>) -> Row {
        Row { name: name.into(), ..Row::default() }
    }

    /// A campaign that this machine can't run.
    pub(crate) fn skipped(name: impl Into<String>, why: impl Into<String>) -> Row {
        Row { skipped: Some(why.into()), ..Row::new(name) }
    }

    /// Keeps what is needed to see it again.
    pub(crate) fn tell(&mut self, story: String) {
        if self.stories.len() < STORIES_MAX {
            self.stories.push(story);
        }
    }

    /// Takes in what another part of the same campaign found.
    pub(crate) fn add(&mut self, other: Row) {
        self.tried += other.tried;
        self.refused += other.refused;
        self.lost += other.lost;
        self.wrong += other.wrong;
        self.unopened += other.unopened;
        other.stories.into_iter().for_each(|story| self.tell(story));
    }

    /// Whether nothing was lost, wrong or shut.
    pub(crate) fn is_sound(&self) -> bool {
        self.lost + self.wrong + self.unopened == 0
    }

    /// The row as an object.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "name": self.name, "tried": self.tried, "refused": self.refused,
            "lost": self.lost, "wrong": self.wrong, "unopened": self.unopened,
            "skipped": self.skipped, "stories": self.stories, "note": self.note,
            "wall_ms": self.wall_ms,
        })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(why) = &self.skipped {
            return write!(f, "{:<28} SKIPPED: {why}", self.name);
        }
        let seconds = self.wall_ms / 1000;
        write!(
            f,
            "{:<28} {:>7} tried, {} refused; {} lost, {} wrong, {} unopened; {seconds} s",
            self.name, self.tried, self.refused, self.lost, self.wrong, self.unopened
        )?;
        if !self.note.is_empty() {
            write!(f, "; {}", self.note)?;
        }
        for story in &self.stories {
            write!(f, "\n    {story}")?;
        }
        Ok(())
    }
}
