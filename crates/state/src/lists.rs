use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use crate::block::{self, Blocks};
use crate::overlay::Overlay;
use crate::search::{Place, lower_bound};
use crate::wave::Wave;
use crate::{Bytes, CheckpointError, Entry, Fields, Sections, Tabular};

/// Entries by key, append only: runs, each with what one stretch of the log appended,
/// below a small ordered overlay.
///
/// The entries of one key stay in the order of their appends; nothing is ever changed
/// or removed, which is what makes a posting list cheap. A list is the runs' lists of its
/// key one after another, so the newest entries are read without the others.
///
/// Cost: an append is O(log n) in the overlay's keys; finding a list is O(runs log n),
/// reading it O(what is read).
#[derive(Clone, Debug)]
pub struct Lists<E: Entry> {
    runs: Arc<Vec<Part>>,
    overlay: Arc<Overlay<E>>,
}

/// The lists of one run.
#[derive(Clone, Debug, Default)]
struct Part {
    /// A line for each key, sorted: the key, then where its list begins, its bytes, its
    /// entries, and how many of them are counted.
    directory: Bytes,
    lists: Bytes,
}

/// A line of a directory without its key.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: u64,
    len: u32,
    entries: u32,
    counted: u32,
}

/// A list in one run.
type Piece<'a> = (&'a Part, Span);

/// A list that was found, to be counted and read without looking for it again.
#[derive(Debug)]
pub struct Found<'a, E: Entry> {
    key: E::Key,
    /// Where the runs have it, the oldest run first.
    pieces: Vec<Piece<'a>>,
    above: &'a [E],
}

/// A part has about so many keys of the longest run, so that there is one of a short list.
const PART_KEYS: usize = if cfg!(test) { 2 } else { 4_096 };

/// No more parts are made than so many bits can count: a few megabytes of a large ledger are
/// in each.
const PART_BITS_MAX: u32 = 10;

/// So often the line is looked at that lies where the one before says: from hundreds of lines
/// off to tens to a few.
const STEPS: usize = 2;

/// The bytes of a [`Span`].
const SPAN_WIDTH: usize = 8 + 4 + 4 + 4;

impl<E: Entry> Default for Lists<E> {
    fn default() -> Lists<E> {
        Lists { runs: Arc::default(), overlay: Arc::default() }
    }
}

impl<E: Entry> Lists<E> {
    /// The entries of `key`, in the order they were appended.
    #[must_use]
    pub fn list(&self, key: &E::Key) -> Vec<E> {
        self.newest(key, usize::MAX)
    }

    /// The last `limit` entries of `key`, in the order they were appended.
    #[must_use]
    pub fn newest(&self, key: &E::Key, limit: usize) -> Vec<E> {
        let mut entries = Vec::new();
        self.each_newest(key, limit, |entry| entries.push(entry.clone()));
        entries
    }

    /// Visits the last `limit` entries of `key`, in the order they were appended.
    ///
    /// Cost: as that of reading them, but no more than a block is in memory at once.
    pub fn each_newest(&self, key: &E::Key, limit: usize, mut visit: impl FnMut(&E)) {
        let overlay = self.overlay.get(key);
        let above = overlay.get(overlay.len().saturating_sub(limit)..).unwrap_or_default();
        let mut left = limit - above.len();
        let mut pieces: Vec<(&Part, Span, usize)> = Vec::new();
        for part in self.runs.iter().rev() {
            if left == 0 {
                break;
            }
            if let Some(span) = part.find::<E>(key) {
                let wanted = left.min(span.entries as usize);
                left -= wanted;
                pieces.push((part, span, wanted));
            }
        }
        for (part, span, wanted) in pieces.into_iter().rev() {
            part.each_newest::<E>(key, span, wanted, &mut visit);
        }
        above.iter().for_each(visit);
    }

    /// Says that the newest entries of these keys are read soon and in this order, so that a
    /// disk brings those that lie apart at once, and another thread checks the last ones. A
    /// hint: it changes no answer.
    pub fn will_need(&self, keys: &[E::Key]) {
        let each = || keys.iter().flat_map(|key| self.runs.iter().map(move |part| (part, key)));
        let (mut lines, mut newest) = (Wave::default(), Wave::default());
        each().for_each(|(part, key)| part.will_need_line::<E>(key, &mut lines));
        lines.ask();
        each().for_each(|(part, key)| part.will_need_newest::<E>(key, &mut newest));
        newest.ask();
    }

    /// How many entries of `key` count (see [`Entry::is_counted`]).
    #[must_use]
    pub fn counted(&self, key: &E::Key) -> u64 {
        self.found(key.clone()).counted()
    }

    /// Where the list of `key` lies.
    #[must_use]
    pub fn found(&self, key: E::Key) -> Found<'_, E> {
        let pieces = self.runs.iter().filter_map(|part| Some((part, part.find::<E>(&key)?)));
        Found { pieces: pieces.collect(), above: self.overlay.get(&key), key }
    }

    /// Appends `entry` to the list of its key.
    pub fn push(&mut self, entry: E) {
        Arc::make_mut(&mut self.overlay).push(entry);
    }

    /// Appends `entries`, in their order, each to the list of its key.
    ///
    /// Cost: one sort of them, and a step for each key; much less than pushing each.
    pub fn push_all(&mut self, entries: Vec<E>) {
        Arc::make_mut(&mut self.overlay).push_all(entries);
    }

    /// By how many of the first bits of their places the keys are cut into parts.
    fn part_bits(&self) -> u32 {
        let Some(longest) = self.runs.iter().max_by_key(|part| part.count::<E>()) else { return 0 };
        let is_even = |(key, _): (E::Key, Span)| matches!(E::place(&key), Place::Even(_));
        match (longest.count::<E>() / PART_KEYS).checked_ilog2() {
            Some(bits) if longest.line::<E>(0).is_some_and(is_even) => {
                (bits + 1).min(PART_BITS_MAX)
            }
            Some(_) | None => 0,
        }
    }

    fn lists_name() -> String {
        format!("{}+", E::NAME)
    }
}

impl<E: Entry> Found<'_, E> {
    /// As [`Lists::counted`].
    #[must_use]
    pub fn counted(&self) -> u64 {
        let above = self.above.iter().filter(|entry| entry.is_counted()).count() as u64;
        self.pieces.iter().fold(above, |sum, (_, span)| sum + u64::from(span.counted))
    }

    /// As [`Lists::each_newest`].
    pub fn each_newest(&self, limit: usize, mut visit: impl FnMut(&E)) {
        let above = self.above.get(self.above.len().saturating_sub(limit)..).unwrap_or_default();
        let mut left = limit - above.len();
        let newest = self.pieces.iter().rev().map(|(part, span)| {
            let wanted = left.min(span.entries as usize);
            left -= wanted;
            (*part, *span, wanted)
        });
        let newest: Vec<(&Part, Span, usize)> = newest.collect();
        for (part, span, wanted) in newest.into_iter().rev().filter(|(.., wanted)| *wanted > 0) {
            part.each_newest::<E>(&self.key, span, wanted, &mut visit);
        }
        above.iter().for_each(visit);
    }
}

impl Span {
    fn read(fields: &mut Fields<'_>) -> Span {
        let (start, len) = (fields.u64(), fields.u32());
        Span { start, len, entries: fields.u32(), counted: fields.u32() }
    }
}

/// The end of a list that is asked for at once; most lists are shorter.
const NEWEST_LEN: usize = 64 << 10;

impl Part {
    fn line_width<E: Entry>() -> usize {
        E::KEY_WIDTH + SPAN_WIDTH
    }

    fn count<E: Entry>(&self) -> usize {
        self.directory.len() / Part::line_width::<E>()
    }

    fn line<E: Entry>(&self, at: usize) -> Option<(E::Key, Span)> {
        if at >= self.count::<E>() {
            return None;
        }
        let width = Part::line_width::<E>();
        let mut fields = Fields::new(self.directory.get(at * width, width)?);
        let key = E::read_key(&mut fields);
        Some((key, Span::read(&mut fields)))
    }

    fn find<E: Entry>(&self, key: &E::Key) -> Option<Span> {
        if self.directory.is_empty() {
            return None;
        }
        let count = self.count::<E>();
        if let Some(found) = self.find_near::<E>(key, count) {
            return found;
        }
        let guess = E::place(key).guess(count, |at| Some(E::place(&self.line::<E>(at)?.0)));
        let at = lower_bound(count, guess, |at| Some(self.line::<E>(at)?.0.cmp(key)));
        let (found, span) = self.line::<E>(at)?;
        (found == *key).then_some(span)
    }

    /// Searches for a key that is spread evenly by a look at the lines about its place; `None`
    /// where it may lie before them or behind.
    ///
    /// Most often these tell: a few hundred lines are checked at once, and a key lies as many
    /// off its place as the root of their number says. Nothing is read for it that a search
    /// from there wouldn't read.
    fn find_near<E: Entry>(&self, key: &E::Key, count: usize) -> Option<Option<Span>> {
        let Place::Even(place) = E::place(key) else { return None };
        let width = Part::line_width::<E>();
        let guess = Place::Even(place).guess(count, |_| None)?;
        let checked = self.directory.checked_around(guess.checked_mul(width)?);
        let (first, end) = (checked.start.div_ceil(width), (checked.end / width).min(count));
        let lines = end.checked_sub(first).filter(|lines| *lines > 0)?;
        let bytes = self.directory.get(first * width, lines * width)?;
        let line = |at: usize| Some(Fields::new(bytes.get(at * width..)?.get(..width)?));
        let place_at = |at: usize| Some(E::place(&E::read_key(&mut line(at)?)));
        let mut near = guess.saturating_sub(first);
        for _ in 0..STEPS {
            near = Place::Even(place).step(near, count, place_at).min(lines - 1);
        }
        let at = lower_bound(lines, Some(near), |at| {
            let found = E::read_key(&mut line(at)?);
            // Numbers are compared quicker than keys, and two keys of one number are rare.
            Some(match E::place(&found) {
                Place::Even(other) if other != place => other.cmp(&place),
                Place::Even(_) | Place::Number(_) | Place::Unknown => found.cmp(key),
            })
        });
        let mut found = line(at)?;
        if E::read_key(&mut found) == *key {
            return Some(Some(Span::read(&mut found)));
        }
        (at > 0).then_some(None)
    }

    /// The first line whose key doesn't lie `Less`.
    fn first<E: Entry>(&self, lies: &impl Fn(&E::Key) -> Ordering) -> usize {
        lower_bound(self.count::<E>(), None, |at| Some(lies(&self.line::<E>(at)?.0)))
    }

    /// Says that the line of `key` is read soon.
    fn will_need_line<E: Entry>(&self, key: &E::Key, wave: &mut Wave) {
        let count = self.count::<E>();
        let guess = E::place(key).guess(count, |_| None);
        if let Some(at) = guess.filter(|_| count > 0) {
            let width = Part::line_width::<E>();
            self.directory.will_need(at.min(count - 1) * width, width, wave);
        }
    }

    /// Says that the end of the list of `key` is read soon.
    fn will_need_newest<E: Entry>(&self, key: &E::Key, wave: &mut Wave) {
        if let Some(span) = self.find::<E>(key) {
            let (start, len) =
                (usize::try_from(span.start).unwrap_or(usize::MAX), span.len as usize);
            let passed = len.saturating_sub(NEWEST_LEN);
            self.lists.will_need(start.saturating_add(passed), len - passed, wave);
        }
    }

    /// Appends the entries of a list to `entries`.
    fn read<E: Entry>(&self, key: &E::Key, span: Span, entries: &mut Vec<E>) {
        let before = entries.len();
        let mut read = || {
            let bytes = self.bytes(span)?;
            let blocks = Blocks::of(bytes, span.entries as usize)?;
            (0..blocks.len).try_for_each(|number| blocks.read(number, key, entries))?;
            (entries.len() - before == span.entries as usize).then_some(())
        };
        if read().is_none() {
            entries.truncate(before);
            self.lists.distrust();
        }
    }

    /// The bytes of a list.
    fn bytes(&self, span: Span) -> Option<&[u8]> {
        self.lists.get(usize::try_from(span.start).ok()?, span.len as usize)
    }

    /// Visits the last `wanted` entries of a list, which has as many.
    fn each_newest<E: Entry>(
        &self,
        key: &E::Key,
        span: Span,
        wanted: usize,
        visit: &mut impl FnMut(&E),
    ) {
        let mut read = || {
            let bytes = self.bytes(span)?;
            let entries = span.entries as usize;
            let blocks = Blocks::of(bytes, entries)?;
            let mut passed = entries.checked_sub(wanted)?;
            let first = passed / block::BLOCK;
            passed -= first * block::BLOCK;
            let mut left = entries - first * block::BLOCK;
            let mut block = Vec::with_capacity(block::BLOCK.min(bytes.len()));
            for number in first..blocks.len {
                block.clear();
                blocks.read(number, key, &mut block)?;
                left = left.checked_sub(block.len())?;
                block.get(passed..)?.iter().for_each(&mut *visit);
                passed = 0;
            }
            (left == 0).then_some(())
        };
        if read().is_none() {
            self.lists.distrust();
        }
    }
}

/// Lists that are written one after another, in the order of their keys.
#[derive(Default)]
struct Writer {
    directory: Vec<u8>,
    lists: Vec<u8>,
}

impl Writer {
    fn write<E: Entry>(&mut self, key: &E::Key, entries: &[E]) {
        let start = self.lists.len();
        block::write(entries, &mut self.lists);
        let counted = entries.iter().filter(|entry| entry.is_counted()).count();
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (entries, counted) = (number(entries.len()), number(counted));
        let len = number(self.lists.len() - start);
        self.enter::<E>(key, Span { start: start as u64, len, entries, counted });
    }

    /// Appends a list as `part` has it, unless it can't be read.
    fn copy<E: Entry>(&mut self, key: &E::Key, part: &Part, span: Span) -> bool {
        let start = self.lists.len() as u64;
        let copied = part.bytes(span).map(|bytes| self.lists.extend_from_slice(bytes)).is_some();
        if copied {
            self.enter::<E>(key, Span { start, ..span });
        }
        copied
    }

    fn enter<E: Entry>(&mut self, key: &E::Key, span: Span) {
        E::write_key(key, &mut self.directory);
        self.directory.extend(span.start.to_le_bytes());
        for number in [span.len, span.entries, span.counted] {
            self.directory.extend(number.to_le_bytes());
        }
    }

    fn finish(self) -> Part {
        Part { directory: self.directory.into(), lists: self.lists.into() }
    }
}

/// Visits those keys of some runs and of an overlay that lie `Equal`, in order, each once, with
/// where each run has a list of it, and with the entries of the overlay.
fn merged<'a, E: Entry>(
    parts: &'a [Part],
    overlay: &Overlay<E>,
    lies: impl Fn(&E::Key) -> Ordering,
    mut visit: impl FnMut(&E::Key, &[Piece<'a>], &[E]),
) {
    let mut at: Vec<usize> = parts.iter().map(|part| part.first::<E>(&lies)).collect();
    let mut lines: Vec<Option<(E::Key, Span)>> =
        parts.iter().zip(&at).map(|(part, at)| part.line::<E>(*at)).collect();
    let mut above = overlay.iter().skip_while(|(key, _)| lies(key).is_lt()).peekable();
    let mut pieces = Vec::with_capacity(parts.len());
    loop {
        let keys = lines.iter().flatten().map(|(key, _)| key);
        let first = keys.chain(above.peek().map(|(key, _)| key)).min().cloned();
        let Some(key) = first.filter(|key| !lies(key).is_gt()) else { return };
        pieces.clear();
        for ((part, at), line) in parts.iter().zip(&mut at).zip(&mut lines) {
            if let Some((_, span)) = line.take_if(|(found, _)| *found == key) {
                pieces.push((part, span));
                *at += 1;
                *line = part.line::<E>(*at);
            }
        }
        let above = above.next_if(|(found, _)| *found == key);
        visit(&key, &pieces, above.map_or(&[], |(_, entries)| entries));
    }
}

/// Reads the entries of a list in several runs.
fn read_pieces<E: Entry>(key: &E::Key, pieces: &[Piece<'_>], entries: &mut Vec<E>) {
    entries.clear();
    for (part, span) in pieces {
        part.read(key, *span, entries);
    }
}

impl<E: Entry> Tabular for Lists<E> {
    fn freeze(&mut self) {
        let mut writer = Writer::default();
        for (key, entries) in self.overlay.iter() {
            writer.write::<E>(&key, entries);
        }
        Arc::make_mut(&mut self.runs).push(writer.finish());
        self.overlay = Arc::default();
    }

    fn save(&self, runs: Range<usize>, out: &mut Sections) {
        let parts = self.runs.get(runs).unwrap_or_default();
        let part = if let [only] = parts {
            only.clone()
        } else {
            let (mut writer, mut entries) = (Writer::default(), Vec::<E>::new());
            merged::<E>(
                parts,
                &Overlay::default(),
                |_| Ordering::Equal,
                |key, pieces, _| {
                    // What one run alone has stands there as it has to stand here.
                    let copied = match pieces {
                        [(part, span)] => writer.copy::<E>(key, part, *span),
                        _ => false,
                    };
                    if !copied {
                        read_pieces(key, pieces, &mut entries);
                        writer.write(key, &entries);
                    }
                },
            );
            writer.finish()
        };
        out.push(E::NAME, part.directory);
        out.push(&Self::lists_name(), part.lists);
    }

    fn replace(&mut self, runs: Range<usize>, from: &mut Sections) -> Result<(), CheckpointError> {
        let part = Part { directory: from.take(E::NAME), lists: from.take(&Self::lists_name()) };
        let len = part.directory.len();
        if !len.is_multiple_of(Part::line_width::<E>()) {
            return Err(CheckpointError::SectionLength { name: E::NAME, len });
        }
        Arc::make_mut(&mut self.runs).splice(runs, [part]);
        Ok(())
    }

    fn parts(&self) -> u64 {
        1 << self.part_bits()
    }

    fn each_row_of(&self, part: u64, visit: &mut dyn FnMut(&'static str, &[u8])) {
        let bits = self.part_bits();
        // All keys are in part 0 where there is but one.
        let part_of = |key: &E::Key| match E::place(key) {
            Place::Even(place) => place.checked_shr(64 - bits).unwrap_or_default(),
            Place::Number(_) | Place::Unknown => 0,
        };
        let is_in = |key: &E::Key| part_of(key).cmp(&part);
        let (mut bytes, mut entries) = (Vec::new(), Vec::<E>::new());
        merged::<E>(&self.runs, &self.overlay, is_in, |key, pieces, above| {
            read_pieces(key, pieces, &mut entries);
            for entry in entries.iter().chain(above) {
                bytes.clear();
                E::write_key(key, &mut bytes);
                entry.write(None, &mut bytes);
                visit(E::NAME, &bytes);
            }
        });
    }
}

#[cfg(test)]
mod tests;
