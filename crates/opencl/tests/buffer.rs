//! Buffers, their parts, and commands on them.

mod common;

use common::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

fn mem_info(mem: Handle, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| buffer::clGetMemObjectInfo(mem, name, size, value, ret))
}

#[test]
fn buffers_check_their_arguments() {
    let cl = Cl::new();
    let bytes = [1u8, 2, 3, 4];
    let create = |context, flags, size, host: Memory| {
        made(|code| buffer::clCreateBuffer(context, flags, size, host, code))
    };
    let none = Memory::NULL;
    assert_eq!(create(NULL, 0, 4, none), Err(CL_INVALID_CONTEXT));
    for flags in [
        CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
        CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
        CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
        CL_MEM_SVM_FINE_GRAIN_BUFFER,
        1 << 40,
    ] {
        assert_eq!(create(cl.context, flags, 4, memory(&bytes)), Err(CL_INVALID_VALUE), "{flags:#x}");
    }
    assert_eq!(create(cl.context, 0, 0, none), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(create(cl.context, 0, usize::MAX, none), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(create(cl.context, 0, 4, memory(&bytes)), Err(CL_INVALID_HOST_PTR));
    assert_eq!(create(cl.context, CL_MEM_USE_HOST_PTR, 4, none), Err(CL_INVALID_HOST_PTR));
    assert_eq!(create(cl.context, CL_MEM_COPY_HOST_PTR, 4, none), Err(CL_INVALID_HOST_PTR));

    let mem = create(cl.context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, 4, memory(&bytes)).unwrap();
    assert_eq!(as_u32(mem_info(mem, CL_MEM_TYPE).unwrap()), CL_MEM_OBJECT_BUFFER);
    assert_eq!(as_u64(mem_info(mem, CL_MEM_FLAGS).unwrap()), CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR);
    assert_eq!(as_u64(mem_info(mem, CL_MEM_SIZE).unwrap()), 4);
    assert_eq!(as_u64(mem_info(mem, CL_MEM_HOST_PTR).unwrap()), bytes.as_ptr() as u64);
    assert_eq!(as_u32(mem_info(mem, CL_MEM_MAP_COUNT).unwrap()), 0);
    assert_eq!(as_u32(mem_info(mem, CL_MEM_REFERENCE_COUNT).unwrap()), 1);
    assert_eq!(as_handle(mem_info(mem, CL_MEM_CONTEXT).unwrap()), cl.context);
    assert_eq!(as_handle(mem_info(mem, CL_MEM_ASSOCIATED_MEMOBJECT).unwrap()), NULL);
    assert_eq!(as_u64(mem_info(mem, CL_MEM_OFFSET).unwrap()), 0);
    assert_eq!(as_u32(mem_info(mem, CL_MEM_USES_SVM_POINTER).unwrap()), 0);
    assert_eq!(mem_info(mem, CL_MEM_PROPERTIES).unwrap(), [0u8; 0]);
    assert_eq!(mem_info(mem, 0x999), Err(CL_INVALID_VALUE));
    assert_eq!(mem_info(cl.queue, CL_MEM_SIZE), Err(CL_INVALID_MEM_OBJECT));
    assert_eq!(buffer::clRetainMemObject(mem), CL_SUCCESS);
    release_mem(mem);
    release_mem(mem);
    assert_eq!(buffer::clReleaseMemObject(mem), CL_INVALID_MEM_OBJECT);
    assert_eq!(buffer::clRetainMemObject(mem), CL_INVALID_MEM_OBJECT);

    let with = |properties: In<u64>| {
        made(|code| buffer::clCreateBufferWithProperties(cl.context, properties, 0, 4, none, code))
    };
    for properties in [In::NULL, list(&[0])] {
        release_mem(with(properties).unwrap());
    }
    assert_eq!(with(list(&[5, 1, 0])), Err(CL_INVALID_PROPERTY));
}

#[test]
fn a_buffer_goes_after_its_commands() {
    let cl = Cl::new();
    let mem = cl.buffer(0, 64);
    let tell =
        |mem, function| buffer::clSetMemObjectDestructorCallback(mem, function, pointer(5 as *mut c_void));
    assert_eq!(tell(mem, Some(gone as _)), CL_SUCCESS);
    assert_eq!(tell(mem, None), CL_INVALID_VALUE);
    assert_eq!(tell(NULL, Some(gone as _)), CL_INVALID_MEM_OBJECT);
    let gate = user_event(&cl);
    let code =
        transfer::clEnqueueFillBuffer(cl.queue, mem, memory(&[1u8]), 1, 0, 64, 1, list(&[gate]), Out::NULL);
    assert_eq!(code, CL_SUCCESS);
    release_mem(mem);
    assert_eq!(GONE.load(SeqCst), 0);
    assert_eq!(event::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    cl.finish();
    assert_eq!(GONE.load(SeqCst), 5);
    event::clReleaseEvent(gate);
}

#[test]
fn parts_of_buffers() {
    let cl = Cl::new();
    let whole = cl.buffer_of(&(0..=255u8).collect::<Vec<_>>());
    let part_of = |mem, flags, kind, region: In<[usize; 2]>| {
        made(|code| buffer::clCreateSubBuffer(mem, flags, kind, region, code))
    };
    let region = CL_BUFFER_CREATE_TYPE_REGION;
    let part = part_of(whole, CL_MEM_READ_ONLY, region, list(&[[128, 100]])).unwrap();
    assert_eq!(cl.read::<u8>(part, 100), (128..228).collect::<Vec<u8>>());
    assert_eq!(as_handle(mem_info(part, CL_MEM_ASSOCIATED_MEMOBJECT).unwrap()), whole);
    assert_eq!(as_u64(mem_info(part, CL_MEM_OFFSET).unwrap()), 128);
    assert_eq!(as_u64(mem_info(part, CL_MEM_FLAGS).unwrap()), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR);
    assert_eq!(part_of(part, 0, region, list(&[[0, 4]])), Err(CL_INVALID_MEM_OBJECT));
    assert_eq!(part_of(NULL, 0, region, list(&[[0, 4]])), Err(CL_INVALID_MEM_OBJECT));
    assert_eq!(part_of(whole, CL_MEM_COPY_HOST_PTR, region, list(&[[0, 4]])), Err(CL_INVALID_VALUE));
    assert_eq!(part_of(whole, 0, region + 1, list(&[[0, 4]])), Err(CL_INVALID_VALUE));
    assert_eq!(part_of(whole, 0, region, In::NULL), Err(CL_INVALID_VALUE));
    assert_eq!(part_of(whole, 0, region, list(&[[128, 129]])), Err(CL_INVALID_VALUE));
    assert_eq!(part_of(whole, 0, region, list(&[[usize::MAX, 2]])), Err(CL_INVALID_VALUE));
    assert_eq!(part_of(whole, 0, region, list(&[[128, 0]])), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(part_of(whole, 0, region, list(&[[4, 4]])), Err(CL_MISALIGNED_SUB_BUFFER_OFFSET));
    for (theirs, ours) in [
        (CL_MEM_READ_ONLY, CL_MEM_READ_WRITE),
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY),
    ] {
        let parent = cl.buffer(theirs, 128);
        assert_eq!(part_of(parent, ours, region, list(&[[0, 4]])), Err(CL_INVALID_VALUE));
        release_mem(parent);
    }
    // The part keeps the whole.
    release_mem(whole);
    assert_eq!(cl.read::<u8>(part, 2), [128, 129]);
    release_mem(part);
}

#[test]
fn reads_writes_copies_and_fills() {
    let cl = Cl::new();
    let (a, b) = (cl.buffer(0, 16), cl.buffer(0, 16));
    let none = (0, In::NULL, Out::NULL);
    let bytes: Vec<u8> = (1..=16).collect();
    let write = |queue, mem, offset, size, from| {
        transfer::clEnqueueWriteBuffer(queue, mem, 1, offset, size, from, none.0, none.1, none.2)
    };
    assert_eq!(write(cl.queue, a, 0, 16, memory(&bytes)), CL_SUCCESS);
    assert_eq!(write(cl.queue, a, 14, 2, memory(&[99u8, 98])), CL_SUCCESS);
    assert_eq!(write(NULL, a, 0, 16, memory(&bytes)), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(write(cl.queue, NULL, 0, 16, memory(&bytes)), CL_INVALID_MEM_OBJECT);
    assert_eq!(write(cl.queue, a, 1, 16, memory(&bytes)), CL_INVALID_VALUE);
    assert_eq!(write(cl.queue, a, 0, 16, Memory::NULL), CL_INVALID_VALUE);
    let other = Cl::new();
    assert_eq!(write(other.queue, a, 0, 16, memory(&bytes)), CL_INVALID_CONTEXT);

    let copy = |from, to, from_at, to_at, size| {
        transfer::clEnqueueCopyBuffer(cl.queue, from, to, from_at, to_at, size, none.0, none.1, none.2)
    };
    assert_eq!(copy(a, b, 4, 0, 12), CL_SUCCESS);
    assert_eq!(cl.read::<u8>(b, 16), [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 99, 98, 0, 0, 0, 0]);
    assert_eq!(copy(a, b, 8, 0, 12), CL_INVALID_VALUE);
    assert_eq!(copy(a, b, 0, 8, 12), CL_INVALID_VALUE);
    assert_eq!(copy(a, NULL, 0, 0, 4), CL_INVALID_MEM_OBJECT);
    assert_eq!(copy(a, a, 0, 4, 8), CL_MEM_COPY_OVERLAP);
    assert_eq!(copy(a, a, 0, 8, 8), CL_SUCCESS);

    let fill = |mem, pattern: Memory, pattern_size, offset, size| {
        transfer::clEnqueueFillBuffer(
            cl.queue,
            mem,
            pattern,
            pattern_size,
            offset,
            size,
            none.0,
            none.1,
            none.2,
        )
    };
    assert_eq!(fill(b, memory(&[7u8, 8]), 2, 2, 6), CL_SUCCESS);
    assert_eq!(cl.read::<u8>(b, 16), [5, 6, 7, 8, 7, 8, 7, 8, 13, 14, 99, 98, 0, 0, 0, 0]);
    assert_eq!(fill(b, Memory::NULL, 2, 2, 6), CL_INVALID_VALUE);
    for (pattern, offset, size) in [(0, 0, 4), (3, 0, 3), (256, 0, 0), (4, 2, 4), (4, 0, 6), (4, 16, 4)] {
        assert_eq!(fill(b, memory(&bytes), pattern, offset, size), CL_INVALID_VALUE);
    }
    for (flags, read, written) in [
        (CL_MEM_HOST_NO_ACCESS, CL_INVALID_OPERATION, CL_INVALID_OPERATION),
        (CL_MEM_HOST_READ_ONLY, CL_SUCCESS, CL_INVALID_OPERATION),
        (CL_MEM_HOST_WRITE_ONLY, CL_INVALID_OPERATION, CL_SUCCESS),
    ] {
        let mem = cl.buffer(flags, 4);
        let mut to = [0u8; 4];
        let code = transfer::clEnqueueReadBuffer(
            cl.queue,
            mem,
            1,
            0,
            4,
            memory_mut(&mut to),
            none.0,
            none.1,
            none.2,
        );
        assert_eq!((code, write(cl.queue, mem, 0, 4, memory(&bytes))), (read, written));
        release_mem(mem);
    }
    let migrate = |count, mems: In<Handle>, flags| {
        transfer::clEnqueueMigrateMemObjects(cl.queue, count, mems, flags, none.0, none.1, none.2)
    };
    assert_eq!(migrate(2, list(&[a, b]), CL_MIGRATE_MEM_OBJECT_HOST), CL_SUCCESS);
    assert_eq!(migrate(0, list(&[a, b]), 0), CL_INVALID_VALUE);
    assert_eq!(migrate(1, In::NULL, 0), CL_INVALID_VALUE);
    assert_eq!(migrate(1, list(&[NULL]), 0), CL_INVALID_MEM_OBJECT);
    assert_eq!(migrate(1, list(&[a]), 1 << 9), CL_INVALID_VALUE);
    release_mem(a);
    release_mem(b);
}

#[test]
fn boxes_of_bytes() {
    let cl = Cl::new();
    // Rows of 4 bytes, planes of 3 rows.
    let mem = cl.buffer_of(&(0..24u8).collect::<Vec<_>>());
    let read = |origin: [usize; 3], region: [usize; 3], row, slice, to: Memory| {
        rect::clEnqueueReadBufferRect(
            cl.queue,
            mem,
            1,
            list(&[origin]),
            list(&[[0; 3]]),
            list(&[region]),
            row,
            slice,
            0,
            0,
            to,
            0,
            In::NULL,
            Out::NULL,
        )
    };
    let mut to = [0u8; 8];
    assert_eq!(read([1, 1, 0], [2, 2, 2], 4, 12, memory_mut(&mut to)), CL_SUCCESS);
    assert_eq!(to, [5, 6, 9, 10, 17, 18, 21, 22]);
    let place = memory_mut(&mut to);
    assert_eq!(read([0; 3], [2, 2, 0], 4, 12, place), CL_INVALID_VALUE);
    assert_eq!(read([0; 3], [2, 2, 2], 1, 12, place), CL_INVALID_VALUE);
    assert_eq!(read([0; 3], [2, 2, 2], 4, 4, place), CL_INVALID_VALUE);
    assert_eq!(read([0; 3], [2, 2, 2], 4, 13, place), CL_INVALID_VALUE);
    assert_eq!(read([3, 2, 1], [2, 1, 1], 4, 12, place), CL_INVALID_VALUE);
    assert_eq!(read([usize::MAX; 3], [2, 1, 1], 4, 12, place), CL_INVALID_VALUE);
    assert_eq!(read([0; 3], [usize::MAX; 3], 0, 0, place), CL_INVALID_VALUE);
    assert_eq!(read([0; 3], [2, 2, 2], 4, 12, Memory::NULL), CL_INVALID_VALUE);

    let from = [[1u8, 2], [3, 4]];
    let code = rect::clEnqueueWriteBufferRect(
        cl.queue,
        mem,
        1,
        list(&[[0, 0, 1]]),
        list(&[[0; 3]]),
        list(&[[2, 2, 1]]),
        4,
        12,
        2,
        0,
        memory(&from),
        0,
        In::NULL,
        Out::NULL,
    );
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(cl.read::<u8>(mem, 24)[12..18], [1, 2, 14, 15, 3, 4]);
    let copy = |from_at: [usize; 3], to_at: [usize; 3], row| {
        rect::clEnqueueCopyBufferRect(
            cl.queue,
            mem,
            mem,
            list(&[from_at]),
            list(&[to_at]),
            list(&[[2, 2, 1]]),
            4,
            12,
            row,
            12,
            0,
            In::NULL,
            Out::NULL,
        )
    };
    assert_eq!(copy([0, 0, 1], [2, 0, 0], 4), CL_SUCCESS);
    assert_eq!(cl.read::<u8>(mem, 8), [0, 1, 1, 2, 4, 5, 3, 4]);
    assert_eq!(copy([0, 0, 0], [1, 1, 0], 4), CL_MEM_COPY_OVERLAP);
    assert_eq!(copy([0, 0, 0], [0, 0, 1], 6), CL_INVALID_VALUE);
    release_mem(mem);
}

/// Large ones are shared by threads, whether rows follow each other without gaps or not.
#[test]
fn large_boxes_of_bytes() {
    let cl = Cl::new();
    const BYTES: usize = 6_000_000;
    let bytes: Vec<u8> = (0..BYTES).map(|i| ((i * 2_654_435_761) >> 13) as u8).collect();
    let from = cl.buffer_of(&bytes);
    for (region, from_pitches, to_pitches) in [
        ([1000, 300, 20], [1000, 300_000], [1000, 300_000]),
        ([1000, 300, 19], [1000, 310_000], [1000, 300_000]),
        ([901, 300, 18], [1000, 310_000], [907, 272_100]),
        ([1_900_000, 3, 1], [2_000_000, 0], [1_900_001, 0]),
        ([70_000, 1, 80], [70_001, 70_001], [70_000, 70_000]),
    ] {
        let to = cl.buffer_of(&vec![7u8; BYTES]);
        let code = rect::clEnqueueCopyBufferRect(
            cl.queue,
            from,
            to,
            list(&[[0; 3]]),
            list(&[[0; 3]]),
            list(&[region]),
            from_pitches[0],
            from_pitches[1],
            to_pitches[0],
            to_pitches[1],
            0,
            In::NULL,
            Out::NULL,
        );
        assert_eq!(code, CL_SUCCESS, "{region:?}");
        let mut expected = vec![7; BYTES];
        for (z, y) in (0..region[2]).flat_map(|z| (0..region[1]).map(move |y| (z, y))) {
            let [a, b] = [from_pitches, to_pitches].map(|p| y * p[0] + z * p[1]);
            expected[b..b + region[0]].copy_from_slice(&bytes[a..a + region[0]]);
        }
        assert!(cl.read::<u8>(to, BYTES) == expected, "{region:?}");
        let pattern = [1u8, 2, 3, 4, 5, 6, 7, 8];
        let code = transfer::clEnqueueFillBuffer(
            cl.queue,
            to,
            memory(&pattern),
            8,
            8,
            BYTES - 16,
            0,
            In::NULL,
            Out::NULL,
        );
        assert_eq!(code, CL_SUCCESS);
        let filled = cl.read::<u8>(to, BYTES);
        assert!(filled[..8] == expected[..8] && filled[BYTES - 8..] == expected[BYTES - 8..]);
        assert!(filled[8..BYTES - 8].chunks(8).all(|part| part == pattern));
        release_mem(to);
    }
    release_mem(from);
}

#[test]
fn mapping() {
    let cl = Cl::new();
    let mut own = [1u32, 2, 3, 4];
    let flags = CL_MEM_USE_HOST_PTR;
    let mem = made(|code| buffer::clCreateBuffer(cl.context, flags, 16, memory_mut(&mut own), code)).unwrap();
    let map_it = |mem, flags, offset, size| {
        made(|code| {
            map::clEnqueueMapBuffer(cl.queue, mem, 1, flags, offset, size, 0, In::NULL, Out::NULL, code)
        })
    };
    let unmap = |mem, at: *mut c_void| {
        map::clEnqueueUnmapMemObject(cl.queue, mem, pointer(at), 0, In::NULL, Out::NULL)
    };
    let at = map_it(mem, CL_MAP_READ | CL_MAP_WRITE, 4, 8).unwrap();
    assert_eq!(at as usize, own.as_ptr() as usize + 4);
    assert_eq!(as_u32(mem_info(mem, CL_MEM_MAP_COUNT).unwrap()), 1);
    let again = map_it(mem, CL_MAP_READ, 4, 4).unwrap();
    assert_eq!((again, unmap(mem, at), unmap(mem, at)), (at, CL_SUCCESS, CL_SUCCESS));
    assert_eq!(unmap(mem, at), CL_INVALID_VALUE);
    assert_eq!(as_u32(mem_info(mem, CL_MEM_MAP_COUNT).unwrap()), 0);
    assert_eq!(map_it(NULL, CL_MAP_READ, 0, 4), Err(CL_INVALID_MEM_OBJECT));
    assert_eq!(map_it(mem, 1 << 7, 0, 4), Err(CL_INVALID_VALUE));
    assert_eq!(map_it(mem, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4), Err(CL_INVALID_VALUE));
    assert_eq!(map_it(mem, CL_MAP_READ, 0, 0), Err(CL_INVALID_VALUE));
    assert_eq!(map_it(mem, CL_MAP_READ, 13, 4), Err(CL_INVALID_VALUE));
    release_mem(mem);
    let mem = cl.buffer(CL_MEM_HOST_READ_ONLY, 16);
    assert_eq!(map_it(mem, CL_MAP_WRITE, 0, 4), Err(CL_INVALID_OPERATION));
    let at = map_it(mem, CL_MAP_READ, 0, 4).unwrap();
    assert_eq!(unmap(mem, at), CL_SUCCESS);
    release_mem(mem);
}

#[test]
fn a_mapped_buffer_outlives_its_release() {
    let cl = Cl::new();
    let gone: &'static AtomicUsize = Box::leak(Box::default());
    let data = pointer(std::ptr::from_ref(gone).cast_mut().cast());
    let size = 1 << 20;
    let mem = cl.buffer(0, size);
    assert_eq!(buffer::clSetMemObjectDestructorCallback(mem, Some(counted), data), CL_SUCCESS);
    let (flags, none) = (CL_MAP_READ | CL_MAP_WRITE, In::NULL);
    let map_it =
        || made(|code| map::clEnqueueMapBuffer(cl.queue, mem, 1, flags, 0, size, 0, none, Out::NULL, code));
    let (first, second) = (map_it().unwrap(), map_it().unwrap());
    assert_eq!(first, second);
    release_mem(mem);
    assert_eq!(gone.load(SeqCst), 0);
    // SAFETY: mapped for so many bytes.
    let bytes = unsafe { std::slice::from_raw_parts_mut(first.cast::<u8>(), size) };
    bytes.fill(7);
    assert_eq!(as_u32(mem_info(mem, CL_MEM_REFERENCE_COUNT).unwrap()), 0);
    let unmap = || map::clEnqueueUnmapMemObject(cl.queue, mem, pointer(first), 0, none, Out::NULL);
    assert_eq!(unmap(), CL_SUCCESS);
    cl.finish();
    assert_eq!(gone.load(SeqCst), 0, "it is still mapped once");
    assert_eq!(bytes[size - 1], 7);
    assert_eq!(unmap(), CL_SUCCESS);
    cl.finish();
    assert_eq!((gone.load(SeqCst), unmap()), (1, CL_INVALID_MEM_OBJECT));
}

unsafe extern "C" fn counted(_: Handle, data: *mut c_void) {
    // SAFETY: the counter that the callback was set with.
    unsafe { &*data.cast_const().cast::<AtomicUsize>() }.fetch_add(1, SeqCst);
}
