use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use serde_json::{Value, json};

/// A model server on the loopback that says the same to everything, in both clients' protocols,
/// and keeps what it was asked.
pub(crate) struct Model {
    port: u16,
    kept: Arc<Kept>,
}

#[derive(Default)]
struct Kept {
    asked: Mutex<Vec<String>>,
    /// What the answer has behind [`ANSWER`], in Codex's protocol.
    also: Mutex<String>,
}

/// What the model says.
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
        let kept: Arc<Kept> = Arc::default();
        let model = Model { port, kept: Arc::clone(&kept) };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || {
                    // A client that goes away in the middle is its own affair.
                    let _ = serve(stream, &kept);
                });
            }
        });
        Ok(model)
    }

    /// The address of its root.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What was asked since the last call: the bodies of the requests to the model itself.
    pub(crate) fn take_asked(&self) -> Vec<String> {
        std::mem::take(&mut *locked(&self.kept.asked))
    }

    /// Has answers to Codex end with this from here on.
    pub(crate) fn says_also(&self, also: &str) {
        also.clone_into(&mut locked(&self.kept.also));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers the requests of one connection.
fn serve(stream: TcpStream, kept: &Kept) -> std::io::Result<()> {
    let mut input = BufReader::new(stream.try_clone()?);
    let mut output = stream;
    while let Some((line, body)) = request(&mut input)? {
        let is_asked = line.starts_with("POST") && !line.contains("count_tokens");
        let events = match line.split(' ').nth(1).unwrap_or_default() {
            path if path.contains("/responses") => responses(&locked(&kept.also)),
            path if is_asked && path.contains("/messages") => messages(locked(&kept.asked).len()),
            _ => Vec::new(),
        };
        if is_asked && !events.is_empty() {
            locked(&kept.asked).push(body);
        }
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

/// The answer in the protocol of Claude Code; messages of one name would count as one.
fn messages(number: usize) -> Vec<Value> {
    let id = format!("msg_{number}");
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    vec![
        json!({"type": "message_start", "message": {"id": id, "type": "message",
            "role": "assistant", "model": "stub", "content": [], "stop_reason": null,
            "stop_sequence": null, "usage": usage}}),
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": ANSWER}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "usage": {"output_tokens": 1},
            "delta": {"stop_reason": "end_turn", "stop_sequence": null}}),
        json!({"type": "message_stop"}),
    ]
}

/// The answer in the protocol of Codex.
fn responses(also: &str) -> Vec<Value> {
    let item = json!({"type": "message", "role": "assistant", "id": "msg_1",
        "content": [{"type": "output_text", "text": format!("{ANSWER}{also}")}]});
    let usage = json!({"input_tokens": 1, "input_tokens_details": null, "output_tokens": 1,
        "output_tokens_details": null, "total_tokens": 2});
    vec![
        json!({"type": "response.created", "response": {"id": "r"}}),
        json!({"type": "response.output_item.done", "item": item}),
        json!({"type": "response.completed", "response": {"id": "r", "usage": usage}}),
    ]
}
