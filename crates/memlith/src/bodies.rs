use memlith_checkout::Bodies;
use memlith_event::Body;
use memlith_log::{Log, RecordId};

use crate::state::body_of;

/// The words of items, read from the log and verified against what names them.
#[derive(Debug)]
pub(crate) struct LogBodies<'a>(pub(crate) &'a Log);

impl Bodies for LogBodies<'_> {
    fn body(&self, id: RecordId, read: &mut dyn FnMut(&Body<'_>)) {
        match self.0.read(id.seq) {
            Ok(record) if record.id() == id => {
                if let Ok(Some(body)) = body_of(&record) {
                    read(&body);
                }
            }
            Ok(_) => tracing::error!(%id, "the record is not the one that the state cites"),
            Err(error) => tracing::error!(%id, %error, "the words of an item can't be read"),
        }
    }
}
