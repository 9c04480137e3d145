/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as a value change dump: the first line is what --pins says, or empty, the second the trace unit, its
 * ETMCR, width, mode and synchronisation, and the rest the dump. Whatever it is: nothing comes behind the last
 * byte, and going on from a place gives what going on without it gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/port/vcd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE = 256, MOST = 1 << 16 };

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

static void run(const struct cairn_vcd_file *file)
{
    struct cairn_port_place place;
    struct sum all = {.stop_at = 3}, rest;
    struct cairn_port_taker taker = {add, keep, &all};

    cairn_vcd_begin(file, &place);
    require(cairn_vcd_run(file, &place, &taker) == CAIRN_OK);
    require(place.sampler.produced == all.bytes);
    if (all.places <= all.stop_at)
        return;
    rest = (struct sum){.bytes = all.kept.sampler.produced, .hash = all.kept_hash};
    taker = (struct cairn_port_taker){.bytes = add, .context = &rest};
    require(cairn_vcd_run(file, &all.kept, &taker) == CAIRN_OK);
    require(rest.bytes == all.bytes && rest.hash == all.hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cairn_vcd_file file;
    char pins[LINE], told[LINE], type[16] = "", mode[32] = "";
    unsigned etmcr = 0, width = 0, sync = 5;
    struct cairn_port_request request = {.what = "fuzz"};
    struct cairn_error error = {0};

    if (size > MOST)
        return 0;
    take_line(&data, &size, pins);
    take_line(&data, &size, told);
    const int count = sscanf(told, "%15s %x %u %31s %u", type, &etmcr, &width, mode, &sync);
    request.kind = cairn_port_kind_of_type(type);
    request.pins = *pins ? pins : NULL;
    request.has_etmcr = count > 1 && etmcr;
    request.etmcr = etmcr;
    request.width = width;
    request.sync = (struct cairn_port_sync){.bytes = sync % 12, .ones = sync / 12 % 2};
    request.mode = *mode ? mode : NULL;
    memset(&file, 0, sizeof file);
    file.input = (struct cairn_port_input){.fd = -1, .memory = data, .size = size};
    (void)cairn_vcd_is(data, size);
    if (cairn_vcd_declare(&file, &request, &error) == CAIRN_OK)
        run(&file);
    else
        require(error.status && strlen(error.text) > 0);
    return 0;
}
