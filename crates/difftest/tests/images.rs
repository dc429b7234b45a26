//! Images in kernels: every format, kind and sampler against arithmetic by the specification's
//! words (`kernelgen::picture`).

use lanewise_difftest as difftest;

use compiler::NdRange;
use difftest::{Program, buffer, contents, device, pictures, run, run_code};
use runtime::{
    Access, Addressing, ArgValue, ChannelOrder, ChannelType, Filter, Image, ImageFormat, ImageKind,
    ImageShape, Images, Sampler,
};
use std::sync::Arc;

fn images() -> &'static dyn Images {
    device().images().expect("the devices of the tests have images")
}

struct Picture {
    shape: ImageShape,
    bytes: Vec<u8>,
}

const WIDTH: usize = 5;
const HEIGHT: usize = 4;
const DEPTH: usize = 3;

/// Some bytes without a pattern.
fn noise(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

impl Picture {
    /// One with pitches that are larger than they must be.
    fn new(kind: ImageKind, format: ImageFormat) -> Picture {
        let pixel = format.pixel_bytes();
        let (mut height, mut depth, mut layers) = (1, 1, 1);
        match kind {
            ImageKind::D1 | ImageKind::D1Buffer => {}
            ImageKind::D1Array => layers = DEPTH,
            ImageKind::D2 => height = HEIGHT,
            ImageKind::D2Array => (height, layers) = (HEIGHT, DEPTH),
            ImageKind::D3 => (height, depth) = (HEIGHT, DEPTH),
        }
        let row_pitch = (WIDTH + 2) * pixel;
        let rows = if kind == ImageKind::D1Array { 1 } else { height + 1 };
        let slice_pitch = rows * row_pitch;
        let shape = ImageShape { kind, format, width: WIDTH, height, depth, layers, row_pitch, slice_pitch };
        let len = slice_pitch * depth.max(layers);
        let mut next = noise(len as u64 + pixel as u64 * 977);
        let mut bytes: Vec<u8> = (0..len).map(|_| (next() >> 32) as u8).collect();
        // Numbers of a size that filters can be compared with.
        match format.channel {
            ChannelType::Float => bytes.chunks_exact_mut(4).for_each(|c| {
                c.copy_from_slice(&(((next() >> 40) as f32 / 65536.0) - 100.0).to_le_bytes());
            }),
            ChannelType::HalfFloat => bytes.chunks_exact_mut(2).for_each(|c| {
                let bits = (next() >> 32) as u16;
                c.copy_from_slice(&((bits & 0x83ff) | (0x3400 + (bits & 0x0c00))).to_le_bytes());
            }),
            _ => {}
        }
        Picture { shape, bytes }
    }

    fn arg(&self) -> (ArgValue, Arc<Image>) {
        let image = Arc::new(Image { buffer: buffer(&self.bytes).unwrap(), shape: self.shape });
        let descriptor = images().descriptor(&image);
        (ArgValue::Image(image.clone(), descriptor.into()), image)
    }

    /// What the reference takes it for.
    fn reference(&self) -> kernelgen::picture::Picture {
        pictures::picture(&self.shape, self.bytes.clone()).expect("all formats are known")
    }
}

/// What kernels call a kind of image, how many numbers its coordinates have, and how these are made
/// of three.
fn language(kind: ImageKind, is_depth: bool) -> (&'static str, &'static str) {
    match (kind, is_depth) {
        (ImageKind::D1, _) => ("image1d_t", "x"),
        (ImageKind::D1Buffer, _) => ("image1d_buffer_t", "x"),
        (ImageKind::D1Array, _) => ("image1d_array_t", "xy"),
        (ImageKind::D2, false) => ("image2d_t", "xy"),
        (ImageKind::D2, true) => ("image2d_depth_t", "xy"),
        (ImageKind::D2Array, false) => ("image2d_array_t", "xyzz"),
        (ImageKind::D2Array, true) => ("image2d_array_depth_t", "xyzz"),
        (ImageKind::D3, _) => ("image3d_t", "xyzz"),
    }
}

/// The three families of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Float,
    Signed,
    Unsigned,
}

impl Family {
    const ALL: [Family; 3] = [Family::Float, Family::Signed, Family::Unsigned];

    fn of(channel: ChannelType) -> Family {
        use ChannelType::*;
        match channel {
            SignedInt8 | SignedInt16 | SignedInt32 => Family::Signed,
            UnsignedInt8 | UnsignedInt16 | UnsignedInt32 => Family::Unsigned,
            _ => Family::Float,
        }
    }

    fn suffix(self) -> &'static str {
        ["f", "i", "ui"][self as usize]
    }

    fn vector(self) -> &'static str {
        ["float4", "int4", "uint4"][self as usize]
    }

    /// The numbers of a result.
    fn read(self, bytes: &[u8]) -> Vec<f64> {
        let words = bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap()));
        let number = |word: u32| match self {
            Family::Float => f64::from(f32::from_bits(word)),
            Family::Signed => f64::from(word as i32),
            Family::Unsigned => f64::from(word),
        };
        words.map(number).collect()
    }
}

fn samplers() -> impl Iterator<Item = Sampler> {
    use Addressing::*;
    let modes = [None, ClampToEdge, Clamp, Repeat, MirroredRepeat];
    let all = modes.into_iter().flat_map(|addressing| {
        [Filter::Nearest, Filter::Linear].into_iter().flat_map(move |filter| {
            [false, true].map(|normalized_coords| Sampler { normalized_coords, addressing, filter })
        })
    });
    // Repetition is for normalized coordinates only.
    all.filter(|s| s.normalized_coords || !matches!(s.addressing, Repeat | MirroredRepeat))
}

fn sampler_arg(sampler: Sampler) -> ArgValue {
    ArgValue::Bytes(images().sampler(sampler).to_le_bytes().to_vec())
}

const PLACES: usize = 67;

/// Places in the image, on its edges, and outside; those of `None` are inside.
fn whole_places(picture: &Picture, addressing: Addressing) -> Vec<[i32; 3]> {
    let mut next = noise(31);
    let sizes = picture.reference().sizes;
    let mut coordinate = |size: usize| match addressing {
        Addressing::None => (next() >> 20) as i32 & 0xffff,
        _ => ((next() >> 20) % (size as u64 + 5)) as i32 - 2,
    };
    let mut places: Vec<[i32; 3]> = (0..PLACES).map(|_| sizes.map(&mut coordinate)).collect();
    if addressing == Addressing::None {
        places.iter_mut().for_each(|c| c.iter_mut().zip(sizes).for_each(|(c, n)| *c %= n as i32));
    }
    places
}

fn real_places(picture: &Picture, sampler: Sampler) -> Vec<[f32; 3]> {
    let mut next = noise(17);
    let reference = picture.reference();
    let (sizes, dims) = (reference.sizes, reference.kind.dimensions());
    let inside = sampler.addressing == Addressing::None;
    let mut coordinate = |i: usize| {
        let n = sizes[i] as f32;
        let part = (next() >> 40) as f32 / (1u64 << 24) as f32;
        // Away from the edges of pixels, where rounding decides, but for some that are exact.
        let place = if inside { 0.5 + part * (n - 1.01) } else { part * (n + 6.0) - 3.0 };
        let place = if part < 0.2 { place.floor() } else { place };
        if sampler.normalized_coords && i < dims { place / n } else { place }
    };
    (0..PLACES).map(|_| std::array::from_fn(&mut coordinate)).collect()
}

fn close(found: f64, expected: f64, scale: f64) -> bool {
    found == expected || (found - expected).abs() <= scale * 4e-7
}

fn check(what: &str, found: &[f64], expected: &[[f64; 4]], scale: f64, channels: usize) {
    for (i, expected) in expected.iter().enumerate() {
        let found = &found[4 * i..][..channels];
        assert!(
            found.iter().zip(expected).all(|(f, e)| close(*f, *e, scale)),
            "{what}, place {i}: {found:?}, expected {expected:?}"
        );
    }
}

fn reading_source(ty: &str, coordinates: &str, family: Family, is_depth: bool, sampled: bool) -> String {
    let (suffix, vector) = (family.suffix(), family.vector());
    let result = if is_depth { "(float4)" } else { "" };
    let sampled_kernels = format!(
        "kernel void real(read_only {ty} image, sampler_t s, global const float *c, global {vector} *out) {{
            size_t i = get_global_id(0);
            float3 at = vload3(i, c);
            out[i] = {result}read_image{suffix}(image, s, at.{coordinates});
        }}
        kernel void whole(read_only {ty} image, sampler_t s, global const int *c, global {vector} *out) {{
            size_t i = get_global_id(0);
            int3 at = vload3(i, c);
            out[i] = {result}read_image{suffix}(image, s, at.{coordinates});
        }}"
    );
    format!(
        "{}
        kernel void plain(read_only {ty} image, global const int *c, global {vector} *out) {{
            size_t i = get_global_id(0);
            int3 at = vload3(i, c);
            out[i] = {result}read_image{suffix}(image, at.{coordinates});
        }}
        kernel void both(read_write {ty} image, global const int *c, global {vector} *out) {{
            size_t i = get_global_id(0);
            int3 at = vload3(i, c);
            out[i] = {result}read_image{suffix}(image, at.{coordinates});
        }}",
        if sampled { &sampled_kernels } else { "" }
    )
}

fn bytes_of<const N: usize, T: Copy>(places: &[[T; N]], bytes: fn(T) -> [u8; 4]) -> Vec<u8> {
    places.iter().flatten().flat_map(|&v| bytes(v)).collect()
}

/// The kinds of images with the formats of each.
fn each(access: Access, mut of: impl FnMut(ImageKind, bool, &[ImageFormat])) {
    for kind in ImageKind::ALL {
        let formats = images().formats(kind, access);
        let (depths, colours): (Vec<_>, Vec<_>) =
            formats.into_iter().partition(|f| f.order == ChannelOrder::Depth);
        of(kind, false, &colours);
        if !depths.is_empty() {
            of(kind, true, &depths);
        }
    }
}

#[test]
fn readings_of_every_format_and_kind_by_every_sampler() {
    let range = NdRange::new(&[PLACES], &[PLACES]);
    each(Access::ReadOnly, |kind, is_depth, formats| {
        let (ty, coordinates) = language(kind, is_depth);
        for family in Family::ALL {
            let formats: Vec<_> = formats.iter().filter(|f| Family::of(f.channel) == family).collect();
            if formats.is_empty() {
                continue;
            }
            let sampled = kind != ImageKind::D1Buffer;
            let source = reading_source(ty, coordinates, family, is_depth, sampled);
            // Scalar code is made sooner, and the other test compares vector code.
            let program = Program::build(&source, "-cl-std=CL3.0 -cl-wfv=never").unwrap();
            let kernel = |name: &str| program.kernel(name).unwrap();
            let channels = if is_depth { 1 } else { 4 };
            for &format in formats {
                let picture = Picture::new(kind, format);
                let reference = picture.reference();
                let (arg, image) = picture.arg();
                let out = buffer(&vec![0xaa; PLACES * 16]).unwrap();
                let results = || family.read(&contents(&out).unwrap());
                let out_arg = ArgValue::Buffer(out.clone(), 0);
                let scale = if format.channel == ChannelType::Float { 200.0 } else { 2.0 };
                let what = |how: &str| format!("{ty} {format:?} {how}");
                let whole = |places: &[[i32; 3]]| {
                    ArgValue::Buffer(buffer(&bytes_of(places, i32::to_le_bytes)).unwrap(), 0)
                };
                for sampler in samplers().filter(|_| sampled) {
                    let places = real_places(&picture, sampler);
                    let c = ArgValue::Buffer(buffer(&bytes_of(&places, f32::to_le_bytes)).unwrap(), 0);
                    run(&kernel("real"), range, &[arg.clone(), sampler_arg(sampler), c, out_arg.clone()])
                        .unwrap();
                    let expected: Vec<_> =
                        places.iter().map(|c| reference.sample(pictures::sampler(sampler), *c)).collect();
                    check(&what(&format!("{sampler:?}")), &results(), &expected, scale, channels);
                    let is_whole = !sampler.normalized_coords && sampler.filter == Filter::Nearest;
                    if is_whole
                        && !matches!(sampler.addressing, Addressing::Repeat | Addressing::MirroredRepeat)
                    {
                        let places = whole_places(&picture, sampler.addressing);
                        let args = [arg.clone(), sampler_arg(sampler), whole(&places), out_arg.clone()];
                        run(&kernel("whole"), range, &args).unwrap();
                        let chosen = Some(pictures::sampler(sampler));
                        let expected: Vec<_> = places.iter().map(|c| reference.pick(chosen, *c)).collect();
                        check(&what(&format!("whole {sampler:?}")), &results(), &expected, scale, channels);
                    }
                }
                let places = whole_places(&picture, Addressing::None);
                let expected: Vec<_> = places.iter().map(|c| reference.pick(None, *c)).collect();
                let read_write = images().formats(kind, Access::ReadWrite).contains(&format);
                for name in ["plain", "both"].into_iter().filter(|name| *name == "plain" || read_write) {
                    run(&kernel(name), range, &[arg.clone(), whole(&places), out_arg.clone()]).unwrap();
                    check(&what(name), &results(), &expected, scale, channels);
                }
                assert_eq!(contents(&image.buffer).unwrap(), picture.bytes);
            }
        }
    });
}

/// Code that is made for the image's format and the sampler gives the same bytes as code for any.
#[test]
fn code_for_a_format_and_a_sampler_does_the_same() {
    let range = NdRange::new(&[PLACES], &[PLACES]);
    let (kind, is_depth) = (ImageKind::D2, false);
    let (ty, coordinates) = language(kind, is_depth);
    let mut turn = 0;
    for family in Family::ALL {
        let program =
            Program::build(&reading_source(ty, coordinates, family, is_depth, true), "-cl-std=CL3.0")
                .unwrap();
        let formats = images().formats(kind, Access::ReadOnly);
        for format in
            formats.into_iter().filter(|f| Family::of(f.channel) == family && f.order != ChannelOrder::Depth)
        {
            let picture = Picture::new(kind, format);
            let (arg, _image) = picture.arg();
            // Each format with another sampler.
            let all: Vec<Sampler> = samplers().collect();
            turn += 1;
            let sampler = all[turn % all.len()];
            let places = real_places(&picture, sampler);
            let c = ArgValue::Buffer(buffer(&bytes_of(&places, f32::to_le_bytes)).unwrap(), 0);
            let out = buffer(&vec![0; PLACES * 16]).unwrap();
            let args = [arg, sampler_arg(sampler), c, ArgValue::Buffer(out.clone(), 0)];
            let kernel = program.kernel("real").unwrap();
            run(&kernel, range, &args).unwrap();
            let general = contents(&out).unwrap();
            out.write(0, &vec![0; PLACES * 16]).unwrap();
            let choice = kernel.choose(&range, &args).unwrap();
            run_code(&choice.executable, range, &args).unwrap();
            assert_eq!(contents(&out).unwrap(), general, "{format:?} {sampler:?}");
        }
    }
}

/// Colours in and beyond what a format can hold, as numbers of 32 bits.
fn colours(family: Family) -> Vec<[f64; 4]> {
    let mut next = noise(5);
    let mut number = || {
        let n = next() >> 24;
        match family {
            Family::Float => f64::from((n & 0xffff) as f32 / 49152.0 - 0.15),
            Family::Signed => f64::from((n as i32) >> (n >> 34 & 31)),
            Family::Unsigned => f64::from((n as u32) >> (n >> 34 & 31)),
        }
    };
    (0..PLACES).map(|_| std::array::from_fn(|_| number())).collect()
}

/// Every writing of every format changes its pixel and no other byte; those outside change nothing.
#[test]
fn writings_of_every_format_and_kind() {
    let range = NdRange::new(&[PLACES], &[PLACES]);
    each(Access::WriteOnly, |kind, is_depth, formats| {
        let (ty, coordinates) = language(kind, is_depth);
        for family in Family::ALL {
            let formats: Vec<_> = formats.iter().filter(|f| Family::of(f.channel) == family).collect();
            if formats.is_empty() {
                continue;
            }
            let (suffix, vector) = (family.suffix(), family.vector());
            let value = if is_depth { "v[i].x" } else { "v[i]" };
            let kernel = |access: &str| {
                format!(
                    "kernel void {access}_(
                        {access} {ty} image, global const int *c, global const {vector} *v
                    ) {{
                        size_t i = get_global_id(0);
                        int3 at = vload3(i, c);
                        write_image{suffix}(image, at.{coordinates}, {value});
                    }}\n"
                )
            };
            let source = kernel("write_only") + &kernel("read_write");
            let program = Program::build(&source, "-cl-std=CL3.0 -cl-wfv=never").unwrap();
            for &format in formats {
                for (access, name) in [(Access::WriteOnly, "write_only_"), (Access::ReadWrite, "read_write_")]
                {
                    if !images().formats(kind, access).contains(&format) {
                        continue;
                    }
                    let picture = Picture::new(kind, format);
                    let mut expected = picture.reference();
                    // Each place once, in any order of work-items.
                    let mut places = whole_places(&picture, Addressing::ClampToEdge);
                    let used = expected.kind.coordinates();
                    places.iter_mut().for_each(|c| c[used..].fill(0));
                    let mut seen = std::collections::HashSet::new();
                    places.iter_mut().for_each(|c| {
                        if !seen.insert(*c) {
                            c[0] = i32::MIN;
                        }
                    });
                    let colours = colours(family);
                    for (c, colour) in places.iter().zip(&colours) {
                        if let Some(at) = expected.inside(*c) {
                            expected.put(at, if is_depth { [colour[0]; 4] } else { *colour });
                        }
                    }
                    let (arg, image) = picture.arg();
                    let word = |x: f64| match family {
                        Family::Float => (x as f32).to_bits(),
                        Family::Signed => x as i32 as u32,
                        Family::Unsigned => x as u32,
                    };
                    let values: Vec<u8> =
                        colours.iter().flatten().flat_map(|x| word(*x).to_le_bytes()).collect();
                    let args = [
                        arg,
                        ArgValue::Buffer(buffer(&bytes_of(&places, i32::to_le_bytes)).unwrap(), 0),
                        ArgValue::Buffer(buffer(&values).unwrap(), 0),
                    ];
                    run(&program.kernel(name).unwrap(), range, &args).unwrap();
                    let found = contents(&image.buffer).unwrap();
                    assert_eq!(found, expected.bytes, "{ty} {format:?} {name}");
                }
            }
        }
    });
}

#[test]
fn questions_about_images() {
    each(Access::ReadOnly, |kind, is_depth, formats| {
        let (ty, _) = language(kind, is_depth);
        let mut questions =
            vec!["get_image_width(i)", "get_image_channel_data_type(i)", "get_image_channel_order(i)"];
        let sizes: &[&str] = match kind {
            ImageKind::D1 | ImageKind::D1Buffer => &[],
            ImageKind::D1Array => &["get_image_array_size(i)"],
            ImageKind::D2 => &["get_image_height(i)", "get_image_dim(i).x", "get_image_dim(i).y"],
            ImageKind::D2Array => &["get_image_height(i)", "get_image_array_size(i)", "get_image_dim(i).y"],
            ImageKind::D3 => {
                &["get_image_height(i)", "get_image_depth(i)", "get_image_dim(i).z", "get_image_dim(i).w"]
            }
        };
        questions.extend(sizes);
        let stores: String =
            questions.iter().enumerate().map(|(at, q)| format!("out[{at}] = {q};\n")).collect();
        let source = format!("kernel void k(write_only {ty} i, global int *out) {{ {stores} }}");
        let program = Program::build(&source, "-cl-std=CL3.0").unwrap();
        for &format in formats.iter().step_by(5) {
            let picture = Picture::new(kind, format);
            let (arg, _image) = picture.arg();
            let out = buffer(&[0; 64]).unwrap();
            let range = NdRange::new(&[1], &[1]);
            run(&program.kernel("k").unwrap(), range, &[arg, ArgValue::Buffer(out.clone(), 0)]).unwrap();
            let found = Family::Signed.read(&contents(&out).unwrap());
            let sizes = picture.reference().sizes.map(|n| n as f64);
            assert_eq!(found[0], sizes[0], "{ty}");
            let expected = match kind {
                ImageKind::D1 | ImageKind::D1Buffer => vec![],
                ImageKind::D1Array => vec![sizes[1]],
                ImageKind::D2 => vec![sizes[1], sizes[0], sizes[1]],
                ImageKind::D2Array => vec![sizes[1], sizes[2], sizes[1]],
                ImageKind::D3 => vec![sizes[1], sizes[2], sizes[2], 0.0],
            };
            assert_eq!(found[3..3 + expected.len()], expected, "{ty}");
            // CL_UNORM_INT8 and so on.
            let number = match format.channel {
                ChannelType::SnormInt8 => Some(0x10d0),
                ChannelType::UnormInt8 => Some(0x10d2),
                ChannelType::HalfFloat => Some(0x10dd),
                ChannelType::Float => Some(0x10de),
                _ => None,
            };
            assert!(number.is_none_or(|n| found[1] == f64::from(n)), "{format:?}: {}", found[1]);
            let number = match format.order {
                ChannelOrder::R => Some(0x10b0),
                ChannelOrder::Rgba => Some(0x10b5),
                ChannelOrder::Depth => Some(0x10bd),
                _ => None,
            };
            assert!(number.is_none_or(|n| found[2] == f64::from(n)), "{format:?}: {}", found[2]);
        }
    });
}

/// Samplers of the program and of a function are constants, and give what an argument does.
#[test]
fn samplers_as_literals_and_in_program_scope() {
    let source = "
        constant sampler_t global_one = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
        float4 read(read_only image2d_t i, sampler_t s, float2 c) { return read_imagef(i, s, c); }
        kernel void k(read_only image2d_t i, sampler_t s, global const float2 *c, global float4 *out) {
            const sampler_t local_one = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
            size_t g = get_global_id(0);
            out[4 * g] = read(i, s, c[g]);
            out[4 * g + 1] = read(i, global_one, c[g]);
            out[4 * g + 2] = read(i, local_one, c[g]);
            out[4 * g + 3] = read_imagef(
                i, CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR, c[g]);
        }";
    let sampler = Sampler { normalized_coords: true, addressing: Addressing::Repeat, filter: Filter::Linear };
    let format = ImageFormat { order: ChannelOrder::Rgba, channel: ChannelType::UnormInt8 };
    let picture = Picture::new(ImageKind::D2, format);
    let reference = picture.reference();
    let places: Vec<[f32; 2]> = real_places(&picture, sampler).iter().map(|c| [c[0], c[1]]).collect();
    let expected: Vec<[f64; 4]> =
        places.iter().map(|c| reference.sample(pictures::sampler(sampler), [c[0], c[1], 0.0])).collect();
    for options in ["", "-cl-std=CL3.0", "-cl-opt-disable"] {
        let program = Program::build(source, options).unwrap();
        let kernel = program.kernel("k").unwrap();
        let (arg, _image) = picture.arg();
        let out = buffer(&vec![0; PLACES * 64]).unwrap();
        let c = buffer(&bytes_of(&places, f32::to_le_bytes)).unwrap();
        let args = [arg, sampler_arg(sampler), ArgValue::Buffer(c, 0), ArgValue::Buffer(out.clone(), 0)];
        let range = NdRange::new(&[PLACES], &[PLACES]);
        let choice = kernel.choose(&range, &args).unwrap();
        run_code(&choice.executable, range, &args).unwrap();
        let found = Family::Float.read(&contents(&out).unwrap());
        let four: Vec<[f64; 4]> = expected.iter().flat_map(|e| [*e; 4]).collect();
        check(options, &found, &four, 2.0, 4);
    }
}

/// A kernel of SPIR-V over images, by the instructions that there are for them.
fn spirv_kernel() -> String {
    let spirv = difftest::spirv::Spirv {
        requirements: "OpCapability ImageBasic\nOpCapability LiteralSampler".to_owned(),
        globals: "%read_t = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
            %write_t = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
            %sampler_t = OpTypeSampler
            %sampled_t = OpTypeSampledImage %read_t
            %border = OpConstantSampler %sampler_t Clamp 0 Nearest"
            .to_owned(),
        ..Default::default()
    };
    let params = [
        ("image", "read_t"),
        ("to", "write_t"),
        ("how", "sampler_t"),
        ("colours", "g_float4"),
        ("numbers", "g_int"),
    ];
    spirv.kernel(
        &params,
        "%gid = OpLoad %long3 %GlobalInvocationId
        %x64 = OpCompositeExtract %long %gid 0
        %x = OpUConvert %int %x64
        %at = OpCompositeConstruct %int2 %x %int_1
        %fx = OpConvertSToF %float %x
        %place = OpCompositeConstruct %float2 %fx %float_1.25
        %one = OpSampledImage %sampled_t %image %how
        %a = OpImageSampleExplicitLod %float4 %one %place Lod %float_0
        %two = OpSampledImage %sampled_t %image %border
        %b = OpImageSampleExplicitLod %float4 %two %at Lod %float_0
        %c = OpImageRead %float4 %image %at
        OpImageWrite %to %at %c
        %ab = OpFAdd %float4 %a %b
        %p = OpInBoundsPtrAccessChain %g_float4 %colours %x64
        OpStore %p %ab
        %size = OpImageQuerySizeLod %int2 %image %int_0
        %height = OpCompositeExtract %int %size 1
        %order = OpImageQueryOrder %int %image
        %channel = OpImageQueryFormat %int %image
        %hundreds = OpIMul %int %height %int_100
        %tens = OpIMul %int %channel %int_10
        %more = OpIAdd %int %hundreds %tens
        %all = OpIAdd %int %more %order
        %q = OpInBoundsPtrAccessChain %g_int %numbers %x64
        OpStore %q %all",
    )
}

#[test]
fn images_in_spirv() {
    let code = spirv::assemble(&spirv_kernel()).unwrap_or_else(|e| panic!("{e}"));
    let program = Program::from_spirv(&code, "", &Default::default()).unwrap();
    let kernel = program.kernel("k").unwrap();
    let described: Vec<_> = kernel.info().args.iter().map(|arg| arg.image.map(|i| i.to_string())).collect();
    assert_eq!(described[..2], ["read_only image2d_t", "write_only image2d_t"].map(|t| Some(t.to_owned())));
    assert_eq!(kernel.info().args[2].kind, compiler::ArgKind::Sampler);

    let format = ImageFormat { order: ChannelOrder::Bgra, channel: ChannelType::UnormInt8 };
    let (picture, target) = (Picture::new(ImageKind::D2, format), Picture::new(ImageKind::D2, format));
    let ((image, _kept), (to, written)) = (picture.arg(), target.arg());
    let linear =
        Sampler { normalized_coords: false, addressing: Addressing::ClampToEdge, filter: Filter::Linear };
    const COUNT: usize = WIDTH + 2;
    let colours = buffer(&[0; COUNT * 16]).unwrap();
    let numbers = buffer(&[0; COUNT * 4]).unwrap();
    let args = [
        image,
        to,
        sampler_arg(linear),
        ArgValue::Buffer(colours.clone(), 0),
        ArgValue::Buffer(numbers.clone(), 0),
    ];
    let range = NdRange::new(&[COUNT], &[COUNT]);
    let choice = kernel.choose(&range, &args).unwrap();
    run_code(&choice.executable, range, &args).unwrap();
    let border = Sampler { addressing: Addressing::Clamp, filter: Filter::Nearest, ..linear };
    let reference = picture.reference();
    let expected: Vec<[f64; 4]> = (0..COUNT)
        .map(|x| {
            let a = reference.sample(pictures::sampler(linear), [x as f32, 1.25, 0.0]);
            let b = reference.pick(Some(pictures::sampler(border)), [x as i32, 1, 0]);
            std::array::from_fn(|i| a[i] + b[i])
        })
        .collect();
    check("SPIR-V", &Family::Float.read(&contents(&colours).unwrap()), &expected, 4.0, 4);
    // BGRA is number 6 of the orders, UNORM_INT8 number 2 of the types.
    let expected = vec![(HEIGHT * 100 + 2 * 10 + 6) as f64; COUNT];
    assert_eq!(Family::Signed.read(&contents(&numbers).unwrap()), expected);
    // The row was copied, and nothing beyond it.
    let bytes = contents(&written.buffer).unwrap();
    let (row, len) = (reference.offset([0, 1, 0]), WIDTH * 4);
    let mut copied = target.bytes.clone();
    copied[row..row + len].copy_from_slice(&picture.bytes[row..row + len]);
    assert_eq!(bytes, copied);
}

#[test]
fn wrong_uses_of_images_in_spirv_are_told() {
    let good = spirv_kernel();
    let error = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        let code = spirv::assemble(&good.replace(from, to)).unwrap_or_else(|e| panic!("{e}"));
        match Program::from_spirv(&code, "", &Default::default()) {
            Ok(_) => panic!("it was built: {to}"),
            Err(message) => message.to_string(),
        }
    };
    let cases = [
        ("OpImageWrite %to %at %c", "OpImageWrite %image %at %c", "only read"),
        ("%c = OpImageRead %float4 %image %at", "%c = OpImageRead %float4 %to %at", "not read so"),
        ("%c = OpImageRead %float4 %image %at", "%c = OpImageRead %float4 %image %x", "2 coordinates"),
        ("%c = OpImageRead %float4 %image %at", "%c = OpImageRead %float4 %how %at", "not of images"),
        ("Lod %float_0\n        %two", "Bias %float_0\n        %two", "Bias"),
        ("OpSampledImage %sampled_t %image %how", "OpSampledImage %sampled_t %image %x", "not of samplers"),
        ("%size = OpImageQuerySizeLod %int2", "%size = OpImageQuerySizeLod %float4", "2 sizes"),
        ("2D 0 0 0 0 Unknown ReadOnly", "Cube 0 0 0 0 Unknown ReadOnly", "not OpenCL's"),
        ("2D 0 0 0 0 Unknown ReadOnly", "2D 0 0 1 0 Unknown ReadOnly", "not OpenCL's"),
    ];
    for (from, to, expected) in cases {
        let message = error(from, to);
        assert!(message.contains(expected), "{to}: {message}");
    }
}

/// A NaN has no place in normalized formats, and is 0 in all of them, as in `clEnqueueFillImage`.
#[test]
fn not_a_number_is_zero_in_normalized_formats() {
    let source = "kernel void k(write_only image1d_t image, float nan) {
            write_imagef(image, (int)get_global_id(0), (float4)(nan));
        }";
    let kernel = Program::build(source, "-cl-std=CL3.0").unwrap().kernel("k").unwrap();
    let formats = images().formats(ImageKind::D1, Access::WriteOnly);
    let is_float = |c| matches!(c, ChannelType::Float | ChannelType::HalfFloat);
    for format in
        formats.into_iter().filter(|f| Family::of(f.channel) == Family::Float && !is_float(f.channel))
    {
        let picture = Picture::new(ImageKind::D1, format);
        let (image, kept) = picture.arg();
        let args = [image, ArgValue::Bytes(f32::NAN.to_le_bytes().to_vec())];
        let range = NdRange::new(&[WIDTH], &[WIDTH]);
        let choice = kernel.choose(&range, &args).unwrap();
        run_code(&choice.executable, range, &args).unwrap();
        let written = &contents(&kept.buffer).unwrap()[..WIDTH * format.pixel_bytes()];
        assert!(written.iter().all(|byte| *byte == 0), "{format:?}: {written:?}");
        assert!(format.pixel([f32::NAN.to_bits(); 4]).iter().all(|byte| *byte == 0), "{format:?}");
    }
}

/// LLVM's instcombine is not done with this after one time over it, and ended the process.
#[test]
fn a_reading_in_a_loop_is_simplified() {
    let source = "
        kernel void k(global const float *in, global short *out, read_only image2d_t image) {
            uint lid = get_local_linear_id();
            float x = in[(lid + 8u) & 511u];
            for (int i = 0; i < (x > -1073741800.0f && x < 1073741800.0f ? (int)x : 0); ++i)
                out[0] = (short)read_imageui(image, (int2)((int)(lid + 8u), 0)).s2;
        }";
    let kernel = Program::build(source, "-cl-std=CL3.0").unwrap().kernel("k").unwrap();
    let numbers = |x: f32| ArgValue::Buffer(buffer(&x.to_le_bytes().repeat(512)).unwrap(), 0);
    let out = buffer(&[0; 2]).unwrap();
    for channel in [ChannelType::UnsignedInt8, ChannelType::UnsignedInt16, ChannelType::UnsignedInt32] {
        let format = ImageFormat { order: ChannelOrder::Rgba, channel };
        let picture = Picture::new(ImageKind::D2, format);
        let (image, _kept) = picture.arg();
        let args = [numbers(2.0), ArgValue::Buffer(out.clone(), 0), image];
        let range = NdRange::new(&[1], &[1]);
        let choice = kernel.choose(&range, &args).unwrap();
        run_code(&choice.executable, range, &args).unwrap();
        // The last pixel of the row stands for those outside.
        let expected = picture.reference().pick(None, [WIDTH as i32 - 1, 0, 0])[2];
        assert_eq!(contents(&out).unwrap(), (expected as i64 as i16).to_le_bytes(), "{format:?}");
    }
}

/// Neighbours of each pixel, by kernels that run along rows: wide loads in the middle, and the
/// border.
#[test]
fn neighbours_along_rows_at_every_width() {
    let source = "
        constant sampler_t edge =
            CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
        constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
        kernel void k(read_only image2d_t from, write_only image2d_t to) {
            int2 c = (int2)(get_global_id(0), get_global_id(1));
            float4 sum = 0.0f;
            for (int y = -1; y <= 1; ++y)
                for (int x = -2; x <= 2; ++x)
                    sum += read_imagef(from, edge, c + (int2)(x, y));
            sum += read_imagef(from, border, c + (int2)(3, -1)) + read_imagef(from, c);
            sum += read_imagef(from, linear, (float2)(c.x * 1.25f, c.y + 0.5f));
            write_imagef(to, c, sum * 0.05f);
        }";
    let (width, height) = (75, 6);
    let formats = [
        (ChannelOrder::Rgba, ChannelType::UnormInt8),
        (ChannelOrder::Rgba, ChannelType::Float),
        (ChannelOrder::R, ChannelType::Float),
        (ChannelOrder::Rg, ChannelType::UnormInt16),
        (ChannelOrder::Rgba, ChannelType::HalfFloat),
    ];
    for (order, channel) in formats {
        let format = ImageFormat { order, channel };
        let row_pitch = width * format.pixel_bytes();
        let shape = ImageShape {
            kind: ImageKind::D2,
            format,
            width,
            height,
            depth: 1,
            layers: 1,
            row_pitch,
            slice_pitch: row_pitch * height,
        };
        let mut next = noise(3);
        let bytes: Vec<u8> = match channel {
            ChannelType::Float => (0..row_pitch * height / 4)
                .flat_map(|_| ((next() >> 40) as f32 / 65536.0).to_le_bytes())
                .collect(),
            // Halves between 0.25 and 4.
            ChannelType::HalfFloat => (0..row_pitch * height / 2)
                .flat_map(|_| (0x3400 + (next() >> 40) as u16 % 0x1000).to_le_bytes())
                .collect(),
            _ => (0..row_pitch * height).map(|_| (next() >> 40) as u8).collect(),
        };
        let outcome = |options: &str| {
            let program = Program::build(source, options).unwrap();
            let kernel = program.kernel("k").unwrap();
            let (from, to) =
                (Picture { shape, bytes: bytes.clone() }, Picture { shape, bytes: vec![0; bytes.len()] });
            let ((from, _kept), (to, image)) = (from.arg(), to.arg());
            let args = [from, to];
            let range = NdRange::new(&[width + 5, height + 1], &[16, 1]);
            let choice = kernel.choose(&range, &args).unwrap();
            run_code(&choice.executable, range, &args).unwrap();
            contents(&image.buffer).unwrap()
        };
        let expected = outcome("-cl-wfv=never");
        for options in ["", "-cl-wfv=always --lanes 4", "-cl-wfv=always --lanes 16"] {
            if difftest::understands(options) {
                assert!(outcome(options) == expected, "{format:?} {options}");
            }
        }
    }
}
