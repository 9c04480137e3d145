/* SPDX-License-Identifier: BSD-2-Clause */
/* Which reader of words a source is decoded by. */
#include "flow/engine.h"
#include "protocol/protocol.h"
#include "protocol/words_of_levels.h"
#include "protocol/words_of_scan.h"

static const struct cairn_protocol of_levels = {CAIRN_WORDS_OF_LEVELS};
static const struct cairn_protocol of_scan = {CAIRN_WORDS_OF_SCAN};

const struct cairn_protocol *cairn_reading_choose(const struct cairn_engine *engine)
{
    const struct cairn_protocol *protocol = engine->config->protocol;
    const uint32_t flags = engine->options.flags;

    if (flags & CAIRN_ENGINE_WORDS_OF_LEVELS)
        return &of_levels;
    if (protocol->scan_new && (flags & CAIRN_ENGINE_WORDS_OF_SCAN))
        return &of_scan;
    if (protocol->reader_new &&
        (!protocol->scan_new || (flags & CAIRN_ENGINE_WORDS) ||
         (protocol->reader_serves && protocol->reader_serves(engine->config))))
        return protocol;
    return &of_scan;
}
