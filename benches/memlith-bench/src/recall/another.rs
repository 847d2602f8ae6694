use anyhow::Result;
use memlith::CheckoutRequest;
use serde::Serialize;

use crate::recall::dataset::Question;
use crate::recall::held::Held;
use crate::rounded;

/// How well a checkout tells that what is asked of one person was said by another.
#[derive(Default)]
pub(crate) struct Another {
    wrong: Vec<Margin>,
    right: Vec<Margin>,
}

/// Margin of a checkout's answer to one question, and whether it says that another person said it.
struct Margin {
    millionths: i64,
    said: bool,
}

/// The figures; shares are of 1.
#[derive(Debug, Serialize)]
pub(crate) struct Printed {
    questions: usize,
    wrong: usize,
    auc: f64,
    said: f64,
    said_wrongly: f64,
}

/// LoCoMo's category of questions that ask one person for what another said.
const WRONG_PERSON: u64 = 5;

/// Tokens of the checkouts: those of a prompt's hook.
const TOKENS: u32 = 1_000;

impl Another {
    /// Adds a question, where it names one person.
    pub(crate) fn add(&mut self, held: &Held, question: &Question) -> Result<()> {
        let plain = CheckoutRequest::new(question.text.as_str());
        let request = CheckoutRequest { budget_tokens: TOKENS, observe: false, ..plain };
        let pack = held.ledger.checkout(&held.caller, &request)?.pack;
        let Some(of) = &pack.asked_of else { return Ok(()) };
        let said = of.said_by_another(&pack.items).is_some();
        let list = match question.category {
            WRONG_PERSON => &mut self.wrong,
            _ => &mut self.right,
        };
        list.push(Margin { millionths: of.margin, said });
        Ok(())
    }

    /// The figures, where there are questions of both sorts.
    pub(crate) fn finish(&self) -> Option<Printed> {
        let pairs = self.wrong.len() * self.right.len();
        let is_told = |wrong: &Margin, right: &Margin| match wrong.millionths.cmp(&right.millionths)
        {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 0.0,
        };
        let both =
            self.wrong.iter().flat_map(|one| self.right.iter().map(move |other| (one, other)));
        let told: f64 = both.map(|(wrong, right)| is_told(wrong, right)).sum();
        let share = |of: &[Margin]| {
            let said = of.iter().filter(|one| one.said).count();
            rounded(said as f64 / of.len().max(1) as f64, 3)
        };
        (pairs > 0).then(|| Printed {
            questions: self.wrong.len() + self.right.len(),
            wrong: self.wrong.len(),
            auc: rounded(told / pairs as f64, 3),
            said: share(&self.wrong),
            said_wrongly: share(&self.right),
        })
    }
}

impl Printed {
    /// The line of the report.
    pub(crate) fn to_text(&self) -> String {
        let Printed { questions, wrong, auc, said, said_wrongly } = self;
        format!(
            "asked of the wrong person: AUC {auc:.2} over {questions} questions that name one, \
             {wrong} of them the wrong one; said of {:.0} % of these and {:.0} % of the others\n",
            said * 100.0,
            said_wrongly * 100.0
        )
    }
}
