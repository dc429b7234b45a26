//! A digest of a buffer, to see at a glance whether two runs gave the same bytes.

/// FNV-1a over 64 bits. It distinguishes results; it is not cryptographic.
pub fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The digest as the program prints it: 16 hexadecimal digits.
pub fn digest_hex(bytes: &[u8]) -> String {
    format!("{:016x}", digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        assert_eq!(digest_hex(b""), "cbf29ce484222325");
        assert_eq!(digest_hex(b"a"), "af63dc4c8601ec8c");
        assert_eq!(digest_hex(b"foobar"), "85944171f73967e8");
    }
}
