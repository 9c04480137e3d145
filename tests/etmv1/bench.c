/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../engine/compare.h"
#include "protocol/samples.h"

enum { SAMPLE = 4, STEPS = 9, CAPACITIES = 3, MANY = 8192 };

/* --- what is traced --- */

void etmv1_begin_with(struct etmv1_bench *bench, uint32_t cr, uint32_t ccr,
                      const struct etmv1_more more[3])
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_register registers[5] = {{"ETMCR", cr}, {"ETMCCR", ccr}};
    struct cairn_error error = {0};

    memset(bench, 0, sizeof *bench);
    source.protocol = CAIRN_PROTOCOL_ETMV1;
    source.registers = registers;
    source.register_count = 2;
    for (unsigned i = 0; more && i < 3 && more[i].name; i++)
        registers[source.register_count++] = (struct cairn_register){more[i].name, more[i].value};
    assert_int_equal(cairn_arch_from_name("ARM926EJ-S", &source.arch), CAIRN_OK);
    if (cairn_config_new(&source, &bench->config, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    assert_int_equal(cairn_image_new(&bench->image), CAIRN_OK);
}

void etmv1_begin(struct etmv1_bench *bench, uint32_t cr, uint32_t ccr)
{
    etmv1_begin_with(bench, cr, ccr, NULL);
}

void etmv1_end(struct etmv1_bench *bench)
{
    cairn_image_unref(bench->image);
    cairn_config_unref(bench->config);
}

static void add_code(struct etmv1_bench *bench, uint32_t address, const uint8_t *bytes, size_t size)
{
    const struct cairn_scope any = cairn_scope_any();

    assert_int_equal(cairn_image_add_bytes(bench->image, "code", &any, CAIRN_ORDER_LITTLE, address,
                                           bytes, size, NULL),
                     CAIRN_OK);
}

void etmv1_words(struct etmv1_bench *bench, uint32_t address, const uint32_t *words, size_t count)
{
    uint8_t bytes[1024];

    assert_true(4 * count <= sizeof bytes);
    for (size_t i = 0; i < 4 * count; i++)
        bytes[i] = (uint8_t)(words[i / 4] >> (8 * (i % 4)));
    add_code(bench, address, bytes, 4 * count);
}

void etmv1_halfwords(struct etmv1_bench *bench, uint32_t address, const uint16_t *halfwords,
                     size_t count)
{
    uint8_t bytes[1024];

    assert_true(2 * count <= sizeof bytes);
    for (size_t i = 0; i < 2 * count; i++)
        bytes[i] = (uint8_t)(halfwords[i / 2] >> (8 * (i % 2)));
    add_code(bench, address, bytes, 2 * count);
}

/* --- cycles --- */

static uint8_t status_of(const char *token, const char **rest)
{
    static const char names[][3] = {"IE", "ID", "IN", "WT", "BE", "BD", "TR", "TD"};

    for (unsigned i = 0; i < 8; i++)
        if (strncmp(token, names[i], 2) == 0) {
            *rest = token + 2;
            return (uint8_t)i;
        }
    if (token[0] == 'A' && token[1] >= '0' && token[1] <= '3') {
        *rest = token + 2;
        return (uint8_t)(token[1] - '0');
    }
    if (token[0] == 'X') {
        char *end;
        const unsigned long value = strtoul(token + 1, &end, 16);

        *rest = end;
        return (uint8_t)value;
    }
    fail_msg("no status: %s", token);
    return 0;
}

static void put_cycle(struct etmv1_bench *bench, const char *token)
{
    const char *at = token;
    struct cairn_sample sample = {.pipestat = status_of(token, &at)};

    for (; *at == '*' || *at == '!' || *at == '^'; at++)
        sample.flags |= *at == '*'   ? CAIRN_SAMPLE_SYNC
                        : *at == '!' ? CAIRN_SAMPLE_LOST
                                     : CAIRN_SAMPLE_TRIGGER;
    if (*at == '/')
        sample.packet = (uint16_t)strtoul(at + 1, NULL, 16);
    assert_true(bench->size + SAMPLE <= sizeof bench->bytes);
    cairn_sample_store(bench->bytes + bench->size, sample);
    bench->size += SAMPLE;
}

void etmv1_cycles(struct etmv1_bench *bench, const char *text)
{
    char token[32];
    size_t size;

    bench->size = 0;
    for (text += strspn(text, " "); *text; text += size, text += strspn(text, " ")) {
        size = strcspn(text, " ");
        assert_true(size < sizeof token);
        memcpy(token, text, size);
        token[size] = '\0';
        put_cycle(bench, token);
    }
}

/* --- text --- */

static void say(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(char *text, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list args;
    int more;

    va_start(args, format);
    more = vsnprintf(text + length, ETMV1_TEXT - length, format, args);
    va_end(args);
    assert_true(more >= 0 && length + (size_t)more < ETMV1_TEXT);
}

static void separate(char *text)
{
    if (*text)
        say(text, "; ");
}

static void say_gap(char *text, uint64_t account)
{
    const char *name = cairn_account_name((enum cairn_account)account);

    assert_int_equal(strncmp(name, "gap: ", 5), 0);
    say(text, "gap %s", name + 5);
}

static void say_lane(char *text, uint32_t lane)
{
    static const char letters[] = "-acdos";
    const unsigned what = CAIRN_ETMV1_LANE_WHAT(lane);

    assert_true(what < sizeof letters - 1);
    say(text, "%c", letters[what]);
    if (what == CAIRN_ETMV1_LANE_ADDRESS || what == CAIRN_ETMV1_LANE_CONTEXT_ID)
        say(text, "%u/%u", CAIRN_ETMV1_LANE_NTH(lane), CAIRN_ETMV1_LANE_OF(lane));
}

static void say_branch(char *text, const struct cairn_packet_fields *fields)
{
    if (fields->flags & CAIRN_PACKET_HAS_COUNT)
        say(text, " apo %u", fields->count);
    if (fields->flags & CAIRN_PACKET_HAS_ADDRESS)
        say(text, " >%llx %c", (unsigned long long)fields->address, "ATJ"[fields->state]);
    if (fields->reason)
        say(text, " reason %u", fields->reason);
    if (fields->flags & CAIRN_PACKET_HAS_CONTEXT_ID)
        say(text, " id %x", fields->context.context_id);
    if (fields->info & CAIRN_ETMV1_ABANDONED)
        say(text, " abandoned");
    else if (!(fields->flags & CAIRN_PACKET_HAS_ADDRESS))
        say(text, " lost");
}

static bool is_branch(unsigned status)
{
    return status == CAIRN_ETMV1_BE || status == CAIRN_ETMV1_BD;
}

static void say_packet(const struct etmv1_bench *bench, const struct cairn_packet_batch *batch,
                       size_t i, char *text)
{
    const struct cairn_packet_fields *fields = &batch->fields[i];
    const unsigned kind = batch->kind[i];

    separate(text);
    say(text, "%s", cairn_packet_mnemonic(bench->config, kind));
    if (kind >= CAIRN_ETMV1_RESERVED)
        return;
    if (kind == CAIRN_ETMV1_TR)
        say(text, "(%s)", cairn_packet_mnemonic(bench->config, fields->type));
    say(text, " ");
    say_lane(text, fields->atoms & 0xffff);
    if (fields->atoms >> 16) {
        say(text, ",");
        say_lane(text, fields->atoms >> 16);
    }
    if (kind == CAIRN_ETMV1_APO)
        say(text, " %u", fields->count);
    if (is_branch(fields->type))
        say_branch(text, fields);
}

/* Packets tile the bytes; the accounts are of the ledger. */
static void take_packets(const struct etmv1_bench *bench, struct cairn_packet_batch *batch,
                         uint64_t *at, char *text)
{
    for (size_t i = 0; i < batch->count; i++) {
        assert_int_equal(batch->offset[i], *at);
        assert_true(batch->length[i] == SAMPLE || batch->kind[i] == CAIRN_ETMV1_INCOMPLETE);
        *at += batch->length[i];
        say_packet(bench, batch, i, text);
    }
    batch->count = 0;
}

static void list_packets(const struct etmv1_bench *bench, size_t step, size_t capacity, char *text)
{
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;
    uint64_t at = 0;

    *text = '\0';
    assert_int_equal(cairn_packets_new(bench->config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(capacity, &batch), CAIRN_OK);
    for (size_t from = 0; from < bench->size;) {
        const size_t left = bench->size - from;
        const size_t piece = step && step < left ? step : left;
        size_t position = 0;

        do {
            assert_int_equal(
                cairn_packets_run(packets, bench->bytes + from, piece, &position, batch), CAIRN_OK);
            take_packets(bench, batch, &at, text);
        } while (position < piece);
        from += piece;
    }
    for (;;) {
        assert_int_equal(cairn_packets_finish(packets, batch), CAIRN_OK);
        if (batch->count == 0)
            break;
        take_packets(bench, batch, &at, text);
    }
    assert_int_equal(at, bench->size);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
}

void etmv1_packets_text(struct etmv1_bench *bench)
{
    static char other[ETMV1_TEXT];

    list_packets(bench, 0, MANY, bench->text);
    for (size_t step = 1; step < STEPS; step++)
        for (size_t capacity = 1; capacity <= CAPACITIES; capacity++) {
            list_packets(bench, step, capacity, other);
            assert_string_equal(other, bench->text);
        }
}

static void say_element(const struct cairn_element_batch *batch, size_t i, char *text)
{
    const struct cairn_element_data *data = &batch->data[i];
    const unsigned flags = batch->flags[i];

    if (batch->kind[i] == CAIRN_ELEMENT_DATA) {
        assert_int_equal(CAIRN_DATA_KIND(data->cycles), CAIRN_DATA_PINS);
        return;
    }
    separate(text);
    switch (batch->kind[i]) {
    case CAIRN_ELEMENT_ATOM:
        say(text, "%s%s", flags & CAIRN_ELEMENT_E ? "E" : "N",
            flags & CAIRN_ELEMENT_HERE ? "+" : "");
        break;
    case CAIRN_ELEMENT_TARGET_ADDRESS:
        if (flags & CAIRN_ELEMENT_UNKNOWN)
            say(text, ">?");
        else
            say(text, ">%llx", (unsigned long long)data->address | data->sub_isa);
        break;
    case CAIRN_ELEMENT_CONTEXT: say(text, "context %x", data->context.context_id); break;
    case CAIRN_ELEMENT_EXCEPTION:
        say(text, "exception %llu%s", (unsigned long long)data->value,
            flags & CAIRN_ELEMENT_APPROXIMATE ? " approximate" : "");
        break;
    case CAIRN_ELEMENT_TRACE_ON: say(text, "on"); break;
    case CAIRN_ELEMENT_OVERFLOW: say(text, "overflow"); break;
    case CAIRN_ELEMENT_GAP: say_gap(text, data->value); break;
    case CAIRN_ELEMENT_CYCLE_COUNT:
        if (flags & CAIRN_ELEMENT_UNKNOWN)
            say(text, "cycles ?");
        else
            say(text, "cycles %llu", (unsigned long long)data->value);
        break;
    case CAIRN_ELEMENT_EVENT: say(text, "event"); break;
    default: fail_msg("element %u", batch->kind[i]);
    }
}

void etmv1_elements_text(struct etmv1_bench *bench)
{
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;
    struct cairn_elements *elements;
    struct cairn_element_batch *out;
    size_t position = 0;

    bench->text[0] = '\0';
    assert_int_equal(cairn_packets_new(bench->config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(MANY, &batch), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, bench->bytes, bench->size, &position, batch),
                     CAIRN_OK);
    assert_int_equal(cairn_packets_finish(packets, batch), CAIRN_OK);
    assert_int_equal(cairn_elements_new(bench->config, &elements), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(1, &out),
                     CAIRN_OK); /* a full batch stops it anywhere */
    for (position = 0;;) {
        out->count = 0;
        assert_int_equal(cairn_elements_run(elements, batch, &position, out), CAIRN_OK);
        if (out->count == 0)
            break;
        say_element(out, 0, bench->text);
    }
    cairn_element_batch_free(out);
    cairn_elements_free(elements);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
}

static void say_data(const struct cairn_flow_batch *batch, size_t i, char *text)
{
    const uint32_t form = batch->instructions[i];

    assert_false(batch->flags[i] & CAIRN_FLOW_UNKNOWN);
    if (CAIRN_FLOW_DATA_KIND(form) == CAIRN_DATA_SUPPRESSED)
        say(text, "lost ");
    else
        say(text, "data ");
    if (batch->flags[i] & CAIRN_FLOW_HAS_ADDRESS)
        say(text, "at %x ", cairn_flow_data_address(batch->address[i]));
    if (batch->flags[i] & CAIRN_FLOW_HAS_VALUE)
        say(text, "= %0*llx ", 2 * (int)CAIRN_FLOW_DATA_SIZE(form),
            (unsigned long long)batch->value[i]);
    say(text, "of %x.%u", cairn_flow_data_instruction(batch->address[i]),
        CAIRN_FLOW_DATA_TRANSFER(form));
}

static void say_record(const struct cairn_flow_batch *batch, size_t i, char *text)
{
    const unsigned flags = batch->flags[i];
    const unsigned long long value = batch->value[i], address = batch->address[i];

    separate(text);
    switch (batch->kind[i]) {
    case CAIRN_FLOW_RANGE:
        assert_int_equal(batch->instructions[i], 1);
        say(text, "%s%llx %s", flags & CAIRN_FLOW_DISCONTINUITY ? "first " : "", address,
            flags & CAIRN_FLOW_TAKEN ? "E" : "N");
        break;
    case CAIRN_FLOW_GAP: say_gap(text, value); break;
    case CAIRN_FLOW_EXCEPTION:
        say(text, "exception %llu", value);
        if (!(flags & CAIRN_FLOW_UNKNOWN))
            say(text, " at %llx", address);
        break;
    case CAIRN_FLOW_EXCEPTION_RETURN: say(text, "return"); break;
    case CAIRN_FLOW_WARNING: say(text, "warning %llu", value); break;
    case CAIRN_FLOW_DATA: say_data(batch, i, text); break;
    case CAIRN_FLOW_CYCLES:
        if (flags & CAIRN_FLOW_UNKNOWN)
            say(text, "cycles ?");
        else
            say(text, "cycles %llu", value);
        break;
    case CAIRN_FLOW_EVENT: say(text, "event"); break;
    case CAIRN_FLOW_TRACE_ON: say(text, "on"); break;
    case CAIRN_FLOW_OVERFLOW: say(text, "overflow"); break;
    case CAIRN_FLOW_CONTEXT: say(text, "context %llx", address); break;
    default: fail_msg("record %u", batch->kind[i]);
    }
}

void etmv1_flow_text(struct etmv1_bench *bench)
{
    const struct engine_case input = {
        .config = bench->config, .image = bench->image, .data = bench->bytes, .size = bench->size};
    struct cairn_decoder *decoder;
    struct cairn_flow_batch *batch;
    size_t position = 0;

    bench->text[0] = '\0';
    assert_int_equal(cairn_decoder_new(bench->config, bench->image, &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(MANY, &batch), CAIRN_OK);
    assert_int_equal(cairn_decoder_run(decoder, bench->bytes, bench->size, &position, batch),
                     CAIRN_OK);
    assert_int_equal(cairn_decoder_finish(decoder, batch), CAIRN_OK);
    for (size_t i = 0; i < batch->count; i++)
        say_record(batch, i, bench->text);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    assert_true(engine_compare_ways(&input, ENGINE_ALL_WAYS, 1, stdout));
}

/* --- assertions --- */

void assert_packets(struct etmv1_bench *bench, const char *cycles, const char *wanted)
{
    etmv1_cycles(bench, cycles);
    etmv1_packets_text(bench);
    assert_string_equal(bench->text, wanted);
}

void assert_elements(struct etmv1_bench *bench, const char *cycles, const char *wanted)
{
    etmv1_cycles(bench, cycles);
    etmv1_elements_text(bench);
    assert_string_equal(bench->text, wanted);
}

void assert_flow(struct etmv1_bench *bench, const char *cycles, const char *wanted)
{
    etmv1_cycles(bench, cycles);
    etmv1_flow_text(bench);
    assert_string_equal(bench->text, wanted);
}
