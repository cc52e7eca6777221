//! Gates: `--since`, `--baseline`, `--fail-on` and `--accept`.

mod accept;
mod baseline;
mod since;
