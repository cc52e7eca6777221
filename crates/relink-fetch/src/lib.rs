//! How do we ask a server? HTTP with one resolver and one address policy.
