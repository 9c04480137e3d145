/* SPDX-License-Identifier: BSD-2-Clause */
/* Engine and reference path under the rules of ETMv3, PTM and MTB: random elements over a random
 * program, most of them such as a trace unit could have told. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../flow/script.h"
#include "compare.h"
#include "generator.h"

enum {
    SEEDS = 400,
    QUICK_SEEDS = 40, /* between two edits: `make check` */
    LONGEST = 3000,   /* elements */
    CODE_LEAST = 1 << 9,
    CODE_STEPS = 6, /* doublings at most */
    HOT = 8,        /* addresses that come again */
    TYPES = 16,     /* of exceptions */
    FAILURES_MOST = 3,
};

static const struct cairn_follow_rules rules[] = {
    {.every_instruction = true, .return_packets = true},
    {.every_instruction = true, .return_packets = true, .m_profile = true},
    {.every_instruction = true, .thumb_halves = true, .return_packets = true},
    {.return_packets = true, .pop_first = true, .walk_bytes = 4096},
    {.return_stack = true, .return_packets = true, .pop_first = true, .walk_bytes = 4096},
    {.return_stack = true, .return_packets = true, .pop_first = true, .walk_bytes = 4096},
    {.return_stack = true, .return_packets = true, .pop_first = true, .walk_bytes = 64},
    {.return_stack = true, .return_packets = true, .pop_first = true, .barriers_are_p0 = true},
    {.any_source = true, .return_packets = true, .m_profile = true},
};

/* A trace in the making, and a follower that tells where execution is. */
struct writer {
    struct generator g; /* of the program */
    struct engine_case made;
    struct script script;
    const struct cairn_follow_rules *rules;
    struct cairn_flow *core;
    struct cairn_element_batch *element;
    struct cairn_flow_batch *records;
    struct cairn_flow_state at;
    uint64_t hot[HOT];
    uint8_t hot_isa[HOT];
    uint32_t calm; /* of a hundred, what fits where execution is */
};

static void put(struct writer *w, unsigned kind, unsigned flags,
                const struct cairn_element_data *data)
{
    size_t position = 0;

    if (!script_put(&w->script, kind, flags, data))
        return;
    w->element->count = 1;
    w->element->offset[0] = w->script.size - SCRIPT_PACKET;
    w->element->length[0] = SCRIPT_PACKET;
    w->element->kind[0] = (uint8_t)kind;
    w->element->flags[0] = (uint16_t)flags;
    w->element->data[0] = *data;
    do
        w->records->count = 0;
    while (cairn_flow_run(w->core, w->element, &position, w->records) == CAIRN_OK &&
           w->records->count > 0);
    w->at.size = sizeof w->at;
    cairn_flow_state(w->core, &w->at);
}

static void put_plain(struct writer *w, unsigned kind, unsigned flags)
{
    const struct cairn_element_data data = {.value = below(&w->g, TYPES)};

    put(w, kind, flags, &data);
}

static struct cairn_element_data somewhere(struct writer *w)
{
    const uint32_t i = below(&w->g, HOT);

    if (percent(&w->g, 10)) {
        w->hot_isa[i] = (uint8_t)below(&w->g, 2);
        w->hot[i] =
            GENERATOR_BASE + (below(&w->g, w->g.code_size + 64) & ~(w->hot_isa[i] ? 1u : 3u));
    }
    return (struct cairn_element_data){.address = w->hot[i], .sub_isa = w->hot_isa[i]};
}

/* Near where execution is, and mostly ahead of it. */
static struct cairn_element_data near(struct writer *w)
{
    const uint64_t step = w->at.sub_isa ? 2 : 4;
    const uint64_t ahead = below(&w->g, 12) * step;

    return (struct cairn_element_data){
        .address = (w->at.address + ahead - (percent(&w->g, 5) ? 8 : 0)) & UINT32_MAX,
        .sub_isa = percent(&w->g, 97) ? w->at.sub_isa : 1};
}

static void put_address(struct writer *w, unsigned flags)
{
    struct cairn_element_data data = somewhere(w);

    if (w->at.address_known && percent(&w->g, w->calm))
        data = (struct cairn_element_data){.address = w->at.address, .sub_isa = w->at.sub_isa};
    if (flags & CAIRN_ELEMENT_PAUSED)
        data.info = (uint8_t)below(&w->g, 4);
    if (flags & CAIRN_ELEMENT_UNKNOWN)
        data.reason = percent(&w->g, 50) ? CAIRN_GAP_NOT_DECODED : CAIRN_ACCOUNT_FLOW;
    put(w, CAIRN_ELEMENT_TARGET_ADDRESS, flags, &data);
}

static void put_new_address(struct writer *w)
{
    const struct cairn_element_data data = somewhere(w);

    put(w, CAIRN_ELEMENT_TARGET_ADDRESS, 0, &data);
}

static void put_context(struct writer *w)
{
    const struct cairn_element_data data = {
        .context = {.EL = below(&w->g, 6) == 0, .context_id = below(&w->g, 8) == 0}};

    put(w, CAIRN_ELEMENT_CONTEXT, 0, &data);
}

static void put_data(struct writer *w)
{
    const struct cairn_element_data data = {
        .address = below(&w->g, 1u << 20),
        .value = below(&w->g, 1u << 20),
        .cycles = CAIRN_DATA_FORM(below(&w->g, 6), 4, below(&w->g, 4)),
        .info = (uint8_t)below(&w->g, 16)};

    put(w, CAIRN_ELEMENT_DATA, below(&w->g, 8) ? 0 : CAIRN_ELEMENT_UNKNOWN, &data);
}

static void put_atoms(struct writer *w)
{
    static const uint16_t odd[] = {CAIRN_ELEMENT_UNCERTAIN, CAIRN_ELEMENT_LOST,
                                   CAIRN_ELEMENT_APPROXIMATE, CAIRN_ELEMENT_ADDRESSED};
    const unsigned taken = CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;
    const struct cairn_element_data data = {.reason = CAIRN_GAP_UNRESOLVED};

    for (uint32_t n = 1 + below(&w->g, 40); n > 0; n--) {
        const bool addressed = w->rules->pop_first && percent(&w->g, 15);
        unsigned flags = addressed ? taken | CAIRN_ELEMENT_ADDRESSED
                         : percent(&w->g, w->rules->every_instruction ? 85 : 60) ? taken
                                                                                 : 0;

        if (!percent(&w->g, w->calm) && below(&w->g, 20) == 0)
            flags |= PICK(&w->g, odd);
        put(w, CAIRN_ELEMENT_ATOM, flags, &data);
        if (below(&w->g, 30) == 0)
            put_plain(w, CAIRN_ELEMENT_CYCLE_COUNT, 0);
        if (w->rules->every_instruction && below(&w->g, 12) == 0)
            put_data(w);
        if (w->rules->every_instruction && below(&w->g, 60) == 0)
            put_address(w, CAIRN_ELEMENT_PAUSED);
        if (w->rules->every_instruction && below(&w->g, 50) == 0)
            put_plain(w, CAIRN_ELEMENT_CANCELLED,
                      (percent(&w->g, 80) ? CAIRN_ELEMENT_E : 0u) |
                          (percent(&w->g, 20) ? CAIRN_ELEMENT_PAUSED : 0u));
        if (addressed)
            put_address(w, 0);
        else if (w->at.awaiting_target &&
                 !(w->rules->return_stack && w->at.return_stack_depth > 0 && percent(&w->g, 80)) &&
                 percent(&w->g, 50 + w->calm / 2))
            put_new_address(w);
        if (!w->at.address_known && !w->at.awaiting_target && percent(&w->g, 80))
            put_new_address(w);
    }
}

static void put_exception(struct writer *w)
{
    struct cairn_element_data data = near(w);
    unsigned flags = 0;

    data.value = below(&w->g, TYPES);
    if (!w->rules->any_source || percent(&w->g, 20))
        flags |= CAIRN_ELEMENT_HERE | (percent(&w->g, 90) ? CAIRN_ELEMENT_UNKNOWN : 0);
    if (percent(&w->g, 3))
        flags |= CAIRN_ELEMENT_UNKNOWN | CAIRN_ELEMENT_APPROXIMATE;
    put(w, CAIRN_ELEMENT_EXCEPTION, flags, &data);
    if (percent(&w->g, 90))
        put_new_address(w);
}

static void put_sync(struct writer *w)
{
    const bool periodic = percent(&w->g, 70);

    put_plain(w, CAIRN_ELEMENT_TRACE_INFO, 0);
    if (!periodic && percent(&w->g, 30))
        put_plain(w, CAIRN_ELEMENT_OVERFLOW, 0);
    if (!periodic)
        put_plain(w, CAIRN_ELEMENT_TRACE_ON, 0);
    put_context(w);
    if (periodic)
        put_address(w, CAIRN_ELEMENT_CHECK | (percent(&w->g, 20) ? CAIRN_ELEMENT_UNKNOWN : 0));
    else
        put_new_address(w);
}

static void put_run(struct writer *w)
{
    const struct cairn_element_data data = near(w);

    put(w, CAIRN_ELEMENT_SOURCE_ADDRESS, 0, &data);
    if (percent(&w->g, 10))
        put_plain(w, CAIRN_ELEMENT_EXCEPTION_RETURN, 0);
    if (w->at.address_known && percent(&w->g, w->calm))
        put_address(w, 0);
    else
        put_new_address(w);
}

static void put_other(struct writer *w)
{
    static const uint8_t kinds[] = {
        CAIRN_ELEMENT_TIMESTAMP, CAIRN_ELEMENT_EVENT,    CAIRN_ELEMENT_CYCLE_COUNT,
        CAIRN_ELEMENT_DATA,      CAIRN_ELEMENT_STACKING, CAIRN_ELEMENT_CANCELLED,
        CAIRN_ELEMENT_TRACE_ON,  CAIRN_ELEMENT_CONTEXT,  CAIRN_ELEMENT_EXCEPTION_RETURN,
    };
    const uint8_t kind = PICK(&w->g, kinds);

    if (kind == CAIRN_ELEMENT_CONTEXT)
        put_context(w);
    else if (kind == CAIRN_ELEMENT_DATA)
        put_data(w);
    else
        put_plain(w, kind, 0);
}

static void put_loose(struct writer *w)
{
    struct cairn_element_data gap = {.value = CAIRN_GAP_RESERVED};

    switch (below(&w->g, 6)) {
    case 0: put(w, CAIRN_ELEMENT_GAP, 0, &gap); break;
    case 1: put_address(w, CAIRN_ELEMENT_UNKNOWN); break;
    case 2: put_address(w, CAIRN_ELEMENT_PAUSED); break;
    case 3: put_new_address(w); break;
    case 4: put_run(w); break;
    default: put_exception(w); break;
    }
}

static void write_trace(struct writer *w, uint32_t elements)
{
    put_sync(w);
    while (w->script.size < (size_t)elements * SCRIPT_PACKET) {
        const uint32_t draw = below(&w->g, 100);
        const struct cairn_element_data update = near(w);

        if (draw < 60 && !w->rules->any_source)
            put_atoms(w);
        else if (draw < 75 && w->rules->any_source)
            put_run(w);
        else if (draw < 80)
            put_exception(w);
        else if (draw < 85)
            put_sync(w);
        else if (draw < 90 && w->rules->pop_first)
            put(w, CAIRN_ELEMENT_WAYPOINT_UPDATE, 0, &update);
        else if (draw < 96 || percent(&w->g, w->calm))
            put_other(w);
        else
            put_loose(w);
    }
}

static bool begin(struct writer *w, uint64_t seed)
{
    struct cairn_arch arch = cairn_arch_any_a();
    struct cairn_image *image;

    memset(w, 0, sizeof *w);
    w->g.random.state = seed;
    w->g.made = &w->made;
    w->g.code_size = (uint32_t)CODE_LEAST << below(&w->g, CODE_STEPS);
    w->g.far = 5;
    w->g.plain = below(&w->g, 12);
    w->rules = &PICK(&w->g, rules);
    w->calm = percent(&w->g, 50) ? 100 : 80;
    if (w->rules->m_profile)
        (void)cairn_arch_from_name("Cortex-M4", &arch);
    else if (below(&w->g, 4) == 0)
        (void)cairn_arch_from_name("ARM926EJ-S", &arch); /* pairs of BL */
    if (!script_begin(&w->script, &arch, w->rules) || !generator_make_image(&w->g))
        return false;
    image = w->script.image;
    w->script.image = w->made.image;
    cairn_image_unref(image);
    for (unsigned i = 0; i < HOT; i++)
        w->hot[i] = GENERATOR_BASE + (below(&w->g, w->g.code_size) & ~3u);
    return cairn_flow_new(w->script.config, w->script.image, &w->core) == CAIRN_OK &&
           cairn_element_batch_new(1, &w->element) == CAIRN_OK &&
           cairn_flow_batch_new(64, &w->records) == CAIRN_OK;
}

static bool run_seed(uint64_t seed, uint32_t most)
{
    struct writer w;
    bool good = begin(&w, seed);

    if (good) {
        const uint32_t ways = seed % 8 ? UINT32_C(0x1111) << seed % 4 : ENGINE_ALL_WAYS;
        const size_t cut = seed % 5 ? 0 : below(&w.g, SCRIPT_PACKET);
        struct engine_case input;

        write_trace(&w, most ? most : 50 + below(&w.g, LONGEST));
        w.script.size -= cut;
        input = script_case(&w.script);
        good = engine_compare_ways(&input, ways, seed, stdout);
        if (!good)
            printf("# seed %" PRIu64 ", rules %zu, ways %#" PRIx32 "\n", seed,
                   (size_t)(w.rules - rules), ways);
    }
    cairn_flow_batch_free(w.records);
    cairn_element_batch_free(w.element);
    cairn_flow_free(w.core);
    script_end(&w.script);
    return good;
}

int main(int argc, char **argv)
{
    const uint64_t from = argc > 2 ? strtoull(argv[1], NULL, 0) : 1;
    const uint64_t count = argc > 2                ? strtoull(argv[2], NULL, 0)
                           : getenv("CAIRN_QUICK") ? QUICK_SEEDS
                                                   : SEEDS;
    const uint32_t most = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 0) : 0;
    unsigned failed = 0;
    uint64_t done = 0;

    for (; done < count && failed < FAILURES_MOST; done++) {
        failed += !run_seed(from + done, most);
        fflush(stdout);
    }
    printf("%sok 1 - engine and reference path agree on %" PRIu64
           " scripts under the rules of ETMv3, PTM and MTB\n1..1\n",
           failed ? "not " : "", done);
    return failed > 0;
}
