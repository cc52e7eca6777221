//! Gates, which exempt findings from failing a run: `--since`, `--baseline` and `--accept`.

mod accept;
mod baseline;
mod since;
