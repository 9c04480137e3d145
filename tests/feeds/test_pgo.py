#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Profiles of recorded programs, read by those that they are for: llvm-profgen makes the same LLVM profile from the
counts; llvm-profdata reads and merges it, and clang makes other code by it; llvm-bolt and merge-fdata read fdata, and
count by it as many instructions as were executed; perf2bolt reads the pre-aggregated text. Through branch lists it is the
same but for what those do not have.

usage: test_pgo.py CAIRN FLOWHASH ADDRESSES PROGRAMS
"""
import os
import re
import shutil
import subprocess
import sys

from recording import Bench, Tap

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'programs', 'hot.c')
CC = 'aarch64-linux-gnu-gcc'
TARGET = ['--target=aarch64-linux-gnu']
CLANG = ['clang', *TARGET, '-O2', '-gline-tables-only', '-fdebug-info-for-profiling']
PERF2BOLT = '/usr/lib/llvm-19/bin/perf2bolt'  # it goes by its name: as perf2bolt-19 it is llvm-bolt
NEEDED = ('clang', 'ld.lld', 'aarch64-linux-gnu-objcopy', CC, 'llvm-profgen-19', 'llvm-profdata-19', 'llvm-bolt-19',
          'merge-fdata-19', PERF2BOLT, 'qemu-aarch64')
ROOT = '/usr/aarch64-linux-gnu'
COUNT = '3000'


def do(*words, **more):
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=300, **more)


class Case:
    """hot.c as a dynamically linked, position independent program of clang's, recorded."""

    def __init__(self, bench):
        self.bench, self.problems = bench, []
        self.program, self.recording = bench.path('hot'), bench.path('recording')
        self.must(*CLANG, '-fPIE', '-c', SOURCE, '-o', bench.path('hot.o'))
        self.must(CC, '-pie', bench.path('hot.o'), '-Wl,--emit-relocs', '-o', self.program)
        self.printed = self.must('qemu-aarch64', '-L', ROOT, self.program, COUNT)
        self.must(bench.cairn, 'record', '-o', self.recording, '--', self.program, COUNT,
                  env=dict(os.environ, QEMU_LD_PREFIX=ROOT))

    def must(self, *words, **more):
        done = do(*words, **more)
        if done.returncode:
            self.problems.append('%s: %s' % (' '.join(map(str, words)), done.stderr or done.stdout))
        return done.stdout

    def pgo(self, form, *arguments):
        path = self.bench.path('profile.' + form)
        self.must(self.bench.cairn, 'pgo', '--force', '--binary', self.program, '--format', form, *arguments, '-o', path,
                  self.recording)
        if self.problems:
            raise RuntimeError('\n'.join(self.problems))
        with open(path, encoding='utf-8') as file:
            return path, file.read()


def counts_of(text):
    """Of the pre-aggregated text."""
    rows = [line.split() for line in text.splitlines()]
    return [row for row in rows if row[0] == 'F'], [row for row in rows if row[0] == 'B']


def llvm(case):
    """What llvm-profgen makes of the same counts, but for how often functions were entered from libc: it knows the
    branches of this file alone."""
    path, mine = case.pgo('llvm')
    _, text = case.pgo('bolt-preaggregated', '--comments', 'none', '--indirect-targets')
    ranges, branches = counts_of(text)
    known = [row for row in branches if row[2] != '0']
    counts = case.bench.path('counts')
    with open(counts, 'w', encoding='ascii') as file:
        file.write('%d\n%s\n%d\n%s\n' % (
            len(ranges), '\n'.join('%s-%s:%s' % tuple(row[1:4]) for row in ranges),
            len(known), '\n'.join('%s->%s:%s' % tuple(row[1:4]) for row in known)))
    other = case.bench.path('profgen')
    case.must('llvm-profgen-19', '--format=text', '--use-offset=0', '--unsymbolized-profile=' + counts,
              '--binary=' + case.program, '--output=' + other)
    with open(other, encoding='utf-8') as file:
        theirs = file.read()
    if mine.replace('main:%s:1\n' % re.search(r'main:(\d+):', mine).group(1),
                    'main:%s:0\n' % re.search(r'main:(\d+):', mine).group(1)) != theirs:
        yield 'llvm-profgen has another profile:\n%s\nand this one is\n%s' % (theirs, mine)
    if 'main:' not in mine or not re.search(r'^ \d+\.?\d*: leaf:\d+$', mine, re.M):
        yield 'no main, or leaf is not inlined:\n' + mine
    yield from case.problems
    twice = case.bench.path('twice')
    case.must('llvm-profdata-19', 'merge', '--sample', '--text', path, path, '-o', twice)
    with open(twice, encoding='utf-8') as file:
        merged = file.read()
    heads = [dict(re.findall(r'^(\w+):\d+:(\d+)$', text, re.M)) for text in (mine, merged)]
    if {name: 2 * int(count) for name, count in heads[0].items()} != {name: int(count) for name, count in heads[1].items()}:
        yield 'merged with itself:\n' + merged
    shown = case.must('llvm-profdata-19', 'show', '--sample', '--function=step', path)
    if 'step' not in shown:
        yield 'shown: ' + shown


def clang(case):
    """With the profile the rare call is laid out apart, and `step` is known to be entered so often."""
    path, mine = case.pgo('llvm')
    plain = case.must(*CLANG, '-S', '-emit-llvm', SOURCE, '-o', '-')
    guided = case.must(*CLANG, '-fprofile-sample-use=' + path, '-S', '-emit-llvm', SOURCE, '-o', '-')
    yield from case.problems
    if '!prof' in plain:
        yield 'clang has a profile without one'
    head = re.search(r'^step:\d+:(\d+)$', mine, re.M).group(1)
    if not re.search(r'"function_entry_count", i64 %d\b' % (int(head) + 1), guided):
        yield 'step was entered %s times, and clang has %r' % (head, re.findall(r'function_entry_count", i64 \d+', guided))
    codes = [case.must(*CLANG, *more, '-S', SOURCE, '-g0', '-o', '-') for more in ((), ('-fprofile-sample-use=' + path,))]
    if codes[0] == codes[1]:
        yield 'the code is the same'


def bolt(case):
    """llvm-bolt counts the instructions that were executed by the counts of basic blocks and their sizes."""
    path, fdata = case.pgo('bolt')
    _, text = case.pgo('bolt-preaggregated', '--comments', 'none')
    ranges, _ = counts_of(text)
    symbols = {row[7]: (int(row[1], 16), int(row[2])) for row in
               (line.split() for line in case.must('readelf', '-sW', case.program).splitlines())
               if len(row) == 8 and row[3] == 'FUNC' and row[6] != 'UND'}
    executed = 0
    for first, last, count in ((int(row[1], 16), int(row[2], 16), int(row[3])) for row in ranges):
        for start, size in (symbols[name] for name in ('main', 'step', 'rare')):
            if start <= first < start + size:
                executed += ((last - first) // 4 + 1) * count
    out = case.bench.path('bolted')
    done = do('llvm-bolt-19', case.program, '-data=' + path, '-o', out, '-reorder-blocks=ext-tsp', '-dyno-stats')
    said = done.stdout + done.stderr
    if done.returncode or 'stale' in said or 'BOLT-ERROR' in said:
        yield said
    told = re.findall(r'(\d+) : executed instructions', said)
    # the start-up code of the C library's is executed once, and BOLT leaves out what it cannot read
    if not told or not executed <= int(told[0]) <= executed + 200:
        yield 'llvm-bolt has %r instructions executed, and the profile %d' % (told[:1], executed)
    if not done.returncode and case.must('qemu-aarch64', '-L', ROOT, out, COUNT) != case.printed:
        yield 'what llvm-bolt made prints something else'
    merged = do('merge-fdata-19', path, path)
    doubled = sorted(re.sub(r' (\d+) (\d+)$', lambda m: ' %d %d' % (2 * int(m.group(1)), 2 * int(m.group(2))), line)
                     for line in fdata.splitlines())
    if sorted(merged.stdout.splitlines()) != doubled:
        yield 'merge-fdata: ' + merged.stdout[:2000] + merged.stderr
    yield from case.problems


def perf2bolt(case):
    """What it makes of whole ranges is the same fdata, of the program's own functions: it does not know what came from
    outside, and names the start-up code in other ways."""
    path, text = case.pgo('bolt-preaggregated', '--comments', 'none', '--indirect-targets', '--whole-ranges')
    out = case.bench.path('converted')
    done = do(PERF2BOLT, case.program, '-p', path, '-pa', '-o', out)
    said = done.stdout + done.stderr
    entries = sum(len(rows) for rows in counts_of(text))
    if done.returncode or 'read %d aggregated LBR entries' % entries not in said:
        yield said
        return
    with open(out, encoding='utf-8') as file:
        theirs = set(file.read().splitlines())
    _, fdata = case.pgo('bolt')
    mine = {re.sub('/(hot|crtstuff)[.]c/|/crti.o/', '/', line) for line in fdata.splitlines()}
    own = [{line for line in lines if re.match(r'1 (main|step|rare/1) \w+ 1 (main|step|rare/1) ', line)}
           for lines in (theirs, mine)]
    if not own[0] or own[0] != own[1]:
        yield 'only of perf2bolt: %r; only of Cairn: %r' % (sorted(own[0] - own[1]), sorted(own[1] - own[0]))
    yield from case.problems


LTO = """__attribute__((noinline)) static int helper(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int _start(void) {
    int r = helper(10);
    register long x8 __asm__("x8") = 93;
    register long x0 __asm__("x0") = r & 1;
    __asm__ volatile("svc #0" ::"r"(x8), "r"(x0));
    return 0;
}
"""


def lto(case):
    """Of full LTO the linker names ld-temp.o as the source of all local functions: to llvm-bolt they have none."""
    source, program, out = (case.bench.path(name) for name in ('lto.c', 'lto', 'lto.recording'))
    with open(source, 'w', encoding='ascii') as file:
        file.write(LTO)
    case.must('clang', *TARGET, '-O1', '-flto', '-c', source, '-o', source + '.o')
    case.must('ld.lld', '--emit-relocs', source + '.o', '-o', program)
    do(case.bench.cairn, 'record', '-o', out, '--', program)
    path = case.bench.path('lto.fdata')
    case.must(case.bench.cairn, 'pgo', '--format', 'bolt', '-o', path, out)
    yield from case.problems
    done = do('llvm-bolt-19', program, '-data=' + path, '-o', case.bench.path('lto.bolted'))
    if done.returncode or '2 out of 2 functions' not in done.stdout + done.stderr:
        yield done.stdout + done.stderr


def split(case):
    """Of a stripped program with its debug file beside it, the same as of the whole one."""
    stripped, debug, out = (case.bench.path(name) for name in ('stripped', 'stripped.debug', 'stripped.recording'))
    case.must('aarch64-linux-gnu-objcopy', '--only-keep-debug', case.program, debug)
    case.must('aarch64-linux-gnu-objcopy', '--strip-all', '--add-gnu-debuglink=' + debug, case.program, stripped)
    do(case.bench.cairn, 'record', '-o', out, '--', stripped, COUNT, env=dict(os.environ, QEMU_LD_PREFIX=ROOT))
    got = case.must(case.bench.cairn, 'pgo', '--binary', stripped, '--format', 'bolt', out)
    _, whole = case.pgo('bolt')
    yield from case.problems
    if not got or got != whole:
        yield 'split:\n%s\nwhole:\n%s' % (got[:2000], whole[:2000])


def protocols(bench):
    """Each trace unit tells of the same program, one of every instruction: the same ranges and branches."""
    program = bench.own('mixed-t32')
    if not program:
        yield 'mixed-t32 is not there'
        return
    for more in ((), ('--whole-ranges',)):
        texts = {}
        for protocol in ('ete', 'etmv4', 'ptm', 'etmv3'):
            folder = bench.path(protocol)
            if not more:
                done = do(bench.cairn, 'record', '--protocol', protocol, '-o', folder, '--', program)
                if not os.path.exists(os.path.join(folder, 'snapshot.ini')):
                    yield done.stderr
                    return
            texts[protocol] = do(bench.cairn, 'pgo', '--indirect-targets', *more, folder).stdout
        if len(set(texts.values())) != 1 or texts['ete'].count('\n') < 1000:
            yield 'lines of %s: %r' % (more, {name: text.count('\n') for name, text in texts.items()})


def lists(bench):
    """Through a branch list each branch is there as often as without, and so are ranges but those that end in front of an
    exception: here in a call of the system, which is no branch. There are no lists of Atoms of each instruction."""
    program = bench.own('mixed-t32')
    for protocol in ('ete', 'etmv4', 'ptm', 'etmv3'):
        folder, path = bench.path(protocol), bench.path(protocol + '.lists')
        done = do(bench.cairn, 'pgo', '--format', 'branch-list', '-o', path, folder)
        if protocol == 'etmv3':
            if done.returncode != 2 or 'it has an Atom of each instruction' not in done.stderr:
                yield '%s: %d %s' % (protocol, done.returncode, done.stderr)
            continue
        if done.returncode:
            yield '%s of %s: %s' % (protocol, program, done.stderr)
            continue
        for more in ((), ('--whole-ranges',)):
            direct, through = (set(do(bench.cairn, 'pgo', *more, source).stdout.splitlines()[1:]) for source in (folder, path))
            branches = {line for line in direct if '->' in line}
            if len(branches) < 100 or branches != {line for line in through if '->' in line}:
                yield '%s, branches: %r' % (more, sorted(direct ^ through)[:10])
            ends = {line.split('->')[0] for line in branches}
            wrong = [line for line in direct - through if '->' not in line and '-' in line and re.split('[-:]', line)[1] in ends]
            if (through - direct or wrong) and not more:
                yield '%s, ranges: %r' % (protocol, (sorted(through - direct)[:5], wrong[:5]))


def tried(check, case):
    try:
        yield from check(case)
    except RuntimeError as error:
        yield error


def main():
    tap = Tap()
    missing = [name for name in NEEDED if not shutil.which(name)]
    checks = [('llvm-profgen and llvm-profdata', llvm), ('clang', clang), ('llvm-bolt and merge-fdata', bolt),
              ('perf2bolt', perf2bolt), ('full LTO', lto), ('a debug file', split)]
    bench = Bench(sys.argv)
    try:
        case = None if missing else Case(bench)
        for name, check in checks:
            if missing:
                tap.skip(name, 'not there: ' + ', '.join(missing))
            else:
                tap.case(name, tried(check, case))
        tap.case('every protocol', protocols(bench))
        tap.case('through branch lists', lists(bench))
    finally:
        bench.close()
    tap.end()


if __name__ == '__main__':
    main()
