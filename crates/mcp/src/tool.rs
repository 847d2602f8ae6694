use std::sync::Arc;

use rmcp::model::{JsonObject, ToolAnnotations};
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::arguments::Arguments;
use crate::fence::Text;

/// A verb as a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// What it does and when it is the right one, for a model.
    pub(crate) about: &'static str,
    pub(crate) effect: Effect,
    pub(crate) text: Text,
    schema: fn() -> JsonObject,
    words: fn(Value) -> Result<Vec<String>, String>,
}

/// What a call may do to the ledger.
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
    /// A tool that takes `A`.
    pub(crate) const fn of<A: Arguments>(
        name: &'static str,
        (title, about): (&'static str, &'static str),
        effect: Effect,
        text: Text,
    ) -> Tool {
        Tool { name, title, about, effect, text, schema: schema::<A>, words: words::<A> }
    }

    /// The command line that a call is.
    ///
    /// # Errors
    /// The arguments are not what the tool takes; the text says which and why.
    pub(crate) fn words(&self, arguments: Option<JsonObject>) -> Result<Vec<String>, String> {
        (self.words)(Value::Object(arguments.unwrap_or_default()))
    }

    /// As the protocol lists it.
    pub(crate) fn listed(&self) -> rmcp::model::Tool {
        let hints = ToolAnnotations::with_title(self.title)
            .read_only(self.effect == Effect::Reads)
            .destructive(matches!(self.effect, Effect::Ends | Effect::Erases))
            .idempotent(self.effect == Effect::Reads)
            .open_world(false);
        let listed = rmcp::model::Tool::new(self.name, self.about, Arc::new((self.schema)()));
        listed.with_title(self.title).annotate(hints)
    }
}

fn schema<A: Arguments>() -> JsonObject {
    // Some clients read no references.
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    schema.remove("title");
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    // A choice of objects is an object too, and clients ask for the word.
    schema.entry("type").or_insert_with(|| "object".into());
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(without_null);
    }
    schema
}

/// What may be left out has no need to be null, which some clients don't take for a type.
fn without_null(property: &mut Value) {
    let Some(kind) = property.get_mut("type") else { return };
    if let Some(kinds) = kind.as_array_mut() {
        kinds.retain(|kind| kind != "null");
        if let [one] = kinds.as_slice() {
            *kind = one.clone();
        }
    }
}

fn words<A: Arguments>(arguments: Value) -> Result<Vec<String>, String> {
    let words = serde_json::from_value::<A>(arguments).map_err(|error| error.to_string())?;
    let words = words.words().finish();
    // Where the command line reads standard input, the protocol is.
    if words.iter().any(|word| word == "-") {
        return Err("`-` stands for standard input, which this server has none of".to_owned());
    }
    Ok(words)
}
