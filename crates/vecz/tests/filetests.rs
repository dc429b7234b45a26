//! The filetests of the vectorizer. Their syntax is in the runner that the passes have.

#[path = "../../passes/tests/support/matcher.rs"]
mod matcher;
#[macro_use]
#[path = "../../passes/tests/support/runner.rs"]
mod runner;

fn register(registry: &mut passes::Registry) {
    passes::register(registry);
    lanewise_vecz::register(registry);
}

directories! {
    run_vecz "run-vecz"
}
