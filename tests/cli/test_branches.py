#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn branches: the page's commands give what the page says; every way to write a dump; what a dump lacks;
records of every kind; perf.data as perf and a reader of this file's own see it.

usage: test_branches.py CAIRN
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, program, run

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DUMP = 'examples/branches/crash.txt'
TIMEOUT = 60


# --- the page

def blocks():
    """[(command, what the page says that it prints)]"""
    with open(os.path.join(TOP, 'docs', 'brbe.md'), encoding='utf-8') as file:
        for block in re.findall(r'^```\n(.*?)^```', file.read(), re.M | re.S):
            for command, output in re.findall(r'^\$ (.*)\n((?:(?!\$ ).*\n)*)', block, re.M):
                yield command, output


def prints_as_the_page(perf):
    """The page has what the perf of Debian 12 prints; later ones have more columns."""
    return perf and b'version 6.1' in subprocess.run([perf, '--version'], stdout=subprocess.PIPE, timeout=TIMEOUT).stdout


def check_page(cairn, folder, perf):
    """All in one folder, so that a command finds what the one before it wrote."""
    os.symlink(os.path.join(TOP, 'examples'), os.path.join(folder.path, 'examples'))
    commands = list(blocks())
    yield from expect('commands on the page', len(commands) >= 7, True)
    for command, output in commands:
        words = command.split()
        if words[0] == 'perf' and not prints_as_the_page(perf):
            continue
        shell = words[0] not in ('cairn', 'cat', 'perf')
        if words[0] == 'cairn':
            words[:1] = program(cairn)
        done = subprocess.run(command if shell else words, shell=shell, cwd=folder.path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT)
        printed = re.sub(' +$', '', done.stdout.decode(), flags=re.M)  # perf ends lines with a blank
        yield from expect(command, printed, output)


# --- dumps

def record(n, inf, source=0, target=0):
    return 'BRBINF%d_EL1=0x%x\nBRBSRC%d_EL1=0x%x\nBRBTGT%d_EL1=0x%x\n' % (n, inf, n, source, n, target)


# A conditional branch at 0x1010 to 0x1000 at EL0, 3 cycles; TYPE is 8 (BRBINF bits 13:8), VALID 3.
PLAIN = 0x300000803
LINE = '   %d  0x1010 -> 0x1000  Conditional direct branch  EL0  3 cycles'


def check_forms(cairn, folder):
    """The same record, written in many ways."""
    for name, text in (
            ('=', 'BRBINF0=0x300000803\nBRBSRC0=0x1010\nBRBTGT0=0x1000\n'),
            (':', 'BRBINF0_EL1: 0x300000803\nBRBSRC0_EL1 : 0x1010\nBRBTGT0_EL1:0x1000'),
            ('case and order', 'brbtgt0_el1 = 0x1000\nBrbSrc0=0x1010\r\nbrbinf0_EL1=0x300000803\n'),
            ('one line', 'BRBINF0: 0x300000803, BRBSRC0: 0x1010 BRBTGT0: 0x1000\n'),
            ('16 digits', 'BRBINF0: 0000000300000803\nBRBSRC0: 0000000000001010\nBRBTGT0: 0000000000001000\n'),
            ('decimal', 'BRBINF0=12884903939\nBRBSRC0=4112\nBRBTGT0=4096\n'),
            ('messages of a kernel', '[    1.5] BRBE of CPU 0\n[    1.5] BRBINF0: 0x300000803 BRBSRC0: 0x1010\n'
             '[    1.6] BRBTGT0: 0x1000\n[    1.6] x0: 0000000000000000 pc : 12\n'),
            ('comments', '# BRBINF0=7\nBRBINF0=0x300000803 # BRBSRC0=9\n; BRBTGT0=1\nBRBSRC0=0x1010\nBRBTGT0=0x1000'),
            ('other registers', 'X0=0x7\nPC: what\nBRBINFINJ_EL1=0\nBRBTS_EL1=0x12\nBRBCR_EL12=0\n' + record(0, PLAIN, 0x1010, 0x1000)),
            ('no record behind', record(0, PLAIN, 0x1010, 0x1000) + record(1, 0) + 'BRBINF2=0\n'),
            ('a half is not needed', 'BRBINF0=0x300000803\nBRBSRC0=0x1010\nBRBTGT0=0x1000\nBRBINF1=0')):
        path = folder.write('form.txt', text)
        answer = run(cairn, 'branches', path)
        yield from expect(name + ': status', answer.status, 0)
        yield from expect(name, answer.lines(), [
            '== %s: 1 branch, the youngest first' % path, LINE % 0, '1 stack, 1 branch; 0 mispredicted; 0 wrong'])


def check_stacks(cairn, folder):
    """Sections, what stands in front of them, files, banks."""
    one = record(0, PLAIN, 0x1010, 0x1000)
    two = folder.write('two.txt', 'BRBIDR0=0x5040\n[first]\n' + one + '[nothing]\nx=1\n[bank1]\nBRBFCR=0x10000000\n' + one)
    answer = run(cairn, 'branches', two)
    yield from expect('sections', answer.lines(), [
        '== %s, first: 1 branch in a buffer of 64, the youngest first' % two, LINE % 0,
        '== %s, bank1: 1 branch in a buffer of 64, the youngest first' % two, LINE.replace('   %d', '  %d') % 32,
        '2 stacks, 2 branches; 0 mispredicted; 0 wrong'])
    other = folder.write('other.txt', one)
    rows = run(cairn, 'branches', '--format', 'json', two, other).rows()
    yield from expect('files', [(row['stack'], row['file'], row['name'], row['capacity']) for row in rows
                                if row['type'] == 'stack'],
                      [(0, two, 'first', 64), (1, two, 'bank1', 64), (2, other, None, None)])
    yield from expect('numbers', [(row['stack'], row['index']) for row in rows if row['type'] == 'branch'],
                      [(0, 0), (1, 32), (2, 0)])
    whole = folder.write('whole.txt', ''.join(record(n, PLAIN, 0x1010, 0x1000) for n in range(64)))
    yield from expect('64 records', run(cairn, 'branches', whole).lines()[1:-1],
                      [(LINE if n < 10 else LINE.replace('   %d', '  %d')) % n for n in range(64)])
    yield from expect('the oldest first', run(cairn, 'branches', '--oldest-first', whole).lines()[1].split()[0], '63')


def check_missing(cairn, folder):
    one = record(0, PLAIN, 0x1010, 0x1000)
    for name, text, said in (
            ('nothing', 'hello\n', 'there is no BRBINF<n>_EL1 in it: expected lines such as'),
            ('empty', '', 'there is no BRBINF<n>_EL1 in it'),
            ('no number', one + 'BRBINF1=0xqq\n', ':4: BRBINF1: "0xqq" is no number: give 0x'),
            ('no value', 'BRBINF0=\n', ':1: BRBINF0: "" is no number'),
            ('too wide', 'BRBINF0=0x10000000000000000\n', ':1: BRBINF0: "0x10000000000000000" is no number'),
            ('no source', one + 'BRBINF1=0x3\nBRBTGT1=0\n', ':4: BRBINF1_EL1 says that record 1 has a source, and BRBSRC1_EL1'),
            ('no target', 'BRBINF0=0x1\nBRBSRC0=0\n', ':1: BRBINF0_EL1 says that record 0 has a target, and BRBTGT0_EL1'),
            ('no BRBINF', one + 'BRBSRC1=0\n', ':4: BRBSRC1_EL1 is in the dump, and BRBINF1_EL1 is not'),
            ('one left out', one + record(2, 0), ':4: BRBINF2_EL1 is in the dump, and BRBINF1_EL1 is not'),
            ('twice', one + one, ':4: BRBINF0_EL1 stands in line 1 already: put [NAME]'),
            ('no such record', 'BRBINF64=0\n', ':1: BRBINF64 is no register of a Branch Record Buffer'),
            ('a wrong name', 'BRBIFN0=0\n', ':1: BRBIFN0 is no register of a Branch Record Buffer'),
            ('more than there are', 'BRBIDR0=0x5008\n' + ''.join(record(n, 0) for n in range(9)),
             ':26: there is a record 8, and BRBIDR0_EL1 says that there are 8'),
            ('no such buffer', 'BRBIDR0=0x5007\n' + one, ':1: BRBIDR0_EL1=0x5007 is of no Branch Record Buffer'),
            ('binary', b'BRBINF0=0\0', 'it is no text')):
        path = folder.write('wrong.txt', text)
        answer = run(cairn, 'branches', path)
        yield from expect(name + ': status', answer.status, 2)
        yield from expect(name + ': output', answer.out, '')
        yield from expect_in(name, 'cairn branches: %s%s' % (path, said if said[0] == ':' else ': ' + said), answer.err)
    path = folder.write('one.txt', one)
    for arguments, said in (([], 'a file with registers is wanted'), ([path + '.not'], 'cannot read'),
                            (['--format', 'xml', path], 'expected text, json, perf or perfscript'),
                            (['--format', 'perf', path], 'give --output'),
                            (['--image', path, path], '--image %s' % path),
                            (['--output', path, '--force', path], 'is one of the files that are read')):
        answer = run(cairn, 'branches', *arguments)
        yield from expect('%s: status' % arguments, answer.status, 2)
        yield from expect_in(str(arguments), said, answer.err)
    with open(path, encoding='utf-8') as file:
        yield from expect('the dump is left alone', file.read(), one)


# --- what records say

def check_records(cairn, folder):
    """Bits of BRBINF (Arm ARM): CCU 46, CC 45:32, LASTFAILED 17, T 16, TYPE 13:8, EL 7:6, MPRED 5, VALID 1:0."""
    for name, inf, words in (
            ('mispredicted', PLAIN | 1 << 5, '3 cycles  mispredicted'),
            ('transaction', PLAIN | 1 << 16, '3 cycles  in a transaction'),
            ('failed', PLAIN | 1 << 17, '3 cycles  a transaction failed before it'),
            ('unknown', 1 << 46 | 0x803, 'EL0  cycles unknown'),
            ('full', 0x3fff << 32 | 0x803, 'EL0  at least 1048576 cycles'),
            ('exponent 2', 0x2ff << 32 | 0x803, 'EL0  1022 cycles'),  # (256 + 255) << 1
            ('one', 1 << 32 | 0x803, 'EL0  1 cycle'),
            ('level', 0x3000008c3, 'EL3  3 cycles'),
            ('source only', 0x300002e02, '0x1010 -> -  IRQ  -    3 cycles  target where recording is prohibited'),
            ('target only', 0x300000741, '- -> 0x1000  Exception return  EL1  3 cycles  source where')):
        answer = run(cairn, 'branches', folder.write('r.txt', record(0, inf, 0x1010 if inf & 2 else 0,
                                                                     0x1000 if inf & 1 else 0)))
        yield from expect(name + ': status', answer.status, 0)
        yield from expect_in(name, words, answer.lines()[1])
    for name, inf, words in (
            ('reserved bits', PLAIN | 1 << 63, 'reserved bits of BRBINF are not zero'),
            ('type', 0x300003f03, 'TYPE is a reserved value'),
            ('count', PLAIN | 1 << 46, 'CCU says that the cycle count is unknown'),
            ('exception', 0x300002e23, 'an exception is marked as mispredicted'),
            ('shape', 0x300002103, 'a record of this type cannot have the halves')):
        answer = run(cairn, 'branches', folder.write('r.txt', record(0, inf, 0x1010, 0x1000)))
        yield from expect(name + ': status', answer.status, 1)
        yield from expect_in(name, '      wrong: ' + words, answer.out)
        yield from expect(name + ': sum', answer.lines()[-1].endswith('; 1 wrong'), True)
    hole = record(0, PLAIN, 0x1010, 0x1000) + record(1, 0) + record(2, PLAIN, 0x1010, 0x1000)
    answer = run(cairn, 'branches', folder.write('r.txt', hole))
    yield from expect('hole: status', answer.status, 1)
    yield from expect_in('hole', 'a valid record lies behind an invalid one: 2 is valid, 1 is not', answer.out)


def check_transactions(cairn, folder):
    """I_JBPHS: transactional ones just older than a failure are possibly rolled back; one behind the youngest is in
    BRBFCR_EL1.LASTFAILED alone (bit 6)."""
    T, FAILED = 1 << 16, 1 << 17

    def marked(text):
        rows = run(cairn, 'branches', '--format', 'json', folder.write('t.txt', text)).rows()
        return [row['index'] for row in rows if row.get('possibly_rolled_back') is True], rows[0]
    records = ''.join(record(n, PLAIN | bits, 0x1010, 0x1000) for n, bits in enumerate((T, T, FAILED, T, T, 0, T)))
    yield from expect('without', marked(records)[0], [3, 4])
    indexes, stack = marked('BRBFCR=0x40\n' + records)
    yield from expect('with', indexes, [0, 1, 3, 4])
    yield from expect('told', stack.get('last_failed'), True)
    # MPRED is bit 4 of BRBCR_ELx, CC bit 3; both registers have to say so
    for text, keys in (('BRBCR=0x18\n', []), ('BRBCR_EL1=0x8\n', ['no_predictions']),
                       ('BRBCR=0x18\nBRBCR_EL2=0x10\n', ['no_cycles'])):
        stack = marked(text + records)[1]
        yield from expect(text, [key for key in ('no_predictions', 'no_cycles') if stack.get(key)], keys)


# --- perf.data

# perf_event_attr.sample_type: IP, TID, TIME, BRANCH_STACK
SAMPLE_TYPE = 1 | 2 | 4 | 1 << 11


def read_perf(data):
    """[(name, address, level, time, [(from, to, word)])] and [(thread, address, size, offset, path)], by the layout
    that Linux documents."""
    magic, size, entry, at, length, data_at, data_size = struct.unpack_from('<8s6Q', data)
    features, = struct.unpack_from('<Q', data, 72)
    assert (magic, size, length) == (b'PERFILE2', 104, entry), 'header'
    attr_size, = struct.unpack_from('<I', data, at + 4)
    sample_type, = struct.unpack_from('<Q', data, at + 24)
    assert (attr_size + 16, sample_type) == (entry, SAMPLE_TYPE), 'attribute'
    names, samples, maps, end = {}, [], [], data_at + data_size
    while data_at < end:
        kind, misc, size = struct.unpack_from('<IHH', data, data_at)
        body = data[data_at + 8:data_at + size]
        data_at += size
        if kind == 3:
            names[struct.unpack_from('<I', body)[0]] = body[8:].rstrip(b'\0').decode()
            continue
        if kind == 10:
            maps.append((*struct.unpack_from('<I4x3Q', body), body[64:].rstrip(b'\0').decode()))
            continue
        assert kind == 9, 'a record of type %d' % kind
        address, _, thread, time, count = struct.unpack_from('<QIIQQ', body)
        assert len(body) == 32 + 24 * count, 'the size of a sample'
        samples.append((names[thread], address, misc & 7, time,
                        [struct.unpack_from('<3Q', body, 32 + 24 * i) for i in range(count)]))
    assert data_at == end, 'the end of the data'
    at = end
    where = [struct.unpack_from('<2Q', data, end + 16 * i) for i in range(bin(features).count('1'))]
    assert sum(size for _, size in where) + 16 * len(where) + end == len(data), 'features'
    return samples, maps


def write_perf(cairn, folder, name, *arguments):
    path = os.path.join(folder.path, name)
    answer = run(cairn, 'branches', '--format', 'perf', '--output', path, *arguments)
    with open(path, 'rb') as file:
        return answer, path, file.read()


def check_perf_bytes(cairn, folder):
    """perf_branch_entry's third word: mispred 0, predicted 1, in_tx 2, cycles 4:19, type 20:23, new_type 26:29,
    priv 30:32 (1 user, 2 kernel, 3 hv)."""
    answer, _, data = write_perf(cairn, folder, 'crash.data', os.path.join(TOP, DUMP))
    yield from expect('output', (answer.status, answer.out, answer.err), (0, '', ''))
    samples, maps = read_perf(data)
    yield from expect('maps', maps, [])
    yield from expect('samples', [sample[:4] for sample in samples],
                      [('cpu0', 0x80000200, 1, 1000), ('cpu1', 0x8000000c, 1, 2000)])
    kernel, user = 2 << 30, 1 << 30
    yield from expect('cpu0', samples[0][4], [
        (0x80000004, 0x80000200, 2 | 18 << 4 | 15 << 20 | 1 << 26 | kernel),   # FAULT_DATA
        (0x80000014, 0x80000004, 1 | 3 << 4 | 1 << 20 | user),                 # COND
        (0x8000003c, 0x8000000c, 2 | 2 << 4 | 6 << 20 | user),                 # RET
        (0x8000002c, 0x80000038, 2 | 1 << 4 | 1 << 20 | user),
        (0x80000008, 0x8000002c, 2 | 6 << 4 | 4 << 20 | user),                 # CALL
        (0x80000028, 0x80000000, 2 | 4 << 4 | 2 << 20 | user),                 # UNCOND
        (0x80000204, 0x80000024, 2 | 5 << 4 | 11 << 20 | user),                # ERET
        (0x80000024, 0x80000200, 2 | 7 << 20 | kernel)])                       # SYSCALL; cycles unknown
    yield from expect('cpu1', samples[1][4], [
        (0x8000000c, 0, 2 | 7 << 4 | 12 << 20), (0x80000034, 0x8000000c, 1 | 3 << 4 | 6 << 20 | user),
        (0, 0x80000030, 11 << 20 | user)])
    at_EL2 = folder.write('el2.txt', record(0, PLAIN | 2 << 6, 0x1010, 0x1000))
    for name, options, priv, level in (('hv', [], 3, 3), ('vhe', ['--vhe'], 2, 1)):
        sample = read_perf(write_perf(cairn, folder, name + '.data', *options, at_EL2)[2])[0][0]
        yield from expect(name, (sample[2], sample[4][0][2] >> 30 & 7), (level, priv))
    order = write_perf(cairn, folder, 'turned.data', '--oldest-first', os.path.join(TOP, DUMP))[2]
    yield from expect('perf has the youngest first', order, data)
    many = folder.write('many.txt', ''.join(record(n, PLAIN, 0x1000 + n, 0x2000 + n) for n in range(64)))
    sample = read_perf(write_perf(cairn, folder, 'many.data', many)[2])[0][0]
    yield from expect('64', [entry[:2] for entry in sample[4]], [(0x1000 + n, 0x2000 + n) for n in range(64)])
    none, _ = read_perf(write_perf(cairn, folder, 'none.data', folder.write('none.txt', 'BRBINF0=0\n'))[2])
    yield from expect('no branch', none[0][4], [])
    # two segments; the first has its bytes behind the headers, 64 + 2 * 56 bytes
    elf = folder.elf('code.elf', {0x1000: bytes(8), 0x3000: bytes(12)}, [('f', 0x1000, 8)])
    _, maps = read_perf(write_perf(cairn, folder, 'maps.data', '--image', elf + '@0x40000', at_EL2)[2])
    yield from expect('maps of a file', maps, [(1, 0x41000, 8, 176, os.path.realpath(elf)),
                                               (1, 0x43000, 12, 184, os.path.realpath(elf))])


def perf_lines(path, fields):
    done = subprocess.run(['perf', 'script', '-i', path, '-F', fields], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT)
    return done.stdout.decode().splitlines(), done.stderr.decode()


def check_perf(cairn, folder):
    """What perf prints of each branch is what the text says."""
    _, path, _ = write_perf(cairn, folder, 'perf.data', os.path.join(TOP, DUMP))
    rows = run(cairn, 'branches', '--format', 'json', os.path.join(TOP, DUMP)).rows()
    lines, said = perf_lines(path, 'brstack')
    wanted = [[], []]
    for row in rows:
        if row['type'] == 'branch':
            flag = '-' if row['source'] is None else 'M' if row.get('mispredicted') else 'P'
            wanted[row['stack']].append((row['source'] or '0x0', row['target'] or '0x0', flag, str(row['cycles'] or 0)))
    got = [[tuple(branch.split('/')[i] for i in (0, 1, 2, 5)) for branch in line.split()] for line in lines]
    yield from expect('branches (%s)' % said, got, wanted)
    lines, _ = perf_lines(path, 'comm,time,ip')
    yield from expect('samples', [line.split() for line in lines],
                      [['cpu0', '0.000001:', '80000200'], ['cpu1', '0.000002:', '8000000c']])


def check_perf_names(cairn, folder):
    _, path, _ = write_perf(cairn, folder, 'names.data', '--image', os.path.join(TOP, 'examples/capture/program.elf'),
                            os.path.join(TOP, DUMP))
    lines, said = perf_lines(path, 'brstacksym')
    got = [branch.split('/')[:2] for branch in lines[0].split()] if lines else said
    yield from expect('names', got, [
        ['loop+0x0', 'handler+0x0'], ['loop+0x10', 'loop+0x0'], ['even+0x4', 'loop+0x8'], ['weigh+0x0', 'even+0x0'],
        ['loop+0x4', 'weigh+0x0'], ['done+0x4', '_start+0x0'], ['handler+0x4', 'done+0x0'], ['done+0x0', 'handler+0x0']])


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    perf = shutil.which('perf')
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('the page', check_page(cairn, folder, perf))
        tap.case('how a dump is written', check_forms(cairn, folder))
        tap.case('several stacks', check_stacks(cairn, folder))
        tap.case('what is missing or wrong', check_missing(cairn, folder))
        tap.case('what a record says', check_records(cairn, folder))
        tap.case('transactions and controls', check_transactions(cairn, folder))
        tap.case('the bytes of perf.data', check_perf_bytes(cairn, folder))
        for name, check in (('perf prints the same', check_perf), ('perf knows the names', check_perf_names)):
            if perf:
                tap.case(name, check(cairn, folder))
            else:
                tap.skip(name, 'perf is not installed (Debian: linux-perf)')
    tap.end()


if __name__ == '__main__':
    main()
