//! Random kernels give the same bytes as the reference.

use lanewise_difftest::{Plan, check, report};

/// Runs seeds on all cores; each takes some milliseconds to compile.
fn all(seeds: std::ops::Range<u64>, plan: &Plan) {
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
                    if let Err(difference) = check(seed, plan) {
                        *failure.lock().unwrap() = Some(difference);
                    }
                }
            });
        }
    });
    if let Some(difference) = failure.into_inner().unwrap() {
        panic!("{}", report(&difference, plan));
    }
}

#[test]
fn five_hundred_random_kernels_match_the_reference() {
    all(0..500, &Plan { locals: vec![[17, 1, 1]], ..Plan::default() });
}

#[test]
fn random_kernels_match_without_optimisation() {
    all(1000..1050, &Plan { options: "-cl-opt-disable".to_owned(), ..Plan::default() });
}

#[test]
fn random_kernels_match_with_debug_information() {
    all(2000..2050, &Plan { options: "-g".to_owned(), ..Plan::default() });
}

/// The vectorizer at widths that are not its own choice, powers of two and not.
#[test]
fn random_kernels_match_at_every_width() {
    for (i, lanes) in [2, 3, 4, 8, 32].into_iter().enumerate() {
        let first = 3000 + 20 * i as u64;
        let options = format!("-cl-wfv=always --lanes {lanes}");
        all(first..first + 20, &Plan { options, locals: vec![[17, 1, 1], [64, 1, 1]], ..Plan::default() });
    }
}

/// Lanes that cross from row to row, and a predicated tail.
#[test]
fn random_kernels_match_in_linear_order() {
    for (i, lanes) in [4, 16].into_iter().enumerate() {
        let first = 5000 + 20 * i as u64;
        let options = format!("-cl-wfv=always --linear-lanes --lanes {lanes}");
        all(first..first + 20, &Plan { options, locals: vec![[5, 7, 1], [3, 2, 5]], ..Plan::default() });
    }
}

#[test]
fn random_kernels_match_without_the_vectorizer() {
    all(4000..4050, &Plan { options: "-cl-wfv=never".to_owned(), ..Plan::default() });
}
