//! Images and samplers: how they are made, what they tell, and commands on them.

mod common;

use command_buffer as cb;
use common::*;
use std::ffi::c_void;
use std::sync::atomic::Ordering::SeqCst;

const RGBA8: ClImageFormat = ClImageFormat { order: CL_RGBA, data_type: CL_UNORM_INT8 };
const R8: ClImageFormat = ClImageFormat { order: CL_R, data_type: CL_UNSIGNED_INT8 };
const KINDS: [cl_uint; 5] = [
    CL_MEM_OBJECT_IMAGE1D,
    CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE2D,
    CL_MEM_OBJECT_IMAGE2D_ARRAY,
    CL_MEM_OBJECT_IMAGE3D,
];

fn desc(kind: cl_uint, [width, height, depth]: [usize; 3]) -> ClImageDesc {
    let is_array = matches!(kind, CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D_ARRAY);
    let layers = if kind == CL_MEM_OBJECT_IMAGE1D_ARRAY { height } else { depth };
    ClImageDesc {
        kind,
        width,
        height,
        depth,
        array_size: if is_array { layers } else { 0 },
        row_pitch: 0,
        slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: NULL,
    }
}

fn desc_2d(width: usize, height: usize) -> ClImageDesc {
    desc(CL_MEM_OBJECT_IMAGE2D, [width, height, 0])
}

fn create(
    cl: &Cl,
    flags: u64,
    format: ClImageFormat,
    desc: ClImageDesc,
    host: Memory,
) -> Result<Handle, cl_int> {
    made(|code| image::clCreateImage(cl.context, flags, list(&[format]), list(&[desc]), host, code))
}

/// An image that was never written.
fn new_image(cl: &Cl, format: ClImageFormat, desc: ClImageDesc) -> Handle {
    create(cl, 0, format, desc, Memory::NULL).unwrap()
}

fn image_info(mem: Handle, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| image::clGetImageInfo(mem, name, size, value, ret))
}

fn mem_info(mem: Handle, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| buffer::clGetMemObjectInfo(mem, name, size, value, ret))
}

fn write(cl: &Cl, mem: Handle, at: [usize; 3], size: [usize; 3], from: &[u8]) -> cl_int {
    let (q, from) = (cl.queue, memory(from));
    let (at, size) = ([at], [size]);
    let (at, size) = (list(&at), list(&size));
    image_transfer::clEnqueueWriteImage(q, mem, 1, at, size, 0, 0, from, 0, In::NULL, Out::NULL)
}

fn read(cl: &Cl, mem: Handle, at: [usize; 3], size: [usize; 3], bytes: usize) -> Vec<u8> {
    let mut to = vec![0xabu8; bytes];
    let (q, into) = (cl.queue, memory_mut(&mut to));
    let (at, size) = ([at], [size]);
    let (at, size) = (list(&at), list(&size));
    let code = image_transfer::clEnqueueReadImage(q, mem, 1, at, size, 0, 0, into, 0, In::NULL, Out::NULL);
    assert_eq!(code, CL_SUCCESS);
    to
}

/// How large regions of an image of this kind can be, of `size` pixels.
fn extent(kind: cl_uint, [width, height, depth]: [usize; 3]) -> [usize; 3] {
    match kind {
        CL_MEM_OBJECT_IMAGE1D => [width, 1, 1],
        CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D => [width, height, 1],
        _ => [width, height, depth],
    }
}

fn count_up(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + i / 256) as u8).collect()
}

#[test]
fn wrong_images_get_the_specified_errors() {
    let cl = Cl::new();
    let (none, bytes) = (Memory::NULL, [0u8; 4096]);
    let good = desc_2d(4, 4);
    let make = |context, flags, format: In<ClImageFormat>, desc: In<ClImageDesc>, host| {
        made(|code| image::clCreateImage(context, flags, format, desc, host, code))
    };
    let (format, shape) = ([RGBA8], [good]);
    assert_eq!(make(NULL, 0, list(&format), list(&shape), none), Err(CL_INVALID_CONTEXT));
    for flags in [CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_KERNEL_READ_AND_WRITE, 1 << 40] {
        assert_eq!(make(cl.context, flags, list(&format), list(&shape), none), Err(CL_INVALID_VALUE));
    }
    let bad_format = Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_eq!(make(cl.context, 0, In::NULL, list(&shape), none), bad_format);
    for (order, data_type) in [
        (CL_RGBA, 5),
        (5, CL_FLOAT),
        (CL_RGB, CL_UNORM_INT8),
        (CL_RGB, CL_UNORM_INT_101010_2),
        (CL_RGBA, CL_UNORM_SHORT_565),
        (CL_BGRA, CL_FLOAT),
        (CL_INTENSITY, CL_SIGNED_INT8),
        (CL_DEPTH, CL_UNORM_INT8),
        (CL_sRGBA, CL_FLOAT),
    ] {
        let made = create(&cl, 0, ClImageFormat { order, data_type }, good, none);
        assert_eq!(made, bad_format, "{order:#x} {data_type:#x}");
    }
    assert_eq!(make(cl.context, 0, list(&format), In::NULL, none), Err(CL_INVALID_IMAGE_DESCRIPTOR));
    let buffer = cl.buffer(0, 64);
    for wrong in [
        ClImageDesc { kind: CL_MEM_OBJECT_BUFFER, ..good },
        ClImageDesc { num_mip_levels: 2, ..good },
        ClImageDesc { num_samples: 1, ..good },
        ClImageDesc { row_pitch: 16, ..good },
        ClImageDesc { slice_pitch: 64, ..good },
        ClImageDesc { mem_object: cl.queue, ..good },
        ClImageDesc { kind: CL_MEM_OBJECT_IMAGE1D_BUFFER, ..good },
        ClImageDesc { kind: CL_MEM_OBJECT_IMAGE1D, mem_object: buffer, ..good },
        // The buffer has 64 bytes.
        ClImageDesc { height: 5, mem_object: buffer, ..good },
        ClImageDesc { kind: CL_MEM_OBJECT_IMAGE1D_BUFFER, width: 17, mem_object: buffer, ..good },
    ] {
        assert_eq!(create(&cl, 0, RGBA8, wrong, none), Err(CL_INVALID_IMAGE_DESCRIPTOR), "{wrong:?}");
    }
    let copied = |wrong| create(&cl, CL_MEM_COPY_HOST_PTR, RGBA8, wrong, memory(&bytes));
    let d3 = desc(CL_MEM_OBJECT_IMAGE3D, [4, 4, 4]);
    for wrong in [
        ClImageDesc { row_pitch: 12, ..good },
        ClImageDesc { row_pitch: 18, ..good },
        ClImageDesc { slice_pitch: 48, ..d3 },
        ClImageDesc { slice_pitch: 72, ..d3 },
    ] {
        assert_eq!(copied(wrong), Err(CL_INVALID_IMAGE_DESCRIPTOR), "{wrong:?}");
    }
    for (kind, size) in [
        (CL_MEM_OBJECT_IMAGE1D, [0, 1, 1]),
        (CL_MEM_OBJECT_IMAGE1D, [1 << 20, 1, 1]),
        (CL_MEM_OBJECT_IMAGE2D, [4, 0, 1]),
        (CL_MEM_OBJECT_IMAGE2D, [4, 1 << 20, 1]),
        (CL_MEM_OBJECT_IMAGE2D, [usize::MAX, 4, 1]),
        (CL_MEM_OBJECT_IMAGE3D, [4, 4, 0]),
        (CL_MEM_OBJECT_IMAGE3D, [4, 4, 1 << 20]),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [4, 0, 1]),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, [4, 4, 1 << 20]),
    ] {
        assert_eq!(create(&cl, 0, RGBA8, desc(kind, size), none), Err(CL_INVALID_IMAGE_SIZE), "{size:?}");
    }
    assert_eq!(create(&cl, 0, RGBA8, good, memory(&bytes)), Err(CL_INVALID_HOST_PTR));
    assert_eq!(create(&cl, CL_MEM_USE_HOST_PTR, RGBA8, good, none), Err(CL_INVALID_HOST_PTR));
    // Depths have two dimensions.
    let depths = ClImageFormat { order: CL_DEPTH, data_type: CL_FLOAT };
    assert_eq!(create(&cl, 0, depths, d3, none), Err(CL_IMAGE_FORMAT_NOT_SUPPORTED));
    let huge = desc(CL_MEM_OBJECT_IMAGE3D, [2048; 3]);
    let floats = ClImageFormat { order: CL_RGBA, data_type: CL_FLOAT };
    assert_eq!(create(&cl, 0, floats, huge, none), Err(CL_MEM_OBJECT_ALLOCATION_FAILURE));
    release_mem(buffer);

    let with = |properties: In<u64>| {
        let (format, shape) = (list(&format), list(&shape));
        made(|code| image::clCreateImageWithProperties(cl.context, properties, 0, format, shape, none, code))
    };
    assert_eq!(with(list(&[5, 1, 0])), Err(CL_INVALID_PROPERTY));
    for (properties, told) in [(In::NULL, vec![]), (list(&[0; 1]), vec![0; 8])] {
        let mem = with(properties).unwrap();
        assert_eq!(mem_info(mem, CL_MEM_PROPERTIES).unwrap(), told);
        release_mem(mem);
    }
}

#[test]
fn the_functions_of_version_1_1() {
    let cl = Cl::new();
    let (format, bytes) = ([R8], count_up(64));
    let make_2d = |width, pitch, flags, host| {
        made(|code| image::clCreateImage2D(cl.context, flags, list(&format), width, 3, pitch, host, code))
    };
    let make_3d = |depth, row, slice, flags, host| {
        made(|code| {
            image::clCreateImage3D(cl.context, flags, list(&format), 2, 3, depth, row, slice, host, code)
        })
    };
    let copy = CL_MEM_COPY_HOST_PTR;
    assert_eq!(make_2d(4, 8, 0, Memory::NULL), Err(CL_INVALID_IMAGE_SIZE));
    assert_eq!(make_2d(4, 3, copy, memory(&bytes)), Err(CL_INVALID_IMAGE_SIZE));
    assert_eq!(make_3d(1, 0, 0, 0, Memory::NULL), Err(CL_INVALID_IMAGE_SIZE));
    assert_eq!(make_3d(2, 4, 8, copy, memory(&bytes)), Err(CL_INVALID_IMAGE_SIZE));
    let flat = make_2d(4, 8, copy, memory(&bytes)).unwrap();
    assert_eq!(read(&cl, flat, [1, 1, 0], [2, 2, 1], 4), [bytes[9], bytes[10], bytes[17], bytes[18]]);
    let deep = make_3d(2, 4, 16, copy, memory(&bytes)).unwrap();
    assert_eq!(read(&cl, deep, [0, 2, 1], [2, 1, 1], 2), [bytes[24], bytes[25]]);
    release_mem(flat);
    release_mem(deep);
}

#[test]
fn images_tell_what_they_are() {
    let cl = Cl::new();
    let bytes = [0u8; 4096];
    for (kind, sizes, slice) in [
        (CL_MEM_OBJECT_IMAGE1D, [5, 0, 0, 0], 0),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [5, 0, 0, 3], 32),
        (CL_MEM_OBJECT_IMAGE2D, [5, 3, 0, 0], 0),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 3, 0, 2], 96),
        (CL_MEM_OBJECT_IMAGE3D, [5, 3, 2, 0], 96),
    ] {
        let shape = ClImageDesc { row_pitch: 32, ..desc(kind, [5, 3, 2]) };
        let mem = create(&cl, CL_MEM_COPY_HOST_PTR, RGBA8, shape, memory(&bytes)).unwrap();
        let word = |name| as_u64(image_info(mem, name).unwrap()) as usize;
        let names = [CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH, CL_IMAGE_ARRAY_SIZE];
        assert_eq!(names.map(word), sizes, "{kind:#x}");
        let names = [CL_IMAGE_ELEMENT_SIZE, CL_IMAGE_ROW_PITCH, CL_IMAGE_SLICE_PITCH, CL_IMAGE_BUFFER];
        assert_eq!(names.map(word), [4, 32, slice, 0], "{kind:#x}");
        let format = [CL_RGBA, CL_UNORM_INT8].map(u32::to_ne_bytes).concat();
        assert_eq!(image_info(mem, CL_IMAGE_FORMAT).unwrap(), format);
        for name in [CL_IMAGE_NUM_MIP_LEVELS, CL_IMAGE_NUM_SAMPLES] {
            assert_eq!(as_u32(image_info(mem, name).unwrap()), 0);
        }
        assert_eq!(as_u32(mem_info(mem, CL_MEM_TYPE).unwrap()), kind);
        let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        assert_eq!(as_u64(mem_info(mem, CL_MEM_FLAGS).unwrap()), flags);
        assert_eq!(image_info(mem, CL_MEM_TYPE), Err(CL_INVALID_VALUE));
        release_mem(mem);
    }
    // A buffer is no image, and the other way round.
    let (buffer, mem) = (cl.buffer(0, 64), new_image(&cl, R8, desc_2d(8, 8)));
    assert_eq!(image_info(buffer, CL_IMAGE_WIDTH), Err(CL_INVALID_MEM_OBJECT));
    assert_eq!(image_info(NULL, CL_IMAGE_WIDTH), Err(CL_INVALID_MEM_OBJECT));
    assert_eq!(write(&cl, buffer, [0; 3], [1; 3], &[1]), CL_INVALID_MEM_OBJECT);
    let (mut place, q) = ([0u8; 8], cl.queue);
    let to = memory_mut(&mut place);
    let code = transfer::clEnqueueReadBuffer(q, mem, 1, 0, 8, to, 0, In::NULL, Out::NULL);
    assert_eq!(code, CL_INVALID_MEM_OBJECT);
    let region = [[0usize, 4]];
    let region = list(&region);
    let part = made(|code| buffer::clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, region, code));
    assert_eq!(part, Err(CL_INVALID_MEM_OBJECT));
    release_mem(buffer);
    release_mem(mem);
}

#[test]
fn formats_are_listed_and_can_be_made() {
    let cl = Cl::new();
    let formats = |context, flags, kind, count, into: Out<ClImageFormat>, ret: Out<cl_uint>| {
        image::clGetSupportedImageFormats(context, flags, kind, count, into, ret)
    };
    let d2 = CL_MEM_OBJECT_IMAGE2D;
    assert_eq!(formats(NULL, 0, d2, 0, Out::NULL, Out::NULL), CL_INVALID_CONTEXT);
    assert_eq!(formats(cl.context, 1 << 40, d2, 0, Out::NULL, Out::NULL), CL_INVALID_VALUE);
    assert_eq!(formats(cl.context, 0, CL_MEM_OBJECT_BUFFER, 0, Out::NULL, Out::NULL), CL_INVALID_VALUE);
    let mut place = [ClImageFormat::default(); 2];
    assert_eq!(formats(cl.context, 0, d2, 0, place.as_mut_slice().into(), Out::NULL), CL_INVALID_VALUE);
    for flags in [CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_KERNEL_READ_AND_WRITE] {
        for kind in KINDS.into_iter().chain([CL_MEM_OBJECT_IMAGE1D_BUFFER]) {
            let mut count = 0;
            assert_eq!(formats(cl.context, flags, kind, 0, Out::NULL, (&mut count).into()), CL_SUCCESS);
            let mut all = vec![ClImageFormat::default(); count as usize + 1];
            let into = all.as_mut_slice().into();
            assert_eq!(formats(cl.context, flags, kind, count + 1, into, Out::NULL), CL_SUCCESS);
            assert_eq!(all.pop(), Some(ClImageFormat::default()), "more than were counted");
            // Formats that every device with images must have.
            for data_type in [CL_UNORM_INT8, CL_UNSIGNED_INT32, CL_HALF_FLOAT, CL_FLOAT] {
                assert!(all.contains(&ClImageFormat { order: CL_RGBA, data_type }), "{kind:#x}");
            }
            // A list that is too short has the first of them.
            assert_eq!(
                formats(cl.context, flags, kind, 2, place.as_mut_slice().into(), Out::NULL),
                CL_SUCCESS
            );
            assert_eq!(place, all[..2]);
            if flags == CL_MEM_KERNEL_READ_AND_WRITE || kind == CL_MEM_OBJECT_IMAGE1D_BUFFER {
                continue;
            }
            for format in all {
                let mem = create(&cl, flags, format, desc(kind, [3, 2, 2]), Memory::NULL);
                release_mem(mem.unwrap_or_else(|code| panic!("{format:?}: {code}")));
            }
        }
    }
}

#[test]
fn pixels_are_written_and_read_with_pitches() {
    let cl = Cl::new();
    for kind in KINDS {
        let size = extent(kind, [6, 5, 4]);
        let mem = new_image(&cl, RGBA8, desc(kind, [6, 5, 4]));
        let all = count_up(size.iter().product::<usize>() * 4);
        assert_eq!(write(&cl, mem, [0; 3], size, &all), CL_SUCCESS);
        assert_eq!(read(&cl, mem, [0; 3], size, all.len()), all, "{kind:#x}");

        // A part of it, with gaps between the rows and planes of the program's memory.
        let region = size.map(|n| n.min(2));
        let at = size.map(|n| usize::from(n > 2));
        let is_array_of_rows = kind == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        let (row, slice) = match kind {
            CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE2D => (12, 0),
            _ if is_array_of_rows => (12, 20),
            _ => (12, 30),
        };
        let [y_pitch, z_pitch] = if is_array_of_rows { [slice, 0] } else { [row, slice] };
        let mut to = vec![0xee; 64];
        let (q, into, origin, part) = (cl.queue, memory_mut(&mut to), [at], [region]);
        let code = image_transfer::clEnqueueReadImage(
            q,
            mem,
            1,
            list(&origin),
            list(&part),
            row,
            slice,
            into,
            0,
            In::NULL,
            Out::NULL,
        );
        assert_eq!(code, CL_SUCCESS, "{kind:#x}");
        let mut expected = vec![0xee; 64];
        for (z, y, x) in (0..region[2])
            .flat_map(|z| (0..region[1]).flat_map(move |y| (0..region[0] * 4).map(move |x| (z, y, x))))
        {
            let pixel_row = (at[2] + z) * size[1] + at[1] + y;
            expected[z * z_pitch + y * y_pitch + x] = all[(pixel_row * size[0] + at[0]) * 4 + x];
        }
        assert_eq!(to, expected, "{kind:#x}");
        release_mem(mem);
    }
}

#[test]
fn wrong_regions_and_pitches_are_refused() {
    let cl = Cl::new();
    let bytes = [0u8; 4096];
    for kind in KINDS {
        let size = extent(kind, [6, 5, 4]);
        let mem = new_image(&cl, RGBA8, desc(kind, [6, 5, 4]));
        let transfer = |at: In<[usize; 3]>, region: In<[usize; 3]>, row, slice, host: Memory| {
            let q = cl.queue;
            let put = image_transfer::clEnqueueWriteImage;
            let code = put(q, mem, 1, at, region, row, slice, host, 0, In::NULL, Out::NULL);
            let get = image_transfer::clEnqueueReadImage;
            assert_eq!(get(q, mem, 1, at, region, row, slice, host, 0, In::NULL, Out::NULL), code);
            code
        };
        let host = memory(&bytes);
        let (zero, whole) = ([[0usize; 3]], [size]);
        let refused = CL_INVALID_VALUE;
        assert_eq!(transfer(In::NULL, list(&whole), 0, 0, host), refused);
        assert_eq!(transfer(list(&zero), In::NULL, 0, 0, host), refused);
        assert_eq!(transfer(list(&zero), list(&whole), 0, 0, Memory::NULL), refused);
        assert_eq!(transfer(list(&zero), list(&whole), 23, 0, host), refused, "{kind:#x}");
        for direction in 0..3 {
            let changed = |by: usize| {
                let mut changed = size;
                changed[direction] = by;
                changed
            };
            for wrong in [changed(0), changed(size[direction] + 1), changed(usize::MAX)] {
                assert_eq!(transfer(list(&zero), list(&[wrong]), 0, 0, host), refused, "{wrong:?}");
            }
            let mut at = [0; 3];
            at[direction] = size[direction];
            assert_eq!(transfer(list(&[at]), list(&[[1; 3]]), 0, 0, host), refused, "{at:?}");
        }
        let flat = matches!(kind, CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE2D);
        let slice = if flat { 24 * 5 } else { 23 };
        assert_eq!(transfer(list(&zero), list(&whole), 24, slice, host), refused, "{kind:#x}");
        assert_eq!(transfer(list(&zero), list(&whole), usize::MAX - 3, 0, host) != 0, size[1] * size[2] > 1);
        release_mem(mem);
    }
    // An image of another context, and one that the host may not access.
    let (other, hidden) = (Cl::new(), CL_MEM_HOST_NO_ACCESS);
    let foreign = new_image(&other, RGBA8, desc_2d(4, 4));
    assert_eq!(write(&cl, foreign, [0; 3], [1; 3], &bytes), CL_INVALID_CONTEXT);
    let hidden = create(&cl, hidden, RGBA8, desc_2d(4, 4), Memory::NULL).unwrap();
    assert_eq!(write(&cl, hidden, [0; 3], [1; 3], &bytes), CL_INVALID_OPERATION);
    release_mem(foreign);
    release_mem(hidden);
}

fn copy_image(cl: &Cl, [from, to]: [Handle; 2], [at, to_at, size]: [[usize; 3]; 3]) -> cl_int {
    let (at, to_at, size) = ([at], [to_at], [size]);
    let (at, to_at, size) = (list(&at), list(&to_at), list(&size));
    image_transfer::clEnqueueCopyImage(cl.queue, from, to, at, to_at, size, 0, In::NULL, Out::NULL)
}

#[test]
fn images_are_copied() {
    let cl = Cl::new();
    let flat = new_image(&cl, R8, desc_2d(8, 8));
    let deep = new_image(&cl, R8, desc(CL_MEM_OBJECT_IMAGE3D, [8, 8, 3]));
    let colours = new_image(&cl, RGBA8, desc_2d(8, 8));
    let all = count_up(64);
    assert_eq!(write(&cl, flat, [0; 3], [8, 8, 1], &all), CL_SUCCESS);
    // A rectangle becomes a part of a slice.
    assert_eq!(copy_image(&cl, [flat, deep], [[2, 1, 0], [5, 6, 2], [3, 2, 1]]), CL_SUCCESS);
    let expected: Vec<u8> = [10, 11, 12, 18, 19, 20].iter().map(|i| all[*i]).collect();
    assert_eq!(read(&cl, deep, [5, 6, 2], [3, 2, 1], 6), expected);
    assert_eq!(read(&cl, deep, [0, 0, 1], [8, 8, 1], 64), [0; 64]);
    // Within one image, beside each other.
    assert_eq!(copy_image(&cl, [flat, flat], [[0; 3], [4, 0, 0], [4, 8, 1]]), CL_SUCCESS);
    assert_eq!(read(&cl, flat, [4, 7, 0], [4, 1, 1], 4), all[56..60]);
    assert_eq!(copy_image(&cl, [flat, flat], [[0; 3], [3, 7, 0], [4, 8, 1]]), CL_INVALID_VALUE);
    assert_eq!(copy_image(&cl, [flat, flat], [[0; 3], [3, 3, 0], [4, 4, 1]]), CL_MEM_COPY_OVERLAP);
    assert_eq!(copy_image(&cl, [flat, colours], [[0; 3], [0; 3], [1; 3]]), CL_IMAGE_FORMAT_MISMATCH);
    let buffer = cl.buffer_of(&all);
    assert_eq!(copy_image(&cl, [buffer, flat], [[0; 3], [0; 3], [1; 3]]), CL_INVALID_MEM_OBJECT);

    let (q, n, l, e) = (cl.queue, 0, In::NULL, Out::NULL);
    let to_buffer = |from, to, at: [usize; 3], size: [usize; 3], offset| {
        let (at, size) = ([at], [size]);
        let (at, size) = (list(&at), list(&size));
        image_transfer::clEnqueueCopyImageToBuffer(q, from, to, at, size, offset, n, l, e)
    };
    let from_buffer = |from, to, offset, at: [usize; 3], size: [usize; 3]| {
        let (at, size) = ([at], [size]);
        let (at, size) = (list(&at), list(&size));
        image_transfer::clEnqueueCopyBufferToImage(q, from, to, offset, at, size, n, l, e)
    };
    // Without gaps in the buffer.
    assert_eq!(to_buffer(deep, buffer, [5, 6, 2], [3, 2, 1], 1), CL_SUCCESS);
    let now = cl.read::<u8>(buffer, 64);
    assert_eq!((now[0], &now[1..7], &now[7..]), (all[0], expected.as_slice(), &all[7..]));
    assert_eq!(from_buffer(buffer, colours, 16, [1, 2, 0], [2, 3, 1]), CL_SUCCESS);
    assert_eq!(read(&cl, colours, [1, 2, 0], [2, 3, 1], 24), now[16..40]);
    for (wrong, code) in [
        (to_buffer(deep, buffer, [0; 3], [8, 8, 1], 1), CL_INVALID_VALUE),
        (to_buffer(deep, buffer, [0; 3], [1; 3], usize::MAX), CL_INVALID_VALUE),
        (to_buffer(deep, flat, [0; 3], [1; 3], 0), CL_INVALID_MEM_OBJECT),
        (to_buffer(buffer, buffer, [0; 3], [1; 3], 0), CL_INVALID_MEM_OBJECT),
        (from_buffer(buffer, deep, 0, [0, 0, 3], [1; 3]), CL_INVALID_VALUE),
        (from_buffer(flat, deep, 0, [0; 3], [1; 3]), CL_INVALID_MEM_OBJECT),
        (from_buffer(buffer, buffer, 0, [0; 3], [1; 3]), CL_INVALID_MEM_OBJECT),
    ] {
        assert_eq!(wrong, code);
    }
    for mem in [flat, deep, colours, buffer] {
        release_mem(mem);
    }
}

fn fill<T>(cl: &Cl, mem: Handle, colour: &[T], at: [usize; 3], size: [usize; 3]) -> cl_int {
    let (at, size) = ([at], [size]);
    let (at, size) = (list(&at), list(&size));
    image_transfer::clEnqueueFillImage(cl.queue, mem, memory(colour), at, size, 0, In::NULL, Out::NULL)
}

#[test]
fn fills_convert_the_colour() {
    let cl = Cl::new();
    let colour = [1.0f32, 0.5, -3.0, 0.2];
    for (order, data_type, expected) in [
        (CL_RGBA, CL_UNORM_INT8, vec![255u8, 128, 0, 51]),
        (CL_BGRA, CL_UNORM_INT8, vec![0, 128, 255, 51]),
        (CL_A, CL_UNORM_INT8, vec![51]),
        (CL_sRGBA, CL_UNORM_INT8, vec![255, 188, 0, 51]),
        (CL_RGB, CL_UNORM_SHORT_565, (31u16 << 11 | 32 << 5).to_ne_bytes().to_vec()),
        (CL_RG, CL_FLOAT, [1.0f32, 0.5].map(f32::to_ne_bytes).concat()),
        (CL_R, CL_HALF_FLOAT, 0x3c00u16.to_ne_bytes().to_vec()),
    ] {
        let mem = new_image(&cl, ClImageFormat { order, data_type }, desc_2d(5, 4));
        assert_eq!(fill(&cl, mem, &colour, [1, 1, 0], [3, 2, 1]), CL_SUCCESS);
        let bytes = expected.len();
        let all = read(&cl, mem, [0; 3], [5, 4, 1], bytes * 20);
        for (i, pixel) in all.chunks_exact(bytes).enumerate() {
            let is_inside = (1..4).contains(&(i % 5)) && (1..3).contains(&(i / 5));
            assert_eq!(pixel == expected, is_inside, "{order:#x} {data_type:#x} {i} {pixel:?}");
            assert!(is_inside || pixel.iter().all(|byte| *byte == 0));
        }
        assert_eq!(fill(&cl, mem, &colour, [1, 1, 0], [5, 2, 1]), CL_INVALID_VALUE);
        release_mem(mem);
    }
    // Integers are given as such, and saturate. A depth is one number.
    let mem = new_image(&cl, ClImageFormat { order: CL_RG, data_type: CL_SIGNED_INT8 }, desc_2d(1, 1));
    assert_eq!(fill(&cl, mem, &[-7i32, 1000, 0, 0], [0; 3], [1; 3]), CL_SUCCESS);
    assert_eq!(read(&cl, mem, [0; 3], [1; 3], 2), [-7i8 as u8, 127]);
    let depths = new_image(&cl, ClImageFormat { order: CL_DEPTH, data_type: CL_FLOAT }, desc_2d(1, 1));
    assert_eq!(fill(&cl, depths, &[0.75f32], [0; 3], [1; 3]), CL_SUCCESS);
    assert_eq!(read(&cl, depths, [0; 3], [1; 3], 4), 0.75f32.to_ne_bytes());
    let (zero, q) = ([[0; 3]], cl.queue);
    let at = list(&zero);
    let nothing = Memory::NULL;
    let code =
        image_transfer::clEnqueueFillImage(q, mem, nothing, at, list(&[[1; 3]]), 0, In::NULL, Out::NULL);
    assert_eq!(code, CL_INVALID_VALUE);
    release_mem(mem);
    release_mem(depths);
}

struct Mapped {
    start: *mut c_void,
    row: usize,
    slice: usize,
}

fn map_image(cl: &Cl, mem: Handle, flags: u64, at: [usize; 3], size: [usize; 3]) -> Result<Mapped, cl_int> {
    let (mut row, mut slice) = (99, 99);
    let places = ((&mut row).into(), (&mut slice).into());
    let (at, size) = ([at], [size]);
    let start = made(|code| {
        let (at, size) = (list(&at), list(&size));
        let (row, slice) = places;
        image_transfer::clEnqueueMapImage(
            cl.queue,
            mem,
            1,
            flags,
            at,
            size,
            row,
            slice,
            0,
            In::NULL,
            Out::NULL,
            code,
        )
    })?;
    Ok(Mapped { start, row, slice })
}

#[test]
fn images_are_mapped() {
    let cl = Cl::new();
    for kind in KINDS {
        let size = extent(kind, [6, 5, 4]);
        let mem = new_image(&cl, RGBA8, desc(kind, [6, 5, 4]));
        let at = size.map(|n| n - 1);
        let mapped = map_image(&cl, mem, CL_MAP_WRITE, at, [1; 3]).unwrap();
        let slice = match kind {
            CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE2D => 0,
            CL_MEM_OBJECT_IMAGE1D_ARRAY => 24,
            _ => 120,
        };
        assert_eq!((mapped.row, mapped.slice), (24, slice), "{kind:#x}");
        assert_eq!(as_u32(mem_info(mem, CL_MEM_MAP_COUNT).unwrap()), 1);
        // SAFETY: one pixel is mapped.
        unsafe { mapped.start.cast::<[u8; 4]>().write_unaligned([1, 2, 3, 4]) };
        let (q, start) = (cl.queue, pointer(mapped.start));
        assert_eq!(map::clEnqueueUnmapMemObject(q, mem, start, 0, In::NULL, Out::NULL), CL_SUCCESS);
        cl.finish();
        assert_eq!(read(&cl, mem, at, [1; 3], 4), [1, 2, 3, 4]);
        assert_eq!(as_u32(mem_info(mem, CL_MEM_MAP_COUNT).unwrap()), 0);

        let refused = |flags, at, size| map_image(&cl, mem, flags, at, size).err();
        assert_eq!(refused(CL_MAP_READ, size, [1; 3]), Some(CL_INVALID_VALUE));
        assert_eq!(refused(1 << 9, at, [1; 3]), Some(CL_INVALID_VALUE));
        let no_pitch = |row: bool| {
            let (mut pitch, at, one) = (0, [at], [[1; 3]]);
            let place: Out<usize> = (&mut pitch).into();
            let (row, slice) = if row { (place, Out::NULL) } else { (Out::NULL, place) };
            made(|code| {
                let (at, one) = (list(&at), list(&one));
                image_transfer::clEnqueueMapImage(
                    q,
                    mem,
                    1,
                    CL_MAP_READ,
                    at,
                    one,
                    row,
                    slice,
                    0,
                    In::NULL,
                    Out::NULL,
                    code,
                )
            })
        };
        assert_eq!(no_pitch(false), Err(CL_INVALID_VALUE));
        assert_eq!(no_pitch(true).err(), (slice != 0).then_some(CL_INVALID_VALUE));
        release_mem(mem);
    }
    let flags = CL_MEM_HOST_READ_ONLY;
    let mem = create(&cl, flags, RGBA8, desc_2d(4, 4), Memory::NULL).unwrap();
    assert_eq!(map_image(&cl, mem, CL_MAP_WRITE, [0; 3], [1; 3]).err(), Some(CL_INVALID_OPERATION));
    release_mem(mem);
}

#[test]
fn images_over_memory_of_the_program() {
    let cl = Cl::new();
    let mut bytes = count_up(12 * 3);
    let shape = ClImageDesc { row_pitch: 12, ..desc_2d(2, 3) };
    let mem = create(&cl, CL_MEM_USE_HOST_PTR, RGBA8, shape, memory_mut(&mut bytes)).unwrap();
    assert_eq!(as_u64(mem_info(mem, CL_MEM_HOST_PTR).unwrap()), bytes.as_ptr() as u64);
    assert_eq!(read(&cl, mem, [1, 2, 0], [1, 1, 1], 4), count_up(36)[28..32]);
    let mapped = map_image(&cl, mem, CL_MAP_READ | CL_MAP_WRITE, [1, 1, 0], [1; 3]).unwrap();
    assert_eq!(mapped.start as usize, bytes.as_ptr() as usize + 16);
    let q = cl.queue;
    let unmap = map::clEnqueueUnmapMemObject(q, mem, pointer(mapped.start), 0, In::NULL, Out::NULL);
    assert_eq!(unmap, CL_SUCCESS);
    // What lies between the rows stays as it is.
    assert_eq!(fill(&cl, mem, &[0.0f32; 4], [0; 3], [2, 3, 1]), CL_SUCCESS);
    cl.finish();
    release_mem(mem);
    let before = count_up(36);
    let expected: Vec<u8> = (0..36).map(|i| if i % 12 < 8 { 0 } else { before[i] }).collect();
    assert_eq!(bytes, expected);
}

#[test]
fn images_from_buffers_and_views() {
    let cl = Cl::new();
    let buffer = cl.buffer_of(&count_up(64));
    let line = ClImageDesc { mem_object: buffer, ..desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, [16, 0, 0]) };
    // A pitch of the only row, as the conformance suite gives it.
    let padded = ClImageDesc { row_pitch: 64, ..line };
    release_mem(create(&cl, 0, RGBA8, padded, Memory::NULL).unwrap());
    let too_long = ClImageDesc { row_pitch: 68, ..line };
    assert_eq!(create(&cl, 0, RGBA8, too_long, Memory::NULL), Err(CL_INVALID_IMAGE_DESCRIPTOR));
    let line = create(&cl, CL_MEM_READ_ONLY, RGBA8, line, Memory::NULL).unwrap();
    assert_eq!(as_handle(image_info(line, CL_IMAGE_BUFFER).unwrap()), buffer);
    assert_eq!(as_handle(mem_info(line, CL_MEM_ASSOCIATED_MEMOBJECT).unwrap()), buffer);
    let flags = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    assert_eq!(as_u64(mem_info(line, CL_MEM_FLAGS).unwrap()), flags);
    assert_eq!(write(&cl, line, [3, 0, 0], [1; 3], &[9; 4]), CL_SUCCESS);
    assert_eq!(cl.read::<u8>(buffer, 64)[12..16], [9; 4]);
    let (at, one) = ([[0usize; 3]], [[1usize; 3]]);
    let code = image_transfer::clEnqueueCopyImageToBuffer(
        cl.queue,
        line,
        buffer,
        list(&at),
        list(&one),
        0,
        0,
        In::NULL,
        Out::NULL,
    );
    assert_eq!(code, CL_INVALID_MEM_OBJECT);

    let flat = ClImageDesc { mem_object: buffer, row_pitch: 20, ..desc_2d(4, 3) };
    let picture = create(&cl, 0, RGBA8, flat, Memory::NULL).unwrap();
    assert_eq!(read(&cl, picture, [1, 2, 0], [1; 3], 4), count_up(64)[44..48]);
    let from = |format, flags, change: &dyn Fn(ClImageDesc) -> ClImageDesc| {
        let view = change(ClImageDesc { mem_object: picture, row_pitch: 0, ..flat });
        create(&cl, flags, format, view, Memory::NULL)
    };
    let srgb = ClImageFormat { order: CL_sRGBA, ..RGBA8 };
    let view = from(srgb, 0, &|desc| desc).unwrap();
    assert_eq!(as_u64(image_info(view, CL_IMAGE_ROW_PITCH).unwrap()), 20);
    assert_eq!(as_handle(mem_info(view, CL_MEM_ASSOCIATED_MEMOBJECT).unwrap()), picture);
    assert_eq!(as_handle(image_info(view, CL_IMAGE_BUFFER).unwrap()), NULL);
    assert_eq!(fill(&cl, view, &[0.5f32; 4], [0; 3], [1; 3]), CL_SUCCESS);
    assert_eq!(read(&cl, picture, [0; 3], [1; 3], 4), [188, 188, 188, 128]);
    let bgra = ClImageFormat { order: CL_BGRA, ..RGBA8 };
    let ints = ClImageFormat { order: CL_sRGBA, data_type: CL_UNSIGNED_INT8 };
    for (made, code) in [
        (from(bgra, 0, &|desc| desc), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        (from(ints, 0, &|desc| desc), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        (from(srgb, 0, &|desc| ClImageDesc { width: 3, ..desc }), CL_INVALID_IMAGE_DESCRIPTOR),
        (from(srgb, 0, &|desc| ClImageDesc { row_pitch: 24, ..desc }), CL_INVALID_IMAGE_DESCRIPTOR),
        (from(srgb, CL_MEM_COPY_HOST_PTR, &|desc| desc), CL_INVALID_VALUE),
    ] {
        assert_eq!(made, Err(code));
    }
    let read_only = ClImageDesc { mem_object: line, ..desc_2d(4, 1) };
    assert_eq!(create(&cl, CL_MEM_WRITE_ONLY, RGBA8, read_only, Memory::NULL), Err(CL_INVALID_VALUE));
    // The pixels live as long as an image of them does.
    release_mem(buffer);
    release_mem(picture);
    assert_eq!(read(&cl, view, [0; 3], [1; 3], 4), [188, 188, 188, 128]);
    release_mem(view);
    release_mem(line);
}

#[test]
fn commands_hold_images_and_destructors_are_told() {
    let cl = Cl::new();
    let mem = new_image(&cl, RGBA8, desc_2d(4, 4));
    let data = pointer(5 as *mut c_void);
    assert_eq!(buffer::clSetMemObjectDestructorCallback(mem, Some(gone), data), CL_SUCCESS);
    let mems = [mem];
    let migrate = transfer::clEnqueueMigrateMemObjects;
    assert_eq!(migrate(cl.queue, 1, list(&mems), 0, 0, In::NULL, Out::NULL), CL_SUCCESS);
    let (gate, mut event) = (user_event(&cl), NULL);
    let (colour, at, size) = ([0.0f32; 4], [[0; 3]], [[4, 4, 1]]);
    let code = image_transfer::clEnqueueFillImage(
        cl.queue,
        mem,
        memory(&colour),
        list(&at),
        list(&size),
        1,
        list(&[gate]),
        (&mut event).into(),
    );
    assert_eq!(code, CL_SUCCESS);
    let kind =
        query(|size, value, ret| event::clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, size, value, ret));
    assert_eq!(as_u32(kind.unwrap()), CL_COMMAND_FILL_IMAGE);
    release_mem(mem);
    assert_eq!(GONE.load(SeqCst), 0);
    assert_eq!(event::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    cl.finish();
    assert_eq!(GONE.load(SeqCst), 5);
    event::clReleaseEvent(gate);
    event::clReleaseEvent(event);
}

#[test]
fn image_commands_are_recorded() {
    let cl = Cl::new();
    let (a, b) = (new_image(&cl, R8, desc_2d(4, 4)), new_image(&cl, R8, desc_2d(4, 4)));
    let buffer = cl.buffer_of(&[0u8; 16]);
    let commands = made(|code| cb::clCreateCommandBufferKHR(1, list(&[cl.queue]), In::NULL, code)).unwrap();
    let (zero, half, whole) = ([[0; 3]], [[4, 2, 1]], [[4, 4, 1]]);
    let at = [[0, 2, 0]];
    let (none, n, p, s, m) = (In::NULL, 0, In::NULL, Out::NULL, Out::NULL);
    let colour = [7u32; 4];
    let fill = |mem, region| {
        let (colour, zero) = (memory(&colour), list(&zero));
        cb::clCommandFillImageKHR(commands, NULL, none, mem, colour, zero, region, n, p, s, m)
    };
    assert_eq!(fill(buffer, list(&half)), CL_INVALID_MEM_OBJECT);
    assert_eq!(fill(a, list(&[[5, 1, 1]])), CL_INVALID_VALUE);
    assert_eq!(fill(a, list(&half)), CL_SUCCESS);
    let copy = |from, to| {
        let (zero, at, half) = (list(&zero), list(&at), list(&half));
        cb::clCommandCopyImageKHR(commands, NULL, none, from, to, zero, at, half, n, p, s, m)
    };
    assert_eq!((copy(a, b), copy(a, buffer)), (CL_SUCCESS, CL_INVALID_MEM_OBJECT));
    let (zero, whole) = (list(&zero), list(&whole));
    let to_buffer = |from, to| {
        cb::clCommandCopyImageToBufferKHR(commands, NULL, none, from, to, zero, whole, 0, n, p, s, m)
    };
    assert_eq!((to_buffer(b, buffer), to_buffer(buffer, b)), (CL_SUCCESS, CL_INVALID_MEM_OBJECT));
    let to_image = |from, to| {
        cb::clCommandCopyBufferToImageKHR(commands, NULL, none, from, to, 0, zero, whole, n, p, s, m)
    };
    assert_eq!((to_image(buffer, a), to_image(a, b)), (CL_SUCCESS, CL_INVALID_MEM_OBJECT));
    assert_eq!(cb::clFinalizeCommandBufferKHR(commands), CL_SUCCESS);
    for _ in 0..2 {
        assert_eq!(write(&cl, a, [0; 3], [4, 4, 1], &[1; 16]), CL_SUCCESS);
        assert_eq!(write(&cl, b, [0; 3], [4, 4, 1], &[2; 16]), CL_SUCCESS);
        let code = cb::clEnqueueCommandBufferKHR(0, In::NULL, commands, 0, In::NULL, Out::NULL);
        assert_eq!(code, CL_SUCCESS);
        let expected = [[2u8; 8], [7; 8]].concat();
        assert_eq!(read(&cl, a, [0; 3], [4, 4, 1], 16), expected);
        assert_eq!(cl.read::<u8>(buffer, 16), expected);
    }
    assert_eq!(cb::clReleaseCommandBufferKHR(commands), CL_SUCCESS);
    for mem in [a, b, buffer] {
        release_mem(mem);
    }
}

#[test]
fn samplers_tell_what_they_are() {
    let cl = Cl::new();
    let info =
        |sampler, name| query(|size, value, ret| sampler::clGetSamplerInfo(sampler, name, size, value, ret));
    let make = |context, normalized, addressing, filter| {
        made(|code| sampler::clCreateSampler(context, normalized, addressing, filter, code))
    };
    assert_eq!(make(NULL, 0, CL_ADDRESS_NONE, CL_FILTER_LINEAR), Err(CL_INVALID_CONTEXT));
    assert_eq!(make(cl.context, 2, CL_ADDRESS_NONE, CL_FILTER_LINEAR), Err(CL_INVALID_VALUE));
    assert_eq!(make(cl.context, 0, CL_FILTER_LINEAR, CL_FILTER_LINEAR), Err(CL_INVALID_VALUE));
    assert_eq!(make(cl.context, 0, CL_ADDRESS_NONE, CL_ADDRESS_NONE), Err(CL_INVALID_VALUE));
    let names = [CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_FILTER_MODE];
    for addressing in CL_ADDRESS_NONE..=CL_ADDRESS_MIRRORED_REPEAT {
        for filter in [CL_FILTER_NEAREST, CL_FILTER_LINEAR] {
            for normalized in [0, 1] {
                let sampler = make(cl.context, normalized, addressing, filter).unwrap();
                let told = names.map(|name| as_u32(info(sampler, name).unwrap()));
                assert_eq!(told, [normalized, addressing, filter]);
                assert_eq!(info(sampler, CL_SAMPLER_PROPERTIES), Ok(vec![]));
                assert_eq!(sampler::clReleaseSampler(sampler), CL_SUCCESS);
            }
        }
    }
    let with = |properties: In<u64>| {
        made(|code| sampler::clCreateSamplerWithProperties(cl.context, properties, code))
    };
    let name = |name: cl_uint| u64::from(name);
    let linear = [name(CL_SAMPLER_FILTER_MODE), name(CL_FILTER_LINEAR), 0];
    let sampler = with(list(&linear)).unwrap();
    let told = names.map(|name| as_u32(info(sampler, name).unwrap()));
    assert_eq!(told, [1, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR]);
    assert_eq!(as_sizes(info(sampler, CL_SAMPLER_PROPERTIES).unwrap()), linear.map(|word| word as usize));
    assert_eq!(as_handle(info(sampler, CL_SAMPLER_CONTEXT).unwrap()), cl.context);
    assert_eq!(sampler::clRetainSampler(sampler), CL_SUCCESS);
    assert_eq!(as_u32(info(sampler, CL_SAMPLER_REFERENCE_COUNT).unwrap()), 2);
    assert_eq!(info(sampler, CL_IMAGE_WIDTH), Err(CL_INVALID_VALUE));
    assert_eq!(sampler::clReleaseSampler(sampler), CL_SUCCESS);
    assert_eq!(sampler::clReleaseSampler(sampler), CL_SUCCESS);
    assert_eq!(sampler::clReleaseSampler(sampler), CL_INVALID_SAMPLER);
    assert_eq!(sampler::clRetainSampler(cl.queue), CL_INVALID_SAMPLER);
    assert_eq!(info(NULL, CL_SAMPLER_CONTEXT), Err(CL_INVALID_SAMPLER));
    for wrong in [
        [name(CL_SAMPLER_FILTER_MODE), name(CL_FILTER_LINEAR), name(CL_SAMPLER_FILTER_MODE), 0x1140, 0],
        [name(CL_IMAGE_WIDTH), 1, 0, 0, 0],
        [name(CL_SAMPLER_FILTER_MODE), 1 << 40 | name(CL_FILTER_LINEAR), 0, 0, 0],
    ] {
        assert_eq!(with(list(&wrong)), Err(CL_INVALID_VALUE));
    }
}

#[test]
fn the_device_has_images() {
    let cl = Cl::new();
    let info = |name| device_info(cl.device, name).unwrap();
    assert_eq!(as_u32(info(CL_DEVICE_IMAGE_SUPPORT)), 1);
    // At least what the specification asks for.
    for (name, least) in [
        (CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384),
        (CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384),
        (CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048),
        (CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048),
        (CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048),
        (CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536),
        (CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048),
    ] {
        assert!(as_u64(info(name)) >= least, "{name:#x}");
    }
    for (name, least) in [
        (CL_DEVICE_MAX_READ_IMAGE_ARGS, 128),
        (CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64),
        (CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64),
        (CL_DEVICE_MAX_SAMPLERS, 16),
        (CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 1),
        (CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1),
    ] {
        assert!(as_u32(info(name)) >= least, "{name:#x}");
    }
    let extensions = as_text(info(CL_DEVICE_EXTENSIONS));
    for name in ["cl_khr_image2d_from_buffer", "cl_khr_3d_image_writes", "cl_khr_depth_images"] {
        assert!(extensions.split(' ').any(|one| one == name), "{name}");
    }
}
