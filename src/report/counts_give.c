/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/counts_give.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "capture/arena.h"
#include "image/layer.h"
#include "image/names.h"
#include "report/counts_take.h"

void cairn_counts_given_free(struct cairn_counts_given *given)
{
    const size_t count = given->counts ? given->counts->tables[CAIRN_COUNTS_OBJECTS].count : 0;

    for (size_t i = 0; given->files && i < count; i++)
        cairn_counts_file_clear(&given->files[i]);
    free(given->files);
    free(given->unnamed);
    cairn_image_unref(given->image);
}

static const char *text_of(const struct cairn_counts *counts, uint64_t text)
{
    return counts->texts[text].bytes;
}

uint64_t cairn_counts_bias(const struct cairn_counts *counts, uint64_t object)
{
    if (!object)
        return 0;
    const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS, object - 1);
    return row[CAIRN_COUNTS_OBJECT_BIAS] == row[CAIRN_COUNTS_OBJECT_BIAS_MOST]
               ? row[CAIRN_COUNTS_OBJECT_BIAS]
               : 0;
}

/* --- memory --- */

/* A version of an object's memory is there at an offset of its own, as if the code had changed in between: the
 * row that it begins at, and 1. Version 0 is there always, and so is what is not there any more. */
static uint64_t time_of(const struct cairn_counts *counts, uint64_t object, uint64_t version)
{
    const size_t count = counts->tables[CAIRN_COUNTS_MEMORY].count;
    size_t from = 0, until = count;

    while (from < until && version) {
        const size_t middle = from + (until - from) / 2;
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_MEMORY, middle);

        if (row[CAIRN_COUNTS_MEMORY_OBJECT] < object ||
            (row[CAIRN_COUNTS_MEMORY_OBJECT] == object &&
             row[CAIRN_COUNTS_MEMORY_VERSION] < version))
            from = middle + 1;
        else
            until = middle;
    }
    return version ? from + 1 : 0;
}

/* Pages that touch become one layer. */
static cairn_status add_memory(struct cairn_counts_given *given, size_t object,
                               const struct cairn_scope *scope, size_t *at,
                               struct cairn_error *error)
{
    const struct cairn_counts *const counts = given->counts;
    const size_t count = counts->tables[CAIRN_COUNTS_MEMORY].count;
    const uint64_t *const from = cairn_counts_row(counts, CAIRN_COUNTS_MEMORY, *at);
    const uint64_t owner =
        from[CAIRN_COUNTS_MEMORY_OWNER] ? from[CAIRN_COUNTS_MEMORY_OWNER] - 1 : object;
    const char *const name = text_of(
        counts, cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS, owner)[CAIRN_COUNTS_OBJECT_PATH]);
    struct cairn_scope timed = *scope;
    size_t size = 0, end = *at;

    if (from[CAIRN_COUNTS_MEMORY_VERSION]) {
        timed.epoch_from = time_of(counts, object + 1, from[CAIRN_COUNTS_MEMORY_VERSION]);
        timed.epoch_to = timed.epoch_from + 1;
    }
    while (end < count) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_MEMORY, end);

        if (row[CAIRN_COUNTS_MEMORY_OBJECT] != object + 1 ||
            row[CAIRN_COUNTS_MEMORY_VERSION] != from[CAIRN_COUNTS_MEMORY_VERSION] ||
            row[CAIRN_COUNTS_MEMORY_ADDRESS] != from[CAIRN_COUNTS_MEMORY_ADDRESS] + size ||
            row[CAIRN_COUNTS_MEMORY_ORDER] != from[CAIRN_COUNTS_MEMORY_ORDER] ||
            row[CAIRN_COUNTS_MEMORY_PLACE] != from[CAIRN_COUNTS_MEMORY_PLACE] ||
            row[CAIRN_COUNTS_MEMORY_OWNER] != from[CAIRN_COUNTS_MEMORY_OWNER])
            break;
        size += counts->texts[row[CAIRN_COUNTS_MEMORY_BYTES]].size;
        end++;
    }
    if (from[CAIRN_COUNTS_MEMORY_ORDER] > CAIRN_ORDER_BE32 || !size)
        return CAIRN_E_FORMAT;
    uint8_t *const bytes = malloc(size);
    if (!bytes)
        return CAIRN_E_MEMORY;
    size = 0;
    for (; *at < end; ++*at) {
        const struct cairn_counts_text *const page = &counts->texts[cairn_counts_row(
            counts, CAIRN_COUNTS_MEMORY, *at)[CAIRN_COUNTS_MEMORY_BYTES]];

        memcpy(bytes + size, page->bytes, page->size);
        size += page->size;
    }
    const cairn_status status = cairn_image_add_bytes(
        given->image, name, &timed, (enum cairn_order)from[CAIRN_COUNTS_MEMORY_ORDER],
        from[CAIRN_COUNTS_MEMORY_ADDRESS] + cairn_counts_bias(counts, object + 1), bytes, size,
        error);
    if (!status)
        cairn_image_set_place(given->image, from[CAIRN_COUNTS_MEMORY_PLACE]);
    free(bytes);
    return status;
}

static cairn_status add_object(struct cairn_counts_given *given, size_t object,
                               struct cairn_error *error)
{
    const struct cairn_counts *const counts = given->counts;
    const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS, object);
    const uint64_t bias = cairn_counts_bias(counts, object + 1);
    struct cairn_scope scope = cairn_scope_any();
    cairn_status status = CAIRN_OK;

    scope.source = (uint32_t)object;
    if (given->files[object].path)
        status = cairn_counts_file_add(&given->files[object], given->image,
                                       row[CAIRN_COUNTS_OBJECT_KIND] == CAIRN_COUNTS_FILE, bias,
                                       &scope, error);
    const size_t behind = cairn_counts_first_of(counts, CAIRN_COUNTS_MEMORY, object + 2);
    for (size_t at = cairn_counts_first_of(counts, CAIRN_COUNTS_MEMORY, object + 1);
         at < behind && !status;)
        status = add_memory(given, object, &scope, &at, error);
    return status;
}

cairn_status cairn_counts_find(struct cairn_counts_given *given,
                               const struct cairn_capture_options *options,
                               const char *const *files, size_t file_count,
                               struct cairn_error *error)
{
    const struct cairn_counts *const counts = given->counts;
    const size_t count = counts->tables[CAIRN_COUNTS_OBJECTS].count;
    cairn_status status = cairn_image_new(&given->image);

    if (!status)
        status = cairn_image_set_folders(given->image, options->debug_folders,
                                         options->debug_folder_count);
    given->files = calloc(count + 1, sizeof *given->files);
    if (!status && !given->files)
        status = CAIRN_E_MEMORY;
    for (size_t i = 0; i < count && !status; i++) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS, i);

        if (row[CAIRN_COUNTS_OBJECT_KIND] != CAIRN_COUNTS_UNNAMED) {
            status = cairn_counts_file_find(text_of(counts, row[CAIRN_COUNTS_OBJECT_PATH]),
                                            text_of(counts, row[CAIRN_COUNTS_OBJECT_ID]), options,
                                            files, file_count, &given->files[i]);
            if (!given->files[i].path && !given->missing++)
                given->first_missing = i;
        }
        if (!status)
            status = add_object(given, i, error);
    }
    if (status && error && !error->status)
        return cairn_fail(error, status, "%s", cairn_status_text(status));
    return status;
}

/* --- what was counted --- */

static cairn_status select_object(struct cairn_profiled *profile, uint64_t object, uint64_t time,
                                  struct cairn_place *place)
{
    *place = (struct cairn_place){.source = object ? (uint32_t)object - 1 : CAIRN_ANY_SOURCE - 1,
                                  .offset = time};
    return cairn_space_select(profile->space, place);
}

uint32_t cairn_counts_function(struct cairn_counts_given *given, struct cairn_profiled *profile,
                               uint64_t object, uint64_t address)
{
    struct cairn_place place;
    bool starts;

    if (!object || select_object(profile, object, 0, &place))
        return 0;
    if (address != CAIRN_COUNTS_NO_SYMBOL)
        return cairn_functions_at(&profile->functions, profile->space,
                                  address + cairn_counts_bias(given->counts, object), &starts);
    if (!given->unnamed)
        given->unnamed =
            calloc(given->counts->tables[CAIRN_COUNTS_OBJECTS].count, sizeof *given->unnamed);
    if (given->unnamed && given->unnamed[object - 1])
        return given->unnamed[object - 1];
    for (uint32_t i = 1; i < profile->functions.count && given->files[object - 1].path; i++) {
        const struct cairn_function *const one = &profile->functions.list[i];

        if (!one->name && one->object && !strcmp(one->object, given->files[object - 1].path)) {
            if (given->unnamed)
                given->unnamed[object - 1] = i;
            return i;
        }
    }
    return 0;
}

static cairn_status give_config(const struct cairn_counts *counts, size_t source,
                                struct cairn_config **config)
{
    const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_SOURCES, source);
    const uint64_t *const arch =
        cairn_counts_row(counts, CAIRN_COUNTS_ARCHS, row[CAIRN_COUNTS_SOURCE_ARCH]);
    const size_t first = cairn_counts_first_of(counts, CAIRN_COUNTS_REGISTERS, source);
    const size_t behind = cairn_counts_first_of(counts, CAIRN_COUNTS_REGISTERS, source + 1);
    struct cairn_source_config wanted = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_register *const registers = calloc(behind - first + 1, sizeof *registers);

    if (!registers)
        return CAIRN_E_MEMORY;
    for (size_t i = first; i < behind; i++) {
        const uint64_t *const one = cairn_counts_row(counts, CAIRN_COUNTS_REGISTERS, i);

        registers[wanted.register_count++] =
            (struct cairn_register){text_of(counts, one[2]), one[3]};
    }
    wanted.protocol = (enum cairn_protocol_id)row[CAIRN_COUNTS_SOURCE_PROTOCOL];
    wanted.arch = (struct cairn_arch){(enum cairn_profile)arch[0], (uint8_t)arch[1],
                                      (uint8_t)arch[2], (uint32_t)arch[3]};
    wanted.source = (uint32_t)source;
    wanted.registers = registers;
    const bool is_known = row[CAIRN_COUNTS_SOURCE_PROTOCOL] <= INT32_MAX &&
                          cairn_protocol_decodes(wanted.protocol) && arch[0] <= CAIRN_PROFILE_M &&
                          arch[1] <= UINT8_MAX && arch[2] <= UINT8_MAX && arch[3] <= UINT32_MAX;
    const cairn_status status = is_known ? cairn_config_new(&wanted, config, NULL) : CAIRN_E_FORMAT;
    free(registers);
    return status == CAIRN_E_MEMORY ? status : status ? CAIRN_E_FORMAT : CAIRN_OK;
}

static cairn_status give_sources(const struct cairn_counts *counts, struct cairn_profiled *profile)
{
    const size_t count = counts->tables[CAIRN_COUNTS_SOURCES].count;
    cairn_status status = CAIRN_OK;

    profile->sources = calloc(count + 1, sizeof *profile->sources);
    if (!profile->sources)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < count && !status; i++) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_SOURCES, i);
        struct cairn_profile_source *const source = &profile->sources[i];

        status = give_config(counts, i, &source->config);
        if (status)
            break;
        source->name = text_of(counts, row[CAIRN_COUNTS_SOURCE_NAME]);
        source->index = (uint32_t)i;
        source->instructions = row[CAIRN_COUNTS_SOURCE_INSTRUCTIONS];
        source->cycles = row[CAIRN_COUNTS_SOURCE_CYCLES];
        profile->has_cycles |= source->cycles != 0;
        profile->source_count++;
    }
    return status;
}

static bool is_block(const uint64_t *row)
{
    return row[CAIRN_COUNTS_BLOCK_INSTRUCTIONS] <= UINT32_MAX &&
           row[CAIRN_COUNTS_BLOCK_ISA] <= CAIRN_ISA_T32 && row[CAIRN_COUNTS_BLOCK_LAST_SIZE] <= 4 &&
           row[CAIRN_COUNTS_BLOCK_FLAGS] <= UINT16_MAX &&
           row[CAIRN_COUNTS_BLOCK_MORE_FLAGS] <= UINT16_MAX;
}

/* Instructions of all blocks, which answers list one by one: more than of any program's. */
#define INSTRUCTIONS_MOST (UINT64_C(1) << 26)

/* The first source with an architecture tells it: of each architecture, UINT32_MAX where there is none. */
static uint32_t *sources_of_archs(const struct cairn_counts *counts)
{
    const size_t count = counts->tables[CAIRN_COUNTS_ARCHS].count;
    uint32_t *const sources = malloc((count + 1) * sizeof *sources);

    for (size_t i = 0; i < count && sources; i++)
        sources[i] = UINT32_MAX;
    for (size_t i = counts->tables[CAIRN_COUNTS_SOURCES].count; i-- > 0 && sources;)
        sources[cairn_counts_row(counts, CAIRN_COUNTS_SOURCES, i)[CAIRN_COUNTS_SOURCE_ARCH]] =
            (uint32_t)i;
    return sources;
}

static cairn_status give_block(struct cairn_counts_given *given, struct cairn_profiled *profile,
                               const uint64_t *row, uint32_t source, struct cairn_block_count *one)
{
    const uint64_t bias = cairn_counts_bias(given->counts, row[CAIRN_COUNTS_BLOCK_OBJECT]);
    const uint64_t address = row[CAIRN_COUNTS_BLOCK_ADDRESS] + bias;
    uint64_t end = address + row[CAIRN_COUNTS_BLOCK_SIZE];
    bool starts;

    if (!is_block(row))
        return CAIRN_E_FORMAT;
    if (row[CAIRN_COUNTS_BLOCK_ISA] != CAIRN_ISA_A64)
        end &= UINT32_MAX;
    *one = (struct cairn_block_count){
        .block = {.address = address,
                  .end = end,
                  .instructions = (uint32_t)row[CAIRN_COUNTS_BLOCK_INSTRUCTIONS],
                  .isa = (uint8_t)row[CAIRN_COUNTS_BLOCK_ISA],
                  .last_size = (uint8_t)row[CAIRN_COUNTS_BLOCK_LAST_SIZE],
                  .flags = (uint16_t)(row[CAIRN_COUNTS_BLOCK_FLAGS] |
                                      row[CAIRN_COUNTS_BLOCK_MORE_FLAGS])},
        .source = source,
        .executed = row[CAIRN_COUNTS_BLOCK_EXECUTED],
        .taken = row[CAIRN_COUNTS_BLOCK_TAKEN],
        .cycles = row[CAIRN_COUNTS_BLOCK_CYCLES],
    };
    const cairn_status status = select_object(
        profile, row[CAIRN_COUNTS_BLOCK_OBJECT],
        time_of(given->counts, row[CAIRN_COUNTS_BLOCK_OBJECT], row[CAIRN_COUNTS_BLOCK_VERSION]),
        &one->place);
    if (!status)
        one->function = cairn_functions_at(&profile->functions, profile->space, address, &starts);
    return status;
}

static cairn_status give_blocks(struct cairn_counts_given *given, struct cairn_profiled *profile)
{
    const size_t count = given->counts->tables[CAIRN_COUNTS_BLOCKS].count;
    cairn_status status = CAIRN_OK;

    if (count >= CAIRN_BLOCK_COUNTS_MAX)
        return CAIRN_E_LIMIT;
    uint32_t *const sources = sources_of_archs(given->counts);
    uint64_t instructions = 0;
    profile->counted.list = calloc(count + 1, sizeof *profile->counted.list);
    if (!profile->counted.list || !sources)
        status = CAIRN_E_MEMORY;
    else
        profile->counted.count = profile->counted.capacity = 1;
    for (size_t i = 0; i < count && !status; i++) {
        const uint64_t *const row = cairn_counts_row(given->counts, CAIRN_COUNTS_BLOCKS, i);

        status = give_block(given, profile, row, sources[row[CAIRN_COUNTS_BLOCK_ARCH]],
                            &profile->counted.list[i + 1]);
        profile->counted.count = profile->counted.capacity = (uint32_t)i + 2;
        instructions += row[CAIRN_COUNTS_BLOCK_INSTRUCTIONS];
        if (!status && instructions > INSTRUCTIONS_MOST)
            status = CAIRN_E_LIMIT;
    }
    free(sources);
    return status;
}

cairn_status cairn_counts_give_profile(struct cairn_counts_given *given,
                                       struct cairn_profiled *profile)
{
    const struct cairn_counts *const counts = given->counts;
    cairn_status status = profile->space ? CAIRN_OK : cairn_profile_begin(profile, given->image);

    if (!status)
        status = give_sources(counts, profile);
    if (!status)
        status = give_blocks(given, profile);
    if (!status && profile->has_calls)
        status = cairn_counts_give_calls(given, profile);
    return status;
}

void cairn_counts_ledger(const struct cairn_counts *counts, size_t source,
                         struct cairn_ledger *ledger)
{
    *ledger = (struct cairn_ledger){
        .size = sizeof *ledger,
        .total = cairn_counts_row(counts, CAIRN_COUNTS_SOURCES, source)[CAIRN_COUNTS_SOURCE_BYTES]};
    for (size_t i = cairn_counts_first_of(counts, CAIRN_COUNTS_ACCOUNTS, source);
         i < counts->tables[CAIRN_COUNTS_ACCOUNTS].count; i++) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_ACCOUNTS, i);

        if (row[0] != source)
            break;
        if (row[1] >= CAIRN_LEDGER_ACCOUNTS)
            continue;
        ledger->account[row[1]].bytes = row[2];
        ledger->account[row[1]].packets = row[3];
        ledger->lost[row[1]] = row[4];
    }
}
