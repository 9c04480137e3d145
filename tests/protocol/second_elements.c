/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_elements.h"

enum { REASON_PERIODIC = 0, REASON_OVERFLOW = 2 };

static struct cairn_element_data *add(struct second_elements *s, unsigned kind, unsigned flags)
{
    static struct cairn_element_data nowhere;

    if (s->count == s->capacity)
        return &nowhere;
    s->list[s->count] = (struct second_element){.kind = kind, .flags = (uint16_t)flags};
    return &s->list[s->count++].data;
}

static void add_address(struct second_elements *s, const struct second_place *place,
                        unsigned resume)
{
    struct cairn_element_data *data =
        add(s, CAIRN_ELEMENT_TARGET_ADDRESS, resume ? CAIRN_ELEMENT_PAUSED : 0);

    data->address = place->address;
    data->sub_isa = place->state == SECOND_THUMB;
    data->info = (uint8_t)resume;
}

static void add_context(struct second_elements *s)
{
    add(s, CAIRN_ELEMENT_CONTEXT, 0)->context = s->context;
}

static void add_state(struct second_elements *s, const struct second_place *place)
{
    s->context.security = place->nonsecure ? CAIRN_NONSECURE : CAIRN_SECURE;
    s->context.EL = place->hyp ? 2 : 0;
    add_context(s);
}

/* 7.3.4: 0 is a count that is not known. */
static void add_count(struct second_elements *s, uint32_t cycles)
{
    add(s, CAIRN_ELEMENT_CYCLE_COUNT,
        CAIRN_ELEMENT_CYCLES | (cycles == 0 ? CAIRN_ELEMENT_UNKNOWN : 0))
        ->value = cycles;
}

static void add_i_sync(struct second_elements *s, const struct second_event *e)
{
    add(s, CAIRN_ELEMENT_TRACE_INFO, 0)->info =
        (uint8_t)(e->reason << 5 | (e->in_progress ? 0x80u : 0));
    if (e->reason == REASON_OVERFLOW)
        add(s, CAIRN_ELEMENT_OVERFLOW, 0);
    if (e->has_count)
        add_count(s, e->cycles);
    if (e->reason != REASON_PERIODIC)
        add(s, CAIRN_ELEMENT_TRACE_ON, 0);
    s->context.context_id = e->id;
    add_state(s, &e->place);
    if (s->data_only)
        return;
    add_address(s, &e->place, 0);
    if (!e->in_progress)
        return;
    add(s, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E);
    add_state(s, &e->current);
    add_address(s, &e->current, 0);
}

static void add_atoms(struct second_elements *s, const char *atoms)
{
    for (; *atoms != '\0'; atoms++)
        if (*atoms == 'W')
            add(s, CAIRN_ELEMENT_CYCLE_COUNT, 0)->value = 1;
        else
            add(s, CAIRN_ELEMENT_ATOM, *atoms == 'E' ? CAIRN_ELEMENT_E : 0);
}

/* Table 7-12, of the EEE of Table 7-9. Of those that the address tells, one. */
static unsigned exception_of(const struct second_event *e)
{
    static const unsigned exceptions[] = {12, 14, 0, 0, 5, 15, 4, 1};

    return e->old ? exceptions[e->exception] : e->exception;
}

static void add_branch(struct second_elements *s, const struct second_event *e)
{
    const unsigned paused = e->cancel && e->resume ? CAIRN_ELEMENT_PAUSED : 0;
    const unsigned exception = exception_of(e);

    if (e->cancel) {
        struct cairn_element_data *data = add(s, CAIRN_ELEMENT_CANCEL, paused);
        data->value = 1;
        data->info = (uint8_t)e->resume;
    }
    if (exception) {
        struct cairn_element_data *data =
            add(s, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN | paused);
        data->value = exception;
        data->info = (uint8_t)e->resume;
    }
    add_state(s, &e->place);
    add_address(s, &e->place, e->cancel ? 0 : e->resume);
}

static void add_data(struct second_elements *s, const struct second_event *e, unsigned kind)
{
    const bool has_value = kind == CAIRN_DATA_NORMAL || kind == CAIRN_DATA_LATE;
    struct cairn_element_data *data = add(s, CAIRN_ELEMENT_DATA, 0);

    data->address = e->has_address ? e->data_address : 0;
    data->value = has_value ? e->value : 0;
    data->info = (uint8_t)((e->has_address ? CAIRN_DATA_FIRST | CAIRN_DATA_HAS_ADDRESS : 0) |
                           (has_value ? CAIRN_DATA_HAS_VALUE : 0) |
                           (e->big_endian ? CAIRN_DATA_BIG_ENDIAN : 0));
    data->cycles = CAIRN_DATA_FORM(kind, 4, e->tag);
}

static void add_time(struct second_elements *s, const struct second_event *e)
{
    struct cairn_element_data *data = add(s, CAIRN_ELEMENT_TIMESTAMP, 0);

    data->value = e->time;
    data->info = e->clock_changed;
}

void second_elements_add(struct second_elements *s, const struct second_event *e)
{
    switch (e->kind) {
    case SECOND_A_SYNC: add(s, CAIRN_ELEMENT_A_SYNC, 0); return;
    case SECOND_I_SYNC: add_i_sync(s, e); return;
    case SECOND_ATOMS: add_atoms(s, e->atoms); return;
    case SECOND_BRANCH: add_branch(s, e); return;
    case SECOND_DATA: add_data(s, e, CAIRN_DATA_NORMAL); return;
    case SECOND_PLACEHOLDER: add_data(s, e, CAIRN_DATA_PLACEHOLDER); return;
    case SECOND_LATE_DATA: add_data(s, e, CAIRN_DATA_LATE); return;
    case SECOND_NOT_TRACED: add_data(s, e, CAIRN_DATA_NOT_TRACED); return;
    case SECOND_SUPPRESSED: add_data(s, e, CAIRN_DATA_SUPPRESSED); return;
    case SECOND_STORE_FAILED: add_data(s, e, CAIRN_DATA_STORE_FAILED); return;
    case SECOND_CONTEXT_ID:
        s->context.context_id = e->id;
        add_context(s);
        return;
    case SECOND_VMID:
        s->context.vmid = e->id;
        add_context(s);
        return;
    case SECOND_TIMESTAMP: add_time(s, e); return;
    case SECOND_CYCLE_COUNT: add_count(s, e->cycles); return;
    case SECOND_TRIGGER: add(s, CAIRN_ELEMENT_EVENT, 0); return;
    case SECOND_EXCEPTION_ENTRY: add(s, CAIRN_ELEMENT_STACKING, 0); return;
    case SECOND_EXCEPTION_EXIT: add(s, CAIRN_ELEMENT_EXCEPTION_RETURN, 0); return;
    case SECOND_IGNORE:
    case SECOND_KIND_COUNT: return;
    }
}
