/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/filters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/letters.h"

/* ETE and ETMv4 */
#define VICTLR_SSSTATUS (1u << 9)
#define VISSCTLR_STOP_SHIFT 16
#define VIIECTLR_EXCLUDE_SHIFT 16
#define IDR4_PAIRS 0xfu
/* PTM and ETMv3 */
#define CCR_PAIRS 0xfu
#define TECR1_EXCLUDE (1u << 24)
#define TECR1_START_STOP (1u << 25)
#define TSSCR_STOP_SHIFT 16
#define SR_START_STOP (1u << 2)
#define SR_TRIGGERED (1u << 3)

#define NAME_SIZE 24
#define COMPARATORS_MOST 32u

const char *cairn_filter_name(enum cairn_filter_use use)
{
    switch (use) {
    case CAIRN_FILTER_INCLUDE: return "include";
    case CAIRN_FILTER_EXCLUDE: return "exclude";
    case CAIRN_FILTER_START: return "start";
    case CAIRN_FILTER_STOP: return "stop";
    }
    return "";
}

cairn_status cairn_filters_add(struct cairn_filters *filters, enum cairn_filter_use use,
                               uint64_t first, uint64_t last)
{
    for (size_t i = 0; i < filters->count; i++)
        if (filters->list[i].use == use && filters->list[i].first == first &&
            filters->list[i].last == last)
            return CAIRN_OK;
    if (filters->count == filters->capacity) {
        const size_t wanted = filters->capacity ? 2 * filters->capacity : 16;
        struct cairn_filter *const list = reallocarray(filters->list, wanted, sizeof *list);

        if (!list)
            return CAIRN_E_MEMORY;
        filters->list = list;
        filters->capacity = wanted;
    }
    filters->list[filters->count++] = (struct cairn_filter){use, first, last};
    return CAIRN_OK;
}

void cairn_filters_clear(struct cairn_filters *filters)
{
    free(filters->list);
    *filters = (struct cairn_filters){0};
}

static size_t count_of(const struct cairn_filters *filters, enum cairn_filter_use use)
{
    size_t count = 0;

    for (size_t i = 0; i < filters->count; i++)
        count += filters->list[i].use == use;
    return count;
}

bool cairn_filters_have(const struct cairn_filters *filters, enum cairn_filter_use use)
{
    return filters->waits[use] || count_of(filters, use) > 0;
}

/* --- registers --- */

/* A unit that is being programmed. */
struct job {
    const struct cairn_filters *filters;
    const struct cairn_unit *base;
    const struct cairn_filters_state *state; /* or NULL */
    struct cairn_unit *unit;
    struct cairn_error *error;
    unsigned pairs;    /* that it has */
    unsigned selected; /* comparators in use, from 0 on */
};

static bool has(const struct cairn_unit *unit, const char *name)
{
    uint64_t value;

    return cairn_unit_read(unit, name, &value) == CAIRN_OK;
}

/* What the base has there, with these bits cleared and those set. */
static cairn_status put(struct job *job, const char *name, uint64_t clear, uint64_t set)
{
    uint64_t value = 0;
    struct cairn_error error = {.status = CAIRN_OK};
    cairn_status status = cairn_unit_read(job->base, name, &value);

    if (status == CAIRN_OK)
        status = cairn_unit_write(job->unit, name, (value & ~clear) | set, &error);
    return status == CAIRN_OK ? CAIRN_OK
                              : cairn_fail(job->error, status, "%s: %s", name,
                                           error.status ? error.text : cairn_status_text(status));
}

static cairn_status put_numbered(struct job *job, const char *name, unsigned number, uint64_t value)
{
    char full[NAME_SIZE];

    snprintf(full, sizeof full, "%s%u", name, number);
    return put(job, full, UINT64_MAX, value);
}

static cairn_status too_many_ranges(struct job *job, size_t count, const char *where)
{
    return cairn_fail(
        job->error, CAIRN_E_LIMIT,
        "--include and --exclude: %zu range%s (a function may be in several), but the "
        "trace unit has comparators for %u (%s)",
        count, cairn_plural(count), job->pairs, where);
}

static cairn_status too_many_points(struct job *job, size_t count, const char *where)
{
    const unsigned left = 2 * job->pairs - job->selected;

    return cairn_fail(job->error, CAIRN_E_LIMIT,
                      "--start and --stop: %zu address%s, but the trace unit has %u comparator%s "
                      "left for them (%s: %u pairs, one for each range)",
                      count, count == 1 ? "" : "es", left, cairn_plural(left), where, job->pairs);
}

/* --- points --- */

static int by_address(const void *a, const void *b)
{
    const struct cairn_filter *left = a, *right = b;

    if (left->first != right->first)
        return left->first < right->first ? -1 : 1;
    return (int)left->use - (int)right->use;
}

/* In the order of their addresses, in which their comparators must be (R_SFXZB). `more`: a start
 * besides, or NULL. */
static cairn_status sort_points(struct job *job, const uint64_t *more,
                                struct cairn_filter points[COMPARATORS_MOST], size_t *count,
                                const char *where)
{
    const struct cairn_filters *filters = job->filters;
    const size_t all = count_of(filters, CAIRN_FILTER_START) +
                       count_of(filters, CAIRN_FILTER_STOP) + (more != NULL);

    *count = 0;
    if (job->selected + all > 2 * job->pairs || all > COMPARATORS_MOST)
        return too_many_points(job, all, where);
    for (size_t i = 0; i < filters->count; i++)
        if (filters->list[i].use == CAIRN_FILTER_START || filters->list[i].use == CAIRN_FILTER_STOP)
            points[(*count)++] = filters->list[i];
    if (more)
        points[(*count)++] = (struct cairn_filter){CAIRN_FILTER_START, *more, *more};
    qsort(points, *count, sizeof *points, by_address);
    for (size_t i = 1; i < *count; i++)
        if (points[i].first == points[i - 1].first && points[i].use != points[i - 1].use && !more)
            return cairn_fail(job->error, CAIRN_E_ARGUMENT,
                              "0x%llx is both a --start and a --stop address: what a trace unit "
                              "does then is unpredictable",
                              (unsigned long long)points[i].first);
    return CAIRN_OK;
}

/* --- ETE and ETMv4 --- */

#define IDR4 "TRCIDR4.NUMACPAIRS"

static cairn_status put_range(struct job *job, uint64_t first, uint64_t last)
{
    const cairn_status status = put_numbered(job, "TRCACVR", job->selected, first);

    job->selected += 2;
    return status == CAIRN_OK ? put_numbered(job, "TRCACVR", job->selected - 1, last) : status;
}

static cairn_status program_ranges(struct job *job)
{
    const struct cairn_filters *filters = job->filters;
    const bool nothing =
        filters->waits[CAIRN_FILTER_INCLUDE] && count_of(filters, CAIRN_FILTER_INCLUDE) == 0;
    const size_t count =
        count_of(filters, CAIRN_FILTER_INCLUDE) + count_of(filters, CAIRN_FILTER_EXCLUDE) + nothing;
    uint64_t selected = 0;
    cairn_status status = CAIRN_OK;

    if (count > job->pairs)
        return too_many_ranges(job, count, IDR4);
    for (size_t i = 0; i < filters->count && status == CAIRN_OK; i++) {
        const struct cairn_filter *filter = &filters->list[i];
        const bool excludes = filter->use == CAIRN_FILTER_EXCLUDE;

        if (!excludes && filter->use != CAIRN_FILTER_INCLUDE)
            continue;
        selected |= UINT64_C(1) << (job->selected / 2 + (excludes ? VIIECTLR_EXCLUDE_SHIFT : 0));
        status = put_range(job, filter->first, filter->last);
    }
    /* Where no instruction can be. */
    if (nothing && status == CAIRN_OK) {
        selected |= UINT64_C(1) << job->selected / 2;
        status = put_range(job, UINT64_MAX, UINT64_MAX);
    }
    return status == CAIRN_OK ? put(job, "TRCVIIECTLR", 0, selected) : status;
}

static cairn_status program_points(struct job *job)
{
    struct cairn_filter points[COMPARATORS_MOST];
    const struct cairn_filters_state *state = job->state;
    const bool waits = cairn_filters_have(job->filters, CAIRN_FILTER_START);
    uint64_t selected = 0;
    size_t count;
    cairn_status status = sort_points(job, NULL, points, &count, IDR4);

    for (size_t i = 0; i < count && status == CAIRN_OK; i++, job->selected++) {
        const bool stops = points[i].use == CAIRN_FILTER_STOP;

        selected |= UINT64_C(1) << (job->selected + (stops ? VISSCTLR_STOP_SHIFT : 0));
        status = put_numbered(job, "TRCACVR", job->selected, points[i].first);
    }
    if (status == CAIRN_OK)
        status = put(job, "TRCVISSCTLR", 0, selected);
    if (status == CAIRN_OK && (waits || state))
        status =
            put(job, "TRCVICTLR", VICTLR_SSSTATUS, state && state->started ? VICTLR_SSSTATUS : 0);
    return status;
}

static cairn_status program_etmv4(struct job *job)
{
    uint64_t built = 0;
    cairn_status status = cairn_unit_read(job->base, "TRCIDR4", &built);

    job->pairs = (unsigned)(built & IDR4_PAIRS);
    if (status == CAIRN_OK)
        status = program_ranges(job);
    return status == CAIRN_OK ? program_points(job) : status;
}

/* --- PTM and ETMv3 --- */

#define CCR "ETMCCR bits 3:0"

/* The end of a range is the first address behind it, of 32 bits. */
static cairn_status put_etm_range(struct job *job, uint64_t first, uint64_t last)
{
    if (first > UINT32_MAX || last >= UINT32_MAX)
        return cairn_fail(job->error, CAIRN_E_UNSUPPORTED,
                          "--include and --exclude: the trace unit compares addresses below "
                          "0xffffffff");
    const cairn_status status = put_numbered(job, "ETMACVR", job->selected + 1, first);

    job->selected += 2;
    return status == CAIRN_OK ? put_numbered(job, "ETMACVR", job->selected, last + 1) : status;
}

/* Ranges are all to be traced or all not to be. */
static cairn_status program_etm_ranges(struct job *job, uint64_t *enable)
{
    const struct cairn_filters *filters = job->filters;
    const bool includes = cairn_filters_have(filters, CAIRN_FILTER_INCLUDE);
    const enum cairn_filter_use use = includes ? CAIRN_FILTER_INCLUDE : CAIRN_FILTER_EXCLUDE;
    const size_t known = count_of(filters, use);
    const size_t count = known + (includes && known == 0);
    cairn_status status = CAIRN_OK;

    if (includes && cairn_filters_have(filters, CAIRN_FILTER_EXCLUDE))
        return cairn_fail(job->error, CAIRN_E_UNSUPPORTED,
                          "--include and --exclude: the trace unit has one or the other (ETMTECR1 "
                          "bit 24)");
    if (count > job->pairs)
        return too_many_ranges(job, count, CCR);
    if (count == 0)
        return CAIRN_OK;
    for (size_t i = 0; i < filters->count && status == CAIRN_OK; i++)
        if (filters->list[i].use == use)
            status = put_etm_range(job, filters->list[i].first, filters->list[i].last);
    if (known == 0 && status == CAIRN_OK) /* where no instruction can be */
        status = put_etm_range(job, UINT32_MAX - 1, UINT32_MAX - 1);
    *enable = (includes ? 0 : TECR1_EXCLUDE) | ((UINT64_C(1) << count) - 1);
    return status;
}

static cairn_status program_etm_points(struct job *job, uint64_t *enable)
{
    struct cairn_filter points[COMPARATORS_MOST];
    const struct cairn_filters_state *state = job->state;
    const bool waits = cairn_filters_have(job->filters, CAIRN_FILTER_START);
    const bool started = state ? state->started : !waits;
    const bool any = waits || cairn_filters_have(job->filters, CAIRN_FILTER_STOP);
    uint64_t selected = 0, now = 0;
    size_t count;

    (void)!cairn_unit_read(job->unit, "ETMSR", &now);
    now = (now & SR_TRIGGERED) | (started ? SR_START_STOP : 0);
    /* Where software cannot say that it has started, the next instruction is a point as well. */
    const bool says = cairn_unit_write(job->unit, "ETMSR", now, NULL) == CAIRN_OK;
    cairn_status status = sort_points(
        job, any && started && !says && state ? &state->continues : NULL, points, &count, CCR);

    for (size_t i = 0; i < count && status == CAIRN_OK; i++, job->selected++) {
        const bool stops = points[i].use == CAIRN_FILTER_STOP;

        selected |= UINT64_C(1) << (job->selected + (stops ? TSSCR_STOP_SHIFT : 0));
        status = put_numbered(job, "ETMACVR", job->selected + 1, points[i].first);
    }
    if (any)
        *enable |= TECR1_START_STOP;
    return status == CAIRN_OK && any ? put(job, "ETMTSSCR", 0, selected) : status;
}

static cairn_status program_etm(struct job *job)
{
    uint64_t built = 0, enable = 0;
    cairn_status status = cairn_unit_read(job->base, "ETMCCR", &built);

    job->pairs = (unsigned)(built & CCR_PAIRS);
    if (status == CAIRN_OK)
        status = program_etm_ranges(job, &enable);
    const bool has_ranges = job->selected > 0;
    if (status == CAIRN_OK)
        status = program_etm_points(job, &enable);
    return status == CAIRN_OK ? put(job, "ETMTECR1", has_ranges ? TECR1_EXCLUDE : 0, enable)
                              : status;
}

cairn_status cairn_filters_program(const struct cairn_filters *filters,
                                   const struct cairn_unit *base,
                                   const struct cairn_filters_state *state, struct cairn_unit *unit,
                                   struct cairn_error *error)
{
    struct job job = {
        .filters = filters, .base = base, .state = state, .unit = unit, .error = error};
    bool any = false;

    for (unsigned use = 0; use < CAIRN_FILTER_USES; use++)
        any |= cairn_filters_have(filters, (enum cairn_filter_use)use);
    if (!any)
        return CAIRN_OK;
    if (has(base, "TRCVICTLR"))
        return program_etmv4(&job);
    if (has(base, "ETMTECR1"))
        return program_etm(&job);
    return cairn_fail(
        error, CAIRN_E_UNSUPPORTED,
        "--include, --exclude, --start and --stop: the trace unit has no comparators");
}

bool cairn_filters_started(const struct cairn_unit *unit)
{
    uint64_t value = 0;

    if (cairn_unit_read(unit, "TRCVICTLR", &value) == CAIRN_OK)
        return (value & VICTLR_SSSTATUS) != 0;
    return cairn_unit_read(unit, "ETMSR", &value) == CAIRN_OK && (value & SR_START_STOP) != 0;
}
