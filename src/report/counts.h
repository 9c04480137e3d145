/* SPDX-License-Identifier: BSD-2-Clause */
/* What was counted of captures, to be kept, merged and looked at later: by files and addresses in them, so that
 * it does not matter where a program was loaded, nor on which machine. docs/fleet.md describes the file.
 *   counts.c       tables, put in order and added up: what merging is
 *   counts_file.c  bytes of a file
 *   counts_id.c    what files that were executed are told apart by
 *   counts_take.c  from what a capture executed (counts_tree.c: the chains of calls; counts_versions.c: which memory
 *                  changed)
 *   counts_give.c  back into a profile; counts_answers.c: into coverage, and a profile for compilers
 *
 * All is rows of numbers. A table's first columns tell its rows apart, the others are added up where these are the
 * same; so the order in which counts are merged does not matter. */
#ifndef CAIRN_REPORT_COUNTS_H
#define CAIRN_REPORT_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

#include "base/table.h"
#include "report/counts_id.h"

#define CAIRN_COUNTS_VERSION 2u
#define CAIRN_COUNTS_COLUMNS_MOST 16u
/* Rows of a table, and texts; more are CAIRN_E_LIMIT. */
#define CAIRN_COUNTS_ROWS_MOST ((size_t)1 << 27)

/* In the order in which they are in the file: what is referred to comes first. */
enum cairn_counts_table_id {
    CAIRN_COUNTS_FLAGS,   /* which | set */
    CAIRN_COUNTS_SUMS,    /* which | value */
    CAIRN_COUNTS_ARCHS,   /* profile, major, minor, features */
    CAIRN_COUNTS_OBJECTS, /* id | path, kind, lowest and highest bias that it was loaded with */
    CAIRN_COUNTS_SOURCES, /* capture, index, name, fingerprint, protocol, arch, size | bytes counted, instructions, cycles, overflows, which bytes */
    CAIRN_COUNTS_BINARIES, /* identity of one without build-id, build-id | base, file, executed, path, whether it was recorded */
    CAIRN_COUNTS_REGISTERS, /* source, number, name, value */
    CAIRN_COUNTS_ACCOUNTS, /* source, account | bytes, packets (modulo 2^64), whether path was lost */
    CAIRN_COUNTS_MEMORY, /* object, version, address, order, object whose memory it is, place, bytes */
    CAIRN_COUNTS_BLOCKS, /* object, address, size, instructions, isa, size of the last one, flags, version | arch, more flags, executed, taken, cycles */
    CAIRN_COUNTS_NODES, /* id (2), parent's id (2), source, vmid, context, object, address, exception, object and address of the site | kind, calls, instructions, cycles */
    CAIRN_COUNTS_MISSING,   /* address | times */
    CAIRN_COUNTS_RANGES,    /* binary, first, last | count */
    CAIRN_COUNTS_ADDRESSES, /* binary, address | count */
    CAIRN_COUNTS_BRANCHES, /* binary, address; of the target binary, address; has target, is indirect | count, mispredicted */
    CAIRN_COUNTS_TABLES,
};

enum cairn_counts_flag {
    CAIRN_COUNTS_SATURATED = 0,    /* a count would not have fitted, and is 2^64 - 1 */
    CAIRN_COUNTS_NO_CALLS = 1,     /* there are no chains of calls of some */
    CAIRN_COUNTS_HAS_CALLS = 2,    /* and of others there are */
    CAIRN_COUNTS_IS_FULL = 3,      /* more chains than are kept */
    CAIRN_COUNTS_WHOLE_RANGES = 4, /* of some, */
    CAIRN_COUNTS_SHORT_RANGES = 5, /* and of others they end at branches that are not taken, too */
    CAIRN_COUNTS_MORE_MISSING = 6,
    CAIRN_COUNTS_PARTIAL = 7, /* decoding was stopped */
};

enum cairn_counts_sum {
    CAIRN_COUNTS_OUTSIDE = 0,  /* instructions of no file */
    CAIRN_COUNTS_LEFT_OUT = 1, /* executions for which there was no room */
    CAIRN_COUNTS_REFUSED = 2,  /* sources that could not be decoded */
};

/* Columns, by table. */
enum {
    CAIRN_COUNTS_OBJECT_ID,
    CAIRN_COUNTS_OBJECT_PATH,
    CAIRN_COUNTS_OBJECT_KIND,
    CAIRN_COUNTS_OBJECT_BIAS,
    CAIRN_COUNTS_OBJECT_BIAS_MOST
};
enum {
    CAIRN_COUNTS_SOURCE_CAPTURE,
    CAIRN_COUNTS_SOURCE_INDEX,
    CAIRN_COUNTS_SOURCE_NAME,
    CAIRN_COUNTS_SOURCE_FINGERPRINT,
    CAIRN_COUNTS_SOURCE_PROTOCOL,
    CAIRN_COUNTS_SOURCE_ARCH,
    CAIRN_COUNTS_SOURCE_SIZE,
    CAIRN_COUNTS_SOURCE_BYTES,
    CAIRN_COUNTS_SOURCE_INSTRUCTIONS,
    CAIRN_COUNTS_SOURCE_CYCLES,
    CAIRN_COUNTS_SOURCE_OVERFLOWS,
    CAIRN_COUNTS_SOURCE_WHICH
};
enum {
    CAIRN_COUNTS_BINARY_KEY,
    CAIRN_COUNTS_BINARY_BUILD_ID,
    CAIRN_COUNTS_BINARY_BASE,
    CAIRN_COUNTS_BINARY_FILE,
    CAIRN_COUNTS_BINARY_EXECUTED,
    CAIRN_COUNTS_BINARY_PATH,
    CAIRN_COUNTS_BINARY_RECORDED
};
enum {
    CAIRN_COUNTS_BLOCK_OBJECT,
    CAIRN_COUNTS_BLOCK_ADDRESS,
    CAIRN_COUNTS_BLOCK_SIZE,
    CAIRN_COUNTS_BLOCK_INSTRUCTIONS,
    CAIRN_COUNTS_BLOCK_ISA,
    CAIRN_COUNTS_BLOCK_LAST_SIZE,
    CAIRN_COUNTS_BLOCK_FLAGS,
    CAIRN_COUNTS_BLOCK_VERSION,
    CAIRN_COUNTS_BLOCK_ARCH,
    CAIRN_COUNTS_BLOCK_MORE_FLAGS,
    CAIRN_COUNTS_BLOCK_EXECUTED,
    CAIRN_COUNTS_BLOCK_TAKEN,
    CAIRN_COUNTS_BLOCK_CYCLES
};
enum {
    CAIRN_COUNTS_MEMORY_OBJECT,
    CAIRN_COUNTS_MEMORY_VERSION,
    CAIRN_COUNTS_MEMORY_ADDRESS,
    CAIRN_COUNTS_MEMORY_ORDER,
    CAIRN_COUNTS_MEMORY_OWNER,
    CAIRN_COUNTS_MEMORY_PLACE,
    CAIRN_COUNTS_MEMORY_BYTES,
    CAIRN_COUNTS_MEMORY_COLUMNS
};
enum {
    CAIRN_COUNTS_NODE_ID,
    CAIRN_COUNTS_NODE_ID_2,
    CAIRN_COUNTS_NODE_PARENT,
    CAIRN_COUNTS_NODE_PARENT_2,
    CAIRN_COUNTS_NODE_SOURCE,
    CAIRN_COUNTS_NODE_VMID,
    CAIRN_COUNTS_NODE_CONTEXT,
    CAIRN_COUNTS_NODE_OBJECT,
    CAIRN_COUNTS_NODE_ADDRESS,
    CAIRN_COUNTS_NODE_EXCEPTION,
    CAIRN_COUNTS_NODE_SITE_OBJECT,
    CAIRN_COUNTS_NODE_SITE,
    CAIRN_COUNTS_NODE_KIND,
    CAIRN_COUNTS_NODE_CALLS,
    CAIRN_COUNTS_NODE_INSTRUCTIONS,
    CAIRN_COUNTS_NODE_CYCLES
};

/* What an object is. */
enum cairn_counts_object_kind {
    CAIRN_COUNTS_FILE = 0,   /* a file with its code */
    CAIRN_COUNTS_NAMES = 1,  /* one that only names the code, which is in MEMORY */
    CAIRN_COUNTS_UNNAMED = 2 /* memory of no file: addresses are those of the program */
};

/* Memory is of version 0, and kept by the page; but where there are several at one address it is kept by the block. A
 * version is then a number made of the block's bytes and of where the capture has them; the place is that of a row. */
#define CAIRN_COUNTS_PAGE UINT64_C(4096)

/* Of code without a symbol. */
#define CAIRN_COUNTS_NO_SYMBOL UINT64_MAX

/* What a column is. */
enum cairn_counts_column {
    CAIRN_COLUMN_NONE = 0,
    CAIRN_COLUMN_NUMBER,
    CAIRN_COLUMN_TEXT,   /* which text */
    CAIRN_COLUMN_ARCH,   /* which row of that table; where rows are one, the first */
    CAIRN_COLUMN_OBJECT, /* the same and 1; 0: none */
    CAIRN_COLUMN_SOURCE,
    CAIRN_COLUMN_BINARY, /* the same and 1; 0: none */
    /* where rows are one: */
    CAIRN_COLUMN_SUM,    /* at most 2^64 - 1 */
    CAIRN_COLUMN_MODULO, /* sum modulo 2^64 */
    CAIRN_COLUMN_LEAST,
    CAIRN_COLUMN_LEAST_TEXT,
    CAIRN_COLUMN_MOST,
    CAIRN_COLUMN_BITS, /* or */
};

struct cairn_counts_text {
    char *bytes; /* with a 0 behind; owned */
    size_t size;
};

struct cairn_counts_rows {
    uint64_t *cells;
    size_t count, room;
};

/* Zero it, and clear it in the end. */
struct cairn_counts {
    struct cairn_counts_text *texts;
    size_t text_count, text_room;
    struct cairn_table by_text;
    struct cairn_counts_rows tables[CAIRN_COUNTS_TABLES];
    size_t settled; /* rows of all tables after it was settled last */
};

struct cairn_counts_schema {
    uint8_t keys, columns;
    bool needs_sum; /* a row whose sums are 0 says nothing */
    uint8_t column[CAIRN_COUNTS_COLUMNS_MOST];
};
extern const struct cairn_counts_schema cairn_counts_schemas[CAIRN_COUNTS_TABLES];

void cairn_counts_clear(struct cairn_counts *counts);

/* Which text it is, added if need be. CAIRN_E_MEMORY, CAIRN_E_LIMIT. */
CAIRN_MUST_CHECK cairn_status cairn_counts_text(struct cairn_counts *counts, const char *bytes,
                                                size_t size, uint64_t *text);
CAIRN_MUST_CHECK cairn_status cairn_counts_add(struct cairn_counts *counts,
                                               enum cairn_counts_table_id table,
                                               const uint64_t *cells);
static inline const uint64_t *cairn_counts_row(const struct cairn_counts *counts,
                                               enum cairn_counts_table_id table, uint64_t row)
{
    return counts->tables[table].cells + (size_t)row * cairn_counts_schemas[table].columns;
}
uint64_t cairn_counts_flag(const struct cairn_counts *counts, enum cairn_counts_flag flag);
uint64_t cairn_counts_sum(const struct cairn_counts *counts, enum cairn_counts_sum sum);
/* Which bytes of a source were counted: added up modulo 2^64, those of parts give that of the whole when each byte is
 * in one of them. */
uint64_t cairn_counts_which(uint64_t from, uint64_t to);
/* Whether each byte of a source was counted, and once. */
bool cairn_counts_is_whole(const struct cairn_counts *counts, size_t source);
/* The first row of settled counts whose first column is `wanted` or more. */
size_t cairn_counts_first_of(const struct cairn_counts *counts, enum cairn_counts_table_id table,
                             uint64_t wanted);

/* Puts all in order, and adds up what is the same. */
CAIRN_MUST_CHECK cairn_status cairn_counts_settle(struct cairn_counts *counts);
/* The same of one table that nothing refers to. */
CAIRN_MUST_CHECK cairn_status cairn_counts_compact(struct cairn_counts *counts,
                                                   enum cairn_counts_table_id table);
/* Adds all of `other`, settled now and then. */
CAIRN_MUST_CHECK cairn_status cairn_counts_merge(struct cairn_counts *counts,
                                                 const struct cairn_counts *other);

/* --- counts_file.c --- */

bool cairn_counts_is_file(const char *path);
/* Its bytes, to be freed; settle it first. */
CAIRN_MUST_CHECK cairn_status cairn_counts_write(const struct cairn_counts *counts, uint8_t **bytes,
                                                 size_t *size);
/* `name` is for messages. CAIRN_E_FORMAT, CAIRN_E_UNSUPPORTED (another version), CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_counts_read(struct cairn_counts *counts, const char *name,
                                                const uint8_t *bytes, size_t size,
                                                struct cairn_error *error);
/* The same of the file at `path`; CAIRN_E_NOT_FOUND, CAIRN_E_IO. */
CAIRN_MUST_CHECK cairn_status cairn_counts_open(struct cairn_counts *counts, const char *path,
                                                const char *name, struct cairn_error *error);

#endif
