/* SPDX-License-Identifier: BSD-2-Clause */
/* Short names of functions, by hand; whole ones as c++filt has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image/written.h"
#include "report/naming.h"

static void shorten(const char *name, const char *wanted)
{
    char text[CAIRN_NAMING_SHORT + 1];

    cairn_written_shorten(name, text, sizeof text);
    assert_string_equal(text, wanted);
}

static void names_are_shortened(void **state)
{
    (void)state;
    shorten("main", "main");
    shorten("ns::C::method(int, std::vector<int>) const", "ns::C::method");
    shorten("std::vector<int, std::allocator<int> >::push_back(int const&)",
            "std::vector<..>::push_back");
    shorten("int f<int>(int)", "f<..>");
    shorten("std::pair<int, int> const& ns::g<a::b>(int (*)(char))", "ns::g<..>");
    shorten("(anonymous namespace)::hidden(int)", "(anon)::hidden");
    shorten(
        "void (&std::forward<void (&)(int)>(std::remove_reference<void (&)(int)>::type&))(int, int*)",
        "std::forward<..>");
    shorten("void (*&std::__get_helper<0ul, void (*)(int)>(a<b>&))(int)", "std::__get_helper<..>");
    shorten("int (C<int>::*ns::member<a>(int))(char)", "ns::member<..>");
    shorten("int (&ns::three<a>(int))[3]", "ns::three<..>");
    shorten("int (*(*ns::twice<a>(int))(char))(long)", "ns::twice<..>");
    shorten("void (* const ns::kept<a>(int))(char)", "ns::kept<..>");
    shorten("int (&ns::C::operator()<a>(int))[3]", "ns::C::operator()<..>");
    shorten("(*)", ")");
    shorten("f(int)::{lambda(int)#1}::operator()(int) const", "f::{lambda(int)#1}::operator()");
    shorten("ns::C::operator<<(int)", "ns::C::operator<<");
    shorten("ns::C::operator->()", "ns::C::operator->");
    shorten("ns::C::operator bool() const", "ns::C::operator bool");
    shorten("f[abi:cxx11](int)", "f");
    shorten("f(int) [clone .cold]", "f");
    shorten("core::fmt::write::h0123456789abcdef", "..::fmt::write::h0123456789abcdef");
    shorten("a_function_of_exactly_34_letters_x", "a_function_of_exactly_34_letters_x");
    shorten("a_function_of_more_than_34_letters_x", "a_function_of_more_than_34_lette..");
    shorten("std::_Rb_tree_header::_Rb_tree_header()", "..::_Rb_tree_header");
    shorten("n::a_function_of_more_than_34_letters_x()", "a_function_of_more_than_34_lette..");
    shorten("", "");
    shorten("<", "<");
    shorten("f<<<<", "f<..>");
    shorten("f((((", "f");
    shorten("operator", "operator");
}

static void reduce(const char *name, const char *wanted)
{
    char *const text = strdup(name); /* so that a sanitizer sees its end */

    assert_non_null(text);
    cairn_written_reduce(text);
    assert_string_equal(text, wanted);
    free(text);
}

static void defaults_are_left_out(void **state)
{
    (void)state;
    reduce(
        "f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)",
        "f(std::string const&)");
    reduce(
        "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::append(int)",
        "std::string::append(int)");
    reduce("f(std::vector<int, std::allocator<int> >)", "f(std::vector<int>)");
    reduce(
        "f(std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
        ">, std::allocator<std::__cxx11::basic_string<char, std::char_traits<char>, "
        "std::allocator<char> > > > const&)",
        "f(std::vector<std::string> const&)");
    reduce(
        "std::map<int, a::B, std::less<int>, std::allocator<std::pair<int const, a::B> > >::size()",
        "std::map<int, a::B>::size()");
    reduce(
        "std::map<int, a::B<int>, std::less<int>, std::allocator<std::pair<int const, a::B<int> > > >",
        "std::map<int, a::B<int> >");
    reduce("std::unique_ptr<Item, std::default_delete<Item> >::get() const",
           "std::unique_ptr<Item>::get() const");
    reduce(
        "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> >::f()",
        "std::string::f()");
    /* What is not the last argument was written, or what comes behind it was. */
    reduce("std::vector<int, pool::allocator<int> >", "std::vector<int, pool::allocator<int> >");
    reduce("f<int, std::less<int>, 3>()", "f<int, std::less<int>, 3>()");
    reduce("f(int, std::allocator<int>)", "f(int, std::allocator<int>)");
    reduce("std::allocator<int>::allocator()", "std::allocator<int>::allocator()");
    reduce(
        "std::__cxx11::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >",
        "std::__cxx11::basic_string<wchar_t>");
    reduce("a<b, std::less<", "a<b, std::less<");
    reduce("a<b, std::less<>", "a<b, std::less<>");
    reduce(", std::less<>>", ">");
    reduce("", "");
    reduce("main", "main");
}

static void symbols_are_taken_apart(void **state)
{
    static const char symbol[] = "_ZN2ns1CINS_1DIiEEE4callEPKcl"; /* ns::C<ns::D<int> >::call */
    static const char broken[] = "_ZN2ns";
    static const char control[] = "clear\033c";
    static const char plain[] = "a_function_of_more_than_34_letters_x";
    struct cairn_naming *const naming = cairn_naming_new();

    (void)state;
    assert_non_null(naming);
    const char *const whole = cairn_naming_whole(naming, symbol);
    if (whole == symbol) { /* no C++ run-time library here */
        cairn_naming_free(naming);
        return;
    }
    assert_string_equal(whole, "ns::C<ns::D<int> >::call(char const*, long)");
    assert_string_equal(cairn_naming_short(naming, symbol), "ns::C<..>::call");
    assert_string_equal(cairn_naming_whole(naming, broken), broken);
    assert_string_equal(cairn_naming_short(naming, broken), broken);
    assert_string_equal(cairn_naming_whole(naming, plain), plain);
    assert_string_equal(cairn_naming_short(naming, plain), "a_function_of_more_than_34_lette..");
    assert_string_equal(cairn_naming_whole(naming, control), "clear?c");
    assert_string_equal(cairn_naming_short(naming, control), "clear?c");
    cairn_naming_free(naming);
    cairn_naming_free(NULL);
    assert_string_equal(cairn_naming_short(NULL, symbol), symbol);
    assert_string_equal(cairn_naming_whole(NULL, symbol), symbol);
}

/* More names than are remembered, asked for again and again. */
static void names_are_forgotten_and_found_again(void **state)
{
    enum { NAMES = 5000, LENGTH = 24 };
    static char names[NAMES][LENGTH];
    struct cairn_naming *const naming = cairn_naming_new();
    char wanted[LENGTH];

    (void)state;
    assert_non_null(naming);
    for (unsigned i = 0; i < NAMES; i++)
        snprintf(names[i], LENGTH, "_ZN1a%u%sEv", 5 + i % 3,
                 i % 3 == 0   ? "funct"
                 : i % 3 == 1 ? "functi"
                              : "functio");
    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i < NAMES; i++) {
            const char *const name = cairn_naming_short(naming, names[i]);
            snprintf(wanted, sizeof wanted, "a::%.*s", (int)(5 + i % 3), "functio");
            if (strcmp(name, names[i]) != 0)
                assert_string_equal(name, wanted);
        }
    cairn_naming_free(naming);
}

/* Whatever a symbol is: nothing is read beside it, and the room is enough. */
static void any_text_is_shortened(void **state)
{
    static const char *const parts[] = {"operator",
                                        " ",
                                        "<",
                                        ">",
                                        "(",
                                        ")",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        "::",
                                        "-",
                                        "a",
                                        "(anonymous namespace)",
                                        " const",
                                        ", std::less",
                                        ", std::allocator<"};
    const size_t part_count = sizeof parts / sizeof *parts;
    uint32_t random = 1;

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        char text[CAIRN_NAMING_SHORT + 1];
        char *const name = calloc(1, 12 * 24);
        assert_non_null(name);
        for (unsigned part = 0; part < i % 12; part++) {
            random = random * 1664525u + 1013904223u;
            strcat(name, parts[(random >> 16) % part_count]);
        }
        char *const exact = strdup(name); /* so that a sanitizer sees its end */
        assert_non_null(exact);
        cairn_written_shorten(exact, text, sizeof text);
        assert_true(strlen(text) < sizeof text);
        cairn_written_reduce(exact);
        assert_true(strlen(exact) <= strlen(name));
        free(exact);
        free(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_shortened),
        cmocka_unit_test(defaults_are_left_out),
        cmocka_unit_test(symbols_are_taken_apart),
        cmocka_unit_test(any_text_is_shortened),
        cmocka_unit_test(names_are_forgotten_and_found_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
