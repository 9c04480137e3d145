#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The rules of the house (docs/house.md), read from the sources.

usage: house.py TOP
"""
import functools
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap  # noqa: E402

# Floors, lowest first. Folders on one floor do not know each other.
FLOORS = [['base'], ['isa', 'protocol'], ['image', 'unit'], ['pe'], ['capture', 'flow'], ['machine', 'pipeline'],
          ['calls'], ['report'], ['cli']]
LEVEL = {name: level for level, names in enumerate(FLOORS) for name in names}

# The folder each public header belongs to.
NOUN = {'access.h': 'unit', 'status.h': 'base', 'isa.h': 'isa', 'packet.h': 'protocol', 'element.h': 'protocol',
        'etmv1.h': 'protocol', 'etmv2.h': 'protocol', 'etmv3.h': 'protocol', 'etmv4.h': 'protocol', 'ptm.h': 'protocol', 'mtb.h': 'protocol', 'unit.h': 'unit', 'lint.h': 'unit', 'image.h': 'image', 'capture.h': 'capture', 'port.h': 'capture', 'flow.h': 'flow', 'engine.h': 'flow',
        'pipeline.h': 'pipeline', 'code.h': 'pipeline', 'calls.h': 'calls', 'replay.h': 'machine',
        'brbe.h': 'protocol', 'trbe.h': 'pe', 'pe.h': 'pe'}

# A public header that its neighbour on the same floor needs, with the reason.
SHARED = {('protocol', 'isa.h'): 'a source is configured with the architecture of its core'}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LONGEST = 600
SPDX = 'SPDX-License-Identifier: BSD-2-Clause'
UNFINISHED = re.compile(r'\b(TODO|FIXME|XXX)\b|not implemented|unimplemented')
# Where the work was done, and by whom, is no part of the project.
FOREIGN = re.compile(r'(?<![\w.])/work/|(?<![\w.$}])/tmp/|\b(this|our|my|earlier|previous) session\b'
                     r'|\bhelper agent|\bsub-?agent', re.I)


def sources(top, *folders, ext=('.c', '.h')):
    for folder in folders:
        for where, inner, names in os.walk(os.path.join(top, folder)):
            inner[:] = sorted(n for n in inner if n not in ('__pycache__', '.git') and
                              not n.startswith('build'))
            for name in sorted(names):
                if name.endswith(ext):
                    yield os.path.relpath(os.path.join(where, name), top)


@functools.lru_cache(maxsize=None)
def read(top, path):
    with open(os.path.join(top, path), encoding='utf-8', errors='replace') as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def includes(top, path):
    return [(number, m[1], m[2]) for number, m in
            ((number, INCLUDE.match(line)) for number, line in enumerate(read(top, path).splitlines(), 1)) if m]


def include_problem(folder, quote, target):
    """Why a file of `folder` may not include `target`, or None."""
    if quote == '<':
        if not target.startswith('cairn'):
            return None
        if target == 'cairn.h':
            return 'includes everything; name the header that is meant'
        noun = target[len('cairn/'):]
        if noun not in NOUN:
            return 'the test does not know which floor <%s> belongs to' % target
        owner = NOUN[noun]
        if owner == folder or LEVEL[owner] < LEVEL[folder] or (folder, noun) in SHARED:
            return None
    else:
        owner = target.split('/')[0]
        if '/' not in target or owner not in LEVEL:
            return 'internal includes are written "folder/file.h" from src/'
        if owner == folder or LEVEL[owner] < LEVEL[folder]:
            return None
    return '%s may not know %s' % (folder, owner)


def check_includes(top):
    for path in sources(top, 'src'):
        folder = path.split(os.sep)[1]
        if folder not in LEVEL:
            yield '%s: no such floor in the house' % path
            continue
        for number, quote, target in includes(top, path):
            problem = include_problem(folder, quote, target)
            if problem:
                yield '%s:%d: includes %s: %s' % (path, number, target, problem)


def check_public_includes(top):
    for name in sorted(set(NOUN) - {os.path.basename(path) for path in sources(top, 'include/cairn')}):
        yield 'the test has a floor for %s, which is no public header' % name
    for path in sources(top, 'include/cairn'):
        name = os.path.basename(path)
        if name not in NOUN:
            yield '%s: the test does not know which floor it belongs to' % path
            continue
        for number, quote, target in includes(top, path):
            if quote == '"':
                yield '%s:%d: a public header includes an internal one: %s' % (path, number, target)
            problem = include_problem(NOUN[name], '<', target)
            if problem:
                yield '%s:%d: %s' % (path, number, problem)


def check_circles(top):
    graph = {}
    for path in sources(top, 'src', 'include'):
        edges = graph.setdefault(path, [])
        for _, quote, target in includes(top, path):
            edges.append(os.path.join('src' if quote == '"' else 'include', target))
    done, open_ = set(), []

    def visit(path):
        if path in open_:
            return [open_[open_.index(path):] + [path]]
        if path in done or path not in graph:
            return []
        open_.append(path)
        found = [circle for edge in graph[path] for circle in visit(edge)]
        open_.pop()
        done.add(path)
        return found

    for path in sorted(graph):
        for circle in visit(path):
            yield ' -> '.join(circle)


def check_folder_circles(top):
    """Folders inside one floor (protocol/etmv4, capture/snapshot ...) form no circles either."""
    graph = {}
    for path in sources(top, 'src'):
        here = os.path.dirname(path)
        for _, quote, target in includes(top, path):
            there = os.path.dirname(os.path.join('src', target))
            if quote == '"' and there != here and there.startswith('src/'):
                graph.setdefault(here, set()).add(there)

    def reaches(start, goal, seen):
        return any(n == goal or (n not in seen and not seen.add(n) and reaches(n, goal, seen))
                   for n in graph.get(start, ()))

    for folder in sorted(graph):
        if reaches(folder, folder, set()) and not is_room(graph, folder):
            yield '%s: includes come back to it' % folder


def is_room(graph, folder):
    """A room and the folder around it (protocol and protocol/etmv4) may know each other: the table
    of protocols names the rooms, the rooms use what the floor shares."""
    return all(n.startswith(folder + '/') or folder.startswith(n + '/') or
               folder not in closure(graph, n) for n in graph[folder])


def closure(graph, start):
    seen, todo = set(), [start]
    while todo:
        for n in graph.get(todo.pop(), ()):
            if n not in seen:
                seen.add(n)
                todo.append(n)
    return seen


# Rooms of commands in src/cli: what two of them need stands in a room that they share.
COMMANDS = ('answers', 'branches', 'check', 'info', 'lint', 'listing', 'record', 'simulate')
MAY_KNOW = {('simulate', 'record'): 'a program to simulate with is recorded'}


def command_room(path):
    parts = path.split('/')
    return parts[1] if len(parts) > 2 and parts[0] == 'cli' and parts[1] in COMMANDS else None


def check_commands(top):
    """No command's room knows another's, and no shared room knows one of them."""
    for path in sources(top, 'src/cli'):
        here = command_room(os.path.relpath(path, 'src'))
        for number, _, target in includes(top, path):
            there = command_room(target)
            if there not in (None, here) and (here, there) not in MAY_KNOW:
                yield '%s:%d: includes %s: the room of another command' % (path, number, target)


def check_length(top):
    for path in sources(top, 'src', 'include', 'tests', 'bench', 'fuzz', 'examples'):
        lines = read(top, path).count('\n')
        if lines > LONGEST:
            yield '%s: %d lines; one noun a file, at most %d' % (path, lines, LONGEST)


def check_spdx(top):
    for path in sources(top, 'src', 'include', 'tests', 'bench', 'fuzz', 'examples'):
        if read(top, path).split('\n', 1)[0] != '/* %s */' % SPDX:
            yield '%s: does not begin with /* %s */' % (path, SPDX)
    for path in list(sources(top, 'tests', 'bench', 'fuzz', 'examples', ext=('.py', '.sh'))) + \
            list(scripts(top)):
        if not any(SPDX in line for line in read(top, path).splitlines()[:2]):
            yield '%s: no line # %s at its top' % (path, SPDX)


def scripts(top):
    for name in sorted(os.listdir(os.path.join(top, 'scripts'))):
        path = os.path.join('scripts', name)
        if os.path.isfile(os.path.join(top, path)):
            yield path
    yield '.ci/run'
    yield 'Makefile'


def check_unfinished(top):
    own = os.path.join('tests', 'house', 'house.py')
    for path in sources(top, 'src', 'include', 'tests', 'bench', 'fuzz', 'examples',
                        ext=('.c', '.h', '.py')):
        if path == own:
            continue
        if not UNFINISHED.search(read(top, path)):
            continue
        for number, line in enumerate(read(top, path).splitlines(), 1):
            m = UNFINISHED.search(line)
            if m and '# SKIP' not in line and '(SKIP|TODO)' not in line:
                yield '%s:%d: %s' % (path, number, m[0])


def check_foreign(top):
    own = os.path.join('tests', 'house', 'house.py')
    texts = list(sources(top, 'src', 'include', 'tests', 'bench', 'fuzz', 'examples', 'docs',
                         ext=('.c', '.h', '.py', '.sh', '.md', '.tsv', '.ini', '.build', '.txt', '.s',
                              '.scn', '.vec')))
    texts += list(scripts(top)) + [n for n in os.listdir(top)
                                   if n.endswith(('.md', '.build')) or n == 'LICENSE']
    for path in texts:
        if path == own:
            continue
        if not FOREIGN.search(read(top, path)):
            continue
        for number, line in enumerate(read(top, path).splitlines(), 1):
            m = FOREIGN.search(line)
            if m:
                yield '%s:%d: %s' % (path, number, m[0])


def check_protocol_names(top):
    """Outside a protocol's own folder, and that of its trace unit model, nothing names a protocol."""
    names = re.findall(r'^\s+(CAIRN_PROTOCOL_\w+) = [1-9]', read(top, 'include/cairn/packet.h'), re.M)
    if len(names) < 7:
        yield 'include/cairn/packet.h: enum cairn_protocol_id has %d names' % len(names)
    named = re.compile(r'\b(%s)\b' % '|'.join(names or ['']))
    for path in sources(top, 'src'):
        parts = path.split(os.sep)
        if parts[1] in ('protocol', 'unit') and len(parts) > 3:
            continue
        if not named.search(read(top, path)):
            continue
        for number, line in enumerate(read(top, path).splitlines(), 1):
            m = named.search(line)
            if m:
                yield '%s:%d: %s' % (path, number, m[0])


# What the flow may know of the floor below: the table of protocols, the seam, and the levels of the reference path.
SEAM = ('protocol.h', 'words.h', 'words_of_levels.h', 'words_of_scan.h', 'reader_levels.h')


def check_flow_bytes(top):
    """The flow has words from a protocol's reader: it knows no packet of any."""
    named = re.compile(r'etmv\d|(?<![a-z])(ete|ptm|mtb)(?![a-z])', re.I)
    for path in sources(top, os.path.join('src', 'flow')):
        for number, line in enumerate(read(top, path).splitlines(), 1):
            m = INCLUDE.match(line)
            if m and m[2].startswith('protocol/') and m[2][len('protocol/'):] not in SEAM:
                yield '%s:%d: includes %s' % (path, number, m[2])
            m = named.search(line)
            if m:
                yield '%s:%d: %s' % (path, number, m[0])


def check_tags(top):
    """No struct, union or enum of src/ has the tag of another one: a debugger cannot tell them apart."""
    seen = {}
    for path in sources(top, 'src', 'include'):
        text = re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m[0]), read(top, path), flags=re.S)
        for m in re.finditer(r'\b(struct|union|enum)\s+(cairn_\w+|cli_\w+)\s*\{', text):
            where = '%s:%d' % (path, text.count('\n', 0, m.start()) + 1)
            if m[2] in seen:
                yield '%s is defined in %s and in %s' % (m[2], seen[m[2]], where)
            seen[m[2]] = where


# More functions of one name are one too many for perf, gdb and grep to tell apart.
NAMESAKES = 7


def check_namesakes(top):
    """Functions of files that run for every packet, and are called the same in many of them."""
    where = {}
    for path in sources(top, os.path.join('src', 'flow'), os.path.join('src', 'protocol')):
        for m in re.finditer(r'^static [^;=({]*?\b(\w+)\(', read(top, path), re.M):
            where.setdefault(m[1], set()).add(path)
    for name, paths in sorted(where.items()):
        if len(paths) > NAMESAKES:
            yield '%s is a function of %d files: %s' % (name, len(paths), ' '.join(sorted(paths)))


def check_library_calls(top):
    """The library neither prints nor ends the process, reads no environment, uses no errno."""
    call = re.compile(r'\b(v?f?printf|puts|fputs|putchar|perror|abort|exit|_exit|assert|getenv'
                      r'|setlocale)\s*\(|\berrno\b')
    for path in sources(top, 'src'):
        if path.split(os.sep)[1] == 'cli':
            continue
        text = re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m[0]), read(top, path), flags=re.S)
        text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
        for number, line in enumerate(text.splitlines(), 1):
            m = call.search(line)
            if m and '__attribute__' not in line and 'static_assert' not in line.lower() and \
                    not may_call(path, m[0]):
                yield '%s:%d: %s' % (path, number, m[0].strip())


def check_byte_order(top):
    """Numbers are loaded and stored by base/bytes.h, which alone knows this machine's byte order."""
    named = re.compile(r'(__BYTE_ORDER|_ENDIAN__|bswap)\w*|<(endian|byteswap|arpa/inet)\.h>')
    for path in sources(top, 'src', 'include'):
        if path == os.path.join('src', 'base', 'bytes.h'):
            continue
        if not named.search(read(top, path)):
            continue
        for number, line in enumerate(read(top, path).splitlines(), 1):
            m = named.search(line)
            if m:
                yield '%s:%d: %s' % (path, number, m[0])


# Pages for those who change the sources: files that they name are the project's.
PAGES = ('house.md', 'performance.md', 'adding-a-protocol.md', 'adding-a-container.md', 'adding-a-consumer.md')
NAMED = re.compile(r'(?<![\w-])((?:\w[\w.-]*/)*\w[\w.-]*?\.(?:c|h|py|s|tsv|json|build))\b')
# `decode` in `src/cli/audit/audit.c`
INSIDE = re.compile(r'`(\w+)`\s+in\s+`?' + NAMED.pattern)
PLACEHOLDER = re.compile(r'NAME')


def check_pages(top):
    """What a page sends its reader to is there: the file, and in it what the page names."""
    folders = ('src', 'include', 'tests', 'fuzz', 'bench', 'examples', 'scripts', 'docs')
    files = [name for folder in folders for name in sources(top, folder, ext=('.c', '.h', '.py', '.s', '.tsv', '.json', '.build'))]
    for page in PAGES:
        text = read(top, os.path.join('docs', page))
        for m in NAMED.finditer(text):
            if not PLACEHOLDER.search(m[1]) and not ends_with(files, m[1]):
                yield 'docs/%s:%d: no %s' % (page, text.count('\n', 0, m.start()) + 1, m[1])
        for m in INSIDE.finditer(text):
            if not any(re.search(r'\b%s\b' % m[1], read(top, path)) for path in ends_with(files, m[2])):
                yield 'docs/%s:%d: no %s in %s' % (page, text.count('\n', 0, m.start()) + 1, m[1], m[2])


def ends_with(files, name):
    """Of a path the first folders may be left out, as includes have it."""
    return [path for path in files if path == name or path.endswith('/' + name)]


def may_call(path, what):
    # strerror needs errno where the operating system refused a file; reports write to a stream.
    folder = path.split(os.sep)[1]
    return ('errno' in what and folder in ('image', 'capture', 'machine')) or folder == 'report'


def main():
    top = sys.argv[1]
    tap = Tap()
    tap.case('every include stays on its own floor or goes down', check_includes(top))
    tap.case('public headers keep to the floors', check_public_includes(top))
    tap.case('includes form no circle', check_circles(top))
    tap.case('folders form no circle', check_folder_circles(top))
    tap.case("no command's room knows another's", check_commands(top))
    tap.case('no file is longer than %d lines' % LONGEST, check_length(top))
    tap.case('every source names its licence', check_spdx(top))
    tap.case('nothing is left unfinished', check_unfinished(top))
    tap.case('nothing names the place it was written at', check_foreign(top))
    tap.case('no protocol is named outside its folder', check_protocol_names(top))
    tap.case('the flow names no protocol and no packet', check_flow_bytes(top))
    tap.case('no tag is defined twice', check_tags(top))
    tap.case('no function of flow and protocol has more than %d namesakes' % NAMESAKES, check_namesakes(top))
    tap.case('the library does not print, exit or read the environment', check_library_calls(top))
    tap.case('only base/bytes.h knows the byte order of this machine', check_byte_order(top))
    tap.case('pages for developers name what is there', check_pages(top))
    tap.case('the include rule sees what it must', self_check())
    tap.end()


def self_check():
    """The rule itself, on includes that must pass and that must not."""
    for folder, quote, target, allowed in (
            ('isa', '"', 'base/error.h', True), ('base', '"', 'isa/a64.h', False),
            ('isa', '"', 'protocol/batch.h', False), ('flow', '"', 'capture/frames.h', False),
            ('capture', '<', 'cairn/flow.h', False), ('flow', '<', 'cairn/image.h', True),
            ('protocol', '<', 'cairn/isa.h', True), ('isa', '<', 'cairn/packet.h', False),
            ('image', '"', 'flow/follow.h', False), ('cli', '<', 'cairn/flow.h', True),
            ('cli', '"', 'report/text.h', True), ('flow', '"', 'follow.h', False),
            ('image', '<', 'stdio.h', True), ('cli', '<', 'cairn.h', False)):
        if (include_problem(folder, quote, target) is None) != allowed:
            yield 'wrong about %s including %s' % (folder, target)


if __name__ == '__main__':
    main()
