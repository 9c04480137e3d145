/* SPDX-License-Identifier: BSD-2-Clause */
/* What software does to the memory of the trace buffer, where its order matters. */
#include "machine/board/board.h"

#include "pe/sysreg.h"

enum { ACCESS_MOST = 64 };

void cairn_board_on_access(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    struct cairn_board_core *core = &cairn_board.cores[cpu];
    const uint64_t *registers = core->pe->order.lanes[0].direct.value;
    const uint8_t *word = data;
    const uint64_t size = UINT64_C(1) << qemu_plugin_mem_size_shift(info);
    const bool stores = qemu_plugin_mem_is_store(info);
    uint8_t bytes[ACCESS_MOST];

    if (address >= (registers[CAIRN_PE_TRBLIMITR_EL1] & CAIRN_MASK(TRBLIMITR_LIMIT)) ||
        address + size <= registers[CAIRN_PE_TRBBASER_EL1] || !core->live || !core->code ||
        size > sizeof bytes)
        return;
    const struct qemu_hwaddr *place = qemu_plugin_get_hwaddr(info, address);
    if (!place || qemu_plugin_hwaddr_is_io(place))
        return;
    const uint64_t PA = qemu_plugin_hwaddr_phys_addr(place);
    const uint64_t PC = core->code->address + (uint64_t)(word - core->code->bytes);
    const bool secure = core->pe->features.EL3 && core->context.security == CAIRN_SECURE;

    cairn_board_settle_inside(core, PC);
    cairn_pe_at(core->pe, PC);
    cairn_board_log_memory(core, stores, address, size);
    if (!stores) {
        cairn_pe_load(core->pe, PA, size);
    } else if (cairn_host_load(&core->host, secure, PA, bytes, (size_t)size)) {
        core->pe->order.space = core->context.security;
        cairn_pe_store(core->pe, PA, bytes, (size_t)size);
    }
}
