//! The points of a figure as a table, for those who draw it anew.

use dbdyno_vocabulary::visible;

/// One row for each point; units are in the names of the columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Data {
    /// A table without rows yet.
    pub fn new<const N: usize>(header: [&str; N]) -> Self {
        Self {
            header: header.map(str::to_owned).to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a point; what is not known is empty.
    pub fn row<const N: usize>(&mut self, fields: [&dyn ToString; N]) {
        debug_assert_eq!(N, self.header.len());
        self.rows
            .push(fields.iter().map(|field| field.to_string()).collect());
    }

    /// As comma-separated values, with a header.
    pub fn csv(&self) -> String {
        let mut out = csv::Writer::from_writer(Vec::new());
        for row in std::iter::once(&self.header).chain(&self.rows) {
            out.write_record(row.iter().map(|field| visible::cell(field).into_owned()))
                .expect("writing to memory does not fail and all rows are of one length");
        }
        let bytes = out.into_inner().expect("writing to memory does not fail");
        String::from_utf8(bytes).expect("every field was text")
    }
}

/// A number, or nothing.
pub fn or_empty<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Both ends of an interval, or nothing.
pub fn ends(interval: Option<(f64, f64)>) -> [String; 2] {
    interval.map_or_else(Default::default, |(low, high)| {
        [low, high].map(|end| end.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_stay_one_field() {
        let mut data = Data::new(["system", "latency_ns"]);
        data.row([&"a, \"b\"", &or_empty(Some(1.5))]);
        data.row([&"c", &or_empty::<f64>(None)]);
        assert_eq!(data.csv(), "system,latency_ns\n\"a, \"\"b\"\"\",1.5\nc,\n");
    }
}
