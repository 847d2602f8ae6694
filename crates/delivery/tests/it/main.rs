//! Tests of sinks, over real connections to servers that misbehave, and to a real graph.

#[cfg(test)]
mod delivered;
#[cfg(test)]
mod falkordb;
#[cfg(test)]
mod flow;
#[cfg(test)]
mod graph;
#[cfg(test)]
mod graph_items;
