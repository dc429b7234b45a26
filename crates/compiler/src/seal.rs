//! The seal at the end of a binary, a checksum: a truncated or changed binary is refused before any
//! of it becomes code.
//!
//! The seal follows the ELF file, whose readers ignore it. It detects damage, not malice, and names
//! the compiler of the binary: kernels of two devices may be code for the same CPU, but with
//! different ABIs.
//!
//! ```text
//! ELF object
//! name of the compiler
//! its length, 8 bytes
//! mark, 8 bytes
//! checksum of the object, name and length, 8 bytes
//! ```

use crate::checksum;
use crate::error::{Error, Result};

const MARK: &[u8; 8] = b"LWSEAL\0\x02";

/// Adds the seal to an ELF object of a compiler ([`crate::Info::name`]).
pub fn seal(mut object: Vec<u8>, compiler: &str) -> Vec<u8> {
    object.extend(compiler.as_bytes());
    object.extend((compiler.len() as u64).to_le_bytes());
    let sum = checksum(&object);
    object.extend(MARK);
    object.extend(sum.to_le_bytes());
    object
}

/// The ELF object under an unbroken seal of this compiler.
pub fn open<'a>(binary: &'a [u8], compiler: &str) -> Result<&'a [u8]> {
    let refused = |why: &str| Error::InvalidValue(why.to_owned());
    let (sealed, sum) = binary.split_last_chunk::<8>().unwrap_or((&[], &[0; 8]));
    let Some(sealed) = sealed.strip_suffix(MARK) else {
        let elf = binary.starts_with(b"\x7fELF");
        return Err(refused(match elf {
            true => "the ELF file is no binary of Lanewise, or it is cut short",
            false => "not a binary of Lanewise",
        }));
    };
    let damaged = || refused("the binary is damaged: its checksum is wrong");
    if checksum(sealed) != u64::from_le_bytes(*sum) {
        return Err(damaged());
    }
    let (sealed, length) = sealed.split_last_chunk::<8>().ok_or_else(damaged)?;
    let start = sealed.len().checked_sub(u64::from_le_bytes(*length) as usize).ok_or_else(damaged)?;
    let (object, made) = sealed.split_at(start);
    if made != compiler.as_bytes() {
        let made = String::from_utf8_lossy(made);
        return Err(refused(&format!("the binary was made for the target '{made}', not for '{compiler}'")));
    }
    Ok(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_cut_or_changed_is_refused() {
        let object: Vec<u8> = b"\x7fELF".iter().copied().chain(0..200).collect();
        let sealed = seal(object.clone(), "test");
        assert_eq!(open(&sealed, "test"), Ok(object.as_slice()));
        let other = "the binary was made for the target 'test', not for 'est'";
        assert_eq!(open(&sealed, "est"), Err(Error::InvalidValue(other.to_owned())));
        for length in 0..sealed.len() {
            assert!(open(&sealed[..length], "test").is_err(), "{length}");
        }
        for i in 0..sealed.len() {
            for flip in [1, 0x80, 0xff] {
                let mut bad = sealed.clone();
                bad[i] ^= flip;
                assert!(open(&bad, "test").is_err(), "{i}");
            }
        }
    }
}
