# SPDX-License-Identifier: BSD-2-Clause
"""What a TARMAC log says was executed, read by regular expressions. Shares nothing with the
library. Lines that begin with "#!" are a person's word on the line before them:

    #! aborted                the instruction listed last was not executed
    #! exception NAME ADDRESS an exception was taken here ('_' for a space)
    #! context-id NUMBER      from the next instruction on
    #! vmid NUMBER            the same
"""
import re

TIME = r'^\s*(?:(?P<time>\d+)\s*(?P<unit>[a-z]+)\s+)?'
IT = re.compile(TIME + r'(?:(?P<cpu>[\w.]+)\s+)?I(?P<test>[TS])\s+(?:\((?P<count>\w+)\)\s+)?'
                r'(?:(?P<address>[0-9a-fA-F]+)(?::\S+)?\s+)?'
                r'(?P<opcode>[0-9a-f]{4,8}|-{8})\s+(?P<isa>[ATO])\s+(?P<mode>\w+)\s*:')
ES = re.compile(TIME + r'ES\s+\((?P<address>[0-9a-f]+):(?P<opcode>[0-9a-f]{4,8}|-{8})\)\s+'
                r'(?P<isa>[ATO])\s+(?P<mode>\w+)\s*:\s*(?P<fail>CCFAIL)?')

SECURITY = {'s': 'Secure', 'ns': 'Non-secure', 'n': 'Non-secure', None: 'Non-secure'}


def p0_kind(isa, opcode, size):
    """'conditional' (a branch whose listing does not always tell), 'other' or None: not P0."""
    if isa == 'O':
        if opcode & 0xff000010 == 0x54000000 or opcode & 0x7e000000 in (0x34000000, 0x36000000):
            return 'conditional'
        return 'other' if (opcode & 0x7c000000 == 0x14000000 or opcode & 0xfe000000 == 0xd6000000
                           or opcode & 0xfffff0ff == 0xd50330df) else None
    if isa == 'A':
        if opcode >> 28 == 15:
            return 'other' if opcode & 0xfe000000 == 0xfa000000 else None
        computes = (opcode & 0x0c00f000 == 0x0000f000 and (opcode >> 21 & 15) not in (8, 9, 10, 11))
        return 'other' if (opcode & 0x0e000000 == 0x0a000000 or opcode & 0x0fffffd0 == 0x012fff10
                           or opcode & 0x0e108000 == 0x08108000
                           or opcode & 0x0c10f000 == 0x0410f000 or computes) else None
    if size == 4:
        return 'other' if opcode & 0xf800d000 in (0xf000d000, 0xf000c000, 0xf0009000) else None
    if opcode & 0xf500 == 0xb100:
        return 'conditional'
    return 'other' if (0xd000 <= opcode < 0xde00 or 0xe000 <= opcode < 0xe800
                       or opcode & 0xff00 in (0x4700, 0xbd00)) else None


class Instruction:
    def __init__(self, found, cpu, a64_seen):
        self.address = int(found['address'] or found['count'], 16)
        self.size = len(found['opcode']) // 2
        self.isa = found['isa']
        self.opcode = None if '-' in found['opcode'] else int(found['opcode'], 16)
        groups = found.groupdict()
        self.passed = groups.get('test') != 'S' and not groups.get('fail')
        self.time, self.unit = int(found['time'] or 0), found['unit']
        mode, _, state = found['mode'].lower().partition('_')
        self.security = SECURITY[state or None]
        if mode.startswith('el'):
            self.level = int(mode[2])
        else:
            at_el3 = state == 's' and not a64_seen
            self.level = {'usr': 0, 'hyp': 2, 'mon': 3}.get(mode, 3 if at_el3 else 1)
        self.context_id, self.vmid = cpu.context_id, cpu.vmid
        self.mark = ''

    def row(self, has_ids):
        where = 'EL%d %s %s' % (self.level, self.security,
                                'AArch64' if self.isa == 'O' else 'AArch32')
        if has_ids and self.vmid:
            where += ' vmid 0x%x' % self.vmid
        if has_ids and self.context_id:
            where += ' context-id 0x%x' % self.context_id
        return '%x%s in %s' % (self.address, ' ' + self.mark if self.mark else '', where)


class Cpu:
    def __init__(self, name):
        self.name, self.items, self.context_id, self.a64_seen = name, [], 0, False
        self.vmid, self.aborted = 0, 0

    def rows(self, has_ids):
        return [item.row(has_ids) if isinstance(item, Instruction) else
                'exception %s at 0x%x' % item for item in self.items]

    def instructions(self):
        return [item for item in self.items if isinstance(item, Instruction)]

    def directive(self, words):
        if words[0] == 'aborted':
            at = max(i for i, item in enumerate(self.items) if isinstance(item, Instruction))
            del self.items[at]
            self.aborted += 1
        elif words[0] == 'exception':
            self.items.append((words[1].replace('_', ' '), int(words[2], 16)))
        elif words[0] == 'context-id':
            self.context_id = int(words[1], 16)
        elif words[0] == 'vmid':
            self.vmid = int(words[1], 16)
        else:
            raise ValueError(' '.join(words))

    def finish(self, is_own):
        """Outcomes; and the halt at the end, where the log of somebody else breaks off."""
        for i, item in enumerate(self.items):
            if not isinstance(item, Instruction):
                continue
            kind = p0_kind(item.isa, item.opcode, item.size)
            behind = self.items[i + 1] if i + 1 < len(self.items) else None
            follows = behind.address if isinstance(behind, Instruction) else behind and behind[1]
            if kind:
                untaken = kind == 'conditional' and follows == item.address + item.size
                item.mark = 'E' if item.passed and not untaken else 'N'
        if not is_own and not self.items[-1].mark:
            last = self.items[-1]
            self.items.append(('Debug halt', last.address + last.size))


def read(path, is_own):
    """Every processor of the log, by name."""
    cpus, cpu = {}, None
    with open(path, encoding='ascii', errors='replace') as file:
        for line in file:
            if line.startswith('#!'):
                cpu = cpu or cpus.setdefault('cpu0', Cpu('cpu0'))
                cpu.directive(line[2:].split())
                continue
            found = IT.match(line) or ES.match(line)
            if not found:
                continue
            name = found.groupdict().get('cpu') or (cpu.name if cpu else 'cpu0')
            cpu = cpus.setdefault(name, Cpu(name))
            cpu.a64_seen |= found['isa'] == 'O'
            cpu.items.append(Instruction(found, cpu, cpu.a64_seen))
    for each in cpus.values():
        each.finish(is_own)
    return cpus
