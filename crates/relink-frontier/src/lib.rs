//! What to ask next, and when? Canonical form, scope, host clocks.
