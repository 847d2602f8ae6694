//! The engine through its public interface: the bytes of one history, on every machine.

#[cfg(test)]
mod golden;
#[cfg(test)]
mod own_storage;
