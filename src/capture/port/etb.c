/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/port/etb.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/letters.h"
#include "capture/port/view.h"
#include "capture/trace_unit.h"

#define WORD 4u /* bytes of the file */
#define WIDTH_DEFAULT 24u
#define WIDTH_MAX 32u
#define STATUS_FULL 1u
/* A cycle in a word, from its low bits on: PIPESTAT[2:0], TRACEPKT, and the signal that has the place of TRACESYNC
 * on every port, which of ETMv2 is PIPESTAT[3] (Table 8-2). */
#define STATUS_BITS 3u
#define STATUS_LOW 0x7u
#define TOP_STATUS 3u
#define WORDS_AT_ONCE 256u

struct etb_view {
    struct cairn_buffer_view call; /* first, so that it leads here */
    enum cairn_port_kind kind;
    unsigned pins, cycles; /* of a word */
};

/* --- registers --- */

static bool find(const struct cairn_register *registers, size_t count, const char *name,
                 uint64_t *value)
{
    const struct cairn_register *found = cairn_register_find(registers, count, name);

    if (found)
        *value = found->value;
    return found != NULL;
}

struct cairn_etb cairn_etb_of(const struct cairn_register *registers, size_t count)
{
    struct cairn_etb etb = {.width = WIDTH_DEFAULT};
    uint64_t status = 0;

    etb.has_status = find(registers, count, "ETB_STS", &status);
    etb.full = status & STATUS_FULL;
    etb.has_pointer = find(registers, count, "ETB_RWP", &etb.pointer);
    const bool has_depth = find(registers, count, "ETB_RDP", &etb.depth);
    const bool has_width = find(registers, count, "ETB_WIDTH", &etb.width);
    etb.is_given = etb.has_status || etb.has_pointer || has_depth || has_width;
    return etb;
}

/* --- cycles --- */

/* What of the buffer a word of the file is. */
static uint64_t bytes_of_word(const struct cairn_buffer *buffer)
{
    const struct etb_view *view = (const struct etb_view *)buffer->view;

    return view ? view->cycles * (uint64_t)CAIRN_SAMPLE_BYTES : WORD;
}

static uint64_t cycle_of(const struct etb_view *view, uint32_t word, unsigned index)
{
    const uint32_t bits = word >> (index * (STATUS_BITS + view->pins + 1));
    const uint64_t packet = bits >> STATUS_BITS & ((UINT32_C(1) << view->pins) - 1);
    const uint64_t top = bits >> (STATUS_BITS + view->pins) & 1;

    return (bits & STATUS_LOW) | packet << CAIRN_PORT_PACKET |
           top << (view->kind == CAIRN_PORT_V1 ? CAIRN_PORT_SYNC : TOP_STATUS);
}

static int64_t read_etb(const struct cairn_buffer_view *call, int fd, void *bytes, size_t size,
                        uint64_t offset)
{
    const struct etb_view *view = (const struct etb_view *)call;
    uint8_t words[WORDS_AT_ONCE * WORD], sample[CAIRN_SAMPLE_BYTES];
    uint8_t *to = bytes;
    size_t done = 0;

    while (done < size) {
        const uint64_t first = (offset + done) / CAIRN_SAMPLE_BYTES;
        const int64_t got = cairn_input_read(fd, words, sizeof words, first / view->cycles * WORD);
        if (got < 0)
            return -1;
        const size_t cycles = (size_t)got / WORD * view->cycles;
        size_t within = (size_t)((offset + done) % CAIRN_SAMPLE_BYTES);
        if (!cycles)
            break;
        for (size_t i = (size_t)(first % view->cycles); i < cycles && done < size; i++) {
            const uint32_t word = cairn_load_le32(words + i / view->cycles * WORD);
            const uint64_t cycle = cycle_of(view, word, (unsigned)(i % view->cycles));
            cairn_sample_store(sample, cairn_port_sample(view->kind, cycle));
            while (within < CAIRN_SAMPLE_BYTES && done < size)
                to[done++] = sample[within++];
            within = 0;
        }
    }
    return (int64_t)done;
}

cairn_status cairn_etb_view(struct cairn_capture *capture, const char *what,
                            const struct cairn_etb *etb, enum cairn_port_kind kind, unsigned pins,
                            uint64_t size, const struct cairn_buffer_view **view, uint64_t *bytes,
                            struct cairn_error *error)
{
    const unsigned width = STATUS_BITS + pins + 1;
    struct etb_view *made;

    if (etb->width < width || etb->width > WIDTH_MAX)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: ETB_WIDTH is %llu bits, but a cycle of a port of %u pins has %u, and words "
            "of the dump have 32; give the width of the RAM, or of the port (ETMCR bits "
            "6:4), as it is",
            what, (unsigned long long)etb->width, pins, width);
    made = cairn_arena_alloc(&capture->arena, sizeof *made);
    if (!made)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to open it", what);
    *made = (struct etb_view){
        .call.read = read_etb, .kind = kind, .pins = pins, .cycles = (unsigned)etb->width / width};
    *view = &made->call;
    *bytes = size / WORD * made->cycles * CAIRN_SAMPLE_BYTES;
    return CAIRN_OK;
}

/* --- the order of words --- */

static cairn_status bad_order(const char *what, struct cairn_error *error, const char *why)
{
    return cairn_fail(error, CAIRN_E_CONFIG, "%s: %s", what, why);
}

/* Another source of this buffer has said it before, or start=: then it must be the same. */
static cairn_status check_told(const char *what, const struct cairn_buffer *buffer,
                               const struct cairn_span order[2], struct cairn_error *error)
{
    const size_t count = order[1].length ? 2 : 1;
    bool same = buffer->order_count == count;

    for (size_t i = 0; same && i < count; i++)
        same = buffer->order[i].offset == order[i].offset &&
               buffer->order[i].length == order[i].length;
    if (same)
        return CAIRN_OK;
    return bad_order(
        what, error,
        "ETB_RWP tells where the words of the trace are, and start=, or another source of the "
        "buffer, says otherwise; leave one of them out");
}

cairn_status cairn_etb_order(struct cairn_capture *capture, const char *what,
                             const struct cairn_etb *etb, struct cairn_buffer *buffer,
                             struct cairn_error *error)
{
    const uint64_t word = bytes_of_word(buffer);
    const uint64_t words = buffer->info.bytes / word;
    const uint64_t depth = etb->depth ? etb->depth : words;
    const bool framed = buffer->info.format != CAIRN_FORMAT_SOURCE_DATA;

    if (!etb->has_pointer && !etb->depth) { /* the words are in their order already */
        if (buffer->view)
            cairn_port_say_trigger(capture, buffer);
        return CAIRN_OK;
    }
    if (etb->has_pointer && !etb->has_status)
        return bad_order(
            what, error,
            "ETB_RWP is given without ETB_STS, whose bit 0 (Full) says whether the words "
            "behind it are older ones or were never written; give both");
    if (depth > words)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: ETB_RDP says that the RAM has %llu words, but the dump has %llu: dump all "
            "of it",
            what, (unsigned long long)depth, (unsigned long long)words);
    if (etb->pointer > depth || (etb->full && etb->pointer == depth))
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: ETB_RWP is 0x%llx, but there are %llu words; it counts words, not bytes", what,
            (unsigned long long)etb->pointer, (unsigned long long)depth);
    if (framed && (etb->pointer % (CAIRN_FRAME_SIZE / WORD) || depth % (CAIRN_FRAME_SIZE / WORD)))
        return bad_order(
            what, error,
            "frames have 4 words, but ETB_RWP or the number of words is no multiple of "
            "4: stop the formatter (FFCR) before its RAM is read");
    const bool wrapped = !etb->has_pointer || etb->full;
    const uint64_t first = wrapped ? depth - etb->pointer : etb->pointer;
    const struct cairn_span order[] = {
        {.offset = wrapped ? etb->pointer * word : 0, .length = first * word},
        {.offset = 0, .length = wrapped ? etb->pointer * word : 0},
    };
    if (buffer->order_count)
        return check_told(what, buffer, order, error);
    buffer->layout.skip = 0;
    buffer->outside = buffer->info.bytes - depth * word;
    buffer->unwritten = wrapped ? 0 : (depth - etb->pointer) * word;
    cairn_capture_say(capture, CAIRN_NOTE,
                      "%s: of %llu word%s in the trace buffer %s, the oldest at word 0x%llx.", what,
                      (unsigned long long)depth, cairn_plural(depth),
                      wrapped ? "all were written" : "those in front of ETB_RWP were written",
                      (unsigned long long)(wrapped ? etb->pointer : 0));
    const cairn_status status =
        cairn_buffer_set_order(capture, buffer, order, order[1].length ? 2 : 1);
    if (!status && buffer->view)
        cairn_port_say_trigger(capture, buffer);
    return status;
}
