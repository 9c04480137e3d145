/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/port/vcd_words.h"

#include <stdlib.h>
#include <string.h>

struct cairn_vcd_words *cairn_vcd_words_new(const struct cairn_port_input *input, uint64_t offset)
{
    struct cairn_vcd_words *words = malloc(sizeof *words);

    if (!words)
        return NULL;
    words->input = *input;
    words->loaded = offset;
    words->size = words->used = words->length = 0;
    words->failed = words->cut = false;
    return words;
}

static bool load(struct cairn_vcd_words *words)
{
    const struct cairn_port_input *input = &words->input;
    const uint64_t left = words->loaded < input->size ? input->size - words->loaded : 0;
    const size_t want = left < CAIRN_VCD_WINDOW ? (size_t)left : CAIRN_VCD_WINDOW;

    words->used = words->size = 0;
    if (!want || words->failed)
        return false;
    const int64_t got = cairn_port_input_read(input, words->window, want, words->loaded);
    if (got <= 0) {
        words->failed = true;
        return false;
    }
    words->size = (size_t)got;
    words->loaded += (uint64_t)got;
    return true;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool cairn_vcd_words_next(struct cairn_vcd_words *words)
{
    do {
        while (words->used < words->size && is_space(words->window[words->used]))
            words->used++;
    } while (words->used == words->size && load(words));
    if (words->used == words->size)
        return false;
    words->offset = words->loaded - (words->size - words->used);
    words->length = 0;
    words->cut = false;
    do {
        for (; words->used < words->size && !is_space(words->window[words->used]); words->used++) {
            if (words->length < CAIRN_VCD_WORD)
                words->word[words->length++] = (char)words->window[words->used];
            else
                words->cut = true;
        }
    } while (words->used == words->size && load(words));
    words->word[words->length] = 0;
    return !words->failed;
}

void cairn_vcd_words_skip(struct cairn_vcd_words *words)
{
    while (cairn_vcd_words_next(words) && strcmp(words->word, "$end") != 0)
        ;
}
