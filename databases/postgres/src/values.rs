//! Text of the protocol's binary format, which is its bytes: no copy through strings.

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

type Problem = Box<dyn std::error::Error + Sync + Send>;

/// A parameter: bytes of UTF-8 text, or the limit of a scan.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parameter<'a> {
    /// A key or a value.
    Text(&'a [u8]),
    /// A number of rows.
    Limit(i64),
}

impl ToSql for Parameter<'_> {
    fn to_sql(&self, _: &Type, buffer: &mut BytesMut) -> Result<IsNull, Problem> {
        match self {
            Self::Text(text) => buffer.extend_from_slice(text),
            Self::Limit(limit) => buffer.extend_from_slice(&limit.to_be_bytes()),
        }
        Ok(IsNull::No)
    }

    fn accepts(of: &Type) -> bool {
        matches!(*of, Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::INT8)
    }

    to_sql_checked!();
}

/// A column of an answer, as it came.
pub(crate) struct Column<'a>(pub(crate) &'a [u8]);

impl<'a> FromSql<'a> for Column<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Problem> {
        Ok(Self(raw))
    }

    fn accepts(of: &Type) -> bool {
        matches!(
            *of,
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::BYTEA | Type::UNKNOWN
        )
    }
}
