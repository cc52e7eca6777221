//! Reads WARC files (ISO 28500), plain or compressed, record by record.
//!
//! A compressed file is a sequence of gzip members. A member is compressed independently
//! of the others. Usually each member has one record, but a file may also be a single
//! member. A record is located by the offset of its member and its offset within the
//! member.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;
use jiff::Timestamp;
use url::Url;

/// Maximum size of a record head.
const MAX_HEAD_BYTES: u64 = 64 * 1024;

/// Prefix of every record.
const RECORD_PREFIX: &[u8] = b"WARC/";

/// Prefix of every gzip member.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Whether the content is a WARC file. All gzip files count as WARC files. A gzip file
/// without records is reported as damaged when it is read.
pub(super) fn is_warc(mut file: impl BufRead) -> io::Result<bool> {
    let start = file.fill_buf()?;
    Ok(start.starts_with(RECORD_PREFIX) || start.starts_with(&GZIP_MAGIC))
}

/// A reader that counts the bytes read.
#[derive(Debug)]
struct CountingReader<R> {
    inner: R,
    count: u64,
}

impl<R: BufRead> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.count += length as u64;
        Ok(length)
    }
}

impl<R: BufRead> BufRead for CountingReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.count += amount as u64;
        self.inner.consume(amount);
    }
}

/// The source of the current records: the file itself or a gzip member.
#[derive(Debug)]
enum RecordStream<R> {
    Plain(CountingReader<R>),
    Member(Box<CountingReader<BufReader<GzDecoder<CountingReader<R>>>>>),
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
    /// Returns the number of bytes read.
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
    /// `None` at the end of the file.
    stream: Option<RecordStream<R>>,
    /// Offset of the current member.
    member_offset: u64,
    /// Number of unread bytes in the block (the content) of the last record.
    unread: u64,
}

/// A record. Its block, the content after the head, can be read until the next record is
/// requested.
pub(super) struct Record<'a, R> {
    head: Vec<(String, String)>,
    /// Offset of the gzip member that contains the record, or of the record
    /// itself in a plain file.
    pub offset: u64,
    /// Offset of the record within the decompressed member.
    pub offset_in_member: u64,
    records: &'a mut Records<R>,
}

impl<R: BufRead> Records<R> {
    /// Starts at the current position of the reader.
    pub fn new(reader: R) -> Self {
        let stream = RecordStream::Plain(CountingReader { inner: reader, count: 0 });
        Self { stream: Some(stream), member_offset: 0, unread: 0 }
    }

    /// Skips this number of bytes of the current member or file.
    pub fn skip(&mut self, length: u64) -> io::Result<()> {
        if let Some(stream) = self.stream_with_data()? {
            skip_bytes(stream, length)?;
        }
        Ok(())
    }

    /// Returns the next record, or `None` at the end.
    pub fn next_record(&mut self) -> io::Result<Option<Record<'_, R>>> {
        let unread = std::mem::take(&mut self.unread);
        if let Some(stream) = &mut self.stream {
            skip_bytes(stream, unread)?;
        }
        let (offset_in_stream, head) = loop {
            let Some(stream) = self.stream_with_data()? else { return Ok(None) };
            skip_blank_lines(stream)?;
            if !stream.fill_buf()?.is_empty() {
                break (stream.count(), read_head(stream)?);
            }
        };
        self.unread = content_length(&head)?;
        let (offset, offset_in_member) = match &self.stream {
            Some(RecordStream::Member(_)) => (self.member_offset, offset_in_stream),
            _ => (offset_in_stream, 0),
        };
        Ok(Some(Record { head, offset, offset_in_member, records: self }))
    }

    /// Returns the stream with the next bytes. This is the current member, or the next member
    /// if the current member has ended. Returns `None` at the end of the file.
    fn stream_with_data(&mut self) -> io::Result<Option<&mut RecordStream<R>>> {
        while let Some(mut stream) = self.stream.take() {
            let start = stream.fill_buf()?;
            // In a compressed file, `stream` is `Plain` only between two members.
            let (is_at_end, is_gzip) = (start.is_empty(), start.starts_with(&GZIP_MAGIC));
            self.stream = Some(match stream {
                RecordStream::Member(member) if is_at_end => {
                    RecordStream::Plain(member.inner.into_inner().into_inner())
                }
                RecordStream::Plain(_) if is_at_end => return Ok(None),
                RecordStream::Plain(plain) if is_gzip => {
                    self.member_offset = plain.count;
                    let inner = BufReader::new(GzDecoder::new(plain));
                    RecordStream::Member(Box::new(CountingReader { inner, count: 0 }))
                }
                stream => return Ok(Some(self.stream.insert(stream))),
            });
        }
        Ok(None)
    }
}

impl<R: BufRead> Record<'_, R> {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut head = self.head.iter();
        head.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Returns the archived URL. Some writers put the URL in angle brackets.
    pub fn url(&self) -> Option<Url> {
        let text = self.header("WARC-Target-URI")?;
        Url::parse(text.trim_start_matches('<').trim_end_matches('>')).ok()
    }

    /// Returns the time of the capture, rounded down to seconds.
    pub fn captured_at(&self) -> Option<Timestamp> {
        let time: Timestamp = self.header("WARC-Date")?.parse().ok()?;
        Timestamp::from_second(time.as_second()).ok()
    }

    /// Whether this is the record of the capture with this URL and time.
    pub fn matches(&self, url: &Url, captured_at: Timestamp) -> bool {
        self.url().as_ref() == Some(url) && self.captured_at() == Some(captured_at)
    }
}

/// Reads the block of the record.
impl<R: BufRead> Read for Record<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(stream) = &mut self.records.stream else { return Ok(0) };
        let length = stream.take(self.records.unread).read(buffer)?;
        self.records.unread -= length as u64;
        Ok(length)
    }
}

fn invalid_data(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Skips this number of bytes. Fails if the stream ends before.
fn skip_bytes(stream: &mut impl BufRead, length: u64) -> io::Result<()> {
    let skipped = io::copy(&mut stream.take(length), &mut io::sink())?;
    if skipped < length {
        return Err(invalid_data("unexpected end of file within a record"));
    }
    Ok(())
}

/// Skips the empty lines between records.
fn skip_blank_lines(stream: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = stream.fill_buf()?;
        let blank = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        if blank == 0 {
            return Ok(());
        }
        stream.consume(blank);
    }
}

/// Reads the head of a record up to its empty line.
fn read_head(stream: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut head = stream.take(MAX_HEAD_BYTES);
    let mut line = Vec::new();
    head.read_until(b'\n', &mut line)?;
    if !line.starts_with(RECORD_PREFIX) {
        return Err(invalid_data("record without a WARC version line"));
    }
    let mut headers = Vec::new();
    loop {
        line.clear();
        head.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Err(invalid_data("record head too long or truncated"));
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

/// Returns the length of the block of a record.
fn content_length(head: &[(String, String)]) -> io::Result<u64> {
    let mut head = head.iter();
    let length = head.find(|(name, _)| name.eq_ignore_ascii_case("Content-Length"));
    let length = length.and_then(|(_, value)| value.parse().ok());
    length.ok_or_else(|| invalid_data("record without a valid Content-Length"))
}
