/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs, run by a test and traced by the second writer of ETMv3: the flow has to be what
 * was executed, and the engine's the same. test_etmv3_second_flow [RUNS [FIRST]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/etmv3.h>

#include "../engine/compare.h"
#include "../house/share.h"
#include "second_program.h"

enum { DEFAULT_RUNS = TEST_PART(400), MAX_SHOWN = 5, RECORDS = 4096, AROUND = 5 };

struct lines {
    size_t count;
    char line[SECOND_LINES_MAX][SECOND_LINE];
};

/* Table 3-46, 3.5.1: bit 19 Security Extensions, bit 18 one atom for a 32-bit Thumb instruction. */
static struct cairn_config *configure(const struct second_run *run)
{
    const struct second_settings *s = &run->settings;
    const uint32_t id = (s->m_profile ? 0x4100f200u : 0x4108f200u) | (run->halves ? 0 : 1u << 18) |
                        s->minor << 4 | (s->alternative ? 1u << 20 : 0);
    const uint32_t control = (s->cycle_accurate ? 1u << 12 : 0) | (s->addresses ? 1u << 3 : 0) |
                             (s->values ? 1u << 2 : 0) | s->context_bytes << 14;
    const struct cairn_register registers[] = {{"ETMIDR", id}, {"ETMCR", control}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;
    struct cairn_error error = {0};

    source.protocol = CAIRN_PROTOCOL_ETMV3;
    source.arch = (struct cairn_arch){s->m_profile ? CAIRN_PROFILE_M : CAIRN_PROFILE_A, 7, 0,
                                      CAIRN_FEATURE_THUMB2};
    source.registers = registers;
    source.register_count = sizeof registers / sizeof *registers;
    if (cairn_config_new(&source, &config, &error) != CAIRN_OK)
        printf("# refused: %s\n", error.text);
    return config;
}

static struct cairn_image *load(const struct second_program *p)
{
    struct cairn_image *image = NULL;
    struct cairn_error error = {0};

    if (cairn_image_new(&image) != CAIRN_OK ||
        cairn_image_add_bytes(image, "A32", NULL, CAIRN_ORDER_LITTLE, SECOND_ARM_BASE, p->arm,
                              sizeof p->arm, &error) != CAIRN_OK ||
        cairn_image_add_bytes(image, "T32", NULL, CAIRN_ORDER_LITTLE, SECOND_THUMB_BASE, p->thumb,
                              sizeof p->thumb, &error) != CAIRN_OK) {
        printf("# no image\n");
        cairn_image_unref(image);
        return NULL;
    }
    return image;
}

/* A transfer, with the instruction that made it. */
static void put_data(char *line, const struct cairn_flow_batch *batch, size_t i)
{
    const unsigned flags = batch->flags[i];
    char address[16] = "";
    char value[16] = "";

    if (flags & CAIRN_FLOW_HAS_ADDRESS)
        (void)snprintf(address, sizeof address, " at %x", (unsigned)(batch->address[i] >> 32));
    if (flags & CAIRN_FLOW_HAS_VALUE)
        (void)snprintf(value, sizeof value, " = %x", (unsigned)batch->value[i]);
    if (flags & (CAIRN_FLOW_UNKNOWN | CAIRN_FLOW_BY_CORE))
        (void)snprintf(line, SECOND_LINE, "data of no instruction");
    else
        (void)snprintf(line, SECOND_LINE, "data %x[%u]%s%s", (unsigned)batch->address[i],
                       CAIRN_FLOW_DATA_TRANSFER(batch->instructions[i]), address, value);
}

/* What does not concern which instructions were executed is left out. */
static void put_record(struct lines *lines, const struct cairn_flow_batch *batch, size_t i)
{
    char *line = lines->line[lines->count];
    const unsigned flags = batch->flags[i];

    if (lines->count == SECOND_LINES_MAX)
        return;
    switch (batch->kind[i]) {
    case CAIRN_FLOW_RANGE:
        (void)snprintf(line, SECOND_LINE, "%llx %c%s", (unsigned long long)batch->address[i],
                       !(flags & CAIRN_FLOW_P0)   ? '-'
                       : flags & CAIRN_FLOW_TAKEN ? 'E'
                                                  : 'N',
                       batch->instructions[i] == 1 ? "" : " and more");
        break;
    case CAIRN_FLOW_EXCEPTION:
        (void)snprintf(line, SECOND_LINE, "exception %llx", (unsigned long long)batch->value[i]);
        break;
    case CAIRN_FLOW_DATA: put_data(line, batch, i); break;
    case CAIRN_FLOW_EXCEPTION_RETURN: (void)snprintf(line, SECOND_LINE, "return"); break;
    case CAIRN_FLOW_TRACE_ON: (void)snprintf(line, SECOND_LINE, "on"); break;
    case CAIRN_FLOW_GAP:
        (void)snprintf(line, SECOND_LINE, "gap %llu at %llx", (unsigned long long)batch->value[i],
                       (unsigned long long)batch->address[i]);
        break;
    case CAIRN_FLOW_WARNING:
        /* The last instruction before an overflow; data before an asynchronous abort (4.6.4). */
        if (batch->value[i] == CAIRN_WARNING_UNCERTAIN ||
            batch->value[i] == CAIRN_WARNING_IMPRECISE)
            return;
        (void)snprintf(line, SECOND_LINE, "warning %llu at %llx",
                       (unsigned long long)batch->value[i], (unsigned long long)batch->address[i]);
        break;
    default: return;
    }
    lines->count++;
}

static bool follow(const struct engine_case *input, struct lines *lines)
{
    struct cairn_decoder *decoder = NULL;
    struct cairn_flow_batch *batch = NULL;
    size_t position = 0;
    bool good =
        cairn_decoder_new(input->config, input->image, &decoder) == CAIRN_OK &&
        cairn_flow_batch_new(RECORDS, &batch) == CAIRN_OK &&
        cairn_decoder_run(decoder, input->data, input->size, &position, batch) == CAIRN_OK &&
        cairn_decoder_finish(decoder, batch) == CAIRN_OK && batch->count < RECORDS;

    lines->count = 0;
    for (size_t i = 0; good && i < batch->count; i++)
        put_record(lines, batch, i);
    good = good && cairn_decoder_ledger(decoder)->total == input->size;
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    return good;
}

static void show(const struct second_run *run, const struct lines *lines, uint64_t seed)
{
    const struct second_settings *s = &run->settings;
    size_t at = 0;

    while (at < run->count && at < lines->count && strcmp(run->line[at], lines->line[at]) == 0)
        at++;
    printf("# run %llu: ETMv3.%u%s%s%s%s%s%s\n", (unsigned long long)seed, s->minor,
           s->m_profile ? ", M profile" : "", run->halves ? ", halves" : "",
           s->alternative ? ", alternative" : "", s->cycle_accurate ? ", cycles" : "",
           s->addresses ? ", addresses" : "", s->values ? ", values" : "");
    for (size_t i = at > AROUND ? at - AROUND : 0; i < at; i++)
        printf("#   %s\n", run->line[i]);
    printf("#   executed: %s\n", at < run->count ? run->line[at] : "nothing");
    printf("#   decoded:  %s\n", at < lines->count ? lines->line[at] : "nothing");
}

static bool same(const struct second_run *run, const struct lines *lines)
{
    if (run->count != lines->count)
        return false;
    for (size_t i = 0; i < run->count; i++)
        if (strcmp(run->line[i], lines->line[i]) != 0)
            return false;
    return true;
}

static bool check_flow(const struct engine_case *input, const struct second_run *run,
                       struct lines *lines)
{
    lines->count = 0;
    return input->config != NULL && input->image != NULL && follow(input, lines) &&
           same(run, lines);
}

struct counts {
    unsigned long wrong, engine_wrong;
    unsigned shown;
};

static void check(uint64_t seed, struct counts *counts)
{
    static struct second_run run;
    static struct lines lines;
    const bool written = second_run(&run, seed);
    struct engine_case input = {.config = configure(&run),
                                .image = load(&run.program),
                                .data = run.writer.bytes,
                                .size = run.writer.size};

    /* proves: ETM3-7.3.1-a, ETM3-7.3.5-b, ETM3-7.3.5-c, ETM3-7.3.5-bm, ETM3-7.7.3-i */
    if (!written || !check_flow(&input, &run, &lines)) {
        counts->wrong++;
        if (counts->shown++ < MAX_SHOWN)
            show(&run, &lines, seed);
    } else if (!engine_compare_ways(&input, UINT32_C(1) << seed % ENGINE_WAYS, seed, stdout)) {
        counts->engine_wrong++;
        printf("# run %llu\n", (unsigned long long)seed);
    }
    cairn_image_unref(input.image);
    cairn_config_unref(input.config);
}

int main(int argc, char **argv)
{
    const unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 0) : DEFAULT_RUNS;
    const unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
    struct counts counts = {0};

    printf("1..2\n");
    for (unsigned long i = 0; i < runs; i++)
        /* proves: ETM3-4.5.4-a, ETM3-7.5.4-a, ETM3-7.5.4-d, ETM35Q-7.6.1-a, ETM3-7.4-a */
        check(first + i, &counts);
    printf("%s 1 - %lu runs, %lu followed otherwise\n", counts.wrong ? "not ok" : "ok", runs,
           counts.wrong);
    printf("%s 2 - the engine follows %lu of them otherwise\n",
           counts.engine_wrong ? "not ok" : "ok", counts.engine_wrong);
    return counts.wrong || counts.engine_wrong ? 1 : 0;
}
