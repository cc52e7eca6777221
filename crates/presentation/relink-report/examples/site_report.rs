//! Writes the HTML page of a sample report:
//! `cargo run -p relink-report --example site_report > report.html`.

use std::io::{self, Write};

use relink_report::human::TextStyle;
use relink_report::site::{html, human};

#[path = "../tests/site/sample.rs"]
mod sample;

fn main() -> io::Result<()> {
    let report = sample::report();
    io::stdout().write_all(html(&report).as_bytes())?;
    io::stderr().write_all(human(&report, TextStyle::Plain).as_bytes())
}
