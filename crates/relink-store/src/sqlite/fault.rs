//! What SQLite says, in our words.

use std::path::Path;

use relink_ports::StoreFault;

/// Turns an error met while `doing` something with the file at `place`.
pub(super) fn translate(place: &Path, doing: &'static str, fault: sqlx::Error) -> StoreFault {
    let place = place.display().to_string();
    match primary_code(&fault) {
        Some(libsqlite::BUSY | libsqlite::LOCKED) => StoreFault::InUse { place },
        Some(libsqlite::FULL) => StoreFault::Full { place },
        Some(libsqlite::NOT_A_DATABASE) => StoreFault::NotOurs { place },
        Some(libsqlite::CANNOT_OPEN | libsqlite::READ_ONLY) => StoreFault::Unreachable {
            place,
            source: Box::new(fault),
        },
        _ => StoreFault::Failed {
            doing,
            source: Box::new(fault),
        },
    }
}

/// A stored value cannot be read back.
pub(super) fn unreadable(
    doing: &'static str,
    fault: impl std::error::Error + Send + Sync + 'static,
) -> StoreFault {
    StoreFault::Failed {
        doing,
        source: Box::new(fault),
    }
}

/// The low byte of SQLite's extended result code.
fn primary_code(fault: &sqlx::Error) -> Option<u32> {
    let sqlx::Error::Database(fault) = fault else {
        return None;
    };
    fault.code()?.parse::<u32>().ok().map(|code| code & 0xff)
}

/// Result codes, as <https://www.sqlite.org/rescode.html> numbers them.
mod libsqlite {
    pub const BUSY: u32 = 5;
    pub const LOCKED: u32 = 6;
    pub const READ_ONLY: u32 = 8;
    pub const FULL: u32 = 13;
    pub const CANNOT_OPEN: u32 = 14;
    pub const NOT_A_DATABASE: u32 = 26;
}
