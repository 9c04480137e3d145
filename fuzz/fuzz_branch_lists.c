/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a file of branch lists. What is read and written is read the same once more, whether in one message or in
 * many; twice the same lists are as many, with twice the counts; and a profile of it can be made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/branch_lists.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 16 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

static bool read_lists(struct cairn_branch_lists *lists, const uint8_t *data, size_t size)
{
    struct cairn_error error = {.status = CAIRN_OK};
    const cairn_status status = cairn_branch_lists_read(lists, "lists", data, size, &error);

    require(!status == !error.status);
    return !status;
}

/* To be freed. */
static uint8_t *write_lists(const struct cairn_branch_lists *lists, uint64_t most, size_t *size)
{
    static struct cairn_output output;
    FILE *const file = tmpfile();

    require(file != NULL);
    cairn_output_init(&output, fileno(file));
    require(cairn_branch_lists_write(lists, most, &output) == CAIRN_OK);
    cairn_output_flush(&output);
    *size = (size_t)lseek(fileno(file), 0, SEEK_END);
    uint8_t *const bytes = malloc(*size + 1);
    require(bytes && pread(fileno(file), bytes, *size, 0) == (ssize_t)*size);
    fclose(file);
    return bytes;
}

static void check_written(const struct cairn_branch_lists *lists)
{
    size_t size, other_size;
    uint8_t *const bytes = write_lists(lists, UINT64_MAX, &size);

    for (uint64_t most = 100; most <= 100000; most *= 30) {
        struct cairn_branch_lists again = {.binaries = NULL};
        uint8_t *const parts = write_lists(lists, most, &other_size);

        require(read_lists(&again, parts, other_size));
        free(parts);
        require(cairn_branch_lists_settle(&again) == CAIRN_OK);
        uint8_t *const other = write_lists(&again, UINT64_MAX, &other_size);
        require(size == other_size && !memcmp(bytes, other, size));
        free(other);
        cairn_branch_lists_clear(&again);
    }
    free(bytes);
}

static void check_merged(const uint8_t *data, size_t size, const struct cairn_branch_lists *lists)
{
    struct cairn_branch_lists twice = {.binaries = NULL};

    require(read_lists(&twice, data, size) && read_lists(&twice, data, size));
    require(cairn_branch_lists_settle(&twice) == CAIRN_OK);
    require(twice.list_count == lists->list_count);
    require(twice.sample_count == 2 * lists->sample_count);
    for (size_t i = 0; i < lists->list_count; i++) {
        const uint64_t count = lists->lists[i].count;

        require(twice.lists[i].count == (count > UINT64_MAX / 2 ? UINT64_MAX : 2 * count));
        require(twice.lists[i].address == lists->lists[i].address &&
                twice.lists[i].bits == lists->lists[i].bits);
    }
    cairn_branch_lists_clear(&twice);
}

/* Nothing is looked for outside of a folder that is not there. */
static void check_profile(const struct cairn_branch_lists *lists)
{
    const struct cairn_capture_options options = {
        .size = sizeof options, .trace_id = -1, .sysroot = "/nowhere"};
    struct cairn_listed_profile told = {.options = &options};
    struct cairn_pgo pgo = {0};

    require(cairn_branch_lists_profile(lists, &told, &pgo) == CAIRN_OK);
    require(cairn_pgo_settle(&pgo) == CAIRN_OK);
    for (size_t i = 0; i < pgo.range_count; i++)
        require(pgo.ranges[i].binary < pgo.binary_count &&
                pgo.ranges[i].first <= pgo.ranges[i].last);
    cairn_pgo_clear(&pgo);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cairn_branch_lists lists = {.binaries = NULL};

    if (size < MOST && read_lists(&lists, data, size)) {
        require(cairn_branch_lists_settle(&lists) == CAIRN_OK);
        check_written(&lists);
        check_merged(data, size, &lists);
        check_profile(&lists);
    }
    cairn_branch_lists_clear(&lists);
    return 0;
}
