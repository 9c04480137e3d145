/* SPDX-License-Identifier: BSD-2-Clause */
/* The same trace as libopencsd has it: its instructions and exceptions as a list. */
#include "peer.h"

#include <stdio.h>
#include <string.h>

#include "../../peers/opencsd.h"

/* libopencsd 1.3.3 does not free the callback objects of its C API. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libopencsd";
}

static void make_program(struct peer_program *made, const struct whole_program *program)
{
    memset(made, 0, sizeof *made);
    made->region_count = WHOLE_LEVELS;
    for (unsigned level = 0; level < WHOLE_LEVELS; level++) {
        struct peer_region *region = &made->regions[level];

        region->address = whole_base(level);
        region->first = made->op_count;
        region->count = WHOLE_WORDS;
        region->size = 4 * WHOLE_WORDS;
        region->isa = CAIRN_ISA_A64;
        memcpy(region->bytes, program->bytes[level], sizeof program->bytes[level]);
        for (unsigned word = 0; word < WHOLE_WORDS; word++)
            made->ops[made->op_count++] = (struct peer_op){.address = whole_address(level, word),
                                                           .size = 4,
                                                           .isa = CAIRN_ISA_A64,
                                                           .region = (uint8_t)level};
    }
}

/* What comes behind an event is where it led. */
static void list_entries(const struct peer_truth *told, const struct whole_program *program,
                         struct whole_list *list)
{
    struct whole_event event = {.type = WHOLE_ARRIVAL, .from = WHOLE_NOWHERE};
    bool waits = true;
    unsigned level, word;

    for (size_t i = 0; i < told->count; i++) {
        const struct peer_entry *entry = &told->entries[i];

        if (!whole_find(entry->address, &level, &word))
            continue;
        if (waits) {
            event.target = entry->address;
            event.to = (uint8_t)level;
            whole_add(list, &event);
        }
        waits = entry->kind == PEER_EXCEPTION || entry->kind == PEER_TAKEN;
        event = (struct whole_event){.source = entry->address,
                                     .type = entry->kind == PEER_EXCEPTION
                                                 ? (uint8_t)(0x20 | entry->type)
                                                 : whole_type(program, level, word),
                                     .from = (uint8_t)level};
        if (entry->kind == PEER_EXCEPTION)
            list->totals.exceptions += event.type != CAIRN_BRANCH_DEBUG_HALT;
        else
            list->totals.instructions++;
        if (entry->kind == PEER_NOT_TAKEN ||
            (entry->kind == PEER_TAKEN && program->ops[level][word] != WHOLE_ISB))
            list->totals.branches++;
        /* Where Debug state is left is an arrival. */
        if (event.type == CAIRN_BRANCH_DEBUG_HALT && entry->kind == PEER_EXCEPTION) {
            event.to = WHOLE_NOWHERE;
            whole_add(list, &event);
            event = (struct whole_event){.type = WHOLE_ARRIVAL, .from = WHOLE_NOWHERE};
        }
    }
    event.to = WHOLE_NOWHERE;
    whole_aim(program, &event);
    if (waits && list->count > 0)
        whole_add(list, &event);
}

bool whole_peer_is_there(void)
{
    return peer_opencsd_version() != NULL;
}

bool whole_peer_follow(const struct whole_run *run, const struct whole_program *program,
                       uint64_t seed, struct whole_list *list)
{
    static struct peer_trace trace;
    static struct peer_truth told;
    struct peer_random random = {.state = seed};

    if (run->size > sizeof trace.bytes.data)
        return false;
    trace.settings.protocol = CAIRN_PROTOCOL_ETE;
    memcpy(trace.settings.registers, run->registers, sizeof trace.settings.registers);
    make_program(&trace.program, program);
    trace.bytes.size = run->size;
    memcpy(trace.bytes.data, run->bytes, run->size);
    whole_clear(list);
    if (!peer_decode_opencsd(&trace, &random, &told) || told.full)
        return false;
    list_entries(&told, program, list);
    return true;
}
