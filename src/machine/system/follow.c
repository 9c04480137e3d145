/* SPDX-License-Identifier: BSD-2-Clause */
/* What is executed. Code is told when the code behind it begins: only then is known how it ended. */
#include "machine/system/system.h"

const struct cairn_host_code cairn_system_nothing = {
    .address = UINT64_MAX, .next = UINT64_MAX, .target = UINT64_MAX};

static void pass(struct cairn_system_core *core, uint32_t cycles)
{
    cycles += core->cycles_owed;
    core->cycles_owed = 0;
    if (cycles == 0)
        return;
    cairn_unit_cycles(core->unit, cycles);
    if (core->timed)
        cairn_unit_time(core->unit, cairn_host_count(&core->host));
}

void cairn_system_settle_cycles(struct cairn_system_core *core)
{
    pass(core, 0);
}

/* The cycle of the last instruction comes behind all others, so that it does not show where a block was cut. */
static void tell(struct cairn_system_core *core, const struct cairn_block *block, bool taken)
{
    if (core->clocked)
        pass(core, block->count - 1);
    cairn_unit_execute(core->unit, block, taken);
    core->cycles_owed = core->clocked;
}

void cairn_system_complete(struct cairn_system_core *core, bool taken)
{
    const struct cairn_host_code *code = core->code;

    core->code = &cairn_system_nothing;
    /* What is P0 inside of it is an ISB or a wait: always E. */
    for (uint32_t i = 0; i < code->count; i++)
        tell(core, &code->blocks[i], i + 1 < code->count || taken);
}

/* What is in front of `stop`, in the code. */
static void complete_until(struct cairn_system_core *core, uint64_t stop)
{
    const struct cairn_host_code *code = core->code;

    core->code = &cairn_system_nothing;
    for (uint32_t i = 0; i < code->count && code->blocks[i].address < stop; i++) {
        const struct cairn_block *block = &code->blocks[i];

        if (block->address + block->size <= stop) {
            tell(core, block, true);
        } else {
            struct cairn_block part = {
                .address = block->address, .isa = block->isa, .last_size = 4};

            part.size = (uint32_t)(stop - block->address);
            part.count = part.size / 4;
            tell(core, &part, false);
        }
    }
}

void cairn_system_prohibit(struct cairn_system_core *core, bool prohibited)
{
    if (core->prohibited == prohibited)
        return;
    cairn_system_settle_cycles(core);
    cairn_unit_prohibit(core->unit, prohibited);
    core->prohibited = prohibited;
}

void cairn_system_lose(struct cairn_system_core *core)
{
    core->code = &cairn_system_nothing;
    atomic_fetch_add_explicit(&cairn_system.control->discontinuities, 1, memory_order_relaxed);
    /* What comes next may happen to be where the last block told leads, and still not follow it. */
    cairn_system_prohibit(core, true);
}

void cairn_system_settle(struct cairn_system_core *core, uint64_t stop, bool faulted)
{
    const struct cairn_host_code *code = core->code;
    const bool inside = stop - code->address < code->size;

    if (code == &cairn_system_nothing)
        return;
    if (!core->partial && !(inside && faulted) &&
        (code->anywhere || stop == code->next || stop == code->target))
        cairn_system_complete(core, code->always || stop != code->next);
    else if (inside)
        complete_until(core, stop);
    else
        cairn_system_lose(core);
}

/* The source has the version of the page that the code is in. */
static void turn(struct cairn_system_core *core, struct cairn_host_code *code)
{
    const uint32_t version = atomic_load_explicit(&code->version, memory_order_relaxed);
    const uint32_t now = core->versions[code->page];

    if (version == now)
        return;
    if (cairn_versions_take(cairn_system.versions, code->page, now, code->address, code->bytes,
                            code->size)) {
        atomic_store_explicit(&code->version, now, memory_order_relaxed);
        return;
    }
    cairn_system_settle_cycles(core);
    /* A recording that cannot be written any more has stopped, and says so. */
    (void)!cairn_versions_turn(cairn_system.versions, core->source, code->page, version,
                               cairn_unit_position(core->unit));
    core->versions[code->page] = version;
}

static void begin(struct cairn_system_core *core, struct cairn_host_code *code)
{
    if (code->size == 0) {
        if (!core->prohibited)
            cairn_system_lose(core);
        return;
    }
    turn(core, code);
    cairn_system_prohibit(core, false);
    core->code = code;
    core->partial = code->guarded;
}

static __attribute__((noinline)) void on_code_slowly(struct cairn_system_core *core,
                                                     struct cairn_host_code *code)
{
    const struct cairn_host_code *previous;

    if (!cairn_system_wake(core))
        return;
    previous = core->code;
    cairn_system_settle(core, code->address, false);
    /* A core that was off begins at another level. */
    if (previous->writes || previous == &cairn_system_nothing)
        cairn_system_enter(core);
    if (core->left < 0 && !cairn_system_look(core))
        return;
    /* Of code that is not told it is not known how many. */
    core->left -= code->instructions ? code->instructions : 1;
    begin(core, code);
}

/* Run for every piece of code: this is all that most of them cost besides the unit. */
void cairn_system_on_code(unsigned cpu, void *data)
{
    struct cairn_system_core *core = &cairn_system.cores[cpu];
    struct cairn_host_code *code = data;
    const struct cairn_host_code *previous = core->code;
    const uint64_t address = code->address;
    const bool leads =
        previous->anywhere | (address == previous->next) | (address == previous->target);

    if (CAIRN_UNLIKELY(!leads | core->partial | !previous->plain | (code->size == 0) |
                       core->clocked | (core->left < 0)) ||
        CAIRN_UNLIKELY(core->versions[code->page] !=
                       atomic_load_explicit(&code->version, memory_order_relaxed))) {
        on_code_slowly(core, code);
        return;
    }

    const bool taken = previous->always | (address != previous->next);
    core->code = code;
    core->partial = code->guarded;
    core->left -= code->instructions;
    cairn_unit_execute(core->unit, previous->blocks, taken);
}

void cairn_system_on_end(unsigned cpu, void *code)
{
    (void)code;
    cairn_system.cores[cpu].partial = false;
}
