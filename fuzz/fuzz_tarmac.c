/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as a TARMAC log: each line and each instruction that it lists is in one account, and a
 * trace unit takes whatever order of things the text makes up. */
#include <stdlib.h>
#include <string.h>

#include "machine/tarmac/tarmac.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
    const uint8_t *at;
    size_t left;
    size_t piece;
};

static long read_text(void *context, char *bytes, size_t size)
{
    struct text *text = context;
    size_t count = text->left < text->piece ? text->left : text->piece;

    count = count < size ? count : size;
    memcpy(bytes, text->at, count);
    text->at += count;
    text->left -= count;
    return (long)count;
}

static cairn_status count_bytes(void *context, const uint8_t *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)context += size;
    return CAIRN_OK;
}

static void check(const struct cairn_tarmac_counts *counts,
                  const struct cairn_tarmac_result *result, size_t size)
{
    if (counts->bytes != size || counts->lines != counts->instructions + counts->registers +
                                                      counts->events + counts->other +
                                                      counts->unknown + counts->unparsable)
        abort();
    /* Each listed instruction ends in one account. */
    if (counts->instructions != result->instructions + result->aborted + result->untold)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The first byte chooses the protocol, TRCCONFIGR's options and the size of a read. */
    const uint8_t choice = size ? data[0] : 0;
    struct text text = {data, size, choice & 1 ? 61 : SIZE_MAX};
    const struct cairn_register registers[] = {{"TRCCONFIGR", choice & 2 ? 0x18d9 : 1}};
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_tarmac_options options = CAIRN_TARMAC_OPTIONS_INIT;
    struct cairn_tarmac_result result;
    struct cairn_tarmac_reader *reader;
    struct cairn_error error;
    uint64_t written = 0;

    if (cairn_tarmac_reader_new(read_text, &text, &reader))
        return 0;
    unit.protocol = choice & 4 ? CAIRN_PROTOCOL_ETE : CAIRN_PROTOCOL_ETMV4;
    unit.arch = cairn_arch_any_a();
    unit.registers = registers;
    unit.register_count = 1;
    unit.sink = count_bytes;
    unit.sink_context = &written;
    options.unit = &unit;
    const cairn_status status = cairn_tarmac_feed(reader, &options, &result, &error);
    if (status == CAIRN_OK)
        check(cairn_tarmac_reader_counts(reader), &result, size);
    if (status == CAIRN_OK && result.instructions && !written)
        abort();
    cairn_tarmac_reader_free(reader);
    return 0;
}
