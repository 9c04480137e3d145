/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "folder.h"

/* ETE: two alignment synchronisations, Trace Info, some atoms. */
static const uint8_t plain[] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0xf7, 0xf7, 0xff, 0xfb,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0xf7, 0xe3, 0xd9, 0xf7};

/* The same and a zero in frames under ID 0x10, then "1234" and a zero under ID 0x11. */
static const uint8_t framed[] = {
    0x21, 0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x80, 0x01, 0x00, 0x00,
    0xf6, 0xf7, 0xfe, 0xfb, 0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x03,
    0x80, 0x01, 0x00, 0xf7, 0xe2, 0xd9, 0xf6, 0x00, 0x23, 0x31, 0x32, 0x33, 0x34, 0x00, 0x01, 0x0c,
};

static void no_description(void **state)
{
    const struct folder *folder = *state;
    folder_write(folder, "plain.bin", plain, sizeof plain);
    struct cairn_capture *capture = open_ok(folder_path(folder, "plain.bin"), NULL);
    assert_int_equal(cairn_capture_buffer_count(capture), 1);
    assert_string_equal(buffer_at(capture, 0).name, "plain.bin");
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_SOURCE_DATA);
    assert_int_equal(cairn_capture_source_count(capture), 1);
    assert_int_equal(source_at(capture, 0).protocol, CAIRN_PROTOCOL_UNKNOWN);
    assert_int_equal(source_at(capture, 0).trace_id, -1);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "read as one source without frames"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "no protocol was given"), 1);
    cairn_capture_free(capture);

    folder_write(folder, "framed.bin", framed, sizeof framed);
    capture = open_ok(folder_path(folder, "framed.bin"), NULL);
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_CORESIGHT);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "read as CoreSight frames"), 1);
    assert_int_equal(cairn_capture_source_count(capture), 0);
    struct cairn_buffer_account account = {.size = sizeof account};
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    assert_int_equal(cairn_capture_source_count(capture), 2);
    size_t size;
    uint8_t *bytes = read_source(capture, 0, &size);
    assert_int_equal(size, sizeof plain + 1);
    assert_memory_equal(bytes, plain, sizeof plain);
    free(bytes);
    cairn_capture_free(capture);

    /* a synchronisation either way, and twelve IDs in 208 bytes: trace that happens to have no reserved ID */
    uint8_t branches[13 * 16] = {0x21, 0, 0, 0, 0, 0, 0x80};
    for (unsigned i = 1; i < 13; i++) {
        memset(branches + 16 * i, 0x84, 15);
        branches[16 * i] = (uint8_t)(0x21 + 2 * i);
    }
    folder_write(folder, "branches.bin", branches, sizeof branches);
    capture = open_ok(folder_path(folder, "branches.bin"), NULL);
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_SOURCE_DATA);
    cairn_capture_free(capture);
    folder_write(folder, "branches.bin", branches, 4 * 16);
    capture = open_ok(folder_path(folder, "branches.bin"), NULL);
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_CORESIGHT);
    cairn_capture_free(capture);

    uint8_t port[8 + sizeof framed + 2];
    memcpy(port, "\x01\xff\xff\xff\x7f\xff\xff\xff", 8);
    port[8] = 0x7f;
    memcpy(port + 9, framed, sizeof framed);
    folder_write(folder, "port.bin", port, 9 + sizeof framed);
    capture = open_ok(folder_path(folder, "port.bin"), NULL);
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_DSTREAM_CORESIGHT);
    cairn_capture_free(capture);

    folder_write(folder, "empty.bin", "", 0);
    capture = open_ok(folder_path(folder, "empty.bin"), NULL);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "the file is empty"), 1);
    bytes = read_source(capture, 0, &size);
    assert_int_equal(size, 0);
    cairn_capture_free(capture);
    open_fails("/dev/null", NULL, CAIRN_E_IO, "no regular file");
    open_fails(folder_path(folder, "missing.bin"), NULL, CAIRN_E_NOT_FOUND, "does not exist");
    open_fails(folder_path(folder, "empty.bin/inside"), NULL, CAIRN_E_NOT_FOUND, "does not exist");
}

static void options_alone(void **state)
{
    const struct folder *folder = *state;
    const struct cairn_register registers[] = {{"TRCCONFIGR", 1}, {"TRCTRACEIDR", 0x10}};
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    folder_write(folder, "plain.bin", plain, sizeof plain);
    folder_write(folder, "framed.bin", framed, sizeof framed);
    options.protocol = CAIRN_PROTOCOL_ETE;
    options.format = CAIRN_FORMAT_SOURCE_DATA;
    options.core = "Cortex-A510";
    options.registers = registers;
    options.register_count = 1;
    struct cairn_capture *capture = open_ok(folder_path(folder, "plain.bin"), &options);
    struct cairn_source_info source = source_at(capture, 0);
    assert_int_equal(source.protocol, CAIRN_PROTOCOL_ETE);
    assert_string_equal(source.core_type, "Cortex-A510");
    assert_int_equal(register_of(&source, "TRCCONFIGR"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "format"), 0);
    cairn_capture_free(capture);

    options.trace_id = 0x11;
    options.format = CAIRN_FORMAT_CORESIGHT;
    capture = open_ok(folder_path(folder, "framed.bin"), &options);
    assert_int_equal(cairn_capture_source_count(capture), 1);
    assert_int_equal(source_at(capture, 0).trace_id, 0x11);
    size_t size;
    uint8_t *bytes = read_source(capture, 0, &size);
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "1234", 5);
    free(bytes);
    cairn_capture_free(capture);

    options.trace_id = -1; /* every ID that carries data */
    capture = open_ok(folder_path(folder, "framed.bin"), &options);
    assert_int_equal(cairn_capture_source_count(capture), 2);
    assert_int_equal(source_at(capture, 1).protocol, CAIRN_PROTOCOL_ETE);
    assert_int_equal(source_at(capture, 1).trace_id, 0x11);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "each of the 2 IDs"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "no trace unit is configured"), 0);
    cairn_capture_free(capture);

    options.register_count = 2; /* TRCTRACEIDR says which */
    capture = open_ok(folder_path(folder, "framed.bin"), &options);
    assert_int_equal(cairn_capture_source_count(capture), 1);
    assert_int_equal(source_at(capture, 0).trace_id, 0x10);
    cairn_capture_free(capture);
}

static void protocol_from_devarch(void **state)
{
    const struct folder *folder = *state;
    const struct cairn_register ete = {"TRCDEVARCH", 0x47705a13};
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    folder_write(folder, "plain.bin", plain, sizeof plain);
    options.registers = &ete;
    options.register_count = 1;
    struct cairn_capture *capture = open_ok(folder_path(folder, "plain.bin"), &options);
    assert_int_equal(source_at(capture, 0).protocol, CAIRN_PROTOCOL_ETE);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "TRCDEVARCH 0x47705a13 is that of ETE"), 1);
    cairn_capture_free(capture);
    options.protocol = CAIRN_PROTOCOL_ETMV4;
    capture = open_ok(folder_path(folder, "plain.bin"), &options);
    assert_int_equal(source_at(capture, 0).protocol, CAIRN_PROTOCOL_ETMV4);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "wrong protocol guess"), 1);
    cairn_capture_free(capture);
}

static void configuration_file(void **state)
{
    const struct folder *folder = *state;
    folder_write(folder, "framed.bin", framed, sizeof framed);
    folder_write(folder, "images/a.bin", "abcdef", 6);
    folder_text(folder, "trace.cfg",
                "# made by hand\n[buffer]\nformat=coresight\n"
                "[source big core]\nprotocol=ETMv4\ncore=Cortex-A57\ntrace_id=0x10\n"
                "TRCCONFIGR(0x004)=0x000010C1\nTRCIDR0=0x28000EA1\n"
                "[source little]\nprotocol=ETMv4\ncore=Cortex-A53\nTRCTRACEIDR=0x11\n"
                "[image]\nfile=images/a.bin\naddress=0x1000\noffset=1\nlength=2\n"
                "[image]\nfile=images\\a.bin\naddress=0x1000\nsource=little\nspace=EL1N\n"
                "[image]\nfile=images/gone.bin\naddress=0x9000\nlength=4\n");
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    char config[512];
    strcpy(config, folder_path(folder, "trace.cfg"));
    options.config_path = config;
    struct cairn_capture *capture = open_ok(folder_path(folder, "framed.bin"), &options);
    assert_int_equal(cairn_capture_source_count(capture), 2);
    struct cairn_source_info source = source_at(capture, 0);
    assert_string_equal(source.name, "big core");
    assert_int_equal(source.trace_id, 0x10);
    assert_int_equal(register_of(&source, "TRCCONFIGR"), 0x10c1);
    source = source_at(capture, 1);
    assert_string_equal(source.core_type, "Cortex-A53");
    assert_int_equal(source.trace_id, 0x11);
    assert_int_equal(memory_at(capture, 0, 0x1000), 'b');
    assert_int_equal(memory_at(capture, 0, 0x1002), -1);
    assert_int_equal(memory_at(capture, 1, 0x1000), 'a');
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "gone.bin is missing"), 1);
    cairn_capture_free(capture);

    /* options come before the file */
    const struct cairn_register registers[] = {{"TRCIDR0", 7}};
    options.registers = registers;
    options.register_count = 1;
    options.protocol = CAIRN_PROTOCOL_ETE;
    options.core = "Cortex-A510";
    options.format = CAIRN_FORMAT_CORESIGHT;
    capture = open_ok(folder_path(folder, "framed.bin"), &options);
    source = source_at(capture, 0);
    assert_int_equal(source.protocol, CAIRN_PROTOCOL_ETE);
    assert_string_equal(source.core_type, "Cortex-A510");
    assert_int_equal(register_of(&source, "TRCIDR0"), 7);
    assert_int_equal(register_of(&source, "TRCCONFIGR"), 0x10c1);
    cairn_capture_free(capture);
}

static void configuration_errors(void **state)
{
    static const struct {
        const char *text, *part;
        cairn_status status;
    } cases[] = {
        {"protocol=ETE\n", ":1: a section must come first", CAIRN_E_FORMAT},
        {"[device]\n", ":1: the section is none of", CAIRN_E_FORMAT},
        {"[source]\n", ":1: the section is none of", CAIRN_E_FORMAT},
        {"[source a]\n[source A]\n", ":2: there is a source of that name", CAIRN_E_FORMAT},
        {"[source a]\nTRCCONFIGR=1z\n", ":2: the value is no number", CAIRN_E_FORMAT},
        {"[source a]\nR=1\nR=1\n", ":3: the register has a value already", CAIRN_E_FORMAT},
        {"[source a]\ntrace_id=0x80\n", ":2: a trace ID has 7 bits", CAIRN_E_FORMAT},
        {"[source a]\nprotocol=XYZ\n", "protocol=XYZ of source a is not known", CAIRN_E_FORMAT},
        {"[source a]\nprotocol=MTBB\n", "did you mean MTB?", CAIRN_E_FORMAT},
        {"[source a]\nprotocol=EMTv3\n", "did you mean ETMv3?", CAIRN_E_FORMAT},
        {"[source a]\nprotocol=ETM\n", "of source a is not known; use", CAIRN_E_FORMAT},
        {"[source a]\nwords\n", ":2: the line is neither", CAIRN_E_FORMAT},
        {"[buffer]\nformat=zip\n", "format=zip is not known", CAIRN_E_FORMAT},
        {"[buffer]\nsize=1\n", ":2: [buffer] has format and start only", CAIRN_E_FORMAT},
        {"[image]\nfile=a\nbase=1\n", ":3: [image] has", CAIRN_E_FORMAT},
        {"[image]\naddress=1\n", ":1: [image] has no file=", CAIRN_E_FORMAT},
        {"[image]\nfile=a\naddress=1\nsource=b\n", ":1: [image] is for source b",
         CAIRN_E_NOT_FOUND},
        {"[buffer]\nformat=source_data\n[source a]\n[source b]\n", "describes 2 sources",
         CAIRN_E_CONFIG},
    };
    const struct folder *folder = *state;
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    char config[512], buffer[512];
    strcpy(config, folder_path(folder, "trace.cfg"));
    strcpy(buffer, folder_path(folder, "framed.bin"));
    options.config_path = config;
    folder_write(folder, "framed.bin", framed, sizeof framed);
    open_fails(buffer, &options, CAIRN_E_NOT_FOUND, "configuration file does not exist");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        folder_text(folder, "trace.cfg", cases[i].text);
        open_fails(buffer, &options, cases[i].status, cases[i].part);
    }
}

/* Names of types with versions, as snapshots and drivers have them. */
static void types(void **state)
{
    static const struct {
        const char *name;
        enum cairn_protocol_id protocol;
    } rows[] = {
        {"ETM3.5", CAIRN_PROTOCOL_ETMV3}, {"ETMv3.4", CAIRN_PROTOCOL_ETMV3},
        {"ETM2.1", CAIRN_PROTOCOL_ETMV2}, {"ETMv2", CAIRN_PROTOCOL_ETMV2},
        {"etm3x", CAIRN_PROTOCOL_ETMV3},  {"PTMv1.1", CAIRN_PROTOCOL_PTM},
        {"PFT1.0", CAIRN_PROTOCOL_PTM},   {"PTM-A9", CAIRN_PROTOCOL_PTM},
        {"MTB_M33", CAIRN_PROTOCOL_MTB},  {"STM500", CAIRN_PROTOCOL_STM},
        {"etm4x", CAIRN_PROTOCOL_ETMV4},  {"ETM4.0", CAIRN_PROTOCOL_ETMV4},
    };
    const struct folder *folder = *state;
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    char config[512];
    strcpy(config, folder_path(folder, "trace.cfg"));
    options.config_path = config;
    options.format = CAIRN_FORMAT_SOURCE_DATA;
    folder_write(folder, "plain.bin", plain, sizeof plain);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128] = "[source a]\nprotocol=";
        strcat(strcat(text, rows[i].name), "\n");
        folder_text(folder, "trace.cfg", text);
        struct cairn_capture *capture = open_ok(folder_path(folder, "plain.bin"), &options);
        assert_int_equal(source_at(capture, 0).protocol, rows[i].protocol);
        cairn_capture_free(capture);
    }
}

/* ETMv1 and ETMv2 by their registers (IHI0014 3.5.2 and 3.5.18); ETMv2 is not decoded. */
static void old_units(void **state)
{
    const struct cairn_register of_v1 = {"ETMCCR", 0x22cf0234}, of_v2 = {"ETMIDR", 0x41000110};
    const struct folder *folder = *state;
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    folder_write(folder, "plain.bin", plain, sizeof plain);
    options.format = CAIRN_FORMAT_SOURCE_DATA;
    options.register_count = 1;
    options.registers = &of_v1;
    struct cairn_capture *capture = open_ok(folder_path(folder, "plain.bin"), &options);
    assert_int_equal(source_at(capture, 0).protocol, CAIRN_PROTOCOL_ETMV1);
    cairn_capture_free(capture);
    options.registers = &of_v2;
    capture = open_ok(folder_path(folder, "plain.bin"), &options);
    assert_int_equal(source_at(capture, 0).protocol, CAIRN_PROTOCOL_ETMV2);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "that of ETMv2"), 1);
    cairn_capture_free(capture);
}

/* What people take for a trace buffer, and is none. */
static void foreign(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *part;
    } files[] = {
        {"\177ELF\1\1\1", 7, "an ELF file: give the trace buffer, and the program with --image"},
        {"PK\3\4\24\0", 6, "a ZIP archive, and no session of sigrok's"},
        {"\37\213\10\0", 4, "a compressed file"},
        {"\3757zXZ\0", 6, "a compressed file"},
        {"\50\265\57\375", 4, "a compressed file"},
        {":020000042000DA\n:10", 19, "an Intel HEX file"},
        {"S00600004844521B\n", 17, "an S-record file"},
        {"0x20000000:\t0x00000410\r\n", 24, "a text file"},
        {"250 clk cpu0 IT (2) 002105d8 9100001f O EL3h_s\n", 47, "--tarmac"},
        {"0 ps R cpsr 000003cd\n", 21, "a TARMAC log"},
    };
    const struct folder *folder = *state;
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    char path[512];
    strcpy(path, folder_path(folder, "foreign"));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        folder_write(folder, "foreign", files[i].bytes, files[i].size);
        options.format = CAIRN_FORMAT_AUTO;
        open_fails(path, &options, CAIRN_E_FORMAT, files[i].part);
        options.format = CAIRN_FORMAT_SOURCE_DATA; /* said to be trace all the same */
        struct cairn_capture *capture = open_ok(path, &options);
        assert_int_equal(remarks_with(capture, CAIRN_WARNING, files[i].part), 1);
        cairn_capture_free(capture);
    }
    options.format = CAIRN_FORMAT_AUTO;
    folder_write(folder, "foreign", "PERFILE", 7); /* whatever that is */
    cairn_capture_free(open_ok(path, &options));
    folder_write(folder, "foreign", "text\n\200", 6);
    cairn_capture_free(open_ok(path, &options));
}

/* Every buffer of the captures: the guess is what its snapshot says. */
static void guesses(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum cairn_format format;
    } buffers[] = {
        {"snapshots/001-ack_test/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/ete_mem/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/ete_spec_2/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/ete-ite-instr-s1/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/event_test/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/init-short-addr/tracebuffer.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/itm_only_raw/itm_testdata.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/maxspec0_commopt1/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/pauth_lr/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/pauth_lr/session2.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/pauth_lr/session3.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/q_elem-s1/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/rme_test/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/rme_test/session2.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/rme_test/session3.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/src_addr/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/TC2-id12/etm_2.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/tme_simple/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/trace_cov_a15/PTM_0_2.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/trace_file_vmid/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/ts_marker/session1.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"cortex-m3/stm32f105/derived.tpiu_id02_etm.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"frames/test_demux.expected_id01.bin", CAIRN_FORMAT_SOURCE_DATA},
        {"snapshots/a57_single_step/CSTMC_TRACE_FIFO.bin", CAIRN_FORMAT_CORESIGHT},
        {"snapshots/juno-ret-stck/cstrace.bin", CAIRN_FORMAT_CORESIGHT},
        {"snapshots/juno-uname-001/uname_trace.bin", CAIRN_FORMAT_CORESIGHT},
        {"snapshots/Snowball/cstrace.bin", CAIRN_FORMAT_CORESIGHT},
        {"snapshots/stm-issue-27/stuck_trace.bin", CAIRN_FORMAT_CORESIGHT},
        {"snapshots/stm_only-2/cstraceitm.bin", CAIRN_FORMAT_CORESIGHT},
        {"frames/t1.bin", CAIRN_FORMAT_CORESIGHT},
        {"frames/t2.bin", CAIRN_FORMAT_CORESIGHT},
        {"frames/test_demux.in.bin", CAIRN_FORMAT_CORESIGHT},
        {"cortex-m3/stm32f105/derived.swo_uart_bytes.bin", CAIRN_FORMAT_CORESIGHT},
    };
    const char *captures = getenv("CAIRN_CAPTURES");
    if (!captures) {
        print_message("# skipped: CAIRN_CAPTURES is not set\n");
        skip();
    }
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        char path[4096];
        strcpy(path, captures);
        strcat(path, "/");
        strcat(path, buffers[i].name);
        struct cairn_capture *capture = open_ok(path, NULL);
        if (buffer_at(capture, 0).format != buffers[i].format) {
            print_message("# %s is taken for %s\n", buffers[i].name,
                          cairn_format_name(buffer_at(capture, 0).format));
            wrong++;
        }
        cairn_capture_free(capture);
    }
    assert_int_equal(wrong, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_description),
        TEST(options_alone),
        TEST(protocol_from_devarch),
        TEST(configuration_file),
        TEST(configuration_errors),
        TEST(types),
        TEST(old_units),
        TEST(foreign),
        cmocka_unit_test(guesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
