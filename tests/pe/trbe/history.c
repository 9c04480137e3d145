/* SPDX-License-Identifier: BSD-2-Clause */
#include "history.h"

#include <string.h>

#include <cairn/unit.h>

#include "pe/trbe.h"

enum {
    UNITS = 3,
    BY_BYTE = 0,
    BY_BLOCK = 1,
    IN_PIECES = 2,
    FAULTS = 6,
    MOST = 6000,
    ENOUGH = 20000
};

#define PAGE UINT64_C(0x1000)
#define HIGH UINT64_C(0xff00000000000000)
#define STATUS_S (UINT64_C(1) << 17)
#define STATUS_WRAP (UINT64_C(1) << 20)
#define STATUS_IRQ (UINT64_C(1) << 22)

const char *const history_deeds[HISTORY_DEEDS] = {
    "full",     "wrapped",   "triggered", "stopped by trigger", "full while flushed",
    "fault",    "abort",     "SError",    "out of range",       "misaligned",
    "rejected", "passed on", "restarted"};

struct fault {
    uint64_t address;
    struct cairn_pe_trbe_answer answer;
    bool once;
};

struct unit {
    struct cairn_pe_trbe trbe;
    struct cairn_pe_registers registers;
    struct fault faults[FAULTS];
    uint64_t stores, told; /* hashes: of each byte and its address, of each call outside */
    uint64_t stored;
    uint32_t deeds;
    bool bus_is_slow;
    bool crosses; /* a write did, a page */
    struct world *world;
};

struct world {
    struct history_source *source;
    struct cairn_pe_features features;
    struct cairn_pe_state state;
    struct cairn_pe_authentication authentication;
    struct unit units[UNITS];
    uint64_t base, limit;
    unsigned align;
    bool has_pieces; /* no rate, which goes by calls */
    bool flushing;
    size_t offered;
    uint8_t bytes[MOST];
    uint8_t next;
};

/* --- decisions --- */

static uint8_t byte(struct world *w)
{
    struct history_source *s = w->source;

    if (s->is_random) {
        s->random ^= s->random << 13;
        s->random ^= s->random >> 7;
        s->random ^= s->random << 17;
        return (uint8_t)(s->random >> 24);
    }
    if (s->left == 0)
        return 0;
    s->left--;
    return *s->at++;
}

static unsigned below(struct world *w, unsigned limit)
{
    return (byte(w) | (unsigned)byte(w) << 8) % limit;
}

/* Mostly small. */
static unsigned size_of(struct world *w, unsigned most)
{
    static const unsigned limits[] = {2, 4, 17, 17, 70, 70, 300, 300, 300, 2000, MOST};
    const unsigned limit = limits[byte(w) % (sizeof limits / sizeof *limits)];

    return below(w, (limit < most ? limit : most) + 1);
}

/* Near an end of the buffer, or anywhere. */
static uint64_t place(struct world *w)
{
    const uint64_t unit = UINT64_C(1) << w->align;

    switch (byte(w) % 16) {
    case 0: return w->limit;
    case 1: return w->base - 1 - size_of(w, 300);
    case 2: return w->limit + size_of(w, 300);
    case 3: return w->base ^ HIGH; /* another top byte */
    case 4: return w->limit - 1 - size_of(w, 300);
    case 5: return w->base + size_of(w, MOST);
    case 6:
    case 7:
    case 8: return w->limit - unit * (1 + size_of(w, 300) / unit);
    case 9: return w->limit - 1;
    default: return w->base + unit * (size_of(w, MOST) / unit);
    }
}

/* --- outside --- */

static void mix(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * UINT64_C(0x100000001b3);
    *hash ^= *hash >> 29;
}

static void tell(struct unit *u, unsigned what, uint64_t value)
{
    mix(&u->told, what);
    mix(&u->told, value);
    mix(&u->told, u->stored);
}

static size_t store(void *context, const struct cairn_pe_trbe_write *write,
                    struct cairn_pe_trbe_answer *answer)
{
    struct unit *u = context;

    u->crosses |= write->address / PAGE != (write->address + write->size - 1) / PAGE;
    for (size_t i = 0; i < write->size; i++) {
        const uint64_t address = write->address + i;

        for (unsigned n = 0; n < FAULTS; n++)
            if (u->faults[n].address == address) {
                *answer = u->faults[n].answer;
                if (u->faults[n].once)
                    u->faults[n].address = 0;
                u->deeds |= 1u << (answer->fault.stage ? HISTORY_FAULT : HISTORY_ABORT);
                return i;
            }
        mix(&u->stores, address);
        mix(&u->stores, write->bytes[i]);
        u->stored++;
    }
    return write->size;
}

static void hear_line(void *context, bool level)
{
    tell(context, 1, level);
}

static void hear_event(void *context, unsigned number)
{
    struct unit *u = context;

    u->deeds |= 1u << (number == CAIRN_PE_TRBE_EVENT_WRAP ? HISTORY_WRAPPED : HISTORY_TRIGGERED);
    tell(u, 2, number);
}

static void hear_flush(void *context)
{
    struct unit *u = context;

    u->world->flushing = true;
    tell(u, 3, 0);
}

static void hear_error(void *context, uint64_t address, uint8_t FSC)
{
    struct unit *u = context;

    u->deeds |= 1u << HISTORY_SYSTEM_ERROR;
    tell(u, 4, address);
    tell(u, 4, FSC);
}

static void hear_finding(void *context, enum cairn_pe_trbe_finding finding)
{
    struct unit *u = context;

    if (finding == CAIRN_PE_TRBE_OUT_OF_RANGE)
        u->deeds |= 1u << HISTORY_OUT_OF_RANGE;
    if (finding == CAIRN_PE_TRBE_MISALIGNED_POINTER)
        u->deeds |= 1u << HISTORY_MISALIGNED;
    tell(u, 5, finding);
}

static size_t take_elsewhere(void *context, const uint8_t *bytes, size_t size, uint64_t cycles)
{
    struct unit *u = context;
    const size_t taken = u->bus_is_slow ? size / 2 : size;

    (void)cycles;
    for (size_t i = 0; i < taken; i++)
        mix(&u->told, bytes[i]);
    if (taken > 0)
        u->deeds |= 1u << HISTORY_PASSED_ON;
    return taken;
}

/* --- steps --- */

static void begin(struct world *w)
{
    static const uint8_t modes[] = {0, 1, 3};
    const struct cairn_pe_trbe_options options = {
        .choices = byte(w) & 0x1fu,
        .align = byte(w) & 1 ? 0 : (uint8_t)(byte(w) % 12),
        .aborts = byte(w) % 3,
        .abort_delay = size_of(w, 300),
        .astray = byte(w) % 5,
        .unknown = (uint64_t)byte(w) << 24 | (byte(w) & 3 ? STATUS_S : 0) |
                   (byte(w) & 1 ? STATUS_WRAP : 0) | byte(w),
        .misaligned_trigger = byte(w) % 3,
        .reserved_FM = modes[byte(w) % 3],
        .reserved_TM = modes[byte(w) % 3],
        .granule = byte(w) & 1 ? 0 : (uint16_t)below(w, 2049),
        .rate = byte(w) & 7 ? 0 : 1 + below(w, 500),
        .depth = 1 + size_of(w, 2000),
    };

    w->features = (struct cairn_pe_features){
        .EL2 = true, .EL3 = true, .secure_EL2 = true, .trbe = true, .trace_filter = true};
    w->state.security = CAIRN_NONSECURE;
    w->state.EL = 1;
    w->align = options.align;
    w->has_pieces = options.rate == 0;
    w->base = (byte(w) & 7 ? 0x12000 : UINT64_C(0x00ffffffffffe000)) + PAGE * (byte(w) % 4);
    w->limit = w->base + PAGE * (byte(w) & 15 ? 1 + byte(w) % 2 : 0);
    for (unsigned i = 0; i < UNITS; i++) {
        struct unit *u = &w->units[i];
        const struct cairn_pe_trbe_outside outside = {
            store, hear_line, hear_event, hear_flush, hear_error, hear_finding, take_elsewhere, u};
        struct cairn_pe_trbe_options own = options;

        own.choices |= i == BY_BYTE ? CAIRN_PE_TRBE_BY_BYTE : 0;
        u->world = w;
        u->bus_is_slow = !w->has_pieces;
        u->registers.value[CAIRN_PE_SCR_EL3] = 1;
        u->registers.value[CAIRN_PE_MDCR_EL3] = UINT64_C(3) << 24;
        if (cairn_pe_trbe_begin(&u->trbe, &own, &outside, &w->features, &w->state,
                                &w->authentication, &u->registers) != CAIRN_OK)
            __builtin_trap();
    }
}

static void write_all(struct world *w, enum cairn_pe_register number, uint64_t value)
{
    for (unsigned i = 0; i < UNITS; i++)
        cairn_pe_trbe_write(&w->units[i].trbe, number, value);
}

static void enable(struct world *w)
{
    const uint64_t TRBLIMITR = w->limit | (byte(w) & 0x3eu);

    write_all(w, CAIRN_PE_TRBLIMITR_EL1, TRBLIMITR);
    if (byte(w) & 7)
        write_all(w, CAIRN_PE_TRBBASER_EL1, w->base);
    if (byte(w) & 3)
        write_all(w, CAIRN_PE_TRBPTR_EL1, place(w));
    if (byte(w) & 1)
        write_all(w, CAIRN_PE_TRBTRG_EL1,
                  byte(w) & 3 ? (uint64_t)size_of(w, 2000) >> w->align << w->align
                              : size_of(w, 2000));
    if (byte(w) & 3)
        write_all(w, CAIRN_PE_TRBSR_EL1, 0);
    write_all(w, CAIRN_PE_TRBLIMITR_EL1, TRBLIMITR | 1);
}

static void place_fault(struct world *w)
{
    const unsigned at = byte(w) % FAULTS;
    const uint8_t kind = byte(w);
    struct fault fault = {.once = kind & 1};

    fault.address = w->units[0].registers.value[CAIRN_PE_TRBPTR_EL1] + size_of(w, 300);
    if (kind & 0x10)
        fault.address = kind & 0x20 ? w->limit - 1 : w->base;
    if (kind & 6) {
        fault.answer.fault.stage = kind & 8 ? 1 : 2;
        fault.answer.fault.FSC = byte(w) & 0x3f;
    }
    if (!(kind & 2)) {
        fault.answer.abort.stage = kind & 8 ? 2 : 1;
        fault.answer.abort.FSC = byte(w) & 0x3f;
    }
    for (unsigned i = 0; i < UNITS; i++)
        w->units[i].faults[at] = fault;
}

static bool offer_pieces(struct unit *u, const uint8_t *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        const size_t piece = 1 + (done * 7 + (size_t)u->stored) % 61;
        const size_t count = piece < size - done ? piece : size - done;

        if (cairn_pe_trbe_port(&u->trbe, bytes + done, count, 0) != count)
            return false;
        done += count;
    }
    return true;
}

/* False: they do not take the same. */
static bool offer(struct world *w)
{
    /* So that a long history takes no longer than it need. */
    const size_t size = size_of(w, w->offered < ENOUGH ? MOST : 16);
    const uint64_t cycles = w->has_pieces ? 0 : size_of(w, 300);
    size_t gone;

    w->offered += size;
    for (size_t i = 0; i < size; i++)
        w->bytes[i] = w->next++;
    gone = cairn_pe_trbe_port(&w->units[BY_BYTE].trbe, w->bytes, size, cycles);
    if (gone > size || cairn_pe_trbe_port(&w->units[BY_BLOCK].trbe, w->bytes, size, cycles) != gone)
        return false;
    if (gone < size)
        w->units[BY_BYTE].deeds |= 1u << HISTORY_REJECTED;
    return !w->has_pieces || offer_pieces(&w->units[IN_PIECES], w->bytes, size);
}

static void flushed(struct world *w)
{
    const bool wanted = w->units[BY_BYTE].trbe.flush_wanted;
    const uint64_t before = w->units[BY_BYTE].registers.value[CAIRN_PE_TRBSR_EL1];
    uint64_t after;

    for (unsigned i = 0; i < UNITS; i++)
        cairn_pe_trbe_flushed(&w->units[i].trbe);
    after = w->units[BY_BYTE].registers.value[CAIRN_PE_TRBSR_EL1];
    if (wanted && !(before & STATUS_S) && after & STATUS_S && (after & 0x3f) == 2)
        w->units[BY_BYTE].deeds |= 1u << HISTORY_STOPPED_BY_TRIGGER;
    if (wanted && before & STATUS_S && (before & 0x3f) == 1)
        w->units[BY_BYTE].deeds |= 1u << HISTORY_FULL_WHILE_FLUSHED;
}

/* Disabled, perhaps with other values meanwhile, and enabled from what was read. */
static void restart(struct world *w)
{
    const uint64_t limit = w->units[0].registers.value[CAIRN_PE_TRBLIMITR_EL1];
    const uint64_t status = w->units[0].registers.value[CAIRN_PE_TRBSR_EL1];

    for (unsigned i = 0; i < UNITS; i++) {
        struct cairn_pe_trbe *trbe = &w->units[i].trbe;
        uint64_t pointer, counter;

        cairn_pe_trbe_drain(trbe);
        cairn_pe_trbe_write(trbe, CAIRN_PE_TRBLIMITR_EL1, limit & ~UINT64_C(1));
        pointer = cairn_pe_trbe_read(trbe, CAIRN_PE_TRBPTR_EL1);
        counter = cairn_pe_trbe_read(trbe, CAIRN_PE_TRBTRG_EL1);
        cairn_pe_trbe_write(trbe, CAIRN_PE_TRBPTR_EL1, 0);
        cairn_pe_trbe_write(trbe, CAIRN_PE_TRBTRG_EL1, 0);
        cairn_pe_trbe_write(trbe, CAIRN_PE_TRBPTR_EL1, pointer);
        cairn_pe_trbe_write(trbe, CAIRN_PE_TRBTRG_EL1, counter);
        cairn_pe_trbe_write(trbe, CAIRN_PE_TRBSR_EL1, status & ~(STATUS_S | STATUS_IRQ));
        cairn_pe_trbe_write(trbe, CAIRN_PE_TRBLIMITR_EL1, limit | 1);
    }
    w->units[BY_BYTE].deeds |= 1u << HISTORY_RESTARTED;
}

static bool step(struct world *w)
{
    const uint8_t kind = byte(w) % 24;
    const uint8_t value = byte(w);

    if (kind <= 8)
        return offer(w);
    for (unsigned i = 0; i < UNITS; i++) {
        struct cairn_pe_trbe *trbe = &w->units[i].trbe;

        switch (kind) {
        case 9:
        case 10:
        case 11: cairn_pe_trbe_detected_trigger(trbe); break;
        case 12: cairn_pe_trbe_drain(trbe); break;
        case 13: cairn_pe_trbe_complete(trbe); break;
        case 14:
            if (value < 16)
                cairn_pe_trbe_event(trbe, value);
            break;
        case 15:
            cairn_pe_trbe_write(trbe, CAIRN_PE_TRBSR_EL1, (uint64_t)value << 16 & ~STATUS_S);
            break;
        case 16:
            if (value < 4)
                cairn_pe_trbe_reset(trbe, value & 1 ? ~UINT64_C(0) : 0);
            break;
        default: break;
        }
    }
    switch (kind) {
    case 17: enable(w); break;
    case 18: place_fault(w); break;
    case 19: restart(w); break;
    case 20:
        if (value < 64)
            write_all(w, CAIRN_PE_TRBPTR_EL1, place(w));
        break;
    case 21:
    case 22:
    case 23: flushed(w); break;
    default: break;
    }
    return true;
}

/* --- the same? --- */

static const char *compare(const struct unit *a, const struct unit *b)
{
    const struct cairn_pe_trbe_counts *c = &a->trbe.counts, *d = &b->trbe.counts;

    if (a->crosses || b->crosses)
        return "a write across pages";
    if (memcmp(&a->registers, &b->registers, sizeof a->registers) != 0)
        return "registers";
    if (a->stores != b->stores || a->stored != b->stored)
        return "memory";
    if (a->told != b->told)
        return "what was told";
    if (c->accepted != d->accepted || c->discarded != d->discarded || c->lost != d->lost ||
        c->written != d->written || c->wraps != d->wraps || c->triggers != d->triggers)
        return "counts";
    if (c->rejected != d->rejected)
        return "what was rejected";
    if (a->trbe.flush_wanted != b->trbe.flush_wanted || a->trbe.held_size != b->trbe.held_size ||
        memcmp(a->trbe.held, b->trbe.held, a->trbe.held_size) != 0 ||
        a->trbe.abort.is_pending != b->trbe.abort.is_pending)
        return "what is to come";
    if (c->accepted != c->written + c->lost + a->trbe.held_size)
        return "the sum of what was accepted";
    return NULL;
}

static const char *compare_all(const struct world *w)
{
    const char *difference = compare(&w->units[BY_BYTE], &w->units[BY_BLOCK]);

    if (difference || !w->has_pieces)
        return difference;
    return compare(&w->units[BY_BYTE], &w->units[IN_PIECES]);
}

const char *history_run(struct history_source *source, unsigned steps, uint32_t *deeds)
{
    static struct world w;
    const char *difference = NULL;

    memset(&w, 0, sizeof w);
    w.source = source;
    begin(&w);
    enable(&w);
    for (unsigned i = 0; i < steps && !difference; i++) {
        if (!source->is_random && source->left == 0)
            break;
        difference = step(&w) ? compare_all(&w) : "how many bytes are gone";
        if ((w.units[BY_BYTE].registers.value[CAIRN_PE_TRBSR_EL1] & (STATUS_S | 0x3f)) ==
            (STATUS_S | 1))
            w.units[BY_BYTE].deeds |= 1u << HISTORY_FULL;
    }
    *deeds |= w.units[BY_BYTE].deeds;
    return difference;
}
