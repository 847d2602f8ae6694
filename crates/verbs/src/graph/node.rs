//! A graph of entities in the ledger: each entity, observation and relation is one memory.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use memlith::RecordId;
use serde::{Deserialize, Serialize};

use super::row::{Desk, Row, RowSlot, digest};

/// An entity with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Entity {
    /// The name of the entity
    pub name: String,
    /// The type of the entity
    pub entity_type: String,
    /// An array of observation contents associated with the entity
    pub observations: Vec<String>,
}

/// A relation of two entities.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Relation {
    /// The name of the entity where the relation starts
    pub from: String,
    /// The name of the entity where the relation ends
    pub to: String,
    /// The type of the relation
    pub relation_type: String,
}

/// A graph, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Graph {
    /// The entities, the oldest first.
    pub entities: Vec<Entity>,
    /// The relations, the oldest first.
    pub relations: Vec<Relation>,
}

/// A graph, and the memories that it is made of.
pub struct Kept<'a> {
    at: Desk<'a>,
    rows: Vec<Row>,
}

/// The names in a graph, for those who add much to it.
#[derive(Debug, Default)]
pub struct Names {
    entities: BTreeSet<String>,
    observations: BTreeSet<(String, String)>,
    relations: BTreeSet<Relation>,
}

/// Beginning of the predicates of a graph's memories.
const PREFIX: &str = "graph ";
const ENTITY: &str = "graph entity ";
const OBSERVATION: &str = "graph observation ";
const RELATION: &str = "graph relation ";

impl<'a> Kept<'a> {
    /// Reads all that stands.
    ///
    /// # Errors
    /// The ledger can't be read.
    pub fn read(at: Desk<'a>) -> Result<Kept<'a>> {
        Ok(Kept { at, rows: at.rows(None, PREFIX)? })
    }

    /// The whole graph.
    pub fn graph(&self) -> Graph {
        let mut observations: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for slot in self.slots(OBSERVATION) {
            observations.entry(&slot.entity).or_default().push(slot.value.clone());
        }
        let entities = self.slots(ENTITY).map(|slot| Entity {
            name: slot.entity.clone(),
            entity_type: slot.value.clone(),
            observations: observations.remove(slot.entity.as_str()).unwrap_or_default(),
        });
        let entities = entities.collect();
        Graph { entities, relations: self.slots(RELATION).filter_map(relation).collect() }
    }

    /// The observations of the entity of this name.
    pub fn observations(&self, name: &str) -> Vec<String> {
        let of_it = self.slots(OBSERVATION).filter(|slot| slot.entity == name);
        of_it.map(|slot| slot.value.clone()).collect()
    }

    /// All that is known, by name.
    pub fn names(&self) -> Names {
        let pair = |slot: &RowSlot| (slot.entity.clone(), slot.value.clone());
        Names {
            entities: self.slots(ENTITY).map(|slot| slot.entity.clone()).collect(),
            observations: self.slots(OBSERVATION).map(pair).collect(),
            relations: self.slots(RELATION).filter_map(relation).collect(),
        }
    }

    /// Whether an entity of this name stands.
    pub fn has_entity(&self, name: &str) -> bool {
        self.slots(ENTITY).any(|slot| slot.entity == name)
    }

    /// Adds an entity with its observations.
    ///
    /// # Errors
    /// The ledger's.
    pub fn add_entity(&self, entity: &Entity) -> Result<()> {
        let Entity { name, entity_type, observations } = entity;
        add_entity(self.at, name, entity_type)?;
        observations.iter().try_for_each(|content| self.add_observation(name, content))
    }

    /// Adds an observation to an entity.
    ///
    /// # Errors
    /// The ledger's.
    pub fn add_observation(&self, name: &str, content: &str) -> Result<()> {
        add_observation(self.at, name, content)
    }

    /// Adds a relation.
    ///
    /// # Errors
    /// The ledger's.
    pub fn add_relation(&self, relation: &Relation) -> Result<()> {
        add_relation(self.at, relation)
    }

    /// Ends the entities of these names, with their observations and relations.
    pub fn end_entities(&self, names: &[String]) -> Result<()> {
        self.end(|slot| {
            let is_end = slot.predicate.starts_with(RELATION) && names.contains(&slot.value);
            is_end || names.contains(&slot.entity)
        })
    }

    /// Ends observations of the entity of this name.
    pub fn end_observations(&self, name: &str, contents: &[String]) -> Result<()> {
        self.end(|slot| {
            let is_one = slot.predicate.starts_with(OBSERVATION) && slot.entity == name;
            is_one && contents.contains(&slot.value)
        })
    }

    /// Ends relations.
    pub fn end_relations(&self, relations: &[Relation]) -> Result<()> {
        self.end(|slot| relation(slot).is_some_and(|one| relations.contains(&one)))
    }

    fn end(&self, is_meant: impl Fn(&RowSlot) -> bool) -> Result<()> {
        let meant = self.rows.iter().filter(|row| is_meant(&row.slot));
        let ids: Vec<RecordId> = meant.map(|row| row.id).collect();
        self.at.end(&ids, "deleted from the graph")
    }

    fn slots(&self, prefix: &'static str) -> impl Iterator<Item = &RowSlot> {
        let slots = self.rows.iter().map(|row| &row.slot);
        slots.filter(move |slot| slot.predicate.starts_with(prefix))
    }
}

impl Names {
    /// Adds what is new of an entity; how many memories that are, and how many were there.
    ///
    /// # Errors
    /// The ledger's.
    pub fn add_missing(&mut self, at: Desk<'_>, entity: &Entity) -> Result<(u64, u64)> {
        let Entity { name, entity_type, observations } = entity;
        let (mut added, mut present) = (0, 0);
        if self.entities.insert(name.clone()) {
            add_entity(at, name, entity_type)?;
            added += 1;
        } else {
            present += 1;
        }
        for content in observations {
            if self.observations.insert((name.clone(), content.clone())) {
                add_observation(at, name, content)?;
                added += 1;
            } else {
                present += 1;
            }
        }
        Ok((added, present))
    }

    /// Adds a relation, if the graph doesn't have it.
    ///
    /// # Errors
    /// The ledger's.
    pub fn add_missing_relation(&mut self, at: Desk<'_>, relation: Relation) -> Result<(u64, u64)> {
        if self.relations.contains(&relation) {
            return Ok((0, 1));
        }
        add_relation(at, &relation)?;
        self.relations.insert(relation);
        Ok((1, 0))
    }
}

fn add_entity(at: Desk<'_>, name: &str, entity_type: &str) -> Result<()> {
    let predicate = format!("{ENTITY}{}", digest(&[name]));
    write(at, &format!("{name} is of the type {entity_type}"), name, predicate, entity_type)
}

fn add_observation(at: Desk<'_>, name: &str, content: &str) -> Result<()> {
    let predicate = format!("{OBSERVATION}{}", digest(&[name, content]));
    write(at, &format!("{name}: {content}"), name, predicate, content)
}

fn add_relation(at: Desk<'_>, relation: &Relation) -> Result<()> {
    let Relation { from, to, relation_type } = relation;
    let id = digest(&[from, to, relation_type]);
    let predicate = format!("{RELATION}{id} {relation_type}");
    write(at, &format!("{from} {relation_type} {to}"), from, predicate, to)
}

fn write(at: Desk<'_>, text: &str, entity: &str, predicate: String, value: &str) -> Result<()> {
    let (entity, value) = (entity.to_owned(), value.to_owned());
    at.write(text, RowSlot { entity, predicate, value, single: false })
}

fn relation(slot: &RowSlot) -> Option<Relation> {
    let (_, relation_type) = slot.predicate.strip_prefix(RELATION)?.split_once(' ')?;
    let (from, to) = (slot.entity.clone(), slot.value.clone());
    Some(Relation { from, to, relation_type: relation_type.to_owned() })
}
