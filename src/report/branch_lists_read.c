/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of branch lists: one message as it is, that packed by zstd, or since 2024 a head and several messages, which may
 * be packed each. The first and the last form are also a section of perf.data, where lists were made while it recorded. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/room.h"
#include "capture/files.h"
#include "capture/perf/perf.h"
#include "image/file.h"
#include "report/branch_lists_format.h"
#include "report/branch_lists_parse.h"

/* A message of protocol buffers is smaller. */
#define UNPACKED_MOST (((uint64_t)1 << 31) - 1)
#define UNPACKED_STEP ((size_t)1 << 16)

/* As the only message begins: its first field is the magic. */
static const uint8_t message_head[] = {LISTED_MESSAGE_MAGIC << 3 | 2, LISTED_MAGIC_SIZE};

/* The section of perf.data that has lists (simpleperf record --decode-etm). */
#define FEATURE_BRANCH_LISTS 133u

/* What is read, and where in the file it begins. */
struct listed_reader {
    const char *name;
    const uint8_t *bytes;
    size_t size;
    uint64_t base;
    struct cairn_listed_file file;
    struct cairn_error *error;
};

/* --- what it is --- */

static bool begins_message(const uint8_t *bytes, size_t size)
{
    return size >= sizeof message_head + LISTED_MAGIC_SIZE &&
           !memcmp(bytes, message_head, sizeof message_head) &&
           !memcmp(bytes + sizeof message_head, LISTED_MAGIC, LISTED_MAGIC_SIZE);
}

static bool begins_several(const uint8_t *bytes, size_t size)
{
    return size >= LISTED_MAGIC_SIZE && !memcmp(bytes, LISTED_MAGIC, LISTED_MAGIC_SIZE);
}

static bool is_packed(const uint8_t *bytes, size_t size)
{
    return size >= sizeof(uint32_t) && cairn_load_le32(bytes) == ZSTD_MAGICNUMBER;
}

/* The beginning of what is packed is a message's. */
static bool packs_message(const uint8_t *bytes, size_t size)
{
    uint8_t head[sizeof message_head + LISTED_MAGIC_SIZE];
    ZSTD_inBuffer in = {bytes, size, 0};
    ZSTD_outBuffer out = {head, sizeof head, 0};
    ZSTD_DCtx *const stream = ZSTD_createDCtx();
    size_t result = 1, before = SIZE_MAX;

    while (stream && result && !ZSTD_isError(result) && out.pos < out.size && before != in.pos) {
        before = in.pos;
        result = ZSTD_decompressStream(stream, &out, &in);
    }
    ZSTD_freeDCtx(stream);
    return begins_message(head, out.pos);
}

/* Of perf.data where the lists are; false: it has none. */
static bool find_section(const char *path, uint64_t *offset, uint64_t *size)
{
    struct cairn_perf *const perf = calloc(1, sizeof *perf);
    int fd;
    struct cairn_perf_input input = {.read = cairn_input_read_of, .context = &fd, .name = path};
    bool has = false;

    if (perf && cairn_input_open(path, &fd, &input.size, NULL) == CAIRN_OK) {
        has = cairn_perf_open(perf, &input, NULL) == CAIRN_OK &&
              cairn_perf_feature(perf, FEATURE_BRANCH_LISTS, offset, size);
        cairn_perf_close(perf);
        cairn_input_close(fd);
    }
    free(perf);
    return has;
}

static bool is_perf(const char *path)
{
    uint8_t head[CAIRN_PERF_PROBE];

    return path && cairn_perf_probe(head, cairn_input_head(path, head, sizeof head));
}

bool cairn_branch_lists_is_file(const char *path)
{
    /* a block of zstd has 128 KiB at most, and the first one is wanted whole */
    static const size_t most = (size_t)1 << 18;
    uint8_t head[sizeof message_head + LISTED_MAGIC_SIZE] = {0};
    size_t size = path ? cairn_input_head(path, head, sizeof head) : 0;

    uint64_t section, section_size;

    if (begins_message(head, size) || begins_several(head, size))
        return true;
    if (is_perf(path))
        return find_section(path, &section, &section_size);
    if (!is_packed(head, size))
        return false;
    uint8_t *const bytes = malloc(most);
    size = bytes ? cairn_input_head(path, bytes, most) : 0;
    const bool is_it = packs_message(bytes, size);
    free(bytes);
    return is_it;
}

/* --- unpacked --- */

static cairn_status out_of_memory(const struct listed_reader *reader)
{
    return cairn_fail(reader->error, CAIRN_E_MEMORY, "%s: not enough memory to read it",
                      reader->name);
}

static cairn_status damaged(const struct listed_reader *reader, uint64_t offset,
                            const char *problem)
{
    return cairn_fail(reader->error, CAIRN_E_FORMAT,
                      "%s: is damaged at offset 0x%" PRIx64
                      ": %s. Copy it again, or collect the branch list anew",
                      reader->name, reader->base + offset, problem);
}

struct unpacked {
    uint8_t *bytes;
    size_t size, room;
};

static cairn_status unpack_stream(struct listed_reader *reader, ZSTD_DCtx *stream,
                                  ZSTD_inBuffer *in, struct unpacked *unpacked)
{
    const uint64_t offset = (uint64_t)((const uint8_t *)in->src - reader->bytes);
    uint64_t most = cairn_unpacked_most(in->size);
    size_t result = 1;

    most = most < UNPACKED_MOST ? most : UNPACKED_MOST;
    while (in->pos < in->size || result) {
        const size_t taken = in->pos;

        if (unpacked->size > most)
            return cairn_fail(reader->error, CAIRN_E_FORMAT,
                              "%s: what is packed at offset 0x%" PRIx64
                              " unpacks to more than %" PRIu64 " bytes, as no branch list does",
                              reader->name, reader->base + offset, most);
        if (cairn_enlarge(&unpacked->bytes, &unpacked->room, unpacked->size + UNPACKED_STEP, 1))
            return out_of_memory(reader);
        ZSTD_outBuffer out = {unpacked->bytes, unpacked->size + UNPACKED_STEP, unpacked->size};
        result = ZSTD_decompressStream(stream, &out, in);
        if (ZSTD_isError(result))
            return damaged(reader, offset + in->pos, "it cannot be unpacked");
        if (in->pos == taken && out.pos == unpacked->size && result)
            return damaged(reader, offset + in->pos, "what is packed is cut off");
        unpacked->size = out.pos;
    }
    return CAIRN_OK;
}

static cairn_status unpack(struct listed_reader *reader, const uint8_t *bytes, size_t size,
                           struct unpacked *unpacked)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    ZSTD_DCtx *const stream = ZSTD_createDCtx();
    const cairn_status status =
        stream ? unpack_stream(reader, stream, &in, unpacked) : out_of_memory(reader);

    ZSTD_freeDCtx(stream);
    return status;
}

/* --- messages --- */

static cairn_status too_many(const struct listed_reader *reader)
{
    return cairn_fail(reader->error, CAIRN_E_LIMIT,
                      "%s: it has, with the files before it, more than %u binaries. Merge fewer at "
                      "a time",
                      reader->name, CAIRN_LISTED_BINARIES_MOST);
}

/* `offset`: of the message in the file, or of what it was packed in. */
static cairn_status take_message(struct listed_reader *reader, const uint8_t *bytes, size_t size,
                                 uint64_t offset, bool was_packed)
{
    const cairn_status status = cairn_listed_message(&reader->file, bytes, size);

    switch (status) {
    case CAIRN_OK: return CAIRN_OK;
    case CAIRN_E_FORMAT:
        if (!was_packed)
            return damaged(reader, offset + (uint64_t)(reader->file.at - bytes),
                           reader->file.problem);
        return cairn_fail(reader->error, status,
                          "%s: what is packed at offset 0x%" PRIx64
                          " is damaged at its byte 0x%" PRIx64
                          ": %s. Copy the file again, or collect the branch list anew",
                          reader->name, reader->base + offset, (uint64_t)(reader->file.at - bytes),
                          reader->file.problem);
    case CAIRN_E_LIMIT: return too_many(reader);
    default: return out_of_memory(reader);
    }
}

static cairn_status take_packed(struct listed_reader *reader, const uint8_t *bytes, size_t size)
{
    struct unpacked unpacked = {.bytes = NULL};
    cairn_status status = unpack(reader, bytes, size, &unpacked);

    if (!status)
        status = take_message(reader, unpacked.bytes, unpacked.size,
                              (uint64_t)(bytes - reader->bytes), true);
    free(unpacked.bytes);
    return status;
}

static cairn_status take_several(struct listed_reader *reader)
{
    const uint8_t *const bytes = reader->bytes;
    cairn_status status = CAIRN_OK;

    if (reader->size < LISTED_HEAD_SIZE)
        return damaged(reader, reader->size, "it ends in its head");
    if (cairn_load_le32(bytes + LISTED_MAGIC_SIZE) != LISTED_VERSION)
        return cairn_fail(reader->error, CAIRN_E_UNSUPPORTED,
                          "%s: is a branch list of version %" PRIu32
                          ", and version %u alone is known here. Have simpleperf write another one",
                          reader->name, cairn_load_le32(bytes + LISTED_MAGIC_SIZE), LISTED_VERSION);
    const bool are_packed = bytes[LISTED_HEAD_SIZE - 1] == 1;
    for (size_t at = LISTED_HEAD_SIZE; at < reader->size && !status;) {
        const size_t left = reader->size - at;
        const uint32_t size = left < LISTED_SIZE_SIZE ? 0 : cairn_load_le32(bytes + at);

        if (left < LISTED_SIZE_SIZE || size > left - LISTED_SIZE_SIZE)
            return damaged(reader, at, "it ends in a message");
        at += LISTED_SIZE_SIZE;
        status = are_packed ? take_packed(reader, bytes + at, size)
                            : take_message(reader, bytes + at, size, at, false);
        at += size;
    }
    return status;
}

static cairn_status take_all(struct listed_reader *reader)
{
    if (begins_several(reader->bytes, reader->size))
        return take_several(reader);
    reader->file.wants_magic = true;
    if (is_packed(reader->bytes, reader->size))
        return take_packed(reader, reader->bytes, reader->size);
    return take_message(reader, reader->bytes, reader->size, 0, false);
}

static cairn_status read_lists(struct cairn_branch_lists *lists, const struct listed_reader *given)
{
    /* apart from what there is, which stays as it is where this fails */
    struct cairn_branch_lists own = {.binaries = NULL};
    struct listed_reader reader = *given;

    reader.file.lists = &own;
    cairn_status status = take_all(&reader);

    /* samples may be of no binary */
    if (!status && !lists->binary_count && !lists->sample_count) {
        cairn_branch_lists_clear(lists);
        *lists = own;
        own = (struct cairn_branch_lists){.binaries = NULL};
    } else if (!status) {
        status = cairn_branch_lists_merge(lists, &own);
        if (status)
            status = status == CAIRN_E_LIMIT ? too_many(&reader) : out_of_memory(&reader);
    }
    cairn_listed_file_clear(&reader.file);
    cairn_branch_lists_clear(&own);
    return status;
}

cairn_status cairn_branch_lists_read(struct cairn_branch_lists *lists, const char *name,
                                     const uint8_t *bytes, size_t size, struct cairn_error *error)
{
    return read_lists(
        lists, &(struct listed_reader){.name = name, .bytes = bytes, .size = size, .error = error});
}

cairn_status cairn_branch_lists_open(struct cairn_branch_lists *lists, const char *path,
                                     struct cairn_error *error)
{
    struct cairn_file *file = NULL;
    cairn_status status = cairn_file_open(path, &file, error);
    uint64_t offset = 0, size;

    if (status)
        return status;
    size = file->identity.size;
    if (is_perf(path) && !find_section(path, &offset, &size))
        status =
            cairn_fail(error, CAIRN_E_FORMAT, "%s: is a perf.data file without branch lists", path);
    else
        status = read_lists(lists, &(struct listed_reader){.name = path,
                                                           .bytes = file->data + offset,
                                                           .size = (size_t)size,
                                                           .base = offset,
                                                           .error = error});
    cairn_file_close(file);
    return status;
}
