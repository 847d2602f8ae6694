use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Result;
use memlith::{CheckoutRequest, Cited, RecordId, Timestamp, for_prompt};
use serde_json::{Value, json};

use crate::recall::dataset::Question;
use crate::recall::figures::Figures;
use crate::recall::held::Held;
use memlith_verbs::wall::rounded;

/// Measurements beside the figures of the data set.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct Wanted {
    /// Everything below but the latency.
    #[arg(long)]
    pub(crate) full: bool,
    /// Counts the gold turns in checkouts of 500 to 4,000 tokens, and how well they tell
    /// that another person said it.
    #[arg(long)]
    pub(crate) budgets: bool,
    /// Prints what is lost without each signal.
    #[arg(long)]
    pub(crate) ablate: bool,
    /// Asks with salience and without, within the dialogues and after them.
    #[arg(long)]
    pub(crate) salience: bool,
    /// Times queries among 6,000, 100,000 and 1,000,000 turns: copies of the dialogues.
    #[arg(long)]
    pub(crate) latency: bool,
    /// Times them among at most so many.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, requires = "latency")]
    pub(crate) latency_max: usize,
}

/// The sums while questions are asked.
#[derive(Default)]
pub(crate) struct Extra {
    wanted: Wanted,
    ablation: BTreeMap<String, Figures>,
    budgets: BTreeMap<u32, Budget>,
    /// The margins of checkouts of questions that ask the wrong person, and of the others; and
    /// whether they say that another person said it.
    wrong: Vec<(i64, bool)>,
    right: Vec<(i64, bool)>,
    salience: BTreeMap<&'static str, [Figures; 2]>,
}

/// How many gold turns packs of a budget hold, beside the best answers one by one until the
/// budget is full: both as they are rendered for a model.
#[derive(Default)]
struct Budget {
    questions: usize,
    gold: usize,
    checkout: usize,
    top_k: usize,
    fewer: usize,
    tokens: u64,
}

/// Number of answers that are put in order anew: as many as a search gives.
const ANSWERS: usize = 400;

/// Number of answers whose salience is looked at: more than are counted.
const SALIENT: usize = 200;

/// The budgets that are asked for, in tokens, and that of a prompt's hook.
const TOKENS: [u32; 4] = [500, 1_000, 2_000, 4_000];
const PROMPT_TOKENS: u32 = 1_000;

/// Bytes of a token, as the engine counts them.
const TOKEN_BYTES: usize = 4;

/// LoCoMo's category of questions that ask one person for what another said.
const WRONG_PERSON: u64 = 5;

const YEAR_US: i64 = 365 * 86_400_000_000;

/// Signals that belong together, by the beginnings of their names.
const GROUPS: [(&str, &[&str]); 4] = [
    ("group: words", &["coverage", "meaning"]),
    ("group: neighbours", &["context", "session", "answer", "reply"]),
    ("group: causes", &["request", "cause", "opening", "outcome"]),
    ("group: dates", &["day", "when"]),
];

impl Extra {
    pub(crate) fn new(wanted: Wanted) -> Extra {
        let Wanted { full, budgets, ablate, salience, .. } = wanted;
        let (budgets, ablate) = (budgets || full, ablate || full);
        let wanted = Wanted { budgets, ablate, salience: salience || full, ..wanted };
        Extra { wanted, ..Extra::default() }
    }

    /// Adds a question with the records that answer it.
    pub(crate) fn add(
        &mut self,
        held: &Held,
        question: &Question,
        gold: &[RecordId],
    ) -> Result<()> {
        let text = question.text.as_str();
        if self.wanted.budgets {
            self.add_budgets(held, text, gold)?;
            self.add_person(held, question)?;
        }
        if self.wanted.ablate {
            self.add_ablation(&held.ask(text, ANSWERS)?, gold);
        }
        if self.wanted.salience {
            self.add_salience(held, text, gold)?;
        }
        Ok(())
    }

    fn add_budgets(&mut self, held: &Held, text: &str, gold: &[RecordId]) -> Result<()> {
        let answers = held.ask(text, ANSWERS)?;
        let count = |of: &[Cited]| of.iter().filter(|cited| gold.contains(&cited.id)).count();
        for tokens in TOKENS {
            let pack = held.ledger.checkout(&held.caller, request(text, tokens))?.pack;
            let (checkout, top_k) = (count(&pack.items), count(rendered(&answers, tokens)));
            let sums = self.budgets.entry(tokens).or_default();
            sums.questions += 1;
            sums.gold += gold.len();
            sums.checkout += checkout;
            sums.top_k += top_k;
            sums.fewer += usize::from(checkout < top_k);
            sums.tokens += u64::from(pack.tokens);
        }
        Ok(())
    }

    /// Adds a question, where it names one person.
    fn add_person(&mut self, held: &Held, question: &Question) -> Result<()> {
        let request = request(&question.text, PROMPT_TOKENS);
        let pack = held.ledger.checkout(&held.caller, &request)?.pack;
        if let Some(of) = &pack.asked_of {
            let is_wrong = question.category == WRONG_PERSON;
            let list = if is_wrong { &mut self.wrong } else { &mut self.right };
            list.push((of.margin, of.said_by_another(&pack.items).is_some()));
        }
        Ok(())
    }

    /// Adds the order that there is without each signal and group of signals.
    ///
    /// The other weights stay as they are; a fit without the signal (`examples/fit.rs` of
    /// `memlith-recall`) says what the rest could make up for.
    fn add_ablation(&mut self, answers: &[Cited], gold: &[RecordId]) {
        let names = answers.first().map(|cited| cited.why.signals.each().map(|(name, _)| name));
        let singles = names.into_iter().flatten().map(|name| (name, vec![name]));
        let groups = GROUPS.iter().map(|(group, names)| (*group, names.to_vec()));
        for (label, left_out) in singles.chain(groups) {
            let order = ordered(answers, |cited| without(cited, &left_out));
            self.ablation.entry(label.to_owned()).or_default().add(&order, gold);
        }
    }

    /// Asks within the dialogue, when the last of the evidence had just been said; at the
    /// dialogue's end; and a year after that.
    fn add_salience(&mut self, held: &Held, text: &str, gold: &[RecordId]) -> Result<()> {
        let end = held.caller.now.unwrap_or_default();
        let year_after = Timestamp(end.0.saturating_add(YEAR_US));
        for (name, now) in
            [("inside", held.last_of(gold)), ("end", end), ("year_after", year_after)]
        {
            let answers = held.ask_at(text, SALIENT, now)?;
            let [on, off] = self.salience.entry(name).or_default();
            on.add(&answers.iter().map(|cited| cited.id).collect::<Vec<_>>(), gold);
            off.add(&ordered(&answers, |cited| cited.why.relevance), gold);
        }
        Ok(())
    }

    /// The figures beside those of all questions.
    pub(crate) fn figures(&self, all: &Figures) -> Value {
        let without = |(name, figures): (&String, &Figures)| {
            let ((recall, mrr), (all_recall, all_mrr)) =
                (figures.recall_and_mrr(), all.recall_and_mrr());
            let line = json!({
                "recall_at_10": recall,
                "mrr": mrr,
                "recall_at_10_change": rounded(recall - all_recall, 2),
                "mrr_change": rounded(mrr - all_mrr, 2),
            });
            (name.clone(), line)
        };
        let on_off = |(name, [on, off]): (&&'static str, &[Figures; 2])| {
            (*name, json!({ "on": on, "off": off }))
        };
        let budget = |(tokens, sums): (&u32, &Budget)| (*tokens, sums.figures());
        json!({
            "ablation": self.ablation.iter().map(without).collect::<BTreeMap<_, _>>(),
            "salience": self.salience.iter().map(on_off).collect::<BTreeMap<_, _>>(),
            "budgets": self.budgets.iter().map(budget).collect::<BTreeMap<_, _>>(),
            "another": self.another(),
        })
    }

    /// How well a checkout tells that what is asked of one person was said by another, where
    /// there are questions of both sorts; shares are of 1.
    fn another(&self) -> Option<Value> {
        let pairs = self.wrong.len() * self.right.len();
        let of_right = |wrong: &i64| {
            let more = self.right.iter().filter(|(right, _)| wrong < right).count();
            let equal = self.right.iter().filter(|(right, _)| wrong == right).count();
            more as f64 + equal as f64 / 2.0
        };
        let told: f64 = self.wrong.iter().map(|(wrong, _)| of_right(wrong)).sum();
        let share = |of: &[(i64, bool)]| {
            let said = of.iter().filter(|(_, said)| *said).count();
            rounded(said as f64 / of.len().max(1) as f64, 3)
        };
        let figures = json!({
            "questions": self.wrong.len() + self.right.len(),
            "wrong": self.wrong.len(),
            "auc": rounded(told / pairs.max(1) as f64, 3),
            "said": share(&self.wrong),
            "said_wrongly": share(&self.right),
        });
        (pairs > 0).then_some(figures)
    }
}

impl Budget {
    fn figures(&self) -> Value {
        let gain = self.checkout as f64 / self.top_k.max(1) as f64 - 1.0;
        json!({
            "gold": self.gold,
            "checkout": self.checkout,
            "top_k": self.top_k,
            "gain_percent": rounded(100.0 * gain, 2),
            "fewer": self.fewer,
            "tokens": rounded(self.tokens as f64 / self.questions.max(1) as f64, 1),
        })
    }
}

fn request(text: &str, budget_tokens: u32) -> CheckoutRequest {
    CheckoutRequest { budget_tokens, observe: false, ..CheckoutRequest::new(text) }
}

/// The answers by a score, the highest first.
fn ordered(answers: &[Cited], score: impl Fn(&Cited) -> i64) -> Vec<RecordId> {
    let mut order: Vec<(Reverse<i64>, RecordId)> =
        answers.iter().map(|cited| (Reverse(score(cited)), cited.id)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, id)| id).collect()
}

/// The score that an answer had without these signals.
fn without(cited: &Cited, left_out: &[&str]) -> i64 {
    let signals = cited.why.signals.each().into_iter().zip(memlith::read::WEIGHTS.each());
    let kept = signals.filter(|((name, _), _)| !left_out.contains(name));
    let sum: i64 = kept.map(|((_, signal), (_, weight))| signal * weight).sum();
    cited.why.multiplier.scales((sum / 100).max(1))
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
