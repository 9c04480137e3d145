/* SPDX-License-Identifier: BSD-2-Clause */
/* What came out of a unit, as words. */
#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>

#include <cairn/etmv4.h>

#define PACKETS 4096

static char *new_word(struct bench_words *words)
{
    if (words->count == words->capacity) {
        words->capacity = words->capacity * 2 + 64;
        words->word = realloc(words->word, words->capacity * sizeof *words->word);
        assert_non_null(words->word);
    }
    return words->word[words->count++];
}

/* --- elements to words --- */

static void context_word(char *out, const struct cairn_context *c)
{
    int used = snprintf(out, BENCH_WORD, "CTX(EL%u%c", c->EL, "snRr"[c->security & 3]);

    if (!c->SF)
        used += snprintf(out + used, BENCH_WORD - (size_t)used, ",32");
    if (c->context_id != 0)
        used += snprintf(out + used, BENCH_WORD - (size_t)used, ",cid=%" PRIu32, c->context_id);
    if (c->vmid != 0)
        used += snprintf(out + used, BENCH_WORD - (size_t)used, ",vmid=%" PRIu32, c->vmid);
    snprintf(out + used, BENCH_WORD - (size_t)used, ")");
}

static void info_word(char *out, const struct cairn_element_data *data)
{
    char inside[32] = "";
    size_t used = 0;

    if ((data->info & 0x40) != 0)
        used += (size_t)snprintf(inside, sizeof(inside), "T");
    if (data->value != 0)
        used += (size_t)snprintf(inside + used, sizeof(inside) - used, "%sSPEC=%" PRIu64,
                                 used != 0 ? "," : "", data->value);
    if ((data->info & 1) != 0)
        used += (size_t)snprintf(inside + used, sizeof(inside) - used, "%sCC=%" PRIu32,
                                 used != 0 ? "," : "", data->cycles);
    snprintf(out, BENCH_WORD, used != 0 ? "INFO(%s)" : "INFO", inside);
}

static void exception_word(char *out, const struct cairn_config *config, uint16_t flags,
                           const struct cairn_element_data *data)
{
    char name[32];

    snprintf(name, sizeof(name), "%s", cairn_exception_name(config, (unsigned)data->value));
    for (char *c = name; *c != '\0'; c++) {
        if (*c == ' ')
            *c = '_';
    }
    if ((flags & CAIRN_ELEMENT_UNKNOWN) != 0)
        snprintf(out, BENCH_WORD, "EXC(%s)", name);
    else
        snprintf(out, BENCH_WORD, "EXC(%s,%" PRIx64 "%s)", name, data->address,
                 data->sub_isa ? "t" : "");
}

static void timestamp_word(char *out, uint16_t flags, const struct cairn_element_data *data,
                           bool counting)
{
    if ((flags & CAIRN_ELEMENT_CYCLES) != 0)
        snprintf(out, BENCH_WORD, "TS(%" PRIu64 ",%" PRIu32 ")", data->value, data->cycles);
    else
        snprintf(out, BENCH_WORD, counting ? "TS(%" PRIu64 ",?)" : "TS(%" PRIu64 ")", data->value);
}

static void counted(char *out, const char *name, uint16_t flags, uint64_t value)
{
    if ((flags & CAIRN_ELEMENT_UNKNOWN) != 0)
        snprintf(out, BENCH_WORD, "%s(?)", name);
    else
        snprintf(out, BENCH_WORD, "%s(%" PRIu64 ")", name, value);
}

static void address_word(char *out, const char *name, const struct cairn_element_data *data)
{
    snprintf(out, BENCH_WORD, "%s(%" PRIx64 "%s)", name, data->address, data->sub_isa ? "t" : "");
}

static void element_word(struct bench *b, struct bench_words *words, unsigned kind, uint16_t flags,
                         const struct cairn_element_data *data)
{
    static const char *const plain[CAIRN_ELEMENT_A_SYNC + 1] = {
        [CAIRN_ELEMENT_TRACE_ON] = "ON",
        [CAIRN_ELEMENT_MISPREDICT] = "MISP",
        [CAIRN_ELEMENT_DISCARD] = "DISCARD",
        [CAIRN_ELEMENT_OVERFLOW] = "OVERFLOW",
        [CAIRN_ELEMENT_TIMESTAMP_MARKER] = "MARK",
        [CAIRN_ELEMENT_TRANSACTION_START] = "START",
        [CAIRN_ELEMENT_TRANSACTION_COMMIT] = "TCOMMIT",
        [CAIRN_ELEMENT_TRANSACTION_FAILURE] = "FAIL",
        [CAIRN_ELEMENT_EXCEPTION_RETURN] = "ERET",
        [CAIRN_ELEMENT_A_SYNC] = "SYNC",
    };
    bool counting = (read_register(b, "TRCCONFIGR") >> 4 & 1) != 0;
    char *out;

    if (kind == CAIRN_ELEMENT_COMMIT && (flags & CAIRN_ELEMENT_IMPLIED) != 0 && !b->show_implied)
        return;
    out = new_word(words);
    if (kind <= CAIRN_ELEMENT_A_SYNC && plain[kind] != NULL)
        snprintf(out, BENCH_WORD, "%s", plain[kind]);
    else if (kind == CAIRN_ELEMENT_TRACE_INFO)
        info_word(out, data);
    else if (kind == CAIRN_ELEMENT_ATOM)
        snprintf(out, BENCH_WORD, (flags & CAIRN_ELEMENT_E) != 0 ? "E" : "N");
    else if (kind == CAIRN_ELEMENT_EXCEPTION)
        exception_word(out, b->config, flags, data);
    else if (kind == CAIRN_ELEMENT_SOURCE_ADDRESS)
        address_word(out, "SRC", data);
    else if (kind == CAIRN_ELEMENT_TARGET_ADDRESS)
        address_word(out, "ADDR", data);
    else if (kind == CAIRN_ELEMENT_Q)
        counted(out, "Q", flags, data->value);
    else if (kind == CAIRN_ELEMENT_CONTEXT)
        context_word(out, &data->context);
    else if (kind == CAIRN_ELEMENT_COMMIT && (flags & CAIRN_ELEMENT_IMPLIED) != 0)
        snprintf(out, BENCH_WORD, "c%" PRIu64, data->value);
    else if (kind == CAIRN_ELEMENT_COMMIT)
        counted(out, "COMMIT", 0, data->value);
    else if (kind == CAIRN_ELEMENT_CANCEL)
        counted(out, "CANCEL", 0, data->value);
    else if (kind == CAIRN_ELEMENT_CYCLE_COUNT)
        counted(out, "CC", flags, data->value);
    else if (kind == CAIRN_ELEMENT_TIMESTAMP)
        timestamp_word(out, flags, data, counting);
    else if (kind == CAIRN_ELEMENT_EVENT)
        snprintf(out, BENCH_WORD, "EV%" PRIu64, data->value);
    else
        snprintf(out, BENCH_WORD, "?%u", kind);
    /* An address and a context side by side: context first. */
    if (kind == CAIRN_ELEMENT_CONTEXT && words->count >= 2 &&
        strncmp(words->word[words->count - 2], "ADDR", 4) == 0) {
        char other[BENCH_WORD];

        memcpy(other, words->word[words->count - 2], BENCH_WORD);
        memcpy(words->word[words->count - 2], words->word[words->count - 1], BENCH_WORD);
        memcpy(words->word[words->count - 1], other, BENCH_WORD);
    }
}

void bench_watch(void *context, unsigned kind, uint16_t flags,
                 const struct cairn_element_data *data)
{
    static const struct cairn_element_data none;
    struct bench *b = context;

    if (kind != CAIRN_ELEMENT_ATOM)
        assert_int_equal(flags & (CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E), 0);
    element_word(b, &b->seen, kind, flags, data != NULL ? data : &none);
}

void bench_hear(void *context, uint64_t clock, uint32_t events)
{
    struct bench *b = context;

    snprintf(new_word(&b->driven), BENCH_WORD, "%llu:%x", (unsigned long long)clock,
             (unsigned)events);
}

/* --- bytes to words --- */

/* All packets of the bytes from an offset on. */
static struct cairn_packet_batch *packets_from(struct bench *b, size_t offset)
{
    struct cairn_packet_batch *batch;
    struct cairn_packets *packets;
    size_t position = offset, before;

    assert_int_equal(cairn_packet_batch_new(PACKETS, &batch), CAIRN_OK);
    assert_int_equal(cairn_packets_new(b->config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, b->bytes, b->size, &position, batch), CAIRN_OK);
    assert_int_equal(position, b->size);
    do {
        before = batch->count;
        assert_int_equal(cairn_packets_finish(packets, batch), CAIRN_OK);
    } while (batch->count != before);
    assert_true(batch->count < PACKETS);
    cairn_packets_free(packets);
    return batch;
}

/* The words of the bytes from an offset on. */
static void read_back(struct bench *b, size_t offset, struct bench_words *words)
{
    struct cairn_packet_batch *packets = packets_from(b, offset);
    struct cairn_element_batch *batch;
    struct cairn_elements *elements;
    size_t position = 0, next = 0;

    words->count = 0;
    assert_int_equal(cairn_element_batch_new(8 * PACKETS, &batch), CAIRN_OK);
    assert_int_equal(cairn_elements_new(b->config, &elements), CAIRN_OK);
    assert_int_equal(cairn_elements_run(elements, packets, &position, batch), CAIRN_OK);
    assert_int_equal(position, packets->count);
    for (size_t i = 0; i < packets->count; i++) {
        unsigned kind = packets->kind[i];

        if (kind == CAIRN_ETMV4_ALIGNMENT_SYNC)
            snprintf(new_word(words), BENCH_WORD, "SYNC");
        else if (kind <= CAIRN_ETMV4_INCOMPLETE)
            snprintf(new_word(words), BENCH_WORD, "BROKEN");
        for (; next < batch->count && batch->offset[next] == packets->offset[i]; next++) {
            element_word(b, words, batch->kind[next], batch->flags[next], &batch->data[next]);
        }
    }
    cairn_elements_free(elements);
    cairn_element_batch_free(batch);
    cairn_packet_batch_free(packets);
}

static const char *join(struct bench *b, const struct bench_words *words, size_t from)
{
    size_t used = 0;

    b->text[0] = '\0';
    for (size_t i = from; i < words->count && used < BENCH_TEXT - BENCH_WORD - 2; i++) {
        used += (size_t)snprintf(b->text + used, BENCH_TEXT - used, "%s%s", i != from ? " " : "",
                                 words->word[i]);
    }
    return b->text;
}

const char *bench_trace(struct bench *b)
{
    size_t from = b->consumed;
    uint64_t written = cairn_unit_position(b->unit);

    if (b->options.port)
        written -= cairn_unit_offer(b->unit);
    assert_int_equal(written, b->size);
    /* What was there stays: only whole packets leave a unit. */
    read_back(b, 0, &b->words);
    b->consumed = b->words.count;
    return join(b, &b->words, from);
}

const char *bench_outputs(struct bench *b)
{
    size_t from = b->driven_consumed;

    b->driven_consumed = b->driven.count;
    return join(b, &b->driven, from);
}

const char *bench_seen(struct bench *b)
{
    size_t from = b->seen_consumed;

    b->seen_consumed = b->seen.count;
    return join(b, &b->seen, from);
}

/* The last Alignment Synchronization packet; 0 when there is none. */
static size_t last_sync(struct bench *b)
{
    size_t from = 0, last = 0, next;

    (void)cairn_unit_position(b->unit);
    while ((next = cairn_find_sync(b->config, b->bytes, b->size, from)) < b->size) {
        last = next;
        from = next + 11;
    }
    return last;
}

const char *bench_from_last_sync(struct bench *b)
{
    struct bench_words words = {0};
    const char *text;

    read_back(b, last_sync(b), &words);
    text = join(b, &words, 0);
    free(words.word);
    return text;
}

const char *bench_resolved_from_last_sync(struct bench *b)
{
    struct cairn_packet_batch *packets = packets_from(b, last_sync(b));
    struct cairn_element_batch *elements, *resolved;
    struct cairn_elements *level;
    struct cairn_resolver *resolver;
    struct bench_words words = {0};
    size_t position = 0, before;
    const char *text;

    assert_int_equal(cairn_element_batch_new(8 * PACKETS, &elements), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(8 * PACKETS, &resolved), CAIRN_OK);
    assert_int_equal(cairn_elements_new(b->config, &level), CAIRN_OK);
    assert_int_equal(cairn_resolver_new(b->config, &resolver), CAIRN_OK);
    assert_int_equal(cairn_elements_run(level, packets, &position, elements), CAIRN_OK);
    position = 0;
    assert_int_equal(cairn_resolver_run(resolver, elements, &position, resolved), CAIRN_OK);
    do {
        before = resolved->count;
        assert_int_equal(cairn_resolver_finish(resolver, resolved), CAIRN_OK);
    } while (resolved->count != before);
    for (size_t i = 0; i < resolved->count; i++) {
        if ((resolved->flags[i] & CAIRN_ELEMENT_LOST) == 0)
            element_word(b, &words, resolved->kind[i], resolved->flags[i], &resolved->data[i]);
    }
    text = join(b, &words, 0);
    free(words.word);
    cairn_resolver_free(resolver);
    cairn_elements_free(level);
    cairn_element_batch_free(resolved);
    cairn_element_batch_free(elements);
    cairn_packet_batch_free(packets);
    return text;
}

bool bench_has_bytes(struct bench *b, const char *hex)
{
    uint8_t wanted[64];
    size_t count = 0;
    char *end;

    (void)cairn_unit_position(b->unit);
    for (const char *s = hex; count < sizeof(wanted); s = end) {
        unsigned long value = strtoul(s, &end, 16);

        if (end == s)
            break;
        wanted[count++] = (uint8_t)value;
    }
    for (size_t i = 0; i + count <= b->size; i++) {
        if (memcmp(b->bytes + i, wanted, count) == 0)
            return true;
    }
    return false;
}

const char *bench_packets(struct bench *b)
{
    struct cairn_packet_batch *packets;
    size_t used = 0;

    (void)cairn_unit_position(b->unit);
    packets = packets_from(b, 0);
    b->text[0] = '\0';
    for (size_t i = 0; i < packets->count && used < BENCH_TEXT - BENCH_WORD; i++) {
        used += (size_t)snprintf(b->text + used, BENCH_TEXT - used, "%s%s", i != 0 ? " " : "",
                                 cairn_packet_mnemonic(b->config, packets->kind[i]));
    }
    cairn_packet_batch_free(packets);
    return b->text;
}

size_t bench_find(const char *text, const char *word, size_t from)
{
    size_t length = strlen(text);

    for (size_t i = from; i < length; i++) {
        if ((i == 0 || text[i - 1] == ' ') && strncmp(text + i, word, strlen(word)) == 0)
            return i;
    }
    return length;
}

size_t bench_count(const char *text, const char *word)
{
    size_t count = 0;

    for (size_t at = bench_find(text, word, 0); at < strlen(text);
         at = bench_find(text, word, at + 1))
        count++;
    return count;
}

bool bench_order(const char *text, ...)
{
    va_list arguments;
    const char *word;
    size_t at = 0;
    bool found = true;

    va_start(arguments, text);
    while (found && (word = va_arg(arguments, const char *)) != NULL) {
        at = bench_find(text, word, at);
        found = text[at] != '\0';
        at += strlen(word);
    }
    va_end(arguments);
    return found;
}
