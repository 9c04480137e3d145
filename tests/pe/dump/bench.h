/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace buffer of 8 KiB, and its registers. Positions of fields are written down here once more, so
 * that a wrong one in the library shows. */
#ifndef CAIRN_TESTS_PE_DUMP_BENCH_H
#define CAIRN_TESTS_PE_DUMP_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/trbe.h>

#define BASE UINT64_C(0xffff000010000000)
#define SIZE UINT64_C(0x2000)
#define LIMIT (BASE + SIZE)

/* TRBLIMITR_EL1 */
#define LIMITR_E UINT64_C(1)
#define FILL UINT64_C(0)
#define WRAP_MODE (UINT64_C(1) << 1)
#define FM_RESERVED (UINT64_C(2) << 1)
#define CIRCULAR (UINT64_C(3) << 1)
#define STOP_ON_TRIGGER UINT64_C(0)
#define IRQ_ON_TRIGGER (UINT64_C(1) << 3)
#define TM_RESERVED (UINT64_C(2) << 3)
#define IGNORE_TRIGGER (UINT64_C(3) << 3)
#define nVM (UINT64_C(1) << 5)

/* TRBSR_EL1 */
#define SR_EC(value) ((uint64_t)(value) << 26)
#define SR_IRQ (UINT64_C(1) << 22)
#define SR_TRG (UINT64_C(1) << 21)
#define SR_WRAP (UINT64_C(1) << 20)
#define SR_EA (UINT64_C(1) << 18)
#define SR_S (UINT64_C(1) << 17)
#define FILLED (SR_S | SR_IRQ | 1)
#define TRIGGERED (SR_S | SR_IRQ | 2)
#define STAGE_1(FSC) (SR_EC(0x24) | SR_S | SR_IRQ | (FSC))
#define STAGE_2(FSC) (SR_EC(0x25) | SR_S | SR_IRQ | (FSC))

/* The registers as they were read after a session of which no more is known. */
static inline struct cairn_trbe_session session_of(uint64_t mode, uint64_t pointer, uint64_t TRBSR)
{
    return (struct cairn_trbe_session){
        .size = sizeof(struct cairn_trbe_session),
        .TRBBASER = BASE,
        .TRBLIMITR = LIMIT | mode,
        .TRBPTR = pointer,
        .TRBSR = TRBSR,
        .has_TRBIDR = true,
    };
}

static inline struct cairn_trbe_session started(struct cairn_trbe_session session, uint64_t start)
{
    session.has_start = true;
    session.start = start;
    return session;
}

static inline struct cairn_trbe_session counted(struct cairn_trbe_session session, uint64_t laps)
{
    session.has_laps = true;
    session.laps = laps;
    return session;
}

static inline struct cairn_trbe_extent extent_of(const struct cairn_trbe_session *session)
{
    struct cairn_trbe_extent extent = {.size = sizeof extent};
    struct cairn_error error = {0};

    assert_int_equal(cairn_trbe_extent_of(session, &extent, &error), CAIRN_OK);
    return extent;
}

/* How many findings of a kind there are; in *text is the first one's, if it is not NULL. */
static inline unsigned findings_of(const struct cairn_trbe_session *session,
                                   enum cairn_trbe_finding_kind kind, char text[CAIRN_TRBE_TEXT])
{
    struct cairn_trbe_finding finding = {.size = sizeof finding};
    unsigned count = 0;

    for (size_t i = 0; !cairn_trbe_finding(session, i, &finding); i++) {
        assert_true(finding.text[0] && strlen(finding.text) + 1 < CAIRN_TRBE_TEXT);
        if (finding.kind == kind && !count++ && text)
            memcpy(text, finding.text, sizeof finding.text);
    }
    return count;
}

#endif
