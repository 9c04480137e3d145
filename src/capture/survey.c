/* SPDX-License-Identifier: BSD-2-Clause */
/* A whole buffer read once: which trace IDs it carries, and an account of every byte. */
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/letters.h"
#include "base/sizes.h"
#include "capture/model.h"
#include "capture/trace_unit.h"

#define WINDOW ((size_t)1 << 20)

struct progress {
    int (*call)(void *context, uint64_t done, uint64_t total);
    void *context;
};

static cairn_status read_all(const struct cairn_buffer *buffer, int fd, struct cairn_frames *frames,
                             const struct progress *progress, struct cairn_error *error)
{
    const struct cairn_buffer_info *info = &buffer->info;
    uint8_t *window = malloc(WINDOW);
    if (!window)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to read it", info->path);
    cairn_status status = CAIRN_OK;
    uint64_t done = 0;
    const uint64_t end = info->bytes - buffer->unwritten - buffer->outside;
    while (done < end && status == CAIRN_OK) {
        uint64_t left;
        const uint64_t at = cairn_buffer_place(buffer, done, &left);
        const int64_t got =
            cairn_buffer_read(buffer, fd, window, left < WINDOW ? (size_t)left : WINDOW, at);
        if (got <= 0) {
            status =
                cairn_fail(error, CAIRN_E_IO,
                           "%s: cannot be read at offset %llu of %llu; has it been changed "
                           "since it was opened?",
                           info->path, (unsigned long long)at, (unsigned long long)info->bytes);
            break;
        }
        cairn_frames_run(frames, window, (size_t)got, NULL);
        done += (uint64_t)got;
        if (progress->call && progress->call(progress->context, done, end))
            status = cairn_fail(error, CAIRN_E_LIMIT, "%s: stopped at offset %llu", info->path,
                                (unsigned long long)done);
    }
    free(window);
    cairn_frames_finish(frames);
    return status;
}

static bool has_source(const struct cairn_capture *capture, size_t buffer, unsigned id)
{
    for (size_t i = 0; i < capture->source_count; i++) {
        if (capture->sources[i].buffer == buffer && capture->sources[i].trace_id == (int)id)
            return true;
    }
    return false;
}

static cairn_status add_unknown(struct cairn_capture *capture, size_t buffer, unsigned id,
                                uint64_t bytes)
{
    const char *name = cairn_arena_format(&capture->arena, "id-0x%02x", id);
    const struct cairn_source_info source = {.name = name,
                                             .protocol = CAIRN_PROTOCOL_UNKNOWN,
                                             .arch = cairn_arch_any_a(),
                                             .trace_id = (int)id,
                                             .buffer = buffer};
    if (!name || cairn_capture_add_source(capture, &source) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    cairn_capture_say_as(
        capture, "CAIRN-UNCONFIGURED-ID", CAIRN_WARNING,
        "Trace ID 0x%02x has %llu byte%s in buffer %s, but no trace unit is configured "
        "for it. It belongs to the device whose TRCTRACEIDR or ETMTRACEIDR (STM: "
        "STMTCSR[22:16], ITM: ITMTCR[22:16]) is 0x%02x: describe that device with "
        "its registers.",
        id, (unsigned long long)bytes, cairn_plural(bytes), capture->buffers[buffer].info.name, id);
    return CAIRN_OK;
}

/* What the frames themselves tell: the layout may be another than the capture says. */
static void say_layout(struct cairn_capture *capture, const struct cairn_buffer_info *info,
                       const struct cairn_frames *frames)
{
    const struct cairn_buffer_account *account = &frames->account;
    if (frames->stray)
        cairn_capture_say_as(
            capture, "CAIRN-WRONG-FRAMES", CAIRN_WARNING,
            "%s: %llu frames begin with an FSYNC (FF FF FF 7F), which frames in memory "
            "never do: this looks like a trace port's stream; use format "
            "dstream_coresight.",
            info->name, (unsigned long long)frames->stray);
    if (frames->cut)
        cairn_capture_say_as(capture, "CAIRN-FRAME-CUT", CAIRN_WARNING,
                             "%s: %llu frames are cut short by an FSYNC: the trace port lost bytes "
                             "there (check its clock, width and timing).",
                             info->name, (unsigned long long)frames->cut);
    if (account->truncated && !frames->cut && info->format == CAIRN_FORMAT_CORESIGHT)
        cairn_capture_say_as(
            capture, "CAIRN-FRAME-CUT", CAIRN_NOTE,
            "%s: the last %llu bytes are no whole frame of 16 and are left out; the "
            "file was cut, or it has no frames (format source_data).",
            info->name, (unsigned long long)account->truncated);
}

static cairn_status survey_frames(struct cairn_capture *capture, size_t index,
                                  struct cairn_buffer_account *account,
                                  const struct progress *progress, struct cairn_error *error)
{
    struct cairn_buffer *buffer = &capture->buffers[index];
    uint64_t size;
    int fd;
    cairn_status status = cairn_buffer_open(buffer, &fd, &size, error);
    if (status)
        return status;
    struct cairn_frames frames;
    cairn_frames_init(&frames, buffer->layout);
    status = read_all(buffer, fd, &frames, progress, error);
    cairn_input_close(fd);
    if (status != CAIRN_OK)
        return status;
    for (unsigned id = 0; id < CAIRN_FRAME_ID_COUNT; id++) {
        if (!frames.account.data[id] || has_source(capture, index, id))
            continue;
        if (add_unknown(capture, index, id, frames.account.data[id]) != CAIRN_OK)
            return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory for its sources",
                              buffer->info.name);
    }
    if (!buffer->surveyed)
        say_layout(capture, &buffer->info, &frames);
    buffer->surveyed = true;
    *account = frames.account;
    return CAIRN_OK;
}

cairn_status cairn_capture_survey(struct cairn_capture *capture, size_t buffer,
                                  struct cairn_buffer_account *account,
                                  int (*progress)(void *context, uint64_t done, uint64_t total),
                                  void *context, struct cairn_error *error)
{
    if (account && account->size == 0)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "a buffer account must begin with its size");
    if (buffer >= capture->buffer_count)
        return cairn_fail(error, CAIRN_E_NOT_FOUND,
                          "buffer %zu does not exist; the capture has %zu (count from 0)", buffer,
                          capture->buffer_count);
    const struct cairn_buffer *surveyed = &capture->buffers[buffer];
    const struct cairn_buffer_info *info = &surveyed->info;
    struct cairn_buffer_account found = {.size = sizeof found};
    if (info->format == CAIRN_FORMAT_SOURCE_DATA || info->bytes == 0) {
        found.data[0] = info->bytes - surveyed->unwritten - surveyed->outside;
    } else {
        const struct progress given = {.call = progress, .context = context};
        const cairn_status status = survey_frames(capture, buffer, &found, &given, error);
        if (status != CAIRN_OK)
            return status;
    }
    found.unwritten = surveyed->unwritten;
    found.outside = surveyed->outside;
    return account ? cairn_info_write(account, &found, sizeof found) : CAIRN_OK;
}
