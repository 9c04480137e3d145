/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs vector files: bytes -> packets -> elements -> resolved elements as the file says, with the
 * bytes in one piece, with one byte at a time, and with batches of one entry; and packets -> the
 * same bytes. One TAP line a case. Usage: test_vectors FILE... */
#include <stdlib.h>
#include <string.h>

#include <cairn/etmv4.h>
#include <cairn/image.h>

#include "vector_decode.h"
#include "vector_elements.h"

#define HEADER_ZEROS 12 /* enough for every payload of zeros */

static const struct way ways[] = {
    {"in one piece", 0, 256},
    {"byte by byte", 1, 256},
    {"in batches of one", 0, 1},
};

/* ---- names ---- */

static const struct vector_name packet_kinds[] = {
#define NAME(NAME, FIRST, LAST, ACCOUNT, TEXT, SECTION) {#NAME, CAIRN_ETMV4_##NAME},
    CAIRN_ETMV4_PACKETS(NAME)
#undef NAME
        {NULL, 0}};

static const struct vector_name packet_flags[] = {{"ADDRESS", CAIRN_PACKET_HAS_ADDRESS},
                                                  {"CONTEXT", CAIRN_PACKET_HAS_CONTEXT},
                                                  {"VMID", CAIRN_PACKET_HAS_VMID},
                                                  {"CONTEXT_ID", CAIRN_PACKET_HAS_CONTEXT_ID},
                                                  {"COUNT", CAIRN_PACKET_HAS_COUNT},
                                                  {"CYCLES", CAIRN_PACKET_HAS_CYCLES},
                                                  {"TIMESTAMP", CAIRN_PACKET_HAS_TIMESTAMP},
                                                  {"SBZ", CAIRN_PACKET_SBZ},
                                                  {"MISPREDICT", CAIRN_PACKET_MISPREDICT},
                                                  {"E10", CAIRN_PACKET_E10},
                                                  {"FRAMED", CAIRN_PACKET_FRAMED},
                                                  {"GOES_ON", CAIRN_PACKET_GOES_ON},
                                                  {NULL, 0}};

static bool packet_field(const struct packet *packet, const char *name, uint64_t *value)
{
    const struct cairn_packet_fields *f = &packet->fields;
    const struct vector_name fields[] = {{"type", f->type},
                                         {"sub_isa", f->sub_isa},
                                         {"atom_count", f->atom_count},
                                         {"count", f->count},
                                         {"address", f->address},
                                         {"value", f->value},
                                         {"cycles", f->cycles},
                                         {"info", f->info},
                                         {"address_bits", f->address_bits},
                                         {"account", packet->account},
                                         {NULL, 0}};

    if (strncmp(name, "context.", 8) == 0)
        return vector_context_field(&f->context, name + 8, value);
    return vector_named(fields, name, value);
}

/* ---- comparing ---- */

/* "ENE" against atoms, oldest in bit 0. */
static bool atoms_match(const char *text, uint32_t atoms, unsigned count)
{
    if (strlen(text) != count)
        return false;
    for (unsigned i = 0; i < count; i++) {
        if ((text[i] == 'E') != ((atoms >> i & 1) != 0))
            return false;
    }
    return true;
}

static const char *atoms_text(uint32_t atoms, unsigned count, char *text)
{
    for (unsigned i = 0; i < count && i < 32; i++)
        *text++ = (atoms >> i & 1) != 0 ? 'E' : 'N';
    *text = '\0';
    return text;
}

static bool compare_packet(const struct vector_case *vector, const struct vector_packet *want,
                           const struct packet *got, const char *way)
{
    char *text = strdup(want->expected), *rest = text;
    const char *kind = vector_word(&rest);
    uint64_t number = 0, actual = 0;
    bool same = true, known;
    char atoms[40];

    if (kind == NULL || !vector_named(packet_kinds, kind, &number))
        same = vector_fail(vector->file, want->line, "no packet kind \"%s\"",
                           kind != NULL ? kind : "");
    else if (got->kind != number || got->offset != want->offset || got->length != want->length)
        same = vector_fail(vector->file, want->line, "%s: expected %s @%zu +%zu, got %s @%zu +%zu",
                           way, kind, want->offset, want->length,
                           vector_name_of(packet_kinds, got->kind), (size_t)got->offset,
                           (size_t)got->length);
    for (char *word = vector_word(&rest); same && word != NULL; word = vector_word(&rest)) {
        char *value = strchr(word, '=');

        if (word[0] == '+' || word[0] == '-') {
            if (!vector_flag_matches(packet_flags, word, got->fields.flags, &known))
                same = vector_fail(vector->file, want->line, "%s: expected %s, got flags 0x%x%s",
                                   way, word, got->fields.flags, known ? "" : " (no such flag)");
            continue;
        }
        if (value == NULL) {
            same = vector_fail(vector->file, want->line, "\"%s\" is not name=value", word);
            continue;
        }
        *value++ = '\0';
        if (strcmp(word, "atoms") == 0) {
            atoms_text(got->fields.atoms, got->fields.atom_count, atoms);
            if (!atoms_match(value, got->fields.atoms, got->fields.atom_count))
                same = vector_fail(vector->file, want->line, "%s: expected atoms=%s, got %s", way,
                                   value, atoms);
        } else if (!packet_field(got, word, &actual) || !vector_value_of(value, &number)) {
            same = vector_fail(vector->file, want->line, "\"%s=%s\" is not known", word, value);
        } else if (actual != number) {
            same = vector_fail(vector->file, want->line, "%s: %s: expected %s=%s, got 0x%llx", way,
                               kind, word, value, (unsigned long long)actual);
        }
    }
    free(text);
    return same;
}

/* The elements of one packet: those with its offset. */
static size_t elements_at(const struct outcome *out, uint64_t offset, uint64_t length, size_t from)
{
    size_t end = from;

    while (end < out->element_count && out->elements[end].offset == offset &&
           out->elements[end].length == length)
        end++;
    return end - from;
}

static bool compare(const struct vector_case *vector, const struct outcome *out, const char *way)
{
    size_t p = 0, e = 0, r = 0;

    while (p < out->packet_count && out->packets[p].offset < vector->start)
        p++;
    while (e < out->element_count && out->elements[e].offset < vector->start)
        e++;
    while (r < out->resolved_count && out->resolved[r].offset < vector->start)
        r++;
    for (size_t i = 0; i < vector->packet_count; i++, p++) {
        const struct vector_packet *want = &vector->packets[i];
        size_t mine;

        if (p == out->packet_count)
            return vector_fail(vector->file, want->line, "%s: expected%s, got no more packets", way,
                               want->expected);
        if (!compare_packet(vector, want, &out->packets[p], way))
            return false;
        if (!vector->has_elements)
            continue;
        mine = elements_at(out, want->offset, want->length, e);
        if (!vector_compare_elements(vector, want->line, want->elements, out->elements + e, mine,
                                     way))
            return false;
        for (size_t n = 0; n < mine; n++) {
            if (out->elements[e + n].data.nth != n)
                return vector_fail(vector->file, want->line, "%s: element %zu says nth=%u", way, n,
                                   out->elements[e + n].data.nth);
        }
        e += mine;
    }
    if (p != out->packet_count)
        return vector_fail(vector->file, vector->line,
                           "%s: a packet more than expected: %s @%zu +%zu", way,
                           vector_name_of(packet_kinds, out->packets[p].kind),
                           (size_t)out->packets[p].offset, (size_t)out->packets[p].length);
    if (vector->has_elements && e != out->element_count)
        return vector_fail(vector->file, vector->line, "%s: an element more than expected: %s @%zu",
                           way, vector_element_name(out->elements[e].kind),
                           (size_t)out->elements[e].offset);
    if (!vector->has_resolved)
        return true;
    return vector_compare_elements(vector, vector->resolved_line, vector->resolved,
                                   out->resolved + r, out->resolved_count - r, way);
}

/* ---- writing ---- */

static bool is_of_protocol(unsigned kind)
{
    return kind != CAIRN_ETMV4_NOT_SYNC && kind != CAIRN_ETMV4_RESERVED &&
           kind != CAIRN_ETMV4_CUT && kind != CAIRN_ETMV4_INCOMPLETE;
}

static void hex(const uint8_t *bytes, size_t size, char *text)
{
    *text = '\0';
    for (size_t i = 0; i < size && i < 30; i++, text += 3)
        sprintf(text, " %02X", bytes[i]);
}

static bool compare_written(const struct vector_case *vector, size_t line, const uint8_t *want,
                            size_t length, const uint8_t *got, size_t got_length)
{
    char expected[100], written[100];

    if (got_length == length && memcmp(want, got, length) == 0)
        return true;
    hex(want, length, expected);
    hex(got, got_length, written);
    return vector_fail(vector->file, line, "written: expected%s, got%s", expected,
                       got_length == 0 ? " nothing" : written);
}

/* Every packet through one writer, those of the prefix too: its history has to follow. */
static bool write_back(const struct vector_case *vector, struct cairn_config *config,
                       const struct outcome *out)
{
    struct cairn_packet_writer *writer = NULL;
    uint8_t bytes[256];
    size_t described = 0;
    bool same =
        vector_ok(cairn_packet_writer_new(config, &writer), vector, "cairn_packet_writer_new");

    for (size_t i = 0; same && i < out->packet_count; i++) {
        const struct packet *packet = &out->packets[i];
        const struct vector_packet *want =
            packet->offset >= vector->start ? &vector->packets[described++] : NULL;
        size_t written;

        if (!is_of_protocol(packet->kind))
            continue;
        written = cairn_packet_write(writer, packet->kind, &packet->fields, bytes, sizeof(bytes));
        if (want != NULL && !vector->decode_only && !want->decode_only)
            same = compare_written(vector, want->line, vector->bytes + packet->offset,
                                   (size_t)packet->length, bytes, written);
    }
    cairn_packet_writer_free(writer);
    return same;
}

/* ---- cases ---- */

/* What cairn_find_sync should find, the slow way: an 80 behind at least 11 zeros at or after
 * `from`; the last 11 count. */
static size_t slow_sync(const uint8_t *data, size_t size, size_t from)
{
    static const uint8_t sync[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80};

    for (size_t at = from; at + sizeof(sync) <= size; at++) {
        if (memcmp(data + at, sync, sizeof(sync)) == 0)
            return at;
    }
    return size;
}

static bool compare_sync(const struct vector_case *vector, const struct cairn_config *config)
{
    for (size_t from = 0; from <= vector->size; from++) {
        size_t want = slow_sync(vector->bytes, vector->size, from);
        size_t got = cairn_find_sync(config, vector->bytes, vector->size, from);

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
            !compare(vector, out, ways[w].name))
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

    if (!vector_named(packet_kinds, vector->header_kind, &kind))
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
                good = vector_fail(
                    vector->file, vector->line, "%s: header %02X: expected %s +%zu, got %s +%zu",
                    ways[w].name, h, vector->header_kind, vector->header_length,
                    p < out->packet_count ? vector_name_of(packet_kinds, out->packets[p].kind)
                                          : "-",
                    p < out->packet_count ? (size_t)out->packets[p].length : 0);
        }
    }
    return good;
}

static bool run(struct vector_case *vector)
{
    static struct outcome out;
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
