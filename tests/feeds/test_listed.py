#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a user reads: the text of `cairn flow --source-lines` and of `cairn info`, of an ordinary recorded program, at
10,000 of its listed instructions. Modules and load biases are compared with QEMU's own log of what was mapped, functions
with nm and addr2line -f, lines with addr2line. None of these know of Cairn, and nothing is read of its other outputs."""
import bisect
import collections
import os
import random
import re
import subprocess
import sys

from ordinary import ADDRESSES, ROOT, begin_of, build, lines_of, loaded, nm, reduced
from recording import Bench, Tap

INSTRUCTION = re.compile(r' {2,}([0-9a-f]+)  [EN? ]  (.*)$')
HEADING = re.compile(r'(\S.*):$')
SOURCE = re.compile(r'    (\S.*?):(\d+)(?:  .*)?$')
UNNAMED = re.compile(r'\(no symbol, (.*)\)$')
MODULE = re.compile(r'  (\S+) +0x([0-9a-f]+)\.\.0x([0-9a-f]+)  ([0-9a-f]+)  gives names$')
Row = collections.namedtuple('Row', 'address text heading place')


def read(text):
    """Each instruction with the heading and the source line above it, as one reads from the top to the bottom."""
    heading = place = None
    for line in text.decode('utf-8').splitlines():
        found = INSTRUCTION.match(line)
        if found:
            yield Row(int(found[1], 16), found[2], heading, place)
        elif HEADING.match(line) and not line.startswith(('==', '--')):
            heading, place = line[:-1], None
        elif SOURCE.match(line):
            found = SOURCE.match(line)
            place = found[1], int(found[2])


class File:
    """A file that was loaded, as nm and QEMU's log have it."""

    def __init__(self, path, bias, end):
        self.path, self.bias, self.end = path, bias, end
        self.rows = sorted((first, last, reduced(whole), plain) for (first, last, whole), (_, _, plain) in
                           zip(nm(path, ['-C']), nm(path)))
        self.widest = max((row[1] - row[0] for row in self.rows), default=0)
        self.sizeless = without_size(path)

    def names(self, address):
        """{(name, name as the linker has it, offset)}"""
        at = address - self.bias
        low = bisect.bisect_left(self.rows, (at - self.widest,))
        high = bisect.bisect_right(self.rows, (at + 1,))
        return {(whole, plain, at - first) for first, last, whole, plain in self.rows[low:high]
                if first <= at < last} or self.without_size(at)

    def without_size(self, at):
        """What was given no size reaches up to the end of its section, or to what comes next."""
        first = max((row[0] for row in self.sizeless if row[0] <= at), default=None)
        end = max((row[1] for row in self.rows if row[1] <= at), default=0)
        return {(name, name, at - first) for begin, last, name in self.sizeless
                if begin == first and at < last and end <= first}


def without_size(path):
    """[(address, end of the section, name)] by readelf: code's symbols, but for those that only mark code and data."""
    out = subprocess.run(['aarch64-linux-gnu-readelf', '-W', '-S', '-s', path], stdout=subprocess.PIPE, text=True,
                         check=True).stdout
    sections = {found[1]: int(found[2], 16) + int(found[3], 16) for found in
                re.finditer(r'^ +\[ *(\d+)\] +\S+ +\S+ +([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) .*AX', out, re.M)}
    return sorted({(int(found[1], 16), sections[found[2]], found[3]) for found in re.finditer(
        r'^ +\d+: ([0-9a-f]+) +0 (?:FUNC|NOTYPE) .* (\d+) ([^$\s]\S*)$', out, re.M) if found[2] in sections})


def at_offset(offset):
    return '+0x%x' % offset if offset else ''


def modules(info, biases, problems):
    """[File] of the table that `cairn info` prints, where paths are shortened; each compared with QEMU's log, and its
    build-id with readelf's."""
    found = []
    for row in filter(None, map(MODULE.match, info.decode().splitlines())):
        begin, _, end = row[1].rpartition('...')
        path = next((path for path in biases if path.startswith(begin) and path.endswith(end)), None)
        if not path:
            problems.append('%s was not loaded, by QEMU' % row[1])
            continue
        bias, first = biases[path], int(row[2], 16)
        if first != bias + begin_of(path)[0]:
            problems.append('%s is loaded at %#x, by QEMU at %#x' % (path, first, bias + begin_of(path)[0]))
        out = subprocess.run(['aarch64-linux-gnu-readelf', '-n', path], stdout=subprocess.PIPE, text=True).stdout
        if 'Build ID: ' + row[4] not in out:
            problems.append('%s has no build-id %s' % (path, row[4]))
        found.append(File(path, bias, int(row[3], 16)))
    return found


def file_at(files, address):
    below = [file for file in files if file.bias <= address]
    return max(below, key=lambda file: file.bias) if below else None


def functions(rows, of):
    """The heading has the whole name, the column the name as far as it is plain, and the offset."""
    problems = []
    for row in rows:
        file = of[row.address]
        wanted = file.names(row.address)
        column = re.search(r'  (\S.*)$', row.text)
        offsets = {at_offset(offset) for _, _, offset in wanted}
        end = re.search(r'(\+0x[0-9a-f]+)?(  \(.*\))?$', column[1] if column else '')[1] or ''
        heading = re.sub(r'\+0x[0-9a-f]+$', '', row.heading or '')
        if heading not in {whole for whole, _, _ in wanted}:
            problems.append('%#x is under %r, not %r' % (row.address, row.heading, sorted(wanted)[:3]))
        elif not column or end not in offsets:
            problems.append('%#x is %r, not %r' % (row.address, row.text, sorted(wanted)[:3]))
        elif re.fullmatch(r'\w{1,34}', heading) and not column[1].startswith(heading + end):
            problems.append('%#x is in column %r, not %s' % (row.address, column[1], heading))
    return problems


def unnamed(rows, of):
    """Where nm has no function the heading says so, with the file."""
    problems = []
    for row in rows:
        found = UNNAMED.match(row.heading or '')
        if not found or found[1] != os.path.basename(of[row.address].path):
            problems.append('%#x of %s is under %r' % (row.address, of[row.address].path, row.heading))
    return problems


def by_addr2line(path, addresses):
    """{address: function} where it knows one: not the one that was inlined, which the line tells, but where."""
    text = ''.join('%#x\n' % address for address in addresses)
    out = subprocess.run(['aarch64-linux-gnu-addr2line', '-a', '-i', '-f', '-C', '-e', path], input=text,
                         stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    found, address, is_name = {}, None, True
    for row in out:
        if row.startswith('0x'):
            address, is_name = int(row, 16), True
            continue
        if is_name and row != '??':
            found[address] = reduced(row)
        is_name = not is_name
    return found


def lines(rows, of, folder):
    """(problems, how many were compared, of how many files)"""
    problems, checked, files = [], 0, set()
    at = collections.defaultdict(list)
    for row in rows:
        at[of[row.address].path].append(row)
    for path, rows in at.items():
        bias = of[rows[0].address].bias
        addresses = sorted({row.address - bias for row in rows})
        known, named = lines_of(path, addresses), by_addr2line(path, addresses)
        for row in rows:
            wanted = known[row.address - bias]
            if not wanted:
                continue
            checked += 1
            files.add(path)
            shown = (os.path.normpath(os.path.join(folder, row.place[0])), row.place[1]) if row.place else None
            if shown != wanted:
                problems.append('%s+%#x is at %r, by addr2line at %r' % (path, row.address - bias, shown, wanted))
            heading = re.sub(r'\+0x[0-9a-f]+$', '', row.heading)
            if named.get(row.address - bias, heading) != heading:
                problems.append('%s+%#x is of %s, by addr2line of %s' % (path, row.address - bias, heading,
                                                                        named[row.address - bias]))
    return problems[:5], checked, files


def taken(bench, folder, rows):
    """Each name that is shown, in a heading or in a column, is one that every option takes, and means what is shown so."""
    shown, problems = collections.defaultdict(set), []
    for row in rows:
        column = re.search(r'  (\S.*)$', row.text)
        names = [row.heading, re.sub(r'(  \(.*\))?$', '', column[1] if column else '')]
        for name in {re.sub(r'\+0x[0-9a-f]+$', '', name) for name in names}:
            shown[name].add(row.address)
    kinds = [[name for name in sorted(shown) if re.search(kind, name)] for kind in
             (r'^\w+$', r'\(', r'<\.\.>', r'^\.\.', r'<[^.]*>', r'\{lambda', r'std::string')]
    for name in sorted({name for some in kinds for name in random.sample(some, min(2, len(some)))}):
        status, out, messages = bench.run([bench.cairn, 'flow', '--format', 'addresses', '--function', name, folder])
        listed = {int(line.split()[0], 16) for line in out.decode().splitlines() if line and line[0] != '#'}
        if status or not shown[name] <= listed:
            problems.append('flow --function %s: %d of %d: %s' % (name, len(listed), len(shown[name]), messages[:300]))
        for words in (['calls', '--function'], ['latency', '--function'], ['profile', '--annotate']):
            status, _, messages = bench.run([bench.cairn, *words, name, folder])
            if status and ': no call of it is in the trace' not in messages:
                problems.append('%s %s: %s' % (' '.join(words), name, messages[:300]))
    return problems + ['no names of some kind'] * (not all(kinds[:5]))


def compare(bench, tap, cases):
    program, late = build(bench)
    status, _, log, folder = bench.record([program, late], ['--sysroot', ROOT, '--qemu-argument=-strace',
                                                            '--qemu-argument=-d', '--qemu-argument=page'])
    biases = loaded(log, program, os.path.join(ROOT, 'lib', 'ld-linux-aarch64.so.1'))
    _, info, _ = bench.run([bench.cairn, 'info', folder])
    problems = ['status %d: %s' % (status, log[-500:])] if status else []
    files = modules(info, biases, problems)
    needed = {os.path.realpath(path) for path in (program, late, bench.path('liblinked.so'))}
    if not needed < {file.path for file in files} or len(files) < 7:
        problems.append('modules %r' % [file.path for file in files])
    tap.case(cases[0], problems[:5])

    status, text, messages = bench.run([bench.cairn, 'flow', '--source-lines', folder])
    every = list(read(text))
    random.seed(1)
    rows = random.sample(every, min(ADDRESSES, len(every)))
    of, problems = {}, []
    for row in every:
        if row.address not in of:
            of[row.address] = file = file_at(files, row.address)
            if not file or row.address >= file.end:
                problems.append('%#x is of no file by QEMU' % row.address)
    if status or messages or len(rows) < ADDRESSES:
        problems.append('status %d, %d instructions: %s' % (status, len(rows), messages))
    tap.case(cases[1], problems[:5])

    known = {address: bool(file.names(address)) for address, file in of.items()}
    # Every address once, whatever is above it: what is rare must not depend on the draw.
    named = sorted({row for row in every if known[row.address]}, key=repr)
    rest = sorted({row for row in every if not known[row.address]}, key=repr)
    tap.case(cases[2], functions(named, of)[:5] + ([] if len(every) - len(rest) >= ADDRESSES else ['too few']))
    tap.case(cases[3], unnamed(rest, of)[:5] + ([] if rest else ['there are none']))
    ours = [row for row in every if of[row.address].path in needed]
    rows = random.sample(ours, min(ADDRESSES + ADDRESSES // 10, len(ours)))
    problems, checked, seen = lines(rows, of, bench.folder)
    if checked < ADDRESSES or len(seen) < 3:
        problems.append('%d compared only, of %r' % (checked, sorted(seen)))
    tap.case(cases[4], problems)
    tap.case(cases[5], taken(bench, folder, {row for row in ours if known[row.address]})[:5])


def main():
    bench, tap = Bench(sys.argv), Tap()
    why = bench.missing()
    if not why and not bench.own('throws'):
        why = 'no cross compiler (Debian: g++-aarch64-linux-gnu)'
    if not why and not os.path.isdir(os.path.join(ROOT, 'lib')):
        why = 'no libraries in %s (Debian: libc6-arm64-cross)' % ROOT
    cases = ('modules, load biases and build-ids by QEMU\'s log and readelf', 'each address is of a file by QEMU\'s log',
             'functions by nm', 'the file where nm has no function', 'lines and functions by addr2line', 'names that are shown, given back')
    if why:
        for name in cases:
            tap.skip(name, why)
    else:
        compare(bench, tap, cases)
    bench.close()
    tap.end()


main()
