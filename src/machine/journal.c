/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/snapshot/write.h"
#include "machine/pages.h"

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

bool cairn_journal_name_ok(const char *name, size_t capacity)
{
    static const char *const taken[] = {"snapshot", "trace", "memory", "recording", "program"};
    const size_t length = strnlen(name, capacity);
    if (length == 0 || length >= capacity || *name == '.')
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!is_name_character(name[i]))
            return false;
    }
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (!strcasecmp(name, taken[i]))
            return false;
    }
    return strncasecmp(name, "core_", 5) != 0;
}

char *cairn_journal_path(const char *folder, const char *name, const char *suffix)
{
    const size_t size = strlen(folder) + strlen(name) + strlen(suffix) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s%s", folder, name, suffix);
    return path;
}

/* Maps all of a regular file; *size is 0 and *bytes NULL for an empty one. Private: what another
 * process still writes may show or not, and nothing is written back. */
static cairn_status map_file(const char *path, const uint8_t **bytes, size_t *size,
                             struct cairn_error *error)
{
    char reason[128];
    struct stat info;
    *bytes = NULL;
    *size = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT)
        return cairn_fail(error, CAIRN_E_NOT_FOUND,
                          "%s: there is no unfinished recording here; give the folder of one",
                          path);
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        const int number = fd < 0 ? errno : EINVAL;
        if (fd >= 0)
            close(fd);
        return cairn_fail(error, CAIRN_E_IO, "%s: cannot be read: %s", path,
                          strerror_r(number, reason, sizeof reason));
    }
    cairn_status status = CAIRN_OK;
    if ((uintmax_t)info.st_size > SIZE_MAX) {
        status =
            cairn_fail(error, CAIRN_E_LIMIT, "%s: %ju bytes are more than this machine can map",
                       path, (uintmax_t)info.st_size);
    } else if (info.st_size > 0) {
        void *mapped = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (mapped == MAP_FAILED)
            status = cairn_fail(error, CAIRN_E_IO, "%s: cannot be mapped: %s", path,
                                strerror_r(errno, reason, sizeof reason));
        else
            *bytes = mapped, *size = (size_t)info.st_size;
    }
    close(fd);
    return status;
}

static cairn_status check_head(const char *path, const struct cairn_journal_head *head, size_t size,
                               struct cairn_error *error)
{
    if (size < sizeof *head || head->control.magic != CAIRN_JOURNAL_MAGIC)
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: is no recording's, or cut short; the trace files beside it can be "
                          "opened one by one as raw buffers",
                          path);
    if (head->control.version != CAIRN_JOURNAL_VERSION ||
        head->row_size != sizeof(struct cairn_journal_row))
        return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                          "%s: was written by another version of Cairn, or on another machine; "
                          "finish the recording with that one",
                          path);
    if (!cairn_snapshot_takes((enum cairn_protocol_id)head->protocol))
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: is damaged: no trace protocol has the number %u", path,
                          head->protocol);
    return CAIRN_OK;
}

cairn_status cairn_journal_open(const char *folder, struct cairn_journal *journal,
                                struct cairn_error *error)
{
    const uint8_t *bytes = NULL;
    memset(journal, 0, sizeof *journal);
    char *ctl = cairn_journal_path(folder, CAIRN_JOURNAL_CTL, "");
    char *code = cairn_journal_path(folder, CAIRN_JOURNAL_CODE, "");
    cairn_status status = CAIRN_OK;
    if (!ctl || !code)
        status = cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to finish it", folder);
    if (status == CAIRN_OK)
        status = map_file(ctl, &bytes, &journal->head_bytes, error);
    if (status == CAIRN_OK) {
        journal->head = (const struct cairn_journal_head *)(const void *)bytes;
        status = check_head(ctl, journal->head, journal->head_bytes, error);
    }
    if (status == CAIRN_OK) {
        status = map_file(code, &journal->code, &journal->code_mapped, error);
        if (status == CAIRN_E_NOT_FOUND)
            status = CAIRN_OK;
    }
    free(ctl);
    free(code);
    if (status != CAIRN_OK) {
        cairn_journal_close(journal);
        return status;
    }
    const uint64_t told = atomic_load(&journal->head->control.code_bytes);
    journal->code_bytes = told < journal->code_mapped ? (size_t)told : journal->code_mapped;
    const uint64_t rows =
        (journal->head_bytes - sizeof *journal->head) / sizeof(struct cairn_journal_row);
    const uint64_t sources = atomic_load(&journal->head->control.sources);
    journal->source_count = (size_t)(sources < rows ? sources : rows);
    if (journal->source_count > CAIRN_JOURNAL_SOURCES)
        journal->source_count = CAIRN_JOURNAL_SOURCES;
    return CAIRN_OK;
}

void cairn_journal_close(struct cairn_journal *journal)
{
    if (journal->head)
        munmap((void *)(uintptr_t)journal->head, journal->head_bytes);
    if (journal->code)
        munmap((void *)(uintptr_t)journal->code, journal->code_mapped);
    memset(journal, 0, sizeof *journal);
}

static bool is_possible(const struct cairn_journal_record *record)
{
    switch ((enum cairn_journal_kind)record->kind) {
    case CAIRN_JOURNAL_VERSION_HAS:
        return record->size > 0 && record->source < CAIRN_PAGES_SPACES &&
               record->version <= CAIRN_JOURNAL_VERSIONS &&
               record->size <= CAIRN_PAGE_BYTES - record->address % CAIRN_PAGE_BYTES;
    case CAIRN_JOURNAL_TURNED:
        return record->size == 0 && record->value % CAIRN_PAGE_BYTES < CAIRN_PAGES_SPACES &&
               record->version <= CAIRN_JOURNAL_VERSIONS;
    case CAIRN_JOURNAL_SEEN:
    case CAIRN_JOURNAL_CHANGED:
        return record->size > 0 && record->address <= UINT64_MAX - (record->size - 1);
    case CAIRN_JOURNAL_SWITCHED: return record->size == 0;
    case CAIRN_JOURNAL_REGISTERED:
        return record->size % sizeof(struct cairn_journal_register) == 0 &&
               record->size / sizeof(struct cairn_journal_register) <= CAIRN_JOURNAL_REGISTERS;
    case CAIRN_JOURNAL_MAPPED:
        return record->size > sizeof(struct cairn_journal_mapping) &&
               record->size < sizeof(struct cairn_journal_mapping) + CAIRN_JOURNAL_PATH;
    case CAIRN_JOURNAL_PROGRAM: return record->size <= CAIRN_JOURNAL_PROGRAM_MOST;
    case CAIRN_JOURNAL_THREAD: return record->size <= CAIRN_JOURNAL_THREAD_NAME;
    }
    return false;
}

bool cairn_journal_next(const struct cairn_journal *journal, size_t *position,
                        struct cairn_journal_record *record, const uint8_t **payload)
{
    const size_t left = journal->code_bytes - *position;
    if (left < sizeof *record)
        return false;
    memcpy(record, journal->code + *position, sizeof *record);
    const uint64_t padded = ((uint64_t)record->size + 7) & ~UINT64_C(7);
    if (!is_possible(record) || padded > left - sizeof *record)
        return false;
    *payload = journal->code + *position + sizeof *record;
    *position += sizeof *record + (size_t)padded;
    return true;
}
