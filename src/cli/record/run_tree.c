/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/run_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 40,
    MAGIC_AT = 0,
    TOTAL_AT = 4,
    STRUCTURE_AT = 8,
    STRINGS_AT = 12,
    RESERVED_AT = 16,
    STRINGS_SIZE_AT = 32,
    STRUCTURE_SIZE_AT = 36,
    NODE = 1,
    NODE_END = 2,
    PROPERTY = 3,
    NOTHING = 4,
    TREE_END = 9,
    CORES_MOST = 512,
    NODE_MOST = 256, /* bytes of one that is added */
    PPI = 1,         /* cells of an interrupt: its kind, number, trigger */
    TRBE_PPI = 15,   /* interrupt 31 */
    LEVEL_HIGH = 4,
};
#define MAGIC 0xd00dfeedu
#define COMPATIBLE "compatible"
#define CPU "cpu"
#define INTERRUPTS "interrupts"
static const char added_strings[] = COMPATIBLE "\0" CPU "\0" INTERRUPTS;

static uint32_t load(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void store(uint8_t *bytes, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

struct tree {
    const uint8_t *bytes;
    size_t size;
    size_t structure, structure_size, strings, strings_size;
    size_t end; /* in the structure: where the root's node ends */
    uint32_t handles[CORES_MOST];
    size_t cores;
};

static bool is_inside(const struct tree *tree, size_t at, size_t size)
{
    return at <= tree->size && size <= tree->size - at;
}

static bool is_named(const struct tree *tree, uint32_t at, const char *name)
{
    return at < tree->strings_size && strlen(name) < tree->strings_size - at &&
           strcmp((const char *)tree->bytes + tree->strings + at, name) == 0;
}

/* Handles of the nodes cpu@N in /cpus, which are two levels deep. */
static bool walk(struct tree *tree)
{
    const uint8_t *at = tree->bytes + tree->structure;
    const size_t size = tree->structure_size;
    unsigned depth = 0;
    bool is_core = false;

    for (size_t i = 0; i + 4 <= size;) {
        const size_t here = i;
        const uint32_t token = load(at + i);

        i += 4;
        if (token == NODE) {
            const uint8_t *end = memchr(at + i, 0, size - i);

            if (!end)
                return false;
            depth++;
            is_core = depth == 3 && strncmp((const char *)at + i, "cpu@", 4) == 0;
            i = ((size_t)(end - at) + 4) & ~(size_t)3;
        } else if (token == NODE_END) {
            is_core = false;
            if (depth-- == 1) {
                tree->end = here;
                return tree->cores > 0;
            }
        } else if (token == PROPERTY) {
            if (size - i < 8 || load(at + i) > size - i - 8)
                return false;
            const uint32_t length = load(at + i);
            if (is_core && length == 4 && tree->cores < CORES_MOST &&
                is_named(tree, load(at + i + 4), "phandle"))
                tree->handles[tree->cores++] = load(at + i + 8);
            i = (i + 8 + length + 3) & ~(size_t)3;
        } else if (token != NOTHING) {
            return false;
        }
    }
    return false;
}

static bool read_tree(struct tree *tree)
{
    if (tree->size < HEADER || load(tree->bytes + MAGIC_AT) != MAGIC)
        return false;
    tree->structure = load(tree->bytes + STRUCTURE_AT);
    tree->structure_size = load(tree->bytes + STRUCTURE_SIZE_AT);
    tree->strings = load(tree->bytes + STRINGS_AT);
    tree->strings_size = load(tree->bytes + STRINGS_SIZE_AT);
    return load(tree->bytes + RESERVED_AT) < tree->structure && tree->structure % 4 == 0 &&
           is_inside(tree, tree->structure, tree->structure_size) &&
           is_inside(tree, tree->strings, tree->strings_size) && walk(tree);
}

struct writer {
    uint8_t *bytes;
    size_t size;
    uint32_t names; /* where the names of properties begin that are added */
};

static void put(struct writer *writer, uint32_t value)
{
    store(writer->bytes + writer->size, value);
    writer->size += 4;
}

static void put_bytes(struct writer *writer, const void *bytes, size_t size)
{
    memcpy(writer->bytes + writer->size, bytes, size);
    writer->size += size;
    while (writer->size % 4)
        writer->bytes[writer->size++] = 0;
}

static void put_property(struct writer *writer, uint32_t name, const void *value, size_t size)
{
    put(writer, PROPERTY);
    put(writer, (uint32_t)size);
    put(writer, writer->names + name);
    put_bytes(writer, value, size);
}

static void put_nodes(struct writer *writer, const struct tree *tree)
{
    static const char unit[] = "arm,embedded-trace-extension",
                      buffer[] = "arm,trace-buffer-extension";
    const uint32_t cpu = sizeof COMPATIBLE, interrupts = cpu + sizeof CPU;
    uint8_t cells[12];

    for (size_t i = 0; i < tree->cores; i++) {
        char name[32];

        snprintf(name, sizeof name, "ete%zu", i);
        put(writer, NODE);
        put_bytes(writer, name, strlen(name) + 1);
        put_property(writer, 0, unit, sizeof unit);
        store(cells, tree->handles[i]);
        put_property(writer, cpu, cells, 4);
        put(writer, NODE_END);
    }
    put(writer, NODE);
    put_bytes(writer, "trbe", sizeof "trbe");
    put_property(writer, 0, buffer, sizeof buffer);
    store(cells, PPI);
    store(cells + 4, TRBE_PPI);
    store(cells + 8, LEVEL_HIGH);
    put_property(writer, interrupts, cells, sizeof cells);
    put(writer, NODE_END);
}

uint8_t *cli_run_tree(const uint8_t *bytes, size_t size, size_t *made)
{
    struct tree *tree = calloc(1, sizeof *tree);
    struct writer writer = {0};

    if (!tree)
        return NULL;
    tree->bytes = bytes;
    tree->size = size;
    if (read_tree(tree))
        writer.bytes = calloc(1, 2 * size + (tree->cores + 1) * NODE_MOST + sizeof added_strings);
    if (writer.bytes) {
        /* What is in front of the structure stays where it is, the map of reserved memory. The rest is as small as it
         * can be: QEMU takes twice the size for what it adds, and a kernel no more than 2 MiB. */
        const size_t structure = tree->structure;

        memcpy(writer.bytes, bytes, structure);
        writer.size = structure;
        writer.names = (uint32_t)tree->strings_size;
        put_bytes(&writer, bytes + tree->structure, tree->end);
        put_nodes(&writer, tree);
        put(&writer, NODE_END);
        put(&writer, TREE_END);
        const size_t strings = writer.size;
        memcpy(writer.bytes + strings, bytes + tree->strings, tree->strings_size);
        memcpy(writer.bytes + strings + tree->strings_size, added_strings, sizeof added_strings);
        writer.size += tree->strings_size + sizeof added_strings;
        store(writer.bytes + TOTAL_AT, (uint32_t)writer.size);
        store(writer.bytes + STRUCTURE_AT, (uint32_t)structure);
        store(writer.bytes + STRUCTURE_SIZE_AT, (uint32_t)(strings - structure));
        store(writer.bytes + STRINGS_AT, (uint32_t)strings);
        store(writer.bytes + STRINGS_SIZE_AT,
              (uint32_t)(tree->strings_size + sizeof added_strings));
        *made = writer.size;
    }
    free(tree);
    return writer.bytes;
}
