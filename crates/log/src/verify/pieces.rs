//! A sealed segment, shown to be sound by pieces that are walked beside each other.
//!
//! A piece begins with a frame that the footer says the place of, and takes it as it stands.
//! Whether that frame follows from the piece before is asked when both have been walked. Of
//! the bytes themselves no hash is made: sums, payload digests and links are over all of them
//! but the segment's header, which has a sum of its own. Where anything does not hold, nothing
//! is said here: a walk through the whole segment says what it is.

use super::part::Walked;
use super::walk::Walk;
use crate::frame::SlotState;
use crate::hash::link;
use crate::segment::Segment;
use crate::segment_header::SEGMENT_HEADER_LEN;
use crate::stretch::Checked;
use crate::walk::Expect;
use crate::{Seq, Timestamp};

/// The least length of a piece: of shorter ones the reading and hashing of many frames at once
/// has less than it could have.
const PIECE_LEN: u64 = 4 << 20;

/// Frames of a segment that one thread walks.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    segment: &'a Segment,
    from: u64,
    to: u64,
}

/// A piece of which every frame holds and follows from the one before it.
#[derive(Debug)]
pub(super) struct Sound {
    walked: Walked,
    first: Checked,
    after: Expect,
    sparse: Vec<(Seq, u64)>,
}

impl Piece<'_> {
    /// The pieces of a segment, in their order; none of one without a footer.
    pub(super) fn of(segment: &Segment) -> Vec<Piece<'_>> {
        let Some((footer, end)) = &segment.footer else { return Vec::new() };
        let (mut from, mut pieces) = (SEGMENT_HEADER_LEN, Vec::new());
        for [(_, before), (_, to)] in footer.sparse.array_windows() {
            // An offset that is too close to the one before is none that a walk would come to.
            let is_due = *to >= before.saturating_add(1).next_multiple_of(footer.step());
            if is_due && to.saturating_sub(from) >= PIECE_LEN && to < end {
                pieces.push(Piece { segment, from, to: *to });
                from = *to;
            }
        }
        pieces.push(Piece { segment, from, to: *end });
        pieces
    }

    /// Walks the piece; `None` where anything in it does not hold, or can't be read.
    pub(super) fn walk(&self) -> Option<Sound> {
        let mut walk = Walk::piece(self.segment, self.from, self.to);
        let mut walked = Walked::of(self.segment);
        walk.run(&mut walked).ok()?;
        let is_sound = walk.all_sound && walk.offset == self.to;
        let Walk { first, expect, sparse, .. } = walk;
        is_sound.then_some(Sound { walked, first: first?, after: expect?, sparse })
    }
}

/// Puts the pieces of `segment` together; `None` unless it is sound as a whole.
pub(super) fn join(segment: &Segment, pieces: Vec<Option<Sound>>) -> Option<Walked> {
    let (footer, _) = segment.footer.as_ref()?;
    let (mut whole, mut sparse) = (Walked::of(segment), Vec::new());
    let mut expect = Expect { recorded_at: Timestamp(i64::MIN), ..segment.header.expect() };
    for piece in pieces {
        let Sound { walked, first, after, sparse: places } = piece?;
        if first.state == Ok(SlotState::Destroyed) {
            whole.erasures.note_destroyed(first.head.header.seq, expect.chain);
        }
        let link = link(&expect.chain, &first.record_hash);
        expect.admits(&first.head, first.state.ok()?, &link).ok()?;
        (expect, whole.first_time) = (after, whole.first_time.or(walked.first_time));
        sparse.extend(places);
        whole.append(walked);
    }
    whole.after = Some(expect);
    (footer.ends(whole.records, &expect) && footer.sparse == sparse).then_some(whole)
}
