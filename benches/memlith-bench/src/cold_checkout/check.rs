use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use memlith::{Caller, CheckoutRequest, Cited, Ledger, Options, Rank, Timestamp};
use serde_json::Value;

use crate::queries::Query;
use memlith_verbs::exit;

/// Answers of a ledger whose log is folded from the first record.
pub(crate) struct Expected(BTreeMap<String, Vec<Value>>);

impl Expected {
    /// Folds the log without a checkpoint, once, and asks every query.
    ///
    /// Cost: the memory of the whole folded state.
    pub(crate) fn of(ledger: &Path, queries: &[Query], now: Timestamp) -> Result<Expected> {
        let options = Options { read_only: true, use_checkpoint: false, ..Options::default() };
        let ledger = Ledger::open(ledger, options)?;
        let mut caller = Caller::new("", "", Rank::User);
        caller.scope = memlith_verbs::scope::ScopeArg::default().0;
        caller.now = Some(now);
        let mut answers = BTreeMap::new();
        for query in queries {
            let request = CheckoutRequest { observe: false, ..CheckoutRequest::new(&query.text) };
            let checkout = ledger.checkout(&caller, &request)?;
            let items = checkout.pack.items.iter();
            let items: Result<Vec<Value>> = items.map(read_again).collect();
            answers.insert(query.text.clone(), items?);
        }
        Ok(Expected(answers))
    }

    /// Compares an answer with what the fold of the whole log gives.
    ///
    /// # Errors
    /// They differ.
    pub(crate) fn check(&self, query: &Query, items: &[Value]) -> Result<()> {
        let expected = self.0.get(&query.text).map(Vec::as_slice).unwrap_or_default();
        if expected == items {
            return Ok(());
        }
        Err(exit::damaged(format!(
            "the answer to `{}` is not that of a replay from the first record: {} items, not {}",
            query.text,
            items.len(),
            expected.len()
        )))
    }
}

/// An item as the reader of a printed answer has it: a float may lose a bit on the way.
fn read_again(item: &Cited) -> Result<Value> {
    Ok(serde_json::from_str(&serde_json::to_string(item)?)?)
}

/// Refuses an answer with fewer items than there must be.
pub(crate) fn enough(query: &Query, items: &[Value], least: usize) -> Result<()> {
    ensure!(
        items.len() >= least,
        "the answer to `{}` has {} items, fewer than the {least} of --items-min",
        query.text,
        items.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::queries::Class;

    #[test]
    fn an_answer_that_differs_in_one_byte_is_refused() {
        let query = Query { class: Class::Rare, text: "q".to_owned() };
        let item = |text: &str| json!({ "id": "mem_1", "text": text });
        let expected = Expected([("q".to_owned(), vec![item("a")])].into());
        assert!(expected.check(&query, &[item("a")]).is_ok());
        assert!(expected.check(&query, &[item("b")]).is_err());
        assert!(expected.check(&query, &[]).is_err());
        assert!(enough(&query, &[item("a")], 1).is_ok());
        assert!(enough(&query, &[item("a")], 2).is_err());
    }
}
