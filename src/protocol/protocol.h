/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace protocol is to the rest of the library: one const table. Everything outside a
 * protocol's own folder reaches it through this table only; protocol.c turns the public functions
 * of <cairn/packet.h> and <cairn/element.h> into calls of it. A protocol is added by adding a
 * folder and one line in protocols.h. */
#ifndef CAIRN_PROTOCOL_PROTOCOL_H
#define CAIRN_PROTOCOL_PROTOCOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/element.h>
#include <cairn/packet.h>
#include <cairn/status.h>

#include "protocol/about.h"
#include "protocol/encoder.h"
#include "protocol/etmv4/hot.h"
#include "protocol/scan.h"
#include "protocol/words.h"

/* Given to a list of packets (CAIRN_ETMV4_PACKETS ...) it counts them. */
#define CAIRN_COUNT_ONE(...) +1u

#define CAIRN_CONFIG_NOTES_MAX 24 /* further notes are dropped */
#define CAIRN_CONFIG_NOTE_TEXT 240

struct cairn_protocol;

enum { CAIRN_RULES_UNDEFINED = 3 };

/* What following elements through an image depends on, whatever the protocol. */
struct cairn_follow_rules {
    bool return_stack;      /* the trace unit leaves out targets that the return stack gives */
    bool wfx_is_p0;         /* WFI, WFE and kin have atoms (TRCIDR2.WFXMODE) */
    bool loads_are_p0;      /* loads have atoms (TRCCONFIGR.INSTP0) */
    bool stores_are_p0;     /* stores have atoms (TRCCONFIGR.INSTP0) */
    bool return_packets;    /* exception returns have packets of their own (ETMv4) */
    bool m_profile;         /* return addresses and exceptions as Armv6-M to Armv8-M have them */
    bool every_instruction; /* each instruction has an atom: whether it passed its condition (ETMv3)
                             */
    bool thumb_halves;    /* and each half of a 32-bit Thumb instruction has one (ETMIDR[18] = 0) */
    bool half_addresses;  /* and an address may be that of a second half: cores before Thumb-2 */
    bool barriers_are_p0; /* DMB and DSB are waypoints (PTM, ETMCCER[24]) */
    bool coprocessor_data; /* moves to and from coprocessors are in the trace as data (ETMCR[1]) */
    bool pop_first;        /* a call pops the return stack, unless it is ADDRESSED, before it pushes
                              (IHI0035 4.13) */
    bool any_source;       /* a Source Address may be any instruction's, and unconditional branches
                              before it cannot be passed over (MTB) */
    /* where execution goes up to an undefined instruction, and with it: the exceptions that it may then
     * raise; 0: no more */
    uint16_t undefined[CAIRN_RULES_UNDEFINED];
    uint32_t walk_bytes; /* no waypoint is further than this from the last; 0: no bound */
};

/* What the contexts of a source do not tell, whatever stands there: on the M profile there are no
 * exception levels, and without the Security Extensions no security states. ETMv3 and PTM tell Hyp
 * mode (EL2) from all others, and no more. */
struct cairn_untold {
    bool EL; /* where it is 0 */
    bool security;
    bool exceptions; /* CAIRN_TELLS_EXCEPTIONS */
};

/* A checked configuration. Immutable once cairn_config_new returned it, but for the count. */
struct cairn_config {
    atomic_size_t references;
    const struct cairn_protocol *protocol; /* never NULL */
    struct cairn_arch arch;
    uint32_t source;
    struct cairn_follow_rules rules;
    struct cairn_untold untold;
    bool cycles;       /* the trace has cycle counts */
    bool cycles_ahead; /* which are those of the instruction behind them */
    bool timestamps;
    void *decoded; /* the protocol's own view of the registers; freed with free() */
    size_t note_count;
    char notes[CAIRN_CONFIG_NOTES_MAX][CAIRN_CONFIG_NOTE_TEXT];
};

enum cairn_depth cairn_depth_of(const struct cairn_protocol *protocol);

/* Adds a sentence to a configuration under construction (for cairn_protocol.configure). */
void cairn_config_add_note(struct cairn_config *config, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The name of a packet kind: the specification's, and the short one. */
struct cairn_kind_name {
    const char *name;
    const char *mnemonic;
};

/* Whose a data transfer is: the instruction, and which of its transfers. */
struct cairn_pins_owner {
    uint32_t address;
    uint8_t isa; /* enum cairn_isa; UNKNOWN: which instruction is not known */
    uint8_t transfer;
};

/* A protocol. `state` is what the same group's _new made. The members mean what the public function
 * of the same name means. One that decodes packets only has NULL in all from elements_new on but
 * writer_...; what is made of its packets answers CAIRN_E_UNSUPPORTED.
 *
 * One that decodes to flow has a resolver, though it only pass on (protocol/pass_on.h), and a reader,
 * though it only be that over its levels (protocol/words_of_levels.h). NULL may stand in
 * describe_config, describe_packet (there is nothing to list but names),
 * spans (see there), exception_name (its elements have no exceptions), scan_... (nothing is speculative), is_p0 (none of them waits to be resolved), find_sync (it has no synchronisation),
 * elements_depth and elements_shorten (nothing is speculative, so the depth is 0 and no Commit is
 * implied), writer_... and encoder_... (nothing writes it). */
struct cairn_protocol {
    const struct cairn_about *about; /* never NULL */

    /* Checks source->registers and sets config->decoded; config->arch, source and protocol are set
     * before. On failure what config->decoded points to is freed by the caller. */
    cairn_status (*configure)(const struct cairn_source_config *source, struct cairn_config *config,
                              struct cairn_error *error);
    size_t (*describe_config)(const struct cairn_config *config, struct cairn_field *fields,
                              size_t capacity);
    /* cairn_config_spans; NULL: a buffer is in the order of the trace. */
    cairn_status (*spans)(const struct cairn_config *config, uint64_t size,
                          struct cairn_span spans[CAIRN_SPANS_MAX], size_t *count,
                          struct cairn_error *error);

    /* Names: kinds at or above kind_count have none. */
    const struct cairn_kind_name *kinds;
    unsigned kind_count;
    size_t (*describe_packet)(const struct cairn_config *config,
                              const struct cairn_packet_batch *batch, size_t index,
                              struct cairn_field *fields, size_t capacity);
    const char *(*exception_name)(const struct cairn_config *config, unsigned type);
    bool (*is_p0)(const struct cairn_config *config, unsigned element_kind);

    /* Bytes -> packets. */
    size_t (*find_sync)(const uint8_t *data, size_t size, size_t from);
    cairn_status (*packets_new)(struct cairn_config *config, void **state);
    void (*packets_free)(void *state);
    cairn_status (*packets_run)(void *state, const uint8_t *data, size_t size, size_t *position,
                                struct cairn_packet_batch *batch);
    cairn_status (*packets_finish)(void *state, struct cairn_packet_batch *batch);
    /* The first byte is at this offset of the source, and may be inside a packet, because what came before
     * it was lost. Behind _new only. Also scan_amid and reader_amid. NULL: no capture says of such a
     * source that something was lost. */
    void (*packets_amid)(void *state, uint64_t offset);

    /* Packets -> elements. `in` of _run has the columns offset, length, kind and fields. */
    cairn_status (*elements_new)(struct cairn_config *config, void **state);
    void (*elements_free)(void *state);
    cairn_status (*elements_run)(void *state, const struct cairn_packet_batch *in, size_t *position,
                                 struct cairn_element_batch *out);
    uint32_t (*elements_depth)(const void *state);
    void (*elements_shorten)(void *state);

    /* Elements -> resolved elements. */
    cairn_status (*resolver_new)(struct cairn_config *config, void **state);
    void (*resolver_free)(void *state);
    cairn_status (*resolver_run)(void *state, const struct cairn_element_batch *in,
                                 size_t *position, struct cairn_element_batch *out);
    cairn_status (*resolver_finish)(void *state, struct cairn_element_batch *out);

    /* Data whose packets only the instructions tell apart (ETMv1: how many bytes there are is not in the
     * trace). NULL elsewhere. Such data comes as Data elements CAIRN_DATA_PINS. The follower says of
     * each instruction whose Atom is CAIRN_ELEMENT_HERE which transfers it makes (_need; NULL: that is
     * not known, and lost is what comes up to the next branch address), hands on the pins (_take), and
     * then asks for transfers until there is none (_give). A transfer comes when its last byte does,
     * which may be behind instructions that executed later: so it names its own. Where the trace ends,
     * nothing more comes (_end; then _give as before: what still waits is told as suppressed). Flow
     * depends on none of this: branch addresses are found without the image. */
    cairn_status (*pins_new)(struct cairn_config *config, void **state);
    void (*pins_free)(void *state);
    void (*pins_need)(void *state, const struct cairn_pins_owner *owner,
                      const struct cairn_transfers *transfers);
    void (*pins_take)(void *state, const struct cairn_element_data *pins);
    bool (*pins_give)(void *state, struct cairn_pins_owner *owner, struct cairn_element_data *data);
    void (*pins_end)(void *state);

    /* Fields -> bytes. */
    cairn_status (*writer_new)(struct cairn_config *config, void **state);
    void (*writer_free)(void *state);
    size_t (*writer_write)(void *state, unsigned kind, const struct cairn_packet_fields *fields,
                           uint8_t *bytes, size_t capacity);

    /* Elements -> bytes, compressed as a trace unit does: see protocol/encoder.h. */
    cairn_status (*encoder_new)(struct cairn_config *config, uint32_t choices, void **state);
    void (*encoder_free)(void *state);
    void (*encoder_atom)(void *state, bool taken, struct cairn_encoder_out *out);
    void (*encoder_put)(void *state, unsigned kind, uint16_t flags,
                        const struct cairn_element_data *data, struct cairn_encoder_out *out);
    void (*encoder_flush)(void *state, struct cairn_encoder_out *out);

    /* Bytes -> resolved elements as tokens: see protocol/scan.h. _run and _finish as those of
     * packets; both lists of the batch need room. */
    cairn_status (*scan_new)(struct cairn_config *config, void **state);
    void (*scan_free)(void *state);
    cairn_status (*scan_run)(void *state, const uint8_t *data, size_t size, size_t *position,
                             struct cairn_scan_batch *batch);
    cairn_status (*scan_finish)(void *state, struct cairn_scan_batch *batch);
    const struct cairn_scan_ledger *(*scan_ledger)(const void *state);
    void (*scan_amid)(void *state, uint64_t offset);

    /* Bytes -> words: see protocol/words.h. Whether it is for this source of a protocol with a scan,
     * and not the reader over that (protocol/words_of_scan.h): */
    bool (*reader_serves)(const struct cairn_config *config);
    cairn_status (*reader_new)(struct cairn_config *config, struct cairn_word_bytes *bytes,
                               void **state);
    void (*reader_free)(void *state);
    void (*reader_amid)(void *state, uint64_t offset);
    cairn_status (*reader_words)(void *state, const uint8_t *data, size_t size, size_t *position,
                                 struct cairn_words *words);
    cairn_status (*reader_finish)(void *state, struct cairn_words *words);
    bool (*reader_stand)(void *state, struct cairn_reader_place *place);
    void (*reader_begin_at)(void *state, uint64_t offset, const struct cairn_reader_place *place);
    size_t (*reader_packets)(void *state, const struct cairn_word *word, const uint8_t *bytes,
                             struct cairn_aside *asides);
};

/* Whether a context of the source tells its exception level. */
static inline bool cairn_tells_EL(const struct cairn_config *config, unsigned EL)
{
    return !config->untold.EL || EL != 0;
}

/* On an element for a resolver: the Commit of one P0 element that it implies was left out. */
#define CAIRN_ELEMENT_COMMITS (1u << 15)

/* Leaves out implied Commits and marks their P0 elements CAIRN_ELEMENT_COMMITS instead: half the
 * elements of a trace without speculation, for a resolver to read and nobody else. */
void cairn_elements_shorten(struct cairn_elements *elements);

#endif
