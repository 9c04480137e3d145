/* SPDX-License-Identifier: BSD-2-Clause */
/* The two files of a recording in the making, as they are on disk: in the byte order of the machine
 * that records, which is also the one that finishes.
 *
 * recording.ctl: struct cairn_journal_head, then CAIRN_JOURNAL_SOURCES rows of sources, of which
 * the file has as many as were needed. recording.code: records one behind the other, each a struct
 * cairn_journal_record and its payload, padded to 8 bytes; what counts are the first
 * control.code_bytes, stored when a record is complete. */
#ifndef CAIRN_MACHINE_JOURNAL_H
#define CAIRN_MACHINE_JOURNAL_H

#include "machine/recording.h"

#define CAIRN_JOURNAL_CTL "recording.ctl"
#define CAIRN_JOURNAL_CODE "recording.code"
#define CAIRN_JOURNAL_MEMORY "memory.bin"
/* recorder= in snapshot.ini: the folder is a recording's */
#define CAIRN_JOURNAL_RECORDER "cairn"

#define CAIRN_JOURNAL_MAGIC 0x4e524943u /* "CIRN" */
#define CAIRN_JOURNAL_VERSION 6u
#define CAIRN_JOURNAL_SOURCES 4096u /* what a snapshot's reader takes as well */
#define CAIRN_JOURNAL_NAME 64u
#define CAIRN_JOURNAL_NOTE 512u
#define CAIRN_JOURNAL_REGISTERS 512u /* of one source */

struct cairn_journal_row {
    _Atomic uint64_t bytes; /* of the source's file that count */
    uint64_t reserved;
    char name[CAIRN_JOURNAL_NAME];
};

struct cairn_journal_head {
    struct cairn_recording_control control;
    uint32_t protocol; /* enum cairn_protocol_id */
    uint32_t row_size;
    char core[CAIRN_JOURNAL_NAME];
    char note[CAIRN_JOURNAL_NOTE];
    struct cairn_journal_row rows[];
};

enum cairn_journal_kind {
    CAIRN_JOURNAL_SEEN = 1,     /* bytes at `address`, of which some were not known */
    CAIRN_JOURNAL_CHANGED = 2,  /* bytes that differ from those known: a new epoch, `value` */
    CAIRN_JOURNAL_SWITCHED = 3, /* `source` is in epoch `value` from `address` (a position) on */
    CAIRN_JOURNAL_REGISTERED =
        4,                     /* struct cairn_journal_register of `source`, instead of earlier */
    CAIRN_JOURNAL_MAPPED = 5,  /* a file's code at `address`, from epoch `value` on: struct
                                 cairn_journal_mapping, and the path without an end */
    CAIRN_JOURNAL_THREAD = 6,  /* `source` is of thread `value`: its name without an end, instead of
                                 earlier */
    CAIRN_JOURNAL_PROGRAM = 7, /* what runs: lines for program.ini */
    CAIRN_JOURNAL_VERSION_HAS =
        8, /* bytes at `address` of the page that is there in space `source` (enum
                                      cairn_pages_space), in its version `version`; 0 is the one it begins with */
    CAIRN_JOURNAL_TURNED =
        9 /* `source` has from `address` (a position) on `version` of the page of which
                                      `value` is the address and, in its low bits, the space */
};

struct cairn_journal_record {
    uint32_t kind;
    uint32_t size; /* of the payload without its padding */
    uint64_t address;
    uint64_t value;
    uint32_t source;
    uint32_t version;
};

struct cairn_journal_register {
    char name[24];
    uint64_t value;
};

/* The longest build-id in hexadecimal, and one more; none that is longer is noted. */
#define CAIRN_JOURNAL_BUILD_ID 136u

/* What a file was when it was mapped: its path may lead to another one by the time of the end. */
struct cairn_journal_file {
    uint64_t device, inode, bytes, seconds, nanoseconds; /* as stat has them; all 0: not known */
    uint64_t bias;
    uint32_t is_elf; /* it is one, and this is its bias and its build-id ("": it has none) */
    uint32_t reserved;
    char build_id[CAIRN_JOURNAL_BUILD_ID];
};

struct cairn_journal_mapping {
    uint64_t length;
    uint64_t offset;   /* in the file */
    uint64_t executed; /* an address in it of code that was executed */
    struct cairn_journal_file file;
};
#define CAIRN_JOURNAL_PATH 4096u /* the longest path, and one more */
#define CAIRN_JOURNAL_MAPPINGS 8192u
#define CAIRN_JOURNAL_VERSIONS 49152u         /* of pages, besides those they begin with */
#define CAIRN_JOURNAL_PROGRAM_MOST (1u << 20) /* bytes of those lines */
#define CAIRN_JOURNAL_THREAD_NAME 15u         /* the longest: Linux's TASK_COMM_LEN less its end */

/* A record more, of which no other call here knows. */
CAIRN_MUST_CHECK cairn_status cairn_journal_append(struct cairn_recording *recording,
                                                   struct cairn_journal_record record,
                                                   const void *payload);
/* Its number in the records. */
uint32_t cairn_journal_source(const struct cairn_recorded_source *source);

/* A letter, digit or one of "_.-" each, not a point first: such a name is a file's as well. Names
 * that the recording itself gives are taken. */
bool cairn_journal_name_ok(const char *name, size_t capacity);

/* FOLDER/NAMESUFFIX on the heap; NULL when memory is out. */
char *cairn_journal_path(const char *folder, const char *name, const char *suffix);

/* --- reading what a process left --- */

struct cairn_journal {
    const struct cairn_journal_head *head; /* both mapped, privately */
    size_t head_bytes;
    const uint8_t *code;
    size_t code_mapped, code_bytes; /* that count */
    size_t source_count;            /* rows that the file has */
};

/* Maps and checks both files. A missing or impossible recording.ctl is an error; of recording.code
 * what is there counts, and a missing one is an empty one. */
cairn_status cairn_journal_open(const char *folder, struct cairn_journal *journal,
                                struct cairn_error *error);
void cairn_journal_close(struct cairn_journal *journal);

/* The record at *position, and moves behind it; false at the end, or where no record can be. */
bool cairn_journal_next(const struct cairn_journal *journal, size_t *position,
                        struct cairn_journal_record *record, const uint8_t **payload);

#endif
