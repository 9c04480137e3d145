/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening a path: the one step that knows the kinds of captures. What they fill in (capture.c) knows
 * none of them, so that a kind more is in no circle with the others. */
#include "base/error.h"
#include "base/sizes.h"
#include "capture/containers.h"
#include "image/names.h"

static cairn_status open_path(struct cairn_capture *capture, const char *path,
                              const struct cairn_capture_options *options,
                              struct cairn_error *error)
{
    const struct cairn_files files = cairn_files_of_system();

    for (size_t i = 0; i < cairn_container_count; i++)
        if (cairn_containers[i].probe(&files, path))
            return cairn_containers[i].open(capture, &files, path, options, error);
    return cairn_fail(error, CAIRN_E_FORMAT, "%s: is nothing that is known", path);
}

cairn_status cairn_capture_open(const char *path, const struct cairn_capture_options *options,
                                struct cairn_capture **capture, struct cairn_error *error)
{
    struct cairn_capture_options given = CAIRN_CAPTURE_OPTIONS_INIT;
    if (!path || !capture || cairn_options_read(&given, sizeof given, options) != CAIRN_OK)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "cairn_capture_open needs a path, a place for the capture, and options "
                          "that begin with their size and set nothing that version %s does not "
                          "know",
                          cairn_version());
    struct cairn_capture *made = NULL;
    cairn_status status = cairn_capture_new(&made, error);
    if (status != CAIRN_OK)
        return status;
    status = cairn_image_set_folders(made->image, given.debug_folders, given.debug_folder_count);
    if (status == CAIRN_OK)
        status = open_path(made, path, &given, error);
    if (status == CAIRN_OK && (given.time_from || given.time_to) && !made->has_times)
        status = cairn_fail(error, CAIRN_E_UNSUPPORTED,
                            "%s: nothing in it says when a part of the trace was recorded (a "
                            "perf.data file does): leave out the time",
                            path);
    if (status == CAIRN_OK && (given.vmlinux || given.kcore) && !made->is_perf)
        status =
            cairn_fail(error, CAIRN_E_UNSUPPORTED,
                       "%s: it is no perf.data file, which alone says where a kernel was: give "
                       "the kernel with --image FILE@OFFSET",
                       path);
    if (status == CAIRN_OK)
        status = cairn_capture_find_given(made, given.registers, given.register_count, error);
    if (status != CAIRN_OK) {
        cairn_capture_free(made);
        return status;
    }
    cairn_capture_check_registers(made, given.registers, given.register_count);
    *capture = made;
    return CAIRN_OK;
}
