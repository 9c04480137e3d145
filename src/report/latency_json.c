/* SPDX-License-Identifier: BSD-2-Clause */
/* What was measured, as JSON lines. */
#include <inttypes.h>

#include "report/json_fields.h"
#include "report/latency.h"

static const char *const clock_words[CAIRN_CLOCKS] = {"instructions", "cycles", "time"};

static void put_spread(struct cairn_output *output, const char *key,
                       const struct cairn_spread *spread)
{
    if (spread->count == 0) {
        cairn_output_format(output, ",\"%s\":null", key);
        return;
    }
    cairn_output_format(output,
                        ",\"%s\":{\"min\":%" PRIu64 ",\"mean\":%.3f,\"p50\":%" PRIu64
                        ",\"p90\":%" PRIu64 ",\"p99\":%" PRIu64 ",\"max\":%" PRIu64 "}",
                        key, spread->least, cairn_spread_mean(spread), cairn_spread_at(spread, 500),
                        cairn_spread_at(spread, 900), cairn_spread_at(spread, 990),
                        spread->greatest);
}

static void put_histogram(const struct cairn_latency_view *view,
                          const struct cairn_latency_group *group)
{
    struct cairn_latency_bin bins[CAIRN_LATENCY_BINS_MAX];
    const size_t count = cairn_latency_bins(view, group, bins);

    cairn_output_text(view->output, ",\"histogram\":[");
    for (size_t i = 0; i < count; i++) {
        cairn_output_format(view->output, "%s{\"from\":%" PRIu64 ",\"to\":", i ? "," : "",
                            bins[i].first);
        if (bins[i].end)
            cairn_output_format(view->output, "%" PRIu64, bins[i].end);
        else
            cairn_output_text(view->output, "null");
        cairn_output_format(view->output, ",\"count\":%" PRIu64 "}", bins[i].count);
    }
    cairn_output_char(view->output, ']');
}

static void put_sources(const struct cairn_latency_view *view,
                        const struct cairn_latency_group *group)
{
    char text[CAIRN_CALL_NAME];

    cairn_output_text(view->output, ",\"interrupted\":[");
    for (uint32_t i = 0; i < group->from_count; i++) {
        cairn_output_format(view->output, "%s{\"function\":", i ? "," : "");
        cairn_output_json(view->output,
                          cairn_latency_function(view->latency, group->from[i].function, text));
        cairn_output_format(view->output, ",\"count\":%" PRIu64 "}", group->from[i].count);
    }
    cairn_output_format(view->output, "],\"interrupted_others\":%" PRIu64, group->from_others);
}

static void put_longest(const struct cairn_latency_view *view,
                        const struct cairn_latency_group *group)
{
    struct cairn_output *output = view->output;

    cairn_output_text(output, ",\"longest\":[");
    for (uint32_t i = 0; i < group->worst_count[view->clock]; i++) {
        const struct cairn_latency_sample *sample = &group->worst[view->clock][i];
        const struct cairn_latency_span *span = &sample->span[view->clock];

        cairn_output_format(output, "%s{\"source\":", i ? "," : "");
        cairn_output_json(output, sample->source);
        cairn_output_format(output,
                            ",\"vmid\":%" PRIu32 ",\"context_id\":%" PRIu32 ",\"low\":%" PRIu64
                            ",\"high\":%" PRIu64 ",\"began\":%" PRIu64 ",\"ended\":%" PRIu64
                            ",\"from_offset\":%" PRIu64 ",\"to_offset\":%" PRIu64 "}",
                            sample->vmid, sample->context_id, span->low, span->high,
                            sample->from.moment.executed, sample->to.moment.executed,
                            sample->from.offset, sample->to.offset);
    }
    cairn_output_char(output, ']');
}

static void put_group(const struct cairn_latency_view *view,
                      const struct cairn_latency_group *group)
{
    struct cairn_output *output = view->output;
    const struct cairn_latency *latency = view->latency;
    const struct cairn_function *function =
        group->function ? &latency->functions.list[group->function] : NULL;
    char text[CAIRN_CALL_NAME];

    cairn_output_text(output, "{\"type\":\"latency\"");
    cairn_json_text(output, "of", cairn_latency_kind(latency, group));
    cairn_json_text(output, "name", cairn_latency_name(view, group, text));
    cairn_json_text(output, "exception", group->exception);
    cairn_json_text(output, "function", function ? function->name : NULL);
    cairn_json_text(output, "object", function ? function->object : NULL);
    cairn_json_text(output, "clock", clock_words[view->clock]);
    cairn_output_format(output,
                        ",\"period\":%s,\"count\":%" PRIu64 ",\"measured\":%" PRIu64
                        ",\"inexact\":%" PRIu64,
                        latency->period ? "true" : "false", group->count,
                        group->low[view->clock].count, group->inexact[view->clock]);
    for (uint32_t end = CAIRN_LATENCY_CUT; end < CAIRN_LATENCY_ENDS; end++)
        cairn_output_format(output, ",\"%s\":%" PRIu64, cairn_latency_end_word(end),
                            group->ends[end]);
    cairn_output_format(output, ",\"unknown\":%" PRIu64, group->unknown[view->clock]);
    cairn_output_format(output, ",\"with_untraced\":%" PRIu64 ",\"switched\":%" PRIu64,
                        group->with_off, group->switched);
    put_spread(output, "low", &group->low[view->clock]);
    put_spread(output, "high", &group->high[view->clock]);
    put_spread(output, "entry_cycles", &group->entry);
    put_spread(output, "return_cycles", &group->back);
    cairn_output_format(output, ",\"rounded\":%s",
                        group->low[view->clock].is_rounded || group->high[view->clock].is_rounded
                            ? "true"
                            : "false");
    if (latency->of == CAIRN_LATENCY_EXCEPTIONS && !latency->period &&
        view->clock != CAIRN_CLOCK_TIME && !group->self_unknown[view->clock])
        cairn_output_format(output, ",\"self\":%" PRIu64, group->self[view->clock]);
    put_histogram(view, group);
    put_sources(view, group);
    put_longest(view, group);
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

void cairn_latency_json(const struct cairn_latency_view *view, uint64_t lost_bytes)
{
    const struct cairn_latency *latency = view->latency;

    cairn_json_begin(view->output, "latency");
    cairn_output_format(view->output,
                        "{\"type\":\"total\",\"clock\":\"%s\",\"whole\":%" PRIu64
                        ",\"sources\":%" PRIu64 ",\"unbegun\":%" PRIu64 ",\"left_out\":%" PRIu64
                        ",\"lost_bytes\":%" PRIu64 "}",
                        clock_words[view->clock], latency->whole[view->clock],
                        latency->source_count, latency->unbegun, latency->left_out, lost_bytes);
    cairn_output_line(view->output);
    for (uint32_t i = 0; i < latency->group_count; i++)
        if (latency->groups[i].is_wanted && latency->groups[i].count)
            put_group(view, &latency->groups[i]);
}
