/* SPDX-License-Identifier: BSD-2-Clause */
#include "encoder_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cairn_protocol *protocol_of(const struct encoder_session *session)
{
    return session->config->protocol;
}

void encoder_begin(struct encoder_session *session, enum cairn_protocol_id protocol,
                   struct cairn_arch arch, const struct cairn_register *registers, size_t count,
                   uint32_t choices)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_error error;

    memset(session, 0, sizeof *session);
    source.protocol = protocol;
    source.arch = arch;
    source.registers = registers;
    source.register_count = count;
    assert_int_equal(cairn_config_new(&source, &session->config, &error), CAIRN_OK);
    assert_int_equal(protocol_of(session)->encoder_new(session->config, choices, &session->state),
                     CAIRN_OK);
}

void encoder_begin_ete(struct encoder_session *session, uint32_t maxspec, bool commopt,
                       uint32_t choices)
{
    const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x78d1},  {"TRCIDR0", commopt ? 0x28818ea1 : 0x08818ea1},
        {"TRCIDR1", 0x4100fff0}, {"TRCIDR2", 0x40001088},
        {"TRCIDR8", maxspec},    {"TRCDEVARCH", 0x47705a13},
    };

    encoder_begin(session, CAIRN_PROTOCOL_ETE, (struct cairn_arch){CAIRN_PROFILE_A, 9, 2, 0},
                  registers, COUNT_OF(registers), choices);
}

void encoder_start(struct encoder_session *session)
{
    put_kind(session, CAIRN_ELEMENT_A_SYNC);
    put_trace_info(session, 0, 0, 0);
    expect_bytes(session, "0000000000000000000000 80 01 00");
}

void encoder_end(struct encoder_session *session)
{
    protocol_of(session)->encoder_free(session->state);
    cairn_config_unref(session->config);
}

/* Each call has a place of just the size that it may need, for the sanitizers to watch. */
static struct cairn_encoder_out room(void)
{
    uint8_t *bytes = malloc(CAIRN_ENCODER_ROOM);

    assert_non_null(bytes);
    return (struct cairn_encoder_out){bytes, 0, CAIRN_ENCODER_ROOM};
}

static void keep(struct encoder_session *session, struct cairn_encoder_out *out)
{
    assert_true(out->size <= CAIRN_ENCODER_ROOM);
    assert_true(session->size + out->size <= ENCODED_BYTES);
    memcpy(session->bytes + session->size, out->bytes, out->size);
    session->size += out->size;
    free(out->bytes);
}

static void note(struct encoder_session *session, unsigned kind, uint16_t flags,
                 const struct cairn_element_data *data)
{
    assert_true(session->count < ENCODED_ELEMENTS);
    session->put[session->count++] = (struct encoded_element){kind, flags, *data};
}

void put(struct encoder_session *session, unsigned kind, uint16_t flags,
         const struct cairn_element_data *data)
{
    struct cairn_encoder_out out = room();

    protocol_of(session)->encoder_put(session->state, kind, flags, data, &out);
    keep(session, &out);
    note(session, kind, flags, data);
}

void put_atoms(struct encoder_session *session, const char *atoms)
{
    for (; *atoms; atoms++) {
        struct cairn_encoder_out out = room();

        protocol_of(session)->encoder_atom(session->state, *atoms == 'E', &out);
        keep(session, &out);
        note(session, CAIRN_ELEMENT_ATOM,
             *atoms == 'E' ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0, D(0));
    }
}

void put_kind(struct encoder_session *session, unsigned kind)
{
    put(session, kind, 0, D(0));
}

void put_value(struct encoder_session *session, unsigned kind, uint64_t value)
{
    put(session, kind, 0, D(.value = value));
}

void put_target(struct encoder_session *session, uint64_t address, uint8_t sub_isa)
{
    put(session, CAIRN_ELEMENT_TARGET_ADDRESS, 0, D(.address = address, .sub_isa = sub_isa));
}

void put_context(struct encoder_session *session, const struct cairn_context *context)
{
    put(session, CAIRN_ELEMENT_CONTEXT, 0, D(.context = *context));
}

void put_exception(struct encoder_session *session, unsigned type, uint64_t address,
                   uint8_t sub_isa)
{
    put(session, CAIRN_ELEMENT_EXCEPTION, 0,
        D(.value = type, .address = address, .sub_isa = sub_isa));
}

void put_trace_info(struct encoder_session *session, uint8_t info, uint32_t spec,
                    uint32_t threshold)
{
    put(session, CAIRN_ELEMENT_TRACE_INFO, 0, D(.info = info, .value = spec, .cycles = threshold));
}

void flush(struct encoder_session *session)
{
    struct cairn_encoder_out out = room();

    protocol_of(session)->encoder_flush(session->state, &out);
    keep(session, &out);
}

void expect_bytes(struct encoder_session *session, const char *hex)
{
    char got[4096] = "";
    char wanted[4096] = "";
    size_t length = 0;

    flush(session);
    assert_true((session->size - session->checked) * 2 < sizeof got);
    for (size_t i = session->checked; i < session->size; i++)
        snprintf(got + 2 * (i - session->checked), 3, "%02x", session->bytes[i]);
    for (; *hex; hex++)
        if (*hex != ' ')
            wanted[length++] = *hex;
    session->checked = session->size;
    assert_string_equal(got, wanted);
}

/* --- back to elements --- */

static bool is_place(unsigned kind)
{
    return kind == CAIRN_ELEMENT_TARGET_ADDRESS || kind == CAIRN_ELEMENT_CONTEXT;
}

/* Puts the Contexts in front; what is of one kind stays in its order. */
static void contexts_first(struct encoded_element *list, size_t count)
{
    size_t front = 0;

    for (size_t i = 0; i < count; i++) {
        const struct encoded_element moved = list[i];

        if (moved.kind != CAIRN_ELEMENT_CONTEXT)
            continue;
        memmove(list + front + 1, list + front, (i - front) * sizeof *list);
        list[front++] = moved;
    }
}

/* The form in which both sides are compared: among Contexts and Target Addresses in a row the
 * Contexts first, Cancels in a row added up, nothing that takes no packet. In place; returns how
 * many are left. */
static size_t normalise(struct encoded_element *list, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct encoded_element *last = kept ? &list[kept - 1] : NULL;

        if ((list[i].kind == CAIRN_ELEMENT_COMMIT && (list[i].flags & CAIRN_ELEMENT_IMPLIED)) ||
            (list[i].kind == CAIRN_ELEMENT_TRANSACTION_FAILURE &&
             (list[i].flags & CAIRN_ELEMENT_IMPLIED)) ||
            list[i].kind == CAIRN_ELEMENT_A_SYNC)
            continue;
        if (last && list[i].kind == CAIRN_ELEMENT_CANCEL && last->kind == CAIRN_ELEMENT_CANCEL) {
            last->data.value += list[i].data.value;
            continue;
        }
        list[kept++] = list[i];
    }
    for (size_t end, from = 0; from < kept; from = end + 1) {
        for (end = from; end < kept && is_place(list[end].kind); end++)
            ;
        contexts_first(list + from, end - from);
    }
    return kept;
}

static void same_element(const struct encoded_element *got, const struct encoded_element *wanted)
{
    const uint16_t compared = CAIRN_ELEMENT_E | CAIRN_ELEMENT_UNKNOWN | CAIRN_ELEMENT_CYCLES;

    assert_string_equal(cairn_element_name(got->kind), cairn_element_name(wanted->kind));
    assert_int_equal(got->flags & compared, wanted->flags & compared);
    assert_true(got->data.value == wanted->data.value);
    assert_true(got->data.address == wanted->data.address);
    assert_int_equal(got->data.sub_isa, wanted->data.sub_isa);
    assert_int_equal(got->data.cycles, wanted->data.cycles);
    assert_int_equal(got->data.info, wanted->data.info);
    assert_int_equal(got->data.context.EL, wanted->data.context.EL);
    assert_int_equal(got->data.context.SF, wanted->data.context.SF);
    assert_int_equal(got->data.context.security, wanted->data.context.security);
    assert_int_equal(got->data.context.vmid, wanted->data.context.vmid);
    assert_int_equal(got->data.context.context_id, wanted->data.context.context_id);
}

static struct cairn_packet_batch *parse(const struct encoder_session *session)
{
    struct cairn_packet_batch *packets;
    struct cairn_packets *parser;
    size_t position = 0;

    assert_int_equal(cairn_packet_batch_new(ENCODED_BYTES, &packets), CAIRN_OK);
    assert_int_equal(cairn_packets_new(session->config, &parser), CAIRN_OK);
    assert_int_equal(cairn_packets_run(parser, session->bytes, session->size, &position, packets),
                     CAIRN_OK);
    assert_int_equal(cairn_packets_finish(parser, packets), CAIRN_OK);
    assert_true(packets->count < packets->capacity);
    cairn_packets_free(parser);
    return packets;
}

size_t expect_elements(struct encoder_session *session)
{
    static struct encoded_element got[ENCODED_ELEMENTS];
    struct cairn_packet_batch *packets;
    struct cairn_element_batch *elements;
    struct cairn_elements *decoder;
    size_t position = 0;

    flush(session);
    packets = parse(session);
    assert_int_equal(cairn_element_batch_new(ENCODED_ELEMENTS, &elements), CAIRN_OK);
    assert_int_equal(cairn_elements_new(session->config, &decoder), CAIRN_OK);
    assert_int_equal(cairn_elements_run(decoder, packets, &position, elements), CAIRN_OK);
    assert_int_equal(position, packets->count);
    for (size_t i = 0; i < elements->count; i++) {
        got[i] = (struct encoded_element){elements->kind[i], elements->flags[i], elements->data[i]};
        if (got[i].kind == CAIRN_ELEMENT_TIMESTAMP) /* where its packet is: nothing was told */
            got[i].data.address = 0;
    }

    const size_t got_count = normalise(got, elements->count);
    const size_t wanted_count = normalise(session->put, session->count);
    const size_t packet_count = packets->count;

    for (size_t i = 0; i < got_count && i < wanted_count; i++)
        same_element(&got[i], &session->put[i]);
    assert_int_equal(got_count, wanted_count);
    session->count = wanted_count;
    cairn_elements_free(decoder);
    cairn_element_batch_free(elements);
    cairn_packet_batch_free(packets);
    return packet_count;
}
