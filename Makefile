# SPDX-License-Identifier: BSD-2-Clause
# A thin door to meson and to scripts/. `make help` lists what there is.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CAPTURE ?=
FULL    ?=
comma   := ,
space   := $(subst ,, )
# The suites that run without sanitizers.
PLAIN   := smoke,bounds,fuzz,feeds,long,$(if $(FULL),random$(comma)pe,minutes)

.PHONY: help bootstrap build run check test cross conformance bench fuzz soak format install clean

help:
	@printf '%s\n' \
	  'make run [CAPTURE=path]  install what is missing, build, record a program, decode it' \
	  'make check               the quick tests: no sanitizers, no random, long or recorded ones' \
	  'make test [FULL=1]       every test, most under sanitizers; FULL=1: all of them, and all random seeds' \
	  'make cross               the short tests on other machines: big-endian (s390x), 32-bit (i386)' \
	  'make build               the program at $(BUILD)/cairn' \
	  'make install             program, library, headers, manual pages, completions (PREFIX, DESTDIR)' \
	  'make conformance         which requirements of the specification are proved by a test' \
	  'make bench               speed beside libopencsd, and of recording beside plain QEMU' \
	  'make fuzz                each fuzz target for a minute' \
	  'make soak                each fuzz target for ten minutes, ten million round trips, an hour of mutants' \
	  'make format              the C sources as .clang-format has them (clang-format 14)' \
	  'make clean               remove every build folder'

bootstrap:
	@scripts/bootstrap run

build: bootstrap
	@scripts/build $(BUILD) --prefix=$(PREFIX)

run: build
	@scripts/run $(BUILD)/cairn $(CAPTURE)

check:
	@scripts/bootstrap run test
	@scripts/build build
	@scripts/run-tests --quick build

test:
	@scripts/bootstrap run test
	@scripts/build build -Dfull=$(if $(FULL),true,false$(space)--$(space)build.ninja)
	@$(if $(FULL),true,scripts/build build -- $$(scripts/targets build $(PLAIN)))
	@{ scripts/arm64-programs build/arm64; scripts/board build/board >/dev/null 2>&1; } & \
	CC='$(CC) -no-pie' CC_LD=$$(command -v ld.gold >/dev/null && echo gold || echo bfd) scripts/build build-test -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Dc_args='-g1 -fsanitize-undefined-trap-on-error' -Dfull=$(if $(FULL),true,false); status=$$?; wait; exit $$status
	@$(if $(FULL),CAIRN_FULL=1) scripts/run-tests build-test$(if $(FULL),,:-minutes) build:$(PLAIN)$(if $(FULL),,$(comma)-boots)

cross:
	@scripts/cross s390x i386

conformance:
	@scripts/bootstrap run test
	@scripts/build build
	@scripts/conformance

bench:
	@scripts/bootstrap run bench
	@scripts/build build
	@scripts/arm64-programs build/arm64
	@scripts/bench build
	@bench/answers.py build/cairn build/bench-programs
	@bench/record.py build/cairn build/arm64/root --long --machine $${CAIRN_BOARD:-build/board}

fuzz:
	@scripts/bootstrap run fuzz
	@scripts/fuzz 60

soak:
	@scripts/bootstrap run test fuzz
	@scripts/fuzz 600; fuzz=$$?; scripts/soak-roundtrip; trips=$$?; \
	scripts/mutate --time 3600 --count 1000000 --seed $$(date +%s) --least 90; exit $$((fuzz + trips + $$?))

format:
	@scripts/bootstrap format
	@scripts/format

install: build
	@meson install -C $(BUILD) --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

clean:
	@rm -rf build build-*
