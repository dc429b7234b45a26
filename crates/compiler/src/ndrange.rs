//! The range of work-items a kernel runs over.

/// One to three dimensions of work-items, cut into work-groups.
///
/// Dimensions from `work_dim` on have size 1 and offset 0. A local size need not divide the global
/// size: the last work-group of a dimension is then smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NdRange {
    pub work_dim: u32,
    pub global_size: [usize; 3],
    pub global_offset: [usize; 3],
    pub local_size: [usize; 3],
}

impl NdRange {
    /// A range of `global.len()` dimensions that starts at 0.
    ///
    /// # Panics
    /// If `global` and `local` do not have the same length, from 1 to 3.
    #[inline]
    pub fn new(global: &[usize], local: &[usize]) -> Self {
        assert!((1..=3).contains(&global.len()) && global.len() == local.len());
        let mut range = NdRange {
            work_dim: global.len() as u32,
            global_size: [1; 3],
            global_offset: [0; 3],
            local_size: [1; 3],
        };
        range.global_size[..global.len()].copy_from_slice(global);
        range.local_size[..local.len()].copy_from_slice(local);
        range
    }

    #[inline]
    pub fn with_offset(mut self, offset: &[usize]) -> Self {
        self.global_offset[..offset.len()].copy_from_slice(offset);
        self
    }

    /// How many work-groups there are in each dimension, the smaller last one included.
    pub fn num_groups(&self) -> [usize; 3] {
        std::array::from_fn(|d| self.global_size[d].div_ceil(self.local_size[d]))
    }

    /// Whether every work-group has exactly the local size.
    #[inline]
    pub fn is_uniform(&self) -> bool {
        let mut dims = self.global_size.iter().zip(&self.local_size).take(self.work_dim as usize);
        dims.all(|(global, local)| global.is_multiple_of(*local))
    }

    /// Whether all global IDs are below `end`.
    #[inline]
    pub fn has_ids_below(&self, end: u64) -> bool {
        (0..3).all(|d| self.global_offset[d].saturating_add(self.global_size[d]) as u64 <= end)
    }

    pub fn work_items(&self) -> usize {
        self.global_size.iter().product()
    }

    pub fn work_group_items(&self) -> usize {
        self.local_size.iter().product()
    }
}
