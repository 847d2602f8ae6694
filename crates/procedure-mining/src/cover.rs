//! The few procedures that account for the many fragments that are frequent.

use crate::Options;
use crate::consensus::Consensus;
use crate::corpus::{Corpus, Token};
use crate::evidence::Bits;
use crate::links::Links;
use crate::null;
use crate::pattern::{Bounds, Pattern, closed, ends, supports};
use crate::window::{Tolerance, Window};

/// A procedure as numbers, before it is told.
#[derive(Debug)]
pub(crate) struct Procedure {
    pub(crate) tokens: Vec<Token>,
    pub(crate) windows: Vec<Window>,
    /// How its windows were told from chance.
    pub(crate) tolerance: Tolerance,
    /// How little chance explains the fragment that it grew from.
    pub(crate) bits: Bits,
}

/// How long the fragments are that are searched for; they grow by consensus.
const SEED_STEPS_MAX: usize = 4;

/// The most fragments that are looked at.
const PATTERNS_MAX: usize = 1 << 17;

/// By how many bits a window's score is above that of the fragment's own number of chance
/// windows: of sixteen of them one is chance.
const MARGIN: Bits = Bits(4 << 16);

/// The procedures, in the order of their fragments' evidence.
///
/// Fragments are taken by falling evidence. Each is looked for among the steps that no
/// procedure has taken yet; if it is still there beyond chance, it grows, and takes the
/// steps of its windows. So a procedure is told once, and not its parts. Source: the greedy
/// covers of Krimp and SQS (Tatti and Vreeken, KDD 2012).
pub(crate) fn procedures(corpus: &Corpus, options: Options) -> Vec<Procedure> {
    let mut free = vec![true; corpus.places_len()];
    let mut found: Vec<Procedure> = Vec::new();
    for seed in seeds(corpus, options) {
        if found.len() >= options.candidates_max as usize {
            break;
        }
        let Some(procedure) = grown(corpus, options, &seed, &free, found.len() as u64) else {
            continue;
        };
        for place in procedure.windows.iter().flat_map(|window| window.places.iter().flatten()) {
            if let Some(free) = free.get_mut(*place) {
                *free = false;
            }
        }
        found.push(procedure);
    }
    found
}

/// The fragments that chance doesn't explain, by falling evidence.
fn seeds(corpus: &Corpus, options: Options) -> Vec<Pattern> {
    let gap_max = usize::from(options.gap_max);
    let support_min = u64::from(options.support_min);
    let links = Links::of(corpus, support_min, gap_max);
    let bounds = Bounds {
        support_min,
        gap_max,
        steps_max: SEED_STEPS_MAX.min(usize::from(options.steps_max)),
        patterns_max: PATTERNS_MAX,
    };
    let tells = |pattern: &Pattern| pattern.bits >= needed(corpus, options, &pattern.tokens);
    let keep = |pattern: &Pattern| pattern.tokens.len() == 2 || tells(pattern);
    let mut seeds = closed(corpus, &links, bounds, &keep);
    seeds.retain(tells);
    seeds.sort_by(|a, b| b.bits.cmp(&a.bits).then_with(|| a.tokens.cmp(&b.tokens)));
    seeds
}

/// The procedure that a fragment belongs to, where the free steps still hold it.
fn grown(
    corpus: &Corpus,
    options: Options,
    seed: &Pattern,
    free: &[bool],
    before: u64,
) -> Option<Procedure> {
    let gap_max = usize::from(options.gap_max);
    let supports = supports(corpus, &ends(corpus, &seed.tokens, gap_max, free), gap_max);
    let support = supports.last().copied().unwrap_or(0);
    if support < u64::from(options.support_min) {
        return None;
    }
    let expected = null::expected(corpus, &seed.tokens, gap_max);
    let (bits, gap) = null::best(&supports, &expected, corpus.runs().len());
    if bits < needed(corpus, options, &seed.tokens) {
        return None;
    }
    let chance = Bits::of_choices(corpus.places_len() as u64 / support.max(1));
    let tolerance = Tolerance { extra_max: gap_max, score_min: chance.plus(MARGIN), gap };
    // The n-th has a share of 1 / n(n + 1) of the chance to be wrong: together they are 1.
    let share = Bits::of_choices((before + 1) * (before + 2));
    let consensus = Consensus {
        corpus,
        free,
        tolerance,
        steps_max: usize::from(options.steps_max),
        doubt: Bits::whole(u32::from(options.doubt_bits)).plus(share),
    };
    let (tokens, windows) = consensus.grow(&seed.tokens);
    let long_enough = tokens.len() >= usize::from(options.steps_min);
    long_enough.then_some(Procedure { tokens, windows, tolerance, bits })
}

/// The evidence that a pattern needs: what it takes to name it among all patterns, its
/// length included, and the doubt that is allowed.
///
/// A step is named by its frequency, as in the code tables of Krimp and SQS: the shares of
/// all patterns of a length sum up to one, and shuffling changes no frequency, so this is
/// a weighted Bonferroni correction (Genovese, Roeder and Wasserman, Biometrika 93, 2006).
/// Each length has half the share of the one before, as in the layered critical values of
/// Webb (Machine Learning 71, 2008).
fn needed(corpus: &Corpus, options: Options, tokens: &[Token]) -> Bits {
    let name = tokens.iter().map(|token| corpus.information(*token));
    let length = Bits::whole(1).times(tokens.len().saturating_sub(1));
    name.fold(length, Bits::plus).plus(Bits::whole(u32::from(options.doubt_bits)))
}
