use std::net::IpAddr;

use ureq::http::Uri;

/// The address of a server: `https`, or `http` on this machine's loopback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint(String);

/// Maximum length of an address in bytes.
const ENDPOINT_BYTES_MAX: usize = 1_024;

/// The call that is made, below the address.
const CALL: &str = "/chat/completions";

impl Endpoint {
    /// Reads an address.
    ///
    /// # Errors
    /// The form that an address has to have.
    pub fn parse(text: &str) -> Result<Endpoint, &'static str> {
        let text = text.trim_end_matches('/');
        let text = text.strip_suffix(CALL).unwrap_or(text).trim_end_matches('/');
        let shape = "an address such as \"https://api.example.com/v1\"";
        if text.len() > ENDPOINT_BYTES_MAX {
            return Err(shape);
        }
        let uri: Uri = text.parse().map_err(|_| shape)?;
        let host = uri.host().filter(|host| !host.is_empty()).ok_or(shape)?;
        // A key in the address would stand in errors, and be remembered.
        let is_bare = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'))
            && !text.contains(['?', '#']);
        if !is_bare {
            return Err("an address without a user, a query or a fragment");
        }
        match uri.scheme_str() {
            Some("https") => Ok(Endpoint(text.to_owned())),
            Some("http") if is_loopback(host) => Ok(Endpoint(text.to_owned())),
            Some("http") => Err("an https address: http is for servers on this machine alone"),
            Some(_) | None => Err(shape),
        }
    }

    /// The address as people name it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address with this path, where it has none of its own.
    #[must_use]
    pub fn with_path(&self, path: &str) -> String {
        let uri: Option<Uri> = self.0.parse().ok();
        let has_path = uri.is_some_and(|uri| !matches!(uri.path(), "" | "/"));
        if has_path { self.0.clone() } else { format!("{}{path}", self.0) }
    }

    /// The address that is called for chat completions.
    #[must_use]
    pub fn chat_url(&self) -> String {
        format!("{}{CALL}", self.0)
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_is_for_the_loopback_alone() {
        let url = |text: &str| Endpoint::parse(text).map(|endpoint| endpoint.chat_url());
        assert_eq!(url("https://a.test/v1/").unwrap(), "https://a.test/v1/chat/completions");
        let whole = "http://127.0.0.1:8080/v1/chat/completions";
        assert_eq!(url(whole).unwrap(), whole);
        for fine in ["http://localhost:1", "http://[::1]:1/v1", "http://127.9.9.9/v1"] {
            assert!(url(fine).is_ok(), "{fine}");
        }
        for refused in [
            "http://10.0.0.1/v1",
            "http://localhost.a.test/v1",
            "http://127.0.0.1.a.test/v1",
            "http://localhost@a.test/v1",
            "https://key@a.test/v1",
            "https://a.test/v1?key=1",
            "https://a.test/v1#x",
            "ftp://a.test/v1",
            "a.test/v1",
            "/v1",
            "",
        ] {
            assert!(url(refused).is_err(), "{refused}");
        }
    }
}
