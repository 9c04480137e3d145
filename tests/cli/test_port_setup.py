#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A trace port that is described wrongly: `cairn check` names what is wrong and what to give; and says nothing of one that
is described as it is. And the RAM of a trace buffer, whose registers say where its oldest word is.

usage: test_port_setup.py CAIRN
"""
import random
import resource
import shlex
import sys
import tempfile

import port
from common import Folder, Tap, expect, expect_in, run

CODE = 'CAIRN-WRONG-PORT'
BRANCHES = 24
V1 = ['--protocol', 'etmv1', '--core', 'ARM7TDMI', '--set', 'ETMCCR=0x30000000']
# bits 6:4 of ETMCR: 4, 8 and 16 pins
CONTROL = {4: 'ETMCR=0x0', 8: 'ETMCR=0x10', 16: 'ETMCR=0x20'}


class Bench:
    def __init__(self, cairn, folder):
        self.cairn, self.folder, self.image = cairn, folder, folder.program(port.image())
        self.paths = {}
        for pins in (4, 8, 16):
            levels = port.steps(pins, port.cycles(pins, BRANCHES), noise=random.Random(pins))
            self.paths[pins] = folder.write('la%d.vcd' % pins, port.vcd(levels))

    def found(self, path, *options, image=True):
        """The finding about the port: (what, advice); None: there is none."""
        answer = run(self.cairn, 'check', '--format', 'json', *(self.image if image else []), *options, path)
        rows = [row for row in answer.rows() if row['type'] == 'finding' and row['code'] == CODE]
        return (rows[0]['what'], rows[0]['advice']) if rows else None

    def named(self, what, advice, path, *options, image=True):
        found = self.found(path, *options, image=image) or ('nothing', '')
        yield from expect_in('what of %s' % (options,), what, found[0])
        yield from expect_in('advice of %s' % (options,), advice, found[1])


def right(bench):
    for pins, path in bench.paths.items():
        yield from expect('%d pins' % pins, bench.found(path), None)
        yield from expect('%d pins without an image' % pins, bench.found(path, image=False), None)
    levels = port.steps(8, port.cycles(8, BRANCHES), both_edges=True)
    both = bench.folder.write('both.vcd', port.vcd(levels))
    yield from expect('half-rate', bench.found(both, '--port-mode', 'half-rate'), None)


def widths(bench):
    """Narrower and wider, with an image and without."""
    for image in (True, False):
        yield from bench.named('port width looks like 8, not 4', '--port-width 8', bench.paths[8], '--port-width', 4, image=image)
        yield from bench.named('port width looks like 16, not 8', '--port-width 16', bench.paths[16], '--port-width', 8,
                               image=image)
    answer = run(bench.cairn, 'info', *bench.image, '--port-width', 4, bench.paths[8])
    yield from expect_in('info', 'port width looks like 8, not 4', ' '.join(answer.out.split()))
    unused = {'TRACEPKT[%d]' % i: 0 for i in range(8, 16)}
    levels = [dict(unused, **step) for step in port.steps(8, port.cycles(8, BRANCHES))]
    wide = bench.folder.write('wide.vcd', port.vcd(levels))
    yield from bench.named('port width looks like 8, not 16', '--port-width 8', wide)


def clocks(bench):
    """The mode, and the edge: the pins show something else at the other one."""
    yield from bench.named('port mode looks like normal, not half-rate', '--port-mode normal', bench.paths[8], '--port-mode',
                           'half-rate')
    both = bench.folder.write('both.vcd', port.vcd(port.steps(8, port.cycles(8, BRANCHES), both_edges=True)))
    yield from bench.named('port mode looks like half-rate, not normal', '--port-mode half-rate', both)
    yield from bench.named('sampled at the wrong edge of TRACECLK', "--pins '...,TRACECLK=TRACECLK'", bench.paths[8], '--pins',
                           'TRACECLK=!TRACECLK')


def pins(bench):
    """Two pins for one another, and those of a signal in reverse."""
    for one, other in (('TRACEPKT[2]', 'TRACEPKT[5]'), ('PIPESTAT[0]', 'PIPESTAT[2]'), ('TRACESYNC', 'TRACEPKT[7]')):
        yield from bench.named('%s and %s look swapped' % (one, other), "--pins '...,%s=%s,%s=%s' (... stands for what --pins, or pins=, says now)" %
                               (one, one, other, other),
                               bench.paths[8], '--pins', '%s=%s,%s=%s' % (one, other, other, one))
    turned = ','.join('TRACEPKT[%d]=TRACEPKT[%d]' % (i, 7 - i) for i in range(8))
    yield from bench.named('the pins of TRACEPKT look reversed', 'TRACEPKT[7]=TRACEPKT[7]', bench.paths[8], '--pins', turned)
    # what is told, given: nothing more is found
    advice = bench.found(bench.paths[8], '--pins', turned)[1]
    yield from expect('advice', bench.found(bench.paths[8], '--pins', joined(turned, advice)), None)
    # of two items for one signal the last one counts, a wire or a whole bus
    swap = 'TRACEPKT[2]=TRACEPKT[5],TRACEPKT[5]=TRACEPKT[2],'
    yield from expect('last', bench.found(bench.paths[8], '--pins', swap + 'TRACEPKT=TRACEPKT'), None)
    yield from expect('none', bench.found(bench.paths[8], '--pins', 'TRACEPKT=TRACEPKT,' + swap) is None, False)
    answer = run(bench.cairn, 'info', '--pins', 'TRACEPKT=TRACEPKT,TRACEPKT[2]=POX', bench.paths[8])
    yield from expect_in('no such wire', 'there is no wire POX', answer.err)


def joined(given, advice):
    """What the advice stands for, in a shell."""
    return next(word for word in shlex.split(advice) if '=' in word).replace('...', given)


CHANNELS = ['TRACECLK', 'PIPESTAT[0]', 'PIPESTAT[1]', 'PIPESTAT[2]', 'TRACESYNC'] + ['TRACEPKT[%d]' % i for i in range(4)]
ON_MICTOR = 'mictor38,6=D0,38=D1,36=D2,34=D3,32=D4,30=D5,28=%s,26=%s,24=D8'


def advice_joined(bench):
    """Of a connector's pins, and channels that are called by numbers, the advice at the end of what was given."""
    names = {name: 'D%d' % i for i, name in enumerate(CHANNELS)}
    levels = port.steps(4, port.cycles(4, 60), names=names, noise=random.Random(3))
    for step in levels:
        step['D0'] = step.pop('TRACECLK')
    path = bench.folder.write('board.vcd', port.vcd(levels))
    unit = V1 + ['--set', CONTROL[4]]
    right = ON_MICTOR % ('D6', 'D7')
    yield from expect('right', bench.found(path, *unit, '--pins', right), None)
    for wrong, wanted in ((ON_MICTOR % ('D7', 'D6'), "'...,TRACEPKT[1]=D6,TRACEPKT[2]=D7'"),
                          (right.replace('=D0', '=!D0'), "'...,TRACECLK=D0'")):
        _, advice = bench.found(path, *unit, '--pins', wrong) or ('', '')
        yield from expect_in('advice for ' + wrong, wanted, advice)
        if advice:
            yield from expect('given', bench.found(path, *unit, '--pins', joined(wrong, advice)), None)
    # a pin behind the signal
    yield from expect('pin last', bench.found(path, *unit, '--pins', right.replace('mictor38', 'mictor38,TRACEPKT[1]=D7')), None)


def long_names(bench):
    """A list that is longer than a sentence is told in words; one of names with a scope has it."""
    for name, whole in (('pod', True), ('a_pod_of_the_analyser_with_a_name_that_is_longer_than_forty_letters_', False)):
        names = {'TRACEPKT[%d]' % i: '%s%02d' % (name, i) for i in range(16)}
        path = bench.folder.write('long.vcd', port.vcd(port.steps(16, port.cycles(16, BRANCHES), names=names)))
        turned = ','.join('TRACEPKT[%d]=board.%s%02d' % (i, name, 15 - i) for i in range(16))
        what, advice = bench.found(path, '--pins', turned) or ('', '')
        yield from expect_in('what', 'the pins of TRACEPKT look reversed', what)
        if whole:
            yield from expect('given', bench.found(path, '--pins', joined(turned, advice)), None)
            yield from expect_in('scope', 'TRACEPKT[15]=board.pod15', advice)
        else:
            yield from expect('words', advice, 'try giving each of these signals its wire by --pins SIGNAL=WIRE, behind what --pins '
                              'says now and compare the cable with the connector (docs/trace-port.md)')


def effort(bench):
    """However many pins there are, and however little fits, what is tried has an end: a port of 32 pins has 528 pairs."""
    draw, levels = random.Random(1), []
    for i in range(12000):
        idle = i % 40 != 0
        wires = {'TRACEDATA[%d]' % k: draw.randrange(2) for k in range(32)}
        wires.update({'TRACECTL': int(idle)}, **({'TRACEDATA[0]': 1} if idle else {}))
        levels += [dict(wires, TRACECLK=i & 1), dict(wires, TRACECLK=~i & 1)]
    path = bench.folder.write('idle.vcd', port.vcd(levels))
    unit = ['--set', 'ETMCR=0', '--set', 'ETMIDR=0x4104f230', path]

    def seconds(command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run(bench.cairn, command, *unit)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    least = min(seconds('packets') for _ in range(3))
    yield from expect('info against reading it once', seconds('info') < 120 * max(least, 0.01), True)


def not_the_port(bench):
    """Cycles that are missing, and an image that is another program's, are no wrong port."""
    draw, cycles = random.Random(7), port.cycles(8, BRANCHES)
    holes = [cycle for cycle in cycles if draw.random() > 0.02]
    path = bench.folder.write('holes.vcd', port.vcd(port.steps(8, holes)))
    yield from expect('holes', bench.found(path), None)
    other = bench.folder.program({address + 0x40: [port.NOP] * 9 + [port.BX] for address in port.BLOCKS})
    answer = run(bench.cairn, 'check', '--format', 'json', *other, bench.paths[8])
    yield from expect('another program', CODE in answer.out, False)


def etmv3(bench):
    """A-sync, I-sync and P-headers, 8 pins, both edges (7.4, 7.8)."""
    data = (bytes([0, 0, 0, 0, 0, 0x80, 8, 0x21, 0, 0x80, 0, 0]) + bytes([0x84, 0x88, 0x8c] * 20)) * 12
    levels, clock = [], 0
    for byte in data:
        wires = dict({'TRACEDATA[%d]' % i: byte >> i & 1 for i in range(8)}, TRACECTL=0)
        levels += [dict(wires, TRACECLK=clock), dict(wires, TRACECLK=clock ^ 1)]
        clock ^= 1
    path = bench.folder.write('v3.vcd', port.vcd(levels))
    unit = ['--set', 'ETMCR=0', '--set', 'ETMIDR=0x4104f230']
    yield from expect('right', bench.found(path, *unit, image=False), None)
    yield from bench.named('port width looks like 8, not 4', '--port-width 8', path, *unit, '--port-width', 4, image=False)
    yield from bench.named('port mode looks like half-rate, not dynamic', '--port-mode half-rate', path, *unit, '--port-mode',
                           'dynamic', image=False)
    yield from bench.named('TRACEDATA[2] and TRACEDATA[7] look swapped', '--pins', path, *unit, '--pins',
                           'TRACEDATA[2]=TRACEDATA[7],TRACEDATA[7]=TRACEDATA[2]', image=False)


def buffer_ram(bench):
    """The same flow out of a ring, from any word on; of one that was not filled; and words read out in order."""
    for width in (4, 8, 16):
        unit = V1 + ['--set', CONTROL[width], *bench.image]
        wanted = run(bench.cairn, 'flow', '--format', 'addresses', *unit, bench.paths[width]).lines()[1:]
        cycles = port.cycles(width, BRANCHES)
        words = port.ram(width, cycles, 1 << 16, 0)[1]
        for depth, pointer, status in ((words, 0, 1), (words, words // 3, 1), (words + 99, words, 0)):
            dump, _ = port.ram(width, cycles, depth, pointer)
            path = bench.folder.write('ram.bin', dump)
            told = ['--set', 'ETB_STS=%d' % status, '--set', 'ETB_RWP=%d' % pointer]
            answer = run(bench.cairn, 'flow', '--format', 'addresses', *unit, *told, path)
            yield from expect('%d pins, word %d of %d' % (width, pointer, depth), answer.lines()[1:], wanted)
        dump, _ = port.ram(width, cycles, words, 0)
        path = bench.folder.write('ram.bin', dump)
        answer = run(bench.cairn, 'flow', '--format', 'addresses', *unit, '--set', 'ETB_WIDTH=24', path)
        yield from expect('%d pins, in order' % width, answer.lines()[1:], wanted)


def buffer_told(bench):
    path = bench.folder.write('ram.bin', port.ram(8, port.cycles(8, 5), 64, 40)[0])
    unit = V1 + ['--set', CONTROL[8]]
    for told, part in ((['ETB_RWP=40'], 'ETB_RWP is given without ETB_STS'),
                       (['ETB_RWP=64', 'ETB_STS=1'], 'it counts words, not bytes'),
                       (['ETB_RDP=65', 'ETB_STS=1'], 'the dump has 64: dump all of it'),
                       (['ETB_WIDTH=11'], 'a cycle of a port of 8 pins has 12')):
        answer = run(bench.cairn, 'info', *unit, *[word for value in told for word in ('--set', value)], path)
        yield from expect('status', answer.status, 2)
        yield from expect_in('sentence', part, answer.err)
    # two sources of one buffer: the words are the same, from the first one on and as many
    for pointer, other, status in ((40, 48, 2), (64, 64, None), (48, 48, None)):
        source = '[source %s]\nprotocol=ETMv3\ncore=Cortex-R4\ntrace_id=%d\nETMCR=0\nETB_STS=0\nETB_RWP=%d\n'
        ini = bench.folder.write('both.ini', '[buffer]\nformat=coresight\n' + source % ('a', 16, pointer) +
                                 source % ('b', 17, other))
        answer = run(bench.cairn, 'info', '--config', ini, path)
        yield from expect_in('two sources', 'says otherwise' if status else '', answer.err)
        yield from expect('status of two', answer.status == 2, status == 2)
        if not status:
            yield from expect_in('ledger of two', 'every byte is in one account: 256 bytes', ' '.join(answer.out.split()))
    answer = run(bench.cairn, 'info', *V1, '--set', 'ETB_STS=1', '--set', 'ETB_RWP=40', path)
    yield from expect_in('width', 'give ETMCR, whose bits 6:4 tell', answer.err)
    answer = run(bench.cairn, 'info', *unit, '--set', 'ETB_STS=0', '--set', 'ETB_RWP=40', path)
    text = ' '.join(answer.out.split())
    yield from expect_in('words', '64 words of 24 bits, 2 cycles in each', text)
    yield from expect_in('ledger', 'every byte is in one account: 512 bytes in 1 buffer', text)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        bench = Bench(sys.argv[1], Folder(path))
        for name, case in (('right', right), ('width', widths), ('clock', clocks), ('pins', pins), ('advice', advice_joined), ('long names', long_names),
                           ('effort', effort), ('not the port', not_the_port),
                           ('ETMv3', etmv3), ('RAM of a trace buffer', buffer_ram), ('its registers', buffer_told)):
            tap.case(name, case(bench))
    tap.end()


main()
