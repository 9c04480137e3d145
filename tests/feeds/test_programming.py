#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The worked set-ups of docs/programming.md, taken from its text and told to a unit with `cairn simulate`: what they trace,
by the listing of the whole run. The program is an ordinary one, position independent and dynamically linked."""
import os
import re
import subprocess
import sys

from recording import Bench, Tap

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
ROOT = '/usr/aarch64-linux-gnu'  # Debian's libc6-arm64-cross
CALLS = 3000
BEGIN = '''#include <stdio.h>
#include <stdlib.h>
struct item { int key; char text[16]; };
'''
END = '''
int main(void)
{
    static struct item items[%d];
    int sum = 0;
    for (int i = 0; i < %d; i++) {
        items[i].key = i ^ 5;
        snprintf(items[i].text, sizeof items[i].text, "item %%d", i * 7919 %% %d);
        sum += parse(items[i].text);
    }
    fail(&items[sum & 1023]);
}
''' % (CALLS, CALLS, CALLS)
IN_THE_TEXT = {'first': '0x5500000920', 'last': '0x5500000943', 'RET': '0x5500000940', 'fail': '0x5500000944'}


def blocks_of(text):
    return re.findall(r'^```\w*\n(.*?)^```$', text, re.M | re.S)


def script_of(text, name):
    """What `cat NAME` prints, in the document."""
    for block in blocks_of(text):
        found = re.search(r'^\$ cat %s\n(.*?)^\$ ' % re.escape(name), block, re.M | re.S)
        if found:
            return found[1]
    raise RuntimeError('docs/programming.md has no %s' % name)


def words_of(text, after):
    """NAME=VALUE words of the command line in the section with that heading."""
    section = text[text.index('### ' + after):]
    line = re.search(r'^\$ cairn simulate ((?:.*\\\n)*.*) --capture all$', section, re.M)[1]
    return [word for word in line.replace('\\\n', ' ').split() if '=' in word]


class Run:
    """The program, and every instruction that it executed."""

    def __init__(self, bench, text):
        source, self.program = bench.path('worker.c'), bench.path('worker')
        with open(source, 'w') as file:
            file.write(BEGIN + next(block for block in blocks_of(text) if 'int parse' in block) + END)
        subprocess.run(['aarch64-linux-gnu-gcc', '-O2', '-g', source, '-o', self.program], check=True)
        _, _, self.messages, self.folder = bench.record([self.program], ['--sysroot', ROOT], name='all')
        _, text, _ = bench.run([bench.cairn, 'flow', '--format', 'addresses', self.folder])
        self.addresses = [int(line.split()[0], 16) for line in text.splitlines() if re.match(rb'[0-9a-f]', line)]
        listed = subprocess.run(['aarch64-linux-gnu-objdump', '-d', self.program], stdout=subprocess.PIPE, text=True,
                                check=True).stdout
        _, info, _ = bench.run([bench.cairn, 'info', self.folder])
        bias = int(re.search(r'worker +0x([0-9a-f]+)\.\.', info.decode())[1], 16)
        parse = re.findall(r'^ +([0-9a-f]+):\t\S+ +\t(\w+)', listed[listed.index('<parse>:'):].split('\n\n')[0], re.M)
        self.places = {'first': bias + int(parse[0][0], 16), 'last': bias + int(parse[-1][0], 16) + 3,
                       'RET': next(bias + int(at, 16) for at, word in parse if word == 'ret'),
                       'fail': bias + int(re.search(r'^([0-9a-f]+) <fail>:', listed, re.M)[1], 16)}

    def here(self, text):
        """With the addresses of this run."""
        text = re.sub('|'.join(IN_THE_TEXT.values()),
                      lambda found: '0x%x' % self.places[next(k for k, v in IN_THE_TEXT.items() if v == found[0])], text)
        return text

    def inside(self):
        return [at for at in self.addresses if self.places['first'] <= at <= self.places['last']]


def traced(bench, run, words):
    """What a unit with these registers traces of the run: (status, addresses of its trace, messages)."""
    folder = bench.path('traced')
    status, _, messages = bench.run([bench.cairn, 'simulate', '--force', '-o', folder, *words, '--capture', run.folder])
    _, text, _ = bench.run([bench.cairn, 'flow', '--format', 'addresses', folder])
    return status, [int(line.split()[0], 16) for line in text.splitlines() if re.match(rb'[0-9a-f]', line)], messages


def same(what, got, wanted):
    if got == wanted:
        return []
    return ['%s: %d instructions, %d expected; first %s' % (what, len(got), len(wanted), [hex(a) for a in got[:4]])]


def write(bench, run, text, name):
    path = bench.path(name)
    with open(path, 'w') as file:
        file.write(run.here(script_of(text, name)))
    return path


def is_clean(bench, path):
    status, out, _ = bench.run([bench.cairn, 'lint', path])
    return [] if status == 0 else ['lint: ' + out.decode()]


def one_function(bench, run, text):
    words = run.here(' '.join(words_of(text, 'Trace one function'))).split()
    status, got, messages = traced(bench, run, words)
    return same('parse', got, run.inside()) + ([] if status == 0 else [messages])


def the_thousandth(bench, run, text):
    path = write(bench, run, text, 'thousandth.regs')
    calls = [i for i, at in enumerate(run.addresses) if at == run.places['first']]
    begin = calls[999]
    end = run.addresses.index(run.places['RET'], begin) + 1
    _, got, _ = traced(bench, run, [path])
    return is_clean(bench, path) + same('the 1,000th call of %d' % len(calls), got, run.addresses[begin:end])


def strobed(bench, run, text):
    """Windows of 500 clocks and pauses of 20,000, each but for the blocks at its ends; and nothing else."""
    path = write(bench, run, text, 'strobe.regs')
    problems = is_clean(bench, path)
    _, out, _ = bench.run([bench.cairn, 'simulate', '--list', '--format', 'json', path, '--capture', run.folder])
    rows = re.findall(r'"type":"run".*?"at":(\d+),"instructions":(\d+),.*?"traced":(\w+)', out.decode())
    at = [int(row[0]) for row in rows]
    length = [int(row[1]) for row in rows]
    if len(rows) < 100 or at != [sum(length[:i]) for i in range(len(rows))] or sum(length) != len(run.addresses):
        problems.append('%d runs of %d instructions' % (len(rows), sum(length)))
    for (_, count, is_traced), i in zip(rows[:-1], range(len(rows))):
        wanted = 500 if is_traced == 'true' else 20000
        if (is_traced == 'true') != (i % 2 == 1) or abs(int(count) - wanted) > 100:
            problems.append('run %d: %s instructions, traced %s' % (i, count, is_traced))
    _, got, _ = traced(bench, run, [path])
    wanted = [address for (begin, count, is_traced) in rows if is_traced == 'true'
              for address in run.addresses[int(begin):int(begin) + int(count)]]
    return problems[:5] + same('the windows', got, wanted)


def before_the_crash(bench, run, text):
    """Everything up to the block that `fail` begins with."""
    words = run.here(' '.join(words_of(text, 'Stop before the crash'))).split()
    _, got, _ = traced(bench, run, words)
    entry = run.addresses.index(run.places['fail'])
    problems = same('all before', got[:entry], run.addresses[:entry])
    if not entry < len(got) <= entry + 20:
        problems.append('%d instructions behind the entry of fail' % (len(got) - entry))
    _, out, _ = bench.run([bench.cairn, 'simulate', *words, '--capture', run.folder])
    return problems + ([] if b'ETEEvent 0 (external output 0) occurred 1 time\n' in out else [out.decode()])


CASES = [one_function, the_thousandth, strobed, before_the_crash]


def main():
    bench, tap = Bench(sys.argv), Tap()
    why = bench.missing()
    if not why and not bench.own('jit'):
        why = 'no cross compiler (Debian: gcc-aarch64-linux-gnu)'
    with open(os.path.join(TOP, 'docs', 'programming.md'), encoding='utf-8') as file:
        text = file.read()
    run = None if why else Run(bench, text)
    for case in CASES:
        name = case.__name__.replace('_', ' ')
        if why:
            tap.skip(name, why)
        else:
            tap.case(name, case(bench, run, text))
    bench.close()
    tap.end()


main()
