/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv4 and ETE instruction trace: what the files of this folder share. Nothing outside the folder
 * includes this file. */
#ifndef CAIRN_PROTOCOL_ETMV4_ETMV4_H
#define CAIRN_PROTOCOL_ETMV4_ETMV4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/element.h>
#include <cairn/etmv4.h>
#include <cairn/packet.h>

#include "protocol/protocol.h"

/* A queue of uncommitted P0 elements never gets longer, whatever TRCIDR8 or a Trace Info says. */
#define CAIRN_ETMV4_MAX_SPECULATION 4096u

/* TRCCONFIGR.COND: which conditional instructions other than branches are traced (ETMv4). */
enum cairn_etmv4_cond {
    CAIRN_ETMV4_COND_NONE = 0,
    CAIRN_ETMV4_COND_LOADS = 1,
    CAIRN_ETMV4_COND_STORES = 2,
    CAIRN_ETMV4_COND_LOADS_STORES = 3,
    CAIRN_ETMV4_COND_ALL = 7,
};

/* TRCIDR0.CONDTYPE: what a conditional result says. */
enum cairn_etmv4_condtype {
    CAIRN_ETMV4_CONDTYPE_PASS_FAIL = 0,
    CAIRN_ETMV4_CONDTYPE_APSR = 1,
};

/* TRCIDR0.QSUPP and TRCCONFIGR.QE: bit 0 Q elements with a count, bit 1 without one. */
#define CAIRN_ETMV4_Q_COUNTED 1u
#define CAIRN_ETMV4_Q_UNCOUNTED 2u

/* How many kinds of packets there are. */
#define CAIRN_ETMV4_KIND_COUNT (0u CAIRN_ETMV4_PACKETS(CAIRN_COUNT_ONE))

/* The registers, decoded. Sizes are bytes unless the name ends in _bits. What a missing register
 * counts as is in configure.c, and cairn_config_note says so. */
struct cairn_etmv4_config {
    enum cairn_protocol_id protocol; /* ETMV4 or ETE */
    bool is_ete;                     /* protocol == CAIRN_PROTOCOL_ETE */
    uint8_t major;                   /* ETMv4: 4; ETE: 1 */
    uint8_t minor;                   /* ETMv4: TRCIDR1.TRCARCHMIN; ETE: TRCDEVARCH.REVISION */
    uint8_t revision;                /* TRCIDR1.REVISION */
    enum cairn_profile profile;      /* of the core */
    uint8_t trace_id;                /* TRCTRACEIDR */

    /* speculation, DDI0608 D3.6 and D5.35 */
    uint32_t max_speculation; /* TRCIDR8.MAXSPEC, at most CAIRN_ETMV4_MAX_SPECULATION */
    uint32_t maxspec;         /* TRCIDR8.MAXSPEC as it is: Cycle Count format 2 computes with it */
    bool commopt;             /* TRCIDR0.COMMOPT as it acts: true = cycle counts carry no commits */
    bool commtrans_is_p0; /* ETE and TRCIDR0.COMMTRANS == 0: Transaction Start is a P0 element */

    /* cycle counts and timestamps */
    bool cc_enabled;       /* TRCCONFIGR.CCI; what counts in a stream is Trace Info's INFO.CC */
    uint8_t ccsize_bits;   /* TRCIDR2.CCSIZE: 12 to 20 */
    uint32_t cc_threshold; /* TRCCCCTLR.THRESHOLD; what counts in a stream is Trace Info's CYCT */
    bool timestamps;       /* TRCCONFIGR.TS */
    uint8_t tssize_bits;   /* TRCIDR0.TSSIZE: 48 or 64; 0: the unit has none */
    bool tsmark;           /* TRCIDR0.TSMARK: a Timestamp Marker comes before each Timestamp */

    /* addresses and contexts */
    uint8_t address_size;    /* TRCIDR2.IASIZE: 4 or 8 */
    bool return_stack;       /* TRCCONFIGR.RS */
    bool branch_broadcast;   /* TRCCONFIGR.BB */
    bool context_id;         /* TRCCONFIGR.CID: context ids are traced */
    bool vmid;               /* TRCCONFIGR.VMID: virtual context ids are traced */
    uint8_t context_id_size; /* bytes of a context id in a packet that says it has one: 0 or 4 */
    uint8_t vmid_size;       /* bytes of a virtual context id, the same way: 0, 1, 2 or 4 */
    bool vmidopt;            /* the virtual context id is CONTEXTIDR_EL2, not VTTBR_EL2.VMID */
    bool realm;              /* context byte bit 3 is NSE: ETE 1.2 and later (RME) */

    /* what is a P0 element, and which packets there can be */
    bool loads_are_p0;           /* ETMv4 TRCCONFIGR.INSTP0 */
    bool stores_are_p0;          /* ETMv4 TRCCONFIGR.INSTP0 */
    bool wfx_is_p0;              /* TRCIDR2.WFXMODE: WFI, WFE, WFIT, WFET (4.3 and later) */
    bool exception_return_is_p0; /* ETMv4 of an M profile core: packet 07 is a P0 element */
    bool exception_return;       /* header 07 is Exception Return: ETMv4 */
    bool function_return;        /* header 05 is Function Return: v8-M and ETMv4 4.2 or later */
    bool transactions;           /* headers 0A and 0B: ETE */
    bool source_addresses;       /* headers B0 to B9: ETE */
    bool timestamp_marker;       /* header 88: ETE; ETMv4 4.6 with TSMARK */
    bool instrumentation;        /* header 09 is Instrumentation: ETE 1.3 and later (ITE) */
    bool branch_future;          /* 00 07 is Branch Future Flush: ETMv4 of a v8.1-M core */
    uint8_t qsupp;               /* TRCIDR0.QSUPP: CAIRN_ETMV4_Q_..., 0 none */
    uint8_t qe;                  /* TRCCONFIGR.QE: 0 none, 1 with count, 3 both */
    bool ite;                    /* TRCIDR0.ITE: the unit implements instrumentation */
    bool ito;                    /* TRCCONFIGR.ITO: instrumentation trace override */
    uint8_t headers[256];        /* the kind of packet that each begins: cairn_etmv4_headers */

    /* conditional instructions and data trace (ETMv4) */
    enum cairn_etmv4_cond cond;         /* TRCCONFIGR.COND */
    enum cairn_etmv4_condtype condtype; /* TRCIDR0.CONDTYPE */
    uint32_t numcondkey;                /* TRCIDR12 */
    uint32_t numcondspc;                /* TRCIDR13 */
    uint32_t nump0key;                  /* TRCIDR9 */
    bool data_address;                  /* TRCCONFIGR.DA, with INSTP0 */
    bool data_value;                    /* TRCCONFIGR.DV, with INSTP0 */
    bool trcexdata;                     /* TRCIDR0.TRCEXDATA: exception data transfers are traced */
};

/* The decoded registers of a configuration made by this protocol. */
static inline const struct cairn_etmv4_config *cairn_etmv4_of(const struct cairn_config *config)
{
    return config->decoded;
}

/* configure.c */
cairn_status cairn_etmv4_configure(const struct cairn_source_config *source,
                                   struct cairn_config *config, struct cairn_error *error);

/* headers.c: fills `headers`, when everything else is known. */
void cairn_etmv4_find_headers(struct cairn_etmv4_config *config);

/* print.c */
extern const struct cairn_kind_name cairn_etmv4_kind_names[CAIRN_ETMV4_KIND_COUNT];
size_t cairn_etmv4_describe_config(const struct cairn_config *config, struct cairn_field *fields,
                                   size_t capacity);
size_t cairn_etmv4_describe_packet(const struct cairn_config *config,
                                   const struct cairn_packet_batch *batch, size_t index,
                                   struct cairn_field *fields, size_t capacity);
const char *cairn_etmv4_exception_name(const struct cairn_config *config, unsigned type);
bool cairn_etmv4_is_p0(const struct cairn_config *config, unsigned element_kind);

/* sync.c: cairn_find_sync */
size_t cairn_etmv4_find_sync(const uint8_t *data, size_t size, size_t from);

/* parse.c: cairn_packets_... */
struct cairn_etmv4_parser;
CAIRN_MUST_CHECK cairn_status cairn_etmv4_parser_new(struct cairn_config *config,
                                                     struct cairn_etmv4_parser **parser);
void cairn_etmv4_parser_free(struct cairn_etmv4_parser *parser);
CAIRN_MUST_CHECK cairn_status cairn_etmv4_parser_run(struct cairn_etmv4_parser *parser,
                                                     const uint8_t *data, size_t size,
                                                     size_t *position,
                                                     struct cairn_packet_batch *batch);
CAIRN_MUST_CHECK cairn_status cairn_etmv4_parser_finish(struct cairn_etmv4_parser *parser,
                                                        struct cairn_packet_batch *batch);

/* Before the first bytes: it does without what is special to this processor, for tests. */
void cairn_etmv4_parser_portable(struct cairn_etmv4_parser *parser);

/* elements.c: cairn_elements_... */
struct cairn_etmv4_elements;
CAIRN_MUST_CHECK cairn_status cairn_etmv4_elements_new(struct cairn_config *config,
                                                       struct cairn_etmv4_elements **elements);
void cairn_etmv4_elements_free(struct cairn_etmv4_elements *elements);
CAIRN_MUST_CHECK cairn_status cairn_etmv4_elements_run(struct cairn_etmv4_elements *elements,
                                                       const struct cairn_packet_batch *in,
                                                       size_t *position,
                                                       struct cairn_element_batch *out);
uint32_t cairn_etmv4_elements_depth(const struct cairn_etmv4_elements *elements);
void cairn_etmv4_elements_shorten(struct cairn_etmv4_elements *elements);

/* resolve.c: cairn_resolver_... */
struct cairn_etmv4_resolver;
CAIRN_MUST_CHECK cairn_status cairn_etmv4_resolver_new(struct cairn_config *config,
                                                       struct cairn_etmv4_resolver **resolver);
void cairn_etmv4_resolver_free(struct cairn_etmv4_resolver *resolver);
CAIRN_MUST_CHECK cairn_status cairn_etmv4_resolver_run(struct cairn_etmv4_resolver *resolver,
                                                       const struct cairn_element_batch *in,
                                                       size_t *position,
                                                       struct cairn_element_batch *out);
CAIRN_MUST_CHECK cairn_status cairn_etmv4_resolver_finish(struct cairn_etmv4_resolver *resolver,
                                                          struct cairn_element_batch *out);

/* write.c: cairn_packet_writer_... */
struct cairn_etmv4_writer;
CAIRN_MUST_CHECK cairn_status cairn_etmv4_writer_new(struct cairn_config *config,
                                                     struct cairn_etmv4_writer **writer);
void cairn_etmv4_writer_free(struct cairn_etmv4_writer *writer);
size_t cairn_etmv4_writer_write(struct cairn_etmv4_writer *writer, unsigned kind,
                                const struct cairn_packet_fields *fields, uint8_t *bytes,
                                size_t capacity);

/* encode.c: cairn_protocol.encoder_... */
struct cairn_etmv4_encoder;
CAIRN_MUST_CHECK cairn_status cairn_etmv4_encoder_new(struct cairn_config *config, uint32_t choices,
                                                      struct cairn_etmv4_encoder **encoder);
void cairn_etmv4_encoder_free(struct cairn_etmv4_encoder *encoder);
void cairn_etmv4_encoder_atom(struct cairn_etmv4_encoder *encoder, bool taken,
                              struct cairn_encoder_out *out);
void cairn_etmv4_encoder_put(struct cairn_etmv4_encoder *encoder, unsigned kind, uint16_t flags,
                             const struct cairn_element_data *data, struct cairn_encoder_out *out);
void cairn_etmv4_encoder_flush(struct cairn_etmv4_encoder *encoder, struct cairn_encoder_out *out);

/* hot.c: see protocol/etmv4/hot.h. Of the levels, the parts that stand between two packets. */
bool cairn_etmv4_parser_stands(const struct cairn_etmv4_parser *parser, uint64_t *offset,
                               struct cairn_hot_state *state);
void cairn_etmv4_parser_resume(struct cairn_etmv4_parser *parser, uint64_t offset,
                               const struct cairn_hot_state *state);
bool cairn_etmv4_elements_stand(const struct cairn_etmv4_elements *elements);
void cairn_etmv4_elements_resume(struct cairn_etmv4_elements *elements);
bool cairn_etmv4_resolver_stands(const struct cairn_etmv4_resolver *resolver,
                                 struct cairn_hot_state *state);
bool cairn_etmv4_resolver_settle(struct cairn_etmv4_resolver *resolver,
                                 struct cairn_element_batch *out);
void cairn_etmv4_resolver_resume(struct cairn_etmv4_resolver *resolver,
                                 const struct cairn_hot_state *state);
struct cairn_etmv4_taker;
bool cairn_etmv4_hot_table(const struct cairn_config *config, struct cairn_hot_table *table);
CAIRN_MUST_CHECK cairn_status cairn_etmv4_taker_new(struct cairn_config *config,
                                                    struct cairn_etmv4_taker **taker);
void cairn_etmv4_taker_free(struct cairn_etmv4_taker *taker);
enum cairn_hot_take cairn_etmv4_take(struct cairn_etmv4_taker *taker, struct cairn_hot_state *state,
                                     const uint8_t *bytes, size_t size, uint64_t offset,
                                     size_t *length, enum cairn_account *account,
                                     struct cairn_element_batch *out);

/* scan.c: see protocol/scan.h, and of the levels what scan_levels.c needs. */
struct cairn_etmv4_scan;
CAIRN_MUST_CHECK cairn_status cairn_etmv4_scan_new(struct cairn_config *config,
                                                   struct cairn_etmv4_scan **scan);
void cairn_etmv4_scan_amid(struct cairn_etmv4_scan *scan, uint64_t offset);
void cairn_etmv4_scan_free(struct cairn_etmv4_scan *scan);
CAIRN_MUST_CHECK cairn_status cairn_etmv4_scan_run(struct cairn_etmv4_scan *scan,
                                                   const uint8_t *data, size_t size,
                                                   size_t *position,
                                                   struct cairn_scan_batch *batch);
CAIRN_MUST_CHECK cairn_status cairn_etmv4_scan_finish(struct cairn_etmv4_scan *scan,
                                                      struct cairn_scan_batch *batch);
const struct cairn_scan_ledger *cairn_etmv4_scan_ledger(const struct cairn_etmv4_scan *scan);
bool cairn_etmv4_hot_cycles(const struct cairn_config *config, struct cairn_hot_cycles *cycles);
/* True between two packets, in step; *unread: bytes that it has and has not parsed. */
bool cairn_etmv4_parser_between(const struct cairn_etmv4_parser *parser, size_t *unread);
/* Goes on at `offset`, between two packets, with the compression state as it is. */
void cairn_etmv4_parser_move(struct cairn_etmv4_parser *parser, uint64_t offset);
struct cairn_etmv4_state;
struct cairn_etmv4_state *cairn_etmv4_parser_compression(struct cairn_etmv4_parser *parser);
/* True in step with the trace, outside transactions, with nothing to give. */
bool cairn_etmv4_elements_between(const struct cairn_etmv4_elements *elements);
/* Goes on in that state, at a speculation depth. */
void cairn_etmv4_elements_restore(struct cairn_etmv4_elements *elements, uint32_t depth);

extern const struct cairn_about cairn_etmv4_about;
extern const struct cairn_about cairn_ete_about;

#endif
