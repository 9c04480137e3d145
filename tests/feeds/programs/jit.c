/* SPDX-License-Identifier: BSD-2-Clause */
/* Code that changes: the same address holds one function after the other, and code that rewrites
 * the instruction right behind itself. AArch64. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define RET 0xd65f03c0u
#define MOVZ(imm) (0x52800000u | (uint32_t)(imm) << 5) /* movz w0, #imm */
#define ADD(imm) (0x11000000u | (uint32_t)(imm) << 10) /* add w0, w0, #imm */
#define CBZ_OVER 0x34000040u                           /* cbz w0, .+8 */

static uint32_t *code;

static int run(const uint32_t *words, size_t count)
{
    memcpy(code, words, count * sizeof *words);
    __builtin___clear_cache((char *)code, (char *)(code + count));
    return ((int (*)(void))(uintptr_t)code)();
}

int main(void)
{
    int sum = 0;

    code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 40; i++) {
        const uint32_t one[] = {MOVZ(i), ADD(1), RET};
        const uint32_t two[] = {MOVZ(i & 1), CBZ_OVER, ADD(7), ADD(2), RET};
        sum += i % 3 ? run(one, 3) : run(two, 5);
    }
    /* A function that overwrites an instruction of its own: str w1, [x2]; isb; (rewritten) */
    const uint32_t self[] = {
        0x10000082u, /* adr x2, .+16: the fifth word */
        0xb9400441u, /* ldr w1, [x2, #4]: the sixth */
        0xb9000041u, /* str w1, [x2] */
        0xd5033fdfu, /* isb */
        MOVZ(1),     /* becomes MOVZ(9) */
        MOVZ(9),     RET,
    };
    sum += run(self, 7);
    sum += ((int (*)(void))(uintptr_t)code)();
    printf("%d\n", sum);
    return 0;
}
