#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn branches with a capture: --brbe lists what was executed, as the example's list of addresses and its source
have it, which are not the library's; --check finds what differs in a dump, and what only the dump knows.

usage: test_branch_flow.py CAIRN
"""
import os
import random
import re
import struct
import sys
import tempfile

from common import EXAMPLE_D11_1_1, START, Folder, Tap, bytes_of, expect, expect_in, run, words

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CAPTURES = os.environ.get('CAIRN_CAPTURES')
CAPTURE = os.path.join(TOP, 'examples', 'capture')

# BRBINF.TYPE (DDI0608 F1.1.9.1) and names; of each branch of examples/capture/program.s, by its address. ISB is P0 and no branch.
DIRECT, CALL, INDIRECT_CALL, RETURN, ERET, CONDITIONAL, SVC, IRQ = 0x00, 0x02, 0x03, 0x05, 0x07, 0x08, 0x22, 0x2e
KINDS = {0x08: CALL, 0x14: CONDITIONAL, 0x1c: INDIRECT_CALL, 0x20: SVC, 0x24: CONDITIONAL, 0x28: DIRECT, 0x2c: CONDITIONAL,
         0x34: RETURN, 0x3c: RETURN, 0x44: CONDITIONAL, 0x4c: RETURN, 0x204: ERET}
# BRBFCR_EL1: EnI 16 turns the selection round; DIRECT 17, INDIRECT 18, RTN 19, INDCALL 20, DIRCALL 21, CONDDIR 22
ENI, SELECTS = 1 << 16, {DIRECT: 1 << 17, RETURN: 1 << 19, INDIRECT_CALL: 1 << 20, CALL: 1 << 21, CONDITIONAL: 1 << 22}
# BRBCR_EL1: EXCEPTION 23, ERTN 22, E1BRE 1, E0BRE 0
EXCEPTION, RETURNS, E1, E0 = 1 << 23, 1 << 22, 2, 1
ALL = 'BRBFCR_EL1=0x%x,BRBCR_EL1=0x%x' % (ENI, EXCEPTION | RETURNS | E1 | E0)


def executed(source):
    """[(source, target, type, level)], the oldest first: an instruction that is not followed by the one behind it has
    branched; of an SVC the record has where it returns to."""
    with open(os.path.join(CAPTURE, source + '.addresses'), encoding='utf-8') as file:
        addresses = [int(line.split()[0], 16) for line in file if line.strip() and not line.startswith('#')]
    found = []
    for at, to in zip(addresses, addresses[1:]):
        kind = KINDS.get(at & 0xfff)
        if to != at + 4:
            found.append((at + 4 if kind == SVC else at, to, kind, 1))
    return found


def recorded(branches, BRBFCR=ENI, BRBCR=EXCEPTION | RETURNS | E1 | E0):
    """Those that a buffer has which is programmed so."""
    def is_selected(kind):
        if kind == SVC:
            return BRBCR & EXCEPTION
        if kind == ERET:
            return BRBCR & RETURNS
        return bool(BRBFCR & SELECTS[kind]) != bool(BRBFCR & ENI)
    return [branch for branch in branches if BRBCR & E1 and is_selected(branch[2])]


def stacks_of(answer):
    """[[(source, target, code, level)]] in the order of JSON."""
    stacks = []
    for row in answer.rows():
        if row['type'] == 'stack':
            stacks.append([])
        elif row['type'] == 'branch':
            stacks[-1].append((int(row['source'], 16), int(row['target'], 16), row['code'], row['el']))
    return stacks


def check_list(cairn):
    for source in ('ETE_0', 'ETM_1'):
        branches = executed(source)
        yield from expect('a known flow', len(branches) > 20, True)
        for records in (8, 16, 32, 64):
            answer = run(cairn, 'branches', '--format', 'json', '--source', source, '--brbe', '%s,NUMREC=%d' % (ALL, records),
                         CAPTURE)
            yield from expect('%s, %d' % (source, records), (answer.status, stacks_of(answer)),
                              (0, [branches[:-records - 1:-1]]))
        for BRBFCR in [*SELECTS.values(), *(ENI | bit for bit in SELECTS.values()), 0, 3 << 21, ENI | 3 << 19]:
            for BRBCR in (E1, E1 | EXCEPTION, E1 | RETURNS, EXCEPTION | RETURNS):
                answer = run(cairn, 'branches', '--format', 'json', '--source', source, CAPTURE, '--brbe',
                             'BRBFCR=%d,NUMREC=64,BRBCR=0x%x' % (BRBFCR, BRBCR))
                yield from expect('%s, %x, %x' % (source, BRBFCR, BRBCR), stacks_of(answer),
                                  [recorded(branches, BRBFCR, BRBCR)[:-65:-1]])
    answer = run(cairn, 'branches', '--brbe', 'all', CAPTURE)
    yield from expect_in('both', '== %s, ETE_0: 32 branches in a buffer of 32, the youngest first\n' % CAPTURE, answer.out)
    yield from expect_in('both', '== %s, ETM_1: 27 branches in a buffer of 32' % CAPTURE, answer.out)


def check_every(cairn):
    branches = executed('ETE_0')
    answer = run(cairn, 'branches', '--format', 'json', '--source', 'ETE_0', '--every', '9', '--brbe', ALL + ',NUMREC=8',
                 CAPTURE)
    wanted = [branches[:n][:-9:-1] for n in range(9, len(branches) + 1, 9)] + [branches[:-9:-1]]
    yield from expect('stacks', stacks_of(answer), wanted)
    yield from expect('behind', [row.get('behind') for row in answer.rows() if row['type'] == 'stack'],
                      [*range(9, len(branches) + 1, 9), None])


# --- dumps

def dump_of(branches, name=None, first=''):
    """A dump of branches, the youngest first; None for a half that is not recorded. CCU is 1: no cycles."""
    text = first + ('[%s]\n' % name if name else '')
    for n, (source, target, kind, level) in enumerate(branches):
        valid = (2 if source is not None else 0) | (1 if target is not None else 0)
        text += 'BRBINF%d=0x%x\nBRBSRC%d=0x%x\nBRBTGT%d=0x%x\n' % (
            n, 1 << 46 | kind << 8 | (level << 6 if target is not None else 0) | valid, n, source or 0, n, target or 0)
    return text


CONTROLS = 'BRBFCR=0x%x\nBRBCR=0x%x\n' % (ENI, EXCEPTION | RETURNS | E1 | E0)


def windows(generator, count):
    """[(number of the youngest, records)] of the flow of ETE_0."""
    branches = executed('ETE_0')
    for _ in range(count):
        size = generator.choice((4, 8, 16, 32))
        youngest = generator.randrange(size, len(branches) + 1)
        yield youngest, branches[youngest - size:youngest][::-1]


def changed(generator, records):
    """(records, which one differs, in what): one field of one, to what is nowhere in the flow."""
    n = generator.randrange(len(records))
    source, target, kind, level = records[n]
    field = generator.choice(('source', 'target', 'kind', 'el'))
    if field == 'source':
        source ^= 1 << generator.randrange(12, 40)
    elif field == 'target':
        target ^= 1 << generator.randrange(12, 40)
    elif field == 'kind':
        kind = generator.choice([other for other in (DIRECT, CALL, INDIRECT_CALL, RETURN, CONDITIONAL) if other != kind])
    else:
        level = generator.choice((0, 2, 3))
    return records[:n] + [(source, target, kind, level)] + records[n + 1:], n, field


def check_thousand(cairn, folder):
    generator = random.Random(1)
    given = list(windows(generator, 1000))
    text = CONTROLS + ''.join(dump_of(records, 'd%d' % i) for i, (_, records) in enumerate(given))
    arguments = ['--format', 'json', '--source', 'ETE_0', '--check', CAPTURE]
    answer = run(cairn, 'branches', *arguments, folder.write('right.txt', text))
    rows = answer.rows()
    yield from expect('unchanged: status', (answer.status, answer.err), (0, ''))
    yield from expect('unchanged', [row['stack'] for row in rows if row['type'] == 'branch' and
                                    ('differs' in row or 'not_in_flow' in row)], [])
    stacks = [row for row in rows if row['type'] == 'stack']
    yield from expect('beside', {(row['beside'], row['differing'], row['not_in_flow']) for row in stacks}, {('ETE_0', 0, 0)})
    # where the flow repeats itself, the last place is as good
    branches = executed('ETE_0')
    for (youngest, records), row in zip(given, stacks):
        at = row['flow_branch']
        yield from expect('place', (at >= youngest, branches[at - len(records):at][::-1]), (True, records))
    wrong = [changed(generator, records) for _, records in given]
    text = CONTROLS + ''.join(dump_of(records, 'd%d' % i) for i, (records, _, _) in enumerate(wrong))
    answer = run(cairn, 'branches', *arguments, folder.write('wrong.txt', text))
    yield from expect('changed: status', answer.status, 1)
    found = [(row['stack'], row['index'], row['differs']) for row in answer.rows() if row['type'] == 'branch' and
             ('differs' in row or 'not_in_flow' in row)]
    yield from expect('changed', found, [(i, n, [field]) for i, (_, n, field) in enumerate(wrong)])
    yield from expect('result', answer.rows()[-1]['differing'], 1000)


def check_words(cairn, folder):
    branches = executed('ETE_0')
    youngest = branches[:-4:-1]
    right = folder.write('right.txt', CONTROLS + dump_of(youngest))
    answer = run(cairn, 'branches', '--source', 'ETE_0', '--check', CAPTURE, right)
    yield from expect('status', (answer.status, answer.err), (0, ''))
    yield from expect_in('right', '\n   beside ETE_0: record 0 is number %d of %d; 0 differ\n' % (len(branches), len(branches)),
                      answer.out)
    yield from expect_in('right', '; 0 differ from the flow, 0 not in it, 0 stacks fit nowhere; 0 wrong\n', answer.out)
    source, target, kind, level = youngest[1]
    wrong = folder.write('wrong.txt', CONTROLS + dump_of([youngest[0], (source, target + 8, RETURN, 0), youngest[2]]))
    answer = run(cairn, 'branches', '--source', 'ETE_0', '--check', CAPTURE, wrong)
    yield from expect('status', answer.status, 1)
    yield from expect_in('wrong', '\n      differs: the flow has target 0x80000200, Call, EL1\n', answer.out)
    yield from expect('youngest', youngest[1], (0x80000024, 0x80000200, SVC, 1))
    half = folder.write('half.txt', CONTROLS + dump_of([youngest[0], (source, None, SVC, 0), youngest[2]]))
    yield from expect_in('half', '\n      differs: the flow has source 0x80000024, target 0x80000200\n',
                         run(cairn, 'branches', '--source', 'ETE_0', '--check', CAPTURE, half).out)
    other = folder.write('other.txt', CONTROLS + dump_of([(0x10, 0x20, DIRECT, 1), (0x30, 0x10, DIRECT, 1)]))
    answer = run(cairn, 'branches', '--check', CAPTURE, other)
    yield from expect('nowhere: status', answer.status, 1)
    yield from expect_in('nowhere', ': more than half of the records are other ones at the best place\n',
                         answer.out)
    yield from expect_in('nowhere', ', 1 stack fits nowhere; 0 wrong\n', answer.out)
    # a section that is called as a source is of that one
    named = folder.write('named.txt', CONTROLS + dump_of(executed('ETM_1')[:-4:-1], 'ETM_1') + dump_of(youngest, 'ETE_0') +
                         dump_of(youngest, 'a'))
    rows = run(cairn, 'branches', '--format', 'json', '--check', CAPTURE, named).rows()
    yield from expect('named', [row['beside'] for row in rows if row['type'] == 'stack'], ['ETM_1', 'ETE_0', 'ETE_0'])
    # older than the trace
    early = folder.write('early.txt', CONTROLS + dump_of(branches[4::-1] + [(0x7000, 0x80000000, DIRECT, 1)]))
    answer = run(cairn, 'branches', '--source', 'ETE_0', '--check', CAPTURE, early)
    yield from expect('early: status', answer.status, 0)
    yield from expect_in('early', '   5  0x7000     -> 0x80000000', answer.out)
    yield from expect_in('early', '\n      not in the flow: older than the trace\n', answer.out)
    # and younger
    late = folder.write('late.txt', CONTROLS + dump_of([(0x9000, 0x9010, RETURN, 1)] + branches[:-6:-1]))
    answer = run(cairn, 'branches', '--source', 'ETE_0', '--check', CAPTURE, late)
    yield from expect('late: status', answer.status, 0)
    yield from expect_in('late', '; 0 differ, 1 not in the flow\n', answer.out)
    yield from expect_in('late', '   beside ETE_0: record 1 is number %d of %d' % (len(branches), len(branches)), answer.out)
    yield from expect_in('late', '\n      not in the flow: younger than the trace\n', answer.out)


def check_gap(cairn, folder):
    """Branches from 0x1000 to 0x2000 and so on to 0x9000; the trace overflows (00 05, DDI0608 D5.6) behind 0x3000 and
    begins anew at 0x6000. Atom format 1 E is F7; in START the second byte of the address has bits 15:9."""
    code = [(n << 12, words([0x14000400])) for n in range(1, 9)]
    again = START.replace(bytes_of('82 00 08'), bytes_of('82 00 30'))
    E = bytes_of('F7')
    capture = folder.snapshot('gap', START + E * 2 + bytes_of('00 05') + again + E * 3, dumps=code)
    run_of = [(n << 12, n + 1 << 12, DIRECT, 1) for n in range(8, 0, -1)]
    for name, records, lost, differs in (
            ('all', run_of, [3, 4, 5], []),
            ('of the gap', run_of[4:], [0, 1], []),
            ('fewer', run_of[:4] + run_of[6:], [3], []),
            ('changed', run_of[:1] + [(0x7000, 0x8010, DIRECT, 1)] + run_of[2:], [3, 4, 5], [1])):
        answer = run(cairn, 'branches', '--format', 'json', '--check', capture, folder.write(
            'gap.txt', CONTROLS + dump_of(records)))
        rows = [row for row in answer.rows() if row['type'] == 'branch']
        yield from expect(name + ': lost', [row['index'] for row in rows if 'not_in_flow' in row], lost)
        yield from expect(name + ': differs', [row['index'] for row in rows if 'differs' in row], differs)
        yield from expect(name + ': status', answer.status, 1 if differs else 0)
        yield from expect(name + ': why', {row['not_in_flow'] for row in rows if 'not_in_flow' in row},
                          {'gap'})


def check_gaps(cairn, folder):
    """A trace of 300 such branches that overflows at random; 200 dumps that have all branches, and one that differs."""
    generator = random.Random(2)
    code, trace, traced, n = [], b'', set(), 1
    while n < 300:
        count = generator.randrange(1, 9)
        trace += b'' if n == 1 else bytes_of('00 05')
        trace += START.replace(bytes_of('82 00 08 00 00'), b'\x82' + bytes([0, n << 3 & 0x7f, n >> 4 & 0xff, n >> 12])) + \
            bytes_of('F7') * count
        traced.update(range(n, n + count))
        n += count + generator.randrange(0, 4)
    code = [(at << 12, words([0x14000400])) for at in range(1, n + 1)]
    capture = folder.snapshot('gaps', trace, dumps=code)
    text, wanted = CONTROLS, []
    while len(wanted) < 200:
        size = generator.choice((8, 16, 32, 64))
        youngest = generator.randrange(size, max(traced) + 1)
        numbers = list(range(youngest, youngest - size, -1))
        if sum(number in traced for number in numbers) < 5:
            continue
        records = [(number << 12, number + 1 << 12, DIRECT, 1) for number in numbers]
        which = generator.choice([i for i, number in enumerate(numbers) if number in traced])
        _, target, _, _ = records[which]
        records[which] = (numbers[which] << 12, target + 4, DIRECT, 1)
        text += dump_of(records, 'd%d' % len(wanted))
        wanted.append(([i for i, number in enumerate(numbers) if number not in traced], [which]))
    rows = run(cairn, 'branches', '--format', 'json', '--check', capture, folder.write('gaps.txt', text)).rows()
    got = [([], []) for _ in wanted]
    for row in rows:
        if row['type'] == 'branch' and 'not_in_flow' in row:
            got[row['stack']][0].append(row['index'])
        if row['type'] == 'branch' and 'differs' in row:
            got[row['stack']][1].append(row['index'])
    yield from expect('lost records', sum(len(lost) for lost, _ in wanted) > 500, True)
    for i, (one, other) in enumerate(zip(got, wanted)):
        yield from expect('dump %d' % i, one, other)


def check_unknown(cairn, folder):
    """The trace ends with an IRQ: where it led the dump alone knows, and so do branches of the handler."""
    capture = folder.snapshot('irq', EXAMPLE_D11_1_1, dumps=[
        (0x1000, words([0x14000400])), (0x2000, words([0xd2800020, 0xf9400001, 0xeb01001f, 0x54007fa0, 0xf9000001]))])
    flow = [(0x2014, 0x880, IRQ, 1), (0x1000, 0x2000, DIRECT, 1)]
    for name, records, status, lost in (
            ('vector', flow, 0, 0), ('handler', [(0x884, 0x900, DIRECT, 1)] + flow, 0, 1),
            ('address', [(0x2010, 0x880, IRQ, 1), flow[1]], 1, 0)):
        answer = run(cairn, 'branches', '--format', 'json', '--check', capture, folder.write(
            'irq.txt', CONTROLS + dump_of(records)))
        yield from expect(name, (answer.status, answer.rows()[-1]['not_in_flow']), (status, lost))
    branches = [row for row in run(cairn, 'branches', '--format', 'json', '--brbe', 'all', capture).rows()
                if row['type'] == 'branch']
    yield from expect('its half', [(row['source'], row['target']) for row in branches],
                      [('0x2014', None), ('0x1000', '0x2000')])


# --- a TARMAC log instead of a capture. At 0x80000000 BL +0x10, B.EQ +8, NOP, SVC; RET; at 0x80000200 ERET

def log_lines(clock, *steps, cpu='cpu0', level='EL1h_ns'):
    code = {0x00: 'BL 94000004', 0x04: 'B.EQ 54000040', 0x08: 'NOP d503201f', 0x0c: 'SVC d4000001', 0x10: 'RET d65f03c0',
            0x200: 'ERET d69f03e0'}
    for time, at, *failed in steps:
        name, opcode = code[at].split()
        yield '%d %s %s %s (1) %08x %s O %s : %s\n' % (time, clock, cpu, 'IS' if failed else 'IT', 0x80000000 + at, opcode, level, name)


RUN = ((10, 0x00), (11, 0x10), (14, 0x04), (15, 0x0c), (18, 0x200), (20, 0x10), (21, 0x04, 'N'), (22, 0x08))
# of it, the oldest first
MADE = [(0x80000000, 0x80000010, CALL, 1), (0x80000010, 0x80000004, RETURN, 1), (0x80000004, 0x8000000c, CONDITIONAL, 1),
        (0x80000010, 0x80000200, SVC, 1), (0x80000200, 0x80000010, ERET, 1), (0x80000010, 0x80000004, RETURN, 1)]


def check_log(cairn, folder):
    first = list(log_lines('clk', *RUN))
    second = list(log_lines('clk', (12, 0x00), (13, 0x10), (30, 0x04), cpu='cpu1'))
    log = folder.write('run.tarmac', ''.join(line for pair in zip(first, second + [''] * 5) for line in pair))
    answer = run(cairn, 'branches', '--format', 'json', '--brbe', ALL + ',NUMREC=8', log)
    yield from expect('status', (answer.status, answer.err), (0, ''))
    yield from expect('branches', stacks_of(answer), [MADE[::-1], MADE[2::-1]])
    rows = answer.rows()
    yield from expect('processors', [row['name'] for row in rows if row['type'] == 'stack'], ['cpu0', 'cpu1'])
    answer = run(cairn, 'branches', '--format', 'json', '--source', 'cpu1', '--brbe', ALL + ',NUMREC=8', log)
    yield from expect('one processor', stacks_of(answer), [MADE[2::-1]])
    # cycles are the log's clock's, each from record to record: of a branch whose target the next line alone tells, of an
    # exception and of a return from it those of the line behind are not its own
    timed = run(cairn, 'branches', '--format', 'json', '--source', 'cpu0', '--brbe', 'BRBFCR=0x%x,BRBCR=0x%x' % (
        ENI, EXCEPTION | RETURNS | E1 | E0 | 1 << 3), log).rows()
    # proves: R_KVRBB
    yield from expect('cycles', [row.get('cycles') for row in timed if row['type'] == 'branch'],
                      [20 - 18, 18 - 18, 18 - 14, 14 - 11, 11 - 10, None])
    answer = run(cairn, 'branches', '--format', 'json', '--every', '4', '--source', 'cpu0', '--brbe', ALL, log)
    yield from expect('every', stacks_of(answer), [MADE[3::-1], MADE[::-1]])
    # where the log does not follow from itself, older records are the last ones no longer
    broken = folder.write('broken.tarmac', ''.join([*first, *log_lines('clk', (40, 0x10), (41, 0x04, 'N'))]))
    answer = run(cairn, 'branches', '--format', 'json', '--brbe', ALL, broken)
    yield from expect('behind a gap', stacks_of(answer), [[MADE[1]]])
    # so too where a direct branch leads elsewhere than the log goes on, and where a call is not followed
    for name, steps, wanted in (('a branch', ((14, 0x04), (18, 0x10), (19, 0x04, 'N')), MADE[1:2]),
                                ('a call', ((14, 0x00), (15, 0x04), (16, 0x0c), (17, 0x200), (18, 0x10), (19, 0x04, 'N')), MADE[:1:-1])):
        left = folder.write('left.tarmac', ''.join(log_lines('clk', (10, 0x00), (11, 0x10), *steps)))
        answer = run(cairn, 'branches', '--format', 'json', '--brbe', ALL, left)
        yield from expect('behind ' + name, stacks_of(answer), [wanted])
    # the log ends with a branch: that it was executed is known, and where to is not
    ends = folder.write('ends.tarmac', ''.join(log_lines('clk', (10, 0x00), (11, 0x10))))
    rows = run(cairn, 'branches', '--format', 'json', '--brbe', ALL, ends).rows()
    # proves: R_KXTRK
    yield from expect('the end', [(row['source'], row['target'], row['code']) for row in rows if row['type'] == 'branch'],
                      [('0x80000010', None, RETURN), ('0x80000000', '0x80000010', CALL)])
    # a reset: what was recorded before stays, where the last branch of before led is not known, and the buffer is programmed again
    reset = folder.write('reset.tarmac', ''.join([*log_lines('clk', (10, 0x00), (11, 0x10)),
                                                  '12 clk cpu0 E 80000000 00000001 CoreEvent_RESET\n',
                                                  *log_lines('clk', (20, 0x00), (21, 0x10), (22, 0x04, 'N'))]))
    rows = run(cairn, 'branches', '--format', 'json', '--brbe', ALL, reset).rows()
    yield from expect('a reset', [(row['source'], row['target'], row['code']) for row in rows if row['type'] == 'branch'],
                      [('0x80000010', '0x80000004', RETURN), ('0x80000000', '0x80000010', CALL),
                       ('0x80000010', None, RETURN), ('0x80000000', '0x80000010', CALL)])
    answer = run(cairn, 'branches', '--format', 'json', '--check', ends, folder.write('dump.txt', CONTROLS + dump_of(MADE[1::-1])))
    yield from expect('the end beside a dump', (answer.status, answer.rows()[-1]['differing']), (0, 0))
    # --check
    for name, records, status, differing in (('right', MADE[::-1], 0, 0), ('older', MADE[3::-1], 0, 0),
                                             ('wrong', [MADE[5], (0x80000204, *MADE[4][1:]), *MADE[3::-1]], 1, 1)):
        answer = run(cairn, 'branches', '--format', 'json', '--check', log, folder.write('dump.txt', CONTROLS + dump_of(records)))
        stack = next(row for row in answer.rows() if row['type'] == 'stack')
        yield from expect(name, (answer.status, stack['beside'], stack['differing']), (status, 'cpu0', differing))
    odd = folder.write('odd.tarmac', ''.join([*first, '23 clk cpu0 IT this is none\n']))
    answer = run(cairn, 'branches', '--brbe', ALL, odd)
    yield from expect('a line that is not understood', answer.status, 1)
    yield from expect_in('a line that is not understood', 'odd.tarmac:9: not understood: 23 clk cpu0 IT this', answer.err)
    answer = run(cairn, 'branches', '--brbe', ALL, '--source', 'cpu7', log)
    yield from expect('no such processor', answer.status, 2)
    yield from expect_in('no such processor', 'no processor cpu7 executes an instruction', answer.err)


def check_simulators(cairn):
    """Logs of a Fast Model and of gem5: wherever an instruction is not followed by the one behind it a branch is
    recorded, at EL3 here. Logs themselves have every address."""
    for name in ('calculator-aarch64-fastmodel', 'calculator-aarch64-gem5'):
        log = os.path.join(CAPTURES, 'tarmac', name + '.tarmac')
        with open(log, encoding='utf-8') as file:
            at = [int(address, 16) for address in re.findall(
                r'^\d+ clk (?:cpu0 )?I[TS] \(\d+\) ([0-9a-f]+)\S* [0-9a-f]{8} O ', file.read(), re.M)]
        wanted = [(one, other) for one, other in zip(at, at[1:]) if other != one + 4]
        yield from expect(name + ': a known flow', len(wanted) > 600, True)
        # E3BREC (38) and SBRBE (33:32) of MDCR_EL3
        answer = run(cairn, 'branches', '--format', 'json', '--every', '64', '--brbe', 'all,MDCR_EL3=0x4300000000,NUMREC=64', log)
        stacks = [[branch[:2] for branch in stack[::-1]] for stack in stacks_of(answer)]
        yield from expect(name, sum(stacks[:-1], []), wanted[:len(wanted) // 64 * 64])
        yield from expect(name + ': the end', stacks[-1], wanted[-64:])


def check_raw(cairn, folder):
    """Registers as they lie in memory: what a text with the same has, and where the flow has them."""
    branches = executed('ETE_0')[:-9:-1]
    text = dump_of(branches)
    values = [int(line.split('=')[1], 16) for line in text.splitlines()]
    raw = folder.write('raw.bin', b''.join(struct.pack('<Q', value) for value in values))
    wanted = run(cairn, 'branches', '--format', 'json', folder.write('same.txt', text))
    answer = run(cairn, 'branches', '--format', 'json', '--brbe', 'raw', raw)
    yield from expect('one buffer', (answer.status, stacks_of(answer)), (0, stacks_of(wanted)))
    answer = run(cairn, 'branches', '--format', 'json', '--brbe', 'raw,4', raw)
    yield from expect('two', (answer.status, stacks_of(answer)), (0, [branches[:4], branches[4:]]))
    yield from expect('their names', [row['name'] for row in answer.rows() if row['type'] == 'stack'], ['buffer 0', 'buffer 1'])
    answer = run(cairn, 'branches', '--format', 'json', '--source', 'ETE_0', '--check', CAPTURE, '--brbe', 'raw,' + ALL, raw)
    yield from expect('beside a flow', (answer.status, answer.rows()[-1]['differing']), (0, 0))
    for name, size, arguments, said in (('cut', 190, 'raw', 'it has 190 bytes'), ('empty', 0, 'raw', 'it has 0 bytes'),
                                        ('none', 192, 'raw,3', 'it has 8 records, which is no multiple of the 3'),
                                        ('many', 192 * 9, 'raw', 'it has 72 records, and a buffer has at most 64'),
                                        ('number', 192, 'raw,65', '"65": a buffer of a raw dump has 1 to 64'),
                                        ('number', 192, 'raw,0', '"0": a buffer of a raw dump has 1 to 64'),
                                        ('word', 192, 'raw,x', '"x": a buffer of a raw dump has 1 to 64')):
        with open(raw, 'rb') as file:
            data = file.read() * 9
        answer = run(cairn, 'branches', '--brbe', arguments, folder.write('part.bin', data[:size]))
        yield from expect(name + ': status', answer.status, 2)
        yield from expect_in(name, said, answer.err)


def check_wrong(cairn, folder):
    dump = folder.write('dump.txt', dump_of(executed('ETE_0')[:-4:-1]))
    data = folder.write('perf.data', b'PERFILE2' + bytes(96))
    for arguments, said in (
            (['--brbe', 'all'], 'a capture is wanted'),
            (['--brbe', 'all', CAPTURE, CAPTURE], 'one capture at a time'),
            (['--brbe', 'BRBFCR', CAPTURE], '"BRBFCR": expected NAME=VALUE'),
            (['--brbe', 'BRBFCR=x', CAPTURE], '"BRBFCR=x": expected NAME=VALUE'),
            (['--brbe', 'BRBQ=1', CAPTURE], 'there is no register BRBQ'),
            (['--brbe', 'NUMREC=9', CAPTURE], 'NUMREC is 8, 16, 32 or 64'),
            (['--brbe', 'all', '--every', '0', CAPTURE], '--every 0: expected a number'),
            (['--every', '3', dump], '--every goes with --brbe'),
            (['--source', 'ETE_0', dump], '--source goes with --brbe and --check'),
            (['--brbe', 'all,raw', CAPTURE], '"raw" is the first word of it'),
            (['--brbe', 'raw,8,raw', dump], '"raw" is the first word of it'),
            (['--brbe', 'raw', CAPTURE], 'it is a folder; give the file in it'),
            (['--brbe', 'all', '--source', 'no', CAPTURE], 'no source is called no'),
            (['--brbe', 'all', folder.path + '/none'], 'none'),
            (['--check', CAPTURE, dump], 'BRBFCR_EL1 is not in the dump, and says what was recorded'),
            (['--check', CAPTURE, '--brbe', 'BRBFCR=0', dump], 'BRBCR_EL1 is not in the dump'),
            (['--check', CAPTURE, data], 'it is no text')):
        answer = run(cairn, 'branches', *arguments)
        yield from expect('%s: status' % arguments, answer.status, 2)
        yield from expect_in(str(arguments), said, answer.err)
    answer = run(cairn, 'branches', '--check', CAPTURE, '--brbe', ALL, dump)
    yield from expect('given', answer.status, 0)
    answer = run(cairn, 'branches', '--check', CAPTURE, '--brbe', 'BRBFCR=0,BRBCR=0', dump)
    yield from expect('nothing recorded: status', answer.status, 1)
    yield from expect_in('nothing recorded', 'nothing of it would have been recorded', answer.out)


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('what was executed', check_list(cairn))
        tap.case('as it goes on', check_every(cairn))
        tap.case('a thousand dumps, and each with one change', check_thousand(cairn, folder))
        tap.case('what is said of a dump', check_words(cairn, folder))
        tap.case('a gap in the trace', check_gap(cairn, folder))
        tap.case('many gaps', check_gaps(cairn, folder))
        tap.case('where the trace does not say whereto', check_unknown(cairn, folder))
        tap.case('a TARMAC log', check_log(cairn, folder))
        if CAPTURES:
            tap.case('logs of simulators', check_simulators(cairn))
        else:
            tap.skip('logs of simulators', 'CAIRN_CAPTURES is not set')
        tap.case('registers as they lie in memory', check_raw(cairn, folder))
        tap.case('what is wrong', check_wrong(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
