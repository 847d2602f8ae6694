//! Bugs planted on purpose, so that the campaigns can be seen to find bugs.
//!
//! A build with `--cfg sabotage` holds them all and has at most one at work: the one that
//! the environment variable `MEMLITH_PLANTED` names. Every other build holds nothing of
//! them: there [`planted!`](crate::planted) is `false` and drops its name. They are listed
//! in `xtask/planted/bugs.txt`; `cargo xtask planted` runs the campaigns on each.

/// Whether the planted bug of this name is at work; `false` in every ordinary build.
#[cfg(not(sabotage))]
#[macro_export]
macro_rules! planted {
    ($name:literal) => {
        false
    };
}

/// Whether the planted bug of this name is at work; `false` in every ordinary build.
#[cfg(sabotage)]
#[macro_export]
macro_rules! planted {
    ($name:literal) => {
        $crate::planted_is($name)
    };
}

/// Whether `name` is the planted bug that was chosen for this process.
#[cfg(sabotage)]
#[expect(clippy::disallowed_methods, reason = "only a sabotaged build asks, once")]
pub fn planted_is(name: &str) -> bool {
    static CHOSEN: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    let chosen = CHOSEN.get_or_init(|| std::env::var("MEMLITH_PLANTED").ok());
    chosen.as_deref() == Some(name)
}

#[cfg(all(test, not(sabotage)))]
mod tests {
    #[test]
    fn an_ordinary_build_has_no_bug_at_work() {
        const AT_WORK: bool = crate::planted!("any");
        const { assert!(!AT_WORK) }
    }
}
