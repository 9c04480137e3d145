# SPDX-License-Identifier: BSD-2-Clause
"""ETMv3 in a scenario (docs/scenarios.md): settings as registers, lines as packets with their
fields."""
import re

HAS_ADDRESS, HAS_CONTEXT, HAS_VMID, HAS_CID = (1 << i for i in range(4))
HAS_CYCLES, HAS_TIMESTAMP, HAS_EXCEPTION, CANCEL = 1 << 5, 1 << 6, 1 << 10, 1 << 11
HAS_INFO, HAS_VALUE, LSIP = 1 << 12, 1 << 13, 1 << 16

EXCEPTIONS_A = {'Debug': 1, 'SMC': 2, 'Hyp': 3, 'Asynchronous': 4, 'Jazelle': 5, 'Reset': 8,
                'Undefined': 9, 'SVC': 10, 'Prefetch-abort': 11, 'Data-abort': 12, 'Generic': 13,
                'IRQ': 14, 'FIQ': 15}
EXCEPTIONS_M = {'IRQ1': 1, 'IRQ2': 2, 'IRQ0': 8, 'UsageFault': 9, 'NMI': 10, 'SVC': 11,
                'DebugMonitor': 12, 'MemManage': 13, 'PendSV': 14, 'SysTick': 15, 'Reset': 17,
                'HardFault': 19, 'BusFault': 21, 'IRQ8': 24}
STATES = {'A32': 0, 'T32': 1, 'Jazelle': 2, 'ThumbEE': 3}
REASONS = {'periodic': 0, 'trace-on': 1, 'overflow': 2, 'debug': 3}
DATA = {'none': 0, 'values': 1, 'addresses': 2, 'both': 3}
ONE_ATOM = 1 << 18  # ETMIDR: a 32-bit Thumb instruction has one


def registers(scenario):
    options = scenario.options
    minor = int(options['version'].split('.')[1])
    on = {name: value == 'on' for name, value in options.items() if isinstance(value, str)}
    control = on.get('cycle-counts', False) << 12 | on.get('broadcast', False) << 8 | \
        on.get('context-ids', False) * 3 << 14 | on.get('timestamps', False) << 28 | \
        on.get('vmids', False) << 30 | DATA[options.get('data', 'none')] << 2
    values = {'ETMIDR': (0x4114f200 if scenario.is_m() else 0x410cf200) | minor << 4,
              'ETMCR': control, 'ETMCCER': 0x18541800 if scenario.is_m() else 0x344008f2}
    if on.get('two-atoms', False):
        values['ETMIDR'] &= ~ONE_ATOM
    values.update(options['registers'])
    return values


def headers(atoms, counts):
    """P-headers (IHI0014 7.3.1), one after the other: of atoms alone format 1; of cycles with each
    atom as many as it takes."""
    if not counts:
        for executed, then_not in re.findall('(E{0,15})(N?)', atoms):
            if executed or then_not:
                yield 0x80 | len(executed) << 2 | (0x40 if then_not else 0)
        return
    for waits, atom in re.findall('(W{0,8})([EN]?)', atoms):
        if atom and len(waits) == 0:
            yield 0x96 if atom == 'N' else 0x92
        elif atom == 'N':
            if len(waits) > 1:
                yield 0xa0 | (len(waits) - 2) << 2
            yield 0xc0
        elif waits:
            yield 0xa0 | (len(waits) - 1) << 2 | (0x40 if atom else 0)


class Trace:
    """Makes orders of lines. What a line leaves out is as it was: state, security, identifiers."""

    def __init__(self, scenario, counts):
        self.scenario = scenario
        self.counts = counts
        self.state, self.security, self.el = 0, 0, 0
        self.ids = {'vmid': 0, 'cid': 0}

    def orders(self, line, words):
        if words[0] == 'ATOMS':
            yield 'bytes %d %s' % (line, bytes(headers(''.join(words[1:]), self.counts)).hex())
            return
        if words[0] == 'start':
            yield self.order(line, ['A_SYNC'])
            words = ['I_SYNC', 'trace-on'] + words[1:]
        yield self.order(line, words)

    def exceptions(self):
        return EXCEPTIONS_M if self.scenario.is_m() else EXCEPTIONS_A

    def order(self, line, words):
        kind, f = words[0], {'flags': 0}
        if self.scenario.is_m():
            self.state = STATES['T32']
        before = self.security
        for word in words[1:]:
            self.field(line, kind, word, f)
        if kind in ('BRANCH', 'I_SYNC', 'I_SYNC_CYCLES'):
            f['state'] = self.state
        if kind in ('BRANCH', 'I_SYNC', 'I_SYNC_CYCLES', 'CONTEXT_ID', 'VMID'):
            f.update(security=self.security, EL=self.el, **self.ids)
        if kind == 'BRANCH':
            info = before != self.security or f['flags'] & (HAS_EXCEPTION | CANCEL) or 'resume' in f
            f['flags'] |= HAS_CONTEXT | HAS_INFO if info else 0
        elif kind.startswith('I_SYNC'):
            f['flags'] |= HAS_CONTEXT
        return 'packet %d %s %s' % (line, kind, ' '.join('%s=%#x' % i for i in f.items()))

    def field(self, line, kind, word, f):
        name, _, value = word.partition('=')
        if name == 'lsip':
            f['value'] = self.scenario.address(line, value)
            f['type'] = self.state
            f['flags'] |= LSIP
        elif word.startswith(('@', '0x')):
            f['address'] = self.scenario.address(line, word)
            f['flags'] |= HAS_ADDRESS
        elif word in STATES:
            self.state = STATES[word]
        elif word in ('S', 'NS'):
            self.security = int(word == 'NS')
        elif word in ('EL0', 'EL2'):
            self.el = int(word[2])
        elif kind.startswith('I_SYNC') and word in REASONS:
            f['reason'] = REASONS[word]
        elif kind == 'BRANCH' and word in self.exceptions():
            f['type'] = self.exceptions()[word]
            f['flags'] |= HAS_EXCEPTION
        elif word == 'cancels':
            f['flags'] |= CANCEL
        elif word == 'A':
            f['info'] = 1
        elif name in self.ids and value:
            self.ids[name] = int(value, 0)
        elif name == 'cycles':
            f['cycles'] = int(value, 0)
            f['flags'] |= HAS_CYCLES
        elif name in ('value', 'size', 'tag', 'resume'):
            f[name] = int(value, 0)
            f['flags'] |= {'TIMESTAMP': HAS_TIMESTAMP}.get(kind, HAS_VALUE) if name == 'value' else 0
        else:
            self.scenario.fail(line, 'no such field of %s: %s' % (kind, word))
