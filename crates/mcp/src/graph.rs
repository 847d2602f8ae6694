//! The nine tools of the reference memory server, with its arguments and answers.

use anyhow::Result;
use memlith_verbs::exit::refused;
use memlith_verbs::graph::{Desk, Entity, Graph, Kept, Relation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::host::Answered;
use crate::tool::Steps;

/// Entities to be made.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CreateEntities {
    entities: Vec<Entity>,
}

/// Relations to be made.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CreateRelations {
    relations: Vec<Relation>,
}

/// Observations to add to entities.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AddObservations {
    observations: Vec<Added>,
}

/// Observations to add to one entity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Added {
    /// The name of the entity to add the observations to
    entity_name: String,
    /// An array of observation contents to add
    contents: Vec<String>,
}

/// Entities that are over.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeleteEntities {
    /// An array of entity names to delete
    entity_names: Vec<String>,
}

/// Observations that are over.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DeleteObservations {
    deletions: Vec<Deleted>,
}

/// Observations of one entity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Deleted {
    /// The name of the entity containing the observations
    entity_name: String,
    /// An array of observations to delete
    observations: Vec<String>,
}

/// Relations that are over.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DeleteRelations {
    /// An array of relations to delete
    relations: Vec<Relation>,
}

/// All of it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReadGraph {}

/// A search for entities.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchNodes {
    /// The search query to match against entity names, types, and observation content
    query: String,
}

/// Entities to retrieve, by name.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct OpenNodes {
    /// An array of entity names to retrieve
    names: Vec<String>,
}

impl Steps for CreateEntities {
    fn run(self, desk: Desk<'_>) -> Result<Answered> {
        let kept = Kept::read(desk)?;
        let mut new = self.entities;
        new.retain(|entity| !kept.has_entity(&entity.name));
        new.iter().try_for_each(|entity| kept.add_entity(entity))?;
        Ok(list("entities", &new))
    }
}

impl Steps for CreateRelations {
    fn run(self, desk: Desk<'_>) -> Result<Answered> {
        let kept = Kept::read(desk)?;
        let known = kept.graph().relations;
        let mut new = self.relations;
        new.retain(|relation| !known.contains(relation));
        new.iter().try_for_each(|relation| kept.add_relation(relation))?;
        Ok(list("relations", &new))
    }
}

impl Steps for AddObservations {
    fn run(self, desk: Desk<'_>) -> Result<Answered> {
        let kept = Kept::read(desk)?;
        let missing = self.observations.iter().find(|one| !kept.has_entity(&one.entity_name));
        if let Some(Added { entity_name, .. }) = missing {
            return Err(refused(format!("Entity with name {entity_name} not found")));
        }
        let mut results = Vec::new();
        for Added { entity_name, contents } in self.observations {
            let known = kept.observations(&entity_name);
            let mut added = contents;
            added.retain(|content| !known.contains(content));
            added.iter().try_for_each(|content| kept.add_observation(&entity_name, content))?;
            results.push(json!({"entityName": entity_name, "addedObservations": added}));
        }
        Ok(list("results", &results))
    }
}

impl Steps for DeleteEntities {
    fn run(self, desk: Desk<'_>) -> Result<Answered> {
        Kept::read(desk)?.end_entities(&self.entity_names)?;
        Ok(done("Entities deleted successfully"))
    }
}

impl Steps for DeleteObservations {
    fn run(self, desk: Desk<'_>) -> Result<Answered> {
        let kept = Kept::read(desk)?;
        for Deleted { entity_name, observations } in self.deletions {
            kept.end_observations(&entity_name, &observations)?;
        }
        Ok(done("Observations deleted successfully"))
    }
}

impl Steps for DeleteRelations {
    fn run(self, desk: Desk<'_>) -> Result<Answered> {
        Kept::read(desk)?.end_relations(&self.relations)?;
        Ok(done("Relations deleted successfully"))
    }
}

impl Steps for ReadGraph {
    fn run(self, desk: Desk<'_>) -> Result<Answered> {
        Ok(shown(&Kept::read(desk)?.graph()))
    }
}

impl Steps for SearchNodes {
    fn run(self, desk: Desk<'_>) -> Result<Answered> {
        let query = self.query.to_lowercase();
        let has = |text: &String| text.to_lowercase().contains(&query);
        let graph = Kept::read(desk)?.graph();
        Ok(shown(&around(graph, |entity| {
            has(&entity.name) || has(&entity.entity_type) || entity.observations.iter().any(has)
        })))
    }
}

impl Steps for OpenNodes {
    fn run(self, desk: Desk<'_>) -> Result<Answered> {
        let graph = Kept::read(desk)?.graph();
        Ok(shown(&around(graph, |entity| self.names.contains(&entity.name))))
    }
}

/// Some entities, and every relation that has one of them at an end.
fn around(mut graph: Graph, is_meant: impl Fn(&Entity) -> bool) -> Graph {
    graph.entities.retain(is_meant);
    let entities = &graph.entities;
    let has = |name: &String| entities.iter().any(|entity| entity.name == *name);
    graph.relations.retain(|relation| has(&relation.from) || has(&relation.to));
    graph
}

fn list(name: &str, items: &[impl Serialize]) -> Answered {
    let items = json!(items);
    let text = pretty(&items);
    Answered { json: json!({name: items}), text, ..Answered::default() }
}

fn shown(graph: &Graph) -> Answered {
    let json = json!(graph);
    Answered { text: pretty(&json), json, ..Answered::default() }
}

fn done(message: &str) -> Answered {
    let json = json!({"success": true, "message": message});
    Answered { json, text: message.to_owned(), ..Answered::default() }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
