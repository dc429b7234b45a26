//! Writes the sources of a range of seeds to a directory, to look at or to give to a compiler by
//! hand: `cargo run -p lanewise-kernelgen --example show -- FIRST LAST DIRECTORY`.

use lanewise_kernelgen::{Config, generate};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, first, last, directory] = args.as_slice() else { panic!("FIRST LAST DIRECTORY") };
    let first: u64 = first.parse().expect("a number");
    let last: u64 = last.parse().expect("a number");
    std::fs::create_dir_all(directory).expect("a directory");
    for seed in first..=last {
        let program = generate(seed, &Config::default());
        std::fs::write(format!("{directory}/k{seed}.cl"), program.source).expect("a file");
    }
}
