/// A session that ships with the project, in [`crate::Format::ClaudeCode`]: a shop's flaky
/// checkout test, found and fixed. Entirely invented.
pub const DEMO_SESSION: &str = include_str!("../fixtures/demo-session.jsonl");
