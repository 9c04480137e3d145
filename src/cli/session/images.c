/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/session/images.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session/bias.h"
#include "cli/session/differences.h"
#include "image/layer.h"
#include "image/stored.h"

#define AUTOMATIC "auto"

/* Splits FILE[@ADDRESS] at the last '@' that a number or "auto" follows. */
static bool split(const char *argument, struct cli_image *image, bool *has_address)
{
    const char *at = strrchr(argument, '@');

    image->argument = argument;
    image->automatic = at && at != argument && !strcmp(at + 1, AUTOMATIC);
    *has_address =
        at && at != argument && (image->automatic || cli_number(at + 1, &image->address));
    image->path = *has_address ? strndup(argument, (size_t)(at - argument)) : strdup(argument);
    return image->path != NULL;
}

void cli_image_option(const char *path, uint64_t address, bool is_elf,
                      char text[CLI_IMAGE_OPTION_MAX])
{
    if (is_elf && !address)
        snprintf(text, CLI_IMAGE_OPTION_MAX, "%s", path);
    else
        snprintf(text, CLI_IMAGE_OPTION_MAX, "%s@0x%llx", path, (unsigned long long)address);
}

/* Where a recording has bytes, these were executed: a file fills in what it has not, and gives names.
 * Elsewhere a file that is given by hand is meant to be followed. */
cairn_status cli_image_put(struct cli_session *session, struct cli_image *image,
                           struct cairn_error *error)
{
    struct cairn_image *memory = cairn_capture_image(session->capture);
    cairn_status status;

    image->is_elf = cairn_file_is_elf(image->path);
    image->first = cairn_image_layer_count(memory);
    if (image->is_elf)
        status = cairn_image_add_elf(memory, image->path, image->address, NULL, error);
    else
        status = cairn_image_add_file(memory, image->path, 0, 0, NULL, CAIRN_ORDER_LITTLE,
                                      image->address, error);
    cairn_image_set_precedence(memory, image->first,
                               session->recorded ? CAIRN_YIELDS : CAIRN_PREVAILS);
    image->count = cairn_image_layer_count(memory) - image->first;
    return status;
}

static enum cli_exit put(struct cli_session *session, struct cli_image *image)
{
    struct cairn_error error = {.status = CAIRN_OK};
    cairn_status status = cli_image_put(session, image, &error);

    if (!status && session->recorded && image->is_elf)
        status = cairn_image_add_names(cairn_capture_image(session->capture), image->path,
                                       image->address, NULL, 0, 0, &error);
    if (!status)
        return CLI_CLEAN;
    cli_session_say(session, "--image %s: %s", image->argument,
                    error.status ? error.text : cairn_status_text(status));
    return CLI_UNUSABLE;
}

/* The file is there, or is stored in an archive. */
static bool can_read(struct cli_session *session, const char *argument, const char *path)
{
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_file *file = NULL;

    if (!access(path, R_OK))
        return true;
    const int reason = errno;
    const bool is_stored =
        strstr(path, CAIRN_STORED_MARK) && cairn_file_open(path, &file, &error) == CAIRN_OK;

    cairn_file_close(file);
    if (!is_stored && error.status)
        cli_session_say(session, "--image %s: %s", argument, error.text);
    else if (!is_stored)
        cli_session_say(session, "--image %s: cannot read %s: %s", argument, path,
                        strerror(reason));
    return is_stored;
}

static enum cli_exit add(struct cli_session *session, const char *argument, struct cli_image *image)
{
    bool has_address;

    if (!split(argument, image, &has_address)) {
        cli_session_say(session, "out of memory");
        return CLI_UNUSABLE;
    }
    if (!can_read(session, argument, image->path))
        return CLI_UNUSABLE;
    if (!has_address && !cairn_file_is_elf(image->path)) {
        cli_session_say(session,
                        "--image %s: not an ELF file, so it needs its address: --image %s@0x80000, "
                        "or --image %s@auto to have it looked for",
                        argument, argument, argument);
        return CLI_UNUSABLE;
    }
    return image->automatic ? CLI_CLEAN : put(session, image);
}

enum cli_exit cli_images_add(struct cli_session *session)
{
    const struct cli_list *given = &session->options->images;
    struct cairn_program_info program = {.size = sizeof program};

    session->own_layers = cairn_image_layer_count(cairn_capture_image(session->capture));
    session->recorded = cairn_capture_program(session->capture, &program) == CAIRN_OK;
    session->images = calloc(given->count + 1, sizeof *session->images);
    if (!session->images) {
        cli_session_say(session, "out of memory");
        return CLI_UNUSABLE;
    }
    while (session->image_count < given->count) {
        struct cli_image *image = &session->images[session->image_count];

        if (add(session, given->items[session->image_count++], image))
            return CLI_UNUSABLE;
    }
    return CLI_CLEAN;
}

/* Which of the addresses it is, and how sure that is. */
static enum cli_exit settle(struct cli_session *session, struct cli_image *image,
                            const struct cli_bias *bias)
{
    char option[CLI_IMAGE_OPTION_MAX], other[CLI_IMAGE_OPTION_MAX];

    cli_image_option(image->path, bias->address, cairn_file_is_elf(image->path), option);
    switch (bias->found) {
    case CLI_BIAS_NONE:
        cli_session_say(
            session,
            "--image %s: no address was found at which it fits: %s. Give the address, or "
            "leave it out",
            image->argument, bias->reason);
        return CLI_UNUSABLE;
    case CLI_BIAS_SEVERAL:
        cli_image_option(image->path, bias->other, cairn_file_is_elf(image->path), other);
        cli_session_say(
            session,
            "--image %s: it fits at several addresses equally well: %s. Give the right one: "
            "--image %s, --image %s ...",
            image->argument, bias->reason, option, other);
        return CLI_UNUSABLE;
    case CLI_BIAS_ONE:
        cli_session_say(session, "--image %s: taken as --image %s: %s", image->argument, option,
                        bias->reason);
        break;
    }
    image->address = bias->address;
    return put(session, image);
}

enum cli_exit cli_images_find(struct cli_session *session)
{
    for (size_t i = 0; i < session->image_count; i++) {
        struct cli_image *image = &session->images[i];
        struct cli_bias bias;

        if (!image->automatic)
            continue;
        cli_bias_find(session, image->path, &bias);
        if (settle(session, image, &bias))
            return CLI_UNUSABLE;
    }
    return CLI_CLEAN;
}

void cli_images_free(struct cli_session *session)
{
    for (size_t i = 0; i < session->image_count; i++)
        free(session->images[i].path);
    free(session->images);
    if (session->ran)
        cli_differences_free(session->ran);
    free(session->ran);
}

static void tell_given(struct cli_session *session)
{
    struct cli_differences *differences = session->image_count ? malloc(sizeof *differences) : NULL;

    if (!differences)
        return;
    session->ran = differences;
    if (!cli_differences_find(differences, session))
        return;
    for (size_t i = 0; i < differences->count; i++) {
        const struct cli_compared *compared = &differences->files[i];

        if (compared->count)
            cli_session_say(session,
                            "%s differs from %s at 0x%llx (%llu byte%s in all): %s followed; "
                            "`cairn check` tells whether that was executed",
                            compared->image->path,
                            cli_differences_other(differences, compared->items[0].layer),
                            (unsigned long long)compared->items[0].first,
                            (unsigned long long)compared->bytes, compared->bytes == 1 ? "" : "s",
                            session->recorded ? "what was recorded is" : "the file given is");
    }
}

static void tell_modules(struct cli_session *session)
{
    struct cairn_module_info module = {.size = sizeof module};

    for (size_t i = 0; !cairn_capture_module(session->capture, i, &module); i++)
        if (module.differing)
            cli_session_say(
                session,
                "%s is not what was recorded: it differs at 0x%llx%s; `cairn check` tells more",
                module.path, (unsigned long long)module.differs_at,
                module.file ? "" : ", so it gives no names");
}

static bool is_wrong_raw(const struct cairn_layer *layer)
{
    struct cairn_raw_elf raw;

    return cairn_layer_is_raw_elf(layer, &raw) && raw.misplaced;
}

/* Memory that several cores share is a layer for each of them. */
static bool is_told_before(const struct cairn_layers *layers, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (!strcmp(layers->list[i].name, layers->list[index].name) &&
            is_wrong_raw(&layers->list[i]))
            return true;
    return false;
}

static void tell_raw(struct cli_session *session)
{
    struct cairn_image *memory = cairn_capture_image(session->capture);
    const struct cairn_layers *layers = cairn_image_layers(memory);

    for (size_t i = 0; i < session->own_layers; i++)
        if (is_wrong_raw(&layers->list[i]) && !is_told_before(layers, i))
            cli_session_say(
                session,
                "%s is an ELF file and used as raw bytes, which puts its code at the wrong "
                "addresses; `cairn check` tells what to change",
                layers->list[i].name);
}

void cli_images_tell_unused(struct cli_session *session)
{
    const struct cli_differences *ran = session->ran;

    for (size_t i = 0; ran && ran->executed && i < ran->count; i++)
        if (!ran->files[i].served)
            cli_session_say(
                session,
                "no executed instruction lies in %s: `cairn check` tells at which address "
                "it fits, or give --image %s@auto",
                ran->files[i].image->argument, ran->files[i].image->path);
}

void cli_images_tell(struct cli_session *session)
{
    tell_raw(session);
    tell_given(session);
    tell_modules(session);
}
