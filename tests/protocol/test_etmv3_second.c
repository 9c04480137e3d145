/* SPDX-License-Identifier: BSD-2-Clause */
/* What a second writer wrote of random events, the library's ETMv3 packets have to say:
 * test_etmv3_second [LISTS [FIRST]]. The writer knows the specification alone, and the library's
 * parser never saw it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "etmv3_session.h"
#include "second_events.h"
#include "second_text.h"
#include "second_writer.h"

enum { DEFAULT_LISTS = 3000, MAX_SHOWN = 5, BATCH = 64, SMALL_BATCH = 3, PIECE = 5, AROUND = 4 };

/* Table 3-46. */
static uint32_t id_of(const struct second_list *list)
{
    return 0x4104f200u | list->settings.minor << 4 | (list->settings.alternative ? 1u << 20 : 0) |
           (list->security ? 1u << 19 : 0);
}

/* 3.5.1; bits 28 and 30 of issue Q. */
static uint32_t control_of(const struct second_settings *s)
{
    const uint32_t context = s->context_bytes == 4 ? 3 : s->context_bytes;
    const bool virtualized = s->minor >= 5 && !s->m_profile;

    return (s->cycle_accurate ? 1u << 12 : 0) | (s->addresses ? 1u << 3 : 0) |
           (s->values ? 1u << 2 : 0) | (s->data_only ? 1u << 20 : 0) | context << 14 |
           (s->minor >= 5 ? 1u << 28 : 0) | (virtualized ? 1u << 30 : 0);
}

/* Issue Q, 3.5.41. */
static uint32_t ccer_of(const struct second_settings *s)
{
    if (s->minor < 5)
        return 0;
    return 1u << 22 | (s->m_profile ? 0 : 1u << 26) | (s->binary_time ? 1u << 28 : 0) |
           (s->wide_time ? 1u << 29 : 0);
}

static void show_settings(const struct second_list *list, uint64_t seed)
{
    const struct second_settings *s = &list->settings;

    printf("# list %llu: ETMv3.%u%s%s%s%s%s%s, context %u\n", (unsigned long long)seed, s->minor,
           s->m_profile ? ", M profile" : "", s->alternative ? ", alternative" : "",
           s->cycle_accurate ? ", cycles" : "", s->addresses ? ", addresses" : "",
           s->values ? ", values" : "", s->data_only ? ", data only" : "", s->context_bytes);
}

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

static bool same(const struct second_lines *a, const struct second_lines *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->line[i], b->line[i]) != 0)
            return false;
    return true;
}

static bool write_all(const struct second_list *list, struct second_writer *writer, uint64_t seed)
{
    /* Every other list has the longest P-headers. */
    second_begin(writer, &list->settings, seed & 1 ? seed : 0);
    for (size_t i = 0; i < list->count; i++)
        if (!second_write(writer, &list->events[i])) {
            printf("# event %zu of list %llu cannot be traced\n", i, (unsigned long long)seed);
            return false;
        }
    return true;
}

static bool check(uint64_t seed, unsigned *shown)
{
    static struct second_list list;
    static struct second_writer writer;
    static struct second_lines expected, got;
    static struct etmv3_list whole, pieces;
    struct cairn_error error = {0};

    second_random(&list, seed);
    if (!write_all(&list, &writer, seed))
        return false;

    struct cairn_config *config =
        etmv3_configure(list.settings.m_profile ? CAIRN_PROFILE_M : CAIRN_PROFILE_A, id_of(&list),
                        control_of(&list.settings), ccer_of(&list.settings), &error);
    if (config == NULL) {
        show_settings(&list, seed);
        printf("# refused: %s\n", error.text);
        return false;
    }

    const bool decoded =
        etmv3_decode(config, writer.bytes, writer.size, 0, BATCH, &whole) &&
        etmv3_decode(config, writer.bytes, writer.size, PIECE, SMALL_BATCH, &pieces);
    cairn_config_unref(config);
    second_lines_of_events(&list, &expected);
    second_lines_of_packets(&list.settings, &whole, &got);
    if (decoded && same(&expected, &got) && etmv3_same(&whole, &pieces))
        return true;
    if ((*shown)++ < MAX_SHOWN) {
        show_settings(&list, seed);
        show_difference(&expected, &got);
    }
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
        wrong += !check(first + i, &shown);
    printf("%s 1 - %lu lists of events, %lu decoded otherwise\n", wrong ? "not ok" : "ok", lists,
           wrong);
    return wrong ? 1 : 0;
}
