#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the scenarios of this folder and judges them (docs/scenarios.md).

usage: run_scenarios.py TOOL [FILE.scn ...] [--show] [--long]
TOOL is the built scenario_tool. Without files, every scenario below this folder but those of millions
of instructions, or with --long these. --show prints what the library answered: to look at, never to
paste.
"""
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'house'))
from tap import Tap, program  # noqa: E402
from assemble import AssemblyError, assemble, assembler  # noqa: E402
from scenario import EXPECTATIONS, Scenario, ScenarioError, find  # noqa: E402

# What every trace begins with: a [flow] need not list it in front of its first instruction, and a line
# `unlisted sync context` there says which of these kinds it leaves out altogether.
OPENING = {'context', 'sync', 'trace-on'}
TIMEOUT = 60
LONG = ('ete/walk-hot-loop', 'ete/walk-two-hot-blocks') # of millions of instructions


class Answer:
    """What the tool wrote, by letter."""

    def __init__(self, text):
        self.lines = {}
        for line in text.splitlines():
            self.lines.setdefault(line[:1], []).append(line[2:])

    def of(self, letter):
        return self.lines.get(letter, [])


class Tool:
    """The tool, which answers one scenario after another: to start it takes longer than most of them. After an
    error it is started anew."""

    def __init__(self, path):
        self.path, self.process, self.errors = path, None, None

    def start(self):
        self.errors = tempfile.TemporaryFile('w+', errors='replace')
        self.process = subprocess.Popen(program(self.path), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True)

    def write(self, orders):
        with contextlib.suppress(BrokenPipeError):  # its status says why
            self.process.stdin.write(orders)
            self.process.stdin.flush()

    def answer_of(self, scenario):
        orders = '\n'.join(scenario.orders(assemble)) + '\nend\n'
        if self.process is None:
            self.start()
        late = threading.Timer(TIMEOUT, self.process.kill)
        writer = threading.Thread(target=self.write, args=(orders,))  # it answers while it reads
        late.start()
        writer.start()
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line == 'end\n':
                break
        in_time = late.is_alive()
        late.cancel()
        writer.join()
        if lines[-1:] == ['end\n']:
            return Answer(''.join(lines[:-1])), []
        problems = self.end()
        if not in_time:
            problems = ['no answer within %d seconds' % TIMEOUT]
        return None, [line.rstrip('\n') for line in lines[-1:]] + problems

    def end(self):
        """What it complained of, leaks for example."""
        if self.process is None:
            return []
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        status = self.process.wait()
        self.process = None
        with self.errors:
            self.errors.seek(0)
            return ['status %d' % status] + self.errors.read().splitlines()[:12] if status else []


# ---- [flow] -----------------------------------------------------------------------------------------

def got_flow(answer, spoken, unlisted):
    """The flow as comparable items: ('i', address, size, isa, outcome, flags) or ('#', words).
    Warnings carry their address and are compared apart, so that their place does not matter.
    Neighbouring gaps of one reason are one: how many packets it took is the ledger's matter."""
    items, warnings, opening, gap = [], [], True, None
    known = {}  # an instruction's line -> its item: a loop of a million instructions has few lines
    for line in answer.of('F'):
        item = known.get(line)
        if item is None:
            words = line.split()
            if words[0] == 'i':
                item = known[line] = ('i', int(words[1], 16), int(words[2]), words[3], words[4],
                                      {w[1:] for w in words[5:]})
        if item is not None:
            items.append(item)
            opening, gap = False, None
        elif words[:2] == ['#', 'warning']:
            warnings.append(words[2:])
        elif words[1] in spoken or not (words[1] in unlisted or opening and words[1] in OPENING):
            this = words[:3] if words[1] == 'gap' else None
            if this is None or this != gap:
                items.append(('#', words[1:]))
            gap = this
    return items, warnings


def unlisted_kinds(scenario):
    """The kinds of its `unlisted` line."""
    kinds = set()
    for line, text in scenario.sections['flow']:
        if text.startswith('unlisted '):
            kinds |= set(text.split()[1:])
            if kinds - OPENING:
                scenario.fail(line, 'only %s can be unlisted' % ', '.join(sorted(OPENING)))
    return kinds


def expected_flow(scenario):
    """The lines of [flow]; `16* A, B` stands for sixteen times A, B."""
    for line, text in scenario.sections['flow']:
        if text.startswith('unlisted '):
            continue
        times = 1
        m = re.match(r'(\d+)\* ', text)
        if m:
            times, text = int(m[1]), text[m.end():]
        parts = [text] if text.startswith('#') else [p.strip() for p in text.split(',')]
        for _ in range(times):
            for part in parts:
                yield line, part


def plain_ids(words):
    """vmid=0x10 is vmid=16."""
    return [re.sub(r'^(vmid|cid|cycles|total)=(0x[0-9a-fA-F]+)$',
                   lambda m: '%s=%d' % (m[1], int(m[2], 16)), w) for w in words]


def same_event(scenario, line, wanted, got):
    wanted = plain_ids(wanted)
    if wanted[0] == 'exception' and wanted[1] in scenario.exceptions():
        wanted[1] = 'type=%d' % scenario.exceptions()[wanted[1]]
    marks = {w[1:] for w in got if w.startswith('+')}
    if any((w[1:] in marks) != (w[0] == '+') for w in wanted if w[0] in '+!'):
        return False
    wanted = [w for w in wanted if w[0] not in '+!']
    if len(wanted) > len(got):
        return False
    for i, word in enumerate(wanted):
        if word.startswith('@'):
            word = '%x' % scenario.address(line, word)
        if word != got[i]:
            return False
    return True


class Instruction:
    """`1000`, `2000 E`, `2000-2008 N T32 +link`, `@loop E`: one or more in a row. Flags are those of
    the last one."""

    def __init__(self, scenario, line, text):
        words = text.split()
        first, _, last = words[0].partition('-')
        self.first = scenario.address(line, first)
        self.last = scenario.address(line, last) if last else self.first
        self.outcome, self.isa, self.flags, self.without = '-', None, set(), set()
        self.before = 'E' if scenario.is_etmv3() else '-'  # of those in front of the last one
        for word in words[1:]:
            if word in ('E', 'N'):
                self.outcome = word
            elif word in ('A64', 'A32', 'T32'):
                self.isa = word
            elif word.startswith('+'):
                self.flags.add(word[1:])
            elif word.startswith('!'):
                self.without.add(word[1:])
            else:
                scenario.fail(line, 'no such mark of an instruction: %s' % word)

    def problem(self, items, at):
        """(how many items it took, None) or (0, why not)."""
        address, start = self.first, at
        while at < len(items):
            item = items[at]
            if item[0] != 'i' or item[1] != address:
                return 0, at
            end = address == self.last
            if item[4] != (self.outcome if end else self.before) or (self.isa and item[3] != self.isa):
                return 0, at
            if end and (self.flags - item[5] or self.without & item[5]):
                return 0, at
            at += 1
            if end:
                return at - start, None
            address += item[2]
        return 0, at


def item_text(items, at):
    if at >= len(items):
        return 'the end'
    item = items[at]
    if item[0] == '#':
        return '# ' + ' '.join(item[1])
    return ' '.join(['%x' % item[1]] + ([item[4]] if item[4] != '-' else []) + [item[3]] +
                    ['+' + f for f in sorted(item[5])])


def judge_flow(scenario, answer):
    spoken = {t.split()[1] for _, t in scenario.sections['flow'] if t.startswith('# ')}
    unlisted = unlisted_kinds(scenario)
    if spoken & unlisted:
        return ['%s: flow: both listed and unlisted: %s' % (scenario.path, ', '.join(spoken & unlisted))]
    items, warnings = got_flow(answer, spoken, unlisted)
    at, wanted_warnings = 0, []
    for line, text in expected_flow(scenario):
        if text.startswith('# warning '):
            wanted_warnings.append((line, text.split()[2:]))
            continue
        if text.startswith('#'):
            fine = at < len(items) and items[at][0] == '#' and \
                same_event(scenario, line, text.split()[1:], items[at][1])
            took, where = (1, None) if fine else (0, at)
        else:
            took, where = Instruction(scenario, line, text).problem(items, at)
        if where is not None:
            return ['%s:%d: flow: expected "%s", got "%s"' %
                    (scenario.path, line, text, item_text(items, where))]
        at += took
    if at < len(items):
        return ['%s: flow: expected the end, got "%s"' % (scenario.path, item_text(items, at))]
    return judge_warnings(scenario, wanted_warnings, warnings)


def judge_warnings(scenario, wanted, got):
    for line, words in wanted:
        want = [words[0]] + ['%x' % scenario.address(line, w) for w in words[1:]]
        if not got or got[0][:len(want)] != want:
            return ['%s:%d: flow: expected the warning "%s", got %s' %
                    (scenario.path, line, ' '.join(words),
                     '"%s"' % ' '.join(got[0]) if got else 'none')]
        got = got[1:]
    return ['%s: flow: a warning that was not expected: "%s"' % (scenario.path, ' '.join(g))
            for g in got[:1]]


# ---- the other expectations ------------------------------------------------------------------------

def judge_bytes(scenario, answer):
    got = [b for line in answer.of('B') for b in re.findall('..', (line.split() + [''])[1])]
    at = 0
    for line, text in scenario.sections['bytes']:
        m = re.match(r'(\d+)\* ([0-9a-fA-F]{2}\b.*)', text)
        wanted = m[2].split() * int(m[1]) if m else text.split()
        for word in wanted:
            if at >= len(got) or got[at] != word.lower():
                return ['%s:%d: bytes: expected %s as byte %d, got %s' %
                        (scenario.path, line, word, at, got[at] if at < len(got) else 'the end')]
            at += 1
    return ['%s: bytes: expected the end, got %s' % (scenario.path, got[at])] if at < len(got) else []


def normal_element(scenario, line, text):
    words = plain_ids(text.split())
    if words[0] == 'exception' and words[1] in scenario.exceptions():
        words[1] = 'type=%d' % scenario.exceptions()[words[1]]
    return ['%x' % scenario.address(line, w) if w.startswith('@') else w for w in words]


def judge_elements(scenario, name, got):
    """In order; words that the file gives must be there, in order; +marks must be there, !marks not."""
    at = 0
    for line, text in scenario.sections[name]:
        wanted = normal_element(scenario, line, text)
        have = got[at].split()[1:] if at < len(got) else []
        marks = {w[1:] for w in have if w.startswith('+')}
        plain = [w for w in have if not w.startswith('+')]
        need = [w for w in wanted if w[0] not in '+!']
        if plain[:len(need)] != need or any(w[1:] not in marks for w in wanted if w[0] == '+') or \
                any(w[1:] in marks for w in wanted if w[0] == '!'):
            return ['%s:%d: %s: expected "%s", got "%s"' %
                    (scenario.path, line, name, text, ' '.join(have) or 'the end')]
        at += 1
    if at < len(got):
        return ['%s: %s: expected the end, got "%s"' % (scenario.path, name, got[at])]
    return []


def judge_packets(scenario, answer):
    got = [g.split() for g in answer.of('P')]
    at = 0
    for line, text in scenario.sections['packets']:
        words = text.split()
        have = got[at] if at < len(got) else ['', '', 'the end', '']
        if words[0] != have[2] or (len(words) > 1 and words[1] != have[1]):
            return ['%s:%d: packets: expected "%s", got "%s %s"' %
                    (scenario.path, line, text, have[2], have[1])]
        at += 1
    return ['%s: packets: expected the end, got %s' % (scenario.path, got[at][2])] \
        if at < len(got) else []


def judge_ledger(scenario, answer):
    got = dict(line.split() for line in answer.of('L'))
    for line, text in scenario.sections.get('ledger', []):
        name, wanted = text.split()
        if int(wanted) != int(got.get(name, '0')):
            return ['%s:%d: ledger: expected %s %s, got %s' %
                    (scenario.path, line, name, wanted, got.get(name, '0'))]
    size = sum(len((line.split() + [''])[1]) // 2 for line in answer.of('B'))
    total = sum(int(v) for n, v in got.items() if n != 'total')
    if total != size or int(got.get('total', '-1')) != size:
        return ['%s: ledger: the accounts hold %d bytes, total says %s, the trace has %d' %
                (scenario.path, total, got.get('total'), size)]
    return []


def judge_depth(scenario, answer):
    line, text = scenario.sections['depth'][0]
    got = answer.of('D')
    if got != [text]:
        return ['%s:%d: depth: expected %s, got %s' % (scenario.path, line, text, ' '.join(got))]
    return []


def problems_of(tool, path, show):
    try:
        scenario = Scenario(path)
        answer, problems = tool.answer_of(scenario)
    except ScenarioError as error:
        return [str(error)]
    except AssemblyError as error:
        return ['%s:%d: %s' % (path, error.line, error)]
    if problems:
        return ['%s: %s' % (path, p) for p in problems]
    if show:
        for letter in 'BPERDFLX':
            for line in answer.of(letter):
                print('#   %s %s' % (letter, line))
    judges = {'bytes': judge_bytes, 'packets': judge_packets, 'depth': judge_depth,
              'elements': lambda s, a: judge_elements(s, 'elements', a.of('E')),
              'resolved': lambda s, a: judge_elements(s, 'resolved', a.of('R')),
              'flow': judge_flow}
    for name in EXPECTATIONS:
        if name in judges and name in scenario.sections:
            problems += judges[name](scenario, answer)
    problems += judge_ledger(scenario, answer)
    return problems + ['%s: %s' % (path, line) for line in answer.of('X')]


def name_of(path):
    return os.path.splitext(os.path.relpath(path, HERE))[0]


def main():
    arguments = [a for a in sys.argv[1:] if a not in ('--show', '--long')]
    if not arguments:
        sys.exit(__doc__)
    tool, paths = Tool(arguments[0]), arguments[1:] or [path for path in find(HERE) if (name_of(path) in LONG) == ('--long' in sys.argv)]
    tap = Tap()
    for path in paths:
        path = os.path.relpath(path)
        name = name_of(path)
        if not assembler():
            tap.skip(name, 'llvm-mc is not installed (Debian: llvm-19)')
            continue
        if name in LONG and len(program(tool.path)) > 1:
            tap.skip(name, 'takes an emulator minutes')
            continue
        tap.case(name, problems_of(tool, path, '--show' in sys.argv))
    for problem in tool.end():
        tap.failures += 1
        print('# at the end: ' + problem)
    tap.end()


if __name__ == '__main__':
    main()
