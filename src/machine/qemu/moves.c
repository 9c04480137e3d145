/* SPDX-License-Identifier: BSD-2-Clause */
/* What an instruction moves between core registers and a coprocessor (IHI0014 4.10, CPRT): of MCR
 * and MCRR what the registers are in front of it, of MRC and MRRC what they are behind it. */
#include "machine/qemu/data.h"

#include "machine/qemu/plugin.h"

enum {
    ETMCR_MONITOR_CPRT = 1 << 1,
    ETMCR_DATA_VALUE = 1 << 2,
    WORD = 4,
    REGISTER_PC = 15,
};

static bool is_traced(void)
{
    const uint64_t wanted = ETMCR_MONITOR_CPRT | ETMCR_DATA_VALUE;
    uint64_t control = 0;

    return !cairn_qemu.is_machine &&
           cairn_unit_read(cairn_qemu.scanner, "ETMCR", &control) == CAIRN_OK &&
           (control & wanted) == wanted;
}

bool cairn_qemu_moves(enum cairn_isa isa, const struct cairn_insn *insn)
{
    struct cairn_transfers transfers;

    if (!is_traced() || (insn->flags & (CAIRN_INSN_LOAD | CAIRN_INSN_STORE)))
        return false;
    cairn_insn_transfers(&cairn_qemu.arch, isa, insn, 0, &transfers);
    return transfers.count > 0 && transfers.count <= CAIRN_QEMU_MOVES;
}

/* Flags that an MRC gives to the APSR, and what has no register of the core, are not known. */
static void read_all(struct cairn_qemu_moved *moved)
{
    for (unsigned i = 0; i < moved->count; i++)
        moved->known[i] = moved->number[i] < REGISTER_PC &&
                          cairn_qemu_guest_register(moved->number[i], &moved->value[i]);
}

void cairn_qemu_moves_begin(struct cairn_qemu_thread *thread, const struct cairn_qemu_tb *tb)
{
    struct cairn_qemu_moved *moved = &thread->data.moved;
    struct cairn_transfers transfers;
    struct cairn_insn insn;

    *moved = (struct cairn_qemu_moved){0};
    if (!tb->moves || !thread->passed)
        return;
    cairn_insn_decode(&cairn_qemu.arch, (enum cairn_isa)tb->isa, cairn_entry_address(tb->entry),
                      tb->bytes, tb->size, &insn);
    cairn_insn_transfers(&cairn_qemu.arch, (enum cairn_isa)tb->isa, &insn, 0, &transfers);
    moved->count = transfers.count;
    moved->store = transfers.list[0].kind == CAIRN_TRANSFER_TO_COPROCESSOR;
    for (unsigned i = 0; i < moved->count; i++)
        moved->number[i] =
            transfers.list[i].file == CAIRN_REGISTER_R ? transfers.list[i].number : REGISTER_PC;
    if (moved->store)
        read_all(moved);
}

void cairn_qemu_moves_result(struct cairn_qemu_thread *thread)
{
    if (!thread->data.moved.store)
        read_all(&thread->data.moved);
}

void cairn_qemu_moves_tell(struct cairn_qemu_thread *thread)
{
    struct cairn_qemu_moved *moved = &thread->data.moved;

    for (unsigned i = 0; i < moved->count; i++) {
        const struct cairn_unit_transfer transfer = {
            .value = moved->value[i],
            .bytes = WORD,
            .flags = CAIRN_UNIT_DATA_COPROCESSOR | (moved->store ? CAIRN_UNIT_DATA_STORE : 0) |
                     (moved->known[i] ? 0 : CAIRN_UNIT_DATA_NO_VALUE),
        };
        cairn_processor_data(&thread->processor, &transfer);
    }
    moved->count = 0;
}
