//! Scope of memories, as `--scope` takes it.

use std::fmt;
use std::str::FromStr;

use memlith::Scope;

/// A scope as `tenant=T,agent=A,subject=S,session=S,session-only`, each part optional; or `all`,
/// the owner's view of everything, for reading.
///
/// A value with a comma stands between quotation marks: `subject="a,b"`.
/// A tenant that isn't named is `default`; an agent or subject that isn't named, or is
/// `*`, is shared by all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeArg(pub Scope<'static>);

impl Default for ScopeArg {
    fn default() -> ScopeArg {
        ScopeArg(Scope::tenant("default"))
    }
}

impl fmt::Display for ScopeArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Scope { tenant, agent, subject, session, session_only, everywhere } = &self.0;
        if *everywhere {
            return f.write_str(EVERYWHERE);
        }
        write!(f, "tenant={tenant}")?;
        for (name, value) in [("agent", agent), ("subject", subject), ("session", session)] {
            match value {
                Some(value) if value.contains([',', '"']) => {
                    write!(f, ",{name}=\"{}\"", value.replace('"', "\"\""))?;
                }
                Some(value) => write!(f, ",{name}={value}")?,
                None => {}
            }
        }
        if *session_only { f.write_str(",session-only") } else { Ok(()) }
    }
}

impl FromStr for ScopeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<ScopeArg, String> {
        if text == EVERYWHERE {
            return Ok(ScopeArg(Scope::of_everything()));
        }
        let mut scope = ScopeArg::default().0;
        let mut named = Vec::new();
        for part in parts(text) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if named.contains(&name) {
                return Err(format!("`{name}` stands twice"));
            }
            named.push(name);
            let value = unquoted(value);
            match name {
                "session-only" if part == name => scope.session_only = true,
                _ if value.is_empty() => return Err(format!("`{part}`: {FORM}")),
                "tenant" => scope.tenant = value.into(),
                "agent" => scope.agent = (value != "*").then(|| value.into()),
                "subject" => scope.subject = (value != "*").then(|| value.into()),
                "session" => scope.session = Some(value.into()),
                _ => return Err(format!("`{part}`: {FORM}")),
            }
        }
        if scope.session_only && scope.session.is_none() {
            return Err("session-only needs a session=NAME".to_owned());
        }
        Ok(ScopeArg(scope))
    }
}

/// The parts of a scope: a comma between quotation marks parts nothing.
fn parts(text: &str) -> Vec<&str> {
    let mut is_quoted = false;
    text.split(|letter: char| {
        is_quoted ^= letter == '"';
        letter == ',' && !is_quoted
    })
    .collect()
}

/// A value without its quotation marks, and with one for each two within them.
fn unquoted(value: &str) -> String {
    let inside = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    inside.map_or_else(|| value.to_owned(), |value| value.replace("\"\"", "\""))
}

/// The view of everything.
const EVERYWHERE: &str = "all";

const FORM: &str =
    "a scope looks like tenant=T,agent=A,subject=S,session=S,session-only, or is all";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_and_the_rest_is_shared() {
        let scope: ScopeArg = "agent=a,subject=*,session=s,session-only".parse().unwrap();
        let expected = Scope {
            agent: Some("a".into()),
            session: Some("s".into()),
            session_only: true,
            ..Scope::tenant("default")
        };
        assert_eq!(scope.0, expected);
        assert_eq!(scope.to_string().parse(), Ok(scope));
        let comma: ScopeArg = "subject=\"/a,b \"\"c\"\"\"".parse().unwrap();
        assert_eq!(comma.0.subject.as_deref(), Some("/a,b \"c\""));
        assert_eq!(comma.to_string().parse(), Ok(comma));
        let all: ScopeArg = "all".parse().unwrap();
        assert!(all.0.everywhere && all.to_string() == "all");
        for text in [
            "all,agent=a",
            "",
            "agent",
            "agent=",
            "agent=a,agent=b",
            "team=x",
            "session-only",
            "session-only=1",
        ] {
            assert!(text.parse::<ScopeArg>().is_err(), "{text}");
        }
    }
}
