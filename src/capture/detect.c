/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/detect.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/model.h"

#define SYNC_ZEROS 5 /* ITM, ETMv3, PTM: at least 5 zero bytes, then 80; ETMv4, ETE: 11 */
#define SYNC_END 0x80
#define MOST_IDS 40  /* more at once is noise, not a system on chip */
#define CUT_WEIGHT 4 /* a frame cut by FSYNC speaks louder than a reserved ID */
#define PART ((size_t)16 << 10)
#define PART_RUNS (PART / 2)

struct sync_counter {
    size_t zeros;
    size_t found;
};

static void count_syncs(struct sync_counter *counter, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        counter->found += bytes[i] == SYNC_END && counter->zeros >= SYNC_ZEROS;
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

/* Synchronisations in the data of one ID. */
static size_t syncs_of_id(struct cairn_frame_layout layout, uint8_t id, const uint8_t *sample,
                          size_t size, uint8_t *bytes, struct cairn_run *runs)
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
    return counter.found;
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

static size_t frame_syncs(struct cairn_frame_layout layout, const struct cairn_frames *frames,
                          const uint8_t *sample, size_t size)
{
    uint8_t *bytes = malloc(PART);
    struct cairn_run *runs = malloc(PART_RUNS * sizeof *runs);
    size_t found = 0;
    for (unsigned id = 0; id < CAIRN_FRAME_ID_COUNT && bytes && runs; id++) {
        if (frames->account.data[id])
            found += syncs_of_id(layout, (uint8_t)id, sample, size, bytes, runs);
    }
    free(bytes);
    free(runs);
    return found;
}

static bool is_framed(struct cairn_frame_layout layout, const uint8_t *sample, size_t size,
                      uint64_t file_size, struct cairn_format_guess *guess)
{
    const struct cairn_frames frames = take_apart(layout, sample, size);
    guess->layout = layout;
    if (!plausible(&frames, guess))
        return false;
    guess->frame_syncs = frame_syncs(layout, &frames, sample, size);
    if (guess->frame_syncs < guess->plain_syncs)
        return false;
    /* without any synchronisation to go by, a file of frames at least consists of frames */
    return guess->frame_syncs || layout.port || file_size % CAIRN_FRAME_SIZE == 0;
}

struct cairn_format_guess cairn_format_detect(const uint8_t *sample, size_t size,
                                              uint64_t file_size)
{
    struct cairn_format_guess guess = {.format = CAIRN_FORMAT_SOURCE_DATA};
    struct sync_counter plain = {0};
    count_syncs(&plain, sample, size);
    guess.plain_syncs = plain.found;
    if (is_framed((struct cairn_frame_layout){0}, sample, size, file_size, &guess)) {
        guess.format = CAIRN_FORMAT_CORESIGHT;
        return guess;
    }
    struct cairn_format_guess port = guess;
    if (is_framed(cairn_port_layout(sample, size), sample, size, file_size, &port)) {
        port.format = CAIRN_FORMAT_DSTREAM_CORESIGHT;
        return port;
    }
    guess.layout = (struct cairn_frame_layout){0};
    return guess;
}

cairn_status cairn_first_fsync(const char *path, uint64_t *offset, uint64_t *size,
                               struct cairn_error *error)
{
    const int fd = cairn_input_open(path, size, error);
    if (fd < 0)
        return CAIRN_E_IO;
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
        cairn_capture_say(
            capture, CAIRN_NOTE,
            "%s: no format was given; read as one source without frames (%zu alignment "
            "synchronisations in its first bytes). If it has CoreSight frames, give "
            "format coresight or dstream_coresight.",
            info->name, guess->plain_syncs);
    else
        cairn_capture_say(capture, CAIRN_NOTE,
                          "%s: no format was given; read as CoreSight frames (format %s: %u trace "
                          "IDs, no reserved one, %zu alignment synchronisations inside against %zu "
                          "outside of frames). If it has none, give format source_data.",
                          info->name, cairn_format_name(guess->format), guess->id_count,
                          guess->frame_syncs, guess->plain_syncs);
}

static void inspect_port(struct cairn_capture *capture, struct cairn_buffer *buffer,
                         const uint8_t *sample, size_t size)
{
    uint64_t offset, file_size;
    buffer->layout = cairn_port_layout(sample, size);
    if (cairn_first_fsync(buffer->info.path, &offset, &file_size, NULL) != CAIRN_OK)
        return;
    if (offset == file_size) {
        buffer->layout.hunt = false;
        cairn_capture_say(
            capture, CAIRN_WARNING,
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

void cairn_buffer_inspect(struct cairn_capture *capture, struct cairn_buffer *buffer)
{
    struct cairn_buffer_info *info = &buffer->info;
    if (info->bytes && info->format != CAIRN_FORMAT_SOURCE_DATA &&
        info->format != CAIRN_FORMAT_CORESIGHT) {
        struct cairn_error error;
        uint64_t size;
        const int fd = cairn_input_open(info->path, &size, &error);
        uint8_t *sample = malloc(CAIRN_DETECT_SAMPLE);
        const int64_t got =
            fd >= 0 && sample ? cairn_input_read(fd, sample, CAIRN_DETECT_SAMPLE, 0) : -1;
        if (fd >= 0)
            close(fd);
        if (got < 0) {
            cairn_capture_say(capture, CAIRN_PROBLEM,
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
        free(sample);
    }
    if (info->format == CAIRN_FORMAT_AUTO)
        info->format = CAIRN_FORMAT_SOURCE_DATA; /* empty: it makes no difference */
    if (info->format == CAIRN_FORMAT_DSTREAM_CORESIGHT)
        buffer->layout.port = true;
}
