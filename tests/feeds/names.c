/* SPDX-License-Identifier: BSD-2-Clause */
/* What a text names, for comparison with other tools: names FILE[@BIAS]... -- TEXT... prints a line for each
 * place, "TEXT KIND FIRST LAST ENTRY FUNCTION SOURCE:LINE", FIRST and LAST in hexadecimal, or "TEXT error
 * SENTENCE". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/image.h>

static int add(struct cairn_image *image, char *argument)
{
    struct cairn_error error = {.status = CAIRN_OK};
    char *const at = strrchr(argument, '@');
    const uint64_t bias = at ? strtoull(at + 1, NULL, 0) : 0;

    if (at)
        *at = '\0';
    if (cairn_image_add_names(image, argument, bias, NULL, 0, 0, &error) == CAIRN_OK)
        return 0;
    fprintf(stderr, "%s\n", error.text);
    return 1;
}

static void find(const struct cairn_image *image, const char *text, unsigned flags)
{
    static const char *const kinds[] = {"address", "range", "function", "part", "inlined", "line"};
    struct cairn_matches *matches = NULL;
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_match match = {.size = sizeof match};

    if (cairn_image_find(image, text, flags, &matches, &error) != CAIRN_OK)
        printf("%s\terror\t%s\n", text, error.text);
    for (size_t i = 0; matches && cairn_matches_at(matches, i, &match) == CAIRN_OK; i++)
        printf("%s\t%s\t%llx\t%llx\t%d\t%s\t%s:%u\n", text, kinds[match.kind],
               (unsigned long long)match.first, (unsigned long long)match.last, match.is_entry,
               match.function ? match.function : "", match.file ? match.file : "", match.line);
    cairn_matches_free(matches);
}

int main(int argc, char **argv)
{
    struct cairn_image *image = NULL;
    int at = 1;
    unsigned flags = 0;

    if (cairn_image_new(&image) != CAIRN_OK)
        return 1;
    for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
        if (strcmp(argv[at], "--inlined") == 0)
            flags |= CAIRN_FIND_INLINED;
        else if (add(image, argv[at]))
            return 1;
    }
    for (at++; at < argc; at++)
        find(image, argv[at], flags);
    cairn_image_unref(image);
    return 0;
}
