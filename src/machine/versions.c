/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/versions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "machine/journal.h"

#define SLOTS (2 * CAIRN_VERSIONS_PAGES) /* a power of two */

struct version {
    struct cairn_page content;
    uint32_t number; /* 0: what the page begins with */
    uint32_t page;
    struct version *next;
};

struct page {
    uint64_t key; /* its address, and the space in the low bits */
    struct version *versions, *last;
};

struct cairn_versions {
    struct cairn_recording *recording;
    pthread_mutex_t lock;
    uint32_t *slots; /* open addressing: number of a page, and one more */
    struct page *pages;
    struct version **numbered; /* but for those that pages begin with */
    uint32_t page_count, version_count;
};

struct cairn_versions *cairn_versions_new(struct cairn_recording *recording)
{
    struct cairn_versions *versions = calloc(1, sizeof *versions);

    if (!versions)
        return NULL;
    versions->recording = recording;
    pthread_mutex_init(&versions->lock, NULL);
    versions->slots = calloc(SLOTS, sizeof *versions->slots);
    versions->pages = calloc(CAIRN_VERSIONS_PAGES, sizeof *versions->pages);
    versions->numbered = calloc(CAIRN_JOURNAL_VERSIONS + 1, sizeof *versions->numbered);
    if (versions->slots && versions->pages && versions->numbered)
        return versions;
    cairn_versions_free(versions);
    return NULL;
}

void cairn_versions_free(struct cairn_versions *versions)
{
    if (!versions)
        return;
    for (uint32_t i = 0; i < versions->page_count; i++) {
        for (struct version *version = versions->pages[i].versions, *next; version;
             version = next) {
            next = version->next;
            free(version);
        }
    }
    free(versions->pages);
    free(versions->slots);
    free(versions->numbered);
    pthread_mutex_destroy(&versions->lock);
    free(versions);
}

/* Under the lock, as all that follows. The first version is not journaled before it has bytes. */
static struct version *add_version(struct cairn_versions *versions, uint32_t page)
{
    struct page *const whose = &versions->pages[page];
    const bool is_first = !whose->versions;

    if (!is_first && versions->version_count == CAIRN_JOURNAL_VERSIONS)
        return NULL;
    struct version *version = calloc(1, sizeof *version);
    if (!version)
        return NULL;
    version->number = is_first ? 0 : ++versions->version_count;
    version->page = page;
    if (is_first)
        whose->versions = version;
    else
        whose->last->next = versions->numbered[version->number] = version;
    whose->last = version;
    return version;
}

static uint32_t find_page(struct cairn_versions *versions, uint64_t key)
{
    size_t at = (size_t)(key * CAIRN_GOLDEN >> 40) & (SLOTS - 1);

    while (versions->slots[at] && versions->pages[versions->slots[at] - 1].key != key)
        at = (at + 1) & (SLOTS - 1);
    if (versions->slots[at])
        return versions->slots[at] - 1;
    if (versions->page_count == CAIRN_VERSIONS_PAGES)
        return CAIRN_VERSIONS_NONE;
    versions->pages[versions->page_count].key = key;
    if (!add_version(versions, versions->page_count))
        return CAIRN_VERSIONS_NONE;
    versions->slots[at] = ++versions->page_count;
    return versions->page_count - 1;
}

uint32_t cairn_versions_page(struct cairn_versions *versions, uint32_t space, uint64_t address)
{
    pthread_mutex_lock(&versions->lock);
    const uint32_t page =
        find_page(versions, (address & ~(uint64_t)(CAIRN_PAGE_BYTES - 1)) | space);
    pthread_mutex_unlock(&versions->lock);
    return page;
}

enum fit { OTHERWISE, UNKNOWN, SAME };

static enum fit fit(const struct version *version, uint32_t at, const uint8_t *bytes, uint32_t size)
{
    enum fit answer = SAME;

    for (uint32_t i = 0; i < size; i++) {
        if (!cairn_page_knows(&version->content, at + i))
            answer = UNKNOWN;
        else if (version->content.bytes[at + i] != bytes[i])
            return OTHERWISE;
    }
    return answer;
}

static void put(struct cairn_versions *versions, uint32_t page, struct version *version,
                uint64_t address, const uint8_t *bytes, uint32_t size)
{
    const uint32_t at = (uint32_t)(address % CAIRN_PAGE_BYTES);
    const struct cairn_journal_record record = {
        .kind = CAIRN_JOURNAL_VERSION_HAS,
        .size = size,
        .address = address,
        .source = (uint32_t)(versions->pages[page].key % CAIRN_PAGE_BYTES),
        .version = version->number};

    memcpy(version->content.bytes + at, bytes, size);
    for (uint32_t i = at; i < at + size; i++)
        version->content.known[i / 8] |= (uint8_t)(1u << i % 8);
    /* A recording that cannot be written any more has stopped, and says so. */
    (void)!cairn_journal_append(versions->recording, record, bytes);
}

static struct version *numbered(const struct cairn_versions *versions, uint32_t page,
                                uint32_t number)
{
    if (number == 0)
        return versions->pages[page].versions;
    struct version *const version =
        number <= CAIRN_JOURNAL_VERSIONS ? versions->numbered[number] : NULL;
    return version && version->page == page ? version : NULL;
}

static bool take(struct cairn_versions *versions, uint32_t page, struct version *version,
                 uint64_t address, const uint8_t *bytes, uint32_t size)
{
    const enum fit answer = fit(version, (uint32_t)(address % CAIRN_PAGE_BYTES), bytes, size);

    if (answer == UNKNOWN)
        put(versions, page, version, address, bytes, size);
    return answer != OTHERWISE;
}

/* The one that has them; else the first that can. */
static struct version *best(const struct page *page, uint32_t at, const uint8_t *bytes,
                            uint32_t size)
{
    struct version *possible = NULL;

    for (struct version *version = page->versions; version; version = version->next) {
        const enum fit answer = fit(version, at, bytes, size);

        if (answer == SAME)
            return version;
        if (answer == UNKNOWN && !possible)
            possible = version;
    }
    return possible;
}

uint32_t cairn_versions_find(struct cairn_versions *versions, uint32_t page, uint64_t address,
                             const uint8_t *bytes, uint32_t size, uint32_t now)
{
    const uint32_t at = (uint32_t)(address % CAIRN_PAGE_BYTES);

    pthread_mutex_lock(&versions->lock);
    struct version *version = numbered(versions, page, now);
    if (!version || !take(versions, page, version, address, bytes, size)) {
        version = best(&versions->pages[page], at, bytes, size);
        if (!version)
            version = add_version(versions, page);
        if (version)
            (void)take(versions, page, version, address, bytes, size);
    }
    const uint32_t number = version ? version->number : CAIRN_VERSIONS_NONE;
    pthread_mutex_unlock(&versions->lock);
    return number;
}

bool cairn_versions_take(struct cairn_versions *versions, uint32_t page, uint32_t version,
                         uint64_t address, const uint8_t *bytes, uint32_t size)
{
    pthread_mutex_lock(&versions->lock);
    struct version *one = numbered(versions, page, version);
    const bool answer = one && take(versions, page, one, address, bytes, size);
    pthread_mutex_unlock(&versions->lock);
    return answer;
}

cairn_status cairn_versions_turn(struct cairn_versions *versions,
                                 const struct cairn_recorded_source *source, uint32_t page,
                                 uint32_t version, uint64_t position)
{
    return cairn_journal_append(
        versions->recording,
        (struct cairn_journal_record){.kind = CAIRN_JOURNAL_TURNED,
                                      .address = position,
                                      .value = versions->pages[page].key,
                                      .source = cairn_journal_source(source),
                                      .version = version},
        NULL);
}
