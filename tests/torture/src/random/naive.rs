use memlith::{
    Authority, RecordId,
    read::OwnStatus,
    write::{SaliencePolicy, TrustPolicy},
};

use super::arithmetic::decay;
use super::levels::Levels;
use super::likening::wording_of;
use super::tombstones::Tombstone;
use super::vectors::Pointer;
use super::verdict::Verdict;

/// The rank of a person.
const PERSON: u8 = 4;

/// The rank of the owner.
const OWNER: u8 = 6;

/// The oracle: what a ledger should know, in a list.
///
/// Nothing is kept that can be computed, and nothing is computed cleverly.
#[derive(Clone, Debug, Default)]
pub struct Naive {
    pub(super) items: Vec<NaiveItem>,
    pub(super) policy: SaliencePolicy,
    pub(super) trust: TrustPolicy,
    pub(super) summaries: Vec<NaiveSummary>,
    /// Pins that one item took over from another, and the rank that had pinned.
    pub(super) moved_pins: Vec<(usize, usize, u8)>,
    /// Pairs of items that contradict each other and both stand.
    pub(super) contests: Vec<(usize, usize)>,
    /// The vectors that items were given, in their order.
    pub(super) vectors: Vec<(usize, Pointer)>,
    /// Tombstones of the items that are not to come back.
    pub(super) tombstones: Vec<Tombstone>,
}

/// A summary, and the items that it cites.
#[derive(Clone, Debug)]
pub(super) struct NaiveSummary {
    pub(super) id: RecordId,
    pub(super) sources: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct NaiveItem {
    pub(super) id: RecordId,
    pub(super) text: String,
    /// Other words that were said of it, and whether they became its own.
    pub(super) spoken: Vec<(String, bool)>,
    pub(super) own: OwnStatus,
    /// Status of the item before an invalidation or a rejection.
    pub(super) before: OwnStatus,
    pub(super) born: i64,
    /// The first instant at which it holds.
    pub(super) from: i64,
    /// The first instant at which it holds no more, where it has an end of its own.
    pub(super) until: Option<i64>,
    /// Items that take its place, and from when.
    pub(super) closed: Vec<(usize, i64)>,
    /// The rank of who made it active.
    pub(super) decider: u8,
    pub(super) author: Who,
    /// The worker whose session alone sees it.
    pub(super) room: Option<u8>,
    /// Whether it was made of others.
    pub(super) derived: bool,
    pub(super) accepted: bool,
    /// The rank that pinned it; 0 where nobody did.
    pub(super) pinner: u8,
    /// Writers that were told that it says the same in other words.
    pub(super) noted: Vec<Who>,
    /// Items that it would take the place of, once accepted.
    pub(super) against: Vec<usize>,
    /// The session that it is a record of.
    pub(super) session: Option<usize>,
    /// Which of the session's calls, counted from one.
    pub(super) call: usize,
    /// The decisions that repeated it or what was said of it, and in which words.
    pub(super) decisions: Vec<(RecordId, String)>,
    /// Where it is a procedure, which, of how many sessions, and how many of them it takes.
    pub(super) procedure: Option<Procedure>,
    /// Rank that has to be matched to displace it.
    pub(super) guard: u8,
    /// Lists of sources; an empty one stands by itself.
    pub(super) justifications: Vec<Vec<usize>>,
    /// Rank that invalidated or rejected it, and when that was recorded.
    pub(super) invalidated: Option<(u8, i64)>,
    /// Writers that confirmed it from outside, and below those that doubted it, each once.
    confirmed: Vec<Who>,
    doubted: Vec<Who>,
    restated: bool,
    pub(super) levels: Levels,
}

impl Naive {
    /// Returns the item that an item was corrected to in the end: whoever corrects an old wording
    /// means the item that stands for it. The way neither begins nor ends with what was erased.
    pub(super) fn latest(&self, at: usize, time: i64) -> usize {
        let mut latest = at;
        let stands = |at: usize| {
            self.items.get(at).filter(|item| item.own != memlith::read::OwnStatus::Erased)
        };
        while let Some(item) = stands(latest) {
            let is_next = |(by, when): &&(usize, i64)| {
                *when == item.from && *when <= time && *by > latest && stands(*by).is_some()
            };
            let Some((next, _)) = item.closed.iter().find(is_next) else { break };
            latest = *next;
        }
        latest
    }
}

impl NaiveItem {
    /// Whether the text is its own, or has become so.
    pub(super) fn has(&self, text: &str) -> bool {
        self.text == text || self.spoken.iter().any(|(said, is_own)| *is_own && said == text)
    }

    /// Returns the words that only texts of this item have.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        let spoken = self.spoken.iter().map(|(text, _)| text.as_str());
        std::iter::once(self.text.as_str()).chain(spoken).map(word_of)
    }

    /// Whether it ends where the other begins.
    pub(super) fn is_ended_by(&self, other: usize) -> bool {
        self.closed.iter().any(|(by, _)| *by == other)
    }
}

/// Where something is said: in a session's own room or to all, from when on it holds, what
/// it rests on, and whether it is a proposal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) room: Option<u8>,
    pub(super) from: i64,
    pub(super) sources: &'a [usize],
    pub(super) waits: bool,
}

/// Returns the part that a text alone has: a word, or all of it where it is like others.
pub(super) fn word_of(text: &str) -> &str {
    if wording_of(text).is_some() {
        return text;
    }
    text.split(' ').find(|word| word.starts_with("zq")).unwrap_or_default()
}

/// Properties that make an item a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Procedure {
    pub(super) number: u8,
    pub(super) support: usize,
    pub(super) required: usize,
}

/// A writer, by rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// The engine, for what it mined of a tool's records, and as far as those are trusted.
    Miner,
    Tool,
    Assistant,
    User,
    /// Another person, whose name differs in its last letter.
    Friend,
    Owner,
}

/// A writer of a statement about an item, and whether an outcome stands behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) who: Who,
    pub(super) verified: bool,
}

impl Word {
    fn is_outside(self) -> bool {
        self.verified || self.who.rank() >= PERSON
    }
}

impl Who {
    pub(super) fn rank(self) -> u8 {
        match self {
            Who::Miner | Who::Tool => 2,
            Who::Assistant => 3,
            Who::User | Who::Friend => PERSON,
            Who::Owner => OWNER,
        }
    }
}

impl Naive {
    /// Judges a write of `text` for all.
    pub(super) fn judge_text(&self, text: &str, who: Who, at: i64) -> Verdict {
        self.judge_said(text, who, Place { room: None, from: at, sources: &[], waits: false }, at)
    }

    /// Judges a write of `text` at its place: text declared wrong for all is wrong in every room,
    /// and else each room is for itself.
    pub(super) fn judge_said(&self, text: &str, who: Who, place: Place<'_>, at: i64) -> Verdict {
        let Place { room, from, sources, waits } = place;
        let waits = waits || self.waits(who.rank());
        let equal = |item: &NaiveItem| item.has(text) && item.room == room;
        let bars = |item: &NaiveItem| item.has(text) && [room, None].contains(&item.room);
        let mut reopened = None;
        for (found, item) in self.items.iter().enumerate().filter(|(_, item)| bars(item)) {
            let Some((rank, when)) = item.barred_by() else { continue };
            // A proposal that was turned down bars nobody of higher standing.
            if item.before == OwnStatus::Pending && who.rank() > item.author.rank() {
                continue;
            }
            if who.rank() < rank || at <= when {
                return Verdict::Refused;
            }
            if item.before == OwnStatus::Active && item.room == room && item.is_open(from) {
                reopened = Some(found);
            }
        }
        if let Some(found) = reopened.filter(|_| !place.waits) {
            return Verdict::Reopened(found);
        }
        let live = |own, (_, item): &(usize, &NaiveItem)| {
            item.own == own && equal(item) && item.is_open(from)
        };
        let rows = || self.items.iter().enumerate();
        // Sources come before what rests on them.
        let may_stand =
            |at: usize| self.stale(at).is_none() || sources.iter().all(|source| *source < at);
        let active = rows()
            .filter(|row| live(OwnStatus::Active, row))
            .find_map(|(at, _)| may_stand(at).then_some(at));
        let waiting = rows().rfind(|row| live(OwnStatus::Pending, row));
        match (active, waiting) {
            (None, Some((found, _))) if waits => Verdict::Restated(found),
            (None, _) if waits => Verdict::Waits,
            (None, _) => Verdict::Added,
            (Some(found), _) if self.stale(found).is_some() => Verdict::Revived(found),
            (Some(found), _) => Verdict::Restated(found),
        }
    }

    /// Judges a write of `text` under a key that has no other text.
    ///
    /// A key is known as long as what was written under it is.
    pub(super) fn judge_keyed(&self, text: &str, who: Who) -> Verdict {
        let is_known = |item: &NaiveItem| item.text == text && item.own != OwnStatus::Erased;
        match self.items.iter().any(is_known) {
            true => Verdict::Known,
            false if self.waits(who.rank()) => Verdict::Waits,
            false => Verdict::Added,
        }
    }

    /// Whether every item that says the word is erased.
    pub(super) fn is_erased(&self, word: &str) -> bool {
        let mut said = self.items.iter().filter(|item| item.words().any(|own| own == word));
        said.all(|item| item.own == OwnStatus::Erased)
    }

    pub(super) fn judge_confirm(&self, item: usize, by: Word, time: i64) -> Verdict {
        let revives = by.is_outside() && self.is_active(item) && self.stale(item).is_some();
        match revives || self.is_eligible(item, time) {
            true => Verdict::Changed(item),
            false => Verdict::Refused,
        }
    }

    pub(super) fn judge_promote(&self, item: usize, time: i64) -> Verdict {
        match self.is_eligible(item, time) {
            true => Verdict::Changed(item),
            false => Verdict::Refused,
        }
    }

    pub(super) fn judge_invalidate(&self, at: usize, who: Who) -> Verdict {
        let Some(item) = self.items.get(at) else { return Verdict::Refused };
        let raises = item.invalidated.is_some_and(|(rank, _)| who.rank() > rank);
        match item.own {
            OwnStatus::Pending | OwnStatus::Active if who.rank() >= item.guard => {
                Verdict::Changed(at)
            }
            OwnStatus::Pending | OwnStatus::Active => Verdict::Disputed,
            OwnStatus::Invalidated if raises && who.rank() >= item.guard => Verdict::Changed(at),
            OwnStatus::Rejected
            | OwnStatus::Invalidated
            | OwnStatus::Retracted
            | OwnStatus::Erased => Verdict::Refused,
        }
    }

    pub(super) fn judge_reconfirm(&self, at: usize) -> Verdict {
        let own = self.items.get(at).map(|item| item.own);
        match own == Some(OwnStatus::Invalidated) {
            true => Verdict::Changed(at),
            false => Verdict::Refused,
        }
    }

    pub(super) fn add(&mut self, id: RecordId, text: &str, who: Who, born: i64, on: Option<usize>) {
        self.items.push(NaiveItem {
            id,
            text: text.to_owned(),
            spoken: Vec::new(),
            own: OwnStatus::Active,
            before: OwnStatus::Active,
            born,
            from: born,
            until: None,
            closed: Vec::new(),
            decider: who.rank(),
            author: who,
            room: None,
            derived: false,
            accepted: false,
            pinner: 0,
            noted: Vec::new(),
            against: Vec::new(),
            session: None,
            call: 0,
            decisions: Vec::new(),
            procedure: None,
            guard: who.rank(),
            justifications: vec![on.into_iter().collect()],
            invalidated: None,
            confirmed: Vec::new(),
            doubted: Vec::new(),
            restated: false,
            levels: Levels::born(born),
        });
    }

    /// Takes in that something was said that is known; whether it was.
    pub(super) fn said_again(
        &mut self,
        verdict: Verdict,
        who: Who,
        time: i64,
        sources: Vec<usize>,
    ) -> bool {
        match verdict {
            Verdict::Restated(at) => self.restate(at, who, time, None),
            Verdict::Revived(at) => self.restate(at, who, time, Some(sources)),
            Verdict::Reopened(at) => self.reconfirm(at, who, time),
            Verdict::Refused
            | Verdict::Barred
            | Verdict::Added
            | Verdict::Waits
            | Verdict::Superseded
            | Verdict::Skipped
            | Verdict::Corrected
            | Verdict::Redundant { .. }
            | Verdict::Reviewed(_)
            | Verdict::Changed(_)
            | Verdict::Disputed
            | Verdict::Known => return false,
        }
        true
    }

    /// Takes in that a decision made no row and repeats the words.
    pub(super) fn repeated(&mut self, verdict: Verdict, decision: RecordId, text: &str) {
        if let Verdict::Restated(at) | Verdict::Revived(at) | Verdict::Reopened(at) = verdict
            && let Some(item) = self.items.get_mut(at)
        {
            item.decisions.push((decision, text.to_owned()));
        }
    }

    /// The item that was written last is of a session alone.
    pub(super) fn keep_to(&mut self, room: u8) {
        if let Some(last) = self.items.last_mut() {
            last.room = Some(room);
        }
    }

    /// Said again, or revived by what is said for it.
    pub(super) fn restate(
        &mut self,
        at: usize,
        who: Who,
        time: i64,
        revived_by: Option<Vec<usize>>,
    ) {
        let Some(item) = self.items.get_mut(at) else { return };
        item.justifications.extend(revived_by);
        if who == Who::User {
            item.guard = item.guard.max(4);
            if !item.restated {
                item.restated = true;
                item.levels.restate(decay(time.max(item.born)));
            }
        }
    }

    pub(super) fn confirm(&mut self, at: usize, by: Word, time: i64) {
        let Some(item) = self.items.get_mut(at) else { return };
        let d = decay(time.max(item.born));
        let mut outside = Some(false);
        if by.is_outside() {
            item.guard = item.guard.max(by.who.rank());
            item.justifications.push(Vec::new());
            outside = (!item.confirmed.contains(&by.who)).then_some(true);
            item.confirmed.push(by.who);
        }
        item.levels.confirm(outside, time, d);
    }

    /// Somebody's own word for it.
    pub(super) fn attest(&mut self, at: usize, who: Who, time: i64) {
        self.settle_contests(at, who.rank(), time);
        self.confirm(at, Word { who, verified: false }, time);
    }

    /// An answer that cited it failed; nothing is learned where nobody checked.
    pub(super) fn doubt(&mut self, at: usize, by: Word, time: i64) {
        let Some(item) = self.items.get_mut(at) else { return };
        let is_heard = by.verified
            && item.own == OwnStatus::Active
            && by.who.rank() >= item.guard
            && !item.doubted.contains(&by.who);
        if is_heard {
            item.doubted.push(by.who);
        }
        item.levels.doubt(is_heard, time);
    }

    pub(super) fn promote(&mut self, at: usize, time: i64) {
        if let Some(item) = self.items.get_mut(at) {
            item.guard = item.guard.max(4);
            item.levels.promote(time, decay(time.max(item.born)));
        }
    }

    pub(super) fn invalidate(&mut self, at: usize, who: Who, time: i64, recorded: i64) {
        let Some(item) = self.items.get_mut(at) else { return };
        item.levels.invalidate(item.own == OwnStatus::Active, time);
        if item.own != OwnStatus::Invalidated {
            item.before = item.own;
        }
        item.own = OwnStatus::Invalidated;
        item.invalidated = Some((who.rank(), recorded));
    }

    pub(super) fn reconfirm(&mut self, at: usize, who: Who, time: i64) {
        let Some(item) = self.items.get_mut(at) else { return };
        item.own = item.before;
        item.invalidated = None;
        item.levels.reconfirm(who, decay(time.max(item.born)));
    }

    pub(super) fn surface(&mut self, id: RecordId, time: i64) {
        let shown = |item: &&mut NaiveItem| item.id == id && item.own == OwnStatus::Active;
        if let Some(item) = self.items.iter_mut().find(shown) {
            let is_raised = !item.accepted && !item.derived;
            item.levels.surface(is_raised, time, decay(time.max(item.born)));
        }
    }

    pub(super) fn summarise(&mut self, id: RecordId, sources: &[RecordId]) {
        let position = |id: &RecordId| self.items.iter().position(|item| item.id == *id);
        let sources = sources.iter().filter_map(position).collect();
        self.summaries.push(NaiveSummary { id, sources });
    }

    /// How a summary stands: it leaves with each of its sources, and gives way to a later
    /// one that has any of them.
    pub(super) fn standing(&self, at: usize) -> Authority {
        let Some(summary) = self.summaries.get(at) else { return Authority::Erased };
        if self.is_summary_erased(summary) {
            return Authority::Erased;
        }
        let stands = |source: &usize| self.is_active(*source) && self.breaks(*source).is_none();
        if !summary.sources.iter().all(stands) {
            return Authority::Stale;
        }
        let shares = |later: &NaiveSummary| {
            later.sources.iter().any(|source| summary.sources.contains(source))
                && !self.is_summary_erased(later)
        };
        match self.summaries.iter().skip(at + 1).any(shares) {
            true => Authority::Superseded,
            false => Authority::Active,
        }
    }

    fn is_summary_erased(&self, summary: &NaiveSummary) -> bool {
        let erased = |source: &usize| {
            self.items.get(*source).is_none_or(|item| item.own == OwnStatus::Erased)
        };
        summary.sources.iter().any(erased)
    }

    pub(super) fn is_active(&self, at: usize) -> bool {
        self.items.get(at).is_some_and(|item| item.own == OwnStatus::Active)
    }

    /// Whether a checkout may show it at an instant: the clock may have been set back.
    pub(super) fn is_eligible(&self, at: usize, time: i64) -> bool {
        let holds =
            |item: &NaiveItem| item.from <= time && item.is_open(time) && !item.has_ended(time);
        self.items.get(at).is_some_and(holds) && self.is_active(at) && self.stale(at).is_none()
    }

    pub(super) fn salience(&self, at: usize, time: i64) -> f64 {
        self.items.get(at).map_or(0.0, |item| item.levels.shown(self.policy, time))
    }

    /// The rank that broke its last justification, if none is intact.
    pub(super) fn stale(&self, at: usize) -> Option<u8> {
        let item = self.items.get(at)?;
        let broken = |(number, sources): (usize, &Vec<usize>)| {
            // What it was proposed with is of sessions, what was said for it later is not.
            if let Some(procedure) = item.procedure.filter(|_| number == 0) {
                return self.outvoted(procedure.required, sources);
            }
            let counts = |rank: &u8| item.derived || *rank >= item.guard;
            let breaks = |source: &usize| self.breaks(*source).filter(counts);
            sources.iter().filter_map(breaks).max()
        };
        let ranks: Option<Vec<u8>> = item.justifications.iter().enumerate().map(broken).collect();
        ranks?.into_iter().min()
    }

    /// The rank with which a source breaks what rests on it.
    pub(super) fn breaks(&self, at: usize) -> Option<u8> {
        let item = self.items.get(at)?;
        match item.own {
            OwnStatus::Erased => Some(u8::MAX),
            OwnStatus::Retracted | OwnStatus::Invalidated if item.before != OwnStatus::Pending => {
                let rank = item.invalidated.map(|(rank, _)| rank);
                rank.max(self.stale(at))
            }
            OwnStatus::Pending
            | OwnStatus::Rejected
            | OwnStatus::Invalidated
            | OwnStatus::Retracted => Some(u8::MAX),
            OwnStatus::Active => self.stale(at),
        }
    }
}
