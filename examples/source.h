/* SPDX-License-Identifier: BSD-2-Clause */
/* What the examples share: from a source of a capture to the configuration of its decoders. */
#ifndef EXAMPLES_SOURCE_H
#define EXAMPLES_SOURCE_H

#include <stdio.h>
#include <stdlib.h>

#include <cairn.h>

/* Ends the program with a message when a call failed. */
static inline void must(cairn_status status, const struct cairn_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", error && error->status ? error->text : cairn_status_text(status));
    exit(2);
}

/* Opens the capture that the command line names. */
static inline struct cairn_capture *open_capture(int argc, char **argv)
{
    struct cairn_error error = {0};
    struct cairn_capture *capture = NULL;

    if (argc != 2) {
        fprintf(stderr, "usage: %s CAPTURE\n", argv[0]);
        exit(2);
    }
    must(cairn_capture_open(argv[1], NULL, &capture, &error), &error);
    return capture;
}

/* The configuration of a source, or NULL when its protocol is not decoded. Free it with
 * cairn_config_unref. */
static inline struct cairn_config *configure(const struct cairn_capture *capture, size_t index)
{
    struct cairn_error error = {0};
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_config *config = NULL;

    must(cairn_capture_source(capture, index, &info), NULL);
    printf("# %s: %s\n", info.name, cairn_protocol_name(info.protocol));
    if (!cairn_protocol_decodes(info.protocol))
        return NULL;

    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    source.protocol = info.protocol;
    source.arch = info.arch;
    source.source = (uint32_t)index;
    source.registers = info.registers;
    source.register_count = info.register_count;
    must(cairn_config_new(&source, &config, &error), &error);
    return config;
}

#endif
