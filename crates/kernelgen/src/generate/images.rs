//! Images: their formats and contents, samplers, readings and writings.
//!
//! A reading is defined but for a few units in the last place. What a kernel makes of it is exact
//! all the same: coordinates are multiples of a part of a pixel, so that weights are exact, and
//! results are multiplied by what makes whole numbers of them, and rounded (see
//! [`ImageDecl::scale`]).

use super::Generator;
use crate::ast::{Access, Expr, ExprKind, ImageDecl, Reading, SamplerDecl, Stmt, WorkItem};
use crate::picture::{Addressing, Channel, Family, ImageKind, Order, Picture, Sampler, half_bits};
use crate::types::{BinOp, Scalar, Type};

/// Orders of channels that are stored one by one, for channels of any type and for bytes only.
const ORDERS: [Order; 8] =
    [Order::R, Order::A, Order::Rg, Order::Ra, Order::Rgba, Order::Bgra, Order::Argb, Order::Abgr];
const CHANNELS: [Channel; 16] = [
    Channel::Unorm8,
    Channel::Snorm8,
    Channel::Unorm16,
    Channel::Snorm16,
    Channel::Signed8,
    Channel::Unsigned8,
    Channel::Signed16,
    Channel::Unsigned16,
    Channel::Signed32,
    Channel::Unsigned32,
    Channel::Half,
    Channel::Float,
    Channel::Unorm565,
    Channel::Unorm555,
    Channel::Unorm101010,
    Channel::Unorm101010_2,
];

impl Generator<'_> {
    /// The images and samplers of the program.
    pub(super) fn images(&mut self) {
        if !self.config.features.images {
            return;
        }
        for k in 0..self.rng.range(1, 3) {
            let sizes = [
                *self.rng.pick(&[4, 5, 8, 13, 16, 16, 32]),
                *self.rng.pick(&[1, 3, 4, 8, 8]),
                *self.rng.pick(&[1, 2, 3, 4]),
            ];
            let kind = *self.rng.pick(&ImageKind::ALL);
            self.image(format!("image{k}"), kind, sizes, Access::Read);
        }
        for k in 0..self.rng.range(1, 2) {
            let kind = *self.rng.pick(&ImageKind::ALL);
            let access = *self.rng.pick(&[Access::Write, Access::ReadWrite]);
            // Room for a pixel of each work-item; what lies outside of an image that is only
            // written changes nothing.
            let items =
                if access == Access::Write && self.rng.chance(40) { self.items / 2 + 1 } else { self.items };
            let width = *self.rng.pick(&[8, 16, 32]);
            let sizes = match kind.coordinates() {
                1 => [items, 1, 1],
                2 => [width, items.div_ceil(width), 1],
                _ => [width, 4, items.div_ceil(4 * width)],
            };
            self.image(format!("picture{k}"), kind, sizes, access);
        }
        for k in 0..self.rng.range(1, 3) {
            let addressing = *self.rng.pick(&[
                Addressing::ClampToEdge,
                Addressing::Clamp,
                Addressing::Repeat,
                Addressing::MirroredRepeat,
            ]);
            let normalized =
                matches!(addressing, Addressing::Repeat | Addressing::MirroredRepeat) || self.rng.chance(40);
            let sampler = Sampler { normalized, addressing, linear: self.rng.chance(50) };
            let is_argument = self.rng.chance(50);
            self.samplers.push(SamplerDecl { name: format!("sampler{k}"), sampler, is_argument });
        }
    }

    fn image(&mut self, name: String, kind: ImageKind, mut sizes: [usize; 3], access: Access) {
        sizes[kind.coordinates()..].fill(1);
        let channel = *self.rng.pick(&CHANNELS);
        let order = match channel {
            Channel::Unorm565 | Channel::Unorm555 | Channel::Unorm101010 => Order::Rgb,
            Channel::Unorm101010_2 => Order::Rgba,
            _ if channel.bytes() == 1 => *self.rng.pick(&ORDERS),
            _ => *self.rng.pick(&ORDERS[..5]),
        };
        let mut picture = Picture { kind, order, channel, sizes, pitches: [0; 2], bytes: vec![] };
        let row = (sizes[0] + self.rng.below(3)) * picture.pixel_bytes();
        let slice = row * (sizes[1] + self.rng.below(2));
        picture.pitches = [row, slice];
        picture.bytes = (0..slice * sizes[2]).map(|_| self.rng.next() as u8).collect();
        let mut small = || self.rng.below(401) as f64 - 200.0;
        match channel {
            Channel::Float => picture
                .bytes
                .chunks_exact_mut(4)
                .for_each(|c| c.copy_from_slice(&(small() as f32).to_le_bytes())),
            Channel::Half => picture
                .bytes
                .chunks_exact_mut(2)
                .for_each(|c| c.copy_from_slice(&half_bits(small()).to_le_bytes())),
            _ => {}
        }
        self.images.push(ImageDecl { name, picture, access, dropped: false });
    }

    /// A reading of an image, as numbers of 32 bits.
    pub(super) fn read_image(&mut self, uniform: bool) -> Option<Expr> {
        let fits = |image: &ImageDecl| match image.access {
            Access::Read => true,
            Access::Write => false,
            Access::ReadWrite => !uniform,
        };
        let images: Vec<usize> = (0..self.images.len()).filter(|&i| fits(&self.images[i])).collect();
        if images.is_empty() {
            return None;
        }
        let image = *self.rng.pick(&images);
        let ImageDecl { access, ref picture, .. } = self.images[image];
        let (kind, sizes, family) = (picture.kind, picture.sizes, picture.channel.family());
        let ty = Type::vector(if family == Family::Unsigned { Scalar::U32 } else { Scalar::I32 }, 4);
        let read =
            |sampler, real, c| Some(Expr::new(ty, ExprKind::ReadImage(Reading { image, sampler, real }, c)));
        if access == Access::ReadWrite {
            return read(None, false, self.own_pixel(image));
        }
        // Sizes that are powers of two make normalized coordinates exact.
        let is_exact = sizes.iter().all(|n| n.is_power_of_two());
        let fits = |s: &Sampler| (is_exact || !s.normalized) && (family == Family::Float || !s.linear);
        let samplers: Vec<usize> =
            (0..self.samplers.len()).filter(|&s| fits(&self.samplers[s].sampler)).collect();
        if samplers.is_empty() || self.rng.chance(20) {
            let c = (0..kind.coordinates()).map(|d| self.inner_coordinate(sizes[d], uniform)).collect();
            return read(None, false, c);
        }
        let chosen = *self.rng.pick(&samplers);
        let sampler = self.samplers[chosen].sampler;
        let real = sampler.normalized || sampler.linear || self.rng.chance(40);
        let parts = if real { self.images[image].steps() } else { 1 };
        let c = (0..kind.coordinates())
            .map(|d| {
                // The number of an array's image is whole.
                let parts = if d < kind.dimensions() { parts } else { 1 };
                self.coordinate(sizes[d] * parts, uniform)
            })
            .collect();
        read(Some(chosen), real, c)
    }

    /// A coordinate inside of `0..size`.
    fn inner_coordinate(&mut self, size: usize, uniform: bool) -> Expr {
        let room = 1 << size.ilog2();
        let index = self.masked_index(room, uniform);
        let index = self.convert(index, Type::INT);
        let rest = self.rng.below(size - room + 1) as i32;
        Expr::binary(BinOp::AddExact, index, Expr::int(rest))
    }

    /// A coordinate in `0..size`, or a little outside of it.
    fn coordinate(&mut self, size: usize, uniform: bool) -> Expr {
        let room = size.next_power_of_two();
        let index = if !uniform && self.rng.chance(40) {
            // Neighbours along a row.
            let id = Expr::new(Type::UINT, ExprKind::WorkItem(WorkItem::GlobalId(0)));
            let id = if self.rng.chance(70) { id } else { self.var(self.known.gid) };
            let by = *self.rng.pick(&[1, 1, 1, 2, 4]);
            let id = if by == 1 { id } else { Expr::binary(BinOp::Mul, id, Expr::uint(by)) };
            Expr::binary(BinOp::And, id, Expr::uint(2 * room - 1))
        } else {
            self.masked_index(2 * room, uniform)
        };
        let index = self.convert(index, Type::INT);
        let back = self.rng.below(room / 2 + 4) as i32;
        Expr::binary(BinOp::SubExact, index, Expr::int(back))
    }

    /// The coordinates of the pixel that belongs to the work-item.
    fn own_pixel(&mut self, image: usize) -> Vec<Expr> {
        let picture = &self.images[image].picture;
        let (count, sizes) = (picture.kind.coordinates(), picture.sizes);
        let gid = self.var(self.known.gid);
        let mut shift = 0;
        (0..count)
            .map(|d| {
                let mut c = gid.clone();
                if shift > 0 {
                    c = Expr::binary(BinOp::Shr, c, Expr::uint(shift));
                }
                if d + 1 < count {
                    c = Expr::binary(BinOp::And, c, Expr::uint(sizes[d] - 1));
                    shift += sizes[d].ilog2() as usize;
                }
                self.convert(c, Type::INT)
            })
            .collect()
    }

    /// A writing to the pixel that belongs to the work-item.
    pub(super) fn write_image(&mut self, out: &mut Vec<Stmt>) {
        let images: Vec<usize> =
            (0..self.images.len()).filter(|&i| self.images[i].access != Access::Read).collect();
        if images.is_empty() {
            return;
        }
        let image = *self.rng.pick(&images);
        let c = self.own_pixel(image);
        let channel = self.images[image].picture.channel;
        let scalar = if channel.family() == Family::Unsigned { Scalar::U32 } else { Scalar::I32 };
        let ty = Type::vector(scalar, 4);
        let mut value = self.expr(ty, false);
        // Numbers in and a little beyond what the format holds; any where they saturate.
        let (mask, least) = match channel {
            Channel::Half => (0x3ff, 0x200),
            Channel::Float => (0xf_ffff, 0x8_0000),
            Channel::Unorm16 | Channel::Snorm16 => (0x1_ffff, 0xa000),
            Channel::Unorm565 | Channel::Unorm101010 | Channel::Unorm101010_2 => (0xfff, 0x80),
            _ => (0x1ff, 0xa0),
        };
        if channel.family() == Family::Float || self.rng.chance(50) {
            value = Expr::binary(BinOp::And, value, Expr::constant(ty, mask));
            value = Expr::binary(BinOp::Sub, value, Expr::constant(ty, least));
        }
        out.push(Stmt::WriteImage(image, c, value));
    }
}
