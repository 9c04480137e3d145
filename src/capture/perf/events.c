/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a perf.data file, its attributes, and which identifiers are of which. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "capture/perf/perf.h"

#define MAGIC_SIZE 8u
static const char magic[MAGIC_SIZE + 1] = "PERFILE2";
static const char magic_swapped[MAGIC_SIZE + 1] = "2ELIFREP";

/* The header: magic, its size, size of an attribute entry, and sections {offset, size}. */
#define PIPE_HEADER_SIZE 16u
#define FILE_HEADER_SIZE 104u
enum { AT_HEADER_SIZE = 8, AT_ENTRY_SIZE = 16, AT_ATTRIBUTES = 24, AT_DATA = 40, AT_FEATURES = 72 };
#define FEATURE_WORDS 4u
#define SECTION_SIZE 16u

/* perf_event_attr: the first version has 64 bytes, later ones append. */
#define ATTRIBUTE_LEAST 64u
#define ATTRIBUTE_MOST 4096u
enum {
    AT_TYPE = 0,
    AT_SIZE = 4,
    AT_CONFIG = 8,
    AT_SAMPLE_TYPE = 24,
    AT_READ_FORMAT = 32,
    AT_FLAGS = 40,
    AT_BRANCH_SAMPLE_TYPE = 72,
};
/* Of the flags, which are bit fields: big-endian machines begin at the highest bit */
#define SAMPLE_ID_ALL 18u
#define INHERIT 1u
#define EXCLUDE_KERNEL 5u
#define ENABLE_ON_EXEC 12u
#define USE_CLOCKID 25u

bool cairn_perf_probe(const uint8_t *head, size_t size)
{
    return size >= MAGIC_SIZE &&
           (!memcmp(head, magic, MAGIC_SIZE) || !memcmp(head, magic_swapped, MAGIC_SIZE));
}

static bool flag_of(const struct cairn_perf *perf, const uint8_t *bytes, unsigned number)
{
    return cairn_perf_u64(perf, bytes + AT_FLAGS) >> (perf->big_endian ? 63 - number : number) & 1;
}

/* --- growing --- */

static cairn_status add_event(struct cairn_perf *perf, const uint8_t *bytes, size_t size)
{
    if (perf->event_count == CAIRN_PERF_EVENTS_MOST)
        return CAIRN_E_LIMIT;
    struct cairn_perf_event *grown =
        realloc(perf->events, (perf->event_count + 1) * sizeof *perf->events);
    if (!grown)
        return CAIRN_E_MEMORY;
    perf->events = grown;
    perf->events[perf->event_count++] = (struct cairn_perf_event){
        .type = cairn_perf_u32(perf, bytes + AT_TYPE),
        .config = cairn_perf_u64(perf, bytes + AT_CONFIG),
        .sample_type = cairn_perf_u64(perf, bytes + AT_SAMPLE_TYPE),
        .read_format = cairn_perf_u64(perf, bytes + AT_READ_FORMAT),
        .branch_sample_type = size >= AT_BRANCH_SAMPLE_TYPE + 8u
                                  ? cairn_perf_u64(perf, bytes + AT_BRANCH_SAMPLE_TYPE)
                                  : 0,
        .has_sample_id = flag_of(perf, bytes, SAMPLE_ID_ALL),
        .excludes_kernel = flag_of(perf, bytes, EXCLUDE_KERNEL),
        .starts_program = flag_of(perf, bytes, ENABLE_ON_EXEC),
        .is_inherited = flag_of(perf, bytes, INHERIT),
        .has_other_clock = flag_of(perf, bytes, USE_CLOCKID),
    };
    return CAIRN_OK;
}

static cairn_status add_id_of(struct cairn_perf *perf, uint64_t id, size_t event)
{
    if (perf->id_count == CAIRN_PERF_IDS_MOST)
        return CAIRN_E_LIMIT;
    if (perf->id_count == perf->id_room) {
        const size_t room = 2 * perf->id_room + 64;
        struct cairn_perf_id *grown = realloc(perf->ids, room * sizeof *grown);

        if (!grown)
            return CAIRN_E_MEMORY;
        perf->ids = grown;
        perf->id_room = room;
    }
    perf->ids[perf->id_count++] = (struct cairn_perf_id){.id = id, .event = (uint32_t)event};
    perf->sorted = false;
    return CAIRN_OK;
}

/* An identifier of the event that was added last. */
static cairn_status add_id(struct cairn_perf *perf, uint64_t id)
{
    return add_id_of(perf, id, perf->event_count - 1);
}

/* A count, and so many times the number of an event and its identifier: of a processor that came on while a whole system
 * was recorded. */
void cairn_perf_take_ids(struct cairn_perf *perf, const struct cairn_perf_record *record)
{
    enum { COUNT_SIZE = 8, ENTRY_SIZE = 16 };

    for (size_t at = COUNT_SIZE; at + ENTRY_SIZE <= record->size; at += ENTRY_SIZE) {
        const uint64_t event = cairn_perf_u64(perf, record->bytes + at);

        if (event < perf->event_count &&
            add_id_of(perf, cairn_perf_u64(perf, record->bytes + at + 8), (size_t)event) !=
                CAIRN_OK)
            return;
    }
}

/* The size that an attribute says it has; those of before it had one are of the first version. */
static size_t attribute_size(const struct cairn_perf *perf, const uint8_t *bytes)
{
    const uint32_t size = cairn_perf_u32(perf, bytes + AT_SIZE);

    return size ? size : ATTRIBUTE_LEAST;
}

bool cairn_perf_take_attribute(struct cairn_perf *perf, const uint8_t *bytes, size_t size)
{
    if (size < ATTRIBUTE_LEAST)
        return false;
    const size_t own = attribute_size(perf, bytes);
    if (own < ATTRIBUTE_LEAST || own > size || add_event(perf, bytes, own) != CAIRN_OK)
        return false;
    for (size_t at = own; size - at >= 8; at += 8)
        if (add_id(perf, cairn_perf_u64(perf, bytes + at)) != CAIRN_OK)
            return false;
    return true;
}

/* --- the header --- */

static cairn_status damaged(const struct cairn_perf *perf, struct cairn_error *error,
                            const char *what)
{
    return cairn_fail(error, CAIRN_E_FORMAT,
                      "%s: its header is damaged: %s. Record anew, or copy the file again",
                      perf->input.name, what);
}

static cairn_status limit(const struct cairn_perf *perf, cairn_status status,
                          struct cairn_error *error)
{
    return status == CAIRN_E_LIMIT
               ? cairn_fail(error, status,
                            "%s: it has more than %u events or %u identifiers, for which there is "
                            "no room. Record fewer events at a time",
                            perf->input.name, CAIRN_PERF_EVENTS_MOST, CAIRN_PERF_IDS_MOST)
               : cairn_fail(error, status, "%s: out of memory", perf->input.name);
}

/* The identifiers of the event that was added last, where the header says that they are. */
static cairn_status read_ids(struct cairn_perf *perf, uint64_t offset, uint64_t size,
                             struct cairn_error *error)
{
    if (offset > perf->input.size || size > perf->input.size - offset)
        return damaged(perf, error, "identifiers of an event lie behind the end of the file");
    for (uint64_t at = 0; size - at >= 8; at += 8) {
        const uint8_t *bytes = cairn_perf_bytes(perf, offset + at, 8);
        const cairn_status status = bytes ? add_id(perf, cairn_perf_u64(perf, bytes)) : CAIRN_E_IO;

        if (status == CAIRN_E_IO)
            return cairn_fail(error, status, "%s: cannot be read", perf->input.name);
        if (status != CAIRN_OK)
            return limit(perf, status, error);
    }
    return CAIRN_OK;
}

static cairn_status read_attribute(struct cairn_perf *perf, uint64_t offset, size_t entry_size,
                                   struct cairn_error *error)
{
    const uint8_t *bytes = cairn_perf_bytes(perf, offset, entry_size);

    if (!bytes)
        return damaged(perf, error, "an attribute lies behind the end of the file");
    const size_t own = attribute_size(perf, bytes);
    if (own < ATTRIBUTE_LEAST || own > entry_size - SECTION_SIZE)
        return damaged(perf, error, "an attribute has a size that cannot be");
    const uint64_t ids = cairn_perf_u64(perf, bytes + entry_size - SECTION_SIZE);
    const uint64_t ids_size = cairn_perf_u64(perf, bytes + entry_size - SECTION_SIZE + 8);
    const cairn_status status = add_event(perf, bytes, own);
    return status == CAIRN_OK ? read_ids(perf, ids, ids_size, error) : limit(perf, status, error);
}

static cairn_status read_file_header(struct cairn_perf *perf, struct cairn_error *error)
{
    const uint8_t *header = cairn_perf_bytes(perf, 0, FILE_HEADER_SIZE);

    if (!header)
        return damaged(perf, error, "the file ends in it");
    const uint64_t entry_size = cairn_perf_u64(perf, header + AT_ENTRY_SIZE);
    const uint64_t attributes = cairn_perf_u64(perf, header + AT_ATTRIBUTES);
    const uint64_t size = cairn_perf_u64(perf, header + AT_ATTRIBUTES + 8);
    perf->at = cairn_perf_u64(perf, header + AT_DATA);
    uint64_t data_size = cairn_perf_u64(perf, header + AT_DATA + 8);
    for (size_t i = 0; i < FEATURE_WORDS; i++)
        perf->features[i] = cairn_perf_u64(perf, header + AT_FEATURES + 8 * i);

    if (entry_size < ATTRIBUTE_LEAST + SECTION_SIZE || entry_size > ATTRIBUTE_MOST)
        return damaged(perf, error, "attributes have a size that cannot be");
    if (attributes > perf->input.size || size > perf->input.size - attributes || size < entry_size)
        return damaged(perf, error, "its attributes do not lie in the file");
    if (perf->at < FILE_HEADER_SIZE || perf->at > perf->input.size)
        return damaged(perf, error, "its data begin where no data can");
    for (uint64_t at = 0; size - at >= entry_size; at += entry_size) {
        const cairn_status status =
            read_attribute(perf, attributes + at, (size_t)entry_size, error);

        if (status != CAIRN_OK)
            return status;
    }
    perf->killed = data_size == 0;
    perf->is_short = data_size > perf->input.size - perf->at;
    if (perf->killed || perf->is_short)
        data_size = perf->input.size - perf->at; /* a record that is cut says so */
    perf->end = perf->at + data_size;
    perf->features_at = perf->killed ? 0 : perf->end;
    return CAIRN_OK;
}

bool cairn_perf_feature(struct cairn_perf *perf, unsigned feature, uint64_t *offset, uint64_t *size)
{
    uint64_t before = 0;

    if (!perf->features_at || feature >= 64 * FEATURE_WORDS ||
        !(perf->features[feature / 64] >> feature % 64 & 1))
        return false;
    for (unsigned i = 0; i < feature; i++)
        before += perf->features[i / 64] >> i % 64 & 1;
    const uint8_t *section =
        cairn_perf_bytes(perf, perf->features_at + before * SECTION_SIZE, SECTION_SIZE);
    if (!section)
        return false;
    *offset = cairn_perf_u64(perf, section);
    *size = cairn_perf_u64(perf, section + 8);
    return *offset <= perf->input.size && *size <= perf->input.size - *offset;
}

/* simpleperf looks through /proc in a thread of its own while it records a whole system, and writes what it found there
 * behind the data. It is told as if it stood in front. */
static void begin_in_front(struct cairn_perf *perf)
{
    uint64_t offset, size;

    if (!cairn_perf_feature(perf, CAIRN_PERF_FEATURE_INIT_MAP, &offset, &size))
        return;
    perf->is_in_front = true;
    perf->data_at = perf->at;
    perf->data_end = perf->end;
    perf->at = offset;
    perf->end = offset + size;
}

cairn_status cairn_perf_open(struct cairn_perf *perf, const struct cairn_perf_input *input,
                             struct cairn_error *error)
{
    memset(perf, 0, offsetof(struct cairn_perf, bytes));
    perf->bytes_at = 0;
    perf->bytes_count = 0;
    perf->unpack = (struct cairn_perf_unpack){0};
    perf->input = *input;
    const uint8_t *head = cairn_perf_bytes(perf, 0, PIPE_HEADER_SIZE);
    if (!head || !cairn_perf_probe(head, MAGIC_SIZE))
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: it is no perf.data file: these begin with PERFILE2", input->name);
    perf->big_endian = !memcmp(head, magic_swapped, MAGIC_SIZE);
    const uint64_t header_size = cairn_perf_u64(perf, head + AT_HEADER_SIZE);
    if (header_size == PIPE_HEADER_SIZE) {
        perf->pipe = true;
        perf->at = PIPE_HEADER_SIZE;
        perf->end = input->size;
        return CAIRN_OK;
    }
    if (header_size != FILE_HEADER_SIZE)
        return damaged(perf, error, "it has a size that cannot be");
    const cairn_status status = read_file_header(perf, error);

    if (status == CAIRN_OK)
        begin_in_front(perf);
    return status;
}

void cairn_perf_close(struct cairn_perf *perf)
{
    cairn_perf_unpack_free(perf);
    free(perf->events);
    free(perf->ids);
    perf->events = NULL;
    perf->ids = NULL;
    perf->event_count = perf->id_count = perf->id_room = 0;
}
