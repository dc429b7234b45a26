use super::*;

fn spec(text: &str) -> ArgSpec {
    ArgSpec::parse(0, text).unwrap()
}

fn param(type_name: &str, space: u32) -> Param {
    Param::new(1, "p", type_name, type_name, space)
}

fn buffer(type_name: &str, text: &str) -> Vec<u8> {
    match evaluate(&param(type_name, 1), &spec(text), None).unwrap() {
        ArgValue::Buffer { bytes, .. } => bytes,
        ArgValue::Zeros { bytes, .. } => vec![0; bytes],
        other => panic!("{other:?}"),
    }
}

fn message(type_name: &str, space: u32, text: &str) -> String {
    evaluate(&param(type_name, space), &spec(text), None).unwrap_err().to_string()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn texts() {
    assert_eq!(spec("zeros:12"), ArgSpec::Zeros(12));
    assert_eq!(spec("zeros:640x480"), ArgSpec::Zeros(307_200));
    assert_eq!(spec("rand:5"), ArgSpec::Rand { count: 5, seed: 0 });
    assert_eq!(spec("rand:5:77"), ArgSpec::Rand { count: 5, seed: 77 });
    assert_eq!(spec("local:64"), ArgSpec::Local(64));
    assert_eq!(spec("@a:b.npy"), ArgSpec::File("a:b.npy".into()));
    assert_eq!(spec("-1"), ArgSpec::Literal("-1".into()));
    let message = |text| ArgSpec::parse(3, text).unwrap_err().to_string();
    assert_eq!(message("zeros:0"), "argument 3: 0 is zero in zeros:0");
    assert_eq!(message("zeros:-1"), "argument 3: zeros:-1 should be zeros:N, N a number of elements");
    assert!(message("zeross:1").starts_with("argument 3: zeross:1 should be a number, zeros:N"));
    for bad in ["zeros:", "iota:x", "rand:1:z", "rand::1", "local:1.5", "@", "zeros:99999999999x99999999999"]
    {
        assert!(ArgSpec::parse(0, bad).is_err(), "{bad}");
    }
}

#[test]
fn filled_buffers() {
    assert_eq!(buffer("uint*", "zeros:3"), [0; 12]);
    assert_eq!(floats(&buffer("float*", "iota:4")), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(floats(&buffer("float2*", "iota:2")), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(floats(&buffer("float3*", "iota:2")), [0.0, 1.0, 2.0, 0.0, 3.0, 4.0, 5.0, 0.0]);
    assert_eq!(buffer("uchar*", "iota:258")[254..], [254, 255, 0, 1]);
    assert_eq!(buffer("half*", "iota:3"), [0, 0, 0, 0x3c, 0, 0x40]);
    assert_eq!(buffer("struct S*", "zeros:5"), [0; 5]);
}

#[test]
fn random_buffers() {
    let values = floats(&buffer("float*", "rand:10000"));
    assert!(values.iter().all(|v| (0.0..1.0).contains(v)));
    let mean = values.iter().sum::<f32>() / 10000.0;
    assert!((mean - 0.5).abs() < 0.02, "{mean}");
    assert!(buffer("half*", "rand:10000").chunks(2).all(|b| b[1] < 0x3c));
    assert_eq!(buffer("int*", "rand:9:5"), buffer("int*", "rand:9:5"));
    assert_ne!(buffer("int*", "rand:9:5"), buffer("int*", "rand:9:6"));
}

#[test]
fn scalars() {
    let value = evaluate(&param("float4", 0), &spec("1,2,3,4"), None).unwrap();
    let ArgValue::Scalar(bytes) = value else { panic!("{value:?}") };
    assert_eq!(floats(&bytes), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(
        message("int", 0, "2.5"),
        "argument 1 (p): 2.5 is not a whole number, as it should be for int"
    );
    assert_eq!(message("uchar", 0, "300"), "argument 1 (p): 300 does not fit in uchar (0 to 255)");
    assert_eq!(evaluate(&param("struct S", 0), &spec("zeros:3"), None), Ok(ArgValue::Scalar(vec![0; 3])));
}

#[test]
fn kinds_that_do_not_match() {
    assert_eq!(message("int", 0, "zeros:4"), "argument 1 (p): int is no buffer, give a number");
    assert_eq!(
        message("float*", 1, "3"),
        "argument 1 (p): float* needs a buffer, not 3: zeros:N, iota:N, rand:N or @FILE"
    );
    assert!(message("float*", 1, "local:64").contains("does not point to local memory"));
    assert!(message("float*", 3, "zeros:64").contains("give its size as local:BYTES"));
    assert!(message("struct S", 0, "3").contains("as @FILE.bin or zeros:BYTES"));
    assert!(message("queue_t", 1, "zeros:3").contains("cannot give a queue_t"));
    assert_eq!(evaluate(&param("half*", 3), &spec("local:64"), None), Ok(ArgValue::Local(64)));
}

#[test]
fn shapes_are_counts() {
    assert_eq!(spec("zeros:4,3"), ArgSpec::Shaped(Box::new(ArgSpec::Zeros(12)), vec![4, 3]));
    assert_eq!(
        spec("rand:2,3:7"),
        ArgSpec::Shaped(Box::new(ArgSpec::Rand { count: 6, seed: 7 }), vec![2, 3])
    );
    assert_eq!(buffer("uchar*", "iota:2,2"), [0, 1, 2, 3]);
    for wrong in ["zeros:2,", "iota:a,2", "zeros:0,2", "rand:18446744073709551615,2"] {
        assert!(ArgSpec::parse(0, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn too_large_for_memory() {
    assert_eq!(
        message("float*", 1, "zeros:4611686018427387905"),
        "argument 1 (p): there is not enough memory for 4611686018427387905 floats"
    );
    assert!(message("uchar*", 1, "rand:9000000000000000").contains("not enough memory"));
}

#[test]
fn number_of_arguments() {
    let params = [param("float*", 1), Param::new(1, "", "int", "int", 0)];
    assert_eq!(
        check_count("f", &params, &[spec("zeros:3")]).unwrap_err().to_string(),
        "f(float* p, int) takes 2 arguments, but there is 1 on the command line"
    );
    assert_eq!(check_count("f", &params, &[spec("zeros:3"), spec("3")]), Ok(()));
}

fn known(type_name: &str, kind: compiler::ArgKind, size: usize) -> Param {
    let arg = compiler::KernelArg {
        name: "p".into(),
        type_name: type_name.into(),
        base_type_name: type_name.into(),
        type_qualifiers: String::new(),
        kind,
        size,
        layout: String::new(),
        image: None,
    };
    Param::of(0, &arg)
}

#[test]
fn parameters_of_unknown_type() {
    let scalar = |size, text| match evaluate(&known("", compiler::ArgKind::Value, size), &spec(text), None) {
        Ok(ArgValue::Scalar(bytes)) => Ok(bytes),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.to_string()),
    };
    assert_eq!(scalar(4, "2.5"), Ok(2.5f32.to_le_bytes().to_vec()));
    assert_eq!(scalar(8, "3.0"), Ok(3f64.to_le_bytes().to_vec()));
    assert_eq!(scalar(4, "3"), Ok(vec![3, 0, 0, 0]));
    assert_eq!(scalar(4, "4294967295"), Ok(vec![255; 4]));
    assert_eq!(scalar(2, "-1"), Ok(vec![255; 2]));
    assert_eq!(scalar(12, "zeros:12"), Ok(vec![0; 12]));
    assert_eq!(scalar(12, "1"), Err("argument 0 (p): 1 is not a number of 12 bytes".into()));
    assert_eq!(scalar(4, "zeros:5"), Err("argument 0 (p): a 4-byte value has 4 bytes, not 5".into()));
    assert!(scalar(4, "x").is_err());
    let pointer = known("", compiler::ArgKind::Global, 8);
    assert_eq!(
        evaluate(&pointer, &spec("zeros:5"), None),
        Ok(ArgValue::Zeros { element: ElementType::RAW, bytes: 5 })
    );
}

#[test]
fn values_of_the_programs_own_types() {
    let value = |name, size, text| evaluate(&known(name, compiler::ArgKind::Value, size), &spec(text), None);
    assert_eq!(value("enum E", 4, "7"), Ok(ArgValue::Scalar(vec![7, 0, 0, 0])));
    assert_eq!(
        value("struct S", 12, "zeros:8").unwrap_err().to_string(),
        "argument 0 (p): a struct S has 12 bytes, not 8"
    );
}

#[test]
fn files() {
    let folder = std::env::temp_dir().join(format!("lanewise-argspec-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).unwrap();
        format!("@{}", folder.join(name).display())
    };
    let twelve = file("a.bin", &[7; 12]);
    assert_eq!(buffer("int*", &twelve), [7; 12]);
    assert!(
        message("int2*", 1, &twelve).ends_with("a.bin: 12 bytes are not a whole number of int2s of 8 bytes")
    );
    assert!(message("int*", 1, &file("empty.bin", &[])).ends_with("the file holds no data"));
    let missing = message("int*", 1, "@/nowhere/at/all.bin");
    assert_eq!(missing, "argument 1 (p): cannot read /nowhere/at/all.bin: No such file or directory");
    let int = ElementType::parse("int").unwrap();
    let array = file("a.npy", &npy::write(&[7; 12], int, &[3]));
    assert_eq!(buffer("int*", &array), [7; 12]);
    assert!(message("float*", 1, &array).contains("a.npy: it holds int32"));
    std::fs::remove_dir_all(&folder).unwrap();
}
