//! The seal at the end of a binary: what was cut or changed on its way is refused before any of it is code.
//!
//! It follows the ELF file, which ignores it. It tells damage, not malice.

use crate::checksum;
use crate::error::{Error, Result};

const MARK: &[u8; 8] = b"LWSEAL\0\x01";

/// Adds the seal to an ELF object.
pub fn seal(mut object: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&object);
    object.extend(MARK);
    object.extend(sum.to_le_bytes());
    object
}

/// The ELF object under an unbroken seal.
pub fn open(binary: &[u8]) -> Result<&[u8]> {
    let refused = |why: &str| Err(Error::InvalidValue(why.to_owned()));
    let (object, sum) = binary.split_last_chunk::<8>().unwrap_or((&[], &[0; 8]));
    let Some(object) = object.strip_suffix(MARK) else {
        let elf = binary.starts_with(b"\x7fELF");
        return refused(match elf {
            true => "the ELF file is no binary of Lanewise, or it is cut short",
            false => "not a binary of Lanewise",
        });
    };
    if checksum(object) != u64::from_le_bytes(*sum) {
        return refused("the binary is damaged: its checksum is wrong");
    }
    Ok(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_cut_or_changed_is_refused() {
        let object: Vec<u8> = b"\x7fELF".iter().copied().chain(0..200).collect();
        let sealed = seal(object.clone());
        assert_eq!(open(&sealed), Ok(object.as_slice()));
        for length in 0..sealed.len() {
            assert!(open(&sealed[..length]).is_err(), "{length}");
        }
        for i in 0..sealed.len() {
            for flip in [1, 0x80, 0xff] {
                let mut bad = sealed.clone();
                bad[i] ^= flip;
                assert!(open(&bad).is_err(), "{i}");
            }
        }
    }
}
