/* SPDX-License-Identifier: BSD-2-Clause */
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/image.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

void text_add(struct text *text, const char *format, ...)
{
    char none[1];

    for (;;) {
        va_list arguments;
        va_start(arguments, format);
        size_t left = text->room - text->length;
        char *at = text->bytes ? text->bytes + text->length : none;
        int wanted = vsnprintf(at, left, format, arguments);
        va_end(arguments);
        if (wanted < 0)
            return;
        if ((size_t)wanted < left) {
            text->length += (size_t)wanted;
            return;
        }
        size_t room = text->room * 2 + (size_t)wanted + 1;
        char *bytes = realloc(text->bytes, room);
        if (!bytes)
            exit(3);
        text->bytes = bytes;
        text->room = room;
    }
}

void text_free(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}

static const char *word_of(const char *const *words, size_t count, unsigned value)
{
    return value < count && words[value] ? words[value] : "unnamed";
}

const char *account_word(unsigned account)
{
    static const char *const words[] = {
        [CAIRN_ACCOUNT_FLOW] = "flow",
        [CAIRN_ACCOUNT_METADATA] = "metadata",
        [CAIRN_ACCOUNT_PADDING] = "padding",
        [CAIRN_GAP_NO_SYNC] = "no-sync",
        [CAIRN_GAP_RESERVED] = "reserved",
        [CAIRN_GAP_CUT] = "cut",
        [CAIRN_GAP_TRUNCATED] = "truncated",
        [CAIRN_GAP_NOT_DECODED] = "not-decoded",
        [CAIRN_GAP_NO_ADDRESS] = "no-address",
        [CAIRN_GAP_NO_IMAGE] = "no-image",
        [CAIRN_GAP_RETURN_STACK] = "return-stack",
        [CAIRN_GAP_OVERFLOW] = "overflow",
        [CAIRN_GAP_DISCARD] = "discard",
        [CAIRN_GAP_UNRESOLVED] = "unresolved",
        [CAIRN_GAP_LIMIT] = "limit",
        [CAIRN_GAP_INCONSISTENT] = "inconsistent",
        [CAIRN_GAP_FILTERED] = "filtered",
        [CAIRN_GAP_LOST] = "lost",
    };
    return word_of(words, COUNT(words), account);
}

static const char *isa_word(unsigned isa)
{
    static const char *const words[] = {
        [CAIRN_ISA_UNKNOWN] = "?",
        [CAIRN_ISA_A64] = "A64",
        [CAIRN_ISA_A32] = "A32",
        [CAIRN_ISA_T32] = "T32",
    };
    return word_of(words, COUNT(words), isa);
}

static const char *security_word(unsigned security)
{
    static const char *const words[] = {
        [CAIRN_SECURE] = "S",
        [CAIRN_NONSECURE] = "NS",
        [CAIRN_ROOT] = "ROOT",
        [CAIRN_REALM] = "REALM",
    };
    return word_of(words, COUNT(words), security);
}

static const char *warning_word(unsigned warning)
{
    static const char *const words[] = {
        [CAIRN_WARNING_RESERVED_N] = "reserved-n",
        [CAIRN_WARNING_UNCERTAIN] = "uncertain",
        [CAIRN_WARNING_TARGET_MISMATCH] = "target-mismatch",
        [CAIRN_WARNING_IMPRECISE] = "imprecise",
        [CAIRN_WARNING_UNDEFINED] = "undefined",
        [CAIRN_WARNING_SF_IS1] = "sf-is1",
        [CAIRN_WARNING_TRANSACTION_UNRESOLVED] = "transaction-unresolved",
        [CAIRN_WARNING_TRANSACTION_NESTED] = "transaction-nested",
        [CAIRN_WARNING_OVER_COMMIT] = "over-commit",
        [CAIRN_WARNING_CONTINUES] = "continues",
        [CAIRN_WARNING_CONTEXT_SBZ] = "context-sbz",
        [CAIRN_WARNING_STALE_RETURN] = "stale-return",
        [CAIRN_WARNING_SOURCE_ISA] = "source-isa",
    };
    return word_of(words, COUNT(words), warning);
}

void add_context(struct text *text, const struct cairn_context *context)
{
    text_add(text, "EL%u %s %s vmid=%" PRIu32 " cid=%" PRIu32, context->EL,
             security_word(context->security), context->SF ? "A64" : "A32", context->vmid,
             context->context_id);
}

static void add_number(struct text *text, bool unknown, uint64_t value)
{
    if (unknown)
        text_add(text, " ?");
    else
        text_add(text, " %" PRIu64, value);
}

static void add_address(struct text *text, const struct cairn_element_data *data)
{
    text_add(text, " %" PRIx64 " IS%u", data->address, data->sub_isa);
}

static const char *data_word(unsigned kind)
{
    static const char *const words[] = {
        [CAIRN_DATA_NORMAL] = "normal",
        [CAIRN_DATA_PLACEHOLDER] = "placeholder",
        [CAIRN_DATA_LATE] = "late",
        [CAIRN_DATA_NOT_TRACED] = "not-traced",
        [CAIRN_DATA_SUPPRESSED] = "suppressed",
        [CAIRN_DATA_STORE_FAILED] = "store-failed",
    };
    return word_of(words, COUNT(words), kind);
}

/* " normal @2000 =ab/1 be", " late =7/4 tag=1 of 31" */
static void add_data(struct text *text, unsigned flags, const struct cairn_element_data *data)
{
    text_add(text, " %s", data_word(CAIRN_DATA_KIND(data->cycles)));
    if (data->info & CAIRN_DATA_HAS_ADDRESS)
        text_add(text, " @%" PRIx64, data->address);
    if (data->info & CAIRN_DATA_HAS_VALUE)
        text_add(text, " =%" PRIx64 "/%u", data->value, CAIRN_DATA_SIZE(data->cycles));
    if (CAIRN_DATA_TAG(data->cycles) != 0)
        text_add(text, " tag=%u", CAIRN_DATA_TAG(data->cycles));
    if (CAIRN_DATA_IS_LATE(data->cycles)) {
        text_add(text, " of");
        add_number(text, (flags & CAIRN_ELEMENT_UNKNOWN) != 0, data->address);
    }
    if (data->info & CAIRN_DATA_BIG_ENDIAN)
        text_add(text, " be");
}

static void add_element_content(struct text *text, unsigned kind, unsigned flags,
                                const struct cairn_element_data *data)
{
    bool unknown = (flags & CAIRN_ELEMENT_UNKNOWN) != 0;
    switch (kind) {
    case CAIRN_ELEMENT_TRACE_INFO:
        text_add(text, " info=%02x threshold=%" PRIu32, data->info, data->cycles);
        break;
    case CAIRN_ELEMENT_ATOM: text_add(text, " %c", flags & CAIRN_ELEMENT_E ? 'E' : 'N'); break;
    case CAIRN_ELEMENT_EXCEPTION:
        text_add(text, " type=%" PRIu64, data->value);
        if (unknown)
            text_add(text, " ?");
        else
            add_address(text, data);
        break;
    case CAIRN_ELEMENT_SOURCE_ADDRESS:
    case CAIRN_ELEMENT_TARGET_ADDRESS:
    case CAIRN_ELEMENT_WAYPOINT_UPDATE:
        if (unknown)
            text_add(text, " ?");
        else
            add_address(text, data);
        break;
    case CAIRN_ELEMENT_CONTEXT:
        text_add(text, " ");
        add_context(text, &data->context);
        break;
    case CAIRN_ELEMENT_TIMESTAMP:
        add_number(text, unknown, data->value);
        if (flags & CAIRN_ELEMENT_CYCLES)
            text_add(text, " cycles=%" PRIu32, data->cycles);
        break;
    case CAIRN_ELEMENT_CANCELLED: text_add(text, " %c", flags & CAIRN_ELEMENT_E ? 'E' : 'N'); break;
    case CAIRN_ELEMENT_DATA: add_data(text, flags, data); break;
    case CAIRN_ELEMENT_GAP: text_add(text, " %s", account_word((unsigned)data->value)); break;
    case CAIRN_ELEMENT_INSTRUMENTATION:
        text_add(text, " %" PRIx64 " EL%u", data->value, data->info & 3u);
        break;
    case CAIRN_ELEMENT_Q:
    case CAIRN_ELEMENT_CYCLE_COUNT:
    case CAIRN_ELEMENT_COMMIT:
    case CAIRN_ELEMENT_CANCEL:
    case CAIRN_ELEMENT_EVENT: add_number(text, unknown, data->value); break;
    default: break;
    }
}

static const char *element_word(unsigned kind)
{
    static const char *const words[] = {
        [CAIRN_ELEMENT_TRACE_INFO] = "trace-info",
        [CAIRN_ELEMENT_TRACE_ON] = "trace-on",
        [CAIRN_ELEMENT_ATOM] = "atom",
        [CAIRN_ELEMENT_EXCEPTION] = "exception",
        [CAIRN_ELEMENT_SOURCE_ADDRESS] = "source-address",
        [CAIRN_ELEMENT_Q] = "q",
        [CAIRN_ELEMENT_TARGET_ADDRESS] = "address",
        [CAIRN_ELEMENT_CONTEXT] = "context",
        [CAIRN_ELEMENT_COMMIT] = "commit",
        [CAIRN_ELEMENT_CANCEL] = "cancel",
        [CAIRN_ELEMENT_MISPREDICT] = "mispredict",
        [CAIRN_ELEMENT_DISCARD] = "discard",
        [CAIRN_ELEMENT_OVERFLOW] = "overflow",
        [CAIRN_ELEMENT_CYCLE_COUNT] = "cycle-count",
        [CAIRN_ELEMENT_TIMESTAMP] = "timestamp",
        [CAIRN_ELEMENT_TIMESTAMP_MARKER] = "timestamp-marker",
        [CAIRN_ELEMENT_EVENT] = "event",
        [CAIRN_ELEMENT_TRANSACTION_START] = "transaction-start",
        [CAIRN_ELEMENT_TRANSACTION_COMMIT] = "transaction-commit",
        [CAIRN_ELEMENT_TRANSACTION_FAILURE] = "transaction-failure",
        [CAIRN_ELEMENT_EXCEPTION_RETURN] = "exception-return",
        [CAIRN_ELEMENT_FUNCTION_RETURN] = "function-return",
        [CAIRN_ELEMENT_INSTRUMENTATION] = "instrumentation",
        [CAIRN_ELEMENT_DATA_SYNC] = "data-sync",
        [CAIRN_ELEMENT_CONDITIONAL] = "conditional",
        [CAIRN_ELEMENT_BRANCH_FUTURE_FLUSH] = "branch-future-flush",
        [CAIRN_ELEMENT_GAP] = "gap",
        [CAIRN_ELEMENT_WAYPOINT_UPDATE] = "waypoint-update",
        [CAIRN_ELEMENT_DATA] = "data",
        [CAIRN_ELEMENT_STACKING] = "stacking",
        [CAIRN_ELEMENT_CANCELLED] = "cancelled",
    };
    return word_of(words, COUNT(words), kind);
}

void add_element(struct text *text, const struct cairn_element_batch *batch, size_t index)
{
    unsigned flags = batch->flags[index];
    const struct cairn_element_data *data = &batch->data[index];
    text_add(text, "%" PRIu64 " %s", batch->offset[index], element_word(batch->kind[index]));
    add_element_content(text, batch->kind[index], flags, data);
    if (flags & CAIRN_ELEMENT_LOST)
        text_add(text, " +lost:%s", account_word(data->reason));
    if (flags & CAIRN_ELEMENT_IMPLIED)
        text_add(text, " +implied");
    if (flags & CAIRN_ELEMENT_TRANSACTIONAL)
        text_add(text, " +transactional");
    if (flags & CAIRN_ELEMENT_APPROXIMATE)
        text_add(text, " +approximate");
    if (flags & CAIRN_ELEMENT_UNCERTAIN)
        text_add(text, " +uncertain");
    if (flags & CAIRN_ELEMENT_HERE)
        text_add(text, " +here");
    if (flags & CAIRN_ELEMENT_CHECK)
        text_add(text, " +check");
    if (flags & CAIRN_ELEMENT_ADDRESSED)
        text_add(text, " +addressed");
    if (flags & CAIRN_ELEMENT_PAUSED)
        text_add(text, " +paused:%u", data->info);
    if (batch->kind[index] == CAIRN_ELEMENT_ATOM && (flags & CAIRN_ELEMENT_INITIAL_E))
        text_add(text, " +initial-e");
    if (batch->kind[index] == CAIRN_ELEMENT_TIMESTAMP)
        text_add(text, " +at:%" PRIu64, data->address);
    text_add(text, "\n");
}

/* A T32 instruction has four bytes when bits 15:11 of its first halfword are 11101, 11110 or 11111.
 */
#define T32_FIRST_WIDE 0xe800u

static unsigned instruction_size(unsigned isa, uint64_t address, find_bytes *find, void *user)
{
    if (isa != CAIRN_ISA_T32)
        return 4;
    const unsigned char *bytes = find(user, address);
    if (!bytes)
        return 0;
    return ((unsigned)bytes[0] | (unsigned)bytes[1] << 8) >= T32_FIRST_WIDE ? 4 : 2;
}

static char outcome_of(unsigned flags)
{
    if (!(flags & CAIRN_FLOW_P0) || (flags & CAIRN_FLOW_UNKNOWN))
        return '-';
    return flags & CAIRN_FLOW_TAKEN ? 'E' : 'N';
}

static void add_range(struct text *text, const struct cairn_flow_batch *batch, size_t index,
                      find_bytes *find, void *user)
{
    unsigned isa = batch->isa[index];
    unsigned flags = batch->flags[index];
    uint64_t address = batch->address[index];
    uint64_t mask = isa == CAIRN_ISA_A64 ? UINT64_MAX : UINT32_MAX;
    for (uint32_t n = 0; n < batch->instructions[index]; n++) {
        unsigned size = instruction_size(isa, address, find, user);
        bool last = n + 1 == batch->instructions[index];
        text_add(text, "i %" PRIx64 " %u %s %c", address, size, isa_word(isa),
                 last ? outcome_of(flags) : '-');
        if (flags & CAIRN_FLOW_TRANSACTION)
            text_add(text, " +transaction");
        if (flags & CAIRN_FLOW_IMPRECISE)
            text_add(text, " +imprecise");
        if (flags & CAIRN_FLOW_UNKNOWN)
            text_add(text, " +unknown");
        if (n == 0 && (flags & CAIRN_FLOW_INFERRED))
            text_add(text, " +inferred");
        if (n == 0 && (flags & CAIRN_FLOW_DISCONTINUITY))
            text_add(text, " +discontinuity");
        if (last && (flags & CAIRN_FLOW_LINK))
            text_add(text, " +link");
        if (last && (flags & CAIRN_FLOW_RETURN))
            text_add(text, " +return");
        text_add(text, "\n");
        address = (address + size) & mask;
    }
    if (address != (batch->value[index] & mask))
        text_add(text, "# bad-range %" PRIx64 " ends at %" PRIx64 ", not %" PRIx64 "\n",
                 batch->address[index], address, batch->value[index]);
}

static void add_flow_context(struct text *text, uint64_t ids, uint64_t state)
{
    struct cairn_context context = {
        .EL = state & 3,
        .security = state >> 2 & 3,
        .SF = state >> 4 & 1,
        .vmid = (uint32_t)(ids >> 32),
        .context_id = (uint32_t)ids,
    };
    text_add(text, "# context ");
    add_context(text, &context);
}

/* "# data KIND at ADDRESS = VALUE of INSTRUCTION[TRANSFER] +be" */
static void add_flow_data(struct text *text, const struct cairn_flow_batch *batch, size_t index)
{
    const unsigned flags = batch->flags[index];
    const uint32_t form = batch->instructions[index];

    text_add(text, "# data %s", data_word(CAIRN_FLOW_DATA_KIND(form)));
    if (flags & CAIRN_FLOW_HAS_ADDRESS)
        text_add(text, " at %" PRIx64, batch->address[index] >> 32);
    if (flags & CAIRN_FLOW_HAS_VALUE)
        text_add(text, " = %" PRIx64, batch->value[index]);
    if (flags & CAIRN_FLOW_BY_CORE)
        text_add(text, " of core");
    else if (flags & CAIRN_FLOW_UNKNOWN)
        text_add(text, " of ?");
    else if (CAIRN_FLOW_DATA_IS_LATE(form))
        text_add(text, " of packet %" PRIu64, batch->address[index]);
    else
        text_add(text, " of %" PRIx64 "[%u]", batch->address[index] & UINT32_MAX,
                 CAIRN_FLOW_DATA_TRANSFER(form));
    if (flags & CAIRN_FLOW_BIG_ENDIAN)
        text_add(text, " +be");
}

void add_flow(struct text *text, const struct cairn_flow_batch *batch, size_t index,
              find_bytes *find, void *user)
{
    uint64_t value = batch->value[index];
    uint64_t address = batch->address[index];
    bool unknown = (batch->flags[index] & CAIRN_FLOW_UNKNOWN) != 0;
    switch (batch->kind[index]) {
    case CAIRN_FLOW_RANGE: add_range(text, batch, index, find, user); return;
    case CAIRN_FLOW_GAP:
        text_add(text, "# gap %s %" PRIx64, account_word((unsigned)value), address);
        break;
    case CAIRN_FLOW_TRACE_ON: text_add(text, "# trace-on"); break;
    case CAIRN_FLOW_CONTEXT: add_flow_context(text, address, value); break;
    case CAIRN_FLOW_EXCEPTION:
        text_add(text, "# exception type=%" PRIu64, value);
        if (unknown)
            text_add(text, " ?");
        else
            text_add(text, " %" PRIx64, address);
        break;
    case CAIRN_FLOW_EXCEPTION_RETURN: text_add(text, "# exception-return"); break;
    case CAIRN_FLOW_TIMESTAMP:
        text_add(text, "# timestamp");
        add_number(text, unknown, value);
        if (batch->flags[index] & CAIRN_FLOW_CYCLES_VALID)
            text_add(text, " cycles=%" PRIu64, address);
        break;
    case CAIRN_FLOW_TIMESTAMP_MARKER: text_add(text, "# timestamp-marker"); break;
    case CAIRN_FLOW_CYCLES:
        text_add(text, "# cycles");
        add_number(text, unknown, value);
        text_add(text, " total=%" PRIu64, address);
        break;
    case CAIRN_FLOW_EVENT: text_add(text, "# event %" PRIu64, value); break;
    case CAIRN_FLOW_OVERFLOW: text_add(text, "# overflow"); break;
    case CAIRN_FLOW_DISCARD: text_add(text, "# discard"); break;
    case CAIRN_FLOW_TRANSACTION_START: text_add(text, "# transaction-start"); break;
    case CAIRN_FLOW_TRANSACTION_COMMIT: text_add(text, "# transaction-commit"); break;
    case CAIRN_FLOW_TRANSACTION_FAILURE:
        text_add(text, "# transaction-failure %s", value ? "unseen" : "seen");
        break;
    case CAIRN_FLOW_Q:
        text_add(text, "# q");
        add_number(text, unknown, value);
        break;
    case CAIRN_FLOW_SYNC: text_add(text, "# sync"); break;
    case CAIRN_FLOW_INSTRUMENTATION:
        text_add(text, "# instrumentation %" PRIx64 " EL%" PRIu64, value, address);
        break;
    case CAIRN_FLOW_WARNING:
        text_add(text, "# warning %s %" PRIx64, warning_word((unsigned)value), address);
        break;
    case CAIRN_FLOW_FUNCTION_RETURN: text_add(text, "# function-return"); break;
    case CAIRN_FLOW_DATA: add_flow_data(text, batch, index); break;
    default: text_add(text, "# unnamed %u", batch->kind[index]); break;
    }
    text_add(text, "\n");
}
