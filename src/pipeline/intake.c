/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/intake.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_FIRST ((size_t)64 << 10)

/* Series known of bytes before the current piece, and those that one piece may add. */
#define SERIES_KEPT ((size_t)1 << 16)
#define SERIES_OF_PIECE ((size_t)1 << 18)

/* Runs of source bytes that are also contiguous in the file, all of one length and evenly spaced
 * there: what formatter frames of one source are. */
struct series {
    uint64_t offset;
    uint64_t file_offset;
    uint64_t length; /* of each run */
    uint64_t pitch;  /* from run to run in the file */
    uint64_t count;
};

struct cairn_intake {
    struct cairn_reader *reader;
    struct cairn_intake_watch watch;
    uint64_t done;  /* what of the file was told last */
    uint64_t until; /* the source ends there */
    bool stopped;
    size_t piece_max;
    size_t piece_target; /* of the next piece */
    uint8_t *buffer;     /* pieces of more than one chunk are put together here */
    size_t capacity;
    cairn_status broken; /* why the reader gave no more */
    bool waiting;        /* a chunk was read that trace was lost in front of: */
    struct cairn_chunk chunk;

    struct series *series;  /* a ring */
    size_t series_capacity; /* a power of two */
    uint64_t series_count;  /* ever added */

    size_t piece_size;
    uint64_t file_from; /* what of the file the piece was read from, about */
    uint64_t file_to;
};

cairn_status cairn_intake_new(const struct cairn_capture *capture, size_t source, size_t piece_max,
                              const struct cairn_intake_watch *watch, struct cairn_intake **intake,
                              struct cairn_error *error)
{
    struct cairn_intake *made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    made->watch = *watch;
    made->until = UINT64_MAX;
    made->piece_max = piece_max;
    made->piece_target = piece_max < PIECE_FIRST ? piece_max : PIECE_FIRST;
    made->series_capacity = SERIES_KEPT;
    made->series = calloc(made->series_capacity, sizeof *made->series);
    cairn_status status = made->series ? CAIRN_OK : CAIRN_E_MEMORY;
    if (!status)
        status = cairn_reader_new(capture, source, &made->reader, error);
    if (status) {
        cairn_intake_free(made);
        return status;
    }
    *intake = made;
    return CAIRN_OK;
}

void cairn_intake_free(struct cairn_intake *intake)
{
    if (!intake)
        return;
    cairn_reader_free(intake->reader);
    free(intake->series);
    free(intake->buffer);
    free(intake);
}

static struct series *series_at(const struct cairn_intake *intake, uint64_t number)
{
    return &intake->series[number & (intake->series_capacity - 1)];
}

/* True when the run goes on with the last series. */
static bool extends(struct series *last, const struct cairn_run *run)
{
    if (last->offset + last->count * last->length != run->offset)
        return false;
    if (last->count == 1 && last->file_offset + last->length == run->file_offset) {
        last->length += run->length;
        return true;
    }
    if (last->length != run->length || run->file_offset <= last->file_offset)
        return false;
    if (last->count == 1)
        last->pitch = run->file_offset - last->file_offset;
    if (last->file_offset + last->count * last->pitch != run->file_offset)
        return false;
    last->count++;
    return true;
}

/* Makes room for the series of one chunk more. */
static cairn_status reserve_series(struct cairn_intake *intake, size_t wanted)
{
    size_t capacity = intake->series_capacity;

    while (capacity < wanted)
        capacity *= 2;
    if (capacity == intake->series_capacity)
        return CAIRN_OK;
    struct series *grown = calloc(capacity, sizeof *grown);
    if (!grown)
        return CAIRN_E_MEMORY;
    uint64_t first = intake->series_count > intake->series_capacity
                         ? intake->series_count - intake->series_capacity
                         : 0;
    for (uint64_t i = first; i < intake->series_count; i++)
        grown[i & (capacity - 1)] = *series_at(intake, i);
    free(intake->series);
    intake->series = grown;
    intake->series_capacity = capacity;
    return CAIRN_OK;
}

/* `piece_first`: how many series there were before the piece. */
static cairn_status add_runs(struct cairn_intake *intake, const struct cairn_chunk *chunk,
                             uint64_t piece_first)
{
    size_t of_piece = (size_t)(intake->series_count - piece_first);
    cairn_status status = reserve_series(intake, SERIES_KEPT + of_piece + chunk->run_count);

    if (status)
        return status;
    for (size_t i = 0; i < chunk->run_count; i++) {
        const struct cairn_run *run = &chunk->runs[i];
        if (!run->length)
            continue;
        if (intake->series_count && extends(series_at(intake, intake->series_count - 1), run))
            continue;
        *series_at(intake, intake->series_count++) = (struct series){
            .offset = run->offset,
            .file_offset = run->file_offset,
            .length = run->length,
            .count = 1,
        };
    }
    return CAIRN_OK;
}

static cairn_status append(struct cairn_intake *intake, const struct cairn_chunk *chunk, size_t at)
{
    if (at + chunk->size > intake->capacity) {
        size_t capacity = intake->capacity ? intake->capacity : PIECE_FIRST;
        while (capacity < at + chunk->size)
            capacity *= 2;
        uint8_t *grown = realloc(intake->buffer, capacity);
        if (!grown)
            return CAIRN_E_MEMORY;
        intake->buffer = grown;
        intake->capacity = capacity;
    }
    memcpy(intake->buffer + at, chunk->data, chunk->size);
    return CAIRN_OK;
}

cairn_status cairn_intake_seek(struct cairn_intake *intake, uint64_t offset)
{
    intake->waiting = false;
    return cairn_reader_seek(intake->reader, offset);
}

void cairn_intake_until(struct cairn_intake *intake, uint64_t offset)
{
    intake->until = offset;
}

/* Leaves of a chunk what is before the end. */
static void cut_chunk(const struct cairn_intake *intake, struct cairn_chunk *chunk)
{
    if (chunk->offset >= intake->until)
        chunk->size = 0;
    else if (intake->until - chunk->offset < chunk->size)
        chunk->size = (size_t)(intake->until - chunk->offset);
}

/* The next chunk, which may have been read already. */
static cairn_status read_chunk(struct cairn_intake *intake, struct cairn_chunk *chunk, bool *lost)
{
    cairn_status status = CAIRN_OK;

    *lost = intake->waiting;
    if (intake->waiting) {
        *chunk = intake->chunk;
    } else {
        status = cairn_reader_next(intake->reader, chunk);
        /* what is lost where this intake ends, another one tells that begins there */
        *lost = !status && cairn_reader_lost(intake->reader) && chunk->offset < intake->until;
        if (!status)
            cut_chunk(intake, chunk);
    }
    intake->waiting = false;
    return status;
}

/* What was read before something broke is handed over first. */
static cairn_status gather(struct cairn_intake *intake, struct cairn_piece *piece)
{
    const uint64_t piece_first = intake->series_count;
    struct cairn_chunk chunk;
    size_t size = 0;

    piece->lost = false;
    do {
        bool lost;
        cairn_status status = read_chunk(intake, &chunk, &lost);
        if (!status && !size)
            piece->offset = chunk.offset;
        if (lost && size) { /* it begins a piece of its own */
            intake->chunk = chunk;
            intake->waiting = true;
            break;
        }
        piece->lost |= lost;
        if (!status && !chunk.size)
            break;
        if (!status)
            status = add_runs(intake, &chunk, piece_first);
        if (!status && !size && chunk.size >= intake->piece_target) {
            piece->data = chunk.data;
            piece->size = chunk.size;
            return CAIRN_OK;
        }
        if (!status)
            status = append(intake, &chunk, size);
        if (status) {
            intake->broken = status;
            break;
        }
        size += chunk.size;
    } while (size < intake->piece_target && cairn_intake_goes_on(intake) &&
             intake->series_count - piece_first < SERIES_OF_PIECE);
    piece->data = intake->buffer;
    piece->size = size;
    return size ? CAIRN_OK : intake->broken;
}

cairn_status cairn_intake_next(struct cairn_intake *intake, struct cairn_piece *piece)
{
    if (intake->broken)
        return intake->broken;
    intake->file_from = cairn_reader_file_position(intake->reader);
    cairn_status status = gather(intake, piece);
    if (status)
        return status;
    intake->file_to = cairn_reader_file_position(intake->reader);
    intake->piece_size = piece->size;
    intake->piece_target =
        intake->piece_target < intake->piece_max / 2 ? intake->piece_target * 2 : intake->piece_max;
    return CAIRN_OK;
}

void cairn_intake_progress(struct cairn_intake *intake, size_t used)
{
    double part = intake->piece_size ? (double)used / (double)intake->piece_size : 1.0;
    double span = (double)(intake->file_to - intake->file_from);
    intake->done = intake->file_from + (uint64_t)(part * span);
    (void)cairn_intake_goes_on(intake);
}

bool cairn_intake_goes_on(struct cairn_intake *intake)
{
    if (!intake->stopped && intake->watch.progress)
        intake->stopped = intake->watch.progress(intake->watch.context, intake->done) != 0;
    return !intake->stopped;
}

uint64_t cairn_intake_file_offset(const struct cairn_intake *intake, uint64_t offset)
{
    uint64_t count = intake->series_count;
    uint64_t first = count > intake->series_capacity ? count - intake->series_capacity : 0;
    uint64_t low = first;
    uint64_t high = count;

    while (low < high) { /* the first series that begins behind the offset */
        uint64_t middle = low + (high - low) / 2;
        if (series_at(intake, middle)->offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == first)
        return UINT64_MAX;
    const struct series *series = series_at(intake, low - 1);
    uint64_t within = offset - series->offset;
    if (within / series->length >= series->count)
        return UINT64_MAX;
    return series->file_offset + within / series->length * series->pitch + within % series->length;
}
