/* SPDX-License-Identifier: BSD-2-Clause */
/* Code is translated: it has a record (machine/host/code.h), and some of its instructions are told in front of them. */
#include "base/bytes.h"
#include "machine/board/board.h"
#include "pe/sysreg.h"

#define SYS_TLBI_CRN 8u

static void describe(struct cairn_host_code *code, const struct cairn_host_draft *draft)
{
    const bool direct = code->blocks[code->count - 1].kind == CAIRN_INSN_BRANCH_DIRECT;

    (void)draft;
    code->guarded = code->anywhere || (direct && code->target - code->address < code->size);
}

static void watch_instructions(const struct qemu_tb *tb, const struct cairn_host_code *code)
{
    for (size_t at = 0; at < code->size; at += 4) {
        const struct cairn_pe_instruction instruction =
            cairn_pe_instruction_of(cairn_load_le32(code->bytes + at));
        if (cairn_board_watches())
            qemu_plugin_register_vcpu_mem_cb(
                qemu_plugin_tb_get_insn(tb, at / 4), cairn_board_on_access, QEMU_REGISTERS_NONE,
                QEMU_LOADS_AND_STORES, (void *)(uintptr_t)(code->bytes + at));
        const bool is_TLBI =
            instruction.kind == CAIRN_PE_SYS && (instruction.encoding >> 7 & 15) == SYS_TLBI_CRN;

        if (is_TLBI || instruction.kind == CAIRN_PE_TSB_CSYNC || instruction.kind == CAIRN_PE_DSB)
            qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, at / 4),
                                                   cairn_board_on_instruction, QEMU_REGISTERS_NONE,
                                                   (void *)(uintptr_t)(code->bytes + at));
    }
}

void cairn_board_translated(qemu_id id, struct qemu_tb *tb)
{
    const size_t count = qemu_plugin_tb_n_insns(tb);
    struct cairn_board_core *core;

    (void)id;
    if (!cairn_board_start() || count == 0)
        return;
    core = cairn_board_here();
    struct cairn_host_code *code =
        cairn_host_keep(cairn_host_draft(tb, core && *core->host.is_A64 != 0, cairn_board.scanner,
                                         cairn_board_is_mirrored),
                        describe);
    if (!code) {
        cairn_board_fail("out of memory for what is executed");
        return;
    }
    qemu_plugin_register_vcpu_tb_exec_cb(tb, cairn_board_on_code, QEMU_REGISTERS_READ, code);
    watch_instructions(tb, code);
    if (code->guarded)
        qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, count - 1),
                                               cairn_board_on_end, QEMU_REGISTERS_NONE, code);
}

static bool is_being_executed(const struct cairn_host_code *code)
{
    for (unsigned i = 0; i < cairn_board.count; i++)
        if (cairn_board.cores[i].code == code)
            return true;
    return false;
}

void cairn_board_flushed(qemu_id id)
{
    (void)id;
    cairn_host_flush(is_being_executed);
}
