/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace executed, by files. */
#include "report/pgo.h"

#include "report/pgo_places.h"

struct pgo_flow {
    struct cairn_pgo *pgo;
    struct cairn_pgo_places *places;
    const struct cairn_counted *counted;
};

static cairn_status look(struct pgo_flow *flow, uint32_t place, uint64_t address,
                         struct cairn_pgo_home *home)
{
    return cairn_pgo_places_find(flow->places, cairn_counted_place(flow->counted, place), address,
                                 home);
}

/* How often it was executed counts, or is added up alone. */
enum pgo_taking { TAKE_COUNT = 1, TAKE_SUM = 2 };

static cairn_status take_range(struct pgo_flow *flow, const struct cairn_counted_range *range,
                               unsigned taking)
{
    struct cairn_pgo_home home;
    const uint64_t executed = range->count * range->instructions;
    cairn_status status = look(flow, range->place, range->address, &home);

    if (status)
        return status;
    if (taking & TAKE_SUM) {
        if (home.binary == CAIRN_PGO_NONE)
            flow->pgo->outside += executed;
        else
            flow->pgo->binaries[home.binary].executed += executed;
    }
    if (home.binary == CAIRN_PGO_NONE || !(taking & TAKE_COUNT))
        return CAIRN_OK;
    return cairn_pgo_add_range(flow->pgo,
                               &(struct cairn_pgo_range){.binary = home.binary,
                                                         .first = range->address - home.bias,
                                                         .last = range->last - home.bias,
                                                         .count = range->count});
}

static cairn_status take_branch(struct pgo_flow *flow, const struct cairn_counted_branch *branch)
{
    struct cairn_pgo_home home;
    struct cairn_pgo_branch made = {.count = branch->count,
                                    .to_binary = CAIRN_PGO_NONE,
                                    .is_indirect = branch->kind == CAIRN_INSN_BRANCH_INDIRECT};
    cairn_status status = look(flow, branch->from_place, branch->from, &home);

    if (status)
        return status;
    made.from_binary = home.binary;
    made.from = home.binary == CAIRN_PGO_NONE ? 0 : branch->from - home.bias;
    if (branch->has_target)
        status = look(flow, branch->to_place, branch->to, &home);
    if (branch->has_target && !status && home.binary != CAIRN_PGO_NONE) {
        made.to_binary = home.binary;
        made.to = branch->to - home.bias;
        made.has_target = true;
    }
    if (status || (made.from_binary == CAIRN_PGO_NONE && made.to_binary == CAIRN_PGO_NONE))
        return status;
    return cairn_pgo_add_branch(flow->pgo, &made);
}

static cairn_status take_all(struct pgo_flow *flow)
{
    size_t range_count, row_count, branch_count;
    const struct cairn_counted_range *ranges = cairn_counted_ranges(flow->counted, &range_count);
    const struct cairn_counted_range *rows = cairn_counted_rows(flow->counted, &row_count);
    const struct cairn_counted_branch *branches =
        cairn_counted_branches(flow->counted, &branch_count);
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < range_count && !status; i++)
        status = take_range(flow, &ranges[i], row_count ? TAKE_SUM : TAKE_SUM | TAKE_COUNT);
    for (size_t i = 0; i < row_count && !status; i++)
        status = take_range(flow, &rows[i], TAKE_COUNT);
    for (size_t i = 0; i < branch_count && !status; i++)
        status = take_branch(flow, &branches[i]);
    flow->pgo->left_out += cairn_counted_left_out(flow->counted);
    return status;
}

cairn_status cairn_pgo_add_counted(struct cairn_pgo *pgo, struct cairn_capture *capture,
                                   const struct cairn_counted *counted)
{
    struct pgo_flow flow = {.pgo = pgo, .counted = counted};
    cairn_status status = cairn_pgo_places_new(pgo, capture, &flow.places);

    if (!status)
        status = take_all(&flow);
    cairn_pgo_places_free(flow.places);
    return status;
}
