/* SPDX-License-Identifier: BSD-2-Clause */
#include "truth.h"

#include <inttypes.h>
#include <stdio.h>

#include "walk.h"

enum { SHOWN_BEFORE = 4 };

void peer_truth_clear(struct peer_truth *truth)
{
    truth->count = 0;
    truth->full = false;
    for (unsigned i = 0; i < PEER_LISTS; i++)
        truth->lists[i].count = 0;
}

void peer_truth_add(struct peer_truth *truth, const struct peer_entry *entry)
{
    if (truth->count == PEER_ENTRIES) {
        truth->full = true;
        return;
    }
    truth->entries[truth->count++] = *entry;
}

void peer_truth_add_value(struct peer_truth *truth, enum peer_list_kind list, uint64_t value)
{
    struct peer_list *values = &truth->lists[list];

    if (values->count == PEER_VALUES) {
        truth->full = true;
        return;
    }
    values->values[values->count++] = value;
}

static void print_entry(const struct peer_truth *truth, size_t index)
{
    static const char *const flags[] = {"", " E", " N"};
    const struct peer_entry *entry = &truth->entries[index];

    if (index >= truth->count)
        printf("nothing");
    else if (entry->kind == PEER_EXCEPTION)
        printf("exception %u back to %" PRIx64, entry->type, entry->address);
    else
        printf("%s %" PRIx64 "%s (EL%u security %u SF %u vmid %" PRIx32 " id %" PRIx32 ")",
               cairn_isa_name((enum cairn_isa)entry->isa), entry->address, flags[entry->kind],
               entry->context.EL, entry->context.security, entry->context.SF, entry->context.vmid,
               entry->context.context_id);
}

static bool same_entry(const struct peer_entry *a, const struct peer_entry *b, unsigned what)
{
    if (a->kind != b->kind || a->address != b->address)
        return false;
    if (a->kind == PEER_EXCEPTION)
        return a->type == b->type;
    return a->isa == b->isa &&
           (!(what & PEER_COMPARE_CONTEXTS) || peer_context_equal(&a->context, &b->context));
}

static bool same_entries(const struct peer_truth *expected, const struct peer_truth *actual,
                         const char *name, unsigned what)
{
    size_t at = 0;

    while (at < expected->count && at < actual->count &&
           same_entry(&expected->entries[at], &actual->entries[at], what))
        at++;
    if (at == expected->count && at == actual->count)
        return true;
    printf("# %s: entry %zu of %zu differs (it has %zu)\n", name, at, expected->count,
           actual->count);
    for (size_t i = at < SHOWN_BEFORE ? 0 : at - SHOWN_BEFORE; i < at; i++) {
        printf("#   before:   ");
        print_entry(expected, i);
        putchar('\n');
    }
    printf("#   expected: ");
    print_entry(expected, at);
    printf("\n#   actual:   ");
    print_entry(actual, at);
    putchar('\n');
    return false;
}

static bool same_list(const struct peer_list *expected, const struct peer_list *actual,
                      const char *name, const char *list)
{
    size_t at = 0;

    while (at < expected->count && at < actual->count && expected->values[at] == actual->values[at])
        at++;
    if (at == expected->count && at == actual->count)
        return true;
    printf("# %s: %s %zu differs (%zu expected, %zu there)", name, list, at, expected->count,
           actual->count);
    if (at < expected->count && at < actual->count)
        printf(": expected %" PRIx64 ", actual %" PRIx64, expected->values[at], actual->values[at]);
    putchar('\n');
    return false;
}

bool peer_truth_equal(const struct peer_truth *expected, const struct peer_truth *actual,
                      const char *name, unsigned what)
{
    static const char *const lists[PEER_LISTS] = {"timestamp", "cycle count", "event"};
    bool same = same_entries(expected, actual, name, what);

    for (unsigned i = 0; (what & PEER_COMPARE_LISTS) && i < PEER_LISTS; i++)
        same &= same_list(&expected->lists[i], &actual->lists[i], name, lists[i]);
    return same;
}
