//! Tests of calls to model servers, over real connections to servers that misbehave.

#[cfg(test)]
mod applied;
#[cfg(test)]
mod counted;
#[cfg(test)]
mod private;
#[cfg(test)]
mod refused;
#[cfg(test)]
mod world;
