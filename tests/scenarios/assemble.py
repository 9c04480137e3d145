# SPDX-License-Identifier: BSD-2-Clause
"""Assembles the programs of a scenario with llvm-mc, each piece at its own address.

Every `at ADDRESS` line opens a section. The object file is read here (sections, symbols, the few
branch relocations there can be between sections), so no linker is needed.

In a build folder ($CAIRN_ASSEMBLED) object files are kept by what they were made of: most of the
time of a scenario is llvm-mc's beginning. The folders build-* share those of build.
"""
import hashlib
import os
import shutil
import struct
import subprocess
import tempfile

TRIPLES = {'A64': ['-triple=aarch64', '-mattr=+all'],
           'ARM': ['-triple=armv8.2a'],
           'M': ['-triple=thumbv8.1m.main', '-mattr=+lob']}

SHT_SYMTAB, SHT_RELA, SHT_REL, SHF_EXECINSTR = 2, 4, 9, 4


def assembler():
    """The path of llvm-mc, or None."""
    for name in ('llvm-mc-19', 'llvm-mc'):
        path = shutil.which(name)
        if path:
            return path
    return None


class AssemblyError(Exception):
    def __init__(self, line, text):
        super().__init__(text)
        self.line = line


def assemble(programs):
    """programs: list of (flavour, isa, scope, lines), lines being (number, text).
    Returns (layers, labels): layers of (address, scope, bytes), labels by name."""
    layers, labels = [], {}
    for flavour in ('A64', 'ARM', 'M'):
        mine = [p for p in programs if p[0] == flavour]
        if mine:
            got, names = assemble_flavour(flavour, mine)
            layers += got
            labels.update(names)
    return layers, labels


def assemble_flavour(flavour, programs):
    source, places, origin = [], {}, []
    progbits = '@progbits' if flavour == 'A64' else '%progbits'
    if flavour != 'A64':
        source.append('.syntax unified')
        origin.append(0)
    for number, (_, isa, scope, lines) in enumerate(programs):
        for line, text in lines:
            words = text.split()
            if words and words[0] == 'at':
                name = '.text.p%d.%s' % (number, words[1])
                places[name] = (int(words[1], 0), scope)
                source.append('.section %s,"ax",%s' % (name, progbits))
                origin.append(line)
                if flavour != 'A64':
                    source.append('.arm' if isa == 'A32' else '.thumb')
                    origin.append(line)
            elif words and not places:
                raise AssemblyError(line, 'a program begins with "at ADDRESS"')
            else:
                source.append(text)
                origin.append(line)
    return read_object(flavour, run(flavour, source, origin), places)


def run(flavour, source, origin):
    """The object file, made now or before of the same text by the same assembler."""
    folder = os.environ.get('CAIRN_ASSEMBLED')
    if not folder:
        return assembled(flavour, source, origin)
    tool = assembler()
    facts = [tool, str(os.stat(tool).st_mtime_ns), *TRIPLES[flavour], *source]
    kept = os.path.join(folder, hashlib.sha256('\n'.join(facts).encode()).hexdigest() + '.o')
    try:
        with open(kept, 'rb') as file:
            return file.read()
    except FileNotFoundError:
        pass
    data = assembled(flavour, source, origin)
    os.makedirs(os.path.realpath(folder), exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        file.write(data)
    os.replace(file.name, kept)  # another test may be about to do the same
    return data


def assembled(flavour, source, origin):
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, 'a.s'), os.path.join(folder, 'a.o')
        with open(path, 'w') as file:
            file.write('\n'.join(source) + '\n')
        done = subprocess.run([assembler(), '-filetype=obj', *TRIPLES[flavour], path, '-o', out],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            first = done.stdout.splitlines()[0] if done.stdout else 'llvm-mc failed'
            parts = first.split(':')
            line = int(parts[1]) if len(parts) > 2 and parts[1].isdigit() else 1
            raise AssemblyError(origin[line - 1], ':'.join(parts[3:]).strip() or first)
        with open(out, 'rb') as file:
            return file.read()


def unpack(wide, data, offset, short, long_):
    return struct.unpack_from('<' + (long_ if wide else short), data, offset)


def read_object(flavour, data, places):
    wide = data[4] == 2
    shoff = unpack(wide, data, 40 if wide else 32, 'I', 'Q')[0]
    entsize, count, names = struct.unpack_from('<HHH', data, 58 if wide else 46)
    sections = [section(wide, data, shoff + i * entsize) for i in range(count)]
    strings = sections[names]
    by_index, contents = {}, {}
    for i, s in enumerate(sections):
        name = string(data, strings['offset'] + s['name'])
        if name in places:
            by_index[i] = places[name]
            contents[i] = bytearray(data[s['offset']:s['offset'] + s['size']])
    symbols = read_symbols(wide, data, sections, by_index)
    for s in sections:
        if s['type'] in (SHT_REL, SHT_RELA) and s['info'] in contents:
            relocate_section(flavour, wide, data, s, symbols, by_index, contents)
    layers = [(by_index[i][0], by_index[i][1], bytes(c)) for i, c in contents.items() if c]
    return layers, {n: a for n, a in symbols if n and a is not None}


def section(wide, data, at):
    if wide:
        name, kind, flags, _, offset, size, link, info = struct.unpack_from('<IIQQQQII', data, at)
    else:
        name, kind, flags, _, offset, size, link, info = struct.unpack_from('<IIIIIIII', data, at)
    return {'name': name, 'type': kind, 'flags': flags, 'offset': offset, 'size': size,
            'link': link, 'info': info}


def string(data, at):
    return data[at:data.index(b'\0', at)].decode()


def read_symbols(wide, data, sections, by_index):
    """(name, address) in table order; address is None for what lies in no piece of a program."""
    table = next(s for s in sections if s['type'] == SHT_SYMTAB)
    text = sections[table['link']]['offset']
    size, found = 24 if wide else 16, []
    for at in range(table['offset'], table['offset'] + table['size'], size):
        if wide:
            name, info, _, index, value, _ = struct.unpack_from('<IBBHQQ', data, at)
        else:
            name, value, _, info, _, index = struct.unpack_from('<IIIBBH', data, at)
        label = string(data, text + name)
        if info & 0xf == 3 or label.startswith('$'):
            label = ''
        found.append((label, by_index[index][0] + value if index in by_index else None))
    return found


def relocate_section(flavour, wide, data, s, symbols, by_index, contents):
    rela = s['type'] == SHT_RELA
    size = (24 if rela else 16) if wide else (12 if rela else 8)
    place, code = by_index[s['info']][0], contents[s['info']]
    for at in range(s['offset'], s['offset'] + s['size'], size):
        if wide:
            offset, info, addend = struct.unpack_from('<QQq', data, at)
            symbol, kind = info >> 32, info & 0xffffffff
        else:
            offset, info = struct.unpack_from('<II', data, at)
            symbol, kind, addend = info >> 8, info & 0xff, 0
        target = symbols[symbol][1]
        if target is None:
            raise AssemblyError(0, 'a branch to the unknown label %s' % symbols[symbol][0])
        relocate(flavour, kind, code, offset, place + offset, target + addend)


def relocate(flavour, kind, code, offset, here, target):
    word = struct.unpack_from('<I', code, offset)[0]
    if flavour == 'A64':
        width, low = {279: (14, 5), 280: (19, 5), 282: (26, 0), 283: (26, 0)}[kind]
        mask = (1 << width) - 1
        word = word & ~(mask << low) | ((target - here) >> 2 & mask) << low
        struct.pack_into('<I', code, offset, word)
    elif kind in (28, 29):  # A32 BL, BLX, B: the base is eight bytes on
        delta = (target - here - 8) & 0xffffffff
        if word >> 28 == 0xf:  # BLX: bit 1 of the target goes to bit 24
            word = word & ~(1 << 24) | (delta >> 1 & 1) << 24
        struct.pack_into('<I', code, offset, word & 0xff000000 | delta >> 2 & 0xffffff)
    else:
        relocate_thumb(kind, code, offset, here, target)


def relocate_thumb(kind, code, offset, here, target):
    first, second = struct.unpack_from('<HH', code, offset)
    if not second & 0x1000 and kind == 10:  # BLX: from the word that the instruction lies in
        delta = target - ((here + 4) & ~3)
    else:
        delta = target - (here + 4)
    sign = delta >> 24 & 1
    if kind == 51:  # conditional B.W
        first = first & ~0x43f | (delta >> 20 & 1) << 10 | delta >> 12 & 0x3f
        second = second & ~0x2fff | (delta >> 18 & 1) << 13 | (delta >> 19 & 1) << 11 | \
            delta >> 1 & 0x7ff
    elif kind in (10, 30):
        j1, j2 = 1 ^ (delta >> 23 & 1) ^ sign, 1 ^ (delta >> 22 & 1) ^ sign
        first = first & ~0x7ff | sign << 10 | delta >> 12 & 0x3ff
        second = second & ~0x2fff | j1 << 13 | j2 << 11 | delta >> 1 & 0x7ff
    else:
        raise AssemblyError(0, 'relocation %d is not known; keep the two pieces in one' % kind)
    struct.pack_into('<HH', code, offset, first, second)
