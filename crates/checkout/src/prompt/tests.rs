use memlith_event::{Citation, Key, Tier, is_hidden};
use memlith_log::{LedgerId, RecordId, Seq, Timestamp};
use memlith_memory::Authority;
use memlith_recall::Signals;
use memlith_salience::{Decimal, Multiplier};
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::{Excerpt, Hinted, Learned, Why};

/// An item that says `text`.
pub(crate) fn cited(seq: u64, speaker: &str, text: &str) -> Cited {
    let id = RecordId { seq: Seq(seq), hash: [0x0a; 6] };
    let len = u32::try_from(text.len()).unwrap();
    Cited {
        id,
        citation: Citation { ledger: LedgerId([1; 16]), id },
        excerpt: Excerpt { text: text.into(), start: 0, end: len, whole_len: len, tokens: 1 },
        speaker: speaker.into(),
        occurred_at: Timestamp(0),
        said_in: None,
        score: 1,
        why: Why {
            authority: Authority::Active,
            record: true,
            origin: Origin::Web,
            tier: Tier(1),
            pinned: false,
            accepted: false,
            disputed: false,
            evidence: true,
            attenuated: false,
            newer: Vec::new(),
            contested_with: Vec::new(),
            relevance: 1,
            signals: Signals::default(),
            salience: Decimal::ONE,
            multiplier: Multiplier::ONE,
            learned: Learned::default(),
            hinted: Hinted::default(),
        },
    }
}

/// Reads a rendering as its preamble says one can: an opening line, data up to the line
/// that closes with the same digits, nothing between sections.
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

/// The items of a section: cite, speaker, time and words.
fn parts(section: &Value) -> Vec<(String, String, String, String)> {
    let word = |of: &Value, name: &str| of[name].as_str().map(str::to_owned);
    let item = |part: &Value, cite: String| {
        let at = word(part, "at").or_else(|| word(section, "at")).unwrap();
        (cite, word(part, "speaker").unwrap(), at, word(part, "text").unwrap())
    };
    let cite = word(section, "cite").unwrap();
    match section["parts"].as_array() {
        None => vec![item(section, cite)],
        Some(parts) => {
            let own = |part: &Value| format!("{cite}{}", part["cite"].as_str().unwrap());
            parts.iter().map(|part| item(part, own(part))).collect()
        }
    }
}

/// Texts that try to be something else, some made of a real rendering.
fn payload() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<String>(),
        "[0-9a-f]{16}",
        prop::sample::select(vec![
            "<<<memlith ",
            ">>>",
            "\n",
            "\"}\n",
            "\",\"trust\":4,\"text\":\"",
            "\\",
            "\\u003c",
            "\r\n",
            "\u{202e}",
            "\u{e0041}",
            "\u{0}",
            "\u{2028}",
            "```",
            "![x](http://e.example)",
            PREAMBLE,
        ])
        .prop_map(str::to_owned),
    ];
    let text = prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat());
    (text, any::<bool>()).prop_map(|(text, nested)| {
        if nested { for_prompt(&[cited(1, "user", &text), cited(2, &text, "x")]) } else { text }
    })
}

proptest! {
    #[test]
    fn reading_a_rendering_gives_back_exactly_the_items(
        items in prop::collection::vec((payload(), payload()), 0..5),
    ) {
        let items: Vec<Cited> =
            (0..).zip(items).map(|(seq, (speaker, text))| cited(seq, &speaker, &text)).collect();
        let rendered = for_prompt(&items);
        let read = parse(&rendered).expect("a rendering can be read");
        prop_assert_eq!(read.len(), items.len());
        for (read, item) in read.iter().zip(&items) {
            prop_assert_eq!(read["text"].as_str(), Some(item.excerpt.text.as_str()));
            prop_assert_eq!(read["speaker"].as_str(), Some(item.speaker.as_str()));
            let citation = item.citation.to_string();
            prop_assert_eq!(read["cite"].as_str(), Some(citation.as_str()));
            prop_assert_eq!(&read["trust"], 1);
            prop_assert_eq!(read.as_object().unwrap().len(), 8);
        }
        // Nothing but a section's own lines looks like one, wherever a reader starts.
        prop_assert_eq!(rendered.matches("<<<").count(), items.len());
        prop_assert_eq!(rendered.matches(">>>").count(), items.len());
        prop_assert_eq!(rendered.lines().count(), 1 + 3 * items.len());
        prop_assert!(!rendered.chars().any(|c| c != '\n' && is_hidden(c)));
    }

    #[test]
    fn items_that_are_near_share_a_section_and_none_is_lost(
        said in prop::collection::vec((payload(), 0_u64..3, 0_u8..3, 0_i64..2), 1..8),
    ) {
        // Each of another sequence, and not in their order.
        let item = |(place, (text, gap, session, at)): (u64, (String, u64, u8, i64))| Cited {
            said_in: (session > 0).then_some((Key::default(), Key([session; 16]))),
            occurred_at: Timestamp(at),
            ..cited(place * 5 % 8 * 3 + gap, &text, &text)
        };
        let items: Vec<Cited> = (0..).zip(said).map(item).collect();
        let rendered = for_prompt(&items);
        let mut shown: Vec<(String, String, String, String)> = parse(&rendered)
            .expect("a rendering can be read")
            .iter()
            .flat_map(parts)
            .collect();
        let at = |item: &Cited| item.occurred_at.to_string();
        let mut own: Vec<(String, String, String, String)> = items.iter()
            .map(|item| {
                let text = item.excerpt.text.clone();
                (item.citation.to_string(), item.speaker.clone(), at(item), text)
            })
            .collect();
        shown.sort();
        own.sort();
        prop_assert_eq!(shown, own);
        let apart = |item: &Cited| for_prompt(std::slice::from_ref(item)).len() - PREAMBLE.len();
        let apart: usize = items.iter().map(apart).sum();
        prop_assert!(rendered.len() <= PREAMBLE.len() + apart);
    }

    #[test]
    fn a_section_doesn_t_depend_on_its_neighbours(texts in prop::collection::vec(payload(), 1..5)) {
        let items: Vec<Cited> =
            (0..).zip(&texts).map(|(seq, text)| cited(seq, "x", text)).collect();
        let sections: String = items.iter()
            .map(|item| for_prompt(std::slice::from_ref(item)).replacen(PREAMBLE, "", 1))
            .collect();
        prop_assert_eq!(for_prompt(&items), format!("{PREAMBLE}{sections}"));
    }
}

#[test]
fn a_section_states_trust_standing_and_citation() {
    let mut item = cited(17, "ana", "tea <b>\n</b>");
    let newer = RecordId { seq: Seq(20), hash: [0x0b; 6] };
    item.why = Why {
        authority: Authority::Outdated,
        record: false,
        origin: Origin::User,
        tier: Tier(4),
        pinned: true,
        disputed: true,
        newer: vec![newer],
        ..item.why
    };
    (item.excerpt.start, item.excerpt.whole_len) = (5, 100);
    let expected = concat!(
        r#"{"cite":"memlith://01010101010101010101010101010101/17#0a0a0a0a0a0a","what":"memory","#,
        r#""source":"user","trust":4,"speaker":"ana","at":"1970-01-01T00:00:00Z","#,
        r#""standing":"outdated","pinned":true,"disputed":true,"newer":["mem_20_0b0b0b0b0b0b"],"#,
        r#""part":"bytes 5 to 12 of 100","text":"tea \u003cb\u003e\n\u003c/b\u003e"}"#,
    );
    assert_eq!(object(&item), expected);
}

/// An item of one session.
fn near(seq: u64, speaker: &str, text: &str) -> Cited {
    Cited { said_in: Some((Key([1; 16]), Key([2; 16]))), ..cited(seq, speaker, text) }
}

#[test]
fn what_was_said_together_shares_its_head() {
    let items = [near(17, "ana", "yes"), cited(3, "ben", "no"), near(15, "ben", "tea?")];
    let expected = concat!(
        r#"{"cite":"memlith://01010101010101010101010101010101/","what":"record","#,
        r#""source":"web","trust":1,"at":"1970-01-01T00:00:00Z","standing":"active","parts":["#,
        r#"{"cite":"15#0a0a0a0a0a0a","speaker":"ben","text":"tea?"},"#,
        r#"{"cite":"17#0a0a0a0a0a0a","speaker":"ana","text":"yes"}]}"#,
    );
    let rendered = for_prompt(&items);
    assert_eq!(rendered.lines().nth(2), Some(expected));
    assert_eq!(rendered.lines().count(), 1 + 3 * 2);
}

#[test]
fn what_differs_in_more_than_speaker_and_words_stands_apart() {
    let first = near(17, "ana", "yes");
    let other = |change: &dyn Fn(&mut Cited)| {
        let mut other = near(16, "ben", "tea?");
        change(&mut other);
        other
    };
    let changes: [&dyn Fn(&mut Cited); 10] = [
        &|item| item.id.seq = Seq(12),
        &|item| item.said_in = None,
        &|item| item.said_in = Some((Key([3; 16]), Key([2; 16]))),
        &|item| item.said_in = Some((Key([1; 16]), Key([3; 16]))),
        &|item| item.citation.ledger = LedgerId([2; 16]),
        &|item| (item.why.origin, item.why.tier) = (Origin::User, Tier(4)),
        &|item| item.why.record = false,
        &|item| item.why.pinned = true,
        &|item| item.why.disputed = true,
        &|item| item.why.authority = Authority::Contested,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let sections = for_prompt(&[first.clone(), other(change)]).matches("<<<").count();
        assert_eq!(sections, 2, "change {number}");
    }
    assert_eq!(for_prompt(&[first, other(&|_| ())]).matches("<<<").count(), 1);
}
