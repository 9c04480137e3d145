/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_events.h"

#include <string.h>

enum {
    WANTED = 120,
    OUTSTANDING_MAX = 2,
    TAGS = 3,
    HALTING_DEBUG = 1,
    OLD_DEBUG = 7,
    IRQ8 = 24,
    IRQS = 488
};
enum { REASON_PERIODIC = 0, REASON_TRACE_ON = 1, REASON_OVERFLOW = 2, REASON_DEBUG_EXIT = 3 };

struct source {
    uint64_t seed;
    struct second_list *list;
    unsigned states; /* of enum second_state */
    struct second_place place;
    uint32_t data_address;
    bool big_endian;
    unsigned outstanding[TAGS + 1];
    uint64_t time;
};

/* splitmix64 */
static uint64_t next(struct source *s)
{
    uint64_t z = s->seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(struct source *s, unsigned count)
{
    return (unsigned)(next(s) % count);
}

static bool one_in(struct source *s, unsigned count)
{
    return below(s, count) == 0;
}

static bool has_data(const struct source *s)
{
    return s->list->settings.addresses || s->list->settings.values;
}

/* Another address: any of the low bits may change, mostly few of them. */
static uint32_t move(struct source *s, uint32_t address)
{
    const unsigned bits = below(s, 33);

    return address ^ (uint32_t)(next(s) & ((UINT64_C(1) << bits) - 1));
}

/* Now and then more bytes than an address needs. */
static unsigned spare(struct source *s)
{
    return one_in(s, 8) ? 1 + below(s, 4) : 0;
}

/* Of any number of bytes; often one at which that number changes. */
static uint32_t value(struct source *s)
{
    static const uint32_t edges[] = {0x7f, 0x80, 0xff, 0x100, 0x3fff, 0x4000, 0xffff, 0x10000};

    if (one_in(s, 8))
        return edges[below(s, 8)];
    return (uint32_t)(next(s) & ((UINT64_C(1) << 8 * below(s, 5)) - 1));
}

static uint32_t aligned(uint32_t address, enum second_state state)
{
    if (state == SECOND_JAZELLE)
        return address;
    return address & (state == SECOND_ARM ? ~3u : ~1u);
}

static void go(struct source *s)
{
    const struct second_settings *settings = &s->list->settings;
    struct second_place *p = &s->place;

    if (settings->m_profile)
        p->state = SECOND_THUMB;
    else if (one_in(s, 4))
        p->state = (enum second_state)below(s, s->states);
    p->address = aligned(move(s, p->address), p->state);
    if (s->list->security && one_in(s, 6))
        p->nonsecure = !p->nonsecure;
    if (settings->minor >= 5 && !settings->m_profile && one_in(s, 8))
        p->hyp = !p->hyp;
    if (p->hyp)
        p->nonsecure = true;
}

static struct second_event *add(struct source *s, enum second_kind kind)
{
    struct second_event *e = &s->list->events[s->list->count++];

    memset(e, 0, sizeof *e);
    e->kind = kind;
    return e;
}

static void add_i_sync(struct source *s, unsigned reason)
{
    struct second_event *e = add(s, SECOND_I_SYNC);

    /* 7.4.3: what was outstanding may be missing, or still come. */
    if (reason != REASON_PERIODIC && one_in(s, 2))
        memset(s->outstanding, 0, sizeof s->outstanding);
    go(s);
    e->place = s->place;
    e->reason = reason;
    e->id = (uint32_t)next(s);
    e->in_progress = reason != REASON_PERIODIC && !s->list->settings.data_only && one_in(s, 3);
    if (e->in_progress) {
        const bool hyp = s->place.hyp;

        go(s);
        s->place.hyp = hyp;
        if (hyp)
            s->place.nonsecure = true;
        e->current = s->place;
    }
    if (reason != REASON_PERIODIC && s->list->settings.cycle_accurate &&
        !s->list->settings.data_only && one_in(s, 2)) {
        e->has_count = true;
        e->cycles = one_in(s, 8) ? 0 : value(s);
    }
}

static void add_plain_atoms(struct source *s, char *atoms)
{
    const unsigned count = 1 + below(s, 40);

    for (unsigned i = 0; i < count; i++)
        atoms[i] = one_in(s, 5) ? 'N' : 'E';
}

/* Cycle by cycle: none, one or two atoms behind a W; more, or none in front, from ETMv3.3 on. */
static void add_cycle_atoms(struct source *s, char *atoms)
{
    const unsigned more = s->list->settings.minor >= 3 ? 4 : 3;
    size_t count = 0;

    if (more == 4 && one_in(s, 4))
        atoms[count++] = 'E';
    for (unsigned cycles = 1 + below(s, 12); cycles > 0; cycles--) {
        atoms[count++] = 'W';
        for (unsigned i = below(s, more); i > 0; i--)
            atoms[count++] = one_in(s, 5) ? 'N' : 'E';
    }
}

/* A stall, and perhaps what ends it. */
static void add_stall(struct source *s, char *atoms)
{
    const unsigned cycles = 1 + below(s, 40);

    memset(atoms, 'W', cycles);
    if (!one_in(s, 3))
        atoms[cycles] = one_in(s, 3) ? 'N' : 'E';
}

static void add_atoms(struct source *s)
{
    struct second_event *e = add(s, SECOND_ATOMS);

    if (s->list->settings.cycle_accurate && one_in(s, 5))
        add_stall(s, e->atoms);
    else if (s->list->settings.cycle_accurate)
        add_cycle_atoms(s, e->atoms);
    else
        add_plain_atoms(s, e->atoms);
}

/* Table 7-12; 3 of issue Q. */
static unsigned exception_of_a(struct source *s)
{
    static const unsigned list[] = {2, 4, 5, 8, 9, 10, 11, 12, 14, 15, 1, 13, 3};
    const unsigned minor = s->list->settings.minor;

    return list[below(s, minor >= 5 ? 13 : minor >= 3 ? 12 : 11)];
}

/* Table 4-2: what is cancelled always, and what never. */
static bool is_cancelled(struct source *s, unsigned exception)
{
    enum { SMC = 2, RESET = 8, UNDEFINED = 9, SVC = 10, M_SVC = 11, M_RESET = 17 };
    const bool m = s->list->settings.m_profile;

    if (exception == (m ? M_RESET : RESET))
        return true;
    if (m ? exception == M_SVC : exception == SMC || exception == UNDEFINED || exception == SVC)
        return false;
    return one_in(s, 2);
}

/* Above 15: reset, HardFault, BusFault, and interrupts from IRQ8 on; the others are reserved. */
static unsigned long_exception(struct source *s)
{
    return one_in(s, 4) ? 17 + 2 * below(s, 3) : IRQ8 + below(s, IRQS);
}

/* Table 7-18 tells which of them go together. */
static void add_branch_of_m(struct source *s)
{
    struct second_event *e = add(s, SECOND_BRANCH);
    const unsigned what = below(s, 6);

    go(s);
    e->place = s->place;
    e->spare = spare(s);
    e->informed = one_in(s, 8);
    if (what < 3) /* Table 7-17 */
        return;
    if (what == 3) {
        e->resume = has_data(s) ? 1 + below(s, 15) : 0;
        return;
    }
    e->exception = one_in(s, 2) ? 1 + below(s, 15) : long_exception(s);
    e->cancel = is_cancelled(s, e->exception);
    e->resume = e->cancel && has_data(s) && one_in(s, 2) ? 1 + below(s, 15) : 0;
}

/* EEE 0: the address tells which exception it is, and that whether it can cancel (Table 7-9). */
static bool choose_vector(struct source *s, bool either)
{
    enum { RESET = 0x0, UNDEFINED = 0x4, SVC = 0x8, PREFETCH_ABORT = 0xc, DATA_ABORT = 0x10 };
    static const uint32_t vectors[] = {RESET, UNDEFINED, SVC, PREFETCH_ABORT, DATA_ABORT};
    const uint32_t vector = vectors[below(s, 5)];

    s->place.address = (s->place.address & ~31u) | vector;
    if (vector == UNDEFINED || vector == SVC)
        return false;
    return vector == DATA_ABORT || either;
}

static void add_old_exception(struct source *s)
{
    static const unsigned eee[] = {0, 1, 4, 5, 6, 7}; /* Table 7-9 */
    struct second_event *e;

    if (s->place.state == SECOND_THUMBEE) /* its change needs an information byte */
        return;
    e = add(s, SECOND_BRANCH);
    s->place.state = SECOND_ARM;
    s->place.address = aligned(move(s, s->place.address), SECOND_ARM);
    e->old = true;
    e->exception = eee[below(s, 6)];
    e->cancel = one_in(s, 2);
    if (e->exception == 0)
        e->cancel = choose_vector(s, e->cancel);
    e->place = s->place;
    if (e->exception == OLD_DEBUG)
        add_i_sync(s, REASON_DEBUG_EXIT);
}

static void add_branch(struct source *s)
{
    struct second_event *e;

    if (s->list->settings.m_profile) {
        add_branch_of_m(s);
        return;
    }
    if (!s->list->settings.alternative && one_in(s, 8)) {
        add_old_exception(s);
        return;
    }
    e = add(s, SECOND_BRANCH);
    go(s);
    e->place = s->place;
    e->spare = spare(s);
    e->informed = one_in(s, 8);
    if (!one_in(s, 3))
        return;
    e->exception = exception_of_a(s);
    e->cancel = is_cancelled(s, e->exception);
    /* The address is invalid, and Debug state follows. */
    if (e->exception == HALTING_DEBUG)
        add_i_sync(s, REASON_DEBUG_EXIT);
}

/* 7.4.2: the first transfer of an instruction has an address. */
static void give_address(struct source *s, struct second_event *e)
{
    e->has_address = !one_in(s, 3);
    if (!e->has_address)
        return;
    s->data_address = move(s, s->data_address);
    if (s->list->settings.minor >= 1 && one_in(s, 8))
        s->big_endian = !s->big_endian;
    e->data_address = s->data_address;
    e->big_endian = s->big_endian;
    e->whole = one_in(s, 8);
    e->spare = spare(s);
}

/* 7.4.7: behind a value of zero. */
static void add_store_failed(struct source *s)
{
    const struct second_settings *settings = &s->list->settings;

    if (settings->values && !settings->data_only && settings->minor >= 1 && one_in(s, 2))
        add(s, SECOND_STORE_FAILED);
}

/* 7.4.3: the two halves of a 64-bit value come one behind the other. */
static void add_late_data(struct source *s)
{
    const unsigned tag = 1 + below(s, TAGS);

    if (!s->list->settings.values)
        return;
    for (; s->outstanding[tag] > 0; s->outstanding[tag]--) {
        struct second_event *e = add(s, SECOND_LATE_DATA);

        e->tag = tag;
        e->value = value(s);
        if (e->value == 0 && s->outstanding[tag] == 1)
            add_store_failed(s);
    }
}

/* One, or two of a 64-bit value, of which the first alone may have an address. */
static void add_placeholder(struct source *s)
{
    const unsigned tag = 1 + below(s, TAGS);
    struct second_event *e;

    if (s->outstanding[tag] != 0 || !s->list->settings.values)
        return;
    s->outstanding[tag] = 1 + below(s, OUTSTANDING_MAX);
    e = add(s, SECOND_PLACEHOLDER);
    e->tag = tag;
    give_address(s, e);
    if (s->outstanding[tag] == OUTSTANDING_MAX)
        add(s, SECOND_PLACEHOLDER)->tag = tag;
}

static void add_data(struct source *s)
{
    struct second_event *e;

    switch (below(s, 8)) {
    case 0: add_placeholder(s); return;
    case 1: add_late_data(s); return;
    case 2: give_address(s, add(s, SECOND_NOT_TRACED)); return;
    case 3:
        if (!s->list->settings.data_only)
            add(s, SECOND_SUPPRESSED);
        return;
    default: break;
    }
    e = add(s, SECOND_DATA);
    give_address(s, e);
    e->value = value(s);
    if (e->value == 0)
        add_store_failed(s);
}

static void add_timestamp(struct source *s)
{
    struct second_event *e = add(s, SECOND_TIMESTAMP);
    const unsigned bits = s->list->settings.wide_time ? 64 : 48;
    const uint64_t mask = ~UINT64_C(0) >> (64 - bits);

    const uint64_t passed = next(s);

    s->time = (s->time + (passed & ~UINT64_C(0) >> (63 - below(s, bits)))) & mask;
    e->time = s->time;
    e->clock_changed = one_in(s, 4);
    e->whole = one_in(s, 8);
    e->spare = spare(s);
}

static void add_id(struct source *s, enum second_kind kind)
{
    add(s, kind)->id = (uint32_t)next(s);
}

static void add_rare(struct source *s)
{
    const struct second_settings *settings = &s->list->settings;

    switch (below(s, 8)) {
    case 0: add(s, SECOND_A_SYNC); return;
    case 1: add(s, SECOND_TRIGGER); return;
    case 2: add(s, SECOND_IGNORE); return;
    case 3:
        if (settings->context_bytes)
            add_id(s, SECOND_CONTEXT_ID);
        return;
    case 4:
        if (settings->minor >= 5 && !settings->m_profile)
            add_id(s, SECOND_VMID);
        return;
    case 5:
        if (settings->minor >= 5)
            add_timestamp(s);
        return;
    case 6: add_i_sync(s, below(s, 4)); return;
    default:
        if (settings->cycle_accurate && !settings->data_only)
            add(s, SECOND_CYCLE_COUNT)->cycles = one_in(s, 8) ? 0 : value(s);
        return;
    }
}

static void add_marker(struct source *s)
{
    const struct second_settings *settings = &s->list->settings;

    if (settings->m_profile && has_data(s) && one_in(s, 2))
        add(s, SECOND_EXCEPTION_ENTRY);
    else if (settings->minor >= 5 || settings->m_profile)
        add(s, SECOND_EXCEPTION_EXIT);
}

static void add_any(struct source *s)
{
    const struct second_settings *settings = &s->list->settings;

    switch (below(s, 12)) {
    case 0:
    case 1:
    case 2: add_rare(s); return;
    case 3:
        if (!settings->data_only)
            add_marker(s);
        return;
    case 4:
    case 5:
    case 6:
        if (!settings->data_only)
            add_branch(s);
        return;
    case 7:
    case 8:
        if (!settings->data_only)
            add_atoms(s);
        return;
    default:
        if (has_data(s))
            add_data(s);
        return;
    }
}

/* ETMIDR and ETMCR as they may be: 7.4.11 for which data tracing there is. */
static void choose_settings(struct source *s)
{
    static const unsigned context_bytes[] = {0, 1, 2, 4};
    struct second_settings *settings = &s->list->settings;

    memset(settings, 0, sizeof *settings);
    settings->minor = below(s, 6);
    settings->m_profile = settings->minor >= 4 && one_in(s, 2);
    settings->alternative = settings->minor >= 4 && one_in(s, 2);
    settings->cycle_accurate = one_in(s, 2);
    settings->addresses = one_in(s, 2);
    settings->values = one_in(s, 2);
    settings->data_only =
        settings->minor >= 1 && settings->addresses && settings->values && one_in(s, 3);
    settings->cycle_accurate = settings->cycle_accurate && !settings->data_only;
    settings->context_bytes = context_bytes[below(s, 4)];
    settings->wide_time = one_in(s, 2);
    settings->binary_time = one_in(s, 2);
    s->list->security = settings->minor >= 2 && !settings->m_profile &&
                        (settings->minor >= 5 || one_in(s, 2)); /* Hyp mode is Non-secure */
}

static void add_list(struct source *s)
{
    s->list->count = 0;
    add(s, SECOND_A_SYNC);
    add_i_sync(s, REASON_TRACE_ON);
    while (s->list->count < WANTED)
        add_any(s);
}

void second_random(struct second_list *list, uint64_t seed)
{
    struct source s = {.seed = seed, .list = list};

    choose_settings(&s);
    s.states = list->settings.minor >= 3 ? 4 : 3;
    add_list(&s);
}

void second_random_followed(struct second_list *list, uint64_t seed)
{
    struct source s = {.seed = seed, .list = list, .states = 2};

    choose_settings(&s);
    add_list(&s);
}
