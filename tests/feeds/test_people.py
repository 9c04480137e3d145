#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The listing for people of a recorded C++ program (PIE, shared libraries, -O2 -g): functions by nm, source lines and
inlined functions by addr2line, which know nothing of Cairn; the instructions are those of --format addresses."""
import collections
import json
import os
import random
import re
import subprocess
import sys

from machine import LARGE, QEMU, record
from ordinary import reduced
from recording import Bench, Tap

ROOT = '/usr/aarch64-linux-gnu'  # Debian's libc6-arm64-cross
A64, A32 = 'aarch64-linux-gnu-', 'arm-linux-gnueabihf-'
HEADER = '''
namespace shop {
inline int tax(int price) { return price / 5 + price % 3; }
inline int total(int price)
{
    return price + tax(price);
}
template <typename T> struct Cart {
    T items[8];
    int count;
    __attribute__((noinline)) void add(T item)
    {
        items[count++ % 8] = total(item);
    }
};
}
'''
PROGRAM = '''
#include "shop.h"
#include <cstdio>
namespace {
__attribute__((noinline)) int checkout(const shop::Cart<int> &cart)
{
    int sum = 0;
    for (int i = 0; i < cart.count; i++)
        sum += shop::total(cart.items[i]);
    return sum;
}
}
int main()
{
    shop::Cart<int> cart = {};
    for (int i = 0; i < 5; i++)
        cart.add(i * 7);
    std::printf("%d\\n", checkout(cart));
    return 0;
}
'''
LINE = re.compile(r' *([0-9a-f]+)  ([EN? ])  (\S.*)$')
FUNCTION = re.compile(r'(?:.{34}|.{34}.*?)  (\S.*)$')
RETURNED = '  (from the return stack)'
SOURCE = re.compile(r'    (\S+):(\d+)(?:  (?!\[)(.*?))?(?:  \[(.*)\])?$')
LEVEL = re.compile(r'by (.+?) at (\S+):(\d+)')


def line_of(line):
    """(address, flag, function column or None) of an instruction's line; None for the others."""
    match = LINE.match(line) if not line.startswith(('==', '--')) else None
    if not match:
        return None
    text = match[3][:-len(RETURNED)] if match[3].endswith(RETURNED) else match[3]
    function = FUNCTION.match(text)
    return match[1], match[2], function[1] if function else None


# The same in C, without namespaces.
OLD_PROGRAM = '''
#include <stdio.h>
static inline int tax(int price) { return price / 5 + price % 3; }
static inline int total(int price)
{
    return price + tax(price);
}
struct cart {
    int items[8];
    int count;
};
__attribute__((noinline)) static void add(struct cart *cart, int item)
{
    cart->items[cart->count++ % 8] = total(item);
}
__attribute__((noinline)) static int checkout(const struct cart *cart)
{
    int sum = 0;
    for (int i = 0; i < cart->count; i++)
        sum += total(cart->items[i]);
    return sum;
}
int main(void)
{
    struct cart cart = {0};
    for (int i = 0; i < 5; i++)
        add(&cart, i * 7);
    printf("%d\\n", checkout(&cart));
    return 0;
}
'''


def write(bench, **texts):
    for name, text in texts.items():
        with open(bench.path(name.replace('_', '.')), 'w') as file:
            file.write(text)


def build(bench):
    write(bench, shop_h=HEADER, shop_cc=PROGRAM)
    program = bench.path('shop')
    subprocess.run([A64 + 'g++', '-O2', '-g', '-pie', 'shop.cc', '-o', program], check=True, cwd=bench.folder)
    return program


def older(bench, options, name):
    """A32 or T32: statically linked, where its file says."""
    write(bench, old_c=OLD_PROGRAM)
    program = bench.path(name)
    subprocess.run([A32 + 'gcc', '-O2', '-g', '-static', *options, 'old.c', '-o', program], check=True, cwd=bench.folder)
    status, _, messages, folder = bench.record([program], name='recorded-' + name)
    if status:
        raise RuntimeError(messages)
    everywhere = [(0, 1 << 32)]
    seen = ('main', 'add', 'checkout')
    return (same_instructions(bench, folder) + names(bench, folder, program, 0, everywhere, A32, seen) +
            lines_by_addr2line(bench, folder, program, 0, everywhere, A32, ('old.c',)))


def flow(bench, folder, *options):
    status, out, messages = bench.run([bench.cairn, 'flow', *options, folder])
    if status or messages:
        raise RuntimeError('flow %r: %d %s' % (options, status, messages))
    return out.decode().splitlines()


def bias_of(bench, folder, program):
    _, out, _ = bench.run([bench.cairn, 'info', '--format', 'json', folder])
    modules = [m for m in json.loads(out)['program']['modules'] if os.path.samefile(m['path'], program)]
    number = lambda value: int(value, 0) if isinstance(value, str) else value  # noqa: E731
    return number(modules[0]['bias']), [(number(m['address']), number(m['length'])) for m in modules]


def instructions(lines):
    """[(address, flag, function column)] of a listing."""
    return [row for row in map(line_of, lines) if row]


def same_instructions(bench, folder):
    text = [address + (' ' + flag if flag != ' ' else '') for address, flag, _ in instructions(flow(bench, folder))]
    plain = [line for line in flow(bench, folder, '--format', 'addresses') if line[0] != '#']
    at = next((i for i, (a, b) in enumerate(zip(text, plain)) if a != b), min(len(text), len(plain)))
    return [] if text == plain else ['line %d: %s, not %s' % (at, text[at:at + 2], plain[at:at + 2])]


def functions(program, tools):
    """(address, end, names) as nm has them, whole and demangled."""
    rows = []
    for option in [], ['-C']:
        out = subprocess.run([tools + 'nm', '-S', *option, program], stdout=subprocess.PIPE, text=True, check=True).stdout
        rows.append([re.match(r'(\w{8,16}) (\w{8,16}) [tTwWui] (.*)', line) for line in out.splitlines()])
    clear = ~1 if tools == A32 else ~0  # bit 0 says T32
    return [(int(a[1], 16) & clear, (int(a[1], 16) & clear) + int(a[2], 16), b[3]) for a, b in zip(*rows) if a]


def short(name):
    """A name without parameters and template arguments, cut, as docs/listing.md says; by hand for these names."""
    name = re.sub(r'\(anonymous namespace\)', '(anon)', name)
    name = re.sub(r'<.*>', '<..>', name)
    name = re.sub(r'(?<!^)\((?!anon).*', '', name)
    return name if len(name) <= 34 else name[:32] + '..'


def names(bench, folder, program, bias, ranges, tools, expected):
    """The column has the name that nm has, and the offset from its start; so has the heading, in whole."""
    table, problems, seen = functions(program, tools), [], set()
    lines = flow(bench, folder)
    heading = None
    for line in lines:
        if re.match(r'\S.*:$', line):
            heading = line[:-1]
            continue
        row = line_of(line)
        if not row:
            continue
        address, function = int(row[0], 16), row[2]
        if not any(first <= address < first + length for first, length in ranges):
            continue
        wanted = {}
        for first, end, name in table:
            if first <= address - bias < end:
                offset = address - bias - first
                wanted[short(name) + ('+0x%x' % offset if offset else '')] = reduced(name)
        if not wanted:
            continue
        if function not in wanted:
            problems.append('%s is called %r, and by nm %r' % (row[0], function, wanted))
        elif not any(heading == name or heading.startswith(name + '+0x') for name in wanted.values()):
            problems.append('%s is under %r, not %r' % (row[0], heading, wanted))
        seen |= set(wanted.values())
    for name in expected:
        if name not in seen:
            problems.append('nothing of %s: %r' % (name, sorted(seen)))
    return problems[:5]


def by_addr2line(program, addresses, tools):
    """{address: [(function, file, line)], innermost first}"""
    asked = '\n'.join('0x%x' % address for address in addresses)
    out = subprocess.run([tools + 'addr2line', '-a', '-i', '-f', '-C', '-s', '-e', program], input=asked,
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    levels, address, rows = {}, None, iter(out.splitlines())
    for row in rows:
        if row.startswith('0x'):
            address = int(row, 16)
            levels[address] = []
            continue
        place = re.match(r'(.*):(\d+|\?)', next(rows))
        levels[address].append((row, place[1], int(place[2]) if place[2] != '?' else 0))
    return levels


def lines_by_addr2line(bench, folder, program, bias, ranges, tools, files):
    """Each instruction of the program under the last source line above it, with what was inlined there."""
    said, place, problems = {}, None, []
    text = {name: open(bench.path(name)).read().split('\n') for name in files}
    for line in flow(bench, folder, '--source-lines'):
        if re.match(r'\S.*:$', line):
            place = None
            continue
        row = line_of(line)
        if row:
            address = int(row[0], 16)
            if any(first <= address < first + length for first, length in ranges):
                said.setdefault(address - bias, set()).add(place)
            continue
        match = SOURCE.match(line)
        if not match:
            continue
        file, number, shown, inlined = os.path.basename(match[1]), int(match[2]), match[3], match[4]
        if file in text and shown != text[file][number - 1].strip():
            problems.append('%s:%d is shown as %r' % (file, number, shown))
        levels = []
        if inlined:
            levels = [(name, os.path.basename(where), int(at)) for name, where, at in LEVEL.findall(inlined)]
            function = inlined.split(', inlined')[0]
        else:
            function = None
        place = (function, file, number, tuple(levels))
    wanted = by_addr2line(program, sorted(said), tools)
    depth = collections.Counter()
    for address, places in said.items():
        levels = wanted[address]
        if not levels[0][2]:
            continue  # start-up code without debug information
        depth[len(levels)] += 1
        inner = short(levels[0][0]) if len(levels) > 1 else None
        right = (inner, levels[0][1], levels[0][2],
                 tuple((short(name), file, line) for name, file, line in levels[1:]))
        if places != {right}:
            problems.append('0x%x: %r, by addr2line %r' % (address, places, right))
    if not (depth[1] and depth[2] and depth[3]):
        problems.append('not all depths: %r' % depth)
    return problems[:5]


def sources_elsewhere(bench, folder, program):
    """A source that is newer than the program is not shown, one that is not there neither, and one that moved is found."""
    problems = []
    def shown(*options):
        return [line for line in flow(bench, folder, '--source-lines', *options) if SOURCE.match(line)]
    before = os.stat(bench.path('shop.h'))
    wanted = shown()
    os.utime(bench.path('shop.h'), (os.stat(program).st_mtime + 5,) * 2)
    newer = [line for line in shown() if 'shop.h:' in line]
    if not newer or not all('  (the file is newer than the program)' in line for line in newer):
        problems.append('newer: %r' % newer[:2])
    os.utime(bench.path('shop.h'), ns=(before.st_atime_ns, before.st_mtime_ns))
    moved = bench.path('moved')
    os.mkdir(moved)
    for name in ('shop.h', 'shop.cc'):
        os.rename(bench.path(name), os.path.join(moved, name))
    absent = [line for line in shown() if 'shop.' in line]
    if not absent or any(re.search(r'shop\.(h|cc):\d+  [^\[]', line) for line in absent):
        problems.append('absent: %r' % absent[:2])
    found = shown('--source-path', '/nowhere=/else', '--source-path', '%s=%s' % (bench.folder, moved))
    if found != wanted:
        problems.append('moved: %r' % [pair for pair in zip(found, wanted) if pair[0] != pair[1]][:2])
    half = shown('--source-path', '%s=%s' % (bench.folder[:-1], moved))  # no whole part of a path
    if half != shown():
        problems.append('half a name is no folder')
    return problems


CRASH = '''
#include <stdio.h>
struct node { struct node *next; int value; };
static inline int value_of(const struct node *node)
{
    return node->value;
}
__attribute__((noinline)) int sum(const struct node *node)
{
    int total = 0;
    for (int i = 0; i < 3; i++, node = node->next)
        total += value_of(node);
    return total;
}
int main(void)
{
    struct node b = {0, 2}, a = {&b, 1};
    printf("%d\\n", sum(&a));
    return 0;
}
'''


def crash(bench):
    """The last line says which instruction of which function faulted, and where that is in the sources."""
    write(bench, crash_c=CRASH)
    program = bench.path('crash')
    subprocess.run([A64 + 'gcc', '-O1', '-g', '-pie', 'crash.c', '-o', program], check=True, cwd=bench.folder)
    _, _, messages, folder = bench.record([program], ['-L', ROOT], name='crashed')
    hint = 'cairn record: SIGSEGV ended the program; what led to it: cairn flow --around crash %s\n' % folder
    if hint not in messages:
        return ['no hint: ' + messages]
    if flow(bench, folder, '--around', 'crash')[-1] != flow(bench, folder)[-1]:
        return ['what the hint says does not end in the crash']
    last = flow(bench, folder)[-1]
    match = re.fullmatch(r'-- exception Data Fault taken at 0x(\w+) <sum\+0x(\w+)> ld[rp]\S* .* \((crash.c):(\d+)\)', last)
    if not match:
        return ['the last line is %r' % last]
    address = int(match[1], 16) - bias_of(bench, folder, program)[0]
    start = next(first for first, _, name in functions(program, A64) if name == 'sum')
    _, file, line = by_addr2line(program, [address], A64)[address][0]
    right = (address - start, file, line)
    told = (int(match[2], 16), match[3], int(match[4]))
    calls = [line for line in flow(bench, folder) if re.fullmatch(
        r'-- exception SVC taken at 0x\w+ (<.*> )?svc #0; returns to 0x\w+', line)]
    return [] if told == right and calls else ['%r, by nm and addr2line %r; %d calls' % (told, right, len(calls))]


def damaged(bench, folder, program, bias):
    """Bytes of the debug sections are overwritten: the instructions stay what they are, and nothing breaks."""
    out = subprocess.run([A64 + 'readelf', '-SW', program], stdout=subprocess.PIPE, text=True, check=True).stdout
    sections = [(int(row[1], 16), int(row[2], 16)) for row in re.finditer(r'\.debug_\w+ +PROGBITS +\w+ (\w+) (\w+)', out)]
    with open(program, 'rb') as file:
        whole = file.read()
    problems, wanted, bad = [] if len(sections) > 4 else ['sections %r' % sections], None, bench.path('bad')
    for seed in range(40):
        chance, data = random.Random(seed), bytearray(whole)
        for _ in range(chance.choice([1, 3, 10, 100]) if seed else 0):
            offset, size = chance.choice(sections)
            data[offset + chance.randrange(size)] = chance.choice([0, 1, 0x7f, 0x80, 0xff, chance.randrange(256)])
        with open(bad, 'wb') as file:
            file.write(data)
        status, out, messages = bench.run([bench.cairn, 'flow', '--source-lines', '--image', '%s@0x%x' % (bad, bias), folder])
        shown = [row[:2] for row in instructions(out.decode('utf-8', 'replace').splitlines())]
        wanted = wanted or shown
        if status or messages or shown != wanted:
            problems.append('seed %d: status %d, %s' % (seed, status, messages[-300:]))
    return problems[:3]


NUMBERS = {'HardFault': 3, 'SVC': 11, 'PendSV': 14, 'SysTick': 15}


def handlers(path):
    """{exception number: function} of the vector table at the begin of the code, by the file's bytes and nm."""
    with open(path, 'rb') as file:
        image = file.read()
    start = int.from_bytes(image[28:32], 'little')
    offset = int.from_bytes(image[start + 4:start + 8], 'little')
    out = subprocess.run(['nm', path], stdout=subprocess.PIPE, text=True, check=True).stdout
    names = {int(address, 16): name for address, kind, name in map(str.split, out.splitlines()) if kind in 'Tt' and '$' not in name}
    entries = [int.from_bytes(image[offset + 4 * i:offset + 4 * i + 4], 'little') for i in range(20)]
    return {number: names[entry] for number, entry in enumerate(entries) if entry in names}


def firmware(bench, protocol, options):
    """Exceptions by their names, as QEMU's log has their numbers, and the handlers of interrupts by the file. An MTB does
    not tell which exception it was, and one that is chained to another looks like a return."""
    status, _, messages, folder, _, log = record(bench, 'exceptions', 'mps2-an385', ['--protocol', protocol, *options])
    if status:
        return [messages]
    taken, problems, chained = [], [], False
    for line in log.splitlines():
        number = re.search(r'taking pending nonsecure exception (\d+)', line)
        if number and not (chained and protocol == 'mtb'):
            taken.append(int(number[1]))
        chained = 'tailchaining' in line or (chained and not number)
    table = handlers(bench.own('exceptions'))
    told = []
    for line in flow(bench, folder):
        match = re.match(r'-- exception (?:(IRQ(\d+))(?: (\w+))?|(\w+)) (?:taken (?:at|before) 0x|at an unknown)', line)
        if not match:
            continue
        number = 16 + int(match[2]) if match[1] else NUMBERS.get(match[4])
        told.append(number)
        if number is None or (match[1] and match[3] != table[number]):
            problems.append('%s: the handler is %s' % (line, table.get(number)))
        to = re.search(r', to 0x[0-9a-f]+ <(\w+)>', line)
        if not to or to[1] != table.get(number):
            problems.append('%s: it went to %s' % (line, table.get(number)))
    if told != taken:
        problems.append('%d exceptions, %d were taken: %r, %r' % (len(told), len(taken), told[:9], taken[:9]))
    return problems[:5]


def main():
    bench, tap = Bench(sys.argv), Tap()
    why = bench.missing()
    if not why and not bench.own('throws'):
        why = 'no C++ cross compiler (Debian: g++-aarch64-linux-gnu)'
    if not why and not os.path.isdir(os.path.join(ROOT, 'lib')):
        why = 'no libraries in %s (Debian: libc6-arm64-cross)' % ROOT
    cases = ('the instructions of --format addresses', 'functions by nm', 'lines and inlined functions by addr2line',
             'a crash', 'debug information that is damaged', 'sources that are newer, absent, elsewhere')
    if why:
        for name in cases:
            tap.skip(name, why)
    else:
        program = build(bench)
        status, _, messages, folder = bench.record([program], ['-L', ROOT, '--return-stack'])
        if status:
            raise RuntimeError(messages)
        bias, ranges = bias_of(bench, folder, program)
        tap.case(cases[0], same_instructions(bench, folder))
        tap.case(cases[1], names(bench, folder, program, bias, ranges, A64, (
            'main', 'shop::Cart<int>::add(int)', '(anonymous namespace)::checkout(shop::Cart<int> const&)')))
        tap.case(cases[2], lines_by_addr2line(bench, folder, program, bias, ranges, A64, ('shop.h', 'shop.cc')))
        tap.case(cases[3], crash(bench))
        tap.case(cases[4], damaged(bench, folder, program, bias))
        tap.case(cases[5], sources_elsewhere(bench, folder, program))
    for name, options in (('A32', ['-marm']), ('T32', ['-mthumb'])):
        if bench.missing('qemu-arm') or not bench.own('mixed-t32'):
            tap.skip(name, bench.missing('qemu-arm') or 'no cross compiler (Debian: gcc-arm-linux-gnueabihf)')
        else:
            tap.case(name, older(bench, options, name))
    for protocol, options in (('mtb', LARGE), ('etmv3', [])):
        name = 'exceptions of firmware, ' + protocol
        if bench.missing(QEMU):
            tap.skip(name, '%s is not installed (Debian: qemu-system-arm)' % QEMU)
        elif not bench.own('exceptions'):
            tap.skip(name, 'no cross compiler for firmware')
        else:
            tap.case(name, firmware(bench, protocol, options))
    bench.close()
    tap.end()


main()
