/* SPDX-License-Identifier: BSD-2-Clause */
/* What Cairn's plugins know of QEMU 7.2's own structures, whose headers are not included. */
#ifndef CAIRN_MACHINE_QEMU_DESCRIBED_H
#define CAIRN_MACHINE_QEMU_DESCRIBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* QEMU 7.2's description of a structure that is saved, as far as it is looked at. */
struct cairn_qemu_field {
    const char *name; /* NULL behind the last */
    const char *hint;
    size_t offset;
    size_t rest[10];
};
struct cairn_qemu_description {
    const char *name;
    int numbers[4];
    void (*functions[4])(void);
    bool (*needed)(void *object);
    bool (*pending)(void *object);
    const struct cairn_qemu_field *fields;
    const struct cairn_qemu_description *const *subsections; /* NULL behind the last */
};

/* QEMU's attributes of an access, as far as they are set. */
struct cairn_qemu_attributes {
    uint32_t bits;
};
#define CAIRN_QEMU_SECURE_ACCESS (1u << 1)

#endif
