/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/session/bias.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/screen/watch.h"
#include "cli/session/images.h"
#include "image/layer.h"
#include <cairn/pipeline.h>

#define CANDIDATES 12 /* that are tried by following the trace */
#define ADDRESSES_MOST 1024
#define TRIAL_BYTES (UINT64_C(512) << 10) /* that are followed of each source */
#define TRIAL_SOURCES 8
#define ENOUGH_RANGES 4
#define TOLERATED                                                                                  \
    32u /* one contradiction in so many ranges: bytes are damaged, or code has changed */
#define SAME_BYTES 64u   /* that a file and the capture must at least have in common */
#define DIFFERENT_MOST 4 /* one byte of so many may differ: another build is still recognised */
#define NEARLY(all) ((all) - (all) / 16)

/* What following the trace gave. */
struct evidence {
    uint64_t missing[ADDRESSES_MOST]; /* different addresses without memory */
    size_t missing_count;
    uint64_t gaps;         /* packets that fell into them */
    uint64_t bad;          /* contradictions */
    uint64_t ranges;       /* followed in the layers that are tried */
    uint64_t instructions; /* ... of them */
};

static void note_missing(struct evidence *evidence, uint64_t address)
{
    evidence->gaps++;
    for (size_t i = 0; i < evidence->missing_count; i++)
        if (evidence->missing[i] == address)
            return;
    if (evidence->missing_count < ADDRESSES_MOST)
        evidence->missing[evidence->missing_count++] = address;
}

static bool is_bad_gap(uint64_t account)
{
    return account == CAIRN_GAP_INCONSISTENT || account == CAIRN_GAP_LIMIT ||
           account == CAIRN_GAP_RETURN_STACK;
}

static bool is_bad_warning(uint64_t warning)
{
    return warning == CAIRN_WARNING_RESERVED_N || warning == CAIRN_WARNING_TARGET_MISMATCH ||
           warning == CAIRN_WARNING_UNDEFINED;
}

/* Whether one of the layers from `first` on has the address. */
static bool is_tried(const struct cairn_layers *layers, size_t first, uint64_t address)
{
    for (size_t i = first; i < layers->count; i++)
        if (address - layers->list[i].address < layers->list[i].size)
            return true;
    return false;
}

static void take(struct evidence *evidence, const struct cairn_layers *layers, size_t first,
                 const struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        switch ((enum cairn_flow_kind)batch->kind[i]) {
        case CAIRN_FLOW_GAP:
            if (batch->value[i] == CAIRN_GAP_NO_IMAGE)
                note_missing(evidence, batch->address[i]);
            evidence->bad += is_bad_gap(batch->value[i]);
            break;
        case CAIRN_FLOW_WARNING: evidence->bad += is_bad_warning(batch->value[i]); break;
        case CAIRN_FLOW_RANGE:
            if (batch->instructions[i] && is_tried(layers, first, batch->address[i])) {
                evidence->ranges++;
                evidence->instructions += batch->instructions[i];
            }
            break;
        default: break;
        }
    }
}

/* Follows about `bytes` of a source. */
static void follow(struct cli_session *session, size_t source, size_t first, uint64_t bytes,
                   struct evidence *evidence)
{
    struct cairn_image *memory = cairn_capture_image(session->capture);
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_pipeline *pipeline = NULL;
    struct cairn_error error = {.status = CAIRN_OK};

    if (cairn_capture_source(session->capture, source, &info) ||
        !cairn_protocol_decodes(info.protocol))
        return;
    struct cairn_config *config = cli_session_config(session, source, &error);
    if (!config)
        return;
    options.progress = cli_progress_watch;
    if (!cairn_pipeline_new(session->capture, source, config, memory, &options, &pipeline,
                            &error)) {
        const struct cairn_flow_batch *batch = cairn_pipeline_flow(pipeline);

        while (!cairn_pipeline_next(pipeline) && batch->count && !cli_interrupted()) {
            take(evidence, cairn_image_layers(memory), first, batch);
            if (cairn_pipeline_source_bytes(pipeline) >= bytes)
                break;
        }
        cairn_pipeline_free(pipeline);
    }
    cairn_config_unref(config);
}

static void follow_all(struct cli_session *session, size_t first, uint64_t bytes,
                       struct evidence *evidence)
{
    memset(evidence, 0, sizeof *evidence);
    for (size_t i = 0; i < session->source_count && i < TRIAL_SOURCES; i++)
        follow(session, session->sources[i], first, bytes, evidence);
}

/* --- the file --- */

static void free_code(struct cli_file_code *code)
{
    cairn_image_unref(code->image);
    free(code->parts);
}

/* False after *bias has the reason. */
static bool read_code(const char *path, struct cli_file_code *code, struct cli_bias *bias)
{
    struct cairn_error error = {.text = "out of memory"};
    cairn_status status = cairn_image_new(&code->image);

    code->is_elf = cairn_file_is_elf(path);
    if (!status)
        status = code->is_elf ? cairn_image_add_elf(code->image, path, 0, NULL, &error)
                              : cairn_image_add_file(code->image, path, 0, 0, NULL,
                                                     CAIRN_ORDER_LITTLE, 0, &error);
    const struct cairn_layers *layers = status ? NULL : cairn_image_layers(code->image);
    code->parts = layers ? calloc(layers->count + 1, sizeof *code->parts) : NULL;
    if (!code->parts) {
        snprintf(bias->reason, sizeof bias->reason, "%.*s", (int)sizeof bias->reason - 1,
                 error.text);
        return false;
    }
    for (size_t i = 0; i < layers->count; i++) {
        const struct cairn_layer *layer = &layers->list[i];

        if (layer->is_elf) {
            code->is_known = true;
            code->is_64 = layer->file->data[EI_CLASS] == ELFCLASS64;
        }
        if ((!layer->is_elf || layer->executable) &&
            cairn_layer_bytes(layer, &code->parts[code->count]))
            code->count++;
    }
    if (!code->count)
        snprintf(bias->reason, sizeof bias->reason, "no segment of it can be executed");
    return code->count != 0;
}

/* --- the three ways --- */

/* A recording says where each file was. */
static bool by_modules(struct cli_session *session, const char *path, struct cli_bias *bias)
{
    struct cairn_module_info module = {.size = sizeof module};
    char *build_id = cairn_image_build_id(path);

    for (size_t i = 0; build_id && !cairn_capture_module(session->capture, i, &module); i++) {
        if (!module.build_id || strcmp(module.build_id, build_id))
            continue;
        if (bias->found == CLI_BIAS_NONE) {
            bias->found = CLI_BIAS_ONE;
            bias->address = module.bias;
            snprintf(bias->reason, sizeof bias->reason,
                     "the recording says that the file of its build-id was there");
        } else if (module.bias != bias->address) {
            bias->found = CLI_BIAS_SEVERAL;
            bias->other = module.bias;
            snprintf(bias->reason, sizeof bias->reason,
                     "the recording says that the file of its build-id was at both");
        }
    }
    free(build_id);
    return bias->found != CLI_BIAS_NONE;
}

static bool by_bytes(struct cli_session *session, const struct cli_file_code *code,
                     struct cli_votes *votes, struct cli_bias *bias)
{
    const struct cairn_layers *layers = cairn_image_layers(cairn_capture_image(session->capture));
    struct cli_candidate best[2];
    uint64_t same, different, other_same, other_different;
    size_t ties;

    cli_bias_by_bytes(code, layers, session->own_layers, votes);
    const size_t count = cli_votes_best(votes, best, 2, &ties);
    if (!count)
        return false;
    cli_bias_compare(code, best[0].bias, layers, session->own_layers, &same, &different);
    if (same < SAME_BYTES || different > same / DIFFERENT_MOST)
        return false;
    bias->found = CLI_BIAS_ONE;
    bias->address = best[0].bias;
    snprintf(bias->reason, sizeof bias->reason,
             "%llu of the %llu bytes that the capture has there are the file's",
             (unsigned long long)same, (unsigned long long)(same + different));
    if (count < 2)
        return true;
    cli_bias_compare(code, best[1].bias, layers, session->own_layers, &other_same,
                     &other_different);
    if (other_same >= NEARLY(same) && other_different <= different) {
        bias->found = CLI_BIAS_SEVERAL;
        bias->other = best[1].bias;
    }
    return true;
}

/* The trace followed with the file at one address. */
static bool try_at(struct cli_session *session, const char *path, uint64_t address,
                   struct evidence *evidence)
{
    struct cairn_image *memory = cairn_capture_image(session->capture);
    struct cli_image image = {.path = (char *)(uintptr_t)path, .address = address};
    struct cairn_error error;
    const size_t first = cairn_image_layer_count(memory);
    const cairn_status status = cli_image_put(session, &image, &error);

    if (!status)
        follow_all(session, first, TRIAL_BYTES, evidence);
    cairn_image_drop_layers(memory, first);
    return !status;
}

static bool fits(const struct evidence *with, const struct evidence *without)
{
    const uint64_t bad = with->bad > without->bad ? with->bad - without->bad : 0;

    return with->ranges >= ENOUGH_RANGES && bad <= with->ranges / TOLERATED &&
           with->gaps < without->gaps;
}

static void by_following(struct cli_session *session, const char *path,
                         const struct cli_candidate *best, size_t count, struct evidence *without,
                         struct cli_bias *bias)
{
    struct evidence *with = calloc(1, sizeof *with);
    uint64_t most = 0;

    for (size_t i = 0; with && i < count && !cli_interrupted(); i++) {
        if (!try_at(session, path, best[i].bias, with) || !fits(with, without))
            continue;
        const uint64_t solved = without->gaps - with->gaps;

        if (solved > most && NEARLY(solved) > most) {
            bias->found = CLI_BIAS_ONE;
            bias->address = best[i].bias;
            snprintf(
                bias->reason, sizeof bias->reason,
                "%llu of %llu addresses without memory fit it there, and the trace was followed "
                "through %llu of its instructions",
                (unsigned long long)best[i].votes, (unsigned long long)without->missing_count,
                (unsigned long long)with->instructions);
        } else if (solved >= NEARLY(most)) {
            bias->found = CLI_BIAS_SEVERAL;
            bias->other = best[i].bias;
        }
        most = solved > most ? solved : most;
    }
    free(with);
}

static void by_starts(struct cli_session *session, const char *path,
                      const struct cli_file_code *code, struct cli_votes *votes,
                      struct cli_bias *bias)
{
    struct evidence *without = calloc(1, sizeof *without);
    struct cli_candidate best[CANDIDATES];
    const size_t layers = cairn_image_layer_count(cairn_capture_image(session->capture));
    size_t ties, count;

    if (!without)
        return;
    follow_all(session, layers, TRIAL_BYTES, without);
    if (!without->missing_count) {
        snprintf(
            bias->reason, sizeof bias->reason,
            "the capture has none of its bytes, and the trace never goes to an address without "
            "memory");
        free(without);
        return;
    }
    cli_bias_by_starts(code, without->missing, without->missing_count, votes);
    count = cli_votes_best(votes, best, CANDIDATES, &ties);
    const uint64_t missing = without->missing_count;

    snprintf(
        bias->reason, sizeof bias->reason,
        "the capture has none of its bytes, and wherever it is put the trace cannot be followed "
        "through it (%llu address%s without memory, %zu tried)",
        (unsigned long long)missing, missing == 1 ? "" : "es", count);
    by_following(session, path, best, count, without, bias);
    if (bias->found == CLI_BIAS_ONE && best[0].votes < 2 && ties > 1) {
        bias->found = CLI_BIAS_SEVERAL; /* a single address falls on too many places */
        bias->other = best[0].bias == bias->address && count > 1 ? best[1].bias : best[0].bias;
        snprintf(bias->reason, sizeof bias->reason,
                 "the trace goes to too few addresses without memory (%llu) to tell",
                 (unsigned long long)missing);
    }
    free(without);
}

void cli_bias_find(struct cli_session *session, const char *path, struct cli_bias *bias)
{
    struct cli_file_code code = {0};

    *bias = (struct cli_bias){.found = CLI_BIAS_NONE};
    if (by_modules(session, path, bias))
        return;
    if (read_code(path, &code, bias)) {
        struct cli_votes *votes = cli_votes_new(), *others = cli_votes_new();

        if (!votes || !others)
            snprintf(bias->reason, sizeof bias->reason, "out of memory");
        else if (!by_bytes(session, &code, votes, bias))
            by_starts(session, path, &code, others, bias);
        cli_votes_free(votes);
        cli_votes_free(others);
    }
    free_code(&code);
}
