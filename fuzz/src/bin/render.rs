//! Any texts as items of a prompt: a reader finds exactly them, wherever it starts.
//!
//! The text is cut at each unit separator; the parts are speakers and words in turn.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_checkout::{Cited, Excerpt, Hinted, Learned, Why, for_people, for_prompt};
use memlith_event::{Citation, Key, Origin, Tier};
use memlith_log::{LedgerId, RecordId, Seq, Timestamp};
use memlith_memory::Authority;
use memlith_recall::Signals;
use memlith_salience::{Decimal, Multiplier};

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
    let lines: Vec<&str> = rendered.lines().collect();
    let [first, _, lines @ .., last] = lines.as_slice() else { panic!("no frame: {rendered}") };
    assert_eq!((*first, *last), ("<memlith-memory>", "</memlith-memory>"));
    assert_eq!(lines.len(), items.len());
    for (line, item) in lines.iter().zip(&items) {
        let (words, brackets) = read(line).expect("a line can be read");
        assert_eq!(words, item.excerpt.text);
        let end = format!("web 1 1970-01-01 mem_{}_0a0a", item.id.seq);
        assert!(brackets.ends_with(&end), "{line}");
        // Nothing in it looks like a tag or a fence.
        assert!(!line.contains(['<', '>', '`']), "{line}");
    }
    assert!(!for_people(&items).chars().any(|c| c != '\n' && c.is_control()));
});

/// Reads a line as its opening says: the words as a JSON string, then brackets.
fn read(line: &str) -> Option<(String, &str)> {
    let rest = line.strip_prefix("- ")?;
    let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    let words = strings.next()?.ok()?;
    let brackets = rest.get(strings.byte_offset()..)?.strip_prefix(" [")?.strip_suffix(']')?;
    Some((words, brackets))
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
            question: false,
            origin: Origin::Web,
            tier: Tier(1),
            pinned: false,
            accepted: false,
            disputed: false,
            waits: false,
            contested_with: Vec::new(),
            evidence: false,
            attenuated: false,
            newer: Vec::new(),
            later: None,
            former: Vec::new(),
            relevance: 1,
            signals: Signals::default(),
            salience: Decimal::ONE,
            multiplier: Multiplier::ONE,
            learned: Learned::default(),
            hinted: Hinted::default(),
        },
    }
}
