/* SPDX-License-Identifier: BSD-2-Clause */
/* Where QEMU loads the plugin. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/qemu/arguments.h"
#include "machine/qemu/plugin.h"
#include "protocol/about.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;
struct cairn_qemu cairn_qemu;

static cairn_status examine_emulator(const struct qemu_info *info, struct cairn_error *error)
{
    const bool is_arm = strcmp(info->target, "arm") == 0;

    cairn_qemu.is_a64 = strcmp(info->target, "aarch64") == 0;
    cairn_qemu.is_machine = info->system;
    if (!is_arm && (info->system || !cairn_qemu.is_a64))
        return cairn_fail(
            error, CAIRN_E_UNSUPPORTED,
            "this emulator is for %s%s; use qemu-aarch64, qemu-arm or qemu-system-arm",
            info->system ? "whole machines of target " : "", info->target);
    return CAIRN_OK;
}

const char *cairn_qemu_core_name(void)
{
    if (cairn_qemu.settings.core)
        return cairn_qemu.settings.core;
    if (cairn_qemu.is_machine)
        return CAIRN_QEMU_CORE_MACHINE;
    return cairn_qemu.is_a64 ? CAIRN_QEMU_CORE_AARCH64 : CAIRN_QEMU_CORE_ARM;
}

static cairn_status choose_core(struct cairn_error *error)
{
    const char *core = cairn_qemu_core_name();

    if (cairn_arch_from_name(core, &cairn_qemu.arch) != CAIRN_OK)
        return cairn_fail(error, CAIRN_E_NOT_FOUND, "%s=%s: no such core", CAIRN_QEMU_CORE, core);
    if (cairn_qemu.is_machine && cairn_qemu.arch.profile != CAIRN_PROFILE_M)
        return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                          "%s=%s: only machines whose core is of M profile are recorded",
                          CAIRN_QEMU_CORE, core);
    return CAIRN_OK;
}

struct cairn_unit_options cairn_qemu_unit_options(void)
{
    const struct cairn_qemu_settings *settings = &cairn_qemu.settings;
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    options.protocol = settings->protocol;
    options.arch = cairn_qemu.arch;
    options.registers = settings->registers;
    options.register_count = settings->register_count;
    options.choices = settings->choices;
    options.return_stack_depth = settings->return_stack_depth;
    options.fifo_bytes = settings->fifo_bytes;
    options.fifo_drain = settings->fifo_drain;
    return options;
}

/* A unit that wants to know of every instruction whether it passed its condition is told by the
 * flags. */
static cairn_status find_registers(struct cairn_error *error)
{
    cairn_qemu.every_one =
        cairn_about(cairn_qemu.settings.protocol)->record & CAIRN_RECORD_EVERY_INSTRUCTION;
    cairn_qemu_guest_init(cairn_qemu.is_a64);
    if (!cairn_qemu.every_one || (cairn_qemu_guest_has_registers() && !cairn_qemu.is_a64))
        return CAIRN_OK;
    return cairn_fail(error, CAIRN_E_UNSUPPORTED, "%s=%s: %s", CAIRN_QEMU_PROTOCOL,
                      cairn_protocol_name(cairn_qemu.settings.protocol),
                      cairn_qemu.is_a64 ? "it traces no A64"
                                        : "this QEMU does not export what its registers are "
                                          "read by (Debian 12's does)");
}

/* Also finds out, before the program begins, whether the registers are possible. */
static cairn_status make_scanner(struct cairn_error *error)
{
    const struct cairn_unit_options options = cairn_qemu_unit_options();

    return cairn_unit_new(&options, &cairn_qemu.scanner, error);
}

static cairn_status make_recording(struct cairn_error *error)
{
    const struct cairn_qemu_settings *settings = &cairn_qemu.settings;
    struct cairn_recording_options options = {.size = sizeof options};

    options.protocol = settings->protocol;
    options.core = cairn_qemu_core_name();
    options.note = settings->note;
    options.overwrite = settings->overwrite;
    options.apart = true;
    const cairn_status status =
        cairn_recording_new(settings->folder, &options, &cairn_qemu.recording, error);
    if (status == CAIRN_OK)
        cairn_qemu.control = cairn_recording_control(cairn_qemu.recording);
    /* Without it the recording has all but what it would have said of the program. */
    if (status == CAIRN_OK && settings->told)
        (void)!cairn_recording_program(cairn_qemu.recording, settings->told);
    cairn_qemu.leaves_a32_out = cairn_about(options.protocol)->record & CAIRN_RECORD_T32_ALONE;
    return status;
}

void cairn_qemu_complain(const char *text)
{
    char line[CAIRN_ERROR_TEXT + 32];
    const int length = snprintf(line, sizeof line, "cairn: %s\n", text);

    /* Nobody is left to be told if even that fails. */
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

static void ask_for_callbacks(qemu_id id)
{
    qemu_plugin_register_vcpu_tb_trans_cb(id, cairn_qemu_translated);
    qemu_plugin_register_flush_cb(id, cairn_qemu_flushed);
    qemu_plugin_register_vcpu_syscall_cb(id, cairn_qemu_on_syscall);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, cairn_qemu_on_syscall_return);
    qemu_plugin_register_vcpu_init_cb(id, cairn_qemu_on_cpu_init);
    qemu_plugin_register_vcpu_exit_cb(id, cairn_qemu_on_cpu_exit);
    qemu_plugin_register_atexit_cb(id, cairn_qemu_on_exit, NULL);
}

EXPORT int qemu_plugin_install(qemu_id id, const struct qemu_info *info, int argc, char **argv)
{
    struct cairn_error error = {0};
    cairn_status status = cairn_qemu_settings_take(&cairn_qemu.settings, argc, argv, &error);

    if (status == CAIRN_OK)
        status = examine_emulator(info, &error);
    if (status == CAIRN_OK)
        status = choose_core(&error);
    if (status == CAIRN_OK)
        status = find_registers(&error);
    if (status == CAIRN_OK)
        status = make_scanner(&error);
    cairn_qemu.data = status == CAIRN_OK && cairn_qemu_traces_data();
    if (status == CAIRN_OK)
        status = make_recording(&error);
    if (status == CAIRN_OK && !cairn_qemu_watch_forks())
        status = cairn_fail(&error, CAIRN_E_MEMORY, "out of memory for following forks");
    if (status != CAIRN_OK) {
        cairn_qemu_complain(error.text);
        cairn_unit_free(cairn_qemu.scanner);
        cairn_recording_free(cairn_qemu.recording);
        cairn_qemu_filters_free();
        cairn_qemu_settings_free(&cairn_qemu.settings);
        return 1;
    }
    cairn_qemu.id = id;
    if (cairn_qemu.is_machine)
        cairn_qemu_watch_abort();
    else
        (void)cairn_qemu_watch_death();
    ask_for_callbacks(id);
    return 0;
}
