# SPDX-License-Identifier: BSD-2-Clause
"""The pins of an ETMv1, by hand from IHI0014 chapter 5, and recordings of them: value change dumps, sessions
of sigrok's, the RAM of a trace buffer. It shares nothing with the program."""
import io
import random
import struct
import zipfile

IE, IN, WT, BE, TD = 0, 2, 3, 4, 7
NOP, BX, CODE_SIZE = 0xe1a00000, 0xe12fff10, 0x100  # bx r0; a block is at each multiple of CODE_SIZE

# Blocks all over 64 KiB, so that each pin of an address counts.
BLOCKS = [0x8000 + CODE_SIZE * i + 4 * (i % 13) for i in (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 100, 127)]
LENGTH = 14  # instructions of a block: enough for an address to leave by 4 pins


def image():
    """{address: words}: blocks that end with an indirect branch."""
    return {address: [NOP] * (LENGTH - 1) + [BX] for address in BLOCKS}


def packets(address, last, reason):
    """The bytes of a branch address (5.3.1): 7 bits each, the lowest first; with a reason all five."""
    count = 5
    if reason is None:
        count = 1
        while count < 4 and address >> 7 * count != last >> 7 * count:
            count += 1
    parts = [address >> 7 * i & 0x7f for i in range(count)]
    if reason is not None:
        parts[4] = address >> 28 & 0xf | reason << 4
    return [part | 0x80 for part in parts[:-1]] + parts[-1:]


class Unit:
    """Cycles (PIPESTAT, TRACESYNC, TRACEPKT) of a port of `pins` pins."""

    def __init__(self, pins):
        self.pins, self.cycles, self.queue, self.last = pins, [], [], 0

    def cycle(self, status, sync=0):
        if self.pins == 4:
            packet = self.queue.pop(0) if self.queue else 0
        else:
            packet = 0
            for i in range(self.pins // 8):
                packet |= self.queue.pop(0) << 8 * i if self.queue else 0
        self.cycles.append((status, sync, packet))

    def branch(self, address, reason=None):
        while self.queue:
            self.cycle(WT)
        for byte in packets(address, self.last, reason):
            self.queue += [byte & 0xf, byte >> 4] if self.pins == 4 else [byte]
        self.last = address
        self.cycle(BE, 1)
        self.cycle(0)  # the Address Packet Offset, 0, in two cycles (5.6.1)
        self.cycle(0)


def cycles(pins, branches, seed=1):
    """A walk over the blocks, from trace on; every 30th address is a whole one (5.6.2)."""
    draw, unit = random.Random(seed), Unit(pins)
    unit.branch(BLOCKS[0], 1)
    for i in range(branches):
        for _ in range(LENGTH - 1):
            unit.cycle(IE)
            if draw.random() < 0.1:
                unit.cycle(WT)
        unit.branch(draw.choice(BLOCKS), 0 if i % 30 == 29 else None)
    for _ in range(12):
        unit.cycle(WT)
    return unit.cycles


def wires(pins, cycle):
    """Levels by name."""
    status, sync, packet = cycle
    levels = {'PIPESTAT[%d]' % i: status >> i & 1 for i in range(3)}
    levels['TRACESYNC'] = sync
    levels.update({'TRACEPKT[%d]' % i: packet >> i & 1 for i in range(pins)})
    return levels


def steps(pins, port, both_edges=False, names=None, noise=None):
    """[{name: level}]: two for a cycle: the pins are set up while the clock does not change, and sampled when
    it does. `names`: other names of the wires. `noise`: what the pins show where they are not sampled."""
    clock, out = 0, []
    for cycle in port:
        levels = {(names or {}).get(name, name): level for name, level in wires(pins, cycle).items()}
        if both_edges:
            clock ^= 1
            out += [dict(levels, TRACECLK=clock ^ 1), dict(levels, TRACECLK=clock)]
            continue
        early = {name: noise.randrange(2) for name in levels} if noise else levels
        out += [dict(early, TRACECLK=1), dict(early, TRACECLK=0), dict(levels, TRACECLK=0), dict(levels, TRACECLK=1)]
    return out


def vcd(levels):
    """A value change dump, each wire by itself."""
    names = sorted(levels[0])
    codes = {name: chr(33 + i) for i, name in enumerate(names)}
    text = ['$timescale 1 ns $end', '$scope module board $end']
    text += ['$var wire 1 %s %s $end' % (codes[name], name) for name in names]
    text += ['$upscope $end', '$enddefinitions $end']
    now = {}
    for time, step in enumerate(levels):
        changes = ['%d%s' % (step[name], codes[name]) for name in names if now.get(name) != step[name]]
        text += ['#%d' % time] + changes if changes else []
        now = step
    return '\n'.join(text + ['#%d' % len(levels), ''])


def session(levels, chunk=1 << 20, unit_size=None, metadata='', version='2', leave=(), numbers=None, damage=None,
            before=0):
    """The bytes of a session of sigrok's: `chunk` units in a chunk. Channels are from number `before` + 1 on. `leave`:
    numbers of chunks that are not written."""
    names = sorted(levels[0])
    unit_size = unit_size or (before + len(names) + 7) // 8
    units = []
    for step in levels:
        unit = 0
        for i, name in enumerate(names):
            unit |= step[name] << (before + i)
        units.append(unit.to_bytes(unit_size, 'little'))
    text = '[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=%d\nsamplerate=24 MHz\n' \
        'total analog=0\n' % (before + len(names))
    text += ''.join('probe%d=%s\n' % (before + i + 1, name) for i, name in enumerate(names))
    text += 'unitsize=%d\n' % unit_size + metadata
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as file:
        if version is not None:
            file.writestr('version', version)
        file.writestr('metadata', text)
        chunks = [b''.join(units[at:at + chunk]) for at in range(0, len(units), chunk)]
        numbered = list(enumerate(chunks, 1))
        for number, data in (reversed(numbered) if numbers == 'reversed' else numbered):
            if number not in leave:
                file.writestr('logic-1' if numbers == 'none' else 'logic-1-%d' % number, data)
    data = bytearray(out.getvalue())
    if damage:
        at = data.index(damage.encode()) + 300  # in what is packed, behind its name
        for i in range(at, at + 40):
            data[i] ^= 0x5a
    return bytes(data)


def ram(pins, port, depth, pointer):
    """The RAM of a trace buffer, which is a ring of `depth` words: as many cycles of 4 + pins bits as fit in 24."""
    each = 24 // (4 + pins)
    idle = (TD, 0, 0)
    words = []
    for at in range(0, len(port), each):
        part = (list(port[at:at + each]) + [idle] * each)[:each]
        words.append(sum((status | packet << 3 | sync << (3 + pins)) << i * (4 + pins)
                         for i, (status, sync, packet) in enumerate(part)))
    out = [0x00badbad] * depth
    first = (pointer - len(words)) % depth
    for i, word in enumerate(words):
        out[(first + i) % depth] = word
    return struct.pack('<%dI' % depth, *out), len(words)
