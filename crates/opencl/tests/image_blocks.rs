//! Blocks of images that sub-groups read and write at once, in OpenCL C (`cl_intel_subgroups`) and
//! in SPIR-V (`cl_intel_spirv_subgroups`).

mod common;

use common::*;

const WIDTH: usize = 40;
const HEIGHT: usize = 10;

fn new_image(cl: &Cl, format: ClImageFormat, pixels: &[u8]) -> Handle {
    let desc = [ClImageDesc {
        kind: CL_MEM_OBJECT_IMAGE2D,
        width: WIDTH,
        height: HEIGHT,
        depth: 1,
        array_size: 1,
        row_pitch: 0,
        slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: NULL,
    }];
    let (flags, format) = (CL_MEM_COPY_HOST_PTR, [format]);
    made(|code| image::clCreateImage(cl.context, flags, list(&format), list(&desc), memory(pixels), code))
        .unwrap()
}

fn read(cl: &Cl, mem: Handle, bytes: usize) -> Vec<u8> {
    let mut to = vec![0; bytes];
    let (zero, size) = ([[0; 3]], [[WIDTH, HEIGHT, 1]]);
    let (at, size, into) = (list(&zero), list(&size), memory_mut(&mut to));
    let q = cl.queue;
    let code = image_transfer::clEnqueueReadImage(q, mem, 1, at, size, 0, 0, into, 0, In::NULL, Out::NULL);
    assert_eq!(code, CL_SUCCESS);
    to
}

/// What work-item `lane` gets of row `row`: clamped to the image.
fn expected(pixels: &[u8], row_bytes: usize, x: i64, y: i64, size: usize) -> &[u8] {
    let x = x.clamp(0, (row_bytes - size) as i64) as usize;
    let y = y.clamp(0, HEIGHT as i64 - 1) as usize;
    &pixels[y * row_bytes + x..][..size]
}

const RGBA8: ClImageFormat = ClImageFormat { order: CL_RGBA, data_type: CL_UNORM_INT8 };
const R8: ClImageFormat = ClImageFormat { order: CL_R, data_type: CL_UNSIGNED_INT8 };

/// The functions of `cl_intel_subgroups`: reads around all edges, written to another image.
#[test]
fn sub_groups_read_and_write_rows() {
    let cl = Cl::new();
    for (ty, suffix, size, n) in [
        ("uint", "", 4, 1usize),
        ("uint", "_ui", 4, 2),
        ("uint", "", 4, 8),
        ("ushort", "_us", 2, 4),
        ("uchar", "_uc", 1, 16),
        ("ulong", "_ul", 8, 2),
    ] {
        let width = if n == 1 { String::new() } else { n.to_string() };
        let store = if n == 1 {
            "out[get_global_id(0)] = v".to_owned()
        } else {
            format!("vstore{n}(v, get_global_id(0), out)")
        };
        let source = format!(
            "__attribute__((intel_reqd_sub_group_size(8)))
             kernel void k(read_only image2d_t from, write_only image2d_t to, int2 at, global {ty} *out) {{
                 {ty}{width} v = intel_sub_group_block_read{suffix}{width}(from, at);
                 {store};
                 intel_sub_group_block_write{suffix}{width}(to, at, v);
             }}"
        );
        let kernel = cl.kernel(&source, "k", "-cl-std=CL3.0");
        for (format, pixel) in [(RGBA8, 4), (R8, 1)] {
            let row_bytes = WIDTH * pixel;
            let pixels: Vec<u8> = (0..row_bytes * HEIGHT).map(|i| (i * 7 + i / 256) as u8).collect();
            for (x, y) in [(0i32, 0i32), (8, 3), (-8, -2), (row_bytes as i32 - 16, HEIGHT as i32 - 1), (3, 5)]
            {
                let (from, blank) = (new_image(&cl, format, &pixels), vec![0u8; pixels.len()]);
                let (to, out) = (new_image(&cl, format, &blank), cl.buffer(0, 8 * n * size));
                assert_eq!([set_arg(kernel, 0, from), set_arg(kernel, 1, to)], [CL_SUCCESS; 2]);
                assert_eq!([set_arg(kernel, 2, [x, y]), set_arg(kernel, 3, out)], [CL_SUCCESS; 2]);
                assert_eq!(cl.run(kernel, &[8], Some(&[8])), CL_SUCCESS);
                let (got, mut written) = (cl.read::<u8>(out, 8 * n * size), blank);
                for (lane, row) in (0..8).flat_map(|lane| (0..n).map(move |row| (lane, row))) {
                    let (x, y) = (i64::from(x) + (lane * size) as i64, i64::from(y) + row as i64);
                    let want = expected(&pixels, row_bytes, x, y, size);
                    let at = (lane * n + row) * size;
                    assert_eq!(&got[at..at + size], want, "{ty}{width} at {x}, {y} of {format:?}");
                    if x >= 0 && x as usize + size <= row_bytes && (0..HEIGHT as i64).contains(&y) {
                        written[y as usize * row_bytes + x as usize..][..size].copy_from_slice(want);
                    }
                }
                assert!(read(&cl, to, pixels.len()) == written, "{ty}{width} to {x}, {y} of {format:?}");
                [from, to, out].into_iter().for_each(release_mem);
            }
        }
        release_kernel(kernel);
    }
}

/// A copy by blocks of images, with the capabilities that the extension adds.
#[test]
fn blocks_of_images_in_spirv() {
    assert!(has_extension("cl_intel_spirv_subgroups") && has_extension("cl_intel_subgroup_local_block_io"));
    let cl = Cl::new();
    let text = r#"
OpCapability Addresses
OpCapability Kernel
OpCapability ImageBasic
OpCapability SubgroupShuffleINTEL
OpCapability SubgroupBufferBlockIOINTEL
OpCapability SubgroupImageBlockIOINTEL
OpExtension "SPV_INTEL_subgroups"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %copy "copy"
OpExecutionMode %copy SubgroupSize 8
%void = OpTypeVoid
%int = OpTypeInt 32 0
%int2 = OpTypeVector %int 2
%int4 = OpTypeVector %int 4
%zero = OpConstant %int 0
%four = OpConstant %int 4
%at = OpConstantComposite %int2 %zero %four
%read = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%write = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
%type = OpTypeFunction %void %read %write
%copy = OpFunction %void None %type
%from = OpFunctionParameter %read
%to = OpFunctionParameter %write
%entry = OpLabel
%v = OpSubgroupImageBlockReadINTEL %int4 %from %at
OpSubgroupImageBlockWriteINTEL %to %at %v
OpReturn
OpFunctionEnd
"#;
    let words = spirv::assemble(text).unwrap();
    let program = made(|code| {
        program::clCreateProgramWithIL(cl.context, memory(&words), size_of_val(words.as_slice()), code)
    })
    .unwrap();
    let code = build::clBuildProgram(program, 0, In::NULL, In::NULL, None, Memory::NULL);
    assert_eq!(code, CL_SUCCESS, "{}", cl.log(program));
    let kernel = kernel_of(program, "copy").unwrap();
    let pixels: Vec<u8> = (0..WIDTH * 4 * HEIGHT).map(|i| (i * 5 + 1) as u8).collect();
    let (from, to) = (new_image(&cl, RGBA8, &pixels), new_image(&cl, RGBA8, &vec![0; pixels.len()]));
    assert_eq!([set_arg(kernel, 0, from), set_arg(kernel, 1, to)], [CL_SUCCESS; 2]);
    assert_eq!(cl.run(kernel, &[8], Some(&[8])), CL_SUCCESS);
    let written = read(&cl, to, pixels.len());
    for (i, (got, want)) in written.iter().zip(&pixels).enumerate() {
        let (x, y) = (i % (WIDTH * 4), i / (WIDTH * 4));
        assert_eq!(*got, if x < 32 && (4..8).contains(&y) { *want } else { 0 }, "byte {x} of row {y}");
    }
    [from, to].into_iter().for_each(release_mem);
    release_kernel(kernel);
    release_program(program);
}
