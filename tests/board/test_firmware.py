#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Firmware that begins at EL3 on a machine of `cairn run`: what it read of its core's trace, trace buffer and branch records is
what the architecture says. Nothing here comes from the models: tables and records are written down by hand.

usage: test_firmware.py CAIRN FIRMWARE"""
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, 'tests', 'house'))
from branches import check_branches, check_freeze  # noqa: E402
from firmware_run import Traces, boot, missing  # noqa: E402
from tap import Tap  # noqa: E402

EC_SVC = 0x15


def check_levels(said):
    """Each level is where it says it is, in both Security states, and what it takes comes from it."""
    problems = check_identity(said, 3, 0b1111, 0b111)
    for state in ('S', 'NS'):
        for EL in (1, 2):
            found = said.numbers('%s-EL%d' % (state, EL))
            if found != [EL, EL, EC_SVC]:
                problems.append('%s-EL%d: %s' % (state, EL, found))
    return problems


# What a trace unit says of levels: EXLEVEL_S and EXLEVEL_NS of TRCIDR3, a bit a level; and of EL2's identifiers VMIDSIZE of TRCIDR2,
# which is 4 with EL2 and 0 without. QEMU's max has Secure EL2, cortex-a72 has not.
BOARDS = [('virt', 'cortex-a72', 1, 0b0000, 0b011), ('virt', 'max', 1, 0b0000, 0b011),
          ('virt,virtualization=on', 'max', 1, 0b0000, 0b111),
          ('virt,secure=on', 'max', 3, 0b1011, 0b011),
          ('virt,secure=on,virtualization=on', 'cortex-a72', 3, 0b1011, 0b111)]


def check_identity(said, EL, secure, nonsecure):
    problems = [] if said.numbers('CurrentEL') == [EL] else ['it is at EL%s, not %d' % (said.numbers('CurrentEL'), EL)]
    (TRCIDR2,), (TRCIDR3,) = said.numbers('TRCIDR2'), said.numbers('TRCIDR3')
    if (TRCIDR3 >> 16 & 15, TRCIDR3 >> 20 & 7) != (secure, nonsecure):
        problems.append('TRCIDR3 is %x' % TRCIDR3)
    if TRCIDR2 >> 10 & 31 != (4 if nonsecure & 4 else 0):
        problems.append('TRCIDR2 is %x' % TRCIDR2)
    if EL == 1 and (said.numbers('BRBCR_EL1'), said.numbers('TRFCR_EL1')) != ([2], [3]):
        problems.append('EL1 does not have its registers')
    return problems


def check_board(cairn, firmware, machine, cpu, *wanted):
    code, said, errors = boot(cairn, firmware, '--machine', machine, '--cpu', cpu)
    if code or 'end' not in said.lines or errors:
        return ['status %d' % code, said.text[:500], errors]
    return check_identity(said, *wanted)


# --- who may access what ---

UNDEFINED, TRAPPED = 0, 0x18  # exception classes


def expected_access(setting, NS, EL, register, general):
    """The level that the exception is taken to, and its class: SVC, if the access was made. By the descriptions of the traps:
    MDCR_EL3.NSTB and MDCR_EL2.E2TB (DDI0608 E1.2.1.6), TTRF of both, MDCR_EL3.SBRBE, and TTA of CPTR_EL3, CPTR_EL2, CPACR_EL1."""
    kind, _, values = setting.partition('-')
    if EL == 0:
        return (2 if general else 1), UNDEFINED
    if EL == 1 and register.startswith(('TRFCR_EL2', 'BRBCR_EL2')):
        return 1, UNDEFINED
    NSTB, E2TB = (int(values[0]), int(values[1])) if kind == 'buffer' else (1, 3)
    traps = set()
    if register.startswith('TRB') and not register.startswith('TRBIDR'):
        traps |= {2} if E2TB != 3 and EL == 1 else set()
        traps |= {3} if NSTB != (3 if NS else 1) and EL < 3 else set()
    elif register.startswith('TRFCR') and kind == 'filter':
        traps |= {level for level in (2, 3) if str(level) in values and EL < level}
    elif register.startswith('BRB') and kind == 'branches' and EL < 3:
        traps |= {3} if values in ('0', '2') or (values == '1' and not NS) else set()
    elif register.startswith('TRCVICTLR') and kind == 'trace':
        traps |= {level for level in (1, 2, 3) if str(level) in values and EL <= level}
    return (min(traps), TRAPPED) if traps else (EL, EC_SVC)


def check_accesses(said):
    registers = re.split(', ', ' '.join(said.lines['accesses'][0]))
    problems, count = [], 0
    for line, rows in said.lines.items():
        setting = line[7:] if line.startswith('access:') else None
        for state, EL, *pairs in rows if setting else ():
            if len(pairs) != len(registers):
                problems.append('%s %s: %s' % (setting, state, pairs))
            for register, pair in zip(registers, pairs):
                found = tuple(int(word, 16) for word in pair.split(':'))
                wanted = expected_access(setting, state == 'NS', int(EL), register, setting == 'general')
                count += 1
                if found != wanted:
                    problems.append('%s, %s-EL%s, %s: (level, class) %s, wanted %s' % (setting, state, EL, register, found, wanted))
    # 12 owners, 4 of SBRBE, 3 filters, 3 of TTA at 8 levels, and one at the 6 that TGE leaves
    return problems if count == ((12 + 4 + 3 + 3) * 8 + 6) * 13 else ['%d accesses' % count, *problems]


# --- the buffer ---

IRQ, WRAP, EA, S = 1 << 22, 1 << 20, 1 << 18, 1 << 17
FILLED = 1                     # BSC
STAGE1, EXTERNAL = 0x24 << 26, 0x10  # EC, FSC: a synchronous External abort
PAGE, SECURE_MEMORY, NO_MEMORY = 4096, 0xe000000, 0x700000000
ROUNDS_SHORT, ROUNDS_LONG = 300, 40000


def check_buffers(said):
    """TRBSR_EL1 and the interrupt of each mode, and of what is no memory of the owner's (R_GQWBF)."""
    base, = said.numbers('buffer-base')
    problems = [] if said.numbers('interrupt-before') == [0] else ['the interrupt is high before anything']
    for name, at, status in (('fill', base, IRQ | WRAP | S | FILLED), ('wrap', None, IRQ | WRAP), ('circular', None, WRAP),
                             ('secure-memory', SECURE_MEMORY, STAGE1 | IRQ | EA | S | EXTERNAL),
                             ('no-memory', NO_MEMORY, STAGE1 | IRQ | EA | S | EXTERNAL)):
        for owner in ('NS', 'S'):
            if owner == 'S' and name == 'secure-memory':
                continue  # which is its
            pointer, found, before, after = said.numbers('buffer:%s-%s' % (owner, name))
            inside = base < pointer < base + PAGE if at is None else pointer == at
            if not inside or found != status or before != bool(status & IRQ) or after:
                problems.append('%s %s: TRBPTR_EL1 %x, TRBSR_EL1 %x, wanted %x; interrupt %d, then %d' %
                                (owner, name, pointer, found, status, before, after))
    return problems


def scrambled(rounds):
    """The instructions of `scramble` (buffer.c): a shift register says where it goes."""
    offsets, value = [0, 4], 1
    for left in range(rounds, 0, -1):
        low, value = value & 1, value >> 1
        offsets += [8, 12, 16, *([20] if low else []), 24, 28]
        value ^= 0xb400 if low else 0
    return [*offsets, 32]


def check_contents(traces):
    """What fills is the beginning of the program, what goes round its end, in either Security state's memory."""
    problems = []
    for owner, security in (('NS', 'Non-secure'), ('S', 'Secure')):
        whole = scrambled(ROUNDS_LONG)
        for name in ('fill', 'wrap', 'circular'):
            executed = traces.executed['%s-%s' % (owner, name)]
            found = [offset for _, _, symbol, offset in executed if symbol == 'scramble']
            wanted = whole[:len(found)] if name == 'fill' else whole[-len(found):]
            if len(found) < 20000 or found != wanted:
                problems.append('%s %s: %d instructions, not those of the program' % (owner, name, len(found)))
            if {(where, level) for where, level, symbol, _ in executed if symbol == 'scramble'} != {(security, 0)}:
                problems.append('%s %s: another level or state' % (owner, name))
    found = [offset for _, _, symbol, offset in traces.executed['S-secure-memory'] if symbol == 'scramble']
    return problems + ([] if found == scrambled(ROUNDS_SHORT) else ['Secure memory: %d instructions' % len(found)])


# --- the OS Lock ---

IDENTIFIER = 0x5a17
LAST_OF_MEMORY, MSR_CONTEXTIDR_EL1_X0 = 0x5ffffffc, bytes.fromhex('20d018d5')


def check_lock(said, traces):
    """Registers read behind the lock are what was written; while it is locked nothing is traced; then it goes on as before."""
    problems = [] if (said.numbers('lock-before'), said.numbers('lock-locked')) == ([0], [1]) else ['OSLSR_EL1.OSLK does not follow']
    control, *differences = said.numbers('lock-saved')
    if control != 1 or len(differences) != 19 or any(differences):
        problems.append('TRCPRGCTLR %x, others differ from what was written by %s' % (control, differences))
    if said.numbers('lock-size') != said.numbers('lock-size-locked') or said.numbers('lock-size') == [0]:
        problems.append('%s bytes before, %s while it is locked' % (said.numbers('lock-size'), said.numbers('lock-size-locked')))
    # the range of addresses is one visit's, the identifier is in the trace: before and behind the lock
    visit = [('Non-secure', 1, 'visit_NS_EL1', offset) for offset in (0, *[4, 8] * 3, 12)]
    if traces.executed['lock'] != visit * 2:
        problems.append('traced: %s' % traces.executed['lock'])
    if set(traces.identifiers['lock']) != {IDENTIFIER}:
        problems.append('identifiers: %s' % traces.identifiers['lock'])
    return problems


def check_fetch(said, traces):
    """An abort comes for the instruction behind MSR CONTEXTIDR_EL1: the code that takes it is in the new context."""
    EC_FETCH_SAME_LEVEL = 0x21
    problems = [] if said.numbers('fetch') == [1, EC_FETCH_SAME_LEVEL, 0x60000000] else ['it ended by %s' % said.numbers('fetch')]
    if traces.identifiers['fetch'][-1] != IDENTIFIER:
        problems.append('identifiers: %s' % traces.identifiers['fetch'])
    return problems


# --- what is traced ---

P = None
# DDI0608 I_DCRYN: NS, STE, NSTB, E2TB, EEL2, TGE; and for EL0 to EL3 the filter that opens the level, P if none does. None in
# front: any value. NSTB and E2TB are their upper bits. A level that is not there (n/a) is P: nothing is executed at it.
PROHIBITED = [
    (1, None, 0, None, None, None, (P, P, P, P)),
    (1, None, 1, 1, None, 0, ('E0TRE', 'E1TRE', P, P)),
    (1, None, 1, 1, None, 1, (P, P, P, P)),
    (1, None, 1, 0, None, 0, ('E0TRE', 'E1TRE', 'E2TRE', P)),
    (1, None, 1, 0, None, 1, ('E0HTRE', P, 'E2TRE', P)),
    (0, 0, None, None, None, None, (P, P, P, P)),
    (0, 1, 1, None, None, None, (P, P, P, P)),
    (0, 1, 0, None, 0, None, ('E0TRE', 'E1TRE', P, P)),
    (0, 1, 0, 1, 1, 0, ('E0TRE', 'E1TRE', P, P)),
    (0, 1, 0, 1, 1, 1, (P, P, P, P)),
    (0, 1, 0, 0, 1, 0, ('E0TRE', 'E1TRE', 'E2TRE', P)),
    (0, 1, 0, 0, 1, 1, ('E0HTRE', P, 'E2TRE', P)),
]
FILTERS = {'E0TRE': 1, 'E1TRE': 2, 'E0HTRE': 4, 'E2TRE': 8}
VISIT = 8  # instructions: MOV, three times SUB and CBNZ, SVC


def row_of(NS, STE, NSTB, E2TB, EEL2, TGE):
    rows = [n for n, row in enumerate(PROHIBITED)
            if all(a is None or a == b for a, b in zip(row, (NS, STE, NSTB >> 1, E2TB >> 1, EEL2, TGE)))]
    assert len(rows) == 1
    return rows[0]


def levels_of(NS, settings):
    """The row of the table, and the levels that are traced."""
    NSTB, E2TB, STE, EEL2, TGE, _, filters = settings
    row = row_of(NS, STE, NSTB, E2TB, EEL2, TGE)
    return row, {EL for EL, name in enumerate(PROHIBITED[row][6]) if name and filters & FILTERS[name]}


def check_setting(settings, executed):
    """Exactly the levels that may be are traced, and all that they executed."""
    problems = []
    for NS, security in enumerate(('Secure', 'Non-secure')):
        _, levels = levels_of(NS, settings)
        found = {EL for where, EL, _, _ in executed if where == security}
        if found != levels:
            problems.append('%s: traced %s, to be traced %s' % (security, sorted(found), sorted(levels)))
        for EL in levels:
            name = 'visit_%s_EL%d' % ('NS' if NS else 'S', EL)
            visit = [(where, level, offset) for where, level, symbol, offset in executed if symbol == name]
            loop = [4, 8]
            if visit != [(security, EL, offset) for offset in (0, *loop * 3, 12)]:
                problems.append('%s: %s: %s' % (security, name, visit))
    return problems


def check_prohibited(said, traces):
    """By row of the table, and by what else is in it: problems."""
    found = [[] for _ in PROHIBITED]
    tried = [0] * len(PROHIBITED)
    for name, executed in traces.executed.items():
        if not re.fullmatch('[0-3][0-3][01]{4}[0-9a-f]', name):
            continue
        settings = [int(digit, 16) for digit in name]
        problems = check_setting(settings, executed)
        for NS in (0, 1):
            row, _ = levels_of(NS, settings)
            tried[row] += 1
            found[row] += [name + ': ' + problem for problem in problems if problem.startswith('Non') == bool(NS)]
    return [problems if times else ['nothing was tried'] for problems, times in zip(found, tried)]


def describe(row):
    names = ('NS', 'STE', 'NSTB', 'E2TB', 'EEL2', 'TGE')
    upper = ('NSTB', 'E2TB')
    return ', '.join('%s %s' % (name, '0b%dx' % value if name in upper else value) for name, value in zip(names, row) if value is not None)


CASES = [('levels', check_levels), ('who may access what', check_accesses), ('the buffer fills, wraps, fails', check_buffers)]


def main():
    cairn, firmware = sys.argv[1:]
    tap = Tap()
    names = ['the machine ends well', *('%s, %s' % row[:2] for row in BOARDS), *(name for name, _ in CASES), 'branch records', 'records are frozen by an overflow', 'traces are decoded', 'what the buffer holds is what was executed',
             'events reach the trace unit', 'the OS Lock', 'an abort behind MSR',
             *('traced with ' + describe(row) for row in PROHIBITED)]
    why = missing(firmware)
    if why:
        for name in names:
            tap.skip(name, why)
        tap.end()
    code, said, errors = boot(cairn, firmware)
    tap.case(names[0], [] if code == 0 and 'end' in said.lines and not errors else ['status %d' % code, said.text[-2000:], errors])
    for row in BOARDS:
        tap.case('%s, %s' % row[:2], check_board(cairn, firmware, *row))
    if 'end' not in said.lines:
        sys.exit(1)
    for name, check in CASES:
        tap.case(name, check(said))
    tap.case('branch records', check_branches(said, firmware))
    tap.case('records are frozen by an overflow', check_freeze(said))
    with tempfile.TemporaryDirectory() as folder:
        traces = Traces(cairn, firmware, said, folder, (LAST_OF_MEMORY, MSR_CONTEXTIDR_EL1_X0))
    tap.case('traces are decoded', traces.problems)
    tap.case('what the buffer holds is what was executed', check_contents(traces))
    # 40 branches, and what is executed behind SVC; of no other trace
    tap.case('events reach the trace unit', [] if set(traces.events) == {'events'} and 40 <= traces.events['events'] <= 44
             else ['events: %s' % dict(traces.events)])
    tap.case('the OS Lock', check_lock(said, traces))
    tap.case('an abort behind MSR', check_fetch(said, traces))
    for row, problems in zip(PROHIBITED, check_prohibited(said, traces)):
        tap.case('traced with ' + describe(row), problems)
    tap.end()


if __name__ == '__main__':
    main()
