/* SPDX-License-Identifier: BSD-2-Clause */
/* A second writer of ETMv3 trace, for tests: what a trace unit would have written about a list of
 * events. It shares nothing with the library, not a header: bytes are laid out here from IHI0014
 * chapter 7 alone (issue Q for what ETMv3.5 added), and addresses are compressed against a state of
 * its own. Every function names the section that it follows. */
#ifndef CAIRN_TESTS_PROTOCOL_SECOND_WRITER_H
#define CAIRN_TESTS_PROTOCOL_SECOND_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "second_atoms.h"

/* How the unit was built and programmed. */
struct second_settings {
    unsigned minor;         /* ETMv3.minor */
    bool m_profile;         /* ARMv7-M */
    bool alternative;       /* ETMIDR[20]: the alternative address compression (v3.4) */
    bool cycle_accurate;    /* ETMCR[12] */
    bool addresses;         /* ETMCR[3]: data addresses */
    bool values;            /* ETMCR[2]: data values */
    bool data_only;         /* ETMCR[20] */
    unsigned context_bytes; /* ETMCR[15:14]: 0, 1, 2 or 4 */
    bool wide_time;         /* ETMCCER[29]: timestamps of 64 bits, not 48 */
    bool binary_time;       /* ETMCCER[28]: natural binary, not Gray */
};

enum second_state { SECOND_ARM, SECOND_THUMB, SECOND_JAZELLE, SECOND_THUMBEE };

/* Where the processor is. */
struct second_place {
    uint32_t address;
    enum second_state state;
    bool nonsecure;
    bool hyp;
};

enum second_kind {
    SECOND_A_SYNC,
    SECOND_I_SYNC,
    SECOND_ATOMS,
    SECOND_BRANCH,
    SECOND_DATA,
    SECOND_PLACEHOLDER,
    SECOND_LATE_DATA,
    SECOND_NOT_TRACED,
    SECOND_SUPPRESSED,
    SECOND_STORE_FAILED,
    SECOND_CONTEXT_ID,
    SECOND_VMID,
    SECOND_TIMESTAMP,
    SECOND_CYCLE_COUNT,
    SECOND_TRIGGER,
    SECOND_IGNORE,
    SECOND_EXCEPTION_ENTRY,
    SECOND_EXCEPTION_EXIT,
    SECOND_KIND_COUNT
};

enum { SECOND_ATOMS_MAX = 63 };

/* Something that happened. Which members count is by the kind. */
struct second_event {
    enum second_kind kind;
    struct second_place place; /* BRANCH: the destination; I_SYNC: the next instruction */

    /* BRANCH */
    unsigned exception; /* 0: none; with `old`: EEE */
    bool cancel;
    unsigned resume;
    bool old; /* the deprecated form in five bytes, ARM state */

    /* I_SYNC */
    unsigned reason;
    bool in_progress;                 /* LSiP: `place` is that of the data instruction ... */
    struct second_place current;      /* ... and this of the current one */
    bool has_count;                   /* I_SYNC: with cycle count */
    uint32_t cycles;                  /* I_SYNC, CYCLE_COUNT */
    uint32_t id;                      /* I_SYNC, CONTEXT_ID: Context ID; VMID */
    char atoms[SECOND_ATOMS_MAX + 1]; /* "WEWN" */

    /* DATA, PLACEHOLDER, NOT_TRACED; value and tag LATE_DATA, too */
    bool has_address;
    uint32_t data_address;
    bool big_endian;
    bool whole; /* D-sync: all five bytes; TIMESTAMP: all bytes */
    uint32_t value;
    unsigned tag;

    /* More than is needed: the specification says which bits have to be there, and forbids no
     * others. */
    unsigned spare; /* BRANCH, DATA ...: so many address bytes more, if there are any */
    bool informed;  /* BRANCH: exception information byte 0 in any case */

    uint64_t time; /* TIMESTAMP */
    bool clock_changed;
};

enum { SECOND_BYTES_MAX = 1 << 16 };

struct second_writer {
    struct second_settings settings;
    uint64_t seed; /* 0: the longest P-headers; else any legal ones */
    /* What another wrote of the same events, or NULL. Which P-headers say some atoms is free
     * (7.3.1): those that stand in `lead` where one is due are taken, if they are legal there. All
     * else is worked out, and `lead` never looked at. */
    const uint8_t *lead;
    size_t lead_size;
    /* What the decompressor knows. */
    struct second_place base; /* the last address broadcast */
    bool data_known;
    uint32_t data_address;
    bool data_big_endian;
    bool time_known;
    uint64_t time_code;
    /* What was chosen, for another who has to write the same: the P-headers of the last atoms, of
     * which only so many are kept, and of the last address how many bytes it took. */
    size_t header_count;
    struct second_header headers[SECOND_ATOMS_MAX];
    unsigned address_bytes;
    /* What was written. */
    size_t size;
    uint8_t bytes[SECOND_BYTES_MAX];
};

void second_begin(struct second_writer *writer, const struct second_settings *settings,
                  uint64_t seed);

/* Writes an event. False: it cannot be traced under these settings, or there is no room; nothing
 * was written then. */
bool second_write(struct second_writer *writer, const struct second_event *event);

/* The same of atoms alone, SECOND_RUN_MAX at most: more than an event has. */
bool second_write_atoms(struct second_writer *writer, const char *atoms);

/* Whether P-headers of this version can say these atoms. */
bool second_can_say(const struct second_settings *settings, const char *atoms);

#endif
