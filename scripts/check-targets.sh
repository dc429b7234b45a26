#!/bin/sh
# Compiles every crate for other architectures as far as cargo can without their LLVM: `docs-only` leaves out what build scripts make, and
# nothing is linked. It finds code that is of x86-64 only. A target that cannot be had is left out, and named.
set -eu

checked=""
for target in aarch64-unknown-linux-gnu riscv64gc-unknown-linux-gnu; do
    if ! test -d "$(rustc --print target-libdir --target "$target")" && ! rustup target add "$target" >/dev/null 2>&1; then
        echo "check-targets: $target is left out: rustup has not got it"
        continue
    fi
    checked="$checked --target $target"
done
test -z "$checked" && exit 0
# lanewise-ulp measures errors with MPFR, whose crate is not compiled for other machines.
# shellcheck disable=SC2086 # Several words.
exec cargo check --quiet --workspace --exclude lanewise-ulp --lib --bins --features lanewise/docs-only $checked
