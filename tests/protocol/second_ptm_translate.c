/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_ptm_translate.h"

#include <string.h>

enum { PERIODIC, TRACE_ON, OVERFLOW, DEBUG_EXIT };
enum { RESET = 8, HYP = 2 };

void ptm_translate_begin(struct ptm_translator *t, struct ptm_writer *writer, uint32_t id,
                         uint32_t control, uint32_t ccer)
{
    static const unsigned context_bytes[] = {0, 1, 2, 4};
    const unsigned minor = id >> 4 & 15;
    const struct ptm_settings settings = {
        .minor = minor,
        .cycles = control >> 12 & 1,
        .context_bytes = context_bytes[control >> 14 & 3],
        .wide_time = minor >= 1 && (ccer >> 29 & 1),
        .binary_time = minor >= 1 && (ccer >> 28 & 1),
    };

    memset(t, 0, sizeof *t);
    t->writer = writer;
    t->virtualization = minor >= 1 && (ccer >> 26 & 1);
    t->vmid = t->virtualization && (control >> 30 & 1);
    ptm_second_begin(writer, &settings);
}

static uint32_t traced_id(const struct ptm_translator *t)
{
    const unsigned bits = 8 * t->writer->settings.context_bytes;

    return t->context.context_id & (uint32_t)((UINT64_C(1) << bits) - 1);
}

static void tell_identifiers(struct ptm_translator *t)
{
    const struct ptm_event vmid = {.kind = PTM_VMID, .id = t->context.vmid & 0xff};
    const struct ptm_event id = {.kind = PTM_CONTEXT_ID, .id = traced_id(t)};

    if (t->vmid && vmid.id != t->known_vmid)
        ptm_second_write(t->writer, &vmid);
    if (id.id != t->known_id)
        ptm_second_write(t->writer, &id);
    t->known_vmid = vmid.id;
    t->known_id = id.id;
}

/* The event is complete. */
static void close_event(struct ptm_translator *t)
{
    const bool sync = t->event.kind == PTM_I_SYNC;
    const bool branch = t->event.kind == PTM_BRANCH;

    if (!t->open)
        return;
    t->open = false;
    if (sync)
        t->known_id = t->event.id = traced_id(t);
    if (sync || branch) {
        t->event.place.nonsecure = t->context.security != CAIRN_SECURE && !t->event.whole;
        t->event.place.hyp = t->virtualization && t->context.EL == HYP && !t->event.whole;
    }
    if (sync && t->writer->settings.minor >= 1 && t->event.reason >= OVERFLOW)
        t->event.cycles = 0;
    ptm_second_write(t->writer, &t->event);
    if (sync)
        t->known_vmid = UINT32_MAX;
    if (branch && t->event.exception == RESET)
        t->known_vmid = 0;
    if (sync || branch)
        tell_identifiers(t);
}

static void open_event(struct ptm_translator *t, enum ptm_event_kind kind)
{
    t->open = true;
    t->event = (struct ptm_event){.kind = kind, .cycles = UINT32_MAX};
}

static void take_address(struct ptm_translator *t, uint16_t flags,
                         const struct cairn_element_data *data)
{
    if (flags & CAIRN_ELEMENT_UNKNOWN)
        t->event.whole = true; /* address 0 in ARM state */
    else
        t->event.place =
            (struct ptm_place){.address = (uint32_t)data->address, .thumb = data->sub_isa != 0};
}

/* True: the element is of the event that is open. */
static bool joins(struct ptm_translator *t, unsigned kind, uint16_t flags,
                  const struct cairn_element_data *data)
{
    const bool sync = t->event.kind == PTM_I_SYNC;
    const bool has_place = sync || t->event.kind == PTM_BRANCH;

    switch (kind) {
    case CAIRN_ELEMENT_OVERFLOW:
        if (sync)
            t->event.reason = OVERFLOW;
        return sync;
    case CAIRN_ELEMENT_TRACE_ON:
        if (sync && (data->value == 1 || t->event.reason == PERIODIC))
            t->event.reason = data->value == 1 ? DEBUG_EXIT : TRACE_ON;
        return sync;
    case CAIRN_ELEMENT_CONTEXT:
        if (has_place)
            t->context = data->context;
        return has_place;
    case CAIRN_ELEMENT_TARGET_ADDRESS:
        if (has_place)
            take_address(t, flags, data);
        return has_place;
    case CAIRN_ELEMENT_CYCLE_COUNT:
        t->event.cycles = flags & CAIRN_ELEMENT_UNKNOWN ? UINT32_MAX : (uint32_t)data->value;
        close_event(t);
        return true;
    default: return false;
    }
}

static void tell_atom(struct ptm_translator *t, uint16_t flags)
{
    open_event(t, flags & CAIRN_ELEMENT_ADDRESSED ? PTM_BRANCH : PTM_ATOM);
    t->event.executed = (flags & CAIRN_ELEMENT_E) != 0;
}

static void tell_time(struct ptm_translator *t, uint16_t flags,
                      const struct cairn_element_data *data)
{
    const struct ptm_event event = {
        .kind = PTM_TIMESTAMP,
        .time = flags & CAIRN_ELEMENT_UNKNOWN ? 0 : data->value,
        .clock_changed = data->info & 1,
        .cycles = data->cycles,
        .whole = t->whole_time,
    };

    ptm_second_write(t->writer, &event);
    t->whole_time = false;
}

static void tell_update(struct ptm_translator *t, const struct cairn_element_data *data)
{
    const struct ptm_event event = {
        .kind = PTM_UPDATE,
        .place = {.address = (uint32_t)data->address, .thumb = data->sub_isa != 0}};

    ptm_second_write(t->writer, &event);
}

static void tell_kind(struct ptm_translator *t, enum ptm_event_kind kind)
{
    const struct ptm_event event = {.kind = kind};

    ptm_second_write(t->writer, &event);
    t->whole_time = t->whole_time || kind == PTM_A_SYNC;
}

void ptm_translate(struct ptm_translator *t, unsigned kind, uint16_t flags,
                   const struct cairn_element_data *data)
{
    if (t->open && joins(t, kind, flags, data))
        return;
    close_event(t);
    switch (kind) {
    case CAIRN_ELEMENT_A_SYNC: tell_kind(t, PTM_A_SYNC); return;
    case CAIRN_ELEMENT_TRACE_INFO: open_event(t, PTM_I_SYNC); return;
    case CAIRN_ELEMENT_ATOM: tell_atom(t, flags); return;
    case CAIRN_ELEMENT_EXCEPTION:
        open_event(t, PTM_BRANCH);
        t->event.exception = data->value & 0x1ff;
        return;
    case CAIRN_ELEMENT_CONTEXT:
        t->context = data->context;
        tell_identifiers(t);
        return;
    case CAIRN_ELEMENT_WAYPOINT_UPDATE: tell_update(t, data); return;
    case CAIRN_ELEMENT_TIMESTAMP: tell_time(t, flags, data); return;
    case CAIRN_ELEMENT_EXCEPTION_RETURN: tell_kind(t, PTM_RETURN); return;
    case CAIRN_ELEMENT_EVENT: tell_kind(t, PTM_TRIGGER); return;
    default: t->refused = true; return;
    }
}

void ptm_translate_end(struct ptm_translator *t)
{
    close_event(t);
    ptm_second_end(t->writer);
}
