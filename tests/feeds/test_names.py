#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Names where an address is asked for. What a name is, is compared with nm, addr2line and objdump; what a recording
by names traces, with the addresses that a plain plugin saw in the same run, filtered by what nm says."""
import bisect
import json
import os
import re
import subprocess
import sys

from recording import Bench, Tap

A64 = dict(tools='aarch64-linux-gnu-', root='/usr/aarch64-linux-gnu', qemu='qemu-aarch64')
A32 = dict(tools='arm-linux-gnueabihf-', root='/usr/arm-linux-gnueabihf', qemu='qemu-arm')

# Two functions of one name, one with a part elsewhere, one that is copied into others, and a library's.
SOURCES = {
    'a.c': r'''
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int shared_sum(int n);
int second(int n);
static __attribute__((noinline)) int helper(int n) { return n * 3 + 1; }
static inline __attribute__((always_inline)) int tiny(int n)
{
    n ^= n >> 3;
    return n + 5;
}
__attribute__((noinline)) int work(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += helper(i) % 7;
    return s;
}
__attribute__((noinline)) int checked(int n)
{
    if (n < 0) {
        fprintf(stderr, "negative\n");
        exit(n);
    }
    return tiny(n) + work(n);
}
__attribute__((noinline)) int done(int n)
{
    return n - 1;
}
int main(int argc, char **argv)
{
    int s = checked(argc * 10) + second(argc);
    s += shared_sum(12) + tiny(s);
    return done(s) & 1;
}
''',
    'b.c': r'''
static __attribute__((noinline)) int helper(int n) { return n * n + 2; }
int second(int n) { int s = 0; for (int i = 0; i < 5; i++) s += helper(n + i); return s; }
''',
    'lib.c': r'''
__attribute__((noinline)) int shared_step(int n) { return n ^ n << 2; }
int shared_sum(int n) { int s = 0; while (n-- > 0) s += shared_step(n); return s; }
''',
    # Loads two libraries one behind the other.
    'load.c': r'''
#include <dlfcn.h>
#include <stdio.h>
__attribute__((noinline)) int between(int n) { return n + 2; }
static int load(const char *path, const char *name)
{
    void *library = dlopen(path, RTLD_NOW);
    int (*call)(int) = 0;
    if (!library)
        return -1;
    *(void **)&call = dlsym(library, name);
    int result = call ? call(20) : -2;
    dlclose(library);
    return result;
}
int main(int argc, char **argv)
{
    int n = load(argv[1], "one") + between(argc);
    return n + load(argv[2], "two") > 0 ? 3 : 4;
}
''',
    'one.c': 'int one(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3; return s; }\n',
    'two.c': 'int two(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 5; return s; }\n',
    # A thread that is there when a library is loaded executes it, too.
    'meets.c': r'''
#include <dlfcn.h>
#include <pthread.h>
static int (*volatile call)(int);
static void *other(void *n)
{
    int (*now)(int);
    while (!(now = call))
        ;
    return (void *)(long)now(20);
}
int main(int argc, char **argv)
{
    pthread_t thread;
    void *result, *library, *symbol;
    if (pthread_create(&thread, 0, other, 0) || !(library = dlopen(argv[1], RTLD_NOW)))
        return 1;
    symbol = dlsym(library, "one");
    int (*now)(int) = 0;
    *(void **)&now = symbol;
    int mine = now(20);
    call = now;
    pthread_join(thread, &result);
    return mine == (int)(long)result ? 3 : 4;
}
''',
    'threads.c': r'''
#include <pthread.h>
static pthread_barrier_t barrier;
__attribute__((noinline)) int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 7; return s; }
__attribute__((noinline)) void begin(void) { __asm__ volatile(""); }
static void *early(void *n) { pthread_barrier_wait(&barrier); return (void *)(long)work(100); }
static void *late(void *n) { return (void *)(long)work(200); }
int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&a, 0, early, 0);
    begin();
    pthread_create(&b, 0, late, 0);
    pthread_join(b, 0);
    pthread_barrier_wait(&barrier);
    pthread_join(a, 0);
    return 0;
}
''',
    'shapes.cc': r'''
#include <cstdio>
#include <stdexcept>
namespace shape {
struct Box { int w, h; int area() const; Box operator+(const Box &other) const; };
__attribute__((noinline)) int Box::area() const { if (w < 0) throw std::runtime_error("w"); return w * h; }
__attribute__((noinline)) Box Box::operator+(const Box &other) const { return {w + other.w, h + other.h}; }
__attribute__((noinline)) int total(int n) { int s = 0; for (int i = 0; i < n; i++) s += Box{i, i}.area(); return s; }
__attribute__((noinline)) int total(const Box &box) { return (box + box).area(); }
}
int main(int argc, char **)
{
    int s = shape::total(argc + 9) + shape::total(shape::Box{argc, 2});
    try { s += shape::Box{-argc, 1}.area(); } catch (const std::exception &) { s++; }
    return s & 1;
}
''',
}
SUFFIX = r'(\.(cold|part|constprop|isra|lto_priv|localalias)(\.\d+)*)+'


class Build:
    """The programs, for one instruction set."""

    def __init__(self, bench, target, name):
        self.bench, self.target, self.folder = bench, target, bench.path(name)
        os.mkdir(self.folder)
        for source, text in SOURCES.items():
            with open(self.path(source), 'w') as file:
                file.write(text)

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, name, sources, *options, compiler='gcc', libraries=()):
        subprocess.run([self.target['tools'] + compiler, '-O2', '-g', *options, *map(self.path, sources), '-o',
                        self.path(name), *(['-L' + self.folder, *libraries, '-Wl,-rpath,' + self.folder] if libraries else [])],
                       check=True)
        return self.path(name)

    def tool(self, tool, *arguments, text=None):
        return subprocess.run([self.target['tools'] + tool, *arguments], stdout=subprocess.PIPE, input=text,
                              text=True, check=True).stdout

    def functions(self, path):
        """[(name, first, last)] by nm."""
        rows = [line.split() for line in self.tool('nm', '-S', path).splitlines()]
        return [(r[3], int(r[0], 16) & ~1, (int(r[0], 16) & ~1) + int(r[1], 16) - 1)
                for r in rows if len(r) == 4 and r[2] in 'tTwWi' and int(r[1], 16)]

    def function(self, path, name):
        found = [(first, last) for one, first, last in self.functions(path) if one == name]
        assert len(found) == 1, (name, found)
        return found[0]

    def instructions(self, path):
        """Addresses of the functions of the program's own source files, by objdump."""
        out, own = [], False
        for line in self.tool('objdump', '-d', '-l', '--no-show-raw-insn', path).splitlines():
            if line.startswith('/') and re.match(r'.*\.cc?:\d+', line):
                own = line.startswith(self.folder)
            m = re.match(r'\s+([0-9a-f]+):\t(\S+)', line)
            if m and own and not m[2].startswith('.'): # .word: a literal
                out.append(int(m[1], 16))
        return out


def find(names, path, texts, *options):
    """{text: [(kind, first, last, is_entry, function, source)]} of the library."""
    out = subprocess.run([names, *options, path, '--', *texts], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {text: [] for text in texts}
    for line in out.splitlines():
        text, kind, *rest = line.split('\t')
        found[text].append(('error', rest[0]) if kind == 'error' else
                           (kind, int(rest[0], 16), int(rest[1], 16), rest[2] == '1', rest[3], rest[4]))
    return found


def symbols_by_nm(build, names, path):
    """Every function of the file by its name: all of that name, and what compilers append."""
    table, problems = build.functions(path), []
    wanted = sorted({name.split('@')[0] for name, _, _ in table})
    found = find(names, path, wanted)
    for name in wanted:
        pattern = re.compile(re.escape(name) + '(' + SUFFIX + r')?(@.*)?$')
        expected = {(first, last) for one, first, last in table if pattern.match(one)}
        got = {(row[1], row[2]) for row in found[name] if row[0] in ('function', 'part')}
        if got != expected:
            problems.append('%s: %s is %s, nm has %s' % (os.path.basename(path), name, sorted(got)[:3],
                                                         sorted(expected)[:3]))
    return problems if len(wanted) > 1 else problems + ['only %d functions' % len(wanted)]


def versions_by_nm(build, names):
    """Of a library's symbols, whose versions are not in their names."""
    library = build.target['root'] + '/lib/libc.so.6'
    rows = [line.split() for line in build.tool('nm', '-D', '-S', library).splitlines()]
    table = {r[3]: ((int(r[0], 16) & ~1), (int(r[0], 16) & ~1) + int(r[1], 16) - 1) for r in rows
             if len(r) == 4 and r[2] in 'TWi' and '@' in r[3] and int(r[1], 16)}
    chosen = sorted(table)[::7]
    found = find(names, library, [name.replace('@@', '@') for name in chosen])
    problems = ['%s: %s, nm has %s' % (name, found[name.replace('@@', '@')], table[name]) for name in chosen
                if table[name] not in [row[1:3] for row in found[name.replace('@@', '@')]]]
    other = find(names, library, [name.split('@')[0] + '@NONE_1' for name in chosen[:50]])
    problems += ['%s: %s' % row for row in other.items() if row[1][0][0] != 'error']
    return problems if len(chosen) > 100 else problems + ['only %d symbols' % len(chosen)]


def lines_by_addr2line(build, names, path, source):
    """Of every line of a source file the addresses that addr2line says are its, or the next one's that has some."""
    addresses = build.instructions(path)
    out = build.tool('addr2line', '-e', path, text=''.join('0x%x\n' % a for a in addresses)).splitlines()
    by_line = {}
    for address, where in zip(addresses, out):
        file, line = where.split(' ')[0].rsplit(':', 1)
        if os.path.basename(file) == source and line.isdigit():
            by_line.setdefault(int(line), set()).add(address)
    last = max(by_line)
    found = find(names, path, ['%s:%d' % (source, n) for n in range(1, last + 1)])
    problems = []
    for n in range(1, last + 1):
        expected = by_line[min(line for line in by_line if line >= n)]
        rows = found['%s:%d' % (source, n)]
        got = {a for a in addresses if any(row[0] == 'line' and row[1] <= a <= row[2] for row in rows)}
        if got != expected:
            problems.append('%s:%d: %s, addr2line has %s' % (source, n, ['%x' % a for a in sorted(got)][:6],
                                                             ['%x' % a for a in sorted(expected)][:6]))
        if not any(row[3] for row in rows if row[0] == 'line'):
            problems.append('%s:%d begins nowhere: %s' % (source, n, rows))
    return problems if len(by_line) > 5 else problems + ['only %d lines' % len(by_line)]


def copies_by_addr2line(build, names, path, function):
    """Where addr2line sees the function inside others."""
    addresses = build.instructions(path)
    out = build.tool('addr2line', '-a', '-f', '-i', '-e', path, text=''.join('0x%x\n' % a for a in addresses))
    expected, address = set(), None
    for line in out.splitlines():
        if line.startswith('0x'):
            address = int(line, 16)
        elif line == function:
            expected.add(address)
    rows = find(names, path, [function])[function] # there is no function of that name
    got = {a for a in addresses if any(row[0] == 'inlined' and row[1] <= a <= row[2] for row in rows)}
    problems = [] if got == expected and expected else ['%s: %s, addr2line has %s' % (function, got, expected)]
    if {row[4] for row in rows} != {'checked', 'main'} or sum(row[3] for row in rows) != 2:
        problems.append('copies: %s' % rows)
    return problems


# --- recordings ---

def record(bench, build, program, options, *, protocol=None):
    """(status, messages, [addresses of thread_1 in the flow], [what the plain plugin saw], {module: bias})."""
    listed = bench.path('list')
    extra = ['--protocol', protocol] if protocol else []
    status, _, messages, folder = bench.record(
        program, [*extra, '-L', build.target['root'], '--qemu-argument=-plugin',
                  '--qemu-argument=%s,list=%s' % (bench.addresses, listed), *options])
    with open(listed) as file:
        seen = [int(line, 16) for line in file]
    done, out, _ = bench.run([bench.cairn, 'flow', '--format', 'addresses', '--source', 'thread_1', folder])
    flow = [int(line.split()[0], 16) for line in out.decode().splitlines() if not line.startswith('#')]
    if b'# gap' in out:
        messages += 'flow: there is a gap'
    _, out, _ = bench.run([bench.cairn, 'info', '--format', 'json', folder])
    modules = {}
    for module in json.loads(out)['program']['modules']:
        bias = module['bias']
        modules[os.path.basename(module['path'])] = int(bias, 0) if isinstance(bias, str) else bias
    return status, messages, flow, seen, modules


def differ(what, got, expected):
    if got == expected and expected:
        return []
    at = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), min(len(got), len(expected)))
    return ['%s: %d instructions, not %d; from instruction %d on %s, not %s' %
            (what, len(got), len(expected), at, ['%x' % a for a in got[at:at + 4]],
             ['%x' % a for a in expected[at:at + 4]])]


def within(seen, ranges):
    return [a for a in seen if any(first <= a <= last for first, last in ranges)]


def moved(ranges, bias):
    return [(first + bias, last + bias) for first, last in ranges]


def included(bench, build, path, name, *, protocol=None, library=None, text=None, status=None):
    """What is traced is what ran of the function, with all parts of it, and nothing else."""
    of = library or path
    done, messages, flow, seen, modules = record(bench, build, [path], ['--include', text or name], protocol=protocol)
    pattern = re.compile(re.escape(name) + '(' + SUFFIX + ')?$')
    ranges = moved([(first, last) for one, first, last in build.functions(of) if pattern.match(one)],
                   modules.get(os.path.basename(of), 0))
    what = '%s of %s%s' % (text or name, os.path.basename(of), ', ' + protocol if protocol else '')
    return differ(what, flow, within(seen, ranges)) + ([messages] if 'never' in messages or 'gap' in messages else [])


def started(bench, build, path, *, protocol=None):
    """From main on, up to the block that has the stop point."""
    _, messages, flow, seen, modules = record(bench, build, [path], ['--start', 'main', '--stop', 'done'],
                                              protocol=protocol)
    bias = modules.get(os.path.basename(path), 0)
    first, stop = (build.function(path, name)[0] + bias for name in ('main', 'done'))
    begin = seen.index(first)
    end = seen.index(stop, begin)
    what = '--start main --stop done of %s%s' % (os.path.basename(path), ', ' + protocol if protocol else '')
    # An ETMv3 compares instructions; of others the block is traced to its end, done's return.
    problems = differ(what, flow[:end - begin], seen[begin:end])
    rest = flow[end - begin:]
    if rest != seen[end:end + len(rest)] or len(rest) > 8:
        problems.append('%s: behind the stop point %s' % (what, ['%x' % a for a in rest[:8]]))
    return problems + ([messages] if 'gap' in messages else [])


def excluded(bench, build, path, library):
    _, messages, flow, seen, modules = record(bench, build, [path],
                                              ['--start', 'main', '--exclude', 'work', '--exclude',
                                               'liblib.so:shared_step'])
    main_at = build.function(path, 'main')[0] + modules[os.path.basename(path)]
    ranges = moved([build.function(path, 'work')], modules[os.path.basename(path)]) + \
        moved([build.function(library, 'shared_step')], modules[os.path.basename(library)])
    seen = seen[seen.index(main_at):]
    inside = set(within(seen, ranges))
    # The plain plugin is not told that the system call is over that ends the program.
    wanted = [a for a in seen if a not in inside]
    problems = differ('all but work and shared_step', flow[:len(wanted)], wanted)
    if len(flow) > len(wanted) + 1:
        problems.append('%d instructions more' % (len(flow) - len(wanted)))
    return problems + ([] if inside else ['nothing was excluded']) + ([messages] if 'gap' in messages else [])


def loaded(bench, build, path, *, protocol=None):
    """Libraries that come and go: their names are known when they are mapped, and not earlier."""
    program = [path, build.path('one.so'), build.path('two.so')]
    options = ['--include', 'one.so:one', '--include', 'two.so:two', '--include', 'between']
    status, messages, flow, seen, modules = record(bench, build, program, options, protocol=protocol)
    ranges = [r for file, name in ((path, 'between'), (program[1], 'one'), (program[2], 'two'))
              for r in moved([build.function(file, name)], modules[os.path.basename(file)])]
    # Where one.so was, two.so may be: each call is one stretch, in that order.
    at, expected = 0, []
    for (first, last), name in zip((ranges[1], ranges[0], ranges[2]), ('one', 'between', 'two')):
        at = seen.index(first, at)
        while at < len(seen) and first <= seen[at] <= last:
            expected.append(seen[at])
            at += 1
    problems = differ('one, between, two%s' % (', ' + protocol if protocol else ''), flow, expected)
    return problems + ([] if status == 3 and 'never' not in messages else ['status %d; %s' % (status, messages)])


def goes_on(bench, build, path, *, protocol=None):
    """A unit that traces is programmed anew when a library comes, and traces on."""
    program = [path, build.path('one.so'), build.path('two.so')]
    _, messages, flow, seen, modules = record(bench, build, program, ['--start', 'between', '--stop', 'two.so:two'],
                                              protocol=protocol)
    begin = seen.index(build.function(path, 'between')[0] + modules[os.path.basename(path)])
    end = seen.index(build.function(program[2], 'two')[0] + modules['two.so'], begin)
    what = 'from between to two%s' % (', ' + protocol if protocol else '')
    problems = differ(what, flow[:end - begin], seen[begin:end])
    if len(flow) > end - begin + 16 or end - begin < 1000:
        problems.append('%s: %d instructions, not %d' % (what, len(flow), end - begin))
    return problems + ([messages] if 'gap' in messages else [])


def of_both(bench, build, path, *, protocol=None):
    """So is the unit of a thread that was running already."""
    program = [path, build.path('one.so')]
    status, messages, flow, seen, modules = record(bench, build, program, ['--include', 'one.so:one'], protocol=protocol)
    expected = within(seen, moved([build.function(program[1], 'one')], modules['one.so']))
    problems = differ('one of thread_1', flow, expected)
    _, out, _ = bench.run([bench.cairn, 'flow', '--format', 'addresses', '--source', 'thread_2', bench.path('capture')])
    other = [int(line.split()[0], 16) for line in out.decode().splitlines() if not line.startswith('#')]
    return problems + differ('one of thread_2', other, expected) + ([] if status == 3 else [messages])


def of_threads(bench, build, path, *, protocol=None):
    """A thread is traced from its first instruction where the one that creates it is traced; else it has to come to
    a start point itself, and says so where it never does."""
    lines = bench.path('beside')
    beside = ['--qemu-argument=-plugin', '--qemu-argument=%s,out=%s' % (bench.addresses, lines)]
    extra = ['--protocol', protocol] if protocol else []
    problems = []
    for start, whole, empty in (('main', 2, 0), ('begin', 1, 1), ('late', 0, 2)):
        _, _, messages, folder = bench.record([path], [*extra, '-L', build.target['root'], *beside, '--timestamps',
                                                       '--start', start])
        executed = bench.read_plain(lines)
        rows = bench.decode(folder)
        same = [row for row in rows if row[:2] in executed]
        nothing = [row[3] for row in rows if row[0] == '0']
        if len(rows) != 3 or len(same) != whole or len(nothing) != empty or any(row[2] != '0' for row in rows):
            problems.append('%s --start %s: decoded %r, executed %r' % (protocol, start, rows, executed))
        said = '%d of 3 sources never came to a --start address' % empty
        if (said in messages) != (empty > 0):
            problems.append('--start %s: %s' % (start, messages))
        _, out, _ = bench.run([bench.cairn, 'flow', '--merge', 'time', folder])
        text = out.decode()
        if text.count('execution never came to a start point') != empty or 'no timestamps' in text:
            problems.append('--start %s: flow says %s' % (start, [line for line in text.splitlines() if
                                                                 line.startswith('--')]))
    return problems


def in_cpp(bench, build, path):
    problems = []
    for text, mangled in (('shape::total', ['_ZN5shape5totalEi', '_ZN5shape5totalERKNS_3BoxE']),
                          ('shape::total(int)', ['_ZN5shape5totalEi']), ('area', ['_ZNK5shape3Box4areaEv']),
                          ('shape::Box::operator+', ['_ZNK5shape3BoxplERKS0_']),
                          ('_ZN5shape5totalEi', ['_ZN5shape5totalEi'])):
        _, messages, flow, seen, modules = record(bench, build, [path], ['--include', text])
        ranges = moved([(first, last) for name, first, last in build.functions(path)
                        if any(re.match(re.escape(one) + '(' + SUFFIX + ')?$', name) for one in mangled)],
                       modules[os.path.basename(path)])
        problems += differ(text, flow, within(seen, ranges))
    return problems


def of_firmware(bench, build, names):
    """Firmware is where its file says."""
    program = bench.own('exceptions')
    if not program:
        return []
    problems, folder = [], bench.path('firmware')
    flows = {}
    for options in ([], ['--include', 'work']):
        bench.run([bench.cairn, 'record', '-o', folder, '--force', '--machine', 'mps2-an385', '--protocol', 'etmv3',
                   '--limit', '200000', *options, '--', program])
        _, out, _ = bench.run([bench.cairn, 'flow', '--format', 'addresses', folder])
        flows[bool(options)] = [int(line.split()[0], 16) for line in out.decode().splitlines()
                                if not line.startswith('#')]
    return differ('work of firmware', flows[True], within(flows[False], [build.function(program, 'work')]))


def of_a_log(bench, build, path):
    """A TARMAC log has no names: an image that is given with it has."""
    log, folder, problems = bench.path('log'), bench.path('logged'), []
    first, last = build.function(path, 'done')
    code = {}
    for line in build.tool('objdump', '-d', path).splitlines():
        m = re.match(r'\s+([0-9a-f]+):\t([0-9a-f]{8}) ', line)
        if m:
            code[int(m[1], 16)] = m[2]
    order = [a for a in sorted(code) if first <= a <= last] # it has no branch but its return
    work = build.function(path, 'work')[0]
    before = [work, work + 4]
    with open(log, 'w') as file:
        for n, address in enumerate(before + order):
            file.write('%d clk cpu0 IT (%d) %08x %s O EL1h_n : x\n' % (n, n, address, code[address]))
    for options, expected, message in (
            (['--include', 'done'], None, 'a log has no names; give the file'),
            (['--include', 'done', '--image', path], order, None),
            (['--start', 'done+4', '--image', path], order, None),
            (['--include', 'doen', '--image', path], None, "did you mean 'done'?")):
        status, _, messages = bench.run([bench.cairn, 'record', '-o', folder, '--force', '--tarmac', log, *options])
        if message:
            if status != 2 or message not in messages:
                problems.append('%s: status %d, %s' % (options, status, messages))
            continue
        _, out, _ = bench.run([bench.cairn, 'flow', '--format', 'addresses', '--image', path, folder])
        flow = [int(line.split()[0], 16) for line in out.decode().splitlines() if not line.startswith('#')]
        problems += differ(str(options), flow, expected)
    return problems


def what_is_wrong(bench, build, fixed, pie):
    """Told at once where it can be known, at the end where not."""
    pairs = [part for i in range(8) for part in ('--include', '0x%x000-0x%xfff' % (i + 1, i + 1))]
    problems = []
    for program, options, status, part in (
            (fixed, ['--start', 'mian'], 2, "no function 'mian' in fixed; did you mean 'main'"),
            (fixed, ['--include', 'main+0x4000'], 2, 'behind its end: it has 0x'),
            (fixed, ['--include', '0x400600'], 2, 'expected FIRST-LAST'),
            (fixed, ['--include', 'helper..main'], 2, "'helper' is in 2 places, and an end is one"),
            (fixed, ['--start', 'main..done'], 2, 'expected one place'),
            (fixed, ['--start', 'a.c:9999'], 2, 'its last line with code is '),
            (fixed, ['--start', 'a.h:1'], 2, "no source file 'a.h'"),
            (fixed, ['--image', fixed], 2, '--image is for --tarmac and --machine'),
            (fixed, ['--protocol', 'mtb', '--start', 'main'], 2, 'an MTB has no such options'),
            (fixed, [*pairs, '--include', 'main'], 2, '9 ranges (a function may be in several), but the trace unit has '
                                                      'comparators for 8 (TRCIDR4.NUMACPAIRS)'),
            (pie, [*pairs, '--include', 'main'], 2, 'comparators for 8 (TRCIDR4.NUMACPAIRS)'),
            (pie, ['--set', 'TRCIDR4=0x880f0001', '--include', 'main', '--include', 'work'], 2, 'for 1 (TRCIDR4'),
            (pie, [*pairs, '--start', 'main'], 2, 'has 0 comparators left'),
            (pie, ['--start', 'main', '--stop', 'main'], 2, 'both a --start and a --stop'),
            # The library's place is known when it is mapped.
            (pie, [*pairs, '--include', 'liblib.so:shared_sum'], None, 'needs more comparators than the trace unit has left'),
            (pie, ['--start', 'mian'], None, "--start mian: never found: no function 'mian' in "),
            (pie, ['--include', 'liblib.so:shared_smu'], None, "no function 'shared_smu' in liblib.so; did you mean "
                                                               "'shared_sum'?"),
            (pie, ['--include', 'libmissing.so:sum'], None, "'libmissing.so', which is none of the files that have names"),
            (pie, ['--include', 'libc.so.6:memcpy'], None, 'chosen among several when the program starts'),
            (pie, ['--include', 'helper'], None, '2 functions are called so, and all are meant'),
            (pie, ['--include', 'a.c:helper'], None, 'see it')):
        done, _, messages, folder = bench.record([program], ['-L', build.target['root'], *options], name='wrong')
        if part not in messages or (status is not None and (done != status or os.path.exists(folder))) or \
           (status is None and done == 2):
            problems.append('%s: status %d, %r should say %r' % (options, done, messages, part))
    done, out, messages = bench.run([bench.cairn, 'record', '--dump-config', '--start', 'main'])
    if done != 2 or 'a name needs the program' not in messages:
        problems.append('no program: %d %s' % (done, messages))
    first, last = build.function(fixed, 'main')
    done, out, messages = bench.run([bench.cairn, 'record', '--dump-config', '--include', 'main', '--', fixed])
    if ('TRCACVR0=0x%08x\nTRCACVR1=0x%08x\n' % (first, last)).encode() not in out:
        problems.append('registers of main: %s %s' % (out, messages))
    return problems


def sources_are_chosen(bench, build, names, path):
    """Functions of one name, by the file that each is in."""
    table = sorted((first, last) for name, first, last in build.functions(path) if name == 'helper')
    found = find(names, path, ['helper', 'a.c:helper', 'b.c:helper', 'a.c:main', 'b.c:main', 'fixed:b.c:3'])
    got = {text: sorted((row[1], row[2]) for row in rows if row[0] != 'error') for text, rows in found.items()}
    problems = []
    if len(table) != 2 or got['helper'] != table or sorted(got['a.c:helper'] + got['b.c:helper']) != table or \
       got['a.c:helper'] == got['b.c:helper']:
        problems.append('helper: %s, nm has %s' % (got, table))
    if got['a.c:main'] != [build.function(path, 'main')] or got['b.c:main'] or not got['fixed:b.c:3']:
        problems.append('main: %s' % got)
    return problems


CASES = ('symbols by nm', 'lines by addr2line', 'copies by addr2line', 'source files', 'include', 'start and stop',
         'exclude', 'libraries that come and go', 'programmed anew', 'threads', 'C++', 'firmware', 'a log',
         'what is wrong')


def make_all(build, is_a32):
    build.make('liblib.so', ['lib.c'], '-shared', '-fPIC')
    made = dict(fixed=build.make('fixed', ['a.c', 'b.c', 'lib.c'], '-static', '-no-pie'),
                pie=build.make('pie', ['a.c', 'b.c'], '-pie', '-fPIE', libraries=['-llib']),
                load=build.make('load', ['load.c'], '-pie', '-fPIE'),
                one=build.make('one.so', ['one.c'], '-shared', '-fPIC'),
                two=build.make('two.so', ['two.c'], '-shared', '-fPIC'),
                meets=build.make('meets', ['meets.c'], '-pthread'),
                threads=build.make('threads', ['threads.c'], '-pthread'), lib=build.path('liblib.so'))
    if not is_a32:
        made.update(static_pie=build.make('static_pie', ['a.c', 'b.c', 'lib.c'], '-static-pie', '-fPIE'),
                    dynamic=build.make('dynamic', ['a.c', 'b.c'], '-no-pie', libraries=['-llib']),
                    cpp=build.make('cpp', ['shapes.cc'], '-pie', '-fPIE', compiler='g++'))
    return made


def main():
    bench, tap, names = Bench(sys.argv), Tap(), sys.argv[5]
    why = bench.missing() or bench.missing('qemu-arm')
    if not why and not (bench.own('jit') and bench.own('mixed-t32') and bench.own('throws')):
        why = 'no cross compilers (Debian: g++-aarch64-linux-gnu, gcc-arm-linux-gnueabihf)'
    if not why and not all(os.path.isdir(target['root'] + '/lib') for target in (A64, A32)):
        why = 'no libraries (Debian: libc6-arm64-cross, libc6-armhf-cross)'
    if why:
        for case in CASES:
            tap.skip(case, why)
        tap.end()
    a64, a32 = Build(bench, A64, 'a64'), Build(bench, A32, 'a32')
    wide, thumb = make_all(a64, False), make_all(a32, True)
    results = [
        lambda: [p for path in ('fixed', 'pie', 'lib', 'static_pie', 'dynamic')
                 for p in symbols_by_nm(a64, names, wide[path])] +
        versions_by_nm(a64, names) + versions_by_nm(a32, names) +
        [p for path in ('fixed', 'pie', 'lib') for p in symbols_by_nm(a32, names, thumb[path])],
        lambda: lines_by_addr2line(a64, names, wide['fixed'], 'a.c') +
        lines_by_addr2line(a64, names, wide['pie'], 'a.c') + lines_by_addr2line(a32, names, thumb['pie'], 'a.c') +
        lines_by_addr2line(a64, names, wide['cpp'], 'shapes.cc'),
        lambda: copies_by_addr2line(a64, names, wide['pie'], 'tiny') +
        copies_by_addr2line(a32, names, thumb['fixed'], 'tiny'),
        lambda: sources_are_chosen(bench, a64, names, wide['fixed']),
        lambda: [p for path in ('fixed', 'static_pie', 'dynamic', 'pie') for name in ('work', 'checked', 'helper')
                 for p in included(bench, a64, wide[path], name)] +
        [p for text in ('liblib.so:shared_sum', 'shared_sum') for path in ('pie', 'dynamic')
         for p in included(bench, a64, wide[path], 'shared_sum', library=wide['lib'], text=text)] +
        [p for protocol in ('etmv4',) for p in included(bench, a64, wide['pie'], 'work', protocol=protocol)] +
        [p for protocol in ('ptm', 'etmv3') for path in ('fixed', 'pie')
         for p in included(bench, a32, thumb[path], 'work', protocol=protocol)],
        lambda: [p for path in ('fixed', 'static_pie', 'dynamic', 'pie') for p in started(bench, a64, wide[path])] +
        [p for protocol in ('ptm', 'etmv3') for p in started(bench, a32, thumb['pie'], protocol=protocol)],
        lambda: excluded(bench, a64, wide['pie'], wide['lib']),
        lambda: loaded(bench, a64, wide['load']) +
        [p for protocol in ('ptm', 'etmv3') for p in loaded(bench, a32, thumb['load'], protocol=protocol)],
        lambda: goes_on(bench, a64, wide['load']) + goes_on(bench, a64, wide['load'], protocol='etmv4') +
        [p for protocol in ('ptm', 'etmv3') for p in goes_on(bench, a32, thumb['load'], protocol=protocol)] +
        of_both(bench, a64, wide['meets']) + of_both(bench, a32, thumb['meets'], protocol='ptm'),
        lambda: of_threads(bench, a64, wide['threads']) +
        [p for protocol in ('ptm', 'etmv3') for p in of_threads(bench, a32, thumb['threads'], protocol=protocol)],
        lambda: in_cpp(bench, a64, wide['cpp']),
        lambda: of_firmware(bench, a32, names),
        lambda: of_a_log(bench, a64, wide['fixed']),
        lambda: what_is_wrong(bench, a64, wide['fixed'], wide['pie'])]
    for name, run in zip(CASES, results):
        tap.case(name, run())
    bench.close()
    tap.end()


main()
