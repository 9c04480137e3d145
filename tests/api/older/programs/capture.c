/* SPDX-License-Identifier: BSD-2-Clause */
/* What a capture holds: its buffers, with every byte accounted for, its sources and its memory.
 *
 * usage: example-capture CAPTURE */
#include <inttypes.h>

#include "source.h"

static void show_buffer(struct cairn_capture *capture, size_t index)
{
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    struct cairn_buffer_account account = {.size = sizeof account};
    struct cairn_error error = {0};

    must(cairn_capture_buffer(capture, index, &buffer), NULL);
    /* Reads the whole buffer once. Trace IDs that no trace unit is configured for become sources.
     */
    must(cairn_capture_survey(capture, index, &account, NULL, NULL, &error), &error);

    printf("buffer %s: %s, %" PRIu64 " bytes\n", buffer.name, cairn_format_name(buffer.format),
           buffer.bytes);
    printf("  framing %" PRIu64 ", null IDs %" PRIu64 "\n", account.framing, account.null_id);
    for (size_t id = 0; id < sizeof account.data / sizeof account.data[0]; id++)
        if (account.data[id])
            printf("  trace ID 0x%02zx: %" PRIu64 "\n", id, account.data[id]);
}

static void show_source(const struct cairn_capture *capture, size_t index)
{
    struct cairn_source_info source = {.size = sizeof source};

    must(cairn_capture_source(capture, index, &source), NULL);
    printf("source %s: %s, core %s (%s), %zu registers\n", source.name,
           cairn_protocol_name(source.protocol), source.core ? source.core : "unknown",
           source.core_type ? source.core_type : "unknown", source.register_count);
}

static void show_memory(const struct cairn_image *image)
{
    struct cairn_layer_info layer = {.size = sizeof layer};

    for (size_t i = 0; i < cairn_image_layer_count(image); i++) {
        must(cairn_image_layer(image, i, &layer), NULL);
        printf("memory 0x%" PRIx64 ": %" PRIu64 " bytes\n", layer.address, layer.bytes);
    }
}

int main(int argc, char **argv)
{
    struct cairn_capture *capture = open_capture(argc, argv);
    struct cairn_remark remark;

    for (size_t i = 0; i < cairn_capture_buffer_count(capture); i++)
        show_buffer(capture, i);
    for (size_t i = 0; i < cairn_capture_source_count(capture); i++)
        show_source(capture, i);
    show_memory(cairn_capture_image(capture));
    for (size_t i = 0; cairn_capture_remark(capture, i, &remark) == CAIRN_OK; i++)
        printf("remark: %s\n", remark.text);

    cairn_capture_free(capture);
    return 0;
}
