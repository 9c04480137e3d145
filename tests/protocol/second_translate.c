/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_translate.h"

#include <string.h>

enum { REASON_PERIODIC = 0, REASON_TRACE_ON = 1, REASON_OVERFLOW = 2 };
enum { MINOR_EXCEPTION_BYTE = 2 }; /* exceptions have a byte of their own (B.3) */

/* Table 3-46, 3.5.1; ETMCR[28], [30] and ETMCCER of issue Q. */
static struct second_settings settings_of(const struct second_registers *registers)
{
    static const unsigned context_bytes[] = {0, 1, 2, 4};
    const uint32_t control = registers->control;
    const unsigned minor = registers->id >> 4 & 15;

    return (struct second_settings){
        .minor = minor,
        .m_profile = registers->m_profile,
        .alternative = minor >= 4 && (registers->id >> 20 & 1),
        .cycle_accurate = control >> 12 & 1,
        .addresses = control >> 3 & 1,
        .values = control >> 2 & 1,
        .data_only = minor >= 1 && (control >> 20 & 1),
        .context_bytes = context_bytes[control >> 14 & 3],
        .wide_time = registers->ccer >> 29 & 1,
        .binary_time = registers->ccer >> 28 & 1,
    };
}

void second_translate_begin(struct second_translator *t, struct second_writer *writer,
                            const struct second_registers *registers)
{
    const struct second_settings settings = settings_of(registers);

    memset(t, 0, sizeof *t);
    t->writer = writer;
    t->security = settings.minor >= 2 && (registers->id >> 19 & 1);
    t->virtualization = settings.minor >= 5 && (registers->ccer >> 26 & 1);
    t->vmid = t->virtualization && (registers->control >> 30 & 1);
    second_begin(writer, &settings, 0);
}

static const struct second_settings *settings(const struct second_translator *t)
{
    return &t->writer->settings;
}

static void write(struct second_translator *t, const struct second_event *event)
{
    if (!second_write(t->writer, event))
        t->refused = true;
}

static void write_kind(struct second_translator *t, enum second_kind kind)
{
    const struct second_event event = {.kind = kind};

    write(t, &event);
}

/* --- atoms --- */

static void add_atom(struct second_translator *t, char atom)
{
    if (t->run == SECOND_RUN_MAX) {
        t->refused = true;
        return;
    }
    t->atoms[t->run++] = atom;
    t->atoms[t->run] = '\0';
}

static void add_waits(struct second_translator *t, uint64_t waits)
{
    for (; waits > 0 && settings(t)->cycle_accurate && !t->refused; waits--)
        add_atom(t, 'W');
}

static void end_run(struct second_translator *t)
{
    if (t->run == 0)
        return;
    if (!second_write_atoms(t->writer, t->atoms))
        t->refused = true;
    t->headers += t->writer->header_count;
    if (t->counts)
        t->fewest += second_fewest(settings(t), t->atoms);
    t->run = 0;
}

/* --- where the processor is, and who it is --- */

static struct second_place place_of(const struct second_translator *t,
                                    const struct cairn_element_data *data)
{
    const bool thumb = data->sub_isa != 0;

    return (struct second_place){
        .address = (uint32_t)data->address & (thumb ? ~1u : ~3u),
        .state = thumb ? SECOND_THUMB : SECOND_ARM,
        .nonsecure = t->security && t->context.security != CAIRN_SECURE,
        .hyp = t->virtualization && t->context.EL == 2,
    };
}

static uint32_t traced_id(const struct second_translator *t)
{
    const unsigned bits = 8 * settings(t)->context_bytes;

    return t->context.context_id & (uint32_t)((UINT64_C(1) << bits) - 1);
}

static void tell_identifiers(struct second_translator *t)
{
    const struct second_event id = {.kind = SECOND_CONTEXT_ID, .id = traced_id(t)};
    const struct second_event vmid = {.kind = SECOND_VMID, .id = t->context.vmid & 0xff};

    if (id.id != t->known_id)
        write(t, &id);
    if (t->vmid && vmid.id != t->known_vmid)
        write(t, &vmid);
    t->known_id = id.id;
    t->known_vmid = vmid.id;
}

/* --- I-sync --- */

static void begin_sync(struct second_translator *t, const struct cairn_element_data *data)
{
    t->sync = SECOND_SYNC_BEGUN;
    t->event = (struct second_event){
        .kind = SECOND_I_SYNC,
        .reason = data->info >> 5 & 3,
        .in_progress = data->info >> 7 && !settings(t)->data_only,
    };
}

static void end_sync(struct second_translator *t)
{
    const struct cairn_element_data nowhere = {0};

    if (settings(t)->data_only)
        t->event.place = place_of(t, &nowhere);
    else if (t->sync != SECOND_SYNC_WHOLE)
        t->refused = true;
    t->sync = SECOND_SYNC_NONE;
    t->event.id = traced_id(t);
    write(t, &t->event);
    t->known_id = t->event.id;
    t->known_vmid = UINT32_MAX;
    tell_identifiers(t);
}

static bool take_context(struct second_translator *t, const struct cairn_element_data *data)
{
    if (t->sync == SECOND_SYNC_WHOLE)
        return false;
    t->context = data->context;
    if (settings(t)->data_only)
        t->sync = SECOND_SYNC_WHOLE;
    return true;
}

static bool take_address(struct second_translator *t, const struct cairn_element_data *data)
{
    if (t->sync == SECOND_SYNC_WHOLE || settings(t)->data_only)
        return false;
    if (t->sync == SECOND_SYNC_UNDER)
        t->event.current = place_of(t, data);
    else
        t->event.place = place_of(t, data);
    t->sync = t->sync == SECOND_SYNC_BEGUN && t->event.in_progress ? SECOND_SYNC_UNDER
                                                                   : SECOND_SYNC_WHOLE;
    return true;
}

static uint32_t count_of(uint16_t flags, const struct cairn_element_data *data)
{
    return flags & CAIRN_ELEMENT_UNKNOWN || data->value > UINT32_MAX ? 0 : (uint32_t)data->value;
}

static bool take_count(struct second_translator *t, uint16_t flags,
                       const struct cairn_element_data *data)
{
    if (t->event.has_count || settings(t)->data_only)
        return false;
    if (t->sync != SECOND_SYNC_BEGUN &&
        (!(flags & CAIRN_ELEMENT_CYCLES) || t->event.reason == REASON_PERIODIC))
        return false;
    t->event.has_count = true;
    t->event.cycles = count_of(flags, data);
    return true;
}

/* True: the element is of the I-sync. */
static bool joins_sync(struct second_translator *t, unsigned kind, uint16_t flags,
                       const struct cairn_element_data *data)
{
    const bool begun = t->sync == SECOND_SYNC_BEGUN;

    switch (kind) {
    case CAIRN_ELEMENT_OVERFLOW:
        if (begun)
            t->event.reason = REASON_OVERFLOW;
        return begun;
    case CAIRN_ELEMENT_TRACE_ON:
        if (begun && t->event.reason == REASON_PERIODIC)
            t->event.reason = REASON_TRACE_ON;
        return begun;
    case CAIRN_ELEMENT_CONTEXT: return take_context(t, data);
    case CAIRN_ELEMENT_ATOM: return t->sync == SECOND_SYNC_UNDER;
    case CAIRN_ELEMENT_TARGET_ADDRESS: return take_address(t, data);
    case CAIRN_ELEMENT_CYCLE_COUNT: return take_count(t, flags, data);
    default: return false;
    }
}

/* --- branches --- */

/* Table 7-9, of the numbers of Table 7-12. */
static unsigned old_exception(unsigned exception)
{
    enum { DEBUG = 1, ASYNCHRONOUS_ABORT = 4, JAZELLE = 5, IRQ = 14, FIQ = 15 };

    switch (exception) {
    case DEBUG: return 7;
    case ASYNCHRONOUS_ABORT: return 6;
    case JAZELLE: return 4;
    case IRQ: return 1;
    case FIQ: return 5;
    default: return 0;
    }
}

static void tell_branch(struct second_translator *t, uint16_t flags,
                        const struct cairn_element_data *data)
{
    struct second_event *e = &t->branch;

    e->kind = SECOND_BRANCH;
    e->place = place_of(t, data);
    if (flags & CAIRN_ELEMENT_PAUSED)
        e->resume = data->info & 15;
    e->old =
        e->exception && e->place.state == SECOND_ARM && settings(t)->minor < MINOR_EXCEPTION_BYTE;
    if (e->old)
        e->exception = old_exception(e->exception);
    write(t, e);
    t->branch = (struct second_event){0};
    tell_identifiers(t);
}

static void tell_cancel(struct second_translator *t, uint16_t flags,
                        const struct cairn_element_data *data)
{
    t->branch.cancel = true;
    if (flags & CAIRN_ELEMENT_PAUSED)
        t->branch.resume = data->info & 15;
}

static void tell_context(struct second_translator *t, const struct cairn_element_data *data)
{
    t->context = data->context;
    if (!t->branch.exception && !t->branch.cancel)
        tell_identifiers(t);
}

/* --- data, time --- */

static void tell_data(struct second_translator *t, const struct cairn_element_data *data)
{
    static const enum second_kind kinds[] = {
        [CAIRN_DATA_NORMAL] = SECOND_DATA,
        [CAIRN_DATA_PLACEHOLDER] = SECOND_PLACEHOLDER,
        [CAIRN_DATA_LATE] = SECOND_LATE_DATA,
        [CAIRN_DATA_NOT_TRACED] = SECOND_NOT_TRACED,
        [CAIRN_DATA_SUPPRESSED] = SECOND_SUPPRESSED,
        [CAIRN_DATA_STORE_FAILED] = SECOND_STORE_FAILED,
    };
    const enum second_kind kind = kinds[CAIRN_DATA_KIND(data->cycles)];
    const bool has_value = kind == SECOND_DATA || kind == SECOND_LATE_DATA;
    struct second_event event = {
        .kind = kind,
        .tag = CAIRN_DATA_TAG(data->cycles),
        .has_address = (data->info & CAIRN_DATA_FIRST) != 0,
        .data_address = (uint32_t)data->address,
        .big_endian = (data->info & CAIRN_DATA_BIG_ENDIAN) != 0,
        .value = has_value && settings(t)->values ? (uint32_t)data->value : 0,
        .whole = t->whole_address,
    };

    if (kind == SECOND_LATE_DATA || kind == SECOND_SUPPRESSED || kind == SECOND_STORE_FAILED)
        event.has_address = false;
    if (!event.has_address)
        event.big_endian = false;
    write(t, &event);
    if (event.has_address && settings(t)->addresses)
        t->whole_address = false;
}

static void tell_time(struct second_translator *t, uint16_t flags,
                      const struct cairn_element_data *data)
{
    const uint64_t mask = settings(t)->wide_time ? UINT64_MAX : (UINT64_C(1) << 48) - 1;
    const struct second_event event = {
        .kind = SECOND_TIMESTAMP,
        .time = flags & CAIRN_ELEMENT_UNKNOWN ? 0 : data->value & mask,
        .clock_changed = data->info & 1,
        .whole = t->whole_time,
    };

    write(t, &event);
    t->whole_time = false;
}

static void tell_count(struct second_translator *t, uint16_t flags,
                       const struct cairn_element_data *data)
{
    const struct second_event event = {.kind = SECOND_CYCLE_COUNT, .cycles = count_of(flags, data)};

    write(t, &event);
}

static void tell_a_sync(struct second_translator *t)
{
    write_kind(t, SECOND_A_SYNC);
    t->whole_address = true;
    t->whole_time = true;
}

/* --- all --- */

static void tell(struct second_translator *t, unsigned kind, uint16_t flags,
                 const struct cairn_element_data *data)
{
    switch (kind) {
    case CAIRN_ELEMENT_A_SYNC: tell_a_sync(t); return;
    case CAIRN_ELEMENT_TRACE_INFO: begin_sync(t, data); return;
    case CAIRN_ELEMENT_CONTEXT: tell_context(t, data); return;
    case CAIRN_ELEMENT_CANCEL: tell_cancel(t, flags, data); return;
    case CAIRN_ELEMENT_EXCEPTION: t->branch.exception = data->value & 0x1ff; return;
    case CAIRN_ELEMENT_TARGET_ADDRESS: tell_branch(t, flags, data); return;
    case CAIRN_ELEMENT_CYCLE_COUNT: tell_count(t, flags, data); return;
    case CAIRN_ELEMENT_STACKING: write_kind(t, SECOND_EXCEPTION_ENTRY); return;
    case CAIRN_ELEMENT_EXCEPTION_RETURN: write_kind(t, SECOND_EXCEPTION_EXIT); return;
    case CAIRN_ELEMENT_EVENT: write_kind(t, SECOND_TRIGGER); return;
    case CAIRN_ELEMENT_TIMESTAMP: tell_time(t, flags, data); return;
    case CAIRN_ELEMENT_DATA: tell_data(t, data); return;
    default: t->refused = true; return;
    }
}

void second_translate(struct second_translator *t, unsigned kind, uint16_t flags,
                      const struct cairn_element_data *data)
{
    if (t->sync != SECOND_SYNC_NONE) {
        if (joins_sync(t, kind, flags, data))
            return;
        end_sync(t);
    }
    if (kind == CAIRN_ELEMENT_ATOM) {
        add_atom(t, flags & CAIRN_ELEMENT_E ? 'E' : 'N');
        return;
    }
    if (kind == CAIRN_ELEMENT_CYCLE_COUNT && !(flags & CAIRN_ELEMENT_CYCLES)) {
        add_waits(t, data->value);
        return;
    }
    end_run(t);
    tell(t, kind, flags, data);
}

void second_translate_end(struct second_translator *t)
{
    if (t->sync != SECOND_SYNC_NONE)
        end_sync(t);
    end_run(t);
}
