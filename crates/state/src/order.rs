use crate::Entry;
use crate::search::Place;

/// The places of entries, ordered by their keys and then as they are.
pub(crate) fn by_key<E: Entry>(entries: &[E]) -> Vec<usize> {
    let place = |entry: &E| match E::place(&entry.key()) {
        Place::Even(place) | Place::Number(place) => place,
        Place::Unknown => 0,
    };
    // Numbers are compared quicker than keys, and two keys of one number are rare.
    let lines: Vec<(u64, usize)> = entries.iter().map(place).zip(0..).collect();
    let is_even = |first: &E| matches!(E::place(&first.key()), Place::Even(_));
    let mut order = match entries.first().is_some_and(is_even) {
        true => sorted_even(&lines),
        false => sorted(lines),
    };
    let key = |line: &(u64, usize)| entries.get(line.1).map(E::key);
    for alike in order.chunk_by_mut(|a, b| a.0 == b.0) {
        if !alike.is_sorted_by_key(key) {
            alike.sort_by_key(key);
        }
    }
    order.into_iter().map(|(_, at)| at).collect()
}

fn sorted(mut lines: Vec<(u64, usize)>) -> Vec<(u64, usize)> {
    lines.sort_unstable();
    lines
}

/// `lines` by their numbers, which are spread evenly, and then as they are.
///
/// Cost: linear. There are as many heaps as lines, by the numbers' first bits, so that what is
/// left to be sorted is a few lines, or many that are in order.
fn sorted_even(lines: &[(u64, usize)]) -> Vec<(u64, usize)> {
    let bits = lines.len().max(2).ilog2();
    let heap = |line: &(u64, usize)| usize::try_from(line.0 >> (64 - bits)).unwrap_or_default();
    let mut ends = vec![0_usize; 1 << bits];
    for line in lines {
        ends.get_mut(heap(line)).into_iter().for_each(|end| *end += 1);
    }
    let mut end = 0;
    for here in &mut ends {
        end += *here;
        *here = end;
    }
    let mut sorted = vec![(0, 0); lines.len()];
    for line in lines.iter().rev() {
        let Some(at) = ends.get_mut(heap(line)) else { continue };
        *at -= 1;
        if let Some(place) = sorted.get_mut(*at) {
            *place = *line;
        }
    }
    for heap in sorted.chunk_by_mut(|a, b| heap(a) == heap(b)) {
        heap.sort_unstable();
    }
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
    #[test]
    fn numbers_are_sorted_however_they_are_spread(
        numbers in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..9, Just(u64::MAX)], 0..300),
    ) {
        let lines: Vec<(u64, usize)> = numbers.into_iter().zip(0..).collect();
        prop_assert_eq!(sorted_even(&lines), sorted(lines));
    }
    }
}
