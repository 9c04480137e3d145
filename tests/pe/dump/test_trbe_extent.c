/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the trace of a session is: every case by hand, and all of them beside a buffer that is written
 * a byte at a time. */
#include "bench.h"

#include <stdlib.h>

/* Up to two ranges, oldest first; lengths of 0 for none. */
static void assert_ranges(const struct cairn_trbe_session *session, uint64_t from, uint64_t to,
                          uint64_t second_from, uint64_t second_to, uint64_t doubtful)
{
    const struct cairn_trbe_extent extent = extent_of(session);
    const size_t count = (to > from) + (size_t)(second_to > second_from);

    assert_int_equal(extent.count, count);
    assert_int_equal(extent.bytes, to - from + second_to - second_from);
    assert_int_equal(extent.doubtful, doubtful);
    if (to > from) {
        assert_int_equal(extent.range[0].address, from);
        assert_int_equal(extent.range[0].length, to - from);
    }
    if (second_to > second_from) {
        assert_int_equal(extent.range[count - 1].address, second_from);
        assert_int_equal(extent.range[count - 1].length, second_to - second_from);
    }
}

#define NO_RANGE BASE, BASE

static void fill(void **state)
{
    (void)state;
    /* not full: from the start up to the pointer */
    struct cairn_trbe_session session = started(session_of(FILL, BASE + 0x700, 0), BASE + 0x100);
    assert_ranges(&session, BASE + 0x100, BASE + 0x700, NO_RANGE, 0);
    assert_int_equal(extent_of(&session).total, 0x600);
    /* nothing was written */
    session = started(session_of(FILL, BASE + 0x100, 0), BASE + 0x100);
    assert_ranges(&session, NO_RANGE, NO_RANGE, 0);
    /* where it began is not known: all before the pointer may be older */
    session = session_of(FILL, BASE + 0x700, 0);
    assert_ranges(&session, BASE, BASE + 0x700, NO_RANGE, 0x700);
    assert_false(extent_of(&session).has_total);
    /* full: from the start up to the limit, and never what is before the start */
    session = started(session_of(FILL, BASE, FILLED | SR_WRAP), BASE + 0x100);
    assert_ranges(&session, BASE + 0x100, LIMIT, NO_RANGE, 0);
    assert_true(extent_of(&session).wrapped);
    assert_false(extent_of(&session).overwritten);
    assert_int_equal(extent_of(&session).total, SIZE - 0x100);
    session = session_of(FILL, BASE, FILLED | SR_WRAP);
    assert_ranges(&session, BASE, LIMIT, NO_RANGE, SIZE);
    /* a start behind the pointer that did not wrap is not used */
    session = started(session_of(FILL, BASE + 0x700, 0), BASE + 0x800);
    assert_ranges(&session, BASE, BASE + 0x700, NO_RANGE, 0x700);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_START, NULL), 1);
}

static void ring(void **state)
{
    static const uint64_t modes[] = {WRAP_MODE, CIRCULAR, FM_RESERVED};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        /* no wrap */
        struct cairn_trbe_session session =
            started(session_of(modes[i], BASE + 0x700, SR_IRQ), BASE + 0x100);
        assert_ranges(&session, BASE + 0x100, BASE + 0x700, NO_RANGE, 0);
        assert_false(extent_of(&session).overwritten);
        /* wraps, and the pointer is behind the start: all of it, the oldest at the pointer */
        session = started(session_of(modes[i], BASE + 0x700, SR_IRQ | SR_WRAP), BASE + 0x100);
        assert_ranges(&session, BASE + 0x700, LIMIT, BASE, BASE + 0x700, 0);
        assert_true(extent_of(&session).overwritten);
        assert_false(extent_of(&session).has_total);
        /* and before it: after one lap what is between was not written, after two it was */
        session = started(session_of(modes[i], BASE + 0x700, SR_IRQ | SR_WRAP), BASE + 0x900);
        assert_ranges(&session, BASE + 0x700, LIMIT, BASE, BASE + 0x700, 0x200);
        session = counted(session, 2);
        assert_ranges(&session, BASE + 0x700, LIMIT, BASE, BASE + 0x700, 0);
        session = counted(session, 1);
        assert_ranges(&session, BASE + 0x900, LIMIT, BASE, BASE + 0x700, 0);
        assert_false(extent_of(&session).overwritten);
        /* the start is not known: what is behind the pointer may be older, unless it wrapped twice */
        session = session_of(modes[i], BASE + 0x700, SR_IRQ | SR_WRAP);
        assert_ranges(&session, BASE + 0x700, LIMIT, BASE, BASE + 0x700, SIZE - 0x700);
        session = counted(session, 2);
        assert_ranges(&session, BASE + 0x700, LIMIT, BASE, BASE + 0x700, 0);
        /* the last byte of the buffer was the newest */
        session = started(session_of(modes[i], BASE, SR_IRQ | SR_WRAP), BASE);
        assert_ranges(&session, BASE, LIMIT, NO_RANGE, 0);
    }
}

/* G3.2 (1): Wrap mode that begins part way through, with 0x400 bytes left to the limit. */
static void watermark(void **state)
{
    const uint64_t start = LIMIT - 0x400;

    (void)state;
    struct cairn_trbe_session at_mark =
        counted(started(session_of(WRAP_MODE, BASE, SR_IRQ | SR_WRAP), start), 1);
    /* proves: LST_G3.2a */
    assert_ranges(&at_mark, start, LIMIT, NO_RANGE, 0);
    struct cairn_trbe_session behind =
        counted(started(session_of(WRAP_MODE, BASE + 0x1000, SR_IRQ | SR_WRAP), start), 1);
    assert_ranges(&behind, start, LIMIT, BASE, BASE + 0x1000, 0);
    assert_int_equal(extent_of(&behind).total, 0x1400);
    /* overrun: the oldest is lost, the second time round all the more */
    for (uint64_t laps = 1; laps <= 3; laps++) {
        struct cairn_trbe_session over =
            counted(started(session_of(WRAP_MODE, start + 8, SR_IRQ | SR_WRAP), start), laps);
        assert_ranges(&over, start + 8, LIMIT, BASE, start + 8, 0);
        assert_true(extent_of(&over).overwritten);
        assert_int_equal(extent_of(&over).total, laps * SIZE + 8);
    }
}

static void stale_wrap(void **state)
{
    (void)state;
    /* Fill mode: it would have stopped, with the pointer at the base and BSC filled */
    struct cairn_trbe_session session =
        started(session_of(FILL, BASE + 0x700, SR_WRAP), BASE + 0x100);
    assert_ranges(&session, BASE + 0x100, BASE + 0x700, NO_RANGE, 0);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_STALE_WRAP, NULL), 1);
    session = started(session_of(FILL, BASE + 0x700, SR_WRAP | SR_TRG | TRIGGERED), BASE + 0x100);
    assert_ranges(&session, BASE + 0x100, BASE + 0x700, NO_RANGE, 0);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_STALE_WRAP, NULL), 1);
    session = started(session_of(FILL, BASE, SR_WRAP | STAGE_1(7)), BASE);
    assert_ranges(&session, NO_RANGE, NO_RANGE, 0);
    /* a ring: only a count tells */
    session = counted(started(session_of(CIRCULAR, BASE + 0x700, SR_WRAP), BASE + 0x100), 0);
    assert_ranges(&session, BASE + 0x100, BASE + 0x700, NO_RANGE, 0);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_STALE_WRAP, NULL), 1);
    /* a wrap in Wrap mode requests an interrupt: without one it is not certain */
    session = started(session_of(WRAP_MODE, BASE + 0x700, SR_WRAP), BASE + 0x100);
    assert_ranges(&session, BASE + 0x700, LIMIT, BASE, BASE + 0x700, SIZE - 0x700);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_WRAP, NULL), 1);
    session = started(session_of(CIRCULAR, BASE + 0x700, SR_WRAP), BASE + 0x100);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_WRAP, NULL), 0);
}

static void lost_wrap(void **state)
{
    (void)state;
    struct cairn_trbe_session session = started(session_of(FILL, BASE, FILLED), BASE + 0x100);
    assert_ranges(&session, BASE + 0x100, LIMIT, NO_RANGE, 0);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_LOST_WRAP, NULL), 1);
    session = started(session_of(WRAP_MODE, BASE + 0x700, 0), BASE + 0x900);
    assert_ranges(&session, BASE + 0x700, LIMIT, BASE, BASE + 0x700, 0x200);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_LOST_WRAP, NULL), 1);
    session = counted(started(session_of(WRAP_MODE, BASE + 0x700, 0), BASE + 0x100), 1);
    assert_ranges(&session, BASE + 0x700, LIMIT, BASE, BASE + 0x700, 0);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_LOST_WRAP, NULL), 1);
    /* filled, and the pointer elsewhere: what is before it is anything */
    session = started(session_of(FILL, BASE + 0x40, FILLED | SR_WRAP), BASE);
    assert_ranges(&session, BASE + 0x40, LIMIT, NO_RANGE, SIZE - 0x40);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_STATUS, NULL), 1);
    /* unless an External Abort that came later moved it */
    session = started(session_of(FILL, BASE + 0x40, FILLED | SR_WRAP | SR_EA), BASE);
    assert_ranges(&session, BASE, LIMIT, NO_RANGE, 0);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_STATUS, NULL), 0);
    assert_true(extent_of(&session).approximate);
    /* a status without WRAP, and a pointer elsewhere: stopped since before the session */
    session = started(session_of(FILL, BASE + 0x40, FILLED), BASE + 0x40);
    assert_ranges(&session, NO_RANGE, NO_RANGE, 0);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_STATUS, NULL), 1);
}

/* TRB_WRAP events and the pointer tell how much was written. */
static void total(void **state)
{
    (void)state;
    for (uint64_t laps = 0; laps < 4; laps++) {
        const struct cairn_trbe_session session = counted(
            started(session_of(CIRCULAR, BASE + 0x900, laps ? SR_WRAP : 0), BASE + 0x100), laps);
        const struct cairn_trbe_extent extent = extent_of(&session);
        assert_true(extent.has_total);
        /* proves: S_HKNBM */
        assert_int_equal(extent.total, laps * 0x2000 + 0x800);
        assert_int_equal(extent.bytes, laps ? 0x2000 : 0x800);
    }
    /* what was overwritten is told as a number where it is known */
    struct cairn_trbe_session over =
        started(session_of(CIRCULAR, BASE + 0x900, SR_WRAP), BASE + 0x100);
    char text[CAIRN_TRBE_TEXT] = "";
    assert_int_equal(findings_of(&over, CAIRN_TRBE_FINDS_OVERWRITTEN, text), 1);
    assert_non_null(strstr(text, "older trace was overwritten"));
    over = counted(over, 2);
    assert_int_equal(findings_of(&over, CAIRN_TRBE_FINDS_OVERWRITTEN, text), 1);
    assert_non_null(strstr(text, "wrote 18432 bytes: the oldest 10240 were overwritten"));
    over = started(session_of(CIRCULAR, BASE + 0x900, SR_WRAP), BASE + 0xa00);
    assert_int_equal(findings_of(&over, CAIRN_TRBE_FINDS_START, text), 1);
    assert_non_null(strstr(text, "only once, the oldest 256 of 8192 bytes"));
    /* more laps than there can be are no count */
    const struct cairn_trbe_session many =
        counted(started(session_of(CIRCULAR, BASE + 0x900, SR_WRAP), BASE + 0x100), UINT64_MAX);
    assert_false(extent_of(&many).has_total);
}

/* ---- beside a buffer that is written ---- */

#define RUNS 500
#define BUFFER_MOST 0x3000u

struct written {
    uint8_t memory[BUFFER_MOST];
    uint64_t size, pointer, laps, bytes;
    bool stopped;
};

/* E1.2.1.1 and E1.2.2.2 for one byte. What is not written of the session is 0. */
static void write_byte(struct written *buffer, uint64_t mode, uint8_t byte)
{
    if (buffer->stopped)
        return;
    buffer->memory[buffer->pointer] = byte;
    buffer->bytes++;
    if (++buffer->pointer < buffer->size)
        return;
    buffer->pointer = 0;
    buffer->laps++;
    buffer->stopped = mode == FILL;
}

/* Never 0, and another one for the bytes of a lap at the same place. */
static uint8_t stream_byte(uint64_t at)
{
    return (uint8_t)(1 + at % 251);
}

static uint64_t random_below(uint64_t *seed, uint64_t bound)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % bound;
}

static void assert_tail(const struct written *buffer, const struct cairn_trbe_session *session,
                        bool is_told)
{
    const struct cairn_trbe_extent extent = extent_of(session);
    uint64_t at = buffer->bytes - (extent.bytes - extent.doubtful);
    uint64_t skip = extent.doubtful;

    assert_true(extent.bytes - extent.doubtful <= buffer->bytes);
    if (is_told) {
        /* all that is left of the session, and nothing else */
        assert_int_equal(extent.doubtful, 0);
        assert_int_equal(extent.bytes, buffer->bytes < buffer->size ? buffer->bytes : buffer->size);
        assert_true(extent.has_total);
        assert_int_equal(extent.total, buffer->bytes);
    }
    for (size_t i = 0; i < extent.count; i++) {
        const uint64_t from = extent.range[i].address - BASE;
        assert_true(from < buffer->size && extent.range[i].length <= buffer->size - from);
        for (uint64_t k = 0; k < extent.range[i].length; k++) {
            if (skip) {
                skip--;
                continue;
            }
            /* proves: RANGE */
            assert_int_equal(buffer->memory[from + k], stream_byte(at++));
        }
    }
    assert_int_equal(at, buffer->bytes);
}

static void written(void **state)
{
    static const uint64_t modes[] = {FILL, WRAP_MODE, CIRCULAR};
    static struct written buffer;
    uint64_t seed = 1;

    (void)state;
    for (unsigned run = 0; run < RUNS; run++) {
        const uint64_t mode = modes[random_below(&seed, 3)];
        memset(&buffer, 0, sizeof buffer);
        buffer.size = 0x1000 * (1 + random_below(&seed, 3));
        const uint64_t start = random_below(&seed, 4) ? random_below(&seed, buffer.size) : 0;
        const uint64_t length = random_below(&seed, 3 * buffer.size);
        buffer.pointer = start;
        for (uint64_t i = 0; i < length; i++)
            write_byte(&buffer, mode, stream_byte(i));
        struct cairn_trbe_session session = {
            .size = sizeof session,
            .TRBBASER = BASE,
            .TRBLIMITR = (BASE + buffer.size) | mode,
            .TRBPTR = BASE + buffer.pointer,
            .TRBSR = (buffer.laps ? SR_WRAP : 0) | (buffer.laps && mode != CIRCULAR ? SR_IRQ : 0) |
                     (buffer.stopped ? FILLED : 0),
        };
        struct cairn_trbe_session told = counted(started(session, BASE + start), buffer.laps);
        assert_tail(&buffer, &told, true);
        const struct cairn_trbe_session from = started(session, BASE + start);
        assert_tail(&buffer, &from, mode == FILL);
        assert_tail(&buffer, &session, false);
        const struct cairn_trbe_session laps = counted(session, buffer.laps);
        assert_tail(&buffer, &laps, false);
    }
}

/* ---- pointers ---- */

static bool is_refused(uint64_t base, uint64_t limit, uint64_t pointer)
{
    struct cairn_trbe_session session = session_of(FILL, pointer, 0);
    struct cairn_trbe_extent extent = {.size = sizeof extent};
    struct cairn_error error = {0};

    session.TRBBASER = base;
    session.TRBLIMITR = limit;
    const cairn_status status = cairn_trbe_extent_of(&session, &extent, &error);
    if (status)
        assert_true(status == CAIRN_E_CONFIG && error.text[0]);
    return status != CAIRN_OK;
}

static void out_of_range(void **state)
{
    static const struct {
        uint64_t base, limit, pointer;
        bool refused;
    } rows[] = {
        {BASE, LIMIT, BASE - 1, true},
        {BASE, LIMIT, BASE, false},
        {BASE, LIMIT, LIMIT - 1, false},
        {BASE, LIMIT, LIMIT, true},
        {BASE, LIMIT, UINT64_MAX, true},
        {BASE, LIMIT, 0, true},
        /* as unsigned numbers: a buffer across the middle of all addresses */
        {0x7ffffffffffff000, 0x8000000000001000, 0x7fffffffffffffff, true}, /* top bits differ */
        {0x8000000000000000, 0x8000000000001000, 0x8000000000000001, false},
        /* base not below limit */
        {BASE, BASE, BASE, true},
        {LIMIT, BASE, BASE, true},
        {LIMIT, BASE, LIMIT, true},
        /* bits 63:56 */
        {0x00fffffffffff000, 0x0100000000001000, 0x00fffffffffff000, true},
        {0x00fffffffffff000, 0x0100000000001000, 0x0100000000000000, true},
        {0x0000000000001000, 0x0000000000003000, 0x0100000000002000, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        /* proves: R_MSPSD */
        assert_int_equal(is_refused(rows[i].base, rows[i].limit, rows[i].pointer), rows[i].refused);
    }
    /* where the session began is such a pointer as well */
    struct cairn_trbe_session session = started(session_of(FILL, BASE + 1, 0), LIMIT);
    struct cairn_trbe_extent extent = {.size = sizeof extent};
    assert_int_equal(cairn_trbe_extent_of(&session, &extent, NULL), CAIRN_E_CONFIG);
    struct cairn_trbe_finding finding = {.size = sizeof finding};
    assert_int_equal(cairn_trbe_finding(&session, 0, &finding), CAIRN_E_NOT_FOUND);
}

/* Bits 11:0 of base and limit are no part of an address. */
static void fields(void **state)
{
    (void)state;
    struct cairn_trbe_session session = session_of(FILL | 0xfc0, BASE + 4, 0);
    session.TRBBASER |= 0xfff;
    const struct cairn_trbe_extent extent = extent_of(&session);
    /* proves: R_JMPCB */
    assert_int_equal(extent.base, BASE);
    /* proves: R_LLBBS */
    assert_int_equal(extent.limit, LIMIT);
    assert_int_equal(cairn_trbe_extent_of(NULL, NULL, NULL), CAIRN_E_ARGUMENT);
    session.size = 0;
    struct cairn_trbe_extent other = {.size = sizeof other};
    assert_int_equal(cairn_trbe_extent_of(&session, &other, NULL), CAIRN_E_ARGUMENT);
}

static void misaligned(void **state)
{
    (void)state;
    for (unsigned align = 0; align <= 11; align++) {
        for (unsigned bit = 0; bit <= 12; bit++) {
            const uint64_t value = UINT64_C(1) << bit;
            struct cairn_trbe_session session =
                started(session_of(FILL, BASE + value, 0), BASE + value);
            session.TRBIDR = align;
            /* proves: R_XXZHM */
            assert_int_equal(extent_of(&session).value,
                             bit < align ? CAIRN_TRBE_VALUE_UNKNOWN : CAIRN_TRBE_VALUE_RESTART);
            /* of the pointer that was read back it is only noted (I_SFTPM) */
            assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_MISALIGNED, NULL),
                             bit < align ? 2 : 0);
            /* of the counter the same */
            session = session_of(FILL, BASE, 0);
            session.TRBIDR = align;
            session.has_trigger = true;
            session.trigger = value;
            assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_MISALIGNED, NULL),
                             bit < align ? 1 : 0);
            assert_int_equal(extent_of(&session).value,
                             bit < align ? CAIRN_TRBE_VALUE_UNKNOWN : CAIRN_TRBE_VALUE_RESTART);
        }
    }
}

/* A pointer that was read back may be misaligned, and may be written back as it is. */
static void read_back(void **state)
{
    struct cairn_trbe_finding finding = {.size = sizeof finding};

    (void)state;
    struct cairn_trbe_session session = started(session_of(FILL, BASE + 0x41, 0), BASE + 0x40);
    session.TRBIDR = 6;
    assert_int_equal(cairn_trbe_finding(&session, 0, &finding), CAIRN_OK);
    assert_int_equal(finding.kind, CAIRN_TRBE_FINDS_MISALIGNED);
    assert_int_equal(finding.severity, 0);
    /* proves: I_SFTPM */
    assert_int_equal(extent_of(&session).value, CAIRN_TRBE_VALUE_RESTART);
    session = started(session_of(FILL, BASE + 0x41, 0), BASE + 0x41);
    session.TRBIDR = 6;
    assert_int_equal(cairn_trbe_finding(&session, 0, &finding), CAIRN_OK);
    assert_int_equal(finding.severity, 1);
}

static void granule(void **state)
{
    static const uint32_t sizes[] = {0, 4096, 16384, 65536};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct cairn_trbe_session session = session_of(FILL, BASE + 0x5000, 0);
        session.granule = sizes[i];
        session.TRBBASER = BASE + 0x4000;
        session.TRBLIMITR = BASE + 0x7000;
        /* proves: R_XBLPK */
        assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_MISALIGNED, NULL),
                         (sizes[i] && 0x4000 % sizes[i] ? 1 : 0) +
                             (sizes[i] && 0x7000 % sizes[i] ? 1 : 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill),       cmocka_unit_test(ring),         cmocka_unit_test(watermark),
        cmocka_unit_test(stale_wrap), cmocka_unit_test(lost_wrap),    cmocka_unit_test(total),
        cmocka_unit_test(written),    cmocka_unit_test(out_of_range), cmocka_unit_test(fields),
        cmocka_unit_test(misaligned), cmocka_unit_test(read_back),    cmocka_unit_test(granule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
