# SPDX-License-Identifier: BSD-2-Clause
"""The trace of a Program Trace Macrocell in a scenario (docs/scenarios.md): settings as registers,
lines as packets with their fields."""
import re

HAS_ADDRESS, HAS_CONTEXT, HAS_VMID, HAS_CID = (1 << i for i in range(4))
HAS_CYCLES, HAS_TIMESTAMP, HAS_EXCEPTION = 1 << 5, 1 << 6, 1 << 10

EXCEPTIONS_A = {'Debug': 1, 'SMC': 2, 'Hyp': 3, 'Asynchronous': 4, 'ThumbEE': 5, 'Reset': 8,
                'Undefined': 9, 'SVC': 10, 'Prefetch-abort': 11, 'Data-abort': 12, 'Generic': 13,
                'IRQ': 14, 'FIQ': 15}
EXCEPTIONS_M = {'IRQ1': 1, 'IRQ2': 2, 'IRQ0': 8, 'UsageFault': 9, 'NMI': 10, 'SVC': 11,
                'PendSV': 14, 'SysTick': 15, 'Reset': 17, 'HardFault': 19}
STATES = {'A32': 0, 'T32': 1, 'Jazelle': 2, 'ThumbEE': 3}
REASONS = {'periodic': 0, 'trace-on': 1, 'overflow': 2, 'debug': 3}

# ETMCCER: all that there is in PFT 1.0 and 1.1, but for bit 24, DMB and DSB as waypoints
CCER = {0: 0x00c008c2, 1: 0x34c008c2}
BARRIERS = 1 << 24


def registers(options):
    minor = int(options['version'].split('.')[1])
    on = {name: value == 'on' for name, value in options.items() if isinstance(value, str)}
    control = on.get('cycle-counts', False) << 12 | on.get('broadcast', False) << 8 | \
        on.get('context-ids', False) * 3 << 14 | on.get('timestamps', False) << 28 | \
        on.get('return-stack', False) << 29 | on.get('vmids', False) << 30
    values = {'ETMIDR': 0x411cf300 | minor << 4, 'ETMCR': control,
              'ETMCCER': CCER[minor] | on.get('barriers-p0', False) * BARRIERS}
    values.update(options['registers'])
    return values


class Trace:
    """Makes orders of lines. What a line leaves out is as it was: state, security, Hyp mode."""

    def __init__(self, scenario, counts):
        self.scenario = scenario
        self.counts = counts  # every packet that can have one has a cycle count
        self.state, self.security, self.el = 0, 0, 0
        self.ids = {'vmid': 0, 'cid': 0}

    def orders(self, line, words):
        if words[0] == 'start':
            yield self.order(line, ['ALIGNMENT_SYNC'])
            words = ['INSTRUCTION_SYNC', 'trace-on'] + words[1:]
        yield self.order(line, words)

    def order(self, line, words):
        kind, f = words[0], {'flags': 0}
        for word in words[1:]:
            self.field(line, kind, word, f)
        if kind in ('INSTRUCTION_SYNC', 'BRANCH_ADDRESS', 'WAYPOINT_UPDATE'):
            f['state'] = self.state
        if kind in ('INSTRUCTION_SYNC', 'BRANCH_ADDRESS'):
            f.update(security=self.security, EL=self.el, **self.ids)
            f['flags'] |= HAS_CONTEXT
        if self.counts and 'cycles' not in f and self.may_count(kind, f):
            f['cycles'] = 0
            f['flags'] |= HAS_CYCLES
        return 'packet %d %s %s' % (line, kind, ' '.join('%s=%#x' % i for i in f.items()))

    @staticmethod
    def may_count(kind, f):
        return kind in ('ATOM', 'BRANCH_ADDRESS', 'TIMESTAMP') or \
            kind == 'INSTRUCTION_SYNC' and f.get('reason', 0) == REASONS['trace-on']

    def exceptions(self):
        return EXCEPTIONS_M if self.scenario.is_m() else EXCEPTIONS_A

    def field(self, line, kind, word, f):
        name, _, value = word.partition('=')
        if kind == 'ATOM' and re.fullmatch('[EN]+', word):
            f['atom_count'] = len(word)
            f['atoms'] = sum(1 << i for i, c in enumerate(word) if c == 'E')
        elif word.startswith(('@', '0x')):
            f['address'] = self.scenario.address(line, word)
            f['flags'] |= HAS_ADDRESS
        elif word in STATES:
            self.state = STATES[word]
        elif word in ('S', 'NS'):
            self.security = int(word == 'NS')
        elif word in ('EL0', 'EL2'):
            self.el = int(word[2])
        elif kind == 'INSTRUCTION_SYNC' and word in REASONS:
            f['reason'] = REASONS[word]
        elif kind == 'BRANCH_ADDRESS' and word in self.exceptions():
            f['type'] = self.exceptions()[word]
            f['flags'] |= HAS_EXCEPTION
        elif name in self.ids and value:
            self.ids[name] = f[name] = int(value, 0)
            f['flags'] |= HAS_VMID if name == 'vmid' else HAS_CID
        elif name == 'cycles':
            f['cycles'] = 0 if value == '?' else int(value, 0)
            f['flags'] |= 0 if value == '?' else HAS_CYCLES
        elif name in ('value', 'bits', 'info'):
            f['address_bits' if name == 'bits' else name] = int(value, 0)
            f['flags'] |= HAS_TIMESTAMP if name == 'value' else 0
        else:
            self.scenario.fail(line, 'no such field of %s: %s' % (kind, word))
