//! A real FalkorDB.
//!
//! There is one where `$MEMLITH_FALKORDB` names the folder of its programs (`cargo xtask deliver`
//! fetches them); else it is said that the test was skipped.

use std::cell::RefCell;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use memlith_delivery::FalkorDb;

/// A server that is killed and begun again.
pub(crate) struct Graph {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
    child: RefCell<Child>,
}

impl Graph {
    pub(crate) fn start() -> Option<Graph> {
        let programs = std::env::var_os("MEMLITH_FALKORDB");
        let Some(programs) = programs.map(PathBuf::from) else {
            println!("SKIPPED: $MEMLITH_FALKORDB is not set, no graph was delivered to");
            return None;
        };
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let folder = tempfile::tempdir().unwrap();
        let child = RefCell::new(spawn(&programs, port, folder.path()));
        let graph = Graph { folder, programs, port, child };
        graph.wait();
        Some(graph)
    }

    fn wait(&self) {
        while self.rows("RETURN 1").is_none() {}
    }

    /// Kills the server as the system does, and begins another on the same files.
    pub(crate) fn kill(&self) {
        self.child.borrow_mut().kill().unwrap();
        self.child.borrow_mut().wait().unwrap();
        *self.child.borrow_mut() = spawn(&self.programs, self.port, self.folder.path());
        self.wait();
    }

    pub(crate) fn sink(&self) -> FalkorDb {
        let address = format!("127.0.0.1:{}", self.port);
        FalkorDb::new(&address, None, "memory".to_owned(), Duration::from_secs(10)).unwrap()
    }

    /// The rows that a query returns, as text; `None` where nobody answers.
    pub(crate) fn rows(&self, query: &str) -> Option<String> {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}/", self.port)).unwrap();
        let timeout = Duration::from_secs(10);
        let mut connection = client.get_connection_with_timeout(timeout).ok()?;
        let asked = redis::cmd("GRAPH.QUERY").arg("memory").arg(query).query(&mut connection);
        let answer: redis::Value = asked.ok()?;
        let redis::Value::Array(parts) = answer else { return None };
        Some(format!("{:?}", parts.get(1)))
    }

    /// Every node and edge, sorted.
    pub(crate) fn whole(&self) -> String {
        let nodes = "MATCH (n) WHERE NOT n:Delivery RETURN labels(n), properties(n) \
                     ORDER BY labels(n)[0], n.key, n.id, n.name";
        let edges = "MATCH (a)-[r]->(b) RETURN type(r), properties(r), coalesce(a.key, a.id), \
                     coalesce(b.key, b.id, b.name) \
                     ORDER BY type(r), coalesce(a.key, a.id), coalesce(b.key, b.id, b.name)";
        self.rows(nodes).unwrap() + &self.rows(edges).unwrap()
    }

    pub(crate) fn drop_all(&self) {
        self.rows("MATCH (n) DETACH DELETE n").unwrap();
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let mut child = self.child.borrow_mut();
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn spawn(programs: &std::path::Path, port: u16, folder: &std::path::Path) -> Child {
    let mut server = Command::new(programs.join("redis-server"));
    server.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
    server.args(["--appendonly", "yes", "--appendfsync", "always"]).arg("--dir").arg(folder);
    server.arg("--loadmodule").arg(programs.join("falkordb.so"));
    server.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    let child = server.spawn().unwrap();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {}
    child
}
