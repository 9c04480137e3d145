/* SPDX-License-Identifier: BSD-2-Clause */
/* Barriers that software on the machine lacks: each place is told once, when it is first met, by its function; and at the end
 * how many there were. */
#include "machine/board/board.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cairn/image.h>

#include "base/letters.h"

enum { FOUND_MOST = 1024, TEXT = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct found {
    uint64_t place;
    const char *rule; /* which is a constant */
    char name[24];
} found[FOUND_MOST];
static unsigned found_count;
static bool found_more;
static struct cairn_space *space; /* names; NULL: there are none */

void cairn_board_names(const char *path)
{
    const struct cairn_place place = {.EL = 3, .security = CAIRN_SECURE};
    struct cairn_image *image = NULL;

    if (!path || !cairn_file_is_elf(path) || cairn_image_new(&image) != CAIRN_OK)
        return;
    if (cairn_image_add_elf(image, path, 0, NULL, NULL) != CAIRN_OK ||
        cairn_space_new(image, &space) != CAIRN_OK || cairn_space_select(space, &place) != CAIRN_OK)
        space = NULL;
}

void cairn_board_place(uint64_t address, char text[CAIRN_BOARD_PLACE])
{
    const char *name;
    uint64_t offset;

    if (space && cairn_space_symbol(space, address, &name, &offset) == CAIRN_OK)
        snprintf(text, CAIRN_BOARD_PLACE, "0x%" PRIx64 " %.80s+0x%" PRIx64, address, name, offset);
    else
        snprintf(text, CAIRN_BOARD_PLACE, "0x%" PRIx64, address);
}

/* Under the lock. False: it was told before. */
static bool is_new(const struct cairn_pe_finding *finding)
{
    const char *name = finding->name ? finding->name : "";

    for (unsigned i = 0; i < found_count; i++)
        if (found[i].place == finding->place && strcmp(found[i].rule, finding->rule) == 0 &&
            strcmp(found[i].name, name) == 0)
            return false;
    if (found_count == FOUND_MOST) {
        found_more = true;
        return false;
    }
    found[found_count].place = finding->place;
    found[found_count].rule = finding->rule;
    snprintf(found[found_count++].name, sizeof found->name, "%s", name);
    return true;
}

static void tell(const struct cairn_board_core *core, const struct cairn_pe_finding *finding)
{
    char text[TEXT], place[CAIRN_BOARD_PLACE], since[CAIRN_BOARD_PLACE], missing[256], what[64];
    char core_name[32] = "";
    int length;

    cairn_board_place(finding->place, place);
    cairn_board_place(finding->since, since);
    cairn_pe_missing_text(finding->missing, missing, sizeof missing);
    if (finding->name)
        snprintf(what, sizeof what, "%s", finding->name);
    else
        snprintf(what, sizeof what, "memory at 0x%" PRIx64, finding->address);
    if (cairn_board.count > 1)
        snprintf(core_name, sizeof core_name, "cpu%u: ", core->host.index);
    length = snprintf(text, sizeof text,
                      "cairn: %s%s: %s: %s [%s]\n"
                      "    between %s and this one there is not: %s\n",
                      core_name, place, what, finding->what ? finding->what : "", finding->rule,
                      since, missing);
    if (finding->name && finding->values[0] != finding->values[1])
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "    it may be 0x%" PRIx64 " or 0x%" PRIx64 "\n", finding->values[0],
                           finding->values[1]);
    length += snprintf(text + length, sizeof text - (size_t)length, "    what to do: %s\n",
                       finding->remedy ? finding->remedy : "");
    if (length > 0 && write(STDERR_FILENO, text,
                            (size_t)length < sizeof text ? (size_t)length : sizeof text - 1) < 0)
        return; /* nobody is left to be told */
}

void cairn_board_find(void *context, const struct cairn_pe_finding *finding)
{
    const struct cairn_board_core *core = context;

    const int descriptor = (int)cairn_board.settings.found;

    pthread_mutex_lock(&lock);
    if (is_new(finding)) {
        tell(core, finding);
        if (descriptor > 0 && write(descriptor, "", 1) < 0)
            found_more = true;
    }
    pthread_mutex_unlock(&lock);
}

void cairn_board_sum_up(void)
{
    char line[128];

    if (found_count == 0)
        snprintf(line, sizeof line, "nothing is left open in this order");
    else
        snprintf(line, sizeof line, "%u place%s without a barrier%s", found_count,
                 cairn_plural(found_count), found_more ? " and more" : "");
    cairn_board_say(line);
}
