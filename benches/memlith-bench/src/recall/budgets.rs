use std::collections::BTreeMap;

use anyhow::Result;
use memlith::{Caller, CheckoutRequest, Cited, Ledger, RecordId, for_prompt};
use serde::Serialize;

use crate::rounded;

/// How many gold turns packs of some budgets hold, beside the best answers one by one until the
/// budget is full: both as they are rendered for a model.
#[derive(Default)]
pub(crate) struct Budgets(BTreeMap<u32, Sums>);

/// The figures of one budget.
#[derive(Debug, Serialize)]
pub(crate) struct Budget {
    /// Gold turns of all questions.
    gold: usize,
    /// Those in the packs.
    checkout: usize,
    /// Those among the best answers, until the first that doesn't fit.
    top_k: usize,
    /// Gold turns that a checkout has more than `top_k`, in percent of it.
    gain_percent: f64,
    /// Questions of which a checkout has fewer gold turns than `top_k`.
    fewer: usize,
    /// The tokens of a pack, on average.
    tokens: f64,
}

#[derive(Default)]
struct Sums {
    questions: usize,
    gold: usize,
    checkout: usize,
    top_k: usize,
    fewer: usize,
    tokens: u64,
}

/// The budgets that are asked for, in tokens.
const TOKENS: [u32; 4] = [500, 1_000, 2_000, 4_000];

/// Bytes of a token, as the engine counts them.
const TOKEN_BYTES: usize = 4;

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
            ledger.checkout(caller, &request).map(|checkout| checkout.pack)
        };
        for tokens in TOKENS {
            let pack = pack(tokens)?;
            let checkout = count(&mut pack.items.iter().map(|cited| cited.id));
            let top_k = count(&mut rendered(answers, tokens).iter().map(|cited| cited.id));
            let sums = self.0.entry(tokens).or_default();
            sums.questions += 1;
            sums.gold += gold.len();
            sums.checkout += checkout;
            sums.top_k += top_k;
            sums.fewer += usize::from(checkout < top_k);
            sums.tokens += u64::from(pack.tokens);
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
            gain_percent: gain(sums.checkout, sums.top_k),
            fewer: sums.fewer,
            tokens: rounded(sums.tokens as f64 / sums.questions.max(1) as f64, 1),
        };
        self.0.iter().map(|(tokens, sums)| (*tokens, budget(sums))).collect()
    }
}

impl Budget {
    /// The line of the report.
    pub(crate) fn to_text(&self, budget: u32) -> String {
        let Budget { gold, checkout, top_k, gain_percent, fewer, tokens } = self;
        format!(
            "{budget} tokens: {checkout} of {gold} gold turns in packs, which have {tokens:.0} \
             tokens; top-k until full {top_k} ({gain_percent:+.1} %), more for {fewer} questions\n"
        )
    }
}

/// The longest beginning of the answers whose rendering has at most so many tokens.
fn rendered(answers: &[Cited], tokens: u32) -> &[Cited] {
    let beginning = |len: usize| answers.get(..len).unwrap_or(answers);
    let fits = |len: usize| {
        let bytes = for_prompt(beginning(len)).len();
        u32::try_from(bytes.div_ceil(TOKEN_BYTES)).is_ok_and(|needed| needed <= tokens)
    };
    // A longer one is never shorter when it is rendered.
    let len = (0..answers.len()).take_while(|len| fits(len + 1)).count();
    beginning(len)
}
