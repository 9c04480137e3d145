/* SPDX-License-Identifier: BSD-2-Clause */
/* What was measured, added up by exception, function or pair. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "report/latency.h"

enum { CYCLES_AT = 0 };

/* --- groups --- */

static uint64_t address_of(const struct cairn_latency *latency, const struct cairn_call *call)
{
    struct cairn_calls_function function = {.size = sizeof function};

    if (call->function &&
        cairn_calls_function(latency->calls, call->function, &function) == CAIRN_OK &&
        function.name)
        return 0;
    return call->address; /* code without symbols is one function a file */
}

static bool is_wanted(const struct cairn_latency *latency, const struct cairn_latency_group *group)
{
    const struct cairn_function *const function = &latency->functions.list[group->function];

    if (!latency->exception)
        return true;
    if (group->exception && !strcasecmp(group->exception, latency->exception->text))
        return true;
    return group->function &&
           cairn_wanted_is(latency->exception, function->name, function->object, function->address);
}

/* The number that a function has in all that is told of it. */
static uint32_t number_of(struct cairn_latency *latency, uint32_t function)
{
    uint32_t same = function;

    if (function < latency->functions.count &&
        cairn_homes_function(&latency->homes, latency->space, &latency->functions, function, &same))
        latency->status = CAIRN_E_MEMORY;
    return same;
}

uint32_t cairn_latency_group(struct cairn_latency *latency, const struct cairn_call *call,
                             bool is_exception)
{
    const char *exception =
        is_exception ? cairn_exception_name(latency->config, call->exception) : NULL;
    const uint64_t address = address_of(latency, call);
    struct cairn_latency_group made = {
        .exception = exception,
        .kind = call->kind == CAIRN_CALL_SIGNAL ? CAIRN_CALL_SIGNAL : CAIRN_CALL_CALLED,
        .number = is_exception ? call->exception : 0,
        .function = number_of(latency, call->function),
        .address = address,
    };
    const uint32_t hash = cairn_table_hash((uint64_t)made.number << 32 | made.function, address);
    size_t at = cairn_table_begin(&latency->by_what, hash);
    uint32_t item;

    if (is_exception && made.kind != CAIRN_CALL_SIGNAL)
        made.kind = CAIRN_CALL_EXCEPTION;
    while ((item = cairn_table_next(&latency->by_what, hash, &at)) != CAIRN_TABLE_NONE) {
        const struct cairn_latency_group *group = &latency->groups[item];

        if (group->kind == made.kind && group->number == made.number &&
            group->function == made.function && group->address == made.address &&
            (group->exception == exception ||
             (exception && group->exception && !strcmp(group->exception, exception))))
            return item;
    }
    if (latency->group_count >= CAIRN_LATENCY_GROUPS_MAX)
        return CAIRN_LATENCY_GROUPS_MAX;
    if (latency->group_count == latency->group_capacity) {
        const uint32_t wanted = latency->group_capacity ? latency->group_capacity * 2 : 16;
        struct cairn_latency_group *grown =
            realloc(latency->groups, wanted * sizeof *latency->groups);

        if (!grown) {
            latency->status = CAIRN_E_MEMORY;
            return CAIRN_LATENCY_GROUPS_MAX;
        }
        latency->groups = grown;
        latency->group_capacity = wanted;
    }
    made.is_wanted = is_wanted(latency, &made);
    for (unsigned clock = 0; clock < CAIRN_CLOCKS; clock++)
        made.high[clock].rounds_up = true;
    latency->groups[latency->group_count] = made;
    if (cairn_table_add(&latency->by_what, hash, latency->group_count))
        latency->status = CAIRN_E_MEMORY;
    return latency->group_count++;
}

/* --- spans --- */

static uint64_t less(uint64_t value, uint64_t by)
{
    return value > by ? value - by : 0;
}

static struct cairn_latency_span instructions_of(const struct cairn_latency *latency,
                                                 const struct cairn_latency_sample *sample)
{
    const struct cairn_latency_point *from = &sample->from, *to = &sample->to;
    const bool is_own = sample->is_own || latency->without_exceptions;
    uint64_t count = is_own ? to->moment.instructions - from->moment.instructions
                            : to->moment.executed - from->moment.executed;

    if (latency->without_exceptions && sample->is_over_levels)
        return (struct cairn_latency_span){false, 0, UINT64_MAX};
    if (is_own ? from->holes != to->holes : from->all_holes != to->all_holes)
        return (struct cairn_latency_span){false, count, UINT64_MAX};
    if (latency->without_exceptions)
        count = less(count, to->excepted.instructions - from->excepted.instructions);
    return (struct cairn_latency_span){true, count, count};
}

/* Cycles of other threads are those that were told while they executed. */
static struct cairn_latency_span cycles_of(const struct cairn_latency *latency,
                                           const struct cairn_latency_sample *sample)
{
    const struct cairn_latency_point *from = &sample->from, *to = &sample->to;
    uint64_t apart = 0;

    if (sample->is_own || latency->without_exceptions)
        apart = less(to->moment.total_cycles - from->moment.total_cycles,
                     to->moment.cycles - from->moment.cycles);
    if (latency->without_exceptions)
        apart += to->excepted.cycles - from->excepted.cycles;
    if ((latency->without_exceptions && sample->is_over_levels) || !to->is_told[CYCLES_AT] ||
        !from->is_told[CYCLES_AT] || from->unknown[CYCLES_AT] == UINT64_MAX ||
        from->unknown[CYCLES_AT] != to->unknown[CYCLES_AT] ||
        (latency->without_exceptions && from->excepted.inexact != to->excepted.inexact))
        return (struct cairn_latency_span){false, 0, UINT64_MAX};
    return (struct cairn_latency_span){
        true, less(less(to->low[CYCLES_AT], from->high[CYCLES_AT]), apart),
        less(less(to->high[CYCLES_AT], from->low[CYCLES_AT]), apart)};
}

static bool is_switched(const struct cairn_latency_sample *sample)
{
    return sample->from.thread != sample->to.thread ||
           sample->to.moment.executed - sample->from.moment.executed !=
               sample->to.moment.instructions - sample->from.moment.instructions;
}

static struct cairn_latency_span time_of(const struct cairn_latency *latency,
                                         const struct cairn_latency_sample *sample)
{
    const struct cairn_latency_point *from = &sample->from, *to = &sample->to;
    const bool is_apart = sample->is_own || latency->without_exceptions;
    const bool excepts = from->excepted.inexact != to->excepted.inexact ||
                         from->excepted.instructions != to->excepted.instructions;

    if (!to->is_told[1] || !from->is_told[1] || from->unknown[1] == UINT64_MAX ||
        from->unknown[1] != to->unknown[1] || (is_apart && is_switched(sample)) ||
        (latency->without_exceptions && (excepts || sample->is_over_levels)))
        return (struct cairn_latency_span){false, 0, UINT64_MAX};
    return (struct cairn_latency_span){true, less(to->low[1], from->high[1]),
                                       less(to->high[1], from->low[1])};
}

/* --- counting --- */

static void note_from(struct cairn_latency_group *group, uint32_t function)
{
    for (uint32_t i = 0; i < group->from_count; i++)
        if (group->from[i].function == function) {
            group->from[i].count++;
            return;
        }
    if (group->from_count == CAIRN_LATENCY_FROM_MAX)
        group->from_others++;
    else
        group->from[group->from_count++] = (struct cairn_latency_from){function, 1};
}

static cairn_status note_worst(const struct cairn_latency *latency,
                               struct cairn_latency_group *group, unsigned clock,
                               const struct cairn_latency_sample *sample)
{
    struct cairn_latency_sample *list = group->worst[clock];
    uint32_t count = group->worst_count[clock];

    if (latency->worst == 0)
        return CAIRN_OK;
    if (!list) {
        list = group->worst[clock] = malloc(latency->worst * sizeof *list);
        if (!list)
            return CAIRN_E_MEMORY;
    }
    if (count == latency->worst && list[count - 1].span[clock].high >= sample->span[clock].high)
        return CAIRN_OK;
    if (count < latency->worst)
        group->worst_count[clock] = ++count;
    uint32_t at = count - 1;
    for (; at > 0 && list[at - 1].span[clock].high < sample->span[clock].high; at--)
        list[at] = list[at - 1];
    list[at] = *sample;
    return CAIRN_OK;
}

static cairn_status measure(struct cairn_latency *latency, struct cairn_latency_group *group,
                            const struct cairn_latency_sample *sample)
{
    cairn_status status = CAIRN_OK;

    for (unsigned clock = 0; clock < CAIRN_CLOCKS && !status; clock++) {
        const struct cairn_latency_span *span = &sample->span[clock];

        if (!span->is_known) {
            group->unknown[clock]++;
            continue;
        }
        group->inexact[clock] += span->low != span->high;
        status = cairn_spread_add(&group->low[clock], span->low);
        if (!status)
            status = cairn_spread_add(&group->high[clock], span->high);
        if (!status)
            status = note_worst(latency, group, clock, sample);
    }
    if (!status && sample->entry != UINT64_MAX)
        status = cairn_spread_add(&group->entry, sample->entry);
    if (!status && sample->back != UINT64_MAX)
        status = cairn_spread_add(&group->back, sample->back);
    return status;
}

static bool is_off(const struct cairn_latency *latency, const struct cairn_latency_sample *sample)
{
    return sample->is_own || latency->without_exceptions
               ? sample->from.off != sample->to.off
               : sample->from.all_off != sample->to.all_off;
}

cairn_status cairn_latency_count(struct cairn_latency *latency, struct cairn_latency_sample *sample)
{
    struct cairn_latency_group *group = &latency->groups[sample->group];
    cairn_status status = CAIRN_OK;

    sample->span[CAIRN_CLOCK_INSTRUCTIONS] = instructions_of(latency, sample);
    sample->span[CAIRN_CLOCK_CYCLES] = cycles_of(latency, sample);
    sample->span[CAIRN_CLOCK_TIME] = time_of(latency, sample);
    if (sample->end == CAIRN_LATENCY_UNSEEN)
        sample->span[CAIRN_CLOCK_INSTRUCTIONS].is_known = false;
    group->count++;
    group->ends[sample->end]++;
    if (latency->of == CAIRN_LATENCY_EXCEPTIONS && !latency->period)
        note_from(group, number_of(latency, sample->interrupted));
    if (sample->end == CAIRN_LATENCY_WHOLE || sample->end == CAIRN_LATENCY_UNSEEN) {
        group->with_off += is_off(latency, sample) && sample->end == CAIRN_LATENCY_WHOLE;
        group->switched += is_switched(sample);
        group->apart += is_switched(sample) && sample->is_own;
        status = measure(latency, group, sample);
    }
    if (latency->samples && group->is_wanted)
        cairn_latency_csv(latency, sample);
    return status;
}

static int compare_from(const void *a, const void *b)
{
    const struct cairn_latency_from *one = a, *other = b;

    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    return one->function < other->function ? -1 : one->function > other->function;
}

void cairn_latency_finish(struct cairn_latency *latency)
{
    for (uint32_t i = 0; i < latency->group_count; i++) {
        struct cairn_latency_group *group = &latency->groups[i];

        for (unsigned clock = 0; clock < CAIRN_CLOCKS; clock++) {
            cairn_spread_sort(&group->low[clock]);
            cairn_spread_sort(&group->high[clock]);
        }
        cairn_spread_sort(&group->entry);
        cairn_spread_sort(&group->back);
        qsort(group->from, group->from_count, sizeof *group->from, compare_from);
    }
}

enum cairn_call_clock cairn_latency_clock(const struct cairn_latency *latency)
{
    uint64_t known = 0, useful = 0;

    if (latency->has_clock[CAIRN_CLOCK_CYCLES])
        return CAIRN_CLOCK_CYCLES;
    for (uint32_t i = 0; i < latency->group_count; i++) {
        const struct cairn_spread *low = &latency->groups[i].low[CAIRN_CLOCK_TIME];

        known += latency->groups[i].count;
        useful += cairn_spread_between(low, 1, 0);
    }
    /* Timestamps that stand too far apart tell that most took anything from nothing on. */
    return latency->has_clock[CAIRN_CLOCK_TIME] && useful * 2 >= known && known
               ? CAIRN_CLOCK_TIME
               : CAIRN_CLOCK_INSTRUCTIONS;
}

/* --- names --- */

const char *cairn_latency_function(struct cairn_latency *latency, uint32_t function,
                                   char text[CAIRN_CALL_NAME])
{
    const struct cairn_function *of =
        function && function < latency->functions.count ? &latency->functions.list[function] : NULL;
    const char *slash = of && of->object ? strrchr(of->object, '/') : NULL;

    if (of && of->name) {
        snprintf(text, CAIRN_CALL_NAME, "%.480s", cairn_naming_whole(latency->naming, of->name));
        return text;
    }
    if (!of || !of->object)
        return "[unknown]";
    snprintf(text, CAIRN_CALL_NAME, "[%.480s]", slash ? slash + 1 : of->object);
    return text;
}

const char *cairn_latency_end_word(uint32_t end)
{
    static const char *const words[CAIRN_LATENCY_ENDS] = {
        "whole", "cut", "open", "running", "left", "again", "unseen", "cut_by_switch"};

    return end < CAIRN_LATENCY_ENDS ? words[end] : "other";
}

const char *cairn_latency_kind(const struct cairn_latency *latency,
                               const struct cairn_latency_group *group)
{
    static const char *const of[] = {"exception", "function", "pair"};

    return group->kind == CAIRN_CALL_SIGNAL ? "signal" : of[latency->of];
}

/* --- all samples --- */

void cairn_latency_csv_head(struct cairn_latency *latency)
{
    cairn_output_text(latency->samples,
                      "source,vmid,context_id,exception,function,interrupted,end,began,ended,"
                      "from_offset,to_offset,instructions,cycles_low,cycles_high,time_low,"
                      "time_high,entry_cycles,return_cycles,kind,with_untraced");
    cairn_output_line(latency->samples);
}

/* Names of C++ have commas. */
static void put_csv(struct cairn_output *output, const char *text)
{
    cairn_output_char(output, '"');
    for (; *text; text++) {
        if (*text == '"')
            cairn_output_char(output, '"');
        cairn_output_char(output, *text == '\n' || *text == '\r' ? ' ' : *text);
    }
    cairn_output_char(output, '"');
}

static void put_span(struct cairn_output *output, const struct cairn_latency_sample *sample,
                     unsigned clock)
{
    const struct cairn_latency_span *span = &sample->span[clock];
    const bool known = span->is_known &&
                       (sample->end == CAIRN_LATENCY_WHOLE || sample->end == CAIRN_LATENCY_UNSEEN);

    if (known)
        cairn_output_format(output, ",%" PRIu64, span->low);
    else
        cairn_output_char(output, ',');
    if (clock == CAIRN_CLOCK_INSTRUCTIONS)
        return;
    if (known)
        cairn_output_format(output, ",%" PRIu64, span->high);
    else
        cairn_output_char(output, ',');
}

void cairn_latency_csv(struct cairn_latency *latency, const struct cairn_latency_sample *sample)
{
    const struct cairn_latency_group *group = &latency->groups[sample->group];
    struct cairn_output *output = latency->samples;
    char text[CAIRN_CALL_NAME];

    put_csv(output, sample->source);
    cairn_output_format(output, ",%" PRIu32 ",%" PRIu32 ",", sample->vmid, sample->context_id);
    put_csv(output, group->exception ? group->exception : "");
    cairn_output_char(output, ',');
    put_csv(output, group->function ? cairn_latency_function(latency, group->function, text) : "");
    cairn_output_char(output, ',');
    put_csv(output,
            sample->interrupted ? cairn_latency_function(latency, sample->interrupted, text) : "");
    cairn_output_format(output, ",%s,%" PRIu64 ",%" PRIu64 ",0x%" PRIx64 ",0x%" PRIx64,
                        cairn_latency_end_word(sample->end), sample->from.moment.executed,
                        sample->to.moment.executed, sample->from.offset, sample->to.offset);
    for (unsigned clock = 0; clock < CAIRN_CLOCKS; clock++)
        put_span(output, sample, clock);
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t cycles = i ? sample->back : sample->entry;

        cairn_output_char(output, ',');
        if (cycles != UINT64_MAX)
            cairn_output_decimal(output, cycles);
    }
    cairn_output_format(output, ",%s,%d", cairn_latency_kind(latency, group),
                        is_off(latency, sample));
    cairn_output_line(output);
}
