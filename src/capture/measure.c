/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/measure.h"

#include <pthread.h>
#include <stdlib.h>

#include "capture/model.h"

#define WINDOW ((size_t)256 << 10) /* read at once */
#define PLACES 256u /* kept of a buffer at most: every other one goes when it is full */

struct measure {
    struct measure *next;
    size_t index; /* of the buffer */
    bool ended;   /* all of it is counted */
    uint64_t pitch;
    size_t count;
    struct cairn_measure_place now; /* how far it is counted */
    struct cairn_measure_place places[PLACES];
};

struct cairn_measures {
    pthread_mutex_t mutex;
    struct measure *list;
};

struct cairn_measures *cairn_measures_new(void)
{
    struct cairn_measures *made = calloc(1, sizeof *made);

    if (made && pthread_mutex_init(&made->mutex, NULL)) {
        free(made);
        return NULL;
    }
    return made;
}

void cairn_measures_free(struct cairn_measures *measures)
{
    if (!measures)
        return;
    while (measures->list) {
        struct measure *first = measures->list;
        measures->list = first->next;
        free(first);
    }
    pthread_mutex_destroy(&measures->mutex);
    free(measures);
}

static struct measure *measure_of(struct cairn_measures *measures, size_t index,
                                  const struct cairn_buffer *buffer)
{
    struct measure *found = measures->list;

    while (found && found->index != index)
        found = found->next;
    if (found)
        return found;
    found = calloc(1, sizeof *found);
    if (!found)
        return NULL;
    found->index = index;
    found->pitch = WINDOW;
    cairn_frames_init(&found->now.frames, buffer->layout);
    found->places[found->count++] = found->now;
    found->next = measures->list;
    measures->list = found;
    return found;
}

static void keep_place(struct measure *measure)
{
    if (measure->now.taken < measure->places[measure->count - 1].taken + measure->pitch)
        return;
    if (measure->count == PLACES) {
        for (size_t i = 1; i < PLACES / 2; i++)
            measure->places[i] = measure->places[2 * i];
        measure->count = PLACES / 2;
        measure->pitch *= 2;
        if (measure->now.taken < measure->places[measure->count - 1].taken + measure->pitch)
            return;
    }
    measure->places[measure->count++] = measure->now;
}

/* Counts until byte `offset` of the ID is behind, or all is. */
static cairn_status count(struct measure *measure, const struct cairn_buffer *buffer, int fd,
                          unsigned id, uint64_t offset, const struct cairn_measure_watch *watch)
{
    const uint64_t total = buffer->info.bytes;
    uint8_t *window = malloc(WINDOW);
    cairn_status status = window ? CAIRN_OK : CAIRN_E_MEMORY;

    while (!status && !measure->ended && measure->now.frames.account.data[id] <= offset) {
        uint64_t left;
        const uint64_t at = cairn_buffer_place(buffer, measure->now.taken, &left);
        const size_t want = left < WINDOW ? (size_t)left : WINDOW;
        const int64_t got = want ? cairn_buffer_read(buffer, fd, window, want, at) : 0;

        if (got < 0 || (want && got == 0)) {
            status = CAIRN_E_IO;
        } else if (watch->call && watch->call(watch->context, measure->now.taken, total)) {
            status = CAIRN_E_LIMIT;
        } else {
            keep_place(measure);
            (void)cairn_frames_run(&measure->now.frames, window, (size_t)got, NULL);
            measure->now.taken += (uint64_t)got;
            measure->ended = got == 0;
        }
    }
    free(window);
    return status;
}

static cairn_status measure_to(struct measure *measure, const struct cairn_buffer *buffer,
                               unsigned id, uint64_t offset,
                               const struct cairn_measure_watch *watch)
{
    uint64_t size;
    int fd;

    if (measure->ended || measure->now.frames.account.data[id] > offset)
        return CAIRN_OK;
    cairn_status status = cairn_buffer_open(buffer, &fd, &size, NULL);
    if (status)
        return status;
    status = count(measure, buffer, fd, id, offset, watch);
    cairn_input_close(fd);
    return status;
}

cairn_status cairn_measure_find(struct cairn_measures *measures, size_t index,
                                const struct cairn_buffer *buffer, unsigned id, uint64_t offset,
                                const struct cairn_measure_watch *watch,
                                struct cairn_measure_place *place)
{
    pthread_mutex_lock(&measures->mutex);
    struct measure *measure = measure_of(measures, index, buffer);
    cairn_status status = measure ? measure_to(measure, buffer, id, offset, watch) : CAIRN_E_MEMORY;
    if (!status) {
        size_t i = measure->count;
        /* of places with the same count the first: between two of them something may be told of the byte */
        while (i > 1 && measure->places[i - 1].frames.account.data[id] >= offset)
            i--;
        *place = measure->places[i - 1];
    }
    pthread_mutex_unlock(&measures->mutex);
    return status;
}

cairn_status cairn_measure_size(struct cairn_measures *measures, size_t index,
                                const struct cairn_buffer *buffer, unsigned id,
                                const struct cairn_measure_watch *watch, uint64_t *size)
{
    pthread_mutex_lock(&measures->mutex);
    struct measure *measure = measure_of(measures, index, buffer);
    cairn_status status =
        measure ? measure_to(measure, buffer, id, UINT64_MAX, watch) : CAIRN_E_MEMORY;
    if (!status)
        *size = measure->now.frames.account.data[id];
    pthread_mutex_unlock(&measures->mutex);
    return status;
}
