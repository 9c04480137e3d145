/* SPDX-License-Identifier: BSD-2-Clause */
/* What `cairn record` is to trace, by addresses and names. Names of a program that is linked to its
 * addresses, of firmware and of a log's images are looked up before anything runs; those of a program
 * that is put anywhere, and of libraries, by the plugin, when the file is mapped. */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cairn/capture.h>

#include "cli/record/record.h"
#include "cli/window/where.h"
#include "machine/recording.h"

/* Where names are looked up. */
struct sources {
    struct cairn_image *image;
    bool has_names;     /* there is an ELF file */
    bool moves;         /* the program is put anywhere: what is found is to be found again there */
    bool has_libraries; /* what is not found may be theirs */
};

static bool refuse(const struct cli_filter *filter, const char *why)
{
    fprintf(stderr, "cairn record: --%s %s: %s\n", cairn_filter_name(filter->use), filter->text,
            why);
    return false;
}

static bool out_of_memory(void)
{
    fputs("cairn record: out of memory for what is to be traced\n", stderr);
    return false;
}

/* --- the files --- */

static bool add_file(struct sources *sources, const char *option, const char *path, uint64_t bias)
{
    struct cairn_error error = {.status = CAIRN_OK};

    if (cairn_image_add_names(sources->image, path, bias, NULL, 0, 0, &error) == CAIRN_OK) {
        sources->has_names = true;
        return true;
    }
    fprintf(stderr, "cairn record: %s%s\n", option, error.text);
    return false;
}

static bool add_images(struct sources *sources, const struct cli_list *images)
{
    for (size_t i = 0; i < images->count; i++) {
        const char *at = strrchr(images->items[i], '@');
        uint64_t bias = 0;
        const bool has_bias = at && at != images->items[i] && cli_number(at + 1, &bias);
        char *path = has_bias ? strndup(images->items[i], (size_t)(at - images->items[i]))
                              : strdup(images->items[i]);
        const bool fine = path ? add_file(sources, "--image ", path, bias) : out_of_memory();

        free(path);
        if (!fine)
            return false;
    }
    return true;
}

static bool is_put_anywhere(const char *path, bool *is_dynamic)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = NULL;
    GElf_Ehdr header;
    size_t count = 0;
    bool anywhere = false;

    *is_dynamic = false;
    (void)elf_version(EV_CURRENT);
    if (file >= 0)
        elf = elf_begin(file, ELF_C_READ, NULL);
    if (elf && gelf_getehdr(elf, &header) && elf_getphdrnum(elf, &count) == 0) {
        anywhere = header.e_type == ET_DYN;
        for (size_t i = 0; i < count; i++) {
            GElf_Phdr segment;
            *is_dynamic |= gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP;
        }
    }
    elf_end(elf);
    if (file >= 0)
        close(file);
    return anywhere;
}

static bool find_files(const struct cli_options *options, struct sources *sources)
{
    const struct cli_record *record = options->record;
    const char *program = record->tarmac ? NULL : cli_record_subject(options);

    if (cairn_image_new(&sources->image) != CAIRN_OK)
        return out_of_memory();
    if (!add_images(sources, &record->images))
        return false;
    /* What is wrong with the program is said when it is to run. */
    if (!program || cairn_image_add_names(sources->image, program, 0, NULL, 0, 0, NULL) != CAIRN_OK)
        return true;
    sources->has_names = true;
    if (!record->machine)
        sources->moves = is_put_anywhere(program, &sources->has_libraries);
    return true;
}

/* --- one of them --- */

static bool is_range(enum cairn_filter_use use)
{
    return use == CAIRN_FILTER_INCLUDE || use == CAIRN_FILTER_EXCLUDE;
}

static bool add_known(struct cli_filters *filters, const struct cli_filter *filter, uint64_t first,
                      uint64_t last)
{
    return cairn_filters_add(&filters->known, filter->use, first, last) == CAIRN_OK &&
                   cairn_filters_add(&filters->all, filter->use, first, last) == CAIRN_OK
               ? true
               : out_of_memory();
}

/* "0x400600-0x40067c" */
static bool read_range(const char *text, uint64_t *first, uint64_t *last)
{
    const char *dash = strchr(text, '-');
    char number[32];

    if (!dash || (size_t)(dash - text) >= sizeof number)
        return false;
    snprintf(number, sizeof number, "%.*s", (int)(dash - text), text);
    return cli_number(number, first) && cli_number(dash + 1, last);
}

static bool fits_use(const struct cli_filter *filter, const struct cairn_match *match)
{
    if (is_range(filter->use) && match->kind == CAIRN_MATCH_ADDRESS)
        return refuse(filter, "expected FIRST-LAST, such as 0x400600-0x40067c, A..B or a function: "
                              "this is one address");
    if (!is_range(filter->use) && match->kind == CAIRN_MATCH_RANGE)
        return refuse(filter, "expected one place, such as main or 0x400600: this is a range");
    return true;
}

static bool take_matches(const struct cairn_matches *matches, const struct cli_filter *filter,
                         bool are_known, struct cli_filters *filters)
{
    struct cairn_match match = {.size = sizeof match};

    for (size_t i = 0; cairn_matches_at(matches, i, &match) == CAIRN_OK; i++) {
        if (!fits_use(filter, &match))
            return false;
        if (!is_range(filter->use) && !match.is_entry)
            continue;
        const uint64_t last = is_range(filter->use) ? match.last : match.first;

        if (are_known
                ? !add_known(filters, filter, match.first, last)
                : cairn_filters_add(&filters->all, filter->use, match.first, last) != CAIRN_OK)
            return are_known ? false : out_of_memory();
    }
    return true;
}

static bool add_name(struct cli_filters *filters, const struct cli_filter *filter, bool own)
{
    filters->names[filters->name_count++] = (struct cli_filter_name){filter, own};
    filters->known.waits[filter->use] = true;
    filters->all.waits[filter->use] |= !own;
    return true;
}

/* "libc.so.6:memcpy", or "libx.so.1:x.c:12" */
static bool is_of_library(const char *text)
{
    const char *const library = strstr(text, ".so");

    return library && strchr(library, ':');
}

static bool not_found(const struct cli_options *options, const struct sources *sources,
                      const struct cli_filter *filter, const struct cairn_error *error,
                      struct cli_filters *filters)
{
    const struct cli_record *record = options->record;
    struct cli_target target;

    if (!sources->has_names && record->tarmac)
        return refuse(filter, "a log has no names; give the file that has this one with --image "
                              "FILE, or an address");
    if (!sources->has_names && cli_record_is_board(record))
        return refuse(filter, "a name needs a file that has it: give the kernel's vmlinux with "
                              "--image FILE, or an address");
    if (!sources->has_names && !options->program[0])
        return refuse(filter, "a name needs the program that has it: give that behind --");
    if (!sources->has_names && !cli_record_examine(record, options->program[0], &target))
        return false;
    if (error->status != CAIRN_E_NOT_FOUND || !sources->has_libraries)
        return refuse(filter, error->text);
    /* A library that is named is none of the program's files. */
    if (!record->quiet && !is_of_library(filter->text)) {
        const size_t length = strlen(error->text);

        fprintf(
            stderr,
            "cairn record: --%s %s: %s%s It is looked for in the libraries when they are mapped.\n",
            cairn_filter_name(filter->use), filter->text, error->text,
            length && error->text[length - 1] == '?' ? "" : ".");
    }
    return add_name(filters, filter, false);
}

static bool look_up(const struct cli_options *options, const struct sources *sources,
                    const struct cli_filter *filter, struct cli_filters *filters)
{
    struct cairn_matches *matches = NULL;
    struct cairn_error error = {.status = CAIRN_OK};
    uint64_t first, last;

    if (is_range(filter->use) && read_range(filter->text, &first, &last))
        return first <= last ? add_known(filters, filter, first, last)
                             : refuse(filter, "expected FIRST-LAST: LAST is in front of FIRST");
    if (strchr(filter->text, '\n'))
        return refuse(filter, "expected an address or a name");
    if (cairn_image_find(sources->image, filter->text, 0, &matches, &error) != CAIRN_OK)
        return not_found(options, sources, filter, &error, filters);

    struct cairn_match match = {.size = sizeof match};
    const bool is_named = cairn_matches_at(matches, 0, &match) == CAIRN_OK && match.object;
    const bool moves = sources->moves && is_named;
    bool fine = take_matches(matches, filter, !moves, filters);

    if (fine && !options->record->quiet)
        cli_where_tell("record", cairn_filter_name(filter->use), filter->text, matches);
    if (fine && moves)
        fine = add_name(filters, filter, true);
    cairn_matches_free(matches);
    return fine;
}

bool cli_record_filters(const struct cli_options *options, struct cli_filters *filters)
{
    const struct cli_record *record = options->record;
    struct sources sources = {0};

    *filters = (struct cli_filters){.name_count = 0};
    if (record->images.count && !record->tarmac && !record->machine) {
        fputs(
            "cairn record: --image is for --tarmac and --machine: which files a program is made of "
            "is seen when it runs\n",
            stderr);
        return false;
    }
    bool fine = find_files(options, &sources);
    for (size_t i = 0; i < record->filter_count && fine; i++)
        fine = look_up(options, &sources, &record->filters[i], filters);
    cairn_image_unref(sources.image);
    return fine;
}

void cli_record_filters_free(struct cli_filters *filters)
{
    cairn_filters_clear(&filters->known);
    cairn_filters_clear(&filters->all);
}

bool cli_record_filter_unit(const struct cli_filters *filters, const struct cairn_unit *base,
                            struct cairn_unit *unit)
{
    struct cairn_error error = {.status = CAIRN_OK};

    if (cairn_filters_program(&filters->all, base, NULL, unit, &error) == CAIRN_OK &&
        cairn_filters_program(&filters->known, base, NULL, unit, &error) == CAIRN_OK)
        return true;
    fprintf(stderr, "cairn record: %s\n", error.text);
    return false;
}

/* --- what came of them --- */

static void tell_missing(const struct cli_filter *filter, const char *folder)
{
    struct cairn_capture *capture = NULL;
    struct cairn_matches *matches = NULL;
    struct cairn_error error = {.status = CAIRN_OK};
    cairn_status status = cairn_capture_open(folder, NULL, &capture, NULL);

    if (status == CAIRN_OK)
        status = cairn_image_find(cairn_capture_image(capture), filter->text, 0, &matches, &error);
    fprintf(stderr, "cairn record: --%s %s: never found: %s\n", cairn_filter_name(filter->use),
            filter->text,
            status != CAIRN_OK && error.status ? error.text
                                               : "no file that was mapped has such a name");
    cairn_matches_free(matches);
    cairn_capture_free(capture);
}

void cli_record_filters_tell(const struct cli_filters *filters, const char *folder,
                             const struct cairn_recording_result *result)
{
    for (size_t i = 0; i < filters->name_count; i++) {
        const struct cli_filter *filter = filters->names[i].filter;
        const uint64_t bit = UINT64_C(1) << i;

        if (result->names_refused & bit)
            refuse(filter,
                   "not traced as asked: where it was mapped, it needs more comparators than "
                   "the trace unit has left");
        else if (!(result->names_found & bit))
            tell_missing(filter, folder);
        if (result->names_chosen & bit)
            refuse(filter,
                   "it is chosen among several when the program starts (STT_GNU_IFUNC): what "
                   "has this name is the code that chooses");
    }
    if (result->not_started == 0)
        return;
    fprintf(stderr,
            "cairn record: %" PRIu64 " of %" PRIu64
            " source%s never came to a --start address: there is "
            "nothing in %s\n",
            result->not_started, result->sources, result->sources == 1 ? "" : "s",
            result->not_started == 1 ? "it" : "them");
}
