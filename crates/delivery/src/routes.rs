use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::batch::{Sink, TypeNames};
use crate::delivery::Route;
use crate::terms::Terms;
use memlith_queues::Deliverable;
use serde::Deserialize;

#[cfg(feature = "falkordb")]
use crate::falkordb::FalkorDb;
use crate::json_lines::JsonLines;
#[cfg(feature = "webhook")]
use crate::webhook::{Alert, Webhook};
#[cfg(not(feature = "webhook"))]
use crate::without::{Alert, Webhook};

/// Where a ledger's records go: `deliver.toml` in its folder.
///
/// | key | means | if absent |
/// |---|---|---|
/// | `batch_size` | items of a batch, 1 to 1,000 | 50 |
/// | `pending_max` | more pending items than these are not waited with | 50 |
/// | `interval_min` | minutes between deliveries | 15 |
/// | `idle_min` | minutes without a new item | 30 |
/// | `retries` | further attempts of what failed, 0 to 10 | 3 |
/// | `alert_url` | where a person is told of what is dead | nowhere |
/// | `[[sink]]` | a sink: `name`, `kind`, and what its kind takes | required |
///
/// Of a sink: `kind = "jsonl"` takes `path`, `"webhook"` takes `url` and `token_env`, and
/// `"falkordb"` takes `address`, `graph` and `password_env`; all take `kinds`, the items that it
/// gets (all but `memory` where absent), and `timeout_s` (1 to 600; 120). A file and a webhook take
/// `types`: `"underscored"` (`prediction_resolved`, where absent) or `"dotted"`.
///
/// Source: Feature 007 of Dionysus, its six settings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Routes {
    batch_size: usize,
    pending_max: usize,
    interval_min: u32,
    idle_min: u32,
    retries: u8,
    alert_url: Option<String>,
    sink: Vec<SinkSettings>,
}

/// A sink, and what it gets when.
pub struct Routed {
    /// The records that it gets, and when.
    pub route: Route,
    /// Where that goes.
    pub sink: Box<dyn Sink>,
}

/// The routes can't be used. No variant carries a value of the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RoutesError {
    /// There is no file.
    #[error(
        "no sink is named: write {} with the lines\n\n  [[sink]]\n  name = \"graph\"\n  kind = \
         \"falkordb\"\n  address = \"127.0.0.1:6379\"\n  graph = \"memory\"",
        path.display()
    )]
    Missing {
        /// Where it is looked for.
        path: PathBuf,
    },
    /// The file can't be read.
    #[error("{} can't be read: see that it is there and yours", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file says something that it can't.
    #[error("{}: {what}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The fault in the file, and what it has to say.
        what: String,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SinkSettings {
    name: String,
    kind: SinkKind,
    kinds: Option<Vec<String>>,
    timeout_s: Option<u64>,
    #[serde(default)]
    types: TypeNames,
    path: Option<PathBuf>,
    url: Option<String>,
    token_env: Option<String>,
    #[cfg_attr(not(feature = "falkordb"), expect(dead_code, reason = "of a graph"))]
    address: Option<String>,
    #[cfg_attr(not(feature = "falkordb"), expect(dead_code, reason = "of a graph"))]
    graph: Option<String>,
    #[cfg_attr(not(feature = "falkordb"), expect(dead_code, reason = "of a graph"))]
    password_env: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SinkKind {
    Jsonl,
    Webhook,
    Falkordb,
}

const FILE_BYTES_MAX: u64 = 64 << 10;

/// A worker has so many seconds beyond a sink's own patience to note what came of it.
const AFTERWARDS_S: u64 = 30;

/// How long a sink may take, in seconds.
const TIMEOUT_S: u64 = 120;

impl fmt::Debug for Routed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Routed").field("route", &self.route).finish_non_exhaustive()
    }
}

impl Default for Routes {
    fn default() -> Routes {
        let terms = Terms::default();
        Routes {
            batch_size: terms.batch_size,
            pending_max: terms.pending_max,
            interval_min: terms.interval_min,
            idle_min: terms.idle_min,
            retries: terms.retries,
            alert_url: None,
            sink: Vec::new(),
        }
    }
}

impl Routes {
    /// The file's name, in the ledger's folder.
    pub const FILE: &str = "deliver.toml";

    /// Reads the routes of the ledger in the folder `ledger`; `variable` gives what a variable of
    /// the environment holds.
    ///
    /// # Errors
    /// [`RoutesError`]: the file, or what is wrong in it.
    pub fn load(
        ledger: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(Vec<Routed>, Option<Alert>), RoutesError> {
        let path = ledger.join(Routes::FILE);
        let routes = Routes::read(&path)?;
        let invalid = |what: String| RoutesError::Invalid { path: path.clone(), what };
        let mut routed: Vec<Routed> = Vec::new();
        for settings in &routes.sink {
            let one = routes.routed(settings, ledger, variable);
            let one = one.map_err(|what| invalid(format!("sink {:?}: {what}", settings.name)))?;
            if routed.iter().any(|other| other.route.name == one.route.name) {
                return Err(invalid(format!("two sinks are called {:?}", settings.name)));
            }
            routed.push(one);
        }
        let alert = routes.alert_url.as_deref().map(Alert::new).transpose();
        let alert = alert.map_err(|wanted| invalid(format!("alert_url has to be {wanted}")))?;
        Ok((routed, alert))
    }

    /// The records that the sinks of the ledger in this folder get, and when; none where no file
    /// says so. No secret is looked for.
    ///
    /// # Errors
    /// Those of [`Routes::load`].
    pub fn named(ledger: &Path) -> Result<Vec<Route>, RoutesError> {
        let path = ledger.join(Routes::FILE);
        let routes = match Routes::read(&path) {
            Err(RoutesError::Missing { .. }) => return Ok(Vec::new()),
            routes => routes?,
        };
        let route = |settings: &SinkSettings| {
            let invalid = |what| RoutesError::Invalid { path: path.clone(), what };
            routes.route(settings).map_err(invalid)
        };
        routes.sink.iter().map(route).collect()
    }

    #[cfg(feature = "falkordb")]
    /// The graph that the sink of this name is; `None` where no sink of that name is a graph.
    ///
    /// # Errors
    /// Those of [`Routes::load`].
    pub fn graph(
        ledger: &Path,
        name: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<FalkorDb>, RoutesError> {
        let path = ledger.join(Routes::FILE);
        let routes = Routes::read(&path)?;
        let is_it = |sink: &&SinkSettings| sink.name == name && sink.kind == SinkKind::Falkordb;
        let Some(settings) = routes.sink.iter().find(is_it) else { return Ok(None) };
        let timeout = Duration::from_secs(settings.timeout_s.unwrap_or(TIMEOUT_S));
        let graph = settings.falkordb(timeout, variable);
        graph.map(Some).map_err(|what| RoutesError::Invalid { path, what })
    }

    fn read(path: &Path) -> Result<Routes, RoutesError> {
        let read = memlith_files::read(path, FILE_BYTES_MAX);
        let bytes =
            read.map_err(|source| RoutesError::Unreadable { path: path.to_owned(), source })?;
        let Some(bytes) = bytes else { return Err(RoutesError::Missing { path: path.to_owned() }) };
        let invalid = |what: String| RoutesError::Invalid { path: path.to_owned(), what };
        let text = String::from_utf8(bytes).map_err(|_| invalid("it is no UTF-8".to_owned()))?;
        let routes: Routes = toml::from_str(&text).map_err(|error| {
            // Its own rendering would show the line.
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.unwrap_or_default().matches('\n').count().saturating_add(1);
            invalid(format!("line {line}: {}", error.message()))
        })?;
        if !(1..=1_000).contains(&routes.batch_size) || routes.retries > 10 {
            return Err(invalid("batch_size is 1 to 1000, retries 0 to 10".to_owned()));
        }
        Ok(routes)
    }

    fn routed(
        &self,
        settings: &SinkSettings,
        ledger: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Routed, String> {
        let route = self.route(settings)?;
        let timeout = Duration::from_secs(settings.timeout_s.unwrap_or(TIMEOUT_S));
        let sink = settings.sink(ledger, timeout, variable)?;
        Ok(Routed { route, sink })
    }

    fn route(&self, settings: &SinkSettings) -> Result<Route, String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if settings.name.is_empty() || !settings.name.chars().all(is_name) {
            return Err("its name has to be of letters, digits, - and _".to_owned());
        }
        let seconds = settings.timeout_s.unwrap_or(TIMEOUT_S);
        if !(1..=600).contains(&seconds) {
            return Err("timeout_s is 1 to 600".to_owned());
        }
        let terms = Terms {
            batch_size: self.batch_size,
            pending_max: self.pending_max,
            interval_min: self.interval_min,
            idle_min: self.idle_min,
            retries: self.retries,
            ..Terms::default()
        };
        let claim_s = i64::try_from(seconds + AFTERWARDS_S).unwrap_or(i64::MAX);
        Ok(Route {
            name: settings.name.clone(),
            kinds: settings.kinds()?,
            terms,
            claim_us: claim_s.saturating_mul(1_000_000),
        })
    }
}

impl SinkSettings {
    fn kinds(&self) -> Result<Vec<Deliverable>, String> {
        let Some(names) = &self.kinds else {
            let all = Deliverable::ALL.into_iter();
            return Ok(all.filter(|kind| *kind != Deliverable::Memory).collect());
        };
        let all: Vec<&str> = Deliverable::ALL.iter().map(|kind| kind.name()).collect();
        let kind = |name: &String| {
            Deliverable::of(name).ok_or_else(|| format!("kinds are {}", all.join(", ")))
        };
        names.iter().map(kind).collect()
    }

    fn sink(
        &self,
        ledger: &Path,
        timeout: Duration,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Box<dyn Sink>, String> {
        Ok(match self.kind {
            SinkKind::Jsonl => {
                let path = self.path.as_ref().ok_or("`path` is missing")?;
                Box::new(JsonLines::new(ledger.join(path)).typed(self.types))
            }
            SinkKind::Webhook => {
                let token = secret(&needed(&self.token_env, "token_env")?, variable)?;
                let url = needed(&self.url, "url")?;
                let webhook = Webhook::new(&url, token, timeout);
                let webhook = webhook.map(|webhook| webhook.typed(self.types));
                Box::new(webhook.map_err(|wanted| format!("url has to be {wanted}"))?)
            }
            #[cfg(feature = "falkordb")]
            SinkKind::Falkordb => Box::new(self.falkordb(timeout, variable)?),
            #[cfg(not(feature = "falkordb"))]
            SinkKind::Falkordb => return Err(crate::without::missing("falkordb")),
        })
    }

    #[cfg(feature = "falkordb")]
    fn falkordb(
        &self,
        timeout: Duration,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<FalkorDb, String> {
        let password = self.password_env.as_deref().map(|name| secret(name, variable));
        let address = needed(&self.address, "address")?;
        let graph = needed(&self.graph, "graph")?;
        let graph = FalkorDb::new(&address, password.transpose()?, graph, timeout);
        graph.map_err(|wanted| format!("address has to be {wanted}"))
    }
}

fn needed(value: &Option<String>, key: &str) -> Result<String, String> {
    value.clone().ok_or_else(|| format!("`{key}` is missing"))
}

/// The value of the variable of this name.
fn secret(name: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    variable(name)
        .filter(|value| !value.is_empty())
        .ok_or_else(|| format!("the variable {name:?} is not set: it has what the sink is shown"))
}
