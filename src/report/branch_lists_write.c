/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages are written as they are, sizes first: each size is worked out before, and once more for what it is in. As
 * proto3 has it a number that is 0, or a text that is empty, is left out. */
#include "report/branch_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "report/branch_lists_format.h"
#include "report/protobuf.h"

/* A run of lists, all in one message. */
struct run {
    size_t first, end;
};

struct listed_writer {
    const struct cairn_branch_lists *lists;
    struct cairn_output *output;
    uint32_t *ids; /* of binaries of samples: their place among these, from 1 on; 0: of none */
    uint32_t id_count;
    bool has_magic; /* in the message; else in front of all */
};

/* --- sizes --- */

static size_t varint_size(uint64_t value)
{
    size_t size = 1;

    for (; value >= 0x80; value >>= 7)
        size++;
    return size;
}

/* With its head, which has a byte: fields have numbers below 16. */
static size_t number_size(uint64_t value)
{
    return value ? 1 + varint_size(value) : 0;
}

static uint64_t bytes_size(uint64_t size)
{
    return 1 + varint_size(size) + size;
}

static size_t text_size(const char *text)
{
    return text && *text ? (size_t)bytes_size(strlen(text)) : 0;
}

static size_t list_size(const struct cairn_branch_list *list)
{
    return (size_t)bytes_size((list->bits + 7u) / 8u) + number_size(list->bits) +
           number_size(list->count);
}

/* Behind the last list of a run with the same binary, or address. */
static size_t end_of_address(const struct cairn_branch_lists *lists, struct run run)
{
    size_t i = run.first;

    while (i < run.end && lists->lists[i].binary == lists->lists[run.first].binary &&
           lists->lists[i].address == lists->lists[run.first].address)
        i++;
    return i;
}

static size_t end_of_binary(const struct cairn_branch_lists *lists, struct run run)
{
    size_t i = run.first;

    while (i < run.end && lists->lists[i].binary == lists->lists[run.first].binary)
        i++;
    return i;
}

/* Of lists of one address. */
static uint64_t address_size(const struct cairn_branch_lists *lists, struct run run)
{
    uint64_t size = number_size(lists->lists[run.first].address);

    for (size_t i = run.first; i < run.end; i++)
        size += bytes_size(list_size(&lists->lists[i]));
    return size;
}

static size_t module_size(const struct cairn_listed_module *module)
{
    return number_size(module->first) + number_size(module->end) + text_size(module->symbol) +
           number_size(module->symbol_address) + number_size(module->symbol_size);
}

static size_t build_id_size(const struct cairn_listed_binary *binary)
{
    return binary->build_id ? (size_t)bytes_size(LISTED_BUILD_ID_DIGITS) : 0;
}

/* Of lists of one binary. */
static uint64_t binary_size(const struct cairn_branch_lists *lists, struct run run)
{
    const struct cairn_listed_binary *const binary =
        &lists->binaries[lists->lists[run.first].binary];
    uint64_t size = text_size(binary->path) + build_id_size(binary) + number_size(binary->kind);

    while (run.first < run.end) {
        const size_t end = end_of_address(lists, run);

        size += bytes_size(address_size(lists, (struct run){run.first, end}));
        run.first = end;
    }
    if (binary->kind == CAIRN_LISTED_KERNEL)
        size += bytes_size(number_size(binary->kernel_start));
    if (binary->has_module)
        size += bytes_size(module_size(&binary->module));
    return size;
}

static uint64_t lists_size(const struct cairn_branch_lists *lists, struct run run)
{
    uint64_t size = 0;

    while (run.first < run.end) {
        const size_t end = end_of_binary(lists, run);

        size += bytes_size(binary_size(lists, (struct run){run.first, end}));
        run.first = end;
    }
    return size;
}

static uint32_t id_of(const struct listed_writer *writer, const struct cairn_listed_end *end)
{
    return end->binary == CAIRN_PGO_NONE ? 0 : writer->ids[end->binary];
}

static size_t branch_size(const struct listed_writer *writer,
                          const struct cairn_listed_branch *branch)
{
    return number_size(id_of(writer, &branch->from)) + number_size(id_of(writer, &branch->to)) +
           number_size(branch->from.address) + number_size(branch->to.address);
}

static uint64_t sample_size(const struct listed_writer *writer,
                            const struct cairn_listed_sample *sample)
{
    uint64_t size = number_size(id_of(writer, &sample->at)) + number_size(sample->at.address);

    for (size_t i = sample->first; i < sample->first + sample->count; i++)
        size += bytes_size(branch_size(writer, &writer->lists->branches[i]));
    return size;
}

static size_t named_size(const struct cairn_listed_binary *binary)
{
    return text_size(binary->path) + build_id_size(binary);
}

/* Binaries are told with the first samples. */
static uint64_t stacks_size(const struct listed_writer *writer, struct run run)
{
    const struct cairn_branch_lists *const lists = writer->lists;
    uint64_t size = 0;

    for (size_t i = run.first; i < run.end; i++)
        size += bytes_size(sample_size(writer, &lists->samples[i]));
    for (size_t i = 0; i < lists->binary_count && !run.first; i++)
        if (writer->ids[i])
            size += bytes_size(named_size(&lists->binaries[i]));
    return size;
}

/* --- what is written --- */

static void put_head(struct listed_writer *writer, unsigned field, uint64_t size)
{
    struct cairn_protobuf head;

    head.used = 0;
    cairn_protobuf_message(&head, field, (size_t)size);
    cairn_output_data(writer->output, head.bytes, head.used);
}

static void put_number(struct listed_writer *writer, unsigned field, uint64_t value)
{
    struct cairn_protobuf number;

    if (!value)
        return;
    number.used = 0;
    cairn_protobuf_number(&number, field, value);
    cairn_output_data(writer->output, number.bytes, number.used);
}

static void put_text(struct listed_writer *writer, unsigned field, const char *text)
{
    if (!text || !*text)
        return;
    put_head(writer, field, strlen(text));
    cairn_output_text(writer->output, text);
}

static void put_build_id(struct listed_writer *writer, const char *build_id)
{
    const size_t length = build_id ? strnlen(build_id, LISTED_BUILD_ID_DIGITS) : 0;

    if (!build_id)
        return;
    put_head(writer, LISTED_BINARY_BUILD_ID, LISTED_BUILD_ID_DIGITS);
    cairn_output_data(writer->output, build_id, length);
    for (size_t i = length; i < LISTED_BUILD_ID_DIGITS; i++)
        cairn_output_char(writer->output, '0');
}

static void put_list(struct listed_writer *writer, const struct cairn_branch_list *list)
{
    const size_t size = (list->bits + 7u) / 8u;

    put_head(writer, LISTED_ADDRESS_LIST, list_size(list));
    put_head(writer, LISTED_LIST_BRANCHES, size);
    cairn_output_data(writer->output, writer->lists->bytes + list->at, size);
    put_number(writer, LISTED_LIST_SIZE, list->bits);
    put_number(writer, LISTED_LIST_COUNT, list->count);
}

static void put_module(struct listed_writer *writer, const struct cairn_listed_module *module)
{
    put_head(writer, LISTED_BINARY_MODULE, module_size(module));
    put_number(writer, LISTED_MODULE_FIRST, module->first);
    put_number(writer, LISTED_MODULE_END, module->end);
    put_text(writer, LISTED_MODULE_SYMBOL, module->symbol);
    put_number(writer, LISTED_MODULE_SYMBOL_ADDRESS, module->symbol_address);
    put_number(writer, LISTED_MODULE_SYMBOL_SIZE, module->symbol_size);
}

static void put_address(struct listed_writer *writer, struct run run)
{
    const struct cairn_branch_lists *const lists = writer->lists;

    put_head(writer, LISTED_BINARY_ADDRESS, address_size(lists, run));
    put_number(writer, LISTED_ADDRESS_ADDRESS, lists->lists[run.first].address);
    for (size_t i = run.first; i < run.end; i++)
        put_list(writer, &lists->lists[i]);
}

static void put_binary(struct listed_writer *writer, struct run run)
{
    const struct cairn_branch_lists *const lists = writer->lists;
    const struct cairn_listed_binary *const binary =
        &lists->binaries[lists->lists[run.first].binary];

    put_head(writer, LISTED_MESSAGE_BINARY, binary_size(lists, run));
    put_text(writer, LISTED_BINARY_PATH, binary->path);
    put_build_id(writer, binary->build_id);
    while (run.first < run.end) {
        const size_t end = end_of_address(lists, run);

        put_address(writer, (struct run){run.first, end});
        run.first = end;
    }
    put_number(writer, LISTED_BINARY_KIND, binary->kind);
    if (binary->kind == CAIRN_LISTED_KERNEL) {
        put_head(writer, LISTED_BINARY_KERNEL, number_size(binary->kernel_start));
        put_number(writer, LISTED_KERNEL_START, binary->kernel_start);
    }
    if (binary->has_module)
        put_module(writer, &binary->module);
}

static void put_lists(struct listed_writer *writer, struct run run)
{
    while (run.first < run.end) {
        const size_t end = end_of_binary(writer->lists, run);

        put_binary(writer, (struct run){run.first, end});
        run.first = end;
    }
}

static void put_sample(struct listed_writer *writer, const struct cairn_listed_sample *sample)
{
    put_head(writer, LISTED_STACKS_SAMPLE, sample_size(writer, sample));
    put_number(writer, LISTED_SAMPLE_BINARY, id_of(writer, &sample->at));
    put_number(writer, LISTED_SAMPLE_ADDRESS, sample->at.address);
    for (size_t i = sample->first; i < sample->first + sample->count; i++) {
        const struct cairn_listed_branch *const branch = &writer->lists->branches[i];

        put_head(writer, LISTED_SAMPLE_BRANCH, branch_size(writer, branch));
        put_number(writer, LISTED_BRANCH_FROM_BINARY, id_of(writer, &branch->from));
        put_number(writer, LISTED_BRANCH_TO_BINARY, id_of(writer, &branch->to));
        put_number(writer, LISTED_BRANCH_FROM, branch->from.address);
        put_number(writer, LISTED_BRANCH_TO, branch->to.address);
    }
}

static void put_stacks(struct listed_writer *writer, struct run run)
{
    const struct cairn_branch_lists *const lists = writer->lists;

    put_head(writer, LISTED_MESSAGE_STACKS, stacks_size(writer, run));
    for (size_t i = run.first; i < run.end; i++)
        put_sample(writer, &lists->samples[i]);
    for (size_t i = 0; i < lists->binary_count && !run.first; i++)
        if (writer->ids[i]) {
            put_head(writer, LISTED_STACKS_BINARY, named_size(&lists->binaries[i]));
            put_text(writer, LISTED_BINARY_PATH, lists->binaries[i].path);
            put_build_id(writer, lists->binaries[i].build_id);
        }
}

/* --- messages --- */

static uint64_t message_size(const struct listed_writer *writer, struct run lists,
                             struct run samples)
{
    const uint64_t magic = writer->has_magic ? bytes_size(LISTED_MAGIC_SIZE) : 0;
    const uint64_t stacks =
        samples.first < samples.end ? bytes_size(stacks_size(writer, samples)) : 0;

    return magic + lists_size(writer->lists, lists) + stacks;
}

static void put_message(struct listed_writer *writer, struct run lists, struct run samples)
{
    if (writer->has_magic)
        put_text(writer, LISTED_MESSAGE_MAGIC, LISTED_MAGIC);
    put_lists(writer, lists);
    if (samples.first < samples.end)
        put_stacks(writer, samples);
}

static void put_sized(struct listed_writer *writer, struct run lists, struct run samples)
{
    uint8_t size[LISTED_SIZE_SIZE];

    cairn_store_le32(size, (uint32_t)message_size(writer, lists, samples));
    cairn_output_data(writer->output, size, sizeof size);
    put_message(writer, lists, samples);
}

/* More than a list can add to a message, with a binary and an address of its own. */
static uint64_t most_of_list(const struct cairn_branch_lists *lists, size_t i)
{
    const struct cairn_listed_binary *const binary = &lists->binaries[lists->lists[i].binary];

    return 128 + named_size(binary) + text_size(binary->module.symbol) +
           list_size(&lists->lists[i]);
}

/* As many as fit for certain, and one at least. */
static struct run next_lists(const struct cairn_branch_lists *lists, size_t first, uint64_t most)
{
    struct run run = {first, first};
    uint64_t size = 0;

    while (run.end < lists->list_count &&
           (run.end == first || size + most_of_list(lists, run.end) <= most))
        size += most_of_list(lists, run.end++);
    return run;
}

static struct run next_samples(const struct listed_writer *writer, size_t first, uint64_t most)
{
    struct run run = {first, first};
    uint64_t size = first ? 0 : stacks_size(writer, run);

    while (run.end < writer->lists->sample_count) {
        const uint64_t more = bytes_size(sample_size(writer, &writer->lists->samples[run.end]));

        if (run.end > first && size + more > most)
            break;
        size += more;
        run.end++;
    }
    return run;
}

static void put_several(struct listed_writer *writer, uint64_t most)
{
    const struct run none = {0, 0};
    uint8_t head[LISTED_HEAD_SIZE] = LISTED_MAGIC;
    struct run run;

    cairn_store_le32(head + LISTED_MAGIC_SIZE, LISTED_VERSION);
    head[LISTED_HEAD_SIZE - 1] = 0;
    cairn_output_data(writer->output, head, sizeof head);
    for (size_t i = 0; i < writer->lists->list_count && cairn_output_wanted(writer->output);
         i = run.end) {
        run = next_lists(writer->lists, i, most);
        put_sized(writer, run, none);
    }
    for (size_t i = 0; i < writer->lists->sample_count && cairn_output_wanted(writer->output);
         i = run.end) {
        run = next_samples(writer, i, most);
        put_sized(writer, none, run);
    }
}

static void number_end(struct listed_writer *writer, const struct cairn_listed_end *end)
{
    if (end->binary != CAIRN_PGO_NONE)
        writer->ids[end->binary] = 1;
}

/* Numbers the binaries that samples are of, in their order. */
static void number_binaries(struct listed_writer *writer)
{
    const struct cairn_branch_lists *const lists = writer->lists;

    for (size_t i = 0; i < lists->sample_count; i++) {
        const struct cairn_listed_sample *const sample = &lists->samples[i];

        number_end(writer, &sample->at);
        for (size_t n = sample->first; n < sample->first + sample->count; n++) {
            number_end(writer, &lists->branches[n].from);
            number_end(writer, &lists->branches[n].to);
        }
    }
    for (size_t i = 0; i < lists->binary_count; i++)
        if (writer->ids[i])
            writer->ids[i] = ++writer->id_count;
}

cairn_status cairn_branch_lists_write(const struct cairn_branch_lists *lists, uint64_t most,
                                      struct cairn_output *output)
{
    const struct run all = {0, lists->list_count}, samples = {0, lists->sample_count};
    struct listed_writer writer = {
        .lists = lists,
        .output = output,
        .ids = calloc(lists->binary_count + 1, sizeof *writer.ids),
        .has_magic = true,
    };

    if (!writer.ids)
        return CAIRN_E_MEMORY;
    number_binaries(&writer);
    if (message_size(&writer, all, samples) <= most) {
        put_message(&writer, all, samples);
    } else {
        writer.has_magic = false;
        put_several(&writer, most);
    }
    free(writer.ids);
    return CAIRN_OK;
}
