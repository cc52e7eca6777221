//! Is the page dead? From probes to a verdict, its code and its word.
