/* SPDX-License-Identifier: BSD-2-Clause */
/* Completions for shells, out of the tables of the options. */
#include <string.h>

#include "cli/options/manual.h"

#define DESCRIPTION_MAX 80 /* of an option in zsh's list */

static void put_commands(const struct cli_commands *commands)
{
    for (size_t i = 0; i < commands->count; i++)
        printf("%s%s", i ? " " : "", commands->list[i]->name);
}

/* --- bash --- */

static void bash_words(const struct cli_command *command)
{
    struct cli_option_text option;

    for (size_t i = 0; cli_options_describe(command, i, &option); i++)
        if (*option.words)
            printf("        '%s --%s') words='%s' ;;\n", command->name, option.name, option.words);
}

/* Of an option that takes something else the shell completes file names. */
static void bash_options_with_values(const struct cli_command *command)
{
    struct cli_option_text option;

    for (size_t i = 0; cli_options_describe(command, i, &option); i++) {
        if (!option.argument || option.argument[0] == '[' || *option.words)
            continue;
        printf("        '%s --%s'", command->name, option.name);
        if (option.key < 256)
            printf(" | '%s -%c'", command->name, option.key);
        puts(") return 0 ;;");
    }
}

static void bash_option_names(const struct cli_command *command)
{
    struct cli_option_text option;

    printf("                %s) words='", command->name);
    for (size_t i = 0; cli_options_describe(command, i, &option); i++) {
        if (option.key < 256)
            printf("%s-%c", i ? " " : "", option.key);
        printf("%s--%s", i || option.key < 256 ? " " : "", option.name);
    }
    puts("' ;;");
}

/* Where there is nothing to offer bash goes on with file names (-o default). */
void cli_completion_bash(const struct cli_commands *commands)
{
    fputs("# bash completion for cairn -*- shell-script -*-\n"
          "# Made from the options' tables by `cairn help --completion bash`.\n\n"
          "_cairn()\n"
          "{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local command=${COMP_WORDS[1]} words= i\n\n"
          "    COMPREPLY=()\n"
          "    # bash takes --option=value for three words.\n"
          "    if [[ $current == = ]]; then\n"
          "        current=\n"
          "    elif [[ $before == = ]]; then\n"
          "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    fi\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        words='",
          stdout);
    put_commands(commands);
    puts(" help --help --version'\n"
         "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "        return 0\n"
         "    fi\n"
         "    # Behind -- are a program and its arguments, or a capture.\n"
         "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
         "        [[ ${COMP_WORDS[i]} == -- ]] && return 0\n"
         "    done\n"
         "    case \"$command $before\" in");
    for (size_t i = 0; i < commands->count; i++)
        bash_words(commands->list[i]);
    for (size_t i = 0; i < commands->count; i++)
        bash_options_with_values(commands->list[i]);
    fputs("        'help --completion') words='bash zsh' ;;\n"
          "        'help --man' | 'help help') words='",
          stdout);
    put_commands(commands);
    puts("' ;;\n"
         "        *)\n"
         "            case \"$command\" in");
    fputs("                help) words='--man --completion ", stdout);
    put_commands(commands);
    puts("' ;;");
    for (size_t i = 0; i < commands->count; i++)
        bash_option_names(commands->list[i]);
    puts("            esac\n"
         "            [[ $command == help || $current == -* ]] || return 0\n"
         "            ;;\n"
         "    esac\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "    return 0\n"
         "}\n\n"
         "complete -o bashdefault -o default -F _cairn cairn");
}

/* --- zsh --- */

/* Text within single quotes, without the ` of what is typed. zsh takes `special` for its own. */
static void zsh_text(const char *text, size_t length, const char *special)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n')
            putchar(' ');
        else if (text[i] == '\'')
            fputs("'\\''", stdout);
        else if (strchr(special, text[i]))
            printf("\\%c", text[i]);
        else if (text[i] != '`')
            putchar(text[i]);
    }
}

/* The first sentence of a help text, for a list. */
static void zsh_description(const char *help)
{
    size_t length = 0;

    while (help[length] && length < DESCRIPTION_MAX &&
           !(help[length] == '.' && strchr(" \n", help[length + 1])))
        length++;
    putchar('[');
    zsh_text(help, length, "[]:\\");
    putchar(']');
}

static const char *zsh_action(const struct cli_option_text *option)
{
    if (strstr(option->argument, "FOLDER"))
        return "_files -/";
    if (strstr(option->argument, "FILE") || !strcmp(option->argument, "LOG") ||
        !strcmp(option->argument, "PROGRAM"))
        return "_files";
    return " ";
}

static void zsh_option(const struct cli_option_text *option)
{
    const char *argument = option->argument;
    const bool optional = argument && argument[0] == '[';
    const char *sign = optional ? "=-" : argument ? "=" : "";

    fputs("                ", stdout);
    if (option->key < 256)
        printf("'*'{-%c%s,--%s%s}'", option->key, argument ? "+" : "", option->name, sign);
    else
        printf("'*--%s%s", option->name, sign);
    zsh_description(option->help);
    if (*option->words)
        printf(":%s:(%s)", option->name, option->words);
    else if (optional)
        printf("::%s: ", option->name);
    else if (argument)
        printf(":%s:%s", option->name, zsh_action(option));
    puts("' \\");
}

static void zsh_command(const struct cli_command *command)
{
    struct cli_option_text option;

    printf("        %s)\n            _arguments -S \\\n", command->name);
    for (size_t i = 0; cli_options_describe(command, i, &option); i++)
        zsh_option(&option);
    if (command->options & CLI_TAKES_PROGRAM)
        puts("                '*:program:_files'\n            ;;");
    else
        puts("                ':capture:_files'\n            ;;");
}

void cli_completion_zsh(const struct cli_commands *commands)
{
    puts("#compdef cairn\n"
         "# Made from the options' tables by `cairn help --completion zsh`.\n\n"
         "_cairn()\n"
         "{\n"
         "    local curcontext=$curcontext state line\n"
         "    typeset -A opt_args\n"
         "    local -a commands\n"
         "    commands=(");
    for (size_t i = 0; i < commands->count; i++) {
        const char *summary = commands->list[i]->summary;

        printf("        '%s:", commands->list[i]->name);
        zsh_text(summary, strlen(summary), ":\\");
        puts("'");
    }
    puts("        'help:tell about the program or a command'\n"
         "    )\n"
         "    _arguments -C \\\n"
         "        '(- *)'{-V,--version}'[show the version and the disassembler in use]' \\\n"
         "        '(- *)'{-h,--help}'[show the commands]' \\\n"
         "        '1: :->command' \\\n"
         "        '*:: :->arguments' && return 0\n"
         "    case $state in\n"
         "    command) _describe -t commands command commands ;;\n"
         "    arguments)\n"
         "        case $words[1] in\n"
         "        help)\n"
         "            _arguments \\\n"
         "                '--man[show a manual page in the language man(7)]' \\\n"
         "                '--completion=[show a script for a shell]:shell:(bash zsh)' \\\n"
         "                '1: :_describe -t commands command commands'\n"
         "            ;;");
    for (size_t i = 0; i < commands->count; i++)
        zsh_command(commands->list[i]);
    puts("        esac\n"
         "        ;;\n"
         "    esac\n"
         "}\n\n"
         "if [[ $funcstack[1] == _cairn ]]; then\n"
         "    _cairn \"$@\"\n"
         "else\n"
         "    compdef _cairn cairn\n"
         "fi");
}
