#!/usr/bin/env bash
# Writes packages into dist/: a wheel, a .deb and a .tar.xz, each with the self-contained driver. Called by `make package`.
#   package.sh DRIVER LAUNCHER
set -euo pipefail
cd "$(dirname "$0")/.."
driver=$1 launcher=$2

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
machine=$(dpkg --print-architecture 2>/dev/null || uname -m)
dist=$PWD/dist
rm -rf "$dist"
mkdir -p "$dist"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- what all packages have in common ----
root=$work/root
install -D -m 755 "$launcher" "$root/bin/lanewise"
install -D -m 644 "$driver" "$root/lib/lanewise/liblanewise_opencl.so"
# Debug information apart, for those who debug the driver itself.
objcopy --only-keep-debug "$driver" "$dist/liblanewise_opencl.so.debug"
strip --strip-unneeded "$root/bin/lanewise" "$root/lib/lanewise/liblanewise_opencl.so"
(cd "$dist" && objcopy --add-gnu-debuglink=liblanewise_opencl.so.debug "$root/lib/lanewise/liblanewise_opencl.so")
xz -T0 -f "$dist/liblanewise_opencl.so.debug"
install -D -m 644 crates/native_cpu/include/lanewise_native_cpu.h "$root/include/lanewise_native_cpu.h"
mkdir -p "$root"/share/{man/man1,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
"$root/bin/lanewise" help --man | gzip -9n > "$root/share/man/man1/lanewise.1.gz"
"$root/bin/lanewise" help --completions bash > "$root/share/bash-completion/completions/lanewise"
"$root/bin/lanewise" help --completions zsh > "$root/share/zsh/vendor-completions/_lanewise"
"$root/bin/lanewise" help --completions fish > "$root/share/fish/vendor_completions.d/lanewise.fish"
# The licences of what is linked in: ours, LLVM's and clang's, and those of the archives beside them.
licenses=$root/share/doc/lanewise
install -D -m 644 LICENSE "$licenses/copyright"
for package in llvm-19-dev libzstd-dev zlib1g-dev "$(dpkg-query -S "$(c++ -print-file-name=libstdc++.a)" | cut -d: -f1)"; do
    install -m 644 "/usr/share/doc/$package/copyright" "$licenses/copyright.${package%%-*}"
done
scripts/list-crates.sh > "$licenses/copyright.crates"

# ---- a .tar for any system ----
tar -C "$work" --transform "s|^root|lanewise-$version|" --sort=name --owner=0 --group=0 -cJf \
    "$dist/lanewise-$version-linux-$(uname -m).tar.xz" root

# ---- a .deb ----
deb=$work/deb
mkdir -p "$deb/DEBIAN" "$deb/etc/OpenCL/vendors"
cp -r "$root" "$deb/usr"
echo /usr/lib/lanewise/liblanewise_opencl.so > "$deb/etc/OpenCL/vendors/lanewise.icd"
echo /etc/OpenCL/vendors/lanewise.icd > "$deb/DEBIAN/conffiles"
glibc=$(readelf --version-info "$root/lib/lanewise/liblanewise_opencl.so" | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -1)
cat > "$deb/DEBIAN/control" <<CONTROL
Package: lanewise
Version: $version
Architecture: $machine
Maintainer: The Lanewise developers <lanewise@example.org>
Depends: libc6 (>= ${glibc#GLIBC_}), libgcc-s1
Recommends: ocl-icd-libopencl1 | libopencl1
Provides: opencl-icd
Section: libs
Priority: optional
Installed-Size: $(du -sk "$deb/usr" | cut -f1)
Description: GPU kernels on the CPU, as vector code on all cores
 An OpenCL 3.0 driver for CPUs, and the program lanewise that runs, compiles and
 times kernels. Needs nothing but the C library.
CONTROL
dpkg-deb --root-owner-group --build "$deb" "$dist/lanewise_${version}_$machine.deb" > /dev/null

# ---- a wheel ----
cp -r python "$work/python"
cp Cargo.toml "$work"
cp -r "$licenses" "$work/python/licenses"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q build
LANEWISE_DRIVER=$root/lib/lanewise/liblanewise_opencl.so \
    "$work/venv/bin/python" -m build --wheel -o "$dist" "$work/python" > "$work/wheel.log" 2>&1 ||
    { cat "$work/wheel.log"; exit 1; }

ls -sh1 "$dist"
