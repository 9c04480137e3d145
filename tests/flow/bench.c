/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../engine/compare.h"
#include "base/bytes.h"

void bench_begin(struct bench *bench, const struct cairn_arch *arch,
                 const struct cairn_follow_rules *rules, uint64_t address, const void *code,
                 size_t width, size_t count)
{
    const struct cairn_arch any = cairn_arch_any_a();
    const uint16_t *halfwords = code;
    const uint32_t *words = code;
    uint8_t *bytes = malloc(width * count);

    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++)
        if (width == sizeof *halfwords)
            cairn_store_le16(bytes + i * width, halfwords[i]);
        else
            cairn_store_le32(bytes + i * width, words[i]);
    assert_true(script_begin(&bench->script, arch ? arch : &any, rules));
    assert_true(script_code(&bench->script, address, bytes, width * count));
    free(bytes);
}

void bench_end(struct bench *bench)
{
    script_end(&bench->script);
}

void bench_put(struct bench *bench, unsigned kind, unsigned flags, uint64_t address, uint64_t value)
{
    const struct cairn_element_data data = {.address = address & ~UINT64_C(1),
                                            .value = value,
                                            .sub_isa = address & 1,
                                            .context = {.EL = kind == CAIRN_ELEMENT_CONTEXT}};

    assert_true(script_put(&bench->script, kind, flags, &data));
}

void bench_address(struct bench *bench, uint64_t address)
{
    bench_put(bench, CAIRN_ELEMENT_TARGET_ADDRESS, 0, address, 0);
}

void bench_start(struct bench *bench, uint64_t address)
{
    bench_put(bench, CAIRN_ELEMENT_CONTEXT, 0, 0, 0);
    bench_address(bench, address);
}

void bench_atoms(struct bench *bench, const char *atoms)
{
    const unsigned e = CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;

    for (; *atoms; atoms++)
        bench_put(bench, CAIRN_ELEMENT_ATOM,
                  *atoms == 'A'   ? e | CAIRN_ELEMENT_ADDRESSED
                  : *atoms == 'E' ? e
                                  : 0,
                  0, 0);
}

static void say(struct bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct bench *bench, const char *format, ...)
{
    const size_t room = sizeof bench->text - bench->length;
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(bench->text + bench->length, room, format, args);
    va_end(args);
    assert_true(length >= 0 && (size_t)length < room);
    bench->length += (size_t)length;
}

static const char *gap_name(uint64_t reason)
{
    switch (reason) {
    case CAIRN_GAP_NOT_DECODED: return "not-decoded";
    case CAIRN_GAP_NO_ADDRESS: return "no-address";
    case CAIRN_GAP_NO_IMAGE: return "no-image";
    case CAIRN_GAP_RETURN_STACK: return "return-stack";
    case CAIRN_GAP_LIMIT: return "limit";
    case CAIRN_GAP_INCONSISTENT: return "inconsistent";
    default: return "?";
    }
}

static const char *warning_name(uint64_t warning)
{
    switch (warning) {
    case CAIRN_WARNING_RESERVED_N: return "reserved-n";
    case CAIRN_WARNING_UNCERTAIN: return "uncertain";
    case CAIRN_WARNING_TARGET_MISMATCH: return "mismatch";
    case CAIRN_WARNING_UNDEFINED: return "undefined";
    case CAIRN_WARNING_CONTINUES: return "continues";
    case CAIRN_WARNING_STALE_RETURN: return "stale";
    default: return "?";
    }
}

static void say_record(struct bench *bench, const struct cairn_flow_batch *batch, size_t i)
{
    const unsigned flags = batch->flags[i];
    const unsigned long long address = batch->address[i];
    const unsigned long long value = batch->value[i];

    switch (batch->kind[i]) {
    case CAIRN_FLOW_RANGE:
        say(bench, "range %llx %llx %u %s%s%s\n", address, value, batch->instructions[i],
            !(flags & CAIRN_FLOW_P0)     ? "-"
            : (flags & CAIRN_FLOW_TAKEN) ? "E"
                                         : "N",
            (flags & CAIRN_FLOW_DISCONTINUITY) ? " first" : "",
            (flags & CAIRN_FLOW_INFERRED) ? " inferred" : "");
        break;
    case CAIRN_FLOW_GAP: say(bench, "gap %s %llx\n", gap_name(value), address); break;
    case CAIRN_FLOW_EXCEPTION:
        if (flags & CAIRN_FLOW_UNKNOWN)
            say(bench, "exception %llu ?\n", value);
        else
            say(bench, "exception %llu %llx\n", value, address);
        break;
    case CAIRN_FLOW_EXCEPTION_RETURN: say(bench, "return %llx\n", address); break;
    case CAIRN_FLOW_WARNING: say(bench, "warning %s %llx\n", warning_name(value), address); break;
    case CAIRN_FLOW_DATA:
        say(bench, "data %u", CAIRN_FLOW_DATA_KIND(batch->instructions[i]));
        if (flags & CAIRN_FLOW_HAS_ADDRESS)
            say(bench, " at %llx", address >> 32);
        if (flags & CAIRN_FLOW_HAS_VALUE)
            say(bench, " = %llx", value);
        if (flags & CAIRN_FLOW_BY_CORE)
            say(bench, " of core\n");
        else if (flags & CAIRN_FLOW_UNKNOWN)
            say(bench, " of ?\n");
        else if (CAIRN_FLOW_DATA_IS_LATE(batch->instructions[i]))
            say(bench, " of packet %llu\n", address);
        else
            say(bench, " of %llx[%u]\n", address & UINT32_MAX,
                CAIRN_FLOW_DATA_TRANSFER(batch->instructions[i]));
        break;
    case CAIRN_FLOW_CYCLES: say(bench, "cycles %llu\n", value); break;
    default: break;
    }
}

static void list(struct bench *bench)
{
    const struct engine_case input = script_case(&bench->script);
    struct cairn_decoder *decoder;
    struct cairn_flow_batch *batch;
    size_t position = 0;

    bench->length = 0;
    bench->text[0] = '\0';
    assert_int_equal(cairn_decoder_new(input.config, input.image, &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(4096, &batch), CAIRN_OK);
    assert_int_equal(cairn_decoder_run(decoder, input.data, input.size, &position, batch),
                     CAIRN_OK);
    assert_int_equal(cairn_decoder_finish(decoder, batch), CAIRN_OK);
    assert_true(batch->count < batch->capacity);
    for (size_t i = 0; i < batch->count; i++)
        say_record(bench, batch, i);
    assert_int_equal(cairn_decoder_ledger(decoder)->total, input.size);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
}

void bench_expect_at(struct bench *bench, const char *expected, const char *file, int line)
{
    const struct engine_case input = script_case(&bench->script);

    list(bench);
    if (strcmp(bench->text, expected) != 0) {
        print_error("flow:\n%sexpected:\n%s", bench->text, expected);
        _fail(file, line);
    }
    if (!engine_compare_ways(&input, ENGINE_ALL_WAYS, 1, stdout)) {
        print_error("the engine differs\n");
        _fail(file, line);
    }
    script_restart(&bench->script);
}
