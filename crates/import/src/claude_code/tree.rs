use std::collections::{BTreeMap, VecDeque};

use memlith_event::Key;
use serde_json::Value;

use crate::lenient::{owned, text};
use crate::stretch::Stretches;

/// The lines of a transcript in the order of their tree: no line before its parent.
///
/// Lines mostly come in that order. One that comes before its parent is held until the
/// parent comes, 64 later lines or 8 MiB are held too, or the input ends. Of the newest
/// 262,144 lines it is known which chain they belong to.
pub(crate) struct Tree<T> {
    nodes: BTreeMap<Key, Node>,
    /// The keys of the nodes, oldest first.
    ages: VecDeque<Key>,
    chains: Vec<Chain>,
    /// The index of each chain, by name.
    names: BTreeMap<String, usize>,
    held: VecDeque<Held<T>>,
    held_bytes: usize,
    ready: VecDeque<T>,
    begun: bool,
    /// The chain of a line of whose parent nothing is known.
    base: usize,
    /// Whether what stands before the input was left out.
    is_resumed: bool,
}

/// A line's place in the tree.
#[derive(Clone, Copy, Default)]
struct Node {
    chain: usize,
    /// The stretch of what was said that it is in.
    stretch: usize,
    /// The stretch of the prompt that follows it, if one does: a second one takes its place.
    prompted: Option<usize>,
}

/// Where a line stands.
pub(crate) struct At {
    /// Its chain.
    pub(crate) chain: Chain,
    /// Its stretch.
    pub(crate) stretch: usize,
    /// The stretch that the person left with it.
    pub(crate) left: Option<usize>,
}

/// A line of conversation of its own.
#[derive(Clone, Default)]
pub(crate) struct Chain {
    /// The name that tells its session from the file's; the main chain has none.
    name: Option<String>,
    /// The name of the chain it left.
    left: Option<String>,
}

/// Which line a line follows.
pub(crate) struct Parent {
    own: Option<Key>,
    parent: Option<Key>,
}

struct Held<T> {
    parent: Parent,
    bytes: usize,
    line: T,
}

const NODES_MAX: usize = 1 << 18;
const CHAINS_MAX: usize = 1 << 14;
const HELD_MAX: usize = 64;
const HELD_BYTES_MAX: usize = 8 << 20;

impl<T> Default for Tree<T> {
    fn default() -> Tree<T> {
        Tree {
            nodes: BTreeMap::new(),
            ages: VecDeque::new(),
            chains: vec![Chain::default()],
            names: BTreeMap::new(),
            held: VecDeque::new(),
            held_bytes: 0,
            ready: VecDeque::new(),
            begun: false,
            base: 0,
            is_resumed: false,
        }
    }
}

impl<T> Tree<T> {
    /// A tree of which the first line belongs to the chain of this name.
    pub(crate) fn resumed(name: Option<&str>, left: Option<&str>) -> Tree<T> {
        let mut tree = Tree { is_resumed: true, ..Tree::default() };
        if let Some(name) = name {
            let left = left.map_or(0, |left| tree.chain_named(left.to_owned(), 0));
            tree.base = tree.chain_named(name.to_owned(), left);
        }
        tree
    }

    /// Whether a line waits for a parent that may stand before the input.
    pub(crate) fn misses_its_beginning(&self) -> bool {
        self.is_resumed && !self.held.is_empty()
    }

    /// Whether no line waits for its parent.
    pub(crate) fn is_settled(&self) -> bool {
        self.held.is_empty() && self.ready.is_empty()
    }

    /// Takes a line of so many bytes; it is popped in its turn.
    pub(crate) fn push(&mut self, parent: Parent, bytes: usize, line: T) {
        let unknown = parent.parent.is_some_and(|parent| !self.nodes.contains_key(&parent));
        // The first line's parent is in another file: a resumed session.
        if unknown && self.begun {
            self.held_bytes += bytes;
            self.held.push_back(Held { parent, bytes, line });
        } else {
            self.begun |= parent.own.is_some();
            self.place(parent, line);
        }
        while self.held.len() > HELD_MAX || self.held_bytes > HELD_BYTES_MAX {
            self.release_oldest();
        }
    }

    /// The next line whose parent was popped.
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.ready.pop_front()
    }

    /// Lets go of all that is held, in the order of the input.
    pub(crate) fn release(&mut self) {
        while !self.held.is_empty() {
            self.release_oldest();
        }
    }

    /// Where a line stands, from now on. A prompt that takes another one's place goes on with its
    /// chain: what the person typed last is the conversation.
    pub(crate) fn place_of(
        &mut self,
        value: &Value,
        prompt: bool,
        stretches: &mut Stretches,
    ) -> At {
        let keys = Parent::of(value);
        let node = keys.parent.and_then(|parent| self.nodes.get(&parent)).copied();
        let parent = match node {
            None if keys.parent.is_some() => std::mem::take(&mut self.base),
            None => 0,
            Some(node) => node.chain,
        };
        let behind = node.map(|node| node.stretch);
        let stretch = match behind {
            Some(stretch) if !prompt => stretch,
            Some(_) | None => stretches.begin(behind),
        };
        let left = node.and_then(|node| node.prompted).filter(|_| prompt);
        let parent_node = keys.parent.and_then(|parent| self.nodes.get_mut(&parent));
        if let Some(parent) = parent_node.filter(|_| prompt) {
            parent.prompted = Some(stretch);
        }
        let side = value.get("isSidechain") == Some(&Value::Bool(true));
        let own = || owned(value, "uuid").unwrap_or_default();
        let chain = match owned(value, "agentId") {
            Some(agent) => self.chain_named(format!("agent-{agent}"), parent),
            None if side && parent == 0 => self.chain_named(format!("side-{}", own()), parent),
            None => parent,
        };
        if let Some(node) = keys.own.and_then(|own| self.nodes.get_mut(&own)) {
            (node.chain, node.stretch) = (chain, stretch);
        }
        let chain = self.chains.get(chain).cloned().unwrap_or_default();
        At { chain, stretch, left }
    }

    fn chain_named(&mut self, name: String, left: usize) -> usize {
        if let Some(&known) = self.names.get(&name) {
            return known;
        }
        if self.chains.len() >= CHAINS_MAX {
            return left;
        }
        let left = self.chains.get(left).and_then(|chain| chain.name.clone());
        self.names.insert(name.clone(), self.chains.len());
        self.chains.push(Chain { name: Some(name), left });
        self.chains.len() - 1
    }

    /// Makes a line and what was held for it ready.
    fn place(&mut self, parent: Parent, line: T) {
        let mut placed = vec![(parent, line)];
        while let Some((parent, line)) = placed.pop() {
            self.ready.push_back(line);
            let Some(own) = parent.own else { continue };
            self.insert(own);
            // Backwards, so that the first of several children is popped first.
            for index in (0..self.held.len()).rev() {
                let waits =
                    self.held.get(index).is_some_and(|held| held.parent.parent == Some(own));
                if let Some(held) = waits.then(|| self.held.remove(index)).flatten() {
                    self.held_bytes -= held.bytes;
                    placed.push((held.parent, held.line));
                }
            }
        }
    }

    fn insert(&mut self, own: Key) {
        if self.nodes.insert(own, Node::default()).is_none() {
            self.ages.push_back(own);
        }
        if self.nodes.len() > NODES_MAX
            && let Some(oldest) = self.ages.pop_front()
        {
            self.nodes.remove(&oldest);
        }
    }

    fn release_oldest(&mut self) {
        if let Some(held) = self.held.pop_front() {
            self.held_bytes -= held.bytes;
            self.place(held.parent, held.line);
        }
    }
}

impl Chain {
    /// The session of this chain in a file of the given session.
    pub(crate) fn session(&self, base: &str) -> String {
        match &self.name {
            None => base.to_owned(),
            Some(name) => format!("{base}/{name}"),
        }
    }

    /// Its name and the name of the chain it left.
    pub(crate) fn names(&self) -> (Option<String>, Option<String>) {
        (self.name.clone(), self.left.clone())
    }

    /// The session that this chain left.
    pub(crate) fn parent_session(&self, base: &str) -> Option<String> {
        self.name.as_ref()?;
        let left = Chain { name: self.left.clone(), left: None };
        Some(left.session(base))
    }
}

impl Parent {
    /// The keys of a line and of its parent.
    pub(crate) fn of(value: &Value) -> Parent {
        let key = |name: &str| text(value, name).map(|uuid| Key::of("line", &[uuid.as_bytes()]));
        Parent { own: key("uuid"), parent: key("parentUuid") }
    }
}
