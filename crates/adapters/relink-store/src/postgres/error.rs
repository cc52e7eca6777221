//! Internal errors of the PostgreSQL store and their conversion to
//! [`StoreError`].

use relink_ports::StoreError;
use thiserror::Error;
use tokio_postgres::error::SqlState;

/// The operation named in an error message, such as `storing results`.
pub(super) type Operation = &'static str;

/// The result of a database operation.
pub(super) type DbResult<T> = Result<T, DbError>;

/// An error of a database operation.
#[derive(Debug, Error)]
pub(super) enum DbError {
    /// An error of the server or the connection.
    #[error("{}", server_message(.0))]
    Database(tokio_postgres::Error),
    /// A JSON value cannot be written or parsed.
    #[error(transparent)]
    Value(#[from] serde_json::Error),
    /// Another process works on the run.
    #[error("the run is in progress in another process")]
    RunInUse,
}

/// Whether the server refuses the user or the database, so nothing was stored.
fn refuses_connection(code: &SqlState) -> bool {
    let invalid_authorization = "28";
    code.code().starts_with(invalid_authorization)
        || [SqlState::INVALID_CATALOG_NAME, SqlState::TOO_MANY_CONNECTIONS].contains(code)
}

impl From<tokio_postgres::Error> for DbError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}

impl DbError {
    /// Converts the error to the error type of the port. `database` is the
    /// connection URL without its password.
    pub(super) fn into_store_error(self, database: &str, operation: Operation) -> StoreError {
        let path = database.to_owned();
        match &self {
            Self::RunInUse => StoreError::RunInUse,
            Self::Database(error) if error.code() == Some(&SqlState::DISK_FULL) => {
                StoreError::Full { path }
            }
            Self::Database(error)
                if error.is_closed() || error.code().is_none_or(refuses_connection) =>
            {
                StoreError::Unreachable { path, source: Box::new(self) }
            }
            Self::Database(_) | Self::Value(_) => {
                StoreError::Failed { operation, source: Box::new(self) }
            }
        }
    }

    /// Whether the connection is lost or the server is starting or stopping, so
    /// that the operation can be repeated on a new connection.
    pub(super) fn is_disconnected(&self) -> bool {
        let Self::Database(error) = self else { return false };
        let disconnecting_codes = [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::CONNECTION_EXCEPTION,
            SqlState::CONNECTION_FAILURE,
        ];
        let is_io = std::error::Error::source(error)
            .is_some_and(<dyn std::error::Error>::is::<std::io::Error>);
        error.is_closed()
            || is_io
            || error.code().is_some_and(|code| disconnecting_codes.contains(code))
    }

    /// Whether the server aborted the transaction in favor of another transaction.
    pub(super) fn is_conflict(&self) -> bool {
        let Self::Database(error) = self else { return false };
        error.code().is_some_and(|code| {
            *code == SqlState::T_R_DEADLOCK_DETECTED || *code == SqlState::T_R_SERIALIZATION_FAILURE
        })
    }
}

/// Returns the message of the server. The `Display` implementation of the
/// library only says `db error`.
fn server_message(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(server) => server.message().to_owned(),
        None => match std::error::Error::source(error) {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        },
    }
}
