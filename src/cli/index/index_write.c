/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing an index: the source is counted once, and of each stretch it is noted which blocks were in it.
 * What is written of a stretch are the blocks in which it differs from the one before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/golden.h"
#include "base/sizes.h"
#include "cli/index/index.h"

/* Stretches become longer where the index would have more than a byte for so many of the trace. */
#define STRETCH_FIRST ((uint64_t)4 << 10)
#define STRETCH_MOST ((uint64_t)1 << 20)
#define SMALL 32u
#define USEFUL 16u
#define BLOCKS_MOST (UINT32_C(1) << 20) /* of the program */
#define TABLE_FIRST 12u                 /* bits */

/* A block of the program, of all dictionaries; number 0 is none. */
struct block {
    uint64_t address, end;
    uint32_t now, before; /* stretches that it was in last */
};

/* A path of the dictionary in use. */
struct path {
    uint32_t stretch; /* that it was in last */
    uint32_t instructions;
};

struct list {
    uint32_t *item;
    size_t count, capacity;
};

struct writer {
    FILE *file;
    uint64_t written; /* bytes of records */
    uint64_t chain;   /* of their checks */
    uint8_t *record;
    size_t record_size, record_capacity;

    uint32_t stretch; /* number of the one in hand, from 2 on: none is 0, nor is one before it */
    uint64_t from, size;
    uint64_t instructions;
    bool whole;
    uint32_t told; /* blocks that the file has */
    uint64_t last_address;

    struct block *blocks;
    uint32_t block_count, block_capacity;
    uint32_t *table; /* open, by hash */
    unsigned table_bits;
    struct list in, in_before; /* blocks of this stretch, and of the last one */
    struct list changed;

    bool any_generation;
    uint32_t generation;
    struct path *paths;
    size_t path_capacity;
    uint32_t *number_of; /* by block of the dictionary; 0: not known */
    size_t number_capacity;
    bool useless;
};

/* --- growing --- */

static cairn_status grow(void **items, size_t *capacity, size_t wanted, size_t size)
{
    size_t more = *capacity ? *capacity : 256;

    if (wanted <= *capacity)
        return CAIRN_OK;
    while (more < wanted)
        more *= 2;
    void *grown = realloc(*items, more * size);
    if (!grown)
        return CAIRN_E_MEMORY;
    memset((char *)grown + *capacity * size, 0, (more - *capacity) * size);
    *items = grown;
    *capacity = more;
    return CAIRN_OK;
}

static cairn_status add(struct list *list, uint32_t item)
{
    const cairn_status status =
        grow((void **)&list->item, &list->capacity, list->count + 1, sizeof *list->item);

    if (!status)
        list->item[list->count++] = item;
    return status;
}

/* --- records --- */

static cairn_status put(struct writer *writer, uint64_t number)
{
    const cairn_status status = grow((void **)&writer->record, &writer->record_capacity,
                                     writer->record_size + CLI_INDEX_NUMBER_MOST, 1);

    if (!status)
        writer->record_size += cli_index_put(writer->record + writer->record_size, number);
    return status;
}

static cairn_status write_bytes(struct writer *writer, const void *bytes, size_t size)
{
    writer->written += size;
    return fwrite(bytes, 1, size, writer->file) == size ? CAIRN_OK : CAIRN_E_IO;
}

static cairn_status write_record(struct writer *writer)
{
    uint8_t length[CLI_INDEX_NUMBER_MOST], check[CLI_INDEX_CHECK];
    const size_t size = cli_index_put(length, writer->record_size);

    writer->chain = cli_index_hash(writer->chain, writer->record, writer->record_size);
    cairn_store_le32(check, (uint32_t)writer->chain);
    cairn_status status = write_bytes(writer, length, size);
    if (!status)
        status = write_bytes(writer, writer->record, writer->record_size);
    if (!status)
        status = write_bytes(writer, check, sizeof check);
    writer->record_size = 0;
    return status;
}

static int compare(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return (one > other) - (one < other);
}

/* In which blocks the stretch differs from the one before. */
static cairn_status find_changed(struct writer *writer)
{
    cairn_status status = CAIRN_OK;

    writer->changed.count = 0;
    for (size_t i = 0; i < writer->in.count && !status; i++)
        if (writer->blocks[writer->in.item[i]].before + 1 != writer->stretch)
            status = add(&writer->changed, writer->in.item[i]);
    for (size_t i = 0; i < writer->in_before.count && !status; i++)
        if (writer->blocks[writer->in_before.item[i]].now != writer->stretch)
            status = add(&writer->changed, writer->in_before.item[i]);
    if (writer->changed.count > 1)
        qsort(writer->changed.item, writer->changed.count, sizeof *writer->changed.item, compare);
    return status;
}

static uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static cairn_status put_new_blocks(struct writer *writer)
{
    cairn_status status = put(writer, writer->block_count - writer->told);

    for (; writer->told < writer->block_count && !status; writer->told++) {
        const struct block *block = &writer->blocks[writer->told];

        status = put(writer, zigzag(block->address - writer->last_address));
        if (!status)
            status = put(writer, block->end > block->address ? block->end - block->address : 0);
        writer->last_address = block->address;
    }
    return status;
}

static cairn_status put_changed(struct writer *writer)
{
    cairn_status status = put(writer, writer->changed.count);
    uint32_t last = 0;

    for (size_t i = 0; i < writer->changed.count && !status; i++) {
        status = put(writer, writer->changed.item[i] - last);
        last = writer->changed.item[i];
    }
    return status;
}

static void judge_size(struct writer *writer, uint64_t to)
{
    if (to < STRETCH_MOST || writer->written <= to / SMALL)
        return;
    if (writer->size < STRETCH_MOST)
        writer->size *= 2;
    else if (writer->written > to / USEFUL)
        writer->useless = true;
}

/* The stretch in hand ends at `to`. */
static cairn_status end_stretch(struct writer *writer, uint64_t to)
{
    cairn_status status = put(writer, to - writer->from);

    if (!status)
        status = put(writer, writer->instructions);
    if (!status)
        status = put(writer, writer->whole ? CLI_INDEX_WHOLE : 0);
    if (!status)
        status = put_new_blocks(writer);
    if (!status)
        status = find_changed(writer);
    if (!status)
        status = put_changed(writer);
    if (!status)
        status = write_record(writer);
    judge_size(writer, to);
    const struct list before = writer->in_before;

    writer->in_before = writer->in;
    writer->in = before;
    writer->in.count = 0;
    writer->stretch++;
    writer->from = to;
    writer->instructions = 0;
    writer->whole = false;
    return status;
}

/* --- blocks --- */

static size_t slot_of(const struct writer *writer, uint64_t address, uint64_t end)
{
    const uint64_t hash = (address * CAIRN_GOLDEN) ^ (end - address);
    const size_t mask = ((size_t)1 << writer->table_bits) - 1;
    size_t slot = (size_t)((hash * UINT64_C(0xd6e8feb86659fd93)) >> (64 - writer->table_bits));

    while (writer->table[slot]) {
        const struct block *block = &writer->blocks[writer->table[slot]];

        if (block->address == address && block->end == end)
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

static cairn_status grow_table(struct writer *writer)
{
    const unsigned bits = writer->table ? writer->table_bits + 1 : TABLE_FIRST;
    uint32_t *table = calloc((size_t)1 << bits, sizeof *table);

    if (!table)
        return CAIRN_E_MEMORY;
    free(writer->table);
    writer->table = table;
    writer->table_bits = bits;
    for (uint32_t i = 1; i < writer->block_count; i++)
        table[slot_of(writer, writer->blocks[i].address, writer->blocks[i].end)] = i;
    return CAIRN_OK;
}

/* The block's number; 0 with CAIRN_OK: there are too many. */
static cairn_status number_block(struct writer *writer, uint64_t address, uint64_t end,
                                 uint32_t *number)
{
    cairn_status status = CAIRN_OK;

    if (!writer->table || writer->block_count > (UINT32_C(1) << writer->table_bits) / 2)
        status = grow_table(writer);
    if (status)
        return status;
    const size_t slot = slot_of(writer, address, end);
    *number = writer->table[slot];
    if (*number)
        return CAIRN_OK;
    if (writer->block_count == BLOCKS_MOST) {
        writer->useless = true;
        return CAIRN_OK;
    }
    size_t capacity = writer->block_capacity;
    status = grow((void **)&writer->blocks, &capacity, writer->block_count + (size_t)1,
                  sizeof *writer->blocks);
    writer->block_capacity = (uint32_t)capacity;
    if (status)
        return status;
    *number = writer->block_count++;
    writer->blocks[*number] = (struct block){.address = address, .end = end};
    writer->table[slot] = *number;
    return CAIRN_OK;
}

static cairn_status note_block(struct writer *writer, uint32_t number)
{
    struct block *block = &writer->blocks[number];

    if (!number || block->now == writer->stretch)
        return CAIRN_OK;
    block->before = block->now;
    block->now = writer->stretch;
    return add(&writer->in, number);
}

/* --- words --- */

static cairn_status note_path(struct writer *writer, const struct cairn_dictionary *dictionary,
                              uint32_t id)
{
    size_t unused;
    const struct cairn_path *path = &cairn_dictionary_paths(dictionary, &unused)[id];
    const struct cairn_code_block *blocks = cairn_dictionary_blocks(dictionary, &unused);
    const uint32_t *steps = cairn_dictionary_steps(dictionary, &unused);
    cairn_status status = CAIRN_OK;

    writer->paths[id] = (struct path){writer->stretch, path->instructions};
    for (uint32_t i = 0; i < path->steps && !status; i++) {
        const uint32_t of = steps[path->first + i] >> 1;
        const struct cairn_code_block *block = &blocks[of];

        if (block->flags & CAIRN_BLOCK_UNDEFINED)
            writer->whole = true;
        if (!writer->number_of[of])
            status = number_block(writer, block->address, block->end, &writer->number_of[of]);
        if (!status)
            status = note_block(writer, writer->number_of[of]);
    }
    return status;
}

static cairn_status note_event(struct writer *writer, const struct cairn_word_event *event)
{
    cairn_status status;
    uint32_t number;

    switch (event->kind) {
    case CAIRN_FLOW_RANGE:
        if (!event->instructions)
            return CAIRN_OK;
        writer->instructions += event->instructions;
        status = number_block(writer, event->address, event->value, &number);
        return status ? status : note_block(writer, number);
    case CAIRN_FLOW_CYCLES:
    case CAIRN_FLOW_WARNING:
    case CAIRN_WORD_WAITS: writer->whole = true; return CAIRN_OK;
    default: return CAIRN_OK;
    }
}

/* Room for what the dictionary has, which may be another one. */
static cairn_status prepare(struct writer *writer, const struct cairn_word_batch *batch)
{
    size_t paths, blocks;
    cairn_status status;

    cairn_dictionary_paths(batch->dictionary, &paths);
    cairn_dictionary_blocks(batch->dictionary, &blocks);
    status = grow((void **)&writer->paths, &writer->path_capacity, paths, sizeof *writer->paths);
    if (!status)
        status = grow((void **)&writer->number_of, &writer->number_capacity, blocks,
                      sizeof *writer->number_of);
    if (status || (writer->any_generation && writer->generation == batch->generation))
        return status;
    writer->any_generation = true;
    writer->generation = batch->generation;
    memset(writer->paths, 0, writer->path_capacity * sizeof *writer->paths);
    memset(writer->number_of, 0, writer->number_capacity * sizeof *writer->number_of);
    return CAIRN_OK;
}

static cairn_status take_words(void *context, const struct cairn_word_batch *batch)
{
    struct writer *writer = context;
    cairn_status status = prepare(writer, batch);
    size_t event = 0;

    for (size_t i = 0; i < batch->count && !status; i++) {
        const uint32_t id = batch->path[i] & ~CAIRN_WORD_INFERRED;

        if (batch->offset[i] - writer->from >= writer->size && batch->offset[i] > writer->from) {
            /* What stands in front of the word is of packets before it: of the stretch that ends. */
            for (; event < batch->event_count && !status; event++) {
                const struct cairn_word_event *at = cairn_word_event_at(batch, event);

                if (at->word > i || at->offset >= batch->offset[i])
                    break;
                status = note_event(writer, at);
            }
            if (!status)
                status = end_stretch(writer, batch->offset[i]);
        }
        for (; event < batch->event_count && !status; event++) {
            const struct cairn_word_event *at = cairn_word_event_at(batch, event);

            if (at->word > i)
                break;
            status = note_event(writer, at);
        }
        if (!status && writer->paths[id].stretch != writer->stretch)
            status = note_path(writer, batch->dictionary, id);
        writer->instructions += writer->paths[id].instructions;
    }
    for (; event < batch->event_count && !status; event++)
        status = note_event(writer, cairn_word_event_at(batch, event));
    return status || !writer->useless ? status : CAIRN_E_LIMIT;
}

/* --- the file --- */

static cairn_status write_header(struct writer *writer, uint64_t key, uint64_t size)
{
    uint8_t header[CLI_INDEX_HEADER] = CLI_INDEX_MAGIC;

    cairn_store_le64(header + 8, key);
    cairn_store_le64(header + 16, size);
    cairn_store_le64(header + 24, cli_index_blocks(size));
    return fwrite(header, 1, sizeof header, writer->file) == sizeof header ? CAIRN_OK : CAIRN_E_IO;
}

/* Behind the header: zeros first, and later what they are. */
static cairn_status write_hashes(struct writer *writer, struct cairn_capture *capture,
                                 size_t source, uint64_t size, bool real)
{
    struct cli_index_bytes bytes = {.bytes = malloc(CLI_INDEX_BLOCK)};
    cairn_status status = bytes.bytes ? CAIRN_OK : CAIRN_E_MEMORY;

    if (!status && real)
        status = cairn_reader_new(capture, source, &bytes.reader, NULL);
    for (uint64_t at = 0; at < size && !status; at += CLI_INDEX_BLOCK) {
        const uint64_t left = size - at;
        uint64_t hash = 0;
        uint8_t stored[sizeof hash];

        if (real)
            status =
                cli_index_block(&bytes, left < CLI_INDEX_BLOCK ? left : CLI_INDEX_BLOCK, &hash);
        cairn_store_le64(stored, hash);
        if (!status && fwrite(stored, 1, sizeof stored, writer->file) != sizeof stored)
            status = CAIRN_E_IO;
    }
    cairn_reader_free(bytes.reader);
    free(bytes.bytes);
    return status;
}

static cairn_status write_stretches(struct writer *writer, struct cairn_capture *capture,
                                    size_t source, uint64_t size,
                                    const struct cairn_pipeline_options *options)
{
    const struct cairn_consumer consumer = {
        .size = sizeof consumer, .context = writer, .words = take_words};
    struct cairn_pipeline *pipeline;
    cairn_status status = cairn_pipeline_new(capture, source, NULL, NULL, options, &pipeline, NULL);

    if (status)
        return status;
    status = cairn_pipeline_add(pipeline, &consumer);
    if (!status)
        status = cairn_pipeline_run(pipeline);
    if (!status && cairn_pipeline_source_bytes(pipeline) != size)
        status = CAIRN_E_LIMIT; /* somebody stopped it */
    cairn_pipeline_free(pipeline);
    if (!status)
        status = end_stretch(writer, size);
    return status ? status : write_record(writer); /* an empty one: the end */
}

static cairn_status write_all(struct writer *writer, struct cairn_capture *capture, size_t source,
                              uint64_t size, const struct cairn_pipeline_options *options)
{
    cairn_status status = write_header(writer, 0, 0);

    if (!status)
        status = write_hashes(writer, capture, source, size, false);
    if (!status)
        status = write_stretches(writer, capture, source, size, options);
    if (!status && fseeko(writer->file, 0, SEEK_SET))
        status = CAIRN_E_IO;
    if (!status)
        status = write_header(writer, cli_index_key(capture, source), size);
    return status ? status : write_hashes(writer, capture, source, size, true);
}

static void release(struct writer *writer)
{
    free(writer->record);
    free(writer->blocks);
    free(writer->table);
    free(writer->in.item);
    free(writer->in_before.item);
    free(writer->changed.item);
    free(writer->paths);
    free(writer->number_of);
}

static cairn_status write_file(const char *path, struct cairn_capture *capture, size_t source,
                               uint64_t size, const struct cairn_pipeline_options *options)
{
    struct writer writer = {.file = fopen(path, "wbe"),
                            .stretch = 2,
                            .size = STRETCH_FIRST,
                            .block_count = 1,
                            .told = 1};
    size_t capacity = 0;
    cairn_status status = writer.file ? CAIRN_OK : CAIRN_E_IO;

    if (!status)
        status = grow((void **)&writer.blocks, &capacity, 1, sizeof *writer.blocks);
    writer.block_capacity = (uint32_t)capacity;
    if (!status)
        status = write_all(&writer, capture, source, size, options);
    if (writer.file && fclose(writer.file) && !status)
        status = CAIRN_E_IO;
    release(&writer);
    return status;
}

static cairn_status size_of(struct cairn_capture *capture, size_t source, uint64_t *size)
{
    struct cairn_reader *reader;
    cairn_status status = cairn_reader_new(capture, source, &reader, NULL);

    if (status)
        return status;
    status = cairn_reader_size(reader, NULL, NULL, size);
    cairn_reader_free(reader);
    return status;
}

cairn_status cli_index_write(struct cairn_capture *capture, size_t source, uint32_t jobs,
                             int (*progress)(void *context, uint64_t done), void *context)
{
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
    char *path = cli_index_path(capture, source);
    uint64_t size = 0;
    cairn_status status = path ? size_of(capture, source, &size) : CAIRN_OK;

    if (path)
        unlink(path);
    if (status || size < CLI_INDEX_LEAST) {
        free(path);
        return status;
    }
    options.flags = CAIRN_PIPELINE_COUNTS | CAIRN_PIPELINE_NO_PLACES;
    options.jobs = jobs;
    options.progress = progress;
    options.context = context;
    status = write_file(path, capture, source, size, &options);
    if (status)
        unlink(path);
    free(path);
    return status == CAIRN_E_LIMIT ? CAIRN_OK : status;
}
