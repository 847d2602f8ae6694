use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::Desk;

/// A server over HTTP.
struct Server {
    child: Child,
    address: String,
    token: String,
}

/// Reply to a raw request.
struct Reply {
    status: u16,
    session: Option<String>,
    body: String,
}

impl Server {
    fn start(desk: &Desk) -> Server {
        let mut command = desk.command(&["mcp", "serve", "--http"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut next = || told.next().unwrap().unwrap();
        let url = next();
        let address = url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
        // Nobody reads on: what the server says of a client that it refuses goes nowhere.
        let token = next().strip_prefix("Authorization: Bearer ").unwrap().to_owned();
        Server { child, address, token }
    }

    /// Sends a message under these headers, and reads the whole answer.
    fn post(&self, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut request = String::from("POST /mcp HTTP/1.1\r\nConnection: close\r\n");
        request += "Content-Type: application/json\r\n";
        request += "Accept: application/json, text/event-stream\r\n";
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = Vec::new();
        // One who is refused early is told so while still sending: what came before the end counts.
        let _ = stream.read_to_end(&mut reply);
        let reply = String::from_utf8(reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap_or((&reply, ""));
        let session = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.to_owned())
        });
        let status = head
            .split(' ')
            .nth(1)
            .unwrap_or_else(|| panic!("{headers:?}: {reply}"))
            .parse()
            .unwrap();
        Reply { status, session, body: body.to_owned() }
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn initialize() -> String {
    let about = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string()
}

#[test]
fn only_who_shows_the_token_and_asks_for_this_machine_is_let_in() {
    let desk = Desk::new();
    let server = Server::start(&desk);
    assert!(server.address.starts_with("127.0.0.1:") && server.token.len() == 64);
    let (address, bearer) = (server.address.as_str(), server.bearer());
    let port = address.split(':').nth(1).unwrap();
    let names = [address.to_owned(), format!("localhost:{port}")];
    for name in &names {
        let reply = server.post(&[("Host", name), ("Authorization", &bearer)], &initialize());
        assert_eq!(reply.status, 200, "{name}: {}", reply.body);
        assert!(reply.body.contains("memlith"), "{}", reply.body);
    }
    let own = ("Host", address);
    let shown = ("Authorization", bearer.as_str());
    let half = bearer.get(..40).unwrap().to_owned();
    let longer = format!("{bearer}0");
    for (headers, status) in [
        (vec![own], 401),
        (vec![own, ("Authorization", "Bearer ")], 401),
        (vec![own, ("Authorization", "Bearer 0000")], 401),
        (vec![own, ("Authorization", &half)], 401),
        (vec![own, ("Authorization", &longer)], 401),
        (vec![own, ("Authorization", &server.token)], 401),
        (vec![("Host", "memory.example.org"), shown], 403),
        (vec![("Host", "127.0.0.1.example.org"), shown], 403),
        (vec![own, shown, ("Origin", "https://example.org")], 403),
        (vec![own, shown, ("Origin", "http://localhost:8000")], 403),
        (vec![own, shown, ("Origin", "null")], 403),
    ] {
        let reply = server.post(&headers, &initialize());
        assert_eq!(reply.status, status, "{headers:?}: {}", reply.body);
        assert!(reply.session.is_none() && !reply.body.contains("serverInfo"), "{headers:?}");
    }
    for body in ["", "{", "[]", "7"] {
        let reply = server.post(&[own, shown], body);
        assert!((400..500).contains(&reply.status), "{body:?}: {}", reply.status);
    }
}

/// The answer in a reply, which is an event of a stream.
fn event(reply: &Reply) -> Value {
    let data = reply.body.lines().filter_map(|line| line.strip_prefix("data: "));
    let mut messages = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    messages.find(|message| message["id"].is_u64()).unwrap_or_else(|| panic!("{}", reply.body))
}

#[test]
fn tools_are_called_over_http_as_over_standard_input() {
    let desk = Desk::new();
    let server = Server::start(&desk);
    let (address, bearer) = (server.address.clone(), server.bearer());
    let let_in = [("Host", address.as_str()), ("Authorization", bearer.as_str())];
    let begun = server.post(&let_in, &initialize());
    let name = begun.session.unwrap();
    let of_session = [&let_in[..], &[("Mcp-Session-Id", name.as_str())]].concat();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(server.post(&of_session, &ready).status, 202);
    let call = |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
        event(&server.post(&of_session, &message.to_string()))
    };
    let written = call("memory_remember", json!({"text": "Ana drinks tea."}));
    assert_eq!(written["result"]["structuredContent"]["outcome"], "added", "{written}");
    let shown = call("memory_checkout", json!({"query": "what does Ana drink?"}));
    assert!(shown.to_string().contains("Ana drinks tea."), "{shown}");
    // A session that is not there, or is another's, is none.
    let other =
        [&let_in[..], &[("Mcp-Session-Id", "00000000-0000-0000-0000-000000000000")]].concat();
    let list = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}).to_string();
    assert_eq!(server.post(&other, &list).status, 404);
    let long = "x".repeat(17 << 20);
    let reply = server.post(&of_session, &long);
    assert!((400..500).contains(&reply.status), "{}", reply.status);
    assert_eq!(desk.json(&["maintain", "stat"])["memories"]["active"], 1);
}
