use memlith_event::{Body, Embedded, Event, MemoryEvent, OwnStatus, Rank};
use memlith_log::RecordId;

use crate::authority::Authority;
use crate::command::Door;
use crate::item::Item;
use crate::memory::Memory;
use crate::rejection::Rejection;

impl Memory {
    /// The events that give items vectors. What is taken out, superseded or waits may have one:
    /// it may come back.
    ///
    /// A vector moves where an item comes, so that nobody gives one to what is guarded above
    /// them; a person may to all, since a vector is made by a machine, whoever runs it.
    pub(crate) fn decide_embedding(
        &self,
        vectors: &[Embedded<'static>],
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        let ids: Vec<RecordId> = vectors.iter().map(|one| one.target).collect();
        // The cell of an erased item is gone with its body, so that no scope sees it.
        let gone = |id: &&RecordId| {
            let item = self.items.get(&id.seq).filter(|item| item.id == **id);
            item.is_some_and(|item| item.own == OwnStatus::Erased)
        };
        if let Some(id) = ids.iter().find(gone) {
            let (id, authority) = (*id, Authority::Erased);
            return Err(Rejection::Status { id, authority, command: "given a vector" });
        }
        for item in self.targets(&ids, door)? {
            check(&item, door)?;
        }
        let body = |one: &Embedded<'static>| Body {
            envelope: door.envelope(Vec::new()),
            event: Event::Memory(MemoryEvent::Embedded(one.clone())),
        };
        Ok(vectors.iter().map(body).collect())
    }
}

fn check(item: &Item, door: &Door) -> Result<(), Rejection> {
    let (needed, found) = (item.guard.min(Rank::User.level()), door.actor.rank);
    if found.level() < needed {
        return Err(Rejection::Rank { id: item.id, needed, found });
    }
    Ok(())
}
