//! `relink harvest report`: the records and incidents of all providers over time.

use relink_ports::Clock as _;
use relink_report::harvest::{
    DAY_COLUMNS, INCIDENT_COLUMNS, ProviderHistory, day_rows, history_xlsx, incident_rows,
};

use super::Session;
use super::export::csv_row;
use crate::cli::{HarvestReportArgs, HarvestReportFormat, HarvestReportTable};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print, write_file};

/// Runs `report`.
pub async fn run(args: &HarvestReportArgs, session: &Session) -> Result<Exit, CommandError> {
    let harvester = session.harvester();
    let mut histories = Vec::new();
    for (provider, _) in session.providers(&args.names).await? {
        histories.push(harvester.history(&provider, args.since).await?);
    }
    if let Some(path) = &args.output {
        let sheet = history_xlsx(&histories, RunClock::start()?.now()).map_err(|error| {
            CommandError::internal("cannot create the spreadsheet").cause(error.to_string())
        })?;
        write_file(path, sheet).map_err(|error| {
            CommandError::internal(format!("cannot write `{}`", path.display()))
                .cause(error.to_string())
        })?;
    }
    print(&text(args, &histories)?)?;
    Ok(Exit::Clean)
}

fn text(args: &HarvestReportArgs, histories: &[ProviderHistory]) -> Result<String, CommandError> {
    Ok(match args.format {
        HarvestReportFormat::Human => histories.iter().map(ProviderHistory::text).collect(),
        HarvestReportFormat::Json => {
            format!("{}\n", serde_json::to_string_pretty(histories).map_err(cannot_encode)?)
        }
        HarvestReportFormat::Csv => match args.table {
            HarvestReportTable::Days => csv_table(&DAY_COLUMNS, &day_rows(histories)),
            HarvestReportTable::Incidents => {
                csv_table(&INCIDENT_COLUMNS, &incident_rows(histories))
            }
        },
    })
}

fn csv_table(columns: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("{}\n", columns.join(","));
    for row in rows {
        let cells: Vec<&str> = row.iter().map(String::as_str).collect();
        text.extend([csv_row(&cells)]);
    }
    text
}
