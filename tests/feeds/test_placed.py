#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Functions and source lines of 10,000 executed addresses of an ordinary program: C++ with exceptions, threads, shared
libraries, one of them loaded by dlopen, compiled as gcc does by default. nm and addr2line know nothing of Cairn; where
each library was mapped, QEMU's own log of the program's system calls tells (-strace)."""
import collections
import json
import os
import random
import re
import subprocess
import sys

from recording import Bench, Tap

ROOT = '/usr/aarch64-linux-gnu'  # Debian's libc6-arm64-cross
ADDRESSES = 10000
PROGRAM = r'''
#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
extern "C" int linked(int n);
struct Shape { virtual ~Shape() {} virtual int area() const = 0; };
struct Square : Shape { int side; explicit Square(int n) : side(n) {} int area() const override { return side * side; } };
template <typename T> static T sum(const std::vector<T> &v) { T s = T(); for (const T &x : v) s += x; return s; }
static int risky(int n) { if (n % 5 == 0) throw std::runtime_error("five " + std::to_string(n)); return n; }
static int guarded(int n) { try { return risky(n); } catch (const std::exception &e) { return (int)std::string(e.what()).size(); } }
static void work(int from, int *to)
{
    std::vector<int> values;
    std::map<int, std::string> names;
    for (int i = from; i < from + 60; i++) {
        values.push_back(guarded(i));
        names[i] = std::to_string(i);
    }
    std::sort(values.begin(), values.end(), [](int a, int b) { return a % 7 < b % 7; });
    *to = sum(values) + (int)names.size() + linked(from);
}
int main(int argc, char **argv)
{
    int one = 0, two = 0, late = 0;
    std::thread other(work, 100, &one);
    work(200, &two);
    other.join();
    if (void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr) {
        int (*call)(int);
        *(void **)&call = dlsym(library, "late");
        late = call ? call(30) : -1;
    }
    Square square(3);
    const Shape *shape = &square;
    std::printf("%d %d %d %d\n", one, two, late, shape->area());
    return 0;
}
'''
LIBRARY = 'static int inner(int n)\n{\n    return n * 3 + 1;\n}\nint %s(int n)\n{\n    int s = 0;\n' \
          '    for (int i = 0; i < n; i++)\n        s += inner(i);\n    return s;\n}\n'


def build(bench):
    for name in ('linked', 'late'):
        with open(bench.path(name + '.c'), 'w') as file:
            file.write(LIBRARY % name)
        subprocess.run(['aarch64-linux-gnu-gcc', '-g', '-shared', '-fPIC', bench.path(name + '.c'), '-o',
                        bench.path('lib%s.so' % name)], check=True)
    with open(bench.path('ordinary.cc'), 'w') as file:
        file.write(PROGRAM)
    subprocess.run(['aarch64-linux-gnu-g++', '-g', bench.path('ordinary.cc'), '-o', bench.path('ordinary'), '-pthread',
                    '-L' + bench.folder, '-llinked', '-Wl,-rpath,' + bench.folder], check=True)
    return bench.path('ordinary'), bench.path('liblate.so')


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def executed(bench, folder):
    """[(source, offset, address)] of every instruction."""
    status, out, messages = bench.run([bench.cairn, 'flow', '--format', 'json', folder])
    if status:
        raise RuntimeError('flow: %d %s' % (status, messages))
    names, rows = [], []
    for line in out.splitlines():
        record = json.loads(line)
        source = record.get('source')
        if source is not None and source not in names:
            names.append(source)
        offset = record.get('offset', 0)
        offset = int(offset, 0) if isinstance(offset, str) else offset
        for code in record.get('code', []):
            rows.append((names.index(source), offset, int(code['address'], 16)))
    return rows


def places(placed, folder, rows):
    text = ''.join('%d %#x %#x\n' % row for row in rows)
    done = subprocess.run([placed, folder], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [line.split('\t') for line in done.stdout.splitlines()]


def nm(path):
    """Ranges of the functions of a file: of its own table, else of what it exports."""
    for options in ([], ['-D']):
        out = subprocess.run(['aarch64-linux-gnu-nm', '-S', *options, path], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True).stdout
        rows = [line.split() for line in out.splitlines()]
        found = [(int(r[0], 16), int(r[0], 16) + int(r[1], 16), r[3].split('@')[0]) for r in rows
                 if len(r) == 4 and r[2] in 'tTwWiV']
        if found:
            return found
    return []


def length_of(path):
    with open(path, errors='replace') as file:
        return sum(1 for _ in file)


def lines_of(path, addresses):
    """{address: (file, line) or None} by addr2line."""
    text = ''.join('%#x\n' % a for a in addresses)
    out = subprocess.run(['aarch64-linux-gnu-addr2line', '-e', path], input=text, stdout=subprocess.PIPE, text=True).stdout
    found, lengths = {}, {}
    for address, line in zip(addresses, out.splitlines()):
        name, _, number = line.partition(':')
        number = number.split()[0]
        # Of DWARF 5 binutils takes a file's number for another one's now and then: a line that the file has not.
        wrong = number.isdigit() and os.path.exists(name) and int(number) > lengths.setdefault(name, length_of(name))
        found[address] = None if name == '??' or not number.isdigit() or number == '0' or wrong \
            else (os.path.normpath(name), int(number))
    return found


def mapped(log):
    """[(first, end, path)] in the order of the calls: what the program mapped, by QEMU's log."""
    files, found = {}, []
    for line in log.splitlines():
        opened = re.search(r'openat\(\w+,"([^"]+)",.*\) = (\d+)', line)
        if opened:
            files[int(opened[2])] = opened[1]
        called = re.search(r'mmap\((?:NULL|0x\w+),(\d+),[\w|]+,[\w|]+,(\d+),\w+\) = (0x[0-9a-f]+)', line)
        if called and int(called[2]) in files:
            first = int(called[3], 16)
            found.append((first, first + int(called[1]), files[int(called[2])]))
    return found


def of_other_files(log, rows):
    """Addresses that QEMU's log has in another file than Cairn; how many it has at all."""
    maps, problems, checked = mapped(log), [], 0
    for row, place in rows:
        path = next((path for first, end, path in reversed(maps) if first <= row[2] < end), None)
        if path:
            checked += 1
            path = path if os.path.exists(path) and not os.path.exists(ROOT + path) else ROOT + path
            if not os.path.samefile(path, place[0]):
                problems.append('%#x is of %s, by QEMU of %s' % (row[2], place[0], path))
    return problems[:5] + ([] if checked > ADDRESSES // 10 else ['%d of %d only' % (checked, len(rows))])


def named(rows, modules):
    """Those rows for whose address nm has a function, with its names."""
    tables, found = {}, []
    for path in {m['path'] for m in modules}:
        begins = collections.defaultdict(set)
        for begin, end, name in nm(path):
            for at in range(begin & ~3, end, 4):
                begins[at].add(name)
        tables[path] = begins
    for row in rows:
        for m in modules:
            wanted = m['first'] <= row[2] < m['end'] and tables[m['path']].get(row[2] - m['bias'])
            if wanted:
                found.append((row, wanted))
                break
    return found


def compare_functions(placed, folder, rows):
    rows = random.sample(rows, min(ADDRESSES, len(rows)))
    problems = ['%#x is called %s, not %s' % (row[2], place[1], sorted(wanted)[:3]) for (row, wanted), place in
                zip(rows, places(placed, folder, [row for row, _ in rows])) if place[1] not in wanted]
    return problems[:5] + ([] if len(rows) == ADDRESSES else ['%d checked only' % len(rows)])


def compare_lines(at):
    problems, checked = [], 0
    for path, rows in at.items():
        known = lines_of(path, sorted({address for address, _ in rows}))
        for address, place in rows:
            wanted = known[address]
            if not wanted:
                continue
            checked += 1
            if (os.path.normpath(place[3]), int(place[4])) != wanted:
                problems.append('%s+%#x is %s:%s, not %s:%d' % (path, address, place[3], place[4], *wanted))
    return problems[:5], checked


def main():
    bench, tap = Bench(sys.argv), Tap()
    placed = sys.argv[5]
    why = bench.missing()
    if not why and not bench.own('throws'):
        why = 'no cross compiler (Debian: g++-aarch64-linux-gnu)'
    if not why and not os.path.isdir(os.path.join(ROOT, 'lib')):
        why = 'no libraries in %s (Debian: libc6-arm64-cross)' % ROOT
    cases = ('each address is of the module that was there', 'libraries by QEMU\'s log', 'functions by nm',
             'lines by addr2line')
    if why:
        for name in cases:
            tap.skip(name, why)
    else:
        program, late = build(bench)
        status, out, messages, folder = bench.record([program, late], ['--sysroot', ROOT, '--qemu-argument=-strace'])
        _, text, _ = bench.run([bench.cairn, 'info', '--format', 'json', folder])
        modules = [{'path': m['path'], 'bias': number(m['bias']), 'first': number(m['address']),
                    'end': number(m['address']) + number(m['length'])} for m in json.loads(text)['program']['modules']]
        every = executed(bench, folder)
        random.seed(1)
        rows = random.sample(every, min(ADDRESSES, len(every)))
        at, problems = collections.defaultdict(list), []
        found = list(zip(rows, places(placed, folder, rows)))
        for row, place in found:
            here = [m for m in modules if m['first'] <= row[2] < m['end']]
            if len(here) != 1 or here[0]['path'] != place[0]:
                problems.append('%#x is of %s, not of %s' % (row[2], place[0], [m['path'] for m in here]))
            else:
                at[place[0]].append((row[2] - here[0]['bias'], place))
        if status or len(rows) < ADDRESSES or not {program, late} <= set(at):
            problems.append('status %d, %d addresses, %r, %s' % (status, len(rows), sorted(at), messages[-500:]))
        tap.case(cases[0], problems[:5])
        tap.case(cases[1], of_other_files(messages, found))
        tap.case(cases[2], compare_functions(placed, folder, named(every, modules)))
        problems, checked = compare_lines(at)
        tap.case(cases[3], problems + ([] if checked > ADDRESSES // 10 else ['%d checked only' % checked]))
    bench.close()
    tap.end()


main()
