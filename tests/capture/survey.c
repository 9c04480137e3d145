/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints how many bytes each trace ID has in a file of frames, for deformat.py. */
#include <stdio.h>

#include <cairn/capture.h>

int main(int count, char **arguments)
{
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    struct cairn_buffer_account account = {.size = sizeof account};
    struct cairn_capture *capture;
    struct cairn_error error;
    options.format = CAIRN_FORMAT_CORESIGHT;
    if (count != 2)
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
    cairn_capture_free(capture);
    return 0;
}
