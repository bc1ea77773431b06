//! The SQL. The layout is that of YCSB's JDBC binding, so that each can read what the other loaded:
//!
//! ```sql
//! CREATE TABLE usertable (YCSB_KEY VARCHAR PRIMARY KEY, FIELD0 TEXT, FIELD1 TEXT, ...)
//! ```
//!
//! It is an ordinary table, not `WITHOUT ROWID`: there a row of more than about a quarter of a page, as YCSB's 1 kB is
//! with 4 KiB pages, leaves the tree for an overflow page of its own, and the file grows four times as large.

use std::fmt::Write;

use dbdyno_driver::{MOST_FIELDS_PREPARED, Row, Table};

/// The table of the manifests.
pub const MANIFESTS: &str = "_dbdyno_manifest";
pub const CREATE_MANIFESTS: &str =
    "CREATE TABLE IF NOT EXISTS _dbdyno_manifest (table_name TEXT PRIMARY KEY, manifest TEXT)";
pub const READ_MANIFEST: &str = "SELECT manifest FROM _dbdyno_manifest WHERE table_name = ?1";
pub const WRITE_MANIFEST: &str = "INSERT OR REPLACE INTO _dbdyno_manifest VALUES (?1, ?2)";
pub const DELETE_MANIFEST: &str = "DELETE FROM _dbdyno_manifest WHERE table_name = ?1";
/// Table names are the same whatever the case of their letters.
pub const TABLE_EXISTS: &str =
    "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE)";

pub fn create_table(table: &Table) -> String {
    let mut sql = format!(
        "CREATE TABLE IF NOT EXISTS {} (YCSB_KEY VARCHAR PRIMARY KEY NOT NULL",
        quoted(&table.name)
    );
    for field in &table.field_names {
        let _ = write!(sql, ", {} TEXT", column(field));
    }
    sql.push(')');
    sql
}

pub fn drop_table(table: &Table) -> String {
    format!("DROP TABLE IF EXISTS {}", quoted(&table.name))
}

/// The statements of one session, written once; the connection keeps them prepared.
pub struct Statements {
    pub read_all: String,
    pub read_one: Vec<String>,
    pub scan_all: String,
    pub scan_one: Vec<String>,
    pub delete: String,
    pub exists: String,
    table: String,
    columns: Vec<String>,
    insert_all: String,
    update_one: Vec<String>,
    update_all: String,
    /// For rows of other shapes.
    built: String,
}

impl Statements {
    pub fn new(table: &Table) -> Self {
        let name = quoted(&table.name);
        let columns: Vec<String> = table.field_names.iter().map(|field| column(field)).collect();
        let all = match columns.as_slice() {
            [] => "NULL".to_owned(),
            columns => columns.join(", "),
        };
        let read = |what: &str| format!("SELECT {what} FROM {name} WHERE YCSB_KEY = ?1");
        let scan = |what: &str| {
            format!("SELECT YCSB_KEY, {what} FROM {name} WHERE YCSB_KEY >= ?1 ORDER BY YCSB_KEY LIMIT ?2")
        };
        let mut statements = Self {
            read_all: read(&all),
            read_one: columns.iter().map(|column| read(column)).collect(),
            scan_all: scan(&all),
            scan_one: columns.iter().map(|column| scan(column)).collect(),
            delete: format!("DELETE FROM {name} WHERE YCSB_KEY = ?1"),
            exists: read("1"),
            insert_all: String::new(),
            update_one: Vec::new(),
            update_all: String::new(),
            built: String::new(),
            table: name,
            columns,
        };
        let fields = 0..statements.columns();
        statements.insert_all = statements.insert_of(fields.clone());
        statements.update_all = statements.update_of(fields.clone());
        statements.update_one = fields
            .map(|field| statements.update_of(std::iter::once(field)))
            .collect();
        statements
    }

    /// The number of fields.
    pub fn columns(&self) -> u32 {
        self.columns.len() as u32
    }

    /// How many statements a connection must keep prepared so that none is prepared twice.
    pub fn count(&self) -> usize {
        self.columns.len() * 3 + 8
    }

    /// Every statement that a workload can send.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        let single = self.columns() <= MOST_FIELDS_PREPARED;
        let of_fields = [&self.read_one, &self.scan_one, &self.update_one];
        // Without fields there is nothing to set.
        let update_all = (self.columns() > 0).then_some(&self.update_all);
        [
            &self.read_all,
            &self.scan_all,
            &self.insert_all,
            &self.delete,
            &self.exists,
        ]
        .into_iter()
        .chain(update_all)
        .chain(of_fields.into_iter().flatten().filter(move |_| single))
        .map(String::as_str)
    }

    /// Whether the table has all fields of the row.
    pub fn has(&self, row: &Row) -> bool {
        row.iter().all(|(index, _)| (index as usize) < self.columns.len())
    }

    /// Inserts a row of these fields: `?1` is the key, the values follow.
    pub fn insert(&mut self, row: &Row) -> &str {
        let fields = row.iter().map(|(index, _)| index);
        if fields.eq(0..self.columns()) {
            &self.insert_all
        } else {
            self.built = self.insert_of(row.iter().map(|(index, _)| index));
            &self.built
        }
    }

    /// Sets the row's fields, of which there is at least one: `?1` is the key, the values follow.
    pub fn update(&mut self, row: &Row) -> &str {
        let mut fields = row.iter().map(|(index, _)| index);
        if let (Some(only), None) = (fields.next(), fields.next()) {
            &self.update_one[only as usize]
        } else if row.iter().map(|(index, _)| index).eq(0..self.columns()) {
            &self.update_all
        } else {
            self.built = self.update_of(row.iter().map(|(index, _)| index));
            &self.built
        }
    }

    fn insert_of(&self, fields: impl Iterator<Item = u32>) -> String {
        let (mut sql, mut values) = (format!("INSERT INTO {} (YCSB_KEY", self.table), String::new());
        for (position, field) in fields.enumerate() {
            let _ = write!(sql, ", {}", self.columns[field as usize]);
            let _ = write!(values, ", ?{}", position + 2);
        }
        let _ = write!(sql, ") VALUES (?1{values})");
        sql
    }

    fn update_of(&self, fields: impl Iterator<Item = u32>) -> String {
        let mut sql = format!("UPDATE {} SET ", self.table);
        for (position, field) in fields.enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            let column = &self.columns[field as usize];
            let _ = write!(sql, "{comma}{column} = ?{}", position + 2);
        }
        sql.push_str(" WHERE YCSB_KEY = ?1");
        sql
    }
}

/// The column of a field: YCSB's names in capitals, as its JDBC binding creates them (SQLite minds no case).
fn column(field: &str) -> String {
    quoted(&field.to_ascii_uppercase())
}

/// A name as an SQL identifier, whatever is in it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            name: "user\"table".to_owned(),
            field_names: ["field0", "field1", "field2"].map(str::to_owned).to_vec(),
        }
    }

    #[test]
    fn names_are_quoted_and_the_layout_is_that_of_ycsb() {
        assert_eq!(
            create_table(&table()),
            "CREATE TABLE IF NOT EXISTS \"user\"\"table\" (YCSB_KEY VARCHAR PRIMARY KEY NOT NULL, \"FIELD0\" TEXT, \
             \"FIELD1\" TEXT, \"FIELD2\" TEXT)"
        );
    }

    fn row(fields: &[u32]) -> Row {
        let mut row = Row::new();
        for field in fields {
            row.push(*field, b"value");
        }
        row
    }

    #[test]
    fn every_statement_of_a_workload_is_among_those_that_a_session_prepares() {
        let mut statements = Statements::new(&table());
        let all: Vec<String> = statements.all().map(str::to_owned).collect();
        assert!(all.len() <= statements.count(), "none pushes another out");
        let mut sent = vec![
            statements.read_all.clone(),
            statements.scan_all.clone(),
            statements.delete.clone(),
            statements.insert(&row(&[0, 1, 2])).to_owned(),
            statements.update(&row(&[0, 1, 2])).to_owned(),
        ];
        for field in 0..3 {
            sent.push(statements.read_one[field].clone());
            sent.push(statements.scan_one[field].clone());
            sent.push(statements.update(&row(&[field as u32])).to_owned());
        }
        for sql in sent {
            assert!(all.contains(&sql), "{sql}");
        }
        let wide = Table {
            name: "wide".to_owned(),
            field_names: (0..=MOST_FIELDS_PREPARED)
                .map(|field| format!("field{field}"))
                .collect(),
        };
        assert_eq!(Statements::new(&wide).all().count(), 6);
    }

    #[test]
    fn each_shape_of_row_has_its_statement() {
        let mut statements = Statements::new(&table());
        assert_eq!(
            statements.insert(&row(&[0, 1, 2])),
            "INSERT INTO \"user\"\"table\" (YCSB_KEY, \"FIELD0\", \"FIELD1\", \"FIELD2\") VALUES (?1, ?2, ?3, ?4)"
        );
        assert_eq!(
            statements.insert(&row(&[])),
            "INSERT INTO \"user\"\"table\" (YCSB_KEY) VALUES (?1)"
        );
        assert_eq!(
            statements.update(&row(&[1])),
            "UPDATE \"user\"\"table\" SET \"FIELD1\" = ?2 WHERE YCSB_KEY = ?1"
        );
        assert_eq!(
            statements.update(&row(&[2, 0])),
            "UPDATE \"user\"\"table\" SET \"FIELD2\" = ?2, \"FIELD0\" = ?3 WHERE YCSB_KEY = ?1"
        );
        assert!(statements.has(&row(&[0, 2])) && !statements.has(&row(&[3])));
    }
}
