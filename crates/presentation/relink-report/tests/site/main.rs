//! Claims about the page and the lines that are made of a crawled site.

mod claims;
mod contrast;
mod hostile;
mod page;
mod sample;
