//! The keys that a page states, beside those that are printed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::harness::Run;

/// Paths of keys by verb: `items[].id`; `x.*` is any key, `x.**` any keys below.
pub(crate) type Keys = BTreeMap<String, BTreeSet<String>>;

/// Every key that is printed is stated, and every key that is stated is printed.
pub(crate) fn compare(documented: &Keys, printed: &Keys) {
    for (verb, keys) in printed {
        let stated = documented.get(verb).unwrap_or_else(|| panic!("{verb} has no section"));
        for key in keys {
            assert!(stated.iter().any(|stated| covers(stated, key)), "{verb} prints {key}");
        }
    }
    // Verbs of one section share a table, and need not each print all of it.
    for (verb, stated) in documented {
        let section = documented.iter().filter(|(_, other)| *other == stated);
        let keys: Vec<&String> =
            section.filter_map(|(verb, _)| printed.get(verb)).flatten().collect();
        for stated in stated {
            assert!(keys.iter().any(|key| covers(stated, key)), "{verb} never prints {stated}");
        }
    }
    let silent =
        documented.iter().filter(|(verb, keys)| !keys.is_empty() && !printed.contains_key(*verb));
    assert_eq!(
        silent.map(|(verb, _)| verb).collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "never run"
    );
}

/// Takes in the keys that a run of `verb` printed.
pub(crate) fn say(keys: &mut Keys, verb: &str, run: &Run) {
    let keys = keys.entry(verb.to_owned()).or_default();
    for line in run.out.lines() {
        collect(&serde_json::from_str(line).unwrap(), "", keys);
    }
    assert!(!run.out.is_empty(), "{verb}: {run:?}");
}

/// The keys in the tables of the sections `### ` + verbs in backticks.
pub(crate) fn documented(page: &str) -> Keys {
    let mut keys = Keys::new();
    let mut verbs: Vec<String> = Vec::new();
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            verbs = title.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            keys.extend(verbs.iter().map(|verb| (verb.clone(), BTreeSet::new())));
        } else if line.starts_with("## ") {
            verbs.clear();
        } else if let Some(row) = line.strip_prefix("| `") {
            let (key, _) = row.split_once('`').unwrap();
            for verb in &verbs {
                keys.get_mut(verb).unwrap().insert(key.to_owned());
            }
        }
    }
    keys
}

fn covers(stated: &str, key: &str) -> bool {
    let mut parts = key.split('.');
    for stated in stated.split('.') {
        match (stated, parts.next()) {
            ("**", rest) => return rest.is_some(),
            ("*", Some(_)) => {}
            (stated, part) if part == Some(stated) => {}
            (_, _) => return false,
        }
    }
    parts.next().is_none()
}

fn collect(value: &Value, path: &str, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                collect(value, &path, keys);
                keys.insert(path);
            }
        }
        Value::Array(values) => {
            values.iter().for_each(|value| collect(value, &format!("{path}[]"), keys));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
