use std::collections::BTreeMap;

use anyhow::Result;
use memlith::{Caller, CheckoutRequest, Cited, Ledger, RecordId, for_prompt};
use serde::Serialize;

use crate::rounded;

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
    /// The same of what a model is shown, where the budget counts what stands around words too.
    prompt: InPrompt,
}

/// Gold turns in renderings for a model of so many tokens.
#[derive(Debug, Serialize)]
pub(crate) struct InPrompt {
    /// Those in the longest beginning of a checkout whose rendering fits.
    checkout: usize,
    /// Those among the best answers, until the first that doesn't fit.
    top_k: usize,
    /// What a checkout has more, in percent.
    gain_percent: f64,
    /// Questions of which a checkout has fewer.
    fewer: usize,
    /// The tokens of the renderings of checkouts of this budget, on average.
    tokens: f64,
}

#[derive(Default)]
struct Sums {
    questions: usize,
    gold: usize,
    checkout: usize,
    top_k: usize,
    top_k_whole: usize,
    fewer: usize,
    prompt: PromptSums,
}

#[derive(Default)]
struct PromptSums {
    checkout: usize,
    top_k: usize,
    fewer: usize,
    bytes: usize,
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
        let pack = |budget_tokens| {
            let (observe, plain) = (false, CheckoutRequest::new(query));
            let request = CheckoutRequest { budget_tokens, observe, ..plain };
            ledger.checkout(caller, &request).map(|checkout| checkout.pack.items)
        };
        let everything = pack(u32::MAX)?;
        for tokens in TOKENS {
            let items = pack(tokens)?;
            let checkout = count(&mut items.iter().map(|cited| cited.id));
            let shown = |cited: &Cited| cited.excerpt.tokens;
            let whole = |cited: &Cited| cited.excerpt.whole_len.div_ceil(TOKEN_BYTES);
            let top_k = count(&mut until_full(answers, tokens, shown));
            let sums = self.0.entry(tokens).or_default();
            sums.gold += gold.len();
            sums.checkout += checkout;
            sums.top_k += top_k;
            sums.top_k_whole += count(&mut until_full(answers, tokens, whole));
            sums.fewer += usize::from(checkout < top_k);
            sums.questions += 1;
            let fitting = longest_prompt(&everything, tokens);
            let checkout = count(&mut fitting.iter().map(|cited| cited.id));
            let best = longest_prompt(answers, tokens);
            let top_k = count(&mut best.iter().map(|cited| cited.id));
            sums.prompt.add(&items, (checkout, top_k));
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
            prompt: sums.prompt.finish(sums.questions, &gain),
        };
        self.0.iter().map(|(tokens, sums)| (*tokens, budget(sums))).collect()
    }
}

impl Budget {
    /// The line of the report.
    pub(crate) fn to_text(&self, tokens: u32) -> String {
        let Budget { gold, checkout, top_k, top_k_whole, .. } = self;
        let Budget { gain_percent, gain_whole_percent, fewer, prompt, .. } = self;
        let words = format!(
            "{tokens} tokens: {checkout} of {gold} gold turns in a checkout; top-k until full \
             {top_k} ({gain_percent:+.1} %), with whole turns {top_k_whole} \
             ({gain_whole_percent:+.1} %); fewer for {fewer} questions\n"
        );
        let InPrompt { checkout, top_k, gain_percent, fewer, tokens: mean } = prompt;
        format!(
            "{words}{tokens} tokens of a prompt: {checkout} and {top_k} ({gain_percent:+.1} %), \
             fewer for {fewer}; such a checkout is rendered in {mean:.0} tokens\n"
        )
    }
}

impl PromptSums {
    fn add(&mut self, items: &[Cited], (checkout, top_k): (usize, usize)) {
        self.checkout += checkout;
        self.top_k += top_k;
        self.fewer += usize::from(checkout < top_k);
        self.bytes += for_prompt(items).len();
    }

    fn finish(&self, questions: usize, gain: &dyn Fn(usize, usize) -> f64) -> InPrompt {
        let mean = |bytes: usize| {
            let tokens = bytes as f64 / f64::from(TOKEN_BYTES);
            rounded(tokens / questions.max(1) as f64, 1)
        };
        InPrompt {
            checkout: self.checkout,
            top_k: self.top_k,
            gain_percent: gain(self.checkout, self.top_k),
            fewer: self.fewer,
            tokens: mean(self.bytes),
        }
    }
}

/// The longest beginning of a checkout whose rendering has at most so many tokens.
fn longest_prompt(items: &[Cited], tokens: u32) -> &[Cited] {
    let beginning = |len: usize| items.get(..len).unwrap_or(items);
    // A longer one is never shorter when it is rendered.
    let mut len = 0;
    while len < items.len() && prompt_tokens(beginning(len + 1)) <= tokens {
        len += 1;
    }
    beginning(len)
}

fn prompt_tokens(items: &[Cited]) -> u32 {
    u32::try_from(for_prompt(items).len()).unwrap_or(u32::MAX).div_ceil(TOKEN_BYTES)
}

/// The answers up to the first that no longer fits.
fn until_full(
    answers: &[Cited],
    room: u32,
    cost: impl Fn(&Cited) -> u32,
) -> impl Iterator<Item = RecordId> {
    answers.iter().scan(0_u32, move |sum, cited| {
        *sum = sum.saturating_add(cost(cited));
        (*sum <= room).then_some(cited.id)
    })
}
