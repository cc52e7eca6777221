//! What do we remember? SQLite behind the Store port.
