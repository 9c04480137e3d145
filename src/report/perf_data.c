/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/perf_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* The header: magic, sizes, three sections {offset, size}, 256 bits of features. */
#define HEADER_SIZE 104u
#define ATTRIBUTE_SIZE 128u /* perf_event_attr as of Linux 5.13: readers since take it */
#define ENTRY_SIZE (ATTRIBUTE_SIZE + 16u) /* with the section of its identifiers: none */
#define FEATURE_ARCH 6u
#define FEATURE_BRANCH_STACK 15u
#define FEATURES 2u
#define STRING_ALIGN 64u
#define ARCH "aarch64"

/* <linux/perf_event.h> */
#define RECORD_COMM 3u
#define RECORD_SAMPLE 9u
#define RECORD_MMAP2 10u
#define MMAP2_FIXED 72u /* with the header; the path is behind */
#define MMAP2_AT_PROTECTION 64u
#define PROTECTION_READ_EXECUTE 5u
#define MMAP2_AT_FLAGS 68u
#define FLAGS_PRIVATE 2u
#define SAMPLE_IP (UINT64_C(1) << 0)
#define SAMPLE_TID (UINT64_C(1) << 1)
#define SAMPLE_TIME (UINT64_C(1) << 2)
#define SAMPLE_BRANCH_STACK (UINT64_C(1) << 11)
#define BRANCH_USER (UINT64_C(1) << 0)
#define BRANCH_KERNEL (UINT64_C(1) << 1)
#define BRANCH_HV (UINT64_C(1) << 2)
#define BRANCH_ANY (UINT64_C(1) << 3)
#define BRANCH_TYPE_SAVE (UINT64_C(1) << 16)
#define BRANCH_PRIV_SAVE (UINT64_C(1) << 18)

/* Where the fields of perf_event_attr are that are not 0: a hardware event, cycles. */
#define ATTRIBUTE_AT_SIZE 4u
#define ATTRIBUTE_AT_PERIOD 16u
#define ATTRIBUTE_AT_SAMPLE_TYPE 24u
#define ATTRIBUTE_AT_BRANCHES 72u

#define RECORD_HEADER 8u
#define SAMPLE_FIXED (RECORD_HEADER + 8u + 8u + 8u + 8u)
#define BRANCH_SIZE 24u

/* Room for a record, all zero but for its header; NULL: memory is short. */
static uint8_t *add(struct cairn_perf_data *data, uint32_t type, uint16_t misc, size_t size)
{
    if (data->failed)
        return NULL;
    if (data->room - data->used < size) {
        const size_t room = 2 * data->room + size + 4096;
        uint8_t *grown = realloc(data->bytes, room);

        if (!grown) {
            data->failed = true;
            return NULL;
        }
        data->bytes = grown;
        data->room = room;
    }
    uint8_t *record = data->bytes + data->used;
    memset(record, 0, size);
    cairn_store_le32(record, type);
    cairn_store_le16(record + 4, misc);
    cairn_store_le16(record + 6, (uint16_t)size);
    data->used += size;
    return record;
}

void cairn_perf_name(struct cairn_perf_data *data, uint32_t thread, const char *name)
{
    const size_t length = strnlen(name, CAIRN_PERF_NAME);
    const size_t padded = (length + 1 + 7) / 8 * 8;
    uint8_t *record = add(data, RECORD_COMM, CAIRN_PERF_USER, RECORD_HEADER + 8 + padded);

    if (!record)
        return;
    cairn_store_le32(record + 8, thread);
    cairn_store_le32(record + 12, thread);
    memcpy(record + 16, name, length);
}

void cairn_perf_map(struct cairn_perf_data *data, const struct cairn_perf_map *map)
{
    const size_t length = strnlen(map->path, CAIRN_PERF_PATH);
    const size_t padded = (length + 1 + 7) / 8 * 8;
    uint8_t *record = add(data, RECORD_MMAP2, CAIRN_PERF_USER, MMAP2_FIXED + padded);

    if (!record)
        return;
    cairn_store_le32(record + 8, map->thread);
    cairn_store_le32(record + 12, map->thread);
    cairn_store_le64(record + 16, map->address);
    cairn_store_le64(record + 24, map->size);
    cairn_store_le64(record + 32, map->offset);
    cairn_store_le32(record + MMAP2_AT_PROTECTION, PROTECTION_READ_EXECUTE);
    cairn_store_le32(record + MMAP2_AT_FLAGS, FLAGS_PRIVATE);
    memcpy(record + MMAP2_FIXED, map->path, length);
}

void cairn_perf_sample(struct cairn_perf_data *data, const struct cairn_perf_sample *sample)
{
    const size_t count = sample->count < CAIRN_PERF_ENTRIES ? sample->count : CAIRN_PERF_ENTRIES;
    uint8_t *record = add(data, RECORD_SAMPLE, sample->level, SAMPLE_FIXED + BRANCH_SIZE * count);

    if (!record)
        return;
    cairn_store_le64(record + 8, sample->address);
    cairn_store_le32(record + 16, sample->thread);
    cairn_store_le32(record + 20, sample->thread);
    cairn_store_le64(record + 24, sample->time);
    cairn_store_le64(record + 32, count);
    for (size_t i = 0; i < count; i++) {
        uint8_t *entry = record + SAMPLE_FIXED + BRANCH_SIZE * i;

        cairn_store_le64(entry, sample->entries[i].from);
        cairn_store_le64(entry + 8, sample->entries[i].to);
        cairn_store_le64(entry + 16, cairn_branch_entry_word(&sample->entries[i]));
    }
}

static void put_section(uint8_t *bytes, uint64_t offset, uint64_t size)
{
    cairn_store_le64(bytes, offset);
    cairn_store_le64(bytes + 8, size);
}

static void write_header(struct cairn_output *output, uint64_t data_size)
{
    uint8_t header[HEADER_SIZE] = {0};

    memcpy(header, "PERFILE2", 8);
    cairn_store_le64(header + 8, HEADER_SIZE);
    cairn_store_le64(header + 16, ENTRY_SIZE);
    put_section(header + 24, HEADER_SIZE, ENTRY_SIZE);
    put_section(header + 40, HEADER_SIZE + ENTRY_SIZE, data_size);
    cairn_store_le64(header + 72, UINT64_C(1) << FEATURE_ARCH | UINT64_C(1)
                                                                    << FEATURE_BRANCH_STACK);
    cairn_output_data(output, header, sizeof header);
}

static void write_attribute(struct cairn_output *output)
{
    uint8_t entry[ENTRY_SIZE] = {0};

    cairn_store_le32(entry + ATTRIBUTE_AT_SIZE, ATTRIBUTE_SIZE);
    cairn_store_le64(entry + ATTRIBUTE_AT_PERIOD, 1);
    cairn_store_le64(entry + ATTRIBUTE_AT_SAMPLE_TYPE,
                     SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_BRANCH_STACK);
    cairn_store_le64(entry + ATTRIBUTE_AT_BRANCHES, BRANCH_USER | BRANCH_KERNEL | BRANCH_HV |
                                                        BRANCH_ANY | BRANCH_TYPE_SAVE |
                                                        BRANCH_PRIV_SAVE);
    put_section(entry + ATTRIBUTE_SIZE, HEADER_SIZE + ENTRY_SIZE, 0);
    cairn_output_data(output, entry, sizeof entry);
}

/* Behind the data: where each feature's bytes are, then these. */
static void write_features(struct cairn_output *output, uint64_t offset)
{
    uint8_t sections[16 * FEATURES];
    uint8_t text[4 + STRING_ALIGN] = {0};

    offset += sizeof sections;
    put_section(sections, offset, sizeof text);
    put_section(sections + 16, offset + sizeof text, 0);
    cairn_store_le32(text, STRING_ALIGN);
    memcpy(text + 4, ARCH, sizeof ARCH);
    cairn_output_data(output, sections, sizeof sections);
    cairn_output_data(output, text, sizeof text);
}

bool cairn_perf_write(const struct cairn_perf_data *data, struct cairn_output *output)
{
    if (data->failed)
        return false;
    write_header(output, data->used);
    write_attribute(output);
    cairn_output_data(output, data->bytes, data->used);
    write_features(output, HEADER_SIZE + ENTRY_SIZE + data->used);
    return true;
}

void cairn_perf_free(struct cairn_perf_data *data)
{
    free(data->bytes);
    *data = (struct cairn_perf_data){0};
}
