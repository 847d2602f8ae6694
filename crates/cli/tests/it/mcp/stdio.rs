use std::path::Path;

use serde_json::{Value, json};

use super::session::{Called, Session, ranks};
use crate::harness::Desk;

const FULL: [&str; 3] = ["--profile", "full", "--allow-erase"];

/// The names of the tools that a server lists.
fn listed(session: &mut Session) -> Vec<String> {
    let answer = session.ask("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_tools_are_those_of_the_profile() {
    let desk = Desk::new();
    let standard = [
        "checkout", "remember", "search", "list", "update", "forget", "outcome", "explain",
        "status",
    ];
    let more = ["review", "history", "trace", "procedures", "compact", "audit"];
    let named = |names: &[&str]| -> Vec<String> {
        names.iter().map(|name| format!("memory_{name}")).collect()
    };
    for (args, expected) in [
        (&[][..], named(&standard)),
        (&["--profile", "full"], named(&[&standard[..], &more].concat())),
        (&["--allow-erase"], named(&[&standard[..], &["erase"]].concat())),
    ] {
        let mut session = Session::begun(&desk, args);
        assert_eq!(listed(&mut session), expected, "{args:?}");
        assert_eq!(session.end(), 0);
    }
}

#[test]
fn every_tool_says_what_it_takes_and_what_it_may_do() {
    let mut session = Session::begun(&Desk::new(), &FULL);
    let answer = session.ask("tools/list", json!({}));
    for tool in answer["result"]["tools"].as_array().unwrap() {
        let (schema, hints) = (&tool["inputSchema"], &tool["annotations"]);
        assert_eq!(schema["type"], "object", "{tool}");
        assert!(!tool["description"].as_str().unwrap().is_empty());
        assert!(!schema.to_string().contains("rank"), "{schema}");
        assert!(!schema.to_string().contains("\"null\""), "{schema}");
        let name = tool["name"].as_str().unwrap();
        let ends = ["memory_update", "memory_forget", "memory_erase"].contains(&name);
        let reads = hints["readOnlyHint"] == true;
        assert!(reads || hints["destructiveHint"] == ends, "{name}");
        assert_eq!(hints["openWorldHint"], false, "{name}");
    }
}

#[test]
fn a_memory_goes_its_whole_way_through_the_tools() {
    let desk = Desk::new();
    let mut session = Session::begun(&desk, &[]);
    let old = session.done("memory_remember", json!({"text": "The API listens on port 8080"}));
    assert_eq!(old.text, format!("{}  added\n", old.id()));
    let new = session.done("memory_remember", json!({"text": "The API listens on port 9090"}));
    assert!(new.text.starts_with(&format!("{}  superseded\n", new.id())), "{}", new.text);
    let ended = format!("ended {}: \"The API listens on port 8080\"", old.id());
    assert!(new.text.contains(&ended), "{}", new.text);
    let shown = session.done("memory_checkout", json!({"query": "which port?"}));
    assert!(shown.text.contains("- \"The API listens on port 9090\" [assistant 3"), "{shown:?}");
    assert!(shown.text.contains("observed as mem_"), "{shown:?}");
    let observation = shown.text.lines().next().and_then(|line| line.split("observed as ").nth(1));
    session.done("memory_outcome", json!({"result": "success", "shown_in": observation}));
    let found = session.done("memory_search", json!({"query": "port", "limit": 1}));
    assert!(found.text.contains(cite(&new.id())), "{found:?}");
    let past = session.done("memory_search", json!({"query": "port", "as_of": "2"}));
    assert!(past.text.contains(cite(&old.id())), "{past:?}");
    let right = json!({"id": new.id(), "text": "The API listens on port 7070"});
    let right = session.done("memory_update", right);
    assert_eq!(right.json["outcome"], "corrected");
    let gone = json!({"ids": [right.id()], "reason": "moved"});
    assert_eq!(session.done("memory_forget", gone).json["outcome"], "changed");
    let status = json!({"status": "invalidated"});
    let listed = session.done("memory_list", status);
    assert_eq!(listed.json["items"][0]["id"], right.json["id"]);
    let why = session.done("memory_explain", json!({"id": right.id()}));
    assert_eq!(why.json["authority"], "invalidated");
    assert_eq!(session.done("memory_status", json!({})).json["memories"]["invalidated"], 1);
    assert_eq!(session.end(), 0);
    desk.ok(&["verify", "--full"]);
}

/// An answer of a tool is what the command line prints: there is one definition of both.
#[test]
fn an_answer_is_that_of_the_command_line() {
    let desk = Desk::new();
    desk.remember("Ana drinks tea.");
    let mut session = Session::begun(&desk, &FULL);
    for (tool, arguments, args) in [
        ("memory_list", json!({}), &["list"][..]),
        ("memory_history", json!({"id": "2"}), &["show", "--history", "2"]),
        ("memory_trace", json!({"id": "2"}), &["show", "--sources", "2"]),
        ("memory_review", json!({"do": "list"}), &["review", "list"]),
        ("memory_procedures", json!({}), &["procedures", "find", "--dry-run"]),
        ("memory_compact", json!({"dry_run": true}), &["maintain", "compact", "--dry-run"]),
        ("memory_audit", json!({}), &["verify", "receipts"]),
    ] {
        let called = session.done(tool, arguments);
        assert_eq!(called.json, desk.json(args), "{tool}");
    }
}

/// Clients give their model the structured form where there is one, and drop the text.
#[test]
fn words_of_memories_stand_once_and_within_the_budget() {
    let desk = Desk::new();
    for number in 0..40 {
        desk.remember(&format!("Crate number {number} of the red ship stands in hall {number}."));
    }
    let mut session = Session::begun(&desk, &[]);
    for tokens in [200, 500, 1_000] {
        let asked = json!({"query": "red ship", "budget_tokens": tokens});
        let shown = session.done("memory_checkout", asked);
        assert!(shown.json.is_null(), "{shown:?}");
        assert!(shown.text.len() <= 4 * tokens * 11 / 10, "{} of {tokens}", shown.text.len());
    }
    assert!(session.done("memory_search", json!({"query": "red ship"})).json.is_null());
    assert_eq!(session.end(), 0);
}

/// The short form of an id, as texts for models have it.
fn cite(id: &str) -> &str {
    let hash = id.rfind('_').unwrap_or_default();
    id.get(..hash + 5).unwrap_or(id)
}

#[test]
fn no_argument_claims_a_rank() {
    let desk = Desk::new();
    let mine = desk.remember("The API listens on port 8080");
    let mut session = Session::begun(&desk, &FULL);
    let text = "The API listens on port 9090";
    for (name, value) in [
        ("rank", json!("owner")),
        ("as", json!("owner")),
        ("actor", json!({"rank": "owner"})),
        ("origin", json!("user")),
        ("scope", json!("all")),
        ("ledger", json!("/elsewhere")),
        ("now", json!("2020-01-01")),
        ("tier", json!(4)),
    ] {
        let mut arguments = json!({"text": text});
        arguments[name] = value;
        let called = session.call("memory_remember", arguments);
        assert!(called.is_error && called.text.contains(name), "{name}: {called:?}");
    }
    // Nor does a text, an id or a reason that looks like a flag.
    let flags = ["--as=owner", "--as", "--now=2020-01-01", "--help", "--version"];
    for flag in flags {
        let called = session.call("memory_forget", json!({"ids": [&mine, flag]}));
        assert!(called.is_error, "{called:?}");
        let reason = json!({"ids": [&mine], "reason": flag});
        let called = session.done("memory_forget", reason);
        assert_eq!(called.json["outcome"], "disputed", "{called:?}");
        assert!(called.text.contains("disputed: the rank is too low"), "{called:?}");
        session.done("memory_checkout", json!({"query": flag}));
    }
    let claim = session.done("memory_remember", json!({"text": text}));
    let accept = format!(
        "pending: it waits for review, and is not shown; a person other than \
                          its author accepts it with `memlith review accept {}`",
        claim.id()
    );
    assert!(claim.text.contains(&accept), "{}", claim.text);
    assert!(claim.json["notes"].as_str().unwrap().contains(&accept), "{}", claim.json);
    let erased = session.call("memory_erase", json!({"ids": [&mine]}));
    assert!(erased.is_error, "{erased:?}");
    assert_eq!(session.end(), 0);
    // A checkout is written down by the engine itself.
    assert_eq!(ranks(&desk, 3), ["assistant", "engine"]);
    let stands = desk.json(&["show", &mine]);
    assert_eq!(
        (&stands["authority"], &stands["text"]),
        (&json!("active"), &json!("The API listens on port 8080"))
    );
}

#[test]
fn the_person_who_starts_it_says_who_writes() {
    let desk = Desk::new();
    let mut session = Session::begun(&desk, &["--as", "user:ana", "--allow-erase"]);
    let own = session.done("memory_remember", json!({"text": "Ana drinks tea."}));
    assert_eq!(desk.json(&["show", &own.id()])["rank"], "user");
    // What a rank may not do, no flag lets it do.
    assert!(session.call("memory_erase", json!({"ids": [own.id()]})).is_error);
    session.kill();
    let mut owner = Session::begun(&desk, &["--as", "owner", "--allow-erase"]);
    let erased = owner.done("memory_erase", json!({"ids": [own.id()]}));
    assert!(erased.json["erased"].to_string().contains(&own.id()), "{erased:?}");
    assert_eq!(owner.end(), 0);
    assert_eq!(desk.json(&["show", &own.id()])["text"], Value::Null);
}

#[test]
fn wrong_arguments_are_told_to_the_model_and_do_nothing() {
    let desk = Desk::new();
    let mut session = Session::begun(&desk, &FULL);
    let answer = session.ask("tools/list", json!({}));
    let long = "x".repeat(10 << 20);
    for tool in answer["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        for arguments in [
            json!({"no such field": 1}),
            json!({"query": 1, "text": [], "id": {}, "ids": "x", "result": 7, "do": 1}),
            json!({"query": null, "text": null, "id": null, "ids": null, "do": "x"}),
            json!({"limit": -1, "budget_tokens": 1.5}),
        ] {
            let called = session.call(name, arguments.clone());
            assert!(called.is_error, "{name} {arguments}: {called:?}");
        }
    }
    for (tool, arguments) in [
        ("memory_remember", json!({"text": long})),
        ("memory_remember", json!({"text": ""})),
        ("memory_remember", json!({"text": "-"})),
        ("memory_remember", json!({"text": "x", "entity": "x"})),
        ("memory_remember", json!({"text": "x", "valid_from": "never"})),
        ("memory_remember", json!({"text": "x", "rests_on": ["mem_9_0123456789ab"]})),
        ("memory_checkout", json!({"query": "x", "budget_tokens": 0})),
        ("memory_checkout", json!({"query": "x", "as_of": "9999"})),
        ("memory_list", json!({"cursor": "\u{0}"})),
        ("memory_list", json!({"what": "passwords"})),
        ("memory_forget", json!({"ids": []})),
        ("memory_explain", json!({"id": "../../etc/passwd"})),
        ("memory_outcome", json!({"result": "success"})),
    ] {
        let called = session.call(tool, arguments);
        assert!(called.is_error && called.text.len() < 2_000, "{tool}: {}", called.text.len());
    }
    for tool in ["", "memory_", "memory_Checkout", "erase", "hook", "mcp", "../checkout"] {
        let answer = session.ask("tools/call", json!({"name": tool, "arguments": {}}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    assert_eq!(session.done("memory_status", json!({})).json["memories"], json!({}));
    assert_eq!(session.end(), 0);
}

#[test]
fn nul_and_what_is_invisible_is_kept_as_data() {
    let desk = Desk::new();
    let mut session = Session::begun(&desk, &[]);
    let text = "The \u{0}key\u{202e} is \u{e0041}hidden";
    let called = session.call("memory_remember", json!({"text": text}));
    if called.is_error {
        return;
    }
    let found = session.done("memory_search", json!({"query": "key hidden"}));
    assert!(!found.text.contains(['\u{0}', '\u{202e}', '\u{e0041}']), "{found:?}");
    assert_eq!(session.end(), 0);
}

#[test]
fn what_is_no_message_ends_nothing() {
    let desk = Desk::new();
    let mut session = Session::silent(&desk, &[]);
    // Before the beginning nobody is let in.
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "memory_remember", "arguments": {"text": "early"}})),
        ("resources/read", json!({"uri": "memlith://a/1#b"})),
    ] {
        let answer = session.ask(method, params);
        assert!(answer["error"]["code"].is_i64() && answer["result"].is_null(), "{answer}");
    }
    drop(session);
    let mut session = Session::begun(&desk, &[]);
    for line in [&b"{"[..], b"", b"not JSON", b"\xff\xfe\x00", b"{\"jsonrpc\":\"2.0\"", b"nul\x00l"]
    {
        session.raw(line);
        if !line.is_empty() {
            assert_eq!(session.next()["error"]["code"], -32700, "{line:?}");
        }
    }
    // What the library would drop is answered under its id: half an emoji, a byte that is no text,
    // a number that is none.
    let call = |query: &[u8], id: &str| {
        let begin =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"#);
        [begin.as_bytes(), br#""memory_search","arguments":{"query":"#, query, b"}}}"].concat()
    };
    for (query, id) in [
        (&br#""\ud83d""#[..], json!(70)),
        (br#""\udc00 x""#, json!("a b")),
        (b"\"\xe9\"", json!(71)),
        (b"1e400", json!(72)),
    ] {
        session.raw(&call(query, &id.to_string()));
        let answer = session.next();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &id), "{answer}");
    }
    // A batch is no message of this protocol, nor is one without what a request has.
    for line in [
        r#"[{"jsonrpc":"2.0","id":90,"method":"tools/list"}]"#,
        "[]",
        r#"{"jsonrpc":"2.0","id":91}"#,
        r#"{"jsonrpc":"1.0","id":92,"method":"tools/list"}"#,
        "7",
        "null",
    ] {
        session.raw(line.as_bytes());
        let answer = session.next();
        assert_eq!(answer["error"]["code"], -32600, "{line}: {answer}");
    }
    let answer = session.ask("no/such", json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    session.raw(
        format!(r#"{{"jsonrpc":"2.0","id":93,"method":"tools/call","params":{deep}}}"#).as_bytes(),
    );
    session.raw(&vec![b'x'; 20 << 20]);
    assert_eq!(session.done("memory_status", json!({})).json["memories"], json!({}));
    assert_eq!(session.end(), 0);
}

#[test]
fn a_hundred_calls_at_once_are_all_answered_and_nothing_is_lost() {
    let desk = Desk::new();
    let mut session = Session::begun(&desk, &[]);
    let ids: Vec<u64> = (0..100)
        .map(|number| {
            let arguments = json!({"text": format!("Machine {number} stands in hall {number}.")});
            session.send("tools/call", json!({"name": "memory_remember", "arguments": arguments}))
        })
        .collect();
    for id in ids {
        let called = Called::of(&session.answer(id));
        assert!(!called.is_error, "{called:?}");
    }
    assert_eq!(session.end(), 0);
    assert_eq!(desk.json(&["maintain", "stat"])["memories"]["active"], 100);
    desk.ok(&["verify", "--full"]);
}

#[test]
fn servers_and_commands_share_a_ledger() {
    let desk = Desk::new();
    let (mut one, mut two) = (Session::begun(&desk, &[]), Session::begun(&desk, &[]));
    for round in 0..8 {
        let text = |who: &str| json!({"text": format!("{who} wrote note {round} of {who}.")});
        let of_one = one.done("memory_remember", text("one")).id();
        two.done("memory_remember", text("two"));
        desk.remember(&format!("three wrote note {round} of three."));
        let query = json!({"query": format!("note {round}"), "limit": 50});
        for session in [&mut one, &mut two] {
            let found = session.done("memory_search", query.clone()).text;
            assert!(found.contains(cite(&of_one)), "{found}");
        }
    }
    assert_eq!((one.end(), two.end()), (0, 0));
    assert_eq!(desk.json(&["maintain", "stat"])["memories"]["active"], 24);
    desk.ok(&["verify", "--full"]);
}

#[test]
fn a_client_that_vanishes_loses_nothing_that_was_acknowledged() {
    let desk = Desk::new();
    let mut session = Session::begun(&desk, &[]);
    let kept = session.done("memory_remember", json!({"text": "This was acknowledged."})).id();
    for number in 0..20 {
        let arguments = json!({"text": format!("Nobody waits for number {number}.")});
        session.send("tools/call", json!({"name": "memory_remember", "arguments": arguments}));
    }
    assert_eq!(session.end(), 0);
    desk.ok(&["verify", "--full"]);
    let mut killed = Session::begun(&desk, &[]);
    killed.send("tools/call", json!({"name": "memory_remember", "arguments": {"text": "x y z"}}));
    killed.kill();
    desk.ok(&["verify", "--full"]);
    assert_eq!(desk.json(&["show", &kept])["authority"], "active");
}

/// The client's workspace decides which project a memory is about, as the folder of a hook does.
#[test]
fn the_scope_is_that_of_the_clients_root() {
    let desk = Desk::empty();
    for project in ["shop", "bank two"] {
        std::fs::create_dir_all(desk.path().join(project).join(".git")).unwrap();
    }
    std::fs::create_dir_all(desk.path().join(".local/share")).unwrap();
    desk.ok(&["init", "--ledger", ".local/share/memlith"]);
    let uri = |project: &str| {
        let path = desk.path().join(project).canonicalize().unwrap();
        format!("file://{}", path.display()).replace(' ', "%20")
    };
    let mut told = Vec::new();
    for project in ["shop", "bank two"] {
        let mut session = Session::begun_with(&desk, &[], &json!({"roots": {"listChanged": true}}));
        let arguments = json!({"text": format!("The secret word is {project}.")});
        let id =
            session.send("tools/call", json!({"name": "memory_remember", "arguments": arguments}));
        let asked = session.next();
        assert_eq!(asked["method"], "roots/list", "{asked}");
        let roots = json!({"roots": [{"uri": uri(project)}]});
        session.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots}));
        let called = Called::of(&session.answer(id));
        assert!(!called.is_error, "{called:?}");
        told.push(called.id());
        let found = session.done("memory_search", json!({"query": "secret word"}));
        assert_eq!(found.text.matches("mem_").count(), 1, "{found:?}");
        assert_eq!(session.end(), 0);
    }
    let subject = |id: &str| {
        let shown = desk.json(&[
            "show",
            id,
            "--scope",
            "all",
            "--as",
            "owner",
            "--ledger",
            ".local/share/memlith",
        ]);
        shown["body"]["envelope"]["scope"]["subject"].as_str().unwrap().to_owned()
    };
    assert!(Path::new(&subject(&told[0])).ends_with("shop"));
    assert!(Path::new(&subject(&told[1])).ends_with("bank two"));
}

#[test]
fn where_there_is_no_ledger_or_memory_is_off_it_says_what_to_do() {
    let desk = Desk::empty();
    let mut session = Session::begun(&desk, &[]);
    let called = session.call("memory_checkout", json!({"query": "x"}));
    assert!(called.is_error && called.text.contains("memlith init"), "{called:?}");
    // One that is made meanwhile is found.
    desk.ok(&["init"]);
    session.done("memory_checkout", json!({"query": "x"}));
    desk.ok(&["agent", "off"]);
    let called = session.call("memory_remember", json!({"text": "Not now."}));
    assert!(called.is_error && called.text.contains("memlith agent on"), "{called:?}");
    desk.ok(&["agent", "on"]);
    session.done("memory_remember", json!({"text": "Now it is on."}));
    assert_eq!(session.end(), 0);
}

#[test]
fn a_citation_its_proof_and_its_session_are_resources() {
    let desk = Desk::new();
    let said = ["remember", "Ana drinks tea.", "--scope", "session=s1"];
    let written = desk.json(&said);
    let citation = written["citation"].as_str().unwrap();
    let mut session = Session::begun(&desk, &[]);
    let templates = session.ask("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 3);
    let mut read = |uri: &str| session.ask("resources/read", json!({"uri": uri}));
    let text =
        |answer: &Value| answer["result"]["contents"][0]["text"].as_str().unwrap().to_owned();
    let record = text(&read(citation));
    assert!(record.starts_with("<memlith-memory>") && record.contains("Ana drinks tea."));
    let proof: Value =
        serde_json::from_str(&text(&read(&citation.replace('#', "/proof#")))).unwrap();
    let shown = desk.json(&["show", citation]);
    for key in ["seq", "hash", "chain", "previous_chain", "citation"] {
        assert!(!proof[key].is_null() && proof[key] == shown[key], "{key}: {proof}");
    }
    assert_eq!(proof["head"]["line"], desk.json(&["head"])["line"]);
    let of_session = text(&read(&citation.replace('#', "/session#")));
    assert!(of_session.contains(written["id"].as_str().unwrap()), "{of_session}");
    for uri in ["memlith://x/1#y", "file:///etc/passwd", "memlith://00/2#00", ""] {
        let answer = read(uri);
        assert!(answer["error"]["code"].is_i64(), "{uri}: {answer}");
    }
}

#[test]
fn a_person_can_put_the_brief_and_what_waits_before_a_model() {
    let desk = Desk::new();
    desk.remember("The API listens on port 8080");
    let claim = ["remember", "The API listens on port 9090", "--as", "assistant"];
    desk.run(&claim);
    let mut session = Session::begun(&desk, &[]);
    let listed = session.ask("prompts/list", json!({}));
    assert_eq!(listed["result"]["prompts"].as_array().unwrap().len(), 2);
    for (name, words) in [("brief", "port 8080"), ("review", "port 9090")] {
        let answer = session.ask("prompts/get", json!({"name": name}));
        let text = answer["result"]["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains(words) && text.contains("<memlith-memory>"), "{text}");
    }
    assert_eq!(session.ask("prompts/get", json!({"name": "x"}))["error"]["code"], -32602);
}

#[test]
fn the_server_is_entered_in_a_clients_settings_and_taken_out() {
    let desk = Desk::empty();
    desk.refused(2, &["agent", "install", "mcp"], &["--client", "cursor", "zed"]);
    desk.refused(2, &["agent", "install", "claude-code", "--client", "zed"], &["install mcp"]);
    desk.refused(
        2,
        &["agent", "install", "mcp", "--client", "emacs"],
        &["an MCP client is one of"],
    );
    let done = desk.json(&["agent", "install", "mcp", "--client", "cursor"]);
    assert_eq!(done["changed"], true);
    let settings = std::fs::read_to_string(done["settings"].as_str().unwrap()).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    let entry = &settings["mcpServers"]["memlith"];
    assert_eq!((&entry["command"], &entry["args"]), (&done["program"], &json!(["mcp", "serve"])));
    assert_eq!(desk.json(&["agent", "install", "mcp", "--client", "cursor"])["changed"], false);
    // What it enters runs, on the ledger that it made.
    let mut session = Session::begun(&desk, &[]);
    session.done("memory_remember", json!({"text": "Ana drinks tea."}));
    assert_eq!(session.end(), 0);
    assert_eq!(desk.json(&["agent", "remove", "mcp", "--client", "cursor"])["changed"], true);
}

#[test]
fn a_call_tells_that_it_is_under_way_and_may_be_cancelled() {
    let desk = Desk::new();
    desk.ok(&["remember", "The API listens on port 8080."]);
    let mut session = Session::begun(&desk, &FULL);
    let id = session.send(
        "tools/call",
        json!({"name": "memory_audit", "arguments": {}, "_meta": {"progressToken": 7}}),
    );
    let told = session.next();
    assert_eq!(told["method"], "notifications/progress", "{told}");
    assert_eq!(told["params"]["progressToken"], 7, "{told}");
    assert_eq!(told["params"]["progress"], 1.0, "{told}");
    let answer = session.next();
    assert_eq!(answer["id"], id, "{answer}");

    let id = session.send("tools/call", json!({"name": "memory_status", "arguments": {}}));
    session.say(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id},
    }));
    // Whether the call had begun or not, the server goes on.
    session.done("memory_status", json!({}));
    assert_eq!(session.end(), 0);
}

/// A call that waits for a writer of another process keeps no read waiting.
#[test]
fn reads_do_not_wait_for_a_call_that_waits_for_the_lock() {
    let desk = Desk::new();
    desk.remember("The tea is green.");
    let lock = std::fs::File::options().read(true).write(true).open(desk.ledger().join("LOCK"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    let mut session = Session::begun(&desk, &["--lock-timeout", "600s"]);
    let waiting = session.send(
        "tools/call",
        json!({"name": "memory_remember", "arguments": {"text": "The milk is cold."}}),
    );
    let found = session.done("memory_search", json!({"query": "tea"}));
    assert!(found.text.contains("The tea is green."), "{found:?}");
    drop(lock);
    let answer = session.answer(waiting);
    assert!(answer["result"]["isError"] != json!(true), "{answer}");
    assert_eq!(session.end(), 0);
}
