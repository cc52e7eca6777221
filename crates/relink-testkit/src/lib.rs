//! Servers that misbehave, clocks and the store suite, for tests.
