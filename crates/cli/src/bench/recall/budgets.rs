use std::collections::BTreeMap;

use anyhow::Result;
use memlith::{Caller, CheckoutRequest, Cited, Ledger, RecordId};
use serde::Serialize;

use crate::bench::rounded;

/// How many gold turns packs of some budgets hold, beside the best answers one by one
/// until the budget is full.
#[derive(Default)]
pub(crate) struct Budgets(BTreeMap<u32, Sums>);

/// The figures of one budget.
#[derive(Debug, Serialize)]
pub(crate) struct Budget {
    /// Gold turns of all questions.
    gold: usize,
    /// Those in the packs.
    checkout: usize,
    /// Those among the best answers, each with the excerpt that a pack would show.
    top_k: usize,
    /// Those among the best answers, each with all its words.
    top_k_whole: usize,
    /// What a checkout has more than `top_k`, in percent of it.
    gain_percent: f64,
    /// The same over `top_k_whole`.
    gain_whole_percent: f64,
    /// Questions of which a checkout has fewer gold turns than `top_k`.
    fewer: usize,
}

#[derive(Default)]
struct Sums {
    gold: usize,
    checkout: usize,
    top_k: usize,
    top_k_whole: usize,
    fewer: usize,
}

/// The budgets that are asked for, in tokens.
const TOKENS: [u32; 3] = [500, 1_000, 2_000];

/// A token, as the engine counts them.
const TOKEN_BYTES: u32 = 4;

impl Budgets {
    /// Adds a question with its best answers, which are more than any budget holds.
    pub(crate) fn add(
        &mut self,
        (ledger, caller): (&Ledger, &Caller),
        query: &str,
        answers: &[Cited],
        gold: &[RecordId],
    ) -> Result<()> {
        let count =
            |ids: &mut dyn Iterator<Item = RecordId>| ids.filter(|id| gold.contains(id)).count();
        for tokens in TOKENS {
            let request = CheckoutRequest {
                budget_tokens: tokens,
                observe: false,
                ..CheckoutRequest::new(query)
            };
            let pack = ledger.checkout(caller, &request)?.pack;
            let checkout = count(&mut pack.items.iter().map(|cited| cited.id));
            let shown = |cited: &Cited| cited.excerpt.tokens;
            let whole = |cited: &Cited| cited.excerpt.whole_len.div_ceil(TOKEN_BYTES);
            let top_k = count(&mut until_full(answers, tokens, shown));
            let sums = self.0.entry(tokens).or_default();
            sums.gold += gold.len();
            sums.checkout += checkout;
            sums.top_k += top_k;
            sums.top_k_whole += count(&mut until_full(answers, tokens, whole));
            sums.fewer += usize::from(checkout < top_k);
        }
        Ok(())
    }

    pub(crate) fn finish(&self) -> BTreeMap<u32, Budget> {
        let gain =
            |more: usize, less: usize| rounded(100.0 * (more as f64 / less.max(1) as f64 - 1.0), 2);
        let budget = |sums: &Sums| Budget {
            gold: sums.gold,
            checkout: sums.checkout,
            top_k: sums.top_k,
            top_k_whole: sums.top_k_whole,
            gain_percent: gain(sums.checkout, sums.top_k),
            gain_whole_percent: gain(sums.checkout, sums.top_k_whole),
            fewer: sums.fewer,
        };
        self.0.iter().map(|(tokens, sums)| (*tokens, budget(sums))).collect()
    }
}

impl Budget {
    /// The line of the report.
    pub(crate) fn to_text(&self, tokens: u32) -> String {
        let Budget { gold, checkout, top_k, top_k_whole, gain_percent, gain_whole_percent, fewer } =
            self;
        format!(
            "{tokens} tokens: {checkout} of {gold} gold turns in a checkout; top-k until full \
             {top_k} ({gain_percent:+.1} %), with whole turns {top_k_whole} \
             ({gain_whole_percent:+.1} %); fewer for {fewer} questions\n"
        )
    }
}

/// The answers up to the first that no longer fits.
fn until_full(
    answers: &[Cited],
    tokens: u32,
    cost: impl Fn(&Cited) -> u32,
) -> impl Iterator<Item = RecordId> {
    answers.iter().scan(0_u32, move |sum, cited| {
        *sum = sum.saturating_add(cost(cited));
        (*sum <= tokens).then_some(cited.id)
    })
}
