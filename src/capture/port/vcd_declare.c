/* SPDX-License-Identifier: BSD-2-Clause */
/* The declarations of a value change dump: scopes, variables, and which of them are the port's. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "capture/port/vcd_words.h"

#define PATH_MAX_LENGTH 512u
#define DEPTH_MAX 64u
#define KNOWN_MAX 200u
#define KNOWN_WIRES 8u

static const char byte_order_mark[] = "\xef\xbb\xbf";

struct declaring {
    struct cairn_vcd_file *file;
    struct cairn_vcd_words *words;
    struct cairn_port_pins pins;
    struct cairn_port_found found[CAIRN_PORT_SLOTS];
    char path[PATH_MAX_LENGTH + 1]; /* of the scope, with a dot behind */
    size_t lengths[DEPTH_MAX];      /* of what is around each scope */
    uint64_t depth;
    char known[KNOWN_MAX];
    uint64_t wires;
    const char *odd; /* a variable that is the port's, and that cannot be read */
};

bool cairn_vcd_is(const uint8_t *head, size_t size)
{
    static const char *const firsts[] = {"$date",  "$version", "$timescale", "$comment",
                                         "$scope", "$var",     "$attrbegin"};
    size_t at = 0;

    if (size >= sizeof byte_order_mark && !memcmp(head, byte_order_mark, 3))
        at = sizeof byte_order_mark - 1;
    while (at < size && (head[at] == ' ' || (head[at] >= '\t' && head[at] <= '\r')))
        at++;
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        const size_t length = strlen(firsts[i]);
        if (size - at > length && !memcmp(head + at, firsts[i], length) &&
            (head[at + length] == ' ' || (head[at + length] >= '\t' && head[at + length] <= '\r')))
            return true;
    }
    return false;
}

/* "$scope module top $end" */
static void enter_scope(struct declaring *d)
{
    const size_t length = strlen(d->path);

    if (!cairn_vcd_words_next(d->words) || !cairn_vcd_words_next(d->words))
        return;
    if (d->depth < DEPTH_MAX) {
        d->lengths[d->depth] = length;
        if (length + d->words->length + 1 <= PATH_MAX_LENGTH)
            snprintf(d->path + length, sizeof d->path - length, "%s.", d->words->word);
    }
    d->depth++;
    cairn_vcd_words_skip(d->words);
}

static void leave_scope(struct declaring *d)
{
    if (d->depth && --d->depth < DEPTH_MAX)
        d->path[d->lengths[d->depth]] = 0;
    cairn_vcd_words_skip(d->words);
}

/* "[7:0]", "[3]" */
static bool take_range(const char *text, int *left, int *right)
{
    char *end;

    if (*text != '[' || !isdigit((unsigned char)text[1]))
        return false;
    const long first = strtol(text + 1, &end, 10);
    long last = first;
    if (*end == ':' && isdigit((unsigned char)end[1]))
        last = strtol(end + 1, &end, 10);
    if (strcmp(end, "]") != 0 || first > (long)CAIRN_VCD_WORD || last > (long)CAIRN_VCD_WORD)
        return false;
    *left = (int)first;
    *right = (int)last;
    return true;
}

static uint32_t index_of(const struct declaring *d, const char *code)
{
    uint32_t index = 0;

    while (index < d->file->variable_count && strcmp(d->file->variables[index].code, code) != 0)
        index++;
    return index;
}

/* A variable is kept if one of its bits is the port's. */
static void offer(struct declaring *d, const char *code, bool code_fits, uint64_t size, char *name,
                  const char *range)
{
    struct cairn_port_variable variable = {.left = -1, .right = -1};
    char path[PATH_MAX_LENGTH + 2 * CAIRN_PORT_ASSIGNED_NAME];
    char *bracket = strrchr(name, '[');

    if (*name == '\\')
        name++;
    if (!take_range(range, &variable.left, &variable.right) && bracket &&
        take_range(bracket, &variable.left, &variable.right))
        *bracket = 0;
    if (snprintf(path, sizeof path, "%s%s", d->path, name) >= (int)sizeof path)
        return;
    if (d->wires++ < KNOWN_WIRES)
        cairn_port_tell_wire(d->known, KNOWN_MAX, name,
                             variable.left == variable.right ? variable.left : -1);
    variable.path = path;
    variable.name = name;
    variable.size = size > CAIRN_VCD_WORD ? (unsigned)CAIRN_VCD_WORD + 1 : (unsigned)size;
    variable.index = code_fits ? index_of(d, code) : (uint32_t)d->file->variable_count;
    if (variable.index == CAIRN_VCD_VARIABLES ||
        !cairn_port_pins_offer(&d->pins, &variable, d->found))
        return;
    if (!code_fits || size > CAIRN_VCD_WORD)
        d->odd =
            code_fits ? "has more than 4096 bits" : "has an identifier of more than 31 letters";
    if (variable.index < d->file->variable_count)
        return;
    struct cairn_vcd_variable *kept = &d->file->variables[d->file->variable_count++];
    snprintf(kept->code, sizeof kept->code, "%s", code_fits ? code : "");
    kept->size = variable.size;
}

/* "$var wire 4 ! TRACEDATA [3:0] $end" */
static void take_variable(struct declaring *d)
{
    struct cairn_vcd_words *words = d->words;
    char code[CAIRN_VCD_CODE + 1], name[2 * CAIRN_PORT_ASSIGNED_NAME] = "", range[32] = "";
    uint64_t size = 0;

    if (!cairn_vcd_words_next(words) || !strcmp(words->word, "$end") ||
        !cairn_vcd_words_next(words) || !strcmp(words->word, "$end"))
        return;
    size = strtoull(words->word, NULL, 10);
    if (!cairn_vcd_words_next(words))
        return;
    const bool fits = words->length <= CAIRN_VCD_CODE && words->length > 0;
    snprintf(code, sizeof code, "%.*s", (int)CAIRN_VCD_CODE, words->word);
    while (cairn_vcd_words_next(words) && strcmp(words->word, "$end") != 0) {
        char *to = *name ? range : name;
        const size_t room = *name ? sizeof range : sizeof name;
        const size_t length = strlen(to);
        if (words->length < room - length)
            memcpy(to + length, words->word, words->length + 1);
    }
    if (*name && size)
        offer(d, code, fits, size, name, range);
}

/* One declaration; false: there are no more. */
static bool take_declaration(struct declaring *d)
{
    const char *word = d->words->word;

    if (!strncmp(word, byte_order_mark, sizeof byte_order_mark - 1))
        word += sizeof byte_order_mark - 1;
    if (!strcmp(word, "$scope"))
        enter_scope(d);
    else if (!strcmp(word, "$upscope"))
        leave_scope(d);
    else if (!strcmp(word, "$var"))
        take_variable(d);
    else if (!strcmp(word, "$enddefinitions")) {
        cairn_vcd_words_skip(d->words);
        return false;
    } else if (*word == '$' && strcmp(word, "$end") != 0)
        cairn_vcd_words_skip(d->words);
    return true;
}

/* The wires of the layout, by the variables whose changes tell them. */
void cairn_vcd_tap(struct cairn_vcd_file *file)
{
    const struct cairn_port_layout *layout = &file->layout;

    file->tap_count = 0;
    for (uint16_t variable = 0; variable < file->variable_count; variable++) {
        file->first_tap[variable] = (uint16_t)file->tap_count;
        for (size_t i = 0; i < layout->wire_count; i++)
            if (layout->at[i].variable == variable)
                file->taps[file->tap_count++] =
                    (struct cairn_vcd_tap){variable, (uint8_t)i, layout->at[i].position};
        if (layout->clock.variable == variable)
            file->taps[file->tap_count++] =
                (struct cairn_vcd_tap){variable, CAIRN_PORT_CLOCK_WIRE, layout->clock.position};
    }
    file->first_tap[file->variable_count] = (uint16_t)file->tap_count;
}

static cairn_status declare(struct declaring *d, const struct cairn_port_request *request,
                            struct cairn_error *error)
{
    cairn_status status = cairn_port_pins_read(request, &d->pins, error);

    if (status)
        return status;
    for (size_t i = 0; i < CAIRN_PORT_SLOTS; i++)
        d->found[i] = (struct cairn_port_found){.variable = CAIRN_PORT_NO_SLOT};
    bool ended = false;
    while (!ended && cairn_vcd_words_next(d->words))
        ended = !take_declaration(d);
    if (d->words->failed)
        return cairn_fail(error, CAIRN_E_IO, "%s: cannot be read", request->what);
    if (!ended)
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: is a value change dump that ends in its declarations (no "
                          "$enddefinitions): it was cut off; record it anew",
                          request->what);
    if (d->odd)
        return cairn_fail(
            error, CAIRN_E_UNSUPPORTED,
            "%s: a variable of the trace port %s; write the file with the port's wires "
            "alone",
            request->what, d->odd);
    d->file->changes = d->words->loaded - (d->words->size - d->words->used);
    if (d->wires > KNOWN_WIRES)
        snprintf(d->known + strlen(d->known), KNOWN_MAX - strlen(d->known), " ...");
    status = cairn_port_lay_out(request, &d->pins, d->found, *d->known ? d->known : "none",
                                &d->file->layout, error);
    if (!status)
        cairn_vcd_tap(d->file);
    return status;
}

cairn_status cairn_vcd_declare(struct cairn_vcd_file *file,
                               const struct cairn_port_request *request, struct cairn_error *error)
{
    struct declaring *d = calloc(1, sizeof *d);
    cairn_status status = CAIRN_E_MEMORY;

    file->variable_count = file->tap_count = 0;
    if (d)
        d->words = cairn_vcd_words_new(&file->input, 0);
    if (d && d->words) {
        d->file = file;
        status = declare(d, request, error);
    } else
        (void)cairn_fail(error, status, "%s: not enough memory to read it", request->what);
    if (d)
        free(d->words);
    free(d);
    return status;
}
