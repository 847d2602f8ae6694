//! Any texts as items of a prompt: a reader finds exactly them, wherever it starts.
//!
//! The text is cut at each unit separator; the parts are speakers and words in turn.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_checkout::{Cited, Excerpt, Hinted, Learned, PREAMBLE, Why, for_people, for_prompt};
use memlith_event::{Citation, Origin, Tier};
use memlith_log::{LedgerId, RecordId, Seq, Timestamp};
use memlith_memory::Authority;
use memlith_recall::Signals;
use memlith_salience::{Decimal, Multiplier};
use serde_json::Value;

/// More items are rendered alike, in more time.
const ITEMS_MAX: usize = 6;

fuzz_target!(|input: &str| {
    let parts: Vec<&str> = input.split('\u{1f}').collect();
    let items: Vec<Cited> = parts
        .chunks(2)
        .take(ITEMS_MAX)
        .enumerate()
        .map(|(seq, pair)| cited(seq as u64, pair[0], pair.get(1).unwrap_or(&"")))
        .collect();
    let rendered = for_prompt(&items);
    let read = parse(&rendered).expect("a rendering can be read");
    assert_eq!(read.len(), items.len());
    for (read, item) in read.iter().zip(&items) {
        assert_eq!(read["text"].as_str(), Some(item.excerpt.text.as_str()));
        assert_eq!(read["speaker"].as_str(), Some(item.speaker.as_str()));
        assert_eq!(read["cite"].as_str(), Some(item.citation.to_string().as_str()));
        assert_eq!((read["trust"].as_u64(), &read["source"]), (Some(1), &Value::from("web")));
        assert_eq!(read.as_object().map(serde_json::Map::len), Some(8));
    }
    // Only a section's own lines look like one, and nothing in it like a tag.
    let bodies = rendered.lines().skip(PREAMBLE.lines().count()).skip(1).step_by(3);
    assert!(!bodies.clone().any(|body| body.contains(['<', '>', '`'])), "{rendered}");
    assert_eq!(rendered.matches("<<<").count(), items.len());
    assert_eq!(rendered.matches(">>>").count(), items.len());
    assert_eq!(rendered.lines().count(), PREAMBLE.lines().count() + 3 * items.len());
    assert!(!for_people(&items).chars().any(|c| c != '\n' && c.is_control()));
});

/// Reads a rendering as its preamble says: an opening line, data up to the line that
/// closes with the same digits, nothing between sections.
fn parse(rendered: &str) -> Option<Vec<Value>> {
    let mut rest = rendered.strip_prefix(PREAMBLE)?;
    let mut objects = Vec::new();
    while !rest.is_empty() {
        let (digits, after) = rest.strip_prefix("<<<memlith ")?.split_once('\n')?;
        let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        if digits.len() != 16 || !digits.chars().all(hex) {
            return None;
        }
        let (body, after) = after.split_once(digits)?;
        rest = after.strip_prefix(">>>\n")?;
        objects.push(serde_json::from_str(body.strip_suffix('\n')?).ok()?);
    }
    Some(objects)
}

fn cited(seq: u64, speaker: &str, text: &str) -> Cited {
    let id = RecordId { seq: Seq(seq), hash: [0x0a; 6] };
    let len = text.len() as u32;
    Cited {
        id,
        citation: Citation { ledger: LedgerId([1; 16]), id },
        excerpt: Excerpt { text: text.to_owned(), start: 0, end: len, whole_len: len, tokens: 1 },
        speaker: speaker.to_owned(),
        occurred_at: Timestamp(0),
        score: 1,
        why: Why {
            authority: Authority::Active,
            record: true,
            origin: Origin::Web,
            tier: Tier(1),
            pinned: false,
            accepted: false,
            disputed: false,
            contested_with: Vec::new(),
            evidence: false,
            attenuated: false,
            newer: Vec::new(),
            relevance: 1,
            signals: Signals::default(),
            salience: Decimal::ONE,
            multiplier: Multiplier::ONE,
            learned: Learned::default(),
            hinted: Hinted::default(),
        },
    }
}
