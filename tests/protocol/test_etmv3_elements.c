/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs vector files of ETMv3's elements (vectors/README.md): bytes -> elements -> resolved elements
 * as the file says, in one piece, byte by byte and with batches of one entry. Of packets their
 * kinds and places are compared; their fields are test_etmv3_vectors' matter. One TAP line a case.
 * Usage: test_etmv3_elements FILE... */
#include <string.h>

#include <cairn/etmv3.h>

#include "vector_elements.h"

static const struct way ways[] = {
    {"in one piece", 0, 1024},
    {"byte by byte", 1, 1024},
    {"with batches of one", 0, 1},
};

static const struct vector_name kinds[] = {
#define NAME(NAME, MASK, MATCH, ACCOUNT, TEXT, SECTION) {#NAME, CAIRN_ETMV3_##NAME},
    CAIRN_ETMV3_PACKETS(NAME)
#undef NAME
        {NULL, 0}};

static bool compare_packet(const struct vector_case *vector, const struct vector_packet *want,
                           const struct packet *got, const char *way)
{
    char text[64], *rest = text;
    uint64_t kind = 0;

    snprintf(text, sizeof text, "%s", want->expected);
    const char *name = vector_word(&rest);
    if (!name || !vector_named(kinds, name, &kind) || vector_word(&rest))
        return vector_fail(vector->file, want->line, "the packet is its kind alone");
    if (got->kind == kind && got->offset == want->offset && got->length == want->length)
        return true;
    return vector_fail(vector->file, want->line, "%s: expected %s @%zu +%zu, got %s @%zu +%zu", way,
                       name, want->offset, want->length, vector_name_of(kinds, got->kind),
                       (size_t)got->offset, (size_t)got->length);
}

/* The elements of one packet, from element `first` on; *end: behind them. */
static bool compare_elements(const struct vector_case *vector, const struct vector_packet *want,
                             const struct outcome *out, size_t first, size_t *end, const char *way)
{
    *end = first;
    while (*end < out->element_count && out->elements[*end].offset == want->offset)
        (*end)++;
    for (size_t i = first; i < *end; i++)
        if (out->elements[i].data.nth != i - first)
            return vector_fail(vector->file, want->line, "%s: element %zu says nth=%u", way,
                               i - first, out->elements[i].data.nth);
    return vector_compare_elements(vector, want->line, want->elements, out->elements + first,
                                   *end - first, way);
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
    for (size_t i = 0; i < vector->packet_count; i++, p++)
        if (p == out->packet_count)
            return vector_fail(vector->file, vector->packets[i].line, "%s: no more packets", way);
        else if (!compare_packet(vector, &vector->packets[i], &out->packets[p], way) ||
                 !compare_elements(vector, &vector->packets[i], out, e, &e, way))
            return false;
    if (p != out->packet_count || e != out->element_count)
        return vector_fail(vector->file, vector->line, "%s: packets or elements are left over",
                           way);
    return !vector->has_resolved ||
           vector_compare_elements(vector, vector->resolved_line, vector->resolved,
                                   out->resolved + r, out->resolved_count - r, way);
}

static bool run_case(const struct vector_case *vector, struct outcome *out)
{
    struct cairn_config *config = vector_configure(vector);
    bool good = config != NULL;

    for (size_t w = 0; good && w < sizeof ways / sizeof ways[0]; w++)
        good = vector_decode(vector, config, &ways[w], vector->bytes, vector->size, out) &&
               compare(vector, out, ways[w].name);
    cairn_config_unref(config);
    return good;
}

static bool run(struct vector_case *vector)
{
    static struct outcome out;

    return run_case(vector, &out);
}

int main(int count, char **files)
{
    return vector_main(count, files, run);
}
