/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements -> packets (DDI0608 D6.11): which elements share one. */
#include "protocol/etmv4/encode.h"

#include <stdlib.h>

/* Headers, D5.2. */
#define HEADER_EXTENSION 0x00u
#define EXTENSION_DISCARD 0x03u
#define EXTENSION_OVERFLOW 0x05u
#define HEADER_TRACE_ON 0x04u
#define HEADER_FUNCTION_RETURN 0x05u
#define HEADER_EXCEPTION_RETURN 0x07u
#define HEADER_TRANSACTION_START 0x0au
#define HEADER_TRANSACTION_COMMIT 0x0bu
#define HEADER_COMMIT 0x2du
#define HEADER_CANCEL 0x2eu
#define HEADER_CANCEL_MISPREDICT 0x2fu
#define HEADER_MISPREDICT 0x30u
#define HEADER_CANCEL_2 0x34u
#define HEADER_CANCEL_3 0x38u
#define HEADER_EVENT 0x70u
#define HEADER_TIMESTAMP_MARKER 0x88u
#define EVENT_NUMBER_MAX 3u
#define EXCEPTION_TYPE_PE_RESET 0x00u

/* Atom packets of one and two atoms, D5.40 and D5.41. */
#define ATOM_N 0xf6u
#define ATOM_E 0xf7u
#define ATOM_EE 0xdbu

/* The packet that an Atom packet becomes with one atom more, N or E; 0: no packet has these atoms.
 * Every beginning and every end of a packet's atoms is a packet too, and so the longest packet each
 * time gives the fewest packets (figure D6.6). Not listed: nothing is longer. */
static const uint8_t longer[256][2] = {
    [0x00] = {ATOM_N, ATOM_E}, /* no atoms yet */
    [ATOM_N] = {0xd8, 0xda},   /* format 2 */
    [ATOM_E] = {0xd9, 0xdb},
    [0xd8] = {0xf8, 0xfc}, /* NN, EN, NE, EE: format 3 */
    [0xd9] = {0xf9, 0xfd},
    [0xda] = {0xfa, 0xfe},
    [0xdb] = {0xfb, 0xff},
    [0xf8] = {0xdd, 0},    /* NNN: format 4, NNNN */
    [0xfa] = {0, 0xde},    /* NEN: NENE */
    [0xfd] = {0xdf, 0},    /* ENE: ENEN */
    [0xfe] = {0, 0xdc},    /* NEE: NEEE */
    [0xdc] = {0, 0xf5},    /* format 5: NEEEE */
    [0xdd] = {0xd5, 0},    /* NNNNN */
    [0xde] = {0xd6, 0},    /* NENEN */
    [0xdf] = {0, 0xd7},    /* ENENE */
    [0xff] = {0xe0, 0xc0}, /* EEE: format 6, three times E and one more atom */
#define RUN(COUNT) [0xc0 + (COUNT)] = {0xe1 + (COUNT), 0xc1 + (COUNT)}
    RUN(0),
    RUN(1),
    RUN(2),
    RUN(3),
    RUN(4),
    RUN(5),
    RUN(6),
    RUN(7),
    RUN(8),
    RUN(9),
    RUN(10),
    RUN(11),
    RUN(12),
    RUN(13),
    RUN(14),
    RUN(15),
    RUN(16),
    RUN(17),
    RUN(18),
    RUN(19),
#undef RUN
};

cairn_status cairn_etmv4_encoder_new(struct cairn_config *config, uint32_t choices,
                                     struct cairn_etmv4_encoder **encoder)
{
    struct cairn_etmv4_encoder *e = calloc(1, sizeof *e);

    if (!e)
        return CAIRN_E_MEMORY;
    e->config = cairn_config_ref(config);
    e->etm = cairn_etmv4_of(config);
    e->choices = choices;
    e->draft.etm = e->etm;
    e->draft.fields = &e->fields;
    *encoder = e;
    return CAIRN_OK;
}

void cairn_etmv4_encoder_free(struct cairn_etmv4_encoder *encoder)
{
    if (!encoder)
        return;
    cairn_config_unref(encoder->config);
    free(encoder);
}

/* --- what waits inside --- */

static void write_atoms(struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out)
{
    if (e->atoms == 0)
        return;
    cairn_encode_byte(out, e->atoms);
    e->atoms = 0;
}

static void write_address(struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out)
{
    cairn_encode_target(e, e->address, e->sub_isa, out);
}

static void write_context(struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out)
{
    cairn_encode_context(e, &e->context, out);
}

/* Writes all that is inside. */
static void settle(struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out)
{
    const enum cairn_encoder_held held = (enum cairn_encoder_held)e->held;

    write_atoms(e, out);
    e->held = CAIRN_HELD_NOTHING;
    switch (held) {
    case CAIRN_HELD_NOTHING: break;
    case CAIRN_HELD_CANCEL: cairn_encode_count(e, HEADER_CANCEL, e->count, out); break;
    case CAIRN_HELD_COMMIT: cairn_encode_count(e, HEADER_COMMIT, e->count, out); break;
    case CAIRN_HELD_EVENTS: cairn_encode_byte(out, HEADER_EVENT | e->events); break;
    case CAIRN_HELD_DISCARD:
        cairn_encode_byte(out, HEADER_EXTENSION);
        cairn_encode_byte(out, EXTENSION_DISCARD);
        break;
    case CAIRN_HELD_Q: cairn_encode_q(e, e->counted, e->count, out); break;
    case CAIRN_HELD_ADDRESS: write_address(e, out); break;
    case CAIRN_HELD_CONTEXT: write_context(e, out); break;
    case CAIRN_HELD_ADDRESS_CONTEXT:
    case CAIRN_HELD_CONTEXT_ADDRESS:
        if (cairn_encode_shares(e, e->address, e->sub_isa, &e->context)) {
            cairn_encode_target_context(e, e->address, e->sub_isa, &e->context, out);
        } else if (held == CAIRN_HELD_ADDRESS_CONTEXT) {
            write_address(e, out);
            write_context(e, out);
        } else {
            write_context(e, out);
            write_address(e, out);
        }
        break;
    }
}

/* An element that shares no packet. */
static void put_byte(struct cairn_etmv4_encoder *e, unsigned byte, struct cairn_encoder_out *out)
{
    settle(e, out);
    cairn_encode_byte(out, byte);
}

/* --- atoms and speculation --- */

void cairn_etmv4_encoder_atom(struct cairn_etmv4_encoder *e, bool taken,
                              struct cairn_encoder_out *out)
{
    if (e->held != CAIRN_HELD_NOTHING)
        settle(e, out);

    /* No branch on what the atoms are, which nobody predicts: the packet is always stored, and
     * counts when it cannot grow. */
    const uint8_t next = longer[e->atoms][taken];
    const bool full = next == 0;

    out->bytes[out->size] = e->atoms;
    out->size += full;
    e->atoms = full ? (uint8_t)(ATOM_N + taken) : next;
}

static void put_cancel(struct cairn_etmv4_encoder *e, uint64_t count, struct cairn_encoder_out *out)
{
    if (count == 0)
        return;
    if (e->held == CAIRN_HELD_CANCEL && e->count + count <= UINT32_MAX) {
        e->count += count; /* no P0 element lies between (I_NDQKN) */
        return;
    }
    if (e->held != CAIRN_HELD_NOTHING)
        settle(e, out);
    e->held = CAIRN_HELD_CANCEL;
    e->count = count;
}

/* How the atoms inside lead a Mispredict or Cancel format 2 in the same packet (D5.37, D5.39):
 * none, E, EE or N, as the low bits of the header. Other atoms are written. */
static unsigned take_leading(struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out)
{
    const unsigned atoms = e->atoms;

    if (atoms != ATOM_E && atoms != ATOM_EE && atoms != ATOM_N) {
        write_atoms(e, out);
        return 0;
    }
    e->atoms = 0;
    return atoms == ATOM_E ? 1 : atoms == ATOM_EE ? 2 : 3;
}

/* The Cancel that is inside, and a Mispredict. */
static void write_cancel_mispredict(struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out)
{
    e->held = CAIRN_HELD_NOTHING;
    if (e->count == 1) {
        const unsigned leading = take_leading(e, out);

        cairn_encode_byte(out, HEADER_CANCEL_2 | leading);
        return;
    }
    if (e->count > 5) {
        write_atoms(e, out);
        cairn_encode_count(e, HEADER_CANCEL_MISPREDICT, e->count, out);
        return;
    }
    /* Format 3 has room for one E. */
    const unsigned leading = e->atoms == ATOM_E;

    if (leading)
        e->atoms = 0;
    write_atoms(e, out);
    cairn_encode_byte(out, HEADER_CANCEL_3 | ((unsigned)(e->count - 2) << 1) | leading);
}

static void put_mispredict(struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out)
{
    if (e->held == CAIRN_HELD_CANCEL) {
        write_cancel_mispredict(e, out);
        return;
    }
    if (e->held != CAIRN_HELD_NOTHING)
        settle(e, out);

    const unsigned leading = take_leading(e, out);

    cairn_encode_byte(out, HEADER_MISPREDICT | leading);
}

static void put_commit(struct cairn_etmv4_encoder *e, uint16_t flags, uint64_t count,
                       struct cairn_encoder_out *out)
{
    if ((flags & CAIRN_ELEMENT_IMPLIED) || count == 0)
        return;
    settle(e, out);
    if (e->etm->commopt) { /* no Cycle Count packet has room for it */
        cairn_encode_count(e, HEADER_COMMIT, count, out);
        return;
    }
    e->held = CAIRN_HELD_COMMIT;
    e->count = count;
}

static void put_cycle_count(struct cairn_etmv4_encoder *e, uint16_t flags, uint64_t cycles,
                            struct cairn_encoder_out *out)
{
    uint64_t commits = 0;

    if (e->held == CAIRN_HELD_COMMIT) {
        commits = e->count;
        e->held = CAIRN_HELD_NOTHING;
    }
    settle(e, out);
    cairn_encode_cycle_count(e, commits, !(flags & CAIRN_ELEMENT_UNKNOWN), cycles, out);
}

/* --- addresses, contexts and what shares a packet with them --- */

static bool keeps_apart(const struct cairn_etmv4_encoder *e)
{
    return (e->choices & CAIRN_ENCODER_SEPARATE_PACKETS) != 0;
}

static void put_target(struct cairn_etmv4_encoder *e, const struct cairn_element_data *data,
                       struct cairn_encoder_out *out)
{
    if (e->held == CAIRN_HELD_Q && e->counted &&
        cairn_encode_q_target(e, e->count, data->address, data->sub_isa, out)) {
        e->held = CAIRN_HELD_NOTHING;
        return;
    }
    if (e->held == CAIRN_HELD_CONTEXT && !keeps_apart(e)) {
        e->held = CAIRN_HELD_CONTEXT_ADDRESS;
    } else {
        settle(e, out);
        e->held = CAIRN_HELD_ADDRESS;
    }
    e->address = data->address;
    e->sub_isa = data->sub_isa;
}

static void put_context(struct cairn_etmv4_encoder *e, const struct cairn_context *context,
                        struct cairn_encoder_out *out)
{
    if (e->held == CAIRN_HELD_ADDRESS && !keeps_apart(e)) {
        e->held = CAIRN_HELD_ADDRESS_CONTEXT;
    } else {
        settle(e, out);
        e->held = CAIRN_HELD_CONTEXT;
    }
    e->context = *context;
}

/* Takes the Target Address that is inside, if the Exception can state it too (E=10). What else is
 * inside stays there. */
static bool take_same_address(struct cairn_etmv4_encoder *e, const struct cairn_element_data *data)
{
    const bool context =
        e->held == CAIRN_HELD_ADDRESS_CONTEXT || e->held == CAIRN_HELD_CONTEXT_ADDRESS;

    if (!(e->choices & CAIRN_ENCODER_EXPLICIT_ADDRESSES) ||
        (!context && e->held != CAIRN_HELD_ADDRESS) || e->address != data->address ||
        e->sub_isa != data->sub_isa)
        return false;
    e->held = context ? CAIRN_HELD_CONTEXT : CAIRN_HELD_NOTHING;
    return true;
}

static void put_exception(struct cairn_etmv4_encoder *e, uint16_t flags,
                          const struct cairn_element_data *data, struct cairn_encoder_out *out)
{
    const unsigned type = (unsigned)data->value;
    const struct cairn_context *context = NULL;

    if ((flags & CAIRN_ELEMENT_UNKNOWN) && (!e->etm->is_ete || type == EXCEPTION_TYPE_PE_RESET)) {
        settle(e, out);
        cairn_encode_exception_unknown(e, type, out);
        return;
    }

    const bool e10 = take_same_address(e, data);

    if (e->held == CAIRN_HELD_CONTEXT &&
        cairn_encode_shares(e, data->address, data->sub_isa, &e->context)) {
        context = &e->context;
        e->held = CAIRN_HELD_NOTHING;
    }
    settle(e, out);
    cairn_encode_exception(e, type, e10, data->address, data->sub_isa, context, out);
}

static void put_q(struct cairn_etmv4_encoder *e, uint16_t flags, uint64_t count,
                  struct cairn_encoder_out *out)
{
    settle(e, out);
    e->held = CAIRN_HELD_Q;
    e->counted = !(flags & CAIRN_ELEMENT_UNKNOWN);
    e->count = count;
}

/* --- the rest --- */

static void put_event(struct cairn_etmv4_encoder *e, uint64_t number, struct cairn_encoder_out *out)
{
    const unsigned mask = 1u << (number & EVENT_NUMBER_MAX);

    /* A packet lists its events in ascending order (D5.68). */
    if (e->held == CAIRN_HELD_EVENTS && e->events < mask) {
        e->events |= (uint8_t)mask;
        return;
    }
    settle(e, out);
    e->held = CAIRN_HELD_EVENTS;
    e->events = (uint8_t)mask;
}

static void put_overflow(struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out)
{
    if (e->held == CAIRN_HELD_DISCARD) /* an Overflow packet states both (D5.6) */
        e->held = CAIRN_HELD_NOTHING;
    settle(e, out);
    cairn_encode_byte(out, HEADER_EXTENSION);
    cairn_encode_byte(out, EXTENSION_OVERFLOW);
}

static void put_alignment(struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out)
{
    settle(e, out);
    cairn_encode_alignment(out);
    e->aligned = true;
}

static void put_trace_info(struct cairn_etmv4_encoder *e, const struct cairn_element_data *data,
                           struct cairn_encoder_out *out)
{
    settle(e, out);
    if (!e->aligned) /* none may be without (R_VRKLP) */
        put_alignment(e, out);
    cairn_encode_trace_info(e, data, out);
}

void cairn_etmv4_encoder_put(struct cairn_etmv4_encoder *e, unsigned kind, uint16_t flags,
                             const struct cairn_element_data *data, struct cairn_encoder_out *out)
{
    const struct cairn_etmv4_config *etm = e->etm;

    switch ((enum cairn_element_kind)kind) {
    case CAIRN_ELEMENT_ATOM:
        cairn_etmv4_encoder_atom(e, (flags & CAIRN_ELEMENT_E) != 0, out);
        break;
    case CAIRN_ELEMENT_TRACE_INFO: put_trace_info(e, data, out); break;
    case CAIRN_ELEMENT_TRACE_ON: put_byte(e, HEADER_TRACE_ON, out); break;
    case CAIRN_ELEMENT_EXCEPTION: put_exception(e, flags, data, out); break;
    case CAIRN_ELEMENT_SOURCE_ADDRESS:
        if (!etm->source_addresses)
            break;
        settle(e, out);
        cairn_encode_source(e, data->address, data->sub_isa, out);
        break;
    case CAIRN_ELEMENT_Q:
        if (etm->is_ete || etm->qsupp != 0)
            put_q(e, flags, data->value, out);
        break;
    case CAIRN_ELEMENT_TARGET_ADDRESS: put_target(e, data, out); break;
    case CAIRN_ELEMENT_CONTEXT: put_context(e, &data->context, out); break;
    case CAIRN_ELEMENT_COMMIT: put_commit(e, flags, data->value, out); break;
    case CAIRN_ELEMENT_CANCEL: put_cancel(e, data->value, out); break;
    case CAIRN_ELEMENT_MISPREDICT: put_mispredict(e, out); break;
    case CAIRN_ELEMENT_DISCARD:
        settle(e, out);
        e->held = CAIRN_HELD_DISCARD;
        break;
    case CAIRN_ELEMENT_OVERFLOW: put_overflow(e, out); break;
    case CAIRN_ELEMENT_CYCLE_COUNT: put_cycle_count(e, flags, data->value, out); break;
    case CAIRN_ELEMENT_TIMESTAMP:
        settle(e, out);
        cairn_encode_timestamp(e, flags, data, out);
        break;
    case CAIRN_ELEMENT_TIMESTAMP_MARKER:
        if (etm->timestamp_marker)
            put_byte(e, HEADER_TIMESTAMP_MARKER, out);
        break;
    case CAIRN_ELEMENT_EVENT: put_event(e, data->value, out); break;
    case CAIRN_ELEMENT_TRANSACTION_START:
        if (etm->transactions)
            put_byte(e, HEADER_TRANSACTION_START, out);
        break;
    case CAIRN_ELEMENT_TRANSACTION_COMMIT:
        if (etm->transactions)
            put_byte(e, HEADER_TRANSACTION_COMMIT, out);
        break;
    case CAIRN_ELEMENT_TRANSACTION_FAILURE:
        if (!etm->transactions || (flags & CAIRN_ELEMENT_IMPLIED))
            break;
        settle(e, out);
        cairn_encode_transaction_failure(e, out);
        break;
    case CAIRN_ELEMENT_EXCEPTION_RETURN:
        if (etm->exception_return)
            put_byte(e, HEADER_EXCEPTION_RETURN, out);
        break;
    case CAIRN_ELEMENT_FUNCTION_RETURN:
        if (etm->function_return)
            put_byte(e, HEADER_FUNCTION_RETURN, out);
        break;
    case CAIRN_ELEMENT_A_SYNC: put_alignment(e, out); break;
    case CAIRN_ELEMENT_INSTRUMENTATION:
    case CAIRN_ELEMENT_DATA_SYNC:
    case CAIRN_ELEMENT_CONDITIONAL:
    case CAIRN_ELEMENT_BRANCH_FUTURE_FLUSH:
    case CAIRN_ELEMENT_WAYPOINT_UPDATE:
    case CAIRN_ELEMENT_DATA:
    case CAIRN_ELEMENT_STACKING:
    case CAIRN_ELEMENT_CANCELLED:
    case CAIRN_ELEMENT_GAP: break; /* no trace unit model has them */
    }
}

void cairn_etmv4_encoder_flush(struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out)
{
    settle(e, out);
}
