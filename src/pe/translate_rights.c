/* SPDX-License-Identifier: BSD-2-Clause */
/* What a descriptor permits. */
#include "pe/translate_stage.h"

static bool permits(struct cairn_pe_rights rights, enum cairn_pe_access access)
{
    switch (access) {
    case CAIRN_PE_MEMORY_READ: return rights.read;
    case CAIRN_PE_MEMORY_WRITE: return rights.write;
    case CAIRN_PE_MEMORY_FETCH: break;
    }
    return rights.execute;
}

bool cairn_pe_stage1_permits(const struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                             const struct cairn_pe_leaf *leaf)
{
    const struct cairn_pe_translate_request *request = walk->request;
    uint64_t descriptor = leaf->descriptor;
    /* Where hardware manages dirty state a clean page with DBM is writable. */
    bool is_clean = stage->HD && CAIRN_GET(descriptor, DESC_DBM);
    bool read_only = (CAIRN_GET(descriptor, DESC_AP2) && !is_clean) || leaf->APTable1;
    bool never = CAIRN_GET(descriptor, DESC_UXN) || leaf->UXNTable;
    struct cairn_pe_rights EL0 = {false, false, false}, above = {true, !read_only, !never};
    if (stage->two_privileges) {
        EL0.read = CAIRN_GET(descriptor, DESC_AP1) && !leaf->APTable0;
        EL0.write = EL0.read && !read_only;
        EL0.execute = !never && !(stage->WXN && EL0.write);
        above.execute = !CAIRN_GET(descriptor, DESC_PXN) && !leaf->PXNTable && !EL0.write;
    }
    if (stage->WXN && above.write)
        above.execute = false;
    bool EPAN = walk->abilities.EPAN && CAIRN_GET(cairn_pe_regime_SCTLR(walk), SCTLR_EPAN);
    if (request->PAN && stage->two_privileges && (EL0.read || (EPAN && EL0.execute)))
        above.read = above.write = false;
    /* SCR_EL3.SIF: Secure state executes Secure memory only. */
    if (stage->security == CAIRN_SECURE && leaf->security == CAIRN_NONSECURE &&
        CAIRN_GETS(walk->registers, SCR_EL3, SCR_EL3_SIF))
        above.execute = EL0.execute = false;
    return permits(request->privileged ? above : EL0, (enum cairn_pe_access)request->access);
}

bool cairn_pe_stage2_permits(const struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                             uint64_t descriptor, enum cairn_pe_access access, bool privileged)
{
    bool is_clean = stage->HD && CAIRN_GET(descriptor, DESC_DBM);
    uint64_t XN = CAIRN_GET(descriptor, DESC_S2XN);
    /* XN[0] says for FEAT_XNX that the two levels differ: 1 is EL0 alone, 3 is EL1 alone. */
    bool execute = !(XN & 2);
    if (walk->abilities.XNX && (XN & 1))
        execute = privileged == (XN == 3);
    struct cairn_pe_rights rights = {
        CAIRN_GET(descriptor, DESC_S2AP_READ),
        CAIRN_GET(descriptor, DESC_S2AP_WRITE) || is_clean,
        execute,
    };
    return permits(rights, access);
}
