//! Tests of the HTML page and the terminal text of a crawl report.

mod claims;
mod contrast;
mod hostile;
mod page;
mod sample;
