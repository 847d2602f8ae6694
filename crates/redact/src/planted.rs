//! Bugs planted on purpose, as `memlith_log` has them: this crate depends on nothing of ours.

/// Whether the planted bug of this name is at work; `false` in every ordinary build.
#[cfg(not(sabotage))]
macro_rules! planted {
    ($name:literal) => {
        false
    };
}

/// Whether the planted bug of this name is at work; `false` in every ordinary build.
#[cfg(sabotage)]
macro_rules! planted {
    ($name:literal) => {
        $crate::planted::planted_is($name)
    };
}

pub(crate) use planted;

/// Whether `name` is the planted bug that was chosen for this process.
#[cfg(sabotage)]
#[expect(clippy::disallowed_methods, reason = "only a sabotaged build asks, once")]
pub(crate) fn planted_is(name: &str) -> bool {
    static CHOSEN: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    let chosen = CHOSEN.get_or_init(|| std::env::var("MEMLITH_PLANTED").ok());
    chosen.as_deref() == Some(name)
}
