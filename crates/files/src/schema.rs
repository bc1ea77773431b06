//! JSON Schemas of the files, made from the types that read them.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::values::Count;
use crate::{List, NeedFile, PaperSizes, Placed, Properties, Scalar, StudyFile, Table, Tables};

/// Where the schemas are in the project.
pub const FOLDER: &str = "docs/schema";
/// Writes a schema.
pub type Writer = fn() -> String;
/// Every schema, by the name of its file.
pub const SCHEMAS: [(&str, Writer); 2] = [("study.schema.json", of_studies), ("need.schema.json", of_needs)];

/// The schema of study files.
#[must_use]
pub fn of_studies() -> String {
    text::<StudyFile>("A study of dbdyno")
}

/// The schema of need files.
#[must_use]
pub fn of_needs() -> String {
    text::<NeedFile>("A need of dbdyno")
}

fn text<T: JsonSchema>(title: &str) -> String {
    let settings = schemars::generate::SchemaSettings::draft07();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    let mut value = schema.to_value();
    without_null(&mut value);
    format!("{value:#}\n")
}

/// TOML has no null: what may be absent is not required.
fn without_null(value: &mut Value) {
    let null = json!({ "type": "null" });
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_null),
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|one| one != "null");
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| *choice != null);
            }
            object.values_mut().for_each(without_null);
        }
        _ => {}
    }
}

/// A wrapper is described as what it holds.
macro_rules! inline {
    ($($wrapper:ident),*) => {$(
        impl<T: JsonSchema> JsonSchema for $wrapper<T> {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                T::schema_name()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                generator.subschema_for::<T>()
            }
        }
    )*};
}

inline!(Placed, Table);

impl<T: JsonSchema + Scalar> JsonSchema for List<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("ListOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        schemars::json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}

impl<T: JsonSchema> JsonSchema for Tables<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("TablesOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        schemars::json_schema!({ "type": "array", "items": one })
    }
}

impl JsonSchema for Properties {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Properties".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "type": "object",
            "additionalProperties": { "type": ["string", "number", "boolean", "object"] },
        })
    }
}

impl JsonSchema for PaperSizes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PaperSizes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let size = generator.subschema_for::<Count>();
        schemars::json_schema!({
            "type": "object",
            "propertyNames": { "pattern": "^[0-9]+$" },
            "additionalProperties": size,
        })
    }
}
