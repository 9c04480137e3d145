# SPDX-License-Identifier: BSD-2-Clause
"""Reads a scenario file (docs/scenarios.md) and turns it into orders for scenario_tool."""
import os
import re

import etmv3
import mtb
import ptm

SECTIONS = ('config', 'program', 'trace', 'bytes', 'packets', 'elements', 'resolved', 'depth',
            'flow', 'ledger')
EXPECTATIONS = SECTIONS[3:]

HAS_ADDRESS, HAS_CONTEXT, HAS_VMID, HAS_CID, HAS_COUNT, HAS_CYCLES, HAS_TIMESTAMP = \
    (1 << i for i in range(7))
MISPREDICT, E10 = 1 << 8, 1 << 9

EXCEPTIONS_A = {'PE-Reset': 0, 'Debug-halt': 1, 'Call': 2, 'Trap': 3, 'System-Error': 4,
                'Inst-debug': 6, 'Data-debug': 7, 'Alignment': 10, 'Inst-fault': 11,
                'Data-fault': 12, 'IRQ': 14, 'FIQ': 15, 'Impl-defined-0': 16}
EXCEPTIONS_M = {'PE-Reset': 1, 'NMI': 2, 'HardFault': 3, 'MemManage': 4, 'BusFault': 5,
                'UsageFault': 6, 'SecureFault': 7, 'SVC': 11, 'DebugMonitor': 12, 'PendSV': 14,
                'SysTick': 15, 'IRQ0': 16, 'IRQ7': 23, 'Debug-halt': 24, 'Lazy-FP': 25,
                'Lockup': 26, 'IRQ8': 0x208, 'IRQ9': 0x209}
EXCEPTIONS_MTB = {'any': mtb.EXCEPTION_TYPE}
SECURITY = {'S': 0, 'NS': 1, 'ROOT': 2, 'REALM': 3}

# cairn/isa.h
THUMB2, TME, PAUTH, WFXT, CMPBR, HBC, LOB, TEXIT, THUMBEE = (1 << i for i in range(9))
CORES = {'v9-A': ('A', 9, 6, 0xff), 'v8-A': ('A', 8, 0, THUMB2),
         'v7-A': ('A', 7, 0, THUMB2 | THUMBEE), 'v8-R': ('R', 8, 0, THUMB2),
         'v6-M': ('M', 6, 0, 0), 'v7-M': ('M', 7, 0, THUMB2), 'v8-M': ('M', 8, 0, THUMB2),
         'v8.1-M': ('M', 8, 1, THUMB2 | LOB)}


class ScenarioError(Exception):
    def __init__(self, path, line, text):
        super().__init__('%s:%d: %s' % (path, line, text))


class Scenario:
    """sections: name -> list of (line, text); programs: list of (line, words, body)."""

    def __init__(self, path):
        self.path = path
        self.title = ''
        self.sections, self.programs, self.labels = {}, [], {}
        self.read()
        self.options = self.read_options()
        counts = self.options.get('cycle-counts') == 'on'
        self.ptm = ptm.Trace(self, counts)
        self.etmv3 = etmv3.Trace(self, counts)

    def fail(self, line, text):
        raise ScenarioError(self.path, line, text)

    def read(self):
        body = None
        with open(self.path, encoding='utf-8') as file:
            for number, line in enumerate(file, 1):
                line = line.rstrip()
                if line.startswith('#'):
                    text = line[1:].strip()
                    if not self.title and text and 'SPDX' not in text:
                        self.title = text
                elif line.startswith('['):
                    body = self.open_section(number, line)
                elif line and not line[0].isspace():
                    self.fail(number, 'a line is a [section], a # comment or indented')
                elif line.strip():
                    text = re.sub(r'\s*//.*', '', line).strip()
                    if text and body is None:
                        self.fail(number, 'before the first section')
                    if text:
                        body.append((number, text))
        for name in ('trace', 'flow'):
            if name not in self.sections:
                self.fail(1, 'no section [%s]' % name)

    def open_section(self, number, line):
        m = re.fullmatch(r'\[(\w+)((?: \S+)*)\]', line)
        if not m or m[1] not in SECTIONS:
            self.fail(number, 'no such section: %s' % line)
        body = []
        if m[1] == 'program':
            self.programs.append((number, m[2].split(), body))
        elif m[1] in self.sections:
            self.fail(number, 'a second [%s]' % m[1])
        else:
            self.sections[m[1]] = body
        return body

    # ---- configuration -------------------------------------------------------------------------

    def read_options(self):
        known = {'protocol', 'version', 'core', 'max-spec', 'return-stack', 'commopt', 'commtrans',
                 'wfx-p0', 'timestamp-marker', 'cycle-counts', 'timestamps', 'context-ids', 'q',
                 'broadcast', 'vmid-size', 'vmids', 'barriers-p0', 'data', 'two-atoms'}
        options = {'protocol': 'ETE', 'version': None, 'core': None, 'max-spec': '0',
                   'return-stack': 'off', 'commopt': '0', 'commtrans': '0', 'registers': {}}
        for line, text in self.sections.get('config', []):
            words = text.split()
            if re.fullmatch(r'(TRC|ETM)[A-Z0-9]+', words[0]) or words[0] in mtb.REGISTERS:
                options['registers'][words[0]] = int(words[1], 0)
            elif words[0] in known:
                options[words[0]] = words[1] if len(words) > 1 else 'on'
            else:
                self.fail(line, 'no such setting: %s' % words[0])
        options['version'] = options['version'] or {'ETMv4': '4.4', 'PTM': '1.1', 'ETMv3': '3.5'}.get(
            options['protocol'], '1.3')
        options['core'] = options['core'] or {'ETMv4': 'v8-A', 'MTB': 'v8-M', 'PTM': 'v7-A',
                                              'ETMv3': 'v7-A'}.get(options['protocol'], 'v9-A')
        return options

    def is_mtb(self):
        return self.options['protocol'] == 'MTB'

    def is_ptm(self):
        return self.options['protocol'] == 'PTM'

    def is_etmv3(self):
        return self.options['protocol'] == 'ETMv3'

    def is_m(self):
        return self.options['core'].endswith('-M')

    def exceptions(self):
        if self.is_mtb():
            return EXCEPTIONS_MTB
        if self.is_ptm():
            return self.ptm.exceptions()
        if self.is_etmv3():
            return self.etmv3.exceptions()
        return EXCEPTIONS_M if self.is_m() else EXCEPTIONS_A

    def registers(self):
        """The settings as register values (docs/scenarios.md has the table)."""
        o = self.options
        if self.is_mtb():
            return o['registers']
        if self.is_ptm():
            return ptm.registers(o)
        if self.is_etmv3():
            return etmv3.registers(self)
        etm = o['protocol'] == 'ETMv4'
        minor = int(o['version'].split('.')[1])
        on = {n: o.get(n) == 'on' for n in ('return-stack', 'wfx-p0', 'timestamp-marker',
                                            'cycle-counts', 'timestamps', 'context-ids', 'q',
                                            'broadcast')}
        idr0 = 1 << 5 | 1 << 7 | 1 << 9 | 3 << 10 | 8 << 24 | on['q'] * 3 << 15 | \
            on['timestamp-marker'] << 23 | int(o['commopt']) << 29 | int(o['commtrans']) << 30
        if self.is_m():
            idr2 = 4
        else:
            idr2 = 8 | 4 << 5 | int(o.get('vmid-size', '4')) << 10 | on['wfx-p0'] << 31
        configr = 1 | on['broadcast'] << 3 | on['cycle-counts'] << 4 | on['context-ids'] * 3 << 6 | \
            on['timestamps'] << 11 | on['return-stack'] << 12 | on['q'] * 3 << 13
        registers = {'TRCCONFIGR': configr, 'TRCIDR0': idr0, 'TRCIDR2': idr2,
                     'TRCIDR1': 0x4100f400 | minor << 4 if etm else 0x4100fff0,
                     'TRCIDR8': int(o['max-spec'], 0),
                     'TRCDEVARCH': 0x47704a13 | minor << 16 if etm else 0x47705a13 | minor << 16}
        registers.update(o['registers'])
        return registers

    # ---- orders ----------------------------------------------------------------------------------

    def orders(self, assemble):
        o = self.options
        if o['core'] not in CORES:
            self.fail(1, 'no such core: %s' % o['core'])
        yield 'protocol %s' % o['protocol'].lower()
        yield 'arch %s %d %d %#x' % CORES[o['core']]
        for name, value in self.registers().items():
            yield 'register %s %#x' % (name, value)
        layers, self.labels = assemble([self.program(*p) for p in self.programs])
        for address, scope, code in layers:
            yield 'layer %x %s %s' % (address, scope, code.hex())
        for line, text in self.sections['trace']:
            yield from self.trace(line, text)

    def program(self, line, words, body):
        if not words or words[0] not in ('A64', 'A32', 'T32'):
            self.fail(line, 'a program is A64, A32 or T32')
        flavour = 'A64' if words[0] == 'A64' else 'M' if self.is_m() else 'ARM'
        el, security, vmid, cid = 0xf, 0xf, '-', '-'
        for word in words[1:]:
            if re.fullmatch('EL[0-3]', word):
                el = 1 << int(word[2])
            elif word in SECURITY:
                security = 1 << SECURITY[word]
            elif word.startswith('vmid='):
                vmid = word[5:]
            elif word.startswith('cid='):
                cid = word[4:]
            elif word != 'in':
                self.fail(line, 'no such scope: %s' % word)
        return flavour, words[0], '%x %x %s %s' % (el, security, vmid, cid), body

    def address(self, line, word):
        m = re.fullmatch(r'@?([A-Za-z_]\w*)([+-](?:0x)?[0-9a-fA-F]+)?', word[1:]) \
            if word.startswith('@') else None
        if m:
            if m[1] not in self.labels:
                self.fail(line, 'no such label: %s' % m[1])
            return self.labels[m[1]] + (int(m[2], 0) if m[2] else 0)
        return int(word, 16)

    def trace(self, line, text):
        words = text.split()
        if words[0] == 'bytes':
            yield 'bytes %d %s' % (line, ''.join(words[1:]))
        elif self.is_mtb():
            yield mtb.packet(self, line, text)
        elif self.is_ptm():
            yield from self.ptm.orders(line, words)
        elif self.is_etmv3():
            yield from self.etmv3.orders(line, words)
        elif words[0] == 'start':
            info = [w for w in words[1:] if w in ('cc', 'T') or w.startswith(('spec=', 'threshold='))]
            rest = [w for w in words[1:] if w not in info]
            yield self.packet(line, ['ALIGNMENT_SYNC'])
            yield self.packet(line, ['TRACE_INFO'] + info)
            yield self.packet(line, ['TRACE_ON'])
            thumb = 'T32' in rest
            yield self.packet(line, ['ADDRESS_CONTEXT_32_IS%d' % thumb] + rest)
        else:
            yield self.packet(line, words)

    def packet(self, line, words):
        kind, f = words[0], {'flags': 0}
        if kind.endswith(('_IS0', '_IS1')):
            f['sub_isa'] = int(kind[-1])
        if kind == 'TRACE_INFO':
            self.trace_info(line, words[1:], f)
        else:
            for word in words[1:]:
                self.field(line, kind, word, f)
        if kind == 'EXCEPTION' and f['flags'] & HAS_ADDRESS and 'address_bits' not in f:
            # two payload bytes of a short address; four of a long one where a context follows
            f['address_bits'] = 32 if f['flags'] & HAS_CONTEXT else 16 if f.get('sub_isa') else 17
        if kind in ('CANCEL_F2', 'CANCEL_F3', 'MISPREDICT'):
            f['flags'] |= MISPREDICT
        if kind == 'CANCEL_F2':
            f['count'], f['flags'] = 1, f['flags'] | HAS_COUNT
        return 'packet %d %s %s' % (line, kind, ' '.join('%s=%#x' % i for i in f.items()))

    def trace_info(self, line, words, f):
        f['type'], f['info'] = 0, 0
        f['flags'] |= HAS_COUNT
        for word in words:
            name, _, value = word.partition('=')
            if name in ('cc', 'T'):
                f['info'] |= 0x40 if name == 'T' else 1
                f['type'] |= 1
            elif name == 'spec':
                f['count'] = int(value, 0)
                f['type'] |= 4
            elif name == 'threshold':
                f['cycles'] = int(value, 0)
                f['type'] |= 8
            else:
                self.fail(line, 'no such field of a Trace Info: %s' % word)

    def field(self, line, kind, word, f):
        name, equals, value = word.partition('=')
        if re.fullmatch('[EN]+', word) and kind.startswith(('ATOM', 'CANCEL', 'MISPREDICT')):
            f['atom_count'] = len(word)
            f['atoms'] = sum(1 << i for i, c in enumerate(word) if c == 'E')
        elif word.startswith(('@', '0x')):
            f['flags'] |= HAS_ADDRESS
            f['address'] = self.address(line, word)
        elif re.fullmatch('EL[0-3]', word):
            f['EL'] = int(word[2])
            f['flags'] |= HAS_CONTEXT
        elif word in SECURITY:
            f['security'] = SECURITY[word]
        elif word in ('A64', 'A32', 'T32'):
            f['SF'] = int(word == 'A64')
        elif word in ('IS0', 'IS1'):
            f['sub_isa'] = int(word[2])
        elif word in ('short', 'match'):
            f['address_bits'] = 0 if word == 'match' else 8 if f.get('sub_isa') else 9
        elif word == 'E10':
            f['flags'] |= E10
        elif word == 'mispredict':
            f['flags'] |= MISPREDICT
        elif kind == 'EXCEPTION' and word in self.exceptions():
            f['type'] = self.exceptions()[word]
        elif kind == 'EVENT' and word.isdigit():
            f['type'] = f.get('type', 0) | 1 << int(word)
        elif equals and name in ('vmid', 'cid'):
            f[name] = int(value, 0)
            f['flags'] |= HAS_VMID if name == 'vmid' else HAS_CID
        elif equals and name == 'count':
            f['count'] = int(value, 0)
            f['flags'] |= HAS_COUNT
        elif equals and name == 'cycles':
            if value != '?':
                f['cycles'] = int(value, 0)
                f['flags'] |= HAS_CYCLES
        elif equals and name == 'bits':
            f['address_bits'] = int(value, 0)
        elif equals and name == 'match':
            f['address_bits'], f['info'] = 0, int(value, 0)
        elif equals and name in ('value', 'type', 'info'):
            f[name] = int(value, 0)
            f['flags'] |= HAS_TIMESTAMP if name == 'value' else 0
        else:
            self.fail(line, 'no such field of %s: %s' % (kind, word))


def find(top):
    for where, folders, names in os.walk(top):
        folders.sort()
        for name in sorted(names):
            if name.endswith('.scn'):
                yield os.path.join(where, name)
