/// The version of the rules: our own number, and the rules of gitleaks that names and
/// shapes were taken from. It changes with every change of what is found.
pub const RULES: &str = "2 (gitleaks 8.30, 2026-07)";
