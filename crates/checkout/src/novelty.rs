use memlith_event::{Actor, Event, MemoryEvent};
use memlith_log::{RecordId, Seq};
use memlith_memory::{Item, Sight, Visibility, owner_of};
use memlith_recall::{Alike, Likeness, Wording};

use crate::bodies::read;
use crate::{Ask, Error, View};

/// Tells whether a text adds anything to the memories that its scope sees.
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

/// The novelty of a text, and the amount that was read to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Noted {
    /// Whether it adds anything.
    pub novelty: Novelty,
    /// Entries of the index's lists that were read.
    pub postings: usize,
    /// Memories whose words were read and compared.
    pub bodies: usize,
}

/// Maximum number of memories read and compared, those that have most of the text's rarest terms.
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

/// Tells what the text of `ask` adds to what may be shown of the memories that its scope sees,
/// where `speaker` says it: what is said in the first person is compared with the speaker's own
/// alone.
///
/// Records and what is derived say nothing here: that something was said, or summed up, is
/// no memory of it. Of several memories that say all of it the first written is named.
///
/// Source: `docs/model.md`, "Novelty". Cost: bounded, however long the log: what
/// [`memlith_recall::Recall::alike`] costs, and the bodies of [`COMPARED_MAX`] memories.
///
/// # Errors
/// [`Error`]: an empty or endless text.
pub fn novelty(view: &View<'_>, ask: &Ask<'_>, speaker: &Actor<'_>) -> Result<Noted, Error> {
    ask.check()?;
    let owner = owner_of(ask.query, speaker);
    let sight = Sight::of(ask.scope);
    let tells = |seq: Seq| {
        let item = view.memory.item(seq)?;
        let shown = || view.memory.visibility(&item, ask.now, true);
        let theirs = owner.is_none_or(|owner| owner == item.actor);
        let may = theirs && sight.has(&item) && !item.is_record() && !item.is_derived();
        (may && matches!(shown(), Visibility::Shown(_))).then_some(item)
    };
    // The same words are found by their key, however long they are.
    if let Some(item) = view.memory.saying(ask.scope, ask.query, &speaker.name).find_map(tells) {
        return Ok(Noted { novelty: Novelty::Redundant(item.id), ..Noted::default() });
    }
    let Some(wording) = Wording::of(ask.query) else { return Ok(Noted::default()) };
    let Alike { items, postings } = view.recall.alike(&wording, ask.scope);
    let mut compared: Vec<Item> = Vec::new();
    // Most of the first may be shown, so the rows of the others are seldom looked at.
    for some in items.chunks(COMPARED_MAX) {
        let seqs = view.recall.seqs(some);
        view.memory.will_need(&seqs);
        let room = COMPARED_MAX - compared.len();
        compared.extend(seqs.into_iter().filter_map(tells).take(room));
        if compared.len() == COMPARED_MAX {
            break;
        }
    }
    view.bodies.will_need(&mut compared.iter().map(|item| item.id));
    let bodies = compared.len();
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
    let novelty = same.map_or(akin, |std::cmp::Reverse(id)| Novelty::Redundant(id));
    Ok(Noted { novelty, postings, bodies })
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
