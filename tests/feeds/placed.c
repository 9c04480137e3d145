/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: placed CAPTURE < LINES > LINES
 * Each line has a source's number, an offset in its bytes and an address; what is printed for each is the object,
 * the function and its offset, and the source line, with a tab between; "-" is not known. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <cairn/capture.h>

static void print(const struct cairn_space *space, uint64_t address)
{
    struct cairn_symbol symbol = {.size = sizeof symbol};

    if (cairn_symbolize(space, address, &symbol) != CAIRN_OK)
        symbol = (struct cairn_symbol){.size = sizeof symbol};
    printf("%s\t%s\t%" PRIu64 "\t%s\t%" PRIu32 "\n", symbol.object ? symbol.object : "-",
           symbol.function ? symbol.function : "-", symbol.offset, symbol.file ? symbol.file : "-",
           symbol.line);
}

int main(int argc, char **argv)
{
    struct cairn_capture *capture;
    struct cairn_error error = {0};
    struct cairn_space *space;
    struct cairn_place place = {.security = CAIRN_NONSECURE};
    uint64_t address;

    if (argc != 2 || cairn_capture_open(argv[1], NULL, &capture, &error) != CAIRN_OK) {
        fprintf(stderr, "placed: %s\n", argc == 2 ? error.text : "which capture?");
        return 2;
    }
    if (cairn_space_new(cairn_capture_image(capture), &space) != CAIRN_OK)
        return 2;
    while (scanf("%" SCNu32 " %" SCNi64 " %" SCNi64, &place.source, (int64_t *)&place.offset,
                 (int64_t *)&address) == 3) {
        if (cairn_space_select(space, &place) != CAIRN_OK)
            return 2;
        print(space, address);
    }
    cairn_space_free(space);
    cairn_capture_free(capture);
    return 0;
}
