//! The suite that every shared log passes, whatever it lies on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use memlith::copy::{SharedError, SharedLog};
use memlith::forget::ErasureFilter;
use memlith::log::{LogError, Role, RoleGiven};
use memlith::prove::Level;
use memlith::storage::{Durability, Env, FixedClock, LocalStorage};
use memlith::write::TrustPolicy;
use memlith::{Caller, Error, Ledger, LedgerId, Options, Rank, Seq, verify};

type Made = Arc<dyn SharedLog>;

/// A folder for nodes, and how they reach the shared log.
pub(crate) struct World {
    folder: tempfile::TempDir,
    open: Box<dyn Fn(&Path) -> Made + Send + Sync>,
}

/// A node: its copy of the ledger.
pub(crate) struct Node {
    dir: PathBuf,
    ledger: Ledger,
    ana: Caller,
}

impl World {
    pub(crate) fn new(open: impl Fn(&Path) -> Made + Send + Sync + 'static) -> World {
        World { folder: tempfile::tempdir().unwrap(), open: Box::new(open) }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn shared(&self) -> Made {
        (self.open)(self.path())
    }

    /// The options of the node in `dir`, as the program opens it: its frames are signed.
    fn options(dir: &Path, shared: Made) -> Options {
        let signed = Arc::new(memlith_sync::SignedLog::new(shared, dir));
        Options { shared: Some(signed), ..Options::default() }
    }

    /// The first node, which shares its ledger.
    fn first(&self) -> Node {
        let dir = self.path().join("first");
        let options = World::options(&dir, self.shared());
        let ledger = Ledger::create(&dir, options.clone()).unwrap();
        ledger.share(options.shared.unwrap().as_ref()).unwrap();
        Node { dir, ledger, ana: Caller::user("acme", "ana") }
    }

    fn join(&self, name: &str, to: &str, shared: Made) -> Result<Node, Error> {
        let dir = self.path().join(name);
        let ledger = Ledger::join(&dir, World::options(&dir, shared), to)?;
        Ok(Node { dir, ledger, ana: Caller::user("acme", "ana") })
    }
}

impl Node {
    fn says(&self, text: &str) -> Result<(), Error> {
        self.ledger.remember(&self.ana, text).map(drop)
    }

    /// The memories that the log holds, with how often it holds each.
    fn said(&self) -> BTreeMap<String, u64> {
        let mut said = BTreeMap::new();
        for record in self.ledger.records(Seq::GENESIS, None).unwrap() {
            let record = record.unwrap();
            let body = memlith::log::decode(&record).unwrap();
            if let Some(text) = body.and_then(|body| body.event.item_text().map(|t| t.to_string()))
            {
                *said.entry(text).or_default() += 1;
            }
        }
        said
    }
}

/// All nodes hold the same chain, verified, and fold it to the same state.
fn agree(nodes: &[Node]) {
    let mut heads = Vec::new();
    for node in nodes {
        node.ledger.pull().unwrap();
        heads.push((node.ledger.head(), node.ledger.audit().digest().unwrap().digest));
        node.ledger.settle().unwrap();
        let report = verify(&node.dir, Level::Full).unwrap();
        assert!(report.is_ok(), "{:?}", report.findings);
    }
    assert!(heads.windows(2).all(|pair| pair[0] == pair[1]), "{heads:?}");
}

pub(crate) fn a_race_is_linear(world: &World) {
    const EACH: usize = 12;
    let first = world.first();
    let to = first.ledger.invitation().unwrap();
    let mut nodes = vec![first];
    for number in 0..5 {
        nodes.push(world.join(&format!("node{number}"), &to, world.shared()).unwrap());
    }
    std::thread::scope(|scope| {
        for (at, node) in nodes.iter().enumerate() {
            scope.spawn(move || {
                for number in 0..EACH {
                    node.says(&format!("Shelf {number} of room {at} holds box {at}{number}."))
                        .unwrap();
                }
            });
        }
    });
    // One that comes late.
    nodes.push(world.join("late", &to, world.shared()).unwrap());
    agree(&nodes);
    let said = nodes[6].said();
    assert_eq!(said.len(), 6 * EACH);
    assert!(said.values().all(|count| *count == 1), "{said:?}");
}

/// A shared log that counts what is put.
#[derive(Debug)]
struct Counted(Made, Arc<AtomicU64>);

impl SharedLog for Counted {
    fn append_if(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<bool, SharedError> {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.append_if(ledger, first, frame)
    }

    fn read(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        self.0.read(ledger, first)
    }

    fn next(&self, ledger: LedgerId, from: Seq) -> Result<Option<Seq>, SharedError> {
        self.0.next(ledger, from)
    }

    fn replace(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<(), SharedError> {
        self.0.replace(ledger, first, frame)
    }
}

/// The number of puts of so many writes of two open handles in turns.
pub(crate) fn puts_of_turns(world: &World, writes: u64) -> u64 {
    let to = world.first().ledger.invitation().unwrap();
    let puts = Arc::new(AtomicU64::new(0));
    let counted = || -> Made { Arc::new(Counted(world.shared(), Arc::clone(&puts))) };
    let nodes = ["one", "two"].map(|name| world.join(name, &to, counted()).unwrap());
    for number in 0..writes {
        let node = if number % 2 == 0 { &nodes[0] } else { &nodes[1] };
        node.says(&format!("Shelf {number} holds box {number}.")).unwrap();
    }
    puts.load(Ordering::SeqCst)
}

/// A shared log of which answers are lost: before anything was put, or after.
#[derive(Debug)]
struct Lossy {
    inner: Made,
    calls: AtomicU64,
    /// From this call on nothing is reached any more.
    dies_at: u64,
}

impl Lossy {
    fn of(inner: Made, dies_at: u64) -> Made {
        Arc::new(Lossy { inner, calls: AtomicU64::new(0), dies_at })
    }

    fn is_dead(&self) -> bool {
        self.calls.load(Ordering::SeqCst) >= self.dies_at
    }
}

impl SharedLog for Lossy {
    fn append_if(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<bool, SharedError> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        let lost = || SharedError::Unreached("the answer was lost".to_owned());
        match call % 4 {
            0 => Err(lost()),
            1 => {
                let _ = self.inner.append_if(ledger, first, frame)?;
                Err(lost())
            }
            2 => {
                // Put twice: a retry somewhere on the way.
                let put = self.inner.append_if(ledger, first, frame)?;
                let _ = self.inner.append_if(ledger, first, frame)?;
                Ok(put)
            }
            _ => self.inner.append_if(ledger, first, frame),
        }
    }

    fn read(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        if self.is_dead() {
            return Err(SharedError::Unreached("nothing answers".to_owned()));
        }
        self.inner.read(ledger, first)
    }

    fn next(&self, ledger: LedgerId, from: Seq) -> Result<Option<Seq>, SharedError> {
        self.inner.next(ledger, from)
    }

    fn replace(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<(), SharedError> {
        self.inner.replace(ledger, first, frame)
    }
}

pub(crate) fn lost_answers_are_looked_up(world: &World) {
    let first = world.first();
    let to = first.ledger.invitation().unwrap();
    let lossy = world.join("lossy", &to, Lossy::of(world.shared(), u64::MAX)).unwrap();
    for number in 0..24 {
        let node = if number % 3 == 0 { &first } else { &lossy };
        node.says(&format!("Shelf {number} holds box {number}.")).unwrap();
    }
    let nodes = [first, lossy];
    agree(&nodes);
    let said = nodes[0].said();
    assert_eq!(said.len(), 24);
    assert!(said.values().all(|count| *count == 1), "{said:?}");
}

pub(crate) fn a_death_in_between_is_no_fork(world: &World) {
    let first = world.first();
    let to = first.ledger.invitation().unwrap();
    // The second put arrives and its answer doesn't; nothing can be looked up either.
    let node = world.join("dying", &to, Lossy::of(world.shared(), 2)).unwrap();
    let keyed = node.ana.keyed("one");
    let unknown = node.ledger.remember(&keyed, "The first word is alder.");
    assert!(matches!(unknown, Err(Error::Log(LogError::NotAgreed { .. }))), "{unknown:?}");
    let dir = node.dir.clone();
    drop(node);
    first.says("The second word is birch.").unwrap();
    let ledger = Ledger::open(&dir, World::options(&dir, world.shared())).unwrap();
    let _ = ledger.remember(&keyed, "The first word is alder.").unwrap();
    let node = Node { dir, ledger, ana: first.ana.clone() };
    let nodes = [first, node];
    agree(&nodes);
    assert_eq!(nodes[0].said().len(), 2);
}

pub(crate) fn changes_are_named(world: &World) {
    let first = world.first();
    let (id, shared) = (first.ledger.id(), world.shared());
    let to = first.ledger.invitation().unwrap();
    for number in 0..4 {
        first.says(&format!("Shelf {number} holds box {number}.")).unwrap();
    }
    let frame = shared.read(id, Seq(1)).unwrap().unwrap();
    for at in (0..frame.len()).step_by(frame.len() / 9 + 1) {
        let mut flipped = frame.clone();
        flipped[at] ^= 4;
        shared.replace(id, Seq(1), &flipped).unwrap();
        let joined = world.join(&format!("at{at}"), &to, world.shared()).map(drop);
        let named = matches!(
            joined,
            Err(Error::Shared(SharedError::Unreadable(_)) | Error::Parted { .. } | Error::Log(_))
        );
        assert!(named, "{at}: {joined:?}");
    }
    shared.replace(id, Seq(1), &frame).unwrap();
    world.join("whole", &to, world.shared()).unwrap();
    // An older frame in the place of a newer one.
    let last = first.ledger.head().seq;
    shared.replace(id, Seq(last.0 - 1), &frame).unwrap();
    let dir = first.dir.clone();
    drop(first);
    let opened = Ledger::open(&dir, World::options(&dir, world.shared()));
    assert!(opened.is_err(), "a shared log that was set back is named");
}

pub(crate) fn twins_are_named(world: &World) {
    let first = world.first();
    let to = first.ledger.invitation().unwrap();
    first.ledger.settle().unwrap();
    let twin = world.path().join("twin");
    let copied = std::process::Command::new("cp").arg("-a").args([&first.dir, &twin]).status();
    assert!(copied.unwrap().success());
    std::fs::remove_dir_all(twin.join("sync")).unwrap();
    first.says("The first word is alder.").unwrap();
    // The twin writes by itself, as a copy that nobody told of the shared log.
    let alone = Ledger::open(&twin, Options::default()).unwrap();
    let _ = alone.remember(&first.ana, "The first word is beech.").unwrap();
    alone.close().unwrap();
    let opened = Ledger::open(&twin, World::options(&twin, world.shared()));
    assert!(matches!(opened, Err(Error::Parted { .. })), "{opened:?}");
    let joined = world.join("other", &to, world.shared()).unwrap();
    agree(&[first, joined]);
}

pub(crate) fn erasures_reach_every_node(world: &World) {
    let first = world.first();
    let to = first.ledger.invitation().unwrap();
    let other = world.join("other", &to, world.shared()).unwrap();
    first.says("The safe of the office opens with zebra.").unwrap();
    other.says("The office is closed on Mondays.").unwrap();
    first.ledger.pull().unwrap();
    let owner = Caller::new("acme", "ana", Rank::Owner);
    let filter = ErasureFilter { mentions: Some("zebra".to_owned()), ..ErasureFilter::default() };
    let erased = other.ledger.erasure().erase_matching(&owner, &filter).unwrap();
    assert!(erased.is_some());
    let late = world.join("late", &to, world.shared()).unwrap();
    let nodes = [first, other, late];
    agree(&nodes);
    for node in &nodes {
        assert!(node.said().keys().all(|text| !text.contains("zebra")));
    }
}

/// A shared log in which nothing can be replaced.
#[derive(Debug)]
struct Fixed(Made);

impl SharedLog for Fixed {
    fn append_if(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<bool, SharedError> {
        self.0.append_if(ledger, first, frame)
    }

    fn read(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        self.0.read(ledger, first)
    }

    fn next(&self, ledger: LedgerId, from: Seq) -> Result<Option<Seq>, SharedError> {
        self.0.next(ledger, from)
    }

    fn replace(&self, _: LedgerId, _: Seq, _: &[u8]) -> Result<(), SharedError> {
        Err(SharedError::Unreached("the node died".to_owned()))
    }
}

pub(crate) fn another_node_ends_an_erasure(world: &World) {
    let first = world.first();
    let (id, to) = (first.ledger.id(), first.ledger.invitation().unwrap());
    let dying = world.join("dying", &to, Arc::new(Fixed(world.shared()))).unwrap();
    first.says("The safe of the office opens with zebra.").unwrap();
    dying.ledger.pull().unwrap();
    let owner = Caller::new("acme", "ana", Rank::Owner);
    let filter = ErasureFilter { mentions: Some("zebra".to_owned()), ..ErasureFilter::default() };
    let cut_short = dying.ledger.erasure().erase_matching(&owner, &filter);
    assert!(matches!(cut_short, Err(Error::Shared(SharedError::Unreached(_)))), "{cut_short:?}");
    let shared = world.shared();
    let frames_with_words = || {
        let frames =
            (0..=first.ledger.head().seq.0).filter_map(|seq| shared.read(id, Seq(seq)).unwrap());
        frames.filter(|frame| frame.windows(5).any(|window| window == b"zebra")).count()
    };
    assert!(frames_with_words() > 0);
    first.ledger.pull().unwrap();
    assert_eq!(frames_with_words(), 0);
    agree(&[first, dying]);
}

pub(crate) fn roles_are_kept_by_every_reader(world: &World) {
    let first = world.first();
    let to = first.ledger.invitation().unwrap();
    let join = |name: &str| world.join(name, &to, world.shared()).unwrap();
    let (writer, cheat) = (join("writer"), join("cheat"));
    let address = world.path().join("place").display().to_string().parse().unwrap();
    for node in [&first, &writer, &cheat] {
        memlith_sync::note_shared(&node.dir, &address).unwrap();
    }
    let team = |node: &Node| memlith_sync::team_of(&node.dir).unwrap().unwrap();
    let owner = Caller::new("acme", "ana", Rank::Owner);
    let give = |by: &Node, to: &Node, role| {
        let key = memlith::Digest::from_hex(&team(to).key).unwrap().0;
        by.ledger.policy().give_role(&owner, RoleGiven { key, name: "node".into(), role })
    };
    let _ = give(&first, &first, Role::Owner).unwrap();
    let _ = give(&first, &writer, Role::Writer).unwrap();
    let _ = give(&first, &cheat, Role::Reader).unwrap();

    // An honest node is told, and writes nothing.
    writer.says("The safe of the office is blue.").unwrap();
    let refused = cheat.says("The safe of the office is red.");
    assert!(matches!(refused, Err(Error::Log(LogError::NotAllowed { .. }))), "{refused:?}");
    let refused = give(&writer, &writer, Role::Owner);
    assert!(matches!(refused, Err(Error::Log(LogError::NotAllowed { .. }))), "{refused:?}");
    let filter = ErasureFilter { mentions: Some("blue".to_owned()), ..ErasureFilter::default() };
    let refused = writer.ledger.erasure().erase_matching(&owner, &filter);
    assert!(matches!(refused, Err(Error::Log(LogError::NotAllowed { .. }))), "{refused:?}");

    // One that cheats forgets what it may, and puts it there all the same.
    let forget_roles = |node: &Node| {
        let path = node.dir.join("sync/roles.json");
        let known = std::fs::read_to_string(&path).unwrap();
        let (_, refused) = known.split_once(r#""refused""#).unwrap();
        std::fs::write(&path, format!(r#"{{"given":{{}},"refused"{refused}"#)).unwrap();
    };
    cheat.ledger.pull().unwrap();
    forget_roles(&cheat);
    // Frames of one record and more: the next one lies where all look next, and beyond it.
    let _ = cheat.ledger.policy().choose_trust(&owner, TrustPolicy::Open).unwrap();
    cheat.says("The safe of the office is red.").unwrap();
    first.says("The window of the office is round.").unwrap();
    writer.ledger.pull().unwrap();
    forget_roles(&writer);
    let _ = give(&writer, &writer, Role::Owner).unwrap();
    // What it may write follows what nobody took.
    writer.says("The lamp of the office is yellow.").unwrap();
    assert!(first.ledger.pull().unwrap() == 0, "a writer makes itself no owner");
    first.says("The door of the office is green.").unwrap();
    let needs: Vec<_> = team(&first).refused.into_iter().map(|frame| frame.needs).collect();
    assert_eq!(needs, [Some(Role::Owner), Some(Role::Writer), Some(Role::Owner), None]);

    // All who don't cheat agree, also one that comes late, and one that lost what it knew.
    let late = join("late");
    std::fs::remove_file(first.dir.join("sync/roles.json")).unwrap();
    let nodes = [first, late];
    agree(&nodes);
    assert_eq!(team(&nodes[0]).refused.len(), 4);
    for node in &nodes {
        let said: Vec<String> = node.said().into_keys().collect();
        assert_eq!(
            said,
            [
                "The door of the office is green.",
                "The safe of the office is blue.",
                "The window of the office is round.",
            ]
        );
    }
}

/// A shared log that has lost one frame, until it is put there again.
#[derive(Debug)]
struct Holed {
    inner: Made,
    hole: Seq,
    filled: AtomicBool,
}

impl Holed {
    fn hides(&self, first: Seq) -> bool {
        first == self.hole && !self.filled.load(Ordering::SeqCst)
    }
}

impl SharedLog for Holed {
    fn append_if(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<bool, SharedError> {
        if self.hides(first) {
            self.filled.store(true, Ordering::SeqCst);
            self.inner.replace(ledger, first, frame)?;
            return Ok(true);
        }
        self.inner.append_if(ledger, first, frame)
    }

    fn read(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        if self.hides(first) { Ok(None) } else { self.inner.read(ledger, first) }
    }

    fn next(&self, ledger: LedgerId, from: Seq) -> Result<Option<Seq>, SharedError> {
        let next = self.inner.next(ledger, from)?;
        if next.is_some_and(|next| self.hides(next)) {
            return self.inner.next(ledger, self.hole.next());
        }
        Ok(next)
    }

    fn replace(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<(), SharedError> {
        self.inner.replace(ledger, first, frame)
    }
}

pub(crate) fn a_lost_frame_is_named_and_put_back(world: &World) {
    let first = world.first();
    let to = first.ledger.invitation().unwrap();
    first.says("The first word is alder.").unwrap();
    let behind = world.join("behind", &to, world.shared()).unwrap();
    let dir = behind.dir.clone();
    drop(behind);
    let hole = first.ledger.head().seq.next();
    first.says("The second word is birch.").unwrap();
    first.says("The third word is cedar.").unwrap();
    let inner = world.shared();
    let holed: Made = Arc::new(Holed { inner, hole, filled: AtomicBool::new(false) });
    let named =
        |error: Option<Error>| matches!(error, Some(Error::Shared(SharedError::Unreadable(_))));
    // Neither one that is behind nor one that comes late ends at the hole and writes there.
    assert!(named(Ledger::open(&dir, World::options(&dir, holed.clone())).err()));
    assert!(named(world.join("late", &to, holed.clone()).err()));
    let mender = World::options(&first.dir, holed.clone());
    first.ledger.share(mender.shared.unwrap().as_ref()).unwrap();
    let late = world.join("late", &to, world.shared()).unwrap();
    let ledger = Ledger::open(&dir, World::options(&dir, world.shared())).unwrap();
    let behind = Node { dir, ledger, ana: first.ana.clone() };
    let nodes = [first, behind, late];
    agree(&nodes);
    assert_eq!(nodes[2].said().len(), 3);
}

/// A shared log that was set back: it holds nothing from a record on, and takes what it is given.
#[derive(Debug)]
struct SetBack {
    inner: Made,
    to: AtomicU64,
}

impl SharedLog for SetBack {
    fn append_if(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<bool, SharedError> {
        match first.0 < self.to.load(Ordering::SeqCst) {
            true => self.inner.append_if(ledger, first, frame),
            false => Ok(true),
        }
    }

    fn read(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        let read = self.inner.read(ledger, first)?;
        Ok(read.filter(|_| first.0 < self.to.load(Ordering::SeqCst)))
    }

    fn next(&self, ledger: LedgerId, from: Seq) -> Result<Option<Seq>, SharedError> {
        let next = self.inner.next(ledger, from)?;
        Ok(next.filter(|next| next.0 < self.to.load(Ordering::SeqCst)))
    }

    fn replace(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<(), SharedError> {
        self.inner.replace(ledger, first, frame)
    }
}

pub(crate) fn an_open_copy_acknowledges_nothing_at_a_place_that_was_set_back(world: &World) {
    let first = world.first();
    let dir = first.dir.clone();
    let (inner, to) = (world.shared(), AtomicU64::new(u64::MAX));
    let set_back = Arc::new(SetBack { inner, to });
    let clock = Arc::new(FixedClock::new(first.ledger.now()));
    first.ledger.close().unwrap();
    let env = Env { clock: clock.clone(), ..Env::system(LocalStorage::open(&dir).unwrap()) };
    let ledger = Ledger::open_in(env, World::options(&dir, set_back.clone())).unwrap();
    let node = Node { dir, ledger, ana: first.ana };
    let last = node.ledger.head().seq.next();
    node.says("The first word is alder.").unwrap();
    for (seconds, to) in [(1, last.0), (2, 0)] {
        set_back.to.store(to, Ordering::SeqCst);
        clock.set(node.ledger.now().plus_us(seconds * 1_000_000));
        let refused = node.says("The second word is birch.");
        assert!(matches!(refused, Err(Error::Shared(_))), "{refused:?}");
    }
}

pub(crate) fn an_open_copy_puts_nothing_where_a_frame_was_lost(world: &World) {
    let first = world.first();
    let to = first.ledger.invitation().unwrap();
    let Node { dir, .. } = world.join("behind", &to, world.shared()).unwrap();
    let (inner, hole) = (world.shared(), first.ledger.head().seq.next());
    let holed: Made = Arc::new(Holed { inner, hole, filled: AtomicBool::new(false) });
    let clock = Arc::new(FixedClock::new(first.ledger.now()));
    let env = Env { clock: clock.clone(), ..Env::system(LocalStorage::open(&dir).unwrap()) };
    let ledger = Ledger::open_in(env, World::options(&dir, holed)).unwrap();
    let behind = Node { dir, ledger, ana: first.ana.clone() };
    assert_eq!(behind.ledger.pull().unwrap(), 0);
    first.says("The first word is alder.").unwrap();
    first.says("The second word is birch.").unwrap();
    clock.set(first.ledger.now().plus_us(1_000_000));
    let refused = behind.says("The first word is cedar.");
    assert!(matches!(refused, Err(Error::Shared(SharedError::Unreadable(_)))), "{refused:?}");
}

pub(crate) fn a_long_frame_is_found_again_whatever_lies_within(world: &World) {
    let dir = world.path().join("first");
    let options = World::options(&dir, world.shared());
    let ledger =
        Ledger::create(&dir, Options { durability: Durability::Buffered, ..Options::default() });
    let (ledger, ana) = (ledger.unwrap(), Caller::user("acme", "ana"));
    for number in 0..1_500 {
        let _ =
            ledger.remember(&ana, format!("Shelf {number} holds box {number}.").as_str()).unwrap();
    }
    ledger.share(options.shared.unwrap().as_ref()).unwrap();
    let (id, to) = (ledger.id(), ledger.invitation().unwrap());
    ledger.close().unwrap();
    let shared = world.shared();
    let frame = shared.read(id, Seq::GENESIS).unwrap().unwrap();
    // Without a signature, at a name within the frame.
    assert!(shared.append_if(id, Seq(100), &frame[100..]).unwrap());
    let ledger = Ledger::open(&dir, World::options(&dir, world.shared())).unwrap();
    let first = Node { dir, ledger, ana };
    first.says("The last word is alder.").unwrap();
    let late = world.join("late", &to, world.shared()).unwrap();
    agree(&[first, late]);
}

/// Gives the key of the node in the folder `dir` a role.
fn give_role(by: &Node, dir: &Path, role: Role) {
    let owner = Caller::new("acme", "ana", Rank::Owner);
    let key = memlith_sync::team_of(dir).unwrap().unwrap().key;
    let key = memlith::Digest::from_hex(&key).unwrap().0;
    let given = RoleGiven { key, name: "node".into(), role };
    let _ = by.ledger.policy().give_role(&owner, given).unwrap();
}

pub(crate) fn words_that_were_taken_without_a_role_are_missed_and_put_back(world: &World) {
    let first = world.first();
    let to = first.ledger.invitation().unwrap();
    let address = world.path().join("place").display().to_string().parse().unwrap();
    memlith_sync::note_shared(&first.dir, &address).unwrap();
    give_role(&first, &first.dir, Role::Owner);
    let cheat = world.join("cheat", &to, world.shared()).unwrap();
    memlith_sync::note_shared(&cheat.dir, &address).unwrap();
    give_role(&first, &cheat.dir, Role::Writer);
    first.says("The first word is alder.").unwrap();
    cheat.ledger.pull().unwrap();
    // Its program believes that it is an owner's.
    let roles = cheat.dir.join("sync/roles.json");
    let edited = std::fs::read_to_string(&roles).unwrap().replace("\"writer\"", "\"owner\"");
    std::fs::write(&roles, edited).unwrap();
    let owner = Caller::new("acme", "ana", Rank::Owner);
    let filter = ErasureFilter { mentions: Some("alder".to_owned()), ..ErasureFilter::default() };
    cheat.ledger.erasure().erase_matching(&owner, &filter).unwrap();
    let refused = world.join("late", &to, world.shared()).err();
    assert!(matches!(refused, Some(Error::Shared(SharedError::Unreadable(_)))), "{refused:?}");
    let mender = World::options(&first.dir, world.shared());
    first.ledger.share(mender.shared.unwrap().as_ref()).unwrap();
    let late = world.join("late", &to, world.shared()).unwrap();
    first.ledger.pull().unwrap();
    assert!(late.said().contains_key("The first word is alder."));
    agree(&[first, late]);
}

pub(crate) fn another_chain_is_passed_over(world: &World) {
    let first = world.first();
    let (id, to) = (first.ledger.id(), first.ledger.invitation().unwrap());
    let address = world.path().join("place").display().to_string().parse().unwrap();
    memlith_sync::note_shared(&first.dir, &address).unwrap();
    give_role(&first, &first.dir, Role::Owner);
    first.ledger.settle().unwrap();
    // Another node of the same key, which writes to a shared log of its own.
    let (twin, scratch) = (world.path().join("twin"), world.path().join("scratch"));
    std::fs::create_dir(&scratch).unwrap();
    let copied = std::process::Command::new("cp").arg("-a").args([&first.dir, &twin]).status();
    assert!(copied.unwrap().success());
    let (shared, own): (Made, Made) =
        (world.shared(), Arc::new(memlith_sync::FolderLog::open(&scratch).unwrap()));
    let head = first.ledger.head().seq;
    for seq in (0..=head.0).map(Seq) {
        if let Some(frame) = shared.read(id, seq).unwrap() {
            assert!(own.append_if(id, seq, &frame).unwrap());
        }
    }
    let ledger = Ledger::open(&twin, World::options(&twin, own.clone())).unwrap();
    let twin = Node { dir: twin, ledger, ana: first.ana.clone() };
    twin.says("The first word is alder.").unwrap();
    first.says("The first word is birch.").unwrap();
    assert_eq!(twin.ledger.head().seq, first.ledger.head().seq);
    let next = first.ledger.head().seq.next();
    give_role(&twin, &twin.dir, Role::Reader);
    let frame = own.read(id, next).unwrap().unwrap();
    assert!(shared.append_if(id, next, &frame).unwrap());

    first.says("The second word is cedar.").unwrap();
    let team = memlith_sync::team_of(&first.dir).unwrap().unwrap();
    assert_eq!(team.role, Some(Role::Owner), "a role that nobody gave");
    let needs: Vec<_> = team.refused.into_iter().map(|frame| frame.needs).collect();
    assert_eq!(needs, [None]);
    let late = world.join("late", &to, world.shared()).unwrap();
    agree(&[first, late]);
}

pub(crate) fn a_folder_of_another_ledger_joins_nothing(world: &World) {
    let to = world.first().ledger.invitation().unwrap();
    let dir = world.path().join("other");
    Ledger::create(&dir, Options::default()).unwrap().close().unwrap();
    let joined = world.join("other", &to, world.shared()).map(drop);
    assert!(matches!(joined, Err(Error::OtherShared { .. })), "{joined:?}");
    assert!(!dir.join("sync").exists(), "nothing of the shared ledger is kept beside another");
}

pub(crate) fn nothing_is_written_alone(world: &World) {
    let first = world.first();
    first.ledger.settle().unwrap();
    let address = world.path().join("place").display().to_string().parse().unwrap();
    memlith_sync::note_shared(&first.dir, &address).unwrap();
    let dir = first.dir.clone();
    drop(first);
    let alone = Ledger::open(&dir, Options::default()).unwrap();
    let refused = alone.remember(&Caller::user("acme", "ana"), "The first word is alder.");
    assert!(refused.is_err());
}
