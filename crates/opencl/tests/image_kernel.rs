//! Images and samplers as arguments of kernels.

mod common;

use common::*;

const RGBA8: ClImageFormat = ClImageFormat { order: CL_RGBA, data_type: CL_UNORM_INT8 };

fn new_image(cl: &Cl, flags: u64, format: ClImageFormat, kind: cl_uint, size: [usize; 3]) -> Handle {
    let [width, height, depth] = size;
    let desc = ClImageDesc {
        kind,
        width,
        height,
        depth,
        array_size: depth,
        row_pitch: 0,
        slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: NULL,
    };
    let (format, desc) = ([format], [desc]);
    let made =
        made(|code| image::clCreateImage(cl.context, flags, list(&format), list(&desc), Memory::NULL, code));
    made.unwrap()
}

fn new_sampler(cl: &Cl, normalized: cl_uint, addressing: cl_uint, filter: cl_uint) -> Handle {
    made(|code| sampler::clCreateSampler(cl.context, normalized, addressing, filter, code)).unwrap()
}

fn write(cl: &Cl, mem: Handle, size: [usize; 3], from: &[u8]) {
    let (zero, size) = ([[0; 3]], [size]);
    let (at, size, from) = (list(&zero), list(&size), memory(from));
    let q = cl.queue;
    let code = image_transfer::clEnqueueWriteImage(q, mem, 1, at, size, 0, 0, from, 0, In::NULL, Out::NULL);
    assert_eq!(code, CL_SUCCESS);
}

fn read(cl: &Cl, mem: Handle, size: [usize; 3], bytes: usize) -> Vec<u8> {
    let mut to = vec![0; bytes];
    let (zero, size) = ([[0; 3]], [size]);
    let (at, size, into) = (list(&zero), list(&size), memory_mut(&mut to));
    let q = cl.queue;
    let code = image_transfer::clEnqueueReadImage(q, mem, 1, at, size, 0, 0, into, 0, In::NULL, Out::NULL);
    assert_eq!(code, CL_SUCCESS);
    to
}

const SOURCE: &str = "
    kernel void mirror(read_only image2d_t from, write_only image2d_t to, sampler_t s) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imagef(to, at, read_imagef(from, s, (int2)(get_image_width(from) - 1 - at.x, at.y)));
    }
    kernel void depths(read_only image2d_depth_t from, global float *to) {
        const sampler_t s = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        to[get_global_id(0)] = read_imagef(from, s, (int2)(get_global_id(0), 0));
    }";

#[test]
fn arguments_are_checked() {
    let cl = Cl::new();
    let program = cl.build(SOURCE, "").unwrap();
    let mirror = kernel_of(program, "mirror").unwrap();
    let (d2, size) = (CL_MEM_OBJECT_IMAGE2D, [4, 4, 1]);
    let flat = new_image(&cl, 0, RGBA8, d2, size);
    let to_read = new_image(&cl, CL_MEM_READ_ONLY, RGBA8, d2, size);
    let to_write = new_image(&cl, CL_MEM_WRITE_ONLY, RGBA8, d2, size);
    let deep = new_image(&cl, 0, RGBA8, CL_MEM_OBJECT_IMAGE3D, [4; 3]);
    let depths = new_image(&cl, 0, ClImageFormat { order: CL_DEPTH, data_type: CL_FLOAT }, d2, size);
    let buffer = cl.buffer(0, 64);
    let sampler = new_sampler(&cl, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    let other = Cl::new();
    let (foreign, their_sampler) =
        (new_image(&other, 0, RGBA8, d2, size), new_sampler(&other, 0, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR));

    for (index, value, expected) in [
        (0, flat, CL_SUCCESS),
        (0, to_read, CL_SUCCESS),
        (1, to_write, CL_SUCCESS),
        (2, sampler, CL_SUCCESS),
        (0, foreign, CL_INVALID_CONTEXT),
        (0, buffer, CL_INVALID_MEM_OBJECT),
        (0, NULL, CL_INVALID_MEM_OBJECT),
        (0, deep, CL_INVALID_MEM_OBJECT),
        (0, depths, CL_INVALID_MEM_OBJECT),
        (0, sampler, CL_INVALID_MEM_OBJECT),
        (0, to_write, CL_INVALID_ARG_VALUE),
        (1, to_read, CL_INVALID_ARG_VALUE),
        (2, flat, CL_INVALID_SAMPLER),
        (2, NULL, CL_INVALID_SAMPLER),
        (2, their_sampler, CL_INVALID_CONTEXT),
    ] {
        assert_eq!(set_arg(mirror, index, value), expected, "{index} {value:p}");
    }
    let set = kernel::clSetKernelArg;
    assert_eq!(set(mirror, 0, 8, Memory::NULL), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(mirror, 2, 8, Memory::NULL), CL_INVALID_SAMPLER);
    assert_eq!(set(mirror, 0, 4, memory(&[flat])), CL_INVALID_ARG_SIZE);
    assert_eq!(set(mirror, 2, 16, memory(&[sampler])), CL_INVALID_ARG_SIZE);
    assert_eq!(kernel::clSetKernelArgSVMPointer(mirror, 0, memory(&[0u64])), CL_INVALID_ARG_VALUE);
    // Depths are not colours, and an image is no buffer.
    let kernel = kernel_of(program, "depths").unwrap();
    assert_eq!(set_arg(kernel, 0, flat), CL_INVALID_MEM_OBJECT);
    assert_eq!(set_arg(kernel, 0, depths), CL_SUCCESS);
    assert_eq!(set_arg(kernel, 1, flat), CL_INVALID_MEM_OBJECT);
    // A kernel holds neither images nor samplers; samplers are values.
    release_mem(to_read);
    assert_eq!(sampler::clReleaseSampler(sampler), CL_SUCCESS);
    assert_eq!(cl.run(mirror, &[4, 4], None), CL_INVALID_MEM_OBJECT);
    assert_eq!(set_arg(mirror, 0, flat), CL_SUCCESS);
    assert_eq!(cl.run(mirror, &[4, 4], None), CL_SUCCESS);
    cl.finish();

    release_program(program);
    release_kernel(mirror);
    release_kernel(kernel);
    for mem in [flat, to_write, deep, depths, buffer, foreign] {
        release_mem(mem);
    }
    assert_eq!(sampler::clReleaseSampler(their_sampler), CL_SUCCESS);
}

#[test]
fn kernels_read_and_write_images() {
    let cl = Cl::new();
    let mirror = cl.kernel(SOURCE, "mirror", "");
    let (d2, size) = (CL_MEM_OBJECT_IMAGE2D, [21, 3, 1]);
    let (from, to) = (new_image(&cl, 0, RGBA8, d2, size), new_image(&cl, 0, RGBA8, d2, size));
    let sampler = new_sampler(&cl, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    let pixels: Vec<u8> = (0..21 * 3 * 4).map(|i| i as u8).collect();
    write(&cl, from, size, &pixels);
    assert_eq!((set_arg(mirror, 0, from), set_arg(mirror, 1, to), set_arg(mirror, 2, sampler)), (0, 0, 0));
    // Beyond the border, nothing is written.
    assert_eq!(cl.run(mirror, &[24, 4], None), CL_SUCCESS);
    let expected: Vec<u8> = pixels
        .chunks_exact(21 * 4)
        .flat_map(|row| row.chunks_exact(4).rev().flatten().copied().collect::<Vec<_>>())
        .collect();
    assert_eq!(read(&cl, to, size, pixels.len()), expected);
    // The same kernel with another format: one channel, as the others are 0 and alpha is 1.
    let floats = ClImageFormat { order: CL_R, data_type: CL_FLOAT };
    let other = new_image(&cl, 0, floats, d2, size);
    assert_eq!(set_arg(mirror, 1, other), CL_SUCCESS);
    assert_eq!(cl.run(mirror, &[21, 3], None), CL_SUCCESS);
    let floats = read(&cl, other, size, 21 * 3 * 4);
    for (float, pixel) in floats.chunks_exact(4).zip(expected.chunks_exact(4)) {
        let float = f32::from_ne_bytes(float.try_into().unwrap());
        // What is read may be 1.5 units in the last place from the exact quotient.
        assert!((float - f32::from(pixel[0]) / 255.0).abs() <= float * 2e-7, "{float} {}", pixel[0]);
    }
    release_kernel(mirror);
    for mem in [from, to, other] {
        release_mem(mem);
    }
    assert_eq!(sampler::clReleaseSampler(sampler), CL_SUCCESS);
}

#[test]
fn every_kind_of_image_is_an_argument() {
    let cl = Cl::new();
    for (kind, name, coordinate) in [
        (CL_MEM_OBJECT_IMAGE1D, "image1d_t", "x"),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", "(int2)(x, y)"),
        (CL_MEM_OBJECT_IMAGE2D, "image2d_t", "(int2)(x, y)"),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", "(int4)(x, y, z, 0)"),
        (CL_MEM_OBJECT_IMAGE3D, "image3d_t", "(int4)(x, y, z, 0)"),
    ] {
        let source = format!(
            "kernel void f(read_only {name} from, write_only {name} to) {{
                int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
                write_imageui(to, {coordinate}, read_imageui(from, {coordinate}) + 1);
            }}"
        );
        let kernel = cl.kernel(&source, "f", "-cl-std=CL3.0");
        let format = ClImageFormat { order: CL_R, data_type: CL_UNSIGNED_INT8 };
        let (size, region) = match kind {
            CL_MEM_OBJECT_IMAGE1D => ([9, 1, 1], [9, 1, 1]),
            CL_MEM_OBJECT_IMAGE1D_ARRAY => ([9, 1, 3], [9, 3, 1]),
            CL_MEM_OBJECT_IMAGE2D => ([9, 3, 1], [9, 3, 1]),
            _ => ([9, 3, 2], [9, 3, 2]),
        };
        let (from, to) = (new_image(&cl, 0, format, kind, size), new_image(&cl, 0, format, kind, size));
        let pixels: Vec<u8> = (0..region.iter().product::<usize>()).map(|i| i as u8).collect();
        write(&cl, from, region, &pixels);
        assert_eq!((set_arg(kernel, 0, from), set_arg(kernel, 1, to)), (0, 0), "{name}");
        assert_eq!(cl.run(kernel, &region, None), CL_SUCCESS);
        let expected: Vec<u8> = pixels.iter().map(|pixel| pixel + 1).collect();
        assert_eq!(read(&cl, to, region, pixels.len()), expected, "{name}");
        release_kernel(kernel);
        release_mem(from);
        release_mem(to);
    }
}

#[test]
fn formats_that_a_kernel_cannot_both_read_and_write_are_refused() {
    let cl = Cl::new();
    let source =
        "kernel void f(read_write image2d_t a) { write_imagef(a, (int2)(0), read_imagef(a, (int2)(0))); }";
    let kernel = cl.kernel(source, "f", "-cl-std=CL3.0");
    let (d2, srgb) = (CL_MEM_OBJECT_IMAGE2D, ClImageFormat { order: CL_sRGBA, ..RGBA8 });
    let mem = new_image(&cl, 0, srgb, d2, [1; 3]);
    assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[1], None), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    let to_read = new_image(&cl, CL_MEM_READ_ONLY, RGBA8, d2, [1; 3]);
    assert_eq!(set_arg(kernel, 0, to_read), CL_INVALID_ARG_VALUE);
    release_kernel(kernel);
    release_mem(mem);
    release_mem(to_read);
}

#[test]
fn arguments_tell_their_access() {
    let cl = Cl::new();
    let source = "kernel void f(read_only image2d_t a, write_only image3d_t b, read_write image1d_array_t c,
        sampler_t s, global int *p, image2d_depth_t d) { }";
    let kernel = cl.kernel(source, "f", "-cl-std=CL3.0 -cl-kernel-arg-info");
    let info = |index, name| {
        query(|size, value, ret| kernel::clGetKernelArgInfo(kernel, index, name, size, value, ret)).unwrap()
    };
    for (index, access, space, ty) in [
        (0, CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ADDRESS_GLOBAL, "image2d_t"),
        (1, CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_KERNEL_ARG_ADDRESS_GLOBAL, "image3d_t"),
        (2, CL_KERNEL_ARG_ACCESS_READ_WRITE, CL_KERNEL_ARG_ADDRESS_GLOBAL, "image1d_array_t"),
        (3, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_ADDRESS_PRIVATE, "sampler_t"),
        (4, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_ADDRESS_GLOBAL, "int*"),
        (5, CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ADDRESS_GLOBAL, "image2d_depth_t"),
    ] {
        assert_eq!(as_u32(info(index, CL_KERNEL_ARG_ACCESS_QUALIFIER)), access, "{ty}");
        assert_eq!(as_u32(info(index, CL_KERNEL_ARG_ADDRESS_QUALIFIER)), space, "{ty}");
        assert_eq!(as_text(info(index, CL_KERNEL_ARG_TYPE_NAME)), ty);
        assert_eq!(as_u64(info(index, CL_KERNEL_ARG_TYPE_QUALIFIER)), 0, "{ty}");
    }
    release_kernel(kernel);
}
