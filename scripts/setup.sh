#!/usr/bin/env bash
# Makes sure that everything the build needs is on this machine, and installs what is missing.
# Called by `make setup`. Silent about what is there already; safe to call again and again.
set -euo pipefail

# What each package is for stands in docs/dependencies.md.
packages=(
    llvm-19-dev
    clang-19
    libclang-19-dev
    libclang-cpp19-dev
    g++
    libgmp-dev
    libmpfr-dev
    ocl-icd-libopencl1
    clinfo
)

# What only `make test-clients` needs.
[[ ${1:-} == clients ]] && packages+=(clang-14 clang-15 clang-22 clblast-tests clpeak darktable ffmpeg gir1.2-gegl-0.4
    hashcat llvm-spirv-14 llvm-spirv-15 ocl-icd-opencl-dev python3-dev python3-gi python3-venv unzip)

# What only `make bench-apps` needs.
[[ ${1:-} == apps ]] && packages+=(hashcat libclblast1 python3-venv)

# What `make package` and `make test-package` need: archives that LLVM's use, and a bare system to try the .deb in.
[[ ${1:-} == package ]] && packages+=(libzstd-dev zlib1g-dev binutils python3-venv xz-utils debootstrap)

say() { printf 'setup: %s\n' "$*"; }
stop() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

# The Rust toolchain is the user's to choose, so it is asked for and never installed from here.
command -v cargo >/dev/null ||
    stop "cargo was not found. Install Rust 1.88 or newer (https://rustup.rs), then try again."
# `setup.sh lint` also sees to what only linting and testing need: two tools of the toolchain, some packages.
if [[ ${1:-} == lint ]]; then
    for tool in fmt:rustfmt clippy:clippy; do
        cargo "${tool%:*}" --version >/dev/null 2>&1 && continue
        say "adding ${tool#*:} to the Rust toolchain"
        rustup component add "${tool#*:}" ||
            stop "\`cargo ${tool%:*}\` does not work, and rustup could not add ${tool#*:}"
    done
    # Tests compare what others make of OpenCL C, as SPIR-V, with our own reading of it, debug kernels, try
    # the Python package, run objects for other CPUs under emulation, and open the explorer's page.
    packages+=(clang-15 llvm-spirv-15 gdb python3-venv chromium)
    # The explorer's page is bundled again; a Node that is there already will do.
    command -v node >/dev/null && command -v npm >/dev/null || packages+=(nodejs npm)
    packages+=(qemu-user gcc-aarch64-linux-gnu gcc-riscv64-linux-gnu libc6-dev-arm64-cross libc6-dev-riscv64-cross)
fi

if ! command -v dpkg-query >/dev/null; then
    command -v llvm-config-19 >/dev/null || command -v llvm-config >/dev/null ||
        stop "this is not a Debian system. Install LLVM 19 and clang 19 with their headers and shared" \
            "libraries, and a C++17 compiler. Debian calls them: ${packages[*]}"
    say "this is not a Debian system: taking LLVM and clang as they are"
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $status == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
    say "nothing is missing"
    exit 0
fi

as_root=()
if ((EUID != 0)); then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root=(sudo -n)
    else
        stop "these packages are missing, and installing them needs root: ${missing[*]}" \
            "try: sudo apt-get install --no-install-recommends ${missing[*]}"
    fi
fi

say "installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq ||
    say "apt-get update failed: going on with the package lists there are"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes -qq --no-install-recommends "${missing[@]}" ||
    stop "apt-get could not install: ${missing[*]}"
say "installed ${missing[*]}"
