/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace units that AUXTRACE_INFO of cs_etm describes, header versions 0 to 2. */
#include <string.h>

#include "capture/perf/trace.h"
#include "capture/trace_unit.h"

#define INFO_CS_ETM 3u
enum { AT_TYPE = 0, AT_HEADER = 8 };

/* Words of the header, and in front of a block's registers: magic, CPU, from version 1 on how many follow. */
#define HEADER_WORDS 3u
#define COUNT_MASK UINT64_C(0xffffffff)
#define MAGIC_ETMV3 UINT64_C(0x3030303030303030)
#define MAGIC_ETMV4 UINT64_C(0x4040404040404040)
#define MAGIC_ETE UINT64_C(0x5050505050505050)

/* Of the register that holds the trace ID: it is the one that older kernels give the CPU. A newer one tells another by an
 * AUX_OUTPUT_HW_ID record; perf of 6.2 to 6.10 does not know which it will be, and the next ones set no flag any more. */
#define ID_UNSURE (UINT64_C(1) << 31)
#define ID_MASK 0x7fu
#define ID_MOST 0x6fu

/* The registers of a block in their order. What a newer perf has behind them is not looked at. */
struct layout {
    uint64_t magic;
    const char *type;
    unsigned count; /* of names; and of words in a block of version 0 */
    const char *names[CAIRN_PERF_REGISTERS_MOST];
};

static const struct layout layouts[] = {
    {MAGIC_ETMV3, "ETMv3", 4, {"ETMCR", "ETMTRACEIDR", "ETMCCER", "ETMIDR"}},
    {MAGIC_ETMV4,
     "ETMv4",
     7,
     {"TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCAUTHSTATUS"}},
    {MAGIC_ETE,
     "ETE",
     8,
     {"TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCAUTHSTATUS",
      "TRCDEVARCH"}},
};
/* A word behind them: what timestamps are made of. */
#define TIME_VIRTUAL 1u /* CNTVCT */
#define ID_AT 1u        /* of all of them: the register with the trace ID */

static const struct layout *layout_of(uint64_t magic)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].magic == magic)
            return &layouts[i];
    return NULL;
}

static uint64_t word(const struct cairn_perf *perf, const uint8_t *words, size_t n)
{
    return cairn_perf_u64(perf, words + 8 * n);
}

static int id_of(uint64_t value)
{
    const unsigned id = (unsigned)(value & ID_MASK);

    return !id || id > ID_MOST ? -1 : (int)id;
}

static void add_core(struct cairn_perf_trace *trace, const struct cairn_perf *perf,
                     const struct layout *layout, uint32_t cpu, const uint8_t *words, size_t count)
{
    struct cairn_perf_core core = {
        .cpu = cpu, .protocol = cairn_protocol_of_type(layout->type), .trace_id = -1};

    for (size_t i = 0; i < layout->count && i < count; i++) {
        const uint64_t value = word(perf, words, i);

        if (i == ID_AT) {
            core.trace_id = id_of(value);
            core.is_id_unsure = core.trace_id < 0 || (value & ID_UNSURE);
        }
        if (i == ID_AT && core.is_id_unsure)
            continue; /* the register is told when the ID is */
        core.registers[core.register_count++] =
            (struct cairn_register){.name = layout->names[i], .value = value};
    }
    core.has_system_time = layout->magic != MAGIC_ETMV3 && count > layout->count &&
                           word(perf, words, layout->count) == TIME_VIRTUAL;
    if (cairn_perf_room(trace, (void **)&trace->cores, trace->core_count, &trace->core_room,
                        sizeof *trace->cores, CAIRN_PERF_CORES_MOST))
        trace->cores[trace->core_count++] = core;
}

/* A block; returns how many words it has, 0: it cannot be told, or they are not all there. */
static size_t take_block(struct cairn_perf_trace *trace, const struct cairn_perf *perf,
                         const uint8_t *words, size_t left)
{
    const size_t front = trace->version ? 3 : 2;

    if (left < front)
        return 0;
    const struct layout *layout = layout_of(word(perf, words, 0));
    const uint64_t count = trace->version ? word(perf, words, 2) : layout ? layout->count : left;
    if (count > left - front)
        return 0;
    if (layout)
        add_core(trace, perf, layout, (uint32_t)word(perf, words, 1), words + 8 * front,
                 (size_t)count);
    else
        trace->unknown_cores++;
    return front + (size_t)count;
}

void cairn_perf_take_info(struct cairn_perf_trace *trace, const struct cairn_perf *perf,
                          const struct cairn_perf_record *record)
{
    if (record->size < AT_HEADER) {
        trace->unknown_cores++;
        return;
    }
    trace->has_info = true;
    trace->is_foreign = cairn_perf_u32(perf, record->bytes + AT_TYPE) != INFO_CS_ETM;
    if (trace->is_foreign)
        return;
    if (record->size < AT_HEADER + 8u * HEADER_WORDS) {
        trace->unknown_cores++;
        return;
    }
    const uint8_t *words = record->bytes + AT_HEADER;
    const size_t count = (record->size - AT_HEADER) / 8;
    trace->version = (uint32_t)word(perf, words, 0);
    trace->event_type = (uint32_t)(word(perf, words, 1) >> 32);
    const uint64_t cores = word(perf, words, 1) & COUNT_MASK;
    size_t at = HEADER_WORDS;

    trace->core_count = 0;
    trace->unknown_cores = 0;
    for (uint64_t i = 0; i < cores && at < count; i++) {
        const size_t words_taken = take_block(trace, perf, words + 8 * at, count - at);

        if (!words_taken) {
            trace->unknown_cores++;
            break;
        }
        at += words_taken;
    }
}

/* shift, multiplier, time of 0; then of a counter of few bits a count, a mask, and whether these are known. */
enum {
    CLOCK_SIZE = 24,
    CLOCK_AT_COUNT = 24,
    CLOCK_AT_MASK = 32,
    CLOCK_AT_IS_KNOWN = 40, /* the two flags of it are bytes */
    CLOCK_AT_IS_SHORT = 41,
};

void cairn_perf_take_clock(struct cairn_perf_trace *trace, const struct cairn_perf *perf,
                           const struct cairn_perf_record *record)
{
    const uint8_t *const bytes = record->bytes;

    if (record->size < CLOCK_SIZE ||
        (record->size > CLOCK_AT_IS_KNOWN && !bytes[CLOCK_AT_IS_KNOWN]))
        return;
    struct cairn_clock_info clock = {
        .size = sizeof clock,
        .shift = cairn_perf_u64(perf, bytes),
        .multiplier = cairn_perf_u64(perf, bytes + 8),
        .zero = cairn_perf_u64(perf, bytes + 16),
        .counter_mask = UINT64_MAX,
    };
    if (record->size > CLOCK_AT_IS_SHORT && bytes[CLOCK_AT_IS_SHORT]) {
        clock.counter = cairn_perf_u64(perf, bytes + CLOCK_AT_COUNT);
        clock.counter_mask = cairn_perf_u64(perf, bytes + CLOCK_AT_MASK);
    }
    trace->has_clock = clock.shift < 64 && clock.multiplier;
    if (trace->has_clock)
        trace->clock = clock;
}

bool cairn_perf_has_clock(const struct cairn_perf_trace *trace)
{
    bool all = trace->core_count != 0;

    for (size_t i = 0; i < trace->core_count; i++)
        all &= trace->cores[i].has_system_time;
    return all && trace->has_clock;
}

/* hw_id: [7:0] the trace ID, from minor version 1 on [39:8] which sink it is for, [59:56] and [63:60] the minor and
 * major version of this, of which major 0 is known. */
#define HW_ID_SINK_SHIFT 8
#define HW_ID_MINOR_SHIFT 56
#define HW_ID_MINOR_MASK 0xfu
#define HW_ID_MAJOR_SHIFT 60

void cairn_perf_take_hardware_id(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                                 const struct cairn_perf_record *record)
{
    struct cairn_perf_sample_id from;

    if (record->size < 8 || !cairn_perf_identify(perf, record, &from))
        return;
    cairn_perf_find_cpu(trace, &from);
    if (!from.has_cpu)
        return;
    const uint64_t value = cairn_perf_u64(perf, record->bytes);
    const int id = id_of(value & 0xff);
    if (value >> HW_ID_MAJOR_SHIFT || id < 0)
        return;
    size_t at = 0;
    while (at < trace->id_count && trace->ids[at].cpu != from.cpu)
        at++;
    if (!cairn_perf_room(trace, (void **)&trace->ids, at, &trace->id_room, sizeof *trace->ids,
                         CAIRN_PERF_CORES_MOST))
        return;
    trace->id_count = at < trace->id_count ? trace->id_count : at + 1;
    trace->ids[at] = (struct cairn_perf_told_id){
        .cpu = from.cpu,
        .trace_id = id,
        .has_sink = (value >> HW_ID_MINOR_SHIFT & HW_ID_MINOR_MASK) != 0,
        .sink = (uint32_t)(value >> HW_ID_SINK_SHIFT),
    };
}

void cairn_perf_settle_ids(struct cairn_perf_trace *trace)
{
    for (size_t i = 0; i < trace->core_count; i++) {
        struct cairn_perf_core *const core = &trace->cores[i];

        for (size_t n = 0; n < trace->id_count; n++) {
            const struct cairn_perf_told_id *const told = &trace->ids[n];

            if (told->cpu != core->cpu)
                continue;
            core->trace_id = told->trace_id;
            core->is_id_told = true;
            core->has_sink = told->has_sink;
            core->sink = told->sink;
        }
    }
}
