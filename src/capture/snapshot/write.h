/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the INI files of a snapshot (Arm Trace and Debug Snapshot file format 0.2) into a folder
 * that has its trace and memory files: what cairn_capture_open reads back without a remark.
 *
 * Every stream is a trace source with a trace buffer without frames (source_data), so their number
 * is not bound by trace IDs. */
#ifndef CAIRN_CAPTURE_SNAPSHOT_WRITE_H
#define CAIRN_CAPTURE_SNAPSHOT_WRITE_H

#include <cairn/packet.h>

/* A part of a file in the folder, and where it was in memory: of all streams. */
struct cairn_snapshot_span {
    const char *file;
    uint64_t address, length, offset;
    const char *space; /* as a dump's; or NULL */
};

/* Memory as it was while a stream's bytes [from, to) were written; `to` UINT64_MAX: to the end.
 * Where two have an address and an offset in common, the later one of the list counts. */
struct cairn_snapshot_epoch {
    struct cairn_snapshot_span span;
    uint64_t from, to;
};

/* Whether a snapshot can be written of a source of this protocol. */
bool cairn_snapshot_takes(enum cairn_protocol_id protocol);

struct cairn_snapshot_stream {
    const char *name;      /* of the trace source and its buffer; the device file is NAME.ini */
    const char *core;      /* its core; the device file is CORE.ini */
    const char *core_type; /* "Cortex-A53"; NULL: not known */
    const char *file;      /* trace bytes */
    enum cairn_protocol_id protocol;
    const struct cairn_register *registers; /* the trace ID is added where it is missing or 0 */
    size_t register_count;
    const struct cairn_snapshot_epoch *epochs;
    size_t epoch_count;
    uint64_t epochs_lost;    /* that the snapshot has no room for: readers are told */
    uint64_t lost_from;      /* in front of this byte none is; 0: not known */
    uint64_t thread_id;      /* of the thread that was traced; 0: not known */
    const char *thread_name; /* or NULL */
};

/* A part of a stream's bytes; `to` UINT64_MAX: to the end. */
struct cairn_snapshot_range {
    const char *stream;
    uint64_t from, to;
};

/* A file whose code was executed. */
struct cairn_snapshot_module {
    const char *path;
    const char *build_id;                      /* or NULL */
    const char *file;                          /* a copy of it in the folder, or NULL */
    uint64_t bias;                             /* address in memory minus address in the file */
    uint64_t address, length;                  /* `length` 0: all that the file loads */
    const struct cairn_snapshot_range *ranges; /* NULL: always; else then, and at no other time */
    size_t range_count;
};

struct cairn_snapshot_parts {
    const char *folder;
    const char *recorder;    /* the program that wrote it: a word */
    const char *description; /* one line, or NULL */
    const struct cairn_snapshot_span *memory;
    size_t memory_count;
    const struct cairn_snapshot_stream *streams;
    size_t stream_count;
    /* What goes into program.ini, which is written if there is any of it: */
    const char *program;    /* its file, or NULL */
    char *const *arguments; /* NULL behind the last; or NULL */
    int exit_status;        /* 128 + N: ended by signal N; -1: not known */
    const char *signal;     /* "SIGSEGV"; these may be NULL: */
    const char *tool;       /* that recorded, with its version */
    const char *host, *guest;
    const char *started_in;   /* folder */
    char *const *environment; /* "NAME=value" each, NULL behind the last */
    const char *lines; /* all of that, as cairn_snapshot_program_lines made it, instead; or NULL */
    const struct cairn_snapshot_module *modules;
    size_t module_count;
};

/* What program.ini has of the program itself: lines, each with its end. On the heap; NULL when memory is
 * out. */
char *cairn_snapshot_program_lines(const struct cairn_snapshot_parts *parts);

/* The most spans, and the most epochs of all sources, that a snapshot should have: readers stop
 * somewhere. */
#define CAIRN_SNAPSHOT_DUMPS_MOST 49152u
#define CAIRN_SNAPSHOT_EPOCHS_MOST 49152u
/* The most [dump] sections when every core lists all the memory. */
#define CAIRN_SNAPSHOT_REPEATED_MOST 8192u

/* Writes all files, snapshot.ini last; files of these names are replaced. Every stream has its
 * core, and every core lists all the memory, since some readers know of a source only the memory of
 * its own core; where that would be more than CAIRN_SNAPSHOT_REPEATED_MOST sections, the first
 * stream's core is that of all. cairn_snapshot_takes every stream's protocol. */
CAIRN_MUST_CHECK cairn_status cairn_snapshot_write(const struct cairn_snapshot_parts *parts,
                                                   struct cairn_error *error);

#endif
