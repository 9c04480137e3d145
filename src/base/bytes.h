/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as they lie in bytes, whatever the byte order of this machine: the one place that knows it.
 * Each function is one instruction where the machine has such. Bytes need not be aligned. */
#ifndef CAIRN_BASE_BYTES_H
#define CAIRN_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define CAIRN_LITTLE_ENDIAN(bits, value) (value)
#elif __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CAIRN_LITTLE_ENDIAN(bits, value) __builtin_bswap##bits(value)
#else
#error "neither little-endian nor big-endian"
#endif

/* Between a number and what its bytes are as a little-endian one, in both directions. */
static inline uint16_t cairn_le16(uint16_t value)
{
    return CAIRN_LITTLE_ENDIAN(16, value);
}

static inline uint32_t cairn_le32(uint32_t value)
{
    return CAIRN_LITTLE_ENDIAN(32, value);
}

static inline uint64_t cairn_le64(uint64_t value)
{
    return CAIRN_LITTLE_ENDIAN(64, value);
}

/* Two, four or eight bytes, the first lowest. */
static inline uint16_t cairn_load_le16(const uint8_t *bytes)
{
    uint16_t value;

    memcpy(&value, bytes, sizeof value);
    return cairn_le16(value);
}

static inline uint32_t cairn_load_le32(const uint8_t *bytes)
{
    uint32_t value;

    memcpy(&value, bytes, sizeof value);
    return cairn_le32(value);
}

static inline uint64_t cairn_load_le64(const uint8_t *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
    return cairn_le64(value);
}

/* The first highest. */
static inline uint16_t cairn_load_be16(const uint8_t *bytes)
{
    return __builtin_bswap16(cairn_load_le16(bytes));
}

static inline uint32_t cairn_load_be32(const uint8_t *bytes)
{
    return __builtin_bswap32(cairn_load_le32(bytes));
}

static inline uint64_t cairn_load_be64(const uint8_t *bytes)
{
    return __builtin_bswap64(cairn_load_le64(bytes));
}

/* The lowest byte first. */
static inline void cairn_store_le16(uint8_t *bytes, uint16_t value)
{
    value = cairn_le16(value);
    memcpy(bytes, &value, sizeof value);
}

static inline void cairn_store_le32(uint8_t *bytes, uint32_t value)
{
    value = cairn_le32(value);
    memcpy(bytes, &value, sizeof value);
}

static inline void cairn_store_le64(uint8_t *bytes, uint64_t value)
{
    value = cairn_le64(value);
    memcpy(bytes, &value, sizeof value);
}

static inline void cairn_store_be32(uint8_t *bytes, uint32_t value)
{
    cairn_store_le32(bytes, __builtin_bswap32(value));
}

#endif
