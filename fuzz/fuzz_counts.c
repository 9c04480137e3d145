/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a file of counts, whose checksum is made right. What is read is written as it was read, merging keeps
 * what is there but for its counts, and a profile of it can be finished, whatever it is. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "report/counts_give.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SUM = 8, MOST = 1 << 16 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

static bool read_counts(struct cairn_counts *counts, const uint8_t *data, size_t size)
{
    struct cairn_error error = {.status = CAIRN_OK};
    uint8_t *const bytes = malloc(size + SUM);

    require(bytes != NULL);
    memcpy(bytes, data, size);
    cairn_store_le64(bytes + size, cairn_counts_checksum(bytes, size));
    const cairn_status status = cairn_counts_read(counts, "counts", bytes, size + SUM, &error);
    require(!status == !error.status);
    free(bytes);
    return !status;
}

static void check_written(const struct cairn_counts *counts)
{
    struct cairn_counts again = {0};
    uint8_t *bytes, *other;
    size_t size, other_size;

    require(cairn_counts_write(counts, &bytes, &size) == CAIRN_OK);
    require(cairn_counts_read(&again, "again", bytes, size, NULL) == CAIRN_OK);
    require(cairn_counts_write(&again, &other, &other_size) == CAIRN_OK);
    require(size == other_size && memcmp(bytes, other, size) == 0);
    cairn_counts_clear(&again);
    free(bytes);
    free(other);
}

static void check_merged(const struct cairn_counts *counts)
{
    struct cairn_counts twice = {0};

    require(cairn_counts_merge(&twice, counts) == CAIRN_OK);
    require(cairn_counts_merge(&twice, counts) == CAIRN_OK);
    require(cairn_counts_settle(&twice) == CAIRN_OK);
    for (unsigned i = CAIRN_COUNTS_ARCHS; i < CAIRN_COUNTS_TABLES; i++)
        require(twice.tables[i].count == counts->tables[i].count);
    cairn_counts_clear(&twice);
}

static void check_profile(const struct cairn_counts *counts)
{
    struct cairn_counts_given given = {.counts = counts};
    struct cairn_profiled profile = {.has_calls = true, .has_insns = true};

    given.files = calloc(counts->tables[CAIRN_COUNTS_OBJECTS].count + 1, sizeof *given.files);
    require(given.files && cairn_image_new(&given.image) == CAIRN_OK);
    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_BLOCKS].count; i++)
        if (cairn_counts_row(counts, CAIRN_COUNTS_BLOCKS, i)[CAIRN_COUNTS_BLOCK_INSTRUCTIONS] >
            MOST)
            profile.has_insns = false;
    if (cairn_counts_give_profile(&given, &profile) == CAIRN_OK)
        require(cairn_profile_finish(&profile) == CAIRN_OK);
    cairn_profile_free(&profile);
    cairn_counts_given_free(&given);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cairn_counts counts = {0};

    if (size < MOST && read_counts(&counts, data, size)) {
        check_written(&counts);
        check_merged(&counts);
        check_profile(&counts);
    }
    cairn_counts_clear(&counts);
    return 0;
}
