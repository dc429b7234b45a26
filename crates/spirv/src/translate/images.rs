//! Images and samplers, which become the library's functions.

use super::library::Arg;
use super::{Res, Translator};
use crate::grammar::{self, Op};
use crate::parse::Inst;
use crate::types::Ty;
use ir::{Dimension, ImageAccess, ImageType, SAMPLER_INITIALIZER, TargetType};
use llvm::{Type, Value};

/// An image with the sampler to read it by: a `SampledImage`, which no value of LLVM's is.
#[derive(Clone, Copy)]
pub(super) struct Sampled {
    image: u32,
    sampler: Value,
}

/// The image operands that change nothing where an image has one level and one sample.
const WITHOUT_EFFECT: [&str; 7] =
    ["Lod", "Grad", "NonPrivateTexel", "VolatileTexel", "SignExtend", "ZeroExtend", "Nontemporal"];

/// How many numbers a coordinate has: width, height and depth or the image of an array.
fn coordinates(image: ImageType) -> u32 {
    let dimensions = match image.dimension {
        Dimension::D1 | Dimension::Buffer => 1,
        Dimension::D2 => 2,
        Dimension::D3 => 3,
    };
    dimensions + u32::from(image.is_array)
}

impl Translator<'_, '_> {
    pub(super) fn image(&mut self, inst: &Inst<'_>) -> Res<Option<Value>> {
        let args = inst.args;
        match inst.op {
            Op::SampledImage => {
                self.image_type(args[0])?;
                let sampler = self.value(args[1])?;
                if TargetType::of(sampler.ty()) != Some(TargetType::Sampler) {
                    return Err(self.unfit(args[1], "samplers"));
                }
                self.sampled.insert(inst.id, Sampled { image: args[0], sampler });
                Ok(None)
            }
            Op::ImageSampleExplicitLod => {
                let known = self.sampled.get(&args[0]).copied();
                let sampled = known.ok_or_else(|| self.unfit(args[0], "images with a sampler"))?;
                self.check_operands(args.get(2).copied())?;
                self.read(inst, sampled.image, args[1], Some(sampled.sampler)).map(Some)
            }
            Op::ImageRead => {
                self.check_operands(args.get(2).copied())?;
                self.read(inst, args[0], args[1], None).map(Some)
            }
            Op::ImageWrite => {
                self.check_operands(args.get(3).copied())?;
                self.write(args[0], args[1], args[2]).map(|()| None)
            }
            Op::ImageQueryFormat => self.query(inst, "get_image_channel_data_type", 0x10d0).map(Some),
            Op::ImageQueryOrder => self.query(inst, "get_image_channel_order", 0x10b0).map(Some),
            _ => self.size(inst).map(Some),
        }
    }

    /// A sampler's constant in OpenCL C, as a sampler where it is used.
    pub(super) fn constant_sampler(&mut self, inst: &Inst<'_>) -> Res<()> {
        self.device.require("LiteralSampler")?;
        let &[addressing, normalized, filter] = inst.args else {
            return Err("has an addressing mode, a flag and a filter mode".to_owned());
        };
        if *self.types.of(self.m, inst.ty)? != Ty::Sampler || addressing > 4 || normalized > 1 || filter > 1 {
            return Err("is not a sampler of OpenCL".to_owned());
        }
        let filter = if filter == 1 { 0x20 } else { 0x10 };
        self.constant_samplers.insert(inst.id, addressing << 1 | filter | normalized);
        let ty = TargetType::Sampler.ty(&self.context).function(&[self.context.i32()]);
        self.declare(SAMPLER_INITIALIZER, ty).map(|_| ())
    }

    /// The sampler of such a constant, for an instruction that is built now.
    pub(super) fn sampler_of_constant(&self, id: u32) -> Option<Value> {
        let bits = self.constant_samplers.get(&id)?;
        let initializer = self.out.function(SAMPLER_INITIALIZER)?;
        Some(self.b.call(initializer, &[self.b.i32(*bits)], ""))
    }

    pub(super) fn image_type(&self, id: u32) -> Res<ImageType> {
        match self.type_of(id)? {
            Ty::Image(image) => Ok(*image),
            _ => Err(self.unfit(id, "images")),
        }
    }

    fn check_operands(&self, operands: Option<u32>) -> Res<()> {
        let bits = operands.unwrap_or(0);
        for bit in (0..32).map(|bit| 1 << bit).filter(|bit| bits & bit != 0) {
            let name = grammar::name_in(grammar::IMAGE_OPERANDS, bit).unwrap_or("unknown");
            if !WITHOUT_EFFECT.contains(&name) {
                return Err(format!("the image operand {name} is not supported"));
            }
        }
        Ok(())
    }

    /// A coordinate with as many components as OpenCL C has for the kind of image.
    pub(super) fn coordinate(&self, id: u32, image: ImageType) -> Res<Value> {
        let value = self.value(id)?;
        let scalar = value.ty().scalar();
        if scalar != self.context.i32() && scalar != self.context.float() {
            return Err(self.unfit(id, "32-bit integers or floating-point numbers"));
        }
        let (needed, given) =
            (coordinates(image), if value.ty().is_vector() { value.ty().len() as u32 } else { 1 });
        if given < needed {
            let shown = self.m.show(id);
            return Err(format!("{shown} has {given} components, and the image has {needed} coordinates"));
        }
        let component = |i: u32| match value.ty().is_vector() {
            true => self.b.extract_element(value, self.b.i64(i.into()), ""),
            false => value,
        };
        if needed == 1 {
            return Ok(component(0));
        }
        let mut vector = scalar.vector(needed.next_power_of_two()).zero();
        for i in 0..needed {
            vector = self.b.insert_element(vector, component(i), self.b.i64(i.into()), "");
        }
        Ok(vector)
    }

    /// The family of functions for values of a type, and the type of their components.
    fn family(&self, ty: Type) -> Res<&'static str> {
        match ty.scalar() {
            scalar if scalar == self.context.float() => Ok("f"),
            scalar if scalar == self.context.half() => Ok("h"),
            // Whether they are signed is a matter of the image's format.
            scalar if scalar == self.context.i32() => Ok("i"),
            other => Err(format!("pixels are not of type {other}")),
        }
    }

    fn read(&mut self, inst: &Inst<'_>, image: u32, at: u32, sampler: Option<Value>) -> Res<Value> {
        let (ty, kind) = (self.result_type(inst)?, self.image_type(image)?);
        if kind.access == ImageAccess::WriteOnly || sampler.is_some() && kind.access != ImageAccess::ReadOnly
        {
            return Err(format!("{} is an image that is not read so", self.m.show(image)));
        }
        let name = format!("read_image{}", self.family(ty)?);
        let mut args = vec![Arg::Image(self.value(image)?, kind)];
        args.extend(sampler.map(Arg::Sampler));
        args.push(Arg::Plain(self.coordinate(at, kind)?, true));
        let scalar = ty.scalar();
        let result = if kind.is_depth { scalar } else { scalar.vector(4) };
        let value = self.library(&name, &args, result)?;
        if ty == result {
            return Ok(value);
        }
        if ty == scalar {
            return Ok(self.b.extract_element(value, self.b.i64(0), ""));
        }
        if ty != scalar.vector(4) {
            return Err(format!("a pixel has four components, not the type {ty}"));
        }
        let all = self.b.insert_element(ty.zero(), value, self.b.i64(0), "");
        Ok(self.b.insert_element(all, scalar.const_float(1.0), self.b.i64(3), ""))
    }

    fn write(&mut self, image: u32, at: u32, texel: u32) -> Res<()> {
        let (kind, texel_value) = (self.image_type(image)?, self.value(texel)?);
        if kind.access == ImageAccess::ReadOnly {
            return Err(format!("{} is an image that is only read", self.m.show(image)));
        }
        let ty = texel_value.ty();
        let name = format!("write_image{}", self.family(ty)?);
        let value = match (kind.is_depth, ty.is_vector()) {
            (true, true) => self.b.extract_element(texel_value, self.b.i64(0), ""),
            (false, true) if ty.len() == 4 => texel_value,
            (true, false) => texel_value,
            _ => return Err(self.unfit(texel, "four components")),
        };
        let args = [
            Arg::Image(self.value(image)?, kind),
            Arg::Plain(self.coordinate(at, kind)?, true),
            Arg::Plain(value, true),
        ];
        let void = self.context.void();
        self.library(&name, &args, void).map(|_| ())
    }

    /// What a function of OpenCL C says, which counts from another number than SPIR-V.
    fn query(&mut self, inst: &Inst<'_>, name: &str, first: u32) -> Res<Value> {
        let (ty, kind) = (self.result_type(inst)?, self.image_type(inst.args[0])?);
        if !ty.is_int() {
            return Err("is not of an integer type".to_owned());
        }
        let i32 = self.context.i32();
        let value = self.library(name, &[Arg::Image(self.value(inst.args[0])?, kind)], i32)?;
        let number = self.b.sub(value, self.b.i32(first), "");
        Ok(self.resize(number, ty, false))
    }

    fn size(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let (ty, kind) = (self.result_type(inst)?, self.image_type(inst.args[0])?);
        let count = coordinates(kind);
        let given = if ty.is_vector() { ty.len() as u32 } else { 1 };
        if !ty.scalar().is_int() || given != count {
            return Err(format!("is of type {ty}, and the image has {count} sizes"));
        }
        let image = Arg::Image(self.value(inst.args[0])?, kind);
        let (i32, size_type) = (self.context.i32(), self.size_type());
        let mut sizes = Vec::new();
        for i in 0..count {
            let value = match (i, kind.is_array && i + 1 == count) {
                (_, true) => self.library("get_image_array_size", &[image], size_type)?,
                (0, _) => self.library("get_image_width", &[image], i32)?,
                (1, _) => self.library("get_image_height", &[image], i32)?,
                _ => self.library("get_image_depth", &[image], i32)?,
            };
            sizes.push(self.resize(value, ty.scalar(), false));
        }
        if count == 1 {
            return Ok(sizes[0]);
        }
        let mut vector = ty.zero();
        for (i, size) in sizes.into_iter().enumerate() {
            vector = self.b.insert_element(vector, size, self.b.i64(i as u64), "");
        }
        Ok(vector)
    }
}
