//! The table `[vary]`: options of the lab's servers, each with its levels.

use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::Spanned;

use crate::mistake;
use crate::values::{Switch, Text};
use crate::{List, Placed};

/// The key beside the options.
pub const TOGETHER: &str = "together";
const WANTED: &str = "a table such as { security = [\"none\", \"tls\"] }";

/// Options of servers and their levels, in the order of the options; the first level of each is the baseline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vary {
    /// An option, with its levels.
    pub options: Vec<(Placed<String>, List<Text>)>,
    /// Whether the last levels of all options are measured together, too.
    pub together: Option<Placed<Switch>>,
}

struct VaryVisitor;

impl<'de> Visitor<'de> for VaryVisitor {
    type Value = Vary;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(WANTED)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Vary, E> {
        Err(E::custom(mistake::wrong_type(WANTED)))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Vary, E> {
        Err(E::custom(mistake::wrong_type(WANTED)))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Vary, E> {
        Err(E::custom(mistake::wrong_type(WANTED)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Vary, A::Error> {
        Err(A::Error::custom(mistake::wrong_type(WANTED)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vary, A::Error> {
        let mut vary = Vary::default();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            if key.get_ref() == TOGETHER {
                vary.together = Some(map.next_value()?);
                continue;
            }
            let option = Placed {
                span: key.span(),
                value: key.into_inner(),
            };
            vary.options.push((option, map.next_value()?));
        }
        Ok(vary)
    }
}

impl<'de> Deserialize<'de> for Vary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VaryVisitor)
    }
}

impl Serialize for Vary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (option, levels) in &self.options {
            map.serialize_entry(&option.value, levels)?;
        }
        if let Some(together) = &self.together {
            map.serialize_entry(TOGETHER, together)?;
        }
        map.end()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Vary {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Vary".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let together = generator.subschema_for::<Switch>();
        schemars::json_schema!({
            "type": "object",
            "minProperties": 1,
            "properties": {
                "security": {
                    "description": "Security profiles of the lab; the first is the baseline.",
                    "type": "array",
                    "items": { "enum": ["none", "auth", "tls", "mtls", "hardened"] },
                    "minItems": 2,
                    "uniqueItems": true,
                },
                "together": {
                    "description": "Whether the last levels of all options are measured together, too.",
                    "allOf": [together],
                },
            },
            "additionalProperties": {
                "description": "An option of the lab's servers (`dbdyno lab list`) with its levels; the first is the baseline.",
                "type": "array",
                "items": { "type": ["string", "number", "boolean"] },
                "minItems": 2,
                "uniqueItems": true,
            },
        })
    }
}
