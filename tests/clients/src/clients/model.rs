use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use serde_json::{Value, json};

/// A model server on the loopback that says the same to everything, in both clients' protocols,
/// and keeps what it was asked.
pub(crate) struct Model {
    port: u16,
    said: Arc<Mutex<Said>>,
}

/// Questions that the model was asked, and calls that it has yet to make.
#[derive(Default)]
struct Said {
    asked: Vec<String>,
    /// Calls of tools of the MCP server `memlith`, with their arguments, the first one first.
    calls: VecDeque<(String, Value)>,
    /// Text behind [`ANSWER`] in an answer, in Codex's protocol.
    also: String,
    /// Answer in the place of [`ANSWER`], where it is asked about evidence.
    found: Option<String>,
}

/// Answer of the model.
pub(crate) const ANSWER: &str = "Understood.";

/// No request is longer, in bytes.
const REQUEST_MAX: usize = 16 << 20;

impl Model {
    /// Begins to answer on a free port, until the process ends.
    ///
    /// # Errors
    /// The loopback takes no listener.
    pub(crate) fn start() -> anyhow::Result<Model> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("listen")?;
        let port = listener.local_addr().context("listen")?.port();
        let said = Arc::default();
        let model = Model { port, said: Arc::clone(&said) };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let said = Arc::clone(&said);
                std::thread::spawn(move || {
                    // A client that goes away in the middle is its own affair.
                    let _ = serve(stream, &said);
                });
            }
        });
        Ok(model)
    }

    /// The address of its root.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Takes the requests since the last call: their bodies, of those to the model itself.
    pub(crate) fn take_asked(&self) -> Vec<String> {
        std::mem::take(&mut locked(&self.said).asked)
    }

    /// Has it ask for these calls, one a request that offers the tool, before it answers.
    pub(crate) fn will_call(&self, calls: impl IntoIterator<Item = (&'static str, Value)>) {
        let calls = calls.into_iter().map(|(tool, arguments)| (tool.to_owned(), arguments));
        locked(&self.said).calls.extend(calls);
    }

    /// Has it answer with this where it is asked about evidence.
    pub(crate) fn will_find(&self, found: &str) {
        locked(&self.said).found = Some(found.to_owned());
    }

    /// Has answers to Codex end with this from here on.
    pub(crate) fn says_also(&self, also: &str) {
        also.clone_into(&mut locked(&self.said).also);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers the requests of one connection.
fn serve(stream: TcpStream, said: &Mutex<Said>) -> std::io::Result<()> {
    let mut input = BufReader::new(stream.try_clone()?);
    let mut output = stream;
    while let Some((line, body)) = request(&mut input)? {
        let path = line.split(' ').nth(1).unwrap_or_default();
        let is_asked = line.starts_with("POST") && !line.contains("count_tokens");
        let events = if is_asked && (path.contains("/responses") || path.contains("/messages")) {
            let mut said = locked(said);
            let (number, call) = (said.asked.len(), said.next_call(&body));
            let is_evidence = body.contains("as numbered evidence");
            let found = said.found.clone().filter(|_| is_evidence);
            said.asked.push(body);
            if path.contains("/responses") {
                let words = found.unwrap_or_else(|| format!("{ANSWER}{}", said.also));
                responses(number, call, &words)
            } else {
                messages(number, call, found.as_deref().unwrap_or(ANSWER))
            }
        } else {
            Vec::new()
        };
        let (kind, text) = match events.is_empty() {
            true => {
                ("application/json", "{\"input_tokens\":1,\"data\":[],\"models\":[]}".to_owned())
            }
            false => ("text/event-stream", events.iter().map(event).collect()),
        };
        let length = text.len();
        let text = if line.starts_with("HEAD") { "" } else { text.as_str() };
        write!(
            output,
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{text}"
        )?;
        output.flush()?;
    }
    Ok(())
}

/// The first line and the body of the next request; `None` at the end.
fn request(input: &mut BufReader<TcpStream>) -> std::io::Result<Option<(String, String)>> {
    let (mut first, mut length) = (String::new(), 0);
    if input.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    loop {
        let mut line = String::new();
        input.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; usize::min(length, REQUEST_MAX)];
    input.read_exact(&mut body)?;
    Ok(Some((first, String::from_utf8_lossy(&body).into_owned())))
}

fn event(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
}

impl Said {
    /// The next call, where this request offers its tool: side requests of a client don't.
    fn next_call(&mut self, body: &str) -> Option<(String, Value)> {
        let (tool, _) = self.calls.front()?;
        if body.contains("\"tools\":[") && body.contains(tool.as_str()) {
            return self.calls.pop_front();
        }
        None
    }
}

/// The answer in the protocol of Claude Code; messages of one name would count as one.
fn messages(number: usize, call: Option<(String, Value)>, words: &str) -> Vec<Value> {
    let id = format!("msg_{number}");
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let (block, delta, reason) = match call {
        None => (
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": words}),
            "end_turn",
        ),
        Some((tool, arguments)) => (
            json!({"type": "tool_use", "id": format!("toolu_{number}"),
                "name": format!("mcp__memlith__{tool}"), "input": {}}),
            json!({"type": "input_json_delta", "partial_json": arguments.to_string()}),
            "tool_use",
        ),
    };
    vec![
        json!({"type": "message_start", "message": {"id": id, "type": "message",
            "role": "assistant", "model": "stub", "content": [], "stop_reason": null,
            "stop_sequence": null, "usage": usage}}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "usage": {"output_tokens": 1},
            "delta": {"stop_reason": reason, "stop_sequence": null}}),
        json!({"type": "message_stop"}),
    ]
}

/// The answer in the protocol of Codex.
fn responses(number: usize, call: Option<(String, Value)>, words: &str) -> Vec<Value> {
    let item = match call {
        None => json!({"type": "message", "role": "assistant", "id": "msg_1",
            "content": [{"type": "output_text", "text": words}]}),
        Some((tool, arguments)) => json!({"type": "function_call", "id": format!("fc_{number}"),
            "call_id": format!("call_{number}"), "namespace": "mcp__memlith",
            "name": tool, "arguments": arguments.to_string()}),
    };
    let usage = json!({"input_tokens": 1, "input_tokens_details": null, "output_tokens": 1,
        "output_tokens_details": null, "total_tokens": 2});
    vec![
        json!({"type": "response.created", "response": {"id": "r"}}),
        json!({"type": "response.output_item.done", "item": item}),
        json!({"type": "response.completed", "response": {"id": "r", "usage": usage}}),
    ]
}
