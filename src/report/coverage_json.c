/* SPDX-License-Identifier: BSD-2-Clause */
/* Coverage as JSON lines, as docs/json.md has them. */
#include "report/coverage_view.h"

#include "report/json_fields.h"

static void end(struct cairn_output *output)
{
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

static void put_sums(struct cairn_output *output, const struct cairn_coverage_sums *sums)
{
    cairn_json_number(output, "instructions", sums->insns);
    cairn_json_number(output, "instructions_executed", sums->insns_hit);
    cairn_json_number(output, "lines", sums->lines);
    cairn_json_number(output, "lines_executed", sums->lines_hit);
    cairn_json_number(output, "branches", sums->branches);
    cairn_json_number(output, "branches_both", sums->both);
    cairn_json_number(output, "branches_one", sums->one);
    cairn_json_number(output, "conditions", sums->conditions);
    cairn_json_number(output, "conditions_both", sums->conditions_both);
    cairn_json_number(output, "conditions_one", sums->conditions_one);
    cairn_json_number(output, "decisions", sums->decisions);
    cairn_json_number(output, "decisions_shown", sums->decisions_met);
    cairn_json_number(output, "decisions_undecided", sums->decisions_open);
}

static void put_file_line(const struct cairn_coverage *coverage, struct cairn_output *output,
                          uint32_t line)
{
    if (line == CAIRN_COVERAGE_NONE) {
        cairn_output_text(output, ",\"file\":null,\"line\":null");
        return;
    }
    cairn_json_text(output, "file", coverage->files[coverage->lines[line].file].name);
    cairn_json_number(output, "line", coverage->lines[line].number);
}

static void put_function_name(const struct cairn_coverage *coverage, struct cairn_output *output,
                              uint32_t function)
{
    cairn_json_text(output, "function",
                    function == CAIRN_COVERAGE_NONE ? NULL : coverage->functions[function].name);
}

static void put_function(const struct cairn_coverage *coverage, struct cairn_output *output,
                         const struct cairn_coverage_function *one)
{
    cairn_output_text(output, "{\"type\":\"function\"");
    cairn_json_text(output, "function", one->name);
    cairn_json_text(output, "object", coverage->objects[one->object].path);
    cairn_json_address(output, "address", one->first);
    if (one->file == CAIRN_COVERAGE_NONE) {
        cairn_output_text(output, ",\"file\":null,\"line\":null");
    } else {
        cairn_json_text(output, "file", coverage->files[one->file].name);
        cairn_json_number(output, "line", one->line);
    }
    cairn_json_number(output, "entered", cairn_coverage_entered(one));
    cairn_output_format(output, ",\"whole\":%s", one->is_partial ? "false" : "true");
    put_sums(output, &one->sums);
    end(output);
}

/* Code that is in no function. */
static void put_others(struct cairn_output *output, const struct cairn_coverage_object *object)
{
    cairn_output_text(output, "{\"type\":\"function\",\"function\":null");
    cairn_json_text(output, "object", object->path);
    cairn_output_text(output, ",\"address\":null,\"file\":null,\"line\":null,\"entered\":null,"
                              "\"whole\":false");
    put_sums(output, &object->others);
    end(output);
}

static void put_insn(const struct cairn_coverage_view *view, const struct cairn_coverage_insn *insn)
{
    static const char *const choices[] = {"none", "branch", "condition"};
    const struct cairn_coverage *const coverage = view->coverage;
    struct cairn_output *const output = view->output;

    cairn_output_format(output, "{\"type\":\"%s\"",
                        view->by == CAIRN_COVERAGE_BY_BRANCH ? "branch" : "instruction");
    cairn_json_text(output, "object", coverage->objects[insn->object].path);
    cairn_json_address(output, "address", insn->address);
    cairn_json_text(output, "isa", cairn_isa_name((enum cairn_isa)insn->isa));
    cairn_json_number(output, "size", insn->size);
    put_function_name(coverage, output, insn->function);
    put_file_line(coverage, output, insn->line);
    cairn_json_number(output, "times", insn->executed);
    cairn_json_text(output, "choice", choices[insn->choice]);
    if (insn->choice != CAIRN_CHOICE_NONE) {
        cairn_json_text(output, "ways", cairn_coverage_went(insn));
        cairn_json_number(output, "taken", insn->taken);
        cairn_json_number(output, "not_taken", insn->told - insn->taken);
    }
    end(output);
}

static void put_decision(const struct cairn_coverage *coverage, struct cairn_output *output,
                         const struct cairn_coverage_decision *one)
{
    static const char *const verdicts[] = {"shown", "not_shown", "undecided"};
    static const char *const reasons[] = {NULL,        "joins",    "outcomes", "size",  "merged",
                                          "optimised", "compiler", "source",   "lines", "block"};

    cairn_output_text(output, "{\"type\":\"decision\"");
    put_function_name(coverage, output, one->function);
    put_file_line(coverage, output, one->line);
    cairn_json_address(output, "address", one->address);
    cairn_json_number(output, "conditions", one->conditions);
    cairn_json_number(output, "conditions_both", one->conditions_met);
    cairn_json_number(output, "conditions_merged", one->merged);
    cairn_json_text(output, "mcdc", verdicts[one->verdict]);
    cairn_json_text(output, "reason", reasons[one->reason]);
    end(output);
}

static void put_rows(const struct cairn_coverage_view *view)
{
    const struct cairn_coverage *const coverage = view->coverage;
    struct cairn_output *const output = view->output;

    switch (view->by) {
    case CAIRN_COVERAGE_BY_FUNCTION:
        for (size_t i = 0; i < coverage->function_count && cairn_output_wanted(output); i++)
            put_function(coverage, output, &coverage->functions[i]);
        for (size_t i = 0; i < coverage->object_count; i++)
            if (coverage->objects[i].others.insns)
                put_others(output, &coverage->objects[i]);
        break;
    case CAIRN_COVERAGE_BY_LINE:
        for (size_t i = 0; i < coverage->line_count && cairn_output_wanted(output); i++) {
            cairn_output_text(output, "{\"type\":\"line\"");
            put_file_line(coverage, output, (uint32_t)i);
            cairn_json_number(output, "times", coverage->lines[i].count);
            put_sums(output, &coverage->lines[i].sums);
            end(output);
        }
        break;
    case CAIRN_COVERAGE_BY_FILE:
        for (size_t i = 0; i < coverage->file_count && cairn_output_wanted(output); i++) {
            cairn_output_text(output, "{\"type\":\"file\"");
            cairn_json_text(output, "file", coverage->files[i].name);
            cairn_json_number(output, "functions", coverage->files[i].sums.functions);
            cairn_json_number(output, "functions_executed", coverage->files[i].sums.functions_hit);
            put_sums(output, &coverage->files[i].sums);
            end(output);
        }
        break;
    case CAIRN_COVERAGE_BY_INSTRUCTION:
    case CAIRN_COVERAGE_BY_BRANCH:
        for (size_t i = 0; i < coverage->insn_count && cairn_output_wanted(output); i++)
            if (view->by == CAIRN_COVERAGE_BY_INSTRUCTION || coverage->insns[i].choice)
                put_insn(view, &coverage->insns[i]);
        break;
    case CAIRN_COVERAGE_BY_DECISION:
        for (size_t i = 0; i < coverage->decision_count && cairn_output_wanted(output); i++)
            put_decision(coverage, output, &coverage->decisions[i]);
        break;
    }
}

cairn_status cairn_coverage_json(const struct cairn_coverage_view *view)
{
    const struct cairn_coverage *const coverage = view->coverage;
    struct cairn_output *const output = view->output;

    for (size_t i = 0; i < coverage->source_count; i++) {
        const struct cairn_coverage_source *const source = &coverage->sources[i];

        cairn_output_text(output, "{\"type\":\"source\"");
        cairn_json_text(output, "capture", source->capture);
        cairn_json_text(output, "source", source->name);
        cairn_json_number(output, "instructions", source->instructions);
        cairn_json_number(output, "bytes", source->bytes);
        cairn_json_number(output, "lost_bytes", source->lost_bytes);
        cairn_json_number(output, "overflows", source->overflows);
        end(output);
    }
    for (size_t i = 0; i < coverage->missing_count; i++) {
        cairn_output_text(output, "{\"type\":\"missing\"");
        cairn_json_address(output, "address", coverage->missing[i].address);
        cairn_json_number(output, "times", coverage->missing[i].times);
        end(output);
    }
    put_rows(view);
    cairn_output_text(output, "{\"type\":\"total\"");
    cairn_json_number(output, "functions", coverage->sums.functions);
    cairn_json_number(output, "functions_executed", coverage->sums.functions_hit);
    put_sums(output, &coverage->sums);
    cairn_json_number(output, "nameless_executed", coverage->others.insns);
    cairn_json_number(output, "partial_executed", coverage->partial.insns);
    cairn_json_number(output, "lost_bytes", cairn_coverage_lost(coverage));
    cairn_json_number(output, "overflows", cairn_coverage_overflows(coverage));
    end(output);
    return CAIRN_OK;
}
