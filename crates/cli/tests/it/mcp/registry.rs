use serde_json::Value;

/// The registry's rules of its schema of 2025-12-11, those that a description like ours can break.
fn faults(server: &Value, version: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut check = |holds: bool, rule: &str| {
        if !holds {
            faults.push(rule.to_owned());
        }
    };
    let text = |name: &str| server[name].as_str().unwrap_or_default();
    let schema = text("$schema").strip_prefix("https://static.modelcontextprotocol.io/schemas/");
    check(schema == Some("2025-12-11/server.schema.json"), "$schema is the one that is checked");
    let is_named = |part: &str, more: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    let name = text("name").split_once('/');
    let is_name = name.is_some_and(|(space, own)| {
        is_named(space, ".-") && space.contains('.') && is_named(own, "._-")
    });
    check(is_name && (3..=200).contains(&text("name").len()), "name is namespace/name");
    check((1..=100).contains(&text("description").len()), "description has 1 to 100 characters");
    check((1..=100).contains(&text("title").len()), "title has 1 to 100 characters");
    check(text("version") == version, "version is that of the program");
    for package in server["packages"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let text = |name: &str| package[name].as_str().unwrap_or_default();
        check(!text("registryType").is_empty(), "a package has registryType");
        check(!text("identifier").is_empty(), "a package has identifier");
        check(text("version") == version, "a package has one exact version");
        let transport = &package["transport"];
        let has_url = transport["url"].as_str().is_some_and(|url| url.starts_with("http"));
        let is_one = match transport["type"].as_str() {
            Some("stdio") => transport["url"].is_null(),
            Some("streamable-http" | "sse") => has_url,
            _ => false,
        };
        check(is_one, "a package has a transport");
    }
    let known = ["$schema", "name", "title", "description", "version", "packages", "_meta"];
    let fields = server.as_object().unwrap();
    check(fields.keys().all(|key| known.contains(&key.as_str())), "no other field");
    let meta = fields["_meta"].as_object().unwrap();
    let own = "io.modelcontextprotocol.registry/publisher-provided";
    check(meta.keys().all(|key| key == own), "_meta has the publisher's part alone");
    faults
}

#[test]
fn the_description_for_the_registry_is_what_its_schema_wants() {
    let version = env!("CARGO_PKG_VERSION");
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../server.json"));
    let server: Value = serde_json::from_str(&text.unwrap()).unwrap();
    assert_eq!(faults(&server, version), [""; 0]);
    // Nothing is published: no package, no address that anyone could be sent to.
    assert_eq!(server["packages"], Value::Array(Vec::new()));
    let spoilt = [
        ("name", Value::from("memlith")),
        ("name", "a/b/c".into()),
        ("description", "x".repeat(101).into()),
        ("version", "latest".into()),
        ("packages", serde_json::json!([{"registryType": "npm", "identifier": "memlith"}])),
        ("remote", "https://example.org".into()),
    ];
    for (field, value) in spoilt {
        let mut spoilt = server.clone();
        spoilt[field] = value;
        assert!(!faults(&spoilt, version).is_empty(), "{field}");
    }
}
