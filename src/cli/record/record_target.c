/* SPDX-License-Identifier: BSD-2-Clause */
/* The program that is to be recorded, looked at before QEMU is: QEMU says little about what it
 * cannot load, and says that on standard output. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/record/record.h"

static bool refuse(const char *program, const char *why)
{
    fprintf(stderr, "cairn record: %s %s\n", program, why);
    return false;
}

/* True if all that is to be loaded is in the file; copies the interpreter's name, or "". */
static bool read_segments(Elf *elf, char *interpreter, size_t capacity)
{
    size_t count = 0, size = 0;
    const char *raw = elf_rawfile(elf, &size);

    *interpreter = '\0';
    if (!raw || elf_getphdrnum(elf, &count) != 0 || count == 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header))
            return false;
        if (header.p_type != PT_LOAD && header.p_type != PT_INTERP)
            continue;
        if (header.p_filesz && (header.p_offset > size || header.p_filesz > size - header.p_offset))
            return false;
        if (header.p_type == PT_INTERP)
            snprintf(interpreter, capacity, "%.*s",
                     (int)(header.p_filesz < capacity ? header.p_filesz : capacity - 1),
                     raw + header.p_offset);
    }
    return true;
}

static bool is_below(const char *root, const char *path)
{
    char full[2 * PATH_MAX];

    snprintf(full, sizeof full, "%s%s", root, path);
    return access(full, F_OK) == 0;
}

/* Where QEMU will look is its -L, which its environment may name as well, and then the root. */
static bool find_sysroot(const struct cli_record *record, const char *program, const char *cross,
                         const char *interpreter, struct cli_target *target)
{
    const char *given = record->sysroot ? record->sysroot : getenv("QEMU_LD_PREFIX");

    if (!*interpreter || (given && is_below(given, interpreter)) || is_below("", interpreter))
        return true;
    if (!given && is_below(cross, interpreter)) {
        target->sysroot = cross;
        return true;
    }
    if (record->qemu_arguments.count > 0) /* which may tell QEMU where */
        return true;
    fprintf(stderr,
            "cairn record: %s needs %s, which is not in %s; give the folder that has it, with the "
            "program's libraries, with --sysroot\n",
            program, interpreter, given ? given : cross);
    return false;
}

/* Where it is loaded is in the file; the board has the rest. */
static bool examine_firmware(const char *program, const GElf_Ehdr *header, Elf *elf,
                             struct cli_target *target)
{
    char interpreter[PATH_MAX];

    target->qemu = "qemu-system-arm";
    if ((header->e_machine == EM_ARM || header->e_machine == EM_AARCH64) &&
        cli_record_is_linux(elf, header))
        return refuse(program, "is a Linux program, no firmware; record it without --machine");
    if (header->e_machine != EM_ARM || header->e_type != ET_EXEC)
        return refuse(program, "is no firmware for a Cortex-M: an ELF executable for AArch32 is "
                               "needed, linked to the addresses of the board");
    if (!read_segments(elf, interpreter, sizeof interpreter))
        return refuse(program, "is cut short: parts that are to be loaded are not in the file");
    return true;
}

static bool examine_elf(const struct cli_record *record, const char *program, Elf *elf,
                        struct cli_target *target)
{
    GElf_Ehdr header;
    const char *cross;
    char interpreter[PATH_MAX];

    if (cli_record_is_board(record)) {
        target->qemu = "qemu-system-aarch64";
        return cli_record_board_examine(record, program, elf);
    }
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return refuse(program, "is no ELF program. For a script, record its interpreter: "
                               "cairn record ... -- /bin/sh script");
    if (record->machine)
        return examine_firmware(program, &header, elf, target);
    if (cli_record_is_firmware(elf, &header))
        return refuse(program, "is firmware for a Cortex-M, no Linux program; name the board that "
                               "it is for, such as --machine mps2-an385");
    if (header.e_machine == EM_AARCH64) {
        target->qemu = "qemu-aarch64";
        cross = "/usr/aarch64-linux-gnu";
    } else if (header.e_machine == EM_ARM) {
        target->qemu = "qemu-arm";
        cross = header.e_flags & EF_ARM_ABI_FLOAT_HARD ? "/usr/arm-linux-gnueabihf"
                                                       : "/usr/arm-linux-gnueabi";
    } else {
        fprintf(stderr,
                "cairn record: %s is not for Arm (ELF machine %u): build it for AArch64 or "
                "AArch32, for example with aarch64-linux-gnu-gcc\n",
                program, (unsigned)header.e_machine);
        return false;
    }
    if (header.e_ident[EI_DATA] != ELFDATA2LSB)
        return refuse(program, "is for big-endian Arm, which is not recorded");
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return refuse(program, header.e_type == ET_REL ? "is an object file: link it to a program"
                                                       : "is no program, but a core file");
    if (!read_segments(elf, interpreter, sizeof interpreter))
        return refuse(program, "is cut short: parts that are to be loaded are not in the file");
    return find_sysroot(record, program, cross, interpreter, target);
}

static bool examine_file(const char *program, int file)
{
    struct stat info;

    if (fstat(file, &info) != 0)
        return refuse(program, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return refuse(program, "is a folder; give the program in it");
    if (!S_ISREG(info.st_mode))
        return refuse(program, "is no regular file");
    return true;
}

bool cli_record_examine(const struct cli_record *record, const char *program,
                        struct cli_target *target)
{
    /* A pipe would be waited for. */
    const int file = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool fine;

    *target = (struct cli_target){0};
    if (file < 0) {
        fprintf(stderr, "cairn record: %s: %s%s\n", *program ? program : "''", strerror(errno),
                strchr(program, '/') ? "" : " (give its path: ./PROGRAM)");
        return false;
    }
    fine = examine_file(program, file);
    if (fine) {
        elf_version(EV_CURRENT);
        Elf *elf = elf_begin(file, ELF_C_READ, NULL);
        fine = examine_elf(record, program, elf, target);
        elf_end(elf);
    }
    close(file);
    if (fine && !record->machine && access(program, X_OK) != 0)
        return refuse(program, "may not be executed; chmod +x makes it so");
    return fine;
}
