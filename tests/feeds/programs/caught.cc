/* SPDX-License-Identifier: BSD-2-Clause */
/* A recursion in the midst of which an exception is caught: six levels, thrown in the innermost one, caught by the
 * third, which calls `after`. Those in between have nothing to clean up. */
#include <cstdio>

extern "C" {

static volatile int sum;

__attribute__((noinline)) void after(int level)
{
    sum = sum + level;
}

__attribute__((noinline)) int descend(int level)
{
    if (level == 3) {
        try {
            return descend(level - 1) + 1;
        } catch (int) {
            after(level);
            return level;
        }
    }
    if (level)
        return descend(level - 1) + sum + 1;
    throw 1;
}
}

int main()
{
    for (int i = 0; i < 3; i++)
        std::printf("%d\n", descend(5));
    return 0;
}
