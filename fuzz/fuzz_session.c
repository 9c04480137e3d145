/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a session of sigrok's: the first line is what --pins says, or empty, the second the trace unit, its ETMCR,
 * width and mode, and the rest an archive; or, where it begins as none, `metadata` and chunks with a 0 between, of which
 * one is made, so that what is packed can be anything. Whatever it is: nothing comes behind the last byte, and going on
 * from a place gives what going on without it gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "capture/port/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE = 256, MOST = 1 << 14, ENTRIES = 16, ROOM = MOST + (ENTRIES + 2) * 200 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void take_line(const uint8_t **data, size_t *size, char line[LINE])
{
    const uint8_t *end = memchr(*data, '\n', *size);
    const size_t length = end ? (size_t)(end - *data) : *size;

    snprintf(line, LINE, "%.*s", (int)(length < LINE ? length : LINE - 1), (const char *)*data);
    *data += length + (end != NULL);
    *size -= length + (end != NULL);
}

/* --- an archive of what is not packed (APPNOTE.TXT 4.3) --- */

struct making {
    uint8_t bytes[ROOM], directory[ROOM];
    size_t size, directory_size;
    uint16_t entries;
};

static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

static void add_entry(struct making *made, const char *name, const uint8_t *bytes, size_t size)
{
    uint8_t local[30] = {'P', 'K', 3, 4, 20}, central[46] = {'P', 'K', 1, 2, 20, 0, 20};
    const size_t length = strlen(name);
    const uint32_t crc = crc32_of(bytes, size);

    for (unsigned i = 0; i < 2; i++) {
        uint8_t *head = i ? central + 16 : local + 14;
        cairn_store_le32(head, crc);
        cairn_store_le32(head + 4, (uint32_t)size);
        cairn_store_le32(head + 8, (uint32_t)size);
        cairn_store_le16(head + 12, (uint16_t)length);
    }
    cairn_store_le32(central + 42, (uint32_t)made->size);
    memcpy(made->directory + made->directory_size, central, sizeof central);
    memcpy(made->directory + made->directory_size + sizeof central, name, length);
    made->directory_size += sizeof central + length;
    memcpy(made->bytes + made->size, local, sizeof local);
    memcpy(made->bytes + made->size + sizeof local, name, length);
    if (size)
        memcpy(made->bytes + made->size + sizeof local + length, bytes, size);
    made->size += sizeof local + length + size;
    made->entries++;
}

static void end_archive(struct making *made)
{
    uint8_t end[22] = {'P', 'K', 5, 6};

    cairn_store_le16(end + 8, made->entries);
    cairn_store_le16(end + 10, made->entries);
    cairn_store_le32(end + 12, (uint32_t)made->directory_size);
    cairn_store_le32(end + 16, (uint32_t)made->size);
    memcpy(made->bytes + made->size, made->directory, made->directory_size);
    made->size += made->directory_size;
    memcpy(made->bytes + made->size, end, sizeof end);
    made->size += sizeof end;
}

static void make_archive(struct making *made, const uint8_t *data, size_t size)
{
    char name[24] = "metadata";

    made->size = made->directory_size = 0;
    made->entries = 0;
    add_entry(made, "version", (const uint8_t *)"2", 1);
    for (unsigned i = 0; i < ENTRIES && size; i++) {
        const uint8_t *end = memchr(data, 0, size);
        const size_t length = end ? (size_t)(end - data) : size;
        /* the last chunk has the rest: its units may have zeros */
        const size_t taken = i == ENTRIES - 1 ? size : length;
        add_entry(made, name, data, taken);
        snprintf(name, sizeof name, "logic-1-%u", i + 1);
        data += taken + (taken < size);
        size -= taken + (taken < size);
    }
    end_archive(made);
}

/* --- reading --- */

struct sum {
    uint64_t bytes, hash;
    uint64_t places, stop_at; /* the place that is kept */
    struct cairn_port_place kept;
    uint64_t kept_hash;
};

static int add(void *context, const uint8_t *bytes, size_t size)
{
    struct sum *sum = context;

    require(size > 0 && size <= CAIRN_PORT_EDGE_BYTES);
    for (size_t i = 0; i < size; i++)
        sum->hash = (sum->hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    sum->bytes += size;
    return 0;
}

static int keep(void *context, const struct cairn_port_place *place)
{
    struct sum *sum = context;

    require(place->sampler.produced == sum->bytes);
    if (sum->places++ == sum->stop_at) {
        sum->kept = *place;
        sum->kept_hash = sum->hash;
    }
    return 0;
}

static void run_from(const struct cairn_sigrok *session, struct cairn_port_place *place,
                     const struct cairn_port_taker *taker)
{
    void *stream = cairn_sigrok_recording.open(session, -1, place);

    require(stream != NULL);
    require(cairn_sigrok_recording.run(stream, place, taker) == CAIRN_OK);
    cairn_sigrok_recording.close(stream);
}

static void run(const struct cairn_sigrok *session)
{
    struct cairn_port_place place;
    struct sum all = {.stop_at = 1}, rest;
    struct cairn_port_taker taker = {add, keep, &all};

    cairn_sigrok_recording.begin(session, &place);
    run_from(session, &place, &taker);
    require(place.sampler.produced == all.bytes);
    if (all.places <= all.stop_at)
        return;
    rest = (struct sum){.bytes = all.kept.sampler.produced, .hash = all.kept_hash};
    taker = (struct cairn_port_taker){.bytes = add, .context = &rest};
    run_from(session, &all.kept, &taker);
    require(rest.bytes == all.bytes && rest.hash == all.hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cairn_sigrok session;
    static struct making made;
    char pins[LINE], told[LINE], type[16] = "", mode[32] = "";
    unsigned etmcr = 0, width = 0;
    struct cairn_port_request request = {.what = "fuzz", .sync = {.bytes = 5}};
    struct cairn_error error = {0};

    if (size > MOST)
        return 0;
    take_line(&data, &size, pins);
    take_line(&data, &size, told);
    const int count = sscanf(told, "%15s %x %u %31s", type, &etmcr, &width, mode);
    request.kind = cairn_port_kind_of_type(type);
    request.pins = *pins ? pins : NULL;
    request.has_etmcr = count > 1 && etmcr;
    request.etmcr = etmcr;
    request.width = width;
    request.mode = *mode ? mode : NULL;
    (void)cairn_sigrok_is(data, size);
    memset(&session, 0, sizeof session);
    session.input = (struct cairn_port_input){.fd = -1, .memory = data, .size = size};
    if (size < 2 || memcmp(data, "PK", 2) != 0) {
        make_archive(&made, data, size);
        session.input.memory = made.bytes;
        session.input.size = made.size;
    }
    if (cairn_sigrok_declare(&session, &request, &error) == CAIRN_OK)
        run(&session);
    else
        require(error.status && strlen(error.text) > 0);
    return 0;
}
