/* SPDX-License-Identifier: BSD-2-Clause */
/* What a second writer wrote of random data transfers, the library's Data elements have to say, in
 * the same order, behind the same atoms, and late values with their placeholders:
 * test_etmv3_second_data [LISTS [FIRST]] */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/element.h>

#include "../house/share.h"
#include "second_events.h"
#include "second_settings.h"
#include "second_writer.h"

enum {
    DEFAULT_LISTS = TEST_PART(2000),
    MAX_SHOWN = 5,
    LINE_SIZE = 120,
    LINES_MAX = 512,
    BATCH = 64,
    TAGS = 4
};
enum { AROUND = 4 };

struct lines {
    size_t count;
    unsigned long atoms; /* so far */
    char line[LINES_MAX][LINE_SIZE];
};

static void say(struct lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct lines *lines, const char *format, ...)
{
    va_list list;
    int length;

    if (lines->count == LINES_MAX)
        return;
    length = snprintf(lines->line[lines->count], LINE_SIZE, "%lu: ", lines->atoms);
    va_start(list, format);
    (void)vsnprintf(lines->line[lines->count++] + length, (size_t)(LINE_SIZE - length), format,
                    list);
    va_end(list);
}

/* One transfer in words; "-" for what was not traced. */
struct transfer {
    const char *kind;
    unsigned tag;
    unsigned size;
    bool first;
    bool has_address, big_endian, has_value;
    unsigned long long address, value;
};

static void say_transfer(struct lines *lines, const struct transfer *t)
{
    char address[32] = "-";
    char value[32] = "-";

    if (t->has_address)
        (void)snprintf(address, sizeof address, "%llx%s", t->address, t->big_endian ? "B" : "");
    if (t->has_value)
        (void)snprintf(value, sizeof value, "%llx", t->value);
    say(lines, "%s tag=%u size=%u A=%d address=%s value=%s", t->kind, t->tag, t->size, t->first,
        address, value);
}

/* Events ------------------------------------------------------------------------------------ */

/* Where the placeholders of a tag are that wait for a value: 7.4.3. */
struct waiting {
    size_t count;
    size_t offset[2];
    size_t event; /* the last one */
};

static unsigned bytes_of(uint32_t value)
{
    return value == 0 ? 0 : value < 256 ? 1 : value < 65536 ? 2 : 4;
}

/* A placeholder directly behind one of its tag is the second half; any other begins anew. */
static void wait_for(struct waiting *w, size_t event, size_t offset)
{
    if (w->count != 1 || w->event + 1 != event)
        w->count = 0;
    w->offset[w->count++] = offset;
    w->event = event;
}

static void say_late(struct lines *lines, const struct second_event *e, struct waiting *w)
{
    say(lines, "late tag=%u size=%u value=%x of packet %zu", e->tag, bytes_of(e->value), e->value,
        w->offset[0]);
    w->offset[0] = w->offset[1];
    w->count--;
}

static void say_event_transfer(struct lines *lines, const struct second_settings *s,
                               const struct second_event *e, const char *kind)
{
    const bool is_data = e->kind == SECOND_DATA;

    say_transfer(lines, &(struct transfer){.kind = kind,
                                           .tag = e->tag,
                                           .size = is_data ? bytes_of(e->value) : 0,
                                           .first = e->has_address,
                                           .has_address = e->has_address && s->addresses,
                                           .big_endian = e->big_endian,
                                           .has_value = is_data && s->values,
                                           .address = e->data_address,
                                           .value = e->value});
}

static void count_atoms(struct lines *lines, const struct second_event *e)
{
    for (const char *atom = e->atoms; *atom != '\0'; atom++)
        lines->atoms += *atom != 'W';
}

static void lines_of_events(const struct second_list *list, const size_t *offsets,
                            struct lines *lines)
{
    struct waiting waiting[TAGS] = {{0}};

    lines->count = 0;
    lines->atoms = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct second_event *e = &list->events[i];

        switch (e->kind) {
        case SECOND_ATOMS: count_atoms(lines, e); break;
        case SECOND_I_SYNC: lines->atoms += e->in_progress; break; /* 7.7.3: an E is implied */
        case SECOND_DATA: say_event_transfer(lines, &list->settings, e, "data"); break;
        case SECOND_NOT_TRACED: say_event_transfer(lines, &list->settings, e, "not traced"); break;
        case SECOND_PLACEHOLDER:
            wait_for(&waiting[e->tag], i, offsets[i]);
            say_event_transfer(lines, &list->settings, e, "placeholder");
            break;
        case SECOND_LATE_DATA: say_late(lines, e, &waiting[e->tag]); break;
        case SECOND_SUPPRESSED: say(lines, "suppressed"); break;
        case SECOND_STORE_FAILED: say(lines, "store failed"); break;
        case SECOND_EXCEPTION_ENTRY: say(lines, "stacking"); break;
        case SECOND_EXCEPTION_EXIT: say(lines, "exception return"); break;
        default: break;
        }
    }
}

/* Elements ---------------------------------------------------------------------------------- */

static void say_data_element(struct lines *lines, const struct cairn_element_data *d,
                             unsigned flags)
{
    static const char *const kinds[] = {"data",       "placeholder", "late",
                                        "not traced", "suppressed",  "store failed"};
    const unsigned kind = CAIRN_DATA_KIND(d->cycles);
    const unsigned tag = CAIRN_DATA_TAG(d->cycles);
    const unsigned size = CAIRN_DATA_SIZE(d->cycles);

    if (kind == CAIRN_DATA_LATE) {
        say(lines, "late tag=%u size=%u value=%llx of packet %llu%s", tag, size,
            (unsigned long long)d->value, (unsigned long long)d->address,
            flags & CAIRN_ELEMENT_UNKNOWN ? " unknown" : "");
        return;
    }
    if (kind >= CAIRN_DATA_SUPPRESSED) {
        say(lines, "%s", kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "?");
        return;
    }
    say_transfer(lines, &(struct transfer){.kind = kinds[kind],
                                           .tag = tag,
                                           .size = size,
                                           .first = d->info & CAIRN_DATA_FIRST,
                                           .has_address = d->info & CAIRN_DATA_HAS_ADDRESS,
                                           .big_endian = d->info & CAIRN_DATA_BIG_ENDIAN,
                                           .has_value = d->info & CAIRN_DATA_HAS_VALUE,
                                           .address = d->address,
                                           .value = d->value});
}

static void lines_of_elements(const struct cairn_element_batch *batch, struct lines *lines)
{
    for (size_t i = 0; i < batch->count; i++) {
        switch (batch->kind[i]) {
        case CAIRN_ELEMENT_ATOM: lines->atoms++; break;
        case CAIRN_ELEMENT_DATA: say_data_element(lines, &batch->data[i], batch->flags[i]); break;
        case CAIRN_ELEMENT_STACKING: say(lines, "stacking"); break;
        case CAIRN_ELEMENT_EXCEPTION_RETURN: say(lines, "exception return"); break;
        case CAIRN_ELEMENT_GAP: say(lines, "gap"); break;
        default: break;
        }
    }
}

struct levels {
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    struct cairn_packet_batch *packet_batch;
    struct cairn_element_batch *element_batch;
};

static bool run_elements(struct levels *l, struct lines *lines)
{
    size_t position = 0;

    do {
        l->element_batch->count = 0;
        if (cairn_elements_run(l->elements, l->packet_batch, &position, l->element_batch) !=
            CAIRN_OK)
            return false;
        lines_of_elements(l->element_batch, lines);
    } while (position < l->packet_batch->count || l->element_batch->count != 0);
    return true;
}

static bool run_levels(struct levels *l, const struct second_writer *writer, struct lines *lines)
{
    size_t position = 0;
    bool ended = false;

    while (!ended) {
        const bool more = position < writer->size;

        l->packet_batch->count = 0;
        if ((more ? cairn_packets_run(l->packets, writer->bytes, writer->size, &position,
                                      l->packet_batch)
                  : cairn_packets_finish(l->packets, l->packet_batch)) != CAIRN_OK ||
            !run_elements(l, lines))
            return false;
        ended = !more && l->packet_batch->count == 0;
    }
    return true;
}

static bool decode(const struct second_list *list, const struct second_writer *writer,
                   struct lines *lines)
{
    struct cairn_config *config = second_configure(list);
    struct levels l = {0};
    bool good = config != NULL && cairn_packets_new(config, &l.packets) == CAIRN_OK &&
                cairn_elements_new(config, &l.elements) == CAIRN_OK &&
                cairn_packet_batch_new(BATCH, &l.packet_batch) == CAIRN_OK &&
                cairn_element_batch_new(BATCH, &l.element_batch) == CAIRN_OK;

    lines->count = 0;
    lines->atoms = 0;
    good = good && run_levels(&l, writer, lines);
    cairn_element_batch_free(l.element_batch);
    cairn_packet_batch_free(l.packet_batch);
    cairn_elements_free(l.elements);
    cairn_packets_free(l.packets);
    cairn_config_unref(config);
    return good;
}

/* The test ---------------------------------------------------------------------------------- */

static void show(const struct second_list *list, const struct lines *a, const struct lines *b,
                 uint64_t seed)
{
    size_t at = 0;

    while (at < a->count && at < b->count && strcmp(a->line[at], b->line[at]) == 0)
        at++;
    second_show_settings(list, seed);
    for (size_t i = at > AROUND ? at - AROUND : 0; i < at; i++)
        printf("#   %s\n", a->line[i]);
    printf("#   written: %s\n", at < a->count ? a->line[at] : "nothing");
    printf("#   decoded: %s\n", at < b->count ? b->line[at] : "nothing");
}

static bool same(const struct lines *a, const struct lines *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->line[i], b->line[i]) != 0)
            return false;
    return true;
}

static bool check(uint64_t seed, unsigned *shown)
{
    static struct second_list list;
    static struct second_writer writer;
    static struct lines expected, got;
    size_t offsets[SECOND_EVENTS_MAX];

    second_random(&list, seed);
    second_begin(&writer, &list.settings, seed);
    for (size_t i = 0; i < list.count; i++) {
        offsets[i] = writer.size;
        if (!second_write(&writer, &list.events[i]))
            return false;
    }
    lines_of_events(&list, offsets, &expected);
    if (decode(&list, &writer, &got) && same(&expected, &got))
        return true;
    if ((*shown)++ < MAX_SHOWN)
        show(&list, &expected, &got, seed);
    return false;
}

int main(int argc, char **argv)
{
    const unsigned long lists = argc > 1 ? strtoul(argv[1], NULL, 0) : DEFAULT_LISTS;
    const unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
    unsigned long wrong = 0;
    unsigned shown = 0;

    printf("1..1\n");
    for (unsigned long i = 0; i < lists; i++)
        /* proves: ETM3-7.4.3-c, ETM3-7.4.3-e */
        wrong += !check(first + i, &shown);
    printf("%s 1 - %lu lists of events, the data of %lu decoded otherwise\n",
           wrong ? "not ok" : "ok", lists, wrong);
    return wrong ? 1 : 0;
}
