/* SPDX-License-Identifier: BSD-2-Clause */
/* The packet writer: fields -> the bytes of one packet of exactly the kind asked for. It shares no
 * table with the parser, so that each checks the other.
 *
 * Which members of struct cairn_packet_fields a kind takes (others are ignored):
 *   TRACE_INFO            type = PLCTL (which sections follow), info = INFO byte, count = SPEC,
 *                         cycles = CYCT, value = KEY (ETMv4); a member without its PLCTL bit is 0
 *   TIMESTAMP             value; HAS_CYCLES + cycles: header 03
 *   EXCEPTION             type, E10, and with HAS_ADDRESS the address form: with HAS_CONTEXT
 *                         address_bits 32 or 64 and the context; else address_bits 0 (exact match,
 *                         info 1:0 = history entry), 8, 9, 16, 17 (short), 32, 64. ETMv4: info bit
 * 7 = fault pending; no HAS_ADDRESS = no address PE_RESET, TRANSACTION_FAILURE   E10
 *   INSTRUMENTATION       info = EL, value
 *   CYCLE_COUNT_F1        HAS_CYCLES + cycles, absent = unknown; HAS_COUNT + count = commits
 *   CYCLE_COUNT_F2, _F3   cycles; HAS_COUNT + count exactly when COMMOPT is 0
 *   COMMIT, CANCEL_F1     count; CANCEL_F1: MISPREDICT
 *   CANCEL_F2, _F3, MISPREDICT      atom_count, atoms; count
 *   ATOM_F1 to ATOM_F6    atom_count, atoms, the oldest in bit 0
 *   EVENT                 type = mask of the events
 *   CONTEXT               context; HAS_VMID and HAS_CONTEXT_ID for what the packet carries
 *   ADDRESS_*, SOURCE_*   address; exact match: info = history entry; short: address_bits, or 0 for
 *                         the fewest bytes
 *   ADDRESS_CONTEXT_*     address and context
 *   Q_*                   address as above, count; Q: nothing
 *   DATA_SYNC_*           type = number
 *   COND_INSTRUCTION_F1 value = key; _F2 type = CI; _F3 value = payload byte
 *   COND_RESULT_F1        type = header 2:0 (0 to 3 two results, 6 and 7 one); info = the result, the
 *                         second one above it; value = its key, the second one's in bits 63:32
 *   COND_RESULT_F2        type = header 2:0; _F3 value = 12 bits of tokens; _F4 type = token
 * Sections of variable length are written as short as they can be. */
#include "protocol/etmv4/cursor.h"
#include "protocol/etmv4/draft.h"

#include <stdlib.h>
#include <string.h>

/* Header bytes that the list of <cairn/etmv4.h> gives only as ranges, DDI0608 D5.2. */
#define HEADER_EXTENSION 0x00u
#define EXTENSION_DISCARD 0x03u
#define EXTENSION_OVERFLOW 0x05u
#define EXTENSION_BRANCH_FUTURE 0x07u
#define ALIGNMENT_ZEROS 11u /* the fewest a decoder must take, D9.2.3 */
#define ALIGNMENT_END 0x80u
#define HEADER_EXCEPTION 0x06u
#define HEADER_NO_ADDRESS 0x70u

/* Exception information byte, D5.13; the second one is ETMv4's. */
#define EXCEPTION_E_01 0x01u
#define EXCEPTION_E_10 0x40u
#define EXCEPTION_TYPE_BITS 5u
#define EXCEPTION_TYPE_MASK 0x1fu
#define EXCEPTION_TYPE_MAX 0x3ffu
#define EXCEPTION_MORE 0x80u
#define EXCEPTION_FAULT_PENDING 0x20u
#define INFO_FAULT_PENDING 0x80u
#define TYPE_PE_RESET 0x00u
#define TYPE_TRANSACTION_FAILURE 0x18u

/* Trace Info, D5.7. */
#define PLCTL_INFO 0x01u
#define PLCTL_KEY 0x02u
#define PLCTL_SPEC 0x04u
#define PLCTL_CYCT 0x08u
#define INFO_CC 0x01u

#define EL_MAX 3u

/* Widths of sections of variable length, in bits. */
#define WIDTH_CYCT 12u
#define WIDTH_COUNT 20u
#define WIDTH_COMMIT 32u
#define WIDTH_KEY 32u
#define WIDTH_TIMESTAMP 64u
#define INFO_MORE 0x80u /* ETMv4: another INFO byte follows, which nothing defines */
#define CYCLES_F2_MAX 15u
#define CYCLES_F3_MAX 3u

struct cairn_etmv4_writer {
    struct cairn_config *config;
    struct cairn_draft_state state;
};

cairn_status cairn_etmv4_writer_new(struct cairn_config *config, struct cairn_etmv4_writer **writer)
{
    struct cairn_etmv4_writer *made = calloc(1, sizeof *made);
    if (!made)
        return CAIRN_E_MEMORY;
    made->config = cairn_config_ref(config);
    *writer = made;
    return CAIRN_OK;
}

void cairn_etmv4_writer_free(struct cairn_etmv4_writer *writer)
{
    if (!writer)
        return;
    cairn_config_unref(writer->config);
    free(writer);
}

/* --- exceptions --- */

static bool put_exception_address(struct cairn_draft *draft)
{
    const unsigned bits = draft->fields->address_bits;
    const unsigned sub_isa = draft->fields->sub_isa;
    if (sub_isa > 1)
        return false;
    if (cairn_draft_has(draft, CAIRN_PACKET_HAS_CONTEXT)) {
        if (bits == 32)
            return cairn_draft_put_long(draft, sub_isa ? 0x83 : 0x82, sub_isa, 32) &&
                   cairn_draft_put_context(draft);
        return bits == 64 && cairn_draft_put_long(draft, sub_isa ? 0x86 : 0x85, sub_isa, 64) &&
               cairn_draft_put_context(draft);
    }
    switch (bits) {
    case 0: return cairn_draft_put_exact(draft, 0x90);
    case 32: return cairn_draft_put_long(draft, sub_isa ? 0x9b : 0x9a, sub_isa, 32);
    case 64: return cairn_draft_put_long(draft, sub_isa ? 0x9e : 0x9d, sub_isa, 64);
    default: return cairn_draft_put_short(draft, sub_isa ? 0x96 : 0x95, sub_isa);
    }
}

static unsigned exception_e(const struct cairn_draft *draft)
{
    return cairn_draft_has(draft, CAIRN_PACKET_E10) ? EXCEPTION_E_10 : EXCEPTION_E_01;
}

static bool exception(struct cairn_draft *draft)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const bool address = cairn_draft_has(draft, CAIRN_PACKET_HAS_ADDRESS);
    const bool pending = (fields->info & INFO_FAULT_PENDING) != 0;
    const bool more = fields->type > EXCEPTION_TYPE_MASK || pending;
    if (fields->type > EXCEPTION_TYPE_MAX)
        return false;
    if (draft->etm->is_ete && (more || !address || fields->type == TYPE_TRANSACTION_FAILURE))
        return false;
    if (!address && cairn_draft_has(draft, CAIRN_PACKET_E10))
        return false;
    cairn_draft_put(draft, HEADER_EXCEPTION);
    cairn_draft_put(draft, ((fields->type & EXCEPTION_TYPE_MASK) << 1) |
                               (address ? exception_e(draft) : 0) | (more ? EXCEPTION_MORE : 0));
    if (more)
        cairn_draft_put(draft, ((unsigned)fields->type >> EXCEPTION_TYPE_BITS) |
                                   (pending ? EXCEPTION_FAULT_PENDING : 0));
    return !address || put_exception_address(draft);
}

/* PE Reset and Transaction Failure (D5.24, D5.25): an exception without an address. */
static bool no_address(struct cairn_draft *draft, unsigned type)
{
    cairn_draft_put(draft, HEADER_EXCEPTION);
    cairn_draft_put(draft, (type << 1) | exception_e(draft));
    cairn_draft_put(draft, HEADER_NO_ADDRESS);
    cairn_draft_push(draft, 0, 0);
    return draft->etm->is_ete;
}

/* --- state, time, cycles --- */

static bool trace_info(struct cairn_draft *draft)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const unsigned plctl = fields->type;
    const unsigned known =
        PLCTL_INFO | PLCTL_SPEC | PLCTL_CYCT | (draft->etm->is_ete ? 0 : PLCTL_KEY);
    if (plctl & ~known)
        return false;
    if ((!(plctl & PLCTL_INFO) && fields->info) || (!(plctl & PLCTL_KEY) && fields->value) ||
        (!(plctl & PLCTL_SPEC) && fields->count) || (!(plctl & PLCTL_CYCT) && fields->cycles))
        return false;
    if (!draft->etm->is_ete && (fields->info & INFO_MORE))
        return false;
    cairn_draft_put(draft, 0x01);
    cairn_draft_put(draft, plctl);
    if (plctl & PLCTL_INFO)
        cairn_draft_put(draft, fields->info);
    if ((plctl & PLCTL_KEY) && !cairn_draft_put_le128(draft, fields->value, WIDTH_COMMIT))
        return false;
    if ((plctl & PLCTL_SPEC) && !cairn_draft_put_le128(draft, fields->count, WIDTH_COMMIT))
        return false;
    if ((plctl & PLCTL_CYCT) && !cairn_draft_put_le128(draft, fields->cycles, WIDTH_CYCT))
        return false;
    memset(&draft->state, 0, sizeof draft->state);
    draft->state.cc_threshold = fields->info & INFO_CC ? fields->cycles : 0;
    return true;
}

static bool timestamp(struct cairn_draft *draft)
{
    const bool cycles = cairn_draft_has(draft, CAIRN_PACKET_HAS_CYCLES);
    const uint64_t value = draft->fields->value;
    cairn_draft_put(draft, cycles ? 0x03 : 0x02);
    cairn_draft_put_replacement(draft, value, draft->state.timestamp, WIDTH_TIMESTAMP);
    draft->state.timestamp = value;
    return !cycles || cairn_draft_put_le128(draft, draft->fields->cycles, WIDTH_COUNT);
}

/* The cycle count field: without the threshold. False when it is below it or above `max`. */
static bool cycle_field(const struct cairn_draft *draft, uint32_t max, uint32_t *field)
{
    const uint32_t cycles = draft->fields->cycles;
    if (!cairn_draft_has(draft, CAIRN_PACKET_HAS_CYCLES) || cycles < draft->state.cc_threshold ||
        cycles - draft->state.cc_threshold > max)
        return false;
    *field = cycles - draft->state.cc_threshold;
    return true;
}

static bool cycle_count_1(struct cairn_draft *draft)
{
    const bool cycles = cairn_draft_has(draft, CAIRN_PACKET_HAS_CYCLES);
    const uint32_t commits =
        cairn_draft_has(draft, CAIRN_PACKET_HAS_COUNT) ? draft->fields->count : 0;
    uint32_t field = 0;
    if (cycles && !cycle_field(draft, (1u << WIDTH_COUNT) - 1, &field))
        return false;
    if (draft->etm->commopt && commits != 0)
        return false;
    cairn_draft_put(draft, cycles ? 0x0e : 0x0f);
    if (!draft->etm->commopt && !cairn_draft_put_le128(draft, commits, WIDTH_COMMIT))
        return false;
    return !cycles || cairn_draft_put_le128(draft, field, WIDTH_COUNT);
}

static bool cycle_count_2(struct cairn_draft *draft)
{
    const uint32_t count =
        cairn_draft_has(draft, CAIRN_PACKET_HAS_COUNT) ? draft->fields->count : 0;
    uint32_t field;
    if (!cycle_field(draft, CYCLES_F2_MAX, &field))
        return false;
    if (draft->etm->commopt) {
        cairn_draft_put(draft, 0x0d);
        cairn_draft_put(draft, 0xf0 | field);
        return count == 0;
    }
    if (count >= 1 && count <= 16) { /* preferred, D5.31 */
        cairn_draft_put(draft, 0x0c);
        cairn_draft_put(draft, ((count - 1) << 4) | field);
        return true;
    }
    const int64_t aaaa = (int64_t)count - draft->etm->maxspec + 15;
    if (count == 0 || aaaa < 0 || aaaa > 15)
        return false;
    cairn_draft_put(draft, 0x0d);
    cairn_draft_put(draft, ((unsigned)aaaa << 4) | field);
    return true;
}

static bool cycle_count_3(struct cairn_draft *draft)
{
    const uint32_t count =
        cairn_draft_has(draft, CAIRN_PACKET_HAS_COUNT) ? draft->fields->count : 0;
    uint32_t field;
    if (!cycle_field(draft, CYCLES_F3_MAX, &field))
        return false;
    if (draft->etm->commopt)
        return count == 0 && cairn_draft_put(draft, 0x10 | field);
    return count >= 1 && count <= 4 && cairn_draft_put(draft, 0x10 | ((count - 1) << 2) | field);
}

/* --- atoms and speculation --- */

static uint32_t atoms_of(const struct cairn_packet_fields *fields)
{
    if (fields->atom_count >= 32)
        return fields->atoms;
    return fields->atoms & ((1u << fields->atom_count) - 1);
}

/* A single header byte whose low bits choose a row of `patterns`. */
static bool put_pattern(struct cairn_draft *draft, unsigned header, const uint8_t *patterns,
                        unsigned pattern_count, unsigned atom_count)
{
    if (draft->fields->atom_count != atom_count)
        return false;
    for (unsigned i = 0; i < pattern_count; i++)
        if (patterns[i] == atoms_of(draft->fields))
            return cairn_draft_put(draft, header + i);
    return false;
}

static bool put_counted_atoms(struct cairn_draft *draft, unsigned header, unsigned atom_count)
{
    return draft->fields->atom_count == atom_count &&
           cairn_draft_put(draft, header | atoms_of(draft->fields));
}

/* COUNT + 3 times E, then one E or N (D5.46). */
static bool atom_6(struct cairn_draft *draft)
{
    const unsigned count = draft->fields->atom_count;
    if (count < 4 || count > 24)
        return false;
    const uint32_t all = (1u << count) - 1;
    if (atoms_of(draft->fields) == all)
        return cairn_draft_put(draft, 0xc0 | (count - 4));
    return atoms_of(draft->fields) == all >> 1 && cairn_draft_put(draft, 0xe0 | (count - 4));
}

/* None, E, EE or N before a Mispredict or Cancel format 2 (D5.37, D5.39). */
static bool put_leading(struct cairn_draft *draft, unsigned header)
{
    const unsigned count = draft->fields->atom_count;
    const uint32_t atoms = atoms_of(draft->fields);
    if (count == 0)
        return cairn_draft_put(draft, header);
    if (count == 1)
        return cairn_draft_put(draft, header | (atoms ? 1 : 3));
    return count == 2 && atoms == 3 && cairn_draft_put(draft, header | 2);
}

static bool cancel_1(struct cairn_draft *draft)
{
    cairn_draft_put(draft, 0x2e | (cairn_draft_has(draft, CAIRN_PACKET_MISPREDICT) ? 1u : 0u));
    return draft->fields->count != 0 &&
           cairn_draft_put_le128(draft, draft->fields->count, WIDTH_COMMIT);
}

static bool cancel_3(struct cairn_draft *draft)
{
    const uint32_t count = draft->fields->count;
    const unsigned atoms = draft->fields->atom_count;
    if (count < 2 || count > 5 || atoms > 1 || (atoms == 1 && !(draft->fields->atoms & 1)))
        return false;
    return cairn_draft_put(draft, 0x38 | ((count - 2) << 1) | atoms);
}

/* --- the rest --- */

static bool instrumentation(struct cairn_draft *draft)
{
    if (draft->fields->info > EL_MAX)
        return false;
    cairn_draft_put(draft, 0x09);
    cairn_draft_put(draft, draft->fields->info);
    cairn_draft_put_little_endian(draft, draft->fields->value, 8);
    return true;
}

/* A header whose low bits are `type`, which is at most `max`. */
static bool put_type(struct cairn_draft *draft, unsigned header, unsigned max)
{
    return draft->fields->type <= max && cairn_draft_put(draft, header | draft->fields->type);
}

static bool put_result(struct cairn_draft *draft, unsigned result, uint32_t key)
{
    const uint32_t rest = key >> 3;

    cairn_draft_put(draft, (rest ? CAIRN_ETMV4_CONTINUE : 0) | (key & 7) << 4 | result);
    return rest == 0 || cairn_draft_put_le128(draft, rest, WIDTH_KEY);
}

static bool conditional_result_1(struct cairn_draft *draft)
{
    const unsigned type = draft->fields->type;
    const unsigned results = draft->fields->info;
    const uint64_t keys = draft->fields->value;
    const bool two = type <= 3;
    if (!two && type != 6 && type != 7)
        return false;
    if (!two && (results > 0xf || keys > UINT32_MAX))
        return false;
    cairn_draft_put(draft, 0x68 | type);
    return put_result(draft, results & 0xf, (uint32_t)keys) &&
           (!two || put_result(draft, results >> 4, (uint32_t)(keys >> 32)));
}

static bool conditional_result_3(struct cairn_draft *draft)
{
    const uint64_t tokens = draft->fields->value;
    if (tokens > 0xfff)
        return false;
    cairn_draft_put(draft, 0x50 | (unsigned)(tokens >> 8));
    cairn_draft_put(draft, (unsigned)tokens & 0xff);
    return true;
}

static bool conditional_instruction_3(struct cairn_draft *draft)
{
    cairn_draft_put(draft, 0x6d);
    cairn_draft_put(draft, (unsigned)draft->fields->value & 0xff);
    return draft->fields->value <= 0xff;
}

static bool alignment_sync(struct cairn_draft *draft)
{
    for (unsigned i = 0; i < ALIGNMENT_ZEROS; i++)
        cairn_draft_put(draft, 0);
    return cairn_draft_put(draft, ALIGNMENT_END);
}

static bool extension(struct cairn_draft *draft, unsigned second)
{
    cairn_draft_put(draft, HEADER_EXTENSION);
    return cairn_draft_put(draft, second);
}

static bool count_behind(struct cairn_draft *draft)
{
    return cairn_draft_put_le128(draft, draft->fields->count, WIDTH_COMMIT);
}

/* Whether a trace unit of this configuration has packets of this kind at all. */
static bool exists(const struct cairn_etmv4_config *etm, enum cairn_etmv4_kind kind)
{
    if (kind == CAIRN_ETMV4_FUNCTION_RETURN)
        return etm->function_return;
    if (kind == CAIRN_ETMV4_EXCEPTION_RETURN)
        return etm->exception_return;
    if (kind == CAIRN_ETMV4_BRANCH_FUTURE_FLUSH)
        return etm->branch_future;
    if (kind == CAIRN_ETMV4_INSTRUMENTATION)
        return etm->instrumentation;
    if (kind == CAIRN_ETMV4_TRANSACTION_START || kind == CAIRN_ETMV4_TRANSACTION_COMMIT)
        return etm->transactions;
    if (kind == CAIRN_ETMV4_TIMESTAMP_MARKER)
        return etm->timestamp_marker;
    if (kind >= CAIRN_ETMV4_SOURCE_EXACT && kind <= CAIRN_ETMV4_SOURCE_64_IS1)
        return etm->source_addresses;
    if (kind >= CAIRN_ETMV4_Q_EXACT && kind <= CAIRN_ETMV4_Q)
        return etm->is_ete || etm->qsupp != 0;
    if (kind == CAIRN_ETMV4_DATA_SYNC_NUMBERED || kind == CAIRN_ETMV4_DATA_SYNC_UNNUMBERED)
        return !etm->is_ete;
    if (kind >= CAIRN_ETMV4_COND_INSTRUCTION_F2 && kind <= CAIRN_ETMV4_COND_INSTRUCTION_F3)
        return !etm->is_ete;
    return true;
}

/* Writes one packet into the draft; false when its fields cannot be expressed. */
static bool write_packet(struct cairn_draft *draft, enum cairn_etmv4_kind kind)
{
    static const uint8_t format_4[] = {0x0e, 0x00, 0x0a, 0x05}; /* NEEE NNNN NENE ENEN, D5.43 */
    static const uint8_t format_5_1[] = {0x1e};                 /* NEEEE, D5.44 */
    static const uint8_t format_5_2[] = {0x00, 0x0a, 0x15};     /* NNNNN NENEN ENENE, D5.45 */

    switch (kind) {
    case CAIRN_ETMV4_NOT_SYNC:
    case CAIRN_ETMV4_RESERVED:
    case CAIRN_ETMV4_CUT:
    case CAIRN_ETMV4_INCOMPLETE: return false;
    case CAIRN_ETMV4_ALIGNMENT_SYNC: return alignment_sync(draft);
    case CAIRN_ETMV4_DISCARD: return extension(draft, EXTENSION_DISCARD);
    case CAIRN_ETMV4_OVERFLOW: return extension(draft, EXTENSION_OVERFLOW);
    case CAIRN_ETMV4_BRANCH_FUTURE_FLUSH: return extension(draft, EXTENSION_BRANCH_FUTURE);
    case CAIRN_ETMV4_TRACE_INFO: return trace_info(draft);
    case CAIRN_ETMV4_TIMESTAMP: return timestamp(draft);
    case CAIRN_ETMV4_TRACE_ON: return cairn_draft_put(draft, 0x04);
    case CAIRN_ETMV4_FUNCTION_RETURN: return cairn_draft_put(draft, 0x05);
    case CAIRN_ETMV4_EXCEPTION: return exception(draft);
    case CAIRN_ETMV4_PE_RESET: return no_address(draft, TYPE_PE_RESET);
    case CAIRN_ETMV4_TRANSACTION_FAILURE: return no_address(draft, TYPE_TRANSACTION_FAILURE);
    case CAIRN_ETMV4_EXCEPTION_RETURN: return cairn_draft_put(draft, 0x07);
    case CAIRN_ETMV4_INSTRUMENTATION: return instrumentation(draft);
    case CAIRN_ETMV4_TRANSACTION_START: return cairn_draft_put(draft, 0x0a);
    case CAIRN_ETMV4_TRANSACTION_COMMIT: return cairn_draft_put(draft, 0x0b);
    case CAIRN_ETMV4_CYCLE_COUNT_F2: return cycle_count_2(draft);
    case CAIRN_ETMV4_CYCLE_COUNT_F1: return cycle_count_1(draft);
    case CAIRN_ETMV4_CYCLE_COUNT_F3: return cycle_count_3(draft);
    case CAIRN_ETMV4_DATA_SYNC_NUMBERED: return put_type(draft, 0x20, 7);
    case CAIRN_ETMV4_DATA_SYNC_UNNUMBERED: return put_type(draft, 0x28, 4);
    case CAIRN_ETMV4_COMMIT: return cairn_draft_put(draft, 0x2d) && count_behind(draft);
    case CAIRN_ETMV4_CANCEL_F1: return cancel_1(draft);
    case CAIRN_ETMV4_MISPREDICT: return put_leading(draft, 0x30);
    case CAIRN_ETMV4_CANCEL_F2: return draft->fields->count == 1 && put_leading(draft, 0x34);
    case CAIRN_ETMV4_CANCEL_F3: return cancel_3(draft);
    case CAIRN_ETMV4_COND_INSTRUCTION_F2: return put_type(draft, 0x40, 2);
    case CAIRN_ETMV4_COND_FLUSH: return cairn_draft_put(draft, 0x43);
    case CAIRN_ETMV4_COND_RESULT_F4: return put_type(draft, 0x44, 2);
    case CAIRN_ETMV4_COND_RESULT_F2: return draft->fields->type != 3 && put_type(draft, 0x48, 6);
    case CAIRN_ETMV4_COND_RESULT_F3: return conditional_result_3(draft);
    case CAIRN_ETMV4_COND_RESULT_F1: return conditional_result_1(draft);
    case CAIRN_ETMV4_COND_INSTRUCTION_F1:
        return cairn_draft_put(draft, 0x6c) &&
               cairn_draft_put_le128(draft, draft->fields->value, WIDTH_COMMIT);
    case CAIRN_ETMV4_COND_INSTRUCTION_F3: return conditional_instruction_3(draft);
    case CAIRN_ETMV4_IGNORE: return cairn_draft_put(draft, 0x70);
    case CAIRN_ETMV4_EVENT: return draft->fields->type != 0 && put_type(draft, 0x70, 0xf);
    case CAIRN_ETMV4_CONTEXT_SAME:
        return cairn_draft_is_same_context(draft) && cairn_draft_put(draft, 0x80);
    case CAIRN_ETMV4_CONTEXT: return cairn_draft_put(draft, 0x81) && cairn_draft_put_context(draft);
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS0:
        return cairn_draft_put_long(draft, 0x82, 0, 32) && cairn_draft_put_context(draft);
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS1:
        return cairn_draft_put_long(draft, 0x83, 1, 32) && cairn_draft_put_context(draft);
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0:
        return cairn_draft_put_long(draft, 0x85, 0, 64) && cairn_draft_put_context(draft);
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1:
        return cairn_draft_put_long(draft, 0x86, 1, 64) && cairn_draft_put_context(draft);
    case CAIRN_ETMV4_TIMESTAMP_MARKER: return cairn_draft_put(draft, 0x88);
    case CAIRN_ETMV4_ADDRESS_EXACT: return cairn_draft_put_exact(draft, 0x90);
    case CAIRN_ETMV4_ADDRESS_SHORT_IS0: return cairn_draft_put_short(draft, 0x95, 0);
    case CAIRN_ETMV4_ADDRESS_SHORT_IS1: return cairn_draft_put_short(draft, 0x96, 1);
    case CAIRN_ETMV4_ADDRESS_32_IS0: return cairn_draft_put_long(draft, 0x9a, 0, 32);
    case CAIRN_ETMV4_ADDRESS_32_IS1: return cairn_draft_put_long(draft, 0x9b, 1, 32);
    case CAIRN_ETMV4_ADDRESS_64_IS0: return cairn_draft_put_long(draft, 0x9d, 0, 64);
    case CAIRN_ETMV4_ADDRESS_64_IS1: return cairn_draft_put_long(draft, 0x9e, 1, 64);
    case CAIRN_ETMV4_Q_EXACT: return cairn_draft_put_exact(draft, 0xa0) && count_behind(draft);
    case CAIRN_ETMV4_Q_SHORT_IS0:
        return cairn_draft_put_short(draft, 0xa5, 0) && count_behind(draft);
    case CAIRN_ETMV4_Q_SHORT_IS1:
        return cairn_draft_put_short(draft, 0xa6, 1) && count_behind(draft);
    case CAIRN_ETMV4_Q_32_IS0:
        return cairn_draft_put_long(draft, 0xaa, 0, 32) && count_behind(draft);
    case CAIRN_ETMV4_Q_32_IS1:
        return cairn_draft_put_long(draft, 0xab, 1, 32) && count_behind(draft);
    case CAIRN_ETMV4_Q_COUNT: return cairn_draft_put(draft, 0xac) && count_behind(draft);
    case CAIRN_ETMV4_Q: return cairn_draft_put(draft, 0xaf);
    case CAIRN_ETMV4_SOURCE_EXACT: return cairn_draft_put_exact(draft, 0xb0);
    case CAIRN_ETMV4_SOURCE_SHORT_IS0: return cairn_draft_put_short(draft, 0xb4, 0);
    case CAIRN_ETMV4_SOURCE_SHORT_IS1: return cairn_draft_put_short(draft, 0xb5, 1);
    case CAIRN_ETMV4_SOURCE_32_IS0: return cairn_draft_put_long(draft, 0xb6, 0, 32);
    case CAIRN_ETMV4_SOURCE_32_IS1: return cairn_draft_put_long(draft, 0xb7, 1, 32);
    case CAIRN_ETMV4_SOURCE_64_IS0: return cairn_draft_put_long(draft, 0xb8, 0, 64);
    case CAIRN_ETMV4_SOURCE_64_IS1: return cairn_draft_put_long(draft, 0xb9, 1, 64);
    case CAIRN_ETMV4_ATOM_F6: return atom_6(draft);
    case CAIRN_ETMV4_ATOM_F5_2: return put_pattern(draft, 0xd5, format_5_2, 3, 5);
    case CAIRN_ETMV4_ATOM_F2: return put_counted_atoms(draft, 0xd8, 2);
    case CAIRN_ETMV4_ATOM_F4: return put_pattern(draft, 0xdc, format_4, 4, 4);
    case CAIRN_ETMV4_ATOM_F5_1: return put_pattern(draft, 0xf5, format_5_1, 1, 5);
    case CAIRN_ETMV4_ATOM_F1: return put_counted_atoms(draft, 0xf6, 1);
    case CAIRN_ETMV4_ATOM_F3: return put_counted_atoms(draft, 0xf8, 3);
    }
    return false;
}

size_t cairn_etmv4_writer_write(struct cairn_etmv4_writer *writer, unsigned kind,
                                const struct cairn_packet_fields *fields, uint8_t *bytes,
                                size_t capacity)
{
    struct cairn_draft draft = {
        .etm = cairn_etmv4_of(writer->config), .fields = fields, .state = writer->state};
    if (kind >= CAIRN_ETMV4_KIND_COUNT || !exists(draft.etm, (enum cairn_etmv4_kind)kind))
        return 0;
    if (!write_packet(&draft, (enum cairn_etmv4_kind)kind) || draft.size > capacity)
        return 0;
    memcpy(bytes, draft.bytes, draft.size);
    writer->state = draft.state;
    return draft.size;
}
