/* SPDX-License-Identifier: BSD-2-Clause */
/* Boards whose cores are of A profile: QEMU's virt, with a kernel or firmware, traced as a whole. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cli/options/protocols.h"
#include "cli/record/record.h"
#include "protocol/about.h"

#define BOARD "virt"
#define CORES_MOST 512u
/* Of a kernel's image: its header's word, and where (the kernel's booting document); of the 32-bit kernel's; of gzip. */
#define IMAGE_AT 56u
#define IMAGE_WORD 0x644d5241u
#define IMAGE_32_AT 36u
#define IMAGE_32_WORD 0x016f2818u
#define GZIP_WORD 0x8b1fu

bool cli_record_is_board(const struct cli_record *record)
{
    const char *const machine = record->machine;

    return machine && strncmp(machine, BOARD, strlen(BOARD)) == 0 &&
           (machine[strlen(BOARD)] == '\0' || machine[strlen(BOARD)] == ',');
}

const char *cli_record_subject(const struct cli_options *options)
{
    return options->record && options->record->kernel ? options->record->kernel
                                                      : options->program[0];
}

static bool refuse(const char *option, const char *given, const char *why)
{
    fprintf(stderr, "cairn record: %s%s%s: %s\n", option, given ? " " : "", given ? given : "",
            why);
    return false;
}

static bool can_read(const char *option, const char *path)
{
    return !path || access(path, R_OK) == 0 || refuse(option, path, strerror(errno));
}

static bool is_number(const char *option, const char *given, uint64_t most)
{
    uint64_t number = 0;
    char why[64];

    if (!given || (cli_number(given, &number) && number > 0 && number <= most))
        return true;
    snprintf(why, sizeof why, "expected a number from 1 to %llu", (unsigned long long)most);
    return refuse(option, given, why);
}

/* Which of the options that are for such a board alone was given; NULL: none. */
static const char *own_option(const struct cli_record *record)
{
    return record->kernel   ? "--kernel"
           : record->initrd ? "--initrd"
           : record->append ? "--append"
           : record->cores  ? "--cores"
           : record->memory ? "--memory"
           : record->disk   ? "--disk"
                            : NULL;
}

static bool traces_A64(const struct cli_options *options)
{
    const enum cairn_protocol_id protocol = cli_record_protocol(options);
    struct cairn_arch arch;

    if (cairn_arch_from_name(cli_record_core(options), &arch) == CAIRN_OK &&
        arch.profile != CAIRN_PROFILE_A)
        return refuse("--core", cli_record_core(options), "the cores of virt are of A profile");
    if (cairn_about(protocol)->record & CAIRN_RECORD_A64)
        return true;
    return refuse("--protocol", cairn_protocol_name(protocol),
                  "it traces no A64, which the cores of virt execute; record it with ete or etmv4");
}

/* Cores that have no AArch64 state. */
static bool is_32_bit(const char *cpu)
{
    static const char *const names[] = {"cortex-a7", "cortex-a8", "cortex-a9", "cortex-a15"};
    const size_t length = strcspn(cpu, ",");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && strncmp(names[i], cpu, length) == 0)
            return true;
    return false;
}

/* "-NAME" or "--NAME". */
static bool is_word(const char *word, const char *name)
{
    return word[0] == '-' && strcmp(word + 1 + (word[1] == '-'), name) == 0;
}

bool cli_record_board_fits(const struct cli_options *options)
{
    const struct cli_record *record = options->record;

    if (!cli_record_is_board(record))
        return refuse(own_option(record), NULL,
                      "that is for a machine whose cores are of A profile: --machine virt");
    if (record->explain)
        return refuse("--machine", record->machine,
                      "`cairn simulate` is for programs and firmware of a Cortex-M");
    if (record->sysroot || record->tarmac)
        return refuse("--machine", record->machine,
                      record->sysroot ? "there is no --sysroot for it"
                                      : "or --tarmac: one of them");
    if (record->kernel && options->program[0])
        return refuse("--kernel", record->kernel,
                      "or firmware behind --: one of them (words for the kernel: --append)");
    if (!record->kernel && record->append)
        return refuse("--append", record->append,
                      "that is for --kernel: firmware gets what stands behind its name");
    if (record->cpu && is_32_bit(record->cpu))
        return refuse("--cpu", record->cpu,
                      "it is in AArch32 state alone, which is not recorded of virt; cortex-a53, "
                      "cortex-a72 and max are not");
    if (record->disk && strchr(record->disk, ','))
        return refuse("--disk", record->disk, "QEMU takes no comma in a file's name");
    for (size_t i = 0; i < record->qemu_arguments.count; i++)
        if (is_word(record->qemu_arguments.items[i], "icount"))
            return refuse("--qemu-argument", record->qemu_arguments.items[i],
                          "with it QEMU leaves code in places that cannot be told from its end, so "
                          "that virt is recorded without");
    return is_number("--cores", record->cores, CORES_MOST) &&
           is_number("--memory", record->memory, UINT32_MAX) &&
           can_read("--kernel", record->kernel) && can_read("--initrd", record->initrd) &&
           can_read("--disk", record->disk) && traces_A64(options);
}

static bool is_not(const char *path, const char *what)
{
    fprintf(stderr, "cairn record: %s %s\n", path, what);
    return false;
}

/* A kernel is no ELF file in most cases. */
static bool examine_image(const char *path)
{
    uint8_t head[64] = {0};
    FILE *const file = fopen(path, "rb");
    const size_t size = file ? fread(head, 1, sizeof head, file) : 0;

    if (file)
        fclose(file);
    if (size == sizeof head && cairn_load_le32(head + IMAGE_32_AT) == IMAGE_32_WORD)
        return is_not(path, "is a kernel for AArch32; the cores of virt are in AArch64 state here");
    if (size == sizeof head && memcmp(head, "MZ\0\0zimg", 8) == 0)
        return is_not(path,
                      "unpacks itself by EFI, which is not there; give the Image that is in it");
    if ((size == sizeof head && cairn_load_le32(head + IMAGE_AT) == IMAGE_WORD) ||
        (size > 2 && (cairn_load_le32(head) & 0xffff) == GZIP_WORD))
        return true;
    return is_not(path, "is no kernel for arm64: an Image is needed, also compressed by gzip, or "
                        "an ELF file");
}

bool cli_record_board_examine(const struct cli_record *record, const char *path, Elf *elf)
{
    GElf_Ehdr header;

    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return record->kernel ? examine_image(path)
                              : is_not(path, "is no ELF file: firmware is linked to its addresses; "
                                             "a kernel's image is given with --kernel");
    if (cli_record_is_linux(elf, &header))
        return is_not(path, "is a Linux program, no firmware; record it without --machine");
    if (header.e_machine == EM_ARM)
        return is_not(path, "is for AArch32: the cores of virt are in AArch64 state here; firmware "
                            "for a Cortex-M needs its board, such as --machine mps2-an385");
    if (header.e_machine != EM_AARCH64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return is_not(path, "is not for AArch64, little-endian");
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return is_not(path, "is not linked: firmware has addresses at which it is loaded");
    return true;
}

static bool has_property(const char *machine, const char *name)
{
    const char *const found = strstr(machine, name);

    return found && found > machine && found[-1] == ',';
}

/* The words of firmware with a space between. */
static bool join(char *text, size_t size, char *const *words)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; words[i]; i++) {
        const int more = snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "", words[i]);

        if (more < 0 || (size_t)more >= size - used)
            return false;
        used += (size_t)more;
    }
    return true;
}

static bool make_texts(const struct cli_options *options, struct cli_board *board)
{
    const struct cli_record *record = options->record;
    /* Without a seed in the device tree a kernel runs at the addresses that its file says. */
    const int machine = snprintf(board->machine, sizeof board->machine, "%s%s", record->machine,
                                 has_property(record->machine, "dtb-randomness=") ||
                                         has_property(record->machine, "dtb-kaslr-seed=")
                                     ? ""
                                     : ",dtb-randomness=off");
    bool fits = machine > 0 && (size_t)machine < sizeof board->machine;

    if (record->kernel)
        fits = fits && snprintf(board->append, sizeof board->append, "console=ttyAMA0%s%s",
                                record->append ? " " : "",
                                record->append ? record->append : "") < (int)sizeof board->append;
    else
        fits = fits && join(board->append, sizeof board->append, options->program + 1);
    if (record->disk)
        fits =
            fits && snprintf(board->disk, sizeof board->disk, "file=%s,format=raw,if=none,id=cairn",
                             record->disk) < (int)sizeof board->disk;
    return fits || refuse("--machine", record->machine, "the options for it are too long");
}

bool cli_record_board_words(const struct cli_options *options, struct cli_board *board)
{
    const struct cli_record *record = options->record;
    const char *const *usual = cli_record_machine_arguments(!record->kernel);
    const char *const words[][2] = {
        {"-M", board->machine},
        {"-cpu", record->cpu ? record->cpu : "cortex-a72"},
        {"-m", record->memory ? record->memory : "512"},
        {"-smp", record->cores ? record->cores : "1"},
        {"-kernel", cli_record_subject(options)},
        {"-initrd", record->initrd},
        {"-append", board->append},
        {"-drive", record->disk ? board->disk : NULL},
        {"-device", record->disk ? "virtio-blk-device,drive=cairn" : NULL},
    };
    bool added = make_texts(options, board) && cli_list_add(&board->words, "-no-reboot");

    for (size_t i = 0; added && usual[i]; i++)
        added = cli_list_add(&board->words, usual[i]);
    for (size_t i = 0; added && i < sizeof words / sizeof words[0]; i++)
        if (words[i][1] && words[i][1][0])
            added = cli_list_add(&board->words, words[i][0]) &&
                    cli_list_add(&board->words, words[i][1]);
    return added;
}
