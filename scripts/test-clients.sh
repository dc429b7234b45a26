#!/usr/bin/env bash
# Runs real OpenCL clients against the driver and looks at what they say. They are installed by the names of their packages:
# Debian's (by setup.sh) or PyPI's (into a directory of their own). Called by `make test-clients`.
#
#   scripts/test-clients.sh DRIVER [CLIENT …]     clients: clinfo loader clpeak hashcat pyopencl tinygrad ffmpeg
#                                                          darktable gegl clesperanto front_ends clblast openmm lightgbm
#                                                          opencv pyvkfft loopy
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
driver=$(realpath "${1:?the driver, liblanewise_opencl.so}") || exit 1
shift
clients=("$@")
((${#clients[@]})) || clients=(clinfo loader clpeak hashcat pyopencl tinygrad ffmpeg darktable gegl clesperanto
    front_ends clblast openmm lightgbm opencv pyvkfft loopy)
dir=${CLIENTS_DIR:-$here/../target/clients}
mkdir -p "$dir" && dir=$(realpath "$dir")

export OCL_ICD_VENDORS=$driver LANEWISE_CACHE_DIR=$dir/cache
failed=()

say() { printf 'clients: %s\n' "$*"; }
# fail NAME WHY: notes a failure and goes on with the next client.
fail() {
    say "FAILED $1: $2"
    failed+=("$1")
    return 1
}

# Python's packages in an environment of their own.
python() { "$dir/venv/bin/python" "$@"; }
packages() {
    [[ -x $dir/venv/bin/python ]] || python3 -m venv "$dir/venv" || return 1
    python -m pip install --quiet --disable-pip-version-check "$@"
}

# A report without an error, in which our device is the only one.
report() {
    local text
    text=$(clinfo 2>&1) || fail "$1" "clinfo ended with code $?" || return
    local errors
    errors=$(grep 'rror' <<<"$text" | grep -v 'Error Correction')
    [[ -z $errors ]] || fail "$1" "$errors" || return
    [[ $(grep -c . <<<"$text") -gt 100 ]] || fail "$1" "a report of few lines" || return
    grep -q 'Platform Name *Lanewise' <<<"$text" || fail "$1" "no platform of ours" || return
    say "$1: $(grep -c . <<<"$text") lines, none of them an error"
}

test_clinfo() { report clinfo; }

# SPIR-V of several compilers, as kernels of the tests.
test_front_ends() {
    local text
    text=$(cd "$here/.." && LANEWISE_FRONT_ENDS=all cargo test -q -p lanewise-difftest --test spirv_clang 2>&1) ||
        fail front_ends "$(tail -20 <<<"$text")" || return
    say "front_ends: SPIR-V of clang 14, 15 and 22"
}

# The same with Khronos' own loader, which a package of PyPI carries; the libraries of its compiler are in another one.
test_loader() {
    local place=$dir/loader
    if [[ ! -e $place/libOpenCL.so.1 || ! -e $place/libsvml.so ]]; then
        packages pip || fail loader "no Python environment" || return
        python -m pip download --quiet --no-deps --dest "$place" intel-opencl-rt intel-cmplr-lib-rt ||
            fail loader "intel-opencl-rt and intel-cmplr-lib-rt could not be downloaded" || return
        (cd "$place" && for wheel in ./*.whl; do
            unzip -q -o -j "$wheel" '*/libOpenCL.so*' '*/libsvml.so' '*/libirng.so' '*/libimf.so' '*/libintlc.so*'
        done
        rm ./*.whl
        [[ -e libOpenCL.so.1 ]] || cp "$(ls libOpenCL.so* | head -1)" libOpenCL.so.1) 2>/dev/null ||
            fail loader "the packages hold no loader" || return
    fi
    # A directory without any driver: only the name leads to ours.
    OCL_ICD_VENDORS=$place OCL_ICD_FILENAMES=$driver LD_LIBRARY_PATH=$place report loader
}

test_clpeak() {
    local text
    text=$(timeout 1800 clpeak 2>&1) || fail clpeak "it ended with code $?: $(tail -1 <<<"$text")" || return
    grep -q 'Kernel launch latency' <<<"$text" || fail clpeak "it did not come to its end" || return
    say "clpeak: complete;$(grep -A5 'Single-precision' <<<"$text" | grep float16)"
}

# Each mode runs its self-test first.
test_hashcat() {
    local mode text
    for mode in 0 1000 1400 1700; do
        text=$(cd "$dir" && timeout 900 hashcat -b -D 1 --force -m "$mode" 2>&1) ||
            fail hashcat "mode $mode ended with code $?: $(tail -1 <<<"$text")" || return
        # Its complaints about kernels, self-tests and functions of OpenCL.
        local bad='elf-test fail|ATTENTION!|cl[A-Z][A-Za-z]+\(\)'
        grep -qE "$bad" <<<"$text" && { fail hashcat "mode $mode: $(grep -E -m1 "$bad" <<<"$text")"; return; }
        grep -q '^Speed' <<<"$text" || fail hashcat "mode $mode gave no speed" || return
        say "hashcat: mode $mode, $(grep -m1 '^Speed' <<<"$text" | tr -s ' .')"
    done
}

# source_of PACKAGE: the directory with the source package, where tests are, of the version that is installed.
source_of() {
    local version
    version=$(python -c 'import importlib.metadata as m, sys; print(m.version(sys.argv[1]))' "$1") || return
    if [[ ! -d $dir/$1-$version ]]; then
        python - "$1" "$version" "$dir" >&2 <<'PYTHON' || return
import glob, os, subprocess, sys, tarfile
package, version, place = sys.argv[1:]
subprocess.check_call([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                       "--no-binary", package, "--dest", place, f"{package}=={version}"])
with tarfile.open(glob.glob(os.path.join(place, f"{package}-{version}.tar.gz"))[0]) as archive:
    archive.extractall(place)
PYTHON
    fi
    echo "$dir/$1-$version"
}

# own_tests PACKAGE PYTEST'S ARGUMENTS…: runs the tests of a package that works on PyOpenCL.
own_tests() {
    local source
    source=$(source_of "$1") || fail "$1" "its source could not be downloaded" || return
    (cd "$source/test" && PYOPENCL_TEST=lanewise XDG_CACHE_HOME=$dir/cache-home \
        python -m pytest -q -rs "${@:2}" . >"$dir/$1.log" 2>&1) ||
        fail "$1" "see $dir/$1.log: $(tail -1 "$dir/$1.log")" || return
    say "${source##*/}: $(tail -1 "$dir/$1.log")"
}

test_pyopencl() {
    packages pyopencl pytest mako numpy scipy || fail pyopencl "it could not be installed" || return
    # The first one left out is about where PyOpenCL keeps its own files, and fails with any driver if other tests ran
    # before it; the second one asks a Python object for what that has not, unless a vendor is Intel or PoCL.
    own_tests pyopencl -k 'not test_xdg_cache_home and not test_get_info'
}

# Kernels that loopy generates and transforms. Its last release needs an older islpy.
test_loopy() {
    packages loopy 'islpy<2026' pyopencl pytest mako numpy scipy || fail loopy "it could not be installed" || return
    own_tests loopy
}

# Transforms of VkFFT, whose kernels are generated for each size, beside SciPy's.
test_pyvkfft() {
    packages setuptools wheel numpy scipy pyopencl mako && packages pyvkfft ||
        fail pyvkfft "it could not be installed" || return
    python "$here/clients/pyvkfft_tests.py" --backend pyopencl --quick >"$dir/pyvkfft.log" 2>&1 ||
        fail pyvkfft "see $dir/pyvkfft.log: $(tail -1 "$dir/pyvkfft.log")" || return
    say "pyvkfft: $(grep -E '^Ran ' "$dir/pyvkfft.log" | tail -1)"
}

# Debian's test programs, beside the CPU's BLAS. Left out are those that take minutes, and xamax and xaxpybatched, whose
# tests of halves fail with Intel's driver, too.
test_clblast() {
    local routine text passed=0
    for routine in xaxpy xdot xscal xswap xcopy xasum xnrm2 xhad xger xsyr xtrmv xtrsv xgemm xsyrk xomatcopy xim2col; do
        text=$(cd "$dir" && timeout 1800 clblast_test_$routine 2>&1)
        # Without colours, and without the legend.
        text=$(sed 's/\x1b\[[0-9;]*m//g; / -> /d' <<<"$text")
        if ! grep -q 'test(s) passed' <<<"$text" || grep -qE '\\|[1-9][0-9]* test\(s\) failed' <<<"$text"; then
            fail clblast "$routine: $(grep -m1 -E 'Error rate|rror' <<<"$text")" || return
        fi
        passed=$((passed + $(grep -oE '[0-9]+ test\(s\) passed' <<<"$text" | awk '{ n += $1 } END { print n + 0 }')))
    done
    say "clblast: $passed tests passed"
}

# The forces of a protein in water, beside its other platforms'.
test_openmm() {
    packages openmm || fail openmm "it could not be installed" || return
    local text
    text=$(python -m openmm.testInstallation 2>&1) || fail openmm "$(tail -1 <<<"$text")" || return
    grep -q 'Reference vs. OpenCL' <<<"$text" || fail openmm "OpenCL computed no forces" || return
    grep -q 'All differences are within tolerance' <<<"$text" || fail openmm "$(grep 'vs. OpenCL' <<<"$text")" || return
    say "openmm: $(grep -o 'Reference vs. OpenCL.*' <<<"$text")"
}

# It has a loader of its own inside.
test_lightgbm() {
    packages lightgbm numpy || fail lightgbm "it could not be installed" || return
    local text
    text=$(OCL_ICD_VENDORS=$dir/none OCL_ICD_FILENAMES=$driver OMP_WAIT_POLICY=passive \
        python "$here/clients/lightgbm_train.py" 2>&1) ||
        fail lightgbm "$(grep -m1 WRONG <<<"$text" || tail -1 <<<"$text")" || return
    say "lightgbm: $(wc -l <<<"$text") models as on its CPU"
}

test_opencv() {
    packages opencv-python-headless numpy || fail opencv "it could not be installed" || return
    local text
    text=$(LANEWISE_CACHE_DIR=$dir/cache-opencv python "$here/clients/opencv_umat.py" 2>&1) ||
        fail opencv "$(grep -m1 WRONG <<<"$text" || tail -1 <<<"$text")" || return
    (($(find "$dir/cache-opencv" -type f | wc -l) > 100)) || fail opencv "it built few kernels" || return
    say "opencv: $(grep -c '^right' <<<"$text") functions of UMat as Mat's"
}

# numbers_agree A B: whether two lists of as many numbers, one a line, are the same but for rounding.
numbers_agree() {
    paste <(echo "$1") <(echo "$2") | awk '
        { d = $1 - $2; if (d < 0) d = -d; if (NF != 2 || d > 1e-4 * (($2 < 0 ? -$2 : $2) + 1e-3)) bad = 1 }
        END { exit bad || NR < 6 }'
}

# A small network has the same losses as on its own CPU backend, but for rounding, and convolutions over images the same
# results.
test_tinygrad() {
    packages tinygrad || fail tinygrad "it could not be installed" || return
    local ours theirs script
    for script in tinygrad_train tinygrad_images; do
        local images=0
        [[ $script == tinygrad_images ]] && images=2
        ours=$(IMAGE=$images CL=1 DEV=CL python "$here/clients/$script.py" 2>&1) ||
            fail tinygrad "$script: $(tail -1 <<<"$ours")" || return
        theirs=$(CC=clang-19 CPU=1 DEV=CPU python "$here/clients/$script.py" 2>&1) ||
            fail tinygrad "$script on its CPU backend: $(tail -1 <<<"$theirs")" || return
        numbers_agree "$ours" "$theirs" ||
            fail tinygrad "$script: $(tr '\n' ' ' <<<"$ours")and $(tr '\n' ' ' <<<"$theirs")" || return
        say "tinygrad: $script gives $(tr '\n' ' ' <<<"$ours")as its CPU backend"
    done
    ours=$(IMAGE=2 CL=1 DEV=CL DEBUG=4 python "$here/clients/tinygrad_images.py" 2>&1)
    grep -q image2d_t <<<"$ours" || fail tinygrad "IMAGE=2 makes it use no images"
}

# Filters that read and write images, beside those of the same name that do not use OpenCL: no sample of a
# generated film is more than 1 apart. (Others of its filters treat borders in another way than their namesakes.)
test_ffmpeg() {
    local film=(-f lavfi -i "testsrc2=size=320x240:rate=5:duration=1") mask="0m='1 2 1 2 4 2 1 2 1':0rdiv=0.0625"
    local filter most
    for filter in erosion dilation sobel transpose=clock pad=360:280:20:20 "convolution=$mask"; do
        local name=${filter%%=*} rest=${filter#"${filter%%=*}"}
        ffmpeg -v error -y -init_hw_device opencl=cl:0.0 -filter_hw_device cl "${film[@]}" \
            -vf "format=gray,hwupload,${name}_opencl$rest,hwdownload,format=gray" -f rawvideo "$dir/ours.raw" ||
            fail ffmpeg "${name}_opencl ended with code $?" || return
        ffmpeg -v error -y "${film[@]}" -vf "format=gray,$filter" -f rawvideo "$dir/theirs.raw" ||
            fail ffmpeg "$name ended with code $?" || return
        most=$(python3 -c '
import sys
ours, theirs = (open(name, "rb").read() for name in sys.argv[1:])
assert len(ours) == len(theirs) > 300000, (len(ours), len(theirs))
print(max(abs(a - b) for a, b in zip(ours, theirs)))' "$dir/ours.raw" "$dir/theirs.raw") ||
            fail ffmpeg "$name: the films have different sizes" || return
        ((most <= 1)) || fail ffmpeg "$name: samples are up to $most apart" || return
        say "ffmpeg: ${name}_opencl as $name, samples at most $most apart"
    done
}

# pictures_agree MOST SHARE A B: whether the channels of two pictures are at most MOST apart, but for a share.
pictures_agree() {
    python3 - "$@" <<'PYTHON'
import subprocess, sys
most, share = int(sys.argv[1]), float(sys.argv[2])
ours, theirs = (subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                               stdout=subprocess.PIPE, check=True).stdout for name in sys.argv[3:])
assert len(ours) == len(theirs) > 100000, (len(ours), len(theirs))
assert max(ours) - min(ours) > 50, "a picture of one colour"
apart = sum(abs(a - b) > most for a, b in zip(ours, theirs)) / len(ours)
print(f"{apart:.4%} of the channels are more than {most} apart")
sys.exit(apart > share)
PYTHON
}

# A raw picture, developed with OpenCL and without. The modules of history.xmp have an algorithm of their own for
# OpenCL: with Intel's driver, too, 0.3 % of the channels are more than 2 apart.
test_darktable() {
    local place=$dir/darktable text history modules least share
    rm -rf "$place" && mkdir -p "$place" || fail darktable "no directory" || return
    local options=(--configdir "$place/config" --cachedir "$place/cache" --library ":memory:")
    python3 "$here/clients/darktable_files.py" "$place" || fail darktable "no picture" || return
    # The first time it sees a device that is a CPU, it notes that as one not to use: the eighth number.
    darktable-cltest "${options[@]}" >/dev/null 2>&1
    sed -i -E 's/^(cldevice_v[0-9]+_[a-z0-9]+=([0-9]+ ){7})1/\10/' "$place/config/darktablerc"
    text=$(darktable-cltest "${options[@]}" 2>&1)
    grep -q 'FINALLY: opencl is AVAILABLE' <<<"$text" ||
        fail darktable "$(grep -m1 -E 'rror|discarding|NOT AVAILABLE' <<<"$text")" || return
    for history in "" "$place/history.xmp"; do
        rm -f "$place"/{ours,theirs}.png
        text=$(darktable-cli "$place/picture.dng" $history "$place/ours.png" --core "${options[@]}" -d opencl -d perf 2>&1)
        darktable-cli "$place/picture.dng" $history "$place/theirs.png" --core "${options[@]}" --disable-opencl \
            >/dev/null 2>&1
        modules=$(grep -c 'processed.*on GPU' <<<"$text")
        least=6 share=0.001
        [[ -n $history ]] && least=12 share=0.005
        ((modules >= least)) || fail darktable "only $modules modules used OpenCL" || return
        text=$(pictures_agree 2 "$share" "$place/ours.png" "$place/theirs.png") ||
            fail darktable "${history##*/}: $text" || return
        say "darktable: $modules modules with OpenCL; $text"
    done
}

# Operations with kernels of their own, beside the same without OpenCL.
test_gegl() {
    local operation text
    ffmpeg -v error -y -f lavfi -i testsrc2=size=640x480:rate=1:duration=1 -frames:v 1 "$dir/gegl.png" ||
        fail gegl "no picture" || return
    for operation in "box-blur radius=6" "pixelize size-x=9 size-y=7" "brightness-contrast contrast=1.4" "edge-sobel" \
        "bilateral-filter" "levels in-low=0.1" "motion-blur-linear length=10.0 angle=20.0" "vignette" "value-invert"; do
        rm -f "$dir"/{ours,theirs}.png
        text=$(LANEWISE_VERSION=3.0 GEGL_USE_OPENCL=cpu /usr/bin/python3 "$here/clients/gegl_filter.py" "$dir"/{gegl,ours}.png $operation 2>&1) ||
            fail gegl "$operation: $(tail -1 <<<"$text")" || return
        text=$(GEGL_USE_OPENCL=no /usr/bin/python3 "$here/clients/gegl_filter.py" "$dir"/{gegl,theirs}.png $operation 2>&1) ||
            fail gegl "$operation without OpenCL: $(tail -1 <<<"$text")" || return
        text=$(pictures_agree 1 0 "$dir"/{ours,theirs}.png) || fail gegl "$operation: $text" || return
        say "gegl: $operation as without OpenCL; $text"
    done
}

# Its filters over buffers and images, beside scipy's. Its loader takes a directory, and not the name of a driver.
test_clesperanto() {
    packages pyclesperanto scipy || fail clesperanto "it could not be installed" || return
    mkdir -p "$dir/vendors" && echo "$driver" >"$dir/vendors/lanewise.icd"
    local text
    text=$(OCL_ICD_VENDORS=$dir/vendors/ python "$here/clients/cle_filters.py" 2>&1) ||
        fail clesperanto "$(grep -m1 WRONG <<<"$text" || tail -1 <<<"$text")" || return
    say "clesperanto: $(wc -l <<<"$text") filters as scipy's"
}

for client in "${clients[@]}"; do
    declare -F "test_$client" >/dev/null || { fail "$client" "no such client"; continue; }
    "test_$client"
done
if ((${#failed[@]})); then
    say "failed: ${failed[*]}"
    exit 1
fi
say "all good: ${clients[*]}"
