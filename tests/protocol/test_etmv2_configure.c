/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of an ETMv2 (IHI0014 3.5.1, 3.5.2, 3.5.18): what they make of a source, what is refused and
 * what is noted. */
#include "etmv2_session.h"

#include <string.h>

enum { FIELDS = 16 };

/* The value of a setting, as text or a number. */
static const struct cairn_field *setting(struct cairn_config *config, const char *name)
{
    static struct cairn_field fields[FIELDS];
    const size_t count = cairn_config_describe(config, fields, FIELDS);

    assert_true(count <= FIELDS);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(fields[i].name, name))
            return &fields[i];
    fail_msg("no setting %s", name);
    return NULL;
}

static bool notes(const struct cairn_config *config, const char *part)
{
    const char *note;

    for (size_t i = 0; (note = cairn_config_note(config, i)); i++)
        if (strstr(note, part))
            return true;
    return false;
}

static void assert_refused(const char *name, uint32_t value, const char *part)
{
    const struct cairn_register registers[] = {{name, value}};
    struct cairn_error error = {0};

    assert_null(etmv2_config_of(registers, 1, &error));
    assert_int_equal(error.status, CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, part));
}

static void versions(void **state)
{
    static const struct {
        uint32_t id;
        const char *text;
        uint64_t pc_first;
    } rows[] = {
        {0x41002100, "ETMv2.0", 0}, {0x41002110, "ETMv2.1", 0}, {0x41012110, "ETMv2.1", 1},
        {0x41012100, "ETMv2.0", 0}, {0x41002130, "ETMv2.1", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct cairn_register registers[] = {{"ETMIDR", rows[i].id}, {"ETMCR", 0x10}};
        struct cairn_config *config = etmv2_config_of(registers, 2, NULL);

        assert_non_null(config);
        /* proves: ETM2-1.2-a */
        assert_string_equal(setting(config, "version")->text, rows[i].text);
        assert_int_equal(setting(config, "LSM traces PC first")->value, rows[i].pc_first);
        assert_int_equal(notes(config, "bit 16"), rows[i].id == 0x41012100);
        assert_int_equal(notes(config, "is not known"), rows[i].id == 0x41002130);
        cairn_config_unref(config);
    }
}

static void refused(void **state)
{
    (void)state;
    assert_refused("ETMIDR", 0x41002000, "major version (bits 11:8) is 0");
    assert_refused("ETMIDR", 0x41002200, "major version (bits 11:8) is 2");
    assert_refused("ETMCCR", 0x12345678, "give the protocol of the source as ETMv1");
    for (uint32_t port = 3; port < 8; port++)
        assert_refused("ETMCR", port << 4, "port size (bits 6:4)");
}

static void control(void **state)
{
    static const struct {
        uint32_t control;
        uint64_t pins, context_bytes;
        const char *data;
    } rows[] = {
        {0x0000, 4, 0, "none"},
        {0x4014, 8, 1, "values"},
        {0x8028, 16, 2, "addresses"},
        {0xc00c, 4, 4, "addresses and values"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cairn_config *config = etmv2_config(rows[i].control);

        assert_int_equal(setting(config, "trace port pins")->value, rows[i].pins);
        assert_int_equal(setting(config, "context id bytes")->value, rows[i].context_bytes);
        assert_string_equal(setting(config, "data trace")->text, rows[i].data);
        assert_false(cairn_config_tells(config) & (CAIRN_TELLS_EL | CAIRN_TELLS_SECURITY));
        assert_true(cairn_config_tells(config) & CAIRN_TELLS_CONDITIONS);
        cairn_config_unref(config);
    }
    struct cairn_config *config = etmv2_config(0x1112);

    assert_int_equal(setting(config, "cycle-accurate")->value, 1);
    assert_int_equal(setting(config, "direct branch packets")->value, 1);
    assert_int_equal(setting(config, "coprocessor transfers")->value, 1);
    assert_true(notes(config, "coprocessor transfers are traced (bit 1) but no data values"));
    assert_true(cairn_config_tells(config) & CAIRN_TELLS_CYCLES);
    cairn_config_unref(config);
    config = etmv2_config(1u << 20);
    assert_true(notes(config, "bits 31:18"));
    cairn_config_unref(config);
}

static void missing(void **state)
{
    struct cairn_config *config = etmv2_config_of(NULL, 0, NULL);

    (void)state;
    assert_non_null(config);
    assert_true(notes(config, "ETMCR is missing: 0x00000000 is assumed (4 pins"));
    assert_true(notes(config, "ETMIDR is missing"));
    assert_string_equal(setting(config, "exception vectors")->text, "0 or 0xffff0000");
    cairn_config_unref(config);
}

/* A branch to 0x18 is an interrupt's, if vectors are there. */
static void high_vectors(void **state)
{
    static const char *const wanted[] = {"info on ctx0 >8000 E exc14 >18",
                                         "info on ctx0 >8000 E >18", "info on ctx0 >8000 E >18"};
    static char text[ETMV2_TEXT];

    (void)state;
    for (uint32_t pin = 0; pin < 3; pin++) {
        const struct cairn_register registers[] = {
            {"ETMIDR", 0x41002110}, {"ETMCR", 0x10}, {"HIVECS", pin}};
        struct cairn_config *config = etmv2_config_of(registers, 3, NULL);

        assert_non_null(config);
        etmv2_elements(config, "TD:09 WT:20 WT:00 WT:80 WT:00 WT:00 DE:8d WT:80 WT:80 WT:80 WT:08",
                       text);
        assert_string_equal(text, wanted[pin]);
        assert_int_equal(notes(config, "HIVECS"), pin == 2);
        cairn_config_unref(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions), cmocka_unit_test(refused),      cmocka_unit_test(control),
        cmocka_unit_test(missing),  cmocka_unit_test(high_vectors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
