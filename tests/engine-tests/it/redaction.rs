//! Secrets are taken out on every way in, before anything is hashed.

use memlith::{
    Caller, Change, CheckoutRequest, Question, Remember,
    copy::{Format, ImportOptions},
};

use crate::world::{World, ana, dialogue, export, fact, import, owner, say, words};

/// A key of a provider's shape; nobody's.
pub(crate) fn secret(tail: &str) -> String {
    format!("sk-ant-api03-{}{tail}", "Zq7Xw2Lm9Rt4Vb8K".repeat(5))
}

#[test]
fn a_secret_is_in_no_file_whichever_way_it_came() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The cat is called Momo.");
    let given = |way: &str| secret(way);
    let text = |way: &str| format!("The key is {}, keep it.", given(way));

    let written = ledger.remember(&ana(), words(&text("AA"))).unwrap();
    assert_eq!(written.redacted.values().sum::<u64>(), 1);
    let slot = fact("A key exists.", "key", "value", &given("BB"));
    assert!(!ledger.remember(&ana(), slot).unwrap().redacted.is_empty());
    let _ = ledger.correct(&ana(), written.id, words(&text("CC"))).unwrap();
    let _ = ledger.remember(&ana(), words(&text("AA"))).unwrap();
    let reason = Some(text("DD"));
    let _ = ledger.change(&ana(), Change::Invalidate { weight: None, reason }, [id]).unwrap();
    world.tick();
    let reason = Some(text("EE"));
    let _ = ledger.change(&ana(), Change::Reconfirm { reason }, [id]).unwrap();
    let tool = Caller::new("default", "shell", memlith::Rank::Tool);
    let reason = Some(text("FF"));
    let _ = ledger.change(&tool, Change::Invalidate { weight: None, reason }, [id]).unwrap();
    let checkout = ledger.checkout(&ana(), CheckoutRequest::new(text("GG"))).unwrap();
    assert!(!checkout.redacted.is_empty());
    assert!(!checkout.pack.receipt.query.contains("Zq7X"));
    let report = import(&ledger, &dialogue("trip", &[&text("HH")])).unwrap();
    assert_eq!(report.redacted.values().sum::<u64>(), 1);
    let line = serde_json::json!({
        "type": "user", "sessionId": "s1", "uuid": "u1", "parentUuid": null,
        "timestamp": "2025-05-01T10:00:00Z", "cwd": "/home/ana/p",
        "message": { "role": "user", "content": text("II") },
    });
    let lines = format!("{line}\n");
    let options = ImportOptions::default();
    let report = ledger.import(Format::ClaudeCode, lines.as_bytes(), options).unwrap();
    assert_eq!(report.redacted.values().sum::<u64>(), 1, "{report:?}");
    ledger.checkpoints().write().unwrap();

    for way in ["AA", "BB", "CC", "DD", "EE", "FF", "GG", "HH", "II"] {
        let files = world.files_with(&given(way));
        assert_eq!(files, Vec::<String>::new(), "{way}");
    }
    assert_eq!(world.files_with("Zq7Xw2Lm9Rt4Vb8K"), Vec::<String>::new());

    // An export that somebody wrote into is cleaned on its way into content.
    let other = World::on(memlith::storage::MemoryDisk::new(), 40);
    let target = other.init();
    say(&target, "Something is here already.");
    let count: u64 = target.import_jsonl(&owner(), export(&ledger).as_bytes()).unwrap().added;
    assert!(count > 0);
    assert_eq!(other.files_with("Zq7Xw2Lm9Rt4Vb8K"), Vec::<String>::new());
}

/// A value under a secret's name was kept: it looks like any other word.
#[test]
fn a_slot_that_is_named_for_a_secret_keeps_no_value() {
    let world = World::new();
    let ledger = world.init();
    for (at, name) in ["password", "API key", "access_token"].into_iter().enumerate() {
        let slot = fact(&format!("Door {at} has one."), &format!("door {at}"), name, "hunter2");
        let written = ledger.remember(&ana(), slot).unwrap();
        assert_eq!(written.redacted.values().sum::<u64>(), 1, "{name}");
        // It is said once.
        let marked = "[REDACTED:assignment]";
        let marked = fact(&format!("Gate {at} has one."), &format!("gate {at}"), name, marked);
        assert!(ledger.remember(&ana(), marked).unwrap().redacted.is_empty(), "{name}");
    }
    let plain = fact("Door 9 is red.", "door 9", "colour", "hazelnut");
    assert!(ledger.remember(&ana(), plain).unwrap().redacted.is_empty());
    ledger.checkpoints().write().unwrap();
    assert_eq!(world.files_with("hunter2"), Vec::<String>::new());
    assert!(!world.files_with("[REDACTED:assignment]").is_empty());
    assert!(!export(&ledger).contains("hunter2"));
}

#[test]
fn looking_for_a_secret_leaves_no_trace() {
    let world = World::new();
    let ledger = world.init();
    say(&ledger, "The cat is called Momo.");
    let query = format!("what is {} for", secret("AA"));
    let question = Question { query: query.clone(), as_of: None };
    let without: Vec<_> =
        ledger.recall(&ana(), &question, 5).unwrap().iter().map(|item| item.id).collect();
    assert!(without.len() <= 1);
    let resting = Remember { rests_on: vec![memlith::RecordId::default()], ..words(&query) };
    assert!(ledger.remember(&ana(), resting).is_err());
    assert_eq!(world.files_with("Zq7X"), Vec::<String>::new());
}

#[test]
fn a_redacted_name_finds_its_rows() {
    let world = World::new();
    let ledger = world.init();
    let of = |owner: &str| fact(&format!("It is {owner}'s."), &secret("AA"), "owner", owner);
    let ana_s = ledger.remember(&ana(), of("Ana")).unwrap().id;
    world.tick();
    let ben_s = ledger.remember(&ana(), of("Ben")).unwrap();
    let closed = ledger.show(&ana(), ana_s).unwrap().closed_by;
    assert_eq!(closed.map(|(by, _)| by), Some(ben_s.id));

    let key = Some(memlith::write::IdempotencyKey([7; 16]));
    let named = Caller { key, ..Caller::user("default", &secret("BB")) };
    let id = ledger.remember(&named, words("Said under a key.")).unwrap().id;
    let again = ledger.remember(&named, words("Said under a key.")).unwrap();
    assert_eq!((again.id, again.outcome.label()), (id, "already_present"));
    ledger.checkout(&named, CheckoutRequest::new("key")).unwrap();

    // Two tenants named by keys would become one.
    let tenant = Caller::user(&secret("CC"), "ana");
    let scope = tenant.scope.clone();
    let options = ImportOptions { scope, ..ImportOptions::default() };
    let document = dialogue("trip", &["We went to Goa."]);
    let refused = [
        ledger.remember(&tenant, words("Said in a tenant.")).err(),
        ledger.checkout(&tenant, CheckoutRequest::new("key")).err(),
        ledger.import(Format::Locomo, document.as_bytes(), options).err(),
    ];
    for error in refused {
        assert!(matches!(error, Some(memlith::Error::SecretScope { .. })), "{error:?}");
    }
    assert_eq!(world.files_with("Zq7X"), Vec::<String>::new());
}
