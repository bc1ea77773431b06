//! The papers that dbdyno brings.

use crate::Paper;
use crate::predicate::{self, Syntax};

/// The form of a paper's file that this version reads.
const SCHEMA: &str = "dbdyno.paper/1";

/// The files of `studies/papers/`, by the papers' ids.
const FILES: [(&str, &str); 5] = [
    (
        "abramova-2013",
        include_str!("../../../studies/papers/abramova-2013.toml"),
    ),
    (
        "altoros-2013",
        include_str!("../../../studies/papers/altoros-2013.toml"),
    ),
    (
        "dhayalan-2018",
        include_str!("../../../studies/papers/dhayalan-2018.toml"),
    ),
    (
        "madureira",
        include_str!("../../../studies/papers/madureira.toml"),
    ),
    (
        "shwaysh-2018",
        include_str!("../../../studies/papers/shwaysh-2018.toml"),
    ),
];

/// Why a file is no paper.
#[derive(Debug, thiserror::Error)]
pub enum PaperError {
    /// It is no TOML, or lacks something, or has it in another form.
    #[error("{name} cannot be read: {reason}")]
    Form {
        /// The file.
        name: String,
        /// What is wrong, and where.
        reason: String,
    },
    /// It is of another schema.
    #[error("{name} is of the schema `{found}`, and this version of dbdyno reads `{SCHEMA}`")]
    Schema {
        /// The file.
        name: String,
        /// How it describes itself.
        found: String,
    },
    /// The predicate of a claim is none.
    #[error("{name}: the predicate of claim {claim}, {reason}")]
    Predicate {
        /// The file.
        name: String,
        /// The claim.
        claim: String,
        /// What is wrong with it.
        reason: Syntax,
    },
    /// A row has another number of cells than its table has columns.
    #[error("{name}: row {row} of table {table} has {cells} cells, and the table has {columns} columns")]
    Row {
        /// The file.
        name: String,
        /// The table.
        table: String,
        /// The row, from 1.
        row: usize,
        /// Its cells.
        cells: usize,
        /// The table's columns.
        columns: usize,
    },
}

/// All papers, by id.
///
/// # Errors
/// None for the files of a release: a test reads them all.
pub fn all() -> Result<Vec<Paper>, PaperError> {
    FILES.iter().map(|(id, text)| parse(id, text)).collect()
}

/// The paper of that id, if there is one.
///
/// # Errors
/// Those of [`all`].
pub fn find(id: &str) -> Result<Option<Paper>, PaperError> {
    let file = FILES.iter().find(|(known, _)| *known == id);
    file.map(|(id, text)| parse(id, text)).transpose()
}

/// Reads a paper's file; `name` is for errors.
///
/// # Errors
/// When it is none, is of another schema, or has a table whose rows do not fit its columns.
pub fn parse(name: &str, text: &str) -> Result<Paper, PaperError> {
    let name = || name.to_owned();
    let paper: Paper = toml::from_str(text).map_err(|error| PaperError::Form {
        name: name(),
        reason: error.to_string().trim_end().to_owned(),
    })?;
    if paper.schema != SCHEMA {
        return Err(PaperError::Schema {
            name: name(),
            found: paper.schema,
        });
    }
    for table in &paper.tables {
        let columns = table.columns.len();
        if let Some((row, cells)) = table
            .rows
            .iter()
            .enumerate()
            .find(|(_, cells)| cells.len() != columns)
        {
            return Err(PaperError::Row {
                name: name(),
                table: table.id.clone(),
                row: row + 1,
                cells: cells.len(),
                columns,
            });
        }
    }
    for claim in &paper.claims {
        let predicates = [&claim.predicate, &claim.again].into_iter().flatten();
        if let Some(reason) = predicates.filter_map(|text| predicate::parse(text).err()).next() {
            return Err(PaperError::Predicate {
                name: name(),
                claim: claim.id.clone(),
                reason,
            });
        }
    }
    Ok(paper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_paper_is_read_and_bears_its_own_id() {
        let papers = all().unwrap();
        let ids: Vec<&str> = papers.iter().map(|paper| paper.head.id.as_str()).collect();
        assert_eq!(ids, FILES.map(|(id, _)| id));
        assert!(
            papers
                .iter()
                .all(|paper| !paper.tables.is_empty() && !paper.claims.is_empty())
        );
        assert_eq!(find("madureira").unwrap().unwrap().head.id, "madureira");
        assert!(find("nobody-1999").unwrap().is_none());
    }

    #[test]
    fn every_claim_can_be_tested_or_says_why_not() {
        for paper in all().unwrap() {
            for claim in &paper.claims {
                let is_tested = claim.predicate.is_some() || claim.again.is_some();
                assert_ne!(
                    is_tested,
                    claim.untested.is_some(),
                    "{}, {}: a predicate, or why there can be none",
                    paper.head.id,
                    claim.id
                );
            }
        }
    }

    #[test]
    fn what_is_no_paper_is_refused_with_its_place() {
        let head = "schema = \"dbdyno.paper/1\"\n[paper]\nid = \"x\"\ntitle = \"X\"\nauthors = []\nyear = 2020\nclient = \"c\"\n";
        assert!(parse("x", head).is_ok());
        for (text, expected) in [
            ("schema = ", "x cannot be read"),
            (&head.replace("paper/1", "paper/9"), "dbdyno.paper/9"),
            (&head.replace("title = \"X\"\n", ""), "missing field `title`"),
            (
                &format!("{head}[[table]]\nid = \"1\"\ncolumns = [\"a\", \"b\"]\nrows = [[1, 2], [3]]\n"),
                "row 2 of table 1 has 1 cells",
            ),
            (
                &format!("{head}[[claim]]\nid = \"C1\"\ntext = \"t\"\npredicate = \"1 < \"\n"),
                "the predicate of claim C1, at character 5",
            ),
        ] {
            let error = parse("x", text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
