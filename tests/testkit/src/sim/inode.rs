use std::sync::Arc;

use super::image::{Image, SECTOR_LEN};

/// A file without its name.
///
/// Invariant: the durable image with every pending change is the cache, but for
/// bytes that a failed sync gave up and that no later write has touched.
#[derive(Clone, Debug, Default)]
pub(super) struct Inode {
    /// Content that processes see.
    pub(super) cache: Image,
    /// Content that a power cut leaves for certain.
    pub(super) durable: Image,
    /// Changes that a power cut may leave or take, in the order they were done.
    pub(super) pending: Vec<Change>,
    /// Whether a failed sync left bytes in the cache that no sync will carry.
    given_up: bool,
    /// The open file that holds the lock.
    pub(super) locked_by: Option<u64>,
}

/// A change that no sync has made durable yet.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Write { offset: usize, bytes: Arc<[u8]> },
    Resize { len: usize },
}

/// Effect of a failed sync on the bytes that were waiting for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FailedSync {
    /// They stay visible and count as written, as on ext4 and XFS.
    #[default]
    Keep,
    /// They are taken back, as on Btrfs.
    Revert,
}

impl Inode {
    pub(super) fn write(&mut self, offset: usize, bytes: &Arc<[u8]>) {
        if bytes.is_empty() {
            return;
        }
        self.cache.write(offset, bytes);
        let change = match self.given_up {
            false => Change::Write { offset, bytes: bytes.clone() },
            // A sector is carried whole, with what an earlier sync gave up in it.
            true => {
                let start = offset / SECTOR_LEN * SECTOR_LEN;
                let end = (offset + bytes.len()).next_multiple_of(SECTOR_LEN);
                let mut whole = vec![0; end.min(self.cache.len()) - start];
                self.cache.read(&mut whole, start);
                Change::Write { offset: start, bytes: whole.into() }
            }
        };
        self.pending.push(change);
    }

    pub(super) fn resize(&mut self, len: usize) {
        if len != self.cache.len() {
            self.cache.set_len(len);
            self.pending.push(Change::Resize { len });
        }
    }

    pub(super) fn sync(&mut self) {
        if self.given_up {
            self.durable = self.carried();
        } else {
            self.durable = self.cache.clone();
        }
        self.pending.clear();
    }

    /// The durable image with all that is pending.
    pub(super) fn carried(&self) -> Image {
        let mut image = self.durable.clone();
        for change in &self.pending {
            match change {
                Change::Write { offset, bytes } => image.write(*offset, bytes),
                Change::Resize { len } => image.set_len(*len),
            }
        }
        image
    }

    /// A sync that carried `reached` to the medium and then failed.
    pub(super) fn fail_sync(&mut self, reached: Image, effect: FailedSync) {
        self.durable = reached;
        self.pending.clear();
        match effect {
            FailedSync::Keep => self.given_up = true,
            FailedSync::Revert => self.cache = self.durable.clone(),
        }
    }

    /// The inode after a restart of the machine, with this content.
    pub(super) fn restarted(image: Image) -> Inode {
        Inode { cache: image.clone(), durable: image, ..Inode::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Arc<[u8]> {
        text.as_bytes().into()
    }

    #[test]
    fn a_failed_sync_gives_up_what_is_not_written_again() {
        for effect in [FailedSync::Keep, FailedSync::Revert] {
            let mut inode = Inode::default();
            inode.write(0, &bytes("old "));
            inode.sync();
            inode.write(4, &bytes("lost"));
            inode.write(600, &bytes("lost too"));
            let reached = inode.durable.clone();
            inode.fail_sync(reached, effect);
            inode.sync();
            assert_eq!(inode.durable.to_vec(), b"old ");
            let kept = effect == FailedSync::Keep;
            assert_eq!(inode.cache.to_vec().len(), if kept { 608 } else { 4 });
            // One byte of the first sector takes the whole sector along, and no other.
            inode.write(0, &bytes("O"));
            inode.sync();
            let durable = inode.durable.to_vec();
            assert_eq!(durable.starts_with(b"Old lost"), kept);
            assert!(durable.len() <= SECTOR_LEN, "the second sector stays given up");
        }
    }
}
