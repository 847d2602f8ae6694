use memlith::prove::Level;
use memlith::verify;

use crate::people::{Home, Machine};

fn settle(machines: &[&Machine]) {
    for _ in 0..2 {
        for machine in machines {
            machine.run();
        }
    }
}

#[test]
fn three_machines_answer_the_same_and_each_item_cites_its_own_ledger() {
    let home = Home::new();
    let [desk, laptop, phone] = home.machines(["desk", "laptop", "phone"]);
    desk.says("The staging database runs Postgres 15.");
    laptop.says("Deploys of the shop go out on Tuesdays.");
    let newest = phone.says("The staging database runs Postgres 16.");
    phone.says("Deploys of the shop go out on Tuesdays.");
    settle(&[&desk, &laptop, &phone]);
    let question = "which Postgres does the staging database run?";
    for machine in [&desk, &laptop, &phone] {
        let pack = machine.ledger.checkout(&machine.ana, question).unwrap().pack;
        let said: Vec<&str> = pack.items.iter().map(|item| item.excerpt.text.as_str()).collect();
        assert_eq!(
            said,
            ["The staging database runs Postgres 16.", "The staging database runs Postgres 15."]
        );
        assert_eq!(pack.items[0].citation, phone.ledger.cite(newest));
        assert_eq!(pack.items[1].why.later, Some(newest));
        assert_eq!(
            machine.answers("when do deploys go out?"),
            ["Deploys of the shop go out on Tuesdays."]
        );
        // Nothing ended in anybody's ledger.
        assert_eq!(machine.ledger.audit().receipts().unwrap().len(), 2);
    }
    for (machine, other) in [(&desk, &laptop), (&laptop, &phone), (&phone, &desk)] {
        let copy = machine.copy_of(other);
        let report = verify(&copy, Level::Full).unwrap();
        assert!(report.is_ok(), "{:?}", report.findings);
    }
    // Observations are records: once they are carried there is nothing new.
    settle(&[&desk, &laptop, &phone]);
    for machine in [&desk, &laptop, &phone] {
        let run = machine.run();
        let moved = |one: &memlith_sync::RemoteRun| one.bytes_in + one.bytes_out;
        assert_eq!(run.remotes.iter().map(moved).sum::<u64>(), 0);
    }
}

#[test]
fn what_another_machine_forgot_replaced_and_brought_back_holds_everywhere() {
    let home = Home::new();
    let [desk, laptop] = home.machines(["desk", "laptop"]);
    let wrong = desk.says("The office is closed on Fridays.");
    settle(&[&desk, &laptop]);
    let copy = laptop.ledger.beside().remove(0);
    let said = |what| {
        laptop.ledger.say_elsewhere(&laptop.ana, (&copy, wrong), (what, None)).unwrap();
        settle(&[&laptop, &desk]);
    };
    use memlith::log::SaidElsewhere::{Forgotten, ReplacedBy, Restored};
    let question = "when is the office closed?";
    said(Forgotten);
    for machine in [&desk, &laptop] {
        assert!(machine.answers(question).is_empty());
    }
    said(Restored);
    for machine in [&desk, &laptop] {
        assert_eq!(machine.answers(question), ["The office is closed on Fridays."]);
    }
    let right = laptop.says("The office is closed on Mondays.");
    said(ReplacedBy(right));
    for machine in [&desk, &laptop] {
        assert_eq!(machine.answers(question), ["The office is closed on Mondays."]);
    }
    // A program may not put out of sight what a person said.
    let tool = memlith::Caller::new("acme", "ci", memlith::Rank::Tool);
    let refused = laptop.ledger.say_elsewhere(&tool, (&copy, wrong), (Forgotten, None));
    assert!(matches!(refused, Err(memlith::Error::Rejected(_))), "{refused:?}");
}

#[test]
fn a_machine_confirms_and_pins_what_another_one_asks_for_once_and_by_its_own_rules() {
    use memlith::log::SaidElsewhere::{Confirmed, Pinned, Unpinned};
    let home = Home::new();
    let [desk, laptop] = home.machines(["desk", "laptop"]);
    let rule = desk.says("Never deploy on a Friday.");
    settle(&[&desk, &laptop]);
    let copy = laptop.ledger.beside().remove(0);
    let say = |caller, said| laptop.ledger.say_elsewhere(caller, (&copy, rule), (said, None));
    let salience = |machine: &Machine| {
        let found = machine.ledger.recall(&machine.ana, "deploy on a Friday", 1).unwrap();
        found[0].why.salience.to_string().parse::<f64>().unwrap()
    };
    let before = salience(&desk);
    say(&laptop.ana, Pinned).unwrap();
    say(&laptop.ana, Confirmed { verified: true }).unwrap();
    // A program may not take off what a person pinned, nor pin.
    let tool = memlith::Caller::new("acme", "ci", memlith::Rank::Tool);
    for said in [Pinned, Unpinned] {
        let refused = say(&tool, said);
        assert!(matches!(refused, Err(memlith::Error::Rejected(_))), "{refused:?}");
    }
    settle(&[&laptop, &desk]);
    let pinned = |machine: &Machine| {
        let own = machine.ledger.pinned(&machine.ana).unwrap().len();
        own + machine.ledger.beside()[0].pinned(&machine.ana).unwrap().len()
    };
    assert_eq!((pinned(&desk), pinned(&laptop)), (1, 1));
    assert!(salience(&desk) > before * 1.4 && salience(&laptop) > before * 1.4);
    // A machine that has lost the copy takes the same remarks in again, and does nothing twice.
    let last = desk.ledger.head().seq;
    std::fs::remove_dir_all(desk.copy_of(&laptop)).unwrap();
    desk.run();
    assert_eq!(desk.ledger.refresh().unwrap().seq, last);
    say(&laptop.ana, Unpinned).unwrap();
    settle(&[&laptop, &desk]);
    assert_eq!((pinned(&desk), pinned(&laptop)), (0, 0));
}

#[test]
fn what_another_machine_said_is_done_where_the_item_is_and_can_be_taken_back_there() {
    use memlith::log::SaidElsewhere::{Confirmed, Forgotten, Pinned, Restored, Unpinned};
    let home = Home::new();
    let [desk, laptop, phone] = home.machines(["desk", "laptop", "phone"]);
    let [wrong, rule] = ["The office is closed on Fridays.", "Deploys go out on Tuesdays."]
        .map(|text| desk.says(text));
    settle(&[&desk, &laptop, &phone]);
    let copy = laptop.ledger.holder(desk.ledger.id()).unwrap();
    let say = |id, said| laptop.ledger.say_elsewhere(&laptop.ana, (&copy, id), (said, None));
    let question = "when is the office closed?";
    // What waits is known: nothing is done to what is out of sight, and each is taken back once.
    assert!(say(wrong, Restored).is_err());
    say(wrong, Forgotten).unwrap();
    for said in [Forgotten, Pinned, Confirmed { verified: false }] {
        assert!(say(wrong, said).is_err(), "{said:?}");
    }
    say(rule, Pinned).unwrap();
    say(rule, Unpinned).unwrap();
    assert!(say(rule, Unpinned).is_err());
    assert!(laptop.answers(question).is_empty());
    assert_eq!(laptop.ledger.waiting_elsewhere().unwrap().len(), 3);
    settle(&[&laptop, &desk, &phone, &laptop]);
    assert_eq!(laptop.ledger.waiting_elsewhere().unwrap(), []);
    // Its own machine says who put it out of sight, and brings it back; so does every other.
    let shown = desk.ledger.inspect(&desk.ana, wrong).unwrap().item.unwrap().shown;
    assert_eq!(shown.authority, memlith::Authority::Invalidated);
    let back = memlith::Change::Reconfirm { reason: None };
    let _ = desk.ledger.change(&desk.ana, back, wrong).unwrap();
    settle(&[&desk, &laptop, &phone]);
    for machine in [&desk, &laptop, &phone] {
        assert_eq!(machine.answers(question), ["The office is closed on Fridays."]);
    }
    // What two machines said while its own was away is done by when it was said.
    say(wrong, Forgotten).unwrap();
    for machine in [&laptop, &phone] {
        machine.run();
    }
    let copy_of_phone = phone.ledger.holder(desk.ledger.id()).unwrap();
    let said = (Restored, None);
    phone.ledger.say_elsewhere(&phone.ana, (&copy_of_phone, wrong), said).unwrap();
    settle(&[&phone, &desk, &laptop, &phone]);
    for machine in [&desk, &laptop, &phone] {
        assert_eq!(machine.answers(question), ["The office is closed on Fridays."]);
    }
    // Where both forget it at once, what comes second is declined, and hides nothing later.
    say(wrong, Forgotten).unwrap();
    let gone = memlith::Change::Invalidate { weight: None, reason: None };
    let _ = desk.ledger.change(&desk.ana, gone, wrong).unwrap();
    settle(&[&laptop, &desk]);
    assert_eq!(laptop.ledger.waiting_elsewhere().unwrap(), []);
    let back = memlith::Change::Reconfirm { reason: None };
    let _ = desk.ledger.change(&desk.ana, back, wrong).unwrap();
    settle(&[&desk, &laptop, &phone]);
    for machine in [&desk, &laptop, &phone] {
        assert_eq!(machine.answers(question), ["The office is closed on Fridays."]);
    }
    // What its own machine forgot is brought back from another one.
    let gone = memlith::Change::Invalidate { weight: None, reason: None };
    let _ = desk.ledger.change(&desk.ana, gone, wrong).unwrap();
    settle(&[&desk, &laptop]);
    say(wrong, Restored).unwrap();
    settle(&[&laptop, &desk, &phone, &laptop]);
    for machine in [&desk, &laptop, &phone] {
        assert_eq!(machine.answers(question), ["The office is closed on Fridays."]);
    }
}

#[test]
fn who_has_no_code_is_neither_read_nor_sent_to() {
    let home = Home::new();
    let [desk] = home.machines(["desk"]);
    desk.says("The safe opens with 4711.");
    let thief = home.machine("thief");
    thief.add(&home.place, None).unwrap();
    thief.says("The safe opens with 1234.");
    for _ in 0..2 {
        thief.run();
        let run = desk.run();
        assert_eq!(run.remotes[0].strangers, ["thief"]);
    }
    assert!(thief.ledger.beside().is_empty());
    assert!(desk.ledger.beside().is_empty());
    assert!(!crate::people::holds(&home.folder_of_place(), "4711"));
}

#[test]
fn a_machine_that_was_given_up_gets_nothing_more_and_the_others_learn_of_it() {
    let home = Home::new();
    let [desk, laptop, phone] = home.machines(["desk", "laptop", "phone"]);
    desk.says("The first word is alder.");
    settle(&[&desk, &laptop, &phone]);
    desk.sync().remove_machine("phone").unwrap();
    settle(&[&desk, &laptop]);
    desk.says("The second word is birch.");
    laptop.says("The third word is cedar.");
    settle(&[&desk, &laptop]);
    phone.says("The fourth word is dogwood.");
    assert!(phone.problems().contains("gave this machine up"));
    settle(&[&desk, &laptop]);
    assert!(
        phone.answers("what is the first word?").contains(&"The first word is alder.".to_owned())
    );
    assert!(
        phone.answers("what is the second word, birch?").iter().all(|text| !text.contains("birch"))
    );
    assert!(
        phone.answers("what is the third word, cedar?").iter().all(|text| !text.contains("cedar"))
    );
    for machine in [&desk, &laptop] {
        assert!(
            machine.answers("the fourth word dogwood").iter().all(|text| !text.contains("dogwood"))
        );
        let status = machine.sync().status(&machine.ledger).unwrap().unwrap();
        assert_eq!((status.machines.len(), status.removed.len()), (1, 1));
    }
    // The old code lets nobody in.
    let codes = |machine: &Machine| machine.sync().status(&machine.ledger).unwrap().unwrap().code;
    assert_eq!(codes(&desk), codes(&laptop));
    assert_ne!(codes(&desk), codes(&phone));
}

#[test]
fn ledgers_that_were_copied_by_hand_are_named() {
    let home = Home::new();
    let [desk, laptop] = home.machines(["desk", "laptop"]);
    desk.says("The first word is alder.");
    settle(&[&desk, &laptop]);
    // With its folder `sync`: two machines of one name.
    let twin = home.path().join("twin");
    let copied = std::process::Command::new("cp").arg("-a").args([&desk.dir, &twin]).status();
    assert!(copied.unwrap().success());
    let open = |dir: &std::path::Path| Machine {
        dir: dir.to_owned(),
        ledger: memlith::Ledger::open(dir, memlith::Options::default()).unwrap(),
        ana: desk.ana.clone(),
    };
    let twin = open(&twin);
    twin.says("The second word is birch.");
    twin.run();
    desk.says("The second word is beech.");
    assert!(desk.problems().contains("its folder was"), "{}", desk.problems());
    // Without it: another machine that writes the same ledger.
    twin.sync().remove_all().unwrap();
    let code = laptop.sync().status(&laptop.ledger).unwrap().unwrap().code;
    twin.add(&home.place, Some(&code)).unwrap();
    twin.run();
    assert!(desk.problems().contains("copied by hand"), "{}", desk.problems());
    // What both wrote before one was copied is one; what came after is another history.
    let problems = laptop.problems();
    assert!(problems.contains("differ at record"), "{problems}");
    assert_eq!(laptop.answers("what is the first word?"), ["The first word is alder."]);
}
