use std::collections::BTreeMap;

use crate::corpus::{Corpus, Token};
use crate::evidence::{Bits, Expected, evidence};
use crate::window::{Tolerance, Window, windows};

/// Grows a fragment of a procedure to the whole of it.
///
/// Where steps are missing, replaced and added, no run follows a longer procedure to the
/// letter often enough; but the runs that follow most of it agree on the rest. Each round
/// aligns the fragment with all runs and takes the step, and its place, on which the
/// windows agree beyond chance. Source: the consensus of aligned sequences of ApproxMAP
/// (Kum, Pei, Wang and Duncan, SDM 2003); here a step is taken by a test and not by a
/// share.
#[derive(Debug)]
pub(crate) struct Consensus<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) free: &'a [bool],
    pub(crate) tolerance: Tolerance,
    pub(crate) steps_max: usize,
    /// Evidence that a step needs before the choice of round, step and place is paid for.
    pub(crate) doubt: Bits,
}

/// A step that windows agree on.
#[derive(Clone, Copy, Debug)]
struct Found {
    slot: usize,
    token: Token,
    bits: Bits,
}

/// How many steps before the first and behind the last are looked at. Near ones say more,
/// far ones bridge an extra step.
const REACHES: [usize; 3] = [1, 2, 4];

/// More than one window in this number holds a step. Steps of fewer windows are options, not
/// parts of the procedure, however surely they are no chance.
const SHARE: usize = 3;

/// A step that each of so many windows has at one place is a part of the procedure, however
/// frequent it is: so few runs can't tell it from chance, and no run is without it.
const ALL_MIN: usize = 5;

/// Free places of one window between two of its steps, or beyond its ends.
type Region = (usize, std::ops::Range<usize>);

impl Consensus<'_> {
    /// The grown procedure and its windows.
    pub(crate) fn grow(&self, seed: &[Token]) -> (Vec<Token>, Vec<Window>) {
        let mut tokens = seed.to_vec();
        let mut windows = self.windows(&tokens);
        let mut doubt = self.doubt;
        while tokens.len() < self.steps_max {
            // Each round has half the share of chance of the one before.
            doubt = doubt.plus(Bits::whole(1));
            let Some(found) = self.agreed(&tokens, &windows, doubt) else { break };
            tokens.insert(found.slot, found.token);
            windows = self.windows(&tokens);
        }
        (tokens, windows)
    }

    fn windows(&self, tokens: &[Token]) -> Vec<Window> {
        windows(self.corpus, tokens, self.tolerance, self.free)
    }

    /// The step that windows agree on most, if any.
    fn agreed(&self, tokens: &[Token], windows: &[Window], doubt: Bits) -> Option<Found> {
        let slots = tokens.len() + 1;
        // The inner slots and the reaches of both ends.
        let choices = (slots - 2 + 2 * REACHES.len()) as u64;
        let needed = doubt.plus(Bits::of_choices(choices));
        let mut best: Option<Found> = None;
        for slot in 0..slots {
            let ends = slot == 0 || slot == tokens.len();
            let reaches = if ends { &REACHES[..] } else { &[usize::MAX] };
            for reach in reaches {
                let regions = self.regions(windows, slot, *reach);
                let found = self.in_regions(tokens, windows, slot, &regions, needed);
                if let Some(found) = found
                    && best.is_none_or(|best| found.bits > best.bits)
                {
                    best = Some(found);
                }
            }
        }
        best
    }

    /// The places where a step before the step `slot` would stand.
    fn regions(&self, windows: &[Window], slot: usize, reach: usize) -> Vec<Region> {
        let mut regions = Vec::new();
        for (number, window) in windows.iter().enumerate() {
            let Some(run) = self.corpus.run(window.run) else { continue };
            let (front, back) = window.places.split_at(slot.min(window.places.len()));
            let region = if front.is_empty() {
                let Some(Some(first)) = back.first() else { continue };
                first.saturating_sub(reach).max(run.first)..*first
            } else if back.is_empty() {
                let Some(Some(last)) = front.last() else { continue };
                last + 1..last.saturating_add(reach).saturating_add(1).min(run.end)
            } else {
                let before = front.iter().rev().flatten().next();
                let after = back.iter().flatten().next();
                let (Some(before), Some(after)) = (before, after) else { continue };
                before + 1..*after
            };
            regions.push((number, region));
        }
        regions
    }

    fn in_regions(
        &self,
        tokens: &[Token],
        windows: &[Window],
        slot: usize,
        regions: &[Region],
        needed: Bits,
    ) -> Option<Found> {
        let mut holders: BTreeMap<Token, Vec<usize>> = BTreeMap::new();
        for (number, region) in regions {
            for place in region.clone().filter(|place| self.is_free(*place)) {
                let token = self.corpus.token(place);
                let beside = [slot.checked_sub(1), Some(slot)].into_iter().flatten();
                let mut beside = beside.filter_map(|step| tokens.get(step));
                if token == Token::NONE || beside.any(|other| *other == token) {
                    continue;
                }
                let holders = holders.entry(token).or_default();
                if holders.last() != Some(number) {
                    holders.push(*number);
                }
            }
        }
        let mut best: Option<Found> = None;
        for (token, holders) in &holders {
            if holders.len() < 2 || holders.len() * SHARE <= regions.len() {
                continue;
            }
            let expected = self.expected(*token, windows, regions);
            let bits = evidence(holders.len() as u64, expected, regions.len() as u64);
            let is_of_all = holders.len() >= ALL_MIN
                && holders.len() == windows.len()
                && regions.iter().all(|(_, region)| region.len() == 1);
            if (is_of_all || bits >= needed.plus(self.corpus.information(*token)))
                && best.is_none_or(|best| bits > best.bits)
            {
                best = Some(Found { slot, token: *token, bits });
            }
        }
        best
    }

    /// In how many regions chance puts the token.
    fn expected(&self, token: Token, windows: &[Window], regions: &[Region]) -> Expected {
        let mut sum = Expected::default();
        for (number, region) in regions {
            let Some(window) = windows.get(*number) else { continue };
            let len = self.corpus.run(window.run).map_or(1, |run| run.len()) as u64;
            let count = self.corpus.count(token, window.run);
            sum = sum.plus(Expected::ratio(count * region.len() as u64, len));
        }
        sum
    }

    fn is_free(&self, place: usize) -> bool {
        self.free.get(place).copied().unwrap_or(true)
    }
}
