/* SPDX-License-Identifier: BSD-2-Clause */
/* A dump of the trace memory -> which of its bytes come when.
 *
 * The trace memory is a ring of 2^(MASK + 4) bytes, naturally aligned; POINTER is an offset from
 * BASE, of which the low bits go round and the others stay. So its low bits are the place in the
 * ring whatever BASE is, and of a dump of the ring alone nothing else needs to be known. A larger
 * dump begins at BASE, or at DUMP, if that is given; where BASE reads as 0 because it is not
 * implemented (LPC800), POINTER is an address itself. */
#include <inttypes.h>

#include "base/error.h"
#include "protocol/mtb/mtb.h"

/* The parts of the dump in the order of the trace. */
struct order {
    struct cairn_span *spans;
    size_t count;
};

static void add(struct order *order, uint64_t offset, uint64_t length)
{
    if (length)
        order->spans[order->count++] = (struct cairn_span){.offset = offset, .length = length};
}

static cairn_status too_short(const struct cairn_mtb_config *mtb, uint64_t size,
                              struct cairn_error *error)
{
    if (mtb->wrapped)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "the dump has %" PRIu64 " bytes, but MASTER.MASK says that the buffer has "
            "%" PRIu64 ", all of them written (POSITION.WRAP): dump the whole buffer, "
            "or check MASTER",
            size, mtb->ring);
    return cairn_fail(error, CAIRN_E_CONFIG,
                      "the dump has %" PRIu64 " bytes, but POSITION says that %" PRIu64
                      " are written: dump at least those, or check POSITION",
                      size, cairn_mtb_written(mtb));
}

/* Where the ring begins in a dump that is larger. */
static cairn_status find_ring(const struct cairn_mtb_config *mtb, uint64_t size, uint64_t *start,
                              struct cairn_error *error)
{
    const uint32_t from_base = mtb->pointer & (uint32_t) ~(mtb->ring - 1);
    *start = mtb->has_dump ? (uint32_t)(mtb->base + from_base - mtb->dump) : from_base;
    if (*start <= size && mtb->ring <= size - *start)
        return CAIRN_OK;
    if (mtb->has_dump)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "BASE 0x%08" PRIx32 " and POSITION put the buffer of %" PRIu64 " bytes at "
            "0x%08" PRIx32 ", but the dump has the %" PRIu64 " bytes from DUMP 0x%08" PRIx32
            " on: check these values, or dump the buffer alone",
            mtb->base, mtb->ring, (uint32_t)(mtb->base + from_base), size, mtb->dump);
    return cairn_fail(
        error, CAIRN_E_CONFIG,
        "the dump has %" PRIu64 " bytes, which is more than the buffer's %" PRIu64
        " (MASTER.MASK), and the buffer, 0x%" PRIx32 " behind BASE by POSITION, is not "
        "in it: give the address of the dump's first byte as DUMP, or dump the buffer "
        "alone",
        size, mtb->ring, from_base);
}

cairn_status cairn_mtb_spans(const struct cairn_config *config, uint64_t size,
                             struct cairn_span spans[CAIRN_SPANS_MAX], size_t *count,
                             struct cairn_error *error)
{
    const struct cairn_mtb_config *mtb = cairn_mtb_of(config);
    struct order order = {.spans = spans};
    uint64_t start = 0;
    uint64_t end = mtb->ring; /* of the ring in the dump */
    if (!mtb->has_position) {
        add(&order, 0, size);
        *count = order.count;
        return CAIRN_OK;
    }
    if (size < mtb->ring) {
        if (mtb->wrapped || size < cairn_mtb_written(mtb))
            return too_short(mtb, size, error);
        end = size;
    } else if (size > mtb->ring) {
        const cairn_status status = find_ring(mtb, size, &start, error);
        if (status != CAIRN_OK)
            return status;
        end = start + mtb->ring;
    }
    const uint64_t next = start + (mtb->pointer & (mtb->ring - 1));
    if (mtb->wrapped) {
        add(&order, next, end - next);
        add(&order, start, next - start);
    } else {
        add(&order, start, next - start);
        add(&order, next, end - next);
    }
    add(&order, 0, start);
    add(&order, end, size - end);
    *count = order.count;
    return CAIRN_OK;
}
