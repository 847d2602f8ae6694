//! Machines that sync over places, good and bad.

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod erasures;
#[cfg(test)]
mod machines;
#[cfg(test)]
mod people;
#[cfg(test)]
mod places;
#[cfg(test)]
mod shared;
