//! What is put into a statement.

use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Postgres, Sqlite};

/// What is put into a statement, with its type also where it is absent.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number: counts, times in microseconds since 1970, 0 and 1 for no and yes.
    Int(Option<i64>),
    Real(Option<f64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

impl Value {
    pub(super) fn bind_sqlite<'q>(
        &self,
        query: Query<'q, Sqlite, SqliteArguments>,
    ) -> Query<'q, Sqlite, SqliteArguments> {
        match self {
            Value::Int(value) => query.bind(*value),
            Value::Real(value) => query.bind(*value),
            Value::Text(value) => query.bind(value.clone()),
            Value::Bytes(value) => query.bind(value.clone()),
        }
    }

    pub(super) fn bind_postgres<'q>(
        &self,
        query: Query<'q, Postgres, PgArguments>,
    ) -> Query<'q, Postgres, PgArguments> {
        match self {
            Value::Int(value) => query.bind(*value),
            Value::Real(value) => query.bind(*value),
            Value::Text(value) => query.bind(value.clone()),
            Value::Bytes(value) => query.bind(value.clone()),
        }
    }
}

macro_rules! value_of {
    ($($kind:ty => $variant:ident, $from:ident => $into:expr;)*) => {$(
        impl From<$kind> for Value {
            fn from($from: $kind) -> Self {
                Value::$variant(Some($into))
            }
        }
        impl From<Option<$kind>> for Value {
            fn from(value: Option<$kind>) -> Self {
                Value::$variant(value.map(|$from| $into))
            }
        }
    )*};
}

value_of! {
    i64 => Int, value => value;
    u32 => Int, value => i64::from(value);
    i32 => Int, value => i64::from(value);
    bool => Int, value => i64::from(value);
    f64 => Real, value => value;
    String => Text, value => value;
    &str => Text, value => value.to_owned();
    &String => Text, value => value.clone();
    &crate::Id => Text, value => value.as_str().to_owned();
    &crate::Digest => Text, value => value.as_str().to_owned();
    Vec<u8> => Bytes, value => value;
    &[u8] => Bytes, value => value.to_owned();
}
