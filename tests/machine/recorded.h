/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings for tests, and what is asked of the snapshot that becomes of them. */
#ifndef CAIRN_TESTS_RECORDED_H
#define CAIRN_TESTS_RECORDED_H

#include "folder.h"
#include "machine/recording.h"

/* ADD, B to it; and B to itself, which may stand instead of the ADD. */
enum { CODE = 0x1000 };
extern const uint8_t recorded_loop[8], recorded_self[4];

/* A-sync, Trace Info, Context and Target Address CODE (DDI0608 D5): 24 bytes. Then E Atoms. */
extern const uint8_t recorded_start[24];
#define ATOM_E 0xf7

/* FOLDER/record */
const char *record_path(const struct folder *folder);
struct cairn_recording *record_new(const struct folder *folder);
struct cairn_recorded_source *record_source(struct cairn_recording *recording, const char *name);
/* With the registers of a unit of ETE as it is out of reset. */
void record_describe(struct cairn_recorded_source *source);
void record_bytes(struct cairn_recorded_source *source, const void *bytes, size_t size);
struct cairn_recording_result finish_ok(const struct folder *folder);
/* Opens what became of it; there must be no remark. */
struct cairn_capture *open_finished(const struct folder *folder);

/* Byte `at` of a stream that is told by its number. */
uint8_t pattern(unsigned stream, uint64_t at);
/* Appends [from, from + size) of that. */
void record_pattern(struct cairn_recorded_source *source, unsigned stream, uint64_t from,
                    size_t size);
/* Checks that a source's bytes are that; returns how many. */
uint64_t check_pattern(const struct cairn_capture *capture, size_t source, unsigned stream);

/* The whole file, on the heap; fails the test when it is not there. */
uint8_t *read_whole(const char *path, size_t *size);

#endif
