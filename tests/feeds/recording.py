# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of recordings share: recording a program, decoding it, and what it must equal."""
import itertools
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'house'))
from tap import Tap  # noqa: E402,F401  (used by the tests)

TIMEOUT = 300
QEMU = {'a64': 'qemu-aarch64', 'a32': 'qemu-arm'}
# One choice of each: return stack, branch broadcast, cycle counting.
OPTIONS = [list(filter(None, choice)) for choice in
           itertools.product(('', '--return-stack'), ('', '--branch-broadcast'),
                             ('', '--cycle-counts=16'))]

# The same of a PTM, which has no return stack under branch broadcast, and no threshold.
PTM_OPTIONS = [[], ['--return-stack'], ['--branch-broadcast'], ['--cycle-counts'],
               ['--return-stack', '--cycle-counts', '--timestamps', '--context-ids'],
               ['--branch-broadcast', '--cycle-counts', '--sync-period=256']]

# And of an ETMv3, which has no return stack at all, and traces data.
ETMV3_OPTIONS = [[], ['--branch-broadcast'],
                 ['--branch-broadcast', '--cycle-counts', '--context-ids', '--timestamps'],
                 ['--data=address'], ['--data=both', '--cycle-counts', '--sync-period=256']]


def protocols(qemu):
    """[(protocol, options)] of the trace units that know what the emulator executes."""
    older = [(protocol, options) for protocol, choices in
             (('ptm', PTM_OPTIONS), ('etmv3', ETMV3_OPTIONS)) for options in choices
             if qemu == 'qemu-arm']
    return [(protocol, options) for protocol in ('ete', 'etmv4') for options in OPTIONS] + older


class Bench:
    """The programs under test, from the command line of a test."""

    def __init__(self, argv):
        self.cairn, self.flowhash, self.addresses, self.programs = argv[1:5]
        self.folder = tempfile.mkdtemp(prefix='cairn-feeds-')
        root = os.environ.get('CAIRN_ARM64') or os.path.join(
            os.path.dirname(os.path.abspath(self.cairn)), 'arm64')
        self.root = os.path.join(root, 'root')
        self.environment = dict(PATH='/usr/bin:/bin', LC_ALL='C', PERL_HASH_SEED='0',
                                PERL_PERTURB_KEYS='0', PYTHONHASHSEED='0', HOME='/',
                                ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', ''))

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def own(self, name):
        """A program of tests/feeds/programs, or None where no compiler was there."""
        path = os.path.join(self.programs, name)
        return path if os.path.exists(path) else None

    def missing(self, qemu='qemu-aarch64'):
        """Why nothing can be recorded here, or None."""
        return None if shutil.which(qemu) else '%s is not installed (Debian: qemu-user)' % qemu

    def run(self, command, stdin=None):
        """Standard input and output are files, as program flow depends on what they are."""
        with open(stdin or os.devnull, 'rb') as source, open(self.path('out'), 'wb') as out, \
                open(self.path('err'), 'wb') as err:
            done = subprocess.run(command, stdin=source, stdout=out, stderr=err,
                                  env=self.environment, timeout=TIMEOUT)
        with open(self.path('out'), 'rb') as out, open(self.path('err'), 'rb') as err:
            return done.returncode, out.read(), err.read().decode('utf-8', 'replace')

    def record(self, program, options=(), stdin=None, name='capture', seed=True):
        """Records anew; returns (status, output, messages, folder)."""
        folder = self.path(name)
        shutil.rmtree(folder, ignore_errors=True)
        command = [self.cairn, 'record', '-o', folder, *(['--seed', '1'] if seed else []), *options,
                   '--', *program]
        return (*self.run(command, stdin), folder)

    def plain(self, qemu, program, stdin=None):
        """The same program under the plain plugin alone: (status, output, lines)."""
        lines = self.path('plain')
        command = ['setarch', '-R', qemu, '-seed', '1', '-plugin',
                   '%s,out=%s' % (self.addresses, lines), '-L', self.root, *program]
        status, out, _ = self.run(command, stdin)
        return status, out, self.read_plain(lines)

    def beside(self):
        """Options that load the plain plugin into the recording's own QEMU, and its file."""
        lines = self.path('beside')
        if os.path.exists(lines):
            os.remove(lines)
        return ['--qemu-argument=-plugin',
                '--qemu-argument=%s,out=%s' % (self.addresses, lines)], lines

    @staticmethod
    def read_plain(path):
        with open(path) as lines:
            return [tuple(line.split()[:2]) for line in lines]

    @staticmethod
    def read_cut(path):
        """The same, with every thread as it was before the block in which the process's end found it."""
        with open(path) as lines:
            return [tuple(line.split()[2:]) for line in lines]

    def decode(self, folder):
        """[(count, hash, gaps, name)] of every source."""
        done = subprocess.run([self.flowhash, folder], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=TIMEOUT)
        if done.returncode:
            raise RuntimeError(done.stderr.decode('utf-8', 'replace'))
        return [tuple(line.split(maxsplit=3)) for line in done.stdout.decode().splitlines()]


def compare(what, decoded, expected):
    """Problems: sources and threads have the same instructions in the same order, without a gap."""
    got = sorted(row[:2] for row in decoded)
    problems = ['%s: %s gaps in %s' % (what, row[2], row[3]) for row in decoded if row[2] != '0']
    if got != sorted(expected):
        problems.append('%s: decoded %r, executed %r' % (what, got[:8], sorted(expected)[:8]))
    return problems
