/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/people.h"

#include <stdlib.h>
#include <string.h>

#include "report/data.h"
#include "report/event.h"
#include "report/people_state.h"

#define VTOR 0xe000ed08u /* Armv7-M B3.2.5 */

struct cairn_people *cairn_people_new(const struct cairn_people_options *options)
{
    struct cairn_people *const people = calloc(1, sizeof *people);

    if (!people)
        return NULL;
    people->options = *options;
    if (!people->options.style)
        people->options.style = cairn_style_plain();
    people->columns.style = people->options.style;
    people->columns.offsets = options->offsets;
    people->told.naming = cairn_naming_new();
    if (options->source_lines)
        people->sources = cairn_sources_new(options->paths, options->path_count);
    cairn_output_init(&people->told.scratch, -1);
    return people;
}

void cairn_people_free(struct cairn_people *people)
{
    if (!people)
        return;
    cairn_naming_free(people->told.naming);
    cairn_vectors_clear(&people->told.vectors);
    cairn_sources_free(people->sources);
    free(people);
}

void cairn_people_header(struct cairn_listing *listing)
{
    struct cairn_people *const people = listing->people;

    if (!people->header_due)
        return;
    people->header_due = false;
    cairn_columns_header(&people->columns, listing->output);
}

/* --- what waits */

static void begin_event(struct cairn_listing *listing, const struct cairn_origin *origin,
                        const struct cairn_moment *moment, bool wrong)
{
    struct cairn_people *const people = listing->people;
    const struct cairn_style *const style = people->columns.style;

    cairn_columns_write(&people->columns, listing->output, origin, moment);
    cairn_output_text(listing->output, wrong ? style->wrong : style->event);
    cairn_output_text(listing->output, "-- ");
}

static void end_line(struct cairn_listing *listing)
{
    cairn_output_text(listing->output, listing->people->columns.style->end);
    cairn_output_line(listing->output);
}

static void write_data(struct cairn_listing *listing, const struct cairn_people_event *event)
{
    struct cairn_people *const people = listing->people;

    cairn_columns_write(&people->columns, listing->output, &event->origin, &event->moment);
    for (unsigned i = 0; i < people->columns.address_width + 5; i++)
        cairn_output_char(listing->output, ' ');
    cairn_output_text(listing->output, people->columns.style->event);
    cairn_output_text(listing->output, "# ");
    cairn_output_text(listing->output, event->told.text);
    end_line(listing);
}

static void write_gaps(struct cairn_listing *listing)
{
    struct cairn_people *const people = listing->people;

    for (size_t i = 0; i < people->gaps.count; i++) {
        begin_event(listing, i ? NULL : &people->gap_origin, i ? NULL : &people->gap_moment, true);
        cairn_gaps_write(&people->gaps.list[i], &people->told, listing->output);
        end_line(listing);
    }
    cairn_gaps_clear(&people->gaps);
}

/* The event that led to where execution goes on; `event_count`: there is none. */
static size_t last_that_leads(const struct cairn_people *people)
{
    for (size_t i = people->event_count; i-- > 0;) {
        const struct cairn_people_event *const event = &people->events[i];
        if (event->kind == CAIRN_FLOW_TRACE_ON || event->kind == CAIRN_FLOW_OVERFLOW ||
            event->kind == CAIRN_FLOW_DISCARD) /* something may have run in between */
            break;
        if (event->told.kind != CAIRN_TOLD_WHOLE)
            return i;
    }
    return people->event_count;
}

void cairn_people_flush(struct cairn_listing *listing, const uint64_t *target)
{
    struct cairn_people *const people = listing->people;

    cairn_people_header(listing);
    if (people->holds)
        cairn_people_line(listing, &people->held);
    people->holds = false;
    const size_t last = last_that_leads(people);
    for (size_t i = 0; i < people->event_count; i++) {
        const struct cairn_people_event *const event = &people->events[i];
        if (event->kind == CAIRN_FLOW_DATA) {
            write_data(listing, event);
            continue;
        }
        begin_event(listing, &event->origin, &event->moment, event->told.wrong);
        cairn_told_write(&people->told, listing->output, &event->told,
                         event->leads ? &event->to
                         : i == last  ? target
                                      : NULL);
        end_line(listing);
    }
    people->event_count = 0;
    if (people->gaps.count)
        write_gaps(listing);
    people->marked = NULL;
}

/* --- records */

/* P0 elements that are events (DDI0608 D2.1.2). */
static bool is_p0(unsigned kind)
{
    switch (kind) {
    case CAIRN_FLOW_EXCEPTION:
    case CAIRN_FLOW_EXCEPTION_RETURN:
    case CAIRN_FLOW_FUNCTION_RETURN:
    case CAIRN_FLOW_TRANSACTION_START:
    case CAIRN_FLOW_Q: return true;
    default: return false;
    }
}

/* The P0 element that came last, or (`event`) an Event, if it still waits. */
static struct cairn_moment *latest_p0(struct cairn_people *people, bool event)
{
    for (size_t i = people->event_count; i-- > 0;)
        if (is_p0(people->events[i].kind) || (event && people->events[i].kind == CAIRN_FLOW_EVENT))
            return &people->events[i].moment;
    return people->holds ? &people->held.moment : NULL;
}

/* Where there is none: the line that was made last, or else the one that will be made next. */
static struct cairn_moment *latest(struct cairn_people *people)
{
    if (people->gaps.count)
        return &people->gap_moment;
    return people->event_count ? &people->events[people->event_count - 1].moment : &people->ahead;
}

/* A timestamp is that of the P0 or Event element before it, or before its marker (DDI0608 D2.4.2).
 */
static void take_timestamp(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                           size_t index)
{
    struct cairn_people *const people = listing->people;
    struct cairn_moment *moment = people->is_marked ? people->marked : latest_p0(people, true);
    const bool is_gone = people->is_marked && !moment;

    if (is_gone)
        moment = latest_p0(people, true);
    if (!moment)
        moment = latest(people);
    if (cairn_columns_timestamp(&people->columns, batch, index, moment))
        people->header_due = true;
    if (is_gone)
        moment->has |= CAIRN_MOMENT_TIME_ABOUT;
    people->is_marked = false;
}

/* A count is that of the instruction before, or of the one behind: docs/listing.md says why. */
static void take_cycles(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                        size_t index)
{
    struct cairn_people *const people = listing->people;
    struct cairn_moment *moment = people->columns.ahead ? &people->ahead : latest_p0(people, false);

    if (!moment)
        moment = latest(people);
    if (cairn_columns_cycles(&people->columns, batch, index, moment))
        people->header_due = true;
}

static void take_gap(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                     size_t index, const struct cairn_origin *origin)
{
    struct cairn_people *const people = listing->people;
    uint64_t target;

    if (!people->gaps.count) {
        const bool known = cairn_gaps_target(batch, index, &target);
        cairn_people_flush(listing, known ? &target : NULL);
        people->gap_origin = *origin;
        people->gap_moment = people->ahead;
        people->ahead.has = 0;
    }
    cairn_gaps_add(&people->gaps, batch, index);
    people->told.last.known = false;
}

/* With data trace the program may be seen to say where its vectors are. */
static void look_for_vectors(struct cairn_people *people, const struct cairn_flow_batch *batch,
                             size_t index)
{
    const unsigned wanted = CAIRN_FLOW_HAS_ADDRESS | CAIRN_FLOW_HAS_VALUE;

    if ((batch->flags[index] & wanted) == wanted &&
        cairn_flow_data_address(batch->address[index]) == VTOR &&
        CAIRN_FLOW_DATA_SIZE(batch->instructions[index]) == sizeof(uint32_t))
        cairn_vectors_moved(&people->told.vectors, people->told.code, batch->value[index]);
}

static struct cairn_people_event *new_event(struct cairn_listing *listing, unsigned kind,
                                            const struct cairn_origin *origin)
{
    struct cairn_people *const people = listing->people;

    if (people->event_count == CAIRN_PEOPLE_WAITING || people->gaps.count)
        cairn_people_flush(listing, NULL);
    struct cairn_people_event *const event = &people->events[people->event_count++];
    event->origin = *origin;
    event->kind = (uint8_t)kind;
    event->leads = false;
    event->moment = (struct cairn_moment){0};
    if (!people->columns.ahead) {
        event->moment = people->ahead;
        people->ahead.has = 0;
    }
    return event;
}

static void take_data(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                      size_t index, const struct cairn_origin *origin)
{
    struct cairn_people *const people = listing->people;
    struct cairn_people_event *const event = new_event(listing, CAIRN_FLOW_DATA, origin);
    struct cairn_output *const scratch = &people->told.scratch;
    struct cairn_data_line line;

    event->told = (struct cairn_told_event){.kind = CAIRN_TOLD_WHOLE};
    cairn_data_line(listing, batch, index, &line);
    scratch->used = 0;
    cairn_data_phrase(scratch, &line, batch, index, listing->last_address);
    const size_t size = sizeof event->told.text - 1;
    memcpy(event->told.text, scratch->buffer, scratch->used < size ? scratch->used : size);
    scratch->used = 0;
    look_for_vectors(people, batch, index);
}

static void take_event(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                       size_t index, const struct cairn_origin *origin)
{
    struct cairn_people *const people = listing->people;
    const size_t before = last_that_leads(people);
    const bool is_behind = before < people->event_count;
    struct cairn_people_event *const event = new_event(listing, batch->kind[index], origin);

    /* Nothing was executed in between: it was taken where the one before led. */
    if (batch->kind[index] == CAIRN_FLOW_EXCEPTION && is_behind && people->event_count > 1 &&
        !(batch->flags[index] & CAIRN_FLOW_UNKNOWN)) {
        people->events[before].leads = true;
        people->events[before].to = batch->address[index];
    }
    cairn_code_select(listing->code, origin->offset);
    cairn_told_event(&people->told, batch, index, &event->told);
    if (batch->kind[index] != CAIRN_FLOW_WARNING && batch->kind[index] != CAIRN_FLOW_CONTEXT)
        people->told.last.known = false;
}

static void take_range(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                       size_t index, const struct cairn_origin *origin)
{
    const uint64_t target = batch->address[index];

    cairn_people_flush(listing, &target);
    if (listing->detail == CAIRN_DETAIL_RANGES)
        cairn_people_range(listing, batch, index, origin);
    else
        cairn_people_instructions(listing, batch, index, origin);
}

static void people_flow(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                        size_t index, const struct cairn_origin *origin)
{
    switch (batch->kind[index]) {
    case CAIRN_FLOW_RANGE: take_range(listing, batch, index, origin); return;
    case CAIRN_FLOW_GAP: take_gap(listing, batch, index, origin); return;
    case CAIRN_FLOW_TIMESTAMP: take_timestamp(listing, batch, index); return;
    case CAIRN_FLOW_CYCLES: take_cycles(listing, batch, index); return;
    case CAIRN_FLOW_TIMESTAMP_MARKER:
        listing->people->is_marked = true;
        listing->people->marked = latest_p0(listing->people, true);
        return;
    case CAIRN_FLOW_SYNC: return; /* of the trace, not of what was executed */
    case CAIRN_FLOW_DATA: take_data(listing, batch, index, origin); return;
    default: take_event(listing, batch, index, origin); return;
    }
}

/* --- a source begins, goes on, ends */

static void people_heading(struct cairn_listing *listing)
{
    struct cairn_people *const people = listing->people;
    const struct cairn_style *const style = people->columns.style;
    const struct cairn_source_info *const source = listing->source;
    struct cairn_output *const output = listing->output;

    cairn_output_text(output, style->heading);
    cairn_source_write(output, source, listing->buffer);
    end_line(listing);
    listing->function = NULL;
    people->headed = false;
    people->object = NULL;
    if (people->begun || !listing->config)
        return;
    people->begun = true;
    people->header_due = true;
    people->told.config = listing->config;
    people->told.code = listing->code;
    people->told.vectors.registers = source->core_registers;
    people->told.vectors.register_count = source->core_register_count;
    if (cairn_config_arch(listing->config)->profile == CAIRN_PROFILE_M)
        people->told.last.isa = CAIRN_ISA_T32;
    cairn_columns_begin(&people->columns, listing->config, listing->detail);
}

static void people_pause(struct cairn_listing *listing)
{
    const struct cairn_people *const people = listing->people;

    if (people->begun && (people->holds || people->event_count || people->gaps.count))
        cairn_people_flush(listing, NULL);
}

/* A time or cycles for which no line came. */
static void people_end(struct cairn_listing *listing)
{
    struct cairn_people *const people = listing->people;

    people_pause(listing);
    if (!people->begun || !people->ahead.has)
        return;
    cairn_people_header(listing);
    begin_event(listing, NULL, &people->ahead, false);
    cairn_output_text(listing->output, "end of the trace");
    end_line(listing);
    people->ahead.has = 0;
}

static void people_note(struct cairn_listing *listing, const char *text)
{
    people_pause(listing);
    cairn_output_text(listing->output, "-- ");
    cairn_output_text(listing->output, text);
    cairn_output_line(listing->output);
}

const struct cairn_report cairn_report_people = {
    .name = "text",
    .heading = people_heading,
    .flow = people_flow,
    .note = people_note,
    .pause = people_pause,
    .end = people_end,
};
