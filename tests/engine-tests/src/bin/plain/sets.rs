//! The files of `tests/engine-tests/plain`.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Outcome;
use crate::arguments::Arguments;

/// Two statements, one after the other: a line of `stand.jsonl` or `change.jsonl`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pair {
    pub(crate) old: String,
    pub(crate) new: String,
    /// Which kind of pair it is.
    pub(crate) why: String,
    /// Speakers of the one and the other, as `--as` takes them.
    old_as: Option<String>,
    new_as: Option<String>,
    /// Where, as `--scope` takes it.
    old_scope: Option<String>,
    new_scope: Option<String>,
    /// Texts said before both, in the place of the second one, which have to stand.
    #[serde(default)]
    pub(crate) beside: Vec<String>,
}

/// A change in anybody's words, and a question: a line of `fresh.jsonl`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Told {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) question: String,
    /// Which kind of change it is.
    pub(crate) why: String,
}

/// `week.json`: what was said in a week, and what is asked at its end.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Week {
    pub(crate) said: Vec<OnADay>,
    pub(crate) questions: Vec<WeekQuestion>,
}

/// A sentence of the week.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnADay {
    /// By what questions name it.
    pub(crate) id: String,
    /// 1 is Monday.
    pub(crate) day: i64,
    pub(crate) text: String,
    #[serde(rename = "as")]
    speaker: Option<String>,
    /// The sentences that it ends.
    #[serde(default)]
    pub(crate) ends: Vec<String>,
}

/// A question at the end of the week.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WeekQuestion {
    pub(crate) question: String,
    /// The sentences any of which answers it.
    pub(crate) right: Vec<String>,
    /// The sentences that say what is no longer so.
    #[serde(default)]
    pub(crate) stale: Vec<String>,
    /// Words by which the rendering of any other item answers it as well.
    pub(crate) answer: Option<String>,
    pub(crate) why: String,
    #[serde(rename = "as")]
    asker: Option<String>,
}

/// Speaker, and the scope that they speak in.
#[derive(Clone, Copy, Default)]
pub(crate) struct Voice<'a> {
    pub(crate) speaker: Option<&'a str>,
    pub(crate) scope: Option<&'a str>,
}

impl Pair {
    pub(crate) fn old_voice(&self) -> Voice<'_> {
        Voice { speaker: self.old_as.as_deref(), scope: self.old_scope.as_deref() }
    }

    pub(crate) fn new_voice(&self) -> Voice<'_> {
        Voice { speaker: self.new_as.as_deref(), scope: self.new_scope.as_deref() }
    }

    /// The pair on one line.
    pub(crate) fn text(&self) -> String {
        let said = |voice: Voice<'_>, text: &str| {
            let parts = [voice.scope, voice.speaker, Some(text)];
            parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
        };
        let (old, new) = (said(self.old_voice(), &self.old), said(self.new_voice(), &self.new));
        format!("{old} | {new}  ({})", self.why)
    }
}

impl OnADay {
    pub(crate) fn voice(&self) -> Voice<'_> {
        Voice { speaker: self.speaker.as_deref(), scope: None }
    }
}

impl WeekQuestion {
    pub(crate) fn voice(&self) -> Voice<'_> {
        Voice { speaker: self.asker.as_deref(), scope: None }
    }
}

/// The first lines of the set `name` in `folder`.
pub(crate) fn lines<T: DeserializeOwned>(
    name: &str,
    folder: &Path,
    first: usize,
) -> Outcome<Vec<T>> {
    let path = folder.join(name);
    let text = read(&path)?;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()).take(first) {
        let line = serde_json::from_str(line)
            .map_err(|error| format!("{} line {number}: {error}", path.display()))?;
        lines.push(line);
    }
    Ok(lines)
}

/// The week.
pub(crate) fn week(arguments: &Arguments) -> Outcome<Week> {
    let path = arguments.sets.join("week.json");
    serde_json::from_str(&read(&path)?)
        .map_err(|error| format!("{}: {error}", path.display()).into())
}

fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()).into())
}
