/* SPDX-License-Identifier: BSD-2-Clause */
/* The protocol as a table. */
#include "protocol/pass_on.h"
#include "protocol/words_of_levels.h"
#include "toy/toy.h"

static const struct cairn_kind_name kinds[TOY_KIND_COUNT] = {
#define ROW(NAME, ACCOUNT, TEXT) {TEXT, #NAME},
    TOY_PACKETS(ROW)
#undef ROW
};

static cairn_status configure(const struct cairn_source_config *source, struct cairn_config *config,
                              struct cairn_error *error)
{
    (void)source;
    (void)config;
    (void)error;
    return CAIRN_OK;
}

const struct cairn_protocol cairn_toy = {
    .about = &toy_about,
    .configure = configure,
    .kinds = kinds,
    .kind_count = TOY_KIND_COUNT,
    .find_sync = toy_find_sync,
    .packets_new = toy_packets_new,
    .packets_free = toy_packets_free,
    .packets_run = toy_packets_run,
    .packets_finish = toy_packets_finish,
    .elements_new = toy_elements_new,
    .elements_free = toy_elements_free,
    .elements_run = toy_elements_run,
    CAIRN_PASS_ON,
    CAIRN_WORDS_OF_LEVELS,
};
