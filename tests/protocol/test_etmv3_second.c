/* SPDX-License-Identifier: BSD-2-Clause */
/* What a second writer wrote of random events, the library's ETMv3 packets have to say:
 * test_etmv3_second [LISTS [FIRST]]. The writer knows the specification alone, and the library's
 * parser never saw it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../house/share.h"
#include "etmv3_session.h"
#include "second_events.h"
#include "second_settings.h"
#include "second_text.h"
#include "second_writer.h"

enum {
    DEFAULT_LISTS = TEST_PART(3000),
    MAX_SHOWN = 5,
    BATCH = 64,
    SMALL_BATCH = 3,
    PIECE = 5,
    AROUND = 4
};

static void show_difference(const struct second_lines *expected, const struct second_lines *got)
{
    size_t at = 0;

    while (at < expected->count && at < got->count &&
           strcmp(expected->line[at], got->line[at]) == 0)
        at++;
    for (size_t i = at > AROUND ? at - AROUND : 0; i < at; i++)
        printf("#   %s\n", expected->line[i]);
    printf("#   written: %s\n", at < expected->count ? expected->line[at] : "nothing");
    printf("#   decoded: %s\n", at < got->count ? got->line[at] : "nothing");
}

/* What is known of what was traced before decoding began. */
struct knowledge {
    bool data_address;
    bool time;
    bool gap; /* which I-sync a cycle count belongs to */
};

static const struct knowledge everything = {true, true, true};

/* The same but for a data address that is not known. */
static bool same_but_address(const char *expected, const char *got)
{
    static const char field[] = "address=";
    static const char unknown[] = "address=not known";
    const char *a = strstr(expected, field);
    const char *b = strstr(got, unknown);

    return a != NULL && b != NULL && a - expected == b - got &&
           strncmp(expected, got, (size_t)(a - expected)) == 0 &&
           strcmp(a + strcspn(a, " "), b + strlen(unknown)) == 0;
}

static bool agrees(const char *expected, const char *got, struct knowledge *known)
{
    if (strcmp(expected, got) == 0) {
        known->data_address |= strstr(got, "address=") && !strstr(got, "address=-");
        known->time |= strncmp(got, "time", 4) == 0;
        known->gap |= strncmp(got, "I-sync", 6) == 0 && !strstr(got, "reason=0");
        return true;
    }
    return (!known->data_address && same_but_address(expected, got)) ||
           (!known->time && strncmp(expected, "time", 4) == 0 &&
            strcmp(got, "time not known") == 0) ||
           (!known->gap && strncmp(expected, "cycles", 6) == 0 && strncmp(got, "cycles", 6) == 0);
}

static bool same(const struct second_lines *a, const struct second_lines *b, struct knowledge known)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!agrees(a->line[i], b->line[i], &known))
            return false;
    return true;
}

/* One list: its events, what was written, and where each event begins. */
struct trial {
    struct second_list list;
    struct second_writer writer;
    size_t offset[SECOND_EVENTS_MAX];
    struct cairn_config *config;
    struct second_lines expected, got;
    struct etmv3_list whole, pieces;
};

static struct trial trial;

static bool write_all(struct trial *t, uint64_t seed)
{
    /* Every other list has the longest P-headers. */
    second_begin(&t->writer, &t->list.settings, seed & 1 ? seed : 0);
    for (size_t i = 0; i < t->list.count; i++) {
        t->offset[i] = t->writer.size;
        if (!second_write(&t->writer, &t->list.events[i])) {
            printf("# event %zu of list %llu cannot be traced\n", i, (unsigned long long)seed);
            return false;
        }
    }
    return true;
}

static bool decode(struct trial *t, size_t from)
{
    const uint8_t *bytes = t->writer.bytes + from;
    const size_t size = t->writer.size - from;

    return etmv3_decode(t->config, bytes, size, 0, BATCH, &t->whole) &&
           etmv3_decode(t->config, bytes, size, PIECE, SMALL_BATCH, &t->pieces) &&
           etmv3_same(&t->whole, &t->pieces);
}

static bool check_whole(struct trial *t)
{
    const bool decoded = decode(t, 0);

    second_lines_of_events(&t->list, 0, &t->expected);
    second_lines_of_packets(&t->list.settings, &t->whole, 0, &t->got);
    return decoded && same(&t->expected, &t->got, everything);
}

static size_t find_event(const struct second_list *list, enum second_kind kind, size_t from)
{
    while (from < list->count && list->events[from].kind != kind)
        from++;
    return from;
}

static size_t find_i_sync_packet(const struct etmv3_list *packets)
{
    size_t at = 0;

    while (at < packets->count && packets->packets[at].kind != CAIRN_ETMV3_I_SYNC &&
           packets->packets[at].kind != CAIRN_ETMV3_I_SYNC_CYCLES)
        at++;
    return at;
}

/* Decoding that begins at a later A-sync finds the next I-sync, and from there on says the same,
 * but for what was traced whole before only. */
static bool check_late(struct trial *t)
{
    const size_t a_sync = find_event(&t->list, SECOND_A_SYNC, 2);
    const size_t i_sync = find_event(&t->list, SECOND_I_SYNC, a_sync);

    if (i_sync == t->list.count)
        return true;

    const bool decoded = decode(t, t->offset[a_sync]);
    const size_t packet = find_i_sync_packet(&t->whole);

    second_lines_of_events(&t->list, i_sync, &t->expected);
    second_lines_of_packets(&t->list.settings, &t->whole, packet, &t->got);
    return decoded && packet < t->whole.count &&
           t->offset[a_sync] + t->whole.packets[packet].offset == t->offset[i_sync] &&
           same(&t->expected, &t->got, (struct knowledge){false, false, false});
}

/* What is counted over all lists. */
struct counts {
    unsigned long wrong, wrong_late, kinds[SECOND_KIND_COUNT];
    unsigned shown;
};

static void report(struct trial *t, uint64_t seed, const char *what, struct counts *counts)
{
    if (counts->shown++ >= MAX_SHOWN)
        return;
    printf("# %s\n", what);
    second_show_settings(&t->list, seed);
    show_difference(&t->expected, &t->got);
}

static bool prepare(struct trial *t, uint64_t seed)
{
    second_random(&t->list, seed);
    if (!write_all(t, seed))
        return false;
    t->config = second_configure(&t->list);
    return t->config != NULL;
}

static void check(struct trial *t, uint64_t seed, struct counts *counts)
{
    if (!prepare(t, seed)) {
        counts->wrong++;
        return;
    }
    for (size_t i = 0; i < t->list.count; i++)
        counts->kinds[t->list.events[i].kind]++;
    /* proves: ETM3-7.2-v, ETM3-7.3.1-b, ETM3-7.3.5-ce, ETM35Q-7.4.3-a */
    if (!check_whole(t)) {
        counts->wrong++;
        report(t, seed, "decoded otherwise", counts);
    }
    /* proves: ETM3-7.7.3-a */
    if (!check_late(t)) {
        counts->wrong_late++;
        report(t, seed, "decoded otherwise from a later A-sync on", counts);
    }
    cairn_config_unref(t->config);
}

int main(int argc, char **argv)
{
    const unsigned long lists = argc > 1 ? strtoul(argv[1], NULL, 0) : DEFAULT_LISTS;
    const unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
    struct counts counts = {0};
    bool all_kinds = true;

    printf("1..3\n");
    for (unsigned long i = 0; i < lists; i++)
        check(&trial, first + i, &counts);
    printf("%s 1 - %lu lists of events, %lu decoded otherwise\n", counts.wrong ? "not ok" : "ok",
           lists, counts.wrong);
    printf("%s 2 - from a later A-sync on, %lu decoded otherwise\n",
           counts.wrong_late ? "not ok" : "ok", counts.wrong_late);
    for (unsigned kind = 0; kind < SECOND_KIND_COUNT; kind++)
        all_kinds = all_kinds && counts.kinds[kind] > 0;
    printf("%s 3 - every kind of event was among them\n", all_kinds ? "ok" : "not ok");
    return counts.wrong || counts.wrong_late || !all_kinds ? 1 : 0;
}
