//! The memories of a running program, and the search for races in them.

use crate::ast::{Access as ImageAccess, Ast, AtomicOp, ImageDecl, MemDecl, Role};
use crate::interp::Reached;
use crate::picture::Picture;
use crate::types::{Scalar, Type, Value, extend};
use crate::{Launch, ViolationKind};

/// Nobody, or more than one.
const NOBODY: u32 = u32::MAX;
const MANY: u32 = u32::MAX - 1;
/// Who copies for the group.
pub(crate) const COPIER: u32 = u32::MAX - 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Read,
    Write,
    Atomic(AtomicOp),
}

/// Who touched one element since the last barrier, and which groups ever did.
#[derive(Clone, Copy, Debug)]
struct Track {
    epoch: u32,
    reader: u32,
    writer: u32,
    atomic: Option<AtomicOp>,
    written: bool,
    group: u32,
    group_access: Access,
}

const UNTOUCHED: Track = Track {
    epoch: 0,
    reader: NOBODY,
    writer: NOBODY,
    atomic: None,
    written: false,
    group: NOBODY,
    group_access: Access::Read,
};

/// One buffer or `__local` array.
#[derive(Debug)]
pub(crate) struct Region {
    ty: Type,
    local: bool,
    read_only: bool,
    pub(crate) bytes: Vec<u8>,
    tracks: Vec<Track>,
}

impl Region {
    fn new(decl: &MemDecl, launch: &Launch) -> Self {
        let local = decl.is_local();
        let len = match decl.role {
            Role::Slots { dynamic: true } => launch.local.iter().product(),
            _ => decl.len,
        };
        let bytes = if local { vec![0; len * decl.ty.bytes()] } else { decl.init.clone() };
        let read_only = decl.role == Role::Input;
        let tracks = if read_only { vec![] } else { vec![UNTOUCHED; bytes.len() / decl.ty.bytes()] };
        Self { ty: decl.ty, local, read_only, bytes, tracks }
    }

    /// Who touched the pixels of an image: a byte stands for each.
    fn of_pixels(image: &ImageDecl) -> Self {
        let count = image.picture.sizes.iter().product();
        let read_only = image.access == ImageAccess::Read;
        let ty = Type::scalar(Scalar::U8);
        Self { ty, local: false, read_only, bytes: vec![0; count], tracks: vec![UNTOUCHED; count] }
    }
}

/// All memories. An epoch is the time between two barriers with the fence for that address space.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The memories of the kernel, and then a region for each image.
    pub(crate) regions: Vec<Region>,
    pub(crate) pictures: Vec<Picture>,
    /// The region of the first image.
    first_image: usize,
    local_epoch: u32,
    global_epoch: u32,
    group: u32,
    /// Who came to the mistake.
    pub(crate) reached: Vec<Reached>,
    /// The lines that `printf` wrote.
    pub(crate) printed: Vec<String>,
}

impl Memory {
    pub(crate) fn new(ast: &Ast, launch: &Launch) -> Self {
        let mems = &ast.kernel.mems;
        let regions = mems.iter().map(|d| Region::new(d, launch));
        Self {
            regions: regions.chain(ast.images.iter().map(Region::of_pixels)).collect(),
            pictures: ast.images.iter().map(|image| image.picture.clone()).collect(),
            first_image: mems.len(),
            local_epoch: 1,
            global_epoch: 1,
            group: 0,
            reached: vec![],
            printed: vec![],
        }
    }

    /// A work-item comes to the mistake.
    pub(crate) fn reach(&mut self, group: [usize; 3], local: [usize; 3]) {
        let Self { local_epoch, global_epoch, .. } = *self;
        self.reached.push(Reached { group, local, local_epoch, global_epoch });
    }

    /// A work-item reads or writes a pixel.
    pub(crate) fn touch_pixel(
        &mut self,
        image: usize,
        [x, y, z]: [usize; 3],
        item: u32,
        access: Access,
    ) -> Result<(), ViolationKind> {
        let [width, height, _] = self.pictures[image].sizes;
        let index = (z * height + y) * width + x;
        self.touch(self.first_image + image, index as u64, item, access).map(|_| ())
    }

    /// A new group begins: `__local` memory holds nothing known.
    pub(crate) fn start_group(&mut self, group: u32) {
        self.group = group;
        self.barrier(true, true);
        for region in self.regions.iter_mut().filter(|r| r.local) {
            region.tracks.fill(UNTOUCHED);
            region.bytes.fill(0xa5);
        }
    }

    pub(crate) fn barrier(&mut self, local: bool, global: bool) {
        self.local_epoch += u32::from(local);
        self.global_epoch += u32::from(global);
    }

    /// Checks an access by a work-item; gives the place of the element in bytes.
    fn touch(
        &mut self,
        region: usize,
        index: u64,
        item: u32,
        access: Access,
    ) -> Result<std::ops::Range<usize>, ViolationKind> {
        let epoch = if self.regions[region].local { self.local_epoch } else { self.global_epoch };
        let region = &mut self.regions[region];
        let size = region.ty.bytes();
        let len = region.bytes.len() / size;
        if index >= len as u64 {
            return Err(ViolationKind::OutOfRange);
        }
        let index = index as usize;
        let place = index * size..(index + 1) * size;
        if region.read_only {
            return if access == Access::Read { Ok(place) } else { Err(ViolationKind::WriteToInput) };
        }
        let track = &mut region.tracks[index];
        if region.local && access != Access::Write && !track.written {
            return Err(ViolationKind::Uninitialised);
        }
        if track.epoch != epoch {
            *track = Track { epoch, reader: NOBODY, writer: NOBODY, atomic: None, ..*track };
        }
        let other = |who: u32| who != NOBODY && who != item;
        let race = match access {
            Access::Read => other(track.writer) || track.atomic.is_some(),
            Access::Write => other(track.writer) || other(track.reader) || track.atomic.is_some(),
            Access::Atomic(op) => {
                track.writer != NOBODY || track.reader != NOBODY || track.atomic.is_some_and(|o| o != op)
            }
        };
        // No barrier orders groups: between them only reads go with reads, and atomics with the
        // same atomics.
        let group_race = track.group != NOBODY
            && track.group != self.group
            && (access == Access::Write || access != track.group_access);
        if race || (group_race && !region.local) {
            return Err(ViolationKind::Race);
        }
        match access {
            Access::Read => track.reader = if other(track.reader) { MANY } else { item },
            Access::Write => track.writer = item,
            Access::Atomic(op) => track.atomic = Some(op),
        }
        if track.group == NOBODY {
            track.group = self.group;
            track.group_access = access;
        } else if track.group != self.group {
            track.group = MANY;
        } else if track.group_access != access {
            track.group_access = Access::Write;
        }
        track.written = true;
        Ok(place)
    }

    pub(crate) fn load(&mut self, region: usize, index: u64, item: u32) -> Result<Value, ViolationKind> {
        let place = self.touch(region, index, item, Access::Read)?;
        let region = &self.regions[region];
        Ok(Value::load(region.ty, &region.bytes[place]))
    }

    pub(crate) fn store(
        &mut self,
        region: usize,
        index: u64,
        item: u32,
        value: &Value,
    ) -> Result<(), ViolationKind> {
        let place = self.touch(region, index, item, Access::Write)?;
        let region = &mut self.regions[region];
        value.store(region.ty, &mut region.bytes[place]);
        Ok(())
    }

    pub(crate) fn atomic(
        &mut self,
        region: usize,
        index: u64,
        item: u32,
        op: AtomicOp,
        value: &Value,
    ) -> Result<(), ViolationKind> {
        let place = self.touch(region, index, item, Access::Atomic(op))?;
        let region = &mut self.regions[region];
        let old = Value::load(region.ty, &region.bytes[place.clone()]);
        let new = Value::one(combine(op, region.ty.scalar, old.0[0], value.0[0]));
        new.store(region.ty, &mut region.bytes[place]);
        Ok(())
    }
}

fn combine(op: AtomicOp, s: Scalar, a: u64, b: u64) -> u64 {
    let less = if s.is_signed() { extend(s, a) < extend(s, b) } else { a < b };
    match op {
        AtomicOp::Add => a.wrapping_add(b),
        AtomicOp::And => a & b,
        AtomicOp::Or => a | b,
        AtomicOp::Xor => a ^ b,
        AtomicOp::Min => {
            if less {
                a
            } else {
                b
            }
        }
        AtomicOp::Max => {
            if less {
                b
            } else {
                a
            }
        }
    }
}
