/* SPDX-License-Identifier: BSD-2-Clause */
/* Code is translated: it has a record (machine/host/code.h), and some version of the page that it is in. */
#include "machine/system/system.h"

/* QEMU leaves code in front of its end because of exceptions, which say where, and to execute an atomic instruction alone,
 * which looks like the end if that leads there. A return to the same level looks like an exception. */
static void describe(struct cairn_host_code *code, const struct cairn_host_draft *draft)
{
    const bool direct = code->blocks[code->count - 1].kind == CAIRN_INSN_BRANCH_DIRECT;

    if (direct && code->always)
        code->next = code->target;
    code->guarded = code->returns ||
                    (draft->atomic &&
                     (code->anywhere || (direct && code->target - code->address < code->size)));
}

/* Some version of the page has the draft's bytes; or nothing is told of it. */
static void find_version(const struct cairn_system_core *core, struct cairn_host_draft *draft)
{
    const unsigned EL = cairn_system_context(core).EL;
    /* Which of two security states a translation is for does not show: it may serve both. */
    const uint32_t space = EL == 3 ? CAIRN_PAGES_EL3 : EL == 2 ? CAIRN_PAGES_EL2 : CAIRN_PAGES_EL1;

    draft->page = cairn_versions_page(cairn_system.versions, space, draft->address);
    draft->version =
        draft->page == CAIRN_VERSIONS_NONE
            ? CAIRN_VERSIONS_NONE
            : cairn_versions_find(cairn_system.versions, draft->page, draft->address, draft->bytes,
                                  (uint32_t)draft->size, core->versions[draft->page]);
    if (draft->version == CAIRN_VERSIONS_NONE) {
        atomic_fetch_add_explicit(&cairn_system.control->no_room, 1, memory_order_relaxed);
        cairn_host_draft_empty(draft);
    }
}

void cairn_system_translated(qemu_id id, struct qemu_tb *tb)
{
    const size_t count = qemu_plugin_tb_n_insns(tb);

    (void)id;
    if (atomic_load_explicit(&cairn_system.stopped, memory_order_relaxed) || count == 0 ||
        !cairn_system_start())
        return;
    const struct cairn_system_core *core = cairn_system_here();
    if (!core)
        return;
    const bool is_A64 = *core->host.is_A64 != 0;
    if (!is_A64)
        atomic_fetch_add_explicit(&cairn_system.control->in_AArch32, 1, memory_order_relaxed);
    struct cairn_host_draft *draft =
        cairn_host_draft(tb, is_A64, cairn_system.scanner, cairn_system_is_of_context);
    if (draft->size > 0)
        find_version(core, draft);
    struct cairn_host_code *code = cairn_host_keep(draft, describe);
    if (!code) {
        cairn_system_complain("out of memory for what is executed: tracing ends here");
        cairn_qemu_quit();
        return;
    }
    qemu_plugin_register_vcpu_tb_exec_cb(tb, cairn_system_on_code, QEMU_REGISTERS_READ, code);
    if (code->guarded)
        qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, count - 1),
                                               cairn_system_on_end, QEMU_REGISTERS_NONE, code);
}

static bool is_being_executed(const struct cairn_host_code *code)
{
    for (unsigned i = 0; i < CAIRN_SYSTEM_CORES; i++)
        if (cairn_system.cores[i].code == code)
            return true;
    return false;
}

void cairn_system_flushed(qemu_id id)
{
    (void)id;
    cairn_host_flush(is_being_executed);
}
