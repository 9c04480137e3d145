/* SPDX-License-Identifier: BSD-2-Clause */
#include "etmv3_second.h"

#include "../protocol/second_elements.h"
#include "../protocol/second_translate.h"
#include "etmv3_history.h"

#define ELEMENTS 65536u

static struct second_element elements[ELEMENTS];
static size_t element_count;

void second_forget(void)
{
    element_count = 0;
}

void second_watch(void *unused, unsigned kind, uint16_t flags,
                  const struct cairn_element_data *data)
{
    (void)unused;
    assert_true(element_count < ELEMENTS);
    elements[element_count++] = (struct second_element){kind, flags, *data};
}

static uint32_t read_register(const char *name)
{
    uint64_t value = 0;

    assert_int_equal(cairn_unit_read(bench.unit, name, &value), CAIRN_OK);
    return (uint32_t)value;
}

void expect_second(void)
{
    static struct second_writer writer;
    static struct second_translator translator;
    const struct second_registers registers = {
        .m_profile = setting.m_profile,
        .id = read_register("ETMIDR"),
        .control = read_register("ETMCR"),
        .ccer = read_register("ETMCCER"),
    };

    second_translate_begin(&translator, &writer, &registers);
    writer.lead = bench.bytes;
    writer.lead_size = bench.size;
    for (size_t i = 0; i < element_count; i++)
        second_translate(&translator, elements[i].kind, elements[i].flags, &elements[i].data);
    second_translate_end(&translator);
    assert_false(translator.refused);
    assert_int_equal(writer.size, bench.size);
    assert_memory_equal(writer.bytes, bench.bytes, bench.size);
}
