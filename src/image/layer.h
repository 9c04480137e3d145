/* SPDX-License-Identifier: BSD-2-Clause */
/* One layer of an image, and the rules of scopes: what matches, and what is more specific. */
#ifndef CAIRN_IMAGE_LAYER_H
#define CAIRN_IMAGE_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/image.h>

#include "image/file.h"
#include "image/live_pages.h"

#define CAIRN_EL_ANY 0x0f
#define CAIRN_SECURITY_ANY 0x0f

/* Which of two layers that cover an address is seen: their scopes decide, unless one stands above
 * them or below. */
enum cairn_precedence {
    CAIRN_BY_SCOPE = 0,
    CAIRN_PREVAILS = 1, /* over all that do not prevail as well */
    CAIRN_YIELDS = 2,   /* to all that do not yield as well */
};

struct cairn_layer {
    char *name;   /* owned */
    char *origin; /* owned: what a capture calls it ("[dump1] of cpu_0"), or NULL */
    uint64_t address;
    uint64_t size;                  /* never 0; address + size <= 2^64 */
    const uint8_t *bytes;           /* NULL: they are in `pages` */
    uint8_t *copy;                  /* owned bytes, or NULL */
    struct cairn_live_pages *pages; /* owned, or NULL */
    struct cairn_file *file;        /* the image's, or NULL */
    uint64_t bias;  /* of an ELF file's layer: address here minus address in the file */
    uint64_t place; /* of bytes that counts kept: cairn_layer_place as it was */
    bool is_elf;
    bool executable; /* of an ELF file's layer: the segment is */
    enum cairn_order order;
    enum cairn_precedence precedence;
    struct cairn_scope scope;
};

/* The name of a layer without bytes where either of two files was, and nothing tells which. */
#define CAIRN_LAYER_ONE_OF_TWO "(one of two files)"

/* What cairn_space sees of an image. */
struct cairn_layers {
    struct cairn_layer *list;
    size_t count;
    size_t elf_count; /* of these, segments of ELF files */
};
const struct cairn_layers *cairn_image_layers(const struct cairn_image *image);

/* What the layers from `first` on are in the order of all. Before anybody looks at the image. */
void cairn_image_set_precedence(struct cairn_image *image, size_t first,
                                enum cairn_precedence precedence);

/* Where the layers from `first` on come from, for messages. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_image_set_origin(struct cairn_image *image, size_t first,
                                                     const char *origin);

/* Leaves the first `count` layers: for trials. No space of the image may be in use. */
void cairn_image_drop_layers(struct cairn_image *image, size_t count);

void cairn_layer_clear(struct cairn_layer *layer);

/* What tells a layer's bytes from those of other layers at its addresses: where they are in their file, less their
 * address. 0 where there is no file. */
uint64_t cairn_layer_place(const struct cairn_layer *layer);
/* Of the last layer, which has no file. */
void cairn_image_set_place(struct cairn_image *image, uint64_t place);

/* NULL, or why no place can ever match this scope. */
const char *cairn_scope_problem(const struct cairn_scope *scope);

/* How many of the six conditions (source, EL, security, VMID, context id, epoch) match all. */
unsigned cairn_scope_wildcards(const struct cairn_scope *scope);

/* Whether a place matches in everything but the epoch. */
bool cairn_scope_matches(const struct cairn_scope *scope, const struct cairn_place *place);

/* The last source offset of the scope's epoch, included; UINT64_MAX when it has no end. */
uint64_t cairn_scope_epoch_last(const struct cairn_scope *scope);

/* An order in which scopes that are the same but for the epoch are equal, those with any context id
 * come first, and the others ascend by context id. */
int cairn_scope_compare(const struct cairn_scope *left, const struct cairn_scope *right);

/* Which of two layers that cover an address is seen: the one with the lower rank. */
uint64_t cairn_layer_rank(const struct cairn_layer *layer, size_t index);

#endif
