//! Measures how fast `relink harvest run --records-only` reads metadata records. A local
//! server serves pages of records in OAI-PMH, the usual protocol of metadata providers.

use std::fmt::{self, Write as _};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use super::meter::{Measurement, measure};
use super::number;
use super::scratch::Scratch;
use crate::workspace::run;
use crate::{Workspace, XtaskError};

/// Records per page.
const PAGE_SIZE: usize = 500;
/// Number of hosts of the locations.
const HOSTS: usize = 10_000;
/// Minimum rate, in records per second.
const MIN_RATE: f64 = 5_000.0;
/// Maximum memory of the program, in MB.
const MAX_MEMORY_MB: u64 = 150;

/// Size of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HarvestSize {
    /// Number of records.
    pub records: usize,
}

impl HarvestSize {
    /// Reads `--records N`.
    pub fn read(options: &[&str]) -> Result<Self, XtaskError> {
        match options {
            [] => Ok(Self { records: 1_000_000 }),
            ["--records", value] => Ok(Self { records: number("--records", value)? }),
            _ => Err(XtaskError::new("unknown option").hint("the option is `--records N`")),
        }
    }
}

/// The result.
#[derive(Debug, Clone, PartialEq)]
pub struct HarvestBenchResult {
    records: usize,
    /// Number of records in the database afterwards.
    stored: usize,
    run: Measurement,
}

impl HarvestBenchResult {
    /// Whether all records are stored, in time and within the memory.
    pub fn is_fast(&self) -> bool {
        self.stored == self.records
            && self.rate() >= MIN_RATE
            && self.run.peak_kib / 1024 < MAX_MEMORY_MB
    }

    #[expect(clippy::cast_precision_loss, reason = "four digits are shown")]
    fn rate(&self) -> f64 {
        self.records as f64 / self.run.seconds
    }
}

impl fmt::Display for HarvestBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "harvest {} of {} records in {:.1} s  {:.0}/s (at least {MIN_RATE:.0})  {} MB (below \
             {MAX_MEMORY_MB})",
            self.stored,
            self.records,
            self.run.seconds,
            self.rate(),
            self.run.peak_kib / 1024
        )
    }
}

/// Harvests a list of this size. `progress` receives status lines.
pub fn bench_harvest(
    workspace: &Workspace,
    size: HarvestSize,
    progress: impl Fn(&str),
) -> Result<HarvestBenchResult, XtaskError> {
    progress("building relink --release");
    run(workspace.cargo().args(["build", "--release", "--locked", "--quiet", "-p", "relink"]))?;
    let scratch = Scratch::new()?;
    progress(&format!("writing {} pages", size.records.div_ceil(PAGE_SIZE)));
    write_pages(scratch.path(), size.records)?;
    let port = serve(scratch.path().to_owned())?;
    let relink = workspace.target.join("release/relink");
    let db = scratch.path().join("bench.db").to_string_lossy().into_owned();
    let url = format!("http://127.0.0.1:{port}/oai");
    let add = ["harvest", "add", "bench", "--oai", &url, "--prefix", "oai_lom", "--db", &db];
    measure(scratch.path(), &relink, &add)?;
    progress("harvesting");
    let args = ["harvest", "run", "--records-only", "--format", "json", "--db", &db];
    let run = measure(scratch.path(), &relink, &args)?;
    let out = scratch.path().join("out");
    let text = std::fs::read_to_string(&out).map_err(|error| XtaskError::io(&out, &error))?;
    let stored = stored_records(&text);
    Ok(HarvestBenchResult { records: size.records, stored, run })
}

/// Returns the number of records in the report.
fn stored_records(report: &str) -> usize {
    let rows: serde_json::Value = serde_json::from_str(report).unwrap_or_default();
    rows[0]["records"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
}

/// Writes the list as files, one per page of records.
fn write_pages(directory: &Path, records: usize) -> Result<(), XtaskError> {
    for first in (0..records).step_by(PAGE_SIZE) {
        let path = page_path(directory, first);
        let last = (first + PAGE_SIZE).min(records);
        let token = if last < records { last.to_string() } else { String::new() };
        std::fs::write(&path, page(first, last, &token))
            .map_err(|error| XtaskError::io(&path, &error))?;
    }
    let path = directory.join("identify.xml");
    let identify = envelope(
        "<Identify><repositoryName>Bench</repositoryName><deletedRecord>persistent</deletedRecord>\
         <granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>",
    );
    std::fs::write(&path, identify).map_err(|error| XtaskError::io(&path, &error))
}

fn page_path(directory: &Path, first: usize) -> PathBuf {
    directory.join(format!("page-{first}.xml"))
}

/// Returns a page of LOM records with one location each, of realistic size.
fn page(first: usize, last: usize, token: &str) -> String {
    let mut body = String::from("<ListRecords>");
    for number in first..last {
        let host = number % HOSTS;
        let _ = write!(
            body,
            "<record><header><identifier>oai:bench:{number}</identifier><datestamp>\
             2026-01-01T00:00:00Z</datestamp><setSpec>all</setSpec></header><metadata>\
             <lom xmlns=\"http://ltsc.ieee.org/xsd/LOM\"><general><title><string language=\"en\">\
             Learning resource number {number}</string></title><language>en</language>\
             <description><string language=\"en\">A resource for teachers about topic {host}, with \
             exercises, solutions and a short introduction.</string></description></general>\
             <technical><format>text/html</format><location>https://library{host}.example.org/\
             collections/c{}/resource-{number}.html</location></technical></lom></metadata></record>",
            number / 400
        );
    }
    let _ = write!(body, "<resumptionToken>{token}</resumptionToken></ListRecords>");
    envelope(&body)
}

/// Returns an OAI-PMH response with this content.
fn envelope(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OAI-PMH \
         xmlns=\"http://www.openarchives.org/OAI/2.0/\"><responseDate>2026-01-02T00:00:00Z\
         </responseDate>{body}</OAI-PMH>"
    )
}

/// Serves the pages from a thread, which ends with the program. Returns the port.
fn serve(directory: PathBuf) -> Result<u16, XtaskError> {
    let listen_error = |error: std::io::Error| XtaskError::new(format!("cannot listen: {error}"));
    let listener = TcpListener::bind("127.0.0.1:0").map_err(listen_error)?;
    let port = listener.local_addr().map_err(listen_error)?.port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let directory = directory.clone();
            // Ignore the error: the client closed the connection.
            std::thread::spawn(move || drop(respond(&stream, &directory)));
        }
    });
    Ok(port)
}

/// Responds to the requests of a connection.
fn respond(mut stream: &TcpStream, directory: &Path) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    while let Some(request) = lines.next().transpose()? {
        while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
        let token = request
            .split_once("resumptionToken=")
            .map_or("0", |(_, rest)| rest.split([' ', '&']).next().unwrap_or_default());
        let path = if request.contains("verb=Identify") {
            directory.join("identify.xml")
        } else {
            page_path(directory, token.parse().unwrap_or(0))
        };
        let body = std::fs::read(path)?;
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(&body)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_served_by_token() {
        let scratch = Scratch::new().unwrap();
        write_pages(scratch.path(), 1_200).unwrap();
        let port = serve(scratch.path().to_owned()).unwrap();
        let get = |query: &str| {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
            write!(stream, "GET /oai?{query} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            std::io::read_to_string(stream).unwrap()
        };
        let last = get("verb=ListRecords&resumptionToken=1000");
        assert_eq!(last.matches("<record>").count(), 200);
        assert!(last.contains("<resumptionToken></resumptionToken>"));
        assert!(get("verb=ListRecords").contains("<resumptionToken>500</resumptionToken>"));
        assert!(get("verb=Identify").contains("<Identify>"));
    }

    #[test]
    fn is_fast_checks_rate_memory_and_number() {
        let run = Measurement { seconds: 100.0, peak_kib: 100 * 1024 };
        let result = HarvestBenchResult { records: 1_000_000, stored: 1_000_000, run };
        assert!(result.is_fast());
        assert_eq!(
            result.to_string(),
            "harvest 1000000 of 1000000 records in 100.0 s  10000/s (at least 5000)  100 MB \
             (below 150)"
        );
        assert!(!HarvestBenchResult { stored: 999_999, ..result.clone() }.is_fast());
        assert_eq!(stored_records("[{\"records\": 7}]"), 7);
        assert_eq!(HarvestSize::read(&["--records", "10"]).unwrap().records, 10);
        assert!(HarvestSize::read(&["--urls", "10"]).is_err());
    }
}
