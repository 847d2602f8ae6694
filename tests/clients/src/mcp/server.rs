use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

/// A server that takes longer for an answer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server, and what it answers.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Value>,
    errors: std::thread::JoinHandle<String>,
}

impl Server {
    /// Starts one, and greets it; `command` is the program at a desk, without arguments.
    pub(crate) fn start(mut command: Command) -> anyhow::Result<Server> {
        let command =
            command.args(["mcp", "serve", "--profile", "full"]).env("MEMLITH_LOG", "error");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("start the server")?;
        let input = child.stdin.take().context("its input")?;
        let output = BufReader::new(child.stdout.take().context("its output")?);
        let mut said = child.stderr.take().context("its standard error")?;
        let (told, answers) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // What is no JSON is told as null, which no answer is.
                let answer = serde_json::from_str(&line).unwrap_or(Value::Null);
                if told.send(answer).is_err() {
                    break;
                }
            }
        });
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            // What can't be read was not said.
            let _ = said.read_to_string(&mut text);
            text
        });
        let mut server = Server { child, input, answers, errors };
        let about = json!({"name": "random", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about});
        let begin =
            json!({"jsonrpc": "2.0", "id": "begin", "method": "initialize", "params": params});
        server.write(begin.to_string().as_bytes())?;
        server.write(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        Ok(server)
    }

    pub(crate) fn write(&mut self, line: &[u8]) -> anyhow::Result<()> {
        self.input.write_all(line).and_then(|()| self.input.write_all(b"\n")).context("it ended")
    }

    /// Waits until a call that is sent behind all others is answered; every answer on the way
    /// has to be one.
    pub(crate) fn settle(&mut self, number: u32) -> anyhow::Result<()> {
        let id = json!(format!("fence {number}"));
        let fence = call(id.clone(), "memory_status", &json!({}));
        self.write(fence.to_string().as_bytes())?;
        self.answer(&id).map(drop)
    }

    /// The answer to the request of this id; every answer on the way has to be one.
    pub(crate) fn answer(&mut self, id: &Value) -> anyhow::Result<Value> {
        self.input.flush().context("it ended")?;
        loop {
            let answer = self.answers.recv_timeout(PATIENCE).context("it doesn't answer")?;
            let is_one = answer.get("result").is_some() != answer.get("error").is_some();
            ensure!(is_one || answer.get("method").is_some(), "no answer: {answer}");
            if answer.get("id") == Some(id) {
                return Ok(answer);
            }
        }
    }

    /// The memory that it holds.
    pub(crate) fn memory_kib(&self) -> anyhow::Result<u64> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).context("read its status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.context("it says how much memory it holds")
    }

    pub(crate) fn end(self) -> anyhow::Result<()> {
        let Server { mut child, input, answers, errors } = self;
        drop(input);
        let status = child.wait().context("wait for its end")?;
        drop(answers);
        let Ok(said) = errors.join() else { bail!("its standard error can't be read") };
        ensure!(status.success(), "it ended with {status}: {said}");
        ensure!(!said.contains("panicked"), "it panicked: {said}");
        Ok(())
    }
}

/// A call of a tool, as a request.
pub(crate) fn call(id: Value, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// Refuses an answer that is an error, of the protocol or of the tool.
pub(crate) fn ensure_done(answer: &Value) -> anyhow::Result<()> {
    let is_error = answer.pointer("/result/isError").and_then(Value::as_bool).unwrap_or(false);
    ensure!(answer.get("result").is_some() && !is_error, "refused: {answer}");
    Ok(())
}
