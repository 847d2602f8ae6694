use memlith_testkit::sim::Chance;
use serde::{Deserialize, Serialize};

/// One thing that happens in a session.
///
/// A number that names an item or a text counts among those there are, round and round, so
/// that a session without one of its steps is a session too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A text is written; by the assistant, or by the user.
    Remember {
        /// Which of the texts.
        text: u8,
        /// Whether the assistant writes it.
        assistant: bool,
    },
    /// A text is written that rests on an item.
    Conclude {
        /// The item.
        item: u8,
    },
    /// An item is confirmed.
    Confirm {
        /// The item.
        item: u8,
        /// Whether the assistant does it.
        assistant: bool,
    },
    /// An item is promoted by the user.
    Promote {
        /// The item.
        item: u8,
    },
    /// An item is declared wrong.
    Invalidate {
        /// The item.
        item: u8,
        /// Whether the assistant does it.
        assistant: bool,
    },
    /// An invalidation is taken back by the user.
    Reconfirm {
        /// The item.
        item: u8,
    },
    /// An item is erased by the owner.
    Erase {
        /// The item.
        item: u8,
    },
    /// An item's words are asked for.
    Checkout {
        /// The item.
        item: u8,
        /// Whether the ledger learns from it.
        observe: bool,
    },
    /// An item's words are asked for, as of an earlier state.
    AsOf {
        /// How many states ago.
        back: u8,
        /// The item, among those of that state.
        item: u8,
    },
    /// An item's salience is explained.
    Explain {
        /// The item.
        item: u8,
    },
    /// The state is written down.
    Checkpoint,
    /// The process closes its ledger and opens it again.
    Reopen {
        /// Whether it starts from a checkpoint.
        from_checkpoint: bool,
    },
    /// Another process goes on.
    Switch {
        /// Which.
        process: u8,
    },
    /// The clock jumps.
    Clock {
        /// By so many hours, to either side.
        hours: i16,
    },
    /// Every process is killed.
    Kill,
    /// The power goes.
    Cut {
        /// In which of the ways.
        how: u8,
        /// Seed of the part that is left to chance.
        seed: u16,
    },
    /// Something is to go wrong soon.
    Fault {
        /// Kind of the fault.
        kind: u8,
        /// After so many operations.
        after: u8,
    },
    /// Every byte is verified.
    Verify,
    /// A text is written under a key, which makes a second try of it a look.
    Keyed {
        /// Which of the keys.
        key: u8,
        /// Whether the assistant writes it, whose keys are its own.
        assistant: bool,
    },
    /// The result of an answer that cited an item is reported.
    Report {
        /// The item.
        item: u8,
        /// Whether it failed.
        failed: bool,
        /// Whether that was checked.
        verified: bool,
        /// Whether the assistant says so.
        assistant: bool,
    },
    /// The owner chooses how events move salience.
    Choose {
        /// Which of the policies.
        policy: u8,
    },
    /// A tool writes a text, or would correct an item: it waits for review.
    Propose {
        /// Which of the texts, or the item.
        item: u8,
        /// Whether the item is to be corrected.
        corrects: bool,
    },
    /// An item is reviewed.
    Review {
        /// The item, among those that wait where there are any.
        item: u8,
        /// Judgement of the item.
        judgement: u8,
        /// By whom; few may.
        reviewer: u8,
    },
    /// Finished work is summarised, in spans of a few items.
    Compact,
    /// A decision about an item is taken back.
    RollBack {
        /// The item.
        item: u8,
        /// Whether the assistant does it.
        assistant: bool,
    },
    /// The owner chooses whom to believe without review.
    Trust {
        /// Which of the policies.
        policy: u8,
    },
    /// An item is pinned.
    Pin {
        /// The item.
        item: u8,
        /// Whether the assistant does it, who may not.
        assistant: bool,
    },
    /// A pin is taken off.
    Unpin {
        /// The item, among those that are pinned where there are any.
        item: u8,
        /// Whether the assistant does it, who may not.
        assistant: bool,
    },
    /// An item's words are asked for twice, the second time with hints.
    Hint {
        /// The item.
        item: u8,
        /// The item that has to do with the hints.
        hint: u8,
    },
    /// One of the texts is written in other words, if it says anything new.
    Reword {
        /// Which of the texts.
        text: u8,
        /// By whom.
        by: u8,
    },
    /// A worker writes down, or takes back, what only its session sees.
    Note {
        /// Which of the notes.
        text: u8,
        /// Which of the workers.
        worker: u8,
        /// Whether it is taken back where it stands.
        drops: bool,
    },
    /// A worker offers a note to all.
    Offer {
        /// The note.
        note: u8,
        /// Which of the workers, where it isn't the note's own.
        stranger: u8,
    },
    /// All that an item led to is listed.
    Taint {
        /// The item.
        item: u8,
        /// Whether it is taken out then.
        invalidate: bool,
    },
    /// Two more sessions run their tools.
    Run,
    /// A record of a run is withdrawn, or comes back.
    Withdraw {
        /// The record.
        run: u8,
        /// Whether the assistant withdraws it.
        assistant: bool,
    },
    /// Work of several sessions is proposed as a procedure.
    Mine {
        /// Which procedure, and which session is left out.
        which: u8,
        /// How many sessions it takes.
        required: u8,
    },
    /// A text is written that is compared by likeness.
    Liken {
        /// Which of the texts that the model knows.
        text: u8,
        /// By whom.
        by: u8,
        /// Reply of the arbiter, if it is asked.
        says: u8,
    },
    /// An item is given a vector.
    Embed {
        /// The item.
        item: u8,
        /// Which of the vectors, and of which model.
        vector: u8,
        /// Whether the assistant does it.
        assistant: bool,
    },
    /// An item's words are asked for, with a vector of the question.
    Near {
        /// The item.
        item: u8,
        /// Which of the vectors, and of which model.
        vector: u8,
        /// Whether the ledger learns from it.
        observe: bool,
    },
    /// Tombstones are taken away.
    Lift {
        /// Of which of the items that have one.
        item: u8,
        /// All that there are, or the item's: all of its records', or its own alone; by the
        /// owner or by somebody who may not.
        how: u8,
    },
    /// A record of what a tool did is erased by the owner.
    EraseRun {
        /// Which of the records.
        run: u8,
    },
    /// A session that ran before is imported once more.
    RunAgain {
        /// Which.
        session: u8,
    },
    /// A text is written that holds for a time, and that may be told of an earlier one.
    Date {
        /// Hours since it was said.
        ago: u8,
        /// From when on it holds, around now, or since it was said.
        begins: u8,
        /// For how long.
        lasts: u8,
    },
    /// Another person says something of an item.
    Second {
        /// The item.
        item: u8,
        /// Statement that the other person makes.
        how: u8,
    },
    /// The state is written down if it is due, and from now on beside other steps too.
    Due,
}

/// The names of the kinds, in the order of [`Step::of`].
pub(super) const NAMES: [&str; Step::KINDS] = [
    "remember",
    "conclude",
    "confirm",
    "promote",
    "invalidate",
    "reconfirm",
    "erase",
    "checkout",
    "as of",
    "explain",
    "checkpoint",
    "reopen",
    "switch",
    "clock",
    "kill",
    "cut",
    "fault",
    "verify",
    "keyed",
    "report",
    "choose",
    "propose",
    "review",
    "compact",
    "roll back",
    "trust",
    "pin",
    "unpin",
    "hint",
    "reword",
    "note",
    "offer",
    "taint",
    "run",
    "withdraw",
    "mine",
    "liken",
    "embed",
    "near",
    "lift",
    "erase run",
    "run again",
    "date",
    "second",
    "due",
];

impl Step {
    /// How many kinds of step there are.
    pub(super) const KINDS: usize = 45;

    /// A step of the kind, its numbers by chance.
    pub(super) fn of(kind: usize, chance: &mut Chance) -> Step {
        let [a, b, c, d, ..] = chance.bits().to_le_bytes();
        match kind {
            0 => Step::Remember { text: a, assistant: b < 64 },
            1 => Step::Conclude { item: a },
            2 => Step::Confirm { item: a, assistant: b < 96 },
            3 => Step::Promote { item: a },
            4 => Step::Invalidate { item: a, assistant: b < 96 },
            5 => Step::Reconfirm { item: a },
            6 => Step::Erase { item: a },
            7 => Step::Checkout { item: a, observe: b < 192 },
            8 => Step::AsOf { back: a % 16, item: b },
            9 => Step::Explain { item: a },
            10 => Step::Checkpoint,
            11 => Step::Reopen { from_checkpoint: a < 192 },
            12 => Step::Switch { process: a },
            13 => Step::Clock { hours: i16::from_le_bytes([a, b]) % 1_440 },
            14 => Step::Kill,
            15 => Step::Cut { how: a, seed: u16::from_le_bytes([c, d]) },
            16 => Step::Fault { kind: a, after: b % 24 },
            17 => Step::Verify,
            18 => Step::Keyed { key: a, assistant: b < 128 },
            19 => {
                let (failed, verified) = (b < 128, c < 160);
                Step::Report { item: a, failed, verified, assistant: d < 128 }
            }
            20 => Step::Choose { policy: a },
            21 => Step::Propose { item: a, corrects: b < 128 },
            22 => Step::Review { item: a, judgement: b, reviewer: c },
            23 => Step::Compact,
            24 => Step::RollBack { item: a, assistant: b < 64 },
            25 => Step::Trust { policy: a },
            26 => Step::Pin { item: a, assistant: b < 32 },
            27 => Step::Unpin { item: a, assistant: b < 48 },
            28 => Step::Hint { item: a, hint: b },
            29 => Step::Reword { text: a, by: b },
            30 => Step::Note { text: a, worker: b, drops: c < 96 },
            31 => Step::Offer { note: a, stranger: b },
            32 => Step::Taint { item: a, invalidate: b < 64 },
            33 => Step::Run,
            34 => Step::Withdraw { run: a, assistant: b < 128 },
            35 => Step::Mine { which: a, required: b },
            36 => Step::Liken { text: a, by: b, says: c },
            37 => Step::Embed { item: a, vector: b, assistant: c < 64 },
            38 => Step::Near { item: a, vector: b, observe: c < 128 },
            39 => Step::Lift { item: a, how: b },
            40 => Step::EraseRun { run: a },
            41 => Step::RunAgain { session: a },
            42 => Step::Date { ago: a, begins: b, lasts: c },
            43 => Step::Second { item: a, how: b },
            _ => Step::Due,
        }
    }

    /// Whether it does nothing where it asks no ledger for anything.
    pub(super) fn needs_a_ledger(self) -> bool {
        !matches!(
            self,
            Step::Switch { .. } | Step::Clock { .. } | Step::Fault { .. } | Step::Verify
        )
    }

    /// The kind, in the order of [`Step::of`], and its name.
    pub(super) fn kind(self) -> (usize, &'static str) {
        let kind = match self {
            Step::Remember { .. } => 0,
            Step::Conclude { .. } => 1,
            Step::Confirm { .. } => 2,
            Step::Promote { .. } => 3,
            Step::Invalidate { .. } => 4,
            Step::Reconfirm { .. } => 5,
            Step::Erase { .. } => 6,
            Step::Checkout { .. } => 7,
            Step::AsOf { .. } => 8,
            Step::Explain { .. } => 9,
            Step::Checkpoint => 10,
            Step::Reopen { .. } => 11,
            Step::Switch { .. } => 12,
            Step::Clock { .. } => 13,
            Step::Kill => 14,
            Step::Cut { .. } => 15,
            Step::Fault { .. } => 16,
            Step::Verify => 17,
            Step::Keyed { .. } => 18,
            Step::Report { .. } => 19,
            Step::Choose { .. } => 20,
            Step::Propose { .. } => 21,
            Step::Review { .. } => 22,
            Step::Compact => 23,
            Step::RollBack { .. } => 24,
            Step::Trust { .. } => 25,
            Step::Pin { .. } => 26,
            Step::Unpin { .. } => 27,
            Step::Hint { .. } => 28,
            Step::Reword { .. } => 29,
            Step::Note { .. } => 30,
            Step::Offer { .. } => 31,
            Step::Taint { .. } => 32,
            Step::Run => 33,
            Step::Withdraw { .. } => 34,
            Step::Mine { .. } => 35,
            Step::Liken { .. } => 36,
            Step::Embed { .. } => 37,
            Step::Near { .. } => 38,
            Step::Lift { .. } => 39,
            Step::EraseRun { .. } => 40,
            Step::RunAgain { .. } => 41,
            Step::Date { .. } => 42,
            Step::Second { .. } => 43,
            Step::Due => 44,
        };
        (kind, NAMES.get(kind).copied().unwrap_or_default())
    }
}
