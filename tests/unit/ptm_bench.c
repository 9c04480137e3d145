/* SPDX-License-Identifier: BSD-2-Clause */
#include "ptm_bench.h"

#include <stdio.h>
#include <string.h>

static cairn_status keep(void *context, const uint8_t *bytes, size_t size)
{
    struct ptm_bench *bench = context;

    assert_true(size <= sizeof bench->bytes - bench->size);
    memcpy(bench->bytes + bench->size, bytes, size);
    bench->size += size;
    return CAIRN_OK;
}

void ptm_begin(struct ptm_bench *bench, uint32_t etmidr, uint32_t etmcr,
               const struct cairn_register *registers, size_t count)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_register list[32] = {{"ETMIDR", etmidr}, {"ETMCR", etmcr}};
    struct cairn_error error = {0};

    assert_true(count + 2 <= sizeof list / sizeof list[0]);
    if (count > 0)
        memcpy(&list[2], registers, count * sizeof *registers);
    if (bench->options.size == sizeof options)
        options = bench->options; /* what the test has set */
    memset(bench, 0, sizeof *bench);
    options.protocol = CAIRN_PROTOCOL_PTM;
    options.arch = (struct cairn_arch){.profile = CAIRN_PROFILE_A, .major = 7};
    options.registers = list;
    options.register_count = count + 2;
    options.sink = keep;
    options.sink_context = bench;
    if (cairn_unit_new(&options, &bench->unit, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    bench->isa = CAIRN_ISA_A32;
    ptm_context(bench, 1, CAIRN_SECURE, 0, 0);
    cairn_unit_enable(bench->unit);
    ptm_expect(bench, "00 00 00 00 00 80");
}

void ptm_end(struct ptm_bench *bench)
{
    assert_int_equal(cairn_unit_status(bench->unit), CAIRN_OK);
    cairn_unit_free(bench->unit);
    memset(&bench->options, 0, sizeof bench->options);
}

static void execute(struct ptm_bench *bench, uint32_t size, enum cairn_insn_kind kind,
                    uint64_t target, bool taken, uint32_t flags)
{
    const uint8_t last = bench->isa == CAIRN_ISA_T32 && size == 2 ? 2 : 4;
    const bool direct = kind == CAIRN_INSN_BRANCH_DIRECT;
    const struct cairn_block block = {
        .address = bench->at,
        .target = direct ? target & ~UINT64_C(1) : 0,
        .size = size,
        .count = size / last,
        .flags = flags,
        .isa = (uint8_t)bench->isa,
        .kind = (uint8_t)kind,
        .last_size = last,
        .target_isa = target & 1 ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
    };

    cairn_unit_execute(bench->unit, &block, taken);
    bench->at += size;
    if (!taken || kind == CAIRN_INSN_OTHER || kind == CAIRN_INSN_ISB)
        return;
    bench->at = target & ~UINT64_C(1);
    bench->isa = target & 1 ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
}

void ptm_straight(struct ptm_bench *bench, uint32_t size)
{
    execute(bench, size, CAIRN_INSN_OTHER, 0, false, 0);
}

void ptm_direct(struct ptm_bench *bench, uint32_t size, uint64_t target, bool taken, uint32_t flags)
{
    execute(bench, size, CAIRN_INSN_BRANCH_DIRECT, target, taken, flags);
}

void ptm_indirect(struct ptm_bench *bench, uint32_t size, uint64_t target, bool taken,
                  uint32_t flags)
{
    execute(bench, size, CAIRN_INSN_BRANCH_INDIRECT, target, taken, flags);
}

void ptm_isb(struct ptm_bench *bench, uint32_t size)
{
    execute(bench, size, CAIRN_INSN_ISB, 0, true, 0);
}

void ptm_exception(struct ptm_bench *bench, unsigned type, uint64_t vector)
{
    cairn_unit_exception(bench->unit, type, bench->at, bench->isa);
    bench->at = vector & ~UINT64_C(1);
    bench->isa = vector & 1 ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
}

void ptm_context(struct ptm_bench *bench, unsigned el, unsigned security, uint32_t context_id,
                 uint32_t vmid)
{
    bench->context = (struct cairn_context){
        .EL = (uint8_t)el, .security = (uint8_t)security, .context_id = context_id, .vmid = vmid};
    cairn_unit_context(bench->unit, &bench->context);
}

void ptm_expect(struct ptm_bench *bench, const char *hex)
{
    char text[4096] = "";
    size_t at = 0;

    (void)cairn_unit_position(bench->unit);
    for (size_t i = bench->checked; i < bench->size && at + 4 < sizeof text; i++)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%s%02x", at ? " " : "", bench->bytes[i]);
    bench->checked = bench->size;
    assert_string_equal(text, hex);
}
