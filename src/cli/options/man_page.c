/* SPDX-License-Identifier: BSD-2-Clause */
/* Manual pages: the tables in man(7). In the texts of the tables
 *   a blank line ends a paragraph,
 *   a line with several blanks within it is a word and what is said of it, which goes on in the
 *   lines below that begin in its column (of exit statuses one blank will do),
 *   a line that begins with the name of a format and a colon is about that format,
 *   and `` ` `` stands before and behind what is typed.
 * Every other line goes on with the paragraph above. */
#include <ctype.h>
#include <string.h>

#include <cairn/status.h>

#include "cli/options/manual.h"

#define TAG_MAX 24 /* longer words are none */

/* --- the language --- */

/* Escapes what roff takes for its own. `*typed` says whether a ` is open, and the type is bold. */
static void put_text(const char *text, size_t length, bool *typed)
{
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '\\': fputs("\\e", stdout); break;
        case '-': fputs("\\-", stdout); break;
        case '\'': fputs("\\(aq", stdout); break;
        case '^': fputs("\\(ha", stdout); break;
        case '~': fputs("\\(ti", stdout); break;
        case '`':
            *typed = !*typed;
            fputs(*typed ? "\\fB" : "\\fR", stdout);
            break;
        default: putchar(text[i]); break;
        }
    }
}

/* A line of text: what begins with a dot is no request. */
static void put_line(const char *text, size_t length, bool *typed)
{
    if (length && (text[0] == '.' || text[0] == '\''))
        fputs("\\&", stdout);
    put_text(text, length, typed);
    putchar('\n');
}

static void put_words(const char *text)
{
    bool typed = false;

    put_text(text, strlen(text), &typed);
}

/* What stands for something else, in capitals, is in italics; the rest is typed as it is. */
static void put_usage(const char *text, size_t length)
{
    bool typed = false;

    for (size_t i = 0; i < length;) {
        size_t word = 0;

        while (i + word < length && isupper((unsigned char)text[i + word]))
            word++;
        if (word > 1 || (word && (i == 0 || text[i - 1] == ' '))) {
            fputs("\\fI", stdout);
            put_text(text + i, word, &typed);
            fputs("\\fR", stdout);
            i += word;
        } else {
            put_text(text + i, 1, &typed);
            i++;
        }
    }
}

/* --- texts of several lines --- */

struct line {
    const char *text;
    size_t length;
    size_t indent;    /* blanks in front */
    size_t tag;       /* length of the word that the line is about; 0: none */
    size_t tag_right; /* the column of what is said of it */
};

/* What a text may have besides paragraphs. */
struct shape {
    const char *formats; /* names of formats with blanks between, or "" */
    bool numbered;       /* a line that begins with a number is about that exit status */
};

static const struct shape plain = {.formats = ""};

/* The length of a number in front of a blank. */
static size_t number_length(const struct line *line)
{
    const size_t digits = strspn(line->text, "0123456789");

    return line->text[digits] == ' ' ? digits : 0;
}

static void find_tag(struct line *line, const struct shape *shape)
{
    size_t end = shape->numbered ? number_length(line) : 0;

    for (size_t i = line->indent; !end && i + 2 < line->length && i <= line->indent + TAG_MAX; i++)
        if (line->text[i] == ' ' && line->text[i + 1] == ' ')
            end = i;
    if (!end)
        return;
    line->tag = end - line->indent;
    line->tag_right = end + strspn(line->text + end, " ");
}

static bool next_line(const char **text, const struct shape *shape, struct line *line)
{
    if (!**text)
        return false;
    *line = (struct line){.text = *text, .length = strcspn(*text, "\n")};
    *text += line->length + ((*text)[line->length] == '\n');
    line->indent = strspn(line->text, " ");
    find_tag(line, shape);
    return true;
}

/* "json: ...": the length of the name; 0 of any other line. */
static size_t format_length(const struct line *line, const char *formats)
{
    const size_t length = strcspn(line->text, ": \n");

    if (!length || line->text[length] != ':')
        return 0;
    while (*formats) {
        const size_t word = strcspn(formats, " ");

        if (word == length && !strncmp(formats, line->text, length))
            return length;
        formats += word + strspn(formats + word, " ");
    }
    return 0;
}

static void put_tag(const char *text, size_t length)
{
    bool typed = false;

    fputs(".TP\n\\fB", stdout);
    put_text(text, length, &typed);
    fputs("\\fR\n", stdout);
}

static void put_block(const char *text, const struct shape *shape)
{
    struct line line;
    bool typed = false;
    bool blank = false;
    size_t right = 0; /* the column of what is said of a word; 0: in a paragraph */

    for (; next_line(&text, shape, &line); blank = !line.length) {
        const size_t format = format_length(&line, shape->formats);
        size_t from = line.indent;

        if (!line.length)
            continue;
        if (line.tag) {
            put_tag(line.text + line.indent, line.tag);
            from = right = line.tag_right;
        } else if (format) {
            put_tag(line.text, format + 1);
            from = format + 1 + strspn(line.text + format + 1, " ");
            right = 0;
        } else if (blank || line.indent < right) {
            puts(".PP");
            right = 0;
        }
        put_line(line.text + from, line.length - from, &typed);
    }
}

static void put_examples(const char *text)
{
    struct line line;

    puts(".SH EXAMPLES\n.nf");
    while (next_line(&text, &plain, &line)) {
        bool typed = false;
        put_line(line.text, line.length, &typed);
    }
    puts(".fi");
}

/* --- pages --- */

/* The day of the build, which SOURCE_DATE_EPOCH sets where builds are to be the same. */
static void put_date(void)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    static const char day[] = __DATE__; /* "Feb  3 2026" */
    unsigned month = 0;

    while (strncmp(months + (size_t)3 * month, day, 3) != 0)
        month++;
    printf("%s-%02u-%c%c", day + 7, month + 1, day[4] == ' ' ? '0' : day[4], day[5]);
}

static void put_title(const char *name)
{
    fputs(".TH CAIRN", stdout);
    if (*name)
        fputs("\\-", stdout);
    for (; *name; name++)
        putchar(toupper((unsigned char)*name));
    fputs(" 1 ", stdout);
    put_date();
    printf(" \"cairn %s\"\n", cairn_version());
}

static void put_option(const struct cli_option_text *option)
{
    const char *argument = option->argument ? option->argument : "";
    const char *blank = *argument && *argument != '[' ? " " : "";

    puts(".TP");
    if (option->key < 256) {
        printf("\\fB\\-%c\\fR%s", option->key, blank);
        put_usage(argument, strlen(argument));
        fputs(", ", stdout);
    }
    fputs("\\fB\\-\\-", stdout);
    put_words(option->name);
    printf("\\fR%s", blank);
    put_usage(argument, strlen(argument));
    putchar('\n');
    put_block(option->help, &plain);
}

static void put_references(const struct cli_command *but, const struct cli_commands *commands)
{
    const char *comma = "";

    puts(".SH SEE ALSO");
    if (but) {
        puts(".BR cairn (1),");
    }
    for (size_t i = 0; i < commands->count; i++) {
        if (commands->list[i] == but)
            continue;
        fputs(comma, stdout);
        printf(".BR cairn\\-%s (1)", commands->list[i]->name);
        comma = ",\n";
    }
    putchar('\n');
}

/* Each line of the command line behind the word in front. */
static void put_synopsis(const char *text)
{
    struct line line;
    const char *between = "";

    puts(".SH SYNOPSIS\n.nf");
    while (next_line(&text, &plain, &line)) {
        fputs(between, stdout);
        put_usage(line.text + line.indent, line.length - line.indent);
        between = "\n";
    }
    puts("\n.fi");
}

/* The formats that the command has, with blanks between. */
static void formats_of(const struct cli_command *command, char formats[CLI_WORDS_TEXT])
{
    struct cli_option_text option;

    formats[0] = '\0';
    for (size_t i = 0; cli_options_describe(command, i, &option); i++)
        if (!strcmp(option.name, "format"))
            snprintf(formats, CLI_WORDS_TEXT, "%s", option.words);
}

void cli_page_command(const struct cli_command *command, const struct cli_commands *commands)
{
    struct cli_option_text option;
    char formats[CLI_WORDS_TEXT], synopsis[1024];
    const struct shape output = {.formats = formats};
    const struct shape status = {.formats = "", .numbered = true};

    formats_of(command, formats);
    put_title(command->name);
    puts(".SH NAME");
    printf("cairn\\-%s \\- ", command->name);
    put_words(command->summary);
    putchar('\n');
    snprintf(synopsis, sizeof synopsis, "cairn %s [OPTION]... %s", command->name,
             command->arguments);
    put_synopsis(synopsis);
    puts(".SH DESCRIPTION");
    put_block(command->description, &plain);
    puts(".SH OPTIONS");
    for (size_t i = 0; cli_options_describe(command, i, &option); i++)
        put_option(&option);
    puts(".SH OUTPUT");
    put_block(command->output, &output);
    puts(".SH EXIT STATUS");
    put_block(command->exit_status, &status);
    put_examples(command->examples);
    put_references(command, commands);
}

void cli_page_program(const struct cli_commands *commands)
{
    put_title("");
    puts(".SH NAME");
    puts("cairn \\- " CLI_SUMMARY);
    put_synopsis(cli_usage);
    puts(".SH DESCRIPTION");
    put_block(cli_advice, &plain);
    puts(".SH COMMANDS");
    for (size_t i = 0; i < commands->count; i++) {
        puts(".TP");
        printf(".BR cairn\\-%s (1)\n", commands->list[i]->name);
        put_words(commands->list[i]->summary);
        putchar('\n');
    }
    put_references(NULL, commands);
}
