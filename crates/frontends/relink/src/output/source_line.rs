//! Reads the source lines of links for reports.

use std::path::Path;

use relink_model::LinkKind;
use relink_ports::{Files, LinkLocation};
use relink_report::human::Snippet;

/// Reads the source line of a link from its document. Reads only the part around the link if
/// the line is long.
pub(super) async fn source_line(files: &dyn Files, location: &LinkLocation) -> Option<Snippet> {
    if matches!(location.location.kind, LinkKind::ListEntry | LinkKind::Argument) {
        // The line, or the command line, contains only the URL.
        return None;
    }
    // Do not read the whole document for each link: it may be large and have a million links.
    let span = location.location.span;
    let range = Snippet::byte_range(span);
    let path = Path::new(&location.path);
    let bytes = files.read_range(path, range.start as u64, range.len()).await.ok()?;
    Snippet::cut_from(&bytes, span)
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use relink_model::SourceLocation;
    use relink_ports::{FileError, WalkRequest, WalkResult};

    use super::*;

    /// A file system with one document of a single long line. Counts the bytes that are read.
    struct LongLine {
        line: Vec<u8>,
        bytes_read: AtomicUsize,
    }

    #[async_trait]
    impl Files for LongLine {
        async fn walk(&self, _: &WalkRequest) -> Result<WalkResult, FileError> {
            Ok(WalkResult::default())
        }

        async fn read(&self, _: &Path) -> Result<Vec<u8>, FileError> {
            self.bytes_read.fetch_add(self.line.len(), Ordering::Relaxed);
            Ok(self.line.clone())
        }

        async fn read_range(
            &self,
            _: &Path,
            start: u64,
            length: usize,
        ) -> Result<Vec<u8>, FileError> {
            let start = usize::try_from(start).unwrap();
            let end = self.line.len().min(start + length);
            self.bytes_read.fetch_add(end - start, Ordering::Relaxed);
            Ok(self.line[start..end].to_vec())
        }

        fn open(&self, path: &Path) -> Result<Box<dyn Read + Send>, FileError> {
            Err(FileError::Missing { path: path.display().to_string() })
        }

        async fn exists(&self, _: &Path) -> bool {
            true
        }
    }

    #[tokio::test]
    async fn source_line_in_a_long_line_reads_only_nearby_bytes() {
        let line = "[x](gone.md) ".repeat(100_000).into_bytes();
        let files = LongLine { line, bytes_read: AtomicUsize::new(0) };
        // Each link is 13 bytes long; its URL is at bytes 4 to 11.
        for number in (0..100_000).step_by(1000) {
            let span = (13 * number + 4..13 * number + 11).into();
            let location = SourceLocation { span, line: 1, column: 1, kind: LinkKind::Hyperlink };
            let location = LinkLocation { path: "a.md".to_owned(), location };
            assert!(source_line(&files, &location).await.is_some());
        }
        // 100 source lines with at most 16 KiB each.
        assert!(files.bytes_read.load(Ordering::Relaxed) < 100 * 16 * 1024);
    }
}
