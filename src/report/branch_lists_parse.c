/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields may stand in any order, and what a message is of may stand behind what is in it: each is gone through twice. */
#include "report/branch_lists_parse.h"

#include <stdlib.h>
#include <string.h>

#include "capture/arena.h"
#include "report/branch_lists_format.h"

#define PATH_MOST 4096u /* of the system's paths; and of names of symbols */

void cairn_listed_file_clear(struct cairn_listed_file *file)
{
    free(file->numbers);
    file->numbers = NULL;
}

static cairn_status damaged(struct cairn_listed_file *file, const uint8_t *at, const char *problem)
{
    if (!file->problem) {
        file->at = at;
        file->problem = problem;
    }
    return CAIRN_E_FORMAT;
}

/* Behind the last field of a message. */
static cairn_status end_of(struct cairn_listed_file *file, const struct cairn_protobuf_in *in)
{
    return in->is_damaged ? damaged(file, in->at, "a field cannot be read") : CAIRN_OK;
}

/* A copy; *text, if there was one, is freed. */
static cairn_status take_text(struct cairn_listed_file *file, const struct cairn_protobuf_in *bytes,
                              char **text)
{
    const size_t size = cairn_protobuf_left(bytes);

    if (size > PATH_MOST || memchr(bytes->at, 0, size))
        return damaged(file, bytes->at, "this is no path, and no name");
    char *const copy = strndup((const char *)bytes->at, size);
    if (!copy)
        return CAIRN_E_MEMORY;
    free(*text);
    *text = copy;
    return CAIRN_OK;
}

/* How many digits are of the build-id: linkers make 8 or 16 bytes as well, which are padded with zeros to 20. */
static size_t id_length(const char *digits)
{
    size_t length = strlen(digits);

    if (length != LISTED_BUILD_ID_DIGITS)
        return length;
    while (length && digits[length - 1] == '0')
        length--;
    return !length ? 0 : length <= 16 ? 16 : length <= 32 ? 32 : LISTED_BUILD_ID_DIGITS;
}

static cairn_status take_build_id(struct cairn_listed_file *file,
                                  const struct cairn_protobuf_in *bytes, char **build_id)
{
    const cairn_status status = take_text(file, bytes, build_id);

    if (status)
        return status;
    for (char *at = *build_id; *at; at++) {
        if (*at >= 'A' && *at <= 'F')
            *at = (char)(*at - 'A' + 'a');
        if (!strchr("0123456789abcdef", *at))
            return damaged(file, bytes->at, "this is no build-id in hex digits");
    }
    (*build_id)[id_length(*build_id)] = '\0';
    if (!**build_id) {
        free(*build_id);
        *build_id = NULL;
    }
    return CAIRN_OK;
}

/* --- lists of a binary --- */

static cairn_status take_list(struct cairn_listed_file *file, struct cairn_protobuf_in in,
                              uint32_t binary, uint64_t address)
{
    struct cairn_branch_list list = {.binary = binary, .address = address};
    struct cairn_protobuf_in branches = {.at = in.at, .end = in.at};
    const uint8_t *const begin = in.at;
    struct cairn_protobuf_field field;

    while (cairn_protobuf_next(&in, &field)) {
        if (cairn_protobuf_is_bytes(&field, LISTED_LIST_BRANCHES))
            branches = field.bytes;
        else if (cairn_protobuf_is_number(&field, LISTED_LIST_SIZE))
            list.bits = (uint32_t)field.value;
        else if (cairn_protobuf_is_number(&field, LISTED_LIST_COUNT))
            list.count = field.value;
    }
    if (end_of(file, &in))
        return CAIRN_E_FORMAT;
    if (list.bits > (uint64_t)cairn_protobuf_left(&branches) * 8)
        return damaged(file, begin, "a list says that it has more branches than it has");
    return cairn_branch_lists_add(file->lists, &list, branches.at);
}

static cairn_status take_address(struct cairn_listed_file *file, struct cairn_protobuf_in in,
                                 uint32_t binary)
{
    struct cairn_protobuf_in again = in;
    struct cairn_protobuf_field field;
    uint64_t address = 0;
    cairn_status status = CAIRN_OK;

    while (cairn_protobuf_next(&in, &field))
        if (cairn_protobuf_is_number(&field, LISTED_ADDRESS_ADDRESS))
            address = field.value;
    status = end_of(file, &in);
    while (!status && cairn_protobuf_next(&again, &field))
        if (cairn_protobuf_is_bytes(&field, LISTED_ADDRESS_LIST))
            status = take_list(file, field.bytes, binary, address);
    return status;
}

/* --- binaries --- */

static cairn_status take_kernel(struct cairn_listed_file *file, struct cairn_protobuf_in in,
                                struct cairn_listed_binary *binary)
{
    struct cairn_protobuf_field field;

    while (cairn_protobuf_next(&in, &field))
        if (cairn_protobuf_is_number(&field, LISTED_KERNEL_START))
            binary->kernel_start = field.value;
    return end_of(file, &in);
}

static cairn_status take_module(struct cairn_listed_file *file, struct cairn_protobuf_in in,
                                struct cairn_listed_binary *binary)
{
    struct cairn_listed_module *const module = &binary->module;
    struct cairn_protobuf_field field;
    cairn_status status = CAIRN_OK;

    binary->has_module = true;
    while (!status && cairn_protobuf_next(&in, &field)) {
        if (cairn_protobuf_is_number(&field, LISTED_MODULE_FIRST))
            module->first = field.value;
        else if (cairn_protobuf_is_number(&field, LISTED_MODULE_END))
            module->end = field.value;
        else if (cairn_protobuf_is_bytes(&field, LISTED_MODULE_SYMBOL))
            status = take_text(file, &field.bytes, &module->symbol);
        else if (cairn_protobuf_is_number(&field, LISTED_MODULE_SYMBOL_ADDRESS))
            module->symbol_address = field.value;
        else if (cairn_protobuf_is_number(&field, LISTED_MODULE_SYMBOL_SIZE))
            module->symbol_size = field.value;
    }
    return status ? status : end_of(file, &in);
}

/* What a binary is; that of samples has no more than a path and a build-id. */
static cairn_status take_key(struct cairn_listed_file *file, struct cairn_protobuf_in in,
                             struct cairn_listed_binary *binary)
{
    struct cairn_protobuf_field field;
    cairn_status status = CAIRN_OK;

    while (!status && cairn_protobuf_next(&in, &field)) {
        if (cairn_protobuf_is_bytes(&field, LISTED_BINARY_PATH)) {
            status = take_text(file, &field.bytes, &binary->path);
        } else if (cairn_protobuf_is_bytes(&field, LISTED_BINARY_BUILD_ID)) {
            status = take_build_id(file, &field.bytes, &binary->build_id);
        } else if (cairn_protobuf_is_number(&field, LISTED_BINARY_KIND)) {
            if (field.value > CAIRN_LISTED_MODULE)
                return damaged(file, in.at, "a binary is of a kind that is not known");
            binary->kind = (enum cairn_listed_kind)field.value;
        } else if (cairn_protobuf_is_bytes(&field, LISTED_BINARY_KERNEL)) {
            status = take_kernel(file, field.bytes, binary);
        } else if (cairn_protobuf_is_bytes(&field, LISTED_BINARY_MODULE)) {
            status = take_module(file, field.bytes, binary);
        }
    }
    if (!status && !binary->path && !(binary->path = strdup("")))
        status = CAIRN_E_MEMORY;
    return status ? status : end_of(file, &in);
}

static cairn_status find_binary(struct cairn_listed_file *file, struct cairn_protobuf_in in,
                                uint32_t *number)
{
    struct cairn_listed_binary binary = {.kind = CAIRN_LISTED_FILE};
    cairn_status status = take_key(file, in, &binary);

    if (!status)
        status = cairn_branch_lists_binary(file->lists, &binary, number);
    free(binary.path);
    free(binary.build_id);
    free(binary.module.symbol);
    return status;
}

static cairn_status take_binary(struct cairn_listed_file *file, struct cairn_protobuf_in in)
{
    struct cairn_protobuf_field field;
    uint32_t number;
    cairn_status status = find_binary(file, in, &number);

    while (!status && cairn_protobuf_next(&in, &field))
        if (cairn_protobuf_is_bytes(&field, LISTED_BINARY_ADDRESS))
            status = take_address(file, field.bytes, number);
    return status;
}

/* --- branch stacks --- */

static cairn_status number_binary(struct cairn_listed_file *file, struct cairn_protobuf_in in)
{
    const cairn_status status = cairn_grow((void **)&file->numbers, file->number_count,
                                           &file->number_room, sizeof *file->numbers);

    return status ? status : find_binary(file, in, &file->numbers[file->number_count++]);
}

/* The file counts from 1 on; 0 is none. */
static cairn_status resolve(struct cairn_listed_file *file, const uint8_t *at,
                            struct cairn_listed_end *end)
{
    if (end->binary > file->number_count)
        return damaged(file, at, "a sample is of a binary that is not told");
    end->binary = end->binary ? file->numbers[end->binary - 1] : CAIRN_PGO_NONE;
    return CAIRN_OK;
}

static cairn_status take_branch(struct cairn_listed_file *file, struct cairn_protobuf_in in,
                                struct cairn_listed_branch *branch)
{
    const uint8_t *const begin = in.at;
    struct cairn_protobuf_field field;

    *branch = (struct cairn_listed_branch){.from = {0}};
    while (cairn_protobuf_next(&in, &field)) {
        if (cairn_protobuf_is_number(&field, LISTED_BRANCH_FROM_BINARY))
            branch->from.binary = (uint32_t)field.value;
        else if (cairn_protobuf_is_number(&field, LISTED_BRANCH_TO_BINARY))
            branch->to.binary = (uint32_t)field.value;
        else if (cairn_protobuf_is_number(&field, LISTED_BRANCH_FROM))
            branch->from.address = field.value;
        else if (cairn_protobuf_is_number(&field, LISTED_BRANCH_TO))
            branch->to.address = field.value;
    }
    cairn_status status = end_of(file, &in);
    if (!status)
        status = resolve(file, begin, &branch->from);
    return status ? status : resolve(file, begin, &branch->to);
}

/* How many branches a sample has; and what it is of. */
static cairn_status take_sample_key(struct cairn_listed_file *file, struct cairn_protobuf_in in,
                                    struct cairn_listed_sample *sample)
{
    const uint8_t *const begin = in.at;
    struct cairn_protobuf_field field;

    while (cairn_protobuf_next(&in, &field)) {
        if (cairn_protobuf_is_number(&field, LISTED_SAMPLE_BINARY))
            sample->at.binary = (uint32_t)field.value;
        else if (cairn_protobuf_is_number(&field, LISTED_SAMPLE_ADDRESS))
            sample->at.address = field.value;
        else if (cairn_protobuf_is_bytes(&field, LISTED_SAMPLE_BRANCH))
            sample->count++;
    }
    const cairn_status status = end_of(file, &in);
    return status ? status : resolve(file, begin, &sample->at);
}

static cairn_status take_sample(struct cairn_listed_file *file, struct cairn_protobuf_in in)
{
    struct cairn_listed_sample sample = {.count = 0};
    struct cairn_protobuf_field field;
    size_t count = 0;
    cairn_status status = take_sample_key(file, in, &sample);

    if (status)
        return status;
    if (sample.count > CAIRN_LISTED_STACK_MOST)
        return damaged(file, in.at, "a sample has more branches than any processor records");
    struct cairn_listed_branch *const branches = calloc(sample.count + 1, sizeof *branches);
    if (!branches)
        return CAIRN_E_MEMORY;
    while (!status && cairn_protobuf_next(&in, &field))
        if (cairn_protobuf_is_bytes(&field, LISTED_SAMPLE_BRANCH))
            status = take_branch(file, field.bytes, &branches[count++]);
    if (!status)
        status = cairn_branch_lists_add_sample(file->lists, &sample, branches);
    free(branches);
    return status;
}

static cairn_status take_stacks(struct cairn_listed_file *file, struct cairn_protobuf_in in)
{
    struct cairn_protobuf_in again = in;
    struct cairn_protobuf_field field;
    cairn_status status = CAIRN_OK;

    while (!status && cairn_protobuf_next(&in, &field))
        if (cairn_protobuf_is_bytes(&field, LISTED_STACKS_BINARY))
            status = number_binary(file, field.bytes);
    if (!status)
        status = end_of(file, &in);
    while (!status && cairn_protobuf_next(&again, &field))
        if (cairn_protobuf_is_bytes(&field, LISTED_STACKS_SAMPLE))
            status = take_sample(file, field.bytes);
    return status;
}

/* --- all of it --- */

static bool is_magic(const struct cairn_protobuf_in *bytes)
{
    return cairn_protobuf_left(bytes) == LISTED_MAGIC_SIZE &&
           !memcmp(bytes->at, LISTED_MAGIC, LISTED_MAGIC_SIZE);
}

cairn_status cairn_listed_message(struct cairn_listed_file *file, const uint8_t *bytes, size_t size)
{
    struct cairn_protobuf_in in = {.at = bytes, .end = bytes + size};
    struct cairn_protobuf_field field;
    bool has_magic = !file->wants_magic;
    cairn_status status = CAIRN_OK;

    while (!status && cairn_protobuf_next(&in, &field)) {
        if (cairn_protobuf_is_bytes(&field, LISTED_MESSAGE_MAGIC))
            has_magic |= is_magic(&field.bytes);
        else if (cairn_protobuf_is_bytes(&field, LISTED_MESSAGE_BINARY))
            status = take_binary(file, field.bytes);
        else if (cairn_protobuf_is_bytes(&field, LISTED_MESSAGE_STACKS))
            status = take_stacks(file, field.bytes);
    }
    if (!status)
        status = end_of(file, &in);
    if (!status && !has_magic)
        status = damaged(file, bytes, "it does not say that it is of branch lists");
    return status;
}
