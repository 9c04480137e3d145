/* SPDX-License-Identifier: BSD-2-Clause */
/* The side of a recording that the recording process sees; finish.c is the other. */
#include "machine/recording.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sizes.h"
#include "capture/snapshot/write.h"
#include "machine/folder.h"
#include "machine/journal.h"
#include "machine/keeper.h"
#include "machine/mapped.h"
#include "machine/pages.h"
#include "machine/store.h"

#define CTL_BYTES                                                                                  \
    (sizeof(struct cairn_journal_head) + CAIRN_JOURNAL_SOURCES * sizeof(struct cairn_journal_row))
#define ROWS_AT_ONCE 64u
#define RECORD_MOST 65536u /* bytes of code in one record */

struct cairn_recorded_source {
    struct cairn_recording *recording;
    struct cairn_recorded_source *next;
    struct cairn_journal_row *row;
    struct cairn_store store;
    struct cairn_store explained; /* path NULL: there are none */
    uint64_t explained_count;
    uint32_t index;
    uint64_t epoch, position; /* of its last switch */
};

struct cairn_recording {
    struct cairn_journal_head *head; /* all of CTL_BYTES mapped, of which the file has rows_ready */
    char *folder;
    struct cairn_keeper *keeper;
    int lock_error;       /* errno, of the making */
    int locked;           /* descriptor, of the keeper's if there is one; or -1 */
    pthread_mutex_t lock; /* of all below */
    size_t rows_ready;
    struct cairn_store code;
    struct cairn_pages pages; /* what is in memory now */
    struct cairn_mapped_list mapped;
    struct cairn_recorded_source *sources;
    _Atomic uint64_t epoch;
    _Atomic bool abandoned;
};

static cairn_status stop(struct cairn_recording *recording, int number)
{
    uint32_t running = 0;
    atomic_compare_exchange_strong(&recording->head->control.stopped, &running, (uint32_t)number);
    return number == ENOMEM ? CAIRN_E_MEMORY : CAIRN_E_IO;
}

static bool is_stopped(const struct cairn_recording *recording)
{
    return atomic_load_explicit(&recording->abandoned, memory_order_relaxed) ||
           atomic_load_explicit(&recording->head->control.stopped, memory_order_relaxed);
}

/* ---- making and ending ---- */

/* Makes the file have rows for `count` sources. Returns 0 or an errno value. */
static int make_rows(struct cairn_recording *recording, size_t count)
{
    if (count <= recording->rows_ready)
        return 0;
    const size_t rows = (count + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE * ROWS_AT_ONCE;
    char *path = cairn_journal_path(recording->folder, CAIRN_JOURNAL_CTL, "");
    if (!path)
        return ENOMEM;
    const size_t bytes =
        sizeof(struct cairn_journal_head) + rows * sizeof(struct cairn_journal_row);
    const int number = cairn_store_reserve(recording->keeper, path, bytes);
    free(path);
    if (!number)
        recording->rows_ready = rows;
    return number;
}

static void copy_text(char *to, size_t capacity, const char *from)
{
    const size_t length = from ? strnlen(from, capacity - 1) : 0;
    if (length)
        memcpy(to, from, length);
    to[length] = 0;
}

static void lock_task(void *context)
{
    struct cairn_recording *recording = context;
    int number;
    recording->locked = cairn_folder_lock(recording->folder, true, &number);
    recording->lock_error = number;
}

/* In the keeper's thread if there is one: the system closes what a thread had open some time behind
 * its end, and the next recording may be asked for before. */
static void unlock_task(void *context)
{
    struct cairn_recording *recording = context;
    if (recording->locked >= 0)
        close(recording->locked);
    recording->locked = -1;
}

static int map_control(struct cairn_recording *recording, uint8_t **mapped)
{
    char *path = cairn_journal_path(recording->folder, CAIRN_JOURNAL_CTL, "");
    const int number = path ? cairn_store_map(recording->keeper, path,
                                              sizeof(struct cairn_journal_head), CTL_BYTES, mapped)
                            : ENOMEM;
    free(path);
    return number;
}

static int make_files(struct cairn_recording *recording,
                      const struct cairn_recording_options *options)
{
    uint8_t *mapped = NULL;
    /* first what another process would fail to make */
    cairn_keeper_run(recording->keeper, lock_task, recording);
    int number = recording->lock_error;
    char *path = number ? NULL : cairn_journal_path(recording->folder, CAIRN_JOURNAL_CODE, "");
    if (!number)
        number = path ? cairn_store_make(&recording->code, recording->keeper, path) : ENOMEM;
    if (!number)
        number = map_control(recording, &mapped);
    if (number)
        return number;
    struct cairn_journal_head *head = (struct cairn_journal_head *)(void *)mapped;
    recording->head = head;
    head->protocol = (uint32_t)options->protocol;
    head->row_size = sizeof(struct cairn_journal_row);
    copy_text(head->core, sizeof head->core, options->core);
    copy_text(head->note, sizeof head->note, options->note);
    head->control.version = CAIRN_JOURNAL_VERSION;
    head->control.magic = CAIRN_JOURNAL_MAGIC;
    return 0;
}

cairn_status cairn_recording_new(const char *folder, const struct cairn_recording_options *options,
                                 struct cairn_recording **recording, struct cairn_error *error)
{
    struct cairn_recording_options given = {0};
    if (!folder || !recording || !options ||
        cairn_options_read(&given, sizeof given, options) != CAIRN_OK)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "a recording needs a folder, and options that begin with their size");
    if (!cairn_snapshot_takes(given.protocol))
        return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                          "%s: a recording is of ETE, ETMv4, ETMv3, ETMv2, ETMv1, PTM or MTB trace "
                          "units",
                          folder);
    struct cairn_recording *made = calloc(1, sizeof *made);
    if (!made)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to record", folder);
    pthread_mutex_init(&made->lock, NULL);
    made->locked = -1;
    made->keeper = given.apart ? cairn_keeper_new() : NULL;
    cairn_status status = cairn_folder_prepare(folder, given.overwrite, &made->folder, error);
    const int number = status == CAIRN_OK ? make_files(made, &given) : 0;
    if (number) {
        char reason[128];
        status = cairn_fail(error, number == ENOMEM ? CAIRN_E_MEMORY : CAIRN_E_IO,
                            "%s: the recording's files cannot be made: %s", folder,
                            strerror_r(number, reason, sizeof reason));
    }
    if (status != CAIRN_OK) {
        cairn_recording_free(made);
        return status;
    }
    *recording = made;
    return CAIRN_OK;
}

void cairn_recording_free(struct cairn_recording *recording)
{
    if (!recording)
        return;
    for (struct cairn_recorded_source *source = recording->sources, *next; source; source = next) {
        next = source->next;
        cairn_store_free(&source->store);
        cairn_store_free(&source->explained);
        free(source);
    }
    cairn_store_free(&recording->code);
    cairn_pages_clear(&recording->pages);
    cairn_mapped_clear(&recording->mapped);
    if (recording->head)
        munmap(recording->head, CTL_BYTES);
    cairn_keeper_run(recording->keeper, unlock_task, recording);
    cairn_keeper_free(recording->keeper);
    pthread_mutex_destroy(&recording->lock);
    free(recording->folder);
    free(recording);
}

struct cairn_recording_control *cairn_recording_control(struct cairn_recording *recording)
{
    return &recording->head->control;
}

/* The mappings stay where they are, as memory of the child's own: counters that a feed still
 * updates go nowhere. The lock is not taken: a thread that held it at the fork is not here. */
void cairn_recording_abandon(struct cairn_recording *recording)
{
    if (!recording)
        return;
    atomic_store(&recording->abandoned, true);
    /* The keeper is the parent's, and what it has open. Of our own the child has a copy. */
    if (recording->locked >= 0 && !recording->keeper)
        close(recording->locked);
    recording->locked = -1;
    recording->keeper = NULL;
    for (struct cairn_recorded_source *source = recording->sources; source; source = source->next) {
        cairn_store_detach(&source->store);
        cairn_store_detach(&source->explained);
    }
    cairn_store_detach(&recording->code);
    if (mmap(recording->head, CTL_BYTES, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        return; /* the mapping that was there is gone then only if memory is */
    recording->head->row_size = sizeof(struct cairn_journal_row);
}

/* ---- records; all under the lock ---- */

static cairn_status append(struct cairn_recording *recording, struct cairn_journal_record record,
                           const void *payload)
{
    static const uint8_t padding[8];
    const uint64_t before = recording->code.used;
    const size_t behind = (8 - record.size % 8) % 8;
    int number = cairn_store_append(&recording->code, &record, sizeof record);
    if (!number && record.size)
        number = cairn_store_append(&recording->code, payload, record.size);
    if (!number && behind)
        number = cairn_store_append(&recording->code, padding, behind);
    if (number) {
        recording->code.used = before;
        return stop(recording, number);
    }
    atomic_store_explicit(&recording->head->control.code_bytes, recording->code.used,
                          memory_order_release);
    return CAIRN_OK;
}

/* ---- sources ---- */

static bool has_source(const struct cairn_recording *recording, const char *name)
{
    for (const struct cairn_recorded_source *one = recording->sources; one; one = one->next) {
        if (!strcasecmp(one->row->name, name))
            return true;
    }
    return false;
}

static cairn_status add_source(struct cairn_recording *recording, const char *name,
                               struct cairn_recorded_source *source, struct cairn_error *error)
{
    char reason[128];
    const uint64_t index = atomic_load(&recording->head->control.sources);
    if (has_source(recording, name))
        return cairn_fail(error, CAIRN_E_ARGUMENT, "%s: the recording has a source of this name",
                          name);
    if (index >= CAIRN_JOURNAL_SOURCES)
        return cairn_fail(error, CAIRN_E_LIMIT,
                          "%s: a recording has at most %u sources; the rest is not recorded", name,
                          CAIRN_JOURNAL_SOURCES);
    char *path = cairn_journal_path(recording->folder, name, ".bin");
    int number = make_rows(recording, (size_t)index + 1);
    if (number)
        free(path);
    else
        number = path ? cairn_store_make(&source->store, recording->keeper, path) : ENOMEM;
    if (number)
        return cairn_fail(error, stop(recording, number), "%s: its trace file cannot be made: %s",
                          name, strerror_r(number, reason, sizeof reason));
    source->recording = recording;
    source->index = (uint32_t)index;
    source->row = &recording->head->rows[index];
    copy_text(source->row->name, sizeof source->row->name, name);
    source->epoch = atomic_load(&recording->epoch);
    atomic_store_explicit(&recording->head->control.sources, index + 1, memory_order_release);
    if (source->epoch == 0)
        return CAIRN_OK;
    return append(recording,
                  (struct cairn_journal_record){.kind = CAIRN_JOURNAL_SWITCHED,
                                                .value = source->epoch,
                                                .source = source->index},
                  NULL);
}

cairn_status cairn_recorded_source_new(struct cairn_recording *recording, const char *name,
                                       struct cairn_recorded_source **source,
                                       struct cairn_error *error)
{
    if (!recording || !name || !source || !cairn_journal_name_ok(name, CAIRN_JOURNAL_NAME))
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "a source's name has at most %u letters, digits and \"_-.\", and is "
                          "neither snapshot, trace, memory, recording nor core_...",
                          CAIRN_JOURNAL_NAME - 1);
    if (is_stopped(recording))
        return cairn_fail(error, CAIRN_E_IO, "%s: the recording has stopped", name);
    struct cairn_recorded_source *made = calloc(1, sizeof *made);
    if (!made)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to record it", name);
    pthread_mutex_lock(&recording->lock);
    const cairn_status status = add_source(recording, name, made, error);
    if (made->row) {
        made->next = recording->sources;
        recording->sources = made;
    }
    pthread_mutex_unlock(&recording->lock);
    if (status == CAIRN_OK) {
        *source = made;
    } else if (!made->row) {
        cairn_store_free(&made->store);
        free(made);
    }
    return status;
}

cairn_status cairn_recorded_source_describe(struct cairn_recorded_source *source,
                                            const struct cairn_unit *unit)
{
    struct cairn_recording *recording = source->recording;
    struct cairn_journal_register *list = calloc(CAIRN_JOURNAL_REGISTERS, sizeof *list);
    struct cairn_register one;
    size_t count = 0;
    if (!list)
        return CAIRN_E_MEMORY;
    while (count < CAIRN_JOURNAL_REGISTERS && cairn_unit_register(unit, count, &one) == CAIRN_OK) {
        copy_text(list[count].name, sizeof list[count].name, one.name);
        list[count++].value = one.value;
    }
    cairn_status status = CAIRN_E_IO;
    pthread_mutex_lock(&recording->lock);
    if (!is_stopped(recording))
        status = append(recording,
                        (struct cairn_journal_record){.kind = CAIRN_JOURNAL_REGISTERED,
                                                      .size = (uint32_t)(count * sizeof *list),
                                                      .source = source->index},
                        list);
    pthread_mutex_unlock(&recording->lock);
    free(list);
    /* a source that has ended costs no memory */
    cairn_store_rest(&source->store);
    cairn_store_rest(&source->explained);
    return status;
}

cairn_status cairn_journal_append(struct cairn_recording *recording,
                                  struct cairn_journal_record record, const void *payload)
{
    cairn_status status = CAIRN_E_IO;

    pthread_mutex_lock(&recording->lock);
    if (!is_stopped(recording))
        status = append(recording, record, payload);
    pthread_mutex_unlock(&recording->lock);
    return status;
}

uint32_t cairn_journal_source(const struct cairn_recorded_source *source)
{
    return source->index;
}

cairn_status cairn_recording_program(struct cairn_recording *recording, const char *lines)
{
    const size_t size = strlen(lines);

    if (size > CAIRN_JOURNAL_PROGRAM_MOST)
        return CAIRN_E_LIMIT;
    return cairn_journal_append(
        recording,
        (struct cairn_journal_record){.kind = CAIRN_JOURNAL_PROGRAM, .size = (uint32_t)size},
        lines);
}

cairn_status cairn_recorded_source_thread(struct cairn_recorded_source *source, uint64_t id,
                                          const char *name)
{
    return cairn_journal_append(
        source->recording,
        (struct cairn_journal_record){.kind = CAIRN_JOURNAL_THREAD,
                                      .size = (uint32_t)strnlen(name, CAIRN_JOURNAL_THREAD_NAME),
                                      .value = id,
                                      .source = source->index},
        name);
}

cairn_status cairn_recorded_source_sink(void *context, const uint8_t *bytes, size_t size)
{
    struct cairn_recorded_source *source = context;
    struct cairn_recording *recording = source->recording;
    if (is_stopped(recording))
        return CAIRN_E_IO;
    const int number = cairn_store_append(&source->store, bytes, size);
    if (number)
        return stop(recording, number);
    atomic_store_explicit(&source->row->bytes, source->store.used, memory_order_release);
    atomic_fetch_add_explicit(&recording->head->control.bytes, size, memory_order_relaxed);
    return CAIRN_OK;
}

/* Nobody waits for it: what cannot be written is not there. */
cairn_status cairn_recorded_source_explained(void *context, const struct cairn_explained *record)
{
    struct cairn_recorded_source *source = context;
    const bool all = record->kind == CAIRN_EXPLAINED_ROW || record->kind == CAIRN_EXPLAINED_TOTAL;
    if (is_stopped(source->recording))
        return CAIRN_E_IO;
    if (!all && source->explained_count == CAIRN_EXPLAINED_MOST)
        return CAIRN_OK;
    source->explained_count += !all;
    if (!source->explained.path) {
        char *path = cairn_journal_path(source->recording->folder, source->row->name,
                                        CAIRN_EXPLAINED_SUFFIX);
        if (!path)
            return CAIRN_E_MEMORY;
        if (cairn_store_make(&source->explained, source->recording->keeper, path))
            return CAIRN_E_IO;
    }
    return cairn_store_append(&source->explained, record, sizeof *record) ? CAIRN_E_IO : CAIRN_OK;
}

cairn_status cairn_recorded_source_beside(struct cairn_recorded_source *source, const char *suffix,
                                          size_t size, uint8_t **mapped)
{
    struct cairn_keeper *keeper = source->recording->keeper;
    struct cairn_store store = {0};
    char *path = is_stopped(source->recording)
                     ? NULL
                     : cairn_journal_path(source->recording->folder, source->row->name, suffix);

    if (!path)
        return CAIRN_E_IO;
    int number = cairn_store_make(&store, keeper, path);
    if (!number)
        number = cairn_store_map(keeper, store.path, size, size, mapped);
    cairn_store_free(&store);
    return number ? CAIRN_E_IO : CAIRN_OK;
}

const char *cairn_recorded_source_name(const struct cairn_recorded_source *source)
{
    return source->row->name;
}

/* ---- executed memory ---- */

/* A part of at most RECORD_MOST bytes. *epoch is that of the call's change, or 0 before there is
 * one. Returns the epoch that the part needs. */
static uint64_t add_code(struct cairn_recording *recording, uint64_t address, const uint8_t *bytes,
                         size_t size, uint64_t *epoch)
{
    const struct cairn_pages_answer answer =
        cairn_pages_compare(&recording->pages, address, bytes, size);
    if (!answer.unknown && !answer.changed)
        return answer.epoch;
    if (answer.changed && !*epoch)
        *epoch = atomic_load(&recording->epoch) + 1;
    const struct cairn_journal_record record = {
        .kind = answer.changed ? CAIRN_JOURNAL_CHANGED : CAIRN_JOURNAL_SEEN,
        .size = (uint32_t)size,
        .address = address,
        .value = answer.changed ? *epoch : 0,
    };
    if (append(recording, record, bytes) != CAIRN_OK)
        return answer.epoch;
    if (cairn_pages_set(&recording->pages, address, bytes, size, CAIRN_PAGES_OVER, record.value))
        stop(recording, ENOMEM);
    if (answer.changed)
        atomic_store(&recording->epoch, *epoch);
    return answer.changed ? *epoch : answer.epoch;
}

uint64_t cairn_recording_code(struct cairn_recording *recording, uint64_t address,
                              const uint8_t *bytes, size_t size)
{
    uint64_t needed = 0, epoch = 0;
    if (is_stopped(recording))
        return atomic_load(&recording->epoch);
    if (size && size - 1 > UINT64_MAX - address)
        size = (size_t)(UINT64_MAX - address) + 1; /* memory ends there */
    pthread_mutex_lock(&recording->lock);
    while (size) {
        const size_t part = size < RECORD_MOST ? size : RECORD_MOST;
        const uint64_t one = add_code(recording, address, bytes, part, &epoch);
        needed = one > needed ? one : needed;
        address += part;
        bytes += part;
        size -= part;
    }
    pthread_mutex_unlock(&recording->lock);
    return needed;
}

/* Appends the record of a mapping. */
static cairn_status append_mapped(struct cairn_recording *recording, uint64_t address,
                                  const struct cairn_journal_mapping *head, const char *path,
                                  uint64_t epoch)
{
    const size_t length = strlen(path);
    uint8_t *payload = malloc(sizeof *head + length);
    if (!payload)
        return stop(recording, ENOMEM);
    memcpy(payload, head, sizeof *head);
    memcpy(payload + sizeof *head, path, length);
    const cairn_status status =
        append(recording,
               (struct cairn_journal_record){.kind = CAIRN_JOURNAL_MAPPED,
                                             .size = (uint32_t)(sizeof *head + length),
                                             .address = address,
                                             .value = epoch},
               payload);
    free(payload);
    return status;
}

/* The epoch that code there needs, under the lock. */
static uint64_t map_file(struct cairn_recording *recording, const struct cairn_recorded_file *file)
{
    struct cairn_journal_mapping head = {
        .length = file->length, .offset = file->offset, .executed = file->executed};
    uint64_t epoch = 0;
    cairn_mapped_identify(recording->keeper, file->path, &head.file);
    switch (cairn_mapped_look(&recording->mapped, &head, file->address, file->path)) {
    case CAIRN_MAPPED_OLD: {
        const struct cairn_mapped *known = cairn_mapped_find(&recording->mapped, file->executed);
        return known ? known->from : 0;
    }
    case CAIRN_MAPPED_ADDED: break;
    case CAIRN_MAPPED_REPLACED: epoch = atomic_load(&recording->epoch) + 1; break;
    }
    cairn_mapped_read(recording->keeper, file->path, file->address, &head);
    /* A module that there is no room for has no names; its code is recorded all the same. */
    if (cairn_mapped_add(&recording->mapped, &head, file->address, file->path, strlen(file->path),
                         epoch) != CAIRN_OK ||
        append_mapped(recording, file->address, &head, file->path, epoch) != CAIRN_OK)
        return 0;
    if (epoch)
        atomic_store(&recording->epoch, epoch);
    return epoch;
}

uint64_t cairn_recording_mapped(struct cairn_recording *recording,
                                const struct cairn_recorded_file *file)
{
    if (is_stopped(recording) || file->length == 0 ||
        file->length - 1 > UINT64_MAX - file->address || !*file->path ||
        strlen(file->path) >= CAIRN_JOURNAL_PATH)
        return 0;
    pthread_mutex_lock(&recording->lock);
    const uint64_t epoch = map_file(recording, file);
    pthread_mutex_unlock(&recording->lock);
    return epoch;
}

uint64_t cairn_recording_epoch(const struct cairn_recording *recording)
{
    return atomic_load(&recording->epoch);
}

cairn_status cairn_recorded_source_epoch(struct cairn_recorded_source *source, uint64_t epoch,
                                         uint64_t position)
{
    struct cairn_recording *recording = source->recording;
    if (epoch <= source->epoch)
        return CAIRN_OK;
    if (epoch > atomic_load(&recording->epoch) || position < source->position)
        return CAIRN_E_ARGUMENT;
    if (is_stopped(recording))
        return CAIRN_E_IO;
    const cairn_status status =
        cairn_journal_append(recording,
                             (struct cairn_journal_record){.kind = CAIRN_JOURNAL_SWITCHED,
                                                           .address = position,
                                                           .value = epoch,
                                                           .source = source->index},
                             NULL);
    if (status == CAIRN_OK) {
        source->epoch = epoch;
        source->position = position;
    }
    return status;
}
