//! Reads WARC files (ISO 28500), plain or compressed, record by record.
//!
//! A compressed file is a row of gzip members, each with one record as a rule;
//! a file that was compressed as a whole is one member with all. A record is
//! found again by where its member begins and how far into it the record lies.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;
use jiff::Timestamp;
use url::Url;

/// The longest head of a record.
const HEAD_CAP: u64 = 64 * 1024;

/// How every record begins.
const VERSION: &[u8] = b"WARC/";

/// How every gzip member begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Whether a file begins like a WARC file, or like one that is damaged: what
/// is compressed is nothing else.
pub(super) fn is_one(mut file: impl BufRead) -> io::Result<bool> {
    let start = file.fill_buf()?;
    Ok(start.starts_with(VERSION) || start.starts_with(&GZIP))
}

/// Counts what is taken from a reader.
#[derive(Debug)]
struct Counted<R> {
    inner: R,
    count: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.count += length as u64;
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.count += amount as u64;
        self.inner.consume(amount);
    }
}

/// What records are read from at present.
#[derive(Debug)]
enum RecordStream<R> {
    Plain(Counted<R>),
    Member(Box<Counted<BufReader<GzDecoder<Counted<R>>>>>),
}

impl<R: BufRead> Read for RecordStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(plain) => plain.read(buffer),
            Self::Member(member) => member.read(buffer),
        }
    }
}

impl<R: BufRead> BufRead for RecordStream<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::Plain(plain) => plain.fill_buf(),
            Self::Member(member) => member.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match self {
            Self::Plain(plain) => plain.consume(amount),
            Self::Member(member) => member.consume(amount),
        }
    }
}

impl<R> RecordStream<R> {
    /// How much was taken from it.
    fn count(&self) -> u64 {
        match self {
            Self::Plain(plain) => plain.count,
            Self::Member(member) => member.count,
        }
    }
}

/// The records of a file.
#[derive(Debug)]
pub(super) struct Records<R> {
    /// `None` at the end.
    part: Option<RecordStream<R>>,
    /// Where the present member begins.
    start: u64,
    /// What is left of the block of the last record.
    left: u64,
}

/// One record; its block can be read until the next record is asked for.
pub(super) struct Record<'a, R> {
    head: Vec<(String, String)>,
    /// Where its member, or in a plain file the record itself, begins.
    pub offset: u64,
    /// How far into the member it lies.
    pub within: u64,
    records: &'a mut Records<R>,
}

impl<R: BufRead> Records<R> {
    /// Begins where the reader stands.
    pub fn new(reader: R) -> Self {
        let part = RecordStream::Plain(Counted { inner: reader, count: 0 });
        Self { part: Some(part), start: 0, left: 0 }
    }

    /// Goes so far into the present member, or the present file.
    pub fn skip(&mut self, length: u64) -> io::Result<()> {
        if let Some(part) = self.part()? {
            pass(part, length)?;
        }
        Ok(())
    }

    /// The next record, or `None` at the end.
    pub fn next_record(&mut self) -> io::Result<Option<Record<'_, R>>> {
        let left = std::mem::take(&mut self.left);
        if let Some(part) = &mut self.part {
            pass(part, left)?;
        }
        let (within, head) = loop {
            let Some(part) = self.part()? else { return Ok(None) };
            pass_blank(part)?;
            if !part.fill_buf()?.is_empty() {
                break (part.count(), read_head(part)?);
            }
        };
        self.left = length_of(&head)?;
        let (offset, within) = match &self.part {
            Some(RecordStream::Member(_)) => (self.start, within),
            _ => (within, 0),
        };
        Ok(Some(Record { head, offset, within, records: self }))
    }

    /// What to read from: the present part while there is something in it,
    /// then the next member, `None` at the end.
    fn part(&mut self) -> io::Result<Option<&mut RecordStream<R>>> {
        while let Some(mut part) = self.part.take() {
            let begins = part.fill_buf()?;
            let (is_over, is_packed) = (begins.is_empty(), begins.starts_with(&GZIP));
            self.part = Some(match part {
                RecordStream::Member(member) if is_over => {
                    RecordStream::Plain(member.inner.into_inner().into_inner())
                }
                RecordStream::Plain(_) if is_over => return Ok(None),
                RecordStream::Plain(plain) if is_packed => {
                    self.start = plain.count;
                    let inner = BufReader::new(GzDecoder::new(plain));
                    RecordStream::Member(Box::new(Counted { inner, count: 0 }))
                }
                part => return Ok(Some(self.part.insert(part))),
            });
        }
        Ok(None)
    }
}

impl<R: BufRead> Record<'_, R> {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut head = self.head.iter();
        head.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// What was archived. Some writers put it between angle brackets.
    pub fn url(&self) -> Option<Url> {
        let text = self.header("WARC-Target-URI")?;
        Url::parse(text.trim_start_matches('<').trim_end_matches('>')).ok()
    }

    /// When it was archived, to the second.
    pub fn taken(&self) -> Option<Timestamp> {
        let time: Timestamp = self.header("WARC-Date")?.parse().ok()?;
        Timestamp::from_second(time.as_second()).ok()
    }

    /// Whether it is the record of this capture.
    pub fn is_of(&self, url: &Url, taken: Timestamp) -> bool {
        self.url().as_ref() == Some(url) && self.taken() == Some(taken)
    }
}

/// Reads the block of the record.
impl<R: BufRead> Read for Record<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(part) = &mut self.records.part else { return Ok(0) };
        let length = part.take(self.records.left).read(buffer)?;
        self.records.left -= length as u64;
        Ok(length)
    }
}

fn damaged(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Passes over so many bytes, all of which must be there.
fn pass(part: &mut impl BufRead, length: u64) -> io::Result<()> {
    let passed = io::copy(&mut part.take(length), &mut io::sink())?;
    if passed < length {
        return Err(damaged("it ends within a record"));
    }
    Ok(())
}

/// Passes over the empty lines between records.
fn pass_blank(part: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = part.fill_buf()?;
        let blank = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        if blank == 0 {
            return Ok(());
        }
        part.consume(blank);
    }
}

/// Reads the head of a record to its empty line.
fn read_head(part: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut head = part.take(HEAD_CAP);
    let mut line = Vec::new();
    head.read_until(b'\n', &mut line)?;
    if !line.starts_with(VERSION) {
        return Err(damaged("a record does not begin like one"));
    }
    let mut headers = Vec::new();
    loop {
        line.clear();
        head.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Err(damaged("a record has no end of its head"));
        }
        let text = String::from_utf8_lossy(line.trim_ascii());
        if text.is_empty() {
            return Ok(headers);
        }
        if let Some((name, value)) = text.split_once(':') {
            headers.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    }
}

fn length_of(head: &[(String, String)]) -> io::Result<u64> {
    let mut head = head.iter();
    let length = head.find(|(name, _)| name.eq_ignore_ascii_case("Content-Length"));
    let length = length.and_then(|(_, value)| value.parse().ok());
    length.ok_or_else(|| damaged("a record does not tell its length"))
}
