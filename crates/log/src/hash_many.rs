//! Many inputs of one use hashed together; ADR 0012.
//!
//! Invariants: 1. a digest is that of the ordinary hasher over the input, padded with zeros
//! to whole blocks; 2. what hashes together gave the ordinary hasher's digests of known inputs in
//! this process before it is used; 3. a batch allocates nothing once the scratch is there.

mod way;

use blake3::IncrementCounter;
use blake3::hazmat::ContextKey;
use blake3::platform::Platform;

use crate::Digest;
use crate::hash::{BLOCK_LEN, both, padded_digest};

use self::way::Way;

/// BLAKE3's chunk. An input of one or of two can be hashed beside others.
const CHUNK_LEN: usize = 1_024;
/// The block counts of a chunk; each is hashed beside its like.
const SIZES: usize = CHUNK_LEN / BLOCK_LEN;
/// Number of inputs hashed at once where the machine can.
const LANES: usize = 16;

const DIGEST_LEN: usize = 32;
const CHUNK_START: u8 = 1;
const CHUNK_END: u8 = 1 << 1;
const PARENT: u8 = 1 << 2;
const ROOT: u8 = 1 << 3;
const DERIVE_KEY_MATERIAL: u8 = 1 << 6;

type Lane = [u8; CHUNK_LEN];

/// Hashes batches, and keeps what it needs for one.
#[derive(Debug, Default)]
pub(crate) struct HashMany {
    /// Chosen at the first batch: who hashes no two inputs needs no test of it.
    way: Option<Way>,
    /// Padded copies of inputs that are not whole blocks; made at the first batch.
    lanes: Vec<Lane>,
    long: Long,
}

/// The inputs of one size that wait to be hashed together.
#[derive(Clone, Copy)]
struct Waiting {
    indices: [usize; LANES],
    count: usize,
}

/// The inputs of a batch that are two chunks, and the three hashes of each.
#[derive(Debug, Default)]
struct Long {
    indices: Vec<usize>,
    left: Vec<Digest>,
    right: Vec<Digest>,
    parents: Vec<[u8; BLOCK_LEN]>,
    roots: Vec<Digest>,
}

/// Node of an input that is hashed, as BLAKE3's inner function takes it.
#[derive(Clone, Copy)]
struct Node {
    counter: u64,
    flags: u8,
    first_block: u8,
    last_block: u8,
}

impl HashMany {
    /// Puts the digests of `count` inputs into `digests`, in their order.
    ///
    /// `input` is asked for the same one more than once. One that is empty or longer than
    /// 2,048 bytes is hashed by itself.
    pub(crate) fn digests<'a>(
        &mut self,
        key: &ContextKey,
        count: usize,
        input: impl Fn(usize) -> &'a [u8],
        digests: &mut Vec<Digest>,
    ) {
        digests.clear();
        digests.resize(count, Digest::default());
        if count < 2 {
            return one_by_one(key, input, digests);
        }
        let way = *self.way.get_or_insert_with(Way::of_this_process);
        let Way::Together { platform, last_block } = way else {
            return one_by_one(key, input, digests);
        };
        if self.lanes.is_empty() {
            self.lanes.resize(LANES, [0; CHUNK_LEN]);
        }
        let mut together = Together { platform, words: words(key), lanes: &mut self.lanes };
        together.chunks(Node::whole(last_block), count, &input, digests);
        self.long.indices.clear();
        for index in 0..count {
            match input(index).len() {
                1..=CHUNK_LEN => {}
                len if len > CHUNK_LEN && len <= 2 * CHUNK_LEN => self.long.indices.push(index),
                _ => set(digests, index, padded_digest(key, &[input(index)])),
            }
        }
        together.pairs(&mut self.long, &input, digests);
    }

    /// The digest of one block.
    ///
    /// Behind a batch it takes a fifth less time than the ordinary hasher.
    pub(crate) fn block(&self, key: &ContextKey, block: &[u8; BLOCK_LEN]) -> Digest {
        let Some(Way::Together { platform, last_block }) = self.way else {
            return padded_digest(key, &[block]);
        };
        let (mut hashes, inputs) = ([0; LANES_MIN * DIGEST_LEN], [block; LANES_MIN]);
        let inputs = inputs.get(..lanes_filled(1, platform.simd_degree())).unwrap_or(&inputs);
        Node::whole(last_block).hash(platform, &words(key), inputs, &mut hashes);
        hashes.first_chunk().map_or_else(Digest::default, |hash| Digest(*hash))
    }
}

fn one_by_one<'a>(key: &ContextKey, input: impl Fn(usize) -> &'a [u8], digests: &mut [Digest]) {
    for (index, digest) in digests.iter_mut().enumerate() {
        *digest = padded_digest(key, &[input(index)]);
    }
}

fn set(digests: &mut [Digest], index: usize, digest: Digest) {
    if let Some(place) = digests.get_mut(index) {
        *place = digest;
    }
}

impl Waiting {
    fn push(&mut self, index: usize) {
        if let Some(place) = self.indices.get_mut(self.count) {
            *place = index;
            self.count += 1;
        }
    }

    /// Those that wait; none does then.
    fn take(&mut self) -> &[usize] {
        let count = std::mem::take(&mut self.count);
        self.indices.get(..count).unwrap_or_default()
    }
}

impl Node {
    /// An input of one chunk.
    fn whole(last_block: u8) -> Node {
        Node { counter: 0, flags: 0, first_block: CHUNK_START, last_block }
    }

    /// The first chunk, or the second, of an input of two.
    fn half(counter: u64) -> Node {
        Node { counter, flags: 0, first_block: CHUNK_START, last_block: CHUNK_END }
    }

    /// The digests of two chunks.
    fn root() -> Node {
        Node { counter: 0, flags: PARENT | ROOT, first_block: 0, last_block: 0 }
    }

    fn hash<const N: usize>(
        self,
        platform: Platform,
        words: &[u32; 8],
        inputs: &[&[u8; N]],
        hashes: &mut [u8],
    ) {
        platform.hash_many(
            inputs,
            words,
            self.counter,
            IncrementCounter::No,
            DERIVE_KEY_MATERIAL | self.flags,
            self.first_block,
            self.last_block,
            hashes,
        );
    }
}

/// Fewer lanes than this are no faster.
const LANES_MIN: usize = 2;

/// Returns the number of lanes filled for `count` inputs, of which `degree` are hashed at once.
///
/// What is left over of a full register is hashed in halves of it, quarters and so on, one
/// after another, each of which takes about as long as the whole: one that is half empty is
/// faster than two.
fn lanes_filled(count: usize, degree: usize) -> usize {
    let over = count % degree.clamp(1, LANES);
    if over == 0 {
        return count;
    }
    let filled = over.next_power_of_two().max(LANES_MIN).min(degree);
    (count - over + filled).min(LANES)
}

/// One batch's hashing.
struct Together<'s> {
    platform: Platform,
    words: [u32; 8],
    lanes: &'s mut [Lane],
}

impl Together<'_> {
    /// Hashes every input of at most a chunk beside those that have as many blocks.
    fn chunks<'a>(
        &mut self,
        node: Node,
        count: usize,
        input: &impl Fn(usize) -> &'a [u8],
        digests: &mut [Digest],
    ) {
        let mut sizes = [Waiting { indices: [0; LANES], count: 0 }; SIZES];
        for index in 0..count {
            let size = input(index).len().div_ceil(BLOCK_LEN);
            let Some(waiting) = size.checked_sub(1).and_then(|at| sizes.get_mut(at)) else {
                continue;
            };
            waiting.push(index);
            if waiting.count == LANES {
                self.hash(node, size, waiting.take(), input, digests);
            }
        }
        for (at, waiting) in sizes.iter_mut().enumerate() {
            self.hash(node, at + 1, waiting.take(), input, digests);
        }
    }

    /// Hashes the inputs of two chunks: first chunks, second chunks, and the roots.
    fn pairs<'a>(
        &mut self,
        long: &mut Long,
        input: &impl Fn(usize) -> &'a [u8],
        digests: &mut [Digest],
    ) {
        let Long { indices, left, right, parents, roots } = long;
        let count = indices.len();
        for hashes in [&mut *left, &mut *right, &mut *roots] {
            hashes.clear();
            hashes.resize(count, Digest::default());
        }
        let halves = |at: usize| {
            let bytes = indices.get(at).map(|index| input(*index)).unwrap_or_default();
            bytes.split_at_checked(CHUNK_LEN).unwrap_or_default()
        };
        self.chunks(Node::half(0), count, &|at| halves(at).0, left);
        self.chunks(Node::half(1), count, &|at| halves(at).1, right);
        parents.clear();
        parents.extend(left.iter().zip(right.iter()).map(|(l, r)| both(&l.0, &r.0)));
        let parent = |at: usize| parents.get(at).map_or(&[] as &[u8], |block| block);
        self.chunks(Node::root(), count, &parent, roots);
        for (index, root) in indices.iter().zip(roots.iter()) {
            set(digests, *index, *root);
        }
    }

    /// Hashes the inputs at `indices`, all of `size` blocks.
    fn hash<'a>(
        &mut self,
        node: Node,
        size: usize,
        indices: &[usize],
        input: &impl Fn(usize) -> &'a [u8],
        digests: &mut [Digest],
    ) {
        if indices.is_empty() {
            return;
        }
        match size {
            1 => self.hash_sized::<64>(node, indices, input, digests),
            2 => self.hash_sized::<128>(node, indices, input, digests),
            3 => self.hash_sized::<192>(node, indices, input, digests),
            4 => self.hash_sized::<256>(node, indices, input, digests),
            5 => self.hash_sized::<320>(node, indices, input, digests),
            6 => self.hash_sized::<384>(node, indices, input, digests),
            7 => self.hash_sized::<448>(node, indices, input, digests),
            8 => self.hash_sized::<512>(node, indices, input, digests),
            9 => self.hash_sized::<576>(node, indices, input, digests),
            10 => self.hash_sized::<640>(node, indices, input, digests),
            11 => self.hash_sized::<704>(node, indices, input, digests),
            12 => self.hash_sized::<768>(node, indices, input, digests),
            13 => self.hash_sized::<832>(node, indices, input, digests),
            14 => self.hash_sized::<896>(node, indices, input, digests),
            15 => self.hash_sized::<960>(node, indices, input, digests),
            16 => self.hash_sized::<1_024>(node, indices, input, digests),
            _ => unreachable!("an input of {size} blocks is hashed by itself"),
        }
    }

    fn hash_sized<'a, const N: usize>(
        &mut self,
        node: Node,
        indices: &[usize],
        input: &impl Fn(usize) -> &'a [u8],
        digests: &mut [Digest],
    ) {
        const ZEROS: &Lane = &[0; CHUNK_LEN];
        for (lane, index) in self.lanes.iter_mut().zip(indices) {
            pad_into(lane, N, input(*index));
        }
        let mut inputs = [start_of::<N>(ZEROS); LANES];
        for ((place, lane), index) in inputs.iter_mut().zip(self.lanes.iter()).zip(indices) {
            *place = match <&[u8; N]>::try_from(input(*index)) {
                Ok(whole_blocks) => whole_blocks,
                Err(_) => start_of(lane),
            };
        }
        let mut hashes = [0; LANES * DIGEST_LEN];
        // What lies in the lanes behind the inputs is hashed for nothing.
        let filled = lanes_filled(indices.len(), self.platform.simd_degree());
        let inputs = inputs.get(..filled).unwrap_or(&inputs);
        node.hash(self.platform, &self.words, inputs, &mut hashes);
        for (hash, index) in hashes.as_chunks::<DIGEST_LEN>().0.iter().zip(indices) {
            set(digests, *index, Digest(*hash));
        }
    }
}

/// Copies `bytes` and zeros up to `len` into `lane`, unless there is nothing to pad.
fn pad_into(lane: &mut Lane, len: usize, bytes: &[u8]) {
    if bytes.len() == len {
        return;
    }
    let Some((copy, padding)) =
        lane.get_mut(..len).and_then(|l| l.split_at_mut_checked(bytes.len()))
    else {
        return;
    };
    copy.copy_from_slice(bytes);
    padding.fill(0);
}

fn start_of<const N: usize>(lane: &Lane) -> &[u8; N] {
    const { assert!(N <= CHUNK_LEN) };
    lane.first_chunk().expect("a lane is as long as the longest input")
}

/// The key as BLAKE3's inner function takes it.
fn words(key: &ContextKey) -> [u32; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(key.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

#[cfg(test)]
mod tests;
