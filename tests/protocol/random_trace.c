/* SPDX-License-Identifier: BSD-2-Clause */
#include "random_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum {
    TRACE_MAX = 1 << 16,
    A_SYNC = 12,
};

static uint64_t seed;
static uint8_t trace[TRACE_MAX];
static size_t trace_size;

/* xorshift64*: below `limit`. */
static uint32_t below(uint32_t limit)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * 0x2545f4914f6cdd1du) >> 33) % limit;
}

/* --- configurations --- */

#define IDR0_COMMOPT (1u << 29)
#define IDR0_COMMTRANS (1u << 30)
#define IDR0_TSMARK (1u << 23)
#define IDR0 0x08018ea1u

const struct random_unit random_units[] = {
    {"ETE without speculation", true, false, 0, IDR0},
    {"ETE without speculation, COMMOPT", true, false, 0, IDR0 | IDR0_COMMOPT},
    {"ETE, MAXSPEC 1", true, false, 1, IDR0},
    {"ETE, MAXSPEC 5, markers", true, false, 5, IDR0 | IDR0_TSMARK},
    {"ETE, MAXSPEC 17, COMMOPT", true, false, 17, IDR0 | IDR0_COMMOPT | IDR0_COMMTRANS},
    {"ETE, MAXSPEC 64, markers", true, false, 64, IDR0 | IDR0_COMMTRANS | IDR0_TSMARK},
    {"ETE, MAXSPEC 4096", true, false, 4096, IDR0},
    {"ETE, MAXSPEC above the bound", true, false, 5000, IDR0},
    {"ETMv4 without speculation", false, false, 0, IDR0 | IDR0_COMMOPT},
    {"ETMv4, MAXSPEC 20", false, false, 20, IDR0},
    {"ETMv4 of an M profile core", false, true, 8, IDR0 | 0x40},
};
const size_t random_unit_count = COUNT_OF(random_units);

struct cairn_config *random_configure(const struct random_unit *unit)
{
    const struct cairn_register registers[] = {
        {"TRCCONFIGR", unit->m_profile ? 0x60d1 : 0x78d1},
        {"TRCIDR0", unit->idr0},
        {"TRCIDR1", unit->is_ete ? 0x4100fff0 : 0x4100f420},
        {"TRCIDR2", unit->m_profile ? 0x488 : 0x40001088},
        {"TRCIDR8", unit->maxspec},
        {"TRCDEVARCH", unit->is_ete ? 0x47705a13 : 0x47724a13},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;
    struct cairn_error error;
    cairn_status status;

    source.protocol = unit->is_ete ? CAIRN_PROTOCOL_ETE : CAIRN_PROTOCOL_ETMV4;
    source.arch = unit->m_profile ? (struct cairn_arch){CAIRN_PROFILE_M, 8, 1, 0}
                                  : (struct cairn_arch){CAIRN_PROFILE_A, 9, 2, 0};
    source.registers = registers;
    source.register_count = COUNT_OF(registers);
    status = cairn_config_new(&source, &config, &error);
    if (status != CAIRN_OK)
        print_message("# %s: %s\n", unit->name, error.text);
    assert_int_equal(status, CAIRN_OK);
    return config;
}

/* --- random trace --- */

/* What the trace is made of: how often, in 1000, which packets come. */
struct mix {
    uint16_t addresses, contexts, cycles, commits, cancels, mispredicts, events, timestamps,
        exceptions, infos, rare, runs;
};

static const struct mix mixes[] = {
    {200, 10, 0, 0, 0, 0, 2, 5, 10, 3, 0, 0},         /* atoms and addresses */
    {100, 5, 400, 0, 0, 0, 5, 20, 5, 3, 0, 0},        /* with cycle counts */
    {150, 10, 0, 150, 30, 30, 5, 10, 5, 3, 0, 0},     /* speculation */
    {150, 10, 150, 100, 60, 60, 20, 20, 20, 5, 1, 0}, /* all of it */
    {100, 20, 100, 80, 60, 60, 40, 40, 40, 10, 30, 0},
    {20, 0, 30, 0, 0, 0, 900, 30, 0, 1, 0, 0}, /* hardly any path */
    {100, 5, 20, 5, 40, 300, 5, 20, 20, 1, 0, 0},
    {150, 5, 5, 20, 60, 60, 5, 10, 10, 3, 1, 500}, /* Atoms and Commits in turns */
    {200, 2, 0, 10, 60, 60, 5, 5, 2, 3, 0, 500},
};
const unsigned random_mix_count = COUNT_OF(mixes);

static uint32_t depth; /* about what is outstanding */

static void byte(unsigned value)
{
    trace[trace_size++] = (uint8_t)value;
}

static void bytes(unsigned count)
{
    while (count-- > 0)
        byte(below(4) ? below(256) : 0);
}

static void le128(uint32_t value)
{
    while (value >= 0x80) {
        byte((value & 0x7f) | 0x80);
        value >>= 7;
    }
    byte(value);
}

/* Some address payload of any form. */
static void address(unsigned first)
{
    static const uint8_t headers[] = {0x00, 0x01, 0x02, 0x05, 0x06, 0x0a, 0x0b, 0x0d, 0x0e};
    const unsigned form = headers[below(below(4) ? 5 : COUNT_OF(headers))];

    byte(first + form);
    switch (form) {
    case 0x05:
    case 0x06:
        byte(below(256));
        if (trace[trace_size - 1] & 0x80)
            byte(below(256));
        break;
    case 0x0a:
    case 0x0b: bytes(4); break;
    case 0x0d:
    case 0x0e: bytes(8); break;
    default: break;
    }
}

static void context(void)
{
    const unsigned info = (below(2) ? 0x11u : 0x32u) | below(3) << 6;

    byte(info);
    if (info & 0x40)
        bytes(4);
    if (info & 0x80)
        bytes(4);
}

static void a_sync(uint32_t spec)
{
    for (unsigned i = below(3) ? A_SYNC - 1 : A_SYNC + below(9); i > 0; i--)
        byte(0);
    byte(0x80);
    byte(0x01);
    byte(spec || below(2) ? 0x05 : 0x01);
    byte(0x01);
    if (trace[trace_size - 2] & 4)
        le128(spec);
}

static void atoms(void)
{
    const unsigned header = 0xc0 + below(0x40);

    byte(header);
    depth += 3;
}

static void timestamp(void)
{
    const unsigned header = 2 + below(2);

    byte(header);
    for (unsigned i = below(9); i > 0; i--)
        byte(below(256) | 0x80);
    byte(below(128));
    if (header & 1)
        le128(below(0x100000));
}

/* One Atom and a Commit in turns, mostly. */
static void run(const struct random_unit *unit)
{
    for (unsigned i = 1 + below(below(3) ? 8 : 40); i > 0; i--) {
        byte(below(50) ? 0xf6 + below(2) : 0xc0 + below(0x40));
        byte(below(200) ? 0x2d : below(256));
        byte(below(100) ? 1 : below(4));
    }
    if ((unit->idr0 & IDR0_TSMARK) && unit->is_ete && below(4) == 0) {
        byte(0x88); /* means the last Atom */
        timestamp();
    }
}

static void outstanding_at_most(uint32_t maxspec)
{
    if (depth > maxspec)
        depth = maxspec;
}

/* How many to commit or to cancel: rarely too many. */
static uint32_t some(uint32_t most)
{
    const uint32_t count = 1 + below(below(3) ? 4 : 30);

    if (below(200) == 0)
        return below(300);
    if (count > most)
        return most;
    return count;
}

static void take_off(uint32_t count)
{
    depth -= count < depth ? count : depth;
}

static void cycles(const struct random_unit *unit)
{
    const bool commopt = unit->idr0 & IDR0_COMMOPT;
    const uint32_t count = some(depth);

    if (!commopt && count == 0 && below(50))
        return;
    if (!commopt)
        take_off(count);
    switch (below(6)) {
    case 0:
        byte(0x0f);
        if (!commopt)
            le128(count);
        break;
    case 1:
        byte(0x0e);
        if (!commopt)
            le128(count);
        le128(below(below(2) ? 300 : 0xfffff));
        break;
    case 2:
        byte(commopt ? 0x0d : 0x0c);
        byte(((count ? count - 1 : 0) & 15) << 4 | below(16));
        break;
    default:
        if (commopt)
            byte(0x10 + below(4));
        else
            byte(0x10 + (((count ? count - 1 : 0) & 3) << 2) + below(4));
        break;
    }
}

static void cancel(void)
{
    const uint32_t count = some(depth);

    if (count == 0 && below(50))
        return;
    take_off(count);
    switch (below(3)) {
    case 0:
        byte(0x2e + below(2));
        le128(count);
        break;
    case 1: byte(0x34 + below(4)); break;
    default: byte(0x38 + below(8)); break;
    }
}

static void exception(const struct random_unit *unit)
{
    byte(0x06);
    if (unit->is_ete) {
        byte((below(2) ? 0x01 : 0x40) | below(0x18) << 1);
    } else {
        const unsigned e = below(4) ? 1 + below(2) : 0;
        const unsigned more = below(3) == 0 ? 0x80 : 0;

        byte((e & 1) | (e & 2) << 5 | below(0x18) << 1 | more);
        if (more)
            byte(below(0x40));
        if (e == 0)
            return;
    }
    if (below(3)) {
        address(0x90);
    } else {
        byte(0x82 + below(2));
        bytes(4);
        context();
    }
}

/* Packets that the scan leaves to the levels, or hardly ever sees. */
static void rare(const struct random_unit *unit)
{
    static const uint8_t ete[] = {0x04, 0x0a, 0x0b, 0x88, 0xaf, 0xac, 0x06, 0x00, 0xb0, 0xa5, 0x70};
    static const uint8_t etmv4[] = {0x04, 0x07, 0x05, 0x21, 0x2a, 0x40, 0x43, 0x45,
                                    0x49, 0x55, 0x6c, 0x6d, 0x6e, 0x00, 0x70};
    const unsigned header =
        unit->is_ete ? ete[below(COUNT_OF(ete))] : etmv4[below(COUNT_OF(etmv4))];

    switch (header) {
    case 0x00:
        byte(0);
        byte(below(2) ? 3 : 5);
        depth = 0;
        return;
    case 0x06:
        byte(6);
        byte(below(2) ? 0x31 : 0x71);
        byte(0x70);
        return;
    case 0xac:
        byte(header);
        le128(below(5000));
        return;
    case 0xb0: byte(0xb0 + below(3)); return;
    case 0xa5:
        byte(header);
        byte(below(128));
        le128(below(200));
        return;
    case 0x55:
    case 0x6c:
    case 0x6d:
    case 0x6e:
        byte(header);
        byte(below(128));
        return;
    default: byte(header);
    }
}

static void packet(const struct random_unit *unit, const struct mix *mix)
{
    uint32_t which = below(1000);
#define PICK(member) if (which < mix->member ? true : (which -= mix->member, false))
    PICK(addresses) address(0x90);
    else PICK(contexts)
    {
        byte(below(3) ? 0x82 : 0x81);
        if (trace[trace_size - 1] == 0x82)
            bytes(4);
        context();
    }
    else PICK(cycles) cycles(unit);
    else PICK(commits)
    {
        const uint32_t count = some(depth);

        byte(0x2d);
        le128(count);
        take_off(count);
    }
    else PICK(cancels) cancel();
    else PICK(mispredicts) byte(0x30 + below(4));
    else PICK(events) byte(0x71 + below(15));
    else PICK(timestamps) timestamp();
    else PICK(exceptions) exception(unit);
    else PICK(infos) a_sync(below(4) ? depth : below(unit->maxspec + 1));
    else PICK(rare) rare(unit);
    else PICK(runs) run(unit);
    else atoms();
#undef PICK
    outstanding_at_most(unit->maxspec);
}

struct random_trace random_trace(const struct random_unit *unit, unsigned mix, uint64_t from,
                                 size_t size)
{
    seed = from;
    depth = below(4) ? 0 : below(unit->maxspec + 1);
    trace_size = 0;
    if (below(3) == 0)
        bytes(below(40));
    a_sync(depth);
    while (trace_size < size)
        packet(unit, &mixes[mix]);
    return (struct random_trace){trace, trace_size};
}

/* Bytes changed, taken away, put in; ends cut off. */
struct random_trace random_damage(void)
{
    for (unsigned i = 1 + below(6); i > 0; i--) {
        const size_t at = below((uint32_t)trace_size);
        const size_t count = 1 + below(20);

        switch (below(4)) {
        case 0: trace[at] = (uint8_t)below(256); break;
        case 1: trace[at] ^= (uint8_t)(1u << below(8)); break;
        case 2:
            if (at + count < trace_size) {
                memmove(trace + at, trace + at + count, trace_size - at - count);
                trace_size -= count;
            }
            break;
        default:
            for (size_t k = at; k < at + count && k < trace_size; k++)
                trace[k] = 0;
            break;
        }
    }
    if (below(3) == 0)
        trace_size -= below(A_SYNC);
    return (struct random_trace){trace, trace_size};
}

struct random_trace random_noise(uint64_t from, size_t size)
{
    seed = from;
    trace_size = 0;
    while (trace_size < size) {
        a_sync(below(4) ? 0 : below(70));
        for (unsigned k = 5 + below(100); k > 0; k--)
            byte(below(10) ? below(256) : 0);
    }
    return (struct random_trace){trace, trace_size};
}
