use std::path::Path;
use std::sync::Arc;

use memlith_verbs::Verb;
use memlith_verbs::graph::Desk;
use rmcp::model::{JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::arguments::Arguments;
use crate::fence::Text;
use crate::host::{Answered, Host, Refused};

/// A tool: one verb, or several in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// The description of what it does and when it is the right one, for a model.
    pub(crate) about: &'static str,
    pub(crate) effect: Effect,
    pub(crate) text: Text,
    schema: fn() -> JsonObject,
    run: fn(&Host, &Path, Value) -> Result<Answered, Refused>,
}

/// Arguments of a tool that is more than one verb.
pub(crate) trait Steps: DeserializeOwned + JsonSchema {
    /// Does what is asked, on the rows of a ledger.
    ///
    /// # Errors
    /// The ledger's, or it is refused.
    fn run(self, desk: Desk<'_>) -> anyhow::Result<Answered>;
}

/// Effect that a call may have on the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    Reads,
    /// It adds records, and nothing of what stands leaves.
    Adds,
    /// Something that stands may leave; it can be taken back.
    Ends,
    /// Words are gone for good.
    Erases,
}

impl Tool {
    /// A tool that is one verb and takes `A`.
    pub(crate) const fn of<A: Verb + DeserializeOwned + JsonSchema>(
        name: &'static str,
        (title, about): (&'static str, &'static str),
        effect: Effect,
        text: Text,
    ) -> Tool {
        Tool { name, title, about, effect, text, schema: schema::<A>, run: run_verb::<A> }
    }

    /// A tool that takes `A`, and several verbs.
    pub(crate) const fn of_steps<A: Steps>(
        name: &'static str,
        (title, about): (&'static str, &'static str),
        effect: Effect,
        text: Text,
    ) -> Tool {
        Tool { name, title, about, effect, text, schema: schema::<A>, run: run_steps::<A> }
    }

    /// Does what a call asks for.
    ///
    /// # Errors
    /// The arguments are not what the tool takes, or it is refused or fails.
    pub(crate) fn run(
        &self,
        host: &Host,
        folder: &Path,
        arguments: Option<JsonObject>,
    ) -> Result<Answered, Refused> {
        let arguments = Arguments::of((self.schema)()).read(arguments.unwrap_or_default())?;
        (self.run)(host, folder, Value::Object(arguments))
    }

    /// As the protocol lists it.
    pub(crate) fn listed(&self) -> rmcp::model::Tool {
        // What the protocol takes for granted is not said.
        let mut hints = ToolAnnotations::new().open_world(false);
        hints = match self.effect {
            Effect::Reads => hints.read_only(true),
            Effect::Adds => hints.destructive(false),
            Effect::Ends | Effect::Erases => hints.destructive(true),
        };
        let listed = rmcp::model::Tool::new(self.name, self.about, Arc::new((self.schema)()));
        listed.with_title(self.title).annotate(hints)
    }
}

fn schema<A: JsonSchema>() -> JsonObject {
    // Some clients read no references.
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<A>();
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    // The tool's own description says it for a model, and an unknown argument is refused by name.
    let unsaid = ["title", "description", "$schema", "additionalProperties"];
    schema.retain(|key, _| !unsaid.contains(&key.as_str()));
    // A choice of objects is an object too, and clients ask for the word.
    schema.entry("type").or_insert_with(|| "object".into());
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(shortened);
    }
    schema
}

/// Drops what a model is not told: null as a type of a property that may be left out, which some
/// clients don't take for a type; defaults that say nothing; formats. A choice of words is an enum.
fn shortened(property: &mut Value) {
    let Some(fields) = property.as_object_mut() else { return };
    fields.retain(|key, value| match key.as_str() {
        "default" => !matches!(value, Value::Null | Value::Bool(false)),
        "format" => false,
        _ => true,
    });
    if let Some(items) = fields.get_mut("items").and_then(Value::as_object_mut) {
        items.remove("description");
    }
    let choice = fields.get("oneOf").and_then(Value::as_array);
    let words = choice.and_then(|all| all.iter().map(|one| one.get("const").cloned()).collect());
    if let Some(words) = words {
        fields.remove("oneOf");
        fields.insert("type".to_owned(), "string".into());
        fields.insert("enum".to_owned(), Value::Array(words));
    }
    if let Some(kinds) = fields.get_mut("type").and_then(Value::as_array_mut) {
        kinds.retain(|kind| kind != "null");
        if let [one] = kinds.as_slice() {
            let one = one.clone();
            fields.insert("type".to_owned(), one);
        }
    }
}

fn run_verb<A: Verb + DeserializeOwned>(
    host: &Host,
    folder: &Path,
    arguments: Value,
) -> Result<Answered, Refused> {
    host.run(folder, read::<A>(arguments)?)
}

fn run_steps<A: Steps>(host: &Host, folder: &Path, arguments: Value) -> Result<Answered, Refused> {
    let steps = read::<A>(arguments)?;
    let (_, answered) = host.with(folder, |context| {
        let (ledger, caller) = (context.open()?, context.caller());
        let answered = steps.run(Desk { ledger: &ledger, caller: &caller })?;
        context.finish(ledger)?;
        Ok(answered)
    })?;
    Ok(answered)
}

fn read<A: DeserializeOwned>(arguments: Value) -> Result<A, Refused> {
    serde_json::from_value(arguments).map_err(|error| Refused { what: error.to_string() })
}
