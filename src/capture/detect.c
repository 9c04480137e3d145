/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/detect.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/model.h"
#include "protocol/about.h"

#define SYNC_END 0x80
#define MOST_IDS 40  /* more at once is noise, not a system on chip */
#define MANY_IDS 8   /* more than most systems have */
#define CUT_WEIGHT 4 /* a frame cut by FSYNC speaks louder than a reserved ID */
#define PART ((size_t)16 << 10)
#define PART_RUNS (PART / 2)
/* What is no frames meets a reserved ID (one of 16) in a few dozen bytes. */
#define CLEAN_STEP ((size_t)1 << 10)
#define CLEAN_ENOUGH ((size_t)4 << 10)
#define START_SAMPLE ((size_t)128 << 10)
#define CLEARLY 4      /* how many times less must speak against another start */
#define FEW 3          /* less may be an accident */
#define NOISE_SHARE 16 /* a reserved ID in every such number of frames is no accident */

struct sync_counter {
    size_t zeros;
    size_t found;
    size_t exact; /* of these, with as many zeros as a protocol has */
};

/* Bit n: some protocol's alignment synchronisation has n zeros. */
static uint64_t sync_lengths(void)
{
    const struct cairn_about *about;
    uint64_t lengths = 0;
    for (size_t i = 0; (about = cairn_about_at(i)); i++)
        lengths |= about->sync_zeros ? UINT64_C(1) << about->sync_zeros : 0;
    return lengths;
}

static void count_syncs(struct sync_counter *counter, const uint8_t *bytes, size_t size)
{
    const uint64_t lengths = sync_lengths();
    const uint64_t least = lengths & (~lengths + 1);
    for (size_t i = 0; i < size; i++) {
        const uint64_t zeros = counter->zeros < 64 ? UINT64_C(1) << counter->zeros : 0;
        const bool sync = bytes[i] == SYNC_END && (counter->zeros >= 64 || zeros >= least);
        counter->found += sync;
        counter->exact += sync && (zeros & lengths);
        counter->zeros = bytes[i] == 0 ? counter->zeros + 1 : 0;
    }
}

static struct cairn_frames take_apart(struct cairn_frame_layout layout, const uint8_t *sample,
                                      size_t size)
{
    struct cairn_frames frames;
    cairn_frames_init(&frames, layout);
    cairn_frames_run(&frames, sample, size, NULL);
    return frames;
}

static uint64_t badness(const struct cairn_frames *frames)
{
    return frames->cut * CUT_WEIGHT + frames->reserved;
}

struct cairn_frame_layout cairn_port_layout(const uint8_t *sample, size_t size)
{
    const struct cairn_frame_layout plain = {.port = true, .hunt = true};
    const struct cairn_frame_layout blocks = {.port = true, .hunt = true, .blocks = true};
    const struct cairn_frames as_plain = take_apart(plain, sample, size);
    const struct cairn_frames as_blocks = take_apart(blocks, sample, size);
    return badness(&as_blocks) < badness(&as_plain) ? blocks : plain;
}

/* Adds the synchronisations in the data of one ID. */
static void syncs_of_id(struct cairn_frame_layout layout, uint8_t id, const uint8_t *sample,
                        size_t size, uint8_t *bytes, struct cairn_run *runs,
                        struct sync_counter *sum)
{
    struct cairn_frames frames;
    cairn_frames_init(&frames, layout);
    struct cairn_frames_out out = {
        .id = id, .bytes = bytes, .byte_capacity = PART, .runs = runs, .run_capacity = PART_RUNS};
    struct sync_counter counter = {0};
    while (size) {
        const size_t taken = cairn_frames_run(&frames, sample, size, &out);
        sample += taken;
        size -= taken;
        count_syncs(&counter, bytes, out.byte_count);
        out.byte_count = 0;
        out.run_count = 0;
    }
    sum->found += counter.found;
    sum->exact += counter.exact;
}

static unsigned ids_of(const struct cairn_frames *frames, uint64_t *data)
{
    unsigned count = 0;
    *data = 0;
    for (unsigned id = 0; id < CAIRN_FRAME_ID_COUNT; id++) {
        count += frames->account.data[id] != 0;
        *data += frames->account.data[id];
    }
    return count;
}

static bool plausible(const struct cairn_frames *frames, struct cairn_format_guess *guess)
{
    uint64_t data;
    guess->id_count = ids_of(frames, &data);
    guess->reserved = frames->reserved;
    return guess->id_count && guess->id_count <= MOST_IDS && !frames->reserved && !frames->cut &&
           frames->account.no_id + frames->account.unaligned <= data;
}

static struct sync_counter frame_syncs(struct cairn_frame_layout layout,
                                       const struct cairn_frames *frames, const uint8_t *sample,
                                       size_t size)
{
    uint8_t *bytes = malloc(PART);
    struct cairn_run *runs = malloc(PART_RUNS * sizeof *runs);
    struct sync_counter sum = {0};
    for (unsigned id = 0; id < CAIRN_FRAME_ID_COUNT && bytes && runs; id++) {
        if (frames->account.data[id])
            syncs_of_id(layout, (uint8_t)id, sample, size, bytes, runs, &sum);
    }
    free(bytes);
    free(runs);
    return sum;
}

/* As many bytes from the start as have no reserved ID, when they are enough to tell; else all. A
 * memory that the trace did not fill holds anything behind it. */
static size_t clean_size(struct cairn_frame_layout layout, const uint8_t *sample, size_t size)
{
    struct cairn_frames frames;
    size_t clean = 0;
    cairn_frames_init(&frames, layout);
    while (clean < size) {
        const size_t part = size - clean < CLEAN_STEP ? size - clean : CLEAN_STEP;
        cairn_frames_run(&frames, sample + clean, part, NULL);
        if (frames.reserved)
            break;
        clean += part;
    }
    return clean >= CLEAN_ENOUGH ? clean : size;
}

static bool is_framed(struct cairn_frame_layout layout, const uint8_t *sample, size_t size,
                      uint64_t file_size, struct cairn_format_guess *guess)
{
    const struct cairn_frames frames = take_apart(layout, sample, size);
    guess->layout = layout;
    if (!plausible(&frames, guess))
        return false;
    guess->frame_syncs = frame_syncs(layout, &frames, sample, size).found;
    if (guess->frame_syncs < guess->plain_syncs)
        return false;
    /* short trace without frames has few reserved IDs, but as many others as no system has */
    if (!layout.port && guess->id_count > MANY_IDS && guess->plain_syncs &&
        guess->frame_syncs == guess->plain_syncs)
        return false;
    /* without any synchronisation to go by, a file of frames at least consists of frames */
    return guess->frame_syncs || layout.port || file_size % CAIRN_FRAME_SIZE == 0;
}

/* Frames from the first byte on, whatever follows them. */
static bool is_framed_first(const uint8_t *sample, size_t size, uint64_t file_size,
                            struct cairn_format_guess *guess)
{
    const struct cairn_frame_layout memory = {0};
    const size_t clean = clean_size(memory, sample, size);
    if (clean == size)
        return is_framed(memory, sample, size, file_size, guess);
    struct sync_counter plain = {0};
    count_syncs(&plain, sample, clean);
    guess->plain_syncs = plain.found;
    return is_framed(memory, sample, clean, file_size, guess) && guess->frame_syncs;
}

/* What speaks for frames that begin at one byte. */
struct start {
    bool possible;
    unsigned ids;
    uint64_t reserved;
    struct sync_counter syncs;
};

static struct start try_start(uint8_t skip, const uint8_t *sample, size_t size)
{
    const struct cairn_frame_layout layout = {.skip = skip};
    const struct cairn_frames frames = take_apart(layout, sample, size);
    struct start start = {.reserved = frames.reserved};
    uint64_t data;
    const unsigned ids = ids_of(&frames, &data);
    start.ids = ids;
    start.possible = ids && ids <= MOST_IDS && frames.account.no_id <= data;
    if (start.possible)
        start.syncs = frame_syncs(layout, &frames, sample, size);
    return start;
}

static size_t inexact(const struct start *start)
{
    return start->syncs.found - start->syncs.exact;
}

/* Data before a synchronisation that ends in a zero spoils some at the right start, too. */
static bool has_clearly_more(const struct start *one, const struct start *other)
{
    return one->syncs.exact >= CLEARLY + FEW &&
           one->syncs.exact - other->syncs.exact >= one->syncs.exact / CLEARLY &&
           inexact(one) * CLEARLY <= one->syncs.exact;
}

/* A microcontroller's two or three sources give few reserved IDs at a wrong start, and many others:
 * their data, mostly zeros and text, is taken for IDs. */
static bool has_clearly_fewer_ids(const struct start *one, const struct start *other)
{
    return other->ids > MANY_IDS && one->ids * CLEARLY <= other->ids && one->reserved == 0;
}

/* A start an odd number of bytes off takes data for IDs, and reserved ones turn up. One that is an
 * even number off finds the IDs, but takes auxiliary bytes for data and data for auxiliary bytes:
 * then synchronisations have a zero too many or too few. */
uint8_t cairn_frame_start(const uint8_t *sample, size_t size, uint64_t *reserved)
{
    const size_t enough = size < START_SAMPLE ? size : START_SAMPLE;
    const struct start first = try_start(0, sample, enough);
    struct start best = {.possible = false};
    uint8_t at = 0;
    bool tie = false;
    *reserved = take_apart((struct cairn_frame_layout){0}, sample, size).reserved;
    const bool fine =
        first.reserved < FEW && first.possible && !inexact(&first) && first.ids <= MANY_IDS;
    if (fine && size % CAIRN_FRAME_SIZE == 0)
        return 0;
    for (uint8_t skip = 1; skip < CAIRN_FRAME_SIZE; skip++) {
        const struct start start = try_start(skip, sample, enough);
        if (!start.possible || start.reserved * CLEARLY > first.reserved ||
            start.syncs.exact < best.syncs.exact)
            continue;
        tie = start.syncs.exact == best.syncs.exact;
        best = start;
        at = skip;
    }
    if (tie || best.syncs.exact < FEW || best.syncs.exact <= first.syncs.exact)
        return 0;
    if (fine) /* but for the few synchronisations, and that the frames are not whole */
        return best.reserved == 0 && best.syncs.exact >= first.syncs.exact * CLEARLY + FEW ? at : 0;
    return first.reserved >= FEW || has_clearly_more(&best, &first) ||
                   has_clearly_fewer_ids(&best, &first)
               ? at
               : 0;
}

struct cairn_format_guess cairn_format_detect(const uint8_t *sample, size_t size,
                                              uint64_t file_size)
{
    struct cairn_format_guess guess = {.format = CAIRN_FORMAT_SOURCE_DATA};
    struct sync_counter plain = {0};
    count_syncs(&plain, sample, size);
    guess.plain_syncs = plain.found;
    if (is_framed_first(sample, size, file_size, &guess)) {
        guess.format = CAIRN_FORMAT_CORESIGHT;
        return guess;
    }
    guess.plain_syncs = plain.found;
    struct cairn_format_guess port = guess;
    if (is_framed(cairn_port_layout(sample, size), sample, size, file_size, &port)) {
        port.format = CAIRN_FORMAT_DSTREAM_CORESIGHT;
        return port;
    }
    /* a file that was cut in a frame; 15 more tries want better evidence */
    uint64_t reserved;
    const struct cairn_frame_layout later = {.skip = cairn_frame_start(sample, size, &reserved)};
    const struct cairn_frames frames = take_apart(later, sample, size);
    struct cairn_format_guess cut = {
        .format = CAIRN_FORMAT_CORESIGHT, .layout = later, .plain_syncs = plain.found};
    if (later.skip && plausible(&frames, &cut)) {
        const struct sync_counter syncs = frame_syncs(later, &frames, sample, size);
        cut.frame_syncs = syncs.found;
        if (syncs.exact > plain.exact)
            return cut;
    }
    guess.layout = (struct cairn_frame_layout){0};
    return guess;
}

cairn_status cairn_first_fsync(const char *path, uint64_t *offset, uint64_t *size,
                               struct cairn_error *error)
{
    int fd;
    const cairn_status opened = cairn_input_open(path, &fd, size, error);
    if (opened)
        return opened;
    uint8_t *window = malloc(PART);
    struct cairn_frames frames;
    cairn_frames_init(&frames, (struct cairn_frame_layout){.port = true, .hunt = true});
    *offset = *size;
    for (uint64_t at = 0; window && at < *size && *offset == *size;) {
        const int64_t got = cairn_input_read(fd, window, PART, at);
        if (got <= 0)
            break;
        cairn_frames_run(&frames, window, (size_t)got, NULL);
        if (frames.account.sync)
            *offset = frames.account.unaligned;
        at += (uint64_t)got;
    }
    free(window);
    close(fd);
    return window ? CAIRN_OK : CAIRN_E_MEMORY;
}

static void say_guess(struct cairn_capture *capture, const struct cairn_buffer_info *info,
                      const struct cairn_format_guess *guess)
{
    if (guess->format == CAIRN_FORMAT_SOURCE_DATA)
        cairn_capture_say_as(
            capture, "CAIRN-FORMAT-GUESSED", CAIRN_NOTE,
            "%s: no format was given; read as one source without frames (%zu alignment "
            "synchronisation%s in its first bytes). If it has CoreSight frames, give "
            "format coresight or dstream_coresight.",
            info->name, guess->plain_syncs, guess->plain_syncs == 1 ? "" : "s");
    else
        cairn_capture_say_as(
            capture, "CAIRN-FORMAT-GUESSED", CAIRN_NOTE,
            "%s: no format was given; read as CoreSight frames (format %s: %u trace "
            "IDs, no reserved one, %zu alignment synchronisations inside against %zu "
            "outside of frames). If it has none, give format source_data.",
            info->name, cairn_format_name(guess->format), guess->id_count, guess->frame_syncs,
            guess->plain_syncs);
}

static void inspect_port(struct cairn_capture *capture, struct cairn_buffer *buffer,
                         const uint8_t *sample, size_t size)
{
    uint64_t offset, file_size;
    buffer->layout = cairn_port_layout(sample, size);
    if (buffer->view || cairn_first_fsync(buffer->info.path, &offset, &file_size, NULL) != CAIRN_OK)
        return;
    if (offset == file_size) {
        buffer->layout.hunt = false;
        cairn_capture_say_as(
            capture, "CAIRN-WRONG-FRAMES", CAIRN_WARNING,
            "%s: a trace port's stream without any FSYNC (FF FF FF 7F); its first "
            "frame is taken to begin at its first byte. If it comes from memory (ETB, "
            "ETR), use format coresight.",
            buffer->info.name);
    } else if (buffer->layout.blocks) {
        cairn_capture_say(capture, CAIRN_NOTE,
                          "%s: the frames fit together when the last 8 bytes of each 512 are left "
                          "out, as DSTREAM writes them; they are.",
                          buffer->info.name);
    }
}

static void inspect_memory(struct cairn_capture *capture, struct cairn_buffer *buffer,
                           const uint8_t *sample, size_t size)
{
    uint64_t reserved;
    buffer->layout.skip = cairn_frame_start(sample, size, &reserved);
    if (buffer->layout.skip)
        cairn_capture_say_as(capture, "CAIRN-FRAME-START", CAIRN_WARNING,
                             "%s: its frames fit together only from byte %u on: the start was cut "
                             "off. The bytes before are left out.",
                             buffer->info.name, (unsigned)buffer->layout.skip);
    else if (reserved * NOISE_SHARE > size / CAIRN_FRAME_SIZE)
        cairn_capture_say_as(
            capture, "CAIRN-WRONG-FRAMES", CAIRN_WARNING,
            "%s: has %llu reserved trace IDs in its first %zu bytes, as what is no "
            "CoreSight frames has. If it holds one source without frames, use format "
            "source_data; if it comes from a trace port, dstream_coresight.",
            buffer->info.name, (unsigned long long)reserved, size);
}

void cairn_buffer_inspect(struct cairn_capture *capture, struct cairn_buffer *buffer)
{
    struct cairn_buffer_info *info = &buffer->info;
    if (info->bytes && info->format != CAIRN_FORMAT_SOURCE_DATA) {
        struct cairn_error error;
        uint64_t size;
        uint64_t left;
        const uint64_t first = cairn_buffer_place(buffer, 0, &left);
        int fd;
        const bool opened = cairn_buffer_open(buffer, &fd, &size, &error) == CAIRN_OK;
        uint8_t *sample = malloc(CAIRN_DETECT_SAMPLE);
        const int64_t got =
            opened && sample
                ? cairn_buffer_read(buffer, fd, sample,
                                    left < CAIRN_DETECT_SAMPLE ? (size_t)left : CAIRN_DETECT_SAMPLE,
                                    first)
                : -1;
        cairn_input_close(fd);
        if (got < 0) {
            cairn_capture_say_as(capture, "CAIRN-MISSING-FILE", CAIRN_PROBLEM,
                                 "%s: the buffer's file %s cannot be read, so it counts as empty.",
                                 info->name, info->path);
            info->bytes = 0;
        } else if (info->format == CAIRN_FORMAT_AUTO) {
            const struct cairn_format_guess guess =
                cairn_format_detect(sample, (size_t)got, info->bytes);
            info->format = guess.format;
            say_guess(capture, info, &guess);
        }
        if (got >= 0 && info->format == CAIRN_FORMAT_DSTREAM_CORESIGHT)
            inspect_port(capture, buffer, sample, (size_t)got);
        if (got >= 0 && info->format == CAIRN_FORMAT_CORESIGHT)
            inspect_memory(capture, buffer, sample, (size_t)got);
        free(sample);
    }
    if (info->format == CAIRN_FORMAT_AUTO)
        info->format = CAIRN_FORMAT_SOURCE_DATA; /* empty: it makes no difference */
    if (info->format == CAIRN_FORMAT_DSTREAM_CORESIGHT)
        buffer->layout.port = true;
}
