/* SPDX-License-Identifier: BSD-2-Clause */
/* A second writer of PTM trace, for tests: it shares nothing with the library, not a header. Bytes
 * are laid out here from IHI0035 chapter 4 alone, in ARM and Thumb state. */
#ifndef CAIRN_TESTS_PROTOCOL_SECOND_PTM_H
#define CAIRN_TESTS_PROTOCOL_SECOND_PTM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the unit was built and programmed. */
struct ptm_settings {
    unsigned minor;         /* PFT 1.minor */
    bool cycles;            /* ETMCR[12] */
    unsigned context_bytes; /* ETMCR[15:14]: 0, 1, 2 or 4 */
    bool wide_time;         /* ETMCCER[29]: timestamps of 64 bits, not 48 */
    bool binary_time;       /* ETMCCER[28]: natural binary, not Gray */
};

struct ptm_place {
    uint32_t address;
    bool thumb, nonsecure, hyp;
};

enum ptm_event_kind {
    PTM_A_SYNC,
    PTM_I_SYNC,
    PTM_ATOM,
    PTM_BRANCH,
    PTM_UPDATE,
    PTM_CONTEXT_ID,
    PTM_VMID,
    PTM_TIMESTAMP,
    PTM_RETURN,
    PTM_TRIGGER,
    PTM_EVENT_KINDS
};

/* Something that happened. Which members count is by the kind. */
struct ptm_event {
    enum ptm_event_kind kind;
    struct ptm_place place; /* I_SYNC, BRANCH, UPDATE */
    unsigned reason;        /* I_SYNC */
    unsigned exception;     /* BRANCH; 0: the branch is a waypoint's */
    bool executed;          /* ATOM: E */
    uint32_t cycles;        /* since the count before */
    uint32_t id;            /* I_SYNC, CONTEXT_ID; VMID */
    uint64_t time;
    bool clock_changed;
    bool whole; /* TIMESTAMP: all its bytes; BRANCH: those of its address */
};

enum { PTM_BYTES_MAX = 1 << 16, PTM_RUN_MAX = 1024, PTM_ATOMS_MAX = 5 };

struct ptm_writer {
    struct ptm_settings settings;
    struct ptm_place base; /* of the last branch packet or I-sync */
    uint64_t time_code;    /* as traced */
    size_t atoms;          /* that have no packet yet */
    bool executed[PTM_RUN_MAX];
    /* What another wrote of the same events, or NULL. How many atoms go into a packet is free
     * (4.2): as many as `lead` has where a packet is due, if it is one of these atoms. All else is
     * worked out, and `lead` never looked at. */
    const uint8_t *lead;
    size_t lead_size;
    size_t size;
    uint8_t bytes[PTM_BYTES_MAX];
};

/* Without `lead` the writer packs five atoms into a packet, and what there is in front of any other
 * packet: more often than it must (4.2). */
void ptm_second_begin(struct ptm_writer *writer, const struct ptm_settings *settings);
void ptm_second_write(struct ptm_writer *writer, const struct ptm_event *event);
void ptm_second_end(struct ptm_writer *writer);

#endif
