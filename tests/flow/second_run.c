/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 150, ATOMS_ROOM = 8, REASONS = 3 };

struct core {
    struct second_run *run;
    uint64_t *seed;
    const struct second_insn *next;
    bool nonsecure;
    bool can_cancel;  /* nothing but data has followed the last atom */
    size_t last_said; /* lines of the instruction that it is of: one, but for a first half */
    bool refused;
    char atoms[SECOND_ATOMS_MAX + 1];
};

static bool one_in(struct core *c, unsigned count)
{
    return second_below(c->seed, count) == 0;
}

static void say(struct core *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct core *c, const char *format, ...)
{
    va_list list;

    if (c->run->count == SECOND_LINES_MAX)
        return;
    va_start(list, format);
    (void)vsnprintf(c->run->line[c->run->count++], SECOND_LINE, format, list);
    va_end(list);
}

static void write_event(struct core *c, const struct second_event *event)
{
    c->refused = !second_write(&c->run->writer, event) || c->refused;
}

static void flush_atoms(struct core *c)
{
    struct second_event event = {.kind = SECOND_ATOMS};

    if (c->atoms[0] == '\0')
        return;
    strcpy(event.atoms, c->atoms);
    write_event(c, &event);
    c->atoms[0] = '\0';
}

/* Anything but an atom. */
static void other_event(struct core *c, const struct second_event *event)
{
    flush_atoms(c);
    write_event(c, event);
}

static const struct second_insn *any_insn(struct core *c)
{
    const struct second_insn *insns = c->run->program.insns;

    if (c->run->settings.m_profile)
        return &insns[SECOND_INSNS + second_below(c->seed, SECOND_INSNS)];
    return &insns[second_below(c->seed, 2 * SECOND_INSNS)];
}

static struct second_place place_of(const struct core *c, const struct second_insn *insn)
{
    return (struct second_place){.address = insn->address,
                                 .state = insn->thumb ? SECOND_THUMB : SECOND_ARM,
                                 .nonsecure = c->nonsecure};
}

static const struct second_insn *insn_at(const struct core *c, uint32_t address)
{
    const struct second_insn *insn = c->run->program.insns;

    while (insn->address != address)
        insn++;
    return insn;
}

/* An atom; in cycles, a cycle or some of its own, or from v3.3 on none. */
static void add_atom(struct core *c, bool executed)
{
    size_t at;

    if (strlen(c->atoms) > SECOND_ATOMS_MAX - ATOMS_ROOM)
        flush_atoms(c);
    at = strlen(c->atoms);
    if (c->run->settings.cycle_accurate) {
        const bool may_have_none = c->run->settings.minor >= 3;
        unsigned cycles = may_have_none && one_in(c, 4) ? 0 : 1;

        while (one_in(c, 4) && cycles < 4)
            cycles++;
        while (cycles-- > 0)
            c->atoms[at++] = 'W';
    }
    c->atoms[at++] = executed ? 'E' : 'N';
    c->atoms[at] = '\0';
}

/* What is taken back with the instruction, should that be (7.4.12). */
static void transfer(struct core *c, const struct second_insn *insn, unsigned which,
                     const struct second_event *event)
{
    const struct second_settings *s = &c->run->settings;
    char address[16] = "";
    char value[16] = "";

    if (s->addresses && event->has_address)
        (void)snprintf(address, sizeof address, " at %x", event->data_address);
    if (s->values)
        (void)snprintf(value, sizeof value, " = %x", event->value);
    say(c, "data %x[%u]%s%s", insn->address, which, address, value);
    c->last_said++;
    other_event(c, event);
}

static void add_data(struct core *c, const struct second_insn *insn)
{
    struct second_event event = {.kind = SECOND_DATA, .has_address = true};

    if (!c->run->settings.addresses && !c->run->settings.values)
        return;
    event.data_address = 0x40000000u | (second_next(c->seed) & 0xfffcu);
    event.value = (uint32_t)(second_next(c->seed) >> second_below(c->seed, 64));
    transfer(c, insn, 0, &event);
    event.has_address = false;
    if (insn->kind == SECOND_LOAD_TWO)
        transfer(c, insn, 1, &event);
}

static void write_branch(struct core *c, const struct second_insn *to)
{
    other_event(c, &(struct second_event){.kind = SECOND_BRANCH, .place = place_of(c, to)});
}

/* 7.3.5: an indirect branch that is executed is followed by its branch packet, or by several, of
 * which the last one counts; cycles may come before it. */
static void branch(struct core *c)
{
    if (c->run->settings.cycle_accurate && one_in(c, 4))
        strcat(c->atoms, "WW");
    while (one_in(c, 8))
        write_branch(c, any_insn(c));
    c->next = any_insn(c);
    write_branch(c, c->next);
}

/* Table 4-2: IRQ, FIQ and aborts may cancel the last instruction. */
static void choose_exception(struct core *c, struct second_event *event)
{
    static const unsigned types[] = {4, 11, 12, 14, 15};
    static const unsigned types_of_m[] = {1, 8, 15, 24,
                                          511}; /* IRQ1, IRQ0, SysTick, IRQ8, IRQ495 */
    static const unsigned eee[] = {1, 5, 6};    /* IRQ, FIQ, asynchronous abort */
    const struct second_settings *s = &c->run->settings;

    if (s->m_profile) {
        event->exception = types_of_m[second_below(c->seed, 5)];
    } else if (!s->alternative && !c->next->thumb && one_in(c, 4)) {
        event->old = true;
        event->exception = eee[second_below(c->seed, 3)];
    } else {
        event->exception = types[second_below(c->seed, 5)];
        if (one_in(c, 3))
            c->nonsecure = !c->nonsecure;
    }
}

static void take_exception(struct core *c)
{
    struct second_event event = {.kind = SECOND_BRANCH};
    const struct second_settings *s = &c->run->settings;

    c->next = any_insn(c);
    choose_exception(c, &event);
    event.place = place_of(c, c->next);
    event.cancel = c->can_cancel && one_in(c, 2);
    if (event.cancel)
        c->run->count -= c->last_said;
    c->can_cancel = false;
    say(c, "exception %x", event.exception + (event.old ? 0x200 : 0));
    if (s->m_profile && (s->addresses || s->values) && one_in(c, 2))
        other_event(c, &(struct second_event){.kind = SECOND_EXCEPTION_ENTRY});
    other_event(c, &event);
}

/* 7.5.4, issue Q 7.6: the branch packet behind 76 may be that of another exception, which follows
 * at once (M), or stops the return: the 76 is cancelled, on the A profile its instruction, too. */
static void return_from_exception(struct core *c)
{
    other_event(c, &(struct second_event){.kind = SECOND_EXCEPTION_EXIT});
    say(c, "return");
    c->last_said = c->run->settings.m_profile ? 1 : 2;
    if (one_in(c, 3)) {
        take_exception(c);
        return;
    }
    c->can_cancel = false;
    c->next = any_insn(c);
    write_branch(c, c->next);
}

static bool has_returns(const struct second_settings *s)
{
    return s->minor >= (s->m_profile ? 4u : 5u);
}

/* An atom that ends an instruction. */
static void execute(struct core *c, uint32_t address, bool executed)
{
    add_atom(c, executed);
    say(c, "%x %c", address, executed ? 'E' : 'N');
    c->can_cancel = true;
    c->last_said = 1;
}

/* The first half's outcome decides nothing; without the second the instruction was not executed. */
static void execute_half(struct core *c, bool executed)
{
    add_atom(c, executed || one_in(c, 2));
    c->can_cancel = true;
    c->last_said = 0;
}

static void step(struct core *c)
{
    const struct second_insn *insn = c->next;
    const bool executed = !insn->may_fail || one_in(c, 2);

    if (c->run->halves && insn->thumb && insn->size == 4) {
        execute_half(c, executed);
        if (one_in(c, 8)) { /* an exception between the two */
            take_exception(c);
            return;
        }
    }
    execute(c, insn->address, executed);
    if (executed && insn->kind == SECOND_INDIRECT) {
        if (has_returns(&c->run->settings) && one_in(c, 3))
            return_from_exception(c);
        else
            branch(c);
        return;
    }
    if (executed && (insn->kind == SECOND_LOAD || insn->kind == SECOND_LOAD_TWO))
        add_data(c, insn);
    if (executed && insn->kind == SECOND_DIRECT)
        c->next = insn_at(c, insn->target);
    else
        c->next = insn_at(c, insn->address + insn->size);
}

/* Trace begins anew somewhere: at an instruction, or in the middle of a load. */
static void turn_on(struct core *c)
{
    struct second_event event = {.kind = SECOND_I_SYNC,
                                 .reason = 1 + second_below(c->seed, REASONS)};

    c->next = any_insn(c);
    event.place = place_of(c, c->next);
    event.id = 1;
    event.has_count = c->run->settings.cycle_accurate && one_in(c, 2);
    event.cycles = 5;
    say(c, "on");
    c->can_cancel = false;
    if (c->next->kind == SECOND_LOAD && one_in(c, 2)) {
        const struct second_insn *load = c->next;

        c->next = insn_at(c, load->address + load->size);
        event.in_progress = true;
        event.current = place_of(c, c->next);
        say(c, "%x E", load->address);
    }
    other_event(c, &event);
}

static void add_other(struct core *c)
{
    static const enum second_kind kinds[] = {SECOND_A_SYNC, SECOND_TRIGGER, SECOND_IGNORE,
                                             SECOND_I_SYNC, SECOND_I_SYNC};
    const struct second_event event = {
        .kind = kinds[second_below(c->seed, 5)], .place = place_of(c, c->next), .id = 1};

    other_event(c, &event);
}

static void choose_settings(struct second_settings *s, uint64_t *seed)
{
    memset(s, 0, sizeof *s);
    s->minor = 2 + second_below(seed, 4);
    s->m_profile = s->minor >= 4 && second_below(seed, 3) == 0;
    s->alternative = s->minor >= 4 && second_below(seed, 2);
    s->cycle_accurate = second_below(seed, 2);
    s->addresses = second_below(seed, 2);
    s->values = second_below(seed, 2);
    s->context_bytes = second_below(seed, 2);
}

bool second_run(struct second_run *run, uint64_t seed)
{
    struct core core = {.run = run, .seed = &seed};

    run->count = 0;
    choose_settings(&run->settings, &seed);
    second_program(&run->program, &seed,
                   run->settings.m_profile ? SECOND_THUMB_ALONE : SECOND_BOTH_SETS);
    run->halves = !run->settings.m_profile && second_below(&seed, 3) == 0;
    second_begin(&run->writer, &run->settings, second_next(&seed));
    other_event(&core, &(struct second_event){.kind = SECOND_A_SYNC});
    turn_on(&core);
    for (unsigned i = 0; i < STEPS; i++) {
        if (one_in(&core, 12))
            take_exception(&core);
        else if (one_in(&core, 40))
            turn_on(&core);
        else if (one_in(&core, 10))
            add_other(&core);
        else
            step(&core);
    }
    flush_atoms(&core);
    return !core.refused;
}
