//! Single batches in a real FalkorDB: what is refused, erased, or replaced.

use memlith_delivery::{Batch, Item, Sink, Verdict};
use serde_json::json;

use crate::falkordb::Graph;

fn item(id: &str, kind: &str, key: &str, version: u64, data: serde_json::Value) -> Item {
    let (id, kind, key) = (id.to_owned(), kind.to_owned(), key.to_owned());
    Item { id, kind, key, version, hash: "ab".to_owned(), data }
}

fn batch(id: &str, items: &[Item]) -> Batch {
    Batch { id: id.to_owned(), items: items.to_vec() }
}

/// Items of a batch that the graph has not, each with the error.
fn refused(verdict: Verdict) -> Vec<(String, String)> {
    let Verdict::Done { results, .. } = verdict else { panic!("{verdict:?}") };
    let results = results.into_iter().filter(|one| !one.applied);
    results.map(|one| (one.id, one.error.unwrap_or_default())).collect()
}

#[test]
fn what_is_refused_stays_refused_when_the_answer_is_lost() {
    let Some(graph) = Graph::start() else { return };
    let basin = |id: &str, links: serde_json::Value| {
        let data = json!({"strength": 1, "summary": "s", "links": links});
        item(id, "basin.strengthened", id, 1, data)
    };
    // Two that fail when they run, behind what they write.
    let mut items = [
        basin("mem_1_0a", json!(["mem_9_aa"])),
        basin("mem_2_0a", json!([null])),
        basin("mem_3_0a", json!([])),
        basin("mem_4_0a", json!([])),
    ];
    items[2].data["links"] = json!(["mem_9_aa", null]);
    let first = refused(graph.sink().deliver(&batch("b", &items), 0));
    let ids: Vec<&str> = first.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["mem_2_0a", "mem_3_0a"], "{first:?}");
    assert!(first.iter().all(|(_, reason)| !reason.is_empty()), "{first:?}");
    let before = graph.whole();
    // Nobody got that answer: the same batch once more, and once more.
    assert_eq!(refused(graph.sink().deliver(&batch("b", &items), 0)), first);
    graph.kill();
    assert_eq!(refused(graph.sink().deliver(&batch("b", &items), 0)), first);
    assert_eq!(graph.whole(), before);
    let has = graph.rows("MATCH (b:Basin) RETURN b.id, b.strengthened ORDER BY b.id").unwrap();
    assert!(!has.contains("mem_2_0a") && !has.contains("int(2)"), "{has}");
    // What is mended is applied under the same name.
    (items[1].data["links"], items[2].data["links"]) = (json!([]), json!([]));
    assert_eq!(refused(graph.sink().deliver(&batch("b", &items), 0)), []);
    let has = graph.rows("MATCH (b:Basin) RETURN sum(b.strengthened), count(b)").unwrap();
    assert!(has.contains('4') && !has.contains('5'), "{has}");
}

#[test]
fn an_erasure_takes_the_names_that_nothing_else_mentions() {
    let Some(graph) = Graph::start() else { return };
    let sink = graph.sink();
    let session = |id: &str, version, names: &[&str]| {
        let data = json!({"summary": "s", "minutes": 1, "entities": names});
        item(id, "session.ended", id, version, data)
    };
    let model = json!({"old_basins": ["kept", "lost"], "new_basins": ["kept"], "trigger": "t"});
    let basin = json!({"strength": 1, "summary": "secret", "links": ["mem_7_aa", "mem_8_aa"]});
    let items = [
        session("mem_1_0a", 1, &["Norma", "Rigoletto"]),
        session("mem_2_0a", 2, &["Norma"]),
        item("mem_3_0a", "model.revised", "sea", 3, model),
        item("mem_4_0a", "basin.strengthened", "kept", 4, basin.clone()),
        item("mem_5_0a", "basin.strengthened", "lone", 5, basin.clone()),
        item("mem_8_aa", "memory", "mem_8_aa", 6, json!({"text": "said", "occurred_at": "x"})),
    ];
    assert_eq!(refused(sink.deliver(&batch("a", &items), 0)), []);
    let erase = |name: &str, ids: &[&str]| {
        let gone = ids.iter().map(|id| item(id, "tombstone", id, 1, serde_json::Value::Null));
        let gone: Vec<Item> = gone.collect();
        assert_eq!(refused(sink.deliver(&batch(name, &gone), 0)), []);
    };
    let has = |name: &str| graph.whole().contains(name);
    erase("b", &["mem_1_0a", "mem_4_0a", "mem_5_0a"]);
    assert!(has("Norma") && !has("Rigoletto"), "{}", graph.whole());
    // A basin that a model names stays as its name, without what was said of it.
    assert!(has("kept") && !has("secret") && !has("lone") && !has("mem_7_aa"), "{}", graph.whole());
    let edges = graph.rows("MATCH (:Model)-[r]->(:Basin) RETURN count(r)").unwrap();
    assert!(edges.contains("int(3)"), "{edges}");
    erase("c", &["mem_2_0a", "mem_3_0a", "mem_8_aa"]);
    for name in ["Norma", "kept", "lost", "said"] {
        assert!(!has(name), "{name}: {}", graph.whole());
    }
    // What comes late brings nothing back.
    let late = [items[5].clone(), item("mem_9_0a", "basin.strengthened", "late", 9, basin)];
    assert_eq!(refused(sink.deliver(&batch("d", &[&items[..1], &late].concat()), 0)), []);
    let memories = graph.rows("MATCH (m:Memory) RETURN m.id").unwrap();
    assert!(memories.contains("mem_7_aa") && !memories.contains("mem_8_aa"), "{memories}");
    assert!(!has("Norma") && !has("said"), "{}", graph.whole());
}

#[test]
fn a_newer_version_replaces_the_edges_of_its_key() {
    let Some(graph) = Graph::start() else { return };
    let data = |version: u64, names: [&str; 2]| {
        let of =
            |id: u64, kind: &str, data| item(&format!("mem_{id}_0a"), kind, "k", version, data);
        [
            of(version, "session.ended", json!({"summary": "s", "minutes": 1, "entities": names})),
            of(
                version + 100,
                "model.revised",
                json!({"old_basins": names, "new_basins": names, "trigger": version.to_string()}),
            ),
            of(
                version + 200,
                "basin.strengthened",
                json!({"strength": version, "summary": "s", "links": names}),
            ),
        ]
    };
    let edges = || {
        let query = "MATCH (a {key: 'k'})-[r]->(b) RETURN labels(a)[0] + ' ' + type(r) + ' ' + \
                     coalesce(b.name, b.key, b.id) AS edge, properties(r) ORDER BY edge";
        graph.rows(query).unwrap()
    };
    assert_eq!(refused(graph.sink().deliver(&batch("a", &data(1, ["x", "y"])), 0)), []);
    assert_eq!(refused(graph.sink().deliver(&batch("b", &data(2, ["y", "z"])), 0)), []);
    let newer = edges();
    for edge in ["MENTIONS", "HAD", "REVISED_TO", "ATTRACTS"] {
        assert!(!newer.contains(&format!("{edge} x")), "{newer}");
        for kept in ["y", "z"] {
            assert_eq!(newer.matches(&format!("{edge} {kept}")).count(), 1, "{newer}");
        }
    }
    // One that comes late changes nothing.
    assert_eq!(refused(graph.sink().deliver(&batch("c", &data(1, ["x", "y"])), 0)), []);
    assert_eq!(edges(), newer);
    // The same in a graph of the newer alone.
    graph.drop_all();
    assert_eq!(refused(graph.sink().deliver(&batch("d", &data(2, ["y", "z"])), 0)), []);
    assert_eq!(edges(), newer);
}
