/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses of QEMU -> transfers as the architecture has them: QEMU reads a doubleword at once where
 * an LDREXD makes two transfers, and elements of vectors one at a time. */
#include "machine/qemu/data.h"

#include <string.h>

#include "machine/qemu/core.h"
#include "machine/qemu/plugin.h"

enum {
    ETMCR_DATA = 3 << 2, /* values, addresses */
    WORD = 4,
    BYTES_MAX = CAIRN_QEMU_ACCESSES * 8,
    REGISTER_PC = 15,
};

bool cairn_qemu_traces_data(void)
{
    uint64_t control = 0;

    return cairn_qemu.every_one &&
           cairn_unit_read(cairn_qemu.scanner, "ETMCR", &control) == CAIRN_OK &&
           (control & ETMCR_DATA) != 0;
}

/* --- as they come --- */

/* Behind the access: what is in memory is what was loaded or stored, unless another thread stores
 * there just now. A device is not asked again, as that may change it. */
static bool read_back(uint32_t info, const struct cairn_qemu_access *access, uint8_t *bytes)
{
    if (!cairn_qemu.is_machine)
        return cairn_qemu_guest_read(access->address, bytes, access->size);
    const struct qemu_hwaddr *place = qemu_plugin_get_hwaddr(info, access->address);
    return place && !qemu_plugin_hwaddr_is_io(place) &&
           cairn_qemu_core_read(access->address, bytes, access->size);
}

static void on_access(unsigned cpu, uint32_t info, uint64_t address, void *none)
{
    struct cairn_qemu_thread *thread = cairn_qemu_self;

    (void)cpu;
    (void)none;
    if (!thread || thread->data.count == CAIRN_QEMU_ACCESSES)
        return;
    struct cairn_qemu_access *access = &thread->data.list[thread->data.count++];
    const unsigned size = 1u << qemu_plugin_mem_size_shift(info);
    access->address = (uint32_t)address;
    access->size = (uint8_t)(size < sizeof access->bytes ? size : sizeof access->bytes);
    access->store = qemu_plugin_mem_is_store(info);
    access->big_endian = qemu_plugin_mem_is_big_endian(info);
    access->known = read_back(info, access, access->bytes);
}

void cairn_qemu_watch_data(struct qemu_insn *insn)
{
    qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_REGISTERS_NONE, QEMU_LOADS_AND_STORES,
                                     NULL);
}

/* --- exclusives --- */

/* Of a load or store exclusive: what its encoding names (DDI0406 A8.8.75 to 78, 212 to 215; those
 * with acquire and release DDI0487 F5.1). */
struct exclusive {
    bool store;
    uint8_t bytes;
    uint8_t base, result, first, second;
    uint32_t offset;
};

static bool decode_a32(uint32_t word, struct exclusive *exclusive)
{
    static const uint8_t bytes[] = {4, 8, 1, 2};
    const uint32_t kind = word >> 8 & 0xfu; /* 1110 with release or acquire, 1111 */

    if ((word & 0x0f8000f0u) != 0x01800090u || kind < 0xeu)
        return false;
    *exclusive = (struct exclusive){
        .store = !(word & 1u << 20),
        .bytes = bytes[word >> 21 & 3u],
        .base = word >> 16 & 0xfu,
        .result = word >> 12 & 0xfu,
        .first = word & 0xfu,
        .second = (word & 0xfu) + 1,
    };
    return true;
}

/* The first halfword is the upper one. */
static bool decode_t32(uint32_t word, struct exclusive *exclusive)
{
    static const uint8_t bytes[] = {1, 2, 4, 8};
    const bool is_word = (word & 0xffe00000u) == 0xe8400000u;
    const uint32_t kind = word >> 4 & 0xfu; /* 01xx, 11xx with acquire or release */

    if (!is_word && ((word & 0xffe00000u) != 0xe8c00000u || !(kind & 4u)))
        return false;
    *exclusive = (struct exclusive){
        .store = !(word & 1u << 20),
        .bytes = is_word ? WORD : bytes[kind & 3u],
        .base = word >> 16 & 0xfu,
        .result = is_word ? word >> 8 & 0xfu : word & 0xfu,
        .first = word >> 12 & 0xfu,
        .second = word >> 8 & 0xfu,
        .offset = is_word ? (word & 0xffu) * WORD : 0,
    };
    return true;
}

static bool decode_exclusive(const struct cairn_qemu_tb *tb, struct exclusive *exclusive)
{
    struct cairn_insn insn;

    if (cairn_insn_decode(&cairn_qemu.arch, (enum cairn_isa)tb->isa, cairn_entry_address(tb->entry),
                          tb->bytes, tb->size, &insn) != WORD)
        return false;
    return tb->isa == CAIRN_ISA_A32 ? decode_a32(insn.opcode, exclusive)
                                    : decode_t32(insn.opcode, exclusive);
}

static uint32_t read_register(unsigned number)
{
    uint64_t value = 0;

    return number < REGISTER_PC && cairn_qemu_guest_register(number, &value) ? (uint32_t)value : 0;
}

void cairn_qemu_data_begin(struct cairn_qemu_thread *thread, const struct cairn_qemu_tb *tb)
{
    struct exclusive exclusive;

    thread->data.count = 0;
    thread->data.exclusive.pending = false;
    if (cairn_qemu.is_machine)
        memcpy(thread->data.registers, cairn_qemu_core.registers, sizeof thread->data.registers);
    cairn_qemu_moves_begin(thread, tb);
    if (!tb->transfers || !thread->passed || !decode_exclusive(tb, &exclusive) || !exclusive.store)
        return;
    thread->data.exclusive = (struct cairn_qemu_exclusive){
        .pending = true,
        .address = read_register(exclusive.base) + exclusive.offset,
        .value = read_register(exclusive.first),
    };
    if (exclusive.bytes > WORD)
        thread->data.exclusive.value |= (uint64_t)read_register(exclusive.second) << 32;
}

void cairn_qemu_data_result(struct cairn_qemu_thread *thread, const struct cairn_qemu_tb *next)
{
    const struct cairn_qemu_tb *tb = thread->previous;
    struct exclusive exclusive;

    /* A signal handler has registers of its own, that of an exception has another LR. */
    if (next->entry != tb->next || cairn_qemu_is_handler(next->entry))
        return;
    cairn_qemu_moves_result(thread);
    if (!thread->data.exclusive.pending || !decode_exclusive(tb, &exclusive))
        return;
    thread->data.exclusive.resolved = true;
    thread->data.exclusive.failed = read_register(exclusive.result) != 0;
}

/* --- telling --- */

static void tell(struct cairn_qemu_thread *thread, uint32_t address, uint64_t value, uint32_t bytes,
                 uint32_t flags)
{
    const struct cairn_unit_transfer transfer = {
        .address = address, .value = value, .bytes = bytes, .flags = flags};

    cairn_processor_data(&thread->processor, &transfer);
}

static uint64_t number_of(const uint8_t *bytes, unsigned size, bool big_endian)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * (big_endian ? size - 1 - i : i);
    return value;
}

static uint32_t flags_of(const struct cairn_qemu_access *access)
{
    return (access->store ? CAIRN_UNIT_DATA_STORE : 0) |
           (access->known ? 0 : CAIRN_UNIT_DATA_NO_VALUE) |
           (access->big_endian ? CAIRN_UNIT_DATA_BIG_ENDIAN : 0);
}

static void tell_store_exclusive(struct cairn_qemu_thread *thread, const struct exclusive *insn)
{
    const struct cairn_qemu_data *data = &thread->data;
    const struct cairn_qemu_exclusive *exclusive = &data->exclusive;
    bool stored = false;

    for (unsigned i = 0; i < data->count; i++)
        stored |= data->list[i].store;
    const bool failed = exclusive->resolved ? exclusive->failed : !stored;
    const uint32_t flags =
        CAIRN_UNIT_DATA_STORE | CAIRN_UNIT_DATA_EXCLUSIVE | (failed ? CAIRN_UNIT_DATA_FAILED : 0) |
        (data->count > 0 && data->list[0].big_endian ? CAIRN_UNIT_DATA_BIG_ENDIAN : 0);
    const uint32_t bytes = insn->bytes > WORD ? WORD : insn->bytes;
    const uint64_t mask = (UINT64_C(1) << 8 * bytes) - 1;

    tell(thread, exclusive->address, exclusive->value & mask, bytes, flags);
    if (insn->bytes > WORD)
        tell(thread, exclusive->address + WORD, exclusive->value >> 32, WORD, flags);
}

/* One after the other, as QEMU made them. */
static void tell_accesses(struct cairn_qemu_thread *thread, uint32_t more)
{
    for (unsigned i = 0; i < thread->data.count; i++) {
        const struct cairn_qemu_access *access = &thread->data.list[i];
        tell(thread, access->address, number_of(access->bytes, access->size, access->big_endian),
             access->size, flags_of(access) | more);
    }
}

/* All in one direction, each behind the one before: the piece of memory they make. */
static unsigned join(const struct cairn_qemu_data *data, uint8_t bytes[BYTES_MAX])
{
    unsigned size = 0;

    for (unsigned i = 0; i < data->count; i++) {
        const struct cairn_qemu_access *access = &data->list[i];
        if (access->address != data->list[0].address + size || !access->known ||
            access->store != data->list[0].store)
            return 0;
        memcpy(bytes + size, access->bytes, access->size);
        size += access->size;
    }
    return size;
}

/* What a device was given, or gave, is in a register: of a store in front of the instruction, of a
 * load behind it, but for those that an exception changes. */
static void find_in_registers(struct cairn_qemu_data *data, const struct cairn_transfers *transfers)
{
    if (transfers->count != data->count)
        return;
    for (unsigned i = 0; i < data->count; i++) {
        struct cairn_qemu_access *access = &data->list[i];
        const struct cairn_transfer *transfer = &transfers->list[i];
        const unsigned most = access->store ? REGISTER_PC : CAIRN_QEMU_CORE_SP;

        if (access->known || access->size != transfer->size || access->size > WORD ||
            transfer->file != CAIRN_REGISTER_R || transfer->number >= most)
            continue;
        const uint32_t value = access->store ? data->registers[transfer->number]
                                             : cairn_qemu_core.registers[transfer->number];
        for (unsigned n = 0; n < access->size; n++)
            access->bytes[n] =
                (uint8_t)(value >> 8 * (access->big_endian ? access->size - 1 - n : n));
        access->known = true;
    }
}

/* Cut as the instruction's transfers are. False: they do not fit what QEMU did. */
static bool tell_list(struct cairn_qemu_thread *thread, const struct cairn_transfers *transfers,
                      uint32_t more)
{
    const struct cairn_qemu_access *first = &thread->data.list[0];
    uint8_t bytes[BYTES_MAX];
    unsigned at = 0;
    const unsigned size = join(&thread->data, bytes);

    for (unsigned i = 0; i < transfers->count; i++) {
        if (transfers->list[i].kind !=
                (first->store ? CAIRN_TRANSFER_STORE : CAIRN_TRANSFER_LOAD) ||
            transfers->list[i].offset != at)
            return false;
        at += transfers->list[i].size;
    }
    if (size == 0 || at != size)
        return false;
    for (unsigned i = 0; i < transfers->count; i++) {
        const struct cairn_transfer *transfer = &transfers->list[i];
        tell(thread, first->address + transfer->offset,
             number_of(bytes + transfer->offset, transfer->size, first->big_endian), transfer->size,
             flags_of(first) | more);
    }
    return true;
}

void cairn_qemu_data_tell(struct cairn_qemu_thread *thread, const struct cairn_qemu_tb *tb)
{
    struct cairn_transfers transfers;
    struct exclusive exclusive;
    struct cairn_insn insn;
    const bool is_exclusive = decode_exclusive(tb, &exclusive);
    const uint32_t more = is_exclusive ? CAIRN_UNIT_DATA_EXCLUSIVE : 0;

    cairn_qemu_moves_tell(thread);
    if (thread->data.exclusive.pending && is_exclusive) {
        tell_store_exclusive(thread, &exclusive);
    } else if (thread->data.count > 0) {
        cairn_insn_decode(&cairn_qemu.arch, (enum cairn_isa)tb->isa, cairn_entry_address(tb->entry),
                          tb->bytes, tb->size, &insn);
        cairn_insn_transfers(&cairn_qemu.arch, (enum cairn_isa)tb->isa, &insn,
                             thread->data.list[0].big_endian ? CAIRN_TRANSFERS_BIG_ENDIAN : 0,
                             &transfers);
        if (cairn_qemu.is_machine)
            find_in_registers(&thread->data, &transfers);
        if (!tell_list(thread, &transfers, more))
            tell_accesses(thread, more);
    }
    thread->data.count = 0;
    thread->data.exclusive.pending = false;
}
