//! The salience of one item under a policy, for histories given as JSON lines.
//!
//! A line is `{"now": us, "events": [{"kind": "surfaced", "at": us, "weight": millionths}]}`,
//! with the kinds surfaced, confirmed, promoted and invalidated; `weight` may be null. For each
//! line it prints the salience at `now`. The first argument is the policy.
//!
//! `echo '{"now":0,"events":[{"kind":"confirmed","at":0}]}' | cargo run -p memlith-salience --example scores -- compat-zaxy`

use std::io::{BufRead as _, Write as _};

use memlith_event::{
    Actor, Body, Confirmed, Content, Envelope, Event, Facts, Invalidated, ItemFacts, MemoryEvent,
    OwnStatus, Projection as _, Promoted, Rank, SaliencePolicy, Scope, Stored, Surfaced, Weight,
};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_salience::Salience;

/// The item that all events name, as it is before each.
struct Active;

const ITEM: RecordId = RecordId { seq: Seq(1), hash: [0; 6] };

impl Facts for Active {
    fn item(&self, _: Seq) -> Option<ItemFacts> {
        let (derived, accepted, guard) = (false, false, 4);
        let own = OwnStatus::Active;
        Some(ItemFacts { own, occurred_at: Timestamp(0), derived, accepted, guard })
    }
}

#[derive(serde::Deserialize)]
struct History {
    now: i64,
    events: Vec<Reinforcement>,
}

#[derive(serde::Deserialize)]
struct Reinforcement {
    kind: Kind,
    at: i64,
    weight: Option<u32>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Surfaced,
    Confirmed,
    Promoted,
    Invalidated,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let named = std::env::args().nth(1).unwrap_or_default();
    let policy = SaliencePolicy::ALL.into_iter().find(|policy| policy.name() == named);
    let policy = policy.ok_or("the argument is default, attested-only or compat-zaxy")?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let history: History = serde_json::from_str(&line?)?;
        let mut fold = Salience::under(policy);
        for (event, seq) in history.events.iter().zip(2..) {
            fold.apply(&stored(seq, event), &Active);
        }
        let now = Timestamp(history.now);
        writeln!(out, "{}", fold.level(ITEM.seq, Timestamp(0), now).shown(now))?;
    }
    Ok(out.flush()?)
}

fn stored(seq: u64, event: &Reinforcement) -> Stored<'static> {
    let (targets, weight) = (vec![ITEM], event.weight.and_then(Weight::new));
    let said = match event.kind {
        Kind::Surfaced => {
            MemoryEvent::Surfaced(Surfaced { targets, weight, receipt: None, beside: Vec::new() })
        }
        Kind::Confirmed => MemoryEvent::Confirmed(Confirmed { targets, weight, verified: false }),
        Kind::Promoted => MemoryEvent::Promoted(Promoted { targets, weight }),
        Kind::Invalidated => {
            MemoryEvent::Invalidated(Invalidated { targets, weight, reason: None })
        }
    };
    let at = Timestamp(event.at);
    let envelope = Envelope::new(Scope::tenant("t"), Actor::new("ana", Rank::User), at);
    let content = Content::Event(Box::new(Body { envelope, event: Event::Memory(said) }));
    Stored { id: RecordId { seq: Seq(seq), hash: [0; 6] }, recorded_at: at, content }
}
