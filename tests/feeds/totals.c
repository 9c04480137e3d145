/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals of functions are the same whoever adds them up: chains of calls, of which they are the sums; what calls and
 * returns say alone; and both, one behind the other, from several places on.
 *
 * usage: feeds-totals CAPTURE... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile.h"

/* How a profile is made. */
static const struct {
    bool only_totals;
    bool from_the_start; /* no chains */
    uint64_t window,
        most; /* of words that are remembered: most of so many may be new ones; 0, 0: as many as pay */
} ways[] = {{false, false, 0, 0},
            {true, true, 0, 0},
            {true, false, 1, 1},
            {true, false, 100, 10},
            {true, false, 2000, 20}};
enum { WAYS = sizeof ways / sizeof ways[0] };

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

static cairn_status make(struct cairn_capture *capture, size_t way, struct cairn_profiled *profile)
{
    *profile = (struct cairn_profiled){
        .has_calls = true, .only_totals = ways[way].only_totals, .is_ordered = true};
    profile->added.window = ways[way].window;
    profile->added.most = ways[way].most;
    cairn_status status = cairn_profile_begin(profile, cairn_capture_image(capture));

    if (!status && ways[way].from_the_start) /* as if a source before had given chains up */
        status = cairn_call_totals_turn(&profile->added, &(struct cairn_call_thread){0}, 0);
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

static bool compare(const char *path, size_t way, uint64_t *calls, uint32_t chains[2])
{
    struct cairn_profiled profiles[2];
    struct cairn_capture *capture = NULL;
    struct cairn_error error = {0};
    cairn_status status = cairn_capture_open(path, NULL, &capture, &error);
    bool same = false;

    memset(profiles, 0, sizeof profiles);
    if (!status)
        status = make(capture, 0, &profiles[0]);
    if (!status)
        status = make(capture, way, &profiles[1]);
    if (status)
        printf("# %s: %s\n", path, error.status ? error.text : cairn_status_text(status));
    else
        same = is_same(&profiles[0], &profiles[1]);
    for (size_t i = 0; i < profiles[0].total_count; i++)
        *calls += profiles[0].totals[i].calls;
    chains[0] = profiles[0].node_count;
    chains[1] = profiles[1].node_count;
    cairn_profile_free(&profiles[0]);
    cairn_profile_free(&profiles[1]);
    cairn_capture_free(capture);
    return same;
}

int main(int argc, char **argv)
{
    int number = 0;
    bool failed = false;

    printf("1..%d\n", argc < 2 ? 0 : (argc - 1) * (WAYS - 1));
    for (int i = 1; i < argc; i++)
        for (size_t way = 1; way < WAYS; way++) {
            uint64_t calls = 0;
            uint32_t chains[2] = {0, 0};
            const bool same = compare(argv[i], way, &calls, chains);

            printf("# %" PRIu64 " calls, %" PRIu32 " chains left of %" PRIu32 "\n", calls,
                   chains[1], chains[0]);
            printf("%s %d - %s %zu\n", same ? "ok" : "not ok", ++number, argv[i], way);
            failed = failed || !same;
        }
    return failed;
}
