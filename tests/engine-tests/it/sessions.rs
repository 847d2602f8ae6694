//! Sessions of transcripts that grow: each end is written once, and a later turn resumes them.

use memlith::compaction::Rules;
use memlith::{
    Ledger, Timestamp,
    compaction::CompactOptions,
    copy::{Format, ImportOptions},
    log::Kind,
    read::Listing,
};
use proptest::prelude::*;
use serde_json::json;

use crate::world::{NOW, World, ana};

const MINUTE_US: i64 = 60_000_000;

/// Kind of a line of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Somebody says something.
    Said,
    /// Nothing to be remembered, but of its time.
    Noise,
    /// The person leaves the program.
    Left,
}

/// A transcript as far as it was written, each line at its minute.
struct Transcript {
    format: Format,
    text: String,
    lines: Vec<(i64, Line)>,
}

impl Transcript {
    fn new(format: Format) -> Transcript {
        let mut transcript = Transcript { format, text: String::new(), lines: Vec::new() };
        if format == Format::Codex {
            let meta = json!({"id": "s", "cwd": "/shop", "originator": "codex_cli_rs"});
            let line =
                json!({"timestamp": at(0).to_string(), "type": "session_meta", "payload": meta});
            transcript.text = format!("{line}\n");
        }
        transcript
    }

    fn write(&mut self, minute: i64, line: Line) {
        let number = self.lines.len();
        let at = at(minute).to_string();
        let written = match (self.format, line) {
            (Format::Codex, Line::Said) => json!({
                "timestamp": at, "type": "response_item",
                "payload": {"type": "message", "role": "user", "content": format!("zq{number}")},
            }),
            (Format::Codex, Line::Noise) => json!({
                "timestamp": at, "type": "event_msg", "payload": {"type": "token_count"},
            }),
            (Format::Codex, Line::Left) => json!({
                "timestamp": at, "type": "event_msg", "payload": {"type": "shutdown_complete"},
            }),
            (_, Line::Noise) => json!({
                "timestamp": at, "type": "progress", "sessionId": "s", "uuid": format!("n{number}"),
            }),
            (_, said) => {
                let left = "<command-name>/exit</command-name>\n<command-args></command-args>";
                let words = if said == Line::Left { left.into() } else { format!("zq{number}") };
                json!({
                    "timestamp": at, "type": "user", "sessionId": "s", "parentUuid": null,
                    "uuid": format!("u{number}"), "message": {"role": "user", "content": words},
                })
            }
        };
        self.text.push_str(&format!("{written}\n"));
        self.lines.push((minute, line));
    }

    fn import(&self, ledger: &Ledger) {
        ledger.import(self.format, self.text.as_bytes(), ImportOptions::default()).unwrap();
    }

    /// The ends that an import finds at `now`: of each the number of the last line that
    /// became an event before it. A rollout of Codex begins with one.
    fn ends(&self, now: i64) -> Vec<usize> {
        let becomes_event = |line| line == Line::Said || line == Line::Left && !self.is_codex();
        let first = self.is_codex().then_some(usize::MAX);
        let (mut ends, mut last, mut left) = (Vec::new(), first, false);
        for (number, (_, line)) in self.lines.iter().enumerate() {
            if left && *line == Line::Said {
                ends.extend(last);
                left = false;
            }
            if becomes_event(*line) && !left {
                last = Some(number);
            }
            left |= *line == Line::Left && last.is_some();
        }
        let newest = self.lines.iter().map(|(minute, _)| *minute).max();
        let is_old = newest.is_some_and(|minute| now - minute >= 30);
        ends.extend(last.filter(|_| left || is_old));
        ends
    }

    fn is_codex(&self) -> bool {
        self.format == Format::Codex
    }
}

fn at(minute: i64) -> Timestamp {
    NOW.plus_us(minute * MINUTE_US)
}

/// The kinds of the records of sessions and turns, in their order.
fn life(ledger: &Ledger) -> Vec<Kind> {
    let kinds = [Kind::SESSION_STARTED, Kind::SESSION_ENDED, Kind::SAID];
    let records = ledger.records(memlith::Seq(0), None).unwrap();
    let of =
        |record: memlith::log::Record| kinds.into_iter().find(|kind| kind.number == record.kind);
    records.filter_map(|record| of(record.unwrap())).collect()
}

fn ends(ledger: &Ledger) -> usize {
    life(ledger).into_iter().filter(|kind| *kind == Kind::SESSION_ENDED).count()
}

#[test]
fn a_transcript_that_grows_ends_its_session_once_it_is_old() {
    // Each import of a growing transcript wrote another end, so that a session of an
    // afternoon had ended ten times before it was over.
    for format in [Format::ClaudeCode, Format::Codex] {
        let (world, mut transcript) = (World::new(), Transcript::new(format));
        let ledger = world.init();
        for piece in 0..10 {
            transcript.write(2 * piece, Line::Said);
            transcript.write(2 * piece + 1, Line::Said);
            world.clock.set(at(2 * piece + 1));
            transcript.import(&ledger);
        }
        let import_at = |transcript: &Transcript, now: Timestamp| {
            world.clock.set(now);
            transcript.import(&ledger);
            ends(&ledger)
        };
        assert_eq!(ends(&ledger), 0, "{format}");
        assert_eq!(import_at(&transcript, at(49).plus_us(-1)), 0, "{format}");
        assert_eq!(import_at(&transcript, at(49)), 1, "{format}");
        assert_eq!(import_at(&transcript, at(500)), 1, "the same end again, {format}");

        transcript.write(1_000, Line::Said);
        assert_eq!(import_at(&transcript, at(1_001)), 1, "resumed, {format}");
        assert_eq!(life(&ledger).last(), Some(&Kind::SAID), "open again, {format}");
        assert_eq!(import_at(&transcript, at(1_030)), 2, "{format}");
        assert_eq!(import_at(&transcript, at(9_999)), 2, "{format}");
    }
}

#[test]
fn the_instant_of_an_import_can_be_given() {
    let (world, mut transcript) = (World::new(), Transcript::new(Format::Codex));
    let ledger = world.init();
    transcript.write(0, Line::Said);
    let import = |now| {
        let options = ImportOptions { now: Some(now), ..ImportOptions::default() };
        ledger.import(transcript.format, transcript.text.as_bytes(), options).unwrap();
        ends(&ledger)
    };
    world.clock.set(at(45));
    assert_eq!(import(at(29)), 0);
    assert_eq!(import(at(30)), 1);
}

#[test]
fn a_session_that_was_left_has_ended_at_once_and_is_resumed() {
    for format in [Format::ClaudeCode, Format::Codex] {
        let (world, mut transcript) = (World::new(), Transcript::new(format));
        let ledger = world.init();
        transcript.write(0, Line::Said);
        transcript.write(1, Line::Left);
        transcript.import(&ledger);
        assert_eq!(life(&ledger).last(), Some(&Kind::SESSION_ENDED), "{format}");
        transcript.write(2, Line::Said);
        transcript.import(&ledger);
        assert_eq!((ends(&ledger), life(&ledger).last()), (1, Some(&Kind::SAID)), "{format}");
        transcript.write(3, Line::Left);
        transcript.import(&ledger);

        // Read at once, the same transcript says the same in the same order.
        let whole = World::new();
        let at_once = whole.init();
        transcript.import(&at_once);
        assert_eq!(life(&at_once), life(&ledger), "{format}");
        assert_eq!(ends(&at_once), 2, "{format}");
    }
}

#[test]
fn a_session_that_is_resumed_is_summarised_only_once_it_ends_again() {
    let rules = Rules { sources_min: 2, sources_per_exemplar: 2, ..Rules::default() };
    let (world, mut transcript) = (World::new(), Transcript::new(Format::Codex));
    let ledger = world.init();
    let written = |transcript: &Transcript, now| {
        world.clock.set(at(now));
        transcript.import(&ledger);
        let options = CompactOptions { rules, ..CompactOptions::default() };
        ledger.compact(&ana(), &options).unwrap().written.len()
    };
    (0..4).for_each(|minute| transcript.write(minute, Line::Said));
    assert_eq!(written(&transcript, 4), 0, "it goes on");
    assert_eq!(written(&transcript, 33), 1, "it has ended");
    (100..104).for_each(|minute| transcript.write(minute, Line::Said));
    assert_eq!(written(&transcript, 104), 0, "it is open again");
    assert_eq!(written(&transcript, 133), 1, "what came since the first end");
    assert_eq!(written(&transcript, 500), 0, "each once");
}

/// Minutes since the line before, the line, and, where it is imported, minutes since then.
fn growth() -> impl Strategy<Value = Vec<(i64, Line, Option<i64>)>> {
    let lines = prop_oneof![5 => Just(Line::Said), 2 => Just(Line::Noise), 1 => Just(Line::Left)];
    let gap = || prop_oneof![4 => 0..3_i64, 1 => 20..40_i64, 1 => Just(3_000)];
    let imported = proptest::option::of(gap());
    proptest::collection::vec((gap(), lines, imported), 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        max_shrink_iters: 400,
        ..ProptestConfig::default()
    })]

    #[test]
    fn however_a_transcript_grows_each_end_is_written_once(
        codex in any::<bool>(),
        growth in growth(),
    ) {
        let format = if codex { Format::Codex } else { Format::ClaudeCode };
        let (world, mut transcript) = (World::new(), Transcript::new(format));
        let ledger = world.init();
        let (mut minute, mut expected) = (0, std::collections::BTreeSet::new());
        for (gap, line, imported) in growth {
            minute += gap;
            transcript.write(minute, line);
            let Some(later) = imported else { continue };
            minute += later;
            world.clock.set(at(minute));
            (0..2).for_each(|_| transcript.import(&ledger));
            expected.extend(transcript.ends(minute));
            prop_assert_eq!(ends(&ledger), expected.len());
            let twice = life(&ledger).windows(2).any(|pair| pair == [Kind::SESSION_ENDED; 2]);
            prop_assert!(!twice, "an end follows an end: {:?}", life(&ledger));
        }
    }
}

/// The quick way to the newest sessions gives those that the pass over all items gives.
#[test]
fn recent_sessions_are_those_that_are_listed_first() {
    let world = World::new();
    let ledger = world.init();
    // Interleaved; the second is resumed last, and one is kept to itself.
    for (session, about) in
        [("a", "x"), ("b", "x"), ("a", "x"), ("c", "y"), ("d", "x"), ("b", "x"), ("e", "x")]
    {
        let caller = if session == "e" { ana().session_only("e") } else { ana().session(session) };
        let number = ledger.head().seq.0;
        let text = format!("Number {number} was said.");
        assert!(ledger.remember(&caller.about(about), text).unwrap().is_in_force());
        world.tick();
    }
    for ledger in [&ledger, &world.open()] {
        let caller = ana().about("x");
        let listing = Listing { limit: 10, ..Listing::default() };
        let listed = ledger.list_sessions(&caller, &listing).unwrap().sessions;
        let recent = ledger.recent_sessions(&caller, 10, 10).unwrap();
        let names: Vec<&str> = recent.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["b", "d", "a"]);
        for (listed, recent) in listed.iter().zip(&recent) {
            let seqs: Vec<_> = recent.items.iter().map(|item| item.id).collect();
            assert_eq!(listed.name.as_deref(), Some(recent.name.as_str()));
            assert_eq!(seqs.len() as u64, listed.items);
            assert_eq!((seqs.first(), seqs.last()), (Some(&listed.first), Some(&listed.last)));
        }
        let last = ledger.recent_sessions(&caller, 1, 1).unwrap();
        let ids: Vec<_> = last.iter().flat_map(|one| &one.items).map(|item| item.id).collect();
        assert_eq!(ids, [listed[0].last]);
    }
}

/// Few memories among many records are all found, in both directions and page by page.
#[test]
fn a_list_of_memories_passes_over_records() {
    let world = World::new();
    let ledger = world.init();
    let mut expected = Vec::new();
    for part in 0..3 {
        let mut transcript = Transcript::new(Format::ClaudeCode);
        transcript.text.clear();
        for line in 0..1_500 {
            let said = json!({
                "type": "user", "uuid": format!("{part}-{line}"), "sessionId": format!("s{part}"),
                "timestamp": at(0).to_string(), "isSidechain": false,
                "message": {"role": "user", "content": format!("zq{part}x{line}")},
            });
            transcript.text += &format!("{said}\n");
        }
        let options = ImportOptions { scope: ana().scope, ..ImportOptions::default() };
        let text = transcript.text.as_bytes();
        ledger.import(Format::ClaudeCode, text, options).unwrap();
        for number in 0..=part {
            let text = format!("Shed {part} has {number} doors.");
            expected.push(ledger.remember(&ana(), text).unwrap().id);
        }
    }
    for oldest in [true, false] {
        let mut listing = Listing { oldest, limit: 2, ..Listing::default() };
        let mut found = Vec::new();
        loop {
            let page = ledger.list(&ana(), &listing).unwrap();
            found.extend(page.items.iter().map(|one| one.item.id));
            listing.cursor = page.next;
            if listing.cursor.is_none() {
                break;
            }
        }
        assert_eq!(found, expected, "oldest first: {oldest}");
        expected.reverse();
    }
}
