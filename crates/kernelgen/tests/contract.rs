//! The generator tested by itself: its programs keep the contract, and contain what they should.

use lanewise_kernelgen::{Config, Features, ItemOrder, Launch, Program, Stats, generate, minimize};

/// Local sizes of one dimension that the vectorizer's tests will use.
const SIZES: [usize; 6] = [1, 3, 16, 17, 64, 100];

fn with_images() -> Config {
    Config { features: Features { images: true, ..Features::default() }, ..Config::default() }
}

fn launches(program: &Program) -> [Launch; 4] {
    let pick = program.seed as usize;
    [
        program.launch,
        program.with_local([SIZES[pick % 6], 1, 1]),
        program.with_local([2, SIZES[pick / 6 % 6], 1]),
        program.with_local(if pick.is_multiple_of(2) { [5, 3, 2] } else { [256, 1, 1] }),
    ]
}

/// Runs in both orders: what depends on the order is wrong even if no check noticed.
fn verify(program: &Program, launch: &Launch) {
    let forward = program.reference(launch);
    let backward =
        program.check(launch, ItemOrder::Backward).unwrap_or_else(|v| panic!("{v}\n{}", program.source));
    assert!(forward == backward, "seed {} depends on the order\n{}", program.seed, program.source);
}

#[test]
fn programs_keep_the_contract() {
    for seed in 0..1000 {
        let features = Features { printf: seed % 8 == 0, ..Features::default() };
        let config = Config { features, ..Config::default() };
        let program = generate(seed, &config);
        let [own, others @ ..] = launches(&program);
        verify(&program, &own);
        for launch in others {
            program.reference(&launch);
        }
    }
}

#[test]
fn programs_with_images_keep_the_contract() {
    let config = with_images();
    let stats = (0..400).map(|seed| {
        let program = generate(seed, &config);
        let [own, others @ ..] = launches(&program);
        verify(&program, &own);
        for launch in others {
            program.reference(&launch);
        }
        program.stats()
    });
    let stats: Vec<Stats> = stats.collect();
    for (name, has) in [
        ("sampled", (|s| s.sampled) as fn(&Stats) -> bool),
        ("unsampled", |s| s.unsampled),
        ("filtered", |s| s.filtered),
        ("written", |s| s.image_written),
    ] {
        let count = stats.iter().filter(|s| has(s)).count();
        assert!(count >= 120, "{name}: only {count} of 400");
    }
}

#[test]
fn programs_are_deterministic() {
    let config = Config::default();
    for seed in 0..50 {
        let (a, b) = (generate(seed, &config), generate(seed, &config));
        assert_eq!(a.source, b.source);
        assert_eq!(a.args, b.args);
        assert_eq!(a.launch, b.launch);
        assert_eq!(a.reference(&a.launch), b.reference(&b.launch));
    }
    assert_ne!(generate(1, &config).source, generate(2, &config).source);
}

#[test]
fn programs_cover_what_matters() {
    let features = Features { printf: true, ..Features::default() };
    let config = Config { features, ..Config::default() };
    let stats: Vec<Stats> = (0..500).map(|seed| generate(seed, &config).stats()).collect();
    let expect = |name: &str, least: usize, has: &dyn Fn(&Stats) -> bool| {
        let count = stats.iter().filter(|s| has(s)).count();
        println!("{name}: {count}");
        assert!(count >= least, "{name}: only {count} of 500");
    };
    expect("barriers", 380, &|s| s.barriers > 0);
    expect("no barriers", 30, &|s| s.barriers == 0);
    expect("barrier in loop", 150, &|s| s.barrier_in_loop);
    expect("barrier in nested loop", 50, &|s| s.barrier_in_nested_loop);
    expect("barrier in if", 100, &|s| s.barrier_in_if);
    expect("barrier in switch", 60, &|s| s.barrier_in_switch);
    expect("group return", 50, &|s| s.group_return);
    expect("item return", 50, &|s| s.item_return);
    expect("private array", 200, &|s| s.private_array);
    expect("array across barrier", 100, &|s| s.array_across_barrier);
    expect("value across barrier", 250, &|s| s.value_across_barrier);
    expect("static local", 150, &|s| s.static_local);
    expect("dynamic local", 150, &|s| s.dynamic_local);
    expect("helper", 150, &|s| s.helper);
    expect("barrier helper", 80, &|s| s.barrier_helper);
    expect("noinline barrier helper", 40, &|s| s.noinline_barrier_helper);
    expect("atomics", 50, &|s| s.atomics);
    expect("operations over the group", 150, &|s| s.collective);
    expect("operations over sub-groups", 40, &|s| s.sub_group);
    expect("shuffles", 20, &|s| s.shuffle);
    expect("asynchronous copies", 20, &|s| s.async_copy);
    expect("atomics with orders", 30, &|s| s.explicit_atomic);
    expect("loops that compare and exchange", 20, &|s| s.exchange_loop);
    expect("structures by value", 100, &|s| s.structs);
    expect("generic pointers", 100, &|s| s.generic_pointer);
    expect("vloadN", 50, &|s| s.vector_load);
    expect("vstoreN", 60, &|s| s.vector_store);
    expect("printf", 200, &|s| s.printf);
    expect("halves", 200, &|s| s.halves);
    expect("exchange", 50, &|s| s.exchange);
    expect("strided loads", 80, &|s| s.strided);
    expect("trees", 40, &|s| s.tree);
    expect("min and max", 80, &|s| s.min_max);
    expect("nested divergent loops that are left", 20, &|s| s.nested_divergent_loops);
    expect("vectors", 350, &|s| s.vectors);
    expect("floats", 350, &|s| s.floats);
    expect("1D", 100, &|s| s.work_dim == 1);
    expect("2D", 100, &|s| s.work_dim == 2);
    expect("3D", 100, &|s| s.work_dim == 3);
    expect("offset", 100, &|s| s.offset);
    expect("uneven", 100, &|s| s.uneven);
}

/// The words that must not appear when a feature is off.
#[test]
fn features_can_be_switched_off() {
    let features = Features {
        vectors: false,
        doubles: false,
        floats: false,
        halves: false,
        structs: false,
        generic_pointers: false,
        async_copies: false,
        longs: false,
        small_integers: false,
        atomics: false,
        linear_ids: false,
        bitcasts: false,
        helpers: false,
        barriers: false,
        private_arrays: false,
        division: false,
        switches: false,
        offsets: false,
        uneven_groups: false,
        builtins: false,
        vector_accesses: false,
        ..Features::default()
    };
    let config = Config { features, ..Config::default() };
    let words = [
        "double",
        "float",
        "half",
        "typedef",
        "async_",
        "long",
        "short",
        "char",
        "int2",
        "int4",
        "int8",
        "atomic_",
        "linear_id",
        "as_",
        "helper",
        "barrier(",
        "work_group_",
        "sub_group",
        "__local",
        "switch",
        "rotate(",
        "add_sat(",
        "vload",
        "vstore",
        " / ",
    ];
    for seed in 0..200 {
        let program = generate(seed, &config);
        for word in words {
            assert!(!program.source.contains(word), "{word} in\n{}", program.source);
        }
        assert!(!program.stats().uneven && !program.stats().offset);
        verify(&program, &program.launch);
        verify(&program, &program.with_local([7, 1, 1]));
    }
}

/// Each feature alone can be missing.
#[test]
fn features_are_independent() {
    let changes: [fn(&mut Features); 22] = [
        |f| f.builtins = false,
        |f| f.vector_accesses = false,
        |f| f.vectors = false,
        |f| f.halves = false,
        |f| f.explicit_atomics = false,
        |f| f.shuffles = false,
        |f| f.async_copies = false,
        |f| f.structs = false,
        |f| f.generic_pointers = false,
        |f| f.doubles = false,
        |f| f.floats = false,
        |f| f.longs = false,
        |f| f.small_integers = false,
        |f| f.atomics = false,
        |f| f.linear_ids = false,
        |f| f.bitcasts = false,
        |f| f.barrier_helpers = false,
        |f| f.collectives = false,
        |f| f.sub_groups = false,
        |f| f.local_memory = false,
        |f| f.dynamic_local = false,
        |f| f.division = false,
    ];
    for change in changes {
        let mut config = Config::default();
        change(&mut config.features);
        for seed in 0..60 {
            let program = generate(seed, &config);
            verify(&program, &program.launch);
        }
    }
}

#[test]
fn the_minimiser_keeps_what_fails() {
    let config = Config::default();
    let mut tried = 0;
    for seed in 0..40 {
        let program = generate(seed, &config);
        if !program.stats().barrier_in_loop {
            continue;
        }
        tried += 1;
        let small = minimize(&program, &mut |p| p.stats().barrier_in_loop);
        assert!(small.stats().barrier_in_loop);
        assert!(small.source.len() < 700, "seed {seed}: {} bytes left\n{}", small.source.len(), small.source);
        verify(&small, &small.launch);
        if tried == 4 {
            return;
        }
    }
    panic!("too few programs with barriers in loops");
}

/// A failure that depends on results, as those of a compiler do: one element of the digest changes.
#[test]
fn the_minimiser_keeps_results_that_differ() {
    let program = generate(3, &Config::default());
    let first_output = |p: &Program| p.reference(&p.launch).iter().map(|b| b.len()).sum::<usize>();
    let wanted = first_output(&program) / 16;
    let small = minimize(&program, &mut |p| first_output(p) > wanted && p.source.contains("out0["));
    assert!(small.source.len() < program.source.len() / 2);
    assert!(small.source.contains("out0["));
}
