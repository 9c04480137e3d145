/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/simulate/simulate_names.h"

#include <stdlib.h>

#include "image/elf.h"
#include "image/file.h"

/* Each segment where it was put. `length` 0: all of the file. */
static void tell_file(struct cairn_recording *recording, const char *path, uint64_t bias,
                      uint64_t address, uint64_t length)
{
    struct cairn_segments segments = {0};
    struct cairn_file *file = NULL;
    char *whole = realpath(path, NULL);

    if (!whole || cairn_file_open(whole, &file, NULL) != CAIRN_OK) {
        free(whole);
        return;
    }
    if (cairn_elf_segments(file, whole, &segments, NULL) == CAIRN_OK)
        for (size_t i = 0; i < segments.count; i++) {
            const struct cairn_segment *segment = &segments.list[i];
            const struct cairn_recorded_file told = {.address = segment->address + bias,
                                                     .length = segment->size,
                                                     .offset = segment->offset,
                                                     .executed = segment->address + bias,
                                                     .path = whole};

            if (!segment->is_zeros && segment->size > 0 &&
                (length == 0 ||
                 (told.address < address + length && address < told.address + told.length)))
                (void)cairn_recording_mapped(recording, &told);
        }
    cairn_segments_clear(&segments);
    cairn_file_close(file);
    free(whole);
}

/* An ELF file that is memory of the capture: of its layers the first one says where it was put. */
static void tell_layers(struct cli_session *session, struct cairn_recording *recording)
{
    struct cairn_image *image = cairn_capture_image(session->capture);
    struct cairn_layer_info layer = {.size = sizeof layer};

    for (size_t i = 0; i < cairn_image_layer_count(image); i++) {
        struct cairn_segments segments = {0};
        struct cairn_file *file = NULL;

        if (cairn_image_layer(image, i, &layer) || !layer.is_elf || !layer.name ||
            cairn_file_open(layer.name, &file, NULL) != CAIRN_OK)
            continue;
        if (cairn_elf_segments(file, layer.name, &segments, NULL) == CAIRN_OK)
            for (size_t k = 0; k < segments.count; k++)
                if (!segments.list[k].is_zeros && segments.list[k].size == layer.bytes) {
                    tell_file(recording, layer.name, layer.address - segments.list[k].address,
                              layer.address, layer.bytes);
                    break;
                }
        cairn_segments_clear(&segments);
        cairn_file_close(file);
    }
}

void cli_simulate_names(struct cli_session *session, struct cairn_recording *recording)
{
    struct cairn_module_info module = {.size = sizeof module};

    tell_layers(session, recording);
    for (size_t i = 0; i < cairn_capture_module_count(session->capture); i++)
        if (cairn_capture_module(session->capture, i, &module) == CAIRN_OK &&
            module.state == CAIRN_MODULE_USED && module.path)
            tell_file(recording, module.path, module.bias, module.address, module.length);
}

cairn_status cli_simulate_names_finish(struct cli_session *session, const char *folder,
                                       struct cairn_recording_result *result,
                                       struct cairn_error *error)
{
    struct cairn_program_info info = {.size = sizeof info};
    cairn_status status;

    if (cairn_capture_program(session->capture, &info) != CAIRN_OK)
        return cairn_recording_finish(folder, NULL, result, error);
    char **arguments = calloc(info.argument_count + 1, sizeof *arguments);
    char **environment = calloc(info.environment_count + 1, sizeof *environment);
    for (size_t i = 0; arguments && i < info.argument_count; i++)
        arguments[i] = (char *)(uintptr_t)info.arguments[i];
    for (size_t i = 0; environment && i < info.environment_count; i++)
        environment[i] = (char *)(uintptr_t)info.environment[i];
    const struct cairn_recorded_program program = {
        .path = info.path,
        .arguments = arguments,
        .exit_status = info.exit_status,
        .signal = info.signal,
        .host = info.host,
        .guest = info.guest,
        .folder = info.folder,
        .environment = environment,
    };
    status = cairn_recording_finish(folder, &program, result, error);
    free(arguments);
    free(environment);
    return status;
}
