/* SPDX-License-Identifier: BSD-2-Clause */
#include "etmv2_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 4, STEPS = 9, CAPACITIES = 3, WIDE = 512 };

struct cairn_config *etmv2_config_of(const struct cairn_register *registers, size_t count,
                                     struct cairn_error *error)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = CAIRN_PROTOCOL_ETMV2;
    source.arch = (struct cairn_arch){CAIRN_PROFILE_A, 5, 0, 0};
    source.registers = registers;
    source.register_count = count;
    return cairn_config_new(&source, &config, error) == CAIRN_OK ? config : NULL;
}

struct cairn_config *etmv2_config(uint32_t control)
{
    const struct cairn_register registers[] = {{"ETMIDR", 0x41002110}, {"ETMCR", control}};
    struct cairn_config *config = etmv2_config_of(registers, 2, NULL);

    assert_non_null(config);
    return config;
}

static unsigned status_of(const char *name, size_t length)
{
    static const char *const names[] = {"IE",   "DE",   "IN",   "DN",   "WT",   "DW",
                                        "TR",   "TD",   "PTIE", "PTDE", "PTIN", "PTDN",
                                        "PNIE", "PNDE", "PNIN", "PNDN"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !memcmp(names[i], name, length))
            return i;
    fail_msg("no status: %.*s", (int)length, name);
    return 0;
}

size_t etmv2_samples(const char *cycles, uint8_t bytes[ETMV2_BYTES])
{
    size_t size = 0;

    for (;;) {
        char *end;

        cycles += strspn(cycles, " \n");
        if (!*cycles)
            return size;
        const size_t name = strcspn(cycles, ":");

        assert_true(size + SAMPLE <= ETMV2_BYTES);
        bytes[size++] = (uint8_t)status_of(cycles, name);
        const unsigned long packet = strtoul(cycles + name + 1, &end, 16);
        const unsigned long flags = *end == '/' ? strtoul(end + 1, &end, 10) : 0;

        bytes[size++] = (uint8_t)flags;
        bytes[size++] = (uint8_t)packet;
        bytes[size++] = (uint8_t)(packet >> 8);
        cycles = end;
    }
}

/* --- text --- */

static void add(char text[ETMV2_TEXT], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add(char text[ETMV2_TEXT], const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    const int more = vsnprintf(text + length, ETMV2_TEXT - length, format, arguments);
    va_end(arguments);
    assert_true(more >= 0 && length + (size_t)more < ETMV2_TEXT);
}

static void space(char text[ETMV2_TEXT])
{
    if (*text)
        add(text, " ");
}

static void add_status(const struct cairn_config *config, unsigned kind,
                       const struct cairn_packet_fields *fields, char text[ETMV2_TEXT])
{
    add(text, "%s", cairn_packet_mnemonic(config, kind));
    if (kind == CAIRN_ETMV2_TR)
        add(text, "(%s", cairn_packet_mnemonic(config, CAIRN_ETMV2_IE + fields->type));
    if (fields->flags & CAIRN_PACKET_HAS_COUNT)
        add(text, "=%u", (unsigned)fields->count);
    else if (fields->info & CAIRN_ETMV2_TFO_CYCLE)
        add(text, "~");
    if (fields->info & CAIRN_ETMV2_GAP_NIBBLE)
        add(text, "g");
    if (fields->flags & CAIRN_PACKET_CONTRADICTION)
        add(text, "!");
    else if (!(fields->info & CAIRN_ETMV2_IN_STEP))
        add(text, "?");
}

static void add_address(const struct cairn_packet_fields *fields, char text[ETMV2_TEXT])
{
    if (fields->address_bits == 0)
        return;
    add(text, " %s%llx", fields->flags & CAIRN_PACKET_HAS_ADDRESS ? "" : "..",
        (unsigned long long)fields->address);
}

static void add_fifo(unsigned kind, const struct cairn_packet_fields *fields, uint64_t cycle,
                     char text[ETMV2_TEXT])
{
    static const char *const names[] = {"branch",   "data", "miss", "late",
                                        "untraced", "ctx",  "tfo",  "lsm"};
    const bool thumb = fields->state == CAIRN_STATE_THUMB;

    add(text, "[%s %u", names[kind - CAIRN_ETMV2_BRANCH_ADDRESS],
        (unsigned)(cycle - fields->count));
    switch (kind) {
    case CAIRN_ETMV2_BRANCH_ADDRESS:
        add_address(fields, text);
        add(text, "%s/%u%s", thumb ? "/T" : "", fields->address_bits,
            fields->flags & CAIRN_PACKET_CANCEL ? " E" : "");
        if (fields->flags & CAIRN_PACKET_HAS_EXCEPTION)
            add(text, " exc%u", fields->type);
        break;
    case CAIRN_ETMV2_NORMAL_DATA:
    case CAIRN_ETMV2_LOAD_MISS_OCCURRED:
    case CAIRN_ETMV2_LOAD_MISS_DATA:
        if (kind != CAIRN_ETMV2_NORMAL_DATA)
            add(text, " t%u", fields->tag);
        if (fields->info & CAIRN_ETMV2_A)
            add(text, " A");
        add_address(fields, text);
        if (fields->flags & CAIRN_PACKET_HAS_VALUE)
            add(text, " =%llx/%u", (unsigned long long)fields->value, fields->size);
        break;
    case CAIRN_ETMV2_CONTEXT_ID: add(text, " %x", (unsigned)fields->context.context_id); break;
    case CAIRN_ETMV2_NORMAL_TFO:
    case CAIRN_ETMV2_LSM_IN_PROGRESS_TFO:
        add(text, " r%u %llx%s", fields->reason, (unsigned long long)fields->address,
            (kind == CAIRN_ETMV2_NORMAL_TFO ? fields->state : fields->type) ? "/T" : "");
        if (kind == CAIRN_ETMV2_LSM_IN_PROGRESS_TFO)
            add(text, " now %llx%s", (unsigned long long)fields->value, thumb ? "/T" : "");
        if (fields->flags & CAIRN_PACKET_HAS_CONTEXT_ID)
            add(text, " ctx %x", (unsigned)fields->context.context_id);
        break;
    default: break;
    }
    if (fields->info & CAIRN_ETMV2_C)
        add(text, " C");
    if (fields->flags & CAIRN_PACKET_CONTRADICTION)
        add(text, " !");
    add(text, "]");
}

static void add_packet(const struct cairn_config *config, const struct cairn_packet_batch *batch,
                       size_t i, char text[ETMV2_TEXT])
{
    const unsigned kind = batch->kind[i];
    const struct cairn_packet_fields *fields = &batch->fields[i];
    const uint64_t cycle = batch->offset[i] / SAMPLE;

    space(text);
    if (kind >= CAIRN_ETMV2_BRANCH_ADDRESS) {
        add_fifo(kind, fields, cycle, text);
    } else if (kind >= CAIRN_ETMV2_IE) {
        add_status(config, kind, fields, text);
    } else {
        add(text, "<%s", cairn_packet_mnemonic(config, kind));
        if (fields->flags & CAIRN_PACKET_HAS_COUNT)
            add(text, " %u", (unsigned)(cycle - fields->count));
        add(text, ">");
    }
}

/* --- packets --- */

static const uint8_t accounts[] = {
#define ACCOUNT(NAME, ACCOUNT, TEXT, SECTION) ACCOUNT,
    CAIRN_ETMV2_PACKETS(ACCOUNT)
#undef ACCOUNT
};

static void take(const struct cairn_config *config, struct cairn_packet_batch *batch, uint64_t *at,
                 char text[ETMV2_TEXT])
{
    for (size_t i = 0; i < batch->count; i++) {
        assert_int_equal(batch->offset[i], *at);
        assert_true(batch->length[i] > 0);
        if (batch->kind[i] < CAIRN_ETMV2_IE || batch->kind[i] >= CAIRN_ETMV2_BRANCH_ADDRESS)
            assert_int_equal(batch->account[i], accounts[batch->kind[i]]);
        if (batch->fields[i].flags & CAIRN_PACKET_CONTRADICTION &&
            batch->kind[i] <= CAIRN_ETMV2_TFO)
            assert_int_equal(batch->account[i], CAIRN_GAP_RESERVED);
        *at += batch->length[i];
        add_packet(config, batch, i, text);
    }
    batch->count = 0;
}

static void decode(struct cairn_config *config, const uint8_t *bytes, size_t size, size_t step,
                   size_t capacity, char text[ETMV2_TEXT])
{
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;
    uint64_t at = 0;
    size_t told, behind = 0;

    *text = '\0';
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(capacity, &batch), CAIRN_OK);
    for (size_t from = 0; from < size;) {
        const size_t piece = step && step < size - from ? step : size - from;
        size_t position = 0;

        while (position < piece) {
            assert_int_equal(cairn_packets_run(packets, bytes + from, piece, &position, batch),
                             CAIRN_OK);
            take(config, batch, &at, text);
        }
        from += piece;
    }
    do {
        assert_int_equal(cairn_packets_finish(packets, batch), CAIRN_OK);
        told = batch->count;
        take(config, batch, &at, text);
    } while (told);
    assert_int_equal(at, size);
    assert_int_equal(cairn_packets_run(packets, bytes, size, &behind, batch), CAIRN_E_ARGUMENT);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
}

void etmv2_packets_of(struct cairn_config *config, const uint8_t *bytes, size_t size,
                      char text[ETMV2_TEXT])
{
    static char again[ETMV2_TEXT];

    decode(config, bytes, size, 0, WIDE, text);
    for (size_t step = 1; step < STEPS; step += 2) {
        for (size_t capacity = 1; capacity < CAPACITIES; capacity++) {
            decode(config, bytes, size, step, capacity, again);
            assert_string_equal(again, text);
        }
    }
}

void etmv2_packets(struct cairn_config *config, const char *cycles, char text[ETMV2_TEXT])
{
    static uint8_t bytes[ETMV2_BYTES];
    const size_t size = etmv2_samples(cycles, bytes);

    etmv2_packets_of(config, bytes, size, text);
}

void assert_etmv2_packets(uint32_t control, const char *cycles, const char *wanted)
{
    static char text[ETMV2_TEXT];
    struct cairn_config *config = etmv2_config(control);

    etmv2_packets(config, cycles, text);
    assert_string_equal(text, wanted);
    cairn_config_unref(config);
}

/* --- elements --- */

static void add_data(unsigned flags, const struct cairn_element_data *data, char text[ETMV2_TEXT])
{
    static const char *const names[] = {"data", "miss", "late", "untraced", "suppressed", "failed"};
    const unsigned kind = CAIRN_DATA_KIND(data->cycles);

    add(text, "%s", names[kind]);
    if (data->info & CAIRN_DATA_FIRST)
        add(text, ":A");
    if (CAIRN_DATA_HAS_TAG(data->cycles))
        add(text, ":t%u", (unsigned)CAIRN_DATA_TAG(data->cycles));
    if (data->info & CAIRN_DATA_HAS_ADDRESS)
        add(text, ":%llx", (unsigned long long)data->address);
    if (data->info & CAIRN_DATA_HAS_VALUE)
        add(text, "=%llx", (unsigned long long)data->value);
    if (kind == CAIRN_DATA_LATE) {
        if (flags & CAIRN_ELEMENT_UNKNOWN)
            add(text, ":orphan");
        else
            add(text, ":of%llu", (unsigned long long)data->address / SAMPLE);
    }
    if (flags & CAIRN_ELEMENT_HERE)
        add(text, ":here");
}

static void add_element(const struct cairn_element_batch *batch, size_t i, char text[ETMV2_TEXT])
{
    const struct cairn_element_data *data = &batch->data[i];
    const unsigned flags = batch->flags[i];

    space(text);
    switch ((enum cairn_element_kind)batch->kind[i]) {
    case CAIRN_ELEMENT_TRACE_INFO: add(text, "info"); break;
    case CAIRN_ELEMENT_TRACE_ON: add(text, "on"); break;
    case CAIRN_ELEMENT_OVERFLOW: add(text, "overflow"); break;
    case CAIRN_ELEMENT_ATOM:
    case CAIRN_ELEMENT_CANCELLED:
        add(text, "%s%s", batch->kind[i] == CAIRN_ELEMENT_CANCELLED ? "cancelled-" : "",
            flags & CAIRN_ELEMENT_E ? "E" : "N");
        break;
    case CAIRN_ELEMENT_CANCEL: add(text, "cancel"); break;
    case CAIRN_ELEMENT_EXCEPTION: add(text, "exc%u", (unsigned)data->value); break;
    case CAIRN_ELEMENT_CONTEXT: add(text, "ctx%x", (unsigned)data->context.context_id); break;
    case CAIRN_ELEMENT_CYCLE_COUNT:
        if (flags & CAIRN_ELEMENT_UNKNOWN)
            add(text, "w?");
        else
            add(text, "w%llu", (unsigned long long)data->value);
        break;
    case CAIRN_ELEMENT_EVENT: add(text, "trigger"); break;
    case CAIRN_ELEMENT_TARGET_ADDRESS:
        if (flags & CAIRN_ELEMENT_UNKNOWN)
            add(text, ">?");
        else
            add(text, "%s%llx%s", flags & CAIRN_ELEMENT_CHECK ? ">=" : ">",
                (unsigned long long)data->address, data->sub_isa ? "/T" : "");
        break;
    case CAIRN_ELEMENT_DATA: add_data(flags, data, text); break;
    case CAIRN_ELEMENT_GAP:
        add(text, "gap(%s)", cairn_account_name((enum cairn_account)data->value));
        break;
    default: add(text, "%s", cairn_element_name(batch->kind[i])); break;
    }
    if (flags & CAIRN_ELEMENT_LOST)
        add(text, ":lost");
    if (flags & CAIRN_ELEMENT_APPROXIMATE)
        add(text, ":doubt");
    if (flags & CAIRN_ELEMENT_UNCERTAIN)
        add(text, ":uncertain");
}

struct levels {
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct cairn_packet_batch *taken;
    struct cairn_element_batch *raw, *resolved;
    char *text;
};

static void give(struct levels *l)
{
    for (size_t i = 0; i < l->resolved->count; i++)
        add_element(l->resolved, i, l->text);
    l->resolved->count = 0;
}

static void pass(struct levels *l)
{
    size_t at = 0;

    do {
        size_t raw_at = 0;

        l->raw->count = 0;
        assert_int_equal(cairn_elements_run(l->elements, l->taken, &at, l->raw), CAIRN_OK);
        do {
            assert_int_equal(cairn_resolver_run(l->resolver, l->raw, &raw_at, l->resolved),
                             CAIRN_OK);
            give(l);
        } while (raw_at < l->raw->count);
    } while (l->raw->count > 0 || at < l->taken->count);
    l->taken->count = 0;
}

void etmv2_elements_of(struct cairn_config *config, const uint8_t *bytes, size_t size, size_t step,
                       size_t capacity, char text[ETMV2_TEXT])
{
    struct levels l = {.text = text};
    size_t told;

    *text = '\0';
    assert_int_equal(cairn_packets_new(config, &l.packets), CAIRN_OK);
    assert_int_equal(cairn_elements_new(config, &l.elements), CAIRN_OK);
    assert_int_equal(cairn_resolver_new(config, &l.resolver), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(capacity, &l.taken), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(capacity, &l.raw), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(capacity, &l.resolved), CAIRN_OK);
    for (size_t at = 0; at < size;) {
        const size_t end = size - at < step ? size : at + step;

        while (at < end) {
            assert_int_equal(cairn_packets_run(l.packets, bytes, end, &at, l.taken), CAIRN_OK);
            pass(&l);
        }
    }
    do {
        assert_int_equal(cairn_packets_finish(l.packets, l.taken), CAIRN_OK);
        told = l.taken->count;
        pass(&l);
    } while (told);
    do {
        assert_int_equal(cairn_resolver_finish(l.resolver, l.resolved), CAIRN_OK);
        told = l.resolved->count;
        give(&l);
    } while (told);
    cairn_element_batch_free(l.resolved);
    cairn_element_batch_free(l.raw);
    cairn_packet_batch_free(l.taken);
    cairn_resolver_free(l.resolver);
    cairn_elements_free(l.elements);
    cairn_packets_free(l.packets);
}

void etmv2_elements(struct cairn_config *config, const char *cycles, char text[ETMV2_TEXT])
{
    static uint8_t bytes[ETMV2_BYTES];
    static char again[ETMV2_TEXT];
    const size_t size = etmv2_samples(cycles, bytes);

    etmv2_elements_of(config, bytes, size, size, WIDE, text);
    for (size_t capacity = 1; capacity <= CAPACITIES; capacity++) {
        etmv2_elements_of(config, bytes, size, 2 * capacity + 1, capacity, again);
        assert_string_equal(again, text);
    }
}

void assert_etmv2_elements(uint32_t control, const char *cycles, const char *wanted)
{
    static char text[ETMV2_TEXT];
    struct cairn_config *config = etmv2_config(control);

    etmv2_elements(config, cycles, text);
    assert_string_equal(text, wanted);
    cairn_config_unref(config);
}
