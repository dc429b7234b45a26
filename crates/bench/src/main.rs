//! `make bench`: what launching, building and running costs on this machine.
//!
//! Times are of this run and this machine; compare them with others of the same run only. Nothing
//! here is a test. `bench NAME…` runs the cases whose names contain one of the words.

#![forbid(unsafe_code)]

mod cases;
mod measure;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let device = devices::all()[0];
    println!(
        "{}, {} threads, LLVM CPU {}",
        device.properties().name,
        device.properties().compute_units,
        device.compiler().backend().machine().cpu
    );
    println!("{:<34} {:>12} {:>12} {:>12}   bar", "case", "best", "median", "worst");
    for case in cases::all() {
        if words.is_empty() || words.iter().any(|w| case.name.contains(w.as_str())) {
            let times = (case.run)();
            println!("{:<34} {times}   {}", case.name, case.bar);
        }
    }
}
