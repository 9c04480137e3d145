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
 *   COND_RESULT_F1        type = header 2:0 (0 to 3 two results, 6 and 7 one), value = the results,
 * a byte each, the first one above the second, keys below 8 COND_RESULT_F2 type = header 2:0; _F3
 * value = 12 bits of tokens; _F4 type = token Sections of variable length are written as short as
 * they can be. */
#include "protocol/etmv4/etmv4.h"

#include <stdlib.h>
#include <string.h>

#include <cairn/image.h>

#define PACKET_BYTES_MAX 32u /* the longest is an ETMv4 exception with context: 21 */

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

/* Context information byte, D5.55. */
#define CONTEXT_NSE 0x08u
#define CONTEXT_SBZ 0x0cu
#define CONTEXT_SF 0x10u
#define CONTEXT_NS 0x20u
#define CONTEXT_V 0x40u
#define CONTEXT_C 0x80u
#define EL_MAX 3u

/* Widths of sections of variable length, in bits. */
#define WIDTH_CYCT 12u
#define WIDTH_COUNT 20u
#define WIDTH_COMMIT 32u
#define WIDTH_TIMESTAMP 64u
#define GROUP_BITS 7u
#define GROUP_MORE 0x80u
#define CYCLES_F2_MAX 15u
#define CYCLES_F3_MAX 3u

#define HISTORY 3u

struct state {
    struct {
        uint64_t address;
        uint8_t sub_isa;
    } history[HISTORY];
    uint64_t timestamp;
    struct cairn_context context;
    uint32_t cc_threshold;
};

struct cairn_etmv4_writer {
    struct cairn_config *config;
    struct state state;
};

/* One packet under construction. */
struct draft {
    const struct cairn_etmv4_config *etm;
    const struct cairn_packet_fields *fields;
    struct state state; /* as it will be after the packet */
    size_t size;
    uint8_t bytes[PACKET_BYTES_MAX];
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

static bool has(const struct draft *draft, uint32_t flag)
{
    return (draft->fields->flags & flag) != 0;
}

static void put(struct draft *draft, unsigned byte)
{
    draft->bytes[draft->size++] = (uint8_t)byte;
}

static bool put_header(struct draft *draft, unsigned byte)
{
    put(draft, byte);
    return true;
}

static void put_little_endian(struct draft *draft, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        put(draft, (unsigned)(value >> (8 * i)) & 0xff);
}

/* Seven bits a byte, low first, as few bytes as hold all of `changed`; the last byte that the width
 * allows has eight bits and no continuation (D5.3.1). `value` gives the bits. */
static void put_groups(struct draft *draft, uint64_t value, uint64_t changed, unsigned width)
{
    const unsigned bytes_max = (width - 2) / GROUP_BITS + 1;
    for (unsigned i = 1;; i++) {
        if (i == bytes_max) {
            put(draft, (unsigned)value & 0xff);
            return;
        }
        changed >>= GROUP_BITS;
        put(draft, ((unsigned)value & 0x7f) | (changed ? GROUP_MORE : 0));
        if (!changed)
            return;
        value >>= GROUP_BITS;
    }
}

static bool put_le128(struct draft *draft, uint64_t value, unsigned width)
{
    if (value >> (width - 1) >> 1)
        return false;
    put_groups(draft, value, value, width);
    return true;
}

/* --- addresses --- */

static void push(struct draft *draft, uint64_t address, uint8_t sub_isa)
{
    struct state *state = &draft->state;
    state->history[2] = state->history[1];
    state->history[1] = state->history[0];
    state->history[0].address = address;
    state->history[0].sub_isa = sub_isa;
}

/* True when history entry 0 with its low `bits` replaced can be the address: the rest agrees and
 * the bits below the alignment (D5.3.2) are zero. */
static bool reachable(const struct draft *draft, unsigned bits, unsigned sub_isa)
{
    const uint64_t address = draft->fields->address;
    const uint64_t kept = bits >= 64 ? 0 : ~UINT64_C(0) << bits;
    const uint64_t alignment = sub_isa ? 1 : 3;
    return ((address ^ draft->state.history[0].address) & kept) == 0 && (address & alignment) == 0;
}

static bool put_exact(struct draft *draft, unsigned first_header)
{
    const unsigned entry = draft->fields->info & (unsigned)~INFO_FAULT_PENDING;
    if (entry >= HISTORY)
        return false;
    const uint64_t address = draft->state.history[entry].address;
    const uint8_t sub_isa = draft->state.history[entry].sub_isa;
    if (address != draft->fields->address || sub_isa != draft->fields->sub_isa)
        return false;
    put(draft, first_header + entry);
    push(draft, address, sub_isa);
    return true;
}

/* A[8:2] A[16:9] or A[7:1] A[15:8] (D5.47, D5.48). */
static bool put_short(struct draft *draft, unsigned header, unsigned sub_isa)
{
    const uint64_t address = draft->fields->address;
    const unsigned low = sub_isa ? 1 : 2;
    const unsigned one_byte = low + 7;
    const unsigned two_bytes = one_byte + 8;
    unsigned bits = draft->fields->address_bits;
    if (bits == 0)
        bits = reachable(draft, one_byte, sub_isa) ? one_byte : two_bytes;
    if ((bits != one_byte && bits != two_bytes) || !reachable(draft, bits, sub_isa))
        return false;
    put(draft, header);
    put(draft, ((unsigned)(address >> low) & 0x7f) | (bits == two_bytes ? GROUP_MORE : 0));
    if (bits == two_bytes)
        put(draft, (unsigned)(address >> one_byte) & 0xff);
    push(draft, address, (uint8_t)sub_isa);
    return true;
}

/* A[8:2] A[15:9] or A[7:1] A[15:8], then whole bytes (D5.49 to D5.52). */
static bool put_long(struct draft *draft, unsigned header, unsigned sub_isa, unsigned bits)
{
    const uint64_t address = draft->fields->address;
    if (draft->fields->address_bits != 0 && draft->fields->address_bits != bits)
        return false;
    if (!reachable(draft, bits, sub_isa))
        return false;
    put(draft, header);
    if (sub_isa) {
        put(draft, (unsigned)(address >> 1) & 0x7f);
        put(draft, (unsigned)(address >> 8) & 0xff);
    } else {
        put(draft, (unsigned)(address >> 2) & 0x7f);
        put(draft, (unsigned)(address >> 9) & 0x7f);
    }
    put_little_endian(draft, address >> 16, (bits - 16) / 8);
    push(draft, address, (uint8_t)sub_isa);
    return true;
}

/* --- contexts --- */

static bool fits(uint32_t value, unsigned bytes)
{
    return bytes >= 4 || value >> (8 * bytes) == 0;
}

/* The security state's bits of the information byte; false where the revision has none for it. */
static bool security_bits(const struct draft *draft, unsigned security, unsigned *bits)
{
    switch ((enum cairn_security)security) {
    case CAIRN_SECURE: *bits = 0; return true;
    case CAIRN_NONSECURE: *bits = CONTEXT_NS; return true;
    case CAIRN_ROOT: *bits = CONTEXT_NSE; return draft->etm->realm;
    case CAIRN_REALM: *bits = CONTEXT_NSE | CONTEXT_NS; return draft->etm->realm;
    }
    return false;
}

static bool put_context(struct draft *draft)
{
    const struct cairn_context *wanted = &draft->fields->context;
    const struct cairn_context *last = &draft->state.context;
    const bool v = has(draft, CAIRN_PACKET_HAS_VMID);
    const bool c = has(draft, CAIRN_PACKET_HAS_CONTEXT_ID);
    unsigned security;
    if (wanted->EL > EL_MAX || wanted->SF > 1 || !security_bits(draft, wanted->security, &security))
        return false;
    const unsigned sbz = CONTEXT_SBZ & (draft->etm->realm ? ~CONTEXT_NSE : ~0u);
    if (wanted->sbz & ~sbz)
        return false;
    if (v ? !fits(wanted->vmid, draft->etm->vmid_size) : wanted->vmid != last->vmid)
        return false;
    if (c ? !fits(wanted->context_id, draft->etm->context_id_size)
          : wanted->context_id != last->context_id)
        return false;
    put(draft, wanted->EL | wanted->sbz | (wanted->SF ? CONTEXT_SF : 0) | security |
                   (v ? CONTEXT_V : 0) | (c ? CONTEXT_C : 0));
    if (v)
        put_little_endian(draft, wanted->vmid, draft->etm->vmid_size);
    if (c)
        put_little_endian(draft, wanted->context_id, draft->etm->context_id_size);
    draft->state.context = *wanted;
    return true;
}

static bool context_same(struct draft *draft)
{
    const struct cairn_context *wanted = &draft->fields->context;
    const struct cairn_context *last = &draft->state.context;
    if (has(draft, CAIRN_PACKET_HAS_CONTEXT) &&
        (wanted->EL != last->EL || wanted->security != last->security || wanted->SF != last->SF ||
         wanted->sbz != last->sbz || wanted->vmid != last->vmid ||
         wanted->context_id != last->context_id))
        return false;
    return put_header(draft, 0x80);
}

/* --- exceptions --- */

static bool put_exception_address(struct draft *draft)
{
    const unsigned bits = draft->fields->address_bits;
    const unsigned sub_isa = draft->fields->sub_isa;
    if (sub_isa > 1)
        return false;
    if (has(draft, CAIRN_PACKET_HAS_CONTEXT)) {
        if (bits == 32)
            return put_long(draft, sub_isa ? 0x83 : 0x82, sub_isa, 32) && put_context(draft);
        return bits == 64 && put_long(draft, sub_isa ? 0x86 : 0x85, sub_isa, 64) &&
               put_context(draft);
    }
    switch (bits) {
    case 0: return put_exact(draft, 0x90);
    case 32: return put_long(draft, sub_isa ? 0x9b : 0x9a, sub_isa, 32);
    case 64: return put_long(draft, sub_isa ? 0x9e : 0x9d, sub_isa, 64);
    default: return put_short(draft, sub_isa ? 0x96 : 0x95, sub_isa);
    }
}

static unsigned exception_e(const struct draft *draft)
{
    return has(draft, CAIRN_PACKET_E10) ? EXCEPTION_E_10 : EXCEPTION_E_01;
}

static bool exception(struct draft *draft)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const bool address = has(draft, CAIRN_PACKET_HAS_ADDRESS);
    const bool pending = (fields->info & INFO_FAULT_PENDING) != 0;
    const bool more = fields->type > EXCEPTION_TYPE_MASK || pending;
    if (fields->type > EXCEPTION_TYPE_MAX)
        return false;
    if (draft->etm->is_ete && (more || !address || fields->type == TYPE_TRANSACTION_FAILURE))
        return false;
    if (!address && has(draft, CAIRN_PACKET_E10))
        return false;
    put(draft, HEADER_EXCEPTION);
    put(draft, ((fields->type & EXCEPTION_TYPE_MASK) << 1) | (address ? exception_e(draft) : 0) |
                   (more ? EXCEPTION_MORE : 0));
    if (more)
        put(draft, ((unsigned)fields->type >> EXCEPTION_TYPE_BITS) |
                       (pending ? EXCEPTION_FAULT_PENDING : 0));
    return !address || put_exception_address(draft);
}

/* PE Reset and Transaction Failure (D5.24, D5.25): an exception without an address. */
static bool no_address(struct draft *draft, unsigned type)
{
    put(draft, HEADER_EXCEPTION);
    put(draft, (type << 1) | exception_e(draft));
    put(draft, HEADER_NO_ADDRESS);
    push(draft, 0, 0);
    return draft->etm->is_ete;
}

/* --- state, time, cycles --- */

static bool trace_info(struct draft *draft)
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
    if (!draft->etm->is_ete && (fields->info & GROUP_MORE))
        return false;
    put(draft, 0x01);
    put(draft, plctl);
    if (plctl & PLCTL_INFO)
        put(draft, fields->info);
    if ((plctl & PLCTL_KEY) && !put_le128(draft, fields->value, WIDTH_COMMIT))
        return false;
    if ((plctl & PLCTL_SPEC) && !put_le128(draft, fields->count, WIDTH_COMMIT))
        return false;
    if ((plctl & PLCTL_CYCT) && !put_le128(draft, fields->cycles, WIDTH_CYCT))
        return false;
    memset(&draft->state, 0, sizeof draft->state);
    draft->state.cc_threshold = fields->info & INFO_CC ? fields->cycles : 0;
    return true;
}

static bool timestamp(struct draft *draft)
{
    const bool cycles = has(draft, CAIRN_PACKET_HAS_CYCLES);
    const uint64_t value = draft->fields->value;
    put(draft, cycles ? 0x03 : 0x02);
    put_groups(draft, value, value ^ draft->state.timestamp, WIDTH_TIMESTAMP);
    draft->state.timestamp = value;
    return !cycles || put_le128(draft, draft->fields->cycles, WIDTH_COUNT);
}

/* The cycle count field: without the threshold. False when it is below it or above `max`. */
static bool cycle_field(const struct draft *draft, uint32_t max, uint32_t *field)
{
    const uint32_t cycles = draft->fields->cycles;
    if (!has(draft, CAIRN_PACKET_HAS_CYCLES) || cycles < draft->state.cc_threshold ||
        cycles - draft->state.cc_threshold > max)
        return false;
    *field = cycles - draft->state.cc_threshold;
    return true;
}

static bool cycle_count_1(struct draft *draft)
{
    const bool cycles = has(draft, CAIRN_PACKET_HAS_CYCLES);
    const uint32_t commits = has(draft, CAIRN_PACKET_HAS_COUNT) ? draft->fields->count : 0;
    uint32_t field = 0;
    if (cycles && !cycle_field(draft, (1u << WIDTH_COUNT) - 1, &field))
        return false;
    if (draft->etm->commopt && commits != 0)
        return false;
    put(draft, cycles ? 0x0e : 0x0f);
    if (!draft->etm->commopt && !put_le128(draft, commits, WIDTH_COMMIT))
        return false;
    return !cycles || put_le128(draft, field, WIDTH_COUNT);
}

static bool cycle_count_2(struct draft *draft)
{
    const uint32_t count = has(draft, CAIRN_PACKET_HAS_COUNT) ? draft->fields->count : 0;
    uint32_t field;
    if (!cycle_field(draft, CYCLES_F2_MAX, &field))
        return false;
    if (draft->etm->commopt) {
        put(draft, 0x0d);
        put(draft, 0xf0 | field);
        return count == 0;
    }
    if (count >= 1 && count <= 16) { /* preferred, D5.31 */
        put(draft, 0x0c);
        put(draft, ((count - 1) << 4) | field);
        return true;
    }
    const int64_t aaaa = (int64_t)count - draft->etm->maxspec + 15;
    if (count == 0 || aaaa < 0 || aaaa > 15)
        return false;
    put(draft, 0x0d);
    put(draft, ((unsigned)aaaa << 4) | field);
    return true;
}

static bool cycle_count_3(struct draft *draft)
{
    const uint32_t count = has(draft, CAIRN_PACKET_HAS_COUNT) ? draft->fields->count : 0;
    uint32_t field;
    if (!cycle_field(draft, CYCLES_F3_MAX, &field))
        return false;
    if (draft->etm->commopt)
        return count == 0 && put_header(draft, 0x10 | field);
    return count >= 1 && count <= 4 && put_header(draft, 0x10 | ((count - 1) << 2) | field);
}

/* --- atoms and speculation --- */

static uint32_t atoms_of(const struct cairn_packet_fields *fields)
{
    if (fields->atom_count >= 32)
        return fields->atoms;
    return fields->atoms & ((1u << fields->atom_count) - 1);
}

/* A single header byte whose low bits choose a row of `patterns`. */
static bool put_pattern(struct draft *draft, unsigned header, const uint8_t *patterns,
                        unsigned pattern_count, unsigned atom_count)
{
    if (draft->fields->atom_count != atom_count)
        return false;
    for (unsigned i = 0; i < pattern_count; i++)
        if (patterns[i] == atoms_of(draft->fields))
            return put_header(draft, header + i);
    return false;
}

static bool put_counted_atoms(struct draft *draft, unsigned header, unsigned atom_count)
{
    return draft->fields->atom_count == atom_count &&
           put_header(draft, header | atoms_of(draft->fields));
}

/* COUNT + 3 times E, then one E or N (D5.46). */
static bool atom_6(struct draft *draft)
{
    const unsigned count = draft->fields->atom_count;
    if (count < 4 || count > 24)
        return false;
    const uint32_t all = (1u << count) - 1;
    if (atoms_of(draft->fields) == all)
        return put_header(draft, 0xc0 | (count - 4));
    return atoms_of(draft->fields) == all >> 1 && put_header(draft, 0xe0 | (count - 4));
}

/* None, E, EE or N before a Mispredict or Cancel format 2 (D5.37, D5.39). */
static bool put_leading(struct draft *draft, unsigned header)
{
    const unsigned count = draft->fields->atom_count;
    const uint32_t atoms = atoms_of(draft->fields);
    if (count == 0)
        return put_header(draft, header);
    if (count == 1)
        return put_header(draft, header | (atoms ? 1 : 3));
    return count == 2 && atoms == 3 && put_header(draft, header | 2);
}

static bool cancel_1(struct draft *draft)
{
    put(draft, 0x2e | (has(draft, CAIRN_PACKET_MISPREDICT) ? 1u : 0u));
    return draft->fields->count != 0 && put_le128(draft, draft->fields->count, WIDTH_COMMIT);
}

static bool cancel_3(struct draft *draft)
{
    const uint32_t count = draft->fields->count;
    const unsigned atoms = draft->fields->atom_count;
    if (count < 2 || count > 5 || atoms > 1 || (atoms == 1 && !(draft->fields->atoms & 1)))
        return false;
    return put_header(draft, 0x38 | ((count - 2) << 1) | atoms);
}

/* --- the rest --- */

static bool instrumentation(struct draft *draft)
{
    if (draft->fields->info > EL_MAX)
        return false;
    put(draft, 0x09);
    put(draft, draft->fields->info);
    put_little_endian(draft, draft->fields->value, 8);
    return true;
}

/* A header whose low bits are `type`, which is at most `max`. */
static bool put_type(struct draft *draft, unsigned header, unsigned max)
{
    return draft->fields->type <= max && put_header(draft, header | draft->fields->type);
}

static bool conditional_result_1(struct draft *draft)
{
    const unsigned type = draft->fields->type;
    const uint64_t results = draft->fields->value;
    const bool two = type <= 3;
    if (!two && type != 6 && type != 7)
        return false;
    if (results > (two ? 0xffffu : 0xffu) || (results & 0x8080))
        return false;
    put(draft, 0x68 | type);
    if (two)
        put(draft, (unsigned)(results >> 8));
    put(draft, (unsigned)results & 0xff);
    return true;
}

static bool conditional_result_3(struct draft *draft)
{
    const uint64_t tokens = draft->fields->value;
    if (tokens > 0xfff)
        return false;
    put(draft, 0x50 | (unsigned)(tokens >> 8));
    put(draft, (unsigned)tokens & 0xff);
    return true;
}

static bool conditional_instruction_3(struct draft *draft)
{
    put(draft, 0x6d);
    put(draft, (unsigned)draft->fields->value & 0xff);
    return draft->fields->value <= 0xff;
}

static bool alignment_sync(struct draft *draft)
{
    for (unsigned i = 0; i < ALIGNMENT_ZEROS; i++)
        put(draft, 0);
    return put_header(draft, ALIGNMENT_END);
}

static bool extension(struct draft *draft, unsigned second)
{
    put(draft, HEADER_EXTENSION);
    return put_header(draft, second);
}

static bool count_behind(struct draft *draft)
{
    return put_le128(draft, draft->fields->count, WIDTH_COMMIT);
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
static bool write_packet(struct draft *draft, enum cairn_etmv4_kind kind)
{
    static const uint8_t format_4[] = {0x0e, 0x00, 0x0a, 0x05}; /* NEEE NNNN NENE ENEN, D5.43 */
    static const uint8_t format_5_1[] = {0x1e};                 /* NEEEE, D5.44 */
    static const uint8_t format_5_2[] = {0x00, 0x0a, 0x15};     /* NNNNN NENEN ENENE, D5.45 */

    switch (kind) {
    case CAIRN_ETMV4_NOT_SYNC:
    case CAIRN_ETMV4_RESERVED:
    case CAIRN_ETMV4_UNSYNCED:
    case CAIRN_ETMV4_CUT:
    case CAIRN_ETMV4_INCOMPLETE:
    case CAIRN_ETMV4_KIND_COUNT: return false;
    case CAIRN_ETMV4_ALIGNMENT_SYNC: return alignment_sync(draft);
    case CAIRN_ETMV4_DISCARD: return extension(draft, EXTENSION_DISCARD);
    case CAIRN_ETMV4_OVERFLOW: return extension(draft, EXTENSION_OVERFLOW);
    case CAIRN_ETMV4_BRANCH_FUTURE_FLUSH: return extension(draft, EXTENSION_BRANCH_FUTURE);
    case CAIRN_ETMV4_TRACE_INFO: return trace_info(draft);
    case CAIRN_ETMV4_TIMESTAMP: return timestamp(draft);
    case CAIRN_ETMV4_TRACE_ON: return put_header(draft, 0x04);
    case CAIRN_ETMV4_FUNCTION_RETURN: return put_header(draft, 0x05);
    case CAIRN_ETMV4_EXCEPTION: return exception(draft);
    case CAIRN_ETMV4_PE_RESET: return no_address(draft, TYPE_PE_RESET);
    case CAIRN_ETMV4_TRANSACTION_FAILURE: return no_address(draft, TYPE_TRANSACTION_FAILURE);
    case CAIRN_ETMV4_EXCEPTION_RETURN: return put_header(draft, 0x07);
    case CAIRN_ETMV4_INSTRUMENTATION: return instrumentation(draft);
    case CAIRN_ETMV4_TRANSACTION_START: return put_header(draft, 0x0a);
    case CAIRN_ETMV4_TRANSACTION_COMMIT: return put_header(draft, 0x0b);
    case CAIRN_ETMV4_CYCLE_COUNT_F2: return cycle_count_2(draft);
    case CAIRN_ETMV4_CYCLE_COUNT_F1: return cycle_count_1(draft);
    case CAIRN_ETMV4_CYCLE_COUNT_F3: return cycle_count_3(draft);
    case CAIRN_ETMV4_DATA_SYNC_NUMBERED: return put_type(draft, 0x20, 7);
    case CAIRN_ETMV4_DATA_SYNC_UNNUMBERED: return put_type(draft, 0x28, 4);
    case CAIRN_ETMV4_COMMIT: return put_header(draft, 0x2d) && count_behind(draft);
    case CAIRN_ETMV4_CANCEL_F1: return cancel_1(draft);
    case CAIRN_ETMV4_MISPREDICT: return put_leading(draft, 0x30);
    case CAIRN_ETMV4_CANCEL_F2: return draft->fields->count == 1 && put_leading(draft, 0x34);
    case CAIRN_ETMV4_CANCEL_F3: return cancel_3(draft);
    case CAIRN_ETMV4_COND_INSTRUCTION_F2: return put_type(draft, 0x40, 2);
    case CAIRN_ETMV4_COND_FLUSH: return put_header(draft, 0x43);
    case CAIRN_ETMV4_COND_RESULT_F4: return put_type(draft, 0x44, 2);
    case CAIRN_ETMV4_COND_RESULT_F2: return draft->fields->type != 3 && put_type(draft, 0x48, 6);
    case CAIRN_ETMV4_COND_RESULT_F3: return conditional_result_3(draft);
    case CAIRN_ETMV4_COND_RESULT_F1: return conditional_result_1(draft);
    case CAIRN_ETMV4_COND_INSTRUCTION_F1:
        return put_header(draft, 0x6c) && put_le128(draft, draft->fields->value, WIDTH_COMMIT);
    case CAIRN_ETMV4_COND_INSTRUCTION_F3: return conditional_instruction_3(draft);
    case CAIRN_ETMV4_IGNORE: return put_header(draft, 0x70);
    case CAIRN_ETMV4_EVENT: return draft->fields->type != 0 && put_type(draft, 0x70, 0xf);
    case CAIRN_ETMV4_CONTEXT_SAME: return context_same(draft);
    case CAIRN_ETMV4_CONTEXT: return put_header(draft, 0x81) && put_context(draft);
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS0:
        return put_long(draft, 0x82, 0, 32) && put_context(draft);
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS1:
        return put_long(draft, 0x83, 1, 32) && put_context(draft);
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0:
        return put_long(draft, 0x85, 0, 64) && put_context(draft);
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1:
        return put_long(draft, 0x86, 1, 64) && put_context(draft);
    case CAIRN_ETMV4_TIMESTAMP_MARKER: return put_header(draft, 0x88);
    case CAIRN_ETMV4_ADDRESS_EXACT: return put_exact(draft, 0x90);
    case CAIRN_ETMV4_ADDRESS_SHORT_IS0: return put_short(draft, 0x95, 0);
    case CAIRN_ETMV4_ADDRESS_SHORT_IS1: return put_short(draft, 0x96, 1);
    case CAIRN_ETMV4_ADDRESS_32_IS0: return put_long(draft, 0x9a, 0, 32);
    case CAIRN_ETMV4_ADDRESS_32_IS1: return put_long(draft, 0x9b, 1, 32);
    case CAIRN_ETMV4_ADDRESS_64_IS0: return put_long(draft, 0x9d, 0, 64);
    case CAIRN_ETMV4_ADDRESS_64_IS1: return put_long(draft, 0x9e, 1, 64);
    case CAIRN_ETMV4_Q_EXACT: return put_exact(draft, 0xa0) && count_behind(draft);
    case CAIRN_ETMV4_Q_SHORT_IS0: return put_short(draft, 0xa5, 0) && count_behind(draft);
    case CAIRN_ETMV4_Q_SHORT_IS1: return put_short(draft, 0xa6, 1) && count_behind(draft);
    case CAIRN_ETMV4_Q_32_IS0: return put_long(draft, 0xaa, 0, 32) && count_behind(draft);
    case CAIRN_ETMV4_Q_32_IS1: return put_long(draft, 0xab, 1, 32) && count_behind(draft);
    case CAIRN_ETMV4_Q_COUNT: return put_header(draft, 0xac) && count_behind(draft);
    case CAIRN_ETMV4_Q: return put_header(draft, 0xaf);
    case CAIRN_ETMV4_SOURCE_EXACT: return put_exact(draft, 0xb0);
    case CAIRN_ETMV4_SOURCE_SHORT_IS0: return put_short(draft, 0xb4, 0);
    case CAIRN_ETMV4_SOURCE_SHORT_IS1: return put_short(draft, 0xb5, 1);
    case CAIRN_ETMV4_SOURCE_32_IS0: return put_long(draft, 0xb6, 0, 32);
    case CAIRN_ETMV4_SOURCE_32_IS1: return put_long(draft, 0xb7, 1, 32);
    case CAIRN_ETMV4_SOURCE_64_IS0: return put_long(draft, 0xb8, 0, 64);
    case CAIRN_ETMV4_SOURCE_64_IS1: return put_long(draft, 0xb9, 1, 64);
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
    struct draft draft = {
        .etm = cairn_etmv4_of(writer->config), .fields = fields, .state = writer->state};
    if (kind >= CAIRN_ETMV4_KIND_COUNT || !exists(draft.etm, (enum cairn_etmv4_kind)kind))
        return 0;
    if (!write_packet(&draft, (enum cairn_etmv4_kind)kind) || draft.size > capacity)
        return 0;
    memcpy(bytes, draft.bytes, draft.size);
    writer->state = draft.state;
    return draft.size;
}
