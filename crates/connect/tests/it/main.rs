//! Tests of calls to the outside, over real connections to servers that misbehave, and to a real
//! graph.

#[cfg(test)]
mod applied;
#[cfg(test)]
mod counted;
#[cfg(test)]
mod delivered;
#[cfg(test)]
mod falkordb;
#[cfg(test)]
mod fault_server;
#[cfg(test)]
mod flow;
#[cfg(test)]
mod graph;
#[cfg(test)]
mod graph_items;
#[cfg(test)]
mod private;
#[cfg(test)]
mod refused;
#[cfg(test)]
mod world;
