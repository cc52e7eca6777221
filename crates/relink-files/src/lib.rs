//! What stands on the disk? Walking, reading and local links.
