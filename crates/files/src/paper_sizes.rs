//! Which size of a published study each of our sizes stands for.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::mistake;
use crate::values::Count;
use crate::{Placed, Scalar};

/// The paper's sizes, by ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaperSizes(pub BTreeMap<u64, u64>);

struct SizesVisitor;

impl<'de> Visitor<'de> for SizesVisitor {
    type Value = PaperSizes;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a table such as { 1000 = 100000 }")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PaperSizes, A::Error> {
        let mut sizes = BTreeMap::new();
        while let Some((ours, printed)) = map.next_entry::<String, Placed<Count>>()? {
            let ours = Count::read(&ours)
                .map_err(|message| A::Error::custom(mistake::text(&message, Count::HELP)))?;
            sizes.insert(ours.0, printed.value.0);
        }
        Ok(PaperSizes(sizes))
    }
}

impl<'de> Deserialize<'de> for PaperSizes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SizesVisitor)
    }
}

impl Serialize for PaperSizes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sizes = self.0.iter();
        serializer.collect_map(sizes.map(|(ours, printed)| (ours.to_string(), Count(*printed))))
    }
}
