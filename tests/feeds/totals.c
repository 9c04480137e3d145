/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals of functions are the same whoever adds them up: chains of calls, of which they are the sums, or what calls and
 * returns say alone.
 *
 * usage: feeds-totals CAPTURE... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile.h"

static cairn_status add(struct cairn_capture *capture, size_t source,
                        struct cairn_profiled *profile, const char *name)
{
    const struct cairn_pipeline_options options = {.size = sizeof options,
                                                   .level = CAIRN_LEVEL_FLOW,
                                                   .flags = CAIRN_PIPELINE_COUNTS |
                                                            CAIRN_PIPELINE_NO_PLACES,
                                                   .jobs = 1};
    struct cairn_pipeline *pipeline = NULL;
    struct cairn_error error = {0};
    cairn_status status =
        cairn_pipeline_new(capture, source, NULL, NULL, &options, &pipeline, &error);

    if (!status)
        status = cairn_profile_add(profile, name, pipeline);
    if (!status)
        status = cairn_pipeline_run(pipeline);
    if (!status)
        status = cairn_profile_added(profile);
    cairn_pipeline_free(pipeline);
    return status;
}

static cairn_status make(struct cairn_capture *capture, struct cairn_profiled *profile)
{
    cairn_status status = cairn_profile_begin(profile, cairn_capture_image(capture));

    for (size_t i = 0; i < cairn_capture_source_count(capture) && !status; i++) {
        struct cairn_source_info info = {.size = sizeof info};

        status = cairn_capture_source(capture, i, &info);
        if (!status && add(capture, i, profile, info.name)) /* it cannot be decoded: by nobody */
            continue;
    }
    return status ? status : cairn_profile_finish(profile);
}

static bool is_same(const struct cairn_profiled *one, const struct cairn_profiled *other)
{
    if (one->total_count != other->total_count || one->functions.count != other->functions.count)
        return false;
    for (size_t i = 0; i < one->functions.count; i++) {
        const struct cairn_profile_function *const a = &one->totals[i], *const b =
                                                                            &other->totals[i];

        if (a->self == b->self && a->total == b->total && a->calls == b->calls &&
            a->self_cycles == b->self_cycles && a->total_cycles == b->total_cycles)
            continue;
        printf("# %s: total %" PRIu64 " and %" PRIu64 ", calls %" PRIu64 " and %" PRIu64
               ", cycles %" PRIu64 " and %" PRIu64 "\n",
               one->functions.list[i].name ? one->functions.list[i].name : "?", a->total, b->total,
               a->calls, b->calls, a->total_cycles, b->total_cycles);
        return false;
    }
    return true;
}

static bool compare(const char *path, uint64_t *calls, uint32_t *chains)
{
    struct cairn_profiled chained = {.has_calls = true, .is_ordered = true};
    struct cairn_profiled added = {.has_calls = true, .only_totals = true, .is_ordered = true};
    struct cairn_capture *capture = NULL;
    struct cairn_error error = {0};
    cairn_status status = cairn_capture_open(path, NULL, &capture, &error);
    bool same = false;

    if (!status)
        status = make(capture, &chained);
    if (!status)
        status = make(capture, &added);
    if (status)
        printf("# %s: %s\n", path, error.status ? error.text : cairn_status_text(status));
    else
        same = added.node_count == 0 && is_same(&chained, &added);
    for (size_t i = 0; i < chained.total_count; i++)
        *calls += chained.totals[i].calls;
    *chains = chained.node_count;
    cairn_profile_free(&chained);
    cairn_profile_free(&added);
    cairn_capture_free(capture);
    return same;
}

int main(int argc, char **argv)
{
    bool failed = false;

    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        uint64_t calls = 0;
        uint32_t chains = 0;
        const bool same = compare(argv[i], &calls, &chains);

        printf("# %" PRIu64 " calls, %" PRIu32 " chains\n", calls, chains);
        printf("%s %d - %s\n", same ? "ok" : "not ok", i, argv[i]);
        failed = failed || !same;
    }
    return failed;
}
