use memlith::forget::ErasureFilter;
use memlith::{Caller, Rank};

use crate::people::{Home, Machine, holds};

fn erase(machine: &Machine, word: &str) {
    let owner = Caller::new("acme", "ana", Rank::Owner);
    let filter = ErasureFilter { mentions: Some(word.to_owned()), ..ErasureFilter::default() };
    machine.ledger.erasure().erase_matching(&owner, &filter).unwrap();
}

#[test]
fn what_was_erased_on_one_machine_is_gone_from_all_and_stays_away() {
    let home = Home::new();
    let [desk, laptop] = home.machines(["desk", "laptop"]);
    desk.says("The safe of the office opens with zebra.");
    for index in 0..40 {
        desk.says(&format!("Shelf {index} holds folders of customer {index}."));
    }
    for machine in [&desk, &laptop, &desk, &laptop] {
        machine.run();
    }
    assert!(holds(&laptop.copy_of(&desk), "zebra"));
    // A question that its item alone answered, and that nobody else has yet, goes too.
    assert_eq!(laptop.answers("zebra safe").len(), 1);
    laptop.ledger.settle().unwrap();
    erase(&desk, "zebra");
    for machine in [&desk, &laptop] {
        machine.run();
    }
    assert!(!holds(home.path(), "zebra"));
    let again = laptop.ledger.remember(&laptop.ana, "The safe of the office opens with zebra.");
    assert!(matches!(again, Err(memlith::Error::Rejected(_))), "{again:?}");
    assert_eq!(
        laptop.answers("what does shelf 7 hold?")[0],
        "Shelf 7 holds folders of customer 7."
    );
    // A machine that joins later gets the records without the words.
    let code = desk.sync().status(&desk.ledger).unwrap().unwrap().code;
    let phone = home.machine("phone");
    phone.add(&home.place, Some(&code)).unwrap();
    for machine in [&phone, &desk, &laptop, &phone] {
        machine.run();
    }
    assert_eq!(phone.ledger.beside().len(), 2);
    assert!(!holds(home.path(), "zebra"));
}

#[test]
fn an_owner_erases_on_one_machine_what_stands_in_the_ledgers_of_all() {
    let home = Home::new();
    let [desk, laptop] = home.machines(["desk", "laptop"]);
    for machine in [&desk, &laptop] {
        machine.says("The safe of the office opens with zebra.");
        machine.says("The office is closed on Mondays.");
    }
    for machine in [&desk, &laptop, &desk, &laptop] {
        machine.run();
    }
    let owner = Caller::new("acme", "ana", Rank::Owner);
    let filter = ErasureFilter { mentions: Some("zebra".to_owned()), ..ErasureFilter::default() };
    erase(&desk, "zebra");
    let copy = desk.ledger.beside().remove(0);
    let named = copy.erasure().would_erase_matching(&owner, &filter).unwrap();
    assert!(!named.is_empty());
    // A person of lower rank may not.
    let refused = desk.ledger.erasure().ask_elsewhere(&desk.ana, (&copy, &named));
    assert!(refused.is_err());
    desk.ledger.erasure().ask_elsewhere(&owner, (&copy, &named)).unwrap();
    assert!(
        desk.answers("what opens the safe of the office?")
            .iter()
            .all(|text| !text.contains("zebra"))
    );
    desk.run();
    let obeyed: u64 = laptop.run().remotes.iter().map(|one| one.obeyed).sum();
    assert!(obeyed > 0);
    for machine in [&desk, &laptop, &desk] {
        machine.run();
    }
    assert!(!holds(home.path(), "zebra"));
    for machine in [&desk, &laptop] {
        let again =
            machine.ledger.remember(&machine.ana, "The safe of the office opens with zebra.");
        assert!(matches!(again, Err(memlith::Error::Rejected(_))), "{again:?}");
        assert_eq!(
            machine.answers("when is the office closed?"),
            ["The office is closed on Mondays."]
        );
    }
}

#[test]
fn old_parts_open_nowhere_once_the_others_destroyed_their_keys() {
    let home = Home::new();
    let remote = home.path().join("remote.git");
    let git = |args: &[&str]| {
        let run = std::process::Command::new("git").args(args).arg(&remote).status();
        assert!(run.unwrap().success());
    };
    git(&["init", "--quiet", "--bare"]);
    let home = Home { place: format!("git:{}", remote.display()), ..home };
    let [desk, laptop] = home.machines(["desk", "laptop"]);
    desk.says("The safe of the office opens with zebra.");
    for machine in [&desk, &laptop, &desk, &laptop] {
        machine.run();
    }
    let keys = |machine: &Machine| {
        let text = std::fs::read_to_string(machine.dir.join("sync/machine.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        (json["newest"]["secret"].clone(), json["older"].as_array().unwrap().len())
    };
    let (before, _) = keys(&laptop);
    erase(&desk, "zebra");
    desk.run();
    let held = |machine: &Machine| {
        let status = machine.sync().status(&machine.ledger).unwrap().unwrap();
        status.remotes[0].may_hold.clone()
    };
    assert_eq!(held(&desk)[0].machines, ["laptop"]);
    laptop.run();
    assert_ne!(keys(&laptop).0, before);
    // It keeps the old key until nobody seals for it.
    assert_eq!(keys(&laptop).1, 1);
    for machine in [&desk, &laptop, &desk] {
        machine.run();
    }
    assert_eq!(keys(&laptop).1, 0);
    let text = std::fs::read_to_string(laptop.dir.join("sync/machine.json")).unwrap();
    assert!(!text.contains(before.as_str().unwrap()));
    assert!(held(&desk).is_empty());
}
