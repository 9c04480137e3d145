/* SPDX-License-Identifier: BSD-2-Clause */
/* A source's configuration in the same words for every protocol: each protocol describes it in those
 * of its own specification (cairn_config_describe). */
#ifndef CAIRN_CLI_INFO_INFO_SETTINGS_H
#define CAIRN_CLI_INFO_INFO_SETTINGS_H

#include <cairn/packet.h>

#define CLI_SETTINGS_MAX 64
#define CLI_SETTING_TEXT 64

enum cli_setting_type {
    CLI_SETTING_NUMBER = 0,
    CLI_SETTING_HEX = 1,
    CLI_SETTING_FLAG = 2,
    CLI_SETTING_TEXT_OF = 3,
    CLI_SETTING_NONE = 4, /* there is none, or it is not known */
};

struct cli_setting {
    char key[CLI_SETTING_TEXT];   /* "cycle_counting" */
    char label[CLI_SETTING_TEXT]; /* "cycle counting" */
    enum cli_setting_type type;
    uint64_t value;
    char text[CLI_SETTING_TEXT];
    bool usual; /* goes without saying: off, none, or of no use to who reads a listing */
};

struct cli_settings {
    size_t count;
    struct cli_setting items[CLI_SETTINGS_MAX];
};

void cli_settings_of(struct cli_settings *settings, const struct cairn_config *config);

/* The setting of that key, or NULL. */
const struct cli_setting *cli_settings_find(const struct cli_settings *settings, const char *key);

/* The trace ID that the registers say; 0: none. */
unsigned cli_settings_trace_id(const struct cairn_config *config);

bool cli_settings_same(const struct cli_settings *a, const struct cli_settings *b);

/* The value in words: "yes", "16", "0x3", "addresses and values". */
void cli_setting_words(const struct cli_setting *setting, char text[CLI_SETTING_TEXT]);

#endif
