/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture in a temporary folder, and what a test asks of it. */
#ifndef CAIRN_TESTS_FOLDER_H
#define CAIRN_TESTS_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/capture.h>

struct folder {
    char path[256];
};

/* cmocka set-up and tear-down: *state is a struct folder. */
int folder_make(void **state);
int folder_remove(void **state);

/* `name` may have folders in it ("bin/a"). */
void folder_write(const struct folder *folder, const char *name, const void *bytes, size_t size);
void folder_text(const struct folder *folder, const char *name, const char *text);
/* "FOLDER/name", valid until the fourth next call. */
const char *folder_path(const struct folder *folder, const char *name);

struct cairn_capture *open_ok(const char *path, const struct cairn_capture_options *options);
/* Expects the failure, and `part` in its sentence. */
void open_fails(const char *path, const struct cairn_capture_options *options, cairn_status status,
                const char *part);

struct cairn_source_info source_at(const struct cairn_capture *capture, size_t index);
struct cairn_buffer_info buffer_at(const struct cairn_capture *capture, size_t index);
/* How many remarks of this severity have `part` in them; an empty part counts all. */
unsigned remarks_with(const struct cairn_capture *capture, enum cairn_severity severity,
                      const char *part);
/* The value of a register; fails the test when it is absent. */
uint64_t register_of(const struct cairn_source_info *source, const char *name);
/* All bytes of a source, checked to be offered in order; the caller frees. */
uint8_t *read_source(const struct cairn_capture *capture, size_t source, size_t *size);
/* The byte that a source sees at an address in Non-secure EL1; -1: none. */
int memory_at(struct cairn_capture *capture, uint32_t source, uint64_t address);
int memory_in(struct cairn_capture *capture, uint32_t source, uint64_t address, unsigned el,
              enum cairn_security security);

/* The ranges of a source's flow, "INSTRUCTIONS@ADDRESS " each. */
void ranges_of(struct cairn_capture *capture, size_t source, char *text, size_t size);

#endif
