/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    FIRST_IRQ = 16,
    WORD = 4,
    RESET = 1,
    SVC = 11,
};

/* VTOR in memory (Armv7-M B3.2.5), and that of the Non-secure state as Armv8-M shows it besides: a
 * dump may have them. */
static const uint64_t in_memory[] = {0xe000ed08u, 0xe002ed08u};

/* Armv7-M B1.5.2, Armv8-M B3.9; NULL is reserved. */
static const char *const names[FIRST_IRQ] = {
    NULL, "Reset", "NMI", "HardFault", "MemManage",    "BusFault", "UsageFault", "SecureFault",
    NULL, NULL,    NULL,  "SVC",       "DebugMonitor", NULL,       "PendSV",     "SysTick",
};

unsigned cairn_vectors_number(const char *name)
{
    for (unsigned i = 0; i < FIRST_IRQ; i++)
        if (names[i] && strcmp(name, names[i]) == 0)
            return i;
    if (strcmp(name, "PE Reset") == 0)
        return RESET;
    if (strcmp(name, "SVCall") == 0)
        return SVC;
    if (strncmp(name, "IRQ", 3) != 0)
        return CAIRN_VECTOR_NONE;
    const char *const digits = name + 3 + (name[3] == ' ');
    char *end;
    const unsigned long number = strtoul(digits, &end, 10);
    return *digits >= '0' && *digits <= '9' && !*end && number < CAIRN_VECTORS_MAX - FIRST_IRQ
               ? FIRST_IRQ + (unsigned)number
               : CAIRN_VECTOR_NONE;
}

void cairn_vectors_name(unsigned number, char name[CAIRN_VECTOR_NAME])
{
    if (number >= FIRST_IRQ)
        snprintf(name, CAIRN_VECTOR_NAME, "IRQ%u", number - FIRST_IRQ);
    else if (names[number])
        snprintf(name, CAIRN_VECTOR_NAME, "%s", names[number]);
    else
        snprintf(name, CAIRN_VECTOR_NAME, "exception %u", number);
}

/* A stack pointer, a Thumb function to begin with, and handlers: what is neither odd nor 0 is behind
 * the table. */
static bool read_table(struct cairn_code *code, uint64_t address, struct cairn_vector_table *table)
{
    table->address = address;
    table->count = 0;
    for (unsigned i = 0; i < CAIRN_VECTORS_MAX; i++) {
        uint32_t entry;
        if (!cairn_code_word(code, address + (uint64_t)i * WORD, &entry))
            break;
        if (i == 0 ? entry == 0 || entry % WORD != 0 : entry != 0 && !(entry & 1))
            break;
        table->entries[i] = entry;
        table->count = i + 1;
    }
    return address % WORD == 0 && table->count > RESET && table->entries[RESET] != 0;
}

/* What VTOR says when the capture was taken, by the core's registers or its memory. */
static size_t told_places(const struct cairn_vectors *vectors, struct cairn_code *code,
                          uint64_t *places, size_t capacity)
{
    size_t count = 0;
    uint32_t word;

    for (size_t i = 0; i < vectors->register_count && count < capacity; i++)
        if (strncasecmp(vectors->registers[i].name, "VTOR", 4) == 0)
            places[count++] = vectors->registers[i].value;
    for (size_t i = 0; i < sizeof in_memory / sizeof *in_memory && count < capacity; i++)
        if (cairn_code_word(code, in_memory[i], &word))
            places[count++] = word;
    return count;
}

static void look(struct cairn_vectors *vectors, struct cairn_code *code)
{
    uint64_t candidates[CAIRN_VECTOR_TABLES_MAX];

    if (vectors->looked)
        return;
    vectors->looked = true;
    vectors->tables = calloc(CAIRN_VECTOR_TABLES_MAX, sizeof *vectors->tables);
    if (!vectors->tables)
        return;
    size_t count = told_places(vectors, code, candidates, CAIRN_VECTOR_TABLES_MAX);
    count += cairn_image_vectors(cairn_code_image(code), candidates + count,
                                 CAIRN_VECTOR_TABLES_MAX - count);
    for (size_t i = 0; i < count; i++)
        if (read_table(code, candidates[i], &vectors->tables[vectors->count]))
            vectors->count++;
}

void cairn_vectors_clear(struct cairn_vectors *vectors)
{
    free(vectors->tables);
}

void cairn_vectors_moved(struct cairn_vectors *vectors, struct cairn_code *code, uint64_t address)
{
    struct cairn_vector_table table;
    size_t at = 0;

    look(vectors, code);
    if (!vectors->tables || !read_table(code, address, &table))
        return;
    while (at < vectors->count && vectors->tables[at].address != address)
        at++;
    if (at == CAIRN_VECTOR_TABLES_MAX)
        at--;
    else if (at == vectors->count)
        vectors->count++;
    memmove(vectors->tables + 1, vectors->tables, at * sizeof *vectors->tables);
    vectors->tables[0] = table;
}

static bool leads_to(const struct cairn_vector_table *table, unsigned number, uint64_t target)
{
    return number < table->count && table->entries[number] == (target | 1);
}

bool cairn_vectors_confirm(struct cairn_vectors *vectors, struct cairn_code *code, unsigned number,
                           uint64_t target)
{
    look(vectors, code);
    for (size_t i = 0; i < vectors->count; i++)
        if (leads_to(&vectors->tables[i], number, target))
            return true;
    return false;
}

static unsigned find_in(const struct cairn_vector_table *table, uint64_t target)
{
    unsigned found = CAIRN_VECTOR_NONE;

    for (unsigned i = RESET; i < table->count; i++) {
        if (!leads_to(table, i, target))
            continue;
        if (found != CAIRN_VECTOR_NONE)
            return CAIRN_VECTOR_NONE;
        found = i;
    }
    return found;
}

unsigned cairn_vectors_find(struct cairn_vectors *vectors, struct cairn_code *code, uint64_t target)
{
    look(vectors, code);
    for (size_t i = 0; i < vectors->count; i++) {
        const unsigned found = find_in(&vectors->tables[i], target);
        if (found != CAIRN_VECTOR_NONE)
            return found;
    }
    return CAIRN_VECTOR_NONE;
}
