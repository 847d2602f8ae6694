//! Signed heads and proofs, as their owner, a stranger, a witness and an attacker meet them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Desk, id};
use crate::heads::{copy, copy_folder};
use crate::hooks::Agents;

/// A ledger with a key and two memories.
fn signing() -> Desk {
    let desk = Desk::new();
    desk.ok(&["config", "keys", "new"]);
    desk.remember("Ana drinks tea.");
    desk.remember("Ben drinks coffee.");
    desk
}

/// One whose first segment is full and sealed.
pub(crate) fn long() -> Desk {
    let desk = signing();
    let long = "long words ".repeat(4_000);
    for at in 0..30 {
        desk.remember(&format!("{at} {long}"));
    }
    desk
}

/// Flips a bit in the words of a memory of [`long`].
pub(crate) fn rot(desk: &Desk) {
    let mut bytes = fs::read(desk.segment(0)).unwrap();
    let at = bytes.windows(15).position(|window| window == b"5 long words lo").unwrap();
    bytes[at + 40] ^= 1;
    fs::write(desk.segment(0), bytes).unwrap();
}

/// Writes what a command prints into a file, and returns its name.
fn kept<'a>(desk: &Desk, args: &[&str], file: &'a str) -> &'a str {
    let out = desk.ok(args).out;
    fs::write(desk.path().join(file), out).unwrap();
    file
}

fn copy_file(from: &Desk, to: &Desk, file: &str) {
    fs::copy(from.path().join(file), to.path().join(file)).unwrap();
}

fn verdict(desk: &Desk, args: &[&str]) -> (i32, String) {
    let args = [&["verify", "--full", "--json", "--head", "head", "--key", "vkey"], args].concat();
    let run = desk.run(&args);
    (run.code, run.json()["verdict"].as_str().unwrap().to_owned())
}

/// Each cell of the table in SECURITY.md of what a signed head tells.
#[test]
fn a_signed_head_tells_every_change_by_its_name() {
    let desk = signing();
    kept(&desk, &["config", "keys"], "vkey");
    kept(&desk, &["head", "sign"], "head");
    let is = |desk: &Desk, args: &[&str], expected: &str| {
        let code = if expected == "ok" { 0 } else { 3 };
        assert_eq!(verdict(desk, args), (code, expected.to_owned()));
    };
    let stranger = || {
        let other = Desk::empty();
        copy(&desk, &other);
        copy_file(&desk, &other, "vkey");
        copy_file(&desk, &other, "head");
        other
    };
    is(&desk, &[], "ok");
    is(&desk, &["--exact"], "ok");
    let grown = stranger();
    grown.remember("Cleo drinks milk.");
    is(&grown, &[], "ok");
    is(&grown, &["--exact"], "unsigned_growth");
    let other = stranger();
    fs::remove_dir_all(other.ledger()).unwrap();
    other.ok(&["init"]);
    is(&other, &[], "other_ledger");
    // The head of what was lost.
    desk.remember("Dan drinks wine.");
    let back = stranger();
    fs::remove_dir_all(back.ledger()).unwrap();
    copy(&grown, &back);
    kept(&desk, &["head", "sign"], "head");
    copy_file(&desk, &back, "head");
    is(&back, &[], "fork");
    back.remember("Eve drinks rum.");
    is(&back, &[], "fork");
    let cut = stranger();
    desk.remember("Fay drinks cider.");
    kept(&desk, &["head", "sign"], "head");
    copy_file(&desk, &cut, "head");
    is(&cut, &[], "rollback");
    // The chain alone tells none of these apart from a sound ledger.
    for silent in [&grown, &other, &back, &cut] {
        assert_eq!(silent.json(&["verify", "--full"])["verdict"], "ok");
    }
    // A byte of a record, of the head's text, of its signature; another key.
    let rotten = stranger();
    let mut bytes = fs::read(rotten.segment(0)).unwrap();
    let at = bytes.windows(9).position(|part| part == b"Ana drink").unwrap();
    bytes[at] ^= 1;
    fs::write(rotten.segment(0), &bytes).unwrap();
    is(&rotten, &[], "corrupt");
    let text = fs::read_to_string(desk.path().join("head")).unwrap();
    let altered = stranger();
    let size = format!("\n{}\n", text.lines().nth(1).unwrap());
    fs::write(altered.path().join("head"), text.replacen(&size, "\n3\n", 1)).unwrap();
    is(&altered, &[], "bad_signature");
    let forged = stranger();
    forged.ok(&["config", "keys", "new"]);
    kept(&forged, &["head", "sign"], "head");
    is(&forged, &[], "bad_signature");
    // With the key stolen too a forged record passes, and only a head of before tells more.
    let stolen = stranger();
    copy_folder(&desk.path().join(".config"), &stolen.path().join(".config"));
    stolen.remember("Ana signed the loan.");
    kept(&stolen, &["head", "sign"], "head");
    is(&stolen, &["--exact"], "ok");
    copy_file(&desk, &stolen, "head");
    is(&stolen, &["--exact"], "unsigned_growth");
    // The key of another.
    desk.refused(2, &["verify", "--head", "head", "--key", "nonsense+00+x"], &["Ed25519"]);
    let keyless = stranger();
    keyless.refused(2, &["verify", "--head", "head"], &["--key"]);
}

#[test]
fn a_ledger_that_was_taken_back_is_not_signed_again() {
    let desk = signing();
    let before = Desk::empty();
    copy(&desk, &before);
    desk.remember("Cleo drinks milk.");
    desk.ok(&["head", "sign"]);
    copy(&before, &desk);
    desk.refused(3, &["head", "sign"], &["does not hold the head", "nothing is signed"]);
    // The head that was signed last lies beside the key: verify and doctor compare with it.
    assert_eq!(desk.run(&["verify", "--json"]).json()["verdict"], "rollback");
    let doctor = desk.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("heads") && doctor.out.contains("rollback"));
    desk.remember("Cleo drinks water.");
    desk.refused(3, &["prove", "1"], &["does not hold the head"]);
    // An older copy may be all that is left; a ledger that went on as long is none.
    let went_on = Desk::empty();
    copy(&desk, &went_on);
    copy_folder(&desk.path().join(".config"), &went_on.path().join(".config"));
    went_on.remember("Dan drinks wine.");
    went_on.refused(1, &["head", "sign", "--restored"], &["was not restored from an older copy"]);
    went_on.refused(3, &["head", "sign"], &["does not hold the head"]);
    copy(&before, &desk);
    desk.ok(&["head", "sign", "--restored"]);
    desk.ok(&["prove", "1"]);
    assert_eq!(desk.json(&["verify"])["verdict"], "ok");
    signing().refused(1, &["head", "sign", "--restored"], &["no head of this ledger was signed"]);
}

/// Damage before a head leaves nothing to say of it, and a record destroyed by accepted damage
/// only what stands behind it.
#[test]
fn a_head_behind_damage_is_not_told_to_hold() {
    let desk = long();
    kept(&desk, &["config", "keys"], "vkey");
    kept(&desk, &["head", "sign"], "head");
    kept(&desk, &["head"], "line");
    let observed = desk.json(&["checkout", "what does Ana drink?"])["observation"].clone();
    kept(&desk, &["prove", observed.as_str().unwrap()], "proof");
    rot(&desk);
    let told = |file: &str| {
        let run = desk.run(&["verify", "--full", "--json", "--head", file, "--key", "vkey"]).json();
        let head = run["kept_heads"][0]["verdict"].as_str().unwrap().to_owned();
        (run["verdict"].as_str().unwrap().to_owned(), head)
    };
    let is = |verdict: &str, head: &str| (verdict.to_owned(), head.to_owned());
    assert_eq!(told("line"), is("corrupt", "unreadable"));
    assert_eq!(told("head"), is("corrupt", "unreadable"));
    fs::remove_dir_all(desk.path().join(".config/memlith/keys")).unwrap();
    desk.ok(&["doctor", "accept-loss", "--as", "owner"]);
    assert_eq!(told("line"), is("unbound", "unbound"));
    assert_eq!(told("head"), is("unbound", "unbound"));
    let lost = desk.json(&["verify", "--full"])["destroyed"].clone();
    assert_eq!(lost.as_array().unwrap().len(), 1, "{lost}");
    let checked = desk.json(&["prove", "--check", "proof", "--key", "vkey"]);
    assert_eq!((&checked["verdict"], &checked["replayed"]), (&"ok".into(), &"unbound".into()));
    // A head from behind the acceptance stands for all again.
    kept(&desk, &["head"], "line");
    assert_eq!(told("line"), is("ok", "ok"));
}

#[test]
fn an_answer_is_proven_to_a_stranger_without_the_ledger() {
    let desk = signing();
    let pack = desk.json(&["checkout", "what does Ana drink?"]);
    let observed = pack["observation"].as_str().unwrap().to_owned();
    kept(&desk, &["config", "keys"], "vkey");
    kept(&desk, &["prove", &observed], "proof");
    let stranger = Desk::empty();
    copy_file(&desk, &stranger, "vkey");
    copy_file(&desk, &stranger, "proof");
    let check = |desk: &Desk| desk.run(&["prove", "--check", "proof", "--key", "vkey", "--json"]);
    let checked = check(&stranger).json();
    assert_eq!((&checked["verdict"], &checked["kind"]), (&"ok".into(), &"answer".into()));
    assert_eq!(checked["question"], "what does Ana drink?");
    assert_eq!(checked["shown"][0]["text"], "Ana drinks tea.", "{checked}");
    assert_eq!(checked["replayed"], "none");
    assert_eq!(check(&desk).json()["replayed"], "reproduced");
    // With another history beside it, the ledger says so.
    let fork = Desk::empty();
    copy_file(&desk, &fork, "vkey");
    copy_file(&desk, &fork, "proof");
    copy(&desk, &fork);
    desk.remember("Dan drinks wine.");
    fork.remember("Dan drinks ale.");
    kept(&desk, &["prove", &observed], "proof");
    copy_file(&desk, &fork, "proof");
    let run = check(&fork);
    assert_eq!((run.code, &run.json()["replayed"]), (3, &"other_history".into()), "{run:?}");
    // Other words, another question, a record left out, another key named.
    let proof: Value =
        serde_json::from_str(&fs::read_to_string(desk.path().join("proof")).unwrap()).unwrap();
    let lies = |name: &str, change: &dyn Fn(&mut Value), word: &str| {
        let mut lie = proof.clone();
        change(&mut lie);
        fs::write(stranger.path().join("proof"), lie.to_string()).unwrap();
        let run = check(&stranger);
        assert!(run.code != 0 && run.err.contains(word), "{name}: {run:?}");
    };
    lies("words", &|p| p["shown"][0]["text"] = "Ana drinks gin.".into(), "other words");
    lies("erased", &|p| p["shown"][0]["text"] = Value::Null, "other words");
    lies("question", &|p| p["question"] = "who?".into(), "question");
    lies("record", &|p| drop(p["records"].as_array_mut().unwrap().remove(0)), "missing");
    lies("path", &|p| drop(p["records"][0]["path"].as_array_mut().unwrap().pop()), "root");
    lies("header", &|p| p["records"][0]["seq"] = 0.into(), "");
    lies("version", &|p| p["memlith_proof"] = 2.into(), "version 2");
    lies("key", &|p| p["extra"] = 1.into(), "unknown field");
    lies("head", &|p| p["head"] = "x".into(), "signed note");
}

#[test]
fn a_record_and_growth_are_proven_and_an_erased_record_keeps_its_proof() {
    let desk = signing();
    kept(&desk, &["config", "keys"], "vkey");
    let memory = id(&desk.json(&["remember", "The door code is kept by Eve."]));
    kept(&desk, &["prove", &memory], "proof");
    kept(&desk, &["head", "sign"], "old");
    fs::copy(desk.path().join("old"), desk.path().join("head")).unwrap();
    let check = |file: &str| desk.json(&["prove", "--check", file, "--key", "vkey"]);
    let checked = check("proof");
    assert_eq!(checked["kind"], "record");
    assert_eq!(checked["shown"][0]["text"], "The door code is kept by Eve.");
    // Another scope's memories are proven as little as they are shown.
    let walled = id(&desk.json(&["remember", "Zoe has the vault.", "--scope", "subject=bank"]));
    for verb in ["show", "prove"] {
        desk.refused(1, &[verb, &walled, "--scope", "subject=shop"], &["no record"]);
    }
    desk.ok(&["prove", &walled, "--scope", "subject=bank"]);
    desk.ok(&["erase", &memory, "--as", "owner", "--yes"]);
    assert_eq!(check("proof")["verdict"], "ok", "the proof of before holds its words itself");
    assert_eq!(verdict(&desk, &[]), (0, "ok".to_owned()), "and so does the old head");
    kept(&desk, &["prove", &memory], "erased");
    assert!(!fs::read_to_string(desk.path().join("erased")).unwrap().contains("slot\": \""));
    assert_eq!(check("erased")["verdict"], "ok");
    kept(&desk, &["prove", "--since", "old"], "growth");
    assert_eq!(check("growth")["kind"], "growth");
    // What is no proof says why.
    for (text, words) in [
        ("", "no proof"),
        ("{", "no proof"),
        ("[]", "no proof"),
        ("{\"memlith_proof\": 1}", "missing field"),
        ("{\"memlith_proof\": NaN}", "no proof"),
        ("{\"memlith_proof\": 1, \"memlith_proof\": 1}", "duplicate"),
    ] {
        fs::write(desk.path().join("bad"), text).unwrap();
        desk.refused(3, &["prove", "--check", "bad", "--key", "vkey"], &[words]);
    }
    fs::write(desk.path().join("bad"), [0xff, 0xfe]).unwrap();
    desk.refused(3, &["prove", "--check", "bad", "--key", "vkey"], &["no text"]);
    desk.refused(4, &["prove", "--check", "nowhere", "--key", "vkey"], &["no file"]);
    desk.refused(2, &["prove"], &[]);
}

#[test]
fn a_witness_countersigns_growth_and_nothing_else() {
    let desk = signing();
    let bob = Desk::empty();
    bob.ok(&["config", "keys", "new"]);
    kept(&desk, &["config", "keys"], "vkey");
    copy_file(&desk, &bob, "vkey");
    let take = |file: &str| {
        copy_file(&desk, &bob, file);
        bob.run(&["head", "witness", file, "--key", "vkey", "--name", "bob.example", "--json"])
    };
    let fork = Desk::empty();
    copy(&desk, &fork);
    copy_folder(&desk.path().join(".config"), &fork.path().join(".config"));
    kept(&desk, &["head", "sign"], "first");
    let first = take("first");
    assert!(first.out.contains("\u{2014} bob.example "), "{first:?}");
    desk.remember("Cleo drinks milk.");
    kept(&desk, &["head", "sign"], "second");
    // A later head alone shows no growth, and no fork.
    let run = take("second");
    assert!(run.code == 3 && run.err.contains("bring the proof of growth"), "{run:?}");
    kept(&desk, &["prove", "--since", "first"], "growth");
    assert_eq!(take("growth").code, 0);
    // The same key on another machine, with another history: the witness sees it.
    let sign = |words: &str| {
        fork.remember(words);
        kept(&fork, &["head", "sign"], "forked");
        copy_file(&fork, &desk, "forked");
        take("forked")
    };
    let run = sign("Cleo drinks gin.");
    assert!(run.code == 3 && run.err.contains("did not grow"), "{run:?}");
    let run = sign("Cleo drinks rum.");
    assert!(run.code == 3 && run.err.contains("bring the proof of growth"), "{run:?}");
    copy_file(&desk, &fork, "second");
    fork.refused(3, &["prove", "--since", "second"], &["did not grow"]);
    let cosigned = take("growth");
    assert_eq!(cosigned.code, 0, "the same head again is no growth, and no fork");
    // The countersignature is checked with the witness's key beside the owner's.
    fs::write(desk.path().join("cosigned"), cosigned.json()["note"].as_str().unwrap()).unwrap();
    let witness = cosigned.json()["witness_key"].as_str().unwrap().to_owned();
    let vkey = fs::read_to_string(desk.path().join("vkey")).unwrap();
    fs::write(desk.path().join("both"), format!("{vkey}{witness}\n")).unwrap();
    let verified = desk.json(&["verify", "--head", "cosigned", "--key", "both"]);
    assert_eq!(verified["kept_heads"][0]["witnesses"][0], "bob.example", "{verified}");
    let run = desk.run(&["verify", "--head", "second", "--key", "both", "--json"]).json();
    assert_eq!(run["verdict"], "bad_signature", "{run}");
    // Growth leads over a rotation, for whoever has both keys.
    desk.ok(&["config", "keys", "new"]);
    kept(&desk, &["prove", "--since", "cosigned"], "rotated");
    desk.refused(3, &["prove", "--check", "rotated", "--key", "vkey"], &["another key"]);
    let new = desk.ok(&["config", "keys"]).out;
    fs::write(bob.path().join("vkey"), format!("{vkey}{new}")).unwrap();
    assert_eq!(take("rotated").code, 0);
    copy_file(&bob, &desk, "vkey");
    let checked = desk.ok(&["prove", "--check", "rotated", "--key", "vkey", "--since", "second"]);
    assert!(checked.out.contains("grew out of the head of"), "{checked:?}");
    desk.refused(
        3,
        &["prove", "--check", "rotated", "--key", "vkey", "--since", "first"],
        &["not of growth from the head that you gave"],
    );
}

#[test]
fn a_key_is_its_owners_alone_and_is_rotated_by_an_event() {
    let desk = Desk::new();
    desk.refused(4, &["config", "keys"], &["config keys new"]);
    desk.refused(4, &["head", "sign"], &["no key", "config keys new"]);
    let first = desk.json(&["config", "keys", "new"]);
    let file = Path::new(first["file"].as_str().unwrap());
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(first["noted_as"].is_null());
    kept(&desk, &["head", "sign"], "head");
    let second = desk.json(&["config", "keys", "new"]);
    // A head of before is checked under the key of before, which lies aside.
    assert_eq!(desk.json(&["verify", "--head", "head"])["verdict"], "ok");
    let only = ["verify", "--head", "head", "--key", second["verifier_key"].as_str().unwrap()];
    assert_eq!(desk.run(&only).code, 3);
    assert!(second["noted_as"].is_u64() && second["verifier_key"] != first["verifier_key"]);
    let events = desk.ok(&["list", "events"]).out;
    assert!(events.contains("log.key_rotated"), "{events}");
    desk.ok(&["head", "sign"]);
    fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
    desk.refused(4, &["head", "sign"], &["can be read by others", "chmod 600"]);
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    for text in ["", "memlith-key:", "memlith-key:AAAA", "ssh-ed25519 AAAA"] {
        fs::write(file, text).unwrap();
        desk.refused(4, &["head", "sign"], &["no signing key"]);
    }
}

#[test]
fn heads_go_where_the_settings_say_and_when() {
    let desk = signing();
    let settings = desk.path().join(".config/memlith");
    let git = desk.path().join("repository");
    fs::create_dir_all(&git).unwrap();
    for args in [
        &["init", "-q"][..],
        &["config", "user.email", "ana@example.org"],
        &["config", "user.name", "Ana"],
    ] {
        let mut command = std::process::Command::new("git");
        assert!(command.arg("-C").arg(&git).args(args).status().unwrap().success());
    }
    let at = |name: &str| desk.path().join(name).display().to_string();
    let places = serde_json::json!([
        {"file": at("heads")},
        {"git": at("repository")},
        {"command": ["/bin/sh", "-c", format!("cat > {}", at("piped"))]},
    ]);
    let text = serde_json::json!({"every_records": 4, "to": places}).to_string();
    fs::write(settings.join("heads.json"), text).unwrap();
    let send = |args: &[&str]| {
        let mut command = desk.command(&[&["head", "send"], args].concat());
        command.env("PATH", "/usr/bin:/bin");
        crate::harness::Run::of(command.output().unwrap())
    };
    let run = send(&[]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.out.matches(": sent\n").count(), 3, "{run:?}");
    let heads = || fs::read_to_string(desk.path().join("heads")).unwrap();
    assert_eq!(heads().matches("chain ").count(), 1);
    assert!(fs::read_to_string(desk.path().join("piped")).unwrap().starts_with("memlith/"));
    // Signing alone is no sending, so it doesn't put one off.
    desk.ok(&["head", "sign"]);
    // Not due before four more records, and then once.
    assert!(send(&["--due"]).err.contains("no head is due"));
    desk.remember("Cleo drinks milk.");
    desk.remember("Dan drinks wine.");
    assert_eq!(send(&["--due"]).code, 0);
    assert!(send(&["--due"]).err.contains("no head is due"));
    assert_eq!(heads().matches("chain ").count(), 2);
    // The file of them is what verify takes.
    kept(&desk, &["config", "keys"], "vkey");
    let verified = desk.json(&["verify", "--head", "heads", "--key", "vkey", "--exact"]);
    assert_eq!(verified["kept_heads"].as_array().unwrap().len(), 2, "{verified}");
    assert!(desk.ok(&["doctor"]).out.contains("was sent to 3 places"));
    // A place that is away costs only itself.
    fs::remove_dir_all(&git).unwrap();
    let run = send(&[]);
    assert!(run.code == 1 && run.out.contains("not sent: ") && run.out.contains("heads: sent"));
    let doctor = desk.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("did not reach git"), "{doctor:?}");
    // In the ledger's folder, or nowhere, a head shows nothing.
    let within = desk.segment(0).with_file_name("heads");
    let text = serde_json::json!({"to": [{"file": within}]}).to_string();
    fs::write(settings.join("heads.json"), text).unwrap();
    assert!(send(&[]).out.contains("lies inside the ledger in"));
    fs::write(settings.join("heads.json"), "{}").unwrap();
    desk.refused(4, &["head", "send"], &["names no place"]);
    for bad in ["", "[]", r#"{"every_record": 1}"#, r#"{"every_records": -1}"#, r#"{"to": 3}"#] {
        fs::write(settings.join("heads.json"), bad).unwrap();
        desk.refused(4, &["head", "send"], &["heads.json"]);
    }
    fs::write(settings.join("heads.json"), r#"{"to": [{"fax": "1"}]}"#).unwrap();
    desk.refused(4, &["head", "send"], &["heads.json"]);
}

/// The process that captures an ended session sends the head that is due.
#[test]
fn an_ended_session_sends_the_head_that_is_due() {
    let agents = Agents::new();
    assert_eq!(agents.in_project("shop", &["remember", "We use pnpm."]).code, 0);
    assert_eq!(agents.in_project("shop", &["config", "keys", "new"]).code, 0);
    let heads = agents.desk.path().join("heads");
    let text = serde_json::json!({"every_records": 1, "to": [{"file": heads}]}).to_string();
    fs::write(agents.desk.path().join(".config/memlith/heads.json"), text).unwrap();
    agents.says("s1", "user", "From now on never push to main.");
    agents.hook("Stop", "shop", "s1", "");
    // The end of a session starts this in the background.
    let caught = ["agent", "hook", "claude-code", "--catch-up"];
    assert_eq!(agents.in_project("shop", &caught).code, 0);
    let sent = fs::read_to_string(heads).unwrap();
    assert!(sent.starts_with("memlith/"), "{sent}");
}

#[test]
fn tiles_are_those_of_the_tree_and_written_once() {
    let desk = signing();
    let first = desk.json(&["head", "tiles", "tiles"]);
    assert_eq!(first["tiles"], 2, "{first}");
    let size = first["size"].as_u64().unwrap();
    let tile = fs::read(desk.path().join(format!("tiles/tile/0/000.p/{size}"))).unwrap();
    assert_eq!(tile.len() as u64, 32 * size);
    assert_eq!(desk.json(&["head", "tiles", "tiles"])["written"], 0);
    let checkpoint = fs::read_to_string(desk.path().join("tiles/checkpoint")).unwrap();
    assert_eq!(checkpoint, desk.ok(&["head", "sign"]).out);
}

/// A person's words are erased, and a stranger checks the owner's word on it.
#[test]
fn an_erasure_is_certified_to_a_stranger() {
    let desk = signing();
    kept(&desk, &["config", "keys"], "vkey");
    desk.remember("Lena Vogt rents the flat in Maple Street 9.");
    desk.remember("The heating of Maple Street is serviced in May.");
    desk.ok(&["checkout", "who rents the flat?"]);
    kept(&desk, &["head", "sign"], "before");
    let erase = ["erase", "--mentions", "Lena Vogt", "--as", "owner", "--yes"];
    let erased = desk.json(&[&erase[..], &["--certificate", "lena"]].concat());
    assert!(!erased["erased"].as_array().unwrap().is_empty());
    let text = fs::read_to_string(desk.path().join("lena")).unwrap();
    assert!(text.contains(" 0 found\nbefore ") && !text.contains("Lena"), "{text}");
    let stranger = Desk::empty();
    copy_file(&desk, &stranger, "vkey");
    let check = |desk: &Desk, text: &str| {
        fs::write(desk.path().join("lena"), text).unwrap();
        desk.run(&["prove", "--check", "lena", "--key", "vkey", "--json"])
    };
    let run = check(&stranger, &text);
    assert_eq!((run.code, &run.json()["in_ledger"]), (0, &Value::Null), "{run:?}");
    assert_eq!(check(&desk, &text).json()["in_ledger"], true);
    let verified = desk.json(&["verify", "--full", "--head", "before", "--key", "vkey"]);
    assert_eq!(verified["verdict"], "ok", "the head of before still holds");
    // Another word in it, or a ledger in which nothing was erased.
    for (old, new) in [(" 0 found", " 1 found"), ("\nby ", "\nby x"), ("records ", "records 1 ")] {
        assert_eq!(check(&stranger, &text.replacen(old, new, 1)).code, 3, "{old}");
    }
    for broken in ["", "memlith/x/erasure\n", &text[..text.len() - 9], &text[1..]] {
        assert_ne!(check(&stranger, broken).code, 0, "{broken}");
    }
    let fork = Desk::empty();
    copy(&desk, &fork);
    copy_file(&desk, &fork, "vkey");
    copy_folder(&desk.path().join(".config"), &fork.path().join(".config"));
    fork.remember("Ben drinks rum.");
    let ben = ["erase", "--mentions", "rum", "--as", "owner", "--yes", "--certificate", "ben"];
    fork.ok(&ben);
    copy_file(&fork, &desk, "ben");
    let run = desk.run(&["prove", "--check", "ben", "--key", "vkey"]);
    assert!(run.code == 3 && run.out.contains("WRONG"), "{run:?}");
    // Words that stand elsewhere in the ledger's folder are told of.
    desk.remember("Carl Moss rents the barn.");
    fs::create_dir_all(desk.ledger().join("quarantine")).unwrap();
    fs::write(desk.ledger().join("notes"), "x Carl Moss rents the barn. x").unwrap();
    let carl = ["erase", "--mentions", "Carl Moss", "--as", "owner", "--yes", "--certificate", "c"];
    let run = desk.run(&carl);
    assert!(run.code == 1 && run.err.contains("still stand in notes"), "{run:?}");
    // A file that is there is kept, and nothing is erased.
    desk.remember("Emil Brandt rents the loft.");
    let emil =
        ["erase", "--mentions", "Emil Brandt", "--as", "owner", "--yes", "--certificate", "c"];
    desk.refused(1, &emil, &["c exists"]);
    assert!(desk.ok(&["list"]).out.contains("Emil"));
    // Without a key nothing is erased.
    let keyless = Desk::new();
    keyless.remember("Dora Lind rents the shed.");
    let dora = ["erase", "--mentions", "Dora", "--as", "owner", "--yes", "--certificate", "d"];
    keyless.refused(4, &dora, &["config keys new"]);
    assert!(keyless.ok(&["list"]).out.contains("Dora"));
}
