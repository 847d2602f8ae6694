use std::sync::Arc;

use tokio::sync::Notify;

/// Ends a server from outside: it answers no further call, and finishes those under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<Notify>);

impl Stop {
    /// Ends it, or has it end at once when it begins.
    pub(crate) fn now(&self) {
        self.0.notify_one();
    }

    /// Until it is to end.
    pub(crate) async fn wanted(&self) {
        self.0.notified().await;
    }
}
