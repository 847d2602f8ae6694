use memlith::{Caller, Error, Ledger, RecordId};

/// A memory that a turn taught, with its words.
pub(crate) struct Taught {
    pub(crate) id: RecordId,
    pub(crate) text: String,
}

/// Returns what a turn taught, or `None` where something of that stands no more: the rest then
/// stands for itself.
///
/// # Errors
/// The ledger's.
pub(crate) fn taught(
    ledger: &Ledger,
    caller: &Caller,
    turn: RecordId,
) -> Result<Option<Vec<Taught>>, Error> {
    let below = ledger.trace(caller, turn)?.into_iter().filter(|one| one.distance > 0);
    let mut taught = Vec::new();
    for one in below {
        let Some(authority) = one.authority else { continue };
        if !authority.is_shown() {
            return Ok(None);
        }
        taught.extend(one.text.map(|text| Taught { id: one.id, text }));
    }
    Ok(Some(taught))
}
