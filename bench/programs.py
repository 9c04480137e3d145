# SPDX-License-Identifier: BSD-2-Clause
"""Real programs to decode: Debian's arm64 and armhf packages, recorded with `cairn record` into a folder that is
kept from run to run. A recording is made again when what it is made of changed."""
import os
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMPILER_PACKAGES = ['cpp-12', 'libisl23', 'libmpc3', 'libmpfr6', 'libzstd1', 'libgmp10', 'zlib1g', 'libc6',
                     'libgcc-s1', 'libstdc++6']
SQL = ('create table t(a, b); with recursive n(i) as (select 1 union all select i+1 from n where i<9000) '
       'insert into t select i, i*7919%30011 from n; select b%13, count(*), sum(a) from t group by 1 order by 2, 1;')
PERL = ('my %h; for my $i (1 .. 4200) { $h{$i * 7919 % 3001} .= chr(65 + $i % 26); } my $s = 0; '
        'for (sort keys %h) { $s += length($h{$_}) if $h{$_} =~ /[A-M]+/; } print $s;')
PYTHON = ('d = {}\nfor i in range(9000):\n d[i * 7919 % 3001] = str(i)\n'
          'print(sum(len(v) for v in sorted(d.values())), hash(tuple(d)))')
XZ = ['-1', '-c', '-T1']
DD = ['if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=20000', 'status=none']
RETURN_STACK = ['--return-stack']
ETMV4 = ['--protocol', 'etmv4']
PTM = ['--protocol', 'ptm']
ETMV3 = ['--protocol', 'etmv3']


class Program:
    def __init__(self, name, path, arguments, options=(), reads=None, root='root'):
        self.name, self.path, self.arguments = name, path, arguments
        self.options, self.reads, self.root = list(options), reads, root


def both(name, path, arguments, options=(), **more):
    """Without the return stack, and with it."""
    return [Program(name, path, arguments, options, **more),
            Program(name + '-rs', path, arguments, [*options, *RETURN_STACK], **more)]


CC1 = 'usr/lib/gcc/aarch64-linux-gnu/12/cc1'
XZ_PATH, PERL_PATH, PYTHON_PATH = 'usr/bin/xz', 'usr/bin/perl', 'usr/bin/python3.11'
PROGRAMS = [
    *both('xz', XZ_PATH, XZ, ETMV4, reads='input'),
    *both('perl', PERL_PATH, ['-e', PERL]),
    *both('python3', PYTHON_PATH, ['-I', '-S', '-B', '-c', PYTHON]),
    *both('sqlite3', 'usr/bin/sqlite3', [':memory:', SQL], ETMV4),
    *both('cc1', CC1, ['-quiet', '-O1', '{folder}/input.i', '-o', '/dev/null'], root='compiler'),
    Program('perl-cycles', PERL_PATH, ['-e', PERL], ['--cycle-counts=4']),
    Program('perl-timestamps', PERL_PATH, ['-e', PERL], ['--timestamps', '--sync-period', '256']),
    Program('perl-commits', PERL_PATH, ['-e', PERL], ['--set', 'TRCIDR8=0x20']),
    Program('dd-exceptions', 'bin/dd', DD),
    *(Program(name + '-ptm', path, arguments, PTM, reads=reads, root='armhf') for name, path, arguments, reads in [
        ('xz', XZ_PATH, XZ, 'input'), ('perl', PERL_PATH, ['-e', PERL], None),
        ('sqlite3', 'usr/bin/sqlite3', [':memory:', SQL], None)]),
    *(Program(name + '-etmv3', path, arguments, ETMV3, reads=reads, root='armhf') for name, path, arguments, reads in [
        ('xz', XZ_PATH, XZ, 'input'), ('sqlite3', 'usr/bin/sqlite3', [':memory:', SQL], None)]),
    *(Program('sqlite3-' + name + '-cycles', 'usr/bin/sqlite3', [':memory:', SQL], [*protocol, '--cycle-counts'],
              root='armhf') for name, protocol in [('ptm', PTM), ('etmv3', ETMV3)]),
]


def write_inputs(folder, roots):
    """A program file and text that does not repeat itself: both compress as such things do. And C."""
    with open(os.path.join(folder, 'input'), 'wb') as file:
        with open(os.path.join(roots['root'], 'usr/bin/python3.11'), 'rb') as source:
            source.seek(1 << 20)
            file.write(source.read(100000))
        file.write(''.join('%d %x\n' % (i * 7919 % 100003, i * i) for i in range(3000)).encode())
    subprocess.run(['aarch64-linux-gnu-gcc', '-E', '-P', '-D_GNU_SOURCE', '-I', os.path.join(TOP, 'include'), '-I',
                    os.path.join(TOP, 'src'), os.path.join(TOP, 'src/isa/a64.c'), '-o',
                    os.path.join(folder, 'input.i')], check=True)


def record(cairn, program, roots, folder, target):
    root = roots[program.root]
    arguments = [a.replace('{folder}', folder) for a in program.arguments]
    command = [cairn, 'record', '--force', '--seed', '1', '-o', target, '-L', root, *program.options, '--',
               os.path.join(root, program.path), *arguments]
    recipe = '\n'.join(a for a in command if a not in (cairn, target))
    note = target + '.recipe'
    if os.path.isdir(target) and os.path.exists(note):
        with open(note) as file:
            if file.read() == recipe:
                return
    shutil.rmtree(target, ignore_errors=True)
    source = os.path.join(folder, program.reads) if program.reads else os.devnull
    with open(source, 'rb') as stdin:
        done = subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              env=dict(PATH='/usr/bin:/bin', LC_ALL='C', PERL_HASH_SEED='0', PYTHONHASHSEED='0'))
    if done.returncode:
        sys.exit('recording %s: status %d\n%s' % (program.name, done.returncode, done.stderr))
    print('recorded %s: %s' % (program.name, done.stderr.strip().splitlines()[-1]), file=sys.stderr)
    with open(note, 'w') as file:
        file.write(recipe)


def make(cairn, folder, root):
    """Records what is missing; gives [(name, capture)]. `root`: what scripts/arm64-programs unpacked."""
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    compiler = os.path.join(folder, 'compiler')
    subprocess.run([os.path.join(TOP, 'scripts/arm64-programs'), compiler, *COMPILER_PACKAGES], check=True)
    armhf = os.path.join(folder, 'armhf')
    subprocess.run([os.path.join(TOP, 'scripts/arm64-programs'), '--armhf', armhf], check=True)
    roots = {'root': os.path.abspath(root), 'compiler': os.path.join(compiler, 'root'),
             'armhf': os.path.join(armhf, 'root')}
    write_inputs(folder, roots)
    captures = []
    for program in PROGRAMS:
        target = os.path.join(folder, program.name)
        record(cairn, program, roots, folder, target)
        captures.append((program.name, target))
    return captures
