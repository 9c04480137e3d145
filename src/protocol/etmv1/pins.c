/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of data -> transfers of instructions (5.3, 5.4, 5.7).
 *
 * Data has no headers: how many bytes an instruction has, its opcode says. Instructions and bytes come
 * in the same order, but not at the same time: a byte may come in front of the status of its
 * instruction, or many cycles behind it, out of the FIFO. So there are two queues, of which one is empty
 * at a time: instructions whose bytes are still to come, and bytes whose instruction is. The rules of
 * 5.3 say which bytes are none: those up to a functional status that no instruction has claimed by then.
 * Each branch address is a point where everything before it must have come, which bounds what a wrong
 * count can do. So branches are never forgotten, also where the data of all that waits is given up: the
 * addresses of these still come, each behind data that nobody takes then. */
#include "protocol/etmv1/etmv1.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEEDS = 512, /* what waits for bytes: more than there are in a FIFO of 256 */
    ROOM =
        8, /* of these left, at least, when a cycle begins: it brings no more than two or three */
    UNITS = 512, /* bytes that wait for an instruction, or halves of them: more than it may have */
    MORE = 0x80,
    BITS = 7,
    ADDRESS_LAST = 4,    /* of the bytes of an address, from 0 */
    LAST_ILLEGAL = 0xf0, /* bits of the last one: the reason is always b000 (5.7.3) */
    NIBBLE_BITS = 4,
    BYTE_BITS = 8,
    BYTE = 0xff,
    CERTAIN = 1 << 8,
};

static_assert(UNITS >= 2 * (ADDRESS_LAST + 1 + sizeof(uint32_t) * CAIRN_TRANSFERS_MAX) + 2,
              "there is room for all of one instruction, and for what comes with its status");

enum etmv1_waits {
    WAITS_FOR_BYTES,
    WAITS_UNKNOWN, /* how many is not known: they are lost up to the next branch address */
    WAITS_BRANCH,  /* not for data: for a branch address */
};

struct etmv1_waiting {
    uint8_t kind;
    bool anew;      /* a branch: data addresses begin anew with it */
    bool overflow;  /* a branch: what came last in front of it is in doubt, unless it is certain */
    bool debug;     /* a branch: the same of what the last instruction in front of it has */
    bool addressed; /* an address comes first */
    bool valued;
    struct cairn_pins_owner owner;
    uint64_t statuses; /* of instructions, in front of its own */
    uint8_t count;
    uint8_t sizes[CAIRN_TRANSFERS_MAX];
};

struct etmv1_pins {
    struct cairn_config *config;
    const struct cairn_etmv1_config *etm;

    unsigned lost; /* of the queue, from its front: the data of these is given up */
    unsigned owed; /* branches that left the queue so, whose addresses come before all others */
    bool blind; /* behind these: whose bytes come next is not known, up to an address that waits */
    unsigned need_first, need_count;
    struct etmv1_waiting needs[NEEDS];
    unsigned unit_first, unit_count;
    unsigned before;       /* of these, that came in front of the branch address that begins */
    uint16_t units[UNITS]; /* with CERTAIN, if it is sure to be data */

    /* of the first instruction that waits */
    unsigned transfer; /* that is coming */
    unsigned byte;     /* of its address or value that comes next */
    bool in_value;     /* its address, if it has one, has come */
    bool known;        /* that address is */
    bool half;         /* of a byte came, on 4 pins */
    bool guessed;      /* some byte so far may be none */
    uint8_t low;
    uint32_t address_bits; /* of the address, so far */
    uint32_t address;
    uint64_t value;

    bool base_known;
    uint32_t base;                   /* the last data address */
    struct cairn_pins_owner last;    /* whose bytes came last, */
    bool last_guessed;               /* and some may be none */
    uint64_t last_statuses;          /* in front of its own, */
    uint64_t statuses;               /* and in all */
    unsigned offsets;                /* cycles of an address packet offset to come: no statuses */
    struct cairn_pins_owner doubted; /* what was told of it may be wrong, and that is to be told */
    unsigned todo;                   /* CAIRN_PINS_... of the element in hand */
};

cairn_status cairn_etmv1_pins_new(struct cairn_config *config, void **state)
{
    struct etmv1_pins *p = calloc(1, sizeof *p);

    if (!p)
        return CAIRN_E_MEMORY;
    p->config = cairn_config_ref(config);
    p->etm = cairn_etmv1_of(config);
    p->blind = true; /* nothing says where the first bytes belong */
    *state = p;
    return CAIRN_OK;
}

void cairn_etmv1_pins_free(void *state)
{
    struct etmv1_pins *p = state;

    if (!p)
        return;
    cairn_config_unref(p->config);
    free(p);
}

/* --- queues --- */

static struct etmv1_waiting *front(struct etmv1_pins *p)
{
    return p->need_count > 0 ? &p->needs[p->need_first] : NULL;
}

static void begin_front(struct etmv1_pins *p)
{
    p->transfer = 0;
    p->byte = 0;
    p->in_value = false;
    p->known = false;
    p->half = false;
    p->guessed = false;
    p->address_bits = 0;
    p->value = 0;
}

static void pop(struct etmv1_pins *p)
{
    p->need_first = (p->need_first + 1) % NEEDS;
    p->need_count--;
    begin_front(p);
}

/* Those that may be taken now. */
static unsigned available(const struct etmv1_pins *p)
{
    return p->todo & CAIRN_PINS_SYNC ? p->before : p->unit_count;
}

static unsigned take_unit(struct etmv1_pins *p)
{
    const unsigned unit = p->units[p->unit_first];

    p->unit_first = (p->unit_first + 1) % UNITS;
    p->unit_count--;
    if (p->before > 0)
        p->before--;
    return unit;
}

/* True: some were certain to be data. */
static bool drop_units(struct etmv1_pins *p)
{
    bool certain = false;

    while (available(p) > 0)
        certain |= (take_unit(p) & CERTAIN) != 0;
    return certain;
}

/* Whose bytes are whose is not known any more, up to the next branch address of a known branch: nothing
 * that waits has its data any more, and that is told of each instruction (tell_lost). */
static void forget(struct etmv1_pins *p)
{
    p->lost = p->need_count;
    p->blind = true;
    p->unit_count = 0;
    p->before = 0;
    p->base_known = false;
    p->last.isa = CAIRN_ISA_UNKNOWN;
    if (p->lost == 0)
        begin_front(p);
}

/* Where it is full all is forgotten as soon as transfers are asked for: until then the last one, which is
 * no branch, stands for those that had no room. */
static struct etmv1_waiting *push(struct etmv1_pins *p, enum etmv1_waits kind)
{
    if (p->need_count == NEEDS)
        p->need_count--;
    struct etmv1_waiting *waiting = &p->needs[(p->need_first + p->need_count++) % NEEDS];

    *waiting = (struct etmv1_waiting){.kind = (uint8_t)kind, .statuses = p->statuses};
    return waiting;
}

/* What is not known is not known once more. */
static bool ends_unknown(const struct etmv1_pins *p)
{
    return p->need_count > p->lost &&
           p->needs[(p->need_first + p->need_count - 1) % NEEDS].kind == WAITS_UNKNOWN;
}

static bool is_coprocessor(const struct cairn_transfer *transfer)
{
    return transfer->kind == CAIRN_TRANSFER_FROM_COPROCESSOR ||
           transfer->kind == CAIRN_TRANSFER_TO_COPROCESSOR;
}

/* How many words LDC and STC transfer is not in the opcode (4.11.2), but known of some coprocessors. */
static unsigned words_of(const struct etmv1_pins *p, const struct cairn_transfers *transfers)
{
    return transfers->coprocessor < CAIRN_ETMV1_COPROCESSORS
               ? p->etm->ldc_words[transfers->coprocessor]
               : 0;
}

/* Its transfers' sizes; false: they are not known. */
static bool list_sizes(const struct etmv1_pins *p, const struct cairn_transfers *transfers,
                       struct etmv1_waiting *waiting)
{
    if (!transfers || transfers->count == 0 || (transfers->flags & CAIRN_TRANSFERS_UNKNOWN))
        return false;
    waiting->count = transfers->count;
    for (unsigned i = 0; i < transfers->count; i++)
        waiting->sizes[i] = transfers->list[i].size;
    if (!(transfers->flags & CAIRN_TRANSFERS_MORE))
        return true;
    waiting->count = (uint8_t)words_of(p, transfers);
    for (unsigned i = 0; i < waiting->count; i++)
        waiting->sizes[i] = sizeof(uint32_t);
    return waiting->count > 0;
}

/* Moves to and from coprocessors have no address (4.11.3). */
void cairn_etmv1_pins_need(void *state, const struct cairn_pins_owner *owner,
                           const struct cairn_transfers *transfers)
{
    struct etmv1_pins *p = state;

    if (owner->isa == CAIRN_ISA_UNKNOWN && ends_unknown(p))
        return;
    struct etmv1_waiting *waiting = push(p, WAITS_FOR_BYTES);

    waiting->owner = *owner;
    if (!list_sizes(p, transfers, waiting)) {
        waiting->kind = WAITS_UNKNOWN;
        return;
    }
    waiting->valued = p->etm->data_value;
    waiting->addressed = p->etm->data_address && !is_coprocessor(&transfers->list[0]);
    /* of several transfers the first has an address (5.4) */
    if (!waiting->valued)
        waiting->count = waiting->addressed ? 1 : 0;
}

/* The transfer told last is of the instruction in front of the status with this number, and some of its
 * bytes may be none: the FIFO may have had no room for them (5.9), and that be told by nothing more. */
static bool may_be_none(const struct etmv1_pins *p, uint64_t statuses)
{
    return p->last_guessed && p->last_statuses + 1 == statuses;
}

/* Here the trace is cut off, or some of it is missing: what would tell of an overflow as well. What waits for
 * bytes is told in any case (tell_lost). */
static void cut(struct etmv1_pins *p)
{
    const struct etmv1_waiting *waiting = front(p);
    const bool waits = waiting && waiting->kind != WAITS_BRANCH;

    if (may_be_none(p, p->statuses) && !(waits && waiting->statuses == p->last_statuses))
        p->doubted = p->last;
    forget(p);
}

/* Numbers the statuses: those of the cycles in which an instruction ended. */
static void count_status(struct etmv1_pins *p, unsigned marks)
{
    if (marks & CAIRN_PINS_BRANCH) {
        p->offsets = CAIRN_ETMV1_APO_CYCLES;
        p->statuses++;
    } else if (marks & CAIRN_PINS_FENCE) {
        if (p->offsets > 0)
            p->offsets--;
        else
            p->statuses++;
    }
}

void cairn_etmv1_pins_take(void *state, const struct cairn_element_data *pins)
{
    struct etmv1_pins *p = state;
    const unsigned marks = (unsigned)pins->address;
    const unsigned count = CAIRN_DATA_SIZE(pins->cycles);

    if (marks & CAIRN_PINS_BREAK)
        cut(p);
    if (marks & CAIRN_PINS_BRANCH) {
        struct etmv1_waiting *branch = push(p, WAITS_BRANCH);

        branch->anew = (marks & CAIRN_PINS_ANEW) != 0;
        branch->overflow = (marks & CAIRN_PINS_OVERFLOW) != 0;
        branch->debug = (marks & CAIRN_PINS_DEBUG) != 0;
    }
    count_status(p, marks);
    if (p->unit_count + count > UNITS)
        forget(p);
    p->todo = marks;
    p->before = p->unit_count;
    for (unsigned i = 0; i < count; i++) {
        const unsigned byte = (unsigned)(pins->value >> (BYTE_BITS * i)) & BYTE;
        const bool certain = i == 0 && (marks & CAIRN_PINS_CERTAIN);

        p->units[(p->unit_first + p->unit_count++) % UNITS] =
            (uint16_t)(certain ? byte | CERTAIN : byte);
    }
}

/* --- transfers --- */

static void tell(struct etmv1_pins *p, const struct etmv1_waiting *waiting, unsigned kind,
                 struct cairn_pins_owner *owner, struct cairn_element_data *data)
{
    *owner = waiting->owner;
    owner->transfer = (uint8_t)p->transfer;
    *data = (struct cairn_element_data){.cycles = CAIRN_DATA_FORM(kind, 0, 0)};
    p->last = *owner;
    p->last_guessed = kind == CAIRN_DATA_NORMAL && p->guessed;
    p->last_statuses = waiting->statuses;
}

static void tell_transfer(struct etmv1_pins *p, const struct etmv1_waiting *waiting,
                          struct cairn_pins_owner *owner, struct cairn_element_data *data)
{
    const unsigned size = waiting->valued ? waiting->sizes[p->transfer] : 0;

    tell(p, waiting, CAIRN_DATA_NORMAL, owner, data);
    data->cycles = CAIRN_DATA_FORM(CAIRN_DATA_NORMAL, size, 0);
    if (waiting->valued) {
        data->value = p->value;
        data->info |= CAIRN_DATA_HAS_VALUE;
    }
    if (p->etm->big_endian)
        data->info |= CAIRN_DATA_BIG_ENDIAN;
    if (p->transfer == 0)
        data->info |= CAIRN_DATA_FIRST;
    if (p->transfer == 0 && waiting->addressed && p->known) {
        data->address = p->address;
        data->info |= CAIRN_DATA_HAS_ADDRESS;
    }
}

/* A short address replaces the low bits of the last one; behind a gap a whole one has to come first
 * (5.7.5). */
static void end_address(struct etmv1_pins *p)
{
    const bool full = p->byte == ADDRESS_LAST;
    const uint32_t mask = full ? UINT32_MAX : (UINT32_C(1) << (BITS * (p->byte + 1))) - 1;

    p->base = (p->base & ~mask) | (p->address_bits & mask);
    p->base_known |= full;
    p->known = p->base_known;
    p->address = p->base;
    p->in_value = true;
    p->byte = 0;
}

/* False: no address is like that, so that these are other bytes. */
static bool take_address_byte(struct etmv1_pins *p, uint8_t byte)
{
    const bool last = p->byte == ADDRESS_LAST;

    if (last && (byte & LAST_ILLEGAL))
        return false;
    p->address_bits |= (uint32_t)(byte & ~MORE & 0xff) << (BITS * p->byte);
    if (last || !(byte & MORE))
        end_address(p);
    else
        p->byte++;
    return true;
}

/* In the order of memory (4.9.2), which makes the value of a big-endian core the other way round. */
static void take_value_byte(struct etmv1_pins *p, uint8_t byte)
{
    if (p->etm->big_endian)
        p->value = p->value << BYTE_BITS | byte;
    else
        p->value |= (uint64_t)byte << (BYTE_BITS * p->byte);
    p->byte++;
}

/* The next byte of those that came; false: there is no whole one. */
static bool next_byte(struct etmv1_pins *p, uint8_t *byte)
{
    while (available(p) > 0) {
        const unsigned taken = take_unit(p);
        const uint8_t unit = (uint8_t)taken;

        p->guessed |= !(taken & CERTAIN);
        if (p->etm->pins != NIBBLE_BITS) {
            *byte = unit;
            return true;
        }
        p->half = !p->half;
        if (!p->half) {
            *byte = (uint8_t)(p->low | unit << NIBBLE_BITS);
            return true;
        }
        p->low = unit;
    }
    return false;
}

/* Whether the transfer in hand has all of its bytes. */
static bool is_complete(const struct etmv1_pins *p, const struct etmv1_waiting *waiting)
{
    if (waiting->addressed && !p->in_value)
        return false;
    return !waiting->valued || p->byte == waiting->sizes[p->transfer];
}

/* Takes bytes for the instruction in front. True: one of its transfers is complete. */
static bool fill(struct etmv1_pins *p, struct etmv1_waiting *waiting,
                 struct cairn_pins_owner *owner, struct cairn_element_data *data)
{
    uint8_t byte;

    while (p->transfer < waiting->count) {
        if (is_complete(p, waiting)) {
            tell_transfer(p, waiting, owner, data);
            p->transfer++;
            p->byte = 0;
            p->value = 0;
            return true;
        }
        if (!next_byte(p, &byte))
            return false;
        if (!waiting->addressed || p->in_value)
            take_value_byte(p, byte);
        else if (!take_address_byte(p, byte))
            waiting->kind = WAITS_UNKNOWN;
        if (waiting->kind == WAITS_UNKNOWN)
            return false;
    }
    pop(p);
    return false;
}

/* What is given up leaves the queue. True: it is an instruction, and that is told. */
static bool tell_lost(struct etmv1_pins *p, struct cairn_pins_owner *owner,
                      struct cairn_element_data *data)
{
    while (p->lost > 0) {
        const struct etmv1_waiting *waiting = front(p);
        const bool is_known = waiting->owner.isa != CAIRN_ISA_UNKNOWN;

        p->lost--;
        p->owed += waiting->kind == WAITS_BRANCH;
        if (is_known)
            tell(p, waiting, CAIRN_DATA_SUPPRESSED, owner, data);
        p->last.isa = CAIRN_ISA_UNKNOWN;
        pop(p);
        if (is_known)
            return true;
    }
    return false;
}

/* What is in doubt. True: it is an instruction, and that is told. */
static bool tell_doubted(struct etmv1_pins *p, struct cairn_pins_owner *owner,
                         struct cairn_element_data *data)
{
    if (p->doubted.isa == CAIRN_ISA_UNKNOWN)
        return false;
    *owner = p->doubted;
    *data = (struct cairn_element_data){.cycles = CAIRN_DATA_FORM(CAIRN_DATA_SUPPRESSED, 0, 0)};
    p->doubted.isa = CAIRN_ISA_UNKNOWN;
    return true;
}

/* What came last was perhaps not counted right. True: that is told. */
static bool doubt(struct etmv1_pins *p, struct cairn_pins_owner *owner,
                  struct cairn_element_data *data)
{
    p->doubted = p->last;
    p->last.isa = CAIRN_ISA_UNKNOWN;
    begin_front(p);
    return tell_doubted(p, owner, data);
}

/* A branch address begins. True: data of an instruction before it has not come, or may be none (an
 * overflow takes packets of the last one, and what is on the pins of its status is any then, 5.9), and
 * that is told. */
static bool end_block(struct etmv1_pins *p, struct cairn_pins_owner *owner,
                      struct cairn_element_data *data)
{
    struct etmv1_waiting *waiting = front(p);

    if (p->owed > 0) {
        p->owed--;
        p->todo &= ~CAIRN_PINS_SYNC;
        return false;
    }
    while (waiting && waiting->kind != WAITS_BRANCH) {
        const bool is_known = waiting->owner.isa != CAIRN_ISA_UNKNOWN;

        p->base_known = false;
        if (is_known)
            tell(p, waiting, CAIRN_DATA_SUPPRESSED, owner, data);
        pop(p);
        if (is_known)
            return true;
        waiting = front(p);
    }
    p->todo &= ~CAIRN_PINS_SYNC;
    if (!waiting)
        return false;
    const bool in_doubt = (waiting->overflow && p->last_guessed) ||
                          (waiting->debug && may_be_none(p, waiting->statuses));

    p->base_known &= !waiting->anew;
    p->blind = false;
    pop(p);
    return in_doubt && doubt(p, owner, data);
}

/* Bytes that no instruction in the queue wants. True: that is told of one. */
static bool pass_rest(struct etmv1_pins *p, struct cairn_pins_owner *owner,
                      struct cairn_element_data *data)
{
    const struct etmv1_waiting *waiting = front(p);

    /* bytes that were certain to be data are left over */
    if (waiting)
        return drop_units(p) && waiting->kind == WAITS_BRANCH && doubt(p, owner, data);
    if (p->todo & CAIRN_PINS_SYNC)
        return drop_units(p) && doubt(p, owner, data);
    if (!(p->todo & CAIRN_PINS_FENCE) || !drop_units(p))
        return false;
    p->blind = true; /* whose the next ones are is not known */
    return doubt(p, owner, data);
}

/* Gives bytes to the instructions in front. True: a transfer is complete. */
static bool fill_all(struct etmv1_pins *p, struct cairn_pins_owner *owner,
                     struct cairn_element_data *data)
{
    struct etmv1_waiting *waiting;

    if (p->owed > 0 || p->blind) {
        (void)drop_units(p);
        return false;
    }
    while ((waiting = front(p)) && waiting->kind == WAITS_FOR_BYTES) {
        const unsigned count = p->need_count;

        if (fill(p, waiting, owner, data))
            return true;
        if (p->need_count == count) /* more bytes are needed, or how many is not known any more */
            break;
    }
    waiting = front(p);
    return (!waiting || waiting->kind != WAITS_FOR_BYTES) && pass_rest(p, owner, data);
}

bool cairn_etmv1_pins_give(void *state, struct cairn_pins_owner *owner,
                           struct cairn_element_data *data)
{
    struct etmv1_pins *p = state;

    if (p->need_count > NEEDS - ROOM) /* more than a FIFO holds: some counts were wrong */
        forget(p);
    if (tell_doubted(p, owner, data) || tell_lost(p, owner, data))
        return true;
    for (;;) {
        if (fill_all(p, owner, data))
            return true;
        if (!(p->todo & CAIRN_PINS_SYNC))
            return false;
        if (end_block(p, owner, data))
            return true;
    }
}

void cairn_etmv1_pins_end(void *state)
{
    struct etmv1_pins *p = state;

    p->todo = 0;
    cut(p);
}
