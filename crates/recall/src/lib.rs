//! Finds what answers a query: the lexical index of a ledger as a fold, and a scorer in
//! integers that explains itself.
//!
//! [`Recall`] is a [`memlith_event::Projection`]: it keeps of every item its terms as
//! keys and a row of numbers, never its text. [`search`] reads it: BM25 over terms,
//! words that mean about the same, then what stands beside an item (its neighbours and
//! its session), who said it and when. Statistics are those of the cells that the query's
//! scope sees and count primary items alone, so other scopes and derived items move
//! nobody's order.
//!
//! Everything is integers in a fixed order, so that the same log gives the same
//! relevances on every machine.
//!
//! ```
//! use memlith_event::{
//!     Actor, Body, Content, Envelope, Event, Facts, ItemFacts, MemoryEvent, Projection, Rank,
//!     Remembered, Scope, Stored,
//! };
//! use memlith_log::{RecordId, Seq, Timestamp};
//! use memlith_recall::{Query, Recall, search};
//!
//! struct NoFacts;
//! impl Facts for NoFacts {
//!     fn item(&self, _: Seq) -> Option<ItemFacts> {
//!         None
//!     }
//! }
//!
//! let scope = Scope::tenant("home");
//! let mut recall = Recall::default();
//! for (seq, text) in ["prefers email to calls", "lives in Pune"].into_iter().enumerate() {
//!     let actor = Actor::new("ana", Rank::User);
//!     let body = Body {
//!         envelope: Envelope::new(scope.clone(), actor, Timestamp(0)),
//!         event: Event::Memory(MemoryEvent::Remembered(Remembered::text(text))),
//!     };
//!     let id = RecordId { seq: Seq(seq as u64), hash: [0; 6] };
//!     let content = Content::Event(Box::new(body));
//!     recall.apply(&Stored { id, recorded_at: Timestamp(0), content }, &NoFacts);
//! }
//! let query = Query {
//!     text: "Where does she live?",
//!     scope: &scope,
//!     now: Timestamp(0),
//!     limit: 10,
//!     eligible: &|_| true,
//! };
//! let hits = search(&recall, &query);
//! assert_eq!(hits.iter().map(|hit| hit.seq).collect::<Vec<_>>(), [Seq(1)]);
//! ```

mod actor_name;
mod alike;
mod analysis;
mod ascii;
mod bm25;
mod cell;
mod context;
mod days;
mod embedding;
mod glance;
mod handed;
mod having;
mod item;
mod latest;
mod logarithm;
mod matches;
mod misspelt;
mod near_matches;
mod nearness;
mod neighbours;
mod page;
mod passage;
mod pending;
mod posting;
mod proper;
mod query;
mod question;
mod reading;
mod recall;
mod requests;
mod rows;
mod scoring;
mod search;
mod session;
mod share;
mod sharing;
mod shelf;
mod signals;
mod sketch;
mod stop_words;
mod synonyms;
mod term_keys;
mod vector_part;
mod wording;
mod words;

pub use alike::Alike;
pub use context::Context;
pub use days::past_days;
pub use embedding::{
    EmbedError, Embedder, ModelId, ModelVector, StaticTable, Table, TableError, Vector, VectorError,
};
#[doc(hidden)]
pub use latest::SessionEnd;
pub use neighbours::neighbours;
pub use query::{Hit, Query};
pub use reading::{Reader, Reading};
pub use recall::Recall;
pub use search::{Search, search};
pub use signals::{SCORER_VERSION, Signals, WEIGHTS, weights_digest};
pub use stop_words::is_stop_word;
pub use wording::{Likeness, Wording};
