#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`cairn registers` and `cairn lint`: where they read from, what they print, and docs/lint.md.

usage: test_lint.py CAIRN
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from common import TIMEOUT, Folder, Tap, captures, expect, expect_in, program, run

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
# Values of DDI0608 D10.2, and what its table says of each.
MINIMAL = ['TRCCONFIGR=0x18c1', 'TRCEVENTCTL0R=0', 'TRCEVENTCTL1R=0', 'TRCSTALLCTLR=0', 'TRCSYNCPR=0xc',
           'TRCTRACEIDR=1', 'TRCTSCTLR=0', 'TRCVICTLR=0x006f0201', 'TRCVIIECTLR=0', 'TRCVISSCTLR=0']
# Real captures whose registers are told of, and why: docs/lint.md.
TOLD = {'Snowball': {'CAIRN-LINT-ETM-NOT-BUILT'}}


def fields(text):
    """{field: (bits, value, words)} of the registers of an output."""
    found = {}
    for line in text.splitlines():
        m = re.match(r'^ +([\d:]+)  (\w+) +(0x[0-9a-f]+) *(.*)$', line)
        if m:
            found[m[2]] = (m[1], m[3], m[4])
    return found


def codes(answer):
    return set(re.findall(r'\[(CAIRN-LINT-[A-Z0-9-]+);', answer.out))


def lint(cairn, *words):
    return run(cairn, 'lint', '--all', *words)


# --- registers

def check_words(cairn):
    answer = run(cairn, 'registers', 'TRCVICTLR=0x006f0201')
    yield from expect('status', answer.status, 0)
    told = fields(answer.out)
    yield from expect('EXLEVEL_NS', told.get('EXLEVEL_NS'), ('22:20', '0x6', 'EL1, EL2'))
    yield from expect('EXLEVEL_S', told.get('EXLEVEL_S'), ('19:16', '0xf', 'EL0, EL1, EL2, EL3'))
    yield from expect('SSSTATUS', told.get('SSSTATUS'), ('9', '0x1', 'started'))
    yield from expect('EVENT', told.get('EVENT'), ('7:0', '0x1', 'always: selector 1 is TRUE'))
    answer = run(cairn, 'registers', '--explain', 'TRCSYNCPR=0xc')
    yield from expect_in('what it does', 'How many bytes of trace lie between synchronisations. [D10.2', answer.out)
    answer = run(cairn, 'registers', 'TRCTRACEIDR=0x110')
    yield from expect_in('reserved', 'bits 0x100 are reserved', answer.out)


def check_pe(cairn):
    """Registers of the PE: alone, beside a trace unit's, put together, and slips."""
    told = fields(run(cairn, 'registers', 'TRBSR_EL1=0x94120007').out)
    yield from expect('EC', told.get('EC'), ('31:26', '0x25', 'a stage 2 Data Abort'))
    yield from expect('MSS', told.get('MSS'), ('15:0', '0x7', 'Translation fault, level 3'))
    told = fields(run(cairn, 'registers', 'brbinf31_el1=0x6400002243').out)
    yield from expect('TYPE', told.get('TYPE'), ('13:8', '0x22', 'call exception'))
    yield from expect('CC', told.get('CC'), ('45:32', '0x64', '100'))
    answer = run(cairn, 'registers', '--explain', 'TRBLIMITR_EL1=0x1007')
    yield from expect('of no trace unit', answer.lines()[0], 'TRBLIMITR_EL1 0x0000000000001007')
    yield from expect_in('section', '[E1.2.2; Arm ARM]', answer.out)
    answer = run(cairn, 'registers', 'MDCR_EL2.E2TB=EL1', 'PMCR_EL0.E=yes', 'TRCSYNCPR=0xc')
    for line in 'MDCR_EL2 0x0000000003000000', 'PMCR_EL0 0x0000000000000001', 'TRCSYNCPR 0x0000000c':
        yield from expect_in('put together', line + '\n', answer.out)
    answer = run(cairn, 'registers', 'BRBFCR_EL1=1')
    yield from expect_in('RES0', 'bits 0x1 are reserved', answer.out)
    rows = run(cairn, 'registers', '--format', 'json', 'BRBIDR0_EL1=0x5040').rows()
    yield from expect('json', [row['protocol'] for row in rows if row['type'] == 'register'], ['PE'])
    for word, said in (('TRBSSR_EL1=0', 'no register TRBSSR_EL1. Did you mean TRBSR_EL1'),
                       ('TRBSR_EL1.BSC=1', 'TRBSR_EL1 has no field BSC; it has EC, IRQ'),
                       ('TRBSR_EL1.S=maybe', 'expected a number of 1 bit, or a word')):
        answer = run(cairn, 'registers', word)
        yield from expect(word, answer.status, 2)
        yield from expect_in(word, said, answer.err)


def check_pe_rules(cairn, folder):
    """What the PE's registers are told of: alone, beside a trace unit's, and in a script."""
    answer = lint(cairn, 'TRBSR_EL1=0')
    yield from expect('nothing', (answer.status, answer.out), (0, '0 problems, 0 warnings, 0 notes\n'))
    answer = lint(cairn, 'BRBCR_EL1=3', 'BRBFCR_EL1.EnI=0')
    yield from expect('alone', (answer.status, codes(answer)), (1, {'CAIRN-LINT-BRBE-TYPES'}))
    answer = lint(cairn, 'TRBLIMITR_EL1=0x80001005', 'TRBBASER_EL1=0x80002000', 'TRCSYNCPR=4')
    yield from expect('beside', codes(answer), {'CAIRN-LINT-RESERVED-VALUE', 'CAIRN-LINT-TRBE-EMPTY'})
    yield from expect_in('mode', 'TRBLIMITR_EL1: FM (bits 2:1) is 0x2: reserved', answer.out)
    rows = run(cairn, 'lint', '--format', 'json', 'BRBCR_EL1=3', 'BRBFCR_EL1=0x10080').rows()
    yield from expect('json', [(row['code'], row['name']) for row in rows if row['type'] == 'finding'],
                      [('CAIRN-LINT-BRBE-PAUSED', 'BRBFCR_EL1')])
    text = ('msr TRBBASER_EL1, 0x80000000\nmsr TRBPTR_EL1, 0x80000000\nmsr TRBLIMITR_EL1, 0x80001001\nisb\n'
            'msr TRBLIMITR_EL1, 0x80001000\nmsr TRBPTR_EL1, %s\nmsr TRBLIMITR_EL1, 0x80001001\n'
            'msr TRBLIMITR_EL1, 0x80001000\nwrite TRCPRGCTLR 0\n')
    answer = lint(cairn, folder.write('right.etm', (text % '0x80000800').encode()))
    yield from expect('a right script', [c for c in codes(answer) if 'TRBE' in c or 'UNKNOWN' in c], [])
    answer = lint(cairn, folder.write('wrong.etm', (text % '0x80001000').encode()))
    yield from expect_in('a script', 'wrong.etm:7: TRBPTR_EL1: it is 0x80001000', answer.out)
    yield from expect('once', answer.out.count('TRBE-POINTER'), 1)
    answer = lint(cairn, folder.write('slip.etm', b'write TRBPTR_EL1 1\nwrite TRBPTTR_EL1 1\n'))
    yield from expect('a slip', re.findall(r'etm:(\d): \w+: .*UNKNOWN-REGISTER', answer.out), ['2'])
    answer = run(cairn, 'lint', 'TRBPTTR_EL1=1')
    yield from expect('a slip', answer.status, 2)
    yield from expect_in('a slip', 'Did you mean TRBPTR_EL1', answer.err)


def check_composed(cairn):
    for words, value in (
            (['TRCVICTLR.EVENT=1', 'TRCVICTLR.SSSTATUS=1'], 'TRCVICTLR 0x00000201'),
            (['TRCVICTLR.EVENT=always', 'TRCVICTLR.SSSTATUS=started'], 'TRCVICTLR 0x00000201'),
            (['TRCVICTLR=0x6f0000', 'TRCVICTLR.EVENT=pair 3'], 'TRCVICTLR 0x006f0083'),
            (['TRCVICTLR=0xffffffff', 'TRCVICTLR.EVENT=never'], 'TRCVICTLR 0xffffff00'),
            (['TRCACVR3.ADDRESS=0xffff000008080000'], 'TRCACVR3 0xffff000008080000'),
            (['--protocol', 'mtb', 'master.en=enabled', 'master.mask=8'], 'MTB_MASTER 0x80000008'),
            (['--protocol', 'etmv3', 'ETMCR.DATA=addresses and values'], 'ETMCR 0x0000000c')):
        answer = run(cairn, 'registers', *words)
        yield from expect(' '.join(words), answer.status, 0)
        yield from expect_in(' '.join(words), value + '\n', answer.out)


def check_refused(cairn):
    for command in 'registers', 'lint':
        for words, said in ((['TRCVICTRL=1'], 'no register TRCVICTRL. Did you mean TRCVICTLR'),
                            (['TRCVICTLR.EVNT=1'], 'TRCVICTLR has no field EVNT; it has EXLEVEL_'),
                            (['TRCVICTLR.EVENT=256'], 'expected a number of 8 bits'),
                            (['TRCVICTLR=0x'], 'the value is no number'),
                            (['TRCVICTLR=0x10000000000000000'], 'the value is no number'),
                            (['WIBBLE=1'], 'no register WIBBLE in the trace units that are known here'),
                            (['--protocol', 'etmv4', 'TRCRSR=0'], 'no register TRCRSR'),
                            (['A' * 200 + '=1'], 'the word is too long'),
                            (['/nowhere/at/all'], 'cannot read /nowhere/at/all'),
                            (['--source', 'x', 'ETE_0:TRCVICTLR=1'], 'no source is called x')):
            answer = run(cairn, command, *words)
            yield from expect('%s %s' % (command, words), (answer.status, answer.out), (2, ''))
            yield from expect_in('%s %s' % (command, words), said, answer.err)


def check_protocols(cairn):
    """Which kind of unit: what identification registers say, else the first that has such names."""
    for words, protocol in ((['TRCCONFIGR=1'], 'as ETE;'), (['TRCCONFIGR=1', 'TRCDEVARCH=0x47704a13'], ''),
                            (['ETMTECR1=0'], 'as PTM;'), (['ETMTECR1=0', 'ETMIDR=0x410cf250'], ''),
                            (['TRCRSR=0'], ''), (['ETMTECR2=0'], '')):
        first = run(cairn, 'registers', *words).lines()[0]
        yield from expect(' '.join(words), first.startswith('as '), bool(protocol))
        yield from expect_in(' '.join(words), protocol, first)
    rows = run(cairn, 'registers', '--format', 'json', 'ETMTECR1=0', 'ETMIDR=0x410cf250').rows()
    yield from expect('by ETMIDR', {row['protocol'] for row in rows}, {'ETMv3'})
    rows = run(cairn, 'registers', '--format', 'json', 'TRCCONFIGR=1', 'TRCDEVARCH=0x47704a13').rows()
    yield from expect('by TRCDEVARCH', {row['protocol'] for row in rows}, {'ETMv4'})


# --- files

def check_files(cairn, folder):
    """The same registers from each kind of file."""
    sysfs = os.path.join(folder.path, 'etm0')
    for name, value in (('mgmt/trcconfigr', '0x11'), ('mgmt/trctraceid', '0x70\n'), ('trcidr/trcidr0', '0x8000ea1'),
                        ('mgmt/trcpdsr', '0x1'), ('mgmt/other', 'text'), ('power/control', 'auto')):
        folder.write('etm0/' + name, value)
    text = folder.write('dump.txt', '# a dump\nTRCCONFIGR: 0x11\ntrctraceidr = 0x70 ; reserved\n\nTRCIDR0 0x8000ea1\n')
    ini = folder.write('ete_0.ini', '[device]\nname=ETE_0\ntype=ETE\n[regs]\nTRCCONFIGR(id:0x4)=0x11\n'
                       'TRCTRACEIDR(id:0x10)=0x70\nTRCIDR0=0x8000ea1\n')
    script = folder.write('board.etm', 'write TRCCONFIGR 0x11\nwrite 0x040 0x70\nread TRCIDR0 0x8000ea1\n')
    for path in sysfs, text, ini, script:
        answer = lint(cairn, path)
        yield from expect(path, 'CAIRN-LINT-TRACE-ID' in codes(answer), True)
        yield from expect(path, answer.status, 1)
        told = run(cairn, 'registers', path)
        yield from expect(path, fields(told.out).get('TRACEID'), ('6:0', '0x70', '0x70, which is reserved'))
        yield from expect(path, fields(told.out).get('CCI'), ('4', '0x1', 'yes'))
        if path == script:  # words beside it are what stood there before
            yield from expect(path, codes(lint(cairn, path, 'TRCTRACEIDR=0x10')), codes(answer))
            continue
        # words are over what it says
        yield from expect(path, 'CAIRN-LINT-TRACE-ID' in codes(lint(cairn, path, 'TRCTRACEIDR=0x10')), False)
    yield from expect('mgmt/ alone', codes(lint(cairn, os.path.join(sysfs, 'mgmt'))), {'CAIRN-LINT-TRACE-ID'})
    for name, data, said in (('bad.txt', 'TRCVICTLR: 0x201\nwhat is this\n', 'bad.txt:2: "what'),
                             ('bad.etm', 'write TRCVICTLR 1\n\nwrite TRCVICTLR\n',
                              'bad.etm:3: "write TRCVICTLR": the value is missing'),
                             ('raw.bin', bytes(64), 'it is no text'),
                             ('none.txt', '# nothing\n', 'there is no register in it')):
        for command in 'registers', 'lint':
            answer = run(cairn, command, folder.write(name, data))
            yield from expect(name, answer.status, 2)
            yield from expect_in(name, said, answer.err)
    os.mkdir(os.path.join(folder.path, 'empty'))
    answer = run(cairn, 'lint', os.path.join(folder.path, 'empty'))
    yield from expect_in('an empty folder', 'neither a snapshot', answer.err)


def check_zeros(cairn, folder):
    path = folder.write('zeros.txt', 'TRCVICTLR: 0x201\nTRCVISSCTLR: 0\nTRCVIIECTLR: 0\n')
    answer = run(cairn, 'registers', path)
    yield from expect('zeros', answer.lines()[-1], '0: TRCVIIECTLR, TRCVISSCTLR')
    yield from expect('with --all', 'TRCVISSCTLR 0x00000000' in run(cairn, 'registers', '--all', path).lines(), True)


def check_snapshot(cairn):
    """The example capture has two sources behind one formatter."""
    path = os.path.join(TOP, 'examples', 'capture')
    answer = lint(cairn, path)
    yield from expect('status', answer.status, 0)
    yield from expect('findings', codes(answer), set())
    answer = lint(cairn, path, 'TRCTRACEIDR=0x11')
    yield from expect('one ID', codes(answer), {'CAIRN-LINT-TRACE-ID-TWICE'})
    answer = lint(cairn, path, 'ETE_0:TRCTRACEIDR=0')
    yield from expect_in('no ID on a bus', 'problem: ETE_0: TRCTRACEIDR: the trace ID is 0', answer.out)
    names = [row['source'] for row in run(cairn, 'registers', '--format', 'json', path).rows()]
    yield from expect('sources', sorted(set(names)), ['ETE_0', 'ETM_1'])
    for word in 'ETM_1', '1', '0x11':
        rows = run(cairn, 'registers', '--format', 'json', '--source', word, path).rows()
        yield from expect('--source ' + word, {row['source'] for row in rows}, {'ETM_1'})
    # Sources of one name in two captures are two.
    with tempfile.TemporaryDirectory() as folder:
        other = os.path.join(folder, 'other')
        shutil.copytree(path, other)
        device = os.path.join(other, 'ete_0.ini')
        with open(device) as file:
            text = re.sub(r'(TRCTRACEIDR.*=).*', r'\g<1>0x0', file.read())
        with open(device, 'w') as file:
            file.write(text)
        answer = lint(cairn, path, other)
        yield from expect('two captures', codes(answer), {'CAIRN-LINT-TRACE-ID'})
        yield from expect_in('two captures', 'problem: ETE_0 (%s): TRCTRACEIDR: the trace ID is 0' % other, answer.out)
    answer = lint(cairn, '--source', 'ETM_1', path, 'ETE_0:TRCTRACEIDR=0')
    yield from expect('another source', codes(answer), set())


# --- what is told

def check_minimal(cairn):
    for protocol in 'ete', 'etmv4':
        answer = lint(cairn, '--protocol', protocol, *MINIMAL)
        yield from expect(protocol, (answer.status, answer.out), (0, '0 problems, 0 warnings, 0 notes\n'))


def check_statuses(cairn):
    for words, status, last in ((['TRCVISSCTLR=1'], 0, '0 problems, 0 warnings, 1 note (--all)'),
                                (['TRCVICTLR=1'], 1, '0 problems, 1 warning, 0 notes'),
                                (['TRCSYNCPR=1'], 1, '1 problem, 0 warnings, 0 notes')):
        answer = run(cairn, 'lint', *words)
        yield from expect(' '.join(words), (answer.status, answer.lines()[-1]), (status, last))
    rows = run(cairn, 'lint', '--format', 'json', 'TRCVISSCTLR=1').rows()
    yield from expect('notes in JSON', [row['type'] for row in rows], ['finding', 'result'])


def check_page(cairn):
    """Each code on the page as --explain has it; and each example says what the page says."""
    text = run(cairn, 'lint', '--explain', 'all').out
    with open(os.path.join(TOP, 'docs', 'lint.md'), encoding='utf-8') as file:
        page = file.read()
    yield from expect('the page ends in what --explain all says', page.endswith('\n# Codes\n\n' + text), True)
    for entry in re.split(r'^## ', text, flags=re.M)[1:]:
        code, lines = entry.split('\n', 1)[0], entry.split('```\n')[1].splitlines()
        yield from expect(code + ': last line', code in lines[-1], True)
        script = lines[1:-2] if lines[0] == '$ cat board.etm' else None
        command = lines[-2].split()[2:]
        with tempfile.TemporaryDirectory() as path:
            if script:
                Folder(path).write('board.etm', '\n'.join(script))
            done = subprocess.run([*program(cairn), 'lint', '--all', *command[1:]], cwd=path, timeout=TIMEOUT,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if lines[-1] not in done.stdout.decode().splitlines():
            yield '%s: `%s` prints %s%s' % (code, lines[-2], done.stdout.decode(), done.stderr.decode())
    for word in 'CAIRN-LINT-RANGE-ORDER', 'range-order':
        answer = run(cairn, 'lint', '--explain', word)
        yield from expect(word, (answer.status, answer.lines()[0]), (0, '## CAIRN-LINT-RANGE-ORDER'))


def check_capture(cairn, name, path):
    answer = lint(cairn, path)
    if 'no trace unit of' in answer.err:  # STM, ITM
        return
    grave = {line.rsplit('[', 1)[1].split(';')[0] for line in answer.lines()
             if line.startswith(('problem', 'warning'))}
    yield from expect('findings', grave, TOLD.get(name, set()))
    told = run(cairn, 'registers', '--all', path)
    yield from expect('registers', (told.status, bool(fields(told.out))), (0, True))


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    tap.case('registers in words', check_words(cairn))
    tap.case('registers of a PE', check_pe(cairn))
    tap.case('values put together', check_composed(cairn))
    tap.case('what is refused', check_refused(cairn))
    tap.case('which kind of trace unit', check_protocols(cairn))
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('registers from files', check_files(cairn, folder))
        tap.case('registers that are 0', check_zeros(cairn, folder))
        tap.case("a PE's registers", check_pe_rules(cairn, folder))
    tap.case('a snapshot', check_snapshot(cairn))
    tap.case('the least that is needed', check_minimal(cairn))
    tap.case('exit statuses and counts', check_statuses(cairn))
    tap.case('docs/lint.md', check_page(cairn))
    real = captures()
    if real is None:
        tap.skip('snapshots', 'CAIRN_CAPTURES is not set')
    for name, path in real or []:
        tap.case(name, check_capture(cairn, name, path))
    tap.end()


if __name__ == '__main__':
    main()
