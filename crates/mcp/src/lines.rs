use serde_json::{Value, json};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream,
    ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::JoinHandle;

/// The lines of a client, between it and the library, which drops without a word what it can't
/// read: here they are told what the protocol says, and nothing that long is kept.
#[derive(Debug)]
pub(crate) struct Lines {
    writing: JoinHandle<()>,
}

/// The two halves of the pipe that the library reads and writes.
pub(crate) type Theirs = (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>);

/// The longest line, in bytes: a text of 16 MiB, escaped.
const LINE_BYTES: usize = 32 << 20;

/// The deepest nesting that the library reads.
const DEPTH_MAX: usize = 127;

/// The bytes that wait between the client and the library.
const PIPE_BYTES: usize = 64 << 10;

/// A line that the library would drop; JSON-RPC 2.0, section 5.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// It is no JSON.
    NoJson,
    /// It is JSON, and no request.
    NoRequest,
}

impl Lines {
    /// Stands between the client's pipes and what it returns for the library.
    pub(crate) fn between(
        input: impl AsyncRead + Send + Unpin + 'static,
        mut output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> (Lines, Theirs) {
        let (near, far) = duplex(PIPE_BYTES);
        let (answers, requests) = split(near);
        let (sender, mut lines) = channel::<Vec<u8>>(16);
        tokio::spawn(forward(BufReader::new(input), requests, sender.clone()));
        tokio::spawn(collect(BufReader::new(answers), sender));
        let writing = tokio::spawn(async move {
            while let Some(line) = lines.recv().await {
                if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
                    return;
                }
            }
        });
        (Lines { writing }, split(far))
    }

    /// Waits until all is written that the library wrote.
    pub(crate) async fn written(self) {
        // It fails only where the runtime ends.
        let _ = self.writing.await;
    }
}

/// Hands on each line that is JSON.
async fn forward(
    mut from: impl AsyncBufRead + Unpin,
    mut to: WriteHalf<DuplexStream>,
    answers: Sender<Vec<u8>>,
) {
    while let Ok(Some(line)) = next_line(&mut from).await {
        let passed = match line {
            Some(line) if line.trim_ascii().is_empty() => Ok(()),
            Some(line) => match refusal(&line) {
                None => to.write_all(&line).await.map_err(drop),
                Some(fault) => answers.send(fault.answer(&line)).await.map_err(drop),
            },
            None => answers.send(Fault::NoJson.answer(b"")).await.map_err(drop),
        };
        if passed.is_err() {
            break;
        }
    }
    // A writer's half that is dropped is no end to the reader.
    let _ = to.shutdown().await;
}

/// Hands on what the library writes, a line at a time, so that lines are whole.
async fn collect(mut from: impl AsyncBufRead + Unpin, to: Sender<Vec<u8>>) {
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).await.is_ok_and(|len| len > 0) {
        if to.send(std::mem::take(&mut line)).await.is_err() {
            return;
        }
    }
}

/// The next line with its end; `Some(None)` for one that is too long, read to its end and
/// dropped, `None` where there is no more.
async fn next_line(
    from: &mut (impl AsyncBufRead + Unpin),
) -> std::io::Result<Option<Option<Vec<u8>>>> {
    let (mut line, mut len) = (Vec::new(), 0);
    loop {
        let read = from.fill_buf().await?;
        let end = read.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(read.len(), |end| end + 1);
        len += taken;
        if len <= LINE_BYTES {
            line.extend(read.iter().take(taken));
        } else {
            line = Vec::new();
        }
        from.consume(taken);
        if end.is_some() || (taken == 0 && len > 0) {
            return Ok(Some((len <= LINE_BYTES).then_some(line)));
        }
        if taken == 0 {
            return Ok(None);
        }
    }
}

/// How deep the values of a line are nested, if it is JSON.
fn depth(line: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth = depth.saturating_add(1),
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The fault of a line that is no message of the protocol.
fn refusal(line: &[u8]) -> Option<Fault> {
    if depth(line) > DEPTH_MAX {
        return Some(Fault::NoJson);
    }
    // The whole of it is decoded: half a surrogate in any text is no JSON to the library.
    match serde_json::from_slice::<Value>(line) {
        Err(_) => Some(Fault::NoJson),
        Ok(Value::Object(message)) if message.get("jsonrpc") == Some(&"2.0".into()) => None,
        Ok(_) => Some(Fault::NoRequest),
    }
}

impl Fault {
    /// The answer, with the id of the request where it can be read.
    fn answer(self, line: &[u8]) -> Vec<u8> {
        let (code, message) = match self {
            Fault::NoJson => (
                -32_700,
                "the line is no JSON of at most 32 MiB and 128 levels in valid UTF-8, without \
                 half surrogates",
            ),
            Fault::NoRequest => (-32_600, "the line is no single request of JSON-RPC 2.0"),
        };
        let answer = json!({
            "jsonrpc": "2.0",
            "id": id_of(line),
            "error": {"code": code, "message": message},
        });
        format!("{answer}\n").into_bytes()
    }
}

/// The id of a line that can be read as far as that.
fn id_of(line: &[u8]) -> Value {
    #[derive(serde::Deserialize)]
    struct Head {
        id: Id,
    }
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Id {
        Number(i64),
        Text(String),
    }
    if depth(line) > DEPTH_MAX {
        return Value::Null;
    }
    match serde_json::from_slice(line) {
        Ok(Head { id: Id::Number(number) }) => number.into(),
        Ok(Head { id: Id::Text(text) }) => text.into(),
        Err(_) => Value::Null,
    }
}
