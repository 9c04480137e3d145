/* SPDX-License-Identifier: BSD-2-Clause */
/* Program Flow Trace: what the files of this folder share. Nothing outside the folder includes this
 * file. */
#ifndef CAIRN_PROTOCOL_PTM_PTM_H
#define CAIRN_PROTOCOL_PTM_PTM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/packet.h>
#include <cairn/ptm.h>

#include "protocol/branches.h"
#include "protocol/protocol.h"

/* A-sync (4.5.1): at least this many zeros, then the end byte. */
#define CAIRN_PTM_ASYNC_ZEROS 5u
#define CAIRN_PTM_ASYNC_END 0x80u

/* The longest packets are I-sync and Timestamp with everything that they can have (4.5). */
#define CAIRN_PTM_LONGEST 15u

/* How many kinds of packets there are. */
#define CAIRN_PTM_KIND_COUNT (0u CAIRN_PTM_PACKETS(CAIRN_COUNT_ONE))

/* The registers, decoded. What a missing register counts as is in configure.c, and
 * cairn_config_note says so. */
struct cairn_ptm_config {
    uint8_t major, minor;        /* ETMIDR: PFT 1.0 or 1.1 */
    uint8_t revision;            /* ETMIDR: of the implementation */
    uint8_t trace_id;            /* ETMTRACEIDR */
    uint8_t context_id_size;     /* ETMCR[15:14] as bytes: 0, 1, 2 or 4 */
    uint8_t timestamp_bits;      /* ETMCCER[29]: 48 or 64 */
    bool m_profile;              /* of the core: exceptions have other numbers */
    bool timestamp_binary;       /* ETMCCER[28]; else Gray */
    bool timestamps;             /* ETMCR[28] */
    bool cycle_accurate;         /* ETMCR[12] */
    bool branch_broadcast;       /* ETMCR[8] */
    bool return_stack;           /* ETMCR[29] */
    bool vmid;                   /* ETMCR[30] */
    bool virtualization;         /* ETMCCER[26] of PFT 1.1: there is a Hyp mode */
    bool barriers_are_waypoints; /* ETMCCER[24]: DMB and DSB have atoms */
    bool barriers_give_time;     /* ETMCCER[25]: DMB and DSB ask for timestamps */
    bool thumb32_is_one;         /* ETMIDR[18]: a 32-bit Thumb instruction is one waypoint */
};

static inline const struct cairn_ptm_config *cairn_ptm_of(const struct cairn_config *config)
{
    return config->decoded;
}

/* What packets are compressed against: the last branch address packet or I-sync, and the last
 * timestamp as it was encoded (4.5.4, 4.5.9). All zero at the start. */
struct cairn_ptm_state {
    uint64_t timestamp;
    uint32_t address;
    uint32_t context_id;
    uint8_t vmid;
    uint8_t alignment;       /* CAIRN_STATE_ARM, _THUMB or _JAZELLE */
    uint8_t timestamp_known; /* how many of the timestamp's low bits are known */
    bool address_known;
    bool alt_is; /* with Thumb alignment: ThumbEE */
    bool non_secure;
    bool hyp;
};

/* What packets are compressed against while nothing is known. A core of the M profile has one
 * instruction set, also before an I-sync says so. */
static inline struct cairn_ptm_state cairn_ptm_unknown(const struct cairn_ptm_config *config)
{
    return (struct cairn_ptm_state){.alignment =
                                        config->m_profile ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM};
}

/* Whether the count of this packet exists and is not known (4.4, 4.5.4). */
static inline bool cairn_ptm_count_is_junk(const struct cairn_ptm_config *config, unsigned kind,
                                           unsigned reason)
{
    return kind == CAIRN_PTM_INSTRUCTION_SYNC && config->minor >= 1 &&
           (reason == CAIRN_PTM_AFTER_OVERFLOW || reason == CAIRN_PTM_DEBUG_EXIT);
}

/* configure.c */
cairn_status cairn_ptm_configure(const struct cairn_source_config *source,
                                 struct cairn_config *config, struct cairn_error *error);

/* print.c */
extern const struct cairn_kind_name cairn_ptm_kind_names[CAIRN_PTM_KIND_COUNT];
size_t cairn_ptm_describe_config(const struct cairn_config *config, struct cairn_field *fields,
                                 size_t capacity);
size_t cairn_ptm_describe_packet(const struct cairn_config *config,
                                 const struct cairn_packet_batch *batch, size_t index,
                                 struct cairn_field *fields, size_t capacity);

/* exceptions.c */
const char *cairn_ptm_exception_name(const struct cairn_config *config, unsigned type);
/* Those that an undefined instruction may raise. */
void cairn_ptm_undefined(const struct cairn_ptm_config *config,
                         uint16_t types[CAIRN_RULES_UNDEFINED]);

/* payload.c */
enum cairn_ptm_take {
    CAIRN_PTM_WHOLE = 0,  /* `length` bytes, `kind`, fields; the state moved on */
    CAIRN_PTM_MORE = 1,   /* the bytes end inside the packet; nothing changed */
    CAIRN_PTM_BROKEN = 2, /* byte `length` - 1 makes it a reserved encoding; nothing changed */
};

/* The context that packets behind it are of. */
struct cairn_context cairn_ptm_context(const struct cairn_ptm_state *state);

/* The kind of packet each header byte begins under a configuration; CAIRN_PTM_RESERVED for none. */
void cairn_ptm_headers(const struct cairn_ptm_config *config, uint8_t kinds[256]);

/* Parses the packet at bytes[0], which is not 00 and begins a packet of this kind. */
enum cairn_ptm_take cairn_ptm_payload(const struct cairn_ptm_config *config, unsigned kind,
                                      struct cairn_ptm_state *state, const uint8_t *bytes,
                                      size_t size, size_t *length,
                                      struct cairn_packet_fields *fields);

/* sync.c: cairn_find_sync */
size_t cairn_ptm_find_sync(const uint8_t *data, size_t size, size_t from);

/* parse.c: cairn_packets_... */
cairn_status cairn_ptm_parser_new(struct cairn_config *config, void **parser);
void cairn_ptm_parser_free(void *parser);
cairn_status cairn_ptm_parser_run(void *parser, const uint8_t *data, size_t size, size_t *position,
                                  struct cairn_packet_batch *batch);
cairn_status cairn_ptm_parser_finish(void *parser, struct cairn_packet_batch *batch);

/* What the next packet is compressed against; NULL unless the parser stands between two packets and
 * nothing is damaged. *unused of the last bytes that it was given are not taken yet. */
const struct cairn_ptm_state *cairn_ptm_parser_stands(const void *parser, size_t *unused);
/* The same, for a reader to move on, and the parser's place. */
struct cairn_ptm_state *cairn_ptm_parser_state(void *parser, uint64_t *offset);
/* What it has in its window is not there, and so many bytes from its place on were taken. */
void cairn_ptm_parser_skip(void *parser, size_t bytes);
/* It stands in front of a packet at this offset of the source, and nothing is known. */
void cairn_ptm_parser_begin(void *parser, uint64_t offset);
/* `skipped` bytes on from there, at `place`: takes packets that say nothing of atoms, if an Atom or
 * a branch packet is behind them. Returns their bytes; 0: it is not so, and nothing was taken. */
size_t cairn_ptm_parser_between(void *parser, size_t skipped,
                                const struct cairn_branch_place *place, const uint8_t *bytes,
                                size_t size, struct cairn_packet_batch *batch);

/* elements.c: cairn_elements_... */
cairn_status cairn_ptm_elements_new(struct cairn_config *config, void **elements);
void cairn_ptm_elements_free(void *elements);
cairn_status cairn_ptm_elements_run(void *elements, const struct cairn_packet_batch *in,
                                    size_t *position, struct cairn_element_batch *out);

/* Whether Atoms and branch packets without exception mean the same as anywhere, and this context is
 * the one that was told last. */
bool cairn_ptm_elements_stand(const void *elements, const struct cairn_context *context);
/* Packets were taken without them; the last one of a waypoint is at this offset. */
void cairn_ptm_elements_skip(void *elements, uint64_t waypoint);
/* They stand behind a waypoint whose packet is at this offset, in this context, or, without one, at
 * the start. */
void cairn_ptm_elements_begin(void *elements, const struct cairn_context *context,
                              uint64_t waypoint);

/* atoms.c: the atoms of a header 1xxxxxx0, by those six bits: the highest one tells how many stand
 * beneath it, the first of them the oldest; 1 is N. */
struct cairn_ptm_atom_form {
    uint8_t count;
    uint8_t bits; /* 1 is E, the oldest in bit 0 */
};
extern const struct cairn_ptm_atom_form cairn_ptm_atoms_of[64];

/* write.c: cairn_packet_writer_... */
cairn_status cairn_ptm_writer_new(struct cairn_config *config, void **writer);
void cairn_ptm_writer_free(void *writer);
size_t cairn_ptm_writer_write(void *writer, unsigned kind, const struct cairn_packet_fields *fields,
                              uint8_t *bytes, size_t capacity);

/* encode.c: protocol/encoder.h */
cairn_status cairn_ptm_encoder_new(struct cairn_config *config, uint32_t choices, void **encoder);
void cairn_ptm_encoder_free(void *encoder);
void cairn_ptm_encoder_atom(void *encoder, bool taken, struct cairn_encoder_out *out);
void cairn_ptm_encoder_put(void *encoder, unsigned kind, uint16_t flags,
                           const struct cairn_element_data *data, struct cairn_encoder_out *out);
void cairn_ptm_encoder_flush(void *encoder, struct cairn_encoder_out *out);

extern const struct cairn_about cairn_ptm_about;

#endif
