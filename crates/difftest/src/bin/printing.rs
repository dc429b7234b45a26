//! For tests of what kernels print: builds a program, runs its kernel `k(global int *results)`,
//! says on the standard error what that returned, and ends at once, so that nothing is flushed that
//! was not flushed by then.
//!
//!     printing SOURCE OPTIONS GLOBAL LOCAL

use compiler::NdRange;
use lanewise_difftest::{Program, buffer, contents, run};
use runtime::ArgValue;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [source, options, global, local] = &words[..] else { panic!("printing SOURCE OPTIONS GLOBAL LOCAL") };
    let (global, local) = (global.parse().expect("a size"), local.parse().expect("a size"));
    let program = Program::build(source, options).unwrap_or_else(|log| {
        eprintln!("{log}");
        std::process::abort()
    });
    let kernel = program.kernel("k").expect("a kernel 'k'");
    let results = buffer(&vec![0xcd; 4 * global]).expect("memory");
    let range = NdRange::new(&[global], &[local]);
    run(&kernel, range, &[ArgValue::Buffer(results.clone(), 0)]).expect("a launch");
    let bytes = contents(&results).expect("the results");
    let results: Vec<i32> =
        bytes.chunks_exact(4).map(|b| i32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect();
    eprint!("{results:?}");
    std::process::abort();
}
