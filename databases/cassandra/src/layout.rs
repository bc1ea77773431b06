//! The names of a table in CQL and its statements, as YCSB's CQL binding lays them out: `y_id varchar primary key` and
//! one `varchar` column for each field.

use dbdyno_driver::{DbError, ErrorClass, Fields, Table};

/// The statements of one table, as texts.
pub(crate) struct Layout {
    /// Keyspace and table, quoted.
    pub table: String,
    /// Columns of the fields, quoted, in the order of the fields.
    pub columns: Vec<String>,
}

/// A name in CQL. Names of lower case stay as YCSB writes them, for quoting changes only the others.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A keyspace's name, checked.
pub(crate) fn keyspace(path: &str) -> Result<String, DbError> {
    let name = if path.is_empty() { "ycsb" } else { path };
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.len() > 48 || !name.chars().all(plain) {
        return Err(DbError::new(
            ErrorClass::Rejected,
            format!(
                "`cassandra` cannot use `/{name}` as a keyspace; it is up to 48 letters, digits and underscores, \
                 e.g. /ycsb"
            ),
        ));
    }
    Ok(name.to_owned())
}

impl Layout {
    pub(crate) fn of(keyspace: &str, table: &Table) -> Self {
        Self {
            table: format!("{}.{}", quoted(keyspace), quoted(&table.name)),
            columns: table.field_names.iter().map(|name| quoted(name)).collect(),
        }
    }

    pub(crate) fn create(&self, options: &str) -> String {
        let columns: String = self
            .columns
            .iter()
            .map(|name| format!(", {name} varchar"))
            .collect();
        format!(
            "CREATE TABLE IF NOT EXISTS {} (y_id varchar PRIMARY KEY{columns}){options}",
            self.table
        )
    }

    /// The columns that a read of these fields names, after the key.
    pub(crate) fn selected(&self, fields: Fields) -> String {
        match fields {
            Fields::All | Fields::AllByName => self.columns.join(", "),
            Fields::One(index) => self.columns[index as usize].clone(),
        }
    }

    pub(crate) fn read(&self, fields: Fields) -> String {
        format!(
            "SELECT {} FROM {} WHERE y_id = ?",
            self.selected(fields),
            self.table
        )
    }

    pub(crate) fn scan(&self, fields: Fields) -> String {
        format!(
            "SELECT y_id, {} FROM {} WHERE token(y_id) >= token(?) LIMIT ?",
            self.selected(fields),
            self.table
        )
    }

    /// Writes every column; those that get no value become null, for an insert writes the whole record.
    pub(crate) fn insert(&self) -> String {
        format!(
            "INSERT INTO {} (y_id, {}) VALUES (?{})",
            self.table,
            self.columns.join(", "),
            ", ?".repeat(self.columns.len())
        )
    }

    /// Sets these fields.
    pub(crate) fn update(&self, fields: &[u32]) -> String {
        let columns: Vec<String> = fields
            .iter()
            .map(|index| format!("{} = ?", self.columns[*index as usize]))
            .collect();
        format!("UPDATE {} SET {} WHERE y_id = ?", self.table, columns.join(", "))
    }

    pub(crate) fn delete(&self) -> String {
        format!("DELETE FROM {} WHERE y_id = ?", self.table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_those_of_ycsbs_layout() {
        let layout = Layout::of(
            "ycsb",
            &Table {
                name: "usertable".to_owned(),
                field_names: vec!["field0".to_owned(), "a\"b".to_owned()],
            },
        );
        assert_eq!(
            layout.create(""),
            "CREATE TABLE IF NOT EXISTS \"ycsb\".\"usertable\" (y_id varchar PRIMARY KEY, \"field0\" varchar, \
             \"a\"\"b\" varchar)"
        );
        assert_eq!(
            layout.read(Fields::One(0)),
            "SELECT \"field0\" FROM \"ycsb\".\"usertable\" WHERE y_id = ?"
        );
        assert_eq!(
            layout.insert(),
            "INSERT INTO \"ycsb\".\"usertable\" (y_id, \"field0\", \"a\"\"b\") VALUES (?, ?, ?)"
        );
        assert_eq!(
            layout.update(&[1]),
            "UPDATE \"ycsb\".\"usertable\" SET \"a\"\"b\" = ? WHERE y_id = ?"
        );
    }

    #[test]
    fn a_keyspace_is_a_plain_word() {
        assert_eq!(keyspace("").unwrap(), "ycsb");
        assert!(keyspace("a; DROP").unwrap_err().message.contains("/a; DROP"));
    }
}
