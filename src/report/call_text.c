/* SPDX-License-Identifier: BSD-2-Clause */
/* The call tree for people, and as JSON lines. */
#include <inttypes.h>
#include <stdio.h>

#include "report/call_list.h"
#include "report/json_fields.h"

#define INDENT_MOST 60u /* levels that move a line to the right */

static void begin_text(struct cairn_call_list *list)
{
    static const char *const units[] = {"instructions", "cycles", "time"};

    cairn_output_format(list->output, "%14s %12s  call", "at", units[list->clock]);
    cairn_output_line(list->output);
}

static void indent(struct cairn_output *output, uint32_t level)
{
    for (uint32_t i = 0; i < level && i < INDENT_MOST; i++)
        cairn_output_text(output, "  ");
    if (level > INDENT_MOST)
        cairn_output_format(output, "(%" PRIu32 ") ", level);
}

/* Right-aligned; "?" where the trace does not tell. */
static void put_number(struct cairn_output *output, int width, uint64_t number)
{
    if (number == CAIRN_CALL_NOT_KNOWN)
        cairn_output_format(output, "%*s", width, "?");
    else
        cairn_output_format(output, "%*" PRIu64, width, number);
}

static void text_line(struct cairn_call_list *list, const struct cairn_call_line *line)
{
    struct cairn_output *output = list->output;
    const struct cairn_call *call = &line->call;
    const bool opens = line->kind == CAIRN_LINE_OPEN;
    const bool at_end = line->kind == CAIRN_LINE_CLOSE || line->kind == CAIRN_LINE_GAP;
    char text[CAIRN_CALL_NAME];

    if (list->thread != call->thread + 1) {
        cairn_call_list_thread(list, call->thread, text);
        cairn_output_format(output, "-- %s", text);
        cairn_output_line(output);
        list->thread = call->thread + 1;
    }
    put_number(output, 14, cairn_call_list_time(list, at_end ? &call->ended : &call->began));
    cairn_output_char(output, ' ');
    if (line->kind == CAIRN_LINE_GAP) {
        cairn_output_format(output, "%12s  -- %s", "",
                            line->account ? cairn_account_name((enum cairn_account)line->account)
                                          : "the trace goes on elsewhere");
        cairn_output_line(output);
        return;
    }
    if (opens)
        cairn_output_format(output, "%12s", "");
    else
        put_number(output, 12, cairn_call_list_took(list, call));
    cairn_output_text(output, "  ");
    indent(output, line->level);
    if (line->kind == CAIRN_LINE_CLOSE)
        cairn_output_text(output, "} ");
    cairn_output_text(output, cairn_call_list_name(list, call, text));
    if (opens)
        cairn_output_text(output, " {");
    if (line->kind != CAIRN_LINE_CLOSE) {
        if (call->kind == CAIRN_CALL_FOUND)
            cairn_output_text(output, "  (was running)");
        else if (call->kind == CAIRN_CALL_JUMPED_TO)
            cairn_output_text(output, "  (jumped to)");
        else if (call->kind == CAIRN_CALL_RESUMED)
            cairn_output_text(output, "  (found again)");
    }
    if (!opens && cairn_call_end_word(call->end))
        cairn_output_format(output, "  (%s)",
                            call->end == CAIRN_CALL_OPEN ? "still running"
                                                         : cairn_call_end_word(call->end));
    cairn_output_line(output);
}

const struct cairn_call_format cairn_calls_text = {
    .name = "text",
    .begin = begin_text,
    .line = text_line,
};

/* --- JSON --- */

static void begin_json(struct cairn_call_list *list)
{
    cairn_json_begin(list->output, "calls");
}

static const char *kind_word(uint32_t kind)
{
    static const char *const words[] = {"found",     "called", "jumped_to",
                                        "exception", "signal", "resumed"};

    return kind < sizeof words / sizeof words[0] ? words[kind] : "other";
}

/* Where the source was: what it had executed, and what the trace had told of cycles and time. */
static void put_moment(const struct cairn_call_list *list, const char *key,
                       const struct cairn_call_moment *moment)
{
    struct cairn_output *const output = list->output;

    cairn_output_format(output, ",\"%s\":%" PRIu64, key, moment->executed);
    if (moment->total_cycles)
        cairn_output_format(output, ",\"%s_cycles\":%" PRIu64, key, moment->total_cycles);
    if (moment->timestamp)
        cairn_output_format(output, ",\"%s_time\":\"0x%" PRIx64 "\"", key, moment->timestamp);
    if (moment->timestamp && list->system)
        cairn_output_format(output, ",\"%s_nanoseconds\":%" PRIu64, key,
                            cairn_clock_time(list->system, moment->timestamp));
}

static void put_address(struct cairn_output *output, const char *key, uint64_t address)
{
    if (address)
        cairn_output_format(output, ",\"%s\":\"0x%" PRIx64 "\"", key, address);
    else
        cairn_output_format(output, ",\"%s\":null", key);
}

static void json_line(struct cairn_call_list *list, const struct cairn_call_line *line)
{
    struct cairn_output *output = list->output;
    const struct cairn_call *call = &line->call;
    struct cairn_calls_function function = {.size = sizeof function};
    struct cairn_calls_thread thread = {.size = sizeof thread};
    const char *end = cairn_call_end_word(call->end);

    (void)cairn_calls_thread(list->calls, call->thread, &thread);
    if (call->function)
        (void)cairn_calls_function(list->calls, call->function, &function);
    cairn_output_format(output, "{\"type\":\"%s\"", line->kind == CAIRN_LINE_GAP ? "gap" : "call");
    cairn_json_text(output, "source", list->source);
    cairn_output_format(output,
                        ",\"thread\":%" PRIu32 ",\"vmid\":%" PRIu32 ",\"context_id\":%" PRIu32
                        ",\"stack\":%" PRIu32,
                        call->thread, thread.vmid, thread.context_id, thread.stack);
    if (line->kind == CAIRN_LINE_GAP) {
        cairn_json_text(output, "reason", line->account ? cairn_json_account(line->account) : NULL);
        put_moment(list, "at", &call->ended);
        cairn_output_char(output, '}');
        cairn_output_line(output);
        return;
    }
    cairn_output_format(output, ",\"depth\":%" PRIu32, call->depth);
    cairn_json_text(output, "kind", kind_word(call->kind));
    cairn_json_text(output, "end", end ? end : "returned");
    cairn_json_text(output, "function", function.name);
    cairn_json_text(output, "object", function.object);
    cairn_json_text(output, "exception",
                    call->kind == CAIRN_CALL_EXCEPTION || call->kind == CAIRN_CALL_SIGNAL
                        ? cairn_exception_name(list->config, call->exception)
                        : NULL);
    put_address(output, "address", call->address);
    put_address(output, "site", call->site);
    put_address(output, "return_address", call->return_address);
    cairn_output_format(output, ",\"instructions\":%" PRIu64,
                        call->ended.instructions - call->began.instructions);
    if (call->ended.total_cycles)
        cairn_output_format(output, ",\"cycles\":%" PRIu64,
                            call->ended.cycles - call->began.cycles);
    put_moment(list, "began", &call->began);
    put_moment(list, "ended", &call->ended);
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

const struct cairn_call_format cairn_calls_json = {
    .name = "json",
    .begin = begin_json,
    .line = json_line,
    .only_ends = true,
};
