//! The encoding of files and notes: lengths and little-endian numbers. Reading never trusts
//! the bytes.

/// Writes values one after the other.
#[derive(Clone, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.u64(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }
}

/// The reader of [`Writer`]'s bytes; `None` if they are truncated or malformed.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn u64(&mut self) -> Option<u64> {
        let (value, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*value))
    }

    pub fn size(&mut self) -> Option<usize> {
        usize::try_from(self.u64()?).ok()
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.size()?;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    pub fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }
}

/// A checksum against damage, not malice. Every step is a bijection of the sum, so that every
/// single changed byte is detected.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(bytes.len() as u64, |sum, &byte| {
        ((sum ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15)).rotate_left(23)
    })
}
