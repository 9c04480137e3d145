/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's encoder of ETMv3 and a second writer, which knows the specification alone, write
 * the same bytes of the same events: test_etmv3_second_encode [--seeds FROM COUNT] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/protocol.h"
#include "second_elements.h"
#include "second_events.h"
#include "second_settings.h"
#include "second_translate.h"
#include "second_writer.h"

enum { DEFAULT_LISTS = 40000, MAX_SHOWN = 5, ELEMENTS = 1 << 14, COUNTED_OF = 16 };
enum { SOME_HEADERS = 10, LISTS_OF_ALL = 1000 };

/* One list: as elements, and what the two made of it. */
struct trial {
    struct second_list list;
    struct second_elements elements;
    struct second_element list_of_elements[ELEMENTS];
    struct second_writer writer;
    struct second_translator translator;
    uint8_t encoded[SECOND_BYTES_MAX];
    size_t size;
};

static struct trial trial;

struct counts {
    uint64_t wrong, bytes, elements, headers, fewest;
    uint64_t kinds[SECOND_KIND_COUNT];
    unsigned shown;
};

static void show(const struct trial *t, uint64_t seed, struct counts *counts)
{
    size_t at = 0;

    if (counts->shown++ >= MAX_SHOWN)
        return;
    while (at < t->size && at < t->writer.size && t->encoded[at] == t->writer.bytes[at])
        at++;
    second_show_settings(&t->list, seed);
    if (t->translator.refused)
        printf("#   the second writer refuses an event\n");
    second_show_bytes("the encoder", t->encoded, t->size, at);
    second_show_bytes("the writer ", t->writer.bytes, t->writer.size, at);
}

static void make_elements(struct trial *t)
{
    t->elements = (struct second_elements){
        .data_only = t->list.settings.data_only, .capacity = ELEMENTS, .list = t->list_of_elements};
    for (size_t i = 0; i < t->list.count; i++)
        second_elements_add(&t->elements, &t->list.events[i]);
}

/* False: it has no room, or there is no encoder. */
static bool encode(struct trial *t, struct cairn_config *config)
{
    struct cairn_encoder_out out = {.bytes = t->encoded, .capacity = sizeof t->encoded};
    void *encoder = NULL;
    bool good = true;

    if (config->protocol->encoder_new(config, 0, &encoder) != CAIRN_OK)
        return false;
    for (size_t i = 0; i < t->elements.count && good; i++) {
        const struct second_element *e = &t->elements.list[i];

        good = out.capacity - out.size >= CAIRN_ENCODER_ROOM;
        if (good)
            config->protocol->encoder_put(encoder, e->kind, e->flags, &e->data, &out);
    }
    if (good)
        config->protocol->encoder_flush(encoder, &out);
    config->protocol->encoder_free(encoder);
    t->size = out.size;
    return good && t->elements.count < t->elements.capacity;
}

/* Where cycles are not traced the longest P-headers are the fewest, and the encoder's; where they
 * are, the choice is its own. */
static void write_second(struct trial *t, bool counts)
{
    const struct second_registers registers = second_registers_of(&t->list);

    second_translate_begin(&t->translator, &t->writer, &registers);
    t->translator.counts = counts;
    if (t->list.settings.cycle_accurate) {
        t->writer.lead = t->encoded;
        t->writer.lead_size = t->size;
    }
    for (size_t i = 0; i < t->elements.count; i++) {
        const struct second_element *e = &t->elements.list[i];

        second_translate(&t->translator, e->kind, e->flags, &e->data);
    }
    second_translate_end(&t->translator);
}

static bool same_bytes(const struct trial *t)
{
    return !t->translator.refused && t->size == t->writer.size &&
           memcmp(t->encoded, t->writer.bytes, t->size) == 0;
}

static void count(const struct trial *t, struct counts *counts)
{
    for (size_t i = 0; i < t->list.count; i++)
        counts->kinds[t->list.events[i].kind]++;
    counts->bytes += t->size;
    counts->elements += t->elements.count;
    if (!t->translator.counts)
        return;
    counts->headers += t->translator.headers;
    counts->fewest += t->translator.fewest;
}

static void check(struct trial *t, uint64_t seed, struct counts *counts)
{
    struct cairn_config *config;

    second_random_followed(&t->list, seed);
    config = second_configure(&t->list);
    make_elements(t);
    t->size = 0;
    if (config == NULL || !encode(t, config)) {
        counts->wrong++;
        cairn_config_unref(config);
        return;
    }
    write_second(t, seed % COUNTED_OF == 0);
    count(t, counts);
    if (!same_bytes(t)) {
        counts->wrong++;
        show(t, seed, counts);
    }
    cairn_config_unref(config);
}

static bool has_all_kinds(const struct counts *counts)
{
    for (unsigned kind = 0; kind < SECOND_KIND_COUNT; kind++)
        if (counts->kinds[kind] == 0)
            return false;
    return true;
}

/* Not quite the fewest, which cannot be found without looking ahead. */
static bool has_few_headers(const struct counts *counts)
{
    return counts->headers - counts->fewest <= SOME_HEADERS + counts->fewest / 1000;
}

int main(int argc, char **argv)
{
    const bool seeds = argc == 4 && strcmp(argv[1], "--seeds") == 0;
    const uint64_t first = seeds ? strtoull(argv[2], NULL, 0) : 1;
    const uint64_t lists = seeds ? strtoull(argv[3], NULL, 0) : DEFAULT_LISTS;
    static struct counts counts;
    bool all_kinds;

    printf("1..3\n");
    for (uint64_t i = 0; i < lists; i++)
        check(&trial, first + i, &counts);
    all_kinds = lists < LISTS_OF_ALL || has_all_kinds(&counts);
    printf("%s 1 - every kind of event was among them\n", all_kinds ? "ok" : "not ok");
    printf("%s 2 - in a sixteenth of them %" PRIu64 " P-headers, %" PRIu64 " would do\n",
           has_few_headers(&counts) ? "ok" : "not ok", counts.headers, counts.fewest);
    printf("%s 3 - %" PRIu64 " lists, %" PRIu64 " elements, %" PRIu64
           " bytes, of which the second writer wrote the same; of %" PRIu64 " lists others\n",
           counts.wrong ? "not ok" : "ok", lists, counts.elements, counts.bytes, counts.wrong);
    return counts.wrong || !has_few_headers(&counts) || !all_kinds ? 1 : 0;
}
