use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use serde_json::{Value, json};

/// A model server that answers by a script, one connection at a time; the last answer repeats.
pub struct FaultServer {
    port: u16,
    heard: Arc<Mutex<Vec<Request>>>,
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Request {
    /// The request's first line and headers.
    pub head: String,
    /// Its JSON.
    pub body: Value,
}

/// The server's treatment of a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Sends these bytes and closes.
    Bytes(Vec<u8>),
    /// Says nothing, and holds the connection until the server ends.
    Stall,
    /// Sends a reply without an end until the client hangs up.
    Endless,
}

impl Answer {
    /// A completion with these words.
    #[must_use]
    pub fn words(content: &str) -> Answer {
        let body = json!({
            "id": "c1", "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "stop",
                "message": {"role": "assistant", "content": content}}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1_000},
        });
        Answer::status("200 OK", "", &body.to_string())
    }

    /// A status with headers, each ended by a line break, and a body.
    #[must_use]
    pub fn status(status: &str, headers: &str, body: &str) -> Answer {
        let length = body.len();
        let text = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        Answer::Bytes(text.into_bytes())
    }

    /// The answer without its last `bytes` bytes.
    #[must_use]
    pub fn cut(self, bytes: usize) -> Answer {
        match self {
            Answer::Bytes(mut all) => {
                all.truncate(all.len() - bytes);
                Answer::Bytes(all)
            }
            other @ (Answer::Stall | Answer::Endless) => other,
        }
    }
}

impl FaultServer {
    /// Starts a server that gives these answers in turn.
    ///
    /// # Panics
    /// No port is free.
    pub fn new(script: impl Into<Vec<Answer>>) -> FaultServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (script, noted, stopped) = (script.into(), heard.clone(), is_stopped.clone());
        let thread = std::thread::spawn(move || serve(&listener, &script, &noted, &stopped));
        FaultServer { port, heard, is_stopped, thread: Some(thread) }
    }

    /// The address to call.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// The requests so far.
    #[must_use]
    pub fn heard(&self) -> Vec<Request> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for FaultServer {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        // It waits for a connection.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        self.thread.take().unwrap().join().unwrap();
    }
}

fn serve(
    listener: &TcpListener,
    script: &[Answer],
    heard: &Mutex<Vec<Request>>,
    is_stopped: &AtomicBool,
) {
    let mut held = Vec::new();
    loop {
        let (mut stream, _) = listener.accept().unwrap();
        if is_stopped.load(Ordering::SeqCst) {
            return;
        }
        let request = read(&stream);
        let number = {
            let mut heard = heard.lock().unwrap();
            heard.push(request);
            heard.len()
        };
        // A client that hangs up has heard enough.
        match &script[number.min(script.len()) - 1] {
            Answer::Bytes(bytes) => drop(stream.write_all(bytes)),
            Answer::Stall => held.push(stream),
            Answer::Endless => {
                let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
                drop(stream.write_all(head));
                let chunk = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
                while stream.write_all(chunk.as_bytes()).is_ok() {}
            }
        }
    }
}

fn read(stream: &TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).unwrap(), 0, "a request without an end");
    }
    let length = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let is_length = name.eq_ignore_ascii_case("content-length");
        is_length.then(|| value.trim().parse::<usize>().unwrap())
    };
    let mut body = vec![0; head.lines().find_map(length).unwrap_or_default()];
    reader.read_exact(&mut body).unwrap();
    Request { head, body: serde_json::from_slice(&body).unwrap_or_default() }
}
