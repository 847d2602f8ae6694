use std::collections::BTreeMap;

use super::chance::Chance;
use super::image::{Image, SECTOR_LEN};
use super::inode::{Change, Inode};
use super::names::Kept;

/// Part of the pending changes that a power cut leaves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cut {
    /// Nothing.
    Nothing,
    /// Everything.
    Everything,
    /// Every name and length, no byte: a file shows zeros where it was extended.
    NamesOnly,
    /// Any sectors, each as it was after some write; any lengths and names.
    Sectors,
    /// As `Sectors`, and a sector may hold part of a write.
    Torn,
    /// As `Sectors`, and a sector may hold anything in the bytes that a write changed.
    Garbage,
}

impl Cut {
    /// Every way to cut the power.
    pub const ALL: [Cut; 6] =
        [Cut::Nothing, Cut::Everything, Cut::NamesOnly, Cut::Sectors, Cut::Torn, Cut::Garbage];

    /// The name in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Cut::Nothing => "nothing",
            Cut::Everything => "everything",
            Cut::NamesOnly => "names",
            Cut::Sectors => "sectors",
            Cut::Torn => "torn",
            Cut::Garbage => "garbage",
        }
    }

    /// Whether another seed may leave something else.
    #[must_use]
    pub fn is_random(self) -> bool {
        match self {
            Cut::Nothing | Cut::Everything | Cut::NamesOnly => false,
            Cut::Sectors | Cut::Torn | Cut::Garbage => true,
        }
    }

    /// Which of `count` pending changes of names stay.
    pub(super) fn names(self, count: usize, chance: &mut Chance) -> Kept {
        match self {
            Cut::Nothing => Kept::None,
            Cut::Everything | Cut::NamesOnly => Kept::All,
            Cut::Sectors | Cut::Torn | Cut::Garbage => match chance.below(4) {
                0 => Kept::None,
                1 => Kept::All,
                2 => Kept::First(chance.below(count + 1)),
                _ => Kept::Some,
            },
        }
    }

    /// The content of `inode` after the cut.
    pub(super) fn content(self, inode: &Inode, chance: &mut Chance) -> Image {
        match self {
            _ if inode.pending.is_empty() => inode.durable.clone(),
            Cut::Nothing => inode.durable.clone(),
            Cut::Everything => inode.carried(),
            Cut::NamesOnly => Parts::new(self, inode, chance, 0, inode.pending.len()).image(),
            Cut::Sectors | Cut::Torn | Cut::Garbage => {
                let lengths = match chance.below(4) {
                    0 => 0,
                    1 => inode.pending.len(),
                    _ => chance.below(inode.pending.len() + 1),
                };
                let density = chance.below(5);
                Parts::new(self, inode, chance, density, lengths).image()
            }
        }
    }
}

/// Which parts of an inode's pending changes reached the medium.
///
/// A sector is written whole from the cache, so that it holds what some number
/// of writes, one after another, made of it. The length is metadata with a
/// number of its own: a sector behind it is gone, one without bytes is zeros.
struct Parts<'a> {
    cut: Cut,
    inode: &'a Inode,
    chance: &'a mut Chance,
    /// How likely a sector is to be there, in quarters.
    density: usize,
    /// How many changes of the length are there.
    lengths: usize,
    /// For each sector, how many of the pending changes it has seen.
    seen: BTreeMap<usize, usize>,
}

impl<'a> Parts<'a> {
    fn new(
        cut: Cut,
        inode: &'a Inode,
        chance: &'a mut Chance,
        density: usize,
        lengths: usize,
    ) -> Parts<'a> {
        Parts { cut, inode, chance, density, lengths, seen: BTreeMap::new() }
    }

    fn image(mut self) -> Image {
        let inode = self.inode;
        let mut image = inode.durable.clone();
        let (mut len, mut limit) = (image.len(), usize::MAX);
        for (at, change) in inode.pending.iter().enumerate() {
            let here = at < self.lengths;
            match change {
                Change::Write { offset, bytes } => {
                    if here {
                        len = len.max(offset.saturating_add(bytes.len()));
                    }
                    self.write(&mut image, at, *offset, bytes, limit);
                }
                Change::Resize { len: resized } if here => {
                    len = *resized;
                    image.set_len(len.min(image.len()));
                }
                // Without the cut of the length, later bytes behind it have no block to go to.
                Change::Resize { len: resized } => limit = limit.min(*resized),
            }
        }
        image.set_len(len);
        image
    }

    fn write(&mut self, image: &mut Image, at: usize, offset: usize, bytes: &[u8], limit: usize) {
        let (mut from, mut rest) = (offset, bytes);
        while !rest.is_empty() && from < limit {
            let sector = from / SECTOR_LEN;
            let room = (sector + 1) * SECTOR_LEN - from;
            let (part, after) = rest.split_at(rest.len().min(room).min(limit - from));
            let seen = self.seen(sector, at);
            if at < seen {
                image.write(from, part);
            } else if at == seen {
                self.damage(image, from, part);
            }
            from += part.len();
            rest = after;
        }
    }

    fn seen(&mut self, sector: usize, first: usize) -> usize {
        let count = self.inode.pending.len();
        let (density, chance) = (self.density, &mut *self.chance);
        *self.seen.entry(sector).or_insert_with(|| {
            if density == 0 && !chance.once_in(16) {
                return if chance.once_in(2) { first } else { 0 };
            }
            match chance.below(4) < density {
                true if chance.once_in(2) => count,
                true => first + chance.below(count - first + 1),
                false => first,
            }
        })
    }

    /// The first write that a sector has not wholly seen may have left a part of itself.
    fn damage(&mut self, image: &mut Image, offset: usize, part: &[u8]) {
        let garbage = match self.cut {
            Cut::Torn => false,
            Cut::Garbage => true,
            Cut::Nothing | Cut::Everything | Cut::NamesOnly | Cut::Sectors => return,
        };
        let mut old = vec![0; part.len()];
        image.read(&mut old, offset);
        let differs = |(a, b): (&u8, &u8)| a != b;
        let Some(first) = old.iter().zip(part).position(differs) else { return };
        let last = old.iter().zip(part).rposition(differs).unwrap_or(first);
        // Bytes that are not changed stay as they are: what is assumed of the medium.
        let Some(changed) = part.get(first..=last) else { return };
        let mut torn = changed.to_vec();
        let start = self.chance.below(changed.len());
        let end = start + 1 + self.chance.below(changed.len() - start);
        let hit = match self.chance.below(3) {
            0 => 0..end,
            1 => start..changed.len(),
            _ => start..end,
        };
        if garbage {
            self.chance.fill(torn.get_mut(hit).unwrap_or_default());
            image.write(offset + first, &torn);
        } else {
            let part = changed.get(hit.clone()).unwrap_or_default();
            image.write(offset + first + hit.start, part);
        }
    }
}
