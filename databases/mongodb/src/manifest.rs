//! The manifest beside a table. With client-side partitioning every shard has one, which says which part of the table it holds:
//! another address would look for records where they are not.

use dbdyno_driver::{DbError, ErrorClass};
use mongodb::bson::{Bson, Document, doc};

use crate::shards::Spread;

/// The manifest of a table as a document, for one shard, counted from 0.
pub(crate) fn written(table: &str, text: &str, spread: &Spread, shard: usize) -> Document {
    let mut document = doc! { "_id": table, "text": text };
    if let Some(part) = part(spread, shard) {
        document.insert("partition", part);
    }
    document
}

/// The manifest of a table from what each shard stores. That of the first shard counts: it is written and removed first, so where
/// a process died between two shards it is the newer one.
///
/// # Errors
/// `Rejected`, when a shard holds another part than the address says.
pub(crate) fn read(
    stored: &[Option<Document>],
    spread: &Spread,
    table: &str,
) -> Result<Option<String>, DbError> {
    for (shard, stored) in stored.iter().enumerate() {
        let Some(stored) = stored else { continue };
        let (has, wanted) = (stored.get("partition"), part(spread, shard));
        if has != wanted.map(Bson::Document).as_ref() {
            let has = has.and_then(Bson::as_document);
            return Err(other_part(shard, has, table));
        }
    }
    let first = stored.first().and_then(Option::as_ref);
    Ok(first.and_then(|found| found.get_str("text").ok().map(str::to_owned)))
}

/// The part of a table that a shard has; `None`: all of it.
fn part(spread: &Spread, shard: usize) -> Option<Document> {
    let Spread::Client(partition) = spread else {
        return None;
    };
    Some(doc! {
        "shard_key": partition.key.name(),
        "shards": partition.shards as i64,
        "shard": shard as i64 + 1,
    })
}

fn other_part(shard: usize, has: Option<&Document>, table: &str) -> DbError {
    let number = |part: &Document, name| part.get_i64(name).unwrap_or_default();
    let what = match has {
        Some(part) => format!(
            "holds shard {} of {} of the table {table} (client-side partitioning, shard_key={})",
            number(part, "shard"),
            number(part, "shards"),
            part.get_str("shard_key").unwrap_or_default()
        ),
        None => format!("holds the whole table {table}, loaded without partition=client"),
    };
    DbError::new(
        ErrorClass::Rejected,
        format!(
            "`mongodb`: host {} of the address {what}; use the hosts, their order and the options that it was loaded \
             with, or drop the table",
            shard + 1
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shard_key::{Partition, ShardKey};

    fn client(key: ShardKey, shards: usize) -> Spread {
        Spread::Client(Partition::new(key, shards))
    }

    #[test]
    fn a_manifest_without_partitioning_is_as_it_was() {
        let whole = Spread::Server(None);
        let document = written("t", "text", &whole, 0);
        assert_eq!(document, doc! { "_id": "t", "text": "text" });
        assert_eq!(
            read(&[Some(document)], &whole, "t").unwrap().as_deref(),
            Some("text")
        );
        assert_eq!(read(&[None], &whole, "t").unwrap(), None);
    }

    #[test]
    fn parts_are_found_where_they_were_put_and_nowhere_else() {
        let two = client(ShardKey::Hashed, 2);
        let stored = |spread: &Spread| -> Vec<Option<Document>> {
            (0..2)
                .map(|shard| Some(written("t", "text", spread, shard)))
                .collect()
        };
        let own = stored(&two);
        assert_eq!(read(&own, &two, "t").unwrap().as_deref(), Some("text"));
        // A process died between the shards: what the first one says counts.
        assert_eq!(
            read(&[own[0].clone(), None], &two, "t").unwrap().as_deref(),
            Some("text")
        );
        assert_eq!(read(&[None, own[1].clone()], &two, "t").unwrap(), None);
        let refused = |stored: &[Option<Document>], spread: &Spread, expected: &str| {
            let error = read(stored, spread, "t").unwrap_err();
            assert_eq!(error.class, ErrorClass::Rejected);
            assert!(error.message.contains(expected), "{error}");
        };
        let swapped = [own[1].clone(), own[0].clone()];
        refused(&swapped, &two, "host 1 of the address holds shard 2 of 2");
        refused(&own, &client(ShardKey::Ranged, 2), "shard_key=hashed");
        refused(&own[..1], &Spread::Server(None), "client-side partitioning");
        refused(&stored(&Spread::Server(None)), &two, "the whole table");
    }
}
