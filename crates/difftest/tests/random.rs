//! Random kernels give the same bytes as the reference.

use lanewise_difftest::{Plan, check, report};

/// Runs seeds on all cores; each takes some milliseconds to compile.
fn all(seeds: std::ops::Range<u64>, plan: impl Fn(u64) -> Plan + Sync) {
    let next = std::sync::atomic::AtomicU64::new(seeds.start);
    let failure = std::sync::Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seed >= seeds.end || failure.lock().unwrap().is_some() {
                        return;
                    }
                    if let Err(difference) = check(seed, &plan(seed)) {
                        *failure.lock().unwrap() = Some(difference);
                    }
                }
            });
        }
    });
    if let Some(difference) = failure.into_inner().unwrap() {
        let plan = plan(difference.program.seed);
        panic!("{}", report(&difference, &plan));
    }
}

#[test]
fn six_hundred_random_kernels_match_at_all_widths_and_local_sizes() {
    all(0..600, Plan::share);
}

/// Kernels that read and write images, with code for their formats and samplers.
#[test]
fn random_kernels_with_images_match_at_all_widths_and_local_sizes() {
    all(9000..9100, Plan::share_of_images);
}

/// Code for any format, which calls the library.
#[test]
fn random_kernels_with_images_match_ahead_of_time() {
    all(9300..9310, |seed| Plan { ahead: true, ..Plan::share_of_images(seed) });
}

#[test]
fn random_kernels_match_without_optimisation() {
    all(1000..1030, |_| Plan { options: "-cl-opt-disable".to_owned(), ..Plan::default() });
}

#[test]
fn random_kernels_match_with_debug_information() {
    all(2000..2030, |_| Plan { options: "-g".to_owned(), ..Plan::default() });
}

/// Lanes that cross from row to row, and a predicated tail.
#[test]
fn random_kernels_match_in_linear_order() {
    for (i, lanes) in [4, 16].into_iter().enumerate() {
        let first = 5000 + 20 * i as u64;
        let options = format!("-cl-wfv=always --linear-lanes --lanes {lanes}");
        let locals = vec![[5, 7, 1], [3, 2, 5]];
        all(first..first + 20, |_| Plan {
            options: options.clone(),
            locals: locals.clone(),
            ..Plan::default()
        });
    }
}

/// Code that is made before anything is known of the range.
#[test]
fn random_kernels_match_ahead_of_time() {
    for (i, options) in ["", "-cl-wfv=always", "-cl-wfv=always --lanes 4"].into_iter().enumerate() {
        let first = 7000 + 20 * i as u64;
        let options = options.to_owned();
        let locals = vec![[17, 1, 1], [5, 3, 2]];
        all(first..first + 20, |_| Plan {
            options: options.clone(),
            ahead: true,
            locals: locals.clone(),
            ..Plan::default()
        });
    }
}

/// Vectors of one work-item, which LLVM makes before several run at once.
#[test]
fn random_kernels_match_with_early_vectorization() {
    for (i, options) in ["-cl-wfv=always", "-cl-wfv=never"].into_iter().enumerate() {
        let first = 8000 + 20 * i as u64;
        let options = format!("{options} --early-vectorization");
        all(first..first + 20, |_| Plan { options: options.clone(), ..Plan::default() });
    }
}
