/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording process left, made a snapshot. Nothing in the files is believed: a record that
 * cannot be ends the journal there, a source whose file is not there is left out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/arena.h"
#include "capture/snapshot/write.h"
#include "machine/embed.h"
#include "machine/folder.h"
#include "machine/journal.h"
#include "machine/mapped.h"
#include "machine/memory.h"
#include "machine/modules.h"
#include "machine/pages.h"
#include "machine/told.h"
#include "machine/turns.h"

struct switched {
    uint64_t epoch, position;
};

/* What a row and the records of a source say. */
struct left {
    bool usable;
    uint64_t bytes;
    struct switched *switches; /* both grow */
    size_t switch_count, switch_capacity;
    const uint8_t *registers; /* struct cairn_journal_register each, not aligned */
    size_t register_count;
    struct cairn_register *named; /* checked; the names are in `texts` */
    char (*texts)[sizeof((struct cairn_journal_register *)0)->name];
    uint64_t thread_id;
    const char *thread_name; /* in the arena, or NULL */
};

/* A range that took new content. */
struct change {
    uint64_t address, epoch;
    const uint8_t *bytes;
    uint32_t size;
    uint64_t offset; /* in the memory file */
    size_t next;     /* the next change of the same range, or SIZE_MAX */
    uint64_t from;   /* of the source that is being looked at; UINT64_MAX: never */
};

struct finishing {
    const char *folder;
    struct cairn_journal journal;
    struct left *left;
    struct cairn_pages pages[CAIRN_PAGES_SPACES]; /* each byte as it was first */
    struct cairn_turns turns;
    struct change *changes; /* in order: epochs do not fall */
    size_t change_count, change_capacity;
    struct cairn_memory_file memory;
    struct cairn_snapshot_stream *streams;
    size_t stream_count;
    struct cairn_arena arena;
    size_t epoch_total; /* of all streams */
    struct cairn_mapped_list mapped;
    const struct cairn_recorded_program *program; /* or NULL */
    struct cairn_module *modules;
    size_t module_count;
    struct cairn_snapshot_module *told; /* the same, with their ranges */
    const char *lines;                  /* what the journal tells of the program, or NULL */
    uint64_t not_copied;                /* of them, though it was asked for */
    uint64_t gone;                      /* files that would be modules */
    const char *core_type, *note;       /* or NULL */
};

static cairn_status no_memory(const struct finishing *finishing, struct cairn_error *error)
{
    return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to finish the recording",
                      finishing->folder);
}

/* ---- the journal ---- */

static cairn_status take_change(struct finishing *finishing,
                                const struct cairn_journal_record *record, const uint8_t *payload)
{
    const uint64_t before =
        finishing->change_count ? finishing->changes[finishing->change_count - 1].epoch : 0;
    if (record->value < before)
        return CAIRN_OK;
    if (cairn_grow((void **)&finishing->changes, finishing->change_count,
                   &finishing->change_capacity, sizeof *finishing->changes) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    finishing->changes[finishing->change_count++] = (struct change){
        .address = record->address,
        .epoch = record->value,
        .bytes = payload,
        .size = record->size,
        .next = SIZE_MAX,
    };
    return CAIRN_OK;
}

static cairn_status take_switch(struct left *left, const struct cairn_journal_record *record)
{
    if (left->switch_count) {
        const struct switched *last = &left->switches[left->switch_count - 1];
        if (record->value <= last->epoch || record->address < last->position)
            return CAIRN_OK;
    }
    if (cairn_grow((void **)&left->switches, left->switch_count, &left->switch_capacity,
                   sizeof *left->switches) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    left->switches[left->switch_count++] = (struct switched){record->value, record->address};
    return CAIRN_OK;
}

/* A mapping that cannot be is left out: it only gives names. */
static cairn_status take_mapping(struct finishing *finishing,
                                 const struct cairn_journal_record *record, const uint8_t *payload)
{
    struct cairn_journal_mapping file;
    const char *path = (const char *)payload + sizeof file;
    const size_t length = record->size - sizeof file;
    memcpy(&file, payload, sizeof file);
    if (file.length == 0 || file.length - 1 > UINT64_MAX - record->address || *path != '/' ||
        memchr(path, 0, length))
        return CAIRN_OK;
    const cairn_status status =
        cairn_mapped_add(&finishing->mapped, &file, record->address, path, length, record->value);
    return status == CAIRN_E_LIMIT ? CAIRN_OK : status;
}

static cairn_status take(struct finishing *finishing, const struct cairn_journal_record *record,
                         const uint8_t *payload)
{
    cairn_status status = CAIRN_OK;
    struct left *left =
        record->source < finishing->journal.source_count ? &finishing->left[record->source] : NULL;
    switch ((enum cairn_journal_kind)record->kind) {
    case CAIRN_JOURNAL_CHANGED:
        status = take_change(finishing, record, payload);
        if (status != CAIRN_OK)
            return status;
        /* fallthrough */
    case CAIRN_JOURNAL_SEEN:
        return cairn_pages_set(&finishing->pages[0], record->address, payload, record->size,
                               CAIRN_PAGES_KEEP, 0);
    case CAIRN_JOURNAL_SWITCHED: return left ? take_switch(left, record) : CAIRN_OK;
    case CAIRN_JOURNAL_REGISTERED:
        if (left) {
            left->registers = payload;
            left->register_count = record->size / sizeof(struct cairn_journal_register);
        }
        return CAIRN_OK;
    case CAIRN_JOURNAL_MAPPED: return take_mapping(finishing, record, payload);
    case CAIRN_JOURNAL_VERSION_HAS:
        return cairn_turns_content(&finishing->turns, finishing->pages, record, payload);
    case CAIRN_JOURNAL_TURNED: return cairn_turns_take(&finishing->turns, record);
    case CAIRN_JOURNAL_PROGRAM:
        return cairn_told_lines(&finishing->arena, payload, record->size, &finishing->lines);
    case CAIRN_JOURNAL_THREAD:
        if (!left)
            return CAIRN_OK;
        left->thread_id = record->value;
        return cairn_told_thread(&finishing->arena, finishing->program, payload, record->size,
                                 &left->thread_name);
    }
    return status;
}

static cairn_status read_journal(struct finishing *finishing)
{
    struct cairn_journal_record record;
    const uint8_t *payload;
    size_t position = 0;
    cairn_status status = CAIRN_OK;
    while (status == CAIRN_OK &&
           cairn_journal_next(&finishing->journal, &position, &record, &payload))
        status = take(finishing, &record, payload);
    return status;
}

/* ---- sources ---- */

/* A text of fixed size, which may lack its end; NULL for an empty one. False: memory is out. */
static bool take_text(struct finishing *finishing, const char *text, size_t capacity,
                      const char **taken)
{
    const size_t length = strnlen(text, capacity);
    if (!length)
        return true;
    *taken = cairn_arena_format(&finishing->arena, "%.*s", (int)length, text);
    return *taken != NULL;
}

static bool is_register_name(const char *name, size_t capacity)
{
    const size_t length = strnlen(name, capacity);
    for (size_t i = 0; i < length; i++) {
        const char c = name[i];
        if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
            c != '_')
            return false;
    }
    return length > 0 && length < capacity;
}

static cairn_status name_registers(struct finishing *finishing, struct left *left)
{
    const size_t count = left->register_count;
    left->named = cairn_arena_alloc(&finishing->arena, (count + 1) * sizeof *left->named);
    left->texts = cairn_arena_alloc(&finishing->arena, (count + 1) * sizeof *left->texts);
    if (!left->named || !left->texts)
        return CAIRN_E_MEMORY;
    left->register_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct cairn_journal_register one;
        memcpy(&one, left->registers + i * sizeof one, sizeof one);
        if (!is_register_name(one.name, sizeof one.name))
            continue;
        memcpy(left->texts[i], one.name, sizeof one.name);
        left->named[left->register_count++] =
            (struct cairn_register){.name = left->texts[i], .value = one.value};
    }
    return CAIRN_OK;
}

static bool is_taken(const struct finishing *finishing, const char *name)
{
    for (size_t i = 0; i < finishing->stream_count; i++) {
        if (!strcasecmp(finishing->streams[i].name, name))
            return true;
    }
    return false;
}

/* Cuts a source's file to what counts, and adds its stream. */
static cairn_status take_source(struct finishing *finishing, size_t index,
                                struct cairn_error *error)
{
    const struct cairn_journal_row *row = &finishing->journal.head->rows[index];
    struct left *left = &finishing->left[index];
    struct stat info;
    char reason[128];
    if (!cairn_journal_name_ok(row->name, sizeof row->name) || is_taken(finishing, row->name))
        return CAIRN_OK;
    const char *path =
        cairn_arena_format(&finishing->arena, "%s/%s.bin", finishing->folder, row->name);
    const char *core = cairn_arena_format(&finishing->arena, "core_%s", row->name);
    const char *file = cairn_arena_format(&finishing->arena, "%s.bin", row->name);
    if (!path || !core || !file)
        return no_memory(finishing, error);
    if (lstat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return CAIRN_OK;
    const uint64_t told = atomic_load(&row->bytes);
    left->bytes = told < (uint64_t)info.st_size ? told : (uint64_t)info.st_size;
    if (left->bytes < (uint64_t)info.st_size && truncate(path, (off_t)left->bytes) != 0)
        return cairn_fail(error, CAIRN_E_IO, "%s: cannot be cut to its %llu bytes: %s", path,
                          (unsigned long long)left->bytes,
                          strerror_r(errno, reason, sizeof reason));
    if (name_registers(finishing, left) != CAIRN_OK)
        return no_memory(finishing, error);
    left->usable = true;
    finishing->streams[finishing->stream_count++] = (struct cairn_snapshot_stream){
        .name = row->name,
        .core = core,
        .core_type = finishing->core_type,
        .file = file,
        .protocol = (enum cairn_protocol_id)finishing->journal.head->protocol,
        .registers = left->named,
        .register_count = left->register_count,
        .thread_id = left->thread_id,
        .thread_name = left->thread_name,
    };
    return CAIRN_OK;
}

/* ---- epochs ---- */

static int by_range(const void *left, const void *right, void *context)
{
    const struct change *changes = context;
    const size_t i = *(const size_t *)left, j = *(const size_t *)right;
    const struct change *a = &changes[i], *b = &changes[j];
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return (i > j) - (i < j);
}

/* Finds for each change the next one of the same range. */
static cairn_status link_changes(struct finishing *finishing)
{
    const size_t count = finishing->change_count;
    size_t *order = calloc(count + 1, sizeof *order);
    if (!order)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    if (count)
        qsort_r(order, count, sizeof *order, by_range, finishing->changes);
    for (size_t i = 1; i < count; i++) {
        struct change *a = &finishing->changes[order[i - 1]];
        const struct change *b = &finishing->changes[order[i]];
        if (a->address == b->address && a->size == b->size)
            a->next = order[i];
    }
    free(order);
    return CAIRN_OK;
}

/* Fills in from where on the source saw each change. */
static void place_changes(struct finishing *finishing, const struct left *left)
{
    size_t at = 0;
    for (size_t i = 0; i < finishing->change_count; i++) {
        struct change *change = &finishing->changes[i];
        while (at < left->switch_count && left->switches[at].epoch < change->epoch)
            at++;
        change->from = at < left->switch_count ? left->switches[at].position : UINT64_MAX;
    }
}

static cairn_status add_epochs(struct finishing *finishing, const struct left *left,
                               struct cairn_snapshot_stream *stream)
{
    struct cairn_snapshot_epoch *epochs = NULL;
    size_t count = 0, capacity = 0;
    place_changes(finishing, left);
    for (size_t i = 0; i < finishing->change_count; i++) {
        const struct change *change = &finishing->changes[i];
        const uint64_t next =
            change->next == SIZE_MAX ? UINT64_MAX : finishing->changes[change->next].from;
        if (change->from >= left->bytes || change->from == next)
            continue;
        if (finishing->epoch_total >= CAIRN_SNAPSHOT_EPOCHS_MOST) {
            if (stream->epochs_lost++ == 0)
                stream->lost_from = change->from;
            continue;
        }
        if (cairn_grow((void **)&epochs, count, &capacity, sizeof *epochs) != CAIRN_OK) {
            free(epochs);
            return CAIRN_E_MEMORY;
        }
        epochs[count++] = (struct cairn_snapshot_epoch){
            .span = {.file = CAIRN_JOURNAL_MEMORY,
                     .address = change->address,
                     .length = change->size,
                     .offset = change->offset},
            .from = change->from,
            .to = next < left->bytes ? next : UINT64_MAX,
        };
        finishing->epoch_total++;
    }
    stream->epochs = epochs;
    stream->epoch_count = count;
    return CAIRN_OK;
}

static cairn_status add_all_epochs(struct finishing *finishing)
{
    cairn_status status = CAIRN_OK;
    struct cairn_snapshot_stream *stream = finishing->streams;
    for (size_t i = 0; i < finishing->journal.source_count && status == CAIRN_OK; i++) {
        if (!finishing->left[i].usable)
            continue;
        if (finishing->left[i].switch_count && finishing->change_count)
            status = add_epochs(finishing, &finishing->left[i], stream);
        else
            status = cairn_turns_epochs(&finishing->turns, (uint32_t)i, finishing->left[i].bytes,
                                        stream);
        stream++;
    }
    return status;
}

/* ---- modules ---- */

/* Where a source came to an epoch; UINT64_MAX: never. */
static uint64_t position_of(const struct left *left, uint64_t epoch)
{
    if (epoch == 0)
        return 0;
    for (size_t i = 0; i < left->switch_count; i++) {
        if (left->switches[i].epoch >= epoch)
            return left->switches[i].position;
    }
    return UINT64_MAX;
}

/* In which parts of which sources a module was there that was not always. */
static cairn_status add_ranges(struct finishing *finishing, const struct cairn_module *module,
                               struct cairn_snapshot_module *told)
{
    struct cairn_snapshot_range *ranges =
        cairn_arena_alloc(&finishing->arena, (finishing->stream_count + 1) * sizeof *ranges);
    const struct cairn_snapshot_stream *stream = finishing->streams;
    if (!ranges)
        return CAIRN_E_MEMORY;
    told->ranges = ranges;
    for (size_t i = 0; i < finishing->journal.source_count; i++) {
        const struct left *left = &finishing->left[i];
        if (!left->usable)
            continue;
        const uint64_t from = position_of(left, module->from);
        const uint64_t to = module->to == UINT64_MAX ? UINT64_MAX : position_of(left, module->to);
        if (from < to && from < left->bytes)
            ranges[told->range_count++] = (struct cairn_snapshot_range){
                .stream = stream->name, .from = from, .to = to < left->bytes ? to : UINT64_MAX};
        stream++;
    }
    return CAIRN_OK;
}

static cairn_status make_modules(struct finishing *finishing)
{
    cairn_status status =
        cairn_modules_make(&finishing->arena, &finishing->mapped, finishing->program,
                           &finishing->modules, &finishing->module_count, &finishing->gone);
    if (status == CAIRN_OK)
        finishing->told = cairn_arena_alloc(&finishing->arena, (finishing->module_count + 1) *
                                                                   sizeof *finishing->told);
    if (status == CAIRN_OK && !finishing->told)
        status = CAIRN_E_MEMORY;
    for (size_t i = 0; i < finishing->module_count && status == CAIRN_OK; i++) {
        const struct cairn_module *module = &finishing->modules[i];
        finishing->told[i] = module->told;
        if (module->from > 0 || module->to != UINT64_MAX)
            status = add_ranges(finishing, module, &finishing->told[i]);
    }
    return status;
}

/* ---- the files ---- */

static cairn_status write_memory(struct finishing *finishing, struct cairn_error *error)
{
    const char *path =
        cairn_arena_format(&finishing->arena, "%s/" CAIRN_JOURNAL_MEMORY, finishing->folder);
    if (!path)
        return no_memory(finishing, error);
    const bool secure_EL2 = atomic_load(&finishing->journal.head->control.secure_EL2) != 0;
    cairn_status status = cairn_memory_begin(&finishing->memory, path, CAIRN_JOURNAL_MEMORY,
                                             finishing->pages, secure_EL2, error);
    finishing->turns.secure_EL2 = secure_EL2;
    for (size_t i = 0; i < finishing->change_count && status == CAIRN_OK; i++) {
        struct change *change = &finishing->changes[i];
        status = cairn_memory_add(&finishing->memory, change->bytes, change->size, &change->offset,
                                  error);
    }
    if (status == CAIRN_OK)
        status = cairn_turns_write(&finishing->turns, finishing->pages, &finishing->memory, error);
    return status == CAIRN_OK ? cairn_memory_end(&finishing->memory, error) : status;
}

static void remove_file(const struct finishing *finishing, const char *name)
{
    char *path = cairn_journal_path(finishing->folder, name, "");
    if (path)
        unlink(path);
    free(path);
}

static cairn_status write_all(struct finishing *finishing, struct cairn_error *error)
{
    const struct cairn_journal_head *head = finishing->journal.head;
    cairn_status status = CAIRN_OK;
    if (!take_text(finishing, head->core, sizeof head->core, &finishing->core_type) ||
        !take_text(finishing, head->note, sizeof head->note, &finishing->note) ||
        read_journal(finishing) != CAIRN_OK)
        return no_memory(finishing, error);
    if (!finishing->journal.source_count && atomic_load(&head->control.stopped))
        return CAIRN_OK;
    /* first what makes room: the disk may be full */
    for (size_t i = 0; i < finishing->journal.source_count && status == CAIRN_OK; i++)
        status = take_source(finishing, i, error);
    if (status == CAIRN_OK)
        status = write_memory(finishing, error);
    if (status != CAIRN_OK)
        return status;
    if (link_changes(finishing) != CAIRN_OK || add_all_epochs(finishing) != CAIRN_OK ||
        make_modules(finishing) != CAIRN_OK)
        return no_memory(finishing, error);
    if (finishing->program && finishing->program->embed &&
        cairn_modules_embed(finishing->folder, finishing->program, &finishing->arena,
                            finishing->told, finishing->module_count,
                            &finishing->not_copied) != CAIRN_OK)
        return no_memory(finishing, error);
    const struct cairn_recorded_program *program = finishing->program;
    struct cairn_snapshot_parts parts = {.exit_status = -1};
    if (program)
        parts = cairn_told_parts(program);
    else
        parts.lines = finishing->lines;
    parts.folder = finishing->folder;
    parts.recorder = CAIRN_JOURNAL_RECORDER;
    parts.description = finishing->note;
    parts.memory = finishing->memory.spans;
    parts.memory_count = finishing->memory.span_count;
    parts.streams = finishing->streams;
    parts.stream_count = finishing->stream_count;
    parts.modules = finishing->told;
    parts.module_count = finishing->module_count;
    return cairn_snapshot_write(&parts, error);
}

static void summarize(const struct finishing *finishing, struct cairn_recording_result *result)
{
    const struct cairn_recording_control *control = &finishing->journal.head->control;
    *result = (struct cairn_recording_result){
        .instructions = atomic_load(&control->instructions),
        .sources = finishing->stream_count,
        .code_bytes = finishing->memory.known,
        .stopped = atomic_load(&control->stopped),
        .discontinuities = atomic_load(&control->discontinuities),
        .unseen = atomic_load(&control->unseen),
        .names_found = atomic_load(&control->names_found),
        .names_refused = atomic_load(&control->names_refused),
        .names_chosen = atomic_load(&control->names_chosen),
        .not_started = atomic_load(&control->not_started),
        .pages_lost = finishing->memory.pages_lost,
        .not_made = atomic_load(&control->not_made),
        .no_room = atomic_load(&control->no_room),
        .in_AArch32 = atomic_load(&control->in_AArch32),
        .whole = atomic_load(&control->whole) != 0,
        .forks = atomic_load(&control->forks),
        .execs = atomic_load(&control->execs),
        .finished = atomic_load(&control->finished) != 0,
    };
    for (size_t i = 0; i < finishing->journal.source_count; i++)
        result->bytes += finishing->left[i].usable ? finishing->left[i].bytes : 0;
    result->not_copied = finishing->not_copied;
    result->gone = finishing->gone;
    for (size_t i = 0; i < finishing->module_count; i++)
        result->copied += finishing->told[i].file != NULL;
    for (size_t i = 0; i < finishing->stream_count; i++)
        result->epochs_lost += finishing->streams[i].epochs_lost;
    for (size_t i = 0; i < finishing->change_count; i++)
        result->epochs += !i || finishing->changes[i].epoch != finishing->changes[i - 1].epoch;
    if (finishing->turns.content.count)
        result->epochs = finishing->turns.content.count + 1;
}

cairn_status cairn_recording_finish(const char *folder,
                                    const struct cairn_recorded_program *program,
                                    struct cairn_recording_result *result,
                                    struct cairn_error *error)
{
    struct finishing finishing = {.folder = folder, .program = program};
    if (!folder)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "no folder of a recording was given");
    int number;
    const int locked = cairn_folder_lock(folder, false, &number);
    if (locked < 0 && number == EWOULDBLOCK)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "%s: another process records there at this moment; end that first",
                          folder);
    cairn_status status = cairn_journal_open(folder, &finishing.journal, error);
    if (status != CAIRN_OK) {
        if (locked >= 0)
            close(locked);
        return status;
    }
    const size_t sources = finishing.journal.source_count;
    finishing.left = calloc(sources + 1, sizeof *finishing.left);
    finishing.streams = calloc(sources + 1, sizeof *finishing.streams);
    status = finishing.left && finishing.streams ? write_all(&finishing, error)
                                                 : no_memory(&finishing, error);
    if (status == CAIRN_OK && result)
        summarize(&finishing, result);
    for (size_t i = 0; i < finishing.stream_count; i++)
        free((void *)(uintptr_t)finishing.streams[i].epochs);
    for (size_t i = 0; i < sources && finishing.left; i++)
        free(finishing.left[i].switches);
    free(finishing.left);
    free(finishing.streams);
    free(finishing.changes);
    cairn_mapped_clear(&finishing.mapped);
    cairn_memory_free(&finishing.memory);
    for (size_t i = 0; i < CAIRN_PAGES_SPACES; i++)
        cairn_pages_clear(&finishing.pages[i]);
    cairn_turns_clear(&finishing.turns);
    cairn_arena_free(&finishing.arena);
    cairn_journal_close(&finishing.journal);
    if (status == CAIRN_OK) {
        /* the one that makes the folder an unfinished recording first */
        remove_file(&finishing, CAIRN_JOURNAL_CTL);
        remove_file(&finishing, CAIRN_JOURNAL_CODE);
    }
    if (locked >= 0)
        close(locked);
    return status;
}
