/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/audit/contradictions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/audit/call_instructions.h"
#include "cli/screen/watch.h"
#include "image/layer.h"
#include "report/code.h"
#include <cairn/pipeline.h>

/* A bound on the time that is spent on a trace that contradicts the image everywhere. */
#define RECORDS_MOST (UINT64_C(1) << 28)
#define FILES_MOST 256

/* A source that is looked through. */
struct looking {
    struct cli_contradictions *found;
    const struct cli_audit *audit;
    struct cli_session *session;
    size_t source;
    struct cairn_pipeline *pipeline;
    struct cairn_code *code;
    struct cairn_space *space;
    struct cairn_place place;
    bool has_range; /* the range before, which nothing came behind: */
    enum cairn_isa isa;
    uint64_t address, end;
    bool taken;
    uint64_t lost_at; /* where the trace could not be followed last; UINT64_MAX: nowhere */
};

/* Where a contradiction is told, and of what. */
struct told {
    enum cli_contradiction kind;
    enum cairn_isa isa;
    uint64_t address; /* of the instruction */
    uint64_t trace, image;
    uint64_t offset; /* of the packet */
};

static struct cli_contradicted *file_of(struct looking *looking, size_t layer)
{
    const struct cairn_layers *layers =
        cairn_image_layers(cairn_capture_image(looking->session->capture));
    struct cli_contradictions *found = looking->found;

    for (size_t i = 0; i < found->count; i++)
        if (!strcmp(layers->list[found->files[i].layer].name, layers->list[layer].name))
            return &found->files[i];
    if (found->count == FILES_MOST)
        return NULL;
    found->files[found->count] = (struct cli_contradicted){.layer = layer};
    return &found->files[found->count++];
}

static void describe(struct looking *looking, const struct told *told, struct cli_example *example)
{
    const struct cairn_code_line *line = cairn_code_line(looking->code, told->isa, told->address);

    *example = (struct cli_example){
        .kind = told->kind,
        .source = looking->source,
        .first = {.count = 1,
                  .offset = told->offset,
                  .file_offset = cairn_pipeline_file_offset(looking->pipeline, told->offset),
                  .address = told->address},
        .image = told->image,
        .trace = told->trace,
    };
    snprintf(example->text, sizeof example->text, "%s", line ? line->text : "?");
    if (line && line->symbol && line->symbol_offset)
        snprintf(example->symbol, sizeof example->symbol, "%.100s+0x%llx", line->symbol,
                 (unsigned long long)line->symbol_offset);
    else if (line && line->symbol)
        snprintf(example->symbol, sizeof example->symbol, "%.100s", line->symbol);
}

static void tell(struct looking *looking, const struct told *told)
{
    struct cairn_window window;

    looking->place.offset = told->offset;
    cairn_code_select(looking->code, told->offset);
    if (cairn_space_select(looking->space, &looking->place) ||
        !cairn_space_window(looking->space, told->address, &window)) {
        looking->found->nowhere++;
        return;
    }
    struct cli_contradicted *file = file_of(looking, window.layer);
    if (!file) {
        looking->found->nowhere++;
        return;
    }
    if (!file->total)
        describe(looking, told, &file->example);
    file->kinds[told->kind]++;
    file->total++;
}

/* The last instruction of the range before, and where the flow goes on behind it by the image. */
static bool last_instruction(struct looking *looking, uint64_t offset, struct told *told)
{
    struct cairn_insn insn;
    uint64_t at = looking->address;

    if (!looking->has_range)
        return false;
    cairn_code_select(looking->code, offset);
    if (looking->isa != CAIRN_ISA_T32 && looking->end - at >= 4)
        at = looking->end - 4;
    while (cairn_code_insn(looking->code, looking->isa, at, &insn)) {
        if (at + insn.size < looking->end) {
            at += insn.size;
            continue;
        }
        told->isa = looking->isa;
        told->address = at;
        told->image =
            looking->taken && insn.kind == CAIRN_INSN_BRANCH_DIRECT ? insn.target : looking->end;
        return true;
    }
    return false;
}

/* SVC, HVC and SMC put the return address behind themselves. */
static void take_exception(struct looking *looking, const struct cairn_flow_batch *batch, size_t i)
{
    const struct cairn_config *config = looking->audit->sources[looking->source].config;
    struct told told = {.kind = CLI_RAN_NO_CALL,
                        .isa = CAIRN_ISA_A64,
                        .address = batch->address[i] - 4,
                        .offset = batch->offset[i]};
    struct cairn_insn insn;

    if (!cli_calls_is_one(config, batch->value[i]) || batch->flags[i] & CAIRN_FLOW_UNKNOWN ||
        !looking->has_range || looking->isa != CAIRN_ISA_A64 || looking->end != batch->address[i])
        return;
    cairn_code_select(looking->code, told.offset);
    if (cairn_code_insn(looking->code, CAIRN_ISA_A64, told.address, &insn) &&
        !cli_calls_makes_one(&insn))
        tell(looking, &told);
}

static void take_warning(struct looking *looking, const struct cairn_flow_batch *batch, size_t i)
{
    struct told told = {.isa = looking->isa,
                        .address = batch->address[i],
                        .trace = batch->address[i],
                        .offset = batch->offset[i]};

    switch ((enum cairn_flow_warning)batch->value[i]) {
    case CAIRN_WARNING_RESERVED_N: told.kind = CLI_RAN_NEVER_N; break;
    case CAIRN_WARNING_UNDEFINED: told.kind = CLI_RAN_UNDEFINED; break;
    case CAIRN_WARNING_TARGET_MISMATCH:
        told.kind = CLI_RAN_ELSEWHERE;
        if (!last_instruction(looking, batch->offset[i], &told)) {
            looking->found->nowhere++;
            return;
        }
        break;
    default: return;
    }
    tell(looking, &told);
}

static void take_gap(struct looking *looking, const struct cairn_flow_batch *batch, size_t i)
{
    struct told told = {
        .kind = CLI_RAN_NO_WAY, .trace = batch->address[i], .offset = batch->offset[i]};

    if (batch->value[i] != CAIRN_GAP_INCONSISTENT)
        return;
    if (last_instruction(looking, batch->offset[i], &told)) {
        looking->lost_at = batch->address[i];
        tell(looking, &told);
    } else if (looking->lost_at != batch->address[i]) { /* else it follows from the one before */
        looking->lost_at = batch->address[i];
        told.isa = looking->isa;
        told.address = batch->address[i];
        tell(looking, &told);
    }
}

static void take(struct looking *looking, const struct cairn_flow_batch *batch, size_t i)
{
    switch ((enum cairn_flow_kind)batch->kind[i]) {
    case CAIRN_FLOW_RANGE:
        if (!batch->instructions[i])
            return;
        looking->has_range = true;
        looking->isa = (enum cairn_isa)batch->isa[i];
        looking->address = batch->address[i];
        looking->end = batch->value[i];
        looking->taken = (batch->flags[i] & CAIRN_FLOW_TAKEN) != 0;
        return;
    case CAIRN_FLOW_CONTEXT:
        cairn_code_context(looking->code, batch->address[i], batch->value[i]);
        looking->place = cairn_flow_place((uint32_t)looking->source, batch->offset[i],
                                          batch->address[i], batch->value[i]);
        return;
    case CAIRN_FLOW_WARNING: take_warning(looking, batch, i); return;
    case CAIRN_FLOW_EXCEPTION: take_exception(looking, batch, i); break;
    case CAIRN_FLOW_GAP: take_gap(looking, batch, i); break;
    case CAIRN_FLOW_TRACE_ON:
    case CAIRN_FLOW_OVERFLOW:
    case CAIRN_FLOW_DISCARD: break;
    default: return;
    }
    looking->has_range = false; /* flow does not go on from there */
}

static void look_through(struct looking *looking)
{
    const struct cairn_flow_batch *batch = cairn_pipeline_flow(looking->pipeline);
    uint64_t records = 0;

    while (!cairn_pipeline_next(looking->pipeline) && batch->count && !cli_interrupted()) {
        for (size_t i = 0; i < batch->count; i++)
            take(looking, batch, i);
        records += batch->count;
        if (records >= RECORDS_MOST) {
            looking->found->cut = true;
            return;
        }
    }
}

static void look_at(struct cli_contradictions *found, const struct cli_audit *audit, size_t source)
{
    const struct cli_audit_source *audited = &audit->sources[source];
    struct cairn_image *memory = cairn_capture_image(audit->session->capture);
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
    struct looking looking = {.found = found,
                              .audit = audit,
                              .session = audit->session,
                              .source = source,
                              .place = {.source = (uint32_t)source},
                              .lost_at = UINT64_MAX};
    struct cli_progress progress;

    cli_progress_start(&progress, audited->info.name,
                       audit->buffers[audited->info.buffer].info.bytes);
    options.flags = audit->session->options->reference ? CAIRN_PIPELINE_REFERENCE : 0;
    options.table_bytes = audit->session->options->table_bytes;
    options.progress = cli_progress_watch;
    options.context = &progress;
    if (!cairn_code_new(audited->config, memory, &looking.code) &&
        !cairn_space_new(memory, &looking.space) &&
        !cairn_pipeline_new(audit->session->capture, source, audited->config, memory, &options,
                            &looking.pipeline, NULL))
        look_through(&looking);
    cli_progress_end(&progress);
    cairn_pipeline_free(looking.pipeline);
    cairn_space_free(looking.space);
    cairn_code_free(looking.code);
}

/* Whether the audit, which does not see every record, saw anything that may be a contradiction. */
static bool is_suspicious(const struct cli_audit_source *source)
{
    return source->state == CLI_AUDIT_DECODED &&
           (source->warnings[CAIRN_WARNING_RESERVED_N].count ||
            source->warnings[CAIRN_WARNING_TARGET_MISMATCH].count ||
            source->warnings[CAIRN_WARNING_UNDEFINED].count ||
            source->gaps[CAIRN_GAP_INCONSISTENT].count || source->impossible_calls);
}

bool cli_contradictions_find(struct cli_contradictions *found, const struct cli_audit *audit)
{
    *found = (struct cli_contradictions){.count = 0};
    found->files = calloc(FILES_MOST, sizeof *found->files);
    for (size_t i = 0; found->files && i < audit->source_count; i++)
        if (is_suspicious(&audit->sources[i]))
            look_at(found, audit, i);
    return found->files != NULL;
}

void cli_contradictions_free(struct cli_contradictions *found)
{
    free(found->files);
    *found = (struct cli_contradictions){.count = 0};
}

void cli_contradictions_kinds(const struct cli_contradicted *file, char *text, size_t size)
{
    static const char *const words[CLI_CONTRADICTIONS][2] = {
        [CLI_RAN_NEVER_N] = {"branch that is always taken was not",
                             "branches that are always taken were not"},
        [CLI_RAN_ELSEWHERE] = {"time the flow goes on elsewhere",
                               "times the flow goes on elsewhere"},
        [CLI_RAN_UNDEFINED] = {"undefined instruction was executed",
                               "undefined instructions were executed"},
        [CLI_RAN_NO_CALL] = {"call exception has no such instruction",
                             "call exceptions have no such instruction"},
        [CLI_RAN_NO_WAY] = {"time the code does not lead where the trace says",
                            "times the code does not lead where the trace says"},
    };
    size_t used = 0;

    text[0] = 0;
    for (size_t i = 0; i < CLI_CONTRADICTIONS; i++) {
        if (!file->kinds[i] || used >= size)
            continue;
        const int more =
            snprintf(text + used, size - used, "%s%llu %s", used ? ", " : "",
                     (unsigned long long)file->kinds[i], words[i][file->kinds[i] != 1]);
        used += more > 0 ? (size_t)more : 0;
    }
}

void cli_contradictions_example(const struct cli_example *example, char *text, size_t size)
{
    char where[2 * CLI_EXAMPLE_TEXT + 40];

    snprintf(where, sizeof where, "`%s` at 0x%llx%s%s%s", example->text,
             (unsigned long long)example->first.address, *example->symbol ? " <" : "",
             example->symbol, *example->symbol ? ">" : "");
    switch (example->kind) {
    case CLI_RAN_NEVER_N:
        snprintf(text, size, "%s is always taken, by the trace it was not", where);
        break;
    case CLI_RAN_ELSEWHERE:
        snprintf(text, size, "behind %s the image goes on at 0x%llx, the trace at 0x%llx", where,
                 (unsigned long long)example->image, (unsigned long long)example->trace);
        break;
    case CLI_RAN_UNDEFINED:
        snprintf(text, size, "%s cannot be executed, by the trace it was", where);
        break;
    case CLI_RAN_NO_CALL:
        snprintf(text, size, "%s makes no call exception, by the trace it did", where);
        break;
    case CLI_RAN_NO_WAY:
    case CLI_CONTRADICTIONS:
        snprintf(text, size, "behind %s the code does not lead to 0x%llx, by the trace it did",
                 where, (unsigned long long)example->trace);
        break;
    }
}
