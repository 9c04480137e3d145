#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`cairn simulate`: what it says of captures and logs, what it refuses, and the captures that it writes.

usage: test_simulate.py CAIRN
"""
import os
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, run

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
EXAMPLE = os.path.join(TOP, 'examples', 'capture')
ELF = ['--image', os.path.join(EXAMPLE, 'program.elf')]
HANDLER = (0x80000200, 0x80000207)
LOOP = (0x80000004, 0x80000023)
LOG = '''\
1 clk cpu0 IT (1) 00001000:000000001000_NS d2800020 O EL1h_n : MOV x0,#1
2 clk cpu0 IT (2) 00001004:000000001004_NS 14000003 O EL1h_n : B 0x1010
3 clk cpu0 IT (3) 00001010:000000001010_NS d2800020 O EL1h_n : MOV x0,#1
4 clk cpu0 IT (4) 00001014:000000001014_NS d65f03c0 O EL1h_n : RET
5 clk cpu1 IT (5) 00002000:000000002000_NS 14000000 O EL1h_n : B 0x2000
'''


def simulate(cairn, *words):
    return run(cairn, 'simulate', *words)


def executed(source):
    """The addresses of each block that was executed, as the maker of the capture says."""
    blocks, block = [], []
    with open(os.path.join(EXAMPLE, source + '.addresses'), encoding='utf-8') as file:
        for line in file.read().splitlines():
            address, _, flag = line.partition(' ')
            if block and int(address, 16) != block[-1] + 4:  # an exception was taken
                blocks.append(block)
                block = []
            block.append(int(address, 16))
            if flag:
                blocks.append(block)
                block = []
    return blocks + ([block] if block else [])


def listed(source):
    with open(os.path.join(EXAMPLE, source + '.addresses'), encoding='utf-8') as file:
        return [line for line in file.read().splitlines() if not line.startswith('#')]


def flow(cairn, capture, source, *options):
    answer = run(cairn, 'flow', '--format', 'addresses', '--source', source, *options, capture)
    return [line for line in answer.lines() if not line.startswith('#')]


# --- what is traced

def check_all(cairn):
    for words in ([EXAMPLE], ['--capture', EXAMPLE], [os.path.join(EXAMPLE, 'snapshot.ini')],
                  [EXAMPLE, '--capture', EXAMPLE], ['--protocol', 'ete', '--capture', EXAMPLE]):
        answer = simulate(cairn, *words)
        yield from expect('status', answer.status, 0)
        for source in 'ETE_0', 'ETM_1':
            yield from expect_in(source, ': all of %d instructions are traced\n' % len(listed(source)), answer.out)
    yield from expect('of one', simulate(cairn, '--source', 'ETM_1', EXAMPLE).out.count('instructions are traced'), 1)
    yield from expect_in('its kind', 'ETM_1 (ETE): ', simulate(cairn, '--protocol', 'ete', '--capture', EXAMPLE).out)


def check_terms(cairn):
    """Rows of the table, against the blocks on paper (DDI0608 D6.8)."""
    for source in 'ETE_0', 'ETM_1':
        blocks = executed(source)
        total = sum(map(len, blocks))
        for name, use, range_ in (('include', 1, HANDLER), ('exclude', 0x10000, LOOP)):
            words = ['TRCVIIECTLR=%d' % use, 'TRCACVR0=%d' % range_[0], 'TRCACVR1=%d' % range_[1]]
            answer = simulate(cairn, *words, '--source', source, '--format', 'json', '--capture', EXAMPLE)
            rows = {tuple(row['terms']): row for row in answer.rows() if row['type'] == 'term'}
            if use == 1:
                traced = [b for b in blocks if any(range_[0] <= a <= range_[1] for a in b)]
            else:
                traced = [b for b in blocks if not range_[0] <= b[0] <= b[-1] <= range_[1]]
            low = rows[name,]
            yield from expect('%s: %s' % (source, name), (low['instructions'], low['blocks']),
                              (total - sum(map(len, traced)), len(blocks) - len(traced)))
            # Blocks in front of an exception have no P0 instruction: it ends them.
            high = rows[()]
            yield from expect('%s: traced' % source, high['instructions'], sum(map(len, traced)))
            yield from expect('%s: first' % source, int(high['address'], 16), traced[0][0])


def check_list(cairn):
    """Each instruction is in one run, and the runs are those of the table."""
    answer = simulate(cairn, 'TRCVIIECTLR=1', 'TRCACVR0=0x80000038', 'TRCACVR1=0x8000003f', '--list', '--source',
                      'ETE_0', '--format', 'json', '--capture', EXAMPLE)
    rows = answer.rows()
    runs = [row for row in rows if row['type'] == 'run']
    at = 0
    for row in runs:
        yield from expect('begins', row['at'], at)
        at += row['instructions']
    yield from expect('all', at, rows[0]['instructions'])
    for term in (row for row in rows if row['type'] == 'term'):
        same = [row for row in runs if row['terms'] == term['terms'] and row['traced'] == term['traced']]
        yield from expect('runs', (len(same), sum(row['instructions'] for row in same)),
                          (term['runs'], term['instructions']))
        yield from expect('first', same[0]['at'], term['at'])
    text = simulate(cairn, 'TRCVIIECTLR=1', 'TRCACVR0=0x80000038', 'TRCACVR1=0x8000003f', '--list', '--source',
                    'ETE_0', *ELF, '--capture', EXAMPLE).out
    yield from expect('lines', sum(' (0x' in line for line in text.splitlines()), len(runs) + 2)
    yield from expect_in('names', 'even (0x80000038)', text)


NOTHING = (
    (['TRCVICTLR=1'], 'the start/stop function never was active: TRCVICTLR.SSSTATUS was 0, and TRCVISSCTLR has no '
                      'start point: set SSSTATUS (write 0x201 to TRCVICTLR), or choose one'),
    (['TRCVICTLR=1', 'TRCVISSCTLR=2', 'TRCACVR1=0x80000028'],
     'nothing was executed at a start point (0x80000028 <done+0x4>)'),
    (['TRCVICTLR=0x200'], 'TRCVICTLR.EVENT is 0, which is never: write 1 for always'),
    (['TRCVICTLR=0x202', 'TRCRSCTLR2=0x20001', 'TRCCNTVR0=1'],
     'the event of TRCVICTLR (0x202) never was active: `cairn registers TRCVICTLR=0x202` says what it is'),
    (['TRCVICTLR.EVENT=2', 'TRCRSCTLR2=0x20001', 'TRCCNTVR0=1'], 'the event of TRCVICTLR (0x202)'),  # bits of it
    (['TRCVIIECTLR=1', 'TRCACVR0=0x1000', 'TRCACVR1=0x1fff'],
     'nothing was executed in a range to include (0x1000 to 0x1fff)'),
    (['TRCVIIECTLR=0x10000', 'TRCACVR0=0', 'TRCACVR1=0xffffffff'], 'all of it is in the ranges to exclude (TRCVIIECTLR)'),
    (['TRCVICTLR=0x7f0201'], 'the Exception levels that were executed are left out (TRCVICTLR.EXLEVEL_S, _NS or _RL; '
                             '0x7f0201)'),
    (['TRCVICTLR=0x200', 'TRCVIIECTLR=1', 'TRCACVR0=0x1000', 'TRCACVR1=0x1fff'], '; and '),
    (['TRCVIIECTLR=0x10001', 'TRCACVR0=0x80000004', 'TRCACVR1=0x80000023'],
     'no instruction passes all terms: exclude keeps out 63, and of the others include keeps out 44'),
    (['--protocol', 'ptm'], 'what was executed is A64, of which PTM traces nothing; try --protocol ete or etmv4'),
)


def check_nothing(cairn):
    for words, said in NOTHING:
        answer = simulate(cairn, *words, '--source', 'ETE_0', *ELF, '--capture', EXAMPLE)
        yield from expect('%s: status' % words, answer.status, 1)
        first = answer.out.splitlines()[0] if answer.out else answer.err
        yield from expect_in('%s: the first line' % words, ': nothing is traced: ', first)
        yield from expect_in('%s' % words, said, first)
    # A term that is low for a part of the instructions only is no reason.
    first = simulate(cairn, 'TRCVICTLR=1', 'TRCVIIECTLR=1', 'TRCACVR0=0x80000004', 'TRCACVR1=0x80000023', '--source',
                     'ETE_0', '--capture', EXAMPLE).out.splitlines()[0]
    yield from expect('include is no reason', 'include' in first, False)


def check_numbers(cairn):
    """Bytes, rates, the FIFO, events."""
    answer = simulate(cairn, '--clock', '800M', '--source', 'ETE_0', '--format', 'json', '--capture', EXAMPLE)
    unit = answer.rows()[0]
    yield from expect('rate', round(unit['bytes_per_second']), round(unit['bytes'] * 800e6 / unit['cycles']))
    answer = simulate(cairn, '--fifo', '64', '--drain', '0', '--source', 'ETE_0', '--capture', EXAMPLE)
    yield from expect('overflow: status', answer.status, 1)
    yield from expect_in('overflow', 'FIFO of 64 bytes, of which 0 leave in 16 cycles', answer.out)
    yield from expect_in('overflow', ': it overflows 1 time, and ', answer.out)
    answer = simulate(cairn, '--fifo', '64', '--drain', '64', '--source', 'ETE_0', '--capture', EXAMPLE)
    yield from expect('no overflow: status', answer.status, 0)
    yield from expect_in('no overflow', 'on average): it does not overflow\n', answer.out)
    counter = ['TRCEVENTCTL0R=0x2', 'TRCRSCTLR2=0x20001', 'TRCCNTRLDVR0=50', 'TRCCNTCTLR0=0x10001']
    answer = simulate(cairn, *counter, '--events', '--source', 'ETE_0', *ELF, '--capture', EXAMPLE)
    # 107 clocks, one an instruction: it is 0 at once and is loaded, and then comes to 0 after each 50.
    yield from expect_in('outputs', 'ETEEvent 0 (external output 0) occurred 3 times\n', answer.out)
    yield from expect('lines of events', sum('clock ' in line for line in answer.lines()), 3 + 5)
    yield from expect_in('where', 'counter 0 is 0  behind report+0x8 (0x80000048)\n', answer.out)


# --- registers

def check_registers(cairn):
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        files = {
            'board.etm': 'write TRCVICTLR 0x201\nwrite TRCVIIECTLR 1\nwrite TRCACVR0 0x80000200\nisb\n'
                         'write TRCACVR1 0x80000207\nwrite TRCPRGCTLR 1\n',
            'lines.txt': 'TRCVICTLR: 0x201\nTRCVIIECTLR: 1\nTRCACVR0: 0x80000200\nTRCACVR1: 0x80000207\n',
            'unit.ini': '[device]\nname=other\ntype=ETE\n[regs]\nTRCVICTLR=0x201\nTRCVIIECTLR=1\n'
                        'TRCACVR0=0x80000200\nTRCACVR1=0x80000207\n',
            'mgmt/trcvictlr': '0x201\n', 'mgmt/trcviiectlr': '0x1\n', 'mgmt/trcacvr0': '0x80000200\n',
            'mgmt/trcacvr1': '0x80000207\n',
        }
        for name, text in files.items():
            folder.write(name, text)
        words = ['TRCVIIECTLR.INCLUDE=1', 'TRCACVR0=0x80000200', '--set', 'TRCACVR1=0x80000207']
        wanted = simulate(cairn, *words, '--source', 'ETE_0', '--capture', EXAMPLE)
        yield from expect('words', wanted.status, 0)
        for name in 'board.etm', 'lines.txt', 'unit.ini', 'mgmt':
            answer = simulate(cairn, os.path.join(path, name), '--source', 'ETE_0', '--capture', EXAMPLE)
            yield from expect(name, (answer.status, answer.out.replace('etm', 'ete').splitlines()[:4]),
                              (0, wanted.out.splitlines()[:4]))
        for name in 'board.etm', 'lines.txt':
            for word in 'TRCVIIECTLR=0', 'TRCVIIECTLR.INCLUDE=0':
                over = simulate(cairn, os.path.join(path, name), word, '--source', 'ETE_0', '--capture', EXAMPLE)
                yield from expect_in('words are over ' + name, 'all of 107 instructions are traced', over.out)
        # What hardware has and the model has not is told, and left out; given as a word it is a mistake.
        folder.write('odd.txt', 'TRCVICTLR=0x201\nTRCCONFIGR=0x40001\nTRCWIBBLE=3\nTRCSSCSR0=1\n')
        answer = simulate(cairn, os.path.join(path, 'odd.txt'), '--protocol', 'ete', '--source', 'ETE_0', '--capture', EXAMPLE)
        yield from expect('a dump: status', answer.status, 0)
        yield from expect_in('a bit', 'TRCCONFIGR is 0x40001 in the registers given; of that the ETE model takes 0x1\n',
                             answer.err)
        yield from expect_in('a register', 'TRCWIBBLE = 0x3 of the registers given is left out', answer.err)
        answer = simulate(cairn, os.path.join(path, 'odd.txt'), 'TRCCONFIGR=0x40001', '--protocol', 'ete', '--source',
                          'ETE_0', '--capture', EXAMPLE)
        yield from expect('as a word: status', answer.status, 2)
        yield from expect_in('as a word', 'TRCCONFIGR is 0x40001: bits 0x40000 are reserved, or absent', answer.err)
        # Which of several kinds that have such registers: the one that the capture's unit is of.
        answer = simulate(cairn, 'TRCVICTLR=0x201', '--source', 'ETM_1', '--capture', EXAMPLE)
        yield from expect_in('kind', 'ETM_1 (ETMv4): ', answer.out)


REFUSED = (
    ([], 'what did the processor do? Give a capture with --capture, a log with --tarmac, or a program behind --'),
    (['TRCVICTLR=0x201'], 'what did the processor do?'),
    (['--capture', EXAMPLE, '--', 'true'], 'a capture, a log, a program: one of them, please'),
    (['--capture', EXAMPLE, '--tarmac', 'x'], 'a capture, a log, a program: one of them, please'),
    (['--capture', EXAMPLE, 'TRCVICTRL=1'], 'there is no register TRCVICTRL. Did you mean TRCVICTLR'),
    (['--capture', EXAMPLE, 'TRCVICTLR.WIBBLE=1'], 'TRCVICTLR has no field WIBBLE'),
    (['--capture', EXAMPLE, 'TRCCONFIGR=0x40001'], 'TRCCONFIGR is 0x40001: bits 0x40000 are reserved, or absent'),
    (['--capture', EXAMPLE, '--set', 'x'], '--set x: expected REGISTER=VALUE'),
    (['--capture', EXAMPLE, '--clock', 'fast'], '--clock fast: expected a frequency in hertz'),
    (['--capture', EXAMPLE, '--fifo', '8'], '--fifo 8: expected a number of bytes from 64'),
    (['--capture', EXAMPLE, '--source', 'wibble'], 'no source is called wibble'),
    (['--capture', EXAMPLE, '--include', 'wibble', *ELF], '--include wibble: no function'),
    (['--capture', EXAMPLE, '--include', '0x80000000', *ELF], 'expected A..B or a function: this is one address'),
    (['--capture', '/nowhere/at/all'], '/nowhere/at/all: does not exist'),
    (['--capture', EXAMPLE, '-o', EXAMPLE], 'is not empty and holds no recording'),
    (['--tarmac', '/nowhere/at/all'], '/nowhere/at/all: No such file'),
    (['--machine', 'microbit', '--capture', EXAMPLE], '--machine is the board of a program that stands behind --'),
    (['--machine', 'foo', '--', 'firmware.elf'], '--machine foo: which core has it?'),
    (['--machine', 'mps2-an505', '--protocol', 'etmv3', '--', 'firmware.elf'], 'cores of Armv8-M (Cortex-M33)'),
    (['--captur', EXAMPLE, '--wibble'], "unknown option '--wibble'"),
)


def check_refused(cairn):
    for words, said in REFUSED:
        answer = simulate(cairn, *words)
        yield from expect('%s: status' % words, answer.status, 2)
        yield from expect_in('%s' % words, said, answer.err)
        yield from expect('%s: output' % words, answer.out, '')


# --- what is written

def check_written(cairn):
    with tempfile.TemporaryDirectory() as path:
        out = os.path.join(path, 'out')
        for words, of in (([], {}), (['--protocol', 'ete'], {}), (['--protocol', 'etmv4'], {}),
                          (['TRCCONFIGR=0x1801'], {}), ([EXAMPLE], {})):
            for source in 'ETE_0', 'ETM_1':
                answer = simulate(cairn, *words, '--source', source, '--force', '-o', out, '--capture', EXAMPLE)
                yield from expect('%s: status %s' % (words, answer.err), answer.status, 0)
                yield from expect('%s %s' % (words, source), flow(cairn, out, source), listed(source))
        answer = simulate(cairn, '-o', out, '--capture', EXAMPLE)
        yield from expect('there already', answer.status, 2)
        yield from expect_in('there already', 'holds an earlier recording', answer.err)
        answer = simulate(cairn, '--force', '-o', out, '--capture', EXAMPLE)
        yield from expect('two kinds', answer.status, 2)
        yield from expect_in('two kinds', 'a folder has one kind; choose sources with --source, or a kind with '
                                          '--protocol', answer.err)
        simulate(cairn, '--force', '-o', out, *ELF, '--source', 'ETE_0', '--capture', EXAMPLE)
        yield from expect_in('names', ' weigh', run(cairn, 'flow', out).out)
        # What is traced of it is what is in it, and again, and in the end as another protocol.
        words = ['--include', 'weigh', '--source', 'ETE_0']
        first, second = os.path.join(path, 'first'), os.path.join(path, 'second')
        simulate(cairn, *words, *ELF, '-o', first, '--capture', EXAMPLE)
        simulate(cairn, '--protocol', 'etmv4', '-o', second, '--capture', first)
        yield from expect('again', flow(cairn, second, 'ETE_0'), flow(cairn, first, 'ETE_0'))
        yield from expect('not all', 0 < len(flow(cairn, first, 'ETE_0')) < len(listed('ETE_0')), True)
        check = run(cairn, 'check', second)
        yield from expect_in('check', 'nothing to complain about', check.out + check.err)


# --- logs

def check_log(cairn):
    with tempfile.TemporaryDirectory() as path:
        log = Folder(path).write('a.log', LOG)
        answer = simulate(cairn, '--tarmac', log)
        yield from expect('status ' + answer.err, answer.status, 0)
        for text in 'cpu0 (ETE): all of 4 instructions are traced', 'cpu1 (ETE): all of 1 instruction is traced':
            yield from expect_in('a unit a processor', text, answer.out)
        answer = simulate(cairn, '--tarmac', log, '--include', '0x1010-0x1017', '--format', 'json', '--list')
        rows = [(row['source'], row['at'], row['instructions'], row['terms']) for row in answer.rows()
                if row['type'] == 'run']
        yield from expect('runs', rows, [('cpu0', 0, 2, ['include']), ('cpu0', 2, 2, []), ('cpu1', 0, 1, ['include'])])
        yield from expect('status', answer.status, 1)  # of cpu1 nothing is traced
        out, recorded = os.path.join(path, 'out'), os.path.join(path, 'recorded')
        words = ['TRCCONFIGR=0x1811', 'TRCCCCTLR=4']
        simulate(cairn, '--tarmac', log, *words, '-o', out)
        run(cairn, 'record', '--tarmac', log, '--set', words[0], '--set', words[1], '-o', recorded)
        for name in 'cpu0.bin', 'cpu1.bin':
            with open(os.path.join(out, name), 'rb') as one, open(os.path.join(recorded, name), 'rb') as other:
                yield from expect('the bytes of ' + name, one.read(), other.read())


def check_help(cairn):
    short, whole = run(cairn, 'simulate', '--help').out, run(cairn, 'simulate', '--help-all').out
    for word in '--capture', '--tarmac', '--output', '--list', '--events', '--protocol':
        yield from expect_in('help', word, short)
    for word in '--fifo', '--drain', '--clock', '--include', '--keep-events', '--config':
        yield from expect_in('all of it', word, whole)
    yield from expect_in('among the commands', 'simulate', run(cairn, 'help').out)


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    for name, check in (('everything', check_all), ('terms', check_terms), ('runs', check_list),
                        ('why nothing is traced', check_nothing), ('numbers', check_numbers),
                        ('where registers are from', check_registers), ('what is refused', check_refused),
                        ('captures that are written', check_written), ('logs', check_log), ('help', check_help)):
        tap.case(name, check(cairn))
    tap.end()


if __name__ == '__main__':
    main()
