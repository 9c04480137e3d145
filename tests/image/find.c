/* SPDX-License-Identifier: BSD-2-Clause */
/* Which addresses a text names. What is expected is written by hand from the symbols that each case
 * makes. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/image.h>

#include "bench.h"
#include "image/demangle.h"
#include "image/names.h"

#define BASE BENCH_BASE

/* All matches, "KIND FIRST-LAST NAME" each, '*' in front of where it is entered; or the sentence. */
static const char *find(struct bench *b, const char *text)
{
    static const char *const kinds[] = {"at", "range", "function", "part", "inlined", "line"};
    struct cairn_matches *matches = NULL;
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_match match = {.size = sizeof match};
    const cairn_status status = cairn_image_find(b->image, text, 0, &matches, &error);
    static char found[1024];
    size_t length = 0;

    found[0] = '\0';
    if (status) {
        assert_int_equal(status, error.status);
        assert_null(matches);
        snprintf(found, sizeof found, "%s", error.text);
        return found;
    }
    assert_true(cairn_matches_count(matches) > 0);
    for (size_t i = 0; cairn_matches_at(matches, i, &match) == CAIRN_OK; i++)
        length +=
            (size_t)snprintf(found + length, sizeof found - length, "%s%s%s 0x%llx-0x%llx%s%s",
                             i ? ", " : "", match.is_entry ? "*" : "", kinds[match.kind],
                             (unsigned long long)match.first, (unsigned long long)match.last,
                             match.function ? " " : "", match.function ? match.function : "");
    cairn_matches_free(matches);
    return found;
}

static void says(struct bench *b, const char *text, const char *part)
{
    const char *const said = find(b, text);

    if (!strstr(said, part))
        fail_msg("'%s': '%s' does not say '%s'", text, said, part);
}

static void numbers(void **state)
{
    struct bench *const b = *state;
    assert_string_equal(find(b, "0x400600"), "*at 0x400600-0x400600");
    assert_string_equal(find(b, "4195840"), "*at 0x400600-0x400600");
    assert_string_equal(find(b, "0xffffffffffffffff"), "*at 0xffffffffffffffff-0xffffffffffffffff");
    assert_string_equal(find(b, "0x10..0x1f"), "*range 0x10-0x1f");
    assert_string_equal(find(b, "0x10+0x20"), "*at 0x30-0x30");
    says(b, "0x20..0x1f", "in front of its beginning, 0x20");
    says(b, "", "expected an address or a name");
    says(b, "main", "no ELF file here that has names");
    says(b, "0x10000000000000000", "is no number of 64 bits");
    says(b, "0xfoo", "is no number of 64 bits");
    says(b, "main..", "one of its ends is missing");
    says(b, "..main", "one of its ends is missing");
}

static void functions(void **state)
{
    struct bench *const b = *state;
    bench_symbol(b, "start", BASE, 0, LABEL);
    bench_symbol(b, "main", BASE + 0x20, 0x20, FUNCTION);
    bench_symbol(b, "tail", BASE + 0x80, 0, FUNCTION);
    bench_symbol(b, "data", BASE + 0x90, 8, STB_GLOBAL << 4 | STT_OBJECT);
    bench_symbol(b, "$x", BASE + 0x20, 0, LABEL);
    bench_add(b, "prog", 0x1000);
    /* A label reaches to the next symbol, one without a size to the end of its section. */
    assert_string_equal(find(b, "start"), "*function 0x401000-0x40101f start");
    assert_string_equal(find(b, "main"), "*function 0x401020-0x40103f main");
    assert_string_equal(find(b, "tail"), "*function 0x401080-0x4010ff tail");
    assert_string_equal(find(b, "main+0x10"), "*at 0x401030-0x401030 main");
    assert_string_equal(find(b, "main+4"), "*at 0x401024-0x401024 main");
    says(b, "main+0x20", "behind its end: it has 0x20 bytes");
    assert_string_equal(find(b, "prog:main"), "*function 0x401020-0x40103f main");
    assert_string_equal(find(b, "prog:main+0x10"), "*at 0x401030-0x401030 main");
    assert_string_equal(find(b, "start..main"), "*range 0x401000-0x40103f start");
    assert_string_equal(find(b, "main..main+0x10"), "*range 0x401020-0x401030 main");
    assert_string_equal(find(b, "prog:start..0x401004"), "*range 0x401000-0x401004 start");
    says(b, "data", "no function 'data' in prog");
    says(b, "$x", "no function '$x'");
    says(b, "tail..main", "in front of its beginning");
}

static void misspelt(void **state)
{
    struct bench *const b = *state;
    bench_symbol(b, "main", BASE, 8, FUNCTION);
    bench_symbol(b, "min", BASE + 8, 8, FUNCTION);
    bench_symbol(b, "parse_input", BASE + 16, 8, FUNCTION);
    bench_symbol(b, "_ZN5shape4areaEv", BASE + 24, 8, FUNCTION);
    bench_symbol(b, "memcpy@@GLIBC_2.17", BASE + 32, 8, FUNCTION);
    bench_add(b, "prog", 0);
    says(b, "mian", "no function 'mian' in prog; did you mean 'main'");
    says(b, "parse_inptu", "did you mean 'parse_input'?");
    says(b, "parse", "did you mean 'parse_input'?");
    says(b, "memcy", "did you mean 'memcpy'?");
    says(b, "prog:parse_inputs", "no function 'parse_inputs' in prog; did you mean 'parse_input'?");
    says(b, "libx.so:main", "'libx.so', which is none of the files that have names (prog)");
    assert_null(strstr(find(b, "something_else_entirely"), "did you mean"));
    /* What a terminal would act on. */
    bench_symbol(b, "clear\033c", BASE, 8, FUNCTION);
    bench_add(b, "libx.so", 0);
    says(b, "libx.so:clear_c", "did you mean 'clear?c'?");
    /* Without debug information. */
    says(b, "main.c:12", "no debug information (-g) in prog, libx.so");
}

static void compilers_append(void **state)
{
    struct bench *const b = *state;
    bench_symbol(b, "work.cold", BASE, 8, LOCAL_FUNCTION);
    bench_symbol(b, "work", BASE + 0x10, 0x10, FUNCTION);
    bench_symbol(b, "work.part.0", BASE + 0x30, 8, LOCAL_FUNCTION);
    bench_symbol(b, "work.constprop.0", BASE + 0x40, 8, LOCAL_FUNCTION);
    bench_symbol(b, "work.isra.0.cold", BASE + 0x50, 8, LOCAL_FUNCTION);
    bench_symbol(b, "work.other", BASE + 0x60, 8, LOCAL_FUNCTION);
    bench_symbol(b, "workers", BASE + 0x70, 8, FUNCTION);
    bench_add(b, "prog", 0);
    assert_string_equal(find(b, "work"),
                        "part 0x400000-0x400007 work.cold, *function 0x400010-0x40001f work, "
                        "part 0x400030-0x400037 work.part.0, "
                        "*function 0x400040-0x400047 work.constprop.0, "
                        "part 0x400050-0x400057 work.isra.0.cold");
    assert_string_equal(find(b, "work.cold"), "*function 0x400000-0x400007 work.cold");
    /* A part is no place that something is counted from. */
    assert_string_equal(find(b, "work+4"),
                        "*at 0x400014-0x400014 work, *at 0x400044-0x400044 work.constprop.0");
}

static void versions(void **state)
{
    struct bench *const b = *state;
    bench_symbol(b, "copy@VERS_1", BASE, 8, FUNCTION);
    bench_symbol(b, "copy@@VERS_2", BASE + 8, 8, FUNCTION);
    bench_symbol(b, "choose", BASE + 16, 8, CHOOSER);
    bench_add(b, "libx.so", 0);
    assert_string_equal(find(b, "copy"), "*function 0x400000-0x400007 copy@VERS_1, "
                                         "*function 0x400008-0x40000f copy@@VERS_2");
    assert_string_equal(find(b, "copy@VERS_1"), "*function 0x400000-0x400007 copy@VERS_1");
    assert_string_equal(find(b, "copy@@VERS_2"), "*function 0x400008-0x40000f copy@@VERS_2");
    says(b, "copy@VERS_3", "no function");

    struct cairn_matches *matches = NULL;
    struct cairn_match match = {.size = sizeof match};
    assert_int_equal(cairn_image_find(b->image, "choose", 0, &matches, NULL), CAIRN_OK);
    assert_int_equal(cairn_matches_at(matches, 0, &match), CAIRN_OK);
    assert_true(match.chooses);
    assert_int_equal(cairn_matches_at(matches, 1, &match), CAIRN_E_NOT_FOUND);
    cairn_matches_free(matches);
}

static void names_of_cpp(void **state)
{
    struct bench *const b = *state;
    char *const written = cairn_demangle("_ZN2ns1fEi");

    if (!written)
        skip();
    free(written);
    bench_symbol(b, "_ZN2ns1fEi", BASE, 8, FUNCTION);        /* ns::f(int) */
    bench_symbol(b, "_ZN2ns1fEPKcz", BASE + 8, 8, FUNCTION); /* ns::f(char const*, ...) */
    bench_symbol(b, "_ZN2ns3BoxplERKS0_", BASE + 16, 8,
                 FUNCTION); /* ns::Box::operator+(ns::Box const&) */
    bench_symbol(b, "_ZN2ns3BoxC1Ev", BASE + 24, 8, FUNCTION);     /* ns::Box::Box() */
    bench_symbol(b, "_ZN2ns3BoxD1Ev", BASE + 32, 8, FUNCTION);     /* ns::Box::~Box() */
    bench_symbol(b, "_Z4mostIiET_S0_S0_", BASE + 40, 8, FUNCTION); /* int most<int>(int, int) */
    bench_symbol(b, "_ZNK2ns3Box4sizeEv.cold", BASE + 48, 8, LOCAL_FUNCTION); /* ... size() const */
    bench_symbol(b, "_ZNK2ns3Box4sizeEv", BASE + 56, 8, FUNCTION);
    bench_add(b, "prog", 0);
    const char *const both = "*function 0x400000-0x400007 _ZN2ns1fEi, "
                             "*function 0x400008-0x40000f _ZN2ns1fEPKcz";
    assert_string_equal(find(b, "ns::f"), both);
    assert_string_equal(find(b, "f"), both);
    assert_string_equal(find(b, "ns::f(int)"), "*function 0x400000-0x400007 _ZN2ns1fEi");
    assert_string_equal(find(b, "ns::f( char const *, ... )"),
                        "*function 0x400008-0x40000f _ZN2ns1fEPKcz");
    assert_string_equal(find(b, "_ZN2ns1fEi"), "*function 0x400000-0x400007 _ZN2ns1fEi");
    assert_string_equal(find(b, "ns::Box::operator+"),
                        "*function 0x400010-0x400017 _ZN2ns3BoxplERKS0_");
    assert_string_equal(find(b, "ns::Box::operator++4"),
                        "*at 0x400014-0x400014 _ZN2ns3BoxplERKS0_");
    assert_string_equal(find(b, "ns::Box::Box"), "*function 0x400018-0x40001f _ZN2ns3BoxC1Ev");
    assert_string_equal(find(b, "ns::Box::~Box"), "*function 0x400020-0x400027 _ZN2ns3BoxD1Ev");
    assert_string_equal(find(b, "most"), "*function 0x400028-0x40002f _Z4mostIiET_S0_S0_");
    assert_string_equal(find(b, "most<int>"), "*function 0x400028-0x40002f _Z4mostIiET_S0_S0_");
    assert_string_equal(find(b, "prog:Box::size"),
                        "part 0x400030-0x400037 _ZNK2ns3Box4sizeEv.cold, "
                        "*function 0x400038-0x40003f _ZNK2ns3Box4sizeEv");
    says(b, "ns::g", "no function 'ns::g'");
    says(b, "ns::sise", "did you mean 'size'?");
}

/* As they are listed: without what the standard library adds, short in columns, clones with what they are. */
static void as_they_are_shown(void **state)
{
    struct bench *const b = *state;
    char *const written = cairn_demangle("_Z1fi");
    if (!written)
        skip();
    free(written);
    /* void ns::Pool<int>::put(std::vector<int, std::allocator<int> >) */
    bench_symbol(b, "_ZN2ns4PoolIiE3putESt6vectorIiSaIiEE", BASE, 8, FUNCTION);
    /* ns::Pool<char>::put(...) */
    bench_symbol(b, "_ZN2ns4PoolIcE3putESt6vectorIiSaIiEE", BASE + 8, 8, FUNCTION);
    /* std::vector<int> make<int>(int) */
    bench_symbol(b, "_Z4makeIiESt6vectorIT_SaIS1_EES1_", BASE + 16, 8, FUNCTION);
    bench_symbol(b, "_ZN12_GLOBAL__N_16hiddenEi", BASE + 24, 8, FUNCTION);
    bench_symbol(b, "_Z4nameB5cxx11v", BASE + 32, 8, FUNCTION); /* name[abi:cxx11]() */
    bench_symbol(b, "_Z4workv.cold", BASE + 40, 8, LOCAL_FUNCTION);
    bench_symbol(b, "_Z4workv", BASE + 48, 8, FUNCTION);
    bench_symbol(b, "_ZZ4mainENKUlvE_clEv", BASE + 56, 8, FUNCTION); /* main::{lambda()#1}::... */
    bench_symbol(b, "a_function_of_more_than_34_letters_x", BASE + 64, 8, FUNCTION);
    bench_symbol(b, "a_function_of_more_than_34_letters_y", BASE + 72, 8, FUNCTION);
    bench_symbol(b, "_ZN4core3fmt5write17h0123456789abcdefE", BASE + 80, 8, FUNCTION);
    bench_symbol(b, "_ZN8a_spaces8of_manys7letters3eveE", BASE + 88, 8, FUNCTION);
    bench_symbol(b, "_ZNSaIcEC1Ev", BASE + 96, 8, FUNCTION); /* std::allocator<char>::allocator() */
    bench_symbol(b, "_ZN1XIcE9allocatorEv", BASE + 104, 8, FUNCTION);
    bench_symbol(b, "_$LT$a..B$u20$as$u20$c..D$GT$::e", BASE + 112, 8, FUNCTION);
    bench_symbol(b, "clear\033c", BASE + 120, 8, FUNCTION);
    bench_symbol(b, ".Lpart.two", BASE + 128, 8, FUNCTION);
    bench_add(b, "prog", 0);
    static const struct {
        const char *name;
        unsigned first, last;
    } shown[] = {
        {"ns::Pool<int>::put(std::vector<int>)", 0, 0},
        {"ns::Pool<int>::put(std::vector<int, std::allocator<int> >)", 0, 0},
        {"ns::Pool<int>::put(std::vector<int,std::allocator<int>>)", 0, 0},
        {"ns::Pool<char>::put", 8, 8},
        {"ns::Pool<..>::put", 0, 8},
        {"prog:ns::Pool<..>::put", 0, 8},
        {"make<..>..(anon)::hidden", 16, 16},
        {"std::vector<int> make<int>(int)", 16, 16},
        {"make<int>", 16, 16},
        {"make<..>", 16, 16},
        {"(anonymous namespace)::hidden(int)", 24, 24},
        {"(anon)::hidden", 24, 24},
        {"name[abi:cxx11]()", 32, 32},
        {"name", 32, 32},
        {"work() [clone .cold]", 40, 40},
        {"work()", 40, 48},
        {"main::{lambda()#1}::operator()() const", 56, 56},
        {"main::{lambda()#1}::operator()", 56, 56},
        {"a_function_of_more_than_34_lette..", 64, 72},
        {"core::fmt::write::h0123456789abcdef", 80, 80},
        {"core::fmt::write", 80, 80},
        {"a_spaces::of_manys::letters::eve", 88, 88},
        {"std::allocator<char>::allocator()", 96, 96},
        {"_$LT$a..B$u20$as$u20$c..D$GT$::e", 112, 112},
        {"clear?c", 120, 120},
        {".Lpart.two", 128, 128},
    };
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        struct cairn_matches *matches = NULL;
        struct cairn_match match = {.size = sizeof match};
        struct cairn_error error = {.status = CAIRN_OK};

        if (cairn_image_find(b->image, shown[i].name, 0, &matches, &error))
            fail_msg("'%s': %s", shown[i].name, error.text);
        assert_int_equal(error.status, CAIRN_OK);
        assert_int_equal(cairn_matches_at(matches, 0, &match), CAIRN_OK);
        if (match.first != BASE + shown[i].first)
            fail_msg("'%s': begins at 0x%llx", shown[i].name, (unsigned long long)match.first);
        const size_t count = cairn_matches_count(matches);
        assert_int_equal(count, shown[i].first == shown[i].last ? 1 : 2);
        assert_int_equal(cairn_matches_at(matches, count - 1, &match), CAIRN_OK);
        assert_int_equal(match.first, BASE + shown[i].last);
        cairn_matches_free(matches);
    }
    says(b, "ns::Pool<..>::pot", "did you mean 'put'?");
    says(b, "main..", "one of its ends is missing");
}

/* Of several that are called so those are meant that reach so far. */
static void behind_some(void **state)
{
    struct bench *const b = *state;
    bench_symbol(b, "a.c", 0, 0, SOURCE);
    bench_symbol(b, "helper", BASE, 8, LOCAL_FUNCTION);
    bench_symbol(b, "b.c", 0, 0, SOURCE);
    bench_symbol(b, "helper", BASE + 8, 16, LOCAL_FUNCTION);
    bench_add(b, "prog", 0);
    assert_string_equal(find(b, "helper+4"),
                        "*at 0x400004-0x400004 helper, *at 0x40000c-0x40000c helper");
    assert_string_equal(find(b, "helper+8"), "*at 0x400010-0x400010 helper");
    says(b, "helper+16", "behind its end: it has 0x10 bytes");
}

/* A kernel's symbols, as Linux lists them: without sizes, and a module's behind its name. */
static void of_a_list(void **state)
{
    struct bench *const b = *state;
    static const char list[] = "ffff800010000000 T _text\n"
                               "ffff800010000000 T start_kernel\n"
                               "ffff800010000040 t helper\n"
                               "ffff800010000060 D jiffies\n"
                               "ffff800010000080 t helper\n"
                               "ffff800020000000 t probe\t[driver]\n";
    const char *const path = scratch_write(&b->scratch, "kallsyms", list, sizeof list - 1);
    assert_int_equal(cairn_image_add_listed(b->image, path, UINT64_C(0xffff800010000000),
                                            UINT64_C(0xffff80002fffffff), NULL),
                     CAIRN_OK);
    assert_string_equal(find(b, "start_kernel"),
                        "*function 0xffff800010000000-0xffff80001000003f start_kernel");
    assert_string_equal(find(b, "helper"),
                        "*function 0xffff800010000040-0xffff80001000007f helper, "
                        "*function 0xffff800010000080-0xffff80001fffffff helper");
    assert_string_equal(find(b, "probe+0x10"), "*at 0xffff800020000010-0xffff800020000010 probe");
    says(b, "jiffies", "no function 'jiffies' in kallsyms");
    says(b, "strat_kernel", "did you mean 'start_kernel'?");
}

static void alike_in_two_files(void **state)
{
    struct bench *const b = *state;
    bench_symbol(b, "a.c", 0, 0, SOURCE);
    bench_symbol(b, "helper", BASE, 8, LOCAL_FUNCTION);
    bench_symbol(b, "b.c", 0, 0, SOURCE);
    bench_symbol(b, "helper", BASE + 8, 8, LOCAL_FUNCTION);
    bench_symbol(b, "main", BASE + 16, 8, FUNCTION);
    bench_add(b, "prog", 0);
    bench_symbol(b, "helper", BASE + 0x20, 8, FUNCTION);
    bench_add(b, "libx.so.1", 0x100000);
    assert_string_equal(find(b, "helper"), "*function 0x400000-0x400007 helper, "
                                           "*function 0x400008-0x40000f helper, "
                                           "*function 0x500020-0x500027 helper");
    assert_string_equal(find(b, "a.c:helper"), "*function 0x400000-0x400007 helper");
    assert_string_equal(find(b, "b.c:helper+4"), "*at 0x40000c-0x40000c helper");
    assert_string_equal(find(b, "libx.so.1:helper"), "*function 0x500020-0x500027 helper");
    says(b, "c.c:helper", "'c.c'");
    /* An end is one place. */
    says(b, "helper..main",
         "'helper' is in 3 places, and an end is one: 0x400000 helper (a.c, prog), "
         "0x400008 helper (b.c, prog), 0x500020 helper (libx.so.1)");
    assert_string_equal(find(b, "a.c:helper..main"), "*range 0x400000-0x400017 helper");
}

static void thumb(void **state)
{
    struct bench *const b = *state;
    maker_begin(&b->maker, false, false, EM_ARM, 0x8000);
    bench_symbol(b, "thumb", 0x8001, 0x10, FUNCTION);
    bench_symbol(b, "arm", 0x8020, 0x10, FUNCTION);
    bench_add(b, "prog", 0);
    assert_string_equal(find(b, "thumb"), "*function 0x8000-0x800f thumb");
    assert_string_equal(find(b, "thumb+2"), "*at 0x8002-0x8002 thumb");
    assert_string_equal(find(b, "arm"), "*function 0x8020-0x802f arm");
}

static void one_file_twice(void **state)
{
    struct bench *const b = *state;
    struct cairn_scope scope = cairn_scope_any();
    bench_symbol(b, "main", BASE, 8, FUNCTION);
    maker_write(&b->maker);
    const char *const path = scratch_write(&b->scratch, "prog", b->maker.bytes, b->maker.size);
    scope.source = 3;
    assert_int_equal(cairn_image_add_names(b->image, path, 0x1000, NULL, 0, 0, NULL), CAIRN_OK);
    assert_int_equal(cairn_image_add_names(b->image, path, 0x1000, &scope, 0, 0, NULL), CAIRN_OK);
    assert_string_equal(find(b, "main"), "*function 0x401000-0x401007 main");
    /* Two programs run it. */
    assert_int_equal(cairn_image_add_elf(b->image, path, 0x2000, NULL, NULL), CAIRN_OK);
    assert_string_equal(find(b, "main"),
                        "*function 0x401000-0x401007 main, *function 0x402000-0x402007 main");
}

static void what_callers_do_wrong(void **state)
{
    struct bench *const b = *state;
    struct cairn_matches *matches = NULL;
    struct cairn_match match = {.size = sizeof match};
    assert_int_equal(cairn_image_find(NULL, "1", 0, &matches, NULL), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_image_find(b->image, NULL, 0, &matches, NULL), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_image_find(b->image, "1", 0, NULL, NULL), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_image_find(b->image, "1", 1u << 31, &matches, NULL), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_matches_count(NULL), 0);
    assert_int_equal(cairn_matches_at(NULL, 0, &match), CAIRN_E_ARGUMENT);
    cairn_matches_free(NULL);
    /* Nothing that can be typed ends in anything but an answer. */
    static const char *const texts[] = {
        "..",         "a..",      "..a",  ":",    "a:",  ":a",
        "::",         "+",        "a+",   "+1",   "@",   "a@",
        "@a",         "a@@",      "(",    ")",    "f(",  "f)",
        "<",          ">",        "f<",   "f>",   "_Z",  "_Z.",
        ".cold",      ".",        "x:1",  ":1",   "x:0", "x:99999999999",
        "~",          "operator", " ",    "a  b", "...", "a...b",
        "a/../b.c:1", "0x",       "0x1g", "1..",  "..1"};
    bench_symbol(b, "_ZN2ns3BoxplERKS0_", BASE, 8, FUNCTION);
    bench_symbol(b, "a.", BASE + 8, 8, FUNCTION);
    bench_symbol(b, "b@", BASE + 16, 8, FUNCTION);
    bench_symbol(b, "_Z", BASE + 24, 8, FUNCTION);
    bench_symbol(b, ".cold", BASE + 32, 8, FUNCTION);
    bench_add(b, "prog", 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_true(strlen(find(b, texts[i])) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(functions, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(misspelt, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(compilers_append, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(versions, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(names_of_cpp, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(as_they_are_shown, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(behind_some, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(of_a_list, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(alike_in_two_files, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(thumb, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(one_file_twice, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(what_callers_do_wrong, bench_open, bench_close),
    };
    return cmocka_run_group_tests_name("find", tests, NULL, NULL);
}
