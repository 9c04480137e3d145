/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 1: bytes of one source -> packets, decompressed (absolute addresses, whole timestamps). */
#ifndef CAIRN_PACKET_H
#define CAIRN_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/isa.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Trace protocols. The list is open. */
enum cairn_protocol_id {
    CAIRN_PROTOCOL_UNKNOWN = 0,
    CAIRN_PROTOCOL_ETMV4 = 1, /* instruction trace, 4.0 to 4.6 */
    CAIRN_PROTOCOL_ETE = 2,   /* 1.0 to 1.3 */
    CAIRN_PROTOCOL_ETMV3 = 3, /* from here on: cairn_protocol_decodes tells how far */
    CAIRN_PROTOCOL_PTM = 4,
    CAIRN_PROTOCOL_STM = 5,
    CAIRN_PROTOCOL_ITM = 6,
    CAIRN_PROTOCOL_MTB = 7,
    CAIRN_PROTOCOL_ETMV1 = 8,
    CAIRN_PROTOCOL_ETMV2 = 9,
};

/* "ETMv4", "ETE", ...; never NULL. */
CAIRN_API const char *cairn_protocol_name(enum cairn_protocol_id protocol);

/* True when this build decodes the protocol all the way, from its bytes to the program's flow. */
CAIRN_API bool cairn_protocol_decodes(enum cairn_protocol_id protocol);

/* True when it decodes the protocol's packets, and perhaps no more: then what is made from them
 * (elements, resolvers, flows, engines) is CAIRN_E_UNSUPPORTED for a configuration of it. */
CAIRN_API bool cairn_protocol_decodes_packets(enum cairn_protocol_id protocol);

/* A register of a trace unit, by its name in the specification ("TRCCONFIGR"). */
struct cairn_register {
    const char *name;
    uint64_t value;
};

/* What a decoder must know of a source. Begin with CAIRN_SOURCE_CONFIG_INIT. */
struct cairn_source_config {
    size_t size; /* of this structure, as the caller was compiled */
    enum cairn_protocol_id protocol;
    struct cairn_arch arch;
    uint32_t source; /* index in its capture: the `source` of image lookups */
    const struct cairn_register *registers;
    size_t register_count;
};
#define CAIRN_SOURCE_CONFIG_INIT                                                                   \
    {                                                                                              \
        .size = sizeof(struct cairn_source_config)                                                 \
    }

/* A checked configuration; immutable, shared by every decoder of the source. */
struct cairn_config;

/* Reads the registers of the protocol; CAIRN_E_CONFIG with a sentence that names the register, its
 * value and what it should be when they are impossible. Registers that are missing take the value
 * that a unit without the feature would have; cairn_config_note tells which. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_config_new(const struct cairn_source_config *source,
                                                         struct cairn_config **config,
                                                         struct cairn_error *error);
CAIRN_API struct cairn_config *cairn_config_ref(struct cairn_config *config);
CAIRN_API void cairn_config_unref(struct cairn_config *config); /* NULL is fine */

/* One named value, for listings: of a packet, an element or a configuration. */
enum cairn_field_type {
    CAIRN_FIELD_DECIMAL = 0,
    CAIRN_FIELD_HEX = 1,     /* value */
    CAIRN_FIELD_FLAG = 2,    /* value is 0 or 1 */
    CAIRN_FIELD_TEXT = 3,    /* text */
    CAIRN_FIELD_UNKNOWN = 4, /* the specification's UNKNOWN */
};
struct cairn_field {
    const char *name;
    enum cairn_field_type type;
    uint64_t value;
    const char *text; /* static, or inside text_space */
    char text_space[40];
};

/* The configuration in words, in a fixed order: "version", "return stack", "cycle counting" ...
 * Returns how many fields there are; writes at most `capacity`. */
CAIRN_API size_t cairn_config_describe(const struct cairn_config *config,
                                       struct cairn_field *fields, size_t capacity);

/* What was odd in the registers (assumed, suspicious): a sentence each; NULL past the last. */
CAIRN_API const char *cairn_config_note(const struct cairn_config *config, size_t index);

CAIRN_API enum cairn_protocol_id cairn_config_protocol(const struct cairn_config *config);
CAIRN_API const struct cairn_arch *cairn_config_arch(const struct cairn_config *config);
CAIRN_API uint32_t cairn_config_source(const struct cairn_config *config);

/* What a source's trace tells at all, by its protocol and registers: CAIRN_TELLS_..., and what
 * later versions add. A context has a value for each of its members, told or not. */
CAIRN_API unsigned cairn_config_tells(const struct cairn_config *config);

/* Each exception level. Without it EL2 (Hyp mode) alone is told, and 0 stands for all others. */
#define CAIRN_TELLS_EL (1u << 0)
/* The security state. */
#define CAIRN_TELLS_SECURITY (1u << 1)
/* Of each instruction whether it passed its condition, by an Atom (ETMv3). Without it P0
 * instructions alone have Atoms. */
#define CAIRN_TELLS_CONDITIONS (1u << 2)
/* Cycle counts, and timestamps. */
#define CAIRN_TELLS_CYCLES (1u << 3)
#define CAIRN_TELLS_TIME (1u << 4)
/* Cycles in front of an instruction are those that it took (ETMv1, ETMv3). Without it a count is that of what was
 * executed up to there. */
#define CAIRN_TELLS_CYCLES_AHEAD (1u << 5)
/* Each exception that was taken. Without it (MTB) one that another follows at once is not seen. */
#define CAIRN_TELLS_EXCEPTIONS (1u << 6)

/* A part of a buffer. */
struct cairn_span {
    uint64_t offset;
    uint64_t length;
};
#define CAIRN_SPANS_MAX 4

/* The order of the trace in a buffer of `size` bytes that holds nothing but this source's bytes: a
 * trace unit may write round and round (MTB). Writes the parts of the buffer, oldest bytes first,
 * that together are the source's bytes: what cairn_packets_run wants, and what the offsets of
 * packets count. They cover the buffer. Most protocols: one part, the whole buffer; none when it is
 * empty. CAIRN_E_CONFIG when the registers and the size cannot both be right. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_config_spans(const struct cairn_config *config,
                                                           uint64_t size,
                                                           struct cairn_span spans[CAIRN_SPANS_MAX],
                                                           size_t *count,
                                                           struct cairn_error *error);

/* The ledger's accounts: every input byte ends in exactly one. The list is open, up to
 * CAIRN_LEDGER_ACCOUNTS. */
enum cairn_account {
    CAIRN_ACCOUNT_FLOW = 0,     /* packets that decide program flow, all of it followed */
    CAIRN_ACCOUNT_METADATA = 1, /* timestamps, events, cycle counts, Trace Info ... */
    CAIRN_ACCOUNT_PADDING = 2,  /* alignment synchronisation, Ignore */
    /* gaps from here on */
    CAIRN_GAP_NO_SYNC = 3, /* before the first synchronisation */
    /* a reserved packet and what follows it up to the next synchronisation */
    CAIRN_GAP_RESERVED = 4,
    CAIRN_GAP_CUT = 5,           /* a packet that a synchronisation cut short */
    CAIRN_GAP_TRUNCATED = 6,     /* the source ended inside a packet */
    CAIRN_GAP_NOT_DECODED = 7,   /* a protocol or packet that is not decoded */
    CAIRN_GAP_NO_ADDRESS = 8,    /* context or address not known yet */
    CAIRN_GAP_NO_IMAGE = 9,      /* no memory at the address */
    CAIRN_GAP_RETURN_STACK = 10, /* a return without an address and an empty return stack */
    CAIRN_GAP_OVERFLOW = 11,     /* uncommitted when the trace unit overflowed */
    CAIRN_GAP_DISCARD = 12,      /* uncommitted when the trace unit discarded */
    CAIRN_GAP_UNRESOLVED = 13,   /* uncommitted when the source or the segment ended */
    CAIRN_GAP_LIMIT = 14,        /* a bound on speculation depth, queue or walk was reached */
    CAIRN_GAP_INCONSISTENT = 15, /* trace and image contradict each other */
    CAIRN_GAP_FILTERED = 16,     /* outside what the user asked for */
    CAIRN_GAP_LOST = 17,         /* trace that did not reach the capture, which says so: no bytes;
                                    `packets` are the places */
};
/* Room of a ledger, for ever: accounts that do not exist stay 0. */
#define CAIRN_LEDGER_ACCOUNTS 32u

/* What is in one account. */
struct cairn_account_sum {
    uint64_t bytes;
    uint64_t packets;
};

#define CAIRN_ACCOUNT_IS_GAP(account) ((account) >= CAIRN_GAP_NO_SYNC)

/* "flow", "metadata", "padding", "gap: no synchronisation" ...; never NULL. */
CAIRN_API const char *cairn_account_name(enum cairn_account account);

/* A PE context, as the packet gives it. */
struct cairn_context {
    uint8_t EL;
    uint8_t security; /* enum cairn_security */
    uint8_t SF;       /* 1: AArch64 */
    uint8_t sbz;      /* bits of the information byte that should be zero and are not */
    uint32_t vmid;
    uint32_t context_id;
};

#define CAIRN_PACKET_HAS_ADDRESS (1u << 0)
#define CAIRN_PACKET_HAS_CONTEXT (1u << 1)
#define CAIRN_PACKET_HAS_VMID (1u << 2)       /* present in the packet itself */
#define CAIRN_PACKET_HAS_CONTEXT_ID (1u << 3) /* present in the packet itself */
#define CAIRN_PACKET_HAS_COUNT (1u << 4)      /* `count` */
/* `cycles`; for cycle count packets absent = UNKNOWN */
#define CAIRN_PACKET_HAS_CYCLES (1u << 5)
#define CAIRN_PACKET_HAS_TIMESTAMP (1u << 6)
#define CAIRN_PACKET_SBZ (1u << 7)        /* a should-be-zero field is not zero */
#define CAIRN_PACKET_MISPREDICT (1u << 8) /* Cancel: a Mispredict follows it */
/* Exception: E=10, its address is also a Target Address */
#define CAIRN_PACKET_E10 (1u << 9)
#define CAIRN_PACKET_HAS_EXCEPTION (1u << 10) /* ETMv3, PTM branch: `type` */
#define CAIRN_PACKET_CANCEL (1u << 11)        /* ETMv3: Can, the last instruction did not execute */
#define CAIRN_PACKET_HAS_INFO (1u << 12)      /* ETMv3, PTM branch: information bytes are there */
#define CAIRN_PACKET_HAS_VALUE (1u << 13)     /* ETMv3 data, MTB: `value`, of `size` bytes */
#define CAIRN_PACKET_BIG_ENDIAN (1u << 14)    /* ETMv3 data address: BE */
#define CAIRN_PACKET_DATA_ONLY (1u << 15)     /* ETMv3 I-sync of data-only mode */
#define CAIRN_PACKET_LSIP (1u << 16)          /* ETMv3 I-sync in the middle of a data instruction */
/* ETMv3: each field can be, but not with the others or in this place; they are given as traced */
#define CAIRN_PACKET_CONTRADICTION (1u << 17)
/* Reserved packet of ETE: its length and what it does to compression are known, its meaning is not */
#define CAIRN_PACKET_FRAMED (1u << 18)
/* Trace On of ETMv4, ETE: what lies between the last reserved packet and here is lost, decoding goes on */
#define CAIRN_PACKET_GOES_ON (1u << 19)

/* Instruction set states of ETMv3 and PTM. */
enum cairn_packet_state {
    CAIRN_STATE_ARM = 0,
    CAIRN_STATE_THUMB = 1,
    CAIRN_STATE_JAZELLE = 2,
    CAIRN_STATE_THUMBEE = 3,
};

/* Decoded payload; which members count depends on the packet's kind and the flags. */
struct cairn_packet_fields {
    uint32_t flags;     /* CAIRN_PACKET_... */
    uint16_t type;      /* exception type; event bits; Trace Info PLCTL; conditional key fields */
    uint8_t sub_isa;    /* 0 IS0, 1 IS1 */
    uint8_t atom_count; /* atoms in `atoms`, oldest in bit 0 */
    uint32_t atoms;     /* 1 = E */
    uint32_t count;     /* COMMIT, CANCEL, Q COUNT, Trace Info SPEC */
    uint64_t address;   /* absolute */
    uint64_t value;     /* timestamp (whole); instrumentation value; conditional key or tokens; two
                           conditional results: the second one's key in the upper half */
    uint32_t cycles;    /* cycle count with the threshold added; Trace Info: CYCT threshold */
    uint8_t info;       /* Trace Info INFO byte; Exact Match: history entry; conditional results of
                           format 1: 3:0, the second one in 7:4 */
    /* how many low bits of the address the packet itself carried (0: a match) */
    uint8_t address_bits;
    uint8_t state;                /* ETMv3, PTM: enum cairn_packet_state behind the packet */
    uint8_t reason;               /* ETMv3, PTM I-sync: its reason code */
    uint8_t size;                 /* ETMv3 data: bytes of `value`, as traced */
    uint8_t tag;                  /* ETMv3 out-of-order data */
    uint8_t resume;               /* ETMv3: how far an instruction was that is paused or resumed */
    struct cairn_context context; /* whole context after the packet */
};

/* A batch of packets: columns of `capacity` entries, `count` in use. A column that is NULL is not
 * written. Without `fields` decoding is many times as fast: kinds and addresses are then there at
 * little cost, with the other columns as one likes. */
struct cairn_packet_batch {
    size_t size; /* of this structure */
    size_t capacity;
    size_t count;
    uint64_t *offset; /* first byte, in the source's bytes */
    uint64_t *length; /* bytes */
    uint16_t *kind;   /* the protocol's packet kinds: <cairn/etmv4.h>, <cairn/mtb.h> ... */
    uint8_t *account; /* enum cairn_account that the packet alone would be in */
    struct cairn_packet_fields *fields;
    /* The addresses of those packets that have one, in their order: `address_count` entries, never
     * more than `count` (what is more when a call begins is forgotten). `size` tells whether these
     * three are there at all. */
    uint64_t *address;        /* bit 0: its sub_isa */
    uint32_t *address_packet; /* the packet in this batch that has it */
    size_t address_count;
    size_t
        fields_size; /* from one of `fields` to the next; 0: sizeof(struct cairn_packet_fields) */
};

/* Fields `index` of a batch, whoever made it. */
static inline const struct cairn_packet_fields *
cairn_packet_fields_at(const struct cairn_packet_batch *batch, size_t index)
{
    const size_t size = batch->fields_size ? batch->fields_size : sizeof *batch->fields;

    return (const struct cairn_packet_fields *)(const void *)((const char *)batch->fields +
                                                              index * size);
}

/* Allocates every column. Free with cairn_packet_batch_free. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_packet_batch_new(size_t capacity,
                                                               struct cairn_packet_batch **batch);
CAIRN_API void cairn_packet_batch_free(struct cairn_packet_batch *batch);

/* The specification's name of a packet kind ("Atom format 3"), and a short one for listings and
 * tests ("ATOM_F3"). Never NULL. */
CAIRN_API const char *cairn_packet_name(const struct cairn_config *config, unsigned kind);
CAIRN_API const char *cairn_packet_mnemonic(const struct cairn_config *config, unsigned kind);

/* The fields of packet `index` by name, for listings. Returns how many; writes at most
 * `capacity`. */
CAIRN_API size_t cairn_packet_describe(const struct cairn_config *config,
                                       const struct cairn_packet_batch *batch, size_t index,
                                       struct cairn_field *fields, size_t capacity);

/* A packet decoder: push bytes, pull packets. */
struct cairn_packets;
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_packets_new(struct cairn_config *config,
                                                          struct cairn_packets **packets);
CAIRN_API void cairn_packets_free(struct cairn_packets *packets);

/* Decodes data[*position .. size), appends to `batch`, and advances *position past the bytes taken
 * in. Returns when the bytes are used up or the batch is full; call again with the same arguments
 * after emptying the batch (count = 0). Content never fails it: reserved and broken packets are
 * packets. When it returns because the batch is full, up to 8 KiB of the bytes taken in may still be
 * kept inside for the next call; when it returns for want of bytes, no more than the start of one packet (ETMv1: up to 4 KiB, behind a
 * branch whose address has not come). */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_packets_run(struct cairn_packets *packets,
                                                          const uint8_t *data, size_t size,
                                                          size_t *position,
                                                          struct cairn_packet_batch *batch);

/* The source has ended: appends what is left. Call until it adds nothing. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_packets_finish(struct cairn_packets *packets,
                                                             struct cairn_packet_batch *batch);

/* Finds the first alignment synchronisation in data[from, size): the offset of the first of its
 * last 11 zeros (ETMv4, ETE) or 5 zeros (ETMv3, PTM). Returns `size` when there is none. */
CAIRN_API size_t cairn_find_sync(const struct cairn_config *config, const uint8_t *data,
                                 size_t size, size_t from);

/* A packet written from its fields: for scenarios, vectors and trace unit models. */
struct cairn_packet_writer;
CAIRN_API CAIRN_MUST_CHECK cairn_status
cairn_packet_writer_new(struct cairn_config *config, struct cairn_packet_writer **writer);
CAIRN_API void cairn_packet_writer_free(struct cairn_packet_writer *writer);

/* Writes one packet of exactly this kind; addresses are given absolute and compressed against the
 * writer's own history as the kind says. Returns the bytes written, or 0 when the fields cannot be
 * expressed by that kind, or `capacity` is too small; the state then did not change. */
CAIRN_API size_t cairn_packet_write(struct cairn_packet_writer *writer, unsigned kind,
                                    const struct cairn_packet_fields *fields, uint8_t *bytes,
                                    size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
