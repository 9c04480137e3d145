/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 2: packets -> elements (DDI0608 D2), and elements with speculation and transactions
 * resolved (DDI0608 D9.3, D9.4). */
#ifndef CAIRN_ELEMENT_H
#define CAIRN_ELEMENT_H

#include <cairn/packet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Elements, by DDI0608's names. The list is open. */
enum cairn_element_kind {
    CAIRN_ELEMENT_TRACE_INFO = 0,
    CAIRN_ELEMENT_TRACE_ON = 1,
    CAIRN_ELEMENT_ATOM = 2,
    CAIRN_ELEMENT_EXCEPTION = 3,
    CAIRN_ELEMENT_SOURCE_ADDRESS = 4,
    CAIRN_ELEMENT_Q = 5,
    CAIRN_ELEMENT_TARGET_ADDRESS = 6,
    CAIRN_ELEMENT_CONTEXT = 7,
    CAIRN_ELEMENT_COMMIT = 8,
    CAIRN_ELEMENT_CANCEL = 9,
    CAIRN_ELEMENT_MISPREDICT = 10,
    CAIRN_ELEMENT_DISCARD = 11,
    CAIRN_ELEMENT_OVERFLOW = 12,
    CAIRN_ELEMENT_CYCLE_COUNT = 13,
    CAIRN_ELEMENT_TIMESTAMP = 14,
    CAIRN_ELEMENT_TIMESTAMP_MARKER = 15,
    CAIRN_ELEMENT_EVENT = 16,
    CAIRN_ELEMENT_TRANSACTION_START = 17,
    CAIRN_ELEMENT_TRANSACTION_COMMIT = 18,
    CAIRN_ELEMENT_TRANSACTION_FAILURE = 19,
    CAIRN_ELEMENT_EXCEPTION_RETURN = 20, /* ETMv4 */
    CAIRN_ELEMENT_FUNCTION_RETURN = 21,  /* ETMv4, v8-M */
    CAIRN_ELEMENT_INSTRUMENTATION = 22,  /* ETE 1.3: ITE */
    CAIRN_ELEMENT_DATA_SYNC = 23,        /* ETMv4: data synchronisation marker */
    CAIRN_ELEMENT_CONDITIONAL = 24,      /* ETMv4: conditional instruction, result or flush */
    CAIRN_ELEMENT_BRANCH_FUTURE_FLUSH = 25,
    CAIRN_ELEMENT_GAP = 26,             /* bytes that gave no element; value = enum cairn_account */
    CAIRN_ELEMENT_WAYPOINT_UPDATE = 27, /* PTM: executed up to and including the instruction that
                                           contains `address`, no waypoint before it (4.5.5) */
    CAIRN_ELEMENT_DATA = 28,            /* ETMv3: a data packet (IHI0014 7.4) */
    CAIRN_ELEMENT_STACKING = 29,        /* ETMv3-M: the core stacks by itself; DATA up to the next
                                           Atom is of that (7.5.3) */
    CAIRN_ELEMENT_CANCELLED = 30,       /* ETMv3, resolved stream: the instruction here did not
                                           execute (a Cancel took it back); DATA up to the next
                                           Atom may be its. E: it had passed its condition */
    CAIRN_ELEMENT_A_SYNC = 0xff,        /* of trace unit models alone, in no batch: an alignment
                                           synchronisation */
};

/* Atom: final status is E; Exception, with HERE: the last instruction is told as executed, and is the one
 * that aborted: it is the preferred return address (IHI0014 4.5.3, 6.8.1) */
#define CAIRN_ELEMENT_E (1u << 0)
#define CAIRN_ELEMENT_INITIAL_E (1u << 1) /* Atom: status before any Mispredict */
/* value UNKNOWN: Q without count, Cycle Count, Timestamp, Exception without address */
#define CAIRN_ELEMENT_UNKNOWN (1u << 2)
#define CAIRN_ELEMENT_CYCLES (1u << 3) /* Timestamp: `cycles` counts */
/* Timestamp whose marked P0 was cancelled or lost; Exception whose address does not delimit
 * exactly, or that leaves Data before it in doubt (IHI0014 4.6.4) */
#define CAIRN_ELEMENT_APPROXIMATE (1u << 4)
/* resolved stream: dropped unresolved; `reason` says why */
#define CAIRN_ELEMENT_LOST (1u << 5)
/* not a packet's own: implied Commit, Transaction Failure */
#define CAIRN_ELEMENT_IMPLIED (1u << 6)
#define CAIRN_ELEMENT_TRANSACTIONAL (1u << 7) /* executed inside a committed transaction */
/* last P0 before a Discard: status or target may be wrong (DDI0608 D9.5.13) */
#define CAIRN_ELEMENT_UNCERTAIN (1u << 8)
/* Exception: taken where execution stands, no walk. `address` is the preferred return address,
 * unless UNKNOWN. Data: up to the next Atom, of the instruction where execution stands, which no
 * Atom tells of (IHI0014 7.7.3). Atom: its data is in the CAIRN_DATA_PINS before and behind it, which
 * have this flag as well. Target Address: execution goes on there, whatever the instruction before it is
 * (IHI0014 6.5.5) */
#define CAIRN_ELEMENT_HERE (1u << 9)
/* Target Address: repeats what should be known (a periodic I-sync); taken if the address is not
 * known, otherwise compared; with UNKNOWN neither */
#define CAIRN_ELEMENT_CHECK (1u << 10)
/* Atom: the Target Address of this E follows in the trace (PTM branch packet) */
#define CAIRN_ELEMENT_ADDRESSED (1u << 11)
/* Cancel, Cancelled, Exception, Target Address: the instruction is paused behind transfer
 * `info`, or resumed at it (IHI0014 7.3.5) */
#define CAIRN_ELEMENT_PAUSED (1u << 12)

/* Which data packet a Data element is: in its `cycles`. The list is open. */
enum cairn_data_kind {
    CAIRN_DATA_NORMAL = 0,
    CAIRN_DATA_PLACEHOLDER = 1, /* a transfer whose value comes later, out of order, with the tag */
    /* such a value; `address`: the offset of its placeholder's packet, which with
     * CAIRN_ELEMENT_UNKNOWN is not in the trace: ignore the value */
    CAIRN_DATA_LATE = 2,
    CAIRN_DATA_NOT_TRACED = 3, /* a transfer of a load or store multiple that was filtered out */
    /* from here on data is missing; what the instruction has is doubtful */
    CAIRN_DATA_SUPPRESSED = 4,
    /* the exclusive store of the Data before it did not store. With a tag: that was a late
     * value; `address` and UNKNOWN as there */
    CAIRN_DATA_STORE_FAILED = 5,
    /* ETMv1: what a cycle of the trace port has beside branch addresses. Which bytes of it are which
     * transfer's only the instructions tell. `value`: what each lane has, lane n in bits 8n+7:8n, and
     * so many as the size says; `address`: CAIRN_PINS_... */
    CAIRN_DATA_PINS = 6,
};

/* In `address` of Data that is CAIRN_DATA_PINS; what they say is so in this order. */
/* what was not given to an instruction before is no data, and what instructions have is lost up to the
 * SYNC of the next BRANCH */
#define CAIRN_PINS_BREAK (1u << 0)
/* the instruction that execution stands at has data, and is cancelled */
#define CAIRN_PINS_HERE (1u << 1)
/* a branch executed: its address comes behind the data of the instructions so far */
#define CAIRN_PINS_BRANCH (1u << 2)
/* of these: trace was interrupted in front of it, and data addresses are compressed anew */
#define CAIRN_PINS_ANEW (1u << 3)
/* the address of the first such branch begins: all of the data before it has come */
#define CAIRN_PINS_SYNC (1u << 4)
/* an instruction ended in the cycle: what no instruction has claimed up to here is no data */
#define CAIRN_PINS_FENCE (1u << 5)
/* lane 0 is certain to have data: a Wait without any is told as Trace Disabled */
#define CAIRN_PINS_CERTAIN (1u << 6)
/* of a branch: packets of the instruction before it may be missing, since the FIFO overflowed */
#define CAIRN_PINS_OVERFLOW (1u << 7)
/* of a branch: the core left debug state, which is told in place of such an overflow */
#define CAIRN_PINS_DEBUG (1u << 8)

/* In `info` of a Data element. */
#define CAIRN_DATA_HAS_ADDRESS (1u << 0) /* `address` is the transfer's */
#define CAIRN_DATA_HAS_VALUE (1u << 1)
/* the transfer was: reverse the value's bytes for memory's */
#define CAIRN_DATA_BIG_ENDIAN (1u << 2)
/* the packet's A: the first of an instruction's transfers, or not at the address behind the one
 * before it */
#define CAIRN_DATA_FIRST (1u << 3)

/* `cycles` of a Data element: how many bytes the value has as traced (leading zeros may be left
 * out), the tag (1 to 3; 0: none, but of ETMv2), and enum cairn_data_kind. */
#define CAIRN_DATA_FORM(kind, size, tag)                                                           \
    ((uint32_t)(size) | (uint32_t)(tag) << 4 | (uint32_t)(kind) << 8)
#define CAIRN_DATA_SIZE(cycles) ((cycles)&0xfu)
#define CAIRN_DATA_TAG(cycles) ((cycles) >> 4 & 0xfu)
#define CAIRN_DATA_KIND(cycles) ((cycles) >> 8 & 0xffu)
/* A late value, or that such a value was not stored. */
#define CAIRN_DATA_IS_LATE(cycles)                                                                 \
    (CAIRN_DATA_KIND(cycles) == CAIRN_DATA_LATE ||                                                 \
     (CAIRN_DATA_KIND(cycles) == CAIRN_DATA_STORE_FAILED && CAIRN_DATA_TAG(cycles) != 0))

/* Whether it has a tag: out-of-order data. Those of ETMv2 are 0 to 3 (IHI0014 6.4.1). */
#define CAIRN_DATA_HAS_TAG(cycles)                                                                 \
    (CAIRN_DATA_KIND(cycles) == CAIRN_DATA_PLACEHOLDER || CAIRN_DATA_IS_LATE(cycles))

/* What a Conditional element is: in its `info`. Keys, results and tokens are as traced: which
 * instructions they are of is not worked out, nor what a result says. One element a packet, but a
 * packet of two results has two. The list is open. */
enum cairn_conditional_kind {
    CAIRN_CONDITIONAL_FLUSH = 0,
    /* an instruction with the key `value` */
    CAIRN_CONDITIONAL_INSTRUCTION = 1,
    /* `value` instructions, each with the next key, and `cycles` (0 or 1) with the key of the last */
    CAIRN_CONDITIONAL_INSTRUCTIONS = 2,
    CAIRN_CONDITIONAL_RESULT = 3, /* of the key `value`; `cycles`: CAIRN_CONDITIONAL_... */
    CAIRN_CONDITIONAL_RESULT_NEXT =
        4, /* `cycles`: a token; the key is `value` further on, 1 or 2 */
    CAIRN_CONDITIONAL_RESULT_TOKENS = 5, /* `value`: 12 bits of tokens */
    CAIRN_CONDITIONAL_RESULT_TOKEN = 6,  /* `cycles`: a token, of a key that is not worked out */
};

/* `cycles` of a CAIRN_CONDITIONAL_RESULT: four bits of result, and the packet's CI bit for it. */
#define CAIRN_CONDITIONAL_RESULT_BITS(cycles) ((cycles)&0xfu)
#define CAIRN_CONDITIONAL_CI(cycles) ((cycles) >> 4 & 1u)

/* One element's content. Which members count depends on the kind. */
struct cairn_element_data {
    uint64_t address; /* Exception, Source and Target Address, Waypoint Update, Data; Timestamp: the
                         marked packet's offset; Cycle Count: 0, or the offset of the packet in
                         front of which its cycles passed (IHI0014 7.3.4) */
    uint64_t value;   /* Timestamp; Cycle Count; Commit and Cancel count; Q count; Event number;
                         Exception type; Instrumentation and Data value; Gap: enum cairn_account;
                         Conditional: enum cairn_conditional_kind */
    uint32_t cycles;  /* Timestamp; Trace Info: threshold; Data: CAIRN_DATA_FORM; Conditional */
    uint8_t sub_isa;  /* addresses */
    uint8_t reason;   /* enum cairn_account: with CAIRN_ELEMENT_LOST, and on a Target Address with
                         CAIRN_ELEMENT_UNKNOWN what Atoms behind it are lost for; on a Waypoint
                         Update, unless 0, what the code up to it is not followed for */
    uint8_t info;     /* Trace Info: INFO byte; Instrumentation: EL; Data: CAIRN_DATA_...;
                         Conditional: what it is; with CAIRN_ELEMENT_PAUSED: the transfers that are
                         done */
    uint8_t nth;      /* which element of its packet, from 0 */
    struct cairn_context context; /* Context */
};

struct cairn_element_batch {
    size_t size; /* of this structure */
    size_t capacity;
    size_t count;
    uint64_t *offset; /* of the packet, in the source's bytes */
    uint64_t *length; /* of the packet */
    uint8_t *kind;    /* enum cairn_element_kind */
    uint16_t *flags;  /* CAIRN_ELEMENT_... */
    struct cairn_element_data *data;
    size_t data_size; /* from one of `data` to the next; 0: sizeof(struct cairn_element_data) */
};

/* Data `index` of a batch, whoever made it. */
static inline const struct cairn_element_data *
cairn_element_data_at(const struct cairn_element_batch *batch, size_t index)
{
    const size_t size = batch->data_size ? batch->data_size : sizeof *batch->data;

    return (const struct cairn_element_data *)(const void *)((const char *)batch->data +
                                                             index * size);
}

CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_element_batch_new(size_t capacity,
                                                                struct cairn_element_batch **batch);
CAIRN_API void cairn_element_batch_free(struct cairn_element_batch *batch);

/* "Atom", "Target Address" ...: DDI0608's name. Never NULL. */
CAIRN_API const char *cairn_element_name(unsigned kind);

/* True for the kinds that need resolving: Atom, Exception, Source Address, Q (and Transaction Start
 * where COMMTRANS is 0, Exception Return and Function Return on M profile). */
CAIRN_API bool cairn_element_is_p0(const struct cairn_config *config, unsigned kind);

CAIRN_API size_t cairn_element_describe(const struct cairn_config *config,
                                        const struct cairn_element_batch *batch, size_t index,
                                        struct cairn_field *fields, size_t capacity);

/* The name of an exception type under the configuration's protocol and profile ("IRQ"). */
CAIRN_API const char *cairn_exception_name(const struct cairn_config *config, unsigned type);

/* Packets -> the element stream as the trace unit generated it, Commit and Cancel elements
 * included, implied Commits marked CAIRN_ELEMENT_IMPLIED. */
struct cairn_elements;
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_elements_new(struct cairn_config *config,
                                                           struct cairn_elements **elements);
CAIRN_API void cairn_elements_free(struct cairn_elements *elements);

/* Turns in[*position ..] into elements appended to `out`; advances *position past the packets used.
 * Returns when `in` is used up or `out` is full; call again with the same `in` and position. A full
 * `out` may have left elements of the last packet behind, although `in` is used up: nothing is left
 * when a call adds none. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_elements_run(struct cairn_elements *elements,
                                                           const struct cairn_packet_batch *in,
                                                           size_t *position,
                                                           struct cairn_element_batch *out);

/* The speculation depth after the last packet taken (DDI0608 D9.2.1). */
CAIRN_API uint32_t cairn_elements_depth(const struct cairn_elements *elements);

/* The element stream -> the elements of what was executed, in program order: cancelled ones gone,
 * failed transactions withdrawn, Mispredicts applied, Commits and Cancels consumed. What a Discard
 * or Overflow lost, or what stayed unresolved, comes marked CAIRN_ELEMENT_LOST. The youngest
 * committed Atom is held back until nothing can change it. */
struct cairn_resolver;
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_resolver_new(struct cairn_config *config,
                                                           struct cairn_resolver **resolver);
CAIRN_API void cairn_resolver_free(struct cairn_resolver *resolver);
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_resolver_run(struct cairn_resolver *resolver,
                                                           const struct cairn_element_batch *in,
                                                           size_t *position,
                                                           struct cairn_element_batch *out);
/* The stream has ended: appends what is left. Call until it adds nothing. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_resolver_finish(struct cairn_resolver *resolver,
                                                              struct cairn_element_batch *out);

#ifdef __cplusplus
}
#endif
#endif
