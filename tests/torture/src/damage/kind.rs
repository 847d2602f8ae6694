use std::collections::BTreeMap;

/// The files of a ledger.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

macro_rules! rows {
    ($($name:ident $label:literal,)*) => {
        /// A row of the table: one kind of damage.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        #[expect(missing_docs, reason = "the label says it")]
        pub enum Row {
            $($name,)*
        }

        impl Row {
            /// Every kind of damage, in the order of the table.
            pub const ALL: &[Row] = &[$(Row::$name,)*];

            /// Its name in the table.
            #[must_use]
            pub fn label(self) -> &'static str {
                match self {
                    $(Row::$name => $label,)*
                }
            }
        }
    };
}

rows! {
    Cut "file cut short",
    Zeroed "file cut short, zeros to its old length",
    FileMissing "any one file missing",
    Swapped "records swapped",
    Doubled "record doubled",
    Deleted "record deleted",
    Overwritten "record overwritten by another",
    Foreign "record of another ledger",
    Field "field of a record, checksums renewed",
    Content "byte of a record, checksums renewed",
    Stale "frames of another history behind the end",
    SegmentsSwapped "segments swapped or doubled",
    SegmentForeign "segment of another ledger or history",
    SegmentOlder "older version of one segment",
    SegmentField "field of a segment header or footer, renewed",
    LastGone "last segment, mark and checkpoints gone",
    MarkOther "mark of another ledger, older, or another",
    MarkField "field of the mark, checksum renewed",
    Aside "lock, prepared or kept space not as left",
    Key "key of tombstones of another ledger, or changed",
    CheckpointOther "checkpoint foreign, future, retired, misnamed",
    CheckpointField "field of a checkpoint, digests renewed",
    CheckpointContent "byte of a checkpoint, root renewed",
}

impl Row {
    /// The kind of damage of this name.
    #[must_use]
    pub fn labelled(label: &str) -> Option<Row> {
        Row::ALL.iter().copied().find(|row| row.label() == label)
    }

    /// Why what nobody finds is not missed; `None` where everything has to be found.
    #[must_use]
    pub fn harmless_because(self) -> Option<&'static str> {
        match self {
            Row::Cut | Row::Zeroed => {
                Some("zeros of the mark, the quarantine, and files that say nothing")
            }
            Row::FileMissing => {
                Some("a checkpoint, the quarantine, and files that say nothing; all are optional")
            }
            Row::Field => Some("the distance to the floor: local, not hashed, no further than E"),
            Row::SegmentField => {
                Some("a sealed segment's capacity, the salt, and the flag of an accepted loss")
            }
            Row::MarkOther => Some("a mark that lags, and the slot that is not the newest"),
            Row::MarkField => {
                Some("the slot that is not the newest, its epoch, its boot, and a mark that lags")
            }
            Row::Aside => Some("content without meaning, or replaced before it is used"),
            Row::Key => Some("the zeros behind the secret"),
            Row::CheckpointOther => {
                Some("the root in a name, which only tells files apart; or another fold version")
            }
            Row::Swapped
            | Row::Doubled
            | Row::Deleted
            | Row::Overwritten
            | Row::Foreign
            | Row::Content
            | Row::Stale
            | Row::SegmentsSwapped
            | Row::SegmentForeign
            | Row::SegmentOlder
            | Row::LastGone
            | Row::CheckpointField
            | Row::CheckpointContent => None,
        }
    }

    /// Whether the engine leaves it to the log to see it.
    pub(super) fn is_of_the_log(self) -> bool {
        match self {
            Row::Cut
            | Row::Zeroed
            | Row::Swapped
            | Row::Doubled
            | Row::Deleted
            | Row::Overwritten
            | Row::Foreign
            | Row::Field
            | Row::Content
            | Row::SegmentField
            | Row::MarkField => true,
            Row::FileMissing
            | Row::Stale
            | Row::SegmentsSwapped
            | Row::SegmentForeign
            | Row::SegmentOlder
            | Row::LastGone
            | Row::MarkOther
            | Row::Aside
            | Row::Key
            | Row::CheckpointOther
            | Row::CheckpointField
            | Row::CheckpointContent => false,
        }
    }
}

/// One damage to a ledger.
#[derive(Clone, Debug)]
pub(super) struct Damage {
    pub(super) row: Row,
    /// Description of the damage, to repeat it by hand.
    pub(super) what: String,
    /// The files that are others, or gone.
    pub(super) files: Vec<(String, Option<Vec<u8>>)>,
    /// Whether the machine was started again since.
    pub(super) rebooted: bool,
    /// Whether it touches nothing that was acknowledged, so that the ledger has to open,
    /// and is without a finding once somebody has written.
    pub(super) repairs: bool,
    /// Whether `docs/guarantees.md` names it as what a reader can't see.
    pub(super) not_promised: bool,
}

impl Damage {
    pub(super) fn of(row: Row, what: impl Into<String>) -> Damage {
        let (rebooted, repairs, not_promised) = (false, false, false);
        Damage { row, what: what.into(), files: Vec::new(), rebooted, repairs, not_promised }
    }

    /// One file is another one.
    pub(super) fn put(mut self, name: &str, bytes: Vec<u8>) -> Damage {
        self.files.push((name.to_owned(), Some(bytes)));
        self
    }

    /// One file is gone.
    pub(super) fn remove(mut self, name: &str) -> Damage {
        self.files.push((name.to_owned(), None));
        self
    }

    /// The files after it.
    pub(super) fn apply(&self, files: &Files) -> Files {
        let mut files = files.clone();
        for (name, bytes) in &self.files {
            match bytes {
                Some(bytes) => files.insert(name.clone(), bytes.clone()),
                None => files.remove(name),
            };
        }
        files
    }
}
