//! A local size for a launch that names none.

/// With fewer work-items than these in a group, a kernel spends more on its groups than on them.
const LEAST: usize = 16;
/// Each thread should have so many groups to take, if there is work for them.
const GROUPS_A_THREAD: usize = 4;

/// A local size of `preferred` work-items for `global` on so many threads, long along x, where
/// `lanes` work-items run at once; less where that is too many for the range. It divides the global
/// size, unless `may_not_divide` and all divisors leave lanes empty: then the last group of a row
/// is smaller.
///
/// Kernels that do not see their groups run in others of the driver's choosing anyway.
pub fn choose_local_size(
    global: &[usize],
    preferred: usize,
    lanes: usize,
    threads: usize,
    may_not_divide: bool,
) -> Vec<usize> {
    let items = global.iter().fold(1usize, |product, &n| product.saturating_mul(n));
    let mut most = (items / (GROUPS_A_THREAD * threads.max(1)))
        .clamp(LEAST.min(preferred).max(lanes), preferred.max(lanes));
    let mut local = Vec::with_capacity(global.len());
    for (dimension, &size) in global.iter().enumerate() {
        let part = if dimension == 0 {
            along_x(size, most, lanes, may_not_divide)
        } else {
            largest_divisor(size, most)
        };
        local.push(part);
        most = (most / part).max(1);
    }
    local
}

/// A multiple of the vector width if it divides the size, or need not; else the largest divisor.
fn along_x(size: usize, most: usize, lanes: usize, may_not_divide: bool) -> usize {
    if lanes > 1 && size >= lanes {
        if size.is_multiple_of(lanes) {
            return lanes * largest_divisor(size / lanes, most / lanes);
        }
        if may_not_divide {
            return most.min(size) / lanes * lanes;
        }
    }
    largest_divisor(size, most)
}

/// The largest divisor of `size` that is at most `most`.
fn largest_divisor(size: usize, most: usize) -> usize {
    (1..=most.min(size)).rev().find(|part| size.is_multiple_of(*part)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 256;

    #[test]
    fn sizes_divide_and_are_long_along_x() {
        let chosen = |global: &[usize]| choose_local_size(global, MOST, 16, 2, false);
        assert_eq!(chosen(&[1 << 20]), [256]);
        assert_eq!(chosen(&[1_000_000]), [160]);
        assert_eq!(chosen(&[999_000]), [250]);
        assert_eq!(chosen(&[2048, 1536]), [256, 1]);
        assert_eq!(chosen(&[16, 1 << 20]), [16, 16]);
        assert_eq!(chosen(&[8, 8, 64]), [8, 8, 4]);
        assert_eq!(chosen(&[64]), [16]);
        assert_eq!(chosen(&[5]), [5]);
        assert_eq!(chosen(&[1_000_003]), [1]);
        assert_eq!(chosen(&[0]), [1]);
    }

    #[test]
    fn a_prime_size_gets_a_smaller_last_group() {
        assert_eq!(choose_local_size(&[1_000_003], MOST, 16, 2, true), [256]);
        assert_eq!(choose_local_size(&[1_000_003, 7], MOST, 16, 2, true), [256, 1]);
        assert_eq!(choose_local_size(&[7, 1_000_003], MOST, 16, 2, true), [7, 1]);
        // Nor do lanes stay empty where a divisor would leave some.
        assert_eq!(choose_local_size(&[999_000], MOST, 16, 2, true), [256]);
        assert_eq!(choose_local_size(&[70], MOST, 32, 2, true), [32]);
        assert_eq!(choose_local_size(&[20], MOST, 32, 2, true), [20]);
    }

    #[test]
    fn no_size_is_too_large_or_zero() {
        for x in 0..300 {
            for y in [1, 2, 77, 4096] {
                for threads in [0, 1, 64] {
                    for (may_not_divide, lanes) in
                        [(false, 1), (true, 1), (false, 16), (true, 16), (true, 64)]
                    {
                        let local = choose_local_size(&[x, y, 3], MOST, lanes, threads, may_not_divide);
                        let items: usize = local.iter().product();
                        assert!((1..=MOST).contains(&items), "{x} {y} {local:?}");
                        assert!(may_not_divide || x % local[0] == 0 && y % local[1] == 0);
                        assert!(
                            !may_not_divide || x < lanes || local[0].is_multiple_of(lanes),
                            "{x} {lanes} {local:?}"
                        );
                    }
                }
            }
        }
    }
}
