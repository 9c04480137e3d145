# SPDX-License-Identifier: BSD-2-Clause
"""Decisions of several conditions: their C source, and by the source's own rules what of MC/DC some values show."""
import itertools
import random

NAMES = 'abcd'
# 'and', 'or' and 'not' of conditions, which are numbers
SHAPES = [('and', 0, 1), ('or', 0, 1), ('and', ('not', 0), 1), ('and', 0, 1, 2), ('or', 0, 1, 2), ('or', ('and', 0, 1), 2),
          ('and', ('or', 0, 1), 2), ('and', 0, ('or', 1, 2)), ('or', 0, ('and', 1, 2)), ('and', 0, 1, 2, 3), ('or', 0, 1, 2, 3),
          ('or', ('and', 0, 1), ('and', 2, 3)), ('and', ('or', 0, 1), ('or', 2, 3)), ('or', ('not', ('and', 0, 1)), 2, 3)]
# how a decision stands in its function, and in how many lines
FRAMES = ['    if (%s)\n        sink++;\n    return 0;', '    return %s;', '    while (%s) {\n        sink++;\n        break;\n    }\n    return 0;',
          '    return %s ? sink : 7;']
BARE = 1  # of FRAMES, in which it needs no parentheses
BREAKS = ['\n        ', ' ', '\n        /* and what is behind */\n        ', ' ', '\n\n        ', ' ']  # in front of an operator


def text(shape, between=' '):
    if isinstance(shape, int):
        return NAMES[shape] + ' > 3'
    if shape[0] == 'not':
        return '!(%s)' % text(shape[1])
    return '(%s)' % {'and': '%s&& ', 'or': '%s|| '}[shape[0]].replace('%s', between).join(text(one) for one in shape[1:])


def words(shape, number):
    """The same with what <iso646.h> has, at the ends of lines; and some conditions as a block that has a value, or what a function
    says of one, over lines of their own or not."""
    between = '\n        '
    if isinstance(shape, int):
        name, first, next_ = NAMES[shape], ' ' if number % 3 else between, ' ' if number % 2 else between
        return ['%s > 3' % name, '({%sint t = %s;%st > 3;%s})' % (first, name, next_, next_),
                'ask(({%sint t = %s;%st; }), 3%s)' % (first, name, next_, next_), '(%s > 3)' % name][(number // 4 + shape) % 4]
    if shape[0] == 'not':
        return 'not (%s)' % words(shape[1], number)
    return '(%s)' % (' ' + shape[0] + between).join(words(one, number) for one in shape[1:])


def conditions(shape):
    return {shape} if isinstance(shape, int) else set().union(*map(conditions, shape[1:]))


def outcome(shape, values, seen):
    """As C evaluates it; `seen` gets the conditions that were."""
    if isinstance(shape, int):
        seen[shape] = values[shape]
        return values[shape]
    if shape[0] == 'not':
        return not outcome(shape[1], values, seen)
    decides = shape[0] == 'or'
    return decides if any(outcome(one, values, seen) == decides for one in shape[1:]) else not decides


def rows_of(shape, vectors):
    rows = []
    for values in vectors:
        seen = {}
        rows.append((outcome(shape, values, seen), seen))
    return rows


def has_both(shape, vectors):
    """Whether each condition was true and false."""
    return all({seen.get(condition) for _, seen in rows_of(shape, vectors)} >= {0, 1} for condition in conditions(shape))


def is_shown(shape, vectors):
    """Whether each condition has two vectors that differ in it and the outcome, and in no other that both evaluate."""
    rows = rows_of(shape, vectors)
    return all(any(one != other and seen.get(condition, 2) + met.get(condition, 2) == 1 and
                   all(seen[k] == met[k] for k in seen if k in met and k != condition)
                   for (one, seen), (other, met) in itertools.product(rows, rows)) for condition in conditions(shape))


def has_block(shape, number):
    """Whether words() has one."""
    return '{' in words(shape, number)


# by what C says of them: braces that have no statements of the decision, or statements that are no condition of it; and arms of an
# #if, of which each opens the same parentheses. TOLD: of each function its decisions
WRITTEN = '''volatile int sink = 1;
struct pair { int x, y; };
__attribute__((noinline)) static int equal(struct pair one, int other) { return one.x == other; }
__attribute__((noinline)) int leaves(int a, int b, int c)
{
    if (({ if (c > 3) goto out; a > 3; }) && b > 3) sink++;
out:
    return 0;
}
__attribute__((noinline)) int ends_in_line(int a, int b)
{
    if (({
            int t = a > 3; t; }) && b > 3)
        sink++;
    return 0;
}
__attribute__((noinline)) int alone(int a, int b)
{
    if (({ int t = 0; if (b > 3) t = a; t > 3; })) sink++;
    return 0;
}
__attribute__((noinline)) int inside(int a, int b)
{
    sink = ({
        for (int i = 0; i < 2; i++) { sink++; }
        if (a > 3 && b > 3) sink++;
        sink;
    });
    return 0;
}
__attribute__((noinline)) int literal(int a, int b)
{
    if (equal((struct pair){ a, 1 }, 5) && b > 3)
        sink++;
    return 0;
}
__attribute__((noinline)) int arms(int a, int b)
{
#ifdef OTHER
    if ((a > 2
#elif defined ANOTHER
    if ((a > 1
#else
    if ((a > 3
#endif
        ) && b > 3) {
        sink++;
    }
    if (a > 3 || b > 3)
        sink++;
    return 0;
}
int main(void)
{
    for (int i = 0; i < 4; i++) {
        int a = i & 1 ? 5 : 2, b = i & 2 ? 5 : 2;
        leaves(a, b, 2); ends_in_line(a, b); alone(a, b); inside(a, b); literal(a, b); arms(a, b);
    }
    return 0;
}
'''
BLOCK, SHOWN = ('undecided', 'block'), ('shown', None)
TOLD = {'leaves': [BLOCK], 'ends_in_line': [BLOCK], 'alone': [BLOCK], 'inside': [SHOWN], 'literal': [SHOWN], 'arms': [SHOWN, SHOWN]}


def has_join(shape):
    """Whether some condition is come to by two ways: it stands behind a part that has several ways to its outcome."""
    def ways(one):  # to false, to true
        if isinstance(one, int):
            return 1, 1
        if one[0] == 'not':
            return ways(one[1])[::-1]
        parts = [ways(part) for part in one[1:]]
        on = one[0] == 'and'
        return (sum(part[0] for part in parts), parts[-1][1]) if on else (parts[-1][0], sum(part[1] for part in parts))
    if isinstance(shape, int):
        return False
    if shape[0] == 'not':
        return has_join(shape[1])
    return any(map(has_join, shape[1:])) or any(ways(part)[shape[0] == 'and'] > 1 for part in shape[1:-1])


def program(has_words=False):
    """(source, {function: (shape, line, vectors)})."""
    chance = random.Random(1)
    lines, calls, told = ['#include <iso646.h>', 'volatile int sink = 1;', 'static int ask(int a, int b) { return a > b; }'], [], {}
    for shape in SHAPES:
        count = len(conditions(shape))
        for number, size in enumerate((count + 1, count + 1, 2, 1 << count)):
            vectors = chance.sample(list(itertools.product((0, 1), repeat=count)), min(size, 1 << count))
            name = 'f%d' % len(told)
            lines += ['__attribute__((noinline)) int %s(int a, int b, int c, int d)' % name, '{', '    (void)a, (void)b, (void)c, (void)d;']
            told[name] = shape, len(lines) + 1, vectors
            written = words(shape, len(told)) if has_words else text(shape, BREAKS[len(told) % len(BREAKS)])
            lines += (FRAMES[number] % (written[1:-1] if number == BARE else written)).split('\n') + ['}']
            calls += ['    sink += %s(%s);' % (name, ', '.join('5' if k < count and values[k] else '2' for k in range(4))) for values in vectors]
    return '\n'.join([*lines, 'int main(void)', '{', *calls, '    return 0;', '}', '']), told
