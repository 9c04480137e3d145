/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples with branch stacks out of perf.data files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/files.h"
#include "cli/branches/branches.h"

/* Threads of which the name is kept: one at each place, found by the lowest bits of its number. One that
 * loses its place to another has no name from then on. */
#define THREADS (1u << 16)
#define NAME_SIZE 17u /* of TASK_COMM_LEN letters at most, and a 0 */

struct sample_thread {
    uint32_t thread;
    char name[NAME_SIZE];
};

struct sample_file {
    struct cli_branch_list *list;
    int fd;
    struct cairn_perf perf;
    struct sample_thread threads[THREADS];
    struct cairn_branch_entry entries[CAIRN_PERF_ENTRIES];
    struct cli_branch_file file;
};

/* --- words --- */

const char *cli_branch_entry_type(const struct cairn_branch_entry *entry)
{
    /* PERF_BR_..., PERF_BR_NEW_... as arm64 has them */
    static const char *const types[] = {"-",        "COND", "UNCOND",  "IND",    "CALL",
                                        "IND_CALL", "RET",  "SYSCALL", "SYSRET", "COND_CALL",
                                        "COND_RET", "ERET", "IRQ",     "SERROR", "NO_TX"};
    static const char *const new_types[] = {"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "FIQ",
                                            "DEBUG_HALT", "DEBUG_EXIT", "DEBUG_INST", "DEBUG_DATA"};

    if (entry->type < sizeof types / sizeof *types)
        return types[entry->type];
    return entry->new_type < sizeof new_types / sizeof *new_types ? new_types[entry->new_type]
                                                                  : "-";
}

const char *cli_branch_entry_level(const struct cairn_branch_entry *entry)
{
    static const char *const levels[] = {NULL, "user", "kernel", "hypervisor"};

    return entry->priv < sizeof levels / sizeof *levels ? levels[entry->priv] : NULL;
}

const char *cli_branch_entry_speculation(const struct cairn_branch_entry *entry)
{
    static const char *const words[] = {NULL, "speculated, wrong path",
                                        "not speculated, correct path", "speculated, correct path"};

    return words[entry->spec & 3];
}

/* --- the file --- */

bool cli_branches_is_perf(const char *path)
{
    uint8_t head[CAIRN_PERF_PROBE];

    return cairn_perf_probe(head, cairn_input_head(path, head, sizeof head));
}

/* --- threads and maps --- */

static struct sample_thread *place_of(struct sample_file *s, uint32_t thread)
{
    return &s->threads[thread % THREADS];
}

static const char *name_of(struct sample_file *s, uint32_t thread)
{
    const struct sample_thread *place = place_of(s, thread);

    return place->thread == thread && place->name[0] ? place->name : NULL;
}

static void set_name(struct sample_file *s, uint32_t thread, const char *name, size_t size)
{
    struct sample_thread *place = place_of(s, thread);

    place->thread = thread;
    memset(place->name, 0, NAME_SIZE);
    memcpy(place->name, name, size < NAME_SIZE ? size : NAME_SIZE - 1);
    if (s->list->session->options->format == CLI_FORMAT_PERF)
        cli_branches_perf_name(s->list, thread, place->name);
}

/* pid, tid, name */
static void take_name(struct sample_file *s, const struct cairn_perf_record *record)
{
    if (record->size <= 8)
        return;
    const char *name = (const char *)record->bytes + 8;
    set_name(s, cairn_perf_u32(&s->perf, record->bytes + 4), name, strnlen(name, record->size - 8));
}

/* pid, ppid, tid, ptid: a new thread has its parent's name. */
static void take_fork(struct sample_file *s, const struct cairn_perf_record *record)
{
    if (record->size < 16)
        return;
    const char *name = name_of(s, cairn_perf_u32(&s->perf, record->bytes + 12));
    char copy[NAME_SIZE];

    if (!name)
        return;
    memcpy(copy, name, NAME_SIZE);
    set_name(s, cairn_perf_u32(&s->perf, record->bytes + 8), copy, strlen(copy));
}

/* pid, tid, address, size, offset, 24 bytes of which file, protection, flags, path */
enum { MAP_AT_THREAD = 4, MAP_AT_ADDRESS = 8, MAP_AT_PROTECTION = 56, MAP_AT_PATH = 64 };
#define PROTECTION_EXECUTE 4u

static void take_map(struct sample_file *s, const struct cairn_perf_record *record)
{
    const uint8_t *const bytes = record->bytes;
    char path[CAIRN_PERF_PATH] = "";

    if (record->size <= MAP_AT_PATH ||
        !(cairn_perf_u32(&s->perf, bytes + MAP_AT_PROTECTION) & PROTECTION_EXECUTE))
        return;
    const size_t room = record->size - MAP_AT_PATH;
    memcpy(path, bytes + MAP_AT_PATH, room < sizeof path ? room : sizeof path - 1);
    const struct cairn_perf_map map = {
        .thread = cairn_perf_u32(&s->perf, bytes), /* maps are a process's */
        .address = cairn_perf_u64(&s->perf, bytes + MAP_AT_ADDRESS),
        .size = cairn_perf_u64(&s->perf, bytes + MAP_AT_ADDRESS + 8),
        .offset = cairn_perf_u64(&s->perf, bytes + MAP_AT_ADDRESS + 16),
        .path = path,
    };
    cli_branches_perf_map(s->list, &map);
}

/* --- samples --- */

static void count_entry(struct cli_branch_totals *totals, const struct cairn_branch_entry *entry)
{
    totals->branches++;
    totals->half_sources += entry->from && !entry->to;
    totals->half_targets += entry->to && !entry->from;
    totals->mispredicted += (entry->flags & CAIRN_BRANCH_ENTRY_MISPRED) != 0;
}

static void tell_perf(struct sample_file *s, const struct cli_branch_sample *sample)
{
    const size_t count =
        sample->fields.branches < CAIRN_PERF_ENTRIES ? sample->fields.branches : CAIRN_PERF_ENTRIES;

    for (size_t i = 0; i < count; i++)
        s->entries[i] = cairn_perf_entry(&s->perf, &sample->fields, i);
    cli_branches_perf_sample(s->list, &(struct cairn_perf_sample){
                                          .address = sample->fields.address,
                                          .time = sample->fields.time,
                                          .thread = sample->fields.thread,
                                          .level = sample->level,
                                          .entries = s->entries,
                                          .count = count,
                                      });
}

static void take_sample(struct sample_file *s, const struct cairn_perf_record *record,
                        size_t *number)
{
    struct cli_branch_sample sample = {.perf = &s->perf, .path = s->file.path};

    switch (cairn_perf_sample_read(&s->perf, record, &sample.fields)) {
    case CAIRN_PERF_UNKNOWN_EVENT: s->file.unknown_event++; return;
    case CAIRN_PERF_SHORT: s->file.unreadable++; return;
    case CAIRN_PERF_READ: break;
    }
    if (!sample.fields.branches) {
        s->file.without++;
        return;
    }
    sample.name = name_of(s, sample.fields.thread);
    sample.level = record->misc & CAIRN_PERF_MODE_MASK;
    s->file.samples++;
    s->list->totals.stacks++;
    for (size_t i = 0; i < sample.fields.branches; i++) {
        const struct cairn_branch_entry entry = cairn_perf_entry(&s->perf, &sample.fields, i);

        count_entry(&s->list->totals, &entry);
    }
    switch (s->list->session->options->format) {
    case CLI_FORMAT_PERF:
    case CLI_FORMAT_PERFSCRIPT: tell_perf(s, &sample); break;
    case CLI_FORMAT_JSON: cli_branches_json_sample(s->list, &sample, *number); break;
    default: cli_branches_text_sample(s->list, &sample);
    }
    ++*number;
}

static void take_record(struct sample_file *s, const struct cairn_perf_record *record,
                        size_t *number)
{
    const enum cli_format format = s->list->session->options->format;

    if (record->type != CAIRN_PERF_RECORD_SAMPLE && cairn_perf_is_of_guest(record->misc))
        return;
    switch (record->type) {
    case CAIRN_PERF_RECORD_SAMPLE: take_sample(s, record, number); break;
    case CAIRN_PERF_RECORD_COMM: take_name(s, record); break;
    case CAIRN_PERF_RECORD_FORK: take_fork(s, record); break;
    case CAIRN_PERF_RECORD_MMAP2:
        if (format == CLI_FORMAT_PERF || format == CLI_FORMAT_PERFSCRIPT)
            take_map(s, record);
        break;
    case CAIRN_PERF_RECORD_LOST:
    case CAIRN_PERF_RECORD_LOST_SAMPLES: s->file.lost += cairn_perf_lost(&s->perf, record); break;
    default: break;
    }
}

/* --- what is wrong with it --- */

static void say_end(struct cli_session *session, const struct cli_branch_file *file)
{
    static const char *const words[] = {
        [CAIRN_PERF_END_CUT] = "the record there goes on behind the end: the file was cut off",
        [CAIRN_PERF_END_DAMAGED] = "the record there is damaged",
        [CAIRN_PERF_END_UNREADABLE] = "the file cannot be read there",
    };

    if (file->ended == CAIRN_PERF_END_CUT && !file->unread)
        cli_session_say(
            session,
            "%s: the file ends before the data that its header tells of. Copy it again, or "
            "record anew",
            file->path);
    else if (file->ended != CAIRN_PERF_END_WHOLE)
        cli_session_say(session,
                        "%s: nothing is read from offset 0x%" PRIx64 " on (%" PRIu64
                        " byte%s): %s. Copy the file again, or record anew",
                        file->path, file->ended_at, file->unread, file->unread == 1 ? "" : "s",
                        words[file->ended]);
}

static void say_all(struct cli_session *session, const struct cli_branch_file *file)
{
    say_end(session, file);
    if (file->unreadable + file->unknown_event)
        cli_session_say(session,
                        "%s: %" PRIu64 " sample%s skipped: %" PRIu64
                        " shorter than what %s event should hold, %" PRIu64
                        " of no event of the file",
                        file->path, file->unreadable + file->unknown_event,
                        file->unreadable + file->unknown_event == 1 ? " is" : "s are",
                        file->unreadable, "their", file->unknown_event);
    if (file->compressed)
        cli_session_say(
            session,
            "%s: %" PRIu64
            " compressed record%s (perf record -z) cannot be unpacked: what was in them is "
            "missing. Copy the file again, or record anew",
            file->path, file->compressed, file->compressed == 1 ? "" : "s");
    if (!file->samples && !file->compressed)
        cli_session_say(session,
                        "%s: there is no branch stack in it: record with `perf record -b` or "
                        "`-j any,save_type,priv`",
                        file->path);
}

static size_t wrong_of(const struct cli_branch_file *file)
{
    return (size_t)(file->unreadable + file->unknown_event + file->compressed) +
           (file->ended != CAIRN_PERF_END_WHOLE);
}

/* --- all of it --- */

static void tell_file(struct sample_file *s, size_t *number)
{
    struct cli_session *session = s->list->session;
    const uint64_t end = s->perf.end;
    struct cairn_perf_record record;

    while (cli_session_goes_on(session) && cairn_perf_next(&s->perf, &record))
        take_record(s, &record, number);
    s->file.ended = s->perf.ended;
    s->file.ended_at = s->perf.at;
    s->file.unread = end - s->perf.at;
    s->file.killed = s->perf.killed;
    s->file.compressed = s->perf.unpack.unreadable;
    if (!cli_session_goes_on(session))
        return;
    s->list->totals.findings += wrong_of(&s->file);
    if (session->options->format == CLI_FORMAT_JSON)
        cli_branches_json_file(s->list, &s->file);
    else if (session->options->format == CLI_FORMAT_TEXT)
        cli_branches_text_file(s->list, &s->file);
    say_all(session, &s->file);
}

bool cli_branches_perf_file(struct cli_branch_list *list, const char *path, size_t *number)
{
    struct sample_file *s = calloc(1, sizeof *s);
    struct cairn_error error = {.status = CAIRN_OK};
    bool done = false;

    if (!s) {
        cli_session_say(list->session, "out of memory");
        return false;
    }
    s->list = list;
    s->file.path = path;
    struct cairn_perf_input input = {.read = cairn_input_read_of, .context = &s->fd, .name = path};
    cairn_status status = cairn_input_open(path, &s->fd, &input.size, &error);
    if (status == CAIRN_OK)
        status = cairn_perf_open(&s->perf, &input, &error);
    if (status == CAIRN_OK) {
        tell_file(s, number);
        done = s->file.samples > 0 || !cli_session_goes_on(list->session);
    } else
        cli_session_say(list->session, "%s", error.status ? error.text : cairn_status_text(status));
    cairn_perf_close(&s->perf);
    cairn_input_close(s->fd);
    free(s);
    return done;
}
