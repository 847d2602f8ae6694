/// Many short lists of numbers in one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// Where each list ends.
    ends: Vec<usize>,
    entries: Vec<u32>,
}

impl Lists {
    /// The lists by number, from pairs of a number below `count` and an entry; the entries
    /// of a list keep their order. Cost: linear.
    pub(crate) fn by_number(
        count: usize,
        pairs: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> Lists {
        let mut starts = vec![0_usize; count + 1];
        for (number, _) in pairs.clone() {
            if let Some(len) = starts.get_mut(place(number) + 1) {
                *len += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut entries = vec![0; sum];
        for (number, entry) in pairs {
            if let Some(next) = starts.get_mut(place(number))
                && let Some(slot) = entries.get_mut(*next)
            {
                *slot = entry;
                *next += 1;
            }
        }
        starts.truncate(count);
        Lists { ends: starts, entries }
    }

    /// Appends a list.
    pub(crate) fn push(&mut self, entries: impl IntoIterator<Item = u32>) {
        self.entries.extend(entries);
        self.ends.push(self.entries.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All pairs of a list's number and an entry of it.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        let numbers = 0..number(self.len());
        numbers.flat_map(|number| self.of(number).iter().map(move |entry| (number, *entry)))
    }

    /// The list of a number; empty where there is none.
    pub(crate) fn of(&self, number: u32) -> &[u32] {
        let number = place(number);
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(number).copied().unwrap_or(0);
        self.entries.get(start.unwrap_or(0)..end).unwrap_or_default()
    }
}

/// A number as a place in a list.
pub(crate) fn place(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A place in a list as a number. What is numbered lies in the texts of one span, which are
/// bounded far below 2^32 bytes.
pub(crate) fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_by_their_numbers() {
        let pairs = [(2, 7), (0, 1), (2, 5), (0, 9)];
        let lists = Lists::by_number(4, pairs.into_iter());
        let all: Vec<&[u32]> = (0..5).map(|number| lists.of(number)).collect();
        assert_eq!(all, [&[1, 9][..], &[], &[7, 5], &[], &[]]);
        assert_eq!(lists.pairs().collect::<Vec<_>>(), [(0, 1), (0, 9), (2, 7), (2, 5)]);
        let mut pushed = Lists::default();
        pushed.push([4, 2]);
        pushed.push([]);
        assert_eq!((pushed.len(), pushed.of(0), pushed.of(1)), (2, &[4, 2][..], &[][..]));
        assert!(Lists::by_number(0, std::iter::empty()).of(0).is_empty());
    }
}
