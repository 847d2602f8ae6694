//! Takes secrets out of text before it is hashed, stored or searched.
//!
//! A ledger is for ever: a secret that was written once can be erased, never unwritten.
//! So every way in passes its text through [`redact`], which replaces what looks like a
//! secret by `[REDACTED:rule]`. The mark holds no digest of the secret: that would
//! let a short one be guessed.
//!
//! What is found: the tokens of some thirty providers by their published prefixes, JSON
//! Web Tokens, bearer and basic credentials, private keys in PEM, passwords in URLs,
//! assignments to names like `API_TOKEN` or `password`, and the values of JSON keys of
//! such names. What is not: a secret with neither a known shape nor a telling name
//! beside it. Certificates and public keys are no secrets and stay.
//!
//! One pass of an Aho-Corasick automaton finds the places worth a look, so clean text
//! costs little; every look takes time linear in what it looks at.
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

mod planted;

mod finding;
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

pub use finding::Finding;
pub use redacted::{Redacted, check, redact};
pub use rule::Rule;
pub use rules::RULES;
