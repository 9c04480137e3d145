/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a flow of a whole machine is what was executed, and its exceptions are those that QEMU logged.
 *
 * whole TOLD CORE LOG < FLOW
 * TOLD: of everything.c; LOG: of QEMU's -d int of a machine with one core (returns there name none), or -; FLOW: of
 * `cairn flow --format addresses`.
 *
 * The flow may begin anywhere in what was told, and has no hole; what it has beyond the end of that is counted. An instruction
 * that took a fault was told before, and is not in the flow. The exceptions in the flow are a run of those in the log: each with
 * its type, its return address, the level it comes from and the one it goes to, and the returns with their levels. Prints what
 * was counted, and how much of TOLD and LOG is behind the flow's end, or what differs first, and ends with 0 or 1. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ADDRESS ((UINT64_C(1) << 56) - 1)
#define NEAR 4096

struct event {
    bool returns;
    unsigned from, to;
    char type[32];
    uint64_t address; /* of an exception: to where it returns */
};

static struct {
    FILE *file;
    unsigned core;
    uint64_t last, count;
} told;

static struct {
    struct event *list;
    size_t count, capacity, at;
    bool found; /* where the flow's first one is */
} logged;

static uint64_t line_number, instructions, exceptions, returns, not_executed, beyond;

static void __attribute__((noreturn, format(printf, 1, 2))) differ(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf(" (line %" PRIu64 ", behind %" PRIu64 " instructions)\n", line_number, instructions);
    exit(1);
}

/* The next address that the core was told of; false: there is none. */
static bool next_told(uint64_t *address)
{
    uint64_t word;

    while (fread(&word, sizeof word, 1, told.file) == 1) {
        if (word >> 56 != told.core)
            continue;
        *address = word & ADDRESS;
        if (*address >> 55)
            *address |= ~ADDRESS;
        told.count++;
        return true;
    }
    return false;
}

/* --- QEMU's log --- */

static const struct {
    const char *theirs, *ours;
} types[] = {{"SVC", "Call"},
             {"HVC", "Call"},
             {"SMC", "Call"},
             {"Hypervisor Call", "Call"},
             {"Secure Monitor Call", "Call"},
             {"IRQ", "IRQ"},
             {"FIQ", "FIQ"},
             {"Prefetch Abort", "Inst Fault"},
             {"Data Abort", "Data Fault"},
             {"Undefined Instruction", "Trap"},
             {"Breakpoint", "Inst Debug"},
             {"BKPT", "Inst Debug"},
             {"Virtual SERR", "System Error"}};

static void add(struct event event)
{
    if (logged.count == logged.capacity) {
        logged.capacity = logged.capacity * 2 + 1024;
        logged.list = realloc(logged.list, logged.capacity * sizeof *logged.list);
        if (!logged.list)
            abort();
    }
    logged.list[logged.count++] = event;
}

static void read_log(const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    bool mine = false;
    struct event event = {0};
    char name[64];
    unsigned cpu;

    if (!file)
        differ("%s cannot be read", path);
    while (getline(&line, &size, file) > 0) {
        if (sscanf(line, "Taking exception %*u [%63[^]]] on CPU %u", name, &cpu) == 2) {
            mine = cpu == told.core;
            event = (struct event){.returns = false};
            snprintf(event.type, sizeof event.type, "?%.28s", name);
            for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
                if (strcmp(types[i].theirs, name) == 0)
                    snprintf(event.type, sizeof event.type, "%s", types[i].ours);
        } else if (sscanf(line, "...from EL%u to EL%u", &event.from, &event.to) == 2 ||
                   sscanf(line, "...with ELR 0x%" SCNx64, &event.address) == 1) {
        } else if (strncmp(line, "...to EL", 8) == 0) {
            if (mine)
                add(event);
        } else if (sscanf(line, "Exception return from AArch64 EL%u to AArch64 EL%u PC 0x%" SCNx64,
                          &event.from, &event.to, &event.address) == 3) {
            event.returns = true;
            add(event);
        }
    }
    free(line);
    fclose(file);
}

static bool is_same(const struct event *one, const struct event *other)
{
    return one->returns == other->returns && one->from == other->from && one->to == other->to &&
           (one->returns ||
            (strcasecmp(one->type, other->type) == 0 && one->address == other->address));
}

static void check(const struct event *event)
{
    if (event->returns)
        returns++;
    else
        exceptions++;
    if (logged.count == 0)
        return;
    while (!logged.found && logged.at < logged.count && !is_same(event, &logged.list[logged.at]))
        logged.at++;
    logged.found = true;
    if (logged.at >= logged.count)
        differ("%s at 0x%" PRIx64 " from EL%u to EL%u is not in the log",
               event->returns ? "a return" : event->type, event->address, event->from, event->to);
    const struct event *theirs = &logged.list[logged.at++];
    if (!is_same(event, theirs))
        differ("%s at 0x%" PRIx64 " from EL%u to EL%u, where the log has %s at 0x%" PRIx64
               " from EL%u to EL%u",
               event->returns ? "a return" : event->type, event->address, event->from, event->to,
               theirs->returns ? "a return" : theirs->type, theirs->address, theirs->from,
               theirs->to);
}

/* --- the flow --- */

/* One that an instruction takes which is not executed then. */
static bool is_of_instruction(const char *type)
{
    return strcasecmp(type, "Data Fault") == 0 || strcasecmp(type, "Trap") == 0 ||
           strcasecmp(type, "Alignment") == 0 || strcasecmp(type, "Inst Debug") == 0;
}

/* The instruction in the flow, or one that was not executed, is the next that was told. */
static void expect(uint64_t address, bool is_first)
{
    uint64_t next = 0;

    for (unsigned tries = 0;; tries++) {
        if (!next_told(&next)) {
            beyond++;
            return;
        }
        if (next == address) {
            told.last = next;
            return;
        }
        /* Begun anew at once: QEMU wants it alone. */
        if (!is_first && (next != told.last || tries > 2))
            differ("0x%" PRIx64 ", where 0x%" PRIx64 " was executed", address, next);
    }
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t size = 0;
    unsigned EL = 4, begun = 0;
    bool pending = false, began = false, is_mine = false;
    struct event event = {0};

    if (argc != 4 || !(told.file = fopen(argv[1], "rb"))) {
        fprintf(stderr, "usage: whole TOLD CORE LOG < FLOW\n");
        return 2;
    }
    told.core = (unsigned)strtoul(argv[2], NULL, 0);
    if (strcmp(argv[3], "-") != 0)
        read_log(argv[3]);
    while (getline(&line, &size, stdin) > 0) {
        unsigned core;

        line_number++;
        if (sscanf(line, "# source cpu_%u", &core) == 1)
            is_mine = core == told.core;
        if (!is_mine)
            continue;
        if (line[0] != '#') {
            const uint64_t address = strtoull(line, NULL, 16);

            if (pending) {
                event.to = EL;
                check(&event);
                pending = false;
            }
            expect(address, !began);
            began = true;
            instructions++;
        } else if (sscanf(line, "# context EL%u", &EL) == 1) {
        } else if (strncmp(line, "# exception return", 18) == 0) {
            event = (struct event){.returns = true, .from = EL};
            pending = true;
        } else if (strncmp(line, "# exception ", 12) == 0) {
            char *const at = strstr(line, " at 0x");

            if (!at)
                differ("%.*s", (int)strcspn(line, "\n"), line);
            *at = '\0';
            if (pending) { /* nothing was executed in between */
                event.to = EL;
                check(&event);
            }
            event = (struct event){.from = EL, .address = strtoull(at + 4, NULL, 16)};
            snprintf(event.type, sizeof event.type, "%.31s", line + 12);
            pending = true;
            if (is_of_instruction(event.type)) {
                expect(event.address, false);
                not_executed++;
            }
        } else if (strncmp(line, "# gap", 5) == 0) {
            differ("%.*s", (int)strcspn(line, "\n"), line);
        } else if (strncmp(line, "# trace on", 10) == 0) {
            begun++;
        }
    }
    uint64_t next, left = 0;

    while (next_told(&next))
        left++;
    printf("%" PRIu64 " instructions, %" PRIu64 " exceptions, %" PRIu64 " returns; %" PRIu64
           " that faulted; begun %u times; %" PRIu64 " beyond; left %" PRIu64
           " that were told, %zu that were logged\n",
           instructions - beyond, exceptions, returns, not_executed, begun, beyond, left,
           logged.found ? logged.count - logged.at : 0);
    return instructions > 0 ? 0 : 1;
}
