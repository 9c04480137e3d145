/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's packet writer of ETMv3 and a second writer, which knows the specification alone,
 * write the same bytes of the same events, in all forms that a packet has:
 * test_etmv3_second_write [--seeds FROM COUNT] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/etmv3/etmv3.h"
#include "second_events.h"
#include "second_fields.h"
#include "second_settings.h"
#include "second_writer.h"

enum { DEFAULT_LISTS = 40000, MAX_SHOWN = 5, ROOM = 256, LISTS_OF_ALL = 1000 };

struct trial {
    struct second_list list;
    struct second_writer writer;
    struct second_packets packets;
    struct cairn_packet_writer *library;
    uint8_t bytes[ROOM]; /* the library's, of an event */
    size_t size;
};

static struct trial trial;

struct counts {
    uint64_t wrong, bytes, packets;
    uint64_t kinds[CAIRN_ETMV3_KIND_COUNT];
    unsigned shown;
};

/* False: a packet cannot be written. */
static bool write_packets(struct trial *t, struct counts *counts)
{
    t->size = 0;
    for (size_t i = 0; i < t->packets.count; i++) {
        const struct second_packet *packet = &t->packets.packets[i];
        const size_t size = cairn_packet_write(t->library, packet->kind, &packet->fields,
                                               t->bytes + t->size, sizeof t->bytes - t->size);

        if (size == 0)
            return false;
        t->size += size;
        counts->packets++;
        counts->kinds[packet->kind]++;
    }
    return true;
}

/* An A-sync may have more than five zeros (7.7.2), and the second writer's do. */
static bool same_bytes(const struct trial *t, size_t from, enum second_kind kind)
{
    const uint8_t *bytes = t->writer.bytes + from;
    size_t size = t->writer.size - from;

    for (; kind == SECOND_A_SYNC && size > t->size && *bytes == 0; size--)
        bytes++;
    return size == t->size && memcmp(bytes, t->bytes, size) == 0;
}

static bool check_event(struct trial *t, const struct second_event *event, struct counts *counts)
{
    const size_t from = t->writer.size;

    if (!second_write(&t->writer, event))
        return false;
    second_packets_of(&t->packets, &t->writer, event);
    return write_packets(t, counts) && same_bytes(t, from, event->kind);
}

static void show(const struct trial *t, uint64_t seed, size_t event, size_t from)
{
    second_show_settings(&t->list, seed);
    printf("#   event %zu, of kind %u\n", event, t->list.events[event].kind);
    second_show_bytes("the library", t->bytes, t->size, 0);
    second_show_bytes("the writer ", t->writer.bytes + from, t->writer.size - from, 0);
}

static void check_list(struct trial *t, uint64_t seed, struct counts *counts)
{
    second_begin(&t->writer, &t->list.settings, seed & 1 ? seed : 0);
    t->packets.overflowed = false;
    for (size_t i = 0; i < t->list.count; i++) {
        const size_t from = t->writer.size;

        /* proves: ETM3-7.3.5-bj */
        if (check_event(t, &t->list.events[i], counts))
            continue;
        counts->wrong++;
        if (counts->shown++ < MAX_SHOWN)
            show(t, seed, i, from);
        return;
    }
    counts->bytes += t->writer.size;
}

static void check(struct trial *t, uint64_t seed, struct counts *counts)
{
    struct cairn_config *config;

    second_random(&t->list, seed);
    config = second_configure(&t->list);
    if (config && cairn_packet_writer_new(config, &t->library) == CAIRN_OK) {
        check_list(t, seed, counts);
        cairn_packet_writer_free(t->library);
    } else {
        counts->wrong++;
    }
    cairn_config_unref(config);
}

static bool has_all_kinds(const struct counts *counts)
{
    for (unsigned kind = CAIRN_ETMV3_BRANCH; kind < CAIRN_ETMV3_KIND_COUNT; kind++)
        if (counts->kinds[kind] == 0)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    const bool seeds = argc == 4 && strcmp(argv[1], "--seeds") == 0;
    const uint64_t first = seeds ? strtoull(argv[2], NULL, 0) : 1;
    const uint64_t lists = seeds ? strtoull(argv[3], NULL, 0) : DEFAULT_LISTS;
    static struct counts counts;
    bool all;

    printf("1..2\n");
    for (uint64_t i = 0; i < lists; i++)
        check(&trial, first + i, &counts);
    all = lists < LISTS_OF_ALL || has_all_kinds(&counts);
    printf("%s 1 - every kind of packet was among them\n", all ? "ok" : "not ok");
    printf("%s 2 - %" PRIu64 " lists, %" PRIu64 " packets, %" PRIu64
           " bytes, of which the second writer wrote the same; of %" PRIu64 " lists others\n",
           counts.wrong ? "not ok" : "ok", lists, counts.packets, counts.bytes, counts.wrong);
    return counts.wrong || !all ? 1 : 0;
}
