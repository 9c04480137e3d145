/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etm/pins.h"

#define NIBBLE 0xfu

void cairn_etm_pins_push(struct cairn_etm_pins *pins, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size && pins->count < CAIRN_ETM_PINS_FIFO; i++)
        pins->bytes[cairn_etm_pins_slot(pins, pins->count++)] = bytes[i];
}

uint8_t cairn_etm_pins_pop(struct cairn_etm_pins *pins)
{
    const uint8_t byte = pins->bytes[pins->head];

    pins->head = cairn_etm_pins_slot(pins, 1);
    pins->count--;
    return byte;
}

unsigned cairn_etm_pins_take(struct cairn_etm_pins *pins)
{
    if (pins->width != CAIRN_ETM_PINS_NARROW)
        return cairn_etm_pins_pop(pins);
    pins->high_nibble = !pins->high_nibble;
    return pins->high_nibble ? pins->bytes[pins->head] & NIBBLE
                             : (unsigned)cairn_etm_pins_pop(pins) >> 4;
}

void cairn_etm_pins_deliver(struct cairn_etm_pins *pins)
{
    if (pins->sink && pins->size > 0 && pins->status == CAIRN_OK)
        pins->status = pins->sink(pins->sink_context, pins->samples, pins->size);
    if (pins->status == CAIRN_OK)
        pins->delivered += pins->size;
    pins->size = 0;
}

void cairn_etm_pins_put(struct cairn_etm_pins *pins, unsigned pipestat, unsigned packet,
                        unsigned flags)
{
    const struct cairn_sample sample = {
        .pipestat = (uint8_t)pipestat,
        .flags = (uint8_t)(flags | (pins->lost ? CAIRN_SAMPLE_LOST : 0u)),
        .packet = (uint16_t)packet,
    };

    if (pins->size + CAIRN_SAMPLE_BYTES > sizeof pins->samples)
        cairn_etm_pins_deliver(pins);
    cairn_sample_store(pins->samples + pins->size, sample);
    pins->size += CAIRN_SAMPLE_BYTES;
    pins->lost = false;
}

uint64_t cairn_etm_pins_idle(struct cairn_etm_pins *pins, uint64_t cycles, bool counted)
{
    uint64_t written = counted ? cycles : 0;

    if (written > CAIRN_ETM_PINS_IDLE_MOST)
        written = CAIRN_ETM_PINS_IDLE_MOST;
    cycles -= written;
    pins->lost = pins->lost || (cycles > 0 && counted);
    pins->clock = cairn_etm_pins_later(pins->clock, cycles);
    return written;
}
