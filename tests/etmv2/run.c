/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

#include <string.h>

enum {
    NO_ABORT = 255,
    VECTOR_UNDEFINED = 0x04,
    VECTOR_SVC = 0x08,
    VECTOR_PREFETCH_ABORT = 0x0c,
    VECTOR_DATA_ABORT = 0x10,
    VECTOR_IRQ = 0x18,
    VECTOR_FIQ = 0x1c,
};

/* A load that missed and has not come back. */
struct sw_late {
    uint32_t items[2];
    unsigned count; /* 0: the tag is free */
};

struct sw_core {
    struct sw_run *run;
    struct peer_random random;
    struct sw_cycle *cycle;
    struct sw_place pc;
    /* The data instruction in progress: words [word, words) are to come. */
    uint32_t owner;
    unsigned word;
    unsigned words;
    unsigned abort_at; /* in front of this word; NO_ABORT */
    uint32_t base;
    bool is_paused; /* nothing goes on beneath it */
    /* A branch of the last instruction is to come, once word is at least branch_at. */
    bool has_branch;
    unsigned branch_at;
    struct sw_place target;
    bool is_cancelling;
    bool is_reset;
    struct sw_late late[SW_TAGS];
    uint32_t context;
    bool is_enabled;
    unsigned enable_left;
    unsigned debug_left;
    unsigned issue_percent;
    unsigned return_percent; /* of a late value, in each cycle */
    unsigned trigger_left;
    bool is_ending; /* no instruction begins any more */
};

static bool chance(struct sw_core *core, unsigned percent)
{
    return peer_random_percent(&core->random, percent);
}

static bool is_busy(const struct sw_core *core)
{
    return core->word < core->words;
}

static struct sw_place behind(struct sw_place place, const struct sw_slot *slot)
{
    place.address += slot->size;
    return place;
}

static uint32_t add_instruction(struct sw_core *core, const struct sw_slot *slot, bool has_passed)
{
    struct sw_run *run = core->run;

    run->instructions[run->instruction_count] =
        (struct sw_insn){.place = core->pc, .slot = slot, .has_passed = has_passed};
    return run->instruction_count++;
}

static struct sw_item *add_item(struct sw_core *core, enum sw_item_kind kind, uint32_t owner)
{
    struct sw_run *run = core->run;
    struct sw_item *item = &run->items[run->item_count++];

    *item = (struct sw_item){.kind = kind, .owner = owner, .miss = SW_NONE, .is_viewed = true};
    core->cycle->item_count++;
    return item;
}

static void branch_to(struct sw_core *core, struct sw_place target, bool is_cancelling)
{
    core->has_branch = true;
    core->branch_at = 0;
    core->target = target;
    core->is_cancelling = is_cancelling;
}

static void branch_to_vector(struct sw_core *core, uint32_t vector, bool is_cancelling)
{
    const uint32_t base = core->run->settings.has_high_vectors ? 0xffff0000 : 0;

    branch_to(core, (struct sw_place){base + vector, false}, is_cancelling);
}

/* An exception cancels the instruction that begins here. */
static void cancel(struct sw_core *core)
{
    switch (peer_random_below(&core->random, core->run->settings.minor > 0 ? 5 : 4)) {
    case 0: branch_to_vector(core, VECTOR_IRQ, true); break;
    case 1: branch_to_vector(core, VECTOR_FIQ, true); break;
    case 2: branch_to_vector(core, VECTOR_PREFETCH_ABORT, true); break;
    case 3:
        branch_to_vector(core, 0, true);
        core->is_reset = true;
        break;
    default: branch_to_vector(core, VECTOR_DATA_ABORT, true); break; /* imprecise, from v2.1 */
    }
}

static bool is_transfer(const struct sw_slot *slot)
{
    return slot->transfers > 0;
}

static void begin_transfers(struct sw_core *core, const struct sw_slot *slot, uint32_t number)
{
    struct peer_random *random = &core->random;

    core->owner = number;
    core->word = 0;
    core->words = slot->transfers;
    core->base = (uint32_t)peer_random_64(random) & 0x7ffffff8;
    if (chance(core, 70)) /* near others */
        core->base = (core->base & 0x1ff8) | 0x20000000;
    if (slot->bytes < 4)
        core->base += peer_random_below(random, 4) & ~(slot->bytes - 1U);
    core->abort_at = NO_ABORT;
    core->is_paused = slot->loads_pc || chance(core, 40);
    if (slot->what != SW_FROM_CP && slot->what != SW_CONTEXT_WRITE && chance(core, 4)) {
        core->abort_at = peer_random_below(random, core->words + 1U);
        core->is_paused = true;
        core->run->instructions[number].has_aborted = true;
        if (core->abort_at == core->words || core->abort_at == 0) /* none of them, or behind all */
            branch_to_vector(core, VECTOR_DATA_ABORT, false);
        core->branch_at = core->abort_at;
        if (core->abort_at == 0)
            core->words = 0;
    } else if (slot->loads_pc) {
        branch_to(core, sw_code_entry(&core->run->code, random), false);
        core->branch_at = core->run->settings.loads_pc_first && slot->is_lsm ? 1 : core->words;
    }
    core->run->instructions[number].is_data = true;
}

/* What the instruction does, but for its transfers. */
static void execute(struct sw_core *core, const struct sw_slot *slot)
{
    struct sw_code *code = &core->run->code;

    switch (slot->what) {
    case SW_DIRECT:
    case SW_BL_SECOND:
        if (core->run->settings.is_branch_output)
            branch_to(core, slot->target, false);
        else
            core->pc = slot->target;
        break;
    case SW_INDIRECT:
        branch_to(core,
                  slot->stays ? sw_code_entry_like(code, &core->random, core->pc)
                              : sw_code_entry(code, &core->random),
                  false);
        break;
    case SW_SVC: branch_to_vector(core, VECTOR_SVC, false); break;
    case SW_UNDEFINED: branch_to_vector(core, VECTOR_UNDEFINED, false); break;
    default: break;
    }
}

static bool draw_passed(struct sw_core *core, const struct sw_slot *slot)
{
    return !slot->is_conditional || chance(core, 60);
}

/* An instruction's first cycle. */
static void issue_one(struct sw_core *core, const struct sw_slot *slot, bool has_passed)
{
    const uint32_t number = add_instruction(core, slot, has_passed);
    const struct sw_place at = core->pc;

    core->cycle->instruction = number;
    if (!is_busy(core) && chance(core, 2)) {
        core->run->instructions[number].has_passed = chance(core, 50); /* either (6.1.5) */
        cancel(core);
        return;
    }
    if (has_passed && is_transfer(slot))
        begin_transfers(core, slot, number);
    if (has_passed)
        execute(core, slot);
    if (core->pc.address == at.address && core->pc.is_thumb == at.is_thumb &&
        !(has_passed && (slot->what == SW_DIRECT || slot->what == SW_BL_SECOND)))
        core->pc = behind(core->pc, slot);
}

/* A predicted branch, and the instruction behind it in the same cycle (6.1.2). */
static bool issue_two(struct sw_core *core, const struct sw_slot *slot)
{
    const struct sw_place at = core->pc;
    const bool has_passed = draw_passed(core, slot);
    const struct sw_place next = has_passed ? slot->target : behind(at, slot);
    const struct sw_slot *second;
    bool second_passed;

    if (has_passed && core->run->settings.is_branch_output)
        return false; /* its address would need a packet */
    second = sw_code_at(&core->run->code, next);
    second_passed = draw_passed(core, second);
    if (is_busy(core) && second_passed && is_transfer(second))
        return false;
    core->cycle->phantom = add_instruction(core, slot, has_passed);
    core->pc = next;
    issue_one(core, second, second_passed);
    return true;
}

static void issue(struct sw_core *core)
{
    const struct sw_slot *slot;
    bool has_passed;

    if (core->is_ending || core->has_branch || (is_busy(core) && core->is_paused) ||
        !chance(core, core->issue_percent))
        return;
    slot = sw_code_at(&core->run->code, core->pc);
    if (slot->what == SW_DIRECT && chance(core, 40) && issue_two(core, slot))
        return;
    has_passed = draw_passed(core, slot);
    if (!(is_busy(core) && has_passed && is_transfer(slot)))
        issue_one(core, slot, has_passed);
}

static uint32_t draw_value(struct sw_core *core, unsigned bytes)
{
    static const uint32_t masks[] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff};
    const uint32_t value =
        (uint32_t)peer_random_64(&core->random) & masks[peer_random_below(&core->random, 5)];

    return bytes == 4 ? value : value & masks[bytes];
}

static unsigned free_tag(const struct sw_core *core)
{
    unsigned tag = 0;

    while (tag < SW_TAGS && core->late[tag].count > 0)
        tag++;
    return tag;
}

static uint32_t address_of(const struct sw_core *core, const struct sw_slot *slot, unsigned word)
{
    if (slot->what == SW_SWAP)
        return core->base;
    if (slot->is_lsm && slot->loads_pc && core->run->settings.loads_pc_first)
        return core->base + 4 * (word == 0 ? core->words - 1 : word - 1);
    return core->base + 4 * word;
}

/* The next word, or both of 64 bits, of the instruction in progress. */
static void transfer(struct sw_core *core)
{
    struct sw_run *run = core->run;
    const struct sw_slot *slot = run->instructions[core->owner].slot;
    const unsigned end = core->abort_at < core->words ? core->abort_at : core->words;
    const bool can_pair =
        slot->bytes == 4 && slot->what != SW_SWAP && !slot->loads_pc && core->word + 2 <= end;
    const unsigned count = can_pair && (slot->is_double || chance(core, 40)) ? 2 : 1;
    const bool is_viewed = (slot->loads_pc && run->settings.loads_pc_first) || chance(core, 85);
    const unsigned tag = free_tag(core);
    const bool misses =
        slot->what == SW_LOAD && !slot->loads_pc && tag < SW_TAGS && chance(core, 20);

    for (unsigned i = 0; i < count; i++) {
        struct sw_item *item = add_item(core, misses ? SW_MISS : SW_TRANSFER, core->owner);

        item->address = address_of(core, slot, core->word);
        item->value = draw_value(core, slot->bytes);
        item->is_register = slot->what == SW_FROM_CP || slot->what == SW_CONTEXT_WRITE;
        item->is_viewed = is_viewed;
        item->is_second = i > 0;
        item->tag = (uint8_t)tag;
        if (misses)
            core->late[tag].items[core->late[tag].count++] = (uint32_t)(item - run->items);
        core->word++;
        if (slot->what == SW_CONTEXT_WRITE) {
            core->context = item->value;
            add_item(core, SW_NEW_CONTEXT, core->owner)->value = core->context;
        }
    }
}

static void transfers(struct sw_core *core)
{
    while (is_busy(core) && chance(core, 55)) {
        if (core->word == core->abort_at) {
            core->words = core->word;
            branch_to_vector(core, VECTOR_DATA_ABORT, false);
            return;
        }
        transfer(core);
        if (core->cycle->item_count >= 3)
            return;
    }
}

/* Values that come back, those of 64 bits together; not in the cycle in which they missed. */
static void returns(struct sw_core *core)
{
    for (unsigned tag = 0; tag < SW_TAGS; tag++) {
        struct sw_late *late = &core->late[tag];
        const struct sw_item *missed = &core->run->items[late->items[0]];

        if (late->count == 0 || !chance(core, core->return_percent))
            continue;
        for (unsigned i = 0; i < late->count; i++) {
            struct sw_item *item = add_item(core, SW_RETURN, missed->owner);

            item->miss = late->items[i];
            item->tag = (uint8_t)tag;
            item->value = core->run->items[late->items[i]].value;
            item->is_second = i > 0;
        }
        late->count = 0;
    }
}

static void branch(struct sw_core *core)
{
    if (!core->has_branch || core->word < core->branch_at || !chance(core, 60))
        return;
    core->has_branch = false;
    core->cycle->has_branch = true;
    core->cycle->target = core->pc = core->target;
    core->cycle->is_cancelling = core->is_cancelling;
    core->cycle->is_reset = core->is_reset;
    core->is_paused = false;
    if (core->is_reset)
        memset(core->late, 0, sizeof core->late);
    core->is_reset = false;
}

static bool is_at_rest(const struct sw_core *core)
{
    return !is_busy(core) && !core->has_branch;
}

static void next_cycle(struct sw_core *core)
{
    struct sw_run *run = core->run;
    struct sw_cycle *cycle = core->cycle = &run->cycles[run->cycle_count++];

    *cycle = (struct sw_cycle){
        .phantom = SW_NONE,
        .instruction = SW_NONE,
        .open = is_busy(core) ? core->owner : SW_NONE,
        .first_item = run->item_count,
        .is_enabled = core->is_enabled,
    };
    cycle->is_trigger = core->trigger_left > 0 && --core->trigger_left == 0;
    if (core->enable_left == 0 || --core->enable_left == 0) {
        core->is_enabled = !core->is_enabled;
        core->enable_left =
            core->is_enabled ? peer_random_range(&core->random, 10, chance(core, 20) ? 2000 : 400)
                             : peer_random_range(&core->random, 1, 40);
        core->issue_percent = peer_random_range(&core->random, 20, 95);
    }
    if (core->debug_left == 0 && is_at_rest(core) && peer_random_below(&core->random, 400) == 0)
        core->debug_left = peer_random_range(&core->random, 2, 80);
    if (core->debug_left > 0) {
        cycle->is_debug = true;
        if (--core->debug_left == 0) {
            core->pc = sw_code_entry(&run->code, &core->random);
            if (run->settings.forgets_misses)
                memset(core->late, 0, sizeof core->late);
        }
    } else {
        const bool is_first = chance(core, 50);

        if (is_first)
            returns(core);
        issue(core);
        transfers(core);
        if (!is_first)
            returns(core);
        branch(core);
    }
    cycle->item_count = run->item_count - cycle->first_item;
    cycle->context = core->context;
}

void sw_run_draw(struct sw_run *run, const struct sw_settings *settings, uint64_t seed,
                 uint32_t instructions)
{
    struct sw_core core = {.run = run, .random = {.state = seed ^ 0x5eed}, .issue_percent = 60};

    run->settings = *settings;
    run->instruction_count = run->cycle_count = run->item_count = 0;
    sw_code_begin(&run->code, seed, settings->has_high_vectors);
    run->first_context = core.context = (uint32_t)peer_random_64(&core.random);
    core.return_percent = peer_random_range(&core.random, 2, 20);
    core.pc = sw_code_entry(&run->code, &core.random);
    core.enable_left = peer_random_range(&core.random, 1, 5);
    core.trigger_left = peer_random_below(&core.random, instructions * 3);
    if (instructions > SW_MOST_INSTRUCTIONS - 2)
        instructions = SW_MOST_INSTRUCTIONS - 2;
    while (run->instruction_count < instructions && run->cycle_count < SW_MOST_CYCLES - 4096 &&
           run->item_count < SW_MOST_ITEMS - 64)
        next_cycle(&core);
    /* What is begun ends; then the FIFO drains. */
    core.is_ending = true;
    for (unsigned i = 0; i < 4000 && (!is_at_rest(&core) || i < 600); i++) {
        next_cycle(&core);
        if (is_at_rest(&core))
            core.cycle->is_enabled = false;
    }
}
