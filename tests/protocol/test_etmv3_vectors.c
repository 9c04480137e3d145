/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs vector files of ETMv3 (vectors/README.md): bytes -> packets as the file says, in one piece,
 * byte by byte and with batches of one; and packets -> the same bytes. One TAP line a case. Usage:
 * test_etmv3_vectors FILE... */
#include <stdlib.h>
#include <string.h>

#include "etmv3_session.h"
#include "vector_decode.h"

#define HEADER_ZEROS 12 /* enough for every payload of zeros */

struct name {
    const char *text;
    uint64_t value;
};

static const struct name kinds[] = {
#define NAME(NAME, MASK, MATCH, ACCOUNT, TEXT, SECTION) {#NAME, CAIRN_ETMV3_##NAME},
    CAIRN_ETMV3_PACKETS(NAME)
#undef NAME
        {NULL, 0}};

static const struct name flags[] = {{"ADDRESS", CAIRN_PACKET_HAS_ADDRESS},
                                    {"CONTEXT", CAIRN_PACKET_HAS_CONTEXT},
                                    {"VMID", CAIRN_PACKET_HAS_VMID},
                                    {"CONTEXT_ID", CAIRN_PACKET_HAS_CONTEXT_ID},
                                    {"CYCLES", CAIRN_PACKET_HAS_CYCLES},
                                    {"TIMESTAMP", CAIRN_PACKET_HAS_TIMESTAMP},
                                    {"SBZ", CAIRN_PACKET_SBZ},
                                    {"EXCEPTION", CAIRN_PACKET_HAS_EXCEPTION},
                                    {"CANCEL", CAIRN_PACKET_CANCEL},
                                    {"INFO", CAIRN_PACKET_HAS_INFO},
                                    {"VALUE", CAIRN_PACKET_HAS_VALUE},
                                    {"BE", CAIRN_PACKET_BIG_ENDIAN},
                                    {"DATA_ONLY", CAIRN_PACKET_DATA_ONLY},
                                    {"LSIP", CAIRN_PACKET_LSIP},
                                    {"CONTRADICTION", CAIRN_PACKET_CONTRADICTION},
                                    {NULL, 0}};

static const struct name values[] = {{"ARM", CAIRN_STATE_ARM},
                                     {"THUMB", CAIRN_STATE_THUMB},
                                     {"JAZELLE", CAIRN_STATE_JAZELLE},
                                     {"THUMBEE", CAIRN_STATE_THUMBEE},
                                     {"SECURE", CAIRN_SECURE},
                                     {"NONSECURE", CAIRN_NONSECURE},
                                     {"FLOW", CAIRN_ACCOUNT_FLOW},
                                     {"METADATA", CAIRN_ACCOUNT_METADATA},
                                     {"PADDING", CAIRN_ACCOUNT_PADDING},
                                     {"GAP_NO_SYNC", CAIRN_GAP_NO_SYNC},
                                     {"GAP_RESERVED", CAIRN_GAP_RESERVED},
                                     {"GAP_CUT", CAIRN_GAP_CUT},
                                     {"GAP_TRUNCATED", CAIRN_GAP_TRUNCATED},
                                     {NULL, 0}};

static bool named(const struct name *names, const char *text, uint64_t *value)
{
    for (; names->text; names++)
        if (!strcmp(names->text, text)) {
            *value = names->value;
            return true;
        }
    return false;
}

static bool field(const struct etmv3_packet *packet, const char *name, uint64_t *value)
{
    const struct cairn_packet_fields *f = &packet->fields;
    const struct name fields[] = {{"type", f->type},
                                  {"sub_isa", f->sub_isa},
                                  {"atom_count", f->atom_count},
                                  {"address", f->address},
                                  {"value", f->value},
                                  {"cycles", f->cycles},
                                  {"info", f->info},
                                  {"count", f->count},
                                  {"address_bits", f->address_bits},
                                  {"state", f->state},
                                  {"reason", f->reason},
                                  {"size", f->size},
                                  {"tag", f->tag},
                                  {"resume", f->resume},
                                  {"account", packet->account},
                                  {"context.EL", f->context.EL},
                                  {"context.security", f->context.security},
                                  {"context.vmid", f->context.vmid},
                                  {"context.context_id", f->context.context_id},
                                  {NULL, 0}};

    return named(fields, name, value);
}

static bool same_atoms(const char *text, const struct cairn_packet_fields *fields)
{
    if (strlen(text) != fields->atom_count)
        return false;
    for (unsigned i = 0; i < fields->atom_count; i++)
        if ((text[i] == 'E') != (fields->atoms >> i & 1))
            return false;
    return true;
}

/* One word of what is expected: "+FLAG", "-FLAG" or "name=value". */
static bool same_word(const struct vector_case *vector, size_t line, char *word,
                      const struct etmv3_packet *got)
{
    char *text = strchr(word, '=');
    uint64_t want, actual;

    if (*word == '+' || *word == '-') {
        if (!named(flags, word + 1, &want))
            return vector_fail(vector->file, line, "no flag %s", word + 1);
        if (((got->fields.flags & want) != 0) != (*word == '+'))
            return vector_fail(vector->file, line, "expected %s, got flags 0x%x", word,
                               got->fields.flags);
        return true;
    }
    if (!text)
        return vector_fail(vector->file, line, "\"%s\" is not name=value", word);
    *text++ = '\0';
    if (!strcmp(word, "atoms"))
        return same_atoms(text, &got->fields) ||
               vector_fail(vector->file, line, "expected atoms=%s, got 0x%x of %u", text,
                           got->fields.atoms, got->fields.atom_count);
    if (!field(got, word, &actual) || !(vector_number(text, &want) || named(values, text, &want)))
        return vector_fail(vector->file, line, "\"%s=%s\" is not known", word, text);
    return actual == want || vector_fail(vector->file, line, "expected %s=%s, got 0x%llx", word,
                                         text, (unsigned long long)actual);
}

static bool compare_packet(const struct vector_case *vector, const struct vector_packet *want,
                           const struct etmv3_packet *got)
{
    char *text = strdup(want->expected), *rest = text;
    const char *kind = vector_word(&rest);
    uint64_t number = 0;
    bool same = true;

    if (!kind || !named(kinds, kind, &number))
        same = vector_fail(vector->file, want->line, "no packet kind \"%s\"", kind ? kind : "");
    else if (got->kind != number || got->offset != want->offset || got->length != want->length)
        same = vector_fail(vector->file, want->line, "expected %s @%zu +%zu, got %s @%zu +%zu",
                           kind, want->offset, want->length, kinds[got->kind].text,
                           (size_t)got->offset, (size_t)got->length);
    for (char *word = vector_word(&rest); same && word; word = vector_word(&rest))
        same = same_word(vector, want->line, word, got);
    free(text);
    return same;
}

static bool compare(const struct vector_case *vector, const struct etmv3_list *list)
{
    size_t p = 0;

    while (p < list->count && list->packets[p].offset < vector->start)
        p++;
    for (size_t i = 0; i < vector->packet_count; i++, p++) {
        if (p == list->count)
            return vector_fail(vector->file, vector->packets[i].line, "got no more packets");
        if (!compare_packet(vector, &vector->packets[i], &list->packets[p]))
            return false;
    }
    return p == list->count ||
           vector_fail(vector->file, vector->line, "a packet more than expected: %s @%zu",
                       kinds[list->packets[p].kind].text, (size_t)list->packets[p].offset);
}

static bool is_of_protocol(unsigned kind)
{
    return kind > CAIRN_ETMV3_INCOMPLETE;
}

/* Every packet through one writer, those of the prefix too: its history has to follow. */
static bool write_back(const struct vector_case *vector, struct cairn_config *config,
                       const struct etmv3_list *list)
{
    struct cairn_packet_writer *writer = NULL;
    uint8_t bytes[64];
    size_t described = 0;
    bool same = cairn_packet_writer_new(config, &writer) == CAIRN_OK;

    for (size_t i = 0; same && i < list->count; i++) {
        const struct etmv3_packet *packet = &list->packets[i];
        const struct vector_packet *want =
            packet->offset >= vector->start ? &vector->packets[described++] : NULL;

        if (!is_of_protocol(packet->kind))
            continue;
        const size_t size =
            cairn_packet_write(writer, packet->kind, &packet->fields, bytes, sizeof bytes);
        if (!want || vector->decode_only || want->decode_only)
            continue;
        if (size != packet->length || memcmp(bytes, vector->bytes + packet->offset, size) != 0)
            same =
                vector_fail(vector->file, want->line, "written: %zu bytes, begins %02X %02X %02X",
                            size, bytes[0], bytes[1], bytes[2]);
    }
    cairn_packet_writer_free(writer);
    return same;
}

static const struct {
    size_t step, capacity;
} ways[] = {{0, 256}, {1, 256}, {0, 1}};

static bool run_case(const struct vector_case *vector, struct cairn_config *config,
                     struct etmv3_list *list)
{
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        if (!etmv3_decode(config, vector->bytes, vector->size, ways[w].step, ways[w].capacity,
                          list))
            return vector_fail(vector->file, vector->line, "bytes are not accounted for once");
        if (!compare(vector, list))
            return false;
    }
    return write_back(vector, config, list);
}

/* Each header with a payload of zeros: the kind and length of the first packet. */
static bool run_headers(struct vector_case *vector, struct cairn_config *config,
                        struct etmv3_list *list)
{
    uint64_t kind = 0;
    bool good = true;

    if (!named(kinds, vector->header_kind, &kind))
        return vector_fail(vector->file, vector->line, "no packet kind \"%s\"",
                           vector->header_kind);
    for (unsigned header = 0; header < 256; header++) {
        size_t p = 0;

        if (!vector->headers[header])
            continue;
        vector->bytes[vector->start] = (uint8_t)header;
        memset(vector->bytes + vector->start + 1, 0, HEADER_ZEROS);
        vector->bytes[vector->start + 1 + HEADER_ZEROS] = 0x66;
        if (!etmv3_decode(config, vector->bytes, vector->start + 2 + HEADER_ZEROS, 0, 16, list))
            return vector_fail(vector->file, vector->line, "bytes are not accounted for once");
        while (p < list->count && list->packets[p].offset < vector->start)
            p++;
        if (p == list->count || list->packets[p].kind != kind ||
            list->packets[p].length != vector->header_length)
            good = vector_fail(vector->file, vector->line,
                               "header %02X: expected %s +%zu, got %s +%zu", header,
                               vector->header_kind, vector->header_length,
                               p < list->count ? kinds[list->packets[p].kind].text : "-",
                               p < list->count ? (size_t)list->packets[p].length : 0);
    }
    return good;
}

static bool run(struct vector_case *vector)
{
    static struct etmv3_list list;
    struct cairn_config *config = vector_configure(vector);
    const bool good = config && (vector->is_headers ? run_headers(vector, config, &list)
                                                    : run_case(vector, config, &list));

    cairn_config_unref(config);
    return good;
}

int main(int count, char **files)
{
    return vector_main(count, files, run);
}
