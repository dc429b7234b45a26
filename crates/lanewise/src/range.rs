//! The range of work-items of a launch.

/// One to three dimensions of work-items. An array of sizes is a range, too: `[1024]`, `[width,
/// height]`.
///
/// ```
/// use lanewise::NdRange;
///
/// let range = NdRange::new([640, 480]).local([16, 16]).offset([0, 100]);
/// ```
///
/// All parts have the same number of dimensions:
///
/// ```compile_fail,E0308
/// lanewise::NdRange::new([640, 480]).local([256]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange<const N: usize> {
    pub(crate) global: [usize; N],
    pub(crate) local: Option<[usize; N]>,
    pub(crate) offset: [usize; N],
}

impl<const N: usize> NdRange<N> {
    /// A range of so many work-items in each dimension, in work-groups of a size that suits the
    /// kernel and the device.
    pub const fn new(global: [usize; N]) -> Self {
        const { assert!(1 <= N && N <= 3, "a range has one to three dimensions") };
        NdRange { global, local: None, offset: [0; N] }
    }

    /// With work-groups of this size. It need not divide the size of the range: the last work-group
    /// is smaller then.
    pub const fn local(self, local: [usize; N]) -> Self {
        NdRange { local: Some(local), ..self }
    }

    /// With global IDs that begin here.
    pub const fn offset(self, offset: [usize; N]) -> Self {
        NdRange { offset, ..self }
    }
}

impl<const N: usize> From<[usize; N]> for NdRange<N> {
    fn from(global: [usize; N]) -> Self {
        NdRange::new(global)
    }
}
