#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The commands of the Makefile in many orders, each from a clean folder on a machine that has git and
make: nothing may be left out because another command set a build folder up before. TAP.

usage: orders.py TOP

The machine is a folder of links that is all of PATH: a program or a library that a package of
scripts/bootstrap brings is hidden until apt-get, here a script, "installs" the package. Make, meson's
set-up and scripts/ are the real ones; what would take long is not: ninja makes programs that do
nothing, and `meson test` says of each test that it passed, or that it was left out.
"""
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from tap import Tap  # noqa: E402

# What each package brings that meson or a script of the Makefile's looks for.
PROGRAMS = {
    'gcc': ['cc', 'gcc'], 'meson': ['meson', 'python3'], 'ninja-build': ['ninja'], 'pkg-config': ['pkg-config'],
    'gcc-aarch64-linux-gnu': ['aarch64-linux-gnu-gcc', 'aarch64-linux-gnu-nm', 'aarch64-linux-gnu-objcopy'],
    'qemu-user': ['qemu-aarch64', 'qemu-arm'], 'python3': ['python3'], 'clang': ['clang'],
    'g++-aarch64-linux-gnu': ['aarch64-linux-gnu-g++'], 'gcc-arm-linux-gnueabihf': ['arm-linux-gnueabihf-gcc'],
    'openocd': ['openocd'], 'llvm-19': ['llvm-mc-19', 'llvm-objcopy-19', 'llvm-nm-19'], 'qemu-system-arm': ['qemu-system-arm', 'qemu-system-aarch64'],
}
LIBRARIES = {'libelf-dev': 'libelf', 'libdw-dev': 'libdw', 'libzstd-dev': 'libzstd', 'libzip-dev': 'libzip', 'libjansson-dev': 'jansson',
             'libsqlite3-dev': 'sqlite3', 'libopenmpi-dev': 'ompi-c',
             'libcmocka-dev': 'cmocka', 'libopencsd-dev': 'libopencsd'}
ALWAYS = {'threads'}  # of the C library
HIDDEN = {name for names in PROGRAMS.values() for name in names} | {'ccache', 'cmake', 'dpkg-query', 'apt-get', 'sudo'}
FOLDERS = ('/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin')
ORDERS = ('test run bench', 'run test bench soak fuzz conformance', 'run bench test', 'run soak test', 'bench test',
          'fuzz soak bench run', 'soak bench test', 'conformance test')

# Programs of the machine; {here} is its folder.
QUERY = '#!/bin/sh\nfor name; do :; done\ngrep -qx "$name" {here}/installed && printf installed\n'
APT = '''#!/bin/sh
for name; do
    [ ! -d "{here}/packages/$name" ] || cp -P "{here}/packages/$name"/bin/* {here}/bin 2>/dev/null
    [ ! -d "{here}/packages/$name" ] || cp -P "{here}/packages/$name"/pc/* {here}/pc 2>/dev/null
    echo "$name" >>{here}/installed
done
true
'''
SUDO = '#!/bin/sh\nexec "$@"\n'
NINJA = '''#!{python}
import json, os, sys
if '-C' not in sys.argv:
    os.execv({real!r}, [{real!r}] + sys.argv[1:])
folder = sys.argv[sys.argv.index('-C') + 1]
for target in json.load(open(os.path.join(folder, 'meson-info', 'intro-targets.json'))):
    for path in target['filename']:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as out:
            out.write('#!/bin/sh\\nexit 0\\n')
        os.chmod(path, 0o755)
'''
MESON = '''#!{python}
import json, os, sys
if sys.argv[1] != 'test':
    os.execv({real!r}, [{real!r}] + sys.argv[1:])
folder = sys.argv[sys.argv.index('-C') + 1]
suites = {{'cairn:' + b for a, b in zip(sys.argv, sys.argv[1:]) if a == '--suite'}}
with open(os.path.join(folder, 'meson-logs', 'testlog.json'), 'w') as log:
    for test in json.load(open(os.path.join(folder, 'meson-info', 'intro-tests.json'))):
        if not suites or suites & set(test['suite']):
            missing = [i for i, word in enumerate(test['cmd']) if word.endswith('left_out.py')]
            said = '1..0 # SKIP ' + test['cmd'][missing[0] + 1] if missing else 'ok 1 - all\\n1..1'
            log.write(json.dumps({{'name': test['name'], 'stdout': said + '\\n', 'returncode': 0, 'result': 'OK'}}))
            log.write('\\n')
'''


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as out:
        out.write(text)
    os.chmod(path, 0o755)


def link(what, where):
    if not os.path.lexists(where):
        os.symlink(what, where)


class Machine:
    """A folder `here` with bin/ and pc/, which packages come into, and tree/, the sources."""

    def __init__(self, here, top, every=False):
        self.here, self.tree = here, os.path.join(here, 'tree')
        for name in ('bin', 'pc', 'captures'):
            os.makedirs(os.path.join(here, name))
        write(os.path.join(here, 'installed'), '')
        for path in reversed([p for f in FOLDERS for p in glob.glob(f + '/*')]):
            if os.path.basename(path) not in HIDDEN:
                where = os.path.join(here, 'bin', os.path.basename(path))
                if os.path.lexists(where):
                    os.remove(where)
                os.symlink(path, where)
        for name, text in (('dpkg-query', QUERY), ('apt-get', APT), ('sudo', SUDO)):
            write(os.path.join(here, 'bin', name), text.format(here=here))
        self.pack()
        self.copy(top)
        if every:
            for package in list(PROGRAMS) + list(LIBRARIES):
                subprocess.run([os.path.join(here, 'bin', 'apt-get'), package], check=True)

    def pack(self):
        for package, names in PROGRAMS.items():
            for name in names:
                where = os.path.join(self.here, 'packages', package, 'bin', name)
                os.makedirs(os.path.dirname(where), exist_ok=True)
                real = sys.executable if name == 'python3' else shutil.which(name)
                if name in ('meson', 'ninja'):
                    write(where, (MESON if name == 'meson' else NINJA).format(python=sys.executable, real=real))
                elif real: # by its own name: a compiler finds its parts from there
                    write(where, '#!/bin/sh\nexec %s "$@"\n' % real)
        folders = subprocess.run(['pkg-config', '--variable', 'pc_path', 'pkg-config'], stdout=subprocess.PIPE,
                                 text=True, check=True).stdout.strip().split(':')
        files = {os.path.basename(p): p for f in reversed(folders) for p in glob.glob(f + '/*.pc')}
        mine = {name + '.pc': package for package, name in LIBRARIES.items()}
        for name, path in files.items():
            where = os.path.join(self.here, 'packages', mine[name], 'pc') if name in mine else \
                os.path.join(self.here, 'pc')
            os.makedirs(where, exist_ok=True)
            os.symlink(path, os.path.join(where, name))

    def copy(self, top):
        names = subprocess.run(['git', '-C', top, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
                               stdout=subprocess.PIPE, text=True, check=True).stdout.split('\0')
        for name in filter(None, names):
            source, where = os.path.join(top, name), os.path.join(self.tree, name)
            if os.path.isfile(source):
                os.makedirs(os.path.dirname(where), exist_ok=True)
                shutil.copy(source, where)
        # What only measures, counts or fetches; how many cases a test has is not known here.
        for name in ('bench/run.py', 'bench/record.py', 'scripts/arm64-programs', 'scripts/board', 'scripts/conformance',
                     'scripts/mutate'):
            write(os.path.join(self.tree, name), '#!/bin/sh\nexit 0\n')
        if os.path.exists(os.path.join(self.tree, 'tests', 'cases.tsv')):
            os.remove(os.path.join(self.tree, 'tests', 'cases.tsv'))

    def make(self, command):
        env = {k: v for k, v in os.environ.items()
               if k not in ('CC', 'CI', 'CAIRN_REQUIRE_CAPTURES', 'PKG_CONFIG_PATH', 'MAKEFLAGS', 'MAKELEVEL')}
        env.update(PATH=os.path.join(self.here, 'bin'), PKG_CONFIG_LIBDIR=os.path.join(self.here, 'pc'),
                   CAIRN_CAPTURES=os.path.join(self.here, 'captures'))
        return subprocess.run(['make', '--no-print-directory', command], cwd=self.tree, env=env, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def missing_headers(self):
        """Sources that would be compiled although a header of theirs is of a package that is not there."""
        headers = {'cmocka': '#include <cmocka.h>', 'libopencsd': '#include <opencsd/'}
        gone = [text for name, text in headers.items() if not os.path.exists(os.path.join(self.here, 'pc', name + '.pc'))]
        folder = os.path.join(self.tree, 'build')
        with open(os.path.join(folder, 'compile_commands.json'), encoding='utf-8') as file:
            sources = sorted({entry['file'] for entry in json.load(file)})
        for source in sources:
            with open(os.path.join(folder, source), encoding='utf-8') as file:
                text = file.read()
            for header in gone:
                if header in text:
                    yield '%s has %s, which is not installed' % (source, header)

    def configured(self, folder, what):
        path = os.path.join(self.tree, folder, 'meson-info', 'intro-%s.json' % what)
        if not os.path.exists(path):
            return set()
        with open(path, encoding='utf-8') as file:
            return {entry['name'] for entry in json.load(file)}


def summary(text):
    found = re.findall(r'^\d+ passed, \d+ failed, \d+ skipped$', text, re.M)
    return found[-1] if found else 'no summary'


class Whole:
    """What each command makes of a machine that has had all packages from the beginning."""

    def __init__(self, machine):
        self.summary = summary(machine.make('test').stdout)
        machine.make('fuzz')
        self.tests = {f: machine.configured(f, 'tests') for f in ('build', 'build-test')}
        self.targets = {f: machine.configured(f, 'targets') for f in ('build', 'build-fuzz')}

    def problems(self):
        if not re.match(r'[1-9]\d* passed, 0 failed, 0 skipped', self.summary):
            yield 'with all packages: ' + self.summary
        if len(self.tests['build']) < 100 or 'cairn-bench' not in self.targets['build']:
            yield 'with all packages only %d tests' % len(self.tests['build'])
        if not any(name.startswith('fuzz_') for name in self.targets['build-fuzz']):
            yield 'no fuzz targets'

    def compare(self, machine, command, done):
        """What `command`, which has just been done, left out."""
        if done.returncode != 0:
            yield 'make %s ended with %d:\n%s' % (command, done.returncode, done.stdout[-2000:])
        if command == 'run':
            yield from machine.missing_headers()
        if command == 'test':
            if summary(done.stdout) != self.summary:
                yield 'make test: %s; with all packages from the beginning: %s\n%s' % (
                    summary(done.stdout), self.summary,
                    '\n'.join(line for line in done.stdout.splitlines() if line.startswith('skipped')))
            for folder, names in self.tests.items():
                for name in sorted(names - machine.configured(folder, 'tests')):
                    yield '%s has no test %s' % (folder, name)
        wanted = {'test': ('build', lambda n: True), 'bench': ('build', lambda n: n == 'cairn-bench'),
                  'soak': ('build-fuzz', lambda n: n.startswith('fuzz_')),
                  'fuzz': ('build-fuzz', lambda n: n.startswith('fuzz_'))}.get(command)
        if wanted:
            for name in sorted(filter(wanted[1], self.targets[wanted[0]] - machine.configured(wanted[0], 'targets'))):
                yield 'make %s: %s has no target %s' % (command, wanted[0], name)


def unknown_names(top):
    """Every program and library that a meson.build looks for is hidden here at first."""
    known = HIDDEN | set(LIBRARIES.values()) | ALWAYS
    for folder, inner, names in os.walk(top):
        inner[:] = [n for n in inner if not n.startswith(('build', '.git'))]
        if 'meson.build' in names:
            with open(os.path.join(folder, 'meson.build'), encoding='utf-8') as file:
                for name in re.findall(r"(?<![a-z_])(?:find_program|dependency)\('([^']+)'", file.read()):
                    if name not in known:
                        yield '%s/meson.build looks for %s, which no package of this test brings' % (folder, name)


def moved(whole, machine):
    """A tree that was built and then moved is built again, and what it lists is its own."""
    machine.make('run')
    there = machine.tree + '-moved'
    os.rename(machine.tree, there)
    machine.tree = there
    for command in ('run', 'test'):
        yield from whole.compare(machine, command, machine.make(command))
    with open(os.path.join(there, 'build', 'build.ninja'), encoding='utf-8') as file:
        if there[:-len('-moved')] + '/' in file.read().replace(there, ''):
            yield 'build.ninja still names the place the tree was moved from'


def hidden_again(whole, machine):
    """What has gone is no longer built with, and is again when it has come back."""
    machine.make('test')
    os.remove(os.path.join(machine.here, 'pc', 'cmocka.pc'))
    os.remove(os.path.join(machine.here, 'bin', 'arm-linux-gnueabihf-gcc'))
    done = machine.make('run')
    if done.returncode != 0:
        yield 'make run without what only tests need: %d\n%s' % (done.returncode, done.stdout[-2000:])
    left = whole.tests['build'] - machine.configured('build', 'tests')
    if 'unit-core' not in left:
        yield 'cmocka has gone, and its tests are still there'
    write(os.path.join(machine.here, 'installed'), '')
    yield from whole.compare(machine, 'test', machine.make('test'))


def main():
    top, tap = os.path.abspath(sys.argv[1]), Tap()
    with tempfile.TemporaryDirectory(prefix='cairn-orders-') as where:
        tap.case('every name that meson looks for is hidden', unknown_names(top))
        whole = Whole(Machine(os.path.join(where, 'whole'), top, every=True))
        tap.case('all packages from the beginning: ' + whole.summary, whole.problems())

        def of_order(order):
            machine = Machine(os.path.join(where, order.replace(' ', '-')), top)
            return [problem for command in order.split()
                    for problem in whole.compare(machine, command, machine.make(command))]

        def beside(work, name):
            return list(work(whole, Machine(os.path.join(where, name), top)))

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [('make ' + ', '.join(order.split()), pool.submit(of_order, order)) for order in ORDERS]
            jobs += [('a tree that was moved', pool.submit(beside, moved, 'moved')),
                     ('packages that went and came back', pool.submit(beside, hidden_again, 'again'))]
            for name, job in jobs:
                tap.case(name, job.result())
    tap.end()


if __name__ == '__main__':
    main()
