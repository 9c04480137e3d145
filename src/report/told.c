/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/told.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "report/event.h"

#define M_NO_ADDRESS 0xfffffffeu /* M profile: a tail-chained or deferred exception */

/* What an exception's preferred return address is. */
enum returning {
    RETURNS_BEFORE, /* an interrupt: the next instruction, which has nothing to do with it */
    RETURNS_AT,     /* a fault: the instruction that could not be executed */
    RETURNS_BEHIND, /* a call: the instruction behind the one that calls */
};

void cairn_told_symbol(struct cairn_told *told, struct cairn_output *output, const char *symbol,
                       uint64_t offset)
{
    cairn_output_text(output, cairn_naming_short(told->naming, symbol));
    if (offset) {
        cairn_output_text(output, "+0x");
        cairn_output_hex(output, offset, 0);
    }
}

void cairn_told_address(struct cairn_told *told, struct cairn_output *output, uint64_t address)
{
    uint64_t offset = 0;
    const char *const symbol = cairn_code_symbol(told->code, address, &offset);

    cairn_output_text(output, "0x");
    cairn_output_hex(output, address, 0);
    if (!symbol)
        return;
    cairn_output_text(output, " <");
    cairn_told_symbol(told, output, symbol, offset);
    cairn_output_char(output, '>');
}

/* --- pieces of sentences, put together in the scratch output */

static struct cairn_output *begin(struct cairn_told *told)
{
    told->scratch.used = 0;
    return &told->scratch;
}

static void end(struct cairn_told *told, char *text, size_t size)
{
    const size_t length = told->scratch.used < size ? told->scratch.used : size - 1;

    memcpy(text, told->scratch.buffer, length);
    text[length] = '\0';
    told->scratch.used = 0;
}

static const char *last_part(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* " (main.c:12)" where that is known. */
static void write_line_of(struct cairn_told *told, struct cairn_output *output, uint64_t address)
{
    const struct cairn_code_place *const place = cairn_code_place(told->code, address);

    if (place->count && place->frames[0].file && place->frames[0].line)
        cairn_output_format(output, " (%s:%u)", last_part(place->frames[0].file),
                            place->frames[0].line);
}

/* The disassembly without what it has of a target's name. */
static void write_instruction(struct cairn_told *told, struct cairn_output *output,
                              enum cairn_isa isa, uint64_t address)
{
    const struct cairn_code_line *const line =
        isa == CAIRN_ISA_UNKNOWN ? NULL : cairn_code_line(told->code, isa, address);

    if (!line)
        return;
    cairn_output_char(output, ' ');
    cairn_output_data(output, line->text, line->bare);
}

/* --- exceptions */

/* "SVC" of "svc #0x1", if the mnemonic is one that calls the system. */
static void find_call(const char *instruction, char call[8])
{
    static const char *const calls[] = {"svc", "hvc", "smc", "swi"};
    size_t length = strspn(instruction, " ");

    instruction += length;
    length = strlen(calls[0]);
    call[0] = '\0';
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strncmp(instruction, calls[i], length) != 0)
            continue;
        for (size_t at = 0; at < length; at++)
            call[at] = (char)toupper((unsigned char)calls[i][at]);
        call[length] = '\0';
    }
}

/* The call, if it is what was executed last: where the listing has not got it, it is the
 * instruction in front of the return address. */
static void tell_call(struct cairn_told *told, const struct cairn_flow_batch *batch, size_t index,
                      struct cairn_told_event *event)
{
    struct cairn_told_last last = told->last;
    char text[CAIRN_CODE_TEXT + 1];

    if (!last.known && last.isa != CAIRN_ISA_UNKNOWN &&
        !(batch->flags[index] & CAIRN_FLOW_UNKNOWN)) {
        last.known = true;
        last.address = batch->address[index] - (last.isa == CAIRN_ISA_T32 ? 2 : 4);
    }
    if (!last.known)
        return;
    write_instruction(told, begin(told), last.isa, last.address);
    end(told, text, sizeof text);
    find_call(text, event->call);
    struct cairn_output *const output = begin(told);
    cairn_told_address(told, output, last.address);
    cairn_output_text(output, text);
    write_line_of(told, output, last.address);
    end(told, event->last, sizeof event->last);
}

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

static enum returning returning_of(const char *name)
{
    static const char *const calls[] = {"Call",
                                        "SVC",
                                        "SMC",
                                        "HVC",
                                        "SVCall",
                                        "Hyp entry",
                                        "Supervisor Call",
                                        "Secure Monitor Call",
                                        "Entry to Hyp mode",
                                        NULL};
    static const char *const faults[] = {"Trap",
                                         "Alignment",
                                         "Inst Fault",
                                         "Data Fault",
                                         "Inst debug",
                                         "Data debug",
                                         "Undefined instruction",
                                         "Undefined Instruction",
                                         "Prefetch abort",
                                         "Data abort",
                                         "Prefetch Abort or software breakpoint",
                                         "Data Abort or software watchpoint",
                                         "ThumbEE check",
                                         "Jazelle or ThumbEE check",
                                         "HardFault",
                                         "MemManage",
                                         "BusFault",
                                         "UsageFault",
                                         "SecureFault",
                                         "Lockup",
                                         NULL};

    if (is_one_of(name, calls))
        return RETURNS_BEHIND;
    return is_one_of(name, faults) ? RETURNS_AT : RETURNS_BEFORE;
}

/* Where ETMv1 to ETMv3 tell that it was taken is behind an undefined instruction, which executed by their
 * account: that one raised it. */
static uint64_t place_of(const struct cairn_told *told, const struct cairn_told_event *event,
                         uint64_t address)
{
    struct cairn_insn insn;

    if (told->last.known && returning_of(event->text) == RETURNS_AT &&
        cairn_code_insn(told->code, told->last.isa, told->last.address, &insn) &&
        insn.kind == CAIRN_INSN_UNDEFINED && told->last.address + insn.size == address)
        return told->last.address;
    return address;
}

static void tell_exception(struct cairn_told *told, const struct cairn_flow_batch *batch,
                           size_t index, struct cairn_told_event *event)
{
    struct cairn_output *output;

    event->kind = CAIRN_TOLD_EXCEPTION;
    snprintf(event->text, sizeof event->text, "%s",
             cairn_exception_name(told->config, (unsigned)batch->value[index]));
    const uint64_t address = place_of(told, event, batch->address[index]);

    tell_call(told, batch, index, event);
    if (batch->flags[index] & CAIRN_FLOW_UNKNOWN)
        return;
    event->chained = cairn_config_arch(told->config)->profile == CAIRN_PROFILE_M &&
                     (uint32_t)address == M_NO_ADDRESS;
    if (event->chained)
        return;
    cairn_told_address(told, begin(told), address);
    end(told, event->next, sizeof event->next);
    write_instruction(told, begin(told), told->last.isa, address);
    end(told, event->next_insn, sizeof event->next_insn);
    write_line_of(told, begin(told), address);
    end(told, event->next_line, sizeof event->next_line);
    output = begin(told);
    cairn_output_text(output, "0x");
    cairn_output_hex(output, address, 0);
    end(told, event->back, sizeof event->back);
}

/* The architecture's name: what the trace says or, where it cannot, what the vector table does. */
static unsigned name_exception(struct cairn_told *told, const struct cairn_told_event *event,
                               const uint64_t *target, char *name, size_t size)
{
    const bool has_table = cairn_config_arch(told->config)->profile == CAIRN_PROFILE_M;
    unsigned number = has_table ? cairn_vectors_number(event->text) : CAIRN_VECTOR_NONE;

    snprintf(name, size, "%s", event->text);
    if (has_table && number == CAIRN_VECTOR_NONE && target &&
        strncmp(event->text, "unknown", strlen("unknown")) == 0)
        number = cairn_vectors_find(&told->vectors, told->code, *target);
    if (number != CAIRN_VECTOR_NONE && size >= CAIRN_VECTOR_NAME)
        cairn_vectors_name(number, name);
    else if (strcmp(event->text, "unknown-or-debug") == 0)
        snprintf(name, size, "of an unknown kind");
    return number;
}

/* Of a call whose instruction is not known nothing is said but where it returns to. */
static void write_where(struct cairn_output *output, const struct cairn_told_event *event,
                        enum returning returning)
{
    if (returning == RETURNS_BEHIND && event->call[0])
        cairn_output_format(output, " taken at %s", event->last);
    else if (event->chained)
        cairn_output_text(output, " taken behind another one, without a return");
    else if (!event->next[0])
        cairn_output_text(output, " at an unknown address");
    else if (returning != RETURNS_BEHIND)
        cairn_output_format(output, " taken %s %s%s%s", returning == RETURNS_AT ? "at" : "before",
                            event->next, event->next_insn, event->next_line);
}

static void write_exception(struct cairn_told *told, struct cairn_output *output,
                            const struct cairn_told_event *event, const uint64_t *target)
{
    char name[CAIRN_TOLD_TEXT];
    const unsigned number = name_exception(told, event, target, name, sizeof name);
    const enum returning returning = returning_of(name);
    uint64_t offset = 0;
    const char *handler = NULL;

    if (returning == RETURNS_BEHIND && event->call[0])
        snprintf(name, sizeof name, "%s", event->call);
    if (number >= 16 && target &&
        cairn_vectors_confirm(&told->vectors, told->code, number, *target))
        handler = cairn_code_symbol(told->code, *target, &offset);
    cairn_output_format(output, "exception %s", name);
    if (handler && !offset)
        cairn_output_format(output, " %s", cairn_naming_short(told->naming, handler));
    write_where(output, event, returning);
    if (target) {
        cairn_output_text(output, ", to ");
        cairn_told_address(told, output, *target);
    }
    if (returning == RETURNS_BEHIND && event->next[0])
        cairn_output_format(output, "; returns to %s", event->call[0] ? event->back : event->next);
}

/* --- warnings */

/* "0x1000 <f> b 0x2000 (f.c:3)" */
static void write_last(struct cairn_told *told, struct cairn_output *output)
{
    cairn_told_address(told, output, told->last.address);
    write_instruction(told, output, told->last.isa, told->last.address);
    write_line_of(told, output, told->last.address);
}

/* What the image says comes behind the last instruction, and what the trace says. */
static void tell_mismatch(struct cairn_told *told, struct cairn_output *output, uint64_t address)
{
    struct cairn_insn insn;

    if (!told->last.known ||
        !cairn_code_insn(told->code, told->last.isa, told->last.address, &insn)) {
        cairn_output_text(output, "the trace goes on at ");
        cairn_told_address(told, output, address);
        cairn_output_text(output, ", where the image does not lead");
        return;
    }
    const bool taken = insn.kind == CAIRN_INSN_BRANCH_DIRECT && told->last.outcome == 'E';
    cairn_output_text(output, taken ? "" : "behind ");
    write_last(told, output);
    cairn_output_text(output, taken ? " leads to " : " comes ");
    cairn_told_address(told, output, taken ? insn.target : told->last.address + insn.size);
    cairn_output_text(output, " by the image, ");
    cairn_told_address(told, output, address);
    cairn_output_text(output, " by the trace");
}

static void tell_warning(struct cairn_told *told, struct cairn_output *output, uint64_t address,
                         unsigned warning)
{
    cairn_output_text(output, "warning: ");
    switch (warning) {
    case CAIRN_WARNING_TARGET_MISMATCH: tell_mismatch(told, output, address); return;
    case CAIRN_WARNING_RESERVED_N:
    case CAIRN_WARNING_UNDEFINED:
    case CAIRN_WARNING_UNCERTAIN:
        cairn_output_text(output, cairn_flow_warning_text(warning));
        cairn_output_text(output, ": ");
        cairn_told_address(told, output, address);
        write_instruction(told, output, told->last.isa, address);
        write_line_of(told, output, address);
        return;
    default:
        cairn_output_text(output, cairn_flow_warning_text(warning));
        cairn_output_text(output, ", at ");
        cairn_told_address(told, output, address);
        return;
    }
}

void cairn_told_event(struct cairn_told *told, const struct cairn_flow_batch *batch, size_t index,
                      struct cairn_told_event *event)
{
    struct cairn_output *output;

    *event = (struct cairn_told_event){.kind = CAIRN_TOLD_WHOLE};
    switch (batch->kind[index]) {
    case CAIRN_FLOW_EXCEPTION: tell_exception(told, batch, index, event); return;
    case CAIRN_FLOW_WARNING:
        event->wrong = true;
        output = begin(told);
        tell_warning(told, output, batch->address[index], (unsigned)batch->value[index]);
        break;
    default:
        if (batch->kind[index] == CAIRN_FLOW_EXCEPTION_RETURN)
            event->kind = CAIRN_TOLD_EXCEPTION_RETURN;
        event->wrong = batch->kind[index] == CAIRN_FLOW_OVERFLOW;
        output = begin(told);
        cairn_event_write(output, told->config, batch, index);
        break;
    }
    end(told, event->text, sizeof event->text);
}

void cairn_told_write(struct cairn_told *told, struct cairn_output *output,
                      const struct cairn_told_event *event, const uint64_t *target)
{
    if (event->kind == CAIRN_TOLD_EXCEPTION) {
        write_exception(told, output, event, target);
        return;
    }
    cairn_output_text(output, event->text);
    if (event->kind == CAIRN_TOLD_EXCEPTION_RETURN && target) {
        cairn_output_text(output, " to ");
        cairn_told_address(told, output, *target);
    }
}
