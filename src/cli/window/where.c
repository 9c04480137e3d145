/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/window/where.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/written.h"

#define CHOICES_MOST 8u   /* that a note lists */
#define COMPARED_MOST 512 /* functions that are looked at for whether one is loaded several times */

static const char *base_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path;
}

static void say(const char *command, const char *option, const char *text, const char *what)
{
    fprintf(stderr, "cairn %s: --%s %s: %s\n", command, option, text, what);
}

/* Names come from files, and a terminal would act on control characters. */
static void print_name(const char *before, const char *name)
{
    fputs(before, stderr);
    for (; *name; name++)
        fputc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name, stderr);
}

/* "0x400600 helper in a.c of prog" */
static void print_match(const struct cairn_match *match)
{
    fprintf(stderr, "    0x%" PRIx64, match->first);
    if (match->function) {
        char *const written = cairn_written(match->function);

        print_name(" ", written ? written : match->function);
        free(written);
    }
    if (match->file)
        print_name(" in ", base_of(match->file));
    if (match->object)
        print_name(" of ", base_of(match->object));
    fputc('\n', stderr);
}

static bool is_text(const char *text, const char *other)
{
    return text && other ? strcmp(text, other) == 0 : text == other;
}

/* Whether a function stands in front that is the same one, of a file that is loaded at several places. */
static bool is_again(const struct cairn_matches *matches, size_t index,
                     const struct cairn_match *match)
{
    struct cairn_match other = {.size = sizeof other};

    for (size_t i = 0; i < index && index < COMPARED_MOST; i++)
        if (!cairn_matches_at(matches, i, &other) && other.kind == CAIRN_MATCH_FUNCTION &&
            other.last - other.first == match->last - match->first &&
            is_text(other.function, match->function) && is_text(other.object, match->object) &&
            is_text(other.file, match->file))
            return true;
    return false;
}

/* Functions that are called alike, and what none of them is. */
static void tell(const char *command, const char *option, const char *text,
                 const struct cairn_matches *matches)
{
    struct cairn_match match = {.size = sizeof match};
    size_t functions = 0, told = 0;
    bool chooses = false;

    for (size_t i = 0; !cairn_matches_at(matches, i, &match); i++) {
        functions += match.kind == CAIRN_MATCH_FUNCTION && !is_again(matches, i, &match);
        chooses |= match.chooses;
    }
    if (chooses)
        say(command, option, text,
            "it is chosen among several when the program starts (STT_GNU_IFUNC): what has this name "
            "is the code that chooses");
    if (functions < 2)
        return;
    fprintf(
        stderr,
        "cairn %s: --%s %s: %zu functions are called so, and all are meant; one is meant by its "
        "address, or as FILE:NAME, FILE the program's, a library's or a source file's name:\n",
        command, option, text, functions);
    for (size_t i = 0; !cairn_matches_at(matches, i, &match); i++) {
        if (match.kind != CAIRN_MATCH_FUNCTION || is_again(matches, i, &match))
            continue;
        if (told++ == CHOICES_MOST) {
            fprintf(stderr, "    and %zu more\n", functions - CHOICES_MOST);
            return;
        }
        print_match(&match);
    }
}

/* Where a line has no code, the next one that has is taken. */
static void tell_line(const char *command, const char *option, const char *text,
                      const struct cairn_matches *matches)
{
    struct cairn_match match = {.size = sizeof match};
    const char *colon = strrchr(text, ':');

    if (colon && !cairn_matches_at(matches, 0, &match) && match.kind == CAIRN_MATCH_LINE &&
        strtoull(colon + 1, NULL, 10) != match.line)
        fprintf(stderr,
                "cairn %s: --%s %s: the line has no code; line %" PRIu32 " is the next that "
                "has\n",
                command, option, text, match.line);
}

void cli_where_tell(const char *command, const char *option, const char *text,
                    const struct cairn_matches *matches)
{
    tell(command, option, text, matches);
    tell_line(command, option, text, matches);
}

bool cli_where_in(struct cairn_image *image, const char *command, const char *option,
                  const char *text, struct cli_place **places, size_t *count)
{
    struct cairn_matches *matches = NULL;
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_match match = {.size = sizeof match};
    const cairn_status status = cairn_image_find(image, text, CAIRN_FIND_INLINED, &matches, &error);
    const size_t found = cairn_matches_count(matches);

    struct cli_place *list = status ? NULL : calloc(found, sizeof *list);
    if (!list) {
        say(command, option, text, error.status ? error.text : "out of memory");
        cairn_matches_free(matches);
        return false;
    }
    for (size_t i = 0; i < found && !cairn_matches_at(matches, i, &match); i++)
        list[i] = (struct cli_place){
            .first = match.first,
            .end = match.last == UINT64_MAX ? UINT64_MAX : match.last + 1,
            .is_entry = match.is_entry,
            .kind = match.kind,
        };
    cli_where_tell(command, option, text, matches);
    cairn_matches_free(matches);
    *places = list;
    *count = found;
    return true;
}

bool cli_where(struct cli_session *session, const char *option, const char *text,
               struct cli_place **places, size_t *count)
{
    if (session->output)
        cairn_output_flush(session->output);
    return cli_where_in(cairn_capture_image(session->capture), session->command->name, option, text,
                        places, count);
}

bool cli_where_functions(struct cli_session *session, const struct cairn_image *image,
                         const char *option, const char *text, struct cairn_wanted *wanted)
{
    struct cairn_matches *matches;
    const cairn_status status = cairn_wanted_read(wanted, image, text, &matches);

    if (session->output)
        cairn_output_flush(session->output);
    if (status)
        say(session->command->name, option, text,
            wanted->error.status ? wanted->error.text : cairn_status_text(status));
    else
        cli_where_tell(session->command->name, option, text, matches);
    cairn_matches_free(matches);
    return !status;
}

void cli_where_none(struct cli_session *session, const char *option, const char *text,
                    const char *what)
{
    if (session->output)
        cairn_output_flush(session->output);
    say(session->command->name, option, text, what);
}
