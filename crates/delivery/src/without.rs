//! Sinks that this build has not.

#[cfg(not(feature = "webhook"))]
use std::time::Duration;

#[cfg(not(feature = "webhook"))]
use crate::batch::{Batch, Sink, TypeNames, Verdict};

/// Says what to do about a sink that this build has not.
#[cfg(not(feature = "falkordb"))]
pub(crate) fn missing(feature: &str) -> String {
    format!("this program was built without {feature}: take a released one, or add the feature")
}

/// A webhook; none can be made.
#[cfg(not(feature = "webhook"))]
#[derive(Debug)]
pub(crate) enum Webhook {}

/// A receiver of alerts; none can be made.
#[cfg(not(feature = "webhook"))]
#[derive(Debug)]
pub enum Alert {}

#[cfg(not(feature = "webhook"))]
const MISSING: &str = "left out: this program was built without webhook";

#[cfg(not(feature = "webhook"))]
impl Webhook {
    pub(crate) fn new(_: &str, _: String, _: Duration) -> Result<Webhook, &'static str> {
        Err(MISSING)
    }

    pub(crate) fn typed(self, _: TypeNames) -> Webhook {
        self
    }
}

#[cfg(not(feature = "webhook"))]
impl Sink for Webhook {
    fn deliver(&self, _: &Batch, _: i64) -> Verdict {
        match *self {}
    }
}

#[cfg(not(feature = "webhook"))]
impl Alert {
    pub(crate) fn new(_: &str) -> Result<Alert, &'static str> {
        Err(MISSING)
    }

    /// Sends an alert; whether it was taken.
    #[must_use]
    pub fn send(&self, _: &str, _: &str) -> bool {
        match *self {}
    }
}
