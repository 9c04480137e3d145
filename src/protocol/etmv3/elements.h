/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets -> elements -> resolved elements of ETMv3. */
#ifndef CAIRN_PROTOCOL_ETMV3_ELEMENTS_H
#define CAIRN_PROTOCOL_ETMV3_ELEMENTS_H

#include "protocol/etmv3/etmv3.h"

/* Out-of-order data that has not come yet, by tag 1 to 3 (IHI0014 7.4.3). Two placeholders with one
 * tag are open only where they came one directly behind the other: both halves of a 64-bit value.
 */
#define CAIRN_ETMV3_TAGS 4u
#define CAIRN_ETMV3_OPEN 2u

struct cairn_etmv3_tag {
    uint8_t count;
    uint64_t offset[CAIRN_ETMV3_OPEN]; /* of the placeholders' packets, the oldest first */
};

struct cairn_etmv3_tags {
    struct cairn_etmv3_tag tag[CAIRN_ETMV3_TAGS];
    uint8_t last; /* the tag of the last packet if that was a placeholder, else 0 */
    uint8_t late; /* the same of a late value; */
    bool late_known;
    uint64_t late_offset; /* that of its placeholder, if there is one */
};

/* data.c: a packet of this kind comes. What the one before says of it holds only if they are next
 * to one another; Ignore has no effect (7.8.2). */
void cairn_etmv3_part(struct cairn_etmv3_tags *tags, unsigned kind);
/* The content of the DATA element of a packet at `offset`, and its flags. */
unsigned cairn_etmv3_data(struct cairn_etmv3_tags *tags, unsigned kind, uint64_t offset,
                          const struct cairn_packet_fields *fields,
                          struct cairn_element_data *data);

/* elements.c: cairn_elements_... */
struct cairn_etmv3_elements;
CAIRN_MUST_CHECK cairn_status cairn_etmv3_elements_new(struct cairn_config *config,
                                                       struct cairn_etmv3_elements **elements);
void cairn_etmv3_elements_free(struct cairn_etmv3_elements *elements);
CAIRN_MUST_CHECK cairn_status cairn_etmv3_elements_run(struct cairn_etmv3_elements *elements,
                                                       const struct cairn_packet_batch *in,
                                                       size_t *position,
                                                       struct cairn_element_batch *out);

/* Whether P-headers and branch packets without exception mean the same as anywhere, and this
 * context is the one that was told last. */
bool cairn_etmv3_elements_stand(const struct cairn_etmv3_elements *elements,
                                const struct cairn_context *context);
/* What else the elements that come depend on. */
struct cairn_etmv3_elements_spot {
    uint64_t went_on; /* offset of an I-sync whose cycles may still come, 0: none, */
    bool count_is_due;
};
/* False: there is more, out-of-order data that has not come. */
bool cairn_etmv3_elements_spot(const struct cairn_etmv3_elements *elements,
                               struct cairn_etmv3_elements_spot *spot);
/* They stand there, in this context; or, without one, where nothing is known. */
void cairn_etmv3_elements_begin(struct cairn_etmv3_elements *elements,
                                const struct cairn_context *context,
                                const struct cairn_etmv3_elements_spot *spot);
/* To be moved on, if data packets are taken without them. */
struct cairn_etmv3_tags *cairn_etmv3_elements_tags(struct cairn_etmv3_elements *elements);
/* Such packets were taken without them, the last one no data packet, or a P-header is next. */
void cairn_etmv3_elements_skip(struct cairn_etmv3_elements *elements);

/* resolve.c: cairn_resolver_... */
struct cairn_etmv3_resolver;
CAIRN_MUST_CHECK cairn_status cairn_etmv3_resolver_new(struct cairn_config *config,
                                                       struct cairn_etmv3_resolver **resolver);
void cairn_etmv3_resolver_free(struct cairn_etmv3_resolver *resolver);
CAIRN_MUST_CHECK cairn_status cairn_etmv3_resolver_run(struct cairn_etmv3_resolver *resolver,
                                                       const struct cairn_element_batch *in,
                                                       size_t *position,
                                                       struct cairn_element_batch *out);
CAIRN_MUST_CHECK cairn_status cairn_etmv3_resolver_finish(struct cairn_etmv3_resolver *resolver,
                                                          struct cairn_element_batch *out);
/* What waits is certain: the next packet has an Atom. W's that come last wait on. */
void cairn_etmv3_resolver_settle(struct cairn_etmv3_resolver *resolver);
/* Then takes these out, if there are any, */
uint64_t cairn_etmv3_resolver_release(struct cairn_etmv3_resolver *resolver, uint64_t *offset);
/* and puts in some, where none are. */
void cairn_etmv3_resolver_hold(struct cairn_etmv3_resolver *resolver, uint64_t offset,
                               uint64_t waits);
/* Forgets what waits. */
void cairn_etmv3_resolver_empty(struct cairn_etmv3_resolver *resolver);

#endif
