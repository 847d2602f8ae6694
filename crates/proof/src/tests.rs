use std::ops::Range;
use std::slice::from_ref;

use memlith_event::{
    Actor, Body, CheckoutId, Envelope, Event, Hints, Kind, MemoryEvent, Rank, Receipt, ReceiptItem,
    Remembered, Scope, Surfaced,
};
use memlith_log::{
    Digest, Flags, LedgerId, Payload, Record, RecordHeader, RecordId, Seq, Timestamp, link,
    payload_digest, record_hash,
};

use crate::*;

/// Records of a ledger in memory, chained as the log chains them.
struct Ledger {
    id: LedgerId,
    records: Vec<Record>,
}

impl Ledger {
    fn new() -> Ledger {
        let mut ledger = Ledger { id: LedgerId([7; 16]), records: Vec::new() };
        ledger.push(0, b"genesis".to_vec());
        ledger
    }

    fn push(&mut self, kind: u16, body: Vec<u8>) -> RecordId {
        let seq = Seq(self.records.len() as u64);
        let blind = [seq.0.to_le_bytes()[0]; 16];
        let header = RecordHeader {
            seq,
            recorded_at: Timestamp(1),
            payload_len: u32::try_from(body.len()).unwrap(),
            kind,
            kind_version: u8::from(kind >= 64),
            codec: u8::from(kind >= 64),
            flags: Flags::default(),
            batch_pos: 0,
            batch_len: 1,
        };
        let hash = record_hash(&header.encode(), &payload_digest(&blind, &body));
        let chain = link(&self.records.last().map_or(Digest::default(), |last| last.chain), &hash);
        let RecordHeader { recorded_at, payload_len, kind_version, codec, flags, .. } = header;
        self.records.push(Record {
            seq,
            recorded_at,
            kind,
            kind_version,
            codec,
            flags,
            batch_pos: 0,
            batch_len: 1,
            payload_len,
            record_hash: hash,
            chain,
            payload: Payload::Present { blind, body },
        });
        RecordId::new(seq, &hash)
    }

    fn says(&mut self, event: Event<'_>) -> RecordId {
        let actor = Actor::new("ana", Rank::User);
        let envelope = Envelope::new(Scope::tenant("t"), actor, Timestamp(1));
        let body = Body { envelope, event };
        let (kind, bytes) = (body.event.kind(), body.encode());
        assert_eq!(kind.version, 1);
        self.push(kind.number, bytes)
    }

    fn remembers(&mut self, text: &str) -> RecordId {
        let memory = Remembered { text: text.to_owned().into(), ..Remembered::default() };
        self.says(Event::Memory(MemoryEvent::Remembered(memory)))
    }

    fn answers(&mut self, items: &[(RecordId, Range<u32>)]) -> RecordId {
        let items: Vec<ReceiptItem> = items
            .iter()
            .map(|(id, at)| ReceiptItem { id: *id, start: at.start, end: at.end, score: 5 })
            .collect();
        let last = self.records.last().unwrap();
        let receipt = Receipt {
            checkout: CheckoutId([1; 16]),
            ledger: self.id,
            view: last.seq,
            chain: last.chain,
            query: "what?".into(),
            scope: Scope::tenant("t"),
            purpose: "general".into(),
            as_of: None,
            now: Timestamp(1),
            budget_tokens: 100,
            min_items: 0,
            counter: "bytes/4".into(),
            policy: None,
            weights: Digest::default(),
            scorer: 1,
            fold: 1,
            render: 1,
            pack: memlith_event::pack_digest(&items),
            items,
            left_out: Vec::new(),
            hints: Hints::default(),
            vector: None,
        };
        let targets = receipt.items.iter().map(|item| item.id).collect();
        let (weight, receipt) = (None, Some(Box::new(receipt)));
        let surfaced = Surfaced { targets, weight, receipt, beside: Vec::new() };
        self.says(Event::Memory(MemoryEvent::Surfaced(surfaced)))
    }

    fn head(&self, size: usize) -> (Head, Vec<Vec<Root>>) {
        let tree = Tree::new(self.id);
        let leaves = |range: Range<u64>| {
            let within = self.records.iter().filter(|record| range.contains(&record.seq.0));
            Ok(within.map(|record| record.record_hash).collect())
        };
        let reader = tree.reader(size as u64, &leaves).unwrap();
        let paths = (0..size).map(|seq| reader.inclusion(Seq(seq as u64)).unwrap()).collect();
        let (root, chain) = (reader.root().unwrap(), self.records[size - 1].chain);
        (Head { ledger: self.id, size: size as u64, root, chain }, paths)
    }

    fn growth(&self, old: usize, new: usize) -> Vec<Root> {
        let tree = Tree::new(self.id);
        let leaves = |range: Range<u64>| {
            let within = self.records.iter().filter(|record| range.contains(&record.seq.0));
            Ok(within.map(|record| record.record_hash).collect())
        };
        tree.reader(new as u64, &leaves).unwrap().consistency(old as u64).unwrap()
    }
}

fn key_of_test() -> SigningKey {
    SigningKey::from_seed([3; 32])
}

/// One proof of each kind, and the key.
fn proofs() -> (Vec<Proof>, VerifierKey) {
    let mut ledger = Ledger::new();
    let tea = ledger.remembers("Ana drinks tea.");
    ledger.remembers("Ben drinks coffee.");
    let answer = ledger.answers(&[(tea, 0..10)]);
    let size = ledger.records.len();
    let (head, paths) = ledger.head(size);
    let (key, public) = (key_of_test(), key_of_test().verifier(ledger.id));
    let head = || head.sign(&key).unwrap();
    let proven = |seq: Seq| {
        let at = usize::try_from(seq.0).unwrap();
        ProvenRecord::of(&ledger.records[at], paths[at].clone())
    };
    let old = ledger.head(2).0.sign(&key).unwrap();
    let claims = [
        Claim::Record(proven(tea.seq)),
        Claim::Growth(Box::new(Growth {
            old,
            old_key: public.clone(),
            consistency: ledger.growth(2, size),
        })),
        Claim::Answer(Answer {
            answer: answer.seq,
            question: "what?".to_owned(),
            shown: vec![Shown { seq: tea.seq, text: Some("Ana drinks".to_owned()) }],
            records: vec![proven(tea.seq), proven(answer.seq)],
        }),
    ];
    let of = |claim| Proof { head: head(), key: public.clone(), claim };
    let proofs = claims.into_iter().map(of).collect();
    (proofs, public)
}

#[test]
fn a_proof_of_each_kind_round_trips_and_holds() {
    let (proofs, key) = proofs();
    for proof in proofs {
        let read: Proof = proof.to_string().parse().unwrap();
        assert_eq!(read, proof);
        read.check(from_ref(&key)).unwrap();
        let other = SigningKey::from_seed([4; 32]).verifier(LedgerId([7; 16]));
        assert!(matches!(read.check(&[other]), Err(Error::Signature { .. })));
        let other = key_of_test().verifier(LedgerId([8; 16]));
        assert!(read.check(&[other]).is_err());
    }
}

/// A proof says the same as another one: white space and the spelling of strings apart, and what
/// it does not show.
fn says_the_same(one: &Proof, other: &str) -> bool {
    let plain = |text: &str| {
        let mut json: serde_json::Value = serde_json::from_str(text).unwrap();
        json.as_object_mut().unwrap().remove("not_shown");
        json
    };
    plain(&one.to_string()) == plain(other)
}

/// Changes of single bytes, cuts and repeated parts: all are refused, or say the same.
#[test]
fn no_altered_proof_passes() {
    let (proofs, key) = proofs();
    let mut tried = 0_u64;
    let mut check = |proof: &Proof, altered: &[u8]| {
        tried += 1;
        let Ok(text) = std::str::from_utf8(altered) else { return };
        let Ok(read) = text.parse::<Proof>() else { return };
        if read.check(from_ref(&key)).is_ok() {
            assert!(says_the_same(proof, text), "{text}");
        }
    };
    for proof in &proofs {
        let text = proof.to_string().into_bytes();
        // Each seventh place; a campaign of all of them is no test of each build.
        for at in (0..text.len()).step_by(7) {
            for with in [text[at] ^ 1, text[at].wrapping_add(1), b'"'] {
                let mut altered = text.clone();
                altered[at] = with;
                check(proof, &altered);
            }
            check(proof, &text[..at]);
            let mut doubled = text.clone();
            doubled.insert(at, text[at]);
            check(proof, &doubled);
            let mut shorter = text.clone();
            shorter.remove(at);
            check(proof, &shorter);
        }
    }
    assert!(tried > 3_000, "{tried}");
}

/// A prover who holds the key signs what he likes; what he says of it still has to fit.
#[test]
fn a_prover_with_the_key_cannot_show_what_the_receipt_does_not() {
    let mut ledger = Ledger::new();
    let tea = ledger.remembers("Ana drinks tea.");
    let gin = ledger.remembers("Ana drinks gin.");
    let answer = ledger.answers(&[(tea, 0..15)]);
    let own = ledger.answers(&[(RecordId { seq: answer.seq, hash: tea.hash }, 0..1)]);
    let future = ledger.answers(&[(tea, 0..99)]);
    let size = ledger.records.len();
    let (head, paths) = ledger.head(size);
    let key = key_of_test();
    let public = key.verifier(ledger.id);
    let proven = |id: RecordId| {
        let at = usize::try_from(id.seq.0).unwrap();
        ProvenRecord::of(&ledger.records[at], paths[at].clone())
    };
    let prove = |answer: RecordId, shown: &[(RecordId, &str)], records: &[RecordId]| {
        let shown = shown
            .iter()
            .map(|(id, text)| Shown { seq: id.seq, text: Some((*text).to_owned()) })
            .collect();
        let records = records.iter().map(|id| proven(*id)).collect();
        let (head, key) = (head.sign(&key).unwrap(), public.clone());
        let question = "what?".to_owned();
        let claim = Claim::Answer(Answer { answer: answer.seq, question, shown, records });
        Proof { head, key, claim }
    };
    prove(answer, &[(tea, "Ana drinks tea.")], &[tea, answer]).check(from_ref(&public)).unwrap();
    for lie in [
        prove(answer, &[(gin, "Ana drinks gin.")], &[gin, answer]),
        prove(answer, &[(tea, "Ana drinks gin.")], &[tea, answer]),
        prove(answer, &[(tea, "Ana drinks")], &[tea, answer]),
        prove(answer, &[], &[tea, answer]),
        prove(answer, &[(tea, "Ana drinks tea."), (tea, "Ana drinks tea.")], &[tea, answer]),
        prove(answer, &[(tea, "Ana drinks tea.")], &[tea, gin, answer]),
        prove(answer, &[(tea, "Ana drinks tea.")], &[answer]),
        prove(answer, &[(tea, "Ana drinks tea.")], &[tea]),
        prove(tea, &[(tea, "Ana drinks tea.")], &[tea, answer]),
        prove(own, &[(answer, "x")], &[answer, own]),
        prove(future, &[(tea, "Ana drinks tea.")], &[tea, future]),
    ] {
        let refused = lie.check(from_ref(&public));
        assert!(matches!(refused, Err(Error::Answer { .. })), "{refused:?}");
    }
    // A record of another length, place or ledger.
    let mut longer = proven(tea);
    if let Payload::Present { body, .. } = &mut longer.payload {
        body.push(0);
    }
    assert!(matches!(longer.check(&head), Err(Error::Record { .. })));
    let mut moved = proven(tea);
    moved.path = proven(gin).path;
    assert!(moved.check(&head).is_err());
    let mut erased = proven(tea);
    erased.payload = Payload::Destroyed;
    assert!(erased.check(&head).is_err());
    assert!(proven(future).check(&Head { size: future.seq.0, ..head }).is_err());
}

#[test]
fn heads_have_one_spelling() {
    let (head, _) = Ledger::new().head(1);
    let note = head.sign(&key_of_test()).unwrap().to_string();
    assert_eq!(note.parse::<SignedHead>().unwrap().to_string(), note);
    let lines: Vec<&str> = note.lines().collect();
    for (from, to) in [
        ("\n1\n", "\n01\n"),
        ("\n1\n", "\n+1\n"),
        ("\n1\n", "\n 1\n"),
        ("\n1\n", "\n0\n"),
        ("\n1\n", "\n18446744073709551616\n"),
        ("chain ", "chain  "),
        ("chain ", "time "),
        ("memlith/", "memlith//"),
        ("memlith/", "other/"),
        ("\n\n", "\n"),
        ("\n\n", "\nmore\n\n"),
        ("\u{2014} ", "- "),
    ] {
        let other = note.replacen(from, to, 1);
        assert!(other != note && other.parse::<SignedHead>().is_err(), "{other}");
    }
    for other in [String::new(), "\n".repeat(9), note.clone() + "\n", "x".repeat(20 << 10)] {
        assert!(other.parse::<SignedHead>().is_err());
    }
    let many = note.clone() + &format!("{}\n", lines[5]).repeat(16);
    assert!(many.parse::<SignedHead>().is_err());
    assert!(Head { size: 0, ..head }.sign(&key_of_test()).is_err());
}

#[test]
fn keys_are_read_as_they_are_written_and_nothing_else_is() {
    let key = key_of_test();
    assert_eq!(key.secret().parse::<SigningKey>().unwrap().secret(), key.secret());
    assert!(!format!("{key:?}").contains(&key.secret()[12..20]));
    let public = key.verifier(LedgerId([7; 16])).to_string();
    assert_eq!(public.parse::<VerifierKey>().unwrap().to_string(), public);
    for text in [
        "",
        "a+b",
        "memlith/x+00000000+AAAA",
        &public[..public.len() - 1],
        &public.replace("memlith/", "memlith-"),
        &key.secret(),
        &"x".repeat(1_000),
    ] {
        assert!(matches!(text.parse::<VerifierKey>(), Err(Error::Key { .. })), "{text}");
    }
    let witness = WitnessKey::new("bob.example", SigningKey::from_seed([5; 32])).unwrap();
    assert!(WitnessKey::new("a b", SigningKey::from_seed([5; 32])).is_err());
    assert!(WitnessKey::new("", SigningKey::from_seed([5; 32])).is_err());
    let ledger = Ledger::new();
    let head = ledger.head(1).0.sign(&key).unwrap();
    let public = key.verifier(ledger.id);
    let cosigned = super::witness(&witness, from_ref(&public), (None, None), &head, 99).unwrap();
    cosigned.check(&public).unwrap();
    let seen = witness.verifier().check(&cosigned).unwrap();
    assert_eq!((seen.name.as_str(), seen.time_s), ("bob.example", 99));
    assert!(witness.verifier().check(&head).is_err());
    let other = WitnessKey::new("bob.example", SigningKey::from_seed([6; 32])).unwrap();
    assert!(other.verifier().check(&cosigned).is_err());
    assert!("bob.example+00000000+AAAA".parse::<WitnessVerifier>().is_err());
    let verifier = witness.verifier().to_string();
    assert_eq!(verifier.parse::<WitnessVerifier>().unwrap().to_string(), verifier);
    let _ = Kind { number: 97, version: 1 };
}
