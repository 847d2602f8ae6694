use memlith_event::{Metadata, OwnStatus, Rank};
use memlith_log::{RecordId, Timestamp};

use crate::{Authority, Item};

/// The state refuses a command. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// There is no such item, its hash is another, or it isn't visible from the
    /// actor's scope: the three look the same, so that a scope can't be probed.
    #[error(
        "{id} names no item that is visible from this scope: what was said, remembered or summarised is one; check the id, or name its scope"
    )]
    NotFound {
        /// The id that was asked for.
        id: RecordId,
    },
    /// The text was erased, and a tombstone keeps it from coming back.
    #[error("this was erased as {id}, and stays erased; the owner can lift that")]
    Erased {
        /// The erased record: of this ledger, or of another machine's.
        id: RecordId,
    },
    /// The text asks something of the memory, and says nothing to remember.
    #[error("this is a word to the memory, not one to remember; nothing was written: {advice}")]
    Instruction {
        /// The command that does as the text asks.
        advice: &'static str,
    },
    /// A record that no tombstone stands for.
    #[error("no tombstone stands for {id}; nothing keeps it from coming in")]
    NoTombstone {
        /// The id that was given.
        id: RecordId,
    },
    /// A command without a target.
    #[error("the command names no item")]
    NoTargets,
    /// A target that is named twice.
    #[error("item {id} is named twice")]
    DuplicateTarget {
        /// The item.
        id: RecordId,
    },
    /// The item's authority doesn't allow the command.
    #[error("item {id} is {authority}, so it can't be {command}")]
    Status {
        /// The item.
        id: RecordId,
        /// Its authority.
        authority: Authority,
        /// The command, as a participle.
        command: &'static str,
    },
    /// A record is what happened; it can't be what the command makes of it.
    #[error("item {id} is a record of what happened, so it can't be {command}")]
    IsRecord {
        /// The item.
        id: RecordId,
        /// The command, as a participle.
        command: &'static str,
    },
    /// A summary says what others said; it can't be what the command makes of it.
    #[error("item {id} is a summary of others, so it can't be {command}")]
    IsSummary {
        /// The item.
        id: RecordId,
        /// The command, as a participle.
        command: &'static str,
    },
    /// A summary of the same sources stands, or somebody took it out.
    #[error("item {id} is a summary of the same sources")]
    AlreadySummarised {
        /// The summary.
        id: RecordId,
    },
    /// A summary of what was itself made from other items.
    #[error("item {id} was made from other items, so it can't be summarised")]
    IsDerived {
        /// The item.
        id: RecordId,
    },
    /// A summary across scopes or sessions.
    #[error("item {id} is of another scope or session than the summary")]
    OtherScope {
        /// The item.
        id: RecordId,
    },
    /// A memory, a summary or a procedure that cites more than a body may hold.
    #[error("it would rest on {found} records; {most} are the most")]
    TooManySources {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// Metadata of more pairs or bytes than a memory may have, or a key without a character.
    #[error(
        "the metadata has {pairs} pairs and {bytes} bytes: a memory keeps at most {} pairs, {} \
         bytes in all, and each pair has a key",
        Metadata::PAIRS_MAX,
        Metadata::BYTES_MAX
    )]
    Metadata {
        /// How many pairs there are.
        pairs: usize,
        /// How many bytes their keys and values have.
        bytes: usize,
    },
    /// The actor's rank is too low.
    #[error("a {found:?} may not do this to item {id}; it takes rank {needed} or above")]
    Rank {
        /// The item.
        id: RecordId,
        /// The least level that may.
        needed: u8,
        /// The actor's rank.
        found: Rank,
    },
    /// An equal assertion was declared wrong.
    #[error(
        "the same was invalidated as item {id} by rank {invalidator}; \
         reconfirm that item, or say it again with that rank after {invalidated_at}"
    )]
    PreviouslyInvalidated {
        /// The invalidated item.
        id: RecordId,
        /// The rank that invalidated it.
        invalidator: u8,
        /// When that was recorded.
        invalidated_at: Timestamp,
    },
    /// An equal assertion was refused by review.
    #[error(
        "the same was rejected as item {id} by rank {rejecter}; \
         say it again with that rank after {rejected_at}"
    )]
    PreviouslyRejected {
        /// The rejected item.
        id: RecordId,
        /// The rank that rejected it.
        rejecter: u8,
        /// When that was recorded.
        rejected_at: Timestamp,
    },
    /// A memory is reviewed by another than its author.
    #[error("item {id} is the reviewer's own proposal; another has to review it")]
    OwnProposal {
        /// The item.
        id: RecordId,
    },
    /// A row that stands says what the proposal says.
    #[error("item {id} says what item {by} says, which stands; reject the one, confirm the other")]
    SaidAlready {
        /// The proposal.
        id: RecordId,
        /// The row that stands.
        by: RecordId,
    },
    /// Each acceptance is judged by what the one before it left.
    #[error("items are accepted one at a time")]
    SeveralTargets,
    /// An assertion of which nothing can be seen: no words, or full stops, or characters that
    /// take no ink.
    #[error("there is nothing to remember: the text is empty")]
    EmptyText,
    /// An interval that ends before it begins.
    #[error("the validity from {from} until {until} holds at no instant")]
    EmptyValidity {
        /// Its first instant.
        from: Timestamp,
        /// Its end.
        until: Timestamp,
    },
    /// A weight that the command can't have.
    #[error("a weight of {millionths} millionths is not one of {command}; {allowed}")]
    Weight {
        /// The weight.
        millionths: u32,
        /// The command that was asked for.
        command: &'static str,
        /// The weights that the command takes.
        allowed: &'static str,
    },
    /// A probability above 1.
    #[error("an expectation of {millionths} millionths is none; it is 0 to 1")]
    Expectation {
        /// The probability, in millionths.
        millionths: u32,
    },
    /// A policy holds for everybody who uses the ledger: only its owner chooses one.
    #[error("a {found:?} may not choose a policy of the ledger; it takes the owner")]
    PolicyRank {
        /// The actor's rank.
        found: Rank,
    },
    /// Only the owner reaches into every scope.
    #[error("a {found:?} may not do this in every scope; it takes the owner")]
    EverywhereRank {
        /// The actor's rank.
        found: Rank,
    },
    /// The policy is the one that holds already.
    #[error("the policy {name} is in force already")]
    PolicyInForce {
        /// The policy.
        name: &'static str,
    },
    /// The thresholds of likeness don't descend from restate over midpoint to add, or are no
    /// cosines.
    #[error("thresholds descend: restate, midpoint, add, each between -1 and 1")]
    Thresholds,
    /// A memory that only a session sees would take the place of one that others see.
    #[error(
        "item {id} is seen outside of this session, and what would take its place is not; \
         say it without session-only"
    )]
    SessionOnly {
        /// The item.
        id: RecordId,
    },
    /// An equal procedure stands, waits or was turned down, and not much more speaks for it.
    #[error("the same procedure is item {id}, which is {authority}")]
    KnownProcedure {
        /// The item.
        id: RecordId,
        /// Its authority.
        authority: Authority,
    },
    /// A procedure that rests on fewer sessions than it needs to stand.
    #[error("the procedure rests on {found} sessions, and needs {needed} to stand")]
    TooFewSessions {
        /// How many distinct sessions its records are of.
        found: usize,
        /// How many it takes.
        needed: usize,
    },
    /// A derived item that names nothing it was derived from.
    #[error("a derived memory must name what it rests on")]
    Unfounded,
}

impl Rejection {
    /// The refusal of what says the same as `item`, which was taken out.
    pub(crate) fn barred_by(item: &Item) -> Rejection {
        let Item { id, invalidator, invalidated_at, .. } = *item;
        match item.own {
            OwnStatus::Rejected => Rejection::PreviouslyRejected {
                id,
                rejecter: invalidator,
                rejected_at: invalidated_at,
            },
            OwnStatus::Pending
            | OwnStatus::Active
            | OwnStatus::Invalidated
            | OwnStatus::Retracted
            | OwnStatus::Erased => {
                Rejection::PreviouslyInvalidated { id, invalidator, invalidated_at }
            }
        }
    }
}
