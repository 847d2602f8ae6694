use std::fmt;
use std::net::ToSocketAddrs;
use std::time::Duration;

use memlith::delivery::{Batch, ItemResult, Sink, Verdict};
use redis::{Client, Connection, ConnectionAddr, IntoConnectionInfo, RedisError, Value};

use crate::handlers;

/// A sink that is a graph of FalkorDB: Cypher over the protocol of Redis.
///
/// A batch is one transaction of the server: a node with what is left of the batch, and a query
/// for each item, which takes it off. So a batch that is sent again is applied once, whatever
/// became of the answer. An item that the graph refuses is told as not applied, is left, and is
/// tried when the batch is sent again; the others are applied.
///
/// The Cypher is such as other servers of openCypher take; no other was tried.
pub struct FalkorDb {
    client: Client,
    graph: String,
    timeout: Duration,
}

impl FalkorDb {
    /// The graph of this name on a server, `HOST:PORT`. Without a password the server has to be
    /// on this machine's loopback, as what is sent is not encrypted.
    ///
    /// # Errors
    /// What the address has to be.
    pub fn new(
        address: &str,
        password: Option<String>,
        graph: String,
        timeout: Duration,
    ) -> Result<FalkorDb, &'static str> {
        let wanted = "an address as 127.0.0.1:6379";
        let (host, port) = address.rsplit_once(':').ok_or(wanted)?;
        let port: u16 = port.parse().map_err(|_| wanted)?;
        let mut found = (host, port).to_socket_addrs().map_err(|_| wanted)?;
        if password.is_none() && !found.all(|address| address.ip().is_loopback()) {
            return Err("an address on this machine, or a password (`password_env`)");
        }
        let server = ConnectionAddr::Tcp(host.to_owned(), port);
        let info = server.into_connection_info().map_err(|_| wanted)?;
        let settings = info.redis_settings().clone();
        let settings = match password {
            Some(password) => settings.set_password(password),
            None => settings,
        };
        let client = Client::open(info.set_redis_settings(settings)).map_err(|_| wanted)?;
        Ok(FalkorDb { client, graph, timeout })
    }

    fn connect(&self) -> Result<Connection, RedisError> {
        let connection = self.client.get_connection_with_timeout(self.timeout)?;
        connection.set_read_timeout(Some(self.timeout))?;
        connection.set_write_timeout(Some(self.timeout))?;
        Ok(connection)
    }

    fn send(&self, batch: &Batch) -> Result<Verdict, RedisError> {
        let mut connection = self.connect()?;
        let (mut queries, mut results) = (Vec::new(), Vec::new());
        for item in &batch.items {
            match handlers::query(&batch.id, item) {
                Some(query) => queries.push((&item.id, query)),
                None => {
                    let error = Some("the graph has no place for this type".to_owned());
                    results.push(ItemResult { id: item.id.clone(), applied: false, error });
                }
            }
        }
        let mut pipe = redis::pipe();
        pipe.atomic().ignore_errors();
        pipe.cmd("GRAPH.QUERY").arg(&self.graph).arg(handlers::begin(batch));
        for (_, query) in &queries {
            pipe.cmd("GRAPH.QUERY").arg(&self.graph).arg(query);
        }
        let answers: Vec<Value> = pipe.query(&mut connection)?;
        let Some((begun, answers)) = answers.split_first() else {
            return Ok(Verdict::Unreached { what: "the server answered nothing".to_owned() });
        };
        if let Value::ServerError(error) = begun {
            let what = error.details().unwrap_or_else(|| error.code()).to_owned();
            return Ok(Verdict::Again { what, wait: None });
        }
        if answers.len() != queries.len() {
            let what = "the server answered another number of queries".to_owned();
            return Ok(Verdict::Unreached { what });
        }
        let (mut nodes_created, mut edges_created) = (0, 0);
        for ((id, _), answer) in queries.iter().zip(answers) {
            if let Value::ServerError(error) = answer {
                let error = Some(error.details().unwrap_or_else(|| error.code()).to_owned());
                results.push(ItemResult { id: (*id).clone(), applied: false, error });
                continue;
            }
            nodes_created += statistic(answer, "Nodes created: ");
            edges_created += statistic(answer, "Relationships created: ");
        }
        Ok(Verdict::Done { results, nodes_created, edges_created })
    }
}

impl Sink for FalkorDb {
    fn deliver(&self, batch: &Batch, _: i64) -> Verdict {
        self.send(batch).unwrap_or_else(|error| {
            let is_answer = error.kind() == redis::ErrorKind::AuthenticationFailed;
            let what = error.category().to_owned();
            if is_answer { Verdict::Never { what } } else { Verdict::Unreached { what } }
        })
    }
}

impl fmt::Debug for FalkorDb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FalkorDb").field("graph", &self.graph).finish_non_exhaustive()
    }
}

/// The number behind `label` in the statistics of an answer, which are its last part.
fn statistic(answer: &Value, label: &str) -> u64 {
    let Value::Array(parts) = answer else { return 0 };
    let Some(Value::Array(lines)) = parts.last() else { return 0 };
    let numbers = lines.iter().filter_map(|line| {
        let text: String = redis::from_redis_value_ref(line).ok()?;
        text.strip_prefix(label)?.trim().parse::<u64>().ok()
    });
    numbers.sum()
}
