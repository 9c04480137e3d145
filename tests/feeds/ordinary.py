# SPDX-License-Identifier: BSD-2-Clause
"""An ordinary program, as gcc and g++ compile it by default: position independent, C++ with exceptions, threads, shared
libraries, one of them loaded by dlopen; and what nm, addr2line and QEMU's own log say of its addresses."""
import os
import re
import struct
import subprocess

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


def nm(path, options=()):
    """Ranges of the functions of a file: of its own table, else of what it exports."""
    for table in ([], ['-D']):
        out = subprocess.run(['aarch64-linux-gnu-nm', '-S', *options, *table, path], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True).stdout
        rows = [line.split(maxsplit=3) for line in out.splitlines()]
        found = [(int(r[0], 16), int(r[0], 16) + int(r[1], 16), r[3].split('@')[0]) for r in rows
                 if len(r) == 4 and r[2] in 'tTwWiV']
        if found:
            return found
    return []


DEFAULT = re.compile(r', std::(allocator|char_traits|less|hash|default_delete|equal_to)<')


def reduced(name):
    """A C++ name as docs/listing.md has it: without what the standard library adds at the end of template arguments."""
    while True:
        for found in reversed(list(DEFAULT.finditer(name))):
            depth, end = 1, found.end()
            while depth and end < len(name):
                depth += {'<': 1, '(': 1, '>': -1, ')': -1}.get(name[end], 0)
                end += 1
            rest = name[end:].lstrip(' ')
            if rest.startswith('>'):
                name = name[:found.start()] + (' ' if name[found.start() - 1] == '>' else '') + rest
                break
        else:
            break
    name = re.sub(r'std::(__cxx11::)?basic_string<char>', 'std::string', name)
    return name.replace('std::string >', 'std::string>')


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
    """[(first, end, path, offset in the file)] in the order of the calls: what the program mapped, by QEMU's log of system
    calls (-strace). What QEMU says of pages (-d page) may stand between a call and its result."""
    files, found = {}, []
    calls = re.compile(r'openat\(\w+,"([^"]+)",[^)]*\) = (\d+)|'
                       r'mmap\((?:NULL|0x\w+),(\d+),[\w|]+,[\w|]+,(\d+),(\w+)\)[^=(]* = (0x[0-9a-f]+)')
    for path, opened, length, used, offset, first in calls.findall(log):
        if opened:
            files[int(opened)] = path
        elif int(used) in files:
            found.append((int(first, 16), int(first, 16) + int(length), files[int(used)], int(offset, 0)))
    return found


def loaded(log, program, interpreter):
    """{real path: load bias} by the same log: where each file begins in memory, less where it says that it begins. QEMU
    loads the program and its interpreter itself, and tells where they are (-d page)."""
    found = {}
    for first, _, path, offset in mapped(log):
        path = on_this_machine(path)
        with open(path, 'rb') as file:
            is_elf = file.read(4) == b'\x7fELF'
        if is_elf and offset == 0:
            found[os.path.realpath(path)] = first - begin_of(path)[0]
    start, entry = (int(re.search(r'^%s +0x([0-9a-f]+)' % what, log, re.M)[1], 16) for what in ('start_code', 'entry'))
    found[os.path.realpath(program)] = start - begin_of(program)[0]
    found[os.path.realpath(interpreter)] = entry - begin_of(interpreter)[1]
    return found


def begin_of(path):
    """Of an ELF file of 64 bits: (where its first segment is, where its execution begins), as it says."""
    with open(path, 'rb') as file:
        data = file.read()
    entry, headers = struct.unpack_from('<QQ', data, 24)
    size, count = struct.unpack_from('<HH', data, 54)
    rows = [struct.unpack_from('<IIQQ', data, headers + size * i) for i in range(count)]
    return min(row[3] - row[2] for row in rows if row[0] == 1), entry


def on_this_machine(path):
    """A path of the program, which may be below the libraries' folder."""
    return path if os.path.exists(path) and not os.path.exists(ROOT + path) else ROOT + path
