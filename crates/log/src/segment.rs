use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::footer::{Footer, FooterFault, SPARSE_STEP};
use crate::frame::{FRAME_HEAD_LEN, FrameFault, FrameHead};
use crate::hash::SegmentHasher;
use crate::layout::{is_zero, len_usize};
use crate::mapping::Mapping;
use crate::segment_header::{HeaderFault, SEGMENT_HEADER_LEN, SegmentHeader};
use crate::storage::{Access, File, Storage};
use crate::walk::{Frame, read_frame, read_head};
use crate::window::Window;
use crate::{Digest, Error, Seq};

/// One file of the log, open.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) name: String,
    pub(crate) header: SegmentHeader,
    pub(crate) file: Arc<dyn File>,
    /// The footer and its offset, once sealed.
    pub(crate) footer: Option<(Footer, u64)>,
    /// Frames whose offset is known, ascending; never evidence, only a hint.
    index: Mutex<Vec<(Seq, u64)>>,
    /// Two more, which every taking of the lock asks for; hints as well.
    ends: Mutex<Ends>,
    map: OnceLock<Option<Mapping>>,
    identity: OnceLock<u64>,
}

/// Frames whose exact place is remembered, however close others lie.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    /// The last one that was written.
    written: Option<(Seq, u64)>,
    /// The last one that was looked for: the mark's, as long as that stands.
    sought: Option<(Seq, u64)>,
}

/// How much is read for one record that is looked up.
pub(crate) const LOOKUP_AHEAD: u64 = 6 << 10;

/// The longest footer of a full segment, nearly.
const FOOTER_AHEAD: u64 = 64 << 10;

/// The name of segment `number`.
pub(crate) fn segment_name(number: u64) -> String {
    format!("seg-{number:010}")
}

/// The number in a segment's name.
pub(crate) fn segment_number(name: &str) -> Option<u64> {
    let number = name.strip_prefix("seg-")?.parse().ok()?;
    (segment_name(number) == name).then_some(number)
}

impl Segment {
    pub(crate) fn new(
        header: SegmentHeader,
        file: Arc<dyn File>,
        footer: Option<(Footer, u64)>,
    ) -> Segment {
        let mut index = vec![(header.base, SEGMENT_HEADER_LEN)];
        if let Some((footer, _)) = &footer {
            index.extend(footer.sparse.iter().filter(|(seq, _)| *seq > header.base));
        }
        Segment {
            name: segment_name(header.number),
            header,
            file,
            footer,
            index: Mutex::new(index),
            ends: Mutex::default(),
            map: OnceLock::new(),
            identity: OnceLock::new(),
        }
    }

    /// Opens segment `number`; one with a successor must be sealed.
    pub(crate) fn open(
        storage: &dyn Storage,
        number: u64,
        has_successor: bool,
    ) -> Result<Segment, Error> {
        let file = Segment::open_file(storage, number)?;
        Segment::of_file(&segment_name(number), file, number, has_successor)
    }

    /// Opens the file of segment `number`; nothing of it is read.
    pub(crate) fn open_file(storage: &dyn Storage, number: u64) -> Result<Arc<dyn File>, Error> {
        let name = segment_name(number);
        storage.open(&name, Access::Read).map_err(Error::io("open", &name))
    }

    /// Says that what [`Segment::of_file`] looks at is read soon.
    pub(crate) fn will_need_ends(file: &dyn File, number: u64) -> Result<(), Error> {
        let len = file.len().map_err(Error::io("read", &segment_name(number)))?;
        file.will_need(0, SEGMENT_HEADER_LEN);
        file.will_need(len.saturating_sub(FOOTER_AHEAD), FOOTER_AHEAD);
        Ok(())
    }

    pub(crate) fn of_file(
        name: &str,
        file: Arc<dyn File>,
        number: u64,
        has_successor: bool,
    ) -> Result<Segment, Error> {
        let corrupt =
            |offset, what| Error::Corrupt { file: name.to_owned(), offset, seq: None, what };
        let len = file.len().map_err(Error::io("read", name))?;
        let mut window = Window::file(file.clone(), len).short(SEGMENT_HEADER_LEN);
        let bytes = window.get(0, SEGMENT_HEADER_LEN).map_err(Error::io("read", name))?;
        let header = SegmentHeader::decode(bytes).map_err(|fault| match fault {
            HeaderFault::Damaged(what) => corrupt(0, what),
            HeaderFault::Newer { .. } => Error::NewerFormat { file: name.to_owned(), offset: 0 },
        })?;
        if header.number != number {
            return Err(corrupt(0, "the segment has another number than its name"));
        }
        let footer = find_footer(&mut window, header.salt, len, has_successor)
            .map_err(Error::io("read", name))?;
        let footer = match footer {
            Ok(found) => found,
            Err(fault) if has_successor => {
                return Err(match fault {
                    FooterFault::Newer => Error::NewerFormat { file: name.to_owned(), offset: len },
                    FooterFault::Damaged(what) => corrupt(len, what),
                });
            }
            Err(_) => None,
        };
        if footer.is_none() && has_successor {
            return Err(corrupt(len, "the segment has a successor but no footer"));
        }
        if footer.as_ref().is_some_and(|(footer, _)| footer.first != header.base) {
            return Err(corrupt(len, "the footer names another first record than the header"));
        }
        Ok(Segment::new(header, file, footer))
    }

    /// Returns the number that tells the open file from every other; asked of the system once.
    pub(crate) fn identity(&self) -> Result<u64, Error> {
        if let Some(identity) = self.identity.get() {
            return Ok(*identity);
        }
        let identity = self.file.identity().map_err(Error::io("read", &self.name))?;
        Ok(*self.identity.get_or_init(|| identity))
    }

    /// Where frames end at the latest.
    pub(crate) fn frames_limit(&self) -> Result<u64, Error> {
        match &self.footer {
            Some((_, offset)) => Ok(*offset),
            None => {
                let len = self.file.len().map_err(Error::io("read", &self.name))?;
                Ok(len.min(self.header.capacity))
            }
        }
    }

    /// Returns the segment as one in use.
    pub(crate) fn without_footer(&self) -> Segment {
        Segment::new(self.header, self.file.clone(), None)
    }

    /// The hash of the bytes before `end`, as a footer there has it.
    pub(crate) fn byte_hash(&self, end: u64) -> Result<Digest, Error> {
        // As much as a core still holds between the reading and the hashing.
        const CHUNK: u64 = 256 << 10;
        let mut window = self.window(end, false);
        let (mut hasher, mut at) = (SegmentHasher::new(), 0);
        while at < end {
            let bytes = window.get(at, CHUNK).map_err(Error::io("read", &self.name))?;
            if bytes.is_empty() {
                break;
            }
            hasher.update(bytes);
            at += crate::layout::len64(bytes.len());
        }
        Ok(hasher.digest())
    }

    /// The header's bytes, if they are still those that the segment was opened with.
    pub(crate) fn checked_header<'a>(&self, window: &'a mut Window) -> Result<&'a [u8], Error> {
        let bytes = window.get(0, SEGMENT_HEADER_LEN).map_err(Error::io("read", &self.name))?;
        if bytes != self.header.encode() {
            return Err(Error::Corrupt {
                file: self.name.clone(),
                offset: 0,
                seq: None,
                what: "the header is not the one it was opened with",
            });
        }
        Ok(bytes)
    }

    pub(crate) fn is_sealed(&self) -> bool {
        self.footer.is_some()
    }

    /// The frames up to `limit`; through a map if the segment is sealed and `mmap` is set.
    pub(crate) fn window(&self, limit: u64, mmap: bool) -> Window {
        if let (Some((_, end)), true) = (&self.footer, mmap) {
            let map = self.map.get_or_init(|| self.file.map(*end).ok().flatten());
            if let Some(map) = map {
                return Window::mapped(map.clone(), limit);
            }
        }
        Window::file(self.file.clone(), limit)
    }

    /// The segment's bytes for one record: read and never mapped, for behind one touch of a
    /// map the system reads megabytes ahead.
    pub(crate) fn lookup_window(&self, limit: u64) -> Window {
        Window::file(self.file.clone(), limit)
    }

    /// Remembers where a frame lies, at most one for every [`SPARSE_STEP`].
    pub(crate) fn note(&self, seq: Seq, offset: u64) {
        let mut index = self.index.lock();
        let at = index.partition_point(|(known, _)| *known <= seq);
        let before = at.checked_sub(1).and_then(|i| index.get(i)).map_or(0, |(_, o)| *o);
        let far = before.saturating_add(SPARSE_STEP) <= offset;
        let next_far = index.get(at).is_none_or(|(_, o)| offset + SPARSE_STEP <= *o);
        if far && next_far {
            index.insert(at, (seq, offset));
        }
    }

    /// The remembered frames up to that of `seq`, ascending.
    pub(crate) fn known_through(&self, seq: Seq) -> Vec<(Seq, u64)> {
        let index = self.index.lock();
        index.iter().take_while(|(known, _)| *known <= seq).copied().collect()
    }

    /// Remembers where the last frame that was written lies, in the place of the one before.
    pub(crate) fn note_written(&self, seq: Seq, offset: u64) {
        self.ends.lock().written = Some((seq, offset));
    }

    /// Remembers where the last frame that was looked for lies.
    fn note_sought(&self, seq: Seq, offset: u64) {
        self.ends.lock().sought = Some((seq, offset));
    }

    /// Where the frame of `seq` lies, if that is remembered.
    fn known_at(&self, seq: Seq) -> Option<u64> {
        let Ends { written, sought } = *self.ends.lock();
        let end = [written, sought].into_iter().flatten().find(|(known, _)| *known == seq);
        if let Some((_, offset)) = end {
            return Some(offset);
        }
        let index = self.index.lock();
        let at = index.binary_search_by_key(&seq, |(known, _)| *known).ok()?;
        index.get(at).map(|(_, offset)| *offset)
    }

    /// The last frame known to lie before `seq`, or the segment's first one.
    fn known_before(&self, seq: Seq) -> (Seq, u64) {
        let index = self.index.lock();
        let at = index.partition_point(|(known, _)| *known < seq);
        let known = at.checked_sub(1).and_then(|i| index.get(i)).copied();
        known.unwrap_or((self.header.base, SEGMENT_HEADER_LEN))
    }

    /// Says that the frame of `seq` is read soon, with what leads to it.
    pub(crate) fn will_need(&self, seq: Seq, limit: u64) {
        let (_, from) = self.known_before(seq);
        let len = (SPARSE_STEP + SPARSE_STEP / 4).min(limit.saturating_sub(from));
        self.file.will_need(from, len);
    }

    /// Finds the frame of `seq` by its predecessors' heads: its offset, and the chain before it.
    ///
    /// What was remembered is a hint: where it leads to no frame, or to another one, the walk
    /// begins anew at the segment's start.
    pub(crate) fn find(&self, window: &mut Window, seq: Seq) -> Result<(u64, Digest), Error> {
        let start = (self.header.base, SEGMENT_HEADER_LEN);
        let known = self.known_before(seq);
        match self.walk_to(window, known, seq) {
            Err(Error::Corrupt { .. } | Error::NewerFormat { .. }) if known != start => {
                *self.index.lock() = vec![start];
                self.walk_to(window, start, seq)
            }
            found => found,
        }
    }

    /// The head of the frame of `seq`, and its offset; frames are looked for before `limit`.
    pub(crate) fn find_head(&self, seq: Seq, limit: u64) -> Result<(FrameHead, u64), Error> {
        if let Some(offset) = self.known_at(seq) {
            let mut window = self.lookup_window(limit).short(FRAME_HEAD_LEN);
            match self.head_at(&mut window, seq, offset) {
                Err(Error::Corrupt { .. } | Error::NewerFormat { .. }) => {}
                found => return Ok((found?, offset)),
            }
        }
        let mut window = self.lookup_window(limit).short(LOOKUP_AHEAD);
        let (offset, _) = self.find(&mut window, seq)?;
        let head = self.head_at(&mut window, seq, offset)?;
        self.note_sought(seq, offset);
        Ok((head, offset))
    }

    /// Walks from the frame `from` to that of `seq`, head by head.
    fn walk_to(
        &self,
        window: &mut Window,
        from: (Seq, u64),
        seq: Seq,
    ) -> Result<(u64, Digest), Error> {
        let (mut at, mut offset) = from;
        let mut chain = self.header.prev_chain;
        while at < seq {
            let head = self.head_at(window, at, offset)?;
            self.note(at, offset);
            chain = head.chain;
            offset = offset.saturating_add(head.frame_len);
            at = at.next();
        }
        Ok((offset, chain))
    }

    /// The head at `offset`, which is to be that of the frame of `seq`.
    fn head_at(&self, window: &mut Window, seq: Seq, offset: u64) -> Result<FrameHead, Error> {
        let wrong = |fault| Error::frame(&self.name, offset, seq, fault);
        let head = read_head(window, self.header.salt, offset)
            .map_err(Error::io("read", &self.name))?
            .map_err(wrong)?;
        if head.header.seq != seq {
            return Err(wrong(FrameFault::Seq));
        }
        Ok(head)
    }

    /// Reads the frame of `seq` and checks it against the chain before it.
    pub(crate) fn read(&self, window: &mut Window, seq: Seq) -> Result<Frame, Error> {
        let (offset, chain) = self.find(window, seq)?;
        let frame = read_frame(window, self.header.salt, offset)
            .map_err(Error::io("read", &self.name))?
            .map_err(|bad| Error::frame(&self.name, offset, seq, bad.fault))?;
        let expect = crate::walk::Expect {
            next: seq.0,
            chain,
            recorded_at: crate::Timestamp(i64::MIN),
            batch: crate::walk::Batch::Any,
        };
        expect.check(&frame).map_err(|fault| Error::frame(&self.name, offset, seq, fault))?;
        Ok(frame)
    }
}

type FooterResult = Result<Option<(Footer, u64)>, FooterFault>;

/// Finds a footer from the end of the file; zeros behind it are passed over if `search` is set.
fn find_footer(
    window: &mut Window,
    salt: u32,
    len: u64,
    search: bool,
) -> std::io::Result<FooterResult> {
    let mut end = len;
    if search {
        // A truncation that a power cut took back leaves zeros behind the footer.
        const STEP: u64 = 64 << 10;
        while end > SEGMENT_HEADER_LEN {
            let start = end.saturating_sub(STEP);
            let bytes = window.get(start, end - start)?;
            if !is_zero(bytes) {
                let zeros = bytes.iter().rev().take_while(|byte| **byte == 0).count();
                end = end.saturating_sub(crate::layout::len64(zeros));
                break;
            }
            end = start;
        }
    }
    let Some(trailer_at) = end.checked_sub(8) else { return Ok(Ok(None)) };
    let bytes = window.get(trailer_at, 8)?;
    let claimed = bytes.first_chunk::<8>().and_then(Footer::claimed_len_from_end);
    let Some(start) = claimed.and_then(|len| end.checked_sub(len)) else { return Ok(Ok(None)) };
    if start < SEGMENT_HEADER_LEN {
        return Ok(Ok(None));
    }
    let bytes = window.get(start, end - start)?;
    Ok(Footer::decode(bytes, salt).map(|footer| Some((footer, start))))
}

/// Reads the footer that begins at `offset`, if one does.
pub(crate) fn footer_at(
    window: &mut Window,
    salt: u32,
    offset: u64,
) -> std::io::Result<Option<Footer>> {
    let Some(len) = Footer::claimed_len(window.get(offset, 12)?) else { return Ok(None) };
    let bytes = window.get(offset, len)?;
    if bytes.len() != len_usize(len) {
        return Ok(None);
    }
    Ok(Footer::decode(bytes, salt).ok())
}
