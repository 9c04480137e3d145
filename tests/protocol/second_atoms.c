/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_atoms.h"

#include <stdint.h>
#include <string.h>

#include "second_writer.h"

enum { FORMATS = 5, LONGEST_HEADER = 16 };

static const struct second_header no_header = {0, 0, 0};

/* How often `atom` comes at the front, at most `limit` times. */
static size_t run_of(const char *atoms, const char *atom, size_t limit)
{
    const size_t length = strlen(atom);
    size_t count = 0;

    while (count < limit && strncmp(atoms + count * length, atom, length) == 0)
        count++;
    return count;
}

/* The FF of formats 2: 1 says N. Characters other than E and N are no atoms of it. */
static bool two_atoms(const char *atoms, unsigned *ff)
{
    if ((atoms[0] != 'E' && atoms[0] != 'N') || (atoms[1] != 'E' && atoms[1] != 'N'))
        return false;
    *ff = (atoms[0] == 'N' ? 2u : 0u) | (atoms[1] == 'N' ? 1u : 0u);
    return true;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Table 7-2. What a format says of the next `limit` atoms at most: it may say fewer than it could.
 */
static struct second_header plain_header(const char *atoms, unsigned format, size_t limit)
{
    const size_t e = run_of(atoms, "E", least(15, limit));
    const size_t n = e < limit && atoms[e] == 'N';
    unsigned ff;

    if (format == 1 && e + n > 0)
        return (struct second_header){1, (unsigned)(0x80 | n << 6 | e << 2), e + n};
    if (format == 2 && limit >= 2 && two_atoms(atoms, &ff))
        return (struct second_header){2, 0x82 | ff << 2, 2};
    return no_header;
}

/* Table 7-3. */
static struct second_header cycle_header(const char *atoms, unsigned format, size_t limit,
                                         unsigned minor)
{
    const size_t we = run_of(atoms, "WE", least(7, limit / 2));
    const size_t wn = run_of(atoms + 2 * we, "WN", least(1, limit / 2 - we));
    const size_t w = run_of(atoms, "W", least(8, limit));
    const size_t e = w < limit && atoms[w] == 'E';
    unsigned ff;

    if (format == 0 && minor == 0 && w > 0)
        return (struct second_header){0, 0x80, 1};
    if (format == 1 && we + wn > 0)
        return (struct second_header){1, (unsigned)(0x80 | wn << 6 | we << 2), 2 * (we + wn)};
    if (format == 2 && limit >= 3 && atoms[0] == 'W' && two_atoms(atoms + 1, &ff))
        return (struct second_header){2, 0x82 | ff << 2, 3};
    if (format == 3 && w > 0)
        return (struct second_header){3, (unsigned)(0xa0 | e << 6 | (w - 1) << 2), w + e};
    if (format == 4 && minor >= 3 && (atoms[0] == 'E' || atoms[0] == 'N'))
        return (struct second_header){4, atoms[0] == 'N' ? 0x96 : 0x92, 1};
    return no_header;
}

static struct second_header header_of(const struct second_settings *settings, const char *atoms,
                                      unsigned format, size_t limit)
{
    if (limit == 0)
        return no_header;
    return settings->cycle_accurate ? cycle_header(atoms, format, limit, settings->minor)
                                    : plain_header(atoms, format, limit);
}

size_t second_headers(const struct second_settings *settings, const char *atoms,
                      const bool *sayable, struct second_header headers[SECOND_HEADERS_MAX])
{
    size_t count = 0;

    for (unsigned format = 0; format < FORMATS; format++) {
        struct second_header h = header_of(settings, atoms, format, LONGEST_HEADER);
        while (h.atoms > 0 && count < SECOND_HEADERS_MAX) {
            if (sayable[h.atoms])
                headers[count++] = h;
            h = header_of(settings, atoms, format, h.atoms - 1);
        }
    }
    return count;
}

/* Whether some P-header can be gone on from. */
static bool goes_on(const struct second_settings *settings, const char *atoms, const bool *sayable)
{
    for (unsigned format = 0; format < FORMATS; format++) {
        struct second_header h = header_of(settings, atoms, format, LONGEST_HEADER);
        while (h.atoms > 0 && !sayable[h.atoms])
            h = header_of(settings, atoms, format, h.atoms - 1);
        if (h.atoms > 0)
            return true;
    }
    return false;
}

void second_find_sayable(const struct second_settings *settings, const char *atoms, bool *sayable)
{
    const size_t length = strlen(atoms);

    sayable[length] = true;
    for (size_t i = length; i-- > 0;)
        sayable[i] = goes_on(settings, atoms + i, sayable + i);
}

size_t second_fewest(const struct second_settings *settings, const char *atoms)
{
    static bool sayable[SECOND_RUN_MAX + 1];
    static uint16_t fewest[SECOND_RUN_MAX + 1];
    struct second_header headers[SECOND_HEADERS_MAX];
    const size_t length = strlen(atoms);

    if (length > SECOND_RUN_MAX)
        return 0;
    second_find_sayable(settings, atoms, sayable);
    fewest[length] = 0;
    for (size_t i = length; i-- > 0;) {
        const size_t count = second_headers(settings, atoms + i, sayable + i, headers);
        fewest[i] = UINT16_MAX;
        for (size_t n = 0; n < count; n++)
            if (fewest[i + headers[n].atoms] < fewest[i])
                fewest[i] = (uint16_t)(fewest[i + headers[n].atoms] + 1);
    }
    return sayable[0] ? fewest[0] : 0;
}
