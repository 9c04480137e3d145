/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs vector files of PTM: bytes -> packets as the file says, with the bytes in one piece, with
 * one byte at a time, and with batches of one entry; and packets -> the same bytes. The format is
 * that of vectors/README.md without elements; `config` lines need no protocol. Usage:
 * test_ptm_vectors FILE... */
#include <stdlib.h>
#include <string.h>

#include <cairn/ptm.h>

#include "vector_decode.h"

#define HEADER_ZEROS 16 /* enough for every payload of zeros */
#define PACKETS_MAX 256

struct name {
    const char *text;
    uint64_t value;
};

static const struct name kinds[] = {
#define NAME(NAME, MASK, HEADER, ACCOUNT, TEXT, SECTION) {#NAME, CAIRN_PTM_##NAME},
    CAIRN_PTM_PACKETS(NAME)
#undef NAME
        {NULL, 0}};

static const struct name flags[] = {{"ADDRESS", CAIRN_PACKET_HAS_ADDRESS},
                                    {"CONTEXT", CAIRN_PACKET_HAS_CONTEXT},
                                    {"VMID", CAIRN_PACKET_HAS_VMID},
                                    {"CONTEXT_ID", CAIRN_PACKET_HAS_CONTEXT_ID},
                                    {"CYCLES", CAIRN_PACKET_HAS_CYCLES},
                                    {"TIMESTAMP", CAIRN_PACKET_HAS_TIMESTAMP},
                                    {"EXCEPTION", CAIRN_PACKET_HAS_EXCEPTION},
                                    {"INFO", CAIRN_PACKET_HAS_INFO},
                                    {"SBZ", CAIRN_PACKET_SBZ},
                                    {NULL, 0}};

static const struct name values[] = {{"SECURE", CAIRN_SECURE},
                                     {"NONSECURE", CAIRN_NONSECURE},
                                     {"ARM", CAIRN_STATE_ARM},
                                     {"THUMB", CAIRN_STATE_THUMB},
                                     {"JAZELLE", CAIRN_STATE_JAZELLE},
                                     {"THUMBEE", CAIRN_STATE_THUMBEE},
                                     {"PERIODIC", CAIRN_PTM_PERIODIC},
                                     {"TRACE_ON", CAIRN_PTM_TRACE_ON},
                                     {"AFTER_OVERFLOW", CAIRN_PTM_AFTER_OVERFLOW},
                                     {"DEBUG_EXIT", CAIRN_PTM_DEBUG_EXIT},
                                     {"FLOW", CAIRN_ACCOUNT_FLOW},
                                     {"METADATA", CAIRN_ACCOUNT_METADATA},
                                     {"PADDING", CAIRN_ACCOUNT_PADDING},
                                     {"GAP_NO_SYNC", CAIRN_GAP_NO_SYNC},
                                     {"GAP_RESERVED", CAIRN_GAP_RESERVED},
                                     {"GAP_CUT", CAIRN_GAP_CUT},
                                     {"GAP_TRUNCATED", CAIRN_GAP_TRUNCATED},
                                     {NULL, 0}};

static const struct way ways[] = {
    {"in one piece", 0, 64},
    {"byte by byte", 1, 64},
    {"in batches of one", 0, 1},
};

struct outcomes {
    size_t count;
    struct packet packets[PACKETS_MAX];
};

static bool named(const struct name *names, const char *text, uint64_t *value)
{
    for (; names->text != NULL; names++) {
        if (strcmp(names->text, text) == 0) {
            *value = names->value;
            return true;
        }
    }
    return false;
}

static const char *name_of(uint64_t kind)
{
    return kind < CAIRN_PTM_KIND_COUNT ? kinds[kind].text : "?";
}

static bool field(const struct packet *packet, const char *name, uint64_t *value)
{
    const struct cairn_packet_fields *f = &packet->fields;
    const struct name fields[] = {{"type", f->type},
                                  {"address", f->address},
                                  {"address_bits", f->address_bits},
                                  {"value", f->value},
                                  {"cycles", f->cycles},
                                  {"info", f->info},
                                  {"state", f->state},
                                  {"reason", f->reason},
                                  {"size", f->size},
                                  {"sub_isa", f->sub_isa},
                                  {"EL", f->context.EL},
                                  {"security", f->context.security},
                                  {"vmid", f->context.vmid},
                                  {"context_id", f->context.context_id},
                                  {"account", packet->account},
                                  {NULL, 0}};

    return named(fields, name, value);
}

/* ---- decoding ---- */

static void keep(struct cairn_packet_batch *batch, struct outcomes *out)
{
    for (size_t i = 0; i < batch->count && out->count < PACKETS_MAX; i++)
        out->packets[out->count++] =
            (struct packet){batch->offset[i], batch->length[i], batch->kind[i], batch->account[i],
                            batch->fields[i]};
    batch->count = 0;
}

static bool decode(const struct vector_case *vector, struct cairn_config *config,
                   const struct way *way, size_t size, struct outcomes *out)
{
    const size_t step = way->bytes_at_once != 0 ? way->bytes_at_once : size;
    struct cairn_packets *packets = NULL;
    struct cairn_packet_batch *batch = NULL;
    size_t taken;
    bool good = vector_ok(cairn_packets_new(config, &packets), vector, "cairn_packets_new") &&
                vector_ok(cairn_packet_batch_new(way->capacity, &batch), vector, "batch");

    out->count = 0;
    for (size_t at = 0; good && at < size; at += step) {
        const size_t length = step < size - at ? step : size - at;
        size_t position = 0;

        do {
            good =
                vector_ok(cairn_packets_run(packets, vector->bytes + at, length, &position, batch),
                          vector, "cairn_packets_run");
            taken = batch->count;
            keep(batch, out);
        } while (good && (position < length || taken != 0));
    }
    do {
        good =
            good && vector_ok(cairn_packets_finish(packets, batch), vector, "cairn_packets_finish");
        taken = good ? batch->count : 0;
        if (good)
            keep(batch, out);
    } while (taken != 0);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    return good;
}

/* ---- comparing ---- */

static bool compare_atoms(const char *text, const struct cairn_packet_fields *fields)
{
    if (strlen(text) != fields->atom_count)
        return false;
    for (unsigned i = 0; i < fields->atom_count; i++)
        if ((text[i] == 'E') != ((fields->atoms >> i & 1) != 0))
            return false;
    return true;
}

/* One word of what is expected: +FLAG, -FLAG, name=value. */
static bool compare_word(const struct vector_case *vector, size_t line, char *word,
                         const struct packet *got, const char *way)
{
    char *text = strchr(word, '=');
    uint64_t wanted = 0, actual = 0;

    if (word[0] == '+' || word[0] == '-') {
        if (!named(flags, word + 1, &wanted))
            return vector_fail(vector->file, line, "no flag \"%s\"", word);
        if (((got->fields.flags & wanted) != 0) != (word[0] == '+'))
            return vector_fail(vector->file, line, "%s: expected %s, got flags 0x%x", way, word,
                               got->fields.flags);
        return true;
    }
    if (text == NULL)
        return vector_fail(vector->file, line, "\"%s\" is not name=value", word);
    *text++ = '\0';
    if (strcmp(word, "atoms") == 0)
        return compare_atoms(text, &got->fields) ||
               vector_fail(vector->file, line, "%s: expected atoms=%s, got %u of 0x%x", way, text,
                           got->fields.atom_count, got->fields.atoms);
    if (!field(got, word, &actual) ||
        (!vector_number(text, &wanted) && !named(values, text, &wanted)))
        return vector_fail(vector->file, line, "\"%s=%s\" is not known", word, text);
    return actual == wanted || vector_fail(vector->file, line, "%s: expected %s=%s, got 0x%llx",
                                           way, word, text, (unsigned long long)actual);
}

static bool compare_packet(const struct vector_case *vector, const struct vector_packet *want,
                           const struct packet *got, const char *way)
{
    char *text = strdup(want->expected), *rest = text;
    const char *kind = vector_word(&rest);
    uint64_t number = 0;
    bool same = true;

    if (kind == NULL || !named(kinds, kind, &number))
        same = vector_fail(vector->file, want->line, "no packet kind \"%s\"", kind ? kind : "");
    else if (got->kind != number || got->offset != want->offset || got->length != want->length)
        same = vector_fail(vector->file, want->line, "%s: expected %s @%zu +%zu, got %s @%zu +%zu",
                           way, kind, want->offset, want->length, name_of(got->kind),
                           (size_t)got->offset, (size_t)got->length);
    for (char *word = vector_word(&rest); same && word != NULL; word = vector_word(&rest))
        same = compare_word(vector, want->line, word, got, way);
    free(text);
    return same;
}

static bool compare(const struct vector_case *vector, const struct outcomes *out, const char *way)
{
    size_t p = 0;

    while (p < out->count && out->packets[p].offset < vector->start)
        p++;
    for (size_t i = 0; i < vector->packet_count; i++, p++) {
        const struct vector_packet *want = &vector->packets[i];

        if (p == out->count)
            return vector_fail(vector->file, want->line, "%s: expected%s, got no more packets", way,
                               want->expected);
        if (!compare_packet(vector, want, &out->packets[p], way))
            return false;
    }
    return p == out->count ||
           vector_fail(vector->file, vector->line,
                       "%s: one packet more than expected: %s @%zu +%zu", way,
                       name_of(out->packets[p].kind), (size_t)out->packets[p].offset,
                       (size_t)out->packets[p].length);
}

/* Every packet through one writer, those of the prefix too: its history has to follow. */
static bool write_back(const struct vector_case *vector, struct cairn_config *config,
                       const struct outcomes *out)
{
    struct cairn_packet_writer *writer = NULL;
    uint8_t bytes[64] = {0};
    size_t described = 0;
    bool same =
        vector_ok(cairn_packet_writer_new(config, &writer), vector, "cairn_packet_writer_new");

    for (size_t i = 0; same && i < out->count; i++) {
        const struct packet *packet = &out->packets[i];
        const struct vector_packet *want =
            packet->offset >= vector->start ? &vector->packets[described++] : NULL;

        if (packet->kind < CAIRN_PTM_ALIGNMENT_SYNC)
            continue;
        const size_t size =
            cairn_packet_write(writer, packet->kind, &packet->fields, bytes, sizeof(bytes));
        if (want == NULL || vector->decode_only || want->decode_only)
            continue;
        if (size != packet->length ||
            memcmp(bytes, vector->bytes + packet->offset, (size_t)packet->length) != 0)
            same = vector_fail(vector->file, want->line, "written: %zu bytes, %02X %02X ...", size,
                               bytes[0], size > 1 ? bytes[1] : 0);
    }
    cairn_packet_writer_free(writer);
    return same;
}

/* What cairn_find_sync should find, the slow way: an 80 behind at least five zeros at or after
 * `from`; the last five count. */
static bool compare_sync(const struct vector_case *vector, const struct cairn_config *config)
{
    static const uint8_t sync[] = {0, 0, 0, 0, 0, 0x80};

    for (size_t from = 0; from <= vector->size; from++) {
        const size_t got = cairn_find_sync(config, vector->bytes, vector->size, from);
        size_t want = from;

        while (want + sizeof(sync) <= vector->size &&
               memcmp(vector->bytes + want, sync, sizeof(sync)) != 0)
            want++;
        if (want + sizeof(sync) > vector->size)
            want = vector->size;
        if (got != want)
            return vector_fail(vector->file, vector->line,
                               "cairn_find_sync from %zu: expected %zu, got %zu", from, want, got);
    }
    return true;
}

static bool run_case(const struct vector_case *vector, struct cairn_config *config,
                     struct outcomes *out)
{
    for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
        if (!decode(vector, config, &ways[w], vector->size, out) ||
            !compare(vector, out, ways[w].name))
            return false;
    }
    return compare_sync(vector, config) && write_back(vector, config, out);
}

/* Each header with a payload of zeros: the kind and length of the first packet. */
static bool run_headers(struct vector_case *vector, struct cairn_config *config,
                        struct outcomes *out)
{
    uint64_t kind = 0;
    bool good = true;

    if (!named(kinds, vector->header_kind, &kind))
        return vector_fail(vector->file, vector->line, "no packet kind \"%s\"",
                           vector->header_kind);
    for (unsigned h = 0; h < 256; h++) {
        if (!vector->headers[h])
            continue;
        vector->bytes[vector->start] = (uint8_t)h;
        memset(vector->bytes + vector->start + 1, 0, HEADER_ZEROS);
        for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
            size_t p = 0;

            if (!decode(vector, config, &ways[w], vector->start + 1 + HEADER_ZEROS, out))
                return false;
            while (p < out->count && out->packets[p].offset < vector->start)
                p++;
            if (p == out->count || out->packets[p].offset != vector->start ||
                out->packets[p].kind != kind || out->packets[p].length != vector->header_length)
                good = vector_fail(vector->file, vector->line,
                                   "%s: header %02X: expected %s +%zu, got %s +%zu", ways[w].name,
                                   h, vector->header_kind, vector->header_length,
                                   p < out->count ? name_of(out->packets[p].kind) : "-",
                                   p < out->count ? (size_t)out->packets[p].length : 0);
        }
    }
    return good;
}

static unsigned run_file(const char *path, unsigned number, bool *all_good)
{
    static struct vector_reader reader;
    static struct vector_case vector;
    static struct outcomes out;

    if (!vector_open(&reader, path)) {
        printf("not ok %u - %s cannot be read\n", ++number, path);
        *all_good = false;
        return number;
    }
    while (vector_next(&reader, &vector)) {
        struct cairn_config *config;
        bool good;

        vector_trouble[0] = '\0';
        vector.config.protocol = CAIRN_PROTOCOL_PTM;
        config = vector_configure(&vector);
        good = config != NULL && (vector.is_headers ? run_headers(&vector, config, &out)
                                                    : run_case(&vector, config, &out));
        cairn_config_unref(config);
        printf("%s %u - %s: %s\n%s", good ? "ok" : "not ok", ++number, reader.file, vector.name,
               vector_trouble);
        *all_good &= good;
    }
    if (reader.error[0] != '\0') {
        printf("not ok %u - %s: %s\n", ++number, reader.file, reader.error);
        *all_good = false;
    }
    vector_clear(&vector);
    fclose(reader.in);
    return number;
}

int main(int count, char **files)
{
    unsigned number = 0;
    bool all_good = true;

    for (int i = 1; i < count; i++)
        number = run_file(files[i], number, &all_good);
    printf("1..%u\n", number);
    return all_good ? 0 : 1;
}
