/* SPDX-License-Identifier: BSD-2-Clause */
/* For deformat.py: prints how many bytes each trace ID has in a file of frames, and writes them to
 * FOLDER/id_XX.bin. */
#include <stdio.h>

#include <cairn/capture.h>

static int write_source(const struct cairn_capture *capture, size_t index, const char *folder)
{
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    char path[4096];
    if (cairn_capture_source(capture, index, &info) != CAIRN_OK ||
        cairn_reader_new(capture, index, &reader, NULL) != CAIRN_OK)
        return 1;
    snprintf(path, sizeof path, "%s/id_%02x.bin", folder, (unsigned)info.trace_id);
    FILE *file = fopen(path, "wb");
    cairn_status status = CAIRN_E_IO;
    while (file && (status = cairn_reader_next(reader, &chunk)) == CAIRN_OK && chunk.size)
        fwrite(chunk.data, 1, chunk.size, file);
    cairn_reader_free(reader);
    return !file || fclose(file) || status != CAIRN_OK;
}

int main(int count, char **arguments)
{
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    struct cairn_buffer_account account = {.size = sizeof account};
    struct cairn_capture *capture;
    struct cairn_error error;
    options.format = CAIRN_FORMAT_CORESIGHT;
    if (count != 3)
        return 2;
    if (cairn_capture_open(arguments[1], &options, &capture, &error) != CAIRN_OK ||
        cairn_capture_survey(capture, 0, &account, NULL, NULL, &error) != CAIRN_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (unsigned id = 0; id < 128; id++) {
        if (account.data[id])
            printf("0x%02x %llu\n", id, (unsigned long long)account.data[id]);
    }
    printf("none %llu\nspecial %llu\n", (unsigned long long)account.no_id,
           (unsigned long long)(account.null_id + account.trigger_id));
    int failed = 0;
    for (size_t i = 0; i < cairn_capture_source_count(capture); i++)
        failed |= write_source(capture, i, arguments[2]);
    cairn_capture_free(capture);
    return failed;
}
