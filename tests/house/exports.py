#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the library shows to the world: its symbols, its soname, its headers.

usage: exports.py TOP LIBRARY
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from house import read, sources  # noqa: E402
from tap import Tap  # noqa: E402

WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Werror']


def run(*command, text=None):
    return subprocess.run(command, input=text or '', stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def exported(library):
    """Names of the dynamic symbol table that the library defines, without the version tag."""
    for line in run('nm', '-D', '--defined-only', library).stdout.splitlines():
        kind, name = line.split()[-2:]
        if kind != 'A':
            yield name.split('@')[0]


def check_prefix(library):
    names = list(exported(library))
    if not names:
        yield '%s exports nothing' % library
    for name in names:
        if not name.startswith('cairn_'):
            yield 'exported without the prefix: ' + name


def declared(top):
    """Functions that the public headers declare with CAIRN_API."""
    for path in sources(top, 'include'):
        text = re.sub(r'/\*.*?\*/', ' ', read(top, path), flags=re.S)
        for m in re.finditer(r'^CAIRN_API\b[^;{]*?\b(cairn_\w+)\s*\(', text, re.M):
            yield m[1]


def check_declared(top, library):
    """Every exported symbol is declared in a public header, and the reverse."""
    names, wanted = set(exported(library)), set(declared(top))
    for name in sorted(wanted - names):
        yield 'declared in a public header, but not in the library: ' + name
    for name in sorted(names - wanted):
        yield 'exported, but in no public header: ' + name


def check_soname(library):
    text = run('readelf', '-d', library).stdout
    m = re.search(r'\(SONAME\).*\[(.*)\]', text)
    if not m or m[1] != 'libcairn.so.0':
        yield 'soname is %s, not libcairn.so.0' % (m[1] if m else 'missing')


def check_open_lists(top):
    """No count of an open list is public: a program would have it compiled in."""
    for path in sources(top, 'include'):
        for number, line in enumerate(read(top, path).splitlines(), 1):
            m = re.search(r'\bCAIRN_\w*(KIND|ACCOUNT|WARNING)_COUNT\b', line)
            if m:
                yield '%s:%d: %s' % (path, number, m[0])


def structures(top):
    """Names of the structures that the public headers define."""
    for path in sources(top, 'include'):
        text = re.sub(r'/\*.*?\*/', ' ', read(top, path), flags=re.S)
        for m in re.finditer(r'^struct (cairn_\w+) \{', text, re.M):
            yield m[1]


def check_abi(top, library, compiler):
    """tests/house/abi.txt: each exported name, and each structure's size where pointers have 64 bits.

    A name is never taken away, and a structure only grows where docs/api.md says that it can."""
    listed = dict(functions=set(), sizes={})
    for line in read(top, 'tests/house/abi.txt').splitlines():
        words = line.split()
        if words and words[0] == 'function':
            listed['functions'].add(words[1])
        elif words and words[0] == 'struct':
            listed['sizes'][words[1]] = int(words[2])
    names, found = set(exported(library)), set(structures(top))
    for name in sorted(listed['functions'] ^ names):
        yield '%s is %s' % (name, 'no longer exported' if name in listed['functions'] else
                            'exported, and not in tests/house/abi.txt')
    for name in sorted(set(listed['sizes']) ^ found):
        yield 'struct %s is %s' % (name, 'no longer there' if name in listed['sizes'] else
                                   'not in tests/house/abi.txt')
    lines = ['#include <cairn.h>', '#include <stdio.h>', 'int main(void) {',
             'if (sizeof(void *) == 8) {']
    lines += ['printf("%s %%zu\\n", sizeof(struct %s));' % (name, name) for name in sorted(found)]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'sizes')
        done = run(compiler, '-x', 'c', '-I', os.path.join(top, 'include'), '-o', program, '-',
                   text='\n'.join(lines + ['}', 'return 0; }', '']))
        if done.returncode:
            yield done.stdout
            return
        for line in run(program).stdout.splitlines():
            name, size = line.split()
            if name in listed['sizes'] and int(size) != listed['sizes'][name]:
                yield 'struct %s has %s bytes, not %d' % (name, size, listed['sizes'][name])


def check_header(top, compiler, language, standard, header):
    done = run(compiler, '-x', language, '-std=' + standard, '-fsyntax-only', *WARNINGS,
               '-I', os.path.join(top, 'include'), '-', text='#include <%s>\n' % header)
    if done.returncode:
        yield done.stdout


def main():
    top, library = sys.argv[1:3]
    tap = Tap()
    tap.case('exported symbols begin with cairn_', check_prefix(library))
    tap.case('exports and public headers agree', check_declared(top, library))
    tap.case('soname', check_soname(library))
    tap.case('no count of an open list is public', check_open_lists(top))
    tap.case('names and sizes are those of tests/house/abi.txt',
             check_abi(top, library, next(filter(None, map(shutil.which, ('cc', 'gcc', 'clang'))))))
    headers = ['cairn.h'] + ['cairn/' + os.path.basename(p) for p in sources(top, 'include/cairn')]
    for name, programs, language, standard in (('C17', ('gcc', 'cc', 'clang'), 'c', 'c17'),
                                               ('C++17', ('g++', 'clang++', 'c++'), 'c++', 'c++17')):
        compiler = next((p for p in map(shutil.which, programs) if p), None)
        for header in headers:
            case = '<%s> compiles alone as %s' % (header, name)
            if compiler:
                tap.case(case, check_header(top, compiler, language, standard, header))
            else:
                tap.skip(case, 'there is no %s compiler' % name)
    tap.end()


if __name__ == '__main__':
    main()
