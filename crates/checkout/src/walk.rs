use std::collections::{BTreeMap, BTreeSet};

use memlith_event::LeftOutReason;
use memlith_log::{RecordId, Seq};

use crate::candidate::{Candidate, is_web};
use crate::evidence::Witnesses;
use crate::excerpt::SHORT_TOKENS_MAX;
use crate::find::Found;
use crate::floor::Floor;
use crate::spoken::Source;
use crate::terms::Terms;
use crate::told::{Telling, Told};
use crate::{
    Cited, Evidence, Excerpt, Excluded, Prompt, Request, View, attenuation, prompt, standing,
};

/// The walk down the order that fills a pack.
///
/// Invariants
/// 1. What is admitted, and in which order, depends on what came before in the order, the
///    pinned block first, never on the budget: the pack is the longest prefix of the admitted
///    that fits, so a larger budget never drops an item.
/// 2. At every length of the pack, web text has at most 30 % of its tokens.
/// 3. Nothing is left out for the sake of an item that is guarded less.
/// 4. A summary and a source of it are never both taken.
pub(crate) struct Walk<'a> {
    view: &'a View<'a>,
    request: &'a Request<'a>,
    terms: Terms,
    taken: Vec<Cited>,
    guards: BTreeMap<Seq, Taken>,
    derived: bool,
    /// Texts that the taken say, with the highest guard of those who say each.
    said: BTreeMap<String, u8>,
    /// Texts that the taken say, to be compared word by word.
    told: Told,
    /// Bytes of the taken as a model is given them.
    bytes: usize,
    /// Tokens of their excerpts alone, and of those of the web.
    tokens: u64,
    web_tokens: u64,
    full: bool,
    /// Number of the taken that are the pinned block, once that is taken.
    stable: usize,
    answering: bool,
    left_out: Vec<Excluded>,
    witnesses: Witnesses,
}

/// The result of a walk.
pub(crate) struct Walked {
    /// Items shown, in order.
    pub(crate) items: Vec<Cited>,
    /// Number of items of the pinned block.
    pub(crate) stable: usize,
    /// Items not shown, in order.
    pub(crate) left_out: Vec<Excluded>,
    /// The evidence among what is shown.
    pub(crate) evidence: Evidence,
    /// The tokens of what is shown, as a model is given it.
    pub(crate) tokens: u32,
}

/// A candidate that is cited and not in the pack yet.
struct Seating {
    cited: Cited,
    telling: Telling,
}

struct Taken {
    guard: u8,
    derived: bool,
}

/// The bodies of so many candidates come at once: a usual pack has no more.
const FIRST: usize = 64;

/// Number of answering items shown as far as an excerpt goes, the others more briefly.
///
/// Source: `docs/benchmarks.md`, "bench recall".
const WHOLE_ITEMS: usize = 6;

/// Web text has at most so many tenths of a pack, under every trust policy that shows any.
///
/// Source: `docs/model.md`, "Trust rule".
const WEB_TENTHS: u64 = 3;

impl<'a> Walk<'a> {
    pub(crate) fn new(view: &'a View<'a>, request: &'a Request<'a>) -> Walk<'a> {
        Walk {
            view,
            request,
            terms: Terms::of(request.ask.query),
            taken: Vec::new(),
            guards: BTreeMap::new(),
            derived: false,
            said: BTreeMap::new(),
            told: Told::default(),
            stable: 0,
            answering: false,
            bytes: Prompt::AROUND_BYTES,
            tokens: 0,
            web_tokens: 0,
            full: false,
            left_out: Vec::new(),
            witnesses: Witnesses::default(),
        }
    }

    /// Walks over the pinned block, and then over what was found.
    pub(crate) fn over(mut self, block: &[Candidate], found: &Found) -> Walked {
        let floor = Floor::of(&found.candidates);
        let first = found.candidates.iter().take(FIRST);
        let first = block.iter().chain(first);
        self.view.bodies.will_need(&mut first.map(|candidate| candidate.item.id));
        let seated = self.seat_block(block);
        (self.stable, self.answering) = (self.taken.len(), true);
        for (at, candidate) in found.candidates.iter().enumerate() {
            if seated.contains(&candidate.item.id.seq) {
                continue;
            }
            if let Err(reason) = self.admit((at, candidate), &found.candidates, &floor) {
                self.leave_out(candidate.item.id, reason);
            }
        }
        for (id, reason) in found.refused.values() {
            self.leave_out(*id, *reason);
        }
        let evidence = self.witnesses.evidence(self.request.purpose);
        let tokens = if self.taken.is_empty() { 0 } else { prompt::tokens(self.bytes) };
        Walked { items: self.taken, stable: self.stable, left_out: self.left_out, evidence, tokens }
    }

    /// Takes in the pinned block; gives what is not looked at again, shown or not.
    fn seat_block(&mut self, block: &[Candidate]) -> BTreeSet<Seq> {
        let (mut seated, mut tokens) = (BTreeSet::new(), 0_u32);
        for candidate in block {
            // The same excerpt whatever is asked: that of no words.
            let Some(mut seating) = self.seating(candidate, &Terms::of("")) else { continue };
            seating.cited.why.former.clear();
            tokens = tokens.saturating_add(seating.cited.excerpt.tokens);
            if tokens > standing::TOKENS_MAX {
                break;
            }
            seated.insert(candidate.item.id.seq);
            let told = if self.is_told(candidate) { Err(LeftOutReason::Duplicate) } else { Ok(()) };
            if let Err(reason) = told.and_then(|()| self.seat(candidate, seating)) {
                self.leave_out(candidate.item.id, reason);
            }
        }
        seated
    }

    fn admit(
        &mut self,
        (at, candidate): (usize, &Candidate),
        among: &[Candidate],
        floor: &Floor,
    ) -> Result<(), LeftOutReason> {
        if self.full {
            return Err(LeftOutReason::Budget);
        }
        if attenuation::is_left_out(candidate, among, &self.request.ask, self.view.bodies) {
            return Err(LeftOutReason::Attenuated);
        }
        let wanted = at < usize::try_from(self.request.min_items).unwrap_or(usize::MAX);
        if !wanted && floor.is_below(candidate) {
            return Err(LeftOutReason::Faint);
        }
        if self.is_told(candidate) || self.tells_of_better(candidate, among) {
            return Err(LeftOutReason::Duplicate);
        }
        let seating = self.seating(candidate, &self.terms);
        self.seat(candidate, seating.ok_or(LeftOutReason::Authority)?)
    }

    fn seating(&self, candidate: &Candidate, terms: &Terms) -> Option<Seating> {
        let request = self.request;
        let source = Source::of(candidate, request.ask.now);
        let spoken = source.read(self.view.bodies, terms, request.counter)?;
        let telling = Telling::of(&spoken.excerpt);
        let cited = self.view.cite(candidate, (&request.ask, request.purpose), spoken)?;
        Some(Seating { cited, telling })
    }

    /// Takes in what is cited, if nothing in the pack says the same and there is room.
    fn seat(&mut self, candidate: &Candidate, seating: Seating) -> Result<(), LeftOutReason> {
        if self.full {
            return Err(LeftOutReason::Budget);
        }
        let Seating { cited, telling } = seating;
        let whole = cited.excerpt.clone();
        let guard = candidate.item.guard;
        if self.said.get(&telling.says).is_some_and(|other| *other >= guard)
            || self.told.has(&whole, &telling, guard)
        {
            return Err(LeftOutReason::Duplicate);
        }
        let cut = self.cut(&whole);
        let shown = Cited { excerpt: cut.unwrap_or(cited.excerpt), ..cited };
        let tokens = self.tokens + u64::from(shown.excerpt.tokens);
        let web = u64::from(is_web(&candidate.item)) * u64::from(shown.excerpt.tokens);
        let web_tokens = self.web_tokens + web;
        if web > 0 && web_tokens * 10 > tokens * WEB_TENTHS {
            return Err(LeftOutReason::WebShare);
        }
        let bytes = self.bytes + prompt::line(&shown).len();
        if prompt::tokens(bytes) > self.request.budget_tokens {
            self.full = true;
            return Err(LeftOutReason::Budget);
        }
        (self.bytes, self.tokens, self.web_tokens) = (bytes, tokens, web_tokens);
        self.told.take(&whole, &telling, guard);
        self.take(candidate, shown, telling.says);
        Ok(())
    }

    /// Past the first items of what answers a little of each does.
    fn cut(&self, whole: &Excerpt) -> Option<Excerpt> {
        // The block itself is at most 12 items, and none of them is cut.
        if !self.answering || self.taken.len() - self.stable < WHOLE_ITEMS {
            return None;
        }
        whole.shortened(SHORT_TOKENS_MAX, &self.terms, self.request.counter)
    }

    fn take(&mut self, candidate: &Candidate, cited: Cited, says: String) {
        let item = &candidate.item;
        let taken = Taken { guard: item.guard, derived: item.is_derived() };
        self.derived |= taken.derived;
        self.guards.insert(item.id.seq, taken);
        let guard = self.said.entry(says).or_default();
        *guard = item.guard.max(*guard);
        if cited.why.evidence {
            self.witnesses.take(candidate);
        }
        self.taken.push(cited);
    }

    /// Whether a source of the item is in the pack, where it is derived, or what was
    /// derived from it.
    fn is_told(&self, candidate: &Candidate) -> bool {
        let (item, memory) = (&candidate.item, self.view.memory);
        let tells = |taken: &Taken| taken.guard >= item.guard;
        let of_source = || {
            let given = memory.justifications(item.id.seq);
            let mut sources = given.iter().flat_map(|(_, members)| members);
            sources.any(|source| self.guards.get(source).is_some_and(tells))
        };
        let of_summary = || {
            self.derived
                && memory.resting_on(item.id.seq).any(|citer| {
                    self.guards.get(&citer).is_some_and(|taken| taken.derived && tells(taken))
                })
        };
        (item.is_derived() && of_source()) || of_summary()
    }

    /// Whether the item is a summary, and a source of it that is guarded more was found: the
    /// summary couldn't keep that one out, so it gives way.
    fn tells_of_better(&self, candidate: &Candidate, among: &[Candidate]) -> bool {
        let item = &candidate.item;
        if !item.is_summary() {
            return false;
        }
        let given = self.view.memory.justifications(item.id.seq);
        let mut better = among.iter().map(|one| &one.item).filter(|one| one.guard > item.guard);
        better
            .any(|one| given.iter().any(|(_, sources)| sources.binary_search(&one.id.seq).is_ok()))
    }

    fn leave_out(&mut self, id: RecordId, reason: LeftOutReason) {
        self.left_out.push(Excluded { id, reason });
    }
}
