use std::cell::RefCell;
use std::ops::Range;

use memlith_log::{Digest, LedgerId, Seq};

use crate::error::Error;
use crate::merkle::{leaf, node, split, subtree};

/// Root of a tree or of a subtree: SHA-256.
pub type Root = [u8; 32];

/// Leaves of a block: a complete subtree whose root is kept.
pub const BLOCK: u64 = 256;

/// The level of a block's root above the leaves.
const BLOCK_LEVEL: u32 = 8;

/// The most leaves of a tree.
pub(crate) const SIZE_MAX: u64 = 1 << 48;

/// The Merkle tree of a ledger (RFC 6962, SHA-256), as far as it consists of whole blocks of
/// 256 records: 32 bytes a block. The leaves are the record hashes, which the log has.
///
/// It is derived: a new one is made from the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    ledger: LedgerId,
    /// The chain after the last record that it covers; zeros before the first.
    chain: Digest,
    blocks: Vec<Root>,
}

/// The tree of the first `size` records, with a reader of leaves.
pub struct TreeReader<'a> {
    tree: &'a Tree,
    size: u64,
    leaves: &'a dyn Fn(Range<u64>) -> Result<Vec<Digest>, Error>,
    /// The last block whose leaves were read.
    block: RefCell<(u64, Vec<Root>)>,
}

const MAGIC: &[u8; 4] = b"MLM1";
const CONTEXT: &str = "memlith v1 tree";
const HEAD_BYTES: usize = 4 + 16 + 32;

impl Tree {
    /// The tree of no records.
    #[must_use]
    pub fn new(ledger: LedgerId) -> Tree {
        Tree { ledger, chain: Digest::default(), blocks: Vec::new() }
    }

    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> LedgerId {
        self.ledger
    }

    /// The number of records that it covers, a multiple of [`BLOCK`].
    #[must_use]
    pub fn covered(&self) -> u64 {
        self.blocks.len() as u64 * BLOCK
    }

    /// The last record that it covers and the chain there.
    #[must_use]
    pub fn end(&self) -> Option<(Seq, Digest)> {
        Some((Seq(self.covered().checked_sub(1)?), self.chain))
    }

    /// Adds the next block: its [`BLOCK`] record hashes, and the chain after the last.
    ///
    /// # Errors
    /// [`Error::Malformed`] of another number of leaves.
    pub fn push(&mut self, leaves: &[Digest], chain: Digest) -> Result<(), Error> {
        if leaves.len() as u64 != BLOCK {
            return Err(Error::malformed("block", format!("it has {} leaves", leaves.len())));
        }
        self.blocks.push(subtree(leaves.iter().map(leaf).collect()));
        self.chain = chain;
        Ok(())
    }

    /// Reads the tree of the first `size` records; `leaves` gives the record hashes of a range,
    /// and is asked for those of single blocks and of what lies behind the last whole block.
    ///
    /// # Errors
    /// [`Error::Malformed`] if `size` is 0 or above 2^48.
    pub fn reader<'a>(
        &'a self,
        size: u64,
        leaves: &'a dyn Fn(Range<u64>) -> Result<Vec<Digest>, Error>,
    ) -> Result<TreeReader<'a>, Error> {
        if !(1..=SIZE_MAX).contains(&size) {
            return Err(Error::malformed("tree", "its number of records is out of range"));
        }
        let block = RefCell::new((u64::MAX, Vec::new()));
        Ok(TreeReader { tree: self, size, leaves, block })
    }

    /// The bytes to keep: magic, ledger, chain, roots, and a BLAKE3 digest of them all.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEAD_BYTES + 32 * (self.blocks.len() + 1));
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&self.ledger.0);
        out.extend_from_slice(&self.chain.0);
        self.blocks.iter().for_each(|root| out.extend_from_slice(root));
        let digest = blake3::derive_key(CONTEXT, &out);
        out.extend_from_slice(&digest);
        out
    }

    /// Reads what [`Tree::encode`] made.
    ///
    /// # Errors
    /// [`Error::Malformed`]; make a new tree then.
    pub fn decode(bytes: &[u8]) -> Result<Tree, Error> {
        let refused = |reason: &str| Error::malformed("tree", reason);
        let (body, digest) = bytes.split_last_chunk::<32>().ok_or_else(|| refused("too short"))?;
        if blake3::derive_key(CONTEXT, body) != *digest {
            return Err(refused("its digest differs"));
        }
        let rest = body.strip_prefix(MAGIC).ok_or_else(|| refused("another magic"))?;
        let (ledger, rest) = rest.split_first_chunk().ok_or_else(|| refused("too short"))?;
        let (chain, rest) = rest.split_first_chunk().ok_or_else(|| refused("too short"))?;
        let (blocks, left) = rest.as_chunks::<32>();
        if !left.is_empty() {
            return Err(refused("its length is odd"));
        }
        Ok(Tree { ledger: LedgerId(*ledger), chain: Digest(*chain), blocks: blocks.to_vec() })
    }
}

impl TreeReader<'_> {
    /// The root.
    ///
    /// # Errors
    /// Those of the reader of leaves.
    pub fn root(&self) -> Result<Root, Error> {
        self.root_of(0..self.size)
    }

    /// The inclusion proof of a record: the hashes beside its path, from the leaf up.
    ///
    /// # Errors
    /// [`Error::Record`] of one behind the end, and those of the reader of leaves.
    pub fn inclusion(&self, seq: Seq) -> Result<Vec<Root>, Error> {
        if seq.0 >= self.size {
            return Err(Error::Record { seq, reason: "it is newer" });
        }
        let (mut within, mut path) = (0..self.size, Vec::new());
        while within.end - within.start > 1 {
            let middle = within.start + split(within.end - within.start);
            let (left, right) = (within.start..middle, middle..within.end);
            let is_left = seq.0 < middle;
            let (own, other) = if is_left { (left, right) } else { (right, left) };
            path.push(self.root_of(other)?);
            within = own;
        }
        path.reverse();
        Ok(path)
    }

    /// The proof that the tree grew out of that of the first `old_size` records.
    ///
    /// # Errors
    /// [`Error::Fork`] if the old one is larger or empty, and those of the reader of leaves.
    pub fn consistency(&self, old_size: u64) -> Result<Vec<Root>, Error> {
        if !(1..=self.size).contains(&old_size) {
            return Err(Error::Fork { reason: "the older head has more records, or none" });
        }
        let (mut within, mut proof, mut is_whole) = (0..self.size, Vec::new(), true);
        while old_size != within.end {
            let middle = within.start + split(within.end - within.start);
            let (left, right) = (within.start..middle, middle..within.end);
            if old_size <= middle {
                proof.push(self.root_of(right)?);
                within = left;
            } else {
                proof.push(self.root_of(left)?);
                (within, is_whole) = (right, false);
            }
        }
        if !is_whole {
            proof.push(self.root_of(within)?);
        }
        proof.reverse();
        Ok(proof)
    }

    /// The root of a range of records, as the tree splits it.
    fn root_of(&self, range: Range<u64>) -> Result<Root, Error> {
        let size = range.end - range.start;
        if size.is_power_of_two() {
            return self.node(size.trailing_zeros(), range.start / size);
        }
        let middle = range.start + split(size);
        let left = self.root_of(range.start..middle)?;
        Ok(node(&left, &self.root_of(middle..range.end)?))
    }

    /// The roots of the subtrees of 2^`level` records with the numbers `range`, all complete.
    ///
    /// # Errors
    /// [`Error::Malformed`] if one is not complete, and those of the reader of leaves.
    pub fn nodes(&self, level: u32, range: Range<u64>) -> Result<Vec<Root>, Error> {
        let end = range.end.checked_shl(level).filter(|end| *end <= self.size);
        if level >= 48 || end.is_none() {
            return Err(Error::malformed("tile", "it is not complete"));
        }
        range.map(|number| self.node(level, number)).collect()
    }

    /// The root of the complete subtree of 2^`level` leaves with this number.
    fn node(&self, level: u32, number: u64) -> Result<Root, Error> {
        let blocks = level.checked_sub(BLOCK_LEVEL).and_then(|above| {
            let range = (number << above)..((number + 1) << above);
            let range = usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?;
            self.tree.blocks.get(range)
        });
        if let Some(blocks) = blocks {
            return Ok(subtree(blocks.to_vec()));
        }
        let leaves = (number << level)..((number + 1) << level);
        if level >= BLOCK_LEVEL {
            return Ok(subtree(self.read(leaves)?));
        }
        let block = leaves.start / BLOCK;
        if self.block.borrow().0 != block {
            let whole = (block * BLOCK)..((block + 1) * BLOCK).min(self.size);
            *self.block.borrow_mut() = (block, self.read(whole)?);
        }
        let (_, hashes) = &*self.block.borrow();
        let numbered = (block * BLOCK..).zip(hashes);
        let within = numbered.filter(|(number, _)| leaves.contains(number));
        Ok(subtree(within.map(|(_, hash)| *hash).collect()))
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<Root>, Error> {
        let expected = range.end - range.start;
        let leaves = (self.leaves)(range)?;
        if leaves.len() as u64 != expected {
            return Err(Error::malformed("tree", "a leaf is missing"));
        }
        Ok(leaves.iter().map(leaf).collect())
    }
}

impl std::fmt::Debug for TreeReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TreeReader").field("size", &self.size).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merkle::{is_consistent, is_included};

    fn digests(n: u64) -> Vec<Digest> {
        (0..n).map(|seq| Digest(*blake3::hash(&seq.to_le_bytes()).as_bytes())).collect()
    }

    fn at(number: u64) -> usize {
        usize::try_from(number).unwrap()
    }

    fn tree(all: &[Digest]) -> Tree {
        let mut tree = Tree::new(LedgerId([1; 16]));
        all.chunks_exact(at(BLOCK))
            .for_each(|block| tree.push(block, *block.last().unwrap()).unwrap());
        tree
    }

    /// The root by section 2.1 of RFC 6962, word for word.
    fn naive(leaves: &[Digest]) -> Root {
        match leaves {
            [one] => leaf(one),
            _ => {
                let k = leaves.len().next_power_of_two() / 2;
                node(&naive(&leaves[..k]), &naive(&leaves[k..]))
            }
        }
    }

    #[test]
    fn roots_and_proofs_are_those_of_the_rfc_at_every_size() {
        let all = digests(1_100);
        let whole = tree(&all);
        for size in (1..=1_100_u64).filter(|n| n % 37 == 1 || n % 256 < 3 || *n < 20) {
            // A tree that lags behind gives the same.
            for tree in [&whole, &Tree::new(LedgerId([1; 16]))] {
                let read = |range: Range<u64>| Ok(all[at(range.start)..at(range.end)].to_vec());
                let reader = tree.reader(size, &read).unwrap();
                let root = reader.root().unwrap();
                assert_eq!(root, naive(&all[..at(size)]), "{size}");
                for seq in [0, size / 3, size / 2, size - 1] {
                    let path = reader.inclusion(Seq(seq)).unwrap();
                    let leaf = leaf(&all[at(seq)]);
                    let leads = |path: &[Root], seq| is_included((seq, size), path, leaf, &root);
                    assert!(leads(&path, seq), "{seq} of {size}");
                    assert!(!leads(&path, seq + 1) && !leads(&[&path[..], &[root]].concat(), seq));
                    assert!(path.is_empty() || !leads(&path[1..], seq));
                }
                for old in [1, size.div_ceil(3), size - 1].into_iter().filter(|old| *old > 0) {
                    let proof = reader.consistency(old).unwrap();
                    let was = naive(&all[..at(old)]);
                    let leads = |proof: &[Root], was| is_consistent((old, size), proof, was, &root);
                    assert_eq!(leads(&proof, &was), old < size, "{old} of {size}");
                    assert!(!leads(&proof, &root) || was == root);
                    assert!(!leads(&[&proof[..], &[root]].concat(), &was));
                    assert!(proof.is_empty() || !leads(&proof[..proof.len() - 1], &was));
                }
                assert!(reader.consistency(size).unwrap().is_empty());
                assert!(matches!(reader.inclusion(Seq(size)), Err(Error::Record { .. })));
                assert!(matches!(reader.consistency(size + 1), Err(Error::Fork { .. })));
            }
        }
    }

    #[test]
    fn a_tree_round_trips_and_every_flipped_byte_is_seen() {
        let all = digests(600);
        let tree = tree(&all);
        let bytes = tree.encode();
        assert_eq!(Tree::decode(&bytes), Ok(tree));
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(Tree::decode(&other).is_err(), "{at}");
            assert!(Tree::decode(&bytes[..at]).is_err(), "{at}");
        }
    }

    #[test]
    fn an_error_of_the_leaves_is_what_the_caller_gets() {
        let failed = |_: Range<u64>| Err(Error::Destroyed { seq: Seq(3) });
        let tree = Tree::new(LedgerId([1; 16]));
        let reader = tree.reader(5, &failed).unwrap();
        assert_eq!(reader.root(), Err(Error::Destroyed { seq: Seq(3) }));
        assert!(tree.reader(0, &failed).is_err() && tree.reader(SIZE_MAX + 1, &failed).is_err());
    }
}
