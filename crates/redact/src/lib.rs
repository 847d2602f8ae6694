//! Takes secrets out of text before it is hashed, stored or searched.
//!
//! A ledger is for ever: a secret that was written once can be erased, never unwritten.
//! So every way in passes its text through [`redact`], which replaces what looks like a
//! secret by `[REDACTED:rule]`. The mark holds no digest of the secret: that would
//! let a short one be guessed.
//!
//! What is found: the tokens of providers by their published shapes, and those of providers
//! whose name stands beside them, both as the rules of gitleaks have them ([`RULES`]); JSON
//! Web Tokens, bearer and basic credentials, private keys in PEM, passwords in URLs,
//! among the arguments of programs (`curl -u`, `mysql -p`), in entries of netrc and pgpass
//! files and in sentences ("my password is ..."), assignments to names like `API_TOKEN` or
//! `password`, and the values of JSON keys of such names. What is not: a secret with neither
//! a known shape nor a telling name beside it. Certificates, public keys, and the ids of
//! clients are no secrets and stay.
//!
//! One pass over a bitmap of three bytes, made by the compiler, finds the places worth a
//! look, so clean text costs little and a process pays for nothing before; every look takes
//! time linear in what it looks at.
//!
//! ```
//! use memlith_redact::{Rule, redact};
//!
//! let redacted = redact("export API_TOKEN=9f8e7d6c5b4a");
//! assert_eq!(redacted.text, "export API_TOKEN=[REDACTED:assignment]");
//! assert_eq!(redacted.counts[&Rule::Assignment], 1);
//!
//! assert_eq!(redact(r#"{"password": 1234}"#).text, r#"{"password": "[REDACTED:json-key]"}"#);
//! assert_eq!(redact("max_tokens: 4096").text, "max_tokens: 4096");
//! ```

mod found_secret;
mod rule;
mod rules;

mod redacted;

mod edit;
mod json;
mod leads;
mod scan;
mod tally;

mod assignment;
mod bearer;
mod class;
mod command;
mod name;
mod near;
mod noun;
mod part;
mod password_file;
mod pem;
mod prose;
mod providers;
mod shape;
mod shapes;
mod url;
mod value;
mod word;

pub use found_secret::FoundSecret;
pub use name::is_secret as names_secret;
pub use redacted::{Redacted, find_secrets, redact};
pub use rule::Rule;
pub use rules::RULES;
