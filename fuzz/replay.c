/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a fuzz target over each file named, or in a folder named, and over each file's first half,
 * quarter ..., in TAP: a build without libFuzzer tests its seeds and whatever a fuzzer once found.
 * An input of 4 KiB may take one second of processor time and the process 64 MiB (without
 * sanitizers, which need more). */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define LONGEST ((size_t)1 << 20)
#define SMALL 4096
#define MOST_TIME (1 * CLOCKS_PER_SEC)
#define MOST_KIBIBYTES (64L << 10)

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned number;
static bool failed;

/* False: it took too much. */
static bool replay(const uint8_t *bytes, size_t size)
{
    /* a block of its own, so that a sanitizer sees what is read behind its end */
    uint8_t *copy = malloc(size ? size : 1);
    struct rusage usage;
    if (!copy)
        abort();
    memcpy(copy, bytes, size);
    const clock_t before = clock();
    LLVMFuzzerTestOneInput(copy, size);
    const clock_t taken = clock() - before;
    free(copy);
    if (SANITIZED || size > SMALL)
        return true;
    getrusage(RUSAGE_SELF, &usage);
    if (taken <= MOST_TIME && usage.ru_maxrss <= MOST_KIBIBYTES)
        return true;
    printf("# %zu bytes: %.2f s, %ld KiB\n", size, (double)taken / CLOCKS_PER_SEC, usage.ru_maxrss);
    return false;
}

static void replay_file(const char *path, const char *name)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(LONGEST);
    const size_t size = file && bytes ? fread(bytes, 1, LONGEST, file) : 0;
    bool good = file && bytes;
    number++;
    for (size_t part = size; good; part /= 2) {
        good = replay(bytes, part);
        if (!part)
            break;
    }
    printf("%s %u %s\n", good ? "ok" : "not ok", number, name);
    fflush(stdout);
    failed |= !good;
    if (file)
        fclose(file);
    free(bytes);
}

static int compare_names(const struct dirent **one, const struct dirent **other)
{
    return strcmp((*one)->d_name, (*other)->d_name);
}

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        struct dirent **entries;
        const int found = scandir(arguments[i], &entries, NULL, compare_names);
        if (found < 0 && access(arguments[i], F_OK) == 0)
            replay_file(arguments[i], arguments[i]);
        else if (found < 0)
            printf("# there are no seeds in %s\n", arguments[i]);
        for (int k = 0; k < found; k++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", arguments[i], entries[k]->d_name);
            if (entries[k]->d_name[0] != '.')
                replay_file(path, entries[k]->d_name);
            free(entries[k]);
        }
        if (found >= 0)
            free(entries);
    }
    if (number)
        printf("1..%u\n", number);
    else
        printf("1..0 # SKIP no seeds\n");
    return failed;
}
