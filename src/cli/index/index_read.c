/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading an index. Of the trace a stretch is believed once its own bytes and those of the next one
 * are what they were, and all before them: so nothing of it depends on what may have changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "cli/index/index.h"

#define BLOCKS_MOST (UINT64_C(1) << 20)
#define BLOCKS_FIRST 4096u
#define DENSE 3u /* of so many bytes one */

/* Of a block of the program. */
#define WANTED 1u /* the choice has an instruction in it */
#define IN 2u     /* it is in the stretch read last */

struct cli_index {
    FILE *file; /* at the next record */
    const struct cli_choice *choice;
    struct cli_progress *progress;
    uint64_t size; /* of the trace */
    uint64_t chain;
    uint8_t *record;
    size_t record_capacity;

    uint8_t *blocks;
    size_t block_count, block_capacity;
    uint64_t last_address;
    size_t wanted_in; /* blocks that are both */

    struct cli_index_check *check; /* of the trace */

    bool begun, ended;
    struct cli_stretch next; /* read, and not given */
};

/* --- the trace --- */

static bool check_trace(struct cli_index *index, uint64_t to)
{
    if (!cli_index_check_to(index->check, to))
        return false;
    (void)cli_progress_watch(index->progress, cli_index_check_done(index->check));
    return true;
}

/* --- records --- */

static bool read_length(struct cli_index *index, uint64_t *length)
{
    uint8_t bytes[CLI_INDEX_NUMBER_MOST];
    size_t count = 0;
    int byte;

    do {
        byte = getc(index->file);
        if (byte == EOF || count == sizeof bytes)
            return false;
        bytes[count++] = (uint8_t)byte;
    } while (byte & 0x80);
    const uint8_t *at = bytes;
    return cli_index_get(&at, bytes + count, length);
}

/* The next record's bytes. False: there are none, or others than were written. */
static bool read_record(struct cli_index *index, uint64_t *length)
{
    uint8_t check[CLI_INDEX_CHECK];

    if (!read_length(index, length) || *length > CLI_INDEX_RECORD_MOST)
        return false;
    if (*length > index->record_capacity) {
        uint8_t *grown = realloc(index->record, (size_t)*length);
        if (!grown)
            return false;
        index->record = grown;
        index->record_capacity = (size_t)*length;
    }
    if (fread(index->record, 1, (size_t)*length, index->file) != *length ||
        fread(check, 1, sizeof check, index->file) != sizeof check)
        return false;
    index->chain = cli_index_hash(index->chain, index->record, (size_t)*length);
    return (uint32_t)index->chain == cairn_load_le32(check);
}

static bool is_wanted(const struct cli_choice *choice, uint64_t address, uint64_t size)
{
    if (!size || size > UINT64_MAX - address)
        return true;
    for (size_t i = 0; i < choice->place_count; i++) {
        const struct cli_place *place = &choice->places[i];
        const uint64_t end = choice->kind == CLI_CHOICE_FUNCTION ? place->end : place->first + 1;

        if (address < end && place->first < address + size)
            return true;
    }
    return false;
}

static bool add_block(struct cli_index *index, uint64_t address, uint64_t size)
{
    if (index->block_count == BLOCKS_MOST)
        return false;
    if (index->block_count == index->block_capacity) {
        const size_t capacity = 2 * index->block_capacity;
        uint8_t *grown = realloc(index->blocks, capacity);
        if (!grown)
            return false;
        index->blocks = grown;
        index->block_capacity = capacity;
    }
    index->blocks[index->block_count++] = is_wanted(index->choice, address, size) ? WANTED : 0;
    return true;
}

static bool read_new_blocks(struct cli_index *index, const uint8_t **at, const uint8_t *end)
{
    uint64_t count;

    if (!cli_index_get(at, end, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t difference, size;

        if (!cli_index_get(at, end, &difference) || !cli_index_get(at, end, &size))
            return false;
        index->last_address += difference >> 1 ^ (difference & 1 ? UINT64_MAX : 0);
        if (!add_block(index, index->last_address, size))
            return false;
    }
    return true;
}

static bool read_changed(struct cli_index *index, const uint8_t **at, const uint8_t *end)
{
    uint64_t count, difference, number = 0;

    if (!cli_index_get(at, end, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!cli_index_get(at, end, &difference))
            return false;
        number += difference;
        if (number >= index->block_count)
            return false;
        index->blocks[number] ^= IN;
        if (index->blocks[number] & WANTED)
            index->wanted_in += index->blocks[number] & IN ? 1 : SIZE_MAX;
    }
    return true;
}

/* Reads the stretch behind the one read last. False: what there is cannot be believed. */
static bool read_stretch(struct cli_index *index, struct cli_stretch *stretch, bool *any)
{
    const uint64_t from = index->begun ? index->next.to : 0;
    uint64_t length, bytes, flags;

    if (!read_record(index, &length))
        return false;
    *any = length > 0;
    if (!*any)
        return from == index->size;
    const uint8_t *at = index->record, *end = index->record + length;
    *stretch = (struct cli_stretch){.from = from};
    if (!cli_index_get(&at, end, &bytes) || !cli_index_get(&at, end, &stretch->instructions) ||
        !cli_index_get(&at, end, &flags) || bytes > index->size - from)
        return false;
    stretch->to = from + bytes;
    if (!read_new_blocks(index, &at, end) || !read_changed(index, &at, end) || at != end)
        return false;
    stretch->touched = index->wanted_in > 0 || flags & CLI_INDEX_WHOLE;
    return true;
}

cairn_status cli_index_next(void *context, struct cli_stretch *stretch, bool *any)
{
    struct cli_index *index = context;
    struct cli_stretch next = {.to = 0};
    bool more = true;

    *any = !index->ended;
    if (index->ended)
        return CAIRN_OK;
    if (!index->begun) {
        index->begun = read_stretch(index, &index->next, &more) && more;
        if (!index->begun)
            index->next = (struct cli_stretch){.to = 0};
    }
    const bool fits = index->begun && read_stretch(index, &next, &more) &&
                      check_trace(index, more ? next.to : index->size);
    *stretch = index->next;
    if (!fits) { /* all from here on is gone through */
        stretch->touched = true;
        stretch->to = UINT64_MAX;
    }
    index->ended = !fits || !more;
    index->next = next;
    return CAIRN_OK;
}

/* At the first record, with nothing known. */
static bool rewind_records(struct cli_index *index)
{
    const uint64_t records = CLI_INDEX_HEADER + cli_index_blocks(index->size) * sizeof(uint64_t);

    index->begun = false;
    index->chain = 0;
    index->block_count = 1; /* 0 is none */
    index->last_address = 0;
    index->wanted_in = 0;
    return !fseeko(index->file, (off_t)records, SEEK_SET);
}

/* Whether what is looked for is in so much of the trace that leaving the rest out is no gain. */
static bool is_dense(struct cli_index *index)
{
    uint64_t touched = 0;
    bool any = true;

    while (any && read_stretch(index, &index->next, &any)) {
        index->begun = true;
        if (any && index->next.touched)
            touched += index->next.to - index->next.from;
    }
    return !rewind_records(index) || touched > index->size / DENSE;
}

/* --- opening --- */

static bool fits(struct cli_index *index, const struct cli_plan_of *of)
{
    uint8_t header[CLI_INDEX_HEADER];

    return fread(header, 1, sizeof header, index->file) == sizeof header &&
           !memcmp(header, CLI_INDEX_MAGIC, CLI_INDEX_MAGIC_BYTES) &&
           cairn_load_le64(header + 16) == index->size &&
           cairn_load_le64(header + 24) == cli_index_blocks(index->size) &&
           cairn_load_le64(header + 8) == cli_index_key(of->session->capture, of->source);
}

static cairn_status find_size(const struct cli_plan_of *of, uint64_t *size)
{
    struct cairn_reader *reader;
    cairn_status status = cairn_reader_new(of->session->capture, of->source, &reader, NULL);

    if (status)
        return status;
    status = cairn_reader_size(reader, NULL, NULL, size);
    cairn_reader_free(reader);
    return status;
}

static cairn_status open_index(struct cli_index *index, const struct cli_plan_of *of,
                               const char *path, bool *found)
{
    cairn_status status = find_size(of, &index->size);
    struct stat info;

    /* A pipe of that name would wait for somebody. */
    index->file = status || stat(path, &info) || !S_ISREG(info.st_mode) ? NULL : fopen(path, "rbe");
    *found = index->file && fits(index, of) && rewind_records(index);
    if (status || !*found)
        return status;
    index->blocks = calloc(BLOCKS_FIRST, 1);
    index->block_capacity = BLOCKS_FIRST;
    if (!index->blocks)
        return CAIRN_E_MEMORY;
    *found = !is_dense(index);
    if (*found)
        status = cli_index_check_new(of, path, index->size, &index->check);
    if (status && status != CAIRN_E_MEMORY) { /* it went away just now: nobody needs it */
        *found = false;
        status = CAIRN_OK;
    }
    return status;
}

cairn_status cli_index_open(const struct cli_plan_of *of, struct cli_index **index)
{
    char *path = cli_index_path(of->session->capture, of->source);
    bool found = false;

    *index = NULL;
    if (!path)
        return CAIRN_OK;
    struct cli_index *made = calloc(1, sizeof *made);
    cairn_status status = made ? CAIRN_OK : CAIRN_E_MEMORY;
    if (made) {
        made->choice = of->choice;
        made->progress = of->progress;
        status = open_index(made, of, path, &found);
    }
    free(path);
    if (status || !found)
        cli_index_free(made);
    else
        *index = made;
    return status;
}

void cli_index_free(struct cli_index *index)
{
    if (!index)
        return;
    if (index->file)
        fclose(index->file);
    cli_index_check_free(index->check);
    free(index->record);
    free(index->blocks);
    free(index);
}
