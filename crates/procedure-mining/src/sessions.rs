use std::collections::BTreeMap;
use std::ops::Range;

use memlith_log::Seq;

use crate::{Call, Ending, Error};

/// The sessions, step by step, in columns.
///
/// Words are kept once and numbered. A step has some twenty bytes.
#[derive(Clone, Debug)]
pub struct Sessions {
    steps_max: usize,
    words: Words,
    runs: Vec<Run>,
    verbs: Vec<Word>,
    parameters: Vec<Word>,
    seqs: Vec<Seq>,
    outcomes: Vec<Option<bool>>,
}

/// One step of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// The record that it was taken from; the parts of one command line share it.
    pub seq: Seq,
    /// The action: a tool, or a program and its subcommand.
    pub verb: &'a str,
    /// The kinds of things it was done with, as placeholders and flags.
    pub parameters: &'a str,
    /// Whether it went well, where the source says.
    pub ok: Option<bool>,
}

/// The number of a word within its sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Word(pub(crate) u32);

/// One session.
#[derive(Clone, Debug)]
struct Run {
    name: String,
    ending: Ending,
    first: usize,
}

/// Words by number and numbers by word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    texts: Vec<String>,
    numbers: BTreeMap<String, Word>,
}

impl Sessions {
    /// The most sessions.
    pub const SESSIONS_MAX: usize = 1 << 20;
    /// The most steps of all sessions together.
    pub const STEPS_MAX: usize = 1 << 24;
    /// The most bytes of a session's name, a verb or parameters; what is longer is cut.
    pub const TEXT_MAX: usize = 256;

    /// Begins a session: the steps that follow are its.
    ///
    /// # Errors
    /// There are [`Sessions::SESSIONS_MAX`] already.
    pub fn begin(&mut self, name: &str, ending: Ending) -> Result<(), Error> {
        if self.runs.len() >= Sessions::SESSIONS_MAX {
            return Err(Error::TooManySessions { limit: Sessions::SESSIONS_MAX });
        }
        let name = cut(name).to_owned();
        self.runs.push(Run { name, ending, first: self.verbs.len() });
        Ok(())
    }

    /// Adds a step to the session that was begun last.
    ///
    /// # Errors
    /// No session was begun, or there are [`Sessions::STEPS_MAX`] steps already.
    pub fn push(&mut self, step: Step<'_>) -> Result<(), Error> {
        if self.runs.is_empty() {
            return Err(Error::NoSession);
        }
        if self.verbs.len() >= self.steps_max {
            return Err(Error::TooManySteps { limit: self.steps_max });
        }
        let verb = self.words.number(cut(step.verb));
        let parameters = self.words.number(cut(step.parameters));
        self.verbs.push(verb);
        self.parameters.push(parameters);
        self.seqs.push(step.seq);
        self.outcomes.push(step.ok);
        Ok(())
    }

    /// Adds the steps of a call, as [`Call::steps`] has them.
    ///
    /// What a command line said of itself holds for its parts as [`Call::ok`] says.
    ///
    /// # Errors
    /// As [`Sessions::push`].
    pub fn push_calls(&mut self, seq: Seq, calls: &[Call], ok: Option<bool>) -> Result<(), Error> {
        for call in calls {
            let ok = call.ok(ok);
            self.push(Step { seq, verb: &call.verb, parameters: &call.parameters, ok })?;
        }
        Ok(())
    }

    /// How many sessions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// How many steps there are in all sessions.
    #[must_use]
    pub fn steps_len(&self) -> usize {
        self.verbs.len()
    }

    /// The name of a session; nothing of one that isn't there.
    #[must_use]
    pub fn name(&self, session: usize) -> &str {
        self.runs.get(session).map_or("", |run| &run.name)
    }

    /// How a session ended; unknown of one that isn't there.
    #[must_use]
    pub fn ending(&self, session: usize) -> Ending {
        self.runs.get(session).map_or(Ending::Unknown, |run| run.ending)
    }

    /// The steps of a session in order; none of one that isn't there.
    pub fn steps(&self, session: usize) -> impl Iterator<Item = Step<'_>> + '_ {
        self.range(session).filter_map(|place| self.step(place))
    }

    /// The places of a session's steps among all steps.
    pub(crate) fn range(&self, session: usize) -> Range<usize> {
        let end = self.verbs.len();
        let first = self.runs.get(session).map_or(end, |run| run.first);
        first..self.runs.get(session + 1).map_or(end, |run| run.first)
    }

    pub(crate) fn step(&self, place: usize) -> Option<Step<'_>> {
        Some(Step {
            seq: *self.seqs.get(place)?,
            verb: self.text(*self.verbs.get(place)?),
            parameters: self.text(*self.parameters.get(place)?),
            ok: *self.outcomes.get(place)?,
        })
    }

    pub(crate) fn verb(&self, place: usize) -> Option<Word> {
        self.verbs.get(place).copied()
    }

    pub(crate) fn parameters(&self, place: usize) -> Option<Word> {
        self.parameters.get(place).copied()
    }

    pub(crate) fn ok(&self, place: usize) -> Option<bool> {
        self.outcomes.get(place).copied().flatten()
    }

    pub(crate) fn text(&self, word: Word) -> &str {
        self.words.text(word)
    }

    /// How many words there are; their numbers are below.
    pub(crate) fn words_len(&self) -> usize {
        self.words.texts.len()
    }
}

impl Default for Sessions {
    fn default() -> Sessions {
        Sessions {
            steps_max: Sessions::STEPS_MAX,
            words: Words::default(),
            runs: Vec::new(),
            verbs: Vec::new(),
            parameters: Vec::new(),
            seqs: Vec::new(),
            outcomes: Vec::new(),
        }
    }
}

impl Words {
    pub(crate) fn text(&self, word: Word) -> &str {
        self.texts.get(word.0 as usize).map_or("", String::as_str)
    }

    pub(crate) fn number(&mut self, text: &str) -> Word {
        if let Some(word) = self.numbers.get(text) {
            return *word;
        }
        // There are two words a step at most, and 2^24 steps.
        let word = Word(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), word);
        word
    }
}

/// The first bytes of a text, at most [`Sessions::TEXT_MAX`], in whole characters.
pub(crate) fn cut(text: &str) -> &str {
    let end = text.floor_char_boundary(Sessions::TEXT_MAX);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests;
