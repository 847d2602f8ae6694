use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;
use std::{fmt, fs};

use memlith::copy::{SharedError, SharedFrame, SharedLog};
use memlith::log::Role;
use memlith::{LedgerId, Seq, Timestamp};
use serde::{Deserialize, Serialize};

use crate::bytes::{Bytes, hex};
use crate::error::{Error, Result};
use crate::keys::{Signing, is_signed};
use crate::machine::Home;
use crate::shared::{is_ledger, is_shared};

/// A shared log of which each frame is signed by the node that puts it, and of which a node takes
/// what the roles in the ledger allow.
///
/// Without a role in the ledger everything is taken: whoever reaches the log writes. From the first
/// one on, a frame that is signed with no key of a role, or holds an event that the key's role
/// doesn't allow, is passed over by every node: the log's own order decides, so all agree. A frame
/// of which the signature is wrong was damaged, and stops the node.
pub struct SignedLog {
    inner: Arc<dyn SharedLog>,
    /// The folder of this node's copy.
    dir: PathBuf,
}

/// Roles of a shared ledger, as a node knows them.
#[derive(Clone, Debug, Serialize)]
pub struct Team {
    /// The key with which this node signs: 64 hex digits.
    pub key: String,
    /// Its role; none where the ledger has roles and this node has none.
    pub role: Option<Role>,
    /// The roles in force by key; none where whoever reaches the shared log may write.
    pub roles: Vec<NodeRole>,
    /// Frames that were passed over.
    pub refused: Vec<RefusedFrame>,
    /// When this node's copy last was as new as the shared log, by the file system's clock.
    pub heard: Option<Timestamp>,
}

/// Role of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeRole {
    /// The key with which it signs: 64 hex digits.
    pub key: String,
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
}

/// A frame that every node passes over, because a role doesn't allow it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedFrame {
    /// The record that it was to begin with.
    pub at: Seq,
    /// The key that signed it, if any did.
    pub key: Option<String>,
    /// The role that it needs; none where it continues another chain.
    pub needs: Option<Role>,
}

/// Roles and refusals in the frames that a node has seen: derived from them alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Known {
    /// Roles by the record that gave them.
    given: BTreeMap<u64, NodeRole>,
    /// By the record that they were to begin with.
    refused: Vec<RefusedFrame>,
}

/// Verdict on the bytes at a place.
enum Verdict {
    Stands(Found),
    Refused(RefusedFrame),
}

/// A frame that stands in a shared log.
struct Found {
    frame: SharedFrame,
    bytes: Vec<u8>,
}

const MAGIC: &[u8] = b"MLS2";
const KEY: &str = "node.json";
const KNOWN: &str = "roles.json";
/// Empty: its time of change says when the copy last was as new as the log.
const HEARD: &str = "heard";
const BYTES_MAX: u64 = 16 << 20;

impl SignedLog {
    /// The shared log `inner` for the copy in the folder `dir`, which keeps this node's key.
    #[must_use]
    pub fn new(inner: Arc<dyn SharedLog>, dir: &Path) -> SignedLog {
        SignedLog { inner, dir: dir.to_owned() }
    }

    fn note_heard(&self) {
        // Nobody but `sync status` goes by it.
        let _ = fs::write(Home::of(&self.dir).file(HEARD), []);
    }

    /// Reads what this node knows of the ledger; a copy that has lost it reads the shared log again.
    fn known(&self, ledger: LedgerId) -> Result<Known, SharedError> {
        let mut known = match read(&self.dir, KNOWN) {
            Ok(Some(known)) => return Ok(known),
            Ok(None) => Known::default(),
            Err(error) => {
                tracing::warn!(%error, "the roles are read from the shared log again");
                Known::default()
            }
        };
        if is_ledger(&self.dir) {
            let (mut next, mut chain) = (Seq::GENESIS, None);
            while let Some(Found { frame, .. }) = self.next(&mut known, ledger, next)? {
                if chain.is_some_and(|chain| chain != frame.before) {
                    known.pass_over(next, None);
                    continue;
                }
                (next, chain) = (frame.last.next(), Some(frame.chain));
            }
        }
        self.keep(&known)?;
        Ok(known)
    }

    fn keep(&self, known: &Known) -> Result<(), SharedError> {
        write(&self.dir, KNOWN, known).map_err(unreached)
    }

    /// Reads the frame that begins with the record `first`, behind those that are passed over.
    fn next(
        &self,
        known: &mut Known,
        ledger: LedgerId,
        first: Seq,
    ) -> Result<Option<Found>, SharedError> {
        while let Some(bytes) = self.inner.read(ledger, known.place(first))? {
            match self.judge(known, ledger, first, bytes)? {
                Verdict::Stands(found) => {
                    let _ = known.learn(&found.frame);
                    return Ok(Some(found));
                }
                Verdict::Refused(refused) => {
                    tracing::warn!(at = %refused.at, key = ?refused.key, "a frame was passed over");
                    known.refuse(refused);
                }
            }
        }
        Ok(None)
    }

    fn judge(
        &self,
        known: &Known,
        ledger: LedgerId,
        first: Seq,
        bytes: Vec<u8>,
    ) -> Result<Verdict, SharedError> {
        let (signed, inner) = match parts(&bytes) {
            Some((_, key, signature, inner)) => (Some((key, signature)), inner),
            None => (None, bytes.as_slice()),
        };
        let damaged = || {
            let place = known.place(first);
            SharedError::Unreadable(format!(
                "the frame {:020} of the shared log is damaged, or is none: put it back from a copy \
                 of the place; where no node has taken it in, take it away",
                place.0
            ))
        };
        let frame = SharedFrame::read(inner).ok_or_else(damaged)?;
        let text = text_of(ledger, known.place(first), &frame);
        if signed.as_ref().is_some_and(|(key, signature)| !is_signed(&text, signature, key)) {
            return Err(damaged());
        }
        let key = signed.map(|(key, _)| hex(&key.0));
        let roles = known.roles_at(first);
        if let Some(roles) = &roles {
            let role = key.as_deref().and_then(|key| roles.get(key)).map(|one| one.role);
            if role.is_none_or(|role| role < frame.needed) {
                let needs = Some(frame.needed);
                return Ok(Verdict::Refused(RefusedFrame { at: first, key, needs }));
            }
        }
        if frame.first != first {
            if roles.is_none() {
                return Err(damaged());
            }
            // Put here by a node that went on alone: it signed this place.
            return Ok(Verdict::Refused(RefusedFrame { at: first, key, needs: None }));
        }
        if roles.is_some() && !frame.is_readable {
            return Err(SharedError::Unreadable(format!(
                "the shared log holds events from record {first} on that this version doesn't know, \
                 so it can't tell whether they are allowed: update memlith"
            )));
        }
        Ok(Verdict::Stands(Found { frame, bytes: inner.to_vec() }))
    }
}

impl SharedLog for SignedLog {
    fn append_if(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<bool, SharedError> {
        let bad = || SharedError::Unreached("the batch is no frame".to_owned());
        let read = SharedFrame::read(frame).ok_or_else(bad)?;
        let signing = signing_of(&self.dir).map_err(unreached)?;
        let mut known = self.known(ledger)?;
        let key = hex(&signing.public().0);
        if let Some(role) =
            known.roles_at(first).map(|roles| roles.get(key.as_str()).map(|one| one.role))
            && role.is_none_or(|role| role < read.needed)
        {
            return Err(not_allowed(&key, role, read.needed));
        }
        if first == Seq::GENESIS
            && !known.refused.is_empty()
            && self.inner.next(ledger, Seq::GENESIS)?.is_none()
        {
            // A place that is filled anew holds nothing that was passed over elsewhere.
            known.refused.clear();
            self.keep(&known)?;
        }
        loop {
            let place = known.place(first);
            let signature = signing.sign(&text_of(ledger, place, &read));
            let bytes = [MAGIC, &signing.public().0, &signature.0, frame].concat();
            if self.inner.append_if(ledger, place, &bytes)? {
                break;
            }
            let there = self.next(&mut known, ledger, first)?;
            let has_refused = known.place(first) != place;
            if has_refused {
                self.keep(&known)?;
            }
            if there.is_some() {
                return Ok(false);
            }
            if !has_refused {
                return Err(SharedError::Unreadable(format!(
                    "the shared log has the frame {:020}, and doesn't give it out",
                    place.0
                )));
            }
        }
        if known.learn(&read) {
            self.keep(&known)?;
        }
        self.note_heard();
        Ok(true)
    }

    fn pass_over(&self, ledger: LedgerId, first: Seq) -> Result<bool, SharedError> {
        let mut known = self.known(ledger)?;
        if known.roles_at(first).is_none() {
            return Ok(false);
        }
        let there = self.inner.read(ledger, known.place(first))?.unwrap_or_default();
        known.pass_over(first, parts(&there).map(|(_, key, ..)| hex(&key.0)));
        self.keep(&known)?;
        Ok(true)
    }

    fn probe(&self) -> Result<(), SharedError> {
        self.inner.probe()
    }

    fn frame_len(&self) -> usize {
        self.inner.frame_len()
    }

    fn read(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        let mut known = self.known(ledger)?;
        let before = (known.given.len(), known.refused.len());
        let read = self.next(&mut known, ledger, first)?;
        // Ahead of the records that the reader keeps: the place of the next frame rests on it.
        if before != (known.given.len(), known.refused.len()) {
            self.keep(&known)?;
        }
        Ok(read.map(|found| found.bytes))
    }

    fn next(&self, ledger: LedgerId, from: Seq) -> Result<Option<Seq>, SharedError> {
        let known = self.known(ledger)?;
        let mut place = known.place(from);
        while let Some(next) = self.inner.next(ledger, place)? {
            if let Some(first) = known.first_at(next) {
                return Ok(Some(first));
            }
            place = next.next();
        }
        self.note_heard();
        Ok(None)
    }

    fn reread(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        let known = self.known(ledger)?;
        let Some(bytes) = self.inner.read(ledger, known.place(first))? else { return Ok(None) };
        // Of what can't be taken in nothing is learned: it may lie within another frame.
        Ok(match self.judge(&known, ledger, first, bytes) {
            Ok(Verdict::Stands(found)) => Some(found.bytes),
            Ok(Verdict::Refused(_)) | Err(_) => None,
        })
    }

    fn replace(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<(), SharedError> {
        let place = self.known(ledger)?.place(first);
        let there = self.inner.read(ledger, place)?.unwrap_or_default();
        // What is signed stays when words are erased: the chain.
        let head = parts(&there).map(|(head, ..)| head).unwrap_or_default();
        self.inner.replace(ledger, place, &[head, frame].concat())
    }
}

impl Known {
    /// The name of the frame that begins with the record `first`: frames that were passed over have
    /// one each.
    fn place(&self, first: Seq) -> Seq {
        let before = self.refused.partition_point(|refused| refused.at <= first);
        Seq(first.0.saturating_add(before as u64))
    }

    /// The roles by key that hold for a frame which begins with the record `first`; `None` where no
    /// role was given before it.
    fn roles_at(&self, first: Seq) -> Option<BTreeMap<&str, &NodeRole>> {
        let given = self.given.range(..first.0).map(|(_, given)| (given.key.as_str(), given));
        let roles: BTreeMap<&str, &NodeRole> = given.collect();
        (!roles.is_empty()).then_some(roles)
    }

    /// The first record of a frame of this name; `None` of one that was passed over.
    fn first_at(&self, place: Seq) -> Option<Seq> {
        let mut before = 0_u64;
        for refused in &self.refused {
            match refused.at.0.saturating_add(before).cmp(&place.0) {
                Ordering::Less => before += 1,
                Ordering::Equal => return None,
                Ordering::Greater => break,
            }
        }
        Some(Seq(place.0.saturating_sub(before)))
    }

    /// Passes over a frame that continues another chain; roles that it gave were given by nobody.
    fn pass_over(&mut self, at: Seq, key: Option<String>) {
        self.given.split_off(&at.0);
        self.refuse(RefusedFrame { at, key, needs: None });
    }

    fn refuse(&mut self, refused: RefusedFrame) {
        self.refused.push(refused);
        self.refused.sort_by_key(|refused| refused.at);
    }

    /// Learns the roles that a frame gives; whether there are any that weren't known.
    fn learn(&mut self, frame: &SharedFrame) -> bool {
        let before = self.given.len();
        for (at, given) in &frame.given {
            let (key, name) = (hex(&given.key), given.name.to_string());
            self.given.insert(at.0, NodeRole { key, name, role: given.role });
        }
        self.given.len() > before
    }
}

/// The text that a node signs: nothing of it changes when words are erased.
fn text_of(ledger: LedgerId, place: Seq, frame: &SharedFrame) -> String {
    let SharedFrame { first, before, chain, .. } = frame;
    format!("memlith shared frame v1 {ledger} {place} {first} {before} {chain}")
}

/// The head of a signed frame, its key, its signature, and the frame.
fn parts(bytes: &[u8]) -> Option<(&[u8], Bytes, Bytes, &[u8])> {
    let (key, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<32>()?;
    let (signature, frame) = rest.split_first_chunk::<64>()?;
    let head = bytes.get(..bytes.len() - frame.len())?;
    Some((head, Bytes(key.to_vec()), Bytes(signature.to_vec()), frame))
}

/// The key and the roles of the node whose copy lies in the folder `dir`; `None` where it is none.
///
/// # Errors
/// Its files can't be read.
pub fn team_of(dir: &Path) -> Result<Option<Team>> {
    if !is_shared(dir) {
        return Ok(None);
    }
    let signing = signing_of(dir)?;
    let known: Known = read(dir, KNOWN)?.unwrap_or_default();
    let roles = known.roles_at(Seq::MAX);
    let key = hex(&signing.public().0);
    let role = match &roles {
        Some(roles) => roles.get(key.as_str()).map(|one| one.role),
        None => Some(Role::Owner),
    };
    let roles = roles.into_iter().flatten().map(|(_, role)| role.clone()).collect();
    Ok(Some(Team { key, role, roles, refused: known.refused, heard: heard_of(dir) }))
}

/// When the copy in the folder `dir` last was as new as its shared log, by the file system's clock;
/// `None` where it never was, or is no copy.
#[must_use]
pub fn heard_of(dir: &Path) -> Option<Timestamp> {
    let changed = fs::metadata(Home::of(dir).file(HEARD)).and_then(|about| about.modified());
    let since = changed.ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Timestamp(i64::try_from(since.as_micros()).ok()?))
}

/// The key of the node whose copy lies in the folder `dir`, made where it has none.
fn signing_of(dir: &Path) -> Result<Signing> {
    if let Some(signing) = read(dir, KEY)? {
        return Ok(signing);
    }
    let signing = Signing::new()?;
    write(dir, KEY, &signing)?;
    Ok(signing)
}

/// Whether the node whose copy lies in the folder `dir` has a key.
pub(super) fn has_key(dir: &Path) -> bool {
    Home::of(dir).file(KEY).is_file()
}

fn not_allowed(key: &str, role: Option<Role>, needed: Role) -> SharedError {
    let (needed, key) = (needed.name(), key.get(..8).unwrap_or(key));
    let has = role.map_or_else(
        || "it has no role in this ledger".to_owned(),
        |role| format!("it is a {}", role.name()),
    );
    SharedError::NotAllowed(format!(
        "this node ({key}) may not write that: it needs to be {needed}, and {has}; an owner gives \
         roles with `memlith sync role`"
    ))
}

fn unreached(error: Error) -> SharedError {
    SharedError::Unreached(error.to_string())
}

fn read<T: for<'de> Deserialize<'de>>(dir: &Path, name: &str) -> Result<Option<T>> {
    let path = Home::of(dir).file(name);
    let io = || Error::io(format!("read {}", path.display()));
    let Some(bytes) = memlith_files::read(&path, BYTES_MAX).map_err(io())? else {
        return Ok(None);
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| io()(error.into()))
}

fn write<T: Serialize>(dir: &Path, name: &str, what: &T) -> Result<()> {
    let home = Home::of(dir);
    home.make()?;
    let path = home.file(name);
    let durable = memlith_files::Replacing { durable: true, permissions: None };
    let bytes = serde_json::to_vec(what).unwrap_or_default();
    durable.replace(&path, &bytes).map_err(Error::io(format!("write {}", path.display())))
}

impl fmt::Debug for SignedLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedLog").field("inner", &self.inner).finish_non_exhaustive()
    }
}
