//! The SQL. The layout is that of YCSB's JDBC binding, so that each can read what the other loaded:
//!
//! ```sql
//! CREATE TABLE usertable (YCSB_KEY VARCHAR(255) PRIMARY KEY, FIELD0 TEXT, FIELD1 TEXT, ...)
//! ```
//!
//! Its names are written without quotes there, which PostgreSQL takes as lower case. Our key has no greatest length, and the
//! collation `"C"`: scans are then in the order of the key's bytes, whatever the language of the database.

use std::fmt::Write;

use dbdyno_driver::{DbError, ErrorClass, Fields, MOST_FIELDS_PREPARED, Row, Table};

/// What PostgreSQL cuts names to, bytes (`NAMEDATALEN` - 1).
const LONGEST_NAME: usize = 63;

pub(crate) const CREATE_MANIFESTS: &str =
    "CREATE TABLE IF NOT EXISTS dbdyno_manifest (table_name TEXT PRIMARY KEY, manifest TEXT)";
pub(crate) const READ_MANIFEST: &str = "SELECT manifest FROM dbdyno_manifest WHERE table_name = $1";
pub(crate) const WRITE_MANIFEST: &str = "INSERT INTO dbdyno_manifest VALUES ($1, $2) \
     ON CONFLICT (table_name) DO UPDATE SET manifest = excluded.manifest";
pub(crate) const DELETE_MANIFEST: &str = "DELETE FROM dbdyno_manifest WHERE table_name = $1";

/// The collation of a table's key, by name; `default` stands for the database's own, the second column.
pub(crate) const COLLATION: &str = "SELECT c.collname, d.datcollate \
     FROM pg_attribute a JOIN pg_collation c ON c.oid = a.attcollation \
     JOIN pg_database d ON d.datname = current_database() \
     WHERE a.attrelid = to_regclass($1) AND a.attname = 'ycsb_key'";

/// The work of a statement, with its fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Read(Option<u32>),
    Scan(Option<u32>),
    Insert(Vec<u32>),
    Update(Vec<u32>),
    Delete,
}

impl Shape {
    /// What reads these fields. All fields are always read by name: a table may have columns that are none of ours.
    pub(crate) fn read(fields: Fields) -> Self {
        Self::Read(one(fields))
    }

    pub(crate) fn scan(fields: Fields) -> Self {
        Self::Scan(one(fields))
    }

    /// Everything that a workload can ask of a table of so many fields.
    pub(crate) fn all(fields: u32) -> Vec<Self> {
        let every: Vec<u32> = (0..fields).collect();
        let mut shapes = vec![
            Self::Read(None),
            Self::Scan(None),
            Self::Insert(every.clone()),
            Self::Update(every),
            Self::Delete,
        ];
        if fields <= MOST_FIELDS_PREPARED {
            for field in 0..fields {
                shapes.extend([
                    Self::Read(Some(field)),
                    Self::Scan(Some(field)),
                    Self::Update(vec![field]),
                ]);
            }
        }
        shapes
    }
}

fn one(fields: Fields) -> Option<u32> {
    match fields {
        Fields::One(index) => Some(index),
        Fields::All | Fields::AllByName => None,
    }
}

/// The fields of a row, by index.
pub(crate) fn fields_of(row: &Row) -> Vec<u32> {
    row.iter().map(|(index, _)| index).collect()
}

/// One table's statements.
#[derive(Clone, Debug)]
pub(crate) struct Statements {
    /// The table's name, quoted.
    pub(crate) name: String,
    columns: Vec<String>,
}

impl Statements {
    /// Those of a table.
    ///
    /// # Errors
    /// `Rejected`, when PostgreSQL would cut a name.
    pub(crate) fn of(table: &Table) -> Result<Self, DbError> {
        Ok(Self {
            name: quoted(&table.name)?,
            columns: table
                .field_names
                .iter()
                .map(|field| quoted(field))
                .collect::<Result<_, _>>()?,
        })
    }

    pub(crate) fn create(&self) -> String {
        let mut sql = format!(
            "CREATE TABLE IF NOT EXISTS {} (ycsb_key VARCHAR COLLATE \"C\" PRIMARY KEY",
            self.name
        );
        for column in &self.columns {
            let _ = write!(sql, ", {column} TEXT");
        }
        sql.push(')');
        sql
    }

    pub(crate) fn drop(&self) -> String {
        format!("DROP TABLE IF EXISTS {}", self.name)
    }

    /// The number of fields.
    pub(crate) fn len(&self) -> u32 {
        self.columns.len() as u32
    }

    pub(crate) fn sql(&self, shape: &Shape) -> String {
        let name = &self.name;
        match shape {
            Shape::Read(field) => format!("SELECT {} FROM {name} WHERE ycsb_key = $1", self.selected(*field)),
            Shape::Scan(field) => format!(
                "SELECT ycsb_key, {} FROM {name} WHERE ycsb_key >= $1 ORDER BY ycsb_key LIMIT $2",
                self.selected(*field)
            ),
            Shape::Insert(fields) => {
                let mut sql = format!("INSERT INTO {name} (ycsb_key");
                for field in fields {
                    let _ = write!(sql, ", {}", self.columns[*field as usize]);
                }
                sql.push_str(") VALUES ($1");
                for position in 0..fields.len() {
                    let _ = write!(sql, ", ${}", position + 2);
                }
                sql.push(')');
                sql
            }
            Shape::Update(fields) => {
                let mut sql = format!("UPDATE {name} SET ");
                for (position, field) in fields.iter().enumerate() {
                    let comma = if position == 0 { "" } else { ", " };
                    let _ = write!(
                        sql,
                        "{comma}{} = ${}",
                        self.columns[*field as usize],
                        position + 2
                    );
                }
                if fields.is_empty() {
                    // Nothing to set: the record is only looked for.
                    sql.push_str("ycsb_key = ycsb_key");
                }
                sql.push_str(" WHERE ycsb_key = $1");
                sql
            }
            Shape::Delete => format!("DELETE FROM {name} WHERE ycsb_key = $1"),
        }
    }

    fn selected(&self, field: Option<u32>) -> String {
        match field {
            Some(index) => self.columns[index as usize].clone(),
            None if self.columns.is_empty() => "NULL::text".to_owned(),
            None => self.columns.join(", "),
        }
    }
}

/// A name in lower case, between quotes.
fn quoted(name: &str) -> Result<String, DbError> {
    if name.len() > LONGEST_NAME || name.contains('\0') {
        return Err(DbError::new(
            ErrorClass::Rejected,
            format!(
                "the name `{name}` cannot be one of PostgreSQL, which keeps {LONGEST_NAME} bytes of a name; choose a shorter one"
            ),
        ));
    }
    Ok(format!("\"{}\"", name.to_ascii_lowercase().replace('"', "\"\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements() -> Statements {
        let table = Table {
            name: "UserTable".to_owned(),
            field_names: vec!["FIELD0".to_owned(), "a \"b".to_owned()],
        };
        Statements::of(&table).unwrap()
    }

    #[test]
    fn the_layout_is_that_of_ycsbs_binding() {
        assert_eq!(
            statements().create(),
            r#"CREATE TABLE IF NOT EXISTS "usertable" (ycsb_key VARCHAR COLLATE "C" PRIMARY KEY, "field0" TEXT, "a ""b" TEXT)"#
        );
    }

    #[test]
    fn each_shape_has_its_statement() {
        for (shape, expected) in [
            (
                Shape::read(Fields::All),
                r#"SELECT "field0", "a ""b" FROM "usertable" WHERE ycsb_key = $1"#,
            ),
            (
                Shape::scan(Fields::One(0)),
                r#"SELECT ycsb_key, "field0" FROM "usertable" WHERE ycsb_key >= $1 ORDER BY ycsb_key LIMIT $2"#,
            ),
            (
                Shape::Insert(vec![1]),
                r#"INSERT INTO "usertable" (ycsb_key, "a ""b") VALUES ($1, $2)"#,
            ),
            (
                Shape::Update(vec![0, 1]),
                r#"UPDATE "usertable" SET "field0" = $2, "a ""b" = $3 WHERE ycsb_key = $1"#,
            ),
            (Shape::Delete, r#"DELETE FROM "usertable" WHERE ycsb_key = $1"#),
        ] {
            assert_eq!(statements().sql(&shape), expected);
        }
    }

    #[test]
    fn everything_that_a_workload_asks_is_prepared_with_the_session() {
        let shapes = Shape::all(2);
        let mut row = Row::new();
        for value in [b"a", b"b"] {
            row.push(row.len() as u32, value);
        }
        for sent in [
            Shape::read(Fields::All),
            Shape::read(Fields::One(1)),
            Shape::scan(Fields::All),
            Shape::scan(Fields::One(1)),
            Shape::Insert(fields_of(&row)),
            Shape::Update(fields_of(&row)),
            Shape::Update(vec![1]),
            Shape::Delete,
        ] {
            assert!(shapes.contains(&sent), "{sent:?}");
        }
        assert_eq!(Shape::all(MOST_FIELDS_PREPARED + 1).len(), 5);
    }

    #[test]
    fn a_name_that_would_be_cut_is_refused() {
        let table = Table {
            name: "n".repeat(64),
            field_names: Vec::new(),
        };
        assert_eq!(Statements::of(&table).unwrap_err().class, ErrorClass::Rejected);
    }
}
