//! `lanewise run`: the results of kernels, from the command line to a file.

mod common;

use common::{Folder, data, digest, example, floats, ints, longs, ok};

#[test]
fn saxpy() {
    let folder = Folder::new();
    for count in [1, 7, 64, 1000, 100_003] {
        let said = folder.ok(&format!(
            "run {} -k saxpy -g {count} --arg 2.5 --arg iota:{count} --arg iota:{count} --out 2=y.bin",
            example("saxpy.cl")
        ));
        let expected: Vec<f32> = (0..count).map(|i| 3.5 * i as f32).collect();
        assert_eq!(floats(&folder.read("y.bin")), expected);
        assert!(said.contains(&format!("arg 2      float x {count} y, digest ")), "{said}");
    }
}

#[test]
fn what_is_printed() {
    let folder = Folder::new();
    let said = folder.ok(&format!(
        "run {} -g 1000 -l 100 --arg 2 --arg iota:1000 --arg zeros:1000 --repeat 3",
        example("saxpy.cl")
    ));
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("device     ") && lines[0].contains(" thread"), "{said}");
    assert_eq!(lines[1], "kernel     saxpy, 1000 work-items in groups of 100");
    assert!(lines[2].starts_with("ready      ") && lines[2].ends_with('s'), "{said}");
    assert!(lines[3].starts_with("time       best ") && lines[3].contains(" of 3, "), "{said}");
    assert!(lines[3].ends_with(" work-items/s"), "{said}");
    // `x` is const, so only `y` is shown; it is the same buffer in all three launches.
    assert!(lines[4].starts_with("arg 2      float x 1000 y, digest "), "{said}");
    assert_eq!(lines[5].trim(), "0, 6, 12, 18, 24, 30, 36, 42, …");
    assert_eq!(lines.len(), 6, "{said}");
}

#[test]
fn transpose() {
    let folder = Folder::new();
    for (width, height) in [(16, 16), (64, 48), (37, 90)] {
        let rounded = [width, height].map(|n: usize| n.next_multiple_of(16));
        folder.ok(&format!(
            "run {} -g {},{} --arg iota:{width}x{height} --arg zeros:{width}x{height} --arg {width} \
                --arg {height} \
             --out 1=out.bin",
            example("transpose.cl"),
            rounded[0],
            rounded[1]
        ));
        let out = floats(&folder.read("out.bin"));
        for (i, value) in out.into_iter().enumerate() {
            let (row, column) = (i / height, i % height);
            assert_eq!(value, (column * width + row) as f32, "{width} x {height}, at {i}");
        }
    }
}

#[test]
fn reduce() {
    let folder = Folder::new();
    for (count, local) in [(4096, 256), (1000, 64), (999, 37), (5, 1), (4096, 4096)] {
        let groups = usize::div_ceil(count, local);
        folder.ok(&format!(
            "run {} -g {count} -l {local} --arg iota:{count} --arg zeros:{groups} --arg local:{} --arg \
                {count} \
             --out 1=sums.bin",
            example("reduce.cl"),
            4 * local
        ));
        let numbers: Vec<u32> = (0..count as u32).collect();
        let expected: Vec<u32> = numbers.chunks(local).map(|group| group.iter().sum()).collect();
        assert_eq!(ints(&folder.read("sums.bin")), expected, "{count} in groups of {local}");
    }
}

#[test]
fn mandelbrot() {
    let folder = Folder::new();
    folder.ok(&format!(
        "run {} -k mandelbrot -g 96,64 --arg zeros:96x64 --arg 200 --arg -0.65 --arg 0 --arg 3.2 \
         --out 0=m.png --out 0=m.bin",
        example("mandelbrot.cl")
    ));
    let png = folder.read("m.png");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&png[12..24], [b"IHDR".as_slice(), &96u32.to_be_bytes(), &64u32.to_be_bytes()].concat());
    let pixels = folder.read("m.bin");
    let pixel = |x: usize, y: usize| &pixels[4 * (96 * y + x)..][..4];
    assert_eq!(pixel(48, 32), [0, 0, 0, 255], "the centre is in the set");
    assert_ne!(&pixel(0, 0)[..3], [0, 0, 0], "the corner is not");
    // The real axis goes between two rows, which mirror each other.
    assert!((0..96).all(|x| (0..32).all(|y| pixel(x, y) == pixel(x, 63 - y))));
}

#[test]
fn ranges_of_one_to_three_dimensions() {
    let folder = Folder::new();
    let cases: [(&[u64], &[u64], &[u64]); 7] = [
        (&[13], &[5], &[0]),
        (&[64], &[], &[100]),
        (&[7, 5], &[3, 2], &[10, 20]),
        (&[33, 17], &[], &[0, 1]),
        (&[5, 4, 3], &[2, 3, 2], &[1, 2, 3]),
        (&[8, 8, 8], &[8, 8, 8], &[0, 0, 0]),
        (&[1, 1, 101], &[], &[0, 7, 0]),
    ];
    let comma = |sizes: &[u64]| sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    for (global, local, offset) in cases {
        let items: u64 = global.iter().product();
        let local = if local.is_empty() { String::new() } else { format!("-l {}", comma(local)) };
        folder.ok(&format!(
            "run {} -k ids -g {} {local} --offset {} --arg zeros:{items} --arg 7 --out 0=ids.bin",
            data("wide.cl"),
            comma(global),
            comma(offset)
        ));
        let size = |d: usize| global.get(d).copied().unwrap_or(1);
        let first = |d: usize| offset.get(d).copied().unwrap_or(0);
        let mut expected = Vec::new();
        for z in 0..size(2) {
            for y in 0..size(1) {
                for x in 0..size(0) {
                    expected.push(7 + x + first(0) + 1000 * (y + first(1)) + 1_000_000 * (z + first(2)));
                }
            }
        }
        assert_eq!(longs(&folder.read("ids.bin")), expected, "{global:?} {local} {offset:?}");
    }
}

#[test]
fn local_memory_of_a_given_size() {
    let folder = Folder::new();
    for (global, local) in [(60, 20), (61, 20), (19, 32)] {
        folder.ok(&format!(
            "run {} -k prefix -g {global} -l {local} --arg iota:{global} --arg zeros:{global} --arg local:{} \
             --out 1=out.bin",
            data("wide.cl"),
            4 * local
        ));
        let expected: Vec<u32> = (0..global).map(|i| (i / local * local..i).sum()).collect();
        assert_eq!(ints(&folder.read("out.bin")), expected);
    }
}

#[test]
fn types_of_all_kinds() {
    let folder = Folder::new();
    folder.write("pair.bin", [3, 0, 0, 0, 4, 0, 0, 0]);
    let line = format!(
        "run {} -k types -g 3 --arg zeros:3 --arg 1,2,3,4 --arg 2.25 --arg @pair.bin --arg 1.5 --arg iota:3 \
         --out 0=out.bin",
        data("wide.cl")
    );
    let said = folder.ok(&line);
    assert!(said.contains("arg 0      float4 x 3 out, "), "{said}");
    let expected = [5.0, 2.25, 7.0, 2.0, 5.0, 2.25, 7.0, 5.0, 5.0, 2.25, 7.0, 8.0];
    assert_eq!(floats(&folder.read("out.bin")), expected);
    let wrong = folder.fails(1, &line.replace("@pair.bin", "zeros:2"));
    assert_eq!(wrong, "argument 3 (p): a pair has 8 bytes, not 16");
}

#[test]
fn arrays_there_and_back() {
    let folder = Folder::new();
    let saxpy = example("saxpy.cl");
    folder.ok(&format!("run {saxpy} -g 12 --arg 1 --arg iota:12 --arg zeros:12 --out 2=a.npy"));
    folder.ok(&format!("run {saxpy} -g 12 --arg 1 --arg @a.npy --arg @a.npy --out 2=b.npy --out 2=b.bin"));
    assert_eq!(floats(&folder.read("b.bin")), (0..12).map(|i| 2.0 * i as f32).collect::<Vec<_>>());
    let header = String::from_utf8_lossy(&folder.read("b.npy")).into_owned();
    assert!(header.contains("'descr': '<f4', 'fortran_order': False, 'shape': (12,)"), "{header}");
    // Elements for each work-item have the shape of the range.
    let ids = data("wide.cl");
    folder.ok(&format!("run {ids} -k ids -g 4,3 --arg zeros:12 --arg 0 --out 0=c.npy"));
    assert!(
        String::from_utf8_lossy(&folder.read("c.npy"))
            .contains("'<u8', 'fortran_order': False, 'shape': (3, 4)")
    );
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = Folder::new();
    let line = format!(
        "run {} -g 300,200 --arg zeros:300x200 --arg 100 --arg -0.65 --arg 0 --arg 3.2",
        example("mandelbrot.cl")
    );
    let digests = ["1", "2", "5"].map(|threads| {
        let said = ok(folder.command(&line).env("LANEWISE_THREADS", threads), &line);
        assert!(said.contains(&format!(", {threads} thread")), "{said}");
        digest(&said, 0)
    });
    assert!(digests.iter().all(|d| *d == digests[0]), "{digests:?}");
}

#[test]
fn options_reach_the_compiler() {
    let folder = Folder::new();
    folder.write("n.cl", "kernel void k(global int *p) { p[get_global_id(0)] = N; }");
    let said = folder.ok("run n.cl -g 2 --arg zeros:2 --options '-D N=42'");
    assert!(said.ends_with("42, 42\n"), "{said}");
    let plain = folder.ok("run n.cl -g 2 --arg zeros:2 --options '-DN=42 -cl-opt-disable -g'");
    assert_eq!(digest(&said, 0), digest(&plain, 0));
    folder.write("n.h", "#define N 43\n");
    folder.write("h.cl", "#include \"n.h\"\nkernel void k(global int *p) { p[0] = N; }");
    assert!(folder.ok("run h.cl -g 1 --arg zeros:1 --options '-I .'").ends_with("43\n"));
}

#[test]
fn intermediate_code_of_other_tools() {
    let folder = Folder::new();
    folder.ok(&format!("run {} -g 10 --arg iota:10 --arg 2.5 --arg 8 --out 0=out.bin", data("clang19.ll")));
    let expected: Vec<f32> = (0..10).map(|i| i as f32 * if i < 8 { 2.5 } else { 1.0 }).collect();
    assert_eq!(floats(&folder.read("out.bin")), expected);

    folder.ok(&format!("run {} -g 20 -l 5 --arg iota:20 --out 0=out.bin", data("clang15.ll")));
    let expected: Vec<u32> = (0..20).map(|i| i / 5 * 5 + 4 - i % 5).collect();
    assert_eq!(ints(&folder.read("out.bin")), expected);

    // Nothing tells what the pointer points to, but values have the types of the IR.
    let said =
        folder.ok(&format!("run {} -g 3 --arg zeros:12 --arg 2 --arg 5 --out 0=out.bin", data("plain.ll")));
    assert!(said.contains("arg 0      byte x 12"), "{said}");
    assert_eq!(floats(&folder.read("out.bin")), [7.0; 3]);
}

#[test]
fn source_from_standard_input() {
    use std::io::Write;
    let folder = Folder::new();
    let mut child = folder
        .command("run - -g 3 --arg zeros:3")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let source = b"kernel void k(global char *p) { p[get_global_id(0)] = 'a'; }";
    child.stdin.take().unwrap().write_all(source).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("97, 97, 97\n"));
}

const STRUCTS: &str = "typedef struct { int a; int b[3]; } S;
    typedef struct { char tag; float4 v; struct { short x, y; } in[2]; } Inner;
    kernel void fill(global S *s) {
        size_t i = get_global_id(0);
        s[i].a = i;
        s[i].b[2] = -i;
    }
    kernel void take(Inner v, global float *out) {
        out[0] = v.tag;
        out[1] = v.v.y;
        out[2] = v.in[1].x;
        out[3] = v.in[1].y;
    }
    kernel void sum(global const S *s, global int *out) {
        size_t i = get_global_id(0);
        out[i] = s[i].a + 10 * s[i].b[0] + 100 * s[i].b[1] + 1000 * s[i].b[2];
    }
    kernel void rows(global float (*m)[3], global float *out) {
        out[get_global_id(0)] = m[get_global_id(0)][2];
    }";

#[test]
fn buffers_of_structs_have_elements() {
    let folder = Folder::new();
    folder.write("s.cl", STRUCTS);
    let said = folder.ok("run s.cl -k fill -g 1000 --arg zeros:1000 --out 0=s.bin");
    assert!(said.contains("S x 1000"), "{said}");
    let numbers = ints(&folder.read("s.bin"));
    assert_eq!(numbers.len(), 4000);
    assert_eq!(numbers[4 * 7..4 * 8], [7, 0, 0, -7i32 as u32]);
    let said = folder.ok("run s.cl -k fill -g 2 --arg zeros:2");
    assert!(said.contains("{0, {0, 0, 0}}, {1, {0, 0, -1}}"), "{said}");
    // Also of a binary.
    folder.ok("compile s.cl -o s.o.bin");
    folder.ok("run s.o.bin -k fill -g 1000 --arg zeros:1000 --out 0=b.bin");
    assert_eq!(folder.read("b.bin"), folder.read("s.bin"));
    // A file must have whole elements.
    folder.write("odd.bin", [0; 24]);
    let message = folder.fails(1, "run s.cl -k fill -g 1 --arg @odd.bin");
    assert!(message.contains("24 bytes are not a whole number of Ss of 16 bytes"), "{message}");
    folder.ok("run s.cl -k sum -g 3 --arg iota:3 --arg zeros:3 --out 1=sum.bin");
    assert_eq!(ints(&folder.read("sum.bin")), [3210, 7654, 12098]);
    folder.ok("run s.cl -k rows -g 2 --arg iota:2 --arg zeros:2 --out 1=rows.bin");
    assert_eq!(floats(&folder.read("rows.bin")), [2.0, 5.0]);
}

#[test]
fn structs_are_given_by_their_fields() {
    let folder = Folder::new();
    folder.write("s.cl", STRUCTS);
    let take = |value: &str| format!("run s.cl -k take -g 1 --arg '{value}' --arg zeros:4 --out 1=out.bin");
    folder.ok(&take("{7, {1, 2.5, 3, 4}, {{5, 6}, {-8, 9}}}"));
    assert_eq!(floats(&folder.read("out.bin")), [7.0, 2.5, -8.0, 9.0]);
    folder.ok(&take("1,{2,3,4,5},{{5,6},{7,8}}"));
    assert_eq!(floats(&folder.read("out.bin")), [1.0, 3.0, 7.0, 8.0]);
    folder.ok(&take("zeros:1"));
    assert_eq!(floats(&folder.read("out.bin")), [0.0; 4]);
    assert!(folder.fails(1, &take("{1,2}")).ends_with("{1,2} has 2 values, but there are 3 fields"));
    assert!(folder.fails(1, &take("{1,2,{3,4}}")).contains("3 should be 2 values in braces"));
    assert!(folder.fails(1, &take("iota:1")).contains("by its fields"));
}

#[test]
fn structured_npy_files() {
    let folder = Folder::new();
    folder.write("s.cl", STRUCTS);
    folder.ok("run s.cl -k fill -g 5 --arg zeros:5 --out 0=s.npy --out 0=s.bin");
    let file = folder.read("s.npy");
    assert!(String::from_utf8_lossy(&file).contains("[('a', '<i4'), ('b', '<i4', (3,))]"));
    assert!(file.ends_with(&folder.read("s.bin")));
    folder.ok("run s.cl -k sum -g 5 --arg @s.npy --arg zeros:5 --out 1=sum.bin");
    assert_eq!(
        ints(&folder.read("sum.bin")),
        [0, -999i32 as u32, -1998i32 as u32, -2997i32 as u32, -3996i32 as u32]
    );
    // A struct by value, from a file with one.
    let message = folder.fails(1, "run s.cl -k take -g 1 --arg @s.npy --arg zeros:4");
    assert!(message.contains("12 numbers, but those of the kernel 9"), "{message}");
}

const IMAGES: &str = "kernel void mirror(read_only image2d_t from, write_only image2d_t to, sampler_t s) {
    float2 size = (float2)(get_image_width(to), get_image_height(to));
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 place = (convert_float2(at) + 0.5f) / size;
    write_imagef(to, at, read_imagef(from, s, (float2)(1 - place.x, place.y)));
}
kernel void volume(write_only image3d_t to) {
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    write_imageui(to, at, (uint4)(at.x + 10 * at.y + 100 * at.z));
}";

#[test]
fn images_and_samplers() {
    let folder = Folder::new();
    folder.write("images.cl", IMAGES);
    folder.write(
        "ramp.cl",
        "kernel void ramp(global uint *p) { p[get_global_id(0)] = 0xff000000 | get_global_id(0) * 3; }",
    );
    folder.ok("run ramp.cl -g 8 --arg zeros:8 --out 0=ramp.png");
    let run = "run images.cl -k mirror -g 8 --arg image:ramp.png --arg image2d:8x1 \
               --arg sampler:nearest,edge,normalized";
    let said = folder.ok(&format!("{run} --out 1=back.png --out 1=back.bin --out 1=back.npy"));
    let expected: Vec<u32> = (0..8).rev().map(|i| 0xff00_0000 | (i * 3)).collect();
    assert_eq!(ints(&folder.read("back.bin")), expected);
    assert!(said.contains("arg 1      image2d_t 8 x 1 of rgba:unorm8 to, digest "), "{said}");
    // The picture is read back as it was written, and an array has rows of pixels.
    folder.ok(&format!("{} --out 1=same.bin", run.replace("image:ramp", "image:back")));
    assert_eq!(ints(&folder.read("same.bin")), expected.into_iter().rev().collect::<Vec<_>>());
    let npy = String::from_utf8_lossy(&folder.read("back.npy")[..100]).into_owned();
    assert!(npy.contains("'shape': (1, 8, 4)"), "{npy}");

    folder.ok("run images.cl -k volume -g 4,3,2 --arg image3d:4x3x2:r:uint32 --out 0=volume.bin");
    let expected = (0..2).flat_map(|z| (0..3).flat_map(move |y| (0..4).map(move |x| x + 10 * y + 100 * z)));
    assert_eq!(ints(&folder.read("volume.bin")), expected.collect::<Vec<u32>>());
}

#[test]
fn wrong_images_and_samplers() {
    let folder = Folder::new();
    folder.write("images.cl", IMAGES);
    let fails = |from: &str, to: &str, sampler: &str| {
        folder.fails(1, &format!("run images.cl -k mirror -g 8 --arg {from} --arg {to} --arg {sampler}"))
    };
    let (image, sampler) = ("image2d:8x1", "sampler:linear");
    assert_eq!(
        fails("zeros:8", image, sampler),
        "argument 0 (from): it is a read_only image2d_t, give image:FILE.png, or an empty one as \
         image2d:WIDTHxHEIGHT:ORDER:TYPE"
    );
    assert_eq!(
        fails(image, "image3d:8x1x1", sampler),
        "argument 1 (to): it is a write_only image2d_t, and this is a write_only image3d_t"
    );
    assert_eq!(
        fails(image, image, "3"),
        "argument 2 (s): it is a sampler, give sampler:nearest,clamp or sampler:linear,repeat,normalized"
    );
    let give =
        "argument 2 (s): it is a sampler, give sampler:nearest,clamp or sampler:linear,repeat,normalized";
    assert_eq!(fails(image, image, image), give);
    assert_eq!(
        fails("image:no.png", image, sampler),
        "argument 0 (from): cannot read no.png: No such file or directory"
    );
    folder.write("text.png", "no picture");
    assert!(fails("image:text.png", image, sampler).contains("text.png: cannot read the picture: "));
    assert_eq!(
        fails("image2d:8x1:rgb:float", image, sampler),
        "argument 0 (from): the device has no read_only images of rgb:float"
    );
    let run = "run images.cl -k volume -g 4 --arg image3d:4x3x2:r:uint32 --out 0=a.png";
    let said = folder.fails(1, run);
    assert!(said.starts_with("a.png: an image of 4 x 3 x 2 of r:uint32 makes no picture"), "{said}");
    assert_eq!(
        folder.fails(2, "run images.cl -k volume -g 4 --arg image2d:4"),
        "argument 0: image2d:4 should be image2d:WIDTHxHEIGHT, or image2d:WIDTHxHEIGHT:ORDER:TYPE"
    );
}

/// Sources are bytes to clang, in comments and strings, as they are through the driver.
#[test]
fn sources_in_latin_1_run() {
    let folder = Folder::new();
    folder.write("latin.cl", b"kernel void k(global int *o) { *o = (uchar)\"\xe9\"[0]; } // caf\xe9");
    assert!(folder.ok("run latin.cl -g 1 --arg zeros:1").contains("233"));
}
