//! The Rotten Library: a built-in site with planted faults and their truth.
