#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every board of QEMU with a Cortex-M, under firmware in which exceptions come everywhere: nested, chained,
preempting each other, with frames that are stacked lazily. What is decoded was executed, each exception
and each return is where QEMU's own log has it, and there are as many as the firmware counted."""
import re
import sys

from machine import QEMU, compare_exceptions, compare_flow, faulting, flow, number_of, record
from recording import Bench, Tap

# Boards and their firmware, and whether a trace unit of them may be an ETMv3.
BOARDS = [('microbit', 'storm-m0', False), ('mps2-an385', 'storm-m3', True),
          ('mps2-an386', 'storm-m4', True), ('mps2-an500', 'storm-m4', True),
          ('mps2-an511', 'storm-m3', False), ('mps2-an505', 'storm-an505', False),
          ('mps2-an521', 'storm-an521', False), ('mps3-an524', 'storm-an524', False),
          ('mps3-an547', 'storm-an547', False), ('musca-a', 'storm-musca-a', False),
          ('musca-b1', 'storm-musca-b1', False), ('lm3s6965evb', 'storm-m3', False),
          ('lm3s811evb', 'storm-m3', False), ('emcraft-sf2', 'storm-m3', False),
          ('netduino2', 'storm-netduino2', False), ('stm32vldiscovery', 'storm-netduino2', False),
          ('netduinoplus2', 'storm-netduinoplus2', False), ('ast1030-evb', 'storm-ast1030', False)]


def counted(messages):
    """By semihosting, which writes to standard error: NUMBER COUNT, in hexadecimal."""
    return [(str(int(number, 16)), int(count, 16)) for number, count in
            re.findall(r'^([0-9a-f]{8}) ([0-9a-f]{8})$', messages, re.M)]


def check(bench, board, name):
    status, _, messages, folder, listed, log = record(bench, name, board, ['--set', 'MTB_MASTER=18'])
    if status or 'not seen' in messages:
        return ['status %d: %s' % (status, messages)]
    udf = faulting(bench, name)
    printed = counted(messages)
    problems = [] if len(printed) == 8 else ['the firmware counted %r' % printed]
    return (problems + compare_flow(bench, folder, [address for address in listed if address not in udf]) +
            compare_exceptions(bench, folder, log, printed))


GATEWAY = '10004000' # of secure.ld: SG, which QEMU executes in no block of code


def check_secure(bench, board):
    """Secure and Non-secure code call and interrupt each other. Calls and their returns are no exceptions; SG is in
    the flow as often as the firmware counted, and FNC_RETURN in the packets as often as QEMU's log has it."""
    status, _, messages, folder, listed, log = record(bench, 'secure', board, ['--set', 'MTB_MASTER=18'])
    if status or 'not seen' in messages:
        return ['status %d: %s' % (status, messages)]
    printed = dict(counted(messages))
    passed = printed.pop('0', 0)
    problems = (compare_flow(bench, folder, listed, {GATEWAY}) +
                compare_exceptions(bench, folder, log, list(printed.items()), 10))
    gateways = flow(bench, folder).count(GATEWAY)
    if gateways != passed or passed < 100:
        problems.append('%d gateways, the firmware passed %d' % (gateways, passed))
    _, packets, _ = bench.run([bench.cairn, 'packets', folder])
    returns = packets.decode().count('source is=FNC_RETURN')
    if returns != log.count('function return successful') or returns < 100:
        problems.append('%d returns from Non-secure code, not %d' %
                        (returns, log.count('function return successful')))
    if not {'secure', 'nonsecure'} <= set(re.findall(r'taking pending (\w+) exception 15', log)):
        problems.append('not both timers')
    return problems


def check_etmv3(bench, board, name):
    """All of it, conditions of instructions included: what is in an IT block follows its flags."""
    status, _, messages, folder, listed, log = record(bench, name, board, ['--protocol', 'etmv3'])
    if status or 'not seen' in messages:
        return ['status %d: %s' % (status, messages)]
    udf = faulting(bench, name)
    problems = ['%s gaps' % row[2] for row in bench.decode(folder) if row[2] != '0']
    if flow(bench, folder) != [address for address in listed if address not in udf]:
        problems.append('decoded is not what was executed')
    text = bench.run([bench.cairn, 'flow', '--format', 'full', folder])[1].decode()
    taken = re.findall(r'taking pending nonsecure exception (\d+)', log)
    exceptions = [str(number_of(name)) for name in re.findall(r'# exception (\w+) at ', text)]
    if exceptions != taken:
        problems.append('%d exceptions, %d were taken' % (len(exceptions), len(taken)))
    return problems


def main():
    bench, tap = Bench(sys.argv), Tap()
    cases = [(board + ', MTB', name, lambda board=board, name=name: check(bench, board, name))
             for board, name, _ in BOARDS]
    cases += [(board + ', ETMv3', name, lambda board=board, name=name: check_etmv3(bench, board, name))
              for board, name, etmv3 in BOARDS if etmv3]
    cases += [(board + ', both states', 'secure', lambda board=board: check_secure(bench, board))
              for board in ('mps2-an505', 'mps2-an521')]
    for case, name, run in cases:
        if bench.missing(QEMU):
            tap.skip(case, '%s is not installed (Debian: qemu-system-arm)' % QEMU)
        elif not bench.own(name):
            tap.skip(case, 'no cross compiler for firmware')
        else:
            tap.case(case, run())
    bench.close()
    tap.end()


main()
