/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/port/archive.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/library.h"

/* libzip holds the whole directory in memory, whatever it says: one of so many bytes names 300,000 entries. */
#define DIRECTORY_MAX ((uint64_t)16 << 20)
/* The records at the end of an archive (APPNOTE.TXT 4.3.14 to 4.3.16). */
#define END_SIZE 22u
#define END_DIRECTORY_SIZE 12u
#define LOCATOR_SIZE 20u
#define LOCATOR_OFFSET 8u
#define END64_SIZE 56u
#define END64_DIRECTORY_SIZE 40u
#define COMMENT_MAX 65535u
#define IN_END64 0xffffffffu

struct cairn_archive {
    struct cairn_port_input input;
    uint64_t position; /* of libzip in the input */
    zip_t *zip;
    zip_file_t *entry;
    zip_error_t failure;
};

/* --- libzip --- */

/* Of libzip all that is used: it brings libcrypto with it, and loading both takes longer than all else at a start. */
#define FUNCTIONS(X)                                                                               \
    X(discard)                                                                                     \
    X(error_code_zip)                                                                              \
    X(error_fini)                                                                                  \
    X(error_init)                                                                                  \
    X(error_init_with_code)                                                                        \
    X(error_set)                                                                                   \
    X(error_strerror)                                                                              \
    X(error_to_data)                                                                               \
    X(fclose)                                                                                      \
    X(fopen_index)                                                                                 \
    X(fread)                                                                                       \
    X(get_name)                                                                                    \
    X(get_num_entries)                                                                             \
    X(name_locate)                                                                                 \
    X(open_from_source)                                                                            \
    X(source_free)                                                                                 \
    X(source_function_create)                                                                      \
    X(source_seek_compute_offset)                                                                  \
    X(stat_init)

#define MEMBER(name) __typeof__(zip_##name) *name;
#define ROW(name) {"zip_" #name, &zip.name},

static struct {
    FUNCTIONS(MEMBER)
    bool is_there;
} zip;

static void load_zip(void)
{
    /* libzip's own name since 1.5, and Debian's, which is of the same functions. */
    static const char *const names[] = {"libzip.so.5", "libzip.so.4", NULL};
    static const struct cairn_library_function functions[] = {FUNCTIONS(ROW)};

    zip.is_there = cairn_library_load(names, functions, sizeof functions / sizeof functions[0]);
}

static bool has_zip(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    return pthread_once(&once, load_zip) == 0 && zip.is_there;
}

/* --- how libzip reads the input --- */

static zip_int64_t seek_input(struct cairn_archive *archive, void *data, zip_uint64_t length)
{
    const zip_int64_t to = zip.source_seek_compute_offset(archive->position, archive->input.size,
                                                          data, length, &archive->failure);

    if (to < 0)
        return -1;
    archive->position = (uint64_t)to;
    return 0;
}

static zip_int64_t read_input(struct cairn_archive *archive, void *data, zip_uint64_t length)
{
    const int64_t got =
        cairn_port_input_read(&archive->input, data, (size_t)length, archive->position);

    if (got < 0) {
        zip.error_set(&archive->failure, ZIP_ER_READ, 0);
        return -1;
    }
    archive->position += (uint64_t)got;
    return got;
}

static zip_int64_t tell_size(const struct cairn_archive *archive, void *data, zip_uint64_t length)
{
    zip_stat_t *told = data;

    if (length < sizeof *told)
        return -1;
    zip.stat_init(told);
    told->size = archive->input.size;
    told->valid = ZIP_STAT_SIZE;
    return sizeof *told;
}

static zip_int64_t answer(void *context, void *data, zip_uint64_t length, zip_source_cmd_t command)
{
    struct cairn_archive *archive = context;

    switch (command) {
    case ZIP_SOURCE_OPEN: archive->position = 0; return 0;
    case ZIP_SOURCE_READ: return read_input(archive, data, length);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE: return 0;
    case ZIP_SOURCE_STAT: return tell_size(archive, data, length);
    case ZIP_SOURCE_ERROR: return zip.error_to_data(&archive->failure, data, length);
    case ZIP_SOURCE_SEEK: return seek_input(archive, data, length);
    case ZIP_SOURCE_TELL: return (zip_int64_t)archive->position;
    case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_SEEKABLE;
    default: zip.error_set(&archive->failure, ZIP_ER_OPNOTSUPP, 0); return -1;
    }
}

/* --- how large its directory is --- */

/* What the record of 64 bits says, if there is one in front of the end. */
static uint64_t directory64(const struct cairn_port_input *input, const uint8_t *end, size_t before)
{
    uint8_t record[END64_SIZE];
    const uint8_t *locator = end - LOCATOR_SIZE;

    if (before < LOCATOR_SIZE || memcmp(locator, "PK\6\7", 4) != 0)
        return 0;
    const uint64_t offset = cairn_load_le64(locator + LOCATOR_OFFSET);
    if (offset > input->size ||
        cairn_port_input_read(input, record, sizeof record, offset) != (int64_t)sizeof record)
        return 0;
    return cairn_load_le64(record + END64_DIRECTORY_SIZE);
}

/* Whatever looks like an end: libzip chooses one of them. */
static bool is_directory_too_large(const struct cairn_port_input *input)
{
    const size_t most = LOCATOR_SIZE + END_SIZE + COMMENT_MAX;
    const size_t size = input->size < most ? (size_t)input->size : most;
    uint8_t *tail = malloc(size + 1);
    bool too_large = false;

    if (!tail)
        return false; /* libzip will say so */
    const int64_t got = cairn_port_input_read(input, tail, size, input->size - size);
    for (size_t i = 0; got > 0 && i + END_SIZE <= (size_t)got; i++) {
        if (memcmp(tail + i, "PK\5\6", 4) != 0)
            continue;
        const uint32_t told = cairn_load_le32(tail + i + END_DIRECTORY_SIZE);
        too_large |= (told > DIRECTORY_MAX && told != IN_END64) ||
                     directory64(input, tail + i, i) > DIRECTORY_MAX;
    }
    free(tail);
    return too_large;
}

/* --- opening --- */

static cairn_status not_opened(int code, const char *what, struct cairn_error *error)
{
    zip_error_t failure;

    if (code == ZIP_ER_MEMORY)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to open it", what);
    if (code == ZIP_ER_READ || code == ZIP_ER_OPEN || code == ZIP_ER_SEEK)
        return cairn_fail(error, CAIRN_E_IO, "%s: cannot be read", what);
    if (code == ZIP_ER_NOZIP)
        return cairn_fail(
            error, CAIRN_E_FORMAT,
            "%s: is a ZIP archive whose directory, which is at its end, is missing: the "
            "file was cut off. Copy it, or save the session, once more",
            what);
    zip.error_init_with_code(&failure, code);
    const cairn_status status =
        cairn_fail(error, CAIRN_E_FORMAT,
                   "%s: is a damaged ZIP archive (%s). Copy it, or save the session, once more",
                   what, zip.error_strerror(&failure));
    zip.error_fini(&failure);
    return status;
}

cairn_status cairn_archive_open(const struct cairn_port_input *input, const char *what,
                                struct cairn_archive **archive, struct cairn_error *error)
{
    struct cairn_archive *made;
    zip_error_t failure;

    if (!has_zip())
        return cairn_fail(
            error, CAIRN_E_UNSUPPORTED,
            "%s: is a session of sigrok's, and libzip, which reads it, cannot be loaded "
            "(libzip.so.5 or libzip.so.4). Install it, or make a value change dump of the "
            "session (sigrok-cli -i FILE.sr -O vcd -o FILE.vcd)",
            what);
    if (is_directory_too_large(input))
        return cairn_fail(error, CAIRN_E_LIMIT,
                          "%s: the directory of this ZIP archive has more than 16 MiB, which no "
                          "session needs",
                          what);
    made = calloc(1, sizeof *made);
    if (!made)
        return not_opened(ZIP_ER_MEMORY, what, error);
    made->input = *input;
    zip.error_init(&made->failure);
    zip.error_init(&failure);
    zip_source_t *source = zip.source_function_create(answer, made, &failure);
    if (source)
        made->zip = zip.open_from_source(source, ZIP_RDONLY, &failure);
    if (made->zip) {
        zip.error_fini(&failure);
        *archive = made;
        return CAIRN_OK;
    }
    const cairn_status status = not_opened(zip.error_code_zip(&failure), what, error);
    if (source)
        zip.source_free(source);
    zip.error_fini(&failure);
    cairn_archive_close(made);
    return status;
}

static void leave(struct cairn_archive *archive)
{
    if (archive->entry)
        zip.fclose(archive->entry);
    archive->entry = NULL;
}

void cairn_archive_close(struct cairn_archive *archive)
{
    if (!archive)
        return;
    leave(archive);
    if (archive->zip)
        zip.discard(archive->zip);
    zip.error_fini(&archive->failure);
    free(archive);
}

/* --- entries --- */

uint64_t cairn_archive_count(const struct cairn_archive *archive)
{
    const zip_int64_t count = zip.get_num_entries(archive->zip, 0);

    return count > 0 ? (uint64_t)count : 0;
}

const char *cairn_archive_name(const struct cairn_archive *archive, uint64_t index)
{
    return zip.get_name(archive->zip, index, ZIP_FL_ENC_RAW);
}

bool cairn_archive_enter(struct cairn_archive *archive, uint64_t index)
{
    leave(archive);
    archive->entry = zip.fopen_index(archive->zip, index, 0);
    return archive->entry != NULL;
}

int64_t cairn_archive_read(struct cairn_archive *archive, void *bytes, size_t size)
{
    return archive->entry ? zip.fread(archive->entry, bytes, size) : -1;
}

cairn_status cairn_archive_text(struct cairn_archive *archive, const char *name, size_t limit,
                                char **text, size_t *size)
{
    const zip_int64_t index = zip.name_locate(archive->zip, name, ZIP_FL_ENC_RAW);
    size_t used = 0;
    int64_t got;

    if (index < 0)
        return CAIRN_E_NOT_FOUND;
    if (!cairn_archive_enter(archive, (uint64_t)index))
        return CAIRN_E_IO;
    char *made = malloc(limit + 2);
    if (!made)
        return CAIRN_E_MEMORY;
    while ((got = cairn_archive_read(archive, made + used, limit + 1 - used)) > 0)
        used += (size_t)got;
    leave(archive);
    if (got < 0 || used > limit) {
        free(made);
        return got < 0 ? CAIRN_E_IO : CAIRN_E_LIMIT;
    }
    made[used] = 0;
    *text = made;
    *size = used;
    return CAIRN_OK;
}
