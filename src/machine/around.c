/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/around.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

/* As firmware and a hypervisor leave them: Non-secure state below EL3 in AArch64; the trace buffer is
 * Non-secure state's, at EL2; Secure state may be traced and counted; the filters let EL0 to EL2 be traced. */
#define SCR_NS_RW UINT64_C(0x401)
#define HCR_RW (UINT64_C(1) << 31)
#define NONSECURE_EL2 3u /* MDCR_EL3.NSTB */
#define TEXT_MOST 32768u
#define BUFFER_REGISTERS 6u

static const char *const buffer_registers[BUFFER_REGISTERS] = {
    "TRBBASER_EL1", "TRBLIMITR_EL1", "TRBPTR_EL1", "TRBSR_EL1", "TRBTRG_EL1", "TRBIDR_EL1"};

struct cairn_around {
    struct cairn_around_settings settings;
    struct cairn_recorded_source *source;
    const char *core;
    enum cairn_protocol_id protocol;
    struct cairn_pe *pe;
    uint8_t *memory; /* of the buffer: its file */
    uint64_t interrupts, emptied;
    uint64_t collected; /* bytes that software took out of the buffer */
    /* up to the last restart of the buffer */
    uint64_t written_before, wraps_before;
    uint64_t faults, mended; /* that collection stopped on; that software saw to */
    uint64_t discarded_with_faults;
    const struct cairn_around_fault *fault; /* the one that it has stopped on; NULL: none */
    uint64_t discarded_before;              /* when it was interrupted */
    bool is_mended[CAIRN_AROUND_FAULTS];
    bool waits;                                    /* software will see to an interrupt */
    uint64_t resets;                               /* of the core */
    uint64_t counted[CAIRN_PE_EVENT_COUNTERS + 1]; /* before the last one, by its counters */
    uint64_t left; /* bytes that were in the buffer at one, and that it went over then */
    bool is_over;  /* the buffer's part: a reset ended it. Its registers were */
    struct cairn_register kept[BUFFER_REGISTERS];
    cairn_status programmed; /* of the registers that were written */
};

/* --- programming --- */

static void note(struct cairn_around *around, cairn_status status)
{
    if (around->programmed == CAIRN_OK)
        around->programmed = status;
}

static void put(struct cairn_around *around, const char *name, uint64_t value)
{
    note(around, cairn_pe_write(around->pe, name, value));
}

static uint64_t get(const struct cairn_around *around, const char *name)
{
    uint64_t value;

    (void)!cairn_pe_read(around->pe, name, &value);
    return value;
}

static uint64_t limit_of(const struct cairn_around_buffer *buffer)
{
    const uint64_t limit = CAIRN_PUT(buffer->base + buffer->size, TRBLIMITR_FM, buffer->FM);

    return CAIRN_PUT(limit, TRBLIMITR_TM, buffer->TM);
}

static void begin_session(struct cairn_around *around)
{
    const struct cairn_around_buffer *buffer = &around->settings.buffer;

    put(around, "TRBSR_EL1", 0);
    put(around, "TRBPTR_EL1", buffer->base);
    put(around, "TRBTRG_EL1", buffer->trigger);
    put(around, "TRBLIMITR_EL1", limit_of(buffer) | CAIRN_MASK(TRBLIMITR_E));
}

/* --- faults --- */

static bool is_of_memory(const struct cairn_around_fault *fault)
{
    return fault->kind == CAIRN_AROUND_ABORT || fault->kind == CAIRN_AROUND_LATE_ABORT;
}

/* Of the page that it is in; all are mapped where they are. */
static void set_page(struct cairn_around *around, const struct cairn_around_fault *fault,
                     enum cairn_pe_page kind)
{
    const uint64_t at =
        around->settings.buffer.base + fault->offset / CAIRN_PE_TABLES_PAGE * CAIRN_PE_TABLES_PAGE;

    note(around, cairn_pe_map(around->pe, at, at, CAIRN_PE_TABLES_PAGE, kind));
}

/* To the end of its page. */
static uint64_t size_of_abort(const struct cairn_around_fault *fault)
{
    return CAIRN_PE_TABLES_PAGE - fault->offset % CAIRN_PE_TABLES_PAGE;
}

static void make_abort(struct cairn_around *around, const struct cairn_around_fault *fault)
{
    const enum cairn_pe_abort how = fault->kind == CAIRN_AROUND_ABORT ? CAIRN_PE_ABORT_SYNCHRONOUS
                                                                      : CAIRN_PE_ABORT_ASYNCHRONOUS;

    note(around, cairn_pe_abort_add(around->pe, around->settings.buffer.base + fault->offset,
                                    size_of_abort(fault), how));
}

static void make_faults(struct cairn_around *around)
{
    static const enum cairn_pe_page kinds[] = {
        [CAIRN_AROUND_TRANSLATION] = CAIRN_PE_PAGE_NONE,
        [CAIRN_AROUND_PERMISSION] = CAIRN_PE_PAGE_READ_ONLY,
        [CAIRN_AROUND_ACCESS_FLAG] = CAIRN_PE_PAGE_UNUSED,
    };
    const struct cairn_around_buffer *buffer = &around->settings.buffer;

    if (buffer->fault_count > 0)
        note(around, cairn_pe_map(around->pe, buffer->base, buffer->base, buffer->size,
                                  CAIRN_PE_PAGE_WRITABLE));
    for (unsigned i = 0; i < buffer->fault_count; i++)
        if (is_of_memory(&buffer->faults[i]))
            make_abort(around, &buffer->faults[i]);
        else
            set_page(around, &buffer->faults[i], kinds[buffer->faults[i].kind]);
}

/* Of what is below EL3, and the counters. */
static void program(struct cairn_around *around)
{
    const struct cairn_around_settings *settings = &around->settings;
    char name[24];

    put(around, "SCR_EL3", SCR_NS_RW);
    put(around, "MDCR_EL3",
        CAIRN_PUT(0, MDCR_EL3_NSTB, NONSECURE_EL2) | CAIRN_MASK(MDCR_EL3_STE) |
            CAIRN_MASK(MDCR_EL3_SPME));
    put(around, "HCR_EL2", HCR_RW);
    put(around, "TRFCR_EL1", CAIRN_MASK(TRFCR_EL1_E0TRE) | CAIRN_MASK(TRFCR_EL1_E1TRE));
    put(around, "TRFCR_EL2", CAIRN_MASK(TRFCR_EL2_E0HTRE) | CAIRN_MASK(TRFCR_EL2_E2TRE));
    for (unsigned n = 0; n < settings->event_count; n++) {
        snprintf(name, sizeof name, "PMEVTYPER%u_EL0", n);
        put(around, name, CAIRN_MASK(PMEVTYPER_NSH) | settings->events[n]);
    }
    put(around, "PMCR_EL0", CAIRN_MASK(PMCR_E));
    put(around, "PMCNTENSET_EL0", (UINT64_C(1) << settings->event_count) - 1);
}

/* The driver is there. */
static void program_buffer(struct cairn_around *around)
{
    const struct cairn_around_buffer *buffer = &around->settings.buffer;

    if (buffer->fault_count > 0) /* the tables stay; the registers that have them do not */
        note(around,
             cairn_pe_map(around->pe, buffer->base, buffer->base, 0, CAIRN_PE_PAGE_WRITABLE));
    put(around, "TRBBASER_EL1", buffer->base);
    begin_session(around);
}

/* --- the buffer's memory, and who looks after it --- */

static void remember(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct cairn_around *around = context;
    const uint64_t at = address - around->settings.buffer.base;

    if (around->memory && at <= around->settings.buffer.size &&
        size <= around->settings.buffer.size - at)
        memcpy(around->memory + (size_t)at, bytes, size);
}

static uint64_t written(const struct cairn_around *around)
{
    return around->pe->lanes[0].trbe.counts.written;
}

/* What is in the buffer of the session. */
static uint64_t held(const struct cairn_around *around)
{
    const uint64_t session = written(around) - around->written_before;

    return session < around->settings.buffer.size ? session : around->settings.buffer.size;
}

static void count_anew(struct cairn_around *around)
{
    around->written_before = written(around);
    around->wraps_before = around->pe->lanes[0].trbe.counts.wraps;
}

/* What the driver's handler does: disables, takes what is there, and goes on from the base, with trace that can be
 * decoded from there on. */
static void empty(struct cairn_around *around)
{
    around->emptied++;
    around->collected += held(around);
    put(around, "TRBLIMITR_EL1", limit_of(&around->settings.buffer));
    count_anew(around);
    begin_session(around);
    cairn_unit_request_sync(around->pe->unit);
}

/* Which of those that are still there the reason in TRBSR_EL1 speaks of: the one in the pointer's page, or before it
 * if it came late. One that came when the buffer had stopped for another reason shows in EA alone. NULL: it is no
 * fault. */
static const struct cairn_around_fault *fault_of(const struct cairn_around *around)
{
    const struct cairn_around_buffer *buffer = &around->settings.buffer;
    const uint64_t TRBSR = get(around, "TRBSR_EL1");
    uint64_t at = get(around, "TRBPTR_EL1") - buffer->base;
    const unsigned EC = (unsigned)CAIRN_GET(TRBSR, TRBSR_EC);
    const bool stops = CAIRN_GET(TRBSR, TRBSR_S) &&
                       (EC == CAIRN_PE_TRBE_EC_STAGE1 || EC == CAIRN_PE_TRBE_EC_STAGE2);
    const struct cairn_around_fault *found = NULL;

    if (!stops && !CAIRN_GET(TRBSR, TRBSR_EA))
        return NULL;
    if (!stops && at == 0) /* full, and at its base again */
        at = buffer->size;
    for (unsigned i = 0; i < buffer->fault_count; i++) {
        const struct cairn_around_fault *fault = &buffer->faults[i];

        if (around->is_mended[i] || is_of_memory(fault) != (bool)CAIRN_GET(TRBSR, TRBSR_EA))
            continue;
        if (fault->offset / CAIRN_PE_TABLES_PAGE == at / CAIRN_PE_TABLES_PAGE)
            return fault;
        if (!found ||
            (fault->offset <= at && (found->offset > at || fault->offset > found->offset)))
            found = fault;
    }
    return found;
}

/* Collection has stopped on it. */
static void meet(struct cairn_around *around, const struct cairn_around_fault *fault)
{
    around->faults++;
    around->fault = fault;
}

/* It has not, or not any more: what was thrown away meanwhile was so for that reason. */
static void leave(struct cairn_around *around)
{
    if (around->fault)
        around->discarded_with_faults +=
            around->pe->lanes[0].trbe.counts.discarded - around->discarded_before;
    around->fault = NULL;
}

/* From the pointer on, once the page is there. Where memory failed that does not say where to go on (I_VRFQC): what is
 * there is taken, and it goes on from the base. */
static void mend(struct cairn_around *around)
{
    const struct cairn_around_fault *fault = around->fault;
    const struct cairn_around_buffer *buffer = &around->settings.buffer;

    around->mended++;
    around->is_mended[fault - buffer->faults] = true;
    /* What the trace unit has is of before, and thrown away. It begins anew, with what can be decoded from there on and
     * a Trace On element, so that it is seen that something is missing. */
    put(around, "TRCPRGCTLR", 0);
    leave(around);
    if (is_of_memory(fault)) {
        note(around,
             cairn_pe_abort_remove(around->pe, buffer->base + fault->offset, size_of_abort(fault)));
        empty(around);
        put(around, "TRCPRGCTLR", 1);
        return;
    }
    set_page(around, fault, CAIRN_PE_PAGE_WRITABLE);
    put(around, "TRBLIMITR_EL1", limit_of(buffer));
    put(around, "TRBSR_EL1",
        get(around, "TRBSR_EL1") & (CAIRN_MASK(TRBSR_WRAP) | CAIRN_MASK(TRBSR_TRG)));
    put(around, "TRBLIMITR_EL1", limit_of(buffer) | CAIRN_MASK(TRBLIMITR_E));
    put(around, "TRCPRGCTLR", 1);
}

/* The driver's handler. It begins with a DSB behind TSB CSYNC: whatever memory aborts of before is told by then. */
static void handle(void *context)
{
    struct cairn_around *around = context;

    cairn_pe_abort_complete(around->pe, UINT64_MAX);

    const struct cairn_around_fault *fault = fault_of(around);
    const uint64_t TRBSR = get(around, "TRBSR_EL1");

    around->waits = false;
    if (fault) {
        meet(around, fault);
        if (fault->is_fixed)
            mend(around);
    } else if (around->settings.buffer.empties) {
        empty(around);
    } else if (!CAIRN_GET(TRBSR, TRBSR_S)) {
        put(around, "TRBSR_EL1", TRBSR & ~CAIRN_MASK(TRBSR_IRQ)); /* to be told of the next one */
    }
}

static void interrupt(void *context, bool level)
{
    struct cairn_around *around = context;
    const struct cairn_around_buffer *buffer = &around->settings.buffer;

    if (!level)
        return;
    around->interrupts++;
    around->discarded_before = around->pe->lanes[0].trbe.counts.discarded;
    if ((!buffer->empties && buffer->fault_count == 0) || around->waits)
        return;
    around->waits = true;
    cairn_pe_feed_alarm(around->pe, buffer->latency, handle, around);
}

/* --- resets --- */

/* In front of one: the handler would have come later. */
static void settle(struct cairn_around *around)
{
    if (around->waits && fault_of(around))
        meet(around, fault_of(around));
    around->waits = false;
    leave(around);
}

/* It makes the registers UNKNOWN, so that who looks at the memory behind it has to know them from before. */
static void keep(struct cairn_around *around)
{
    around->is_over = true;
    put(around, "TRBLIMITR_EL1", limit_of(&around->settings.buffer));
    for (unsigned i = 0; i < BUFFER_REGISTERS; i++)
        around->kept[i] = (struct cairn_register){.name = buffer_registers[i],
                                                  .value = get(around, buffer_registers[i])};
}

static void add_counted(struct cairn_around *around)
{
    struct cairn_pmu_total totals[CAIRN_PE_EVENT_COUNTERS + 1];
    const size_t count = cairn_pmu_totals(&around->pe->pmu, totals);

    for (size_t i = 0; i < count; i++)
        around->counted[totals[i].counter] += totals[i].counted;
}

/* Firmware is there again, and so is the driver, which begins at the base. */
static void come_up(struct cairn_around *around)
{
    program(around);
    if (!around->settings.has_buffer || around->is_over)
        return;
    around->left += held(around);
    count_anew(around);
    program_buffer(around);
    cairn_unit_request_sync(around->pe->unit);
}

static void reset(void *context, enum cairn_reset kind, bool done)
{
    struct cairn_around *around = context;

    (void)kind;
    if (done) {
        come_up(around);
        return;
    }
    around->resets++;
    add_counted(around);
    if (!around->settings.has_buffer || around->is_over)
        return;
    settle(around);
    if (around->settings.buffer.stays)
        keep(around);
}

/* --- made and ended --- */

static cairn_status make(struct cairn_around *around, const struct cairn_unit_options *unit,
                         struct cairn_error *error)
{
    struct cairn_unit_options alone = *unit;
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    cairn_status status;

    alone.sink = NULL;
    options.unit = &alone;
    options.counters = CAIRN_PE_EVENT_COUNTERS;
    options.memory = remember;
    options.line = interrupt;
    options.reset = reset;
    options.context = around;
    status = cairn_pe_new(&options, &around->pe, error);
    if (status != CAIRN_OK)
        return status;
    cairn_pe_feed_tap(around->pe, unit->sink, unit->sink_context);
    if (around->settings.has_buffer) {
        status =
            cairn_recorded_source_beside(around->source, CAIRN_AROUND_MEMORY,
                                         (size_t)around->settings.buffer.size, &around->memory);
        if (status != CAIRN_OK)
            return cairn_fail(error, status,
                              "%s: no room in the recording's folder for the %llu bytes of its "
                              "trace buffer: give a smaller size to --trbe",
                              cairn_recorded_source_name(around->source),
                              (unsigned long long)around->settings.buffer.size);
    } else {
        cairn_pe_feed_debug(around->pe);
    }
    program(around);
    if (around->settings.has_buffer) {
        make_faults(around);
        program_buffer(around);
    }
    return around->programmed == CAIRN_OK
               ? CAIRN_OK
               : cairn_fail(error, around->programmed, "the PE could not be programmed");
}

cairn_status cairn_around_new(const struct cairn_around_settings *settings,
                              const struct cairn_unit_options *unit,
                              struct cairn_recorded_source *source, const char *core,
                              struct cairn_around **made, struct cairn_error *error)
{
    struct cairn_around *around = calloc(1, sizeof *around);
    cairn_status status;

    *made = NULL;
    if (!around)
        return cairn_fail(error, CAIRN_E_MEMORY, "out of memory");
    around->settings = *settings;
    around->source = source;
    around->core = core;
    around->protocol = unit->protocol;
    status = make(around, unit, error);
    if (status != CAIRN_OK) {
        cairn_around_free(around);
        return status;
    }
    *made = around;
    return CAIRN_OK;
}

struct cairn_processor cairn_around_processor(struct cairn_around *around)
{
    return cairn_processor_of_pe(around->pe);
}

void cairn_around_free(struct cairn_around *around)
{
    if (!around)
        return;
    cairn_pe_free(around->pe);
    if (around->memory)
        munmap(around->memory, (size_t)around->settings.buffer.size);
    free(around);
}

/* --- files --- */

struct text {
    char bytes[TEXT_MOST];
    size_t size;
};

static void say(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct text *text, const char *format, ...)
{
    va_list list;
    int length;

    va_start(list, format);
    length = vsnprintf(text->bytes + text->size, sizeof text->bytes - text->size, format, list);
    va_end(list);
    if (length > 0 && (size_t)length < sizeof text->bytes - text->size)
        text->size += (size_t)length;
}

static void write_text(const struct cairn_around *around, const char *suffix,
                       const struct text *text)
{
    uint8_t *mapped;

    if (cairn_recorded_source_beside(around->source, suffix, text->size, &mapped) != CAIRN_OK)
        return;
    memcpy(mapped, text->bytes, text->size);
    munmap(mapped, text->size);
}

static void write_registers(struct cairn_around *around, struct text *text)
{
    const struct cairn_around_buffer *buffer = &around->settings.buffer;
    const struct cairn_pe_trbe_counts *counts = &around->pe->lanes[0].trbe.counts;
    struct cairn_register value;

    say(text, "[source %s]\nprotocol=%s\ncore=%s\n", cairn_recorded_source_name(around->source),
        cairn_protocol_name(around->protocol), around->core);
    for (size_t i = 0; cairn_unit_register(around->pe->unit, i, &value) == CAIRN_OK; i++)
        say(text, "%s=0x%" PRIx64 "\n", value.name, value.value);
    if (around->settings.buffer.stays && around->resets > 0)
        say(text, "# these as they were in front of the reset, which makes them UNKNOWN\n");
    for (size_t i = 0; i < BUFFER_REGISTERS; i++)
        say(text, "%s=0x%" PRIx64 "\n", around->kept[i].name, around->kept[i].value);
    if (around->faults > 0)
        say(text,
            "# faults: %" PRIu64 ", of which software mended %" PRIu64 "; lost with them: %" PRIu64
            " bytes\n",
            around->faults, around->mended, counts->lost + around->discarded_with_faults);
    say(text, "# the session: where it began, and how often the pointer wrapped\n");
    say(text, "START=0x%" PRIx64 "\nLAPS=%" PRIu64 "\n", buffer->base,
        counts->wraps - around->wraps_before);
    if (buffer->has_trigger)
        say(text, "TRIGGER=0x%" PRIx64 "\n", buffer->trigger);
    say(text, "# address of the first byte of %s" CAIRN_AROUND_MEMORY "\nDUMP=0x%" PRIx64 "\n",
        cairn_recorded_source_name(around->source), buffer->base);
}

static uint64_t kept(const struct cairn_around *around, const char *name)
{
    for (unsigned i = 0; i < BUFFER_REGISTERS; i++)
        if (strcmp(buffer_registers[i], name) == 0)
            return around->kept[i].value;
    return 0;
}

static void write_counts(struct cairn_around *around, struct text *text)
{
    struct cairn_pmu_total totals[CAIRN_PE_EVENT_COUNTERS + 1];
    const struct cairn_pe_trbe_counts *counts = &around->pe->lanes[0].trbe.counts;
    const size_t count = cairn_pmu_totals(&around->pe->pmu, totals);

    if (around->settings.has_buffer)
        say(text,
            "[trbe]\nsize=%" PRIu64 "\nwritten=%" PRIu64 "\nlost=%" PRIu64 "\ncollected=%" PRIu64
            "\nwraps=%" PRIu64 "\ntriggers=%" PRIu64 "\ninterrupts=%" PRIu64 "\nemptied=%" PRIu64
            "\nTRBSR_EL1=0x%" PRIx64 "\nTRBPTR_EL1=0x%" PRIx64 "\n",
            around->settings.buffer.size, counts->written, counts->discarded + counts->lost,
            around->collected, counts->wraps, counts->triggers, around->interrupts, around->emptied,
            kept(around, "TRBSR_EL1"), kept(around, "TRBPTR_EL1"));
    if (around->settings.has_buffer && around->resets > 0)
        say(text, "resets=%" PRIu64 "\nleft=%" PRIu64 "\nsession=%" PRIu64 "\nstays=%d\n",
            around->resets, around->left, written(around) - around->written_before,
            around->settings.buffer.stays);
    if (around->settings.buffer.fault_count > 0)
        say(text, "faults=%" PRIu64 "\nmended=%" PRIu64 "\nlost_with_faults=%" PRIu64 "\n",
            around->faults, around->mended, counts->lost + around->discarded_with_faults);
    say(text, "[pmu]\n");
    for (size_t i = 0; i < count; i++)
        say(text, "%s=%" PRIu64 "\n", totals[i].name,
            around->counted[totals[i].counter] + totals[i].counted);
}

void cairn_around_end(struct cairn_around *around)
{
    struct text *text = calloc(1, sizeof *text);

    cairn_pe_settle(around->pe);
    if (around->settings.has_buffer && !around->is_over) {
        settle(around);
        keep(around);
    }
    if (!text)
        return;
    if (around->settings.has_buffer) {
        write_registers(around, text);
        write_text(around, CAIRN_AROUND_REGISTERS, text);
        text->size = 0;
    }
    write_counts(around, text);
    write_text(around, CAIRN_AROUND_COUNTS, text);
    free(text);
}
