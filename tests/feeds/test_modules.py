#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An ordinary program (PIE, shared libraries, dlopen, threads) is recorded and listed without --image: its functions
have the names that nm gives for them, as long as the files are what they were."""
import json
import os
import re
import shutil
import subprocess
import sys

from recording import Bench, Tap

ROOT = '/usr/aarch64-linux-gnu'  # Debian's libc6-arm64-cross
PROGRAM = r'''
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 7; return s; }
static void *thread(void *n) { return (void *)(long)work((int)(long)n); }
static int load(const char *path, const char *name)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        return -1;
    int (*call)(int);
    *(void **)&call = dlsym(library, name);
    int result = call ? call(20) : -2;
    dlclose(library);
    return result;
}
int main(int argc, char **argv)
{
    pthread_t other;
    void *result;
    if (argc < 3 || pthread_create(&other, 0, thread, (void *)30L) || pthread_join(other, &result))
        return 1;
    int one = load(argv[1], "one"), two = load(argv[2], "two");
    printf("%ld %d %d\n", (long)result, one, two);
    return 5;
}
'''
LIBRARY = '__attribute__((noinline)) static int inner(int n) { return n * %d + 1; }\n' \
          'int %s(int n) { int s = 0; for (int i = 0; i < n; i++) s += inner(i); return s; }\n'


def build(bench):
    """The program and the two libraries that it loads one behind the other."""
    files = {}
    for name, text, options in (('pie', PROGRAM, ['-pie']), ('one.so', LIBRARY % (3, 'one'), ['-shared', '-fPIC']),
                                ('two.so', LIBRARY % (5, 'two'), ['-shared', '-fPIC'])):
        source = bench.path(name + '.c')
        with open(source, 'w') as file:
            file.write(text)
        files[name] = bench.path(name)
        subprocess.run(['aarch64-linux-gnu-gcc', '-O1', '-g', *options, source, '-o', files[name]], check=True)
    return files


def functions(path):
    """(address, end, name) of an ELF file by nm, which knows nothing of Cairn."""
    out = subprocess.run(['aarch64-linux-gnu-nm', '-S', path], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return [(int(r[0], 16), int(r[0], 16) + int(r[1], 16), r[3]) for r in rows if len(r) == 4 and r[2] in 'tTwW']


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def listing(bench, folder):
    """(address, symbol or None) of each instruction; messages."""
    status, out, messages = bench.run([bench.cairn, 'flow', '--format', 'json', folder])
    if status:
        raise RuntimeError('flow: %d %s' % (status, messages))
    rows = []
    for line in out.splitlines():
        for code in json.loads(line).get('code', []):
            rows.append((number(code['address']), code.get('symbol')))
    return rows, messages


def info(bench, folder):
    _, out, _ = bench.run([bench.cairn, 'info', '--format', 'json', folder])
    return json.loads(out)


def compare(rows, modules, path):
    """Each instruction of a module's range against nm; problems, and the names that were seen."""
    table, problems, seen = functions(path), [], set()
    ranges = [(number(m['address']), number(m['length']), number(m['bias']))
              for m in modules if os.path.samefile(m['path'], path)]
    for address, symbol in rows:
        for first, length, bias in ranges:
            if not first <= address < first + length:
                continue
            wanted = {name for begin, end, name in table if begin <= address - bias < end}
            if wanted and symbol in wanted:
                seen.add(symbol)
                break
        else:
            if any(first <= address < first + length for first, length, _ in ranges) and \
               any(begin <= address - ranges[0][2] < end for begin, end, _ in table) and len(ranges) == 1:
                problems.append('0x%x of %s is called %s' % (address, path, symbol))
    return problems[:5], seen


# work(30) is 4 * 21 + 1; one(20) and two(20) are 190 * 3 + 20 and 190 * 5 + 20.
def names(bench, files, folder, messages, out, status):
    problems = []
    program = info(bench, folder)['program']
    rows, complaints = listing(bench, folder)
    found, seen = compare(rows, program['modules'], files['pie'])
    problems += found
    for wanted in ('main', 'work', 'thread', 'load'):
        if wanted not in seen:
            problems.append('no instruction of %s: %s' % (wanted, sorted(seen)))
    if status != 5 or program['exit_status'] != 5 or out != b'85 590 970\n':
        problems.append('status %d, %r, told %r' % (status, out, program['exit_status']))
    if program['arguments'] != [files['pie'], files['one.so'], files['two.so']] or program['path'] != files['pie']:
        problems.append('arguments %r' % program)
    if 'see it: cairn flow ' + folder not in messages or 'ended the program' in messages:
        problems.append('messages: ' + messages)
    if complaints:
        problems.append('flow: ' + complaints)
    return problems


def libraries(bench, files, folder):
    """The second one may lie where the first one was: each has its own names at its time."""
    rows, _ = listing(bench, folder)
    called = {symbol for _, symbol in rows}
    problems = ['nothing is called %s' % name for name in ('one', 'two', 'inner', 'printf') if name not in called and
                not any(symbol and name in symbol for symbol in called)]
    # Where one was and then the other, neither is said to differ; nor one of which the other is not known any more.
    for away in (None, 'one.so', 'two.so'):
        if away:
            os.rename(files[away], files[away] + '.away')
        _, out, _ = bench.run([bench.cairn, 'check', '--format', 'json', folder])
        if away:
            os.rename(files[away] + '.away', files[away])
        found = [json.loads(line) for line in out.splitlines()]
        codes = [row['code'] for row in found if row['type'] == 'finding']
        if codes != (['CAIRN-MODULE-MISSING'] if away else []):
            problems.append('without %s check says %r' % (away, codes))
    order = [symbol for _, symbol in rows if symbol in ('one', 'two')]
    if order != sorted(order):
        problems.append('one and two are mixed')
    return problems


RELOADER = r'''
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 1; i < argc; i++) {
        remove("plugin.so");
        if (link(argv[i], "plugin.so"))
            return 1;
        void *library = dlopen("./plugin.so", RTLD_NOW);
        int (*call)(int) = 0;
        if (library)
            *(void **)&call = dlsym(library, "work");
        sum += call ? call(20) : 0;
        if (library)
            dlclose(library);
    }
    printf("%d\n", sum);
    return 0;
}
'''


def reloaded(bench):
    """A plugin that is built anew while the program runs: each time that it is loaded it is what it was then."""
    built = {}
    for name, factor in (('old', 3), ('new', 5)):
        built[name] = bench.path(name + '.so')
        with open(bench.path('plugin.c'), 'w') as file:
            file.write(LIBRARY.replace('inner', 'inner_' + name) % (factor, 'work'))
        subprocess.run(['aarch64-linux-gnu-gcc', '-O1', '-shared', '-fPIC', bench.path('plugin.c'), '-o', built[name]],
                       check=True)
    with open(bench.path('reloader.c'), 'w') as file:
        file.write(RELOADER)
    program, folder = bench.path('reloader'), bench.path('reloaded')
    subprocess.run(['aarch64-linux-gnu-gcc', '-O1', bench.path('reloader.c'), '-o', program], check=True)
    done = subprocess.run([os.path.abspath(bench.cairn), 'record', '-o', folder, '-L', ROOT, '--', program,
                           *(built[name] for name in ('old', 'new', 'old', 'new', 'new'))],
                          cwd=bench.folder, env=bench.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    problems = [] if done.stdout == b'%d\n' % (2 * 590 + 3 * 970) else ['%r' % done]
    ids = {name: re.search(r'Build ID: (\w+)', subprocess.run(['readelf', '-n', path], stdout=subprocess.PIPE, text=True,
                                                              check=True).stdout)[1] for name, path in built.items()}
    told = [m['build_id'] for m in info(bench, folder)['program']['modules'] if m['path'].endswith('/plugin.so')]
    for name in ids: # each address of either is told once, or of each time
        if ids[name] not in told:
            problems.append('%s (%s) is not told: %s' % (name, ids[name], told))
    called = [symbol for _, symbol in listing(bench, folder)[0]]
    if 'inner_old' in called or called.count('inner_new') == 0:
        problems.append('inner_old %d, inner_new %d' % (called.count('inner_old'), called.count('inner_new')))
    # 20 calls of it each time, of one length: what is there under the name is of three of the five times
    os.remove(bench.path('plugin.so'))
    os.link(built['old'], bench.path('plugin.so'))
    others = [symbol for _, symbol in listing(bench, folder)[0]]
    both = {'old': others.count('inner_old'), 'new': called.count('inner_new')}
    calls = {name: both[name] / int_size(built[name], 'inner_' + name) for name in both}
    if calls != {'old': 40, 'new': 60}:
        problems.append('calls %r' % calls)
    return problems


def odd_names(bench):
    """A program has its names whatever it is called, and each row is a line."""
    problems = []
    for name in ('blank behind ', 'two\nlines', 'a #b', 'back\\012slash', "it's 100%=1,2"):
        program = bench.path(name)
        shutil.copy(bench.own('jit'), program)
        _, _, messages, folder = bench.record([program], ['--start', 'main'])
        _, out, _ = bench.run([bench.cairn, 'profile', folder])
        shown = name.replace('\n', '?')
        rows = [line for line in out.decode().splitlines() if re.search(r' main .*\(%s\)$' % re.escape(shown), line)]
        if len(rows) != 1:
            problems.append('%r: %s%s' % (name, messages, out.decode()[:300]))
    return problems


def int_size(path, name):
    """Instructions of a function without branches."""
    return next((end - begin) // 4 for begin, end, called in functions(path) if called == name)


def other_snapshot_readers(bench, folder):
    """What is Cairn's own stands in a file of its own, which others never open."""
    with open(os.path.join(folder, 'snapshot.ini')) as file:
        text = file.read()
    return [] if '[program]\nmetadata=program.ini\n' in text and 'program.ini' not in text.split('[device_list]')[1] \
        .split('[trace]')[0] else [text]


def changed(bench, files, folder):
    with open(bench.path('pie.c'), 'a') as file:
        file.write('int another(void) { return 3; }\n')
    subprocess.run(['aarch64-linux-gnu-gcc', '-O1', '-g', '-pie', bench.path('pie.c'), '-o', files['pie']], check=True)
    os.remove(files['two.so'])
    rows, messages = listing(bench, folder)
    called = {symbol for _, symbol in rows}
    problems = ['%s has a name still' % name for name in ('main', 'work', 'two') if name in called]
    if 'one' not in called:
        problems.append('one has lost its name')
    states = {os.path.basename(m['path']): m['state'] for m in info(bench, folder)['program']['modules']}
    if (states.get('pie'), states.get('two.so'), states.get('one.so')) != ('changed', 'missing', 'used'):
        problems.append('states %r' % states)
    _, text, _ = bench.run([bench.cairn, 'check', '--all', folder])
    if isinstance(text, bytes):
        text = text.decode()
    for part in ('pie has changed since it was recorded', 'two.so: what was recorded is not there any more'):
        if part not in text:
            problems.append('check does not say %r: %s' % (part, text[:600]))
    return problems


def main():
    bench, tap = Bench(sys.argv), Tap()
    why = bench.missing()
    if not why and not bench.own('jit'):
        why = 'no cross compiler (Debian: gcc-aarch64-linux-gnu)'
    if not why and not os.path.isdir(os.path.join(ROOT, 'lib')):
        why = 'no libraries in %s (Debian: libc6-arm64-cross)' % ROOT
    cases = ('names by nm', 'libraries loaded and unloaded', 'nothing for other readers', 'changed and missing files',
             'a plugin that is built anew', 'programs with odd names')
    if why:
        for name in cases:
            tap.skip(name, why)
    else:
        files = build(bench)
        status, out, messages, folder = bench.record([files['pie'], files['one.so'], files['two.so']], ['-L', ROOT])
        tap.case(cases[0], names(bench, files, folder, messages, out, status))
        tap.case(cases[1], libraries(bench, files, folder))
        tap.case(cases[2], other_snapshot_readers(bench, folder))
        tap.case(cases[3], changed(bench, files, folder))
        tap.case(cases[4], reloaded(bench))
        tap.case(cases[5], odd_names(bench))
    bench.close()
    tap.end()


main()
