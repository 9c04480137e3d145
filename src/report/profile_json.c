/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile_view.h"

#include <stdlib.h>

#include "report/json_fields.h"

static const char *const types[] = {"function", "line", "block", "branch", "instruction"};

static void put_row(const struct cairn_profile_view *view, const struct cairn_profile_row *row)
{
    const struct cairn_profiled *profile = view->profile;
    struct cairn_output *output = view->output;
    const struct cairn_function *function = &profile->functions.list[row->function];
    const bool known = row->function != 0;

    cairn_output_format(output, "{\"type\":\"%s\"", types[view->by]);
    cairn_json_text(output, "function", known ? function->name : NULL);
    cairn_json_text(output, "object", known ? function->object : NULL);
    cairn_json_address(output, "address", row->address);
    cairn_json_text(output, "file", row->file);
    if (row->file)
        cairn_json_number(output, "line", row->line);
    else
        cairn_output_text(output, ",\"line\":null");
    cairn_json_number(output, "instructions", row->self);
    if (profile->has_cycles)
        cairn_json_number(output, "cycles", row->self_cycles);
    if (view->by == CAIRN_PROFILE_BY_FUNCTION && profile->has_calls) {
        cairn_json_number(output, "total_instructions", row->total);
        if (profile->has_cycles)
            cairn_json_number(output, "total_cycles", row->total_cycles);
        cairn_json_number(output, "calls", row->calls);
    }
    if (view->by >= CAIRN_PROFILE_BY_BLOCK)
        cairn_json_number(output, "times", row->executed);
    if (view->by == CAIRN_PROFILE_BY_BLOCK || view->by == CAIRN_PROFILE_BY_BRANCH)
        cairn_json_number(output, "taken", row->taken);
    if (row->block)
        cairn_json_address(output, "end", row->block->block.end);
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

cairn_status cairn_profile_json(const struct cairn_profile_view *view, uint64_t lost_bytes)
{
    const struct cairn_profiled *profile = view->profile;
    struct cairn_output *output = view->output;
    struct cairn_profile_row *rows = NULL;
    size_t count = 0;
    cairn_status status = cairn_profile_rows(view, &rows, &count);

    if (status)
        return status;
    for (size_t i = 0; i < profile->source_count; i++) {
        cairn_output_text(output, "{\"type\":\"source\",\"source\":");
        cairn_output_json(output, profile->sources[i].name);
        cairn_json_number(output, "instructions", profile->sources[i].instructions);
        if (profile->has_cycles)
            cairn_json_number(output, "cycles", profile->sources[i].cycles);
        cairn_output_char(output, '}');
        cairn_output_line(output);
    }
    for (size_t i = 0; i < count && cairn_output_wanted(output); i++)
        put_row(view, &rows[i]);
    free(rows);
    if (view->by >= CAIRN_PROFILE_BY_THREAD)
        status = cairn_profile_threads_json(view);
    cairn_output_text(output, "{\"type\":\"total\"");
    cairn_json_number(output, "instructions", profile->instructions);
    if (profile->has_cycles) {
        cairn_json_number(output, "cycles", profile->cycles);
        cairn_json_number(output, "unattributed_cycles", cairn_profile_unattributed(profile));
    }
    cairn_json_number(output, "lost_bytes", lost_bytes);
    cairn_output_char(output, '}');
    cairn_output_line(output);
    return status;
}
