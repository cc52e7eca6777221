//! `relink explain`: what a code or a status means, and what to do.

use relink_wire::explain::{self, Subject};
use relink_wire::human::Paint;

use crate::cli::ExplainArgs;
use crate::failure::{Exit, Failure};
use crate::output::print;

/// Explains.
pub fn run(args: &ExplainArgs, paint: Paint) -> Result<Exit, Failure> {
    let text = match &args.subject {
        Some(subject) if !args.list => explain_one(subject, paint)?,
        _ => explain::list(paint),
    };
    print(&text)?;
    Ok(Exit::Clean)
}

fn explain_one(subject: &str, paint: Paint) -> Result<String, Failure> {
    let subject: Subject = subject.parse().map_err(|fault: explain::UnknownSubject| {
        Failure::usage(fault.to_string()).hint("`relink explain --list` names every code")
    })?;
    Ok(explain::explain(paint, &subject))
}
