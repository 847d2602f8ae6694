use memlith_log::Seq;
use serde::{Deserialize, Serialize};

use crate::Text;

/// A way of doing something that a job was told of, or saw.
///
/// The records it rests on are the envelope's links [`RestsOn`](crate::LinkKind::RestsOn). It is
/// no memory: what is told often enough is proposed as a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Taught<'a> {
    /// The job.
    pub job: Seq,
    /// A short name; may be empty.
    #[serde(borrow)]
    pub name: Text<'a>,
    /// When to use it; may be empty.
    pub trigger: Text<'a>,
    /// The conditions that have to hold before.
    pub preconditions: Vec<Text<'a>>,
    /// The steps, in the order that they are done.
    pub steps: Vec<Text<'a>>,
    /// The things that go wrong easily.
    pub gotchas: Vec<Text<'a>>,
    /// How to tell that it went well.
    pub success_criteria: Vec<Text<'a>>,
    /// Whether it was seen to go well, to fail, or neither.
    pub verified: Option<bool>,
}

impl<'a> Taught<'a> {
    /// Visits every string.
    pub(crate) fn each_text_mut(&mut self, visit: &mut dyn FnMut(&mut Text<'a>)) {
        visit(&mut self.name);
        visit(&mut self.trigger);
        let lists = [
            &mut self.preconditions,
            &mut self.steps,
            &mut self.gotchas,
            &mut self.success_criteria,
        ];
        lists.into_iter().flatten().for_each(visit);
    }

    /// Copies the telling, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Taught<'static> {
        let owned = |list: Vec<Text<'a>>| list.into_iter().map(Text::into_owned).collect();
        Taught {
            job: self.job,
            name: self.name.into_owned(),
            trigger: self.trigger.into_owned(),
            preconditions: owned(self.preconditions),
            steps: owned(self.steps),
            gotchas: owned(self.gotchas),
            success_criteria: owned(self.success_criteria),
            verified: self.verified,
        }
    }
}
