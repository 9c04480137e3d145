/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a source of a recording: in which stretches of its trace which blocks of code were
 * executed, so that one visit of a function is found in a long trace that nobody decodes. `cairn record`
 * writes it beside the trace (NAME.index beside NAME.bin). docs/formats.md has its bytes.
 *
 * It is believed as far as the trace, what configures its decoder, the memory and the program's version
 * are the same as when it was made: the first of these is looked at block by block, before anything of
 * it is left out. Without it, or from where it does not fit on, all is decoded. */
#ifndef CAIRN_CLI_INDEX_INDEX_H
#define CAIRN_CLI_INDEX_INDEX_H

#include "cli/index/stretches.h"

/* A trace of fewer bytes is scanned in no time. */
#define CLI_INDEX_LEAST ((uint64_t)16 << 20)
/* From here on a scan takes the better part of a second, and a recording has an index unasked. */
#define CLI_INDEX_UNASKED ((uint64_t)128 << 20)

#define CLI_INDEX_MAGIC "CAIRNIX1"
#define CLI_INDEX_MAGIC_BYTES 8u
#define CLI_INDEX_HEADER 32u /* magic, key, size of the trace, how many blocks of it have a hash */
#define CLI_INDEX_BLOCK ((uint64_t)256 << 10) /* of the trace */
#define CLI_INDEX_CHECK 4u                    /* bytes behind each record */
#define CLI_INDEX_RECORD_MOST ((size_t)64 << 20)

/* Flags of a record. */
#define CLI_INDEX_WHOLE 1u /* nothing of the stretch may be left out */

/* --- index.c --- */

/* Of a chain of hashes: that of what was before, or a number. Not for those who mean harm. */
uint64_t cli_index_hash(uint64_t before, const uint8_t *bytes, size_t size);

/* Of all that the flow of a source depends on, beside its trace. */
uint64_t cli_index_key(struct cairn_capture *capture, size_t source);

/* Where the index of a source is; NULL: it can have none. For free(). */
char *cli_index_path(const struct cairn_capture *capture, size_t source);

/* How many blocks there are, and the next one of a reader that is at the beginning of one: its hash. */
uint64_t cli_index_blocks(uint64_t size);
struct cli_index_bytes {
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    uint8_t *bytes; /* CLI_INDEX_BLOCK */
    size_t used;    /* of the chunk */
};
CAIRN_MUST_CHECK cairn_status cli_index_block(struct cli_index_bytes *bytes, uint64_t size,
                                              uint64_t *hash);

/* Numbers of up to ten bytes, the lowest seven bits first. */
#define CLI_INDEX_NUMBER_MOST 10u
size_t cli_index_put(uint8_t *to, uint64_t number);
/* False: they end before it does. */
bool cli_index_get(const uint8_t **at, const uint8_t *end, uint64_t *number);

/* --- index_write.c --- */

/* Writes the index of a source, unless it would be of no use. Nothing is left of one that could not be
 * written; `progress` as in struct cairn_pipeline_options. */
CAIRN_MUST_CHECK cairn_status cli_index_write(struct cairn_capture *capture, size_t source,
                                              uint32_t jobs,
                                              int (*progress)(void *context, uint64_t done),
                                              void *context);

/* --- index_check.c --- */

/* Looks at a trace of `size` bytes, from its beginning on, by the hashes in the index at `path`. */
struct cli_index_check;
CAIRN_MUST_CHECK cairn_status cli_index_check_new(const struct cli_plan_of *of, const char *path,
                                                  uint64_t size, struct cli_index_check **check);
void cli_index_check_free(struct cli_index_check *check); /* NULL is fine */
/* True: all before `to` is what it was. Else something is not, or cannot be read. */
bool cli_index_check_to(struct cli_index_check *check, uint64_t to);
/* How far that is known now. */
uint64_t cli_index_check_done(struct cli_index_check *check);

/* --- index_read.c --- */

/* *index NULL: there is none that fits, or what is looked for is in so much of the trace that leaving the
 * rest out is no gain. */
struct cli_index;
CAIRN_MUST_CHECK cairn_status cli_index_open(const struct cli_plan_of *of,
                                             struct cli_index **index);
void cli_index_free(struct cli_index *index); /* NULL is fine */
cli_stretch_next cli_index_next;

#endif
