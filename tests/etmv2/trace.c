/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace.h"

enum state {
    OFF,
    ON,
    DRAINING, /* after an overflow (6.10) */
};

/* What changes with the packets that are placed, and stays as it was when there is no room for them. */
struct memory {
    struct sw_place last; /* branch or TFO address */
    uint32_t last_data;
    bool wants_full_data;
    uint32_t owner;              /* the data instruction traced most recently */
    bool has_started;            /* of which a packet was placed */
    uint32_t misses[SW_TAGS][2]; /* that were traced and have no value yet; of 64 bits two */
    uint32_t context;
};

struct group {
    uint8_t bytes[SW_FIFO];
    unsigned size;
    unsigned header; /* of its last packet */
    bool has_packet;
};

struct writer {
    struct sw_trace *trace;
    const struct sw_run *run;
    const struct sw_settings *settings;
    enum state state;
    enum sw_reason reason; /* of the next TFO that turns tracing on */
    struct memory memory;
    struct group group;
    unsigned counter;
    bool wants_tfo;
    bool lacks_room;      /* for the TFO that would turn tracing on */
    bool is_last_traced;  /* the instruction executed most recently */
    bool has_branched;    /* it did, and the address was known then */
    uint32_t last_number; /* it, and the one traced most recently */
    uint32_t last_traced;
    uint32_t taken_up;        /* an LSM of which the status is to come, or SW_NONE */
    bool has_taken_up_branch; /* and the address behind it */
    struct sw_place taken_up_branch;
    uint32_t counted;
};

static void say(struct writer *w, enum sw_said_kind kind, uint32_t number, uint32_t value)
{
    struct sw_trace *trace = w->trace;

    if (trace->said_count < SW_MOST_SAID)
        trace->said[trace->said_count++] =
            (struct sw_said){kind, number, value, (uint32_t)(trace->port.size / 4), w->counted};
}

static void forget_misses(struct memory *memory)
{
    for (unsigned tag = 0; tag < SW_TAGS; tag++)
        memory->misses[tag][0] = memory->misses[tag][1] = SW_NONE;
}

/* Room for a packet of the group, of which the size is known when it is written; the one before has
 * another behind it. */
static uint8_t *next_packet(struct group *group)
{
    if (group->has_packet)
        group->bytes[group->header] |= SW_MORE_PACKETS;
    group->has_packet = true;
    group->header = group->size;
    return group->bytes + group->size;
}

static unsigned put_address(struct memory *memory, const struct sw_settings *settings, uint8_t *out,
                            uint32_t address)
{
    unsigned size;

    if (!settings->has_addresses)
        return 0;
    size = sw_put_data_address(out, &memory->last_data, address, memory->wants_full_data);
    memory->wants_full_data = false;
    return size;
}

static void place_transfer(struct writer *w, const struct sw_item *item, uint32_t number)
{
    const struct sw_settings *settings = w->settings;
    struct memory *memory = &w->memory;
    const bool has_address = !memory->has_started && !item->is_register;
    uint8_t *out;
    unsigned size = 1;

    if (item->owner != memory->owner)
        return;
    if (item->is_register ? !settings->has_registers
                          : !settings->has_addresses && !settings->has_values)
        return;
    if (!item->is_viewed && !item->is_register) {
        if (!memory->has_started)
            return;
        *next_packet(&w->group) = SW_VALUE_NOT_TRACED;
        w->group.size++;
        say(w, SW_SAID_NOT_TRACED, number, 0);
        return;
    }
    out = next_packet(&w->group);
    if (item->kind == SW_MISS) {
        out[0] = sw_miss_header(has_address, item->tag);
        memory->misses[item->tag][item->is_second] = number;
        if (!item->is_second)
            memory->misses[item->tag][1] = SW_NONE;
    } else {
        const bool has_size = settings->has_values || settings->sizes_alone;

        out[0] = sw_normal_header(has_address, has_size ? sw_value_code(item->value) : 0);
    }
    if (has_address)
        size += put_address(memory, settings, out + size, item->address);
    if (item->kind == SW_TRANSFER && settings->has_values)
        size += sw_put_value(out + size, item->value);
    w->group.size += size;
    memory->has_started = true;
    say(w, item->kind == SW_MISS ? SW_SAID_MISS : SW_SAID_TRANSFER, number, has_address);
}

static void place_return(struct writer *w, const struct sw_item *item)
{
    uint32_t *miss = &w->memory.misses[item->tag][item->is_second];
    uint8_t *out;

    if (*miss != item->miss)
        return;
    *miss = SW_NONE;
    if (!w->settings->has_values)
        return;
    out = next_packet(&w->group);
    out[0] = sw_miss_data_header(item->tag, sw_value_code(item->value));
    w->group.size += 1 + sw_put_value(out + 1, item->value);
    say(w, SW_SAID_RETURN, item->miss, 0);
}

static bool is_context_new(const struct writer *w, uint32_t context)
{
    const unsigned bytes = w->settings->context_bytes;
    const uint32_t watched = bytes == 4 ? UINT32_MAX : (UINT32_C(1) << (8 * bytes)) - 1;

    return ((context ^ w->memory.context) & watched) != 0;
}

static void place_context(struct writer *w, uint32_t context)
{
    uint8_t *out;

    if (!is_context_new(w, context))
        return;
    out = next_packet(&w->group);
    out[0] = SW_CONTEXT_HEADER;
    w->group.size += 1 + sw_put_context(out + 1, context, w->settings->context_bytes);
    w->memory.context = context;
    say(w, SW_SAID_CONTEXT, SW_NONE, context);
}

static void place_branch(struct writer *w, struct sw_place target, bool is_cancelling)
{
    struct group *group = &w->group;

    if (group->has_packet)
        group->bytes[group->header] |= SW_MORE_PACKETS;
    group->size +=
        sw_put_branch(group->bytes + group->size, &w->memory.last, target, is_cancelling);
    say(w, is_cancelling ? SW_SAID_CANCELLED : SW_SAID_BRANCH, w->last_traced, target.address);
}

/* The packets of a cycle's items. In a cycle that is not traced only late values are. */
static void place_items(struct writer *w, const struct sw_cycle *cycle)
{
    for (uint32_t i = 0; i < cycle->item_count; i++) {
        const uint32_t number = cycle->first_item + i;
        const struct sw_item *item = &w->run->items[number];
        const bool is_context = i + 1 < cycle->item_count && item[1].kind == SW_NEW_CONTEXT;

        switch (item->kind) {
        case SW_RETURN: place_return(w, item); break;
        case SW_NEW_CONTEXT:
            if (w->state == ON)
                place_context(w, item->value);
            break;
        case SW_TRANSFER:
        case SW_MISS:
            if (is_context && is_context_new(w, item[1].value) && !w->settings->tells_context_twice)
                break;
            place_transfer(w, item, number);
            break;
        }
    }
}

static void place_last_branch(struct writer *w, const struct sw_cycle *cycle)
{
    if (cycle->has_branch && w->is_last_traced)
        place_branch(w, cycle->target, cycle->is_cancelling);
}

static void turn_off(struct writer *w, enum sw_reason reason)
{
    w->state = OFF;
    w->reason = reason;
    w->taken_up = SW_NONE;
    say(w, SW_SAID_OFF, SW_NONE, 0);
}

static void overflow(struct writer *w)
{
    w->state = DRAINING;
    w->reason = SW_OVERFLOW;
    w->taken_up = SW_NONE;
    w->is_last_traced = false;
    w->memory.owner = SW_NONE;
    if (w->settings->forgets_misses)
        forget_misses(&w->memory);
    say(w, SW_SAID_LOST, SW_NONE, 0);
}

/* The first instruction of a cycle, or SW_NONE. */
static uint32_t first_of(const struct sw_cycle *cycle)
{
    return cycle->phantom != SW_NONE ? cycle->phantom : cycle->instruction;
}

/* The next instruction that begins, from this cycle on; SW_NONE if debug state is entered before. */
static uint32_t next_of(const struct sw_run *run, const struct sw_cycle *cycle)
{
    for (; cycle < run->cycles + run->cycle_count && !cycle->is_debug; cycle++)
        if (first_of(cycle) != SW_NONE)
            return first_of(cycle);
    return SW_NONE;
}

/* Tracing turns on in front of next, if there is something to begin with and room for it. */
static bool turn_on(struct writer *w, const struct sw_cycle *cycle, const struct sw_cycle *next)
{
    const struct sw_run *run = w->run;
    const struct sw_insn *instructions = run->instructions;
    const bool is_open = next->open != SW_NONE && instructions[next->open].slot->is_lsm;
    const uint32_t first = first_of(next);
    const struct sw_place *lsm =
        is_open && first != SW_NONE ? &instructions[next->open].place : NULL;
    const uint32_t at = first != SW_NONE ? first : is_open ? next->open : SW_NONE;
    struct sw_place last = w->memory.last;
    uint8_t packet[SW_TFO_PACKET_MAX];
    uint32_t behind = SW_NONE;
    unsigned size;

    if (!next->is_enabled || next->is_debug || at == SW_NONE)
        return false;
    if (first == SW_NONE && (w->last_number > next->open || w->has_branched)) {
        behind = next_of(run, next);
        if (behind == SW_NONE)
            return false;
    }
    size = sw_put_tfo(packet, &last, w->reason, cycle->context, w->settings->context_bytes,
                      instructions[at].place, lsm);
    w->lacks_room = !sw_port_has_room(&w->trace->port, size);
    if (!sw_port_takes_tfo(&w->trace->port, size))
        return false;
    say(w, SW_SAID_ON, SW_NONE, w->reason);
    if (w->settings->context_bytes > 0)
        say(w, SW_SAID_CONTEXT, SW_NONE, cycle->context);
    w->state = ON;
    w->memory.last = last;
    w->memory.context = cycle->context;
    w->memory.wants_full_data = true;
    w->memory.owner = is_open ? next->open : SW_NONE;
    w->memory.has_started = false;
    w->counter = w->settings->sync;
    w->wants_tfo = false;
    w->taken_up = first == SW_NONE ? next->open : SW_NONE;
    w->has_taken_up_branch = behind != SW_NONE;
    if (behind != SW_NONE)
        w->taken_up_branch = instructions[behind].place;
    if (lsm)
        say(w, SW_SAID_INSTRUCTION, next->open, 0);
    if (cycle->is_trigger)
        say(w, SW_SAID_TRIGGER, SW_NONE, 0);
    sw_port_tfo(&w->trace->port, cycle->is_trigger, packet, size);
    return true;
}

/* Nothing of this cycle is traced but what belongs to what was. */
static void trace_off(struct writer *w, const struct sw_cycle *cycle, const struct sw_cycle *next)
{
    struct sw_port *port = &w->trace->port;
    const struct memory before = w->memory;
    const uint32_t said = w->trace->said_count;

    w->group = (struct group){0};
    if (first_of(cycle) != SW_NONE) {
        w->is_last_traced = false;
        w->last_number = cycle->instruction;
        w->has_branched = false;
    }
    w->has_branched = w->has_branched || cycle->has_branch;
    if (w->state == DRAINING) {
        /* What comes back now is lost. */
        place_items(w, cycle);
        w->trace->said_count = said;
        w->group = (struct group){0};
        if (port->count == 0)
            turn_off(w, w->reason);
    } else {
        place_items(w, cycle);
        place_last_branch(w, cycle);
    }
    if (w->state == OFF && next && !(cycle->has_branch && w->is_last_traced)) {
        const struct group group = w->group;
        const uint32_t placed = w->trace->said_count;

        w->lacks_room = false;
        w->trace->said_count = said; /* a late value in the cycle of a TFO is lost (6.4.3) */
        if (turn_on(w, cycle, next))
            return;
        w->trace->said_count = placed;
        w->group = group;
        if (w->lacks_room)
            overflow(w);
    }
    if (cycle->is_trigger)
        say(w, SW_SAID_TRIGGER, SW_NONE, 0);
    if (w->group.size > 0 && !sw_port_has_room(port, w->group.size)) {
        w->trace->said_count = said;
        w->memory = before;
        w->group.size = 0;
        overflow(w);
    }
    sw_port_cycle(port, w->group.size > 0 ? SW_DW : SW_WT, cycle->is_trigger, false, w->group.bytes,
                  w->group.size);
}

static enum sw_status status_of(const struct writer *w, const struct sw_cycle *cycle,
                                uint32_t instruction)
{
    const struct sw_insn *instructions = w->run->instructions;
    unsigned status = SW_WT;

    if (instruction != SW_NONE) {
        status = instructions[instruction].has_passed ? SW_IE : SW_IN;
        if (cycle->phantom != SW_NONE)
            status |= instructions[cycle->phantom].has_passed ? SW_PTIE : SW_PNIE;
    }
    return (enum sw_status)(w->group.size > 0 ? status | SW_PLACES : status);
}

/* The counter of synchronisation: false if it forces an overflow. */
static bool count(struct writer *w)
{
    w->counter--;
    if (w->counter == w->settings->data_phase)
        w->memory.wants_full_data = true;
    if (w->counter > 0)
        return true;
    w->counter = w->settings->sync;
    if (w->wants_tfo)
        return false;
    w->wants_tfo = true;
    return true;
}

static void begin_instruction(struct writer *w, uint32_t number)
{
    say(w, SW_SAID_INSTRUCTION, number, 0);
    w->last_traced = number;
    w->is_last_traced = true;
    if (w->run->instructions[number].is_data) {
        w->memory.owner = number;
        w->memory.has_started = false;
    }
}

/* A periodic TFO in the place of an IE. */
static bool put_periodic(struct writer *w, const struct sw_cycle *cycle, uint32_t instruction)
{
    struct sw_place last = w->memory.last;
    uint8_t packet[SW_TFO_PACKET_MAX];
    const unsigned size =
        sw_put_tfo(packet, &last, SW_PERIODIC, cycle->context, w->settings->context_bytes,
                   w->run->instructions[instruction].place, NULL);

    if (!sw_port_takes_tfo(&w->trace->port, size))
        return false;
    w->memory.last = last;
    w->counter = w->settings->sync;
    w->wants_tfo = false;
    say(w, SW_SAID_PERIODIC, instruction, 0);
    if (cycle->is_trigger)
        say(w, SW_SAID_TRIGGER, SW_NONE, 0);
    sw_port_tfo(&w->trace->port, cycle->is_trigger, packet, size);
    return true;
}

static void trace_on(struct writer *w, const struct sw_cycle *cycle)
{
    struct sw_port *port = &w->trace->port;
    const bool is_counter_good = count(w);
    const struct memory before = w->memory;
    const uint32_t said = w->trace->said_count;
    uint32_t instruction = cycle->instruction;
    enum sw_status status;

    w->group = (struct group){0};
    if (cycle->phantom != SW_NONE)
        say(w, SW_SAID_INSTRUCTION, cycle->phantom, 0);
    if (w->taken_up != SW_NONE)
        instruction = w->taken_up;
    if (instruction != SW_NONE) {
        const uint32_t owner = w->memory.owner;
        const bool has_started = w->memory.has_started;

        begin_instruction(w, instruction);
        if (w->taken_up != SW_NONE) { /* it was the owner before its status */
            w->memory.owner = owner;
            w->memory.has_started = has_started;
        }
    }
    if (cycle->instruction != SW_NONE) {
        w->last_number = cycle->instruction;
        w->has_branched = false;
    }
    w->has_branched = w->has_branched || cycle->has_branch;
    place_items(w, cycle);
    if (w->taken_up != SW_NONE && w->has_taken_up_branch) {
        place_branch(w, w->taken_up_branch, false);
        w->is_last_traced = false; /* another was executed since */
    } else {
        place_last_branch(w, cycle);
    }
    status = status_of(w, cycle, instruction);
    if (!is_counter_good || !sw_port_has_room(port, w->group.size)) {
        w->trace->said_count = said;
        w->memory = before;
        overflow(w);
        if (cycle->is_trigger)
            say(w, SW_SAID_TRIGGER, SW_NONE, 0);
        sw_port_cycle(port, SW_WT, cycle->is_trigger, false, w->group.bytes, 0);
        return;
    }
    w->taken_up = SW_NONE;
    w->counted++;
    if (status == SW_IE && w->wants_tfo && put_periodic(w, cycle, instruction))
        return;
    if (cycle->is_trigger)
        say(w, SW_SAID_TRIGGER, SW_NONE, 0);
    sw_port_cycle(port, status, cycle->is_trigger, w->settings->is_cycle_accurate, w->group.bytes,
                  w->group.size);
}

/* Whether tracing goes on though TraceEnable is low: transfers of an instruction that is traced are to
 * come (6.4.4, 2.11.2). */
static bool is_held(const struct writer *w, const struct sw_cycle *cycle)
{
    return w->taken_up != SW_NONE || (cycle->open != SW_NONE && cycle->open == w->memory.owner);
}

void sw_trace_run(struct sw_trace *trace, const struct sw_run *run, uint64_t noise)
{
    struct writer w = {
        .trace = trace,
        .run = run,
        .settings = &run->settings,
        .reason = SW_TRACE_ON,
        .memory = {.owner = SW_NONE, .context = run->first_context},
        .taken_up = SW_NONE,
    };

    forget_misses(&w.memory);
    trace->port = (struct sw_port){
        .pins = run->settings.pins,
        .depth = run->settings.depth,
        .noise = noise,
        .samples = trace->samples,
        .capacity = sizeof trace->samples,
    };
    trace->said_count = 0;
    for (uint32_t i = 0; i < run->cycle_count; i++) {
        const struct sw_cycle *cycle = &run->cycles[i];

        if (cycle->is_debug) {
            if (w.state == ON)
                turn_off(&w, SW_DEBUG_EXIT);
            w.reason = SW_DEBUG_EXIT;
            if (w.settings->forgets_misses)
                forget_misses(&w.memory);
        } else if (w.state == ON && !cycle->is_enabled && !is_held(&w, cycle)) {
            turn_off(&w, SW_TRACE_ON);
        }
        if (w.state == ON)
            trace_on(&w, cycle);
        else
            trace_off(&w, cycle, i + 1 < run->cycle_count ? cycle + 1 : NULL);
    }
}

bool sw_trigger_at_tfo(struct sw_run *run, const struct sw_trace *trace, struct peer_random *random)
{
    uint32_t tfos = 0;
    uint32_t wanted;

    for (uint32_t i = 0; i < trace->said_count; i++)
        tfos += trace->said[i].kind == SW_SAID_ON || trace->said[i].kind == SW_SAID_PERIODIC;
    if (tfos == 0)
        return false;
    wanted = peer_random_below(random, tfos);
    for (uint32_t i = 0; i < run->cycle_count; i++)
        run->cycles[i].is_trigger = false;
    for (uint32_t i = 0;; i++) {
        const struct sw_said *said = &trace->said[i];

        if (said->kind != SW_SAID_ON && said->kind != SW_SAID_PERIODIC)
            continue;
        if (wanted-- == 0) {
            run->cycles[said->sample + peer_random_below(random, 4)].is_trigger = true;
            return true;
        }
    }
}
