/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs vector files of PTM: bytes -> packets -> elements as the file says, with the bytes in one
 * piece, with one byte at a time, and with batches of one entry; and packets -> the same bytes. The
 * format is that of vectors/README.md; `config` lines need no protocol. Usage: test_ptm_vectors
 * FILE... */
#include <stdlib.h>
#include <string.h>

#include <cairn/ptm.h>

#include "protocol/ptm/ptm.h"
#include "vector_elements.h"

#define HEADER_ZEROS 16 /* enough for every payload of zeros */

static const struct vector_name kinds[] = {
#define NAME(NAME, MASK, HEADER, ACCOUNT, TEXT, SECTION) {#NAME, CAIRN_PTM_##NAME},
    CAIRN_PTM_PACKETS(NAME)
#undef NAME
        {NULL, 0}};

static const struct vector_name flags[] = {{"ADDRESS", CAIRN_PACKET_HAS_ADDRESS},
                                           {"CONTEXT", CAIRN_PACKET_HAS_CONTEXT},
                                           {"VMID", CAIRN_PACKET_HAS_VMID},
                                           {"CONTEXT_ID", CAIRN_PACKET_HAS_CONTEXT_ID},
                                           {"CYCLES", CAIRN_PACKET_HAS_CYCLES},
                                           {"TIMESTAMP", CAIRN_PACKET_HAS_TIMESTAMP},
                                           {"EXCEPTION", CAIRN_PACKET_HAS_EXCEPTION},
                                           {"INFO", CAIRN_PACKET_HAS_INFO},
                                           {"SBZ", CAIRN_PACKET_SBZ},
                                           {NULL, 0}};

static const struct vector_name values[] = {{"SECURE", CAIRN_SECURE},
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
    {"in one piece", 0, 256},
    {"byte by byte", 1, 256},
    {"in batches of one", 0, 1},
};

static const char *name_of(uint64_t kind)
{
    return kind < CAIRN_PTM_KIND_COUNT ? kinds[kind].text : "?";
}

static bool field(const struct packet *packet, const char *name, uint64_t *value)
{
    const struct cairn_packet_fields *f = &packet->fields;
    const struct vector_name fields[] = {{"type", f->type},
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

    return vector_named(fields, name, value);
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
        if (!vector_named(flags, word + 1, &wanted))
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
        (!vector_number(text, &wanted) && !vector_named(values, text, &wanted)))
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

    if (kind == NULL || !vector_named(kinds, kind, &number))
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

/* The elements of one packet, which are those with its offset and length, from `*at` on. */
static bool compare_elements(const struct vector_case *vector, const struct vector_packet *want,
                             const struct outcome *out, size_t *at, const char *way)
{
    const size_t first = *at;

    while (*at < out->element_count && out->elements[*at].offset == want->offset &&
           out->elements[*at].length == want->length)
        ++*at;
    for (size_t e = first; e < *at; e++)
        if (out->elements[e].data.nth != e - first)
            return vector_fail(vector->file, want->line, "%s: element %zu says nth=%u", way,
                               e - first, out->elements[e].data.nth);
    return vector_compare_elements(vector, want->line, want->elements, out->elements + first,
                                   *at - first, way);
}

static bool compare(const struct vector_case *vector, const struct outcome *out, const char *way)
{
    size_t p = 0, e = 0;

    while (p < out->packet_count && out->packets[p].offset < vector->start)
        p++;
    while (e < out->element_count && out->elements[e].offset < vector->start)
        e++;
    for (size_t i = 0; i < vector->packet_count; i++, p++) {
        const struct vector_packet *want = &vector->packets[i];

        if (p == out->packet_count)
            return vector_fail(vector->file, want->line, "%s: expected%s, got no more packets", way,
                               want->expected);
        if (!compare_packet(vector, want, &out->packets[p], way) ||
            (vector->has_elements && !compare_elements(vector, want, out, &e, way)))
            return false;
    }
    if (p != out->packet_count)
        return vector_fail(vector->file, vector->line,
                           "%s: one packet more than expected: %s @%zu +%zu", way,
                           name_of(out->packets[p].kind), (size_t)out->packets[p].offset,
                           (size_t)out->packets[p].length);
    return !vector->has_elements || e == out->element_count ||
           vector_fail(vector->file, vector->line, "%s: an element more than expected: %s @%zu",
                       way, vector_element_name(out->elements[e].kind),
                       (size_t)out->elements[e].offset);
}

/* Nothing is speculative: the resolver passes every element on as it is (4.1). */
static bool compare_resolved(const struct vector_case *vector, const struct outcome *out,
                             const char *way)
{
    bool same = out->element_count == out->resolved_count;

    for (size_t i = 0; same && i < out->element_count; i++)
        same = out->elements[i].offset == out->resolved[i].offset &&
               out->elements[i].length == out->resolved[i].length &&
               out->elements[i].kind == out->resolved[i].kind &&
               out->elements[i].flags == out->resolved[i].flags &&
               memcmp(&out->elements[i].data, &out->resolved[i].data,
                      sizeof out->elements[i].data) == 0;
    return same ||
           vector_fail(vector->file, vector->line, "%s: the resolver changed something", way);
}

/* Every packet through one writer, those of the prefix too: its history has to follow. */
static bool write_back(const struct vector_case *vector, struct cairn_config *config,
                       const struct outcome *out)
{
    struct cairn_packet_writer *writer = NULL;
    uint8_t bytes[64] = {0};
    size_t described = 0;
    bool same =
        vector_ok(cairn_packet_writer_new(config, &writer), vector, "cairn_packet_writer_new");

    for (size_t i = 0; same && i < out->packet_count; i++) {
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
                     struct outcome *out)
{
    for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
        if (!vector_decode(vector, config, &ways[w], vector->bytes, vector->size, out) ||
            !compare(vector, out, ways[w].name) || !compare_resolved(vector, out, ways[w].name))
            return false;
    }
    return compare_sync(vector, config) && write_back(vector, config, out);
}

/* Each header with a payload of zeros: the kind and length of the first packet. */
static bool run_headers(struct vector_case *vector, struct cairn_config *config,
                        struct outcome *out)
{
    uint64_t kind = 0;
    bool good = true;

    if (!vector_named(kinds, vector->header_kind, &kind))
        return vector_fail(vector->file, vector->line, "no packet kind \"%s\"",
                           vector->header_kind);
    for (unsigned h = 0; h < 256; h++) {
        if (!vector->headers[h])
            continue;
        vector->bytes[vector->start] = (uint8_t)h;
        memset(vector->bytes + vector->start + 1, 0, HEADER_ZEROS);
        for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
            size_t p = 0;

            if (!vector_decode(vector, config, &ways[w], vector->bytes,
                               vector->start + 1 + HEADER_ZEROS, out))
                return false;
            while (p < out->packet_count && out->packets[p].offset < vector->start)
                p++;
            if (p == out->packet_count || out->packets[p].offset != vector->start ||
                out->packets[p].kind != kind || out->packets[p].length != vector->header_length)
                good = vector_fail(vector->file, vector->line,
                                   "%s: header %02X: expected %s +%zu, got %s +%zu", ways[w].name,
                                   h, vector->header_kind, vector->header_length,
                                   p < out->packet_count ? name_of(out->packets[p].kind) : "-",
                                   p < out->packet_count ? (size_t)out->packets[p].length : 0);
        }
    }
    return good;
}

static bool run(struct vector_case *vector)
{
    static struct outcome out;

    vector->config.protocol = CAIRN_PROTOCOL_PTM;
    struct cairn_config *config = vector_configure(vector);
    const bool good = config && (vector->is_headers ? run_headers(vector, config, &out)
                                                    : run_case(vector, config, &out));

    cairn_config_unref(config);
    return good;
}

int main(int count, char **files)
{
    return vector_main(count, files, run);
}
