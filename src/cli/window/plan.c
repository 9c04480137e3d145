/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/window/plan.h"

#include <stdlib.h>
#include <string.h>

#include "cli/window/held.h"

/* Bytes of the source that are looked at first, and how many times as many each time after. */
#define BACK_FIRST ((uint64_t)64 << 10)
#define BACK_TIMES 4u
/* Behind so many without an event, counting is quicker. */
#define BACK_OF_EVENTS ((uint64_t)1 << 20)
#define EVENTS_MOST 65536u /* whose places counting remembers */

/* Sources of fewer bytes are read through for --between; of others so many places are looked at to
 * see that timestamps rise, and then ever fewer bytes. */
#define TIMES_LEAST ((uint64_t)16 << 20)
#define TIMES_PLACES 16u
#define TIMES_NEAR ((uint64_t)256 << 10)

struct cairn_pipeline_options cli_plan_pipeline(const struct cli_plan_of *of, uint64_t from,
                                                uint32_t flags)
{
    const struct cli_options *options = of->session->options;
    size_t sources = options->merge && of->session->source_count ? of->session->source_count : 1;
    /* Merged sources are decoded side by side, and share the threads. */
    const size_t jobs = options->jobs / sources;
    const bool selects =
        of->level == CAIRN_LEVEL_FLOW && of->choice && of->choice->kind == CLI_CHOICE_FUNCTION;

    if (selects)
        flags |= CAIRN_PIPELINE_COUNTS;
    return (struct cairn_pipeline_options){
        .size = sizeof(struct cairn_pipeline_options),
        .level = of->level,
        .flags = flags | (options->reference ? CAIRN_PIPELINE_REFERENCE : 0),
        .jobs = jobs ? (uint32_t)jobs : 1,
        .table_bytes = options->table_bytes,
        .progress = cli_progress_watch,
        .context = of->progress,
        .from = from,
        .wants = selects ? cli_choice_wants : NULL,
        .wants_context = (void *)of->choice,
    };
}

static cairn_status open_pipeline(const struct cli_plan_of *of, uint64_t from, uint32_t flags,
                                  struct cairn_pipeline **pipeline, struct cairn_error *error)
{
    struct cairn_capture *capture = of->session->capture;
    const struct cairn_pipeline_options wanted = cli_plan_pipeline(of, from, flags);

    return cairn_pipeline_new(capture, of->source, of->config, cairn_capture_image(capture),
                              &wanted, pipeline, error);
}

/* --- the source's size --- */

static int watch_size(void *context, uint64_t done, uint64_t total)
{
    (void)total;
    return cli_progress_watch(context, done);
}

static cairn_status size_of(const struct cli_plan_of *of, uint64_t *size, struct cairn_error *error)
{
    struct cairn_reader *reader;
    cairn_status status = cairn_reader_new(of->session->capture, of->source, &reader, error);

    if (status)
        return status;
    status = cairn_reader_size(reader, watch_size, of->progress, size);
    cairn_reader_free(reader);
    return status;
}

static uint64_t from_the_end(uint64_t size, uint64_t back)
{
    return size > back ? size - back : 0;
}

/* --- counting --- */

struct count {
    uint64_t units;
    uint64_t context; /* instructions before the first unit that is listed */
    bool whole;       /* all before was decoded as well: this source cannot be begun in the midst */
};

/* Units of packets, elements and data transfers: records. */
static uint64_t count_records(const struct cli_plan_of *of, const struct cairn_pipeline *pipeline,
                              uint64_t from, uint64_t to, bool *live)
{
    const struct cairn_packet_batch *packets = cairn_pipeline_packets(pipeline);
    const struct cairn_element_batch *elements = cairn_pipeline_elements(pipeline);
    const struct cairn_flow_batch *flow =
        of->level == CAIRN_LEVEL_FLOW ? cairn_pipeline_flow(pipeline) : NULL;
    const size_t count = packets ? packets->count : elements ? elements->count : flow->count;
    const uint64_t *offset = packets ? packets->offset : elements ? elements->offset : flow->offset;
    uint64_t units = 0;

    for (size_t i = 0; i < count; i++) {
        *live = *live || offset[i] >= from;
        units += *live && offset[i] < to && (!flow || flow->kind[i] == CAIRN_FLOW_DATA);
    }
    return units;
}

static bool is_of_records(const struct cli_plan_of *of)
{
    return of->level != CAIRN_LEVEL_FLOW || of->session->options->detail == CLI_DETAIL_DATA;
}

static void count_flow(struct cli_window *window, const struct cairn_flow_batch *batch, uint64_t to)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->offset[i] < to)
            cli_window_take(window, batch, i);
}

static uint64_t last_offset(const struct cairn_pipeline *pipeline, enum cairn_level level)
{
    if (level == CAIRN_LEVEL_PACKETS) {
        const struct cairn_packet_batch *batch = cairn_pipeline_packets(pipeline);
        return batch->count ? batch->offset[batch->count - 1] : UINT64_MAX;
    }
    if (level != CAIRN_LEVEL_FLOW) {
        const struct cairn_element_batch *batch = cairn_pipeline_elements(pipeline);
        return batch->count ? batch->offset[batch->count - 1] : UINT64_MAX;
    }
    const struct cairn_flow_batch *batch = cairn_pipeline_flow(pipeline);
    return batch->count ? batch->offset[batch->count - 1] : UINT64_MAX;
}

/* Counts from `from` on; `skip` is what will be left out. */
static cairn_status count_from(const struct cli_plan_of *of, uint64_t from, uint64_t to,
                               uint64_t skip, struct count *count, struct cairn_error *error)
{
    struct cli_window window = {.from = from, .skip = skip, .most = UINT64_MAX};
    struct cairn_pipeline *pipeline;
    bool live = false;
    uint64_t last;
    cairn_status status = open_pipeline(of, from, CAIRN_PIPELINE_OWN_TOTALS, &pipeline, error);

    *count = (struct count){0};
    if (status)
        return status;
    status = cli_window_begin(&window, of->choice, of->config, of->code, NULL);
    do {
        if (!status)
            status = cairn_pipeline_next(pipeline);
        last = status ? UINT64_MAX : last_offset(pipeline, of->level);
        if (last == UINT64_MAX || cli_interrupted())
            break;
        if (is_of_records(of))
            count->units += count_records(of, pipeline, from, to, &live);
        else
            count_flow(&window, cairn_pipeline_flow(pipeline), to);
    } while (last < to || last - to < CLI_LATE_BYTES);
    count->whole = from > 0 && cairn_pipeline_ledger(pipeline)->total >= from;
    if (!is_of_records(of)) {
        count->units = window.units;
        count->context = window.first_context;
    }
    cli_window_end(&window);
    cairn_pipeline_free(pipeline);
    return status;
}

/* --- the last ones --- */

/* Whether what was counted behind some place is what is listed, and more: `most` of the units are
 * wanted. A part that begins with the place's own first record might go on before it. */
static cairn_status has_enough(const struct cli_plan_of *of, uint64_t from, uint64_t to,
                               uint64_t most, struct count *count, bool *enough,
                               struct cairn_error *error)
{
    const uint64_t more = of->session->options->detail == CLI_DETAIL_DATA ? CLI_HELD_MOST : 1;
    cairn_status status = CAIRN_OK;

    if (of->choice->kind < CLI_CHOICE_ADDRESS) {
        *enough = count->units >= more && count->units - more >= most;
        return CAIRN_OK;
    }
    *enough = false;
    if (count->units < most)
        return CAIRN_OK;
    status = count_from(of, from, to, count->units - most, count, error);
    *enough = count->context >= of->choice->context;
    return status;
}

/* Looks for the last `most` units before `to`, from the byte before `anchor` back to `plan->from`. */
static cairn_status look_back(const struct cli_plan_of *of, struct cli_plan *plan, uint64_t anchor,
                              uint64_t most, uint64_t back_most, struct cairn_error *error)
{
    const uint64_t lowest = plan->from;
    uint64_t back = BACK_FIRST;
    struct count count = {0};
    bool enough = false;
    cairn_status status = CAIRN_OK;

    while (!status && !enough && !cli_interrupted()) {
        plan->from = anchor > back && anchor - back > lowest ? anchor - back : lowest;
        status = count_from(of, plan->from, plan->to, 0, &count, error);
        if (!status)
            status = has_enough(of, plan->from, plan->to, most, &count, &enough, error);
        if (plan->from == lowest || (back >= back_most && !count.units))
            break;
        back = count.whole || back > UINT64_MAX / BACK_TIMES ? UINT64_MAX : back * BACK_TIMES;
    }
    plan->skip = count.units > most ? count.units - most : 0;
    if (!enough && plan->from != lowest) {
        plan->from = lowest;
        plan->most = 0; /* none was found as far as it looked */
    }
    return status;
}

/* Offsets of the last events that are looked for, in a ring. */
struct events {
    uint64_t offset[EVENTS_MOST];
    uint64_t count;
};

/* Finds them by counting. */
static cairn_status find_events(const struct cli_plan_of *of, const struct cli_plan *plan,
                                struct events *events, struct cairn_error *error)
{
    struct cli_window window = {.from = plan->from, .most = UINT64_MAX};
    struct cairn_pipeline *pipeline;
    cairn_status status = open_pipeline(
        of, plan->from, CAIRN_PIPELINE_OWN_TOTALS | CAIRN_PIPELINE_COUNTS, &pipeline, error);

    if (status)
        return status;
    status = cli_window_begin(&window, of->choice, of->config, of->code, NULL);
    while (!status && !cli_interrupted()) {
        status = cairn_pipeline_next(pipeline);
        const struct cairn_flow_batch *batch = cairn_pipeline_flow(pipeline);
        if (status || !batch->count)
            break;
        for (size_t i = 0; i < batch->count; i++) {
            const uint64_t before = window.units;
            if (batch->kind[i] != CAIRN_FLOW_EXCEPTION || batch->offset[i] >= plan->to)
                continue;
            cli_window_take(&window, batch, i);
            if (window.units > before)
                events->offset[events->count++ % EVENTS_MOST] = batch->offset[i];
        }
    }
    cli_window_end(&window);
    cairn_pipeline_free(pipeline);
    return status;
}

/* The last events of a source in whose last bytes there are none. */
static cairn_status look_for_events(const struct cli_plan_of *of, struct cli_plan *plan,
                                    uint64_t most, struct cairn_error *error)
{
    struct events *events = calloc(1, sizeof *events);
    cairn_status status = events ? find_events(of, plan, events, error) : CAIRN_E_MEMORY;

    if (!status && events->count) {
        const uint64_t wanted = most < events->count ? most : events->count;
        const uint64_t kept = wanted < EVENTS_MOST ? wanted : EVENTS_MOST;
        plan->most = UINT64_MAX;
        status = look_back(of, plan, events->offset[(events->count - kept) % EVENTS_MOST] + 1, most,
                           UINT64_MAX, error);
    }
    free(events);
    return status;
}

/* A program that ended by a signal: 128 and its number, as shells count it. */
static bool was_killed(const struct cli_plan_of *of)
{
    struct cairn_program_info program = {.size = sizeof program};

    return !cairn_capture_program(of->session->capture, &program) && program.exit_status > 128;
}

/* The instructions before the end, as for --last. */
static cairn_status plan_end(const struct cli_plan_of *of, struct cli_plan *plan, uint64_t lowest,
                             uint64_t size, struct cairn_error *error)
{
    const struct cli_choice all = {.kind = CLI_CHOICE_ALL};
    struct cli_plan_of end = *of;

    end.choice = &all;
    plan->from = lowest;
    plan->most = UINT64_MAX;
    plan->crashed = true;
    return look_back(&end, plan, plan->to < size ? plan->to : size, of->choice->context, UINT64_MAX,
                     error);
}

static cairn_status plan_last(const struct cli_plan_of *of, struct cli_plan *plan, uint64_t most,
                              uint64_t size, struct cairn_error *error)
{
    const bool events = cli_choice_is_of_events(of->choice);
    const uint64_t lowest = plan->from;
    cairn_status status = look_back(of, plan, plan->to < size ? plan->to : size, most,
                                    events ? BACK_OF_EVENTS : UINT64_MAX, error);

    if (!status && events && plan->most == 0)
        status = look_for_events(of, plan, most, error);
    if (!status && of->choice->kind == CLI_CHOICE_CRASH && was_killed(of)) {
        struct count count;
        status = plan->most ? count_from(of, plan->from, plan->to, 0, &count, error) : CAIRN_OK;
        if (!status && (!plan->most || !count.units))
            status = plan_end(of, plan, lowest, size, error);
    }
    return status;
}

/* --- times --- */

/* The first timestamp of a packet at `from` or behind it; UINT64_MAX: there is none. */
static cairn_status time_behind(const struct cli_plan_of *of, uint64_t from, uint64_t *time,
                                struct cairn_error *error)
{
    struct cli_plan_of packets = *of;
    struct cairn_pipeline *pipeline;

    packets.level = CAIRN_LEVEL_PACKETS;
    *time = UINT64_MAX;
    cairn_status status = open_pipeline(&packets, from, 0, &pipeline, error);
    if (status)
        return status;
    while (!status && *time == UINT64_MAX && !cli_interrupted()) {
        status = cairn_pipeline_next(pipeline);
        const struct cairn_packet_batch *batch = cairn_pipeline_packets(pipeline);
        if (status || !batch->count)
            break;
        for (size_t i = 0; i < batch->count && *time == UINT64_MAX; i++) {
            const struct cairn_packet_fields *fields = cairn_packet_fields_at(batch, i);
            if (batch->offset[i] >= from && fields->flags & CAIRN_PACKET_HAS_TIMESTAMP &&
                fields->value)
                *time = fields->value;
        }
    }
    cairn_pipeline_free(pipeline);
    return status;
}

/* Whether timestamps rise, as far as some places tell. */
static cairn_status do_times_rise(const struct cli_plan_of *of, uint64_t size, bool *rise,
                                  struct cairn_error *error)
{
    uint64_t last = 0;
    cairn_status status = CAIRN_OK;

    *rise = true;
    for (uint64_t i = 0; i < TIMES_PLACES && *rise && !status; i++) {
        uint64_t time;
        status = time_behind(of, size / TIMES_PLACES * i, &time, error);
        *rise = time >= last;
        last = time;
    }
    return status;
}

/* A place before the first timestamp that is wanted, by halving. */
static cairn_status plan_times(const struct cli_plan_of *of, struct cli_plan *plan, uint64_t size,
                               struct cairn_error *error)
{
    uint64_t low = plan->from, high = plan->to < size ? plan->to : size;
    cairn_status status;

    if (size < TIMES_LEAST)
        return CAIRN_OK;
    status = do_times_rise(of, size, &plan->rises, error);
    while (!status && plan->rises && high > low && high - low > TIMES_NEAR) {
        const uint64_t middle = low + (high - low) / 2;
        uint64_t time;

        status = time_behind(of, middle, &time, error);
        if (time < of->choice->time_from)
            low = middle;
        else
            high = middle;
    }
    plan->from = low;
    return status;
}

/* --- all of it --- */

static cairn_status resolve_offsets(const struct cli_plan_of *of, struct cli_plan *plan,
                                    uint64_t *size, struct cairn_error *error)
{
    const struct cli_options *options = of->session->options;
    const bool needed = options->from_the_end || options->to_the_end || options->part.last ||
                        of->choice->kind == CLI_CHOICE_CRASH || of->choice->between;
    cairn_status status = needed ? size_of(of, size, error) : CAIRN_OK;

    if (status)
        return status;
    plan->from = options->from_the_end ? from_the_end(*size, options->from) : options->from;
    plan->to = options->to_the_end ? from_the_end(*size, options->to) : options->to;
    return CAIRN_OK;
}

cairn_status cli_plan_make(const struct cli_plan_of *of, struct cli_plan *plan,
                           struct cairn_error *error)
{
    const struct cli_part *part = &of->session->options->part;
    uint64_t last = part->last;
    uint64_t size = UINT64_MAX;
    cairn_status status;

    *plan = (struct cli_plan){.to = UINT64_MAX, .most = UINT64_MAX};
    status = resolve_offsets(of, plan, &size, error);
    plan->part = part->last || part->first || of->choice->kind || of->choice->between;
    if (status || !plan->part)
        return status;
    if (of->choice->between)
        status = plan_times(of, plan, size, error);
    if (of->choice->kind == CLI_CHOICE_CRASH && !last)
        last = 1;
    if (!status && last)
        status = plan_last(of, plan, last, size, error);
    if (part->first && plan->most > part->first)
        plan->most = part->first;
    return status;
}

/* --- what was asked for --- */

static bool choose_around(struct cli_session *session, struct cli_choice *choice, const char *event)
{
    static const char named[] = "exception=";

    if (!strcmp(event, "crash")) {
        choice->kind = CLI_CHOICE_CRASH;
    } else if (!strcmp(event, "exception")) {
        choice->kind = CLI_CHOICE_EXCEPTION;
    } else if (!strncmp(event, named, sizeof named - 1)) {
        choice->kind = CLI_CHOICE_EXCEPTION;
        choice->exception = event + sizeof named - 1;
    } else {
        choice->kind = CLI_CHOICE_ADDRESS;
        return cli_where(session, "around", event, &choice->places, &choice->place_count);
    }
    return true;
}

bool cli_choice_make(struct cli_session *session, struct cli_choice *choice)
{
    const struct cli_part *part = &session->options->part;

    *choice = (struct cli_choice){
        .context = part->has_context ? part->context : CLI_AROUND_CONTEXT,
        .between = part->between,
        .time_from = part->time_from,
        .time_to = part->time_to,
    };
    if (part->function) {
        choice->kind = CLI_CHOICE_FUNCTION;
        return cli_where(session, "function", part->function, &choice->places,
                         &choice->place_count);
    }
    return part->around ? choose_around(session, choice, part->around) : true;
}

const char *cli_choice_nothing(const struct cli_choice *choice)
{
    switch (choice->kind) {
    case CLI_CHOICE_FUNCTION: return "nothing of the function was executed here";
    case CLI_CHOICE_ADDRESS: return "nothing there was executed here";
    case CLI_CHOICE_EXCEPTION: return "there is no such exception here";
    case CLI_CHOICE_CRASH: return "there is no fault here";
    case CLI_CHOICE_ALL: break;
    }
    return choice->between ? "nothing here has a time between the two"
                           : "nothing was executed here";
}

void cli_choice_free(struct cli_choice *choice)
{
    free(choice->places);
    choice->places = NULL;
}
