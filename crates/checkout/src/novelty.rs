use memlith_event::{Event, MemoryEvent};
use memlith_log::{RecordId, Seq};
use memlith_memory::{Item, Sight, Visibility};
use memlith_recall::{Likeness, Wording};

use crate::bodies::read;
use crate::{Ask, Error, View};

/// What a text adds to the memories that its scope sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Novelty {
    /// Nothing that is remembered says the same, as far as that was looked for.
    #[default]
    Novel,
    /// This memory says part of it, or more than it.
    Reinforcing(RecordId),
    /// This memory says all of it.
    Redundant(RecordId),
}

/// So many memories are read and compared, those that have most of the text's rarest terms.
///
/// Several, since the best by terms may differ in a number or a negation.
pub const COMPARED_MAX: usize = 8;

impl Novelty {
    /// The name that is printed.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Novelty::Novel => "novel",
            Novelty::Reinforcing(_) => "reinforcing",
            Novelty::Redundant(_) => "redundant",
        }
    }

    /// The memory that says it, if there is one.
    #[must_use]
    pub fn of(self) -> Option<RecordId> {
        match self {
            Novelty::Novel => None,
            Novelty::Reinforcing(id) | Novelty::Redundant(id) => Some(id),
        }
    }
}

/// What the text of `ask` adds to what may be shown of the memories that its scope sees.
///
/// Records and what is derived say nothing here: that something was said, or summed up, is
/// no memory of it. Of several memories that say all of it the first written is named.
///
/// Source: `docs/model.md`, "Novelty". Cost: bounded, however long the log: what
/// [`memlith_recall::Recall::alike`] costs, and the bodies of [`COMPARED_MAX`] memories.
///
/// # Errors
/// [`Error`]: an empty or endless text.
pub fn novelty(view: &View<'_>, ask: &Ask<'_>) -> Result<Novelty, Error> {
    ask.check()?;
    let sight = Sight::of(ask.scope);
    let tells = |seq: Seq| {
        let item = view.memory.item(seq)?;
        let shown = || view.memory.visibility(&item, ask.now, true);
        let may = sight.has(&item) && !item.is_record() && !item.is_derived();
        (may && matches!(shown(), Visibility::Shown(_))).then_some(item)
    };
    // The same words are found by their key, however long they are.
    if let Some(item) = view.memory.saying(ask.scope, ask.query).find_map(tells) {
        return Ok(Novelty::Redundant(item.id));
    }
    let Some(wording) = Wording::of(ask.query) else { return Ok(Novelty::Novel) };
    let alike = view.recall.alike(&wording, ask.scope);
    view.memory.will_need(&alike);
    let compared: Vec<Item> = alike.into_iter().filter_map(tells).take(COMPARED_MAX).collect();
    view.bodies.will_need(&mut compared.iter().map(|item| item.id));
    let mut akin = None;
    let mut same = None;
    for item in compared {
        match view.likeness(&wording, item.id) {
            Likeness::Same => same = same.max(Some(std::cmp::Reverse(item.id))),
            Likeness::Akin => akin = akin.or(Some(item.id)),
            Likeness::Other => {}
        }
    }
    let akin = akin.map_or(Novelty::Novel, Novelty::Reinforcing);
    Ok(same.map_or(akin, |std::cmp::Reverse(id)| Novelty::Redundant(id)))
}

impl View<'_> {
    /// How `wording` stands to the words of a memory.
    fn likeness(&self, wording: &Wording, id: RecordId) -> Likeness {
        let likeness = read(self.bodies, id, |body| {
            let Event::Memory(MemoryEvent::Remembered(row)) = &body.event else { return None };
            Some(wording.likeness(&Wording::of(&row.text)?))
        });
        likeness.flatten().unwrap_or(Likeness::Other)
    }
}
