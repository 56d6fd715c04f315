//! Bodies that differ only in their beginnings: the rest is compressed once.
//!
//! In: the common end of the bodies. Out: whole bodies, plain or as gzip. Must not: know what the bodies are.

use std::io;
use std::io::Read;
use std::io::Write;

use flate2::Compression;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// The header of a gzip member without a name and a time (RFC 1952, section 2.3).
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// The most bytes of a block that is stored uncompressed (RFC 1951, section 3.2.4).
const STORED: usize = 0xffff;

/// The end of a body, compressed.
#[derive(Debug)]
pub struct SharedEnd {
    /// A whole deflate stream.
    deflated: Vec<u8>,
    /// Of the bytes before compression.
    checksum: Crc,
    length: usize,
}

impl SharedEnd {
    /// Compresses the end of bodies.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(end: &[u8]) -> io::Result<SharedEnd> {
        let mut encoder = DeflateEncoder::new(Vec::with_capacity(end.len() / 8), Compression::fast());
        encoder.write_all(end)?;
        let mut checksum = Crc::new();
        checksum.update(end);
        let mut deflated = encoder.finish()?;
        deflated.shrink_to_fit();
        Ok(SharedEnd { deflated, checksum, length: end.len() })
    }

    /// The number of bytes in memory.
    #[must_use]
    pub fn size(&self) -> usize {
        self.deflated.len()
    }

    /// The body with this beginning.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn plain(&self, beginning: &[u8]) -> io::Result<Vec<u8>> {
        let mut body = Vec::with_capacity(beginning.len() + self.length);
        body.extend_from_slice(beginning);
        DeflateDecoder::new(self.deflated.as_slice()).read_to_end(&mut body)?;
        Ok(body)
    }

    /// The body with this beginning as gzip. The beginning is stored uncompressed, in blocks that end at the border of a byte, so that the
    /// compressed end can follow as it is.
    #[must_use]
    pub fn gzip(&self, beginning: &[u8]) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.deflated.len() + beginning.len() + 64);
        body.extend_from_slice(&GZIP_HEADER);
        for block in beginning.chunks(STORED) {
            // The length is at most STORED.
            let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
            body.push(0);
            body.extend_from_slice(&length.to_le_bytes());
            body.extend_from_slice(&(!length).to_le_bytes());
            body.extend_from_slice(block);
        }
        body.extend_from_slice(&self.deflated);
        let mut checksum = Crc::new();
        checksum.update(beginning);
        checksum.combine(&self.checksum);
        body.extend_from_slice(&checksum.sum().to_le_bytes());
        // The length of the body modulo 2^32, as gzip has it.
        body.extend_from_slice(&checksum.amount().to_le_bytes());
        body
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::SharedEnd;

    #[test]
    fn both_forms_are_the_beginning_and_the_end() -> std::io::Result<()> {
        let text = "a catalog of resources ".repeat(5000);
        for beginning in [String::new(), "{\"version\":1,".to_owned(), "x".repeat(200_000)] {
            for end in ["", "}", text.as_str()] {
                let shared = SharedEnd::new(end.as_bytes())?;
                let expected = format!("{beginning}{end}");
                assert_eq!(shared.plain(beginning.as_bytes())?, expected.as_bytes());
                let mut unpacked = String::new();
                let gzip = shared.gzip(beginning.as_bytes());
                GzDecoder::new(gzip.as_slice()).read_to_string(&mut unpacked)?;
                assert_eq!(unpacked, expected);
            }
        }
        Ok(())
    }
}
