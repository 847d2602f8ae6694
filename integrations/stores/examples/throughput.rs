//! Writes of one node through a shared log beside the bare client, in turns.
//!
//! `cargo run --release --example throughput -- s3://BUCKET/PREFIX [WRITES]`, with the variables that
//! the store takes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use memlith::copy::SharedLog;
use memlith::{Caller, Ledger, LedgerId, Options, Seq};
use memlith_sync::SignedLog;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// The store at an address, without signatures.
fn store(address: &str) -> Fallible<Arc<dyn SharedLog>> {
    Ok(match address.split("://").next() {
        Some("s3") => Arc::new(memlith_stores::ObjectLog::at(address)?),
        Some("s2") => Arc::new(memlith_stores::S2Log::at(address)?),
        Some("postgres") => Arc::new(memlith_stores::PostgresLog::open(address)?),
        _ => Arc::new(memlith_sync::FolderLog::open(address.as_ref())?),
    })
}

fn main() -> Fallible<()> {
    let mut args = std::env::args().skip(1);
    let address = args.next().ok_or("name a store")?;
    let writes: u64 = args.next().map_or(Ok(300), |text| text.parse())?;
    let bare = store(&address)?;
    let folder = tempfile::tempdir()?;
    let dir = folder.path().join("node");
    let node_log: Arc<dyn SharedLog> = Arc::new(SignedLog::new(store(&address)?, &dir));
    let options = Options { shared: Some(Arc::clone(&node_log)), ..Options::default() };
    let node = Ledger::create(&dir, options)?;
    node_log.probe()?;
    node.share(node_log.as_ref())?;
    let ana = Caller::user("acme", "ana");
    // Frames of the length that a node puts.
    let other = LedgerId(std::array::from_fn(|_| rand_byte()));
    let (mut of_node, mut of_bare) = (Duration::ZERO, Duration::ZERO);
    for number in 0..writes {
        let before = node.head().seq.next();
        let begun = Instant::now();
        let text = format!("Shelf {number} holds the box of customer {number}.");
        let _ = node.remember(&ana, text.as_str())?;
        of_node += begun.elapsed();
        let frame = bare.read(node.id(), before)?.ok_or("the node put nothing")?;
        let begun = Instant::now();
        if !bare.append_if(other, Seq(number), &frame)? {
            return Err("the store is used by another run".into());
        }
        of_bare += begun.elapsed();
    }
    let each = |took: Duration| took.as_secs_f64() * 1000.0 / writes as f64;
    println!(
        "{address}: a node {:.2} ms a write, the bare client {:.2}: {:.2} of its throughput",
        each(of_node),
        each(of_bare),
        of_bare.as_secs_f64() / of_node.as_secs_f64()
    );
    Ok(())
}

/// A byte that differs from run to run.
fn rand_byte() -> u8 {
    use std::hash::{BuildHasher as _, Hasher as _, RandomState};
    RandomState::new().build_hasher().finish().to_le_bytes()[0]
}
