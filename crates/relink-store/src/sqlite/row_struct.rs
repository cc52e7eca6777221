//! Structs that are read from a row, column by field name.
//!
//! sqlx has a derive for this, but its macros would build the whole database
//! layer a second time for the compiler's own use.

/// Declares a struct and reads it from a row.
macro_rules! row_struct {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident { $($field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        $visibility struct $name { $($field: $type,)* }

        impl<'r> sqlx::FromRow<'r, sqlx::sqlite::SqliteRow> for $name {
            fn from_row(row: &'r sqlx::sqlite::SqliteRow) -> Result<Self, sqlx::Error> {
                use sqlx::Row as _;
                Ok(Self { $($field: row.try_get(stringify!($field))?,)* })
            }
        }
    };
}
pub(super) use row_struct;
