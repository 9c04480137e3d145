/* SPDX-License-Identifier: BSD-2-Clause */
/* Random trace units, and their registers: docs/trace.md, "Registers". */
#include <string.h>

#include "case.h"

/* TRCCONFIGR */
#define CONFIGR_RES1 0x1u
#define CONFIGR_BB (1u << 3)
#define CONFIGR_CCI (1u << 4)
#define CONFIGR_CID (1u << 6)
#define CONFIGR_VMID (1u << 7)
#define CONFIGR_TS (1u << 11)
#define CONFIGR_RS (1u << 12)
enum { CONFIGR_QE = 13 };
/* TRCIDR0, 1, 2; TRCDEVARCH */
#define IDR0_BASE 0x08000ea1u /* BB, CCI, return stack, 4 events, 64-bit timestamps */
#define IDR0_Q (1u << 14 | 3u << 15)
#define IDR0_TSMARK (1u << 23)
#define IDR0_COMMOPT (1u << 29)
#define IDR0_COMMTRANS (1u << 30)
#define IDR1_ETMV4 0x4100f400u
#define IDR1_ETE 0x4100fff0u
#define IDR2_ETMV4 0x00001088u /* 64-bit addresses, 32-bit ids */
#define IDR2_ETE 0x40001088u   /* the same, VMIDOPT fixed */
#define IDR2_WFXMODE (1u << 31)
enum { IDR2_CCSIZE = 25, CYCLE_BITS_LEAST = 12 };
#define DEVARCH_ETMV4 0x47704a13u
#define DEVARCH_ETE 0x47705a13u
enum { MINOR_BIT = 4, REVISION_BIT = 16 };
/* TRCVICTLR and others */
#define VICTLR_SSSTATUS (1u << 9)
#define VICTLR_TRCRESET (1u << 10)
#define VICTLR_TRCERR (1u << 11)
enum {
    VICTLR_EXLEVEL_S = 16,
    VICTLR_EXLEVEL_NS = 20,
    VIIECTLR_EXCLUDE = 16,
    VISSCTLR_STOP = 16,
    MODE = 8, /* of TRCBBCTLR and TRCQCTLR */
    SELECTOR_TRUE = 1,
    SELECTOR_INPUTS = 2, /* the selector that ViewInst looks at, if it looks at inputs */
    RSCTLR_INV = 20,
};

static const char *const acvr[TRIP_COMPARATORS] = {
    "TRCACVR0",  "TRCACVR1",  "TRCACVR2",  "TRCACVR3", "TRCACVR4",  "TRCACVR5",
    "TRCACVR6",  "TRCACVR7",  "TRCACVR8",  "TRCACVR9", "TRCACVR10", "TRCACVR11",
    "TRCACVR12", "TRCACVR13", "TRCACVR14", "TRCACVR15"};
static const char *const acatr[TRIP_COMPARATORS] = {
    "TRCACATR0",  "TRCACATR1",  "TRCACATR2",  "TRCACATR3", "TRCACATR4",  "TRCACATR5",
    "TRCACATR6",  "TRCACATR7",  "TRCACATR8",  "TRCACATR9", "TRCACATR10", "TRCACATR11",
    "TRCACATR12", "TRCACATR13", "TRCACATR14", "TRCACATR15"};

struct writer {
    struct cairn_register *registers;
    size_t count;
};

static void put(struct writer *writer, const char *name, uint64_t value)
{
    writer->registers[writer->count++] = (struct cairn_register){.name = name, .value = value};
}

static void put_identification(struct writer *writer, const struct trip_options *o)
{
    const bool ete = o->protocol == CAIRN_PROTOCOL_ETE;

    put(writer, "TRCIDR0",
        IDR0_BASE | (o->q || o->q_instructions ? IDR0_Q : 0) |
            (o->timestamp_markers ? IDR0_TSMARK : 0) | (o->commopt ? IDR0_COMMOPT : 0) |
            (o->commtrans ? IDR0_COMMTRANS : 0));
    put(writer, "TRCIDR1", ete ? IDR1_ETE : IDR1_ETMV4 | o->minor << MINOR_BIT);
    put(writer, "TRCIDR2",
        (ete ? IDR2_ETE : IDR2_ETMV4) | (o->cycle_bits - CYCLE_BITS_LEAST) << IDR2_CCSIZE |
            (o->waits_are_p0 ? IDR2_WFXMODE : 0));
    put(writer, "TRCIDR8", o->maxspec);
    put(writer, "TRCDEVARCH", (ete ? DEVARCH_ETE : DEVARCH_ETMV4) | o->minor << REVISION_BIT);
}

size_t trip_options_registers(const struct trip_options *o,
                              struct cairn_register registers[TRIP_REGISTERS_MAX])
{
    struct writer w = {.registers = registers};
    const uint32_t selector = o->view_inputs ? SELECTOR_INPUTS : SELECTOR_TRUE;
    const unsigned ranges = o->include | o->exclude | o->broadcast_ranges | o->q_ranges;

    put_identification(&w, o);
    put(&w, "TRCCONFIGR",
        CONFIGR_RES1 | (o->broadcast ? CONFIGR_BB : 0) | (o->cycles ? CONFIGR_CCI : 0) |
            (o->context_ids ? CONFIGR_CID : 0) | (o->vmids ? CONFIGR_VMID : 0) |
            (o->timestamps ? CONFIGR_TS : 0) | (o->return_stack ? CONFIGR_RS : 0) |
            o->q << CONFIGR_QE);
    put(&w, "TRCSYNCPR", o->sync_period);
    if (o->cycles)
        put(&w, "TRCCCCTLR", o->threshold);
    if (o->broadcast)
        put(&w, "TRCBBCTLR", (uint32_t)o->broadcast_includes << MODE | o->broadcast_ranges);
    if (o->q)
        put(&w, "TRCQCTLR", (uint32_t)o->q_includes << MODE | o->q_ranges);
    put(&w, "TRCEVENTCTL1R", o->events_traced);
    if (o->view_inputs)
        put(&w, "TRCRSCTLR2", o->view_inputs | (uint32_t)o->view_inverted << RSCTLR_INV);
    put(&w, "TRCVICTLR",
        selector | (o->active ? VICTLR_SSSTATUS : 0) | (o->force_resets ? VICTLR_TRCRESET : 0) |
            (o->force_errors ? VICTLR_TRCERR : 0) | (uint32_t)o->levels_secure << VICTLR_EXLEVEL_S |
            (uint32_t)o->levels_nonsecure << VICTLR_EXLEVEL_NS);
    if (o->include | o->exclude)
        put(&w, "TRCVIIECTLR", o->include | (uint32_t)o->exclude << VIIECTLR_EXCLUDE);
    if (o->start | o->stop)
        put(&w, "TRCVISSCTLR", o->start | (uint32_t)o->stop << VISSCTLR_STOP);
    for (unsigned i = 0; i < TRIP_COMPARATORS; i++)
        if ((ranges >> (i / 2) & 1) | ((o->start | o->stop) >> i & 1)) {
            put(&w, acvr[i], o->comparators[i]);
            put(&w, acatr[i], o->levels_of[i]);
        }
    return w.count;
}

bool trip_options_view_all(const struct trip_options *o)
{
    return !o->levels_secure && !o->levels_nonsecure && !o->include && !o->exclude && !o->start &&
           !o->stop && o->active && !o->view_inputs;
}

/* --- drawing --- */

/* A range of some neighbouring ops, as comparators 2 * `range` and the one behind it. */
static void draw_range(struct trip_options *o, const struct trip_program *program,
                       struct peer_random *random, unsigned range)
{
    const uint32_t first = peer_random_below(random, program->base.op_count);
    const struct peer_region *region = &program->base.regions[trip_op(program, first)->region];
    const uint32_t rest = region->first + region->count - first;
    const uint32_t last = first + peer_random_below(random, rest);

    o->comparators[2 * range] = trip_op(program, first)->address;
    o->comparators[2 * range + 1] = trip_op(program, last)->address;
}

/* One to three ranges from `from` on, as a mask. */
static uint8_t draw_ranges(struct trip_options *o, const struct trip_program *program,
                           struct peer_random *random, unsigned from)
{
    const unsigned count = peer_random_range(random, 1, 2);
    uint8_t mask = 0;

    for (unsigned i = from; i < from + count; i++) {
        draw_range(o, program, random, i);
        mask |= (uint8_t)(1u << i);
    }
    return mask;
}

/* Start and stop points in ascending order of addresses, none of them twice (R_SFXZB, R_XHFYQ). */
static void draw_points(struct trip_options *o, const struct trip_program *program,
                        struct peer_random *random)
{
    enum { FIRST = 12, POINTS = 4 };
    uint64_t *address = &o->comparators[FIRST];

    for (unsigned i = 0; i < POINTS; i++) {
        uint64_t drawn =
            trip_op(program, peer_random_below(random, program->base.op_count))->address;
        unsigned at = i;

        for (; at > 0 && address[at - 1] > drawn; at--)
            address[at] = address[at - 1];
        address[at] = drawn;
    }
    for (unsigned i = 0; i < POINTS; i++) {
        if (i > 0 && address[i] == address[i - 1])
            continue;
        if (peer_random_percent(random, 50))
            o->start |= (uint16_t)(1u << (FIRST + i));
        else
            o->stop |= (uint16_t)(1u << (FIRST + i));
    }
    o->active = peer_random_percent(random, 50);
}

static void draw_view(struct trip_options *o, const struct trip_program *program,
                      struct peer_random *random)
{
    o->active = true;
    o->force_errors = peer_random_percent(random, 20);
    o->force_resets = peer_random_percent(random, 20);
    if (peer_random_percent(random, 55))
        return;
    if (peer_random_percent(random, 25)) {
        o->levels_nonsecure = (uint8_t)peer_random_below(random, 8);
        o->levels_secure = (uint8_t)peer_random_below(random, 16);
    }
    if (peer_random_percent(random, 40))
        o->include = draw_ranges(o, program, random, 0);
    else if (peer_random_percent(random, 50))
        o->exclude = draw_ranges(o, program, random, 0) & 1;
    if (peer_random_percent(random, 40))
        draw_points(o, program, random);
    if (peer_random_percent(random, 10)) {
        o->view_inputs = (uint8_t)peer_random_range(random, 1, 15);
        o->view_inverted = peer_random_percent(random, 50);
    }
    if (peer_random_percent(random, 20))
        for (unsigned i = 0; i < TRIP_RANGES; i++) {
            const uint32_t levels = (uint32_t)peer_random_64(random) & 0x7f00;

            o->levels_of[2 * i] = o->levels_of[2 * i + 1] =
                (uint16_t)(peer_random_percent(random, 50) ? levels : 0);
        }
}

static void draw_features(struct trip_options *o, const struct trip_program *program,
                          struct peer_random *random)
{
    o->cycles = peer_random_percent(random, 45);
    o->threshold = o->cycles ? peer_random_range(random, 4, 60) : 0;
    o->timestamps = peer_random_percent(random, 45);
    o->context_ids = peer_random_percent(random, 50);
    o->vmids = peer_random_percent(random, 30);
    o->return_stack = peer_random_percent(random, 60);
    o->events_traced = (uint8_t)peer_random_below(random, 16);
    o->broadcast = peer_random_percent(random, 20);
    if (o->broadcast) {
        o->broadcast_includes = peer_random_percent(random, 60);
        o->broadcast_ranges = draw_ranges(o, program, random, 2);
        if (!o->broadcast_includes && peer_random_percent(random, 50))
            o->broadcast_ranges = 0; /* everywhere */
    }
    if (peer_random_percent(random, 8)) {
        o->q = peer_random_percent(random, 50) ? 1 : 3;
        o->q_includes = peer_random_percent(random, 60);
        o->q_ranges = draw_ranges(o, program, random, 4);
        o->q_instructions = peer_random_range(random, 1, 40);
    }
    o->sync_period = peer_random_percent(random, 60) ? 8 : peer_random_percent(random, 50) ? 0 : 9;
}

void trip_options_draw(struct trip_options *o, const struct trip_program *program,
                       struct peer_random *random)
{
    const uint32_t habits = CAIRN_UNIT_COMMIT_AT_ONCE | CAIRN_UNIT_OVERFLOW_KEEPS_TA |
                            CAIRN_UNIT_FORCED_SETS_TA | CAIRN_UNIT_EXPLICIT_ADDRESSES |
                            CAIRN_UNIT_SEPARATE_PACKETS;
    /* ETMv4 knows no transactions. */
    const bool ete = program->has_transactions || peer_random_percent(random, 50);

    memset(o, 0, sizeof *o);
    o->protocol = ete ? CAIRN_PROTOCOL_ETE : CAIRN_PROTOCOL_ETMV4;
    o->minor = ete ? peer_random_below(random, 4) : peer_random_below(random, 7);
    o->maxspec = peer_random_percent(random, 40)   ? 0
                 : peer_random_percent(random, 95) ? peer_random_range(random, 1, 20)
                                                   : peer_random_range(random, 100, 1000);
    o->cycle_bits =
        peer_random_percent(random, 50) ? CYCLE_BITS_LEAST : peer_random_range(random, 12, 20);
    o->commopt = peer_random_percent(random, 60);
    o->commtrans = peer_random_percent(random, 50);
    o->timestamp_markers = (ete || o->minor >= 6) && peer_random_percent(random, 50);
    o->waits_are_p0 = (ete || o->minor >= 3) && peer_random_percent(random, 50);
    o->choices = (uint32_t)peer_random_64(random) & habits;
    if (ete && peer_random_percent(random, 20))
        o->choices |= CAIRN_UNIT_OMIT_NOT_TAKEN;
    o->stack_depth = peer_random_percent(random, 50) ? 15 : peer_random_below(random, 16);
    if (peer_random_percent(random, 15)) {
        o->fifo_bytes = 64 + peer_random_below(random, 200);
        o->fifo_drain = peer_random_range(random, 1, 40);
    }
    draw_features(o, program, random);
    draw_view(o, program, random);
}
