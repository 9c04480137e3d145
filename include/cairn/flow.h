/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 3: resolved elements + image -> program flow: ranges of executed instructions, and
 * events. */
#ifndef CAIRN_FLOW_H
#define CAIRN_FLOW_H

#include <cairn/element.h>
#include <cairn/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Records of a flow, in program order. The list is open. */
enum cairn_flow_kind {
    CAIRN_FLOW_RANGE = 0, /* address .. end (exclusive): consecutively executed instructions;
                             what the flags say of an instruction holds for the last one only */
    CAIRN_FLOW_GAP = 1,   /* a packet's bytes gave no flow: `value` = enum cairn_account, address =
                             where the image or trace failed; one record a packet */
    CAIRN_FLOW_TRACE_ON = 2, /* a discontinuity that the trace unit announced */
    /* address = vmid << 32 | context_id; value = EL | security << 2 | SF << 4 */
    CAIRN_FLOW_CONTEXT = 3,
    CAIRN_FLOW_EXCEPTION = 4, /* value = type; address = preferred return address */
    /* an ERET and the like was executed (or ETMv4's packet seen) */
    CAIRN_FLOW_EXCEPTION_RETURN = 5,
    CAIRN_FLOW_TIMESTAMP = 6, /* value = timestamp; address = cycles since the last Cycle Count */
    CAIRN_FLOW_TIMESTAMP_MARKER = 7,
    CAIRN_FLOW_CYCLES = 8, /* value = cycles; address = running total */
    CAIRN_FLOW_EVENT = 9,  /* value = event number */
    CAIRN_FLOW_OVERFLOW = 10,
    CAIRN_FLOW_DISCARD = 11,
    CAIRN_FLOW_TRANSACTION_START = 12,
    CAIRN_FLOW_TRANSACTION_COMMIT = 13,
    CAIRN_FLOW_TRANSACTION_FAILURE = 14, /* value = 1: its end was not seen (disable, overflow) */
    CAIRN_FLOW_Q = 15,    /* value = instructions executed without branch outcomes, address =
                             first one. UNKNOWN: which ones is not known (no count, or a branch
                             on the way), and no ranges follow for it. Otherwise the ranges that
                             follow are its instructions, their outcomes inferred from the
                             Target Address behind the Q */
    CAIRN_FLOW_SYNC = 16, /* Trace Info */
    CAIRN_FLOW_INSTRUMENTATION = 17, /* value; address = EL */
    CAIRN_FLOW_WARNING = 18,         /* value = enum cairn_flow_warning; address */
    CAIRN_FLOW_FUNCTION_RETURN = 19,
    CAIRN_FLOW_DATA = 20, /* a data transfer (ETMv3). address = of the instruction, and of the
                             data << 32; value = the data, as traced; instructions =
                             CAIRN_FLOW_DATA_... below. UNKNOWN: which instruction is not known.
                             CAIRN_FLOW_DATA_IS_LATE: address = the offset of its placeholder's
                             packet; UNKNOWN: that is not in the trace */
};

/* What a Warning record says. The list is open. */
enum cairn_flow_warning {
    CAIRN_WARNING_RESERVED_N = 0,      /* N on an instruction for which N is reserved */
    CAIRN_WARNING_UNCERTAIN = 1,       /* the last P0 before a Discard may be wrong */
    CAIRN_WARNING_TARGET_MISMATCH = 2, /* a direct branch and the Target Address differ */
    CAIRN_WARNING_IMPRECISE = 3, /* an exception whose address does not delimit exactly; ETMv3:
                                    that leaves the data before it in doubt */
    CAIRN_WARNING_UNDEFINED = 4, /* an undefined instruction in a range */
    CAIRN_WARNING_SF_IS1 = 5,    /* AArch64 with sub_isa IS1 */
    CAIRN_WARNING_TRANSACTION_UNRESOLVED = 6, /* a transaction too long to hold was released */
    CAIRN_WARNING_TRANSACTION_NESTED = 7,     /* Transaction Start inside a transaction */
    CAIRN_WARNING_OVER_COMMIT = 8,            /* a Commit or Cancel of more than is outstanding */
    CAIRN_WARNING_CONTINUES = 9,     /* atoms straight after an exception without an address */
    CAIRN_WARNING_CONTEXT_SBZ = 10,  /* reserved bits set in a context */
    CAIRN_WARNING_STALE_RETURN = 11, /* a return to a call from before flow was lost */
    /* a Source Address says A32 where T32 is executed, or the reverse; told once between two Trace
     * Infos */
    CAIRN_WARNING_SOURCE_ISA = 12,
};

/* Range: the last instruction is a P0 instruction with an outcome */
#define CAIRN_FLOW_P0 (1u << 0)
#define CAIRN_FLOW_TAKEN (1u << 1)       /* Range: ... which is E; without it N */
#define CAIRN_FLOW_UNKNOWN (1u << 2)     /* Q: its path is unknown; others: value UNKNOWN */
#define CAIRN_FLOW_TRANSACTION (1u << 3) /* Range: inside a committed transaction */
/* Range before an exception that does not delimit exactly */
#define CAIRN_FLOW_IMPRECISE (1u << 4)
#define CAIRN_FLOW_CYCLES_VALID (1u << 5) /* Timestamp: cycles count */
#define CAIRN_FLOW_INFERRED (1u << 6)     /* Range: its start came from the return stack */
#define CAIRN_FLOW_LINK (1u << 7)   /* Range: the last instruction is a taken Branch with Link */
#define CAIRN_FLOW_RETURN (1u << 8) /* Range: the last instruction is a taken return */
#define CAIRN_FLOW_DISCONTINUITY (1u << 9) /* Range: first after a gap, Trace On or exception */
/* Range (ETMv3): its instruction transfers data, and passed its condition */
#define CAIRN_FLOW_TRANSFER (1u << 10)
#define CAIRN_FLOW_HAS_ADDRESS (1u << 11) /* Data: its address was traced */
#define CAIRN_FLOW_HAS_VALUE (1u << 12)   /* Data: its value was traced */
/* Data: no instruction's; the core stacks or unstacks by itself */
#define CAIRN_FLOW_BY_CORE (1u << 13)
#define CAIRN_FLOW_BIG_ENDIAN (1u << 14) /* Data: reverse the value's bytes for memory's */

/* `instructions` of a Data record: which of the instruction's transfers it is, from 0; bytes of the
 * value; tag of what comes late; enum cairn_data_kind. */
#define CAIRN_FLOW_DATA_TRANSFER(form) ((form)&0xffu)
#define CAIRN_FLOW_DATA_SIZE(form) ((form) >> 8 & 0xfu)
#define CAIRN_FLOW_DATA_TAG(form) ((form) >> 12 & 0xfu)
#define CAIRN_FLOW_DATA_KIND(form) ((form) >> 16 & 0xffu)
/* A late value, or that such a value was not stored: no transfer of its own. */
#define CAIRN_FLOW_DATA_IS_LATE(form)                                                              \
    (CAIRN_FLOW_DATA_KIND(form) == CAIRN_DATA_LATE ||                                              \
     (CAIRN_FLOW_DATA_KIND(form) == CAIRN_DATA_STORE_FAILED && CAIRN_FLOW_DATA_TAG(form) != 0))

/* Whether it has a tag, which of ETMv2 may be 0. */
#define CAIRN_FLOW_DATA_HAS_TAG(form)                                                              \
    (CAIRN_FLOW_DATA_KIND(form) == CAIRN_DATA_PLACEHOLDER || CAIRN_FLOW_DATA_IS_LATE(form))

/* What a Context record's `address` and `value` say. */
static inline struct cairn_context cairn_flow_context(uint64_t address, uint64_t value)
{
    struct cairn_context context = {0, 0, 0, 0, 0, 0};

    context.EL = (uint8_t)(value & 3u);
    context.security = (uint8_t)(value >> 2 & 3u);
    context.SF = (uint8_t)(value >> 4 & 1u);
    context.vmid = (uint32_t)(address >> 32);
    context.context_id = (uint32_t)(address & UINT32_MAX);
    return context;
}

/* The place behind a Context record, for lookups: `source` is the index in the capture, `offset`
 * the record's. */
static inline struct cairn_place cairn_flow_place(uint32_t source, uint64_t offset,
                                                  uint64_t address, uint64_t value)
{
    const struct cairn_context context = cairn_flow_context(address, value);
    struct cairn_place place = {0, 0, 0, 0, 0, 0};

    place.source = source;
    place.EL = context.EL;
    place.security = context.security;
    place.vmid = context.vmid;
    place.context_id = context.context_id;
    place.offset = offset;
    return place;
}

/* What a Data record's `address` says, unless CAIRN_FLOW_DATA_IS_LATE: where the instruction is,
 * and where the data is. */
static inline uint32_t cairn_flow_data_instruction(uint64_t address)
{
    return (uint32_t)(address & UINT32_MAX);
}
static inline uint32_t cairn_flow_data_address(uint64_t address)
{
    return (uint32_t)(address >> 32);
}

/* Columns of `capacity` entries; one that is NULL is not written. */
struct cairn_flow_batch {
    size_t size; /* of this structure */
    size_t capacity;
    size_t count;
    uint8_t *kind;          /* enum cairn_flow_kind */
    uint8_t *isa;           /* Range, Data: enum cairn_isa; of Data that of its instruction */
    uint16_t *flags;        /* CAIRN_FLOW_... */
    uint32_t *instructions; /* Range: how many */
    uint64_t *offset;       /* the packet that told it, in the source's bytes */
    uint64_t *length;       /* of that packet */
    uint64_t *address;      /* Range: first instruction */
    uint64_t *value;        /* Range: end, exclusive */
};

CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_flow_batch_new(size_t capacity,
                                                             struct cairn_flow_batch **batch);
CAIRN_API void cairn_flow_batch_free(struct cairn_flow_batch *batch);

CAIRN_API const char *cairn_flow_kind_name(unsigned kind);
CAIRN_API const char *cairn_flow_warning_text(unsigned warning);

/* The reference follower: resolved elements in, flow records out. */
struct cairn_flow;
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_flow_new(struct cairn_config *config,
                                                       struct cairn_image *image,
                                                       struct cairn_flow **flow);
CAIRN_API void cairn_flow_free(struct cairn_flow *flow);
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_flow_run(struct cairn_flow *flow,
                                                       const struct cairn_element_batch *in,
                                                       size_t *position,
                                                       struct cairn_flow_batch *out);

/* The elements have ended: appends what is left (a Q whose Target Address did not come). Call until
 * it adds nothing. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_flow_finish(struct cairn_flow *flow,
                                                          struct cairn_flow_batch *out);

/* Where the flow stands: what the next Atom would start from. For tests and debuggers.
 * Set `size`. */
struct cairn_flow_state {
    size_t size; /* of this structure */
    bool address_known;
    bool context_known;
    bool awaiting_target; /* of a taken indirect branch */
    uint8_t sub_isa;
    uint8_t return_stack_depth;
    uint64_t address;
    struct cairn_context context;
    uint64_t total_cycles;
};
CAIRN_API void cairn_flow_state(const struct cairn_flow *flow, struct cairn_flow_state *state);

/* The instruction at `address` as the flow's image has it, under the space that a record of `isa`
 * was followed in. For listings: reads bytes and classifies. False when there is no memory. */
CAIRN_API bool cairn_space_insn(const struct cairn_space *space, const struct cairn_arch *arch,
                                enum cairn_isa isa, uint64_t address, struct cairn_insn *insn);

/* The ledger: bytes per account. Feed it every packet batch (columns length and account) and every
 * flow batch (kind, value and length) of a source. */
struct cairn_ledger {
    size_t size;    /* of this structure */
    uint64_t total; /* bytes of all packets: equals the source's size at the end */
    struct cairn_account_sum account[CAIRN_LEDGER_ACCOUNTS]; /* by enum cairn_account */
    /* What of the path fell into each gap: how many Atoms, Source Addresses and Qs could not be
     * followed to code. Decoders, engines and pipelines count them; the two calls below do not. */
    uint64_t lost[CAIRN_LEDGER_ACCOUNTS];
};
CAIRN_API void cairn_ledger_packets(struct cairn_ledger *ledger,
                                    const struct cairn_packet_batch *batch);
/* Moves the bytes of each GAP record from CAIRN_ACCOUNT_FLOW (or METADATA) into its gap. */
CAIRN_API void cairn_ledger_flow(struct cairn_ledger *ledger, const struct cairn_flow_batch *batch);

/* All levels in one: bytes in, flow out, ledger kept. */
struct cairn_decoder;
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_decoder_new(struct cairn_config *config,
                                                          struct cairn_image *image,
                                                          struct cairn_decoder **decoder);
CAIRN_API void cairn_decoder_free(struct cairn_decoder *decoder);
/* As cairn_packets_run: returns when the bytes are used up or the batch is full. The batch must
 * have the columns kind, value and length, which the ledger reads; CAIRN_E_ARGUMENT without
 * them. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_decoder_run(struct cairn_decoder *decoder,
                                                          const uint8_t *data, size_t size,
                                                          size_t *position,
                                                          struct cairn_flow_batch *out);
/* The source has ended; call until it adds nothing. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_decoder_finish(struct cairn_decoder *decoder,
                                                             struct cairn_flow_batch *out);
CAIRN_API const struct cairn_ledger *cairn_decoder_ledger(const struct cairn_decoder *decoder);
/* True when records may be held back: bytes were taken in, and cairn_decoder_finish has not added
 * nothing since. What is held back is lost when the decoder is freed. */
CAIRN_API bool cairn_decoder_is_pending(const struct cairn_decoder *decoder);

#ifdef __cplusplus
}
#endif
#endif
