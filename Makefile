# Everything one does with a clone of Lanewise. `make` alone lists the targets.

PREFIX ?= /usr/local
# Not all shells replace the tilde of `make install PREFIX=~/.local`.
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
# How many seconds `make stress` lasts, and whether LeakSanitizer looks on (LEAKS=1).
DURATION ?= 3600
LEAKS    ?=
# For how many seconds `make fuzz` runs.
FUZZ   ?= 600
# How many random kernels `make soak` tries.
SOAK   ?= 100000
# How many random kernels with a mistake `make mistakes` tries.
MISTAKES ?= 10000
# How many random kernels `make emulate` tries on each CPU.
EMULATE ?= 1000

# A toolchain that rustup has just installed is found even before the shell was opened again.
export PATH := $(PATH):$(HOME)/.cargo/bin

# Where cargo puts what it builds.
TARGET   := $(or $(CARGO_TARGET_DIR),target)
LANEWISE := $(TARGET)/release/lanewise
DRIVER   := $(TARGET)/release/liblanewise_opencl.so

.DEFAULT_GOAL := help
# cargo keeps the cores busy by itself; the steps of a target run in the order they are written.
.NOTPARALLEL:
.PHONY: help setup build run test lint bench bench-apps bench-checks soak mistakes emulate fuzz ulp stress tsan test-clients package test-package install uninstall clean

help: ## list the targets
	@echo 'Lanewise: OpenCL kernels on all cores of a CPU. Targets:'
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 21

setup: ## install the Debian packages that are missing
	@scripts/setup.sh

build: setup ## build the program and the driver, optimised
	cargo build --release -p lanewise-cli -p lanewise-opencl

# The kernel's parameters: the picture, iterations at most, the centre (x, y), the width of the view.
run: build ## build, then compute mandelbrot.png on all cores
	$(LANEWISE) run examples/mandelbrot.cl -k mandelbrot -g 2048,1536 \
	    --arg zeros:2048x1536 --arg 1000 --arg -0.65 --arg 0 --arg 3.2 \
	    --out 0=mandelbrot.png

# The difference tests that the second device runs as well.
THREADS_TESTS := work_items barriers algorithms groups atomics conventions live_values builtins_memory builtins_integer

test: lint ## lint, then run every test
	cargo test --workspace
	cargo test -p lanewise-runtime --features models --lib models
	LANEWISE_DEVICES=threads cargo test -p lanewise-difftest $(addprefix --test ,$(THREADS_TESTS))
	@scripts/test-python.sh $(TARGET)/debug/deps/liblanewise_opencl.so $(TARGET)/venv

lint: ## check formatting and lines, let clippy read all of it, and compile it for other architectures
	@scripts/setup.sh lint
	cargo fmt --all --check
	@scripts/check-line-length.sh
	@scripts/explorer-page.sh --check
	cargo clippy --workspace --all-targets -- -D warnings
	@scripts/check-targets.sh

bench: setup ## measure launch cost, build time and throughput
	cargo run --release -p lanewise-bench

# ARGS="--only hashcat/22000,opencv": see the script. Takes half an hour.
bench-apps: build ## measure hashcat, OpenCV, OpenMM, LightGBM, tinygrad, dpnp, CLBlast on ours and Intel's driver
	@scripts/setup.sh apps
	python3 scripts/bench-apps.py $(TARGET)/bench-apps ours=$(abspath $(DRIVER)) --ours ours $(ARGS)

# ARGS="--suite PROGRAM --oclgrind LIBRARY.so": see the script. Needs a Python with PyOpenCL and NumPy.
bench-checks: build ## measure what checked mode costs
	python3 scripts/bench-checks.py $(DRIVER) $(ARGS)

# Execution tests write down their launches, which are run again. A run that was stopped goes on where it was.
emulate: ## run random kernels and all test kernels as objects for other CPUs, under emulation at all lengths of vectors
	@scripts/setup.sh lint
	LANEWISE_RECORD=$(abspath $(TARGET)/emulate/launches) cargo test --release -p lanewise-difftest
	cargo run --release -p lanewise-difftest --bin emulate -- $(TARGET)/emulate $(EMULATE)

soak: setup ## compare 100,000 more random kernels with the reference, and all test kernels at all widths
	cargo run --release -p lanewise-difftest --bin soak -- $(SOAK)
	LANEWISE_WIDTHS=all cargo test --release -p lanewise-difftest

mistakes: setup ## put a mistake into each of 10,000 random kernels, and find all of them in checked mode
	cargo run --release -p lanewise-difftest --bin soak -- --mistakes $(MISTAKES)

# Without a sanitizer, so that a stable toolchain can do it.
fuzz: setup ## feed the SPIR-V reader what no front end would write, ten minutes
	@cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked
	@mkdir -p fuzz/corpus/parse
	cargo run -p lanewise-spirv --example assemble -- crates/spirv/tests/modules fuzz/corpus/translate
	cargo fuzz run -s none parse fuzz/corpus/parse fuzz/corpus/translate -- -max_total_time=$$(($(FUZZ) / 10))
	cargo fuzz run -s none translate -- -max_total_time=$$(($(FUZZ) * 9 / 10)) -max_len=16384

ulp: setup ## measure the error of every function of the library
	cargo run --release -p lanewise-ulp
	cargo run --release -p lanewise-ulp -- --relaxed

# The standard library is built for it, too: the sanitizer knows nothing of locks in code that is not. It does not bear forks.
tsan: setup ## run the runtime's tests under ThreadSanitizer
	rustup component add rust-src
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=thread CARGO_TARGET_DIR=$(TARGET)/tsan TSAN_OPTIONS=allocator_may_return_null=1 \
	    cargo test -Zbuild-std --target $$(rustc -vV | sed -n 's/^host: //p') -p lanewise-runtime --lib \
	    --test balance --test cores --test own_commands --test queues --test shapes

# LeakSanitizer as AddressSanitizer brings it: alone, GCC 12's does not bear threads that come and go. LLVM frees what it allocated
# in ways of its own.
LEAK_CHECK = LD_PRELOAD=$$(g++ -print-file-name=libasan.so) \
    ASAN_OPTIONS=detect_leaks=1:alloc_dealloc_mismatch=0:quarantine_size_mb=16

stress: setup ## an hour of everything at once on the driver (DURATION=seconds, LEAKS=1)
	cargo test -p lanewise-opencl --test stress --no-run
	STRESS_SECONDS=$(DURATION) $(if $(LEAKS),$(LEAK_CHECK)) \
	    $$(ls -t $(TARGET)/debug/deps/stress-* | grep -v '\.d$$' | head -1) --nocapture

test-clients: build ## install real OpenCL clients, run them against the driver
	@scripts/setup.sh clients
	@scripts/test-clients.sh $(DRIVER)

# In a folder of its own, so that builds for development and for packages do not undo each other.
PACKAGE := $(TARGET)/package/release

package: ## write a wheel, a .deb and a .tar.xz into dist/, with LLVM inside
	@scripts/setup.sh package
	CARGO_TARGET_DIR=$(TARGET)/package cargo build --release -p lanewise-opencl -p lanewise-launcher \
	    --features lanewise-opencl/static
	scripts/package.sh $(PACKAGE)/liblanewise_opencl.so $(PACKAGE)/lanewise-launcher

test-package: ## try the packages of dist/ where nothing else is installed (debootstrap needs root; TORCH=1)
	@scripts/setup.sh package
	TORCH=$(TORCH) scripts/test-package.sh

# Builds only when there is nothing to install, so that `make build && sudo make install` needs no
# cargo for root.
# The entry for OpenCL's loader goes where all loaders look, or under PREFIX for those who may not write there.
install: ## install the program, the OpenCL driver and the header under PREFIX (default /usr/local)
	@test -x $(LANEWISE) -a -e $(DRIVER) || $(MAKE) build
	install -D -m 755 $(LANEWISE) $(DESTDIR)$(PREFIX)/bin/lanewise
	install -D -m 755 $(DRIVER) $(DESTDIR)$(PREFIX)/lib/liblanewise_opencl.so
	install -D -m 644 scripts/gdb/lanewise.py $(DESTDIR)$(PREFIX)/share/lanewise/gdb/lanewise.py
	install -D -m 644 crates/native_cpu/include/lanewise_native_cpu.h $(DESTDIR)$(PREFIX)/include/lanewise_native_cpu.h
	@vendors=/etc/OpenCL/vendors; \
	if ! mkdir -p $(DESTDIR)$$vendors 2>/dev/null || ! test -w $(DESTDIR)$$vendors; then \
	    vendors=$(PREFIX)$$vendors; \
	    mkdir -p $(DESTDIR)$$vendors; \
	    echo "/etc/OpenCL/vendors cannot be written to. To show the driver to OpenCL's loader:"; \
	    echo "    export OCL_ICD_VENDORS=$$vendors"; \
	fi; \
	sed 's|^|$(PREFIX)/lib/|' crates/opencl/lanewise.icd > $(DESTDIR)$$vendors/lanewise.icd

uninstall: ## remove what `make install` installed
	rm -f $(DESTDIR)$(PREFIX)/bin/lanewise $(DESTDIR)$(PREFIX)/lib/liblanewise_opencl.so \
	    $(DESTDIR)$(PREFIX)/include/lanewise_native_cpu.h $(DESTDIR)$(PREFIX)/etc/OpenCL/vendors/lanewise.icd
	@icd=$(DESTDIR)/etc/OpenCL/vendors/lanewise.icd; \
	if test -w $$icd && grep -qxF $(PREFIX)/lib/liblanewise_opencl.so $$icd; then rm -f $$icd; fi

clean: ## remove everything that was built
	cargo clean
