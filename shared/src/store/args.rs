//! How statements are written and called: named constants, typed parameters, one round trip each.
//!
//! A statement is prepared once a connection: parsing and planning cost Postgres more than most of ours take
//! to run. Behind a pooler, which hands each transaction to another backend, nothing is prepared under a
//! name; every call sends its parameter types along instead (`query_typed`).

use anyhow::Context;
use deadpool_postgres::StatementCache;
use jiff::Timestamp;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row, Statement};
use uuid::Uuid;

use crate::domain::ids::{BatchId, DeliveryId, ListingId, RequestId, TaskId, TrackingId};

/// A connection or a transaction.
pub trait Db: Sync {
    fn client(&self) -> &Client;

    /// Where the statements of this connection are kept; none behind a pooler.
    fn prepared(&self) -> Option<&StatementCache>;
}

pub type Args<'a> = Vec<(&'a (dyn ToSql + Sync), Type)>;

/// The Postgres type a Rust value travels as.
pub trait PgType {
    fn pg_type() -> Type;
}

macro_rules! pg_types {
    ($($rust:ty => $pg:ident, $array:ident);+ $(;)?) => {
        $(
            impl PgType for $rust {
                fn pg_type() -> Type { Type::$pg }
            }
            impl PgType for Vec<$rust> {
                fn pg_type() -> Type { Type::$array }
            }
            impl PgType for Vec<Option<$rust>> {
                fn pg_type() -> Type { Type::$array }
            }
        )+
    };
}

pg_types! {
    bool => BOOL, BOOL_ARRAY;
    i32 => INT4, INT4_ARRAY;
    i64 => INT8, INT8_ARRAY;
    f64 => FLOAT8, FLOAT8_ARRAY;
    String => TEXT, TEXT_ARRAY;
    &str => TEXT, TEXT_ARRAY;
    Uuid => UUID, UUID_ARRAY;
    Timestamp => TIMESTAMPTZ, TIMESTAMPTZ_ARRAY;
    jiff::civil::Date => DATE, DATE_ARRAY;
    serde_json::Value => JSONB, JSONB_ARRAY;
    &serde_json::Value => JSONB, JSONB_ARRAY;
}

impl<T: PgType> PgType for Option<T> {
    fn pg_type() -> Type {
        T::pg_type()
    }
}

macro_rules! pg_ids {
    ($($id:ty),+) => {
        $(
            impl PgType for $id {
                fn pg_type() -> Type { Type::UUID }
            }
            impl PgType for Vec<$id> {
                fn pg_type() -> Type { Type::UUID_ARRAY }
            }
        )+
    };
}

pg_ids!(TaskId, BatchId, DeliveryId, ListingId, RequestId, TrackingId);

/// A parameter with its type.
pub fn arg<T: ToSql + Sync + PgType>(value: &T) -> (&(dyn ToSql + Sync), Type) {
    (value, T::pg_type())
}

/// `args![a, b]` → the typed parameters `$1`, `$2`.
macro_rules! args {
    ($($value:expr),* $(,)?) => { [$($crate::store::args::arg(&$value)),*] };
}
pub(crate) use args;

/// Declares a module's statements as constants, and lists them in `ALL` for the test that prepares them.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $sql:expr;)+) => {
        $($(#[$doc])* const $name: &str = $sql;)+
        /// Every statement of this file.
        pub const ALL: &[(&str, &str)] = &[$((concat!(module_path!(), "::", stringify!($name)), $name)),+];
    };
}
pub(crate) use statements;

/// Rows of a statement.
pub async fn rows(
    db: &impl Db,
    sql: &'static str,
    args: &[(&(dyn ToSql + Sync), Type)],
) -> anyhow::Result<Vec<Row>> {
    let found = match db.prepared() {
        None => db.client().query_typed(sql, args).await,
        Some(kept) => match prepare(db, kept, sql, args).await {
            Ok(statement) => db.client().query(&statement, &values(args)).await,
            Err(error) => Err(error),
        },
    };
    found.with_context(|| brief(sql))
}

/// Rows of a statement that is planned for the values of this call, if `fit`. `plan_cache_mode` would plan the check of
/// every foreign key anew as well, row by row.
pub async fn rows_fitted(
    db: &impl Db,
    fit: bool,
    sql: &'static str,
    args: &[(&(dyn ToSql + Sync), Type)],
) -> anyhow::Result<Vec<Row>> {
    if !fit {
        return rows(db, sql, args).await;
    }
    db.client().query_typed(sql, args).await.with_context(|| brief(sql))
}

/// The one row of a statement, if there is one.
pub async fn row(
    db: &impl Db,
    sql: &'static str,
    args: &[(&(dyn ToSql + Sync), Type)],
) -> anyhow::Result<Option<Row>> {
    Ok(rows(db, sql, args).await?.into_iter().next())
}

/// Runs a statement for its effect; returns how many rows it touched.
pub async fn run(
    db: &impl Db,
    sql: &'static str,
    args: &[(&(dyn ToSql + Sync), Type)],
) -> anyhow::Result<u64> {
    let touched = match db.prepared() {
        None => db.client().execute_typed(sql, args).await,
        Some(kept) => match prepare(db, kept, sql, args).await {
            Ok(statement) => db.client().execute(&statement, &values(args)).await,
            Err(error) => Err(error),
        },
    };
    touched.with_context(|| brief(sql))
}

async fn prepare(
    db: &impl Db,
    kept: &StatementCache,
    sql: &'static str,
    args: &[(&(dyn ToSql + Sync), Type)],
) -> Result<Statement, Error> {
    let types: Vec<Type> = args.iter().map(|(_, kind)| kind.clone()).collect();
    kept.prepare_typed(db.client(), sql, &types).await
}

fn values<'a>(args: &[(&'a (dyn ToSql + Sync), Type)]) -> Vec<&'a (dyn ToSql + Sync)> {
    args.iter().map(|(value, _)| *value).collect()
}

/// The first words of a statement, to name it in an error.
fn brief(sql: &str) -> String {
    sql.split_whitespace().take(6).collect::<Vec<_>>().join(" ")
}

/// The moment as Postgres keeps it: whole microseconds, so that what is written equals what is read.
pub fn micros(at: Timestamp) -> Timestamp {
    at.round(jiff::Unit::Microsecond).unwrap_or(at)
}
