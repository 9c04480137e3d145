#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A driver's sequence on a machine of `cairn run --order`: whole it reads the same in each order and nothing is found; with a barrier
left out that barrier is named, and in some order what is read is wrong. The same of the log of registers, by `cairn barriers`.

usage: test_driver.py CAIRN FIRMWARE"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, 'tests', 'house'))
from firmware_run import Traces, boot, missing, traces_of  # noqa: E402
from tap import Tap  # noqa: E402

ORDERS = ['early', 'late', *('random:%d' % seed for seed in range(1, 7))]
TIMES = 8
# What is found without a barrier (DDI0608 E1.2.3): the register, or memory; the rule; what is missing of the barriers.
CSE, CSE2, TSB, DSB = ('a Context synchronization event', 'a Context synchronization event behind it', 'TSB CSYNC', 'DSB')
PROHIBITED = 'a Trace Prohibited region'  # the same, where TSB CSYNC is executed outside of one
FOUND = {
    'whole': set(),
    'without_A': {('TRBPTR_EL1', 'R_DJMD', (CSE,))},
    'without_B': set(),  # the ISB in front of ERET, which is one itself
    # Tracing is allowed still where TSB CSYNC is executed, or it may be: it does not order what comes before it.
    'without_C': {('TRBPTR_EL1', 'R_VTNCS', (TSB, CSE2)), ('memory', 'R_VLWDM', (TSB, DSB))},
    'without_D': {('TRBPTR_EL1', 'R_VTNCS', (TSB, CSE2)), ('memory', 'R_VLWDM', (TSB, DSB))},
    'without_E': {('memory', 'R_VLWDM', (DSB,))},
    'without_F': {('TRBPTR_EL1', 'R_VTNCS', (CSE2,))},
}
READ_WRONG = {'without_C', 'without_D', 'without_E', 'without_F'}
UNTOUCHED = 0xee
FINDING = re.compile(r'^(?:cairn: )?(\S+) ?(\S*): (memory|\w+)(?: at 0x[0-9a-f]+)?: .* \[(\w+)\]$')
BETWEEN = re.compile(r'^    between .* and this one there is not: (.*)$')


def findings(text, function):
    """By driver: what was found; `function` makes one of the place."""
    found, place = {}, None
    for line in text.splitlines():
        match = FINDING.match(line)
        between = BETWEEN.match(line)
        if match:
            place = (function(match), match[3], match[4])
        elif between and place:
            missing_ones = tuple(TSB if text == PROHIBITED else text for text in between[1].split(', '))
            found.setdefault(place[0], set()).add((*place[1:], missing_ones))
    return found


def compare(found):
    problems = ['%s: found %s, not %s' % (name, sorted(found.get('driver_' + name, ())), sorted(wanted))
                for name, wanted in FOUND.items() if found.get('driver_' + name, set()) != wanted]
    return problems + ['found elsewhere: %s' % name for name in found if name[7:] not in FOUND]


def read_of(content):
    """What a reader of the first 64 bytes makes of them (driver.S)."""
    value = 0
    for at in range(0, 64, 8):
        value = int.from_bytes(content[at:at + 8], 'little') ^ (value >> 1 | (value & 1) << 63)
    return value


def reads(said, name):
    """Each time: whether what the driver read is what was in memory in the end."""
    for row, (_, (_, _, _, words)) in zip(said.lines['driver:' + name], [item for item in traces_of(said) if item[0].startswith(name + '.')]):
        content = bytes.fromhex(words) if words != '-' else b''
        size, status, value = (int(word, 16) for word in row)
        yield (size, status, value) == (len(content), 0, read_of(content.ljust(64, bytes([UNTOUCHED]))))


def program():
    """The offsets of `program` (driver.S)."""
    offsets = [0, 4]
    for left in range(40, 0, -1):
        offsets += [8, *([12] if left & 2 else []), 16, 20]
    return [*offsets, 24]


def check_order(cairn, firmware, order, wrong):
    code, said, errors = boot(cairn, firmware, '--order', order)
    if 'end' not in said.lines:
        return ['status %d' % code, said.text[-500:], errors[-500:]]
    problems = [] if code == 1 else ['status %d, though barriers are missing' % code]
    problems += compare(findings(errors, lambda match: match[2].split('+')[0]))
    for name in FOUND:
        right = list(reads(said, name))
        if len(right) != TIMES:
            problems.append('%s: %d times' % (name, len(right)))
        if not all(right) and name in READ_WRONG:
            wrong.add(name)
        elif not all(right):
            problems.append('%s: what was read is not what is there: %s' % (name, right))
    with tempfile.TemporaryDirectory() as folder:
        traces = Traces(cairn, firmware, said, folder)
    problems += traces.problems
    for name, executed in traces.executed.items():
        if name.startswith('whole') and [offset for _, _, symbol, offset in executed if symbol == 'program'] != program():
            problems.append('%s: the trace is not the program' % name)
    return problems


def check_log(cairn, firmware):
    """The log is a script, whose lines have the place in the program behind them."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, 'log')
        code, said, errors = boot(cairn, firmware, '--log-registers', log)
        if code or errors or 'end' not in said.lines:
            return ['status %d' % code, errors]
        with open(log) as file:
            lines = file.read().splitlines()
        done = subprocess.run([cairn, 'barriers', '--orders', '10', log], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def function(match):
            """Of the line; one of the driver's that has no place is between two that have."""
            at = int(match[1].rpartition(':')[2]) - 1
            return next(re.search(r'# \S+ (\w+)\+', line)[1] for line in lines[at:] if re.search(r'# \S+ driver_\w+\+', line))

        return compare(findings(done.stdout, function)) + ([done.stderr] if done.stderr else [])


def check_refused(cairn, firmware):
    """What cannot be is said before there is a machine."""
    problems = []
    for arguments, wanted in ((['--order', 'never'], 'expected early, late, random or random:SEED'),
                              (['--order', 'random:x'], 'expected early, late, random or random:SEED'),
                              (['--order', 'late:1'], 'expected early, late, random or random:SEED'),
                              (['--log-registers', '/nowhere/log'], 'No such file or directory'),
                              (['--log-registers', 'a,b'], 'no comma'),
                              (['--firmware', '/nowhere/flash'], 'No such file or directory')):
        code, _, errors = boot(cairn, firmware, *arguments)
        if code != 2 or wanted not in errors:
            problems.append('%s: status %d: %s' % (arguments, code, errors))
    return problems


def check_flash(cairn, firmware):
    """Bytes of flash begin at EL3."""
    flash = os.path.join(os.path.dirname(firmware), 'flash.bin')
    done = subprocess.run([cairn, 'run', '--machine', 'virt,secure=on', '--firmware', flash], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    return [] if (done.returncode, done.stdout) == (0, '3\n') else ['status %d: %r' % (done.returncode, done.stdout)]


def main():
    cairn, firmware = sys.argv[1:]
    tap = Tap()
    last = 'what is read without a barrier is wrong in some order'
    names = [*('order ' + order for order in ORDERS), last, 'the log of registers', 'what cannot be', 'flash']
    why = missing(firmware)
    if why:
        for name in names:
            tap.skip(name, why)
        tap.end()
    wrong = set()
    for order in ORDERS:
        tap.case('order ' + order, check_order(cairn, firmware, order, wrong))
    tap.case(last, [] if wrong == READ_WRONG else ['always right: %s' % sorted(READ_WRONG - wrong)])
    tap.case('the log of registers', check_log(cairn, firmware))
    tap.case('what cannot be', check_refused(cairn, firmware))
    tap.case('flash', check_flash(cairn, firmware))
    tap.end()


if __name__ == '__main__':
    main()
