use std::fmt;
use std::net::{IpAddr, ToSocketAddrs};
use std::time::Duration;

use crate::batch::{Batch, ItemResult, Sink, Verdict};
use redis::{Client, Connection, ConnectionAddr, ErrorKind, IntoConnectionInfo, RedisError, Value};

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
    /// One for each address that the server's name has.
    clients: Vec<Client>,
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
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let host = bare.unwrap_or(host);
        let hosts = match &password {
            Some(_) => vec![host.to_owned()],
            None => loopback(host, port)?,
        };
        let client = |host| {
            let info = ConnectionAddr::Tcp(host, port).into_connection_info()?;
            let mut settings = info.redis_settings().clone();
            if let Some(password) = &password {
                settings = settings.set_password(password);
            }
            Client::open(info.set_redis_settings(settings))
        };
        let clients: Result<Vec<Client>, RedisError> = hosts.into_iter().map(client).collect();
        Ok(FalkorDb { clients: clients.map_err(|_| wanted)?, graph, timeout })
    }

    pub(crate) fn connect(&self) -> Result<Connection, RedisError> {
        let mut last = None;
        for client in &self.clients {
            match client.get_connection_with_timeout(self.timeout) {
                Ok(connection) => {
                    connection.set_read_timeout(Some(self.timeout))?;
                    connection.set_write_timeout(Some(self.timeout))?;
                    return Ok(connection);
                }
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| (ErrorKind::InvalidClientConfig, "no address").into()))
    }

    /// The graph's name.
    pub(crate) fn graph(&self) -> &str {
        &self.graph
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
        let is_erasing = batch.items.iter().any(|item| item.kind == handlers::ERASURE);
        let sweep = if is_erasing { handlers::SWEEP.as_slice() } else { &[] };
        for query in sweep {
            pipe.cmd("GRAPH.QUERY").arg(&self.graph).arg(query);
        }
        let answers: Vec<Value> = pipe.query(&mut connection)?;
        let Some((begun, answers)) = answers.split_first() else {
            return Ok(Verdict::Unreached { what: "the server answered nothing".to_owned() });
        };
        let swept = answers.get(queries.len()..).unwrap_or_default();
        if let Some(what) = std::iter::once(begun).chain(swept).find_map(refusal) {
            return Ok(Verdict::Again { what, wait: None });
        }
        if answers.len() != queries.len() + sweep.len() {
            let what = "the server answered another number of queries".to_owned();
            return Ok(Verdict::Unreached { what });
        }
        let (mut nodes_created, mut edges_created) = (0, 0);
        for ((id, _), answer) in queries.iter().zip(answers) {
            if let Some(error) = refusal(answer) {
                results.push(ItemResult { id: (*id).clone(), applied: false, error: Some(error) });
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
            let is_answer = error.kind() == ErrorKind::AuthenticationFailed;
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

/// The addresses of a name, all of this machine's loopback. They are what is connected to, and
/// the name is not looked up again: the second time it could be another's.
fn loopback(host: &str, port: u16) -> Result<Vec<String>, &'static str> {
    let found = (host, port).to_socket_addrs().map_err(|_| "an address as 127.0.0.1:6379")?;
    let found: Vec<IpAddr> = found.map(|address| address.ip()).collect();
    if found.is_empty() || !found.iter().all(IpAddr::is_loopback) {
        return Err("an address on this machine, or a password (`password_env`)");
    }
    Ok(found.iter().map(IpAddr::to_string).collect())
}

/// Why a query was refused.
fn refusal(answer: &Value) -> Option<String> {
    let Value::ServerError(error) = answer else { return None };
    Some(error.details().unwrap_or_else(|| error.code()).to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn new(address: &str, password: Option<&str>) -> Result<FalkorDb, &'static str> {
        let password = password.map(str::to_owned);
        FalkorDb::new(address, password, "g".to_owned(), Duration::from_secs(1))
    }

    #[test]
    fn without_a_password_what_is_connected_to_is_the_loopback() {
        for fine in ["127.0.0.1:1", "[::1]:1", "::1:1", "localhost:1"] {
            let sink = new(fine, None).unwrap();
            let hosts = sink.clients.iter().map(|client| {
                let ConnectionAddr::Tcp(host, 1) = client.get_connection_info().addr() else {
                    panic!("{fine}");
                };
                host.parse::<IpAddr>().unwrap()
            });
            assert!(hosts.into_iter().all(|host| host.is_loopback()), "{fine}");
        }
        for open in ["192.0.2.1:1", "[2001:db8::1]:1", "0.0.0.0:1", "", "127.0.0.1", "[::1]", ":1"]
        {
            assert!(new(open, None).is_err(), "{open}");
        }
        let far = new("192.0.2.1:1", Some("secret")).unwrap();
        assert!(!format!("{far:?}").contains("secret"));
    }
}
