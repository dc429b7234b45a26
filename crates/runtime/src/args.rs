//! The arguments of one launch, packed as the generated code reads them.

use crate::checks::CheckedArgument;
use crate::image::Image;
use crate::memory::Buffer;
use compiler::{ArgFact, ArgKind, GROUP_MEMORY_ALIGN, KernelFacts};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The value that a program passes for one argument.
#[derive(Clone, Debug)]
pub enum ArgValue {
    /// The bytes of a value.
    Bytes(Vec<u8>),
    /// A pointer into a buffer, this many bytes from its start.
    Buffer(Arc<Buffer>, usize),
    /// A pointer to memory that the program keeps alive.
    Address(usize),
    /// The null pointer.
    Null,
    /// So many bytes of local memory.
    Local(usize),
    /// An image, with the device's description of it ([`crate::Images::descriptor`]).
    Image(Arc<Image>, Arc<[u64]>),
}

impl ArgValue {
    fn describe(&self) -> &'static str {
        match self {
            ArgValue::Bytes(_) => "a value",
            ArgValue::Buffer(..) => "a buffer",
            ArgValue::Address(_) => "an address",
            ArgValue::Null => "a null pointer",
            ArgValue::Local(_) => "local memory",
            ArgValue::Image(..) => "an image",
        }
    }
}

/// Why arguments do not fit a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgError {
    Count {
        expected: usize,
        given: usize,
    },
    Kind {
        index: usize,
        expected: ArgKind,
        given: &'static str,
    },
    Size {
        index: usize,
        expected: usize,
        given: usize,
    },
    Offset {
        index: usize,
        len: usize,
        offset: usize,
    },
    TooMuchLocal {
        index: usize,
    },
    /// The kernel's own facts contradict themselves.
    Layout {
        index: usize,
        fact: ArgFact,
        args_size: usize,
    },
    /// The kernel's facts ask for more than [`MOST_BYTES`].
    TooLarge {
        args_size: usize,
    },
}

/// The most bytes of packed arguments: a bound on the facts of a broken binary.
const MOST_BYTES: usize = 1 << 20;

impl fmt::Display for ArgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgError::Count { expected, given } => write!(f, "{expected} arguments expected, {given} given"),
            ArgError::Kind { index, expected, given } => {
                let expected = match expected {
                    ArgKind::Value => "a value",
                    ArgKind::Global => "a pointer to global memory",
                    ArgKind::Constant => "a pointer to constant memory",
                    ArgKind::Local => "local memory",
                    ArgKind::Image => "an image",
                    ArgKind::Sampler => "a sampler",
                };
                write!(f, "argument {index}: {expected} expected, {given} given")
            }
            ArgError::Size { index, expected, given } => {
                write!(f, "argument {index}: {expected} bytes expected, {given} given")
            }
            ArgError::Offset { index, len, offset } => {
                write!(f, "argument {index}: offset {offset} lies beyond a buffer of {len} bytes")
            }
            ArgError::TooMuchLocal { index } => {
                write!(f, "argument {index}: the size of local memory overflows")
            }
            ArgError::Layout { index, fact, args_size } => {
                write!(
                    f,
                    "argument {index}: the kernel's {fact:?} does not fit its {args_size} bytes of arguments"
                )
            }
            ArgError::TooLarge { args_size } => write!(f, "{args_size} bytes of arguments"),
        }
    }
}

impl std::error::Error for ArgError {}

#[derive(Clone, Copy)]
#[repr(align(128))]
struct Block([u8; GROUP_MEMORY_ALIGN]);

const _: () = assert!(align_of::<Block>() == GROUP_MEMORY_ALIGN);

/// Memory for packed arguments.
enum Packed {
    /// Few, none of which is aligned to more than 16 bytes.
    Few(Few),
    Many(Vec<Block>),
}

/// So many bytes are few.
const FEW: usize = 64;

#[repr(align(16))]
struct Few([u8; FEW]);

impl Packed {
    fn new(facts: &KernelFacts) -> Packed {
        // A type's alignment divides its size.
        let few = facts.args_size <= FEW && facts.args.iter().all(|arg| arg.size <= 16);
        match few {
            true => Packed::Few(Few([0; FEW])),
            false => Packed::Many(vec![
                Block([0; GROUP_MEMORY_ALIGN]);
                facts.args_size.div_ceil(GROUP_MEMORY_ALIGN)
            ]),
        }
    }

    fn as_ptr(&self) -> *const u8 {
        match self {
            Packed::Few(few) => few.0.as_ptr(),
            Packed::Many(blocks) => blocks.as_ptr().cast(),
        }
    }

    fn load(&self, at: usize) -> Option<u8> {
        match self {
            Packed::Few(few) => few.0.get(at).copied(),
            Packed::Many(blocks) => Some(blocks.get(at / GROUP_MEMORY_ALIGN)?.0[at % GROUP_MEMORY_ALIGN]),
        }
    }

    fn store(&mut self, offset: usize, bytes: &[u8]) {
        match self {
            Packed::Few(few) => few.0[offset..][..bytes.len()].copy_from_slice(bytes),
            Packed::Many(blocks) => {
                for (at, byte) in (offset..).zip(bytes) {
                    blocks[at / GROUP_MEMORY_ALIGN].0[at % GROUP_MEMORY_ALIGN] = *byte;
                }
            }
        }
    }
}

/// Arguments in the kernel's layout, with a hold on all they point to.
pub struct PackedArgs {
    packed: Packed,
    /// Identifies the layout they were packed for.
    layout: u64,
    local_bytes: usize,
    kept: Vec<Arc<dyn Any + Send + Sync>>,
    /// Local memory and what checks keep of it, which follows it.
    group_bytes: usize,
    checks: compiler::Checks,
    /// What checked code is told of the arguments.
    checked: Option<Vec<CheckedArgument>>,
}

impl PackedArgs {
    /// Packs `values` for a kernel with these facts.
    pub fn pack(facts: &KernelFacts, values: &[ArgValue]) -> Result<PackedArgs, ArgError> {
        if values.len() != facts.args.len() {
            return Err(ArgError::Count { expected: facts.args.len(), given: values.len() });
        }
        if facts.args_size > MOST_BYTES {
            return Err(ArgError::TooLarge { args_size: facts.args_size });
        }
        let mut packed = PackedArgs {
            packed: Packed::new(facts),
            layout: layout_of(facts),
            local_bytes: 0,
            kept: Vec::new(),
            group_bytes: 0,
            checks: facts.checks,
            checked: (!facts.checks.is_none()).then(|| values.iter().map(checked).collect()),
        };
        for (index, (fact, value)) in facts.args.iter().zip(values).enumerate() {
            packed.put(facts, index, fact, value)?;
        }
        Ok(packed)
    }

    fn put(
        &mut self,
        facts: &KernelFacts,
        index: usize,
        fact: &ArgFact,
        value: &ArgValue,
    ) -> Result<(), ArgError> {
        let fits = fact.offset.checked_add(fact.size).is_some_and(|end| end <= facts.args_size);
        let is_bytes = matches!(fact.kind, ArgKind::Value | ArgKind::Sampler);
        if !fits || (!is_bytes && fact.size != 8) {
            return Err(ArgError::Layout { index, fact: *fact, args_size: facts.args_size });
        }
        let word = match (fact.kind, value) {
            (ArgKind::Value | ArgKind::Sampler, ArgValue::Bytes(bytes)) => {
                if bytes.len() != fact.size {
                    return Err(ArgError::Size { index, expected: fact.size, given: bytes.len() });
                }
                self.packed.store(fact.offset, bytes);
                return Ok(());
            }
            (ArgKind::Global | ArgKind::Constant, ArgValue::Buffer(buffer, offset)) => {
                if *offset > buffer.len() {
                    return Err(ArgError::Offset { index, len: buffer.len(), offset: *offset });
                }
                self.kept.push(buffer.clone());
                buffer.start() as usize + offset
            }
            (ArgKind::Global | ArgKind::Constant, ArgValue::Address(address)) => *address,
            (ArgKind::Global | ArgKind::Constant, ArgValue::Null) => 0,
            (ArgKind::Local, ArgValue::Local(bytes)) => {
                let all = with_checks(self.checks, *bytes).ok_or(ArgError::TooMuchLocal { index })?;
                let sum = |n: usize, more: usize| n.checked_add(more).ok_or(ArgError::TooMuchLocal { index });
                self.local_bytes = sum(self.local_bytes, *bytes)?;
                self.group_bytes = sum(self.group_bytes, all)?;
                all
            }
            (ArgKind::Image, ArgValue::Image(image, descriptor)) => {
                self.kept.push(image.clone());
                self.kept.push(Arc::new(descriptor.clone()));
                descriptor.as_ptr() as usize
            }
            (expected, given) => return Err(ArgError::Kind { index, expected, given: given.describe() }),
        };
        self.packed.store(fact.offset, &(word as u64).to_ne_bytes());
        Ok(())
    }

    /// Holds on to these until the launch has completed.
    pub fn keep<T: Any + Send + Sync>(&mut self, these: &[Arc<T>]) {
        self.kept.extend(these.iter().cloned().map(|one| one as Arc<dyn Any + Send + Sync>));
    }

    /// What checked code is told of the arguments; `None` for other code.
    pub(crate) fn take_checked(&mut self) -> Option<Vec<CheckedArgument>> {
        self.checked.take()
    }

    /// The sum of all local memory passed as arguments.
    pub fn local_bytes(&self) -> usize {
        self.local_bytes
    }

    /// The bytes that a work-group has for local memory of arguments.
    pub(crate) fn group_bytes(&self) -> usize {
        self.group_bytes
    }

    /// Whether they were packed for a kernel with the layout of `facts`.
    pub(crate) fn fits(&self, facts: &KernelFacts) -> bool {
        self.layout == layout_of(facts)
    }

    pub fn as_ptr(&self) -> *const u8 {
        self.packed.as_ptr()
    }

    /// The value of an integer argument, taken as signed.
    pub(crate) fn integer(&self, fact: &ArgFact) -> Option<i64> {
        if fact.kind != ArgKind::Value || !(1..=8).contains(&fact.size) {
            return None;
        }
        let mut bytes = [0; 8];
        for (n, byte) in bytes[..fact.size].iter_mut().enumerate() {
            *byte = self.packed.load(fact.offset + n)?;
        }
        let unused_bits = 64 - 8 * fact.size as u32;
        Some(i64::from_le_bytes(bytes) << unused_bits >> unused_bits)
    }
}

/// The bytes of local memory with the shadows and cells that follow it where they are checked.
fn with_checks(checks: compiler::Checks, bytes: usize) -> Option<usize> {
    /// At most four words for each byte.
    const CELLS: usize = 32;
    /// The number of the run, and alignment.
    const MORE: usize = 16;
    let has = |check: compiler::Checks| usize::from(checks.has(check));
    let factor = 1 + has(compiler::Checks::UNINITIALIZED) + CELLS * has(compiler::Checks::RACES);
    bytes.checked_mul(factor)?.checked_add(MORE * has(compiler::Checks::RACES))
}

/// What checked code is told of an argument.
fn checked(value: &ArgValue) -> CheckedArgument {
    match value {
        ArgValue::Buffer(buffer, offset) => buffer.checked(*offset),
        ArgValue::Address(address) => CheckedArgument::at(*address),
        ArgValue::Null => CheckedArgument::null(),
        ArgValue::Local(bytes) => CheckedArgument {
            len: *bytes as u64,
            readable: true,
            writable: true,
            what: "local memory".to_owned(),
            ..CheckedArgument::default()
        },
        ArgValue::Image(image, _) => {
            let [x, y, z] = image.shape.extent();
            let what = format!("image of {x} x {y} x {z} pixels");
            CheckedArgument { shadow: 0, what, ..image.buffer.checked(0) }
        }
        ArgValue::Bytes(_) => CheckedArgument::default(),
    }
}

impl fmt::Debug for PackedArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedArgs").field("local_bytes", &self.local_bytes).finish_non_exhaustive()
    }
}

/// A hash of the facts that determine the layout of the packed bytes: launching a kernel with
/// another's arguments is an error.
fn layout_of(facts: &KernelFacts) -> u64 {
    let words = facts.args.iter().flat_map(|a| [a.kind as usize, a.offset, a.size]).chain([facts.args_size]);
    words.fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        (hash ^ word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ArgKind::*;

    fn facts(args: &[(ArgKind, usize, usize)], args_size: usize) -> KernelFacts {
        let args = args.iter().map(|&(kind, offset, size)| ArgFact { kind, offset, size }).collect();
        KernelFacts { args, args_size, ..KernelFacts::plain("k") }
    }

    fn bytes_of(packed: &PackedArgs) -> Vec<u8> {
        match &packed.packed {
            Packed::Few(few) => few.0.to_vec(),
            Packed::Many(blocks) => blocks.iter().flat_map(|b| b.0).collect(),
        }
    }

    fn pack_one(kind: ArgKind, size: usize, value: ArgValue) -> Result<PackedArgs, ArgError> {
        PackedArgs::pack(&facts(&[(kind, 0, size)], 128), &[value])
    }

    #[test]
    fn places_every_kind() {
        let facts = facts(
            &[(Value, 0, 3), (Global, 8, 8), (Constant, 16, 8), (Local, 24, 8), (Value, 128, 128)],
            256,
        );
        let buffer = Buffer::new(64).unwrap();
        let values = [
            ArgValue::Bytes(vec![1, 2, 3]),
            ArgValue::Buffer(buffer.clone(), 16),
            ArgValue::Null,
            ArgValue::Local(40),
            ArgValue::Bytes(vec![9; 128]),
        ];
        let packed = PackedArgs::pack(&facts, &values).unwrap();
        let bytes = bytes_of(&packed);
        let word = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
        assert_eq!(packed.as_ptr() as usize % GROUP_MEMORY_ALIGN, 0);
        assert_eq!(bytes[..8], [1, 2, 3, 0, 0, 0, 0, 0]);
        assert_eq!(word(8), buffer.as_ptr() as u64 + 16);
        assert_eq!((word(16), word(24), packed.local_bytes()), (0, 40, 40));
        assert_eq!(bytes[128..], [9; 128]);
        drop(values);
        assert_eq!(Arc::strong_count(&buffer), 2);
        drop(packed);
        assert_eq!(Arc::strong_count(&buffer), 1);
    }

    #[test]
    fn images_and_samplers() {
        use crate::image::{ChannelOrder, ChannelType, ImageFormat, ImageShape};
        let shape = ImageShape {
            kind: compiler::ImageKind::D1,
            format: ImageFormat { order: ChannelOrder::R, channel: ChannelType::UnormInt8 },
            width: 4,
            height: 1,
            depth: 1,
            layers: 1,
            row_pitch: 4,
            slice_pitch: 0,
        };
        let image = Arc::new(crate::image::Image { buffer: Buffer::new(4).unwrap(), shape });
        let descriptor: Arc<[u64]> = Arc::from([1, 2, 3]);
        let facts = facts(&[(Image, 0, 8), (Sampler, 8, 4)], 16);
        let values = [ArgValue::Image(image.clone(), descriptor.clone()), ArgValue::Bytes(vec![5, 0, 0, 0])];
        let packed = PackedArgs::pack(&facts, &values).unwrap();
        let bytes = bytes_of(&packed);
        assert_eq!(bytes[..8], (descriptor.as_ptr() as u64).to_ne_bytes());
        assert_eq!(bytes[8..12], [5, 0, 0, 0]);
        drop(values);
        assert_eq!((Arc::strong_count(&image), Arc::strong_count(&descriptor)), (2, 2));
        let error = PackedArgs::pack(&facts, &[ArgValue::Null, ArgValue::Null]).unwrap_err();
        assert_eq!(error.to_string(), "argument 0: an image expected, a null pointer given");
    }

    #[test]
    fn no_arguments_and_addresses() {
        assert!(PackedArgs::pack(&facts(&[], 0), &[]).is_ok());
        assert_eq!(bytes_of(&pack_one(Global, 8, ArgValue::Address(0x1234)).unwrap())[..2], [0x34, 0x12]);
        // Few bytes, but one argument may be aligned to 32.
        let facts = [(&[(Global, 0, 8), (Value, 16, 16)], 16), (&[(Global, 0, 8), (Value, 32, 32)], 128)]
            .map(|(args, align)| (facts(args, 64), align));
        for (facts, align) in facts {
            let size = facts.args[1].size;
            let values = [ArgValue::Address(0x1234), ArgValue::Bytes(vec![7; size])];
            let packed = PackedArgs::pack(&facts, &values).unwrap();
            assert_eq!(bytes_of(&packed)[size..][..size], vec![7; size]);
            assert_eq!(packed.as_ptr().align_offset(align), 0);
        }
    }

    #[test]
    fn wrong_count() {
        let error = PackedArgs::pack(&facts(&[(Value, 0, 4)], 4), &[]).unwrap_err();
        assert_eq!(error, ArgError::Count { expected: 1, given: 0 });
        assert_eq!(error.to_string(), "1 arguments expected, 0 given");
    }

    #[test]
    fn wrong_kinds() {
        let local = || ArgValue::Local(4);
        let value = || ArgValue::Bytes(vec![0; 8]);
        let cases = [
            (Value, local()),
            (Value, ArgValue::Null),
            (Global, value()),
            (Constant, local()),
            (Local, value()),
        ];
        for (kind, value) in cases {
            let given = value.describe();
            assert_eq!(
                pack_one(kind, 8, value).unwrap_err(),
                ArgError::Kind { index: 0, expected: kind, given }
            );
        }
        let error = pack_one(Local, 8, ArgValue::Null).unwrap_err();
        assert_eq!(error.to_string(), "argument 0: local memory expected, a null pointer given");
    }

    #[test]
    fn wrong_sizes() {
        let error = pack_one(Value, 8, ArgValue::Bytes(vec![0; 4])).unwrap_err();
        assert_eq!(error, ArgError::Size { index: 0, expected: 8, given: 4 });
        let error = pack_one(Global, 8, ArgValue::Buffer(Buffer::new(4).unwrap(), 5)).unwrap_err();
        assert_eq!(error, ArgError::Offset { index: 0, len: 4, offset: 5 });
        assert!(pack_one(Local, 8, ArgValue::Local(0)).is_ok(), "of 0 bytes, as of OpenCL 3.1");
        let two = facts(&[(Local, 0, 8), (Local, 8, 8)], 16);
        let error = PackedArgs::pack(&two, &[ArgValue::Local(usize::MAX), ArgValue::Local(1)]).unwrap_err();
        assert_eq!(error, ArgError::TooMuchLocal { index: 1 });
    }

    #[test]
    fn contradictory_facts() {
        for (kind, offset, size) in [(Value, 125, 4), (Value, usize::MAX, 4), (Global, 0, 4), (Local, 0, 16)]
        {
            let error =
                PackedArgs::pack(&facts(&[(kind, offset, size)], 128), &[ArgValue::Null]).unwrap_err();
            assert!(matches!(error, ArgError::Layout { index: 0, .. }), "{error}");
        }
    }

    #[test]
    fn absurd_sizes() {
        let error = PackedArgs::pack(&facts(&[], usize::MAX), &[]).unwrap_err();
        assert_eq!(error, ArgError::TooLarge { args_size: usize::MAX });
    }

    #[test]
    fn a_layout_is_told_from_another() {
        let one = facts(&[(Value, 0, 8)], 8);
        let packed = PackedArgs::pack(&one, &[ArgValue::Bytes(vec![0; 8])]).unwrap();
        assert!(packed.fits(&one));
        assert!(!packed.fits(&facts(&[(Global, 0, 8)], 8)) && !packed.fits(&facts(&[(Value, 0, 8)], 16)));
    }
}
