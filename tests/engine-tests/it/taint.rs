//! Tests of the list of all that an item has led to.

use memlith::{
    Authority, Remember,
    log::LinkKind,
    write::{TaskReport, TaskResult},
};

use crate::world::{World, ana, ask, export, fact, invalidate, say, words};

#[test]
fn a_taint_follows_every_link_and_showing() {
    let world = World::new();
    let ledger = world.init();
    let port = |value: &str| fact(&format!("Staging is on {value}."), "staging", "port", value);
    let before = say(&ledger, "An unrelated note.");
    let root = ledger.remember(&ana(), port("5432")).unwrap().id;
    let resting = |text: &str, on| Remember { rests_on: vec![on], ..words(text) };
    let claim = ledger.remember(&ana(), resting("The firewall opens it.", root)).unwrap().id;
    let deeper = ledger.remember(&ana(), resting("So deploys work.", claim)).unwrap().id;
    let shown = ask(&ledger, "so deploys work").observed.unwrap();
    let report = TaskReport { result: TaskResult::Success, ..TaskReport::default() };
    let outcome = ledger.report_shown(&ana(), shown, report).unwrap().seq;
    let newer = ledger.remember(&ana(), port("6543")).unwrap().id;
    let unrelated = say(&ledger, "Another unrelated note.");
    let found = ledger.taint(&ana(), root).unwrap();
    let way = |seq| {
        let one = found.iter().find(|one| one.id.seq == seq)?;
        Some((one.from, one.link, one.distance))
    };
    assert_eq!(way(claim.seq), Some((root, Some(LinkKind::RestsOn), 1)));
    assert_eq!(way(deeper.seq), Some((claim, Some(LinkKind::RestsOn), 2)));
    assert!(matches!(way(shown.seq), Some((_, None, _))));
    assert!(matches!(way(outcome), Some((from, Some(LinkKind::ShownIn), _)) if from == shown));
    assert_eq!(way(newer.seq), Some((root, Some(LinkKind::Supersedes), 1)));
    assert_eq!((way(before.seq), way(unrelated.seq)), (None, None));
    let elsewhere = memlith::Caller::user("elsewhere", "eva");
    assert!(ledger.taint(&elsewhere, root).is_err());
    let end = export(&ledger).len();
    ledger.taint(&ana(), deeper).unwrap();
    assert_eq!(export(&ledger).len(), end, "a look changes no byte");
    invalidate(&ledger, root);
    let found = ledger.taint(&ana(), root).unwrap();
    let stale = found.iter().filter(|one| one.authority == Some(Authority::Stale));
    let stale: Vec<_> = stale.map(|one| one.id).collect();
    assert_eq!(stale, [claim], "it goes with its cascade; what an outcome confirmed stands");
}
