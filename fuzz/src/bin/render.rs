//! Any texts as items of a prompt: a reader finds exactly them, wherever it starts.
//!
//! The text is cut at each unit separator; the parts are speakers and words in turn. Those whose
//! speaker has no name are of one session.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_checkout::{Cited, Excerpt, Hinted, Learned, PREAMBLE, Why, for_people, for_prompt};
use memlith_event::{Citation, Key, Origin, Tier};
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
    let mut parts: Vec<(String, &str, &str)> = read.iter().flat_map(items_of).collect();
    parts.sort_by_key(|part| part.0.clone());
    assert_eq!(parts.len(), items.len());
    for (part, item) in parts.iter().zip(&items) {
        let (cite, text) = (item.citation.to_string(), item.excerpt.text.as_str());
        assert_eq!(part, &(cite, item.speaker.as_str(), text));
    }
    for section in &read {
        assert_eq!((section["trust"].as_u64(), &section["source"]), (Some(1), &Value::from("web")));
        let fields = if section["parts"].is_array() { 7 } else { 8 };
        assert_eq!(section.as_object().map(serde_json::Map::len), Some(fields));
    }
    // Only a section's own lines look like one, and nothing in it like a tag.
    let bodies = rendered.lines().skip(PREAMBLE.lines().count()).skip(1).step_by(3);
    assert!(!bodies.clone().any(|body| body.contains(['<', '>', '`'])), "{rendered}");
    assert_eq!(rendered.matches("<<<").count(), read.len());
    assert_eq!(rendered.matches(">>>").count(), read.len());
    assert_eq!(rendered.lines().count(), PREAMBLE.lines().count() + 3 * read.len());
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

/// The items of a section: cite, speaker and words.
fn items_of(section: &Value) -> Vec<(String, &str, &str)> {
    let cite = said(section, "cite").to_owned();
    match section["parts"].as_array() {
        None => vec![(cite, said(section, "speaker"), said(section, "text"))],
        Some(parts) => parts
            .iter()
            .map(|part| {
                let cite = format!("{cite}{}", said(part, "cite"));
                (cite, said(part, "speaker"), said(part, "text"))
            })
            .collect(),
    }
}

fn said<'a>(of: &'a Value, name: &str) -> &'a str {
    of[name].as_str().expect("a string")
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
        said_in: speaker.trim().is_empty().then_some((Key::default(), Key([1; 16]))),
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
