#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ETMv3, PTM and MTB as they come in practice: registers that are not those of the trace, dumps in the
other byte order, several cores in a buffer that was cut, many exceptions of a Cortex-M. Bytes by hand
from IHI0014 chapter 7 and IHI0035 chapter 4.

usage: test_legacy.py CAIRN
"""
import os
import struct
import sys
import tempfile

from common import Folder, Tap, bytes_of, expect, expect_in, frames, run

A_SYNC = bytes_of('00 00 00 00 00 80')
ON = '21'  # I-sync's information byte: tracing turned on (7.7.3)
NOP, BX_LR = 0xbf00, 0x4770
PROBABLY = 'the registers are probably not as they were'


def etm(*options):
    return ['--protocol', 'etmv3', '--core', 'Cortex-A7', '--frames', 'none', '--set',
            'ETMIDR=0x410cf250', '--set', 'ETMCCER=0x344008f2', *options]


# --- registers

# What a unit traced, the ETMCR that it had, and what of a wrong ETMCR the advice names.
WRONG = [
    ('etmv3', 'context IDs', '08 78 56 34 12 21 00 10 00 00' '84 BC', 0xc000, 'size of context IDs'),
    ('etmv3', 'cycles', '70 05 21 00 10 00 00' '84 88', 0x1000, 'bit 12, cycle-accurate'),
    ('etmv3', 'data', '08 21 00 10 00 00' '84' '2E 90 80 80 80 02 78 56 34 12' '84', 0xc,
     'bits 3:2, data'),
    ('etmv3', 'data and context IDs', '08 78 56 34 12 21 00 10 00 00' '84'
     '2E 90 80 80 80 02 78 56 34 12' '84', 0xc00c, 'data addresses and values'),
    ('ptm', 'context IDs', '08 00 10 00 00 21 78 56 34 12' '84 86', 0xc000, 'size of context IDs'),
]
CORES = {'etmv3': ('Cortex-A7', 0x410cf250), 'ptm': ('Cortex-A15', 0x411cf310)}


def check_registers(cairn, folder):
    for protocol, name, packets, control, meaning in WRONG:
        core, identity = CORES[protocol]
        trace = folder.write('wrong.bin', (A_SYNC + bytes_of(packets)) * 8)
        given = ['check', '--protocol', protocol, '--core', core, '--frames', 'none', '--set',
                 'ETMIDR=0x%x' % identity]
        answer = run(cairn, *given, '--set', 'ETMCR=0x400', trace)
        yield from expect_in(name, '%s: with ETMCR=0x%x 0 bytes' % (PROBABLY, control | 0x400),
                             answer.out)
        yield from expect_in(name, meaning, answer.out)
        answer = run(cairn, *given, '--set', 'ETMCR=0x%x' % control, trace)
        yield from expect(name + ', as it was', PROBABLY in answer.out, False)


def check_encoding(cairn, folder):
    """The alternative encoding read as the original one: PTM has the former, too, but ETMIDR says that
    it is an ETMv3. Short branches, the first with an information byte (SysTick)."""
    there, back = b'\x81\x42\x1e', b'\x85\x00'  # to 0x8100 and 0x8004
    trace = folder.write('short.bin', (A_SYNC + bytes_of('08 21 01 80 00 00') + (
        E + there + E + E + EXIT + back) * 5) * 20)
    for identity, right in ('0x4104f250', False), ('0x4114f250', True):
        answer = run(cairn, 'check', '--protocol', 'etmv3', '--core', 'Cortex-M4', '--frames', 'none',
                     '--set', 'ETMIDR=' + identity, '--set', 'ETMCR=0', '--set', 'ETMCCER=0x18541800',
                     trace)
        yield from expect(identity, 'with ETMIDR=0x4114f250 0 bytes' in answer.out, not right)
        yield from expect(identity, 'probably PTM' in answer.out, False)
    # what a PTM wrote, read as ETMv3 without any register: I-sync, E, and a Waypoint update (72)
    trace = folder.write('ptm.bin', (A_SYNC + bytes_of('08 00 10 00 00 21' '84' '72 85 10' '84')) * 20)
    answer = run(cairn, 'check', '--protocol', 'etmv3', '--core', 'Cortex-A7', '--frames', 'none', trace)
    yield from expect_in('PTM', 'the protocol is probably PTM', answer.out)
    yield from expect('PTM', PROBABLY in answer.out, False)
    # a paused instruction where no data is traced is odd, and no sign of data trace
    trace = folder.write('odd.bin', (A_SYNC + bytes_of('08 21 01 80 00 00') + E + branch(
        0x9200, 0x18, cancel=True, resume=3)) * 20)
    answer = run(cairn, 'check', '--protocol', 'etmv3', '--core', 'Cortex-M4', '--frames', 'none',
                 '--set', 'ETMIDR=0x4114f250', '--set', 'ETMCR=0', trace)
    yield from expect('odd alone', PROBABLY in answer.out, False)


def check_damage(cairn, folder):
    """One damaged packet among many good ones is no reason to doubt the registers: a header of data
    (2E), which would be read as such if data were traced."""
    good = A_SYNC + bytes_of('08 21 00 10 00 00') + bytes_of('84') * 40
    trace = folder.write('damaged.bin', good * 8 + A_SYNC + bytes_of(
        '08 21 00 10 00 00' '84 84 2E 84 84 84 84 84 84 84 84 84 84 84') + good * 8)
    answer = run(cairn, 'check', *etm('--set', 'ETMCR=0'), trace)
    yield from expect_in('damage', 'in reserved packets', answer.out)
    yield from expect('doubt', PROBABLY in answer.out, False)


def check_captures(cairn, folder):
    for name in 'snapshots/TC2-id12', 'snapshots/Snowball', 'snapshots/trace_cov_a15', \
            'cortex-r5/threadx', 'cortex-r5/zephyr':
        answer = run(cairn, 'check', os.path.join(folder, *name.split('/')))
        yield from expect(name, PROBABLY in answer.out, False)
        yield from expect(name, 'the other byte order' in answer.out, False)


# T32 at 0x1000: BL 0x1008, NOP, B 0x1000, NOP, BX LR
CALL = struct.pack('<6H', 0xf000, 0xf802, NOP, 0xe7fb, NOP, BX_LR)
PTM = ['--protocol', 'ptm', '--core', 'Cortex-A15', '--frames', 'none', '--set', 'ETMIDR=0x411cf312',
       '--set', 'ETMCCER=0x34c01ac2']


def check_advice(cairn, folder):
    """What to do, in the words of the trace unit that it is about."""
    def advice(name, part, other, *arguments):
        answer = run(cairn, 'check', *arguments)
        yield from expect_in(name, part, answer.out)
        yield from expect(name + ': of ETMv4', other in answer.out, False)
    nops = ['--image', folder.write('nops.bin', struct.pack('<64I', *[0xe1a00000] * 64)) + '@0x1000']
    call = ['--image', folder.write('call.bin', CALL) + '@0x1000']
    arm, overflow = bytes_of('08 21 00 10 00 00'), bytes_of('08 41 00 10 00 00')
    path = folder.write('advice.bin', A_SYNC + arm + E + overflow + E)
    yield from advice('overflow', 'ETMFFLR', 'TRCSTALLCTLR', *etm('--set', 'ETMCR=0'), *nops, path)
    thumbee = bytes_of('08 25 01 10 00 00')
    path = folder.write('advice.bin', A_SYNC + thumbee + E)
    yield from advice('ThumbEE', 'code in ThumbEE and Jazelle state', 'TRCCONFIGR',
                      *etm('--set', 'ETMCR=0'), *nops, path)
    # BL, BX LR, B, BL: the return has no address but on the return stack
    path = folder.write('advice.bin', A_SYNC + bytes_of('08 01 10 00 00 21') + E * 4)
    yield from advice('no return stack', 'ETMCR bit 29', 'TRCCONFIGR', *PTM, '--set', 'ETMCR=0', *call,
                      path)
    answer = run(cairn, 'flow', '--format', 'addresses', *PTM, '--set', 'ETMCR=0x20000000', *call, path)
    yield from expect('return stack', [line for line in answer.lines() if line[0] != '#'],
                      ['1000 E', '1008', '100a E', '1004', '1006 E', '1000 E'])
    # BX LR alone: there was no call
    path = folder.write('advice.bin', A_SYNC + bytes_of('08 09 10 00 00 21') + E * 2)
    yield from advice('empty return stack', 'ETMCR bit 29 may be given as 1', 'TRCCONFIGR', *PTM,
                      '--set', 'ETMCR=0x20000000', *call, path)


PADDED = {'flow': 6 + 1, 'padding': 6 + 1000}  # I-sync, atom; A-sync, zeros


def check_zeros(cairn, folder):
    """A memory that the trace did not fill: the zeros are no packet that was lost, in either way."""
    for given, packets in [(etm('--set', 'ETMCR=0'), '08 21 00 10 00 00 84'),
                           ([*PTM, '--set', 'ETMCR=0'], '08 00 10 00 00 21 84')]:
        image = ['--image', folder.write('loop.bin', struct.pack('<I', 0xeafffffe)) + '@0x1000']
        path = folder.write('zeros.bin', A_SYNC + bytes_of(packets) + bytes(1000))
        answer = run(cairn, 'check', *given, *image, path)
        yield from expect('status', answer.status, 0)
        yield from expect('loops', run(cairn, 'flow', '--format', 'addresses', *given, *image,
                                       path).lines()[-1], '1000 E')
        answers = [run(cairn, 'flow', '--format', 'json', *way, *given, *image, path)
                   for way in ([], ['--reference'])]
        yield from expect('flow', [answer.status for answer in answers], [0, 0])
        yield from expect('engine', answers[0].out, answers[1].out)
        yield from expect('totals', run(cairn, 'flow', '--summary', *given, *image, path).status, 0)
        info = run(cairn, 'info', '--format', 'json', *given, *image, path).rows()[-1]
        yield from expect('ledger', {account: count for account, count in
                                     info['sources'][0]['ledger'].items() if count}, PADDED)
        path = folder.write('zeros.bin', A_SYNC + bytes_of(packets) + bytes_of('08 21'))
        answer = run(cairn, 'check', *given, *image, path)
        yield from expect_in('a packet', '2 bytes (13 %) in a packet that the end', answer.out)
        yield from expect('status', answer.status, 1)


def check_erased(cairn, folder):
    """FF is a branch to Debug state for ETMv3, which cancels: there is nothing left to take back."""
    image = ['--image', folder.write('loop.bin', struct.pack('<I', 0xeafffffe)) + '@0x1000']
    path = folder.write('erased.bin', A_SYNC + bytes_of('08 21 00 10 00 00 84') + b'\xff' * 400)
    answer = run(cairn, 'check', *etm('--set', 'ETMCR=0'), *image, path)
    yield from expect_in('advice', 'memory that was never written', answer.out)


# --- the order of bytes

def reverse(data, word):
    data += bytes(-len(data) % word)
    return b''.join(data[at:at + word][::-1] for at in range(0, len(data), word))


def check_order(cairn, folder):
    plain = (A_SYNC + bytes_of('08 21 00 10 00 00') + bytes_of('84 BC 98 A0') * 9) * 6
    framed = frames([(0x10, plain), (0x11, plain)])
    for word in 2, 4, 8:
        for name, data, layout, count in [('plain', plain, 'none', 6),
                                          ('frames', framed, 'coresight', 12)]:
            path = folder.write('reversed.bin', reverse(data, word))
            given = ['check', '--protocol', 'etmv3', '--core', 'Cortex-A7', '--frames', layout]
            told = run(cairn, *given, path)
            yield from expect_in('%s, words of %d' % (name, word),
                                 'the bytes of each word of %d in reverse there are %d' % (word, count),
                                 told.out)
            yield from expect_in('advice', '--reverse-bytes=%d' % word, told.out)
            folder.write('reversed.bin', reverse(reverse(data, word), word))
            yield from expect('turned round', 'in reverse' in run(cairn, *given, path).out, False)


# --- a Cortex-M with many exceptions

def branch(address, exception=None, cancel=False, resume=0):
    """The alternative encoding (7.3.5), all five bytes of an address in Thumb state. Information bytes:
    C AltISA Can Exception[3:0] NS, C 0 Hyp Exception[8:4], 0 1 SBZ SBZ Resume[3:0]."""
    info = exception is not None or cancel
    out = bytes([0x81 | address & 0x7e, 0x80 | address >> 7 & 0x7f, 0x80 | address >> 14 & 0x7f,
                 0x80 | address >> 21 & 0x7f, 0x10 | info << 6 | address >> 28])
    if not info:
        return out
    number = exception or 0
    out += bytes([(number > 15 or resume > 0) << 7 | cancel << 5 | (number & 15) << 1])
    if number > 15:
        out += bytes([(resume > 0) << 7 | number >> 4])
    return out + (bytes([0x40 | resume]) if resume else b'')


E, N, EXIT = b'\x84', b'\xc0', b'\x76'  # P-headers of format 1 with one atom; return (7.3.1, 7.5.4)
RETURN = E + EXIT  # BX LR in a handler


BRANCHES = 0x9004, 0x9104, 0x9202, 0xa002  # BX LR, where handlers end


def m_steps():
    """(bytes, lines of the flow that they add), as IHI0014 and DDI0337 15.5.3 have them."""
    def ran(*addresses):
        return ['%x E' % address if address in BRANCHES else '%x' % address for address in addresses]
    yield A_SYNC + bytes_of('08 21 01 80 00 00'), ['# trace on']
    yield E + E, ran(0x8000, 0x8002)
    # IRQ22 is number 0x26: two information bytes
    yield branch(0x9000, 0x26), ['# exception IRQ22 at 0x8004']
    yield E, ran(0x9000)
    # preempted by NMI, which returns to it
    yield branch(0xa000, 0x0a), ['# exception NMI at 0x9002']
    yield E + RETURN + branch(0x9002), ran(0xa000, 0xa002) + ['# exception return']
    # tail-chaining: the return goes straight to PendSV
    yield E + RETURN, ran(0x9002, 0x9004) + ['# exception return']
    yield branch(0x9100, 0x0e), ['# exception PendSV at an unknown address']
    # a handler that is entered and, before its first instruction, left for a later one: IRQ479
    yield branch(0x9200, 0x10 + 479), ['# exception IRQ479 at 0x9100']
    yield E + RETURN + branch(0x9100), ran(0x9200, 0x9202) + ['# exception return']
    yield E + E + RETURN + branch(0x8004), ran(0x9100, 0x9102, 0x9104) + ['# exception return']
    # the instruction at 0x8004 was told as executed, and was cancelled: SysTick
    yield E + branch(0x9200, 0x0f, cancel=True), ['# exception SysTick at 0x8004']
    yield E + RETURN + branch(0x8004), ran(0x9200, 0x9202) + ['# exception return']
    # a load multiple paused behind its third transfer, with three information bytes: IRQ8
    yield E + E + branch(0x9200, 0x18, cancel=True, resume=3), \
        ran(0x8004) + ['# exception IRQ8 at 0x8006']
    yield E + RETURN + branch(0x8006), ran(0x9200, 0x9202) + ['# exception return']
    yield E + E, ran(0x8006, 0x8008)
    # HardFault, then lockup at 0xFFFFFFFE, where no code is; NMI leads out
    yield branch(0x9200, 0x13), ['# exception HardFault at 0x800a']
    yield E + branch(0xfffffffe, 0x13), ran(0x9200) + ['# exception HardFault at 0x9202']
    yield E, ['# gap no-image 0xfffffffe bytes 1']
    yield branch(0xa000, 0x0a), None  # where from is not known
    yield E, ran(0xa000)


def m_image(folder):
    """LDM at 0x8006, BX LR where handlers end, else NOPs."""
    code = [NOP] * 0x1100
    for address, opcode in [(0x8006, 0xc81e), *((address, BX_LR) for address in BRANCHES)]:
        code[(address - 0x8000) // 2] = opcode
    return ['--image', folder.write('m.bin', struct.pack('<%dH' % len(code), *code)) + '@0x8000']


def check_exceptions(cairn, folder):
    steps = list(m_steps())
    trace = folder.write('m.trace', b''.join(step[0] for step in steps))
    given = ['--protocol', 'etmv3', '--core', 'Cortex-M4', '--frames', 'none', '--set',
             'ETMIDR=0x4114f250', '--set', 'ETMCR=0', '--set', 'ETMCCER=0x18541800',
             *m_image(folder), trace]
    for way in [], ['--reference']:
        answer = run(cairn, 'flow', '--format', 'addresses', *way, *given)
        got = [line for line in answer.lines()
               if not line.startswith(('# source', '# trace info', '# context'))]
        for data, lines in steps:
            if lines is None:
                got = got[1:]
                continue
            yield from expect(' '.join('%02x' % byte for byte in data), got[:len(lines)], lines)
            got = got[len(lines):]
        yield from expect('behind all', got, [])
    rows = run(cairn, 'flow', '--format', 'json', *given).rows()
    yield from expect('warnings', [row for row in rows if row['type'] == 'warning'], [])


def check_flags(cairn, folder):
    """Each instruction has an atom. A listing flags branches, and what failed its condition: MOV, MOVEQ
    that fails, BNE that fails, B, and MOVEQ that passes."""
    code = struct.pack('<5I', 0xe1a00000, 0x01a00000, 0x1a000000, 0xeaffffff, 0x01a00000)
    given = etm('--set', 'ETMCR=0', '--image', folder.write('flags.code', code) + '@0x1000',
                folder.write('flags.bin', A_SYNC + bytes_of('08 21 00 10 00 00') + E + N + N + E + E))
    wanted = ['1000', '1004 N', '1008 N', '100c E', '1010']
    for way in [], ['--reference']:
        answer = run(cairn, 'flow', '--format', 'addresses', *way, *given)
        yield from expect('addresses', [line for line in answer.lines() if line[0] != '#'], wanted)
        for listing in [], ['--ranges']:
            text = [line.split('  ', 1)[1] for line in run(cairn, 'flow', '--format', 'full', *listing, *way,
                                                            *given).lines()
                    if line.startswith('0x') and '# ' not in line]
            at = 9 if not listing else len('00001000..00001004 A32     1 instructions ')
            yield from expect('text', [line[at] for line in text], list(' NNE '))


def check_contexts(cairn, folder):
    """The M profile has no exception levels, and NS means something with the Security Extensions only
    (ETMIDR[19]). Of other cores the trace tells Hyp mode, with the Virtualization Extensions (ETMCCER[26]), and
    no other exception level; and the R profile has neither M's exceptions nor its contexts."""
    image = m_image(folder)
    for core, identity, info, words, told in [  # I-sync: NS (bit 3), Hyp (bit 1), Thumb, at 0x8000
            ('Cortex-M4', 0x4114f250, '29', 'M profile', (None, None)),
            ('Cortex-M4', 0x411cf250, '29', 'Non-secure M profile', (None, 'Non-secure')),
            ('Cortex-R5', 0x4104f230, '29', 'Non-secure AArch32', (None, 'Non-secure')),
            ('Cortex-A7', 0x410cf250, '29', 'Non-secure AArch32', (None, 'Non-secure')),
            ('Cortex-A7', 0x410cf250, '2b', 'EL2 Non-secure AArch32', (2, 'Non-secure'))]:
        path = folder.write('context.bin', A_SYNC + bytes_of('08 %s 01 80 00 00' % info) + E)
        given = ['--protocol', 'etmv3', '--core', core, '--frames', 'none', '--set',
                 'ETMIDR=0x%x' % identity, '--set', 'ETMCR=0', '--set', 'ETMCCER=%d' % (core == 'Cortex-A7' and 1 << 26),
                 *image, path]
        for listing in ['--format', 'full'], ['--format', 'addresses']:
            answer = run(cairn, 'flow', *listing, *given)
            yield from expect_in(core, '# context %s\n' % words, answer.out)
        row = next(row for row in run(cairn, 'flow', '--format', 'json', *given).rows()
                   if row['type'] == 'context')
        yield from expect(core, (row['el'], row['security']), told)
        yield from expect('the others', [row[key] for key in ('sf', 'vmid', 'context_id')], [False, 0, 0])


# --- two cores in one buffer, cut at the start and filled up at the end

def check_two_cores(cairn, folder):
    program = folder.write('a.bin', struct.pack('<I', 0xe1a00000) * 64)  # MOV r0, r0
    one = (A_SYNC + bytes_of('08 21 00 10 00 00') + bytes_of('BC 84 C0') * 3) * 30
    other = (A_SYNC + bytes_of('08 00 10 00 00 21' '84')) * 50
    ini = folder.write('two.ini', '[buffer]\nformat=coresight\n[source a7]\nprotocol=ETMv3\n'
                       'core=Cortex-A7\ntrace_id=0x10\nETMCR=0\nETMIDR=0x410cf250\n'
                       'ETMCCER=0x344008f2\n[source a15]\nprotocol=PTM\ncore=Cortex-A15\n'
                       'trace_id=0x13\nETMCR=0\nETMIDR=0x411cf310\nETMCCER=0x34c01ac2\n'
                       '[image]\nfile=a.bin\naddress=0x1000\nspace=S\n')
    one, other = (data + b'\x66' * (-len(data) % 13) for data in (one, other))  # whole frames
    whole = frames([(0x10, one[:390]), (0x13, other), (0x10, one[390:])])

    def summary(data):
        path = folder.write('two.bin', data)
        rows = run(cairn, 'flow', '--summary', '--format', 'json', '--config', ini, path).rows()
        return {row['source']: row for row in rows if row['type'] == 'summary'}
    full = summary(whole + bytes(1600))
    yield from expect('sources', sorted(full), ['a15', 'a7'])
    yield from expect('instructions of ETMv3', full['a7']['instructions'] > 1000, True)
    for cut in 1, 5, 16, 19, 16 * 40 + 7:
        part = summary(whole[cut:])
        yield from expect('sources, %d bytes cut' % cut, sorted(part), ['a15', 'a7'])
        gaps = {name: {word: count for word, count in row['ledger'].items()
                       if count and word not in ('flow', 'metadata', 'padding', 'no_sync', 'no_image')}
                for name, row in part.items()}
        yield from expect('what else than the start is lost', gaps['a7'], {})
        yield from expect('share', part['a7']['instructions'] >= full['a7']['instructions'] * 3 // 10,
                          True)


def check_nothing(cairn, folder):
    """What a unit wrote that was on, and never had anything to trace."""
    for name, given, data in [('A-syncs', etm('--set', 'ETMCR=0'), A_SYNC * 3 + b'\x66'),
                              ('PTM', PTM, A_SYNC), ('MTB', ['--protocol', 'mtb', '--set', 'POSITION=0',
                               '--set', 'MASTER=1'], bytes(32))]:
        path = folder.write('nothing.bin', data)
        for way in [], ['--reference'], ['--format', 'json']:
            answer = run(cairn, 'flow', *way, *given, path)
            yield from expect(name, answer.status, 0)
            yield from expect_in(name, 'nothing was traced: all bytes are padding', answer.out)
        packets = run(cairn, 'packets', *given, path)
        yield from expect(name + ': packets', 'nothing was traced' in packets.out, False)
    path = folder.write('nothing.bin', A_SYNC + bytes_of('08 21 00 10 00 00' '84'))
    answer = run(cairn, 'flow', *etm('--set', 'ETMCR=0'), path)
    yield from expect('something', 'nothing was traced' in answer.out, False)


# --- a ring that was dumped from its first byte on

def check_ring(cairn, folder):
    folder.write('a.bin', struct.pack('<64I', *[0xe1a00000] * 64))
    arm = 'protocol=ETMv3\ncore=Cortex-A7\ntrace_id=0x10\nETMCR=0\nETMIDR=0x410cf250\n' \
        '[image]\nfile=a.bin\naddress=0x1000\n'
    trace = b''.join(A_SYNC + bytes_of('08 21 00 10 00 00') + E * (i % 50) for i in range(96))
    trace += b'\x66' * (-len(trace) % (13 * 16))

    def flow(name, data, text):
        path = folder.write(name + '.bin', data)
        ini = folder.write(name + '.ini', text + '[source etm]\n' + arm)
        answer = run(cairn, 'flow', '--format', 'json', '--ranges', '--config', ini, path)
        info = run(cairn, 'info', '--config', ini, path)
        yield from expect_in(name + ': ledger', 'every byte is in one account: %d bytes' % len(data), info.out)
        rows.append([{key: row[key] for key in row if key not in ('file_offset', 'source', 'buffer')}
                     for row in answer.rows()[1:]])
        places.append([row['file_offset'] for row in answer.rows() if 'file_offset' in row])
    for name, data, layout in [('plain', trace, 'source_data'),
                               ('frames', frames([(0x10, trace)]), 'coresight')]:
        rows, places, size = [], [], len(data)
        start = size // 3 // 16 * 16
        head = '[buffer]\nformat=%s\n' % layout
        yield from flow('linear', data, head)
        yield from flow('ring', data[-start:] + data[:-start], head + 'start=%d\n' % start)
        yield from expect(name + ': records', rows[1] == rows[0] and len(rows[0]) > 2000, True)
        yield from expect(name + ': places', places[1], [(at + start) % size for at in places[0]])
    for start, layout, said in [(8, 'coresight', 'begin at multiples of 16'),
                                (len(data), 'coresight', 'the file ends before'),
                                (16, 'dstream_coresight', 'no ring in memory')]:
        path = folder.write('ring.bin', data)
        ini = folder.write('ring.ini', '[buffer]\nformat=%s\nstart=%d\n[source etm]\n' % (layout, start)
                           + arm)
        answer = run(cairn, 'flow', '--config', ini, path)
        yield from expect('status', answer.status, 2)
        yield from expect_in('refused', said, answer.err)


# --- an A32 program recorded by a model of an MTB

def check_mtb(cairn, folder):
    dump = struct.pack('<4I', 0x1000, 0x1005, 0x1004, 0x1000)
    none = {name: None for name in ('TRCCONFIGR', 'TRCTRACEIDR', 'TRCDEVARCH', 'TRCIDR0', 'TRCIDR1',
                                    'TRCIDR2', 'TRCIDR8')}
    capture = folder.snapshot('mtb', dump, kind='MTB', core='Cortex-A15',
                              registers=dict(none, POSITION=0x10, MASTER=0x80, BASE=0),
                              dumps=[(0x1000, struct.pack('<4H', 0xe000, NOP, 0xe7fc, NOP))])
    answer = run(cairn, 'check', capture)
    yield from expect('the core', 'Cortex-A15' in answer.out or 'profile' in answer.out, False)


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('registers that are not those of the trace', check_registers(cairn, folder))
        tap.case('branch encodings and protocols', check_encoding(cairn, folder))
        tap.case('damage', check_damage(cairn, folder))
        captures = os.environ.get('CAIRN_CAPTURES')
        if captures:
            tap.case('real captures have no such doubts', check_captures(cairn, captures))
        elif os.environ.get('CAIRN_REQUIRE_CAPTURES') or os.environ.get('CI'):
            tap.case('real captures have no such doubts', ['CAIRN_CAPTURES is not set'])
        else:
            tap.skip('real captures have no such doubts', 'CAIRN_CAPTURES is not set')
        tap.case('advice', check_advice(cairn, folder))
        tap.case('zeros behind the trace', check_zeros(cairn, folder))
        tap.case('erased memory behind the trace', check_erased(cairn, folder))
        tap.case('bytes in the other order', check_order(cairn, folder))
        tap.case('exceptions of a Cortex-M', check_exceptions(cairn, folder))
        tap.case('flags where each instruction has an atom', check_flags(cairn, folder))
        tap.case('contexts of a Cortex-M', check_contexts(cairn, folder))
        tap.case('two cores in a buffer that was cut', check_two_cores(cairn, folder))
        tap.case('nothing traced', check_nothing(cairn, folder))
        tap.case('a ring dumped from its first byte on', check_ring(cairn, folder))
        tap.case('a model of an MTB at another core', check_mtb(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
