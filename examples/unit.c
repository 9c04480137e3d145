/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace unit model on its own: tells an ETE unit what a core executes, and prints what the unit
 * writes, as packets. The program is the worked example of DDI0608 D11.1.1.
 *
 * usage: example-unit */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn.h>

#define BYTES_MAX 4096

struct trace {
    uint8_t bytes[BYTES_MAX];
    size_t size;
};

static void must(cairn_status status, const struct cairn_error *error)
{
    if (status == CAIRN_OK)
        return;
    fprintf(stderr, "%s\n", error && error->text[0] ? error->text : cairn_status_text(status));
    exit(1);
}

static cairn_status keep(void *context, const uint8_t *bytes, size_t size)
{
    struct trace *trace = context;

    if (size > BYTES_MAX - trace->size)
        return CAIRN_E_LIMIT;
    memcpy(trace->bytes + trace->size, bytes, size);
    trace->size += size;
    return CAIRN_OK;
}

/* The core runs through `words` at `address`; the last one may be a branch, which is taken or
 * not. */
static void execute(struct cairn_unit *unit, uint64_t address, const uint32_t *words, size_t count,
                    bool taken)
{
    uint8_t bytes[64];
    struct cairn_block block;

    for (size_t i = 0; i < count; i++)
        for (unsigned b = 0; b < 4; b++)
            bytes[4 * i + b] = (uint8_t)(words[i] >> (8 * b));
    if (cairn_unit_scan(unit, CAIRN_ISA_A64, address, bytes, 4 * count, &block))
        cairn_unit_execute(unit, &block, taken);
}

static void print(struct cairn_unit *unit, const struct trace *trace)
{
    struct cairn_config *config = cairn_unit_config(unit);
    struct cairn_packet_batch *batch = NULL;
    struct cairn_packets *packets = NULL;
    size_t position = 0;

    must(cairn_packets_new(config, &packets), NULL);
    must(cairn_packet_batch_new(64, &batch), NULL);
    must(cairn_packets_run(packets, trace->bytes, trace->size, &position, batch), NULL);
    for (size_t i = 0; i < batch->count; i++) {
        for (uint64_t at = 0; at < batch->length[i]; at++)
            printf("%02x ", trace->bytes[batch->offset[i] + at]);
        printf(" %s\n", cairn_packet_name(config, batch->kind[i]));
    }
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    cairn_config_unref(config);
}

int main(void)
{
    static const uint32_t branch[] = {0x14000400}; /* 1000: b 2000 */
    static const uint32_t compare[] = {
        0xd2800020, /* 2000: mov x0, #1 */
        0xf9400001, /* ldr x1, [x0] */
        0xeb01001f, /* cmp x0, x1 */
        0x54007fa0, /* b.eq 3000 */
    };
    static const uint32_t store[] = {0xf9000001}; /* 2010: str x1, [x0], then an interrupt */
    const struct cairn_context context = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_error error = {0};
    struct trace trace = {.size = 0};
    struct cairn_unit *unit = NULL;

    options.arch = cairn_arch_any_a();
    options.sink = keep;
    options.sink_context = &trace;
    must(cairn_unit_new(&options, &unit, &error), &error);
    cairn_unit_enable(unit);
    cairn_unit_context(unit, &context);
    execute(unit, 0x1000, branch, 1, true);
    execute(unit, 0x2000, compare, 4, false);
    execute(unit, 0x2010, store, 1, false);
    cairn_unit_exception(unit, CAIRN_EXCEPTION_IRQ, 0x2014, CAIRN_ISA_A64);
    cairn_unit_disable(unit);
    must(cairn_unit_status(unit), NULL);
    print(unit, &trace);
    cairn_unit_free(unit);
    return 0;
}
