/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/wanted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/name.h"

/* Of an address that is found behind the beginning of something, `function` is that. */
static bool is_function(const struct cairn_wanted *wanted, const struct cairn_match *match)
{
    switch ((enum cairn_match_kind)match->kind) {
    case CAIRN_MATCH_FUNCTION: return true;
    case CAIRN_MATCH_ADDRESS: return !match->function;
    case CAIRN_MATCH_PART: return wanted->parts;
    case CAIRN_MATCH_RANGE:
    case CAIRN_MATCH_INLINED:
    case CAIRN_MATCH_LINE: break;
    }
    return false;
}

static const char *kind_of(uint32_t kind)
{
    switch ((enum cairn_match_kind)kind) {
    case CAIRN_MATCH_ADDRESS: return "an address inside of one";
    case CAIRN_MATCH_RANGE: return "a part of the code";
    case CAIRN_MATCH_INLINED: return "inlined wherever it is, so that nothing calls it";
    case CAIRN_MATCH_LINE: return "a source line";
    case CAIRN_MATCH_PART: return "what the compiler moved out of one";
    case CAIRN_MATCH_FUNCTION: break;
    }
    return "none";
}

static cairn_status add_place(struct cairn_wanted *wanted, const struct cairn_match *match)
{
    char *const object = match->object ? strdup(match->object) : NULL;

    if (match->object && !object)
        return CAIRN_E_MEMORY;
    wanted->places[wanted->count++] =
        (struct cairn_wanted_place){.address = match->first & ~UINT64_C(1), .object = object};
    return CAIRN_OK;
}

cairn_status cairn_wanted_read(struct cairn_wanted *wanted, const struct cairn_image *image,
                               const char *text, struct cairn_matches **matches)
{
    struct cairn_match match = {.size = sizeof match};
    uint32_t kind = CAIRN_MATCH_FUNCTION;

    wanted->text = text;
    wanted->rest = *text == '[' && text[1] && strrchr(text, ']') == text + strlen(text) - 1;
    *matches = NULL;
    if (wanted->rest)
        return CAIRN_OK;
    cairn_status status = cairn_image_find(image, text, 0, matches, &wanted->error);
    if (status)
        return status;
    wanted->places = calloc(cairn_matches_count(*matches) + 1, sizeof *wanted->places);
    if (!wanted->places)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; !status && !cairn_matches_at(*matches, i, &match); i++) {
        if (is_function(wanted, &match))
            status = add_place(wanted, &match);
        else
            kind = match.kind;
    }
    if (status || wanted->count)
        return status;
    wanted->error.status = CAIRN_E_ARGUMENT;
    snprintf(wanted->error.text, sizeof wanted->error.text, "expected a function, and this is %s",
             kind_of(kind));
    return CAIRN_E_ARGUMENT;
}

void cairn_wanted_free(struct cairn_wanted *wanted)
{
    for (size_t i = 0; i < wanted->count; i++)
        free(wanted->places[i].object);
    free(wanted->places);
    *wanted = (struct cairn_wanted){0};
}

bool cairn_wanted_is(const struct cairn_wanted *wanted, const char *symbol, const char *object,
                     uint64_t address)
{
    if (wanted->rest)
        return !symbol && object &&
               cairn_path_ends(object, wanted->text + 1, strlen(wanted->text) - 2);
    for (size_t i = 0; i < wanted->count; i++) {
        const struct cairn_wanted_place *const place = &wanted->places[i];

        if (place->address == address &&
            (!place->object || !object || strcmp(place->object, object) == 0))
            return true;
    }
    return false;
}
