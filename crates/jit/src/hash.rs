//! A hash of bytes that is the same in every run: for names of cache files and to detect changed
//! bytes. The keys of entries found by hash are compared in full: the hash does not resist
//! deliberate collisions.

/// 128 bits of hash: two lanes of multiply and rotate with different constants, mixed at the end.
pub fn hash128(bytes: &[u8]) -> [u8; 16] {
    let mut a = 0x243f_6a88_85a3_08d3u64 ^ bytes.len() as u64;
    let mut b = 0x1319_8a2e_0370_7344u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        a = (a ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
        b = (b.rotate_left(27) ^ word).wrapping_mul(0xc2b2_ae3d_27d4_eb4f).wrapping_add(a);
    }
    let mut hash = [0; 16];
    hash[..8].copy_from_slice(&mix(a ^ b.rotate_left(17)).to_le_bytes());
    hash[8..].copy_from_slice(&mix(b.wrapping_add(a.rotate_left(41))).to_le_bytes());
    hash
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ x >> 29).wrapping_mul(0xa076_1d64_78bd_642f);
    x ^ x >> 32
}

/// The hash as a name.
pub fn name(bytes: &[u8]) -> String {
    hash128(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn small_changes_change_the_hash() {
        let base = vec![0u8; 100];
        let mut seen = HashSet::from([hash128(&base)]);
        for i in 0..800 {
            let mut changed = base.clone();
            changed[i / 8] ^= 1 << (i % 8);
            assert!(seen.insert(hash128(&changed)), "bit {i}");
        }
        for len in 0..100 {
            assert!(seen.insert(hash128(&base[..len])), "length {len}");
        }
        assert_eq!(name(b"lanewise"), name(b"lanewise"));
        assert_eq!(name(b"").len(), 32);
    }
}
