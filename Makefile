# SPDX-License-Identifier: BSD-2-Clause
# A thin door to meson and to scripts/. `make help` lists what there is.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CAPTURE ?=

.PHONY: help bootstrap build run test conformance bench fuzz soak install clean

help:
	@printf '%s\n' \
	  'make run [CAPTURE=path]  install what is missing, build, decode a capture' \
	  'make test                every test, under address and undefined-behaviour sanitizers' \
	  'make build               the program at $(BUILD)/cairn' \
	  'make install             program, library, headers, pkg-config file (PREFIX, DESTDIR)' \
	  'make conformance         which requirements of the specification are proved by a test' \
	  'make bench               speed beside libopencsd' \
	  'make fuzz                each fuzz target for a minute' \
	  'make soak                each fuzz target for ten minutes' \
	  'make clean               remove every build folder'

bootstrap:
	@scripts/bootstrap run

build: bootstrap
	@scripts/build $(BUILD) --prefix=$(PREFIX)

run: build
	@scripts/run $(BUILD)/cairn $(CAPTURE)

test:
	@scripts/bootstrap run test
	@scripts/build build
	@scripts/build build-test -Db_sanitize=address,undefined -Db_lundef=false
	@scripts/run-tests build-test build:smoke,cli,fuzz

conformance:
	@scripts/conformance

bench:
	@scripts/bootstrap run bench
	@scripts/build build
	@scripts/bench build

fuzz:
	@scripts/bootstrap run fuzz
	@scripts/fuzz 60

soak:
	@scripts/bootstrap run fuzz
	@scripts/fuzz 600

install: build
	@meson install -C $(BUILD) --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

clean:
	@rm -rf build build-*
