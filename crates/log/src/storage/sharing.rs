/// The users of the machine who may read and write a ledger's files.
///
/// The mode of the ledger's folder says which: a folder that is setgid and open to its group
/// is shared with that group, every other one is its owner's alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sharing {
    /// The owner alone: files 0600, folders 0700.
    #[default]
    Private,
    /// The owner and the folder's group: files 0660, folders 2770.
    Group,
}

/// A file or folder of a ledger that is open to other users than the ledger's sharing says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exposed {
    /// Its name, relative to the ledger; empty for the ledger's folder itself.
    pub name: String,
    /// Its permission bits.
    pub mode: u32,
    /// The permission bits of the ledger's sharing.
    pub wanted: u32,
}

/// The bits of a mode that say who may do what.
const PERMISSIONS: u32 = 0o7777;
const SETGID: u32 = 0o2000;
const GROUP: u32 = 0o070;

impl Sharing {
    /// The sharing that the mode of a ledger's folder declares.
    #[must_use]
    pub fn of_folder(mode: u32) -> Sharing {
        let shared = mode & SETGID != 0 && mode & GROUP == GROUP;
        if shared { Sharing::Group } else { Sharing::Private }
    }

    /// The mode of the ledger's folders.
    #[must_use]
    pub fn folder_mode(self) -> u32 {
        match self {
            Sharing::Private => 0o700,
            Sharing::Group => 0o2770,
        }
    }

    /// The mode of the ledger's files.
    #[must_use]
    pub fn file_mode(self) -> u32 {
        match self {
            Sharing::Private => 0o600,
            Sharing::Group => 0o660,
        }
    }

    /// Whether a file or folder of mode `mode` is open to more users than `wanted` says, or,
    /// in a shared ledger, closed to some of them.
    pub(crate) fn differs(self, mode: u32, wanted: u32) -> bool {
        let mode = mode & PERMISSIONS;
        let wider = mode & !wanted != 0;
        let narrower = self == Sharing::Group && wanted & !mode != 0;
        wider || narrower
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folders_mode_says_who_shares_it() {
        for mode in [0o700, 0o755, 0o770, 0o2700, 0o2750, 0o777] {
            assert_eq!(Sharing::of_folder(mode), Sharing::Private, "{mode:o}");
        }
        for mode in [0o2770, 0o2775, 0o42770] {
            assert_eq!(Sharing::of_folder(mode), Sharing::Group, "{mode:o}");
        }
    }

    #[test]
    fn wider_is_told_of_both_and_narrower_of_a_shared_ledger() {
        let cases = [
            (Sharing::Private, 0o100_600, false),
            (Sharing::Private, 0o100_400, false),
            (Sharing::Private, 0o100_640, true),
            (Sharing::Private, 0o100_601, true),
            (Sharing::Group, 0o100_660, false),
            (Sharing::Group, 0o100_600, true),
            (Sharing::Group, 0o100_664, true),
        ];
        for (sharing, mode, expected) in cases {
            assert_eq!(
                sharing.differs(mode, sharing.file_mode()),
                expected,
                "{sharing:?} {mode:o}"
            );
        }
    }
}
