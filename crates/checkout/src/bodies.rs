use memlith_event::Body;
use memlith_log::RecordId;

/// Where a checkout gets the words of items from: the log.
///
/// Folded state holds no text. What this gives has been read from the log and found to
/// be what `id` names, hash included.
pub trait Bodies {
    /// Calls `read` with the body of the record `id`, or not at all where it was
    /// erased or can't be read.
    fn body(&self, id: RecordId, read: &mut dyn FnMut(&Body<'_>));

    /// Says whose bodies are asked for soon, so that a disk brings them at once. A hint.
    fn will_need(&self, _ids: &mut dyn Iterator<Item = RecordId>) {}
}

/// Applies `read` to the body of `id`, where there is one.
pub(crate) fn read<T>(
    bodies: &dyn Bodies,
    id: RecordId,
    mut read: impl FnMut(&Body<'_>) -> T,
) -> Option<T> {
    let mut made = None;
    bodies.body(id, &mut |body| made = Some(read(body)));
    made
}
