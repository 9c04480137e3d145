/* SPDX-License-Identifier: BSD-2-Clause */
#include "scratch.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void scratch_open(struct scratch *scratch)
{
    const char *const parent = getenv("TMPDIR");
    snprintf(scratch->folder, sizeof scratch->folder, "%s/cairn-test-XXXXXX",
             parent && strlen(parent) < 200 ? parent : P_tmpdir);
    assert_non_null(mkdtemp(scratch->folder));
}

void scratch_close(struct scratch *scratch)
{
    DIR *const folder = opendir(scratch->folder);
    assert_non_null(folder);
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        assert_int_equal(remove(scratch_path(scratch, entry->d_name)), 0);
    }
    closedir(folder);
    assert_int_equal(rmdir(scratch->folder), 0);
}

const char *scratch_path(struct scratch *scratch, const char *name)
{
    snprintf(scratch->path, sizeof scratch->path, "%s/%.200s", scratch->folder, name);
    return scratch->path;
}

const char *scratch_write(struct scratch *scratch, const char *name, const void *bytes, size_t size)
{
    const char *const path = scratch_path(scratch, name);
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

uint64_t dice_roll(struct dice *dice, uint64_t sides)
{
    dice->state ^= dice->state >> 12;
    dice->state ^= dice->state << 25;
    dice->state ^= dice->state >> 27;
    return (dice->state * UINT64_C(0x2545f4914f6cdd1d) >> 16) % sides;
}
