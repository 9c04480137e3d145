/* SPDX-License-Identifier: BSD-2-Clause */
#include "emit.h"

#include <string.h>

enum {
    ATOMS_MAX = 40, /* that wait */
    ATOMS_LONGEST = 24,
    HISTORY = 3,
    INFO_CC = 1,
    PLCTL_INFO = 1,
    PLCTL_SPEC = 4,
    PLCTL_CYCT = 8,
    PACKET_BYTES = 64,
};

/* Writes one packet if its fields can be expressed. */
static bool write_packet(struct peer_emitter *e, unsigned kind,
                         const struct cairn_packet_fields *fields)
{
    struct peer_bytes *out = e->out;
    size_t size;

    if (PEER_BYTES - out->size < PACKET_BYTES) {
        e->failed = true;
        return true;
    }
    size = cairn_packet_write(e->writer, kind, fields, out->data + out->size, PACKET_BYTES);
    out->size += size;
    return size > 0;
}

static void must(struct peer_emitter *e, unsigned kind, const struct cairn_packet_fields *fields)
{
    if (!write_packet(e, kind, fields))
        e->failed = true;
}

/* --- atoms --- */

struct atom_form {
    unsigned kind;
    unsigned least;
    unsigned most;
};

/* The longest first. */
static const struct atom_form atom_forms[] = {
    {CAIRN_ETMV4_ATOM_F6, 4, ATOMS_LONGEST},
    {CAIRN_ETMV4_ATOM_F5_1, 5, 5},
    {CAIRN_ETMV4_ATOM_F5_2, 5, 5},
    {CAIRN_ETMV4_ATOM_F4, 4, 4},
    {CAIRN_ETMV4_ATOM_F3, 3, 3},
    {CAIRN_ETMV4_ATOM_F2, 2, 2},
    {CAIRN_ETMV4_ATOM_F1, 1, 1},
};

enum { ATOM_FORMS = sizeof atom_forms / sizeof *atom_forms };

static bool write_atoms(struct peer_emitter *e, unsigned kind, unsigned count)
{
    const struct cairn_packet_fields fields = {
        .atom_count = (uint8_t)count,
        .atoms = (uint32_t)e->atoms & ((1u << count) - 1),
    };

    if (!write_packet(e, kind, &fields))
        return false;
    e->atoms >>= count;
    e->atom_count -= count;
    return true;
}

static void write_long_atoms(struct peer_emitter *e, unsigned available)
{
    for (unsigned i = 0; i < ATOM_FORMS; i++)
        for (unsigned n = atom_forms[i].most; n >= atom_forms[i].least; n--)
            if (n <= available && write_atoms(e, atom_forms[i].kind, n))
                return;
}

static void write_any_atoms(struct peer_emitter *e, unsigned available)
{
    for (;;) {
        const struct atom_form *form = &atom_forms[peer_random_below(e->random, ATOM_FORMS)];
        const unsigned n = peer_random_range(e->random, form->least, form->most);

        if (n <= available && write_atoms(e, form->kind, n))
            return;
    }
}

static void flush_but(struct peer_emitter *e, unsigned kept)
{
    while (e->atom_count > kept && !e->failed) {
        if (e->settings->packs_long)
            write_long_atoms(e, e->atom_count - kept);
        else
            write_any_atoms(e, e->atom_count - kept);
    }
}

void peer_emit_flush(struct peer_emitter *e)
{
    flush_but(e, 0);
}

void peer_emit_atom(struct peer_emitter *e, bool taken)
{
    if (e->atom_count == ATOMS_MAX)
        flush_but(e, 0);
    e->atoms &= ~(UINT64_C(1) << e->atom_count);
    e->atoms |= (uint64_t)taken << e->atom_count;
    e->atom_count++;
}

void peer_emit(struct peer_emitter *e, unsigned kind, const struct cairn_packet_fields *fields)
{
    flush_but(e, 0);
    must(e, kind, fields);
}

void peer_emit_kind(struct peer_emitter *e, unsigned kind)
{
    const struct cairn_packet_fields none = {0};

    peer_emit(e, kind, &none);
}

/* --- synchronisation, addresses, contexts --- */

void peer_emit_sync(struct peer_emitter *e, uint32_t depth)
{
    const struct peer_settings *s = e->settings;
    struct cairn_packet_fields info = {.count = depth};

    peer_emit_kind(e, CAIRN_ETMV4_ALIGNMENT_SYNC);
    if (s->cycles) {
        info.info = INFO_CC;
        info.cycles = s->threshold;
        info.type |= PLCTL_INFO | PLCTL_CYCT;
    }
    if (depth > 0 || peer_random_percent(e->random, 20))
        info.type |= PLCTL_SPEC;
    if (peer_random_percent(e->random, 20))
        info.type |= PLCTL_INFO;
    peer_emit(e, CAIRN_ETMV4_TRACE_INFO, &info);
    e->timestamp = 0;
}

/* Tries the forms in a random order; the last, a 64-bit address, always fits. `kinds` are for IS0,
 * IS1 in turns: exact match, short, 32 and 64 bits. */
static void put_address(struct peer_emitter *e, const unsigned kinds[4][2],
                        struct cairn_packet_fields *fields)
{
    flush_but(e, 0);
    e->sub_isa = fields->sub_isa;
    for (unsigned tries = 0; tries < 6; tries++) {
        const unsigned form = peer_random_below(e->random, 4);

        fields->info = form == 0 ? (uint8_t)peer_random_below(e->random, HISTORY) : 0;
        if (write_packet(e, kinds[form][fields->sub_isa], fields))
            return;
    }
    fields->info = 0;
    must(e, kinds[3][fields->sub_isa], fields);
}

void peer_emit_address(struct peer_emitter *e, uint64_t address, unsigned sub_isa)
{
    static const unsigned kinds[4][2] = {
        {CAIRN_ETMV4_ADDRESS_EXACT, CAIRN_ETMV4_ADDRESS_EXACT},
        {CAIRN_ETMV4_ADDRESS_SHORT_IS0, CAIRN_ETMV4_ADDRESS_SHORT_IS1},
        {CAIRN_ETMV4_ADDRESS_32_IS0, CAIRN_ETMV4_ADDRESS_32_IS1},
        {CAIRN_ETMV4_ADDRESS_64_IS0, CAIRN_ETMV4_ADDRESS_64_IS1},
    };
    struct cairn_packet_fields fields = {.address = address, .sub_isa = (uint8_t)sub_isa};

    put_address(e, kinds, &fields);
}

void peer_emit_source(struct peer_emitter *e, uint64_t address, unsigned sub_isa)
{
    static const unsigned kinds[4][2] = {
        {CAIRN_ETMV4_SOURCE_EXACT, CAIRN_ETMV4_SOURCE_EXACT},
        {CAIRN_ETMV4_SOURCE_SHORT_IS0, CAIRN_ETMV4_SOURCE_SHORT_IS1},
        {CAIRN_ETMV4_SOURCE_32_IS0, CAIRN_ETMV4_SOURCE_32_IS1},
        {CAIRN_ETMV4_SOURCE_64_IS0, CAIRN_ETMV4_SOURCE_64_IS1},
    };
    struct cairn_packet_fields fields = {.address = address, .sub_isa = (uint8_t)sub_isa};
    const unsigned last = e->sub_isa;

    put_address(e, kinds, &fields);
    e->sub_isa = last;
}

/* The ids that a packet leaves out must be the last ones: tried with as few as can be, mostly. */
static void put_context(struct peer_emitter *e, unsigned kind, struct cairn_packet_fields *fields)
{
    const uint32_t both = CAIRN_PACKET_HAS_VMID | CAIRN_PACKET_HAS_CONTEXT_ID;
    const uint32_t base = fields->flags | CAIRN_PACKET_HAS_CONTEXT;
    const uint32_t wanted = (e->settings->vmids ? CAIRN_PACKET_HAS_VMID : 0) |
                            (e->settings->context_ids ? CAIRN_PACKET_HAS_CONTEXT_ID : 0);

    flush_but(e, 0);
    for (unsigned tries = 0; tries < 4; tries++) {
        fields->flags = base | ((uint32_t)peer_random_64(e->random) & wanted & both);
        if (write_packet(e, kind, fields))
            return;
    }
    fields->flags = base | wanted;
    must(e, kind, fields);
}

void peer_emit_context(struct peer_emitter *e, const struct cairn_context *context)
{
    struct cairn_packet_fields fields = {.flags = CAIRN_PACKET_HAS_CONTEXT, .context = *context};

    flush_but(e, 0);
    if (peer_random_percent(e->random, 50) && write_packet(e, CAIRN_ETMV4_CONTEXT_SAME, &fields))
        return;
    put_context(e, CAIRN_ETMV4_CONTEXT, &fields);
}

void peer_emit_address_context(struct peer_emitter *e, uint64_t address, unsigned sub_isa,
                               const struct cairn_context *context)
{
    static const unsigned kinds[2][2] = {
        {CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS0, CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS1},
        {CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0, CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1},
    };
    struct cairn_packet_fields fields = {
        .address = address,
        .sub_isa = (uint8_t)sub_isa,
        .flags = CAIRN_PACKET_HAS_CONTEXT | CAIRN_PACKET_HAS_VMID | CAIRN_PACKET_HAS_CONTEXT_ID,
        .context = *context,
    };
    uint32_t ids = fields.flags;

    flush_but(e, 0);
    e->sub_isa = sub_isa;
    if (!e->settings->vmids)
        ids &= ~CAIRN_PACKET_HAS_VMID;
    if (!e->settings->context_ids)
        ids &= ~CAIRN_PACKET_HAS_CONTEXT_ID;
    fields.flags = ids;
    if (peer_random_percent(e->random, 70)) {
        fields.flags = CAIRN_PACKET_HAS_CONTEXT;
        if (write_packet(e, kinds[0][sub_isa], &fields))
            return;
        fields.flags = ids;
        if (write_packet(e, kinds[0][sub_isa], &fields))
            return;
    }
    fields.flags = 0;
    put_context(e, kinds[1][sub_isa], &fields);
}

void peer_emit_exception(struct peer_emitter *e, unsigned type, uint64_t address, unsigned sub_isa,
                         const struct cairn_context *context, bool target)
{
    static const uint8_t plain_forms[] = {0, 0, 0, 8, 16, 32, 64};
    struct cairn_packet_fields fields = {
        .flags = CAIRN_PACKET_HAS_ADDRESS | (target ? CAIRN_PACKET_E10 : 0),
        .type = (uint16_t)type,
        .address = address,
        .sub_isa = (uint8_t)sub_isa,
        .address_bits = 64,
    };

    flush_but(e, 0);
    e->sub_isa = sub_isa;
    if (context) {
        fields.context = *context;
        fields.flags |= CAIRN_PACKET_HAS_CONTEXT;
        fields.address_bits = 32;
        if (peer_random_percent(e->random, 60) && write_packet(e, CAIRN_ETMV4_EXCEPTION, &fields))
            return;
        fields.address_bits = 64;
        put_context(e, CAIRN_ETMV4_EXCEPTION, &fields);
        return;
    }
    for (unsigned tries = 0; tries < 8; tries++) {
        fields.address_bits = plain_forms[peer_random_below(e->random, sizeof plain_forms)];
        if (fields.address_bits > 0 && fields.address_bits < 32 && sub_isa == 0)
            fields.address_bits++; /* IS0 carries one bit more: 9 and 17 */
        fields.info = fields.address_bits == 0 ? (uint8_t)peer_random_below(e->random, HISTORY) : 0;
        if (write_packet(e, CAIRN_ETMV4_EXCEPTION, &fields))
            return;
    }
    fields.info = 0;
    fields.address_bits = 64;
    must(e, CAIRN_ETMV4_EXCEPTION, &fields);
}

/* --- speculation --- */

static unsigned last_atoms(const struct peer_emitter *e, unsigned count)
{
    return (unsigned)(e->atoms >> (e->atom_count - count)) & ((1u << count) - 1);
}

/* One packet of `kind` that takes the last `leading` atoms with it. */
static bool cancel_with(struct peer_emitter *e, unsigned kind, unsigned leading, uint32_t count)
{
    struct cairn_packet_fields fields = {
        .flags = CAIRN_PACKET_MISPREDICT,
        .atom_count = (uint8_t)leading,
        .count = count,
    };

    if (leading > e->atom_count)
        return false;
    if (leading > 0) {
        const unsigned atoms = last_atoms(e, leading);

        if (leading == 2 && atoms != 3)
            return false;
        if (kind == CAIRN_ETMV4_CANCEL_F3 && atoms != 1)
            return false;
        fields.atoms = atoms;
    }
    flush_but(e, leading);
    if (!write_packet(e, kind, &fields))
        return false;
    e->atom_count = 0;
    e->atoms = 0;
    return true;
}

static void cancel_and_mispredict(struct peer_emitter *e, uint32_t count)
{
    const unsigned kind = count == 0   ? CAIRN_ETMV4_MISPREDICT
                          : count == 1 ? CAIRN_ETMV4_CANCEL_F2
                          : count <= 5 ? CAIRN_ETMV4_CANCEL_F3
                                       : CAIRN_ETMV4_CANCEL_F1;
    const unsigned most = kind == CAIRN_ETMV4_CANCEL_F3 ? 1 : kind == CAIRN_ETMV4_CANCEL_F1 ? 0 : 2;
    const struct cairn_packet_fields plain = {.flags = CAIRN_PACKET_MISPREDICT, .count = count};

    if (count > 0 && peer_random_percent(e->random, 30)) {
        peer_emit(e, CAIRN_ETMV4_CANCEL_F1, &plain);
        return;
    }
    if (cancel_with(e, kind, peer_random_range(e->random, 0, most), count))
        return;
    flush_but(e, 0);
    if (!cancel_with(e, kind, 0, count))
        e->failed = true;
}

void peer_emit_cancel(struct peer_emitter *e, uint32_t count, bool mispredict)
{
    while (count > 1 && peer_random_percent(e->random, 20)) { /* in parts */
        const struct cairn_packet_fields part = {.count =
                                                     peer_random_range(e->random, 1, count - 1)};

        peer_emit(e, CAIRN_ETMV4_CANCEL_F1, &part);
        count -= part.count;
    }
    if (mispredict) {
        cancel_and_mispredict(e, count);
    } else {
        const struct cairn_packet_fields fields = {.count = count};

        peer_emit(e, CAIRN_ETMV4_CANCEL_F1, &fields);
    }
}

void peer_emit_commit(struct peer_emitter *e, uint32_t count)
{
    const struct cairn_packet_fields fields = {.count = count};

    peer_emit(e, CAIRN_ETMV4_COMMIT, &fields);
}

/* --- time --- */

uint32_t peer_emit_cycles(struct peer_emitter *e, uint32_t commits)
{
    const struct peer_settings *s = e->settings;
    const bool ete = s->protocol == CAIRN_PROTOCOL_ETE;
    const unsigned form = peer_random_range(e->random, 1, 3);
    struct cairn_packet_fields fields = {.flags = CAIRN_PACKET_HAS_CYCLES};

    if (commits > 0) {
        fields.flags |= CAIRN_PACKET_HAS_COUNT;
        fields.count = commits;
    }
    flush_but(e, 0);
    /* ETMv4 with COMMOPT 1: what format 2 means is not in any public source. */
    if (form == 2 && (ete || !s->commopt)) {
        fields.cycles = s->threshold + peer_random_below(e->random, 16);
        if (write_packet(e, CAIRN_ETMV4_CYCLE_COUNT_F2, &fields))
            return fields.cycles;
    }
    if (form == 3) {
        fields.cycles = s->threshold + peer_random_below(e->random, 4);
        if (write_packet(e, CAIRN_ETMV4_CYCLE_COUNT_F3, &fields))
            return fields.cycles;
    }
    fields.cycles = s->threshold + peer_random_below(e->random, 1u << 19);
    if (peer_random_percent(e->random, 10)) {
        fields.flags &= ~CAIRN_PACKET_HAS_CYCLES;
        fields.cycles = 0;
    }
    must(e, CAIRN_ETMV4_CYCLE_COUNT_F1, &fields);
    return fields.cycles;
}

uint64_t peer_emit_timestamp(struct peer_emitter *e)
{
    struct cairn_packet_fields fields = {0};

    fields.value =
        e->timestamp + 1 + (peer_random_64(e->random) >> peer_random_range(e->random, 8, 62));
    if (e->settings->cycles && peer_random_percent(e->random, 50)) {
        fields.flags = CAIRN_PACKET_HAS_CYCLES;
        fields.cycles = peer_random_below(e->random, 1u << 20);
    }
    peer_emit(e, CAIRN_ETMV4_TIMESTAMP, &fields);
    e->timestamp = fields.value;
    return fields.value;
}
