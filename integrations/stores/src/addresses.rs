use std::sync::Arc;

/// Has this process reach shared ledgers on stores by their addresses.
pub fn add_to_program() {
    #[cfg(feature = "object-store")]
    memlith_sync::add_store("s3", |address| Ok(Arc::new(crate::ObjectLog::at(address)?)));
    #[cfg(feature = "s2")]
    memlith_sync::add_store("s2", |address| Ok(Arc::new(crate::S2Log::at(address)?)));
    #[cfg(feature = "postgres")]
    memlith_sync::add_store("postgres", |address| Ok(Arc::new(crate::PostgresLog::open(address)?)));
}
