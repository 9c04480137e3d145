/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile in the format of Callgrind (its manual, "Callgrind Format Specification"): instructions with
 * their source lines, jumps and calls. */
#include "report/profile_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Calls from one instruction, of one function. */
struct callgrind_arc {
    uint32_t caller, callee;
    uint64_t site;
    uint64_t calls;
    uint64_t instructions, cycles; /* inside of them, a call in another one of the arc once */
};

struct callgrind_arcs {
    struct callgrind_arc *list; /* by caller, then site */
    size_t count;
};

/* Names that were written, each with its number: files, or objects. */
struct callgrind_names {
    const char **list;
    size_t count;
};

/* What a function has of a thread. */
struct callgrind_self {
    uint64_t instructions, cycles;
};

struct callgrind {
    const struct cairn_profile_view *view;
    const struct cairn_profile_whoms *whoms; /* NULL: all threads together */
    size_t whom;
    struct callgrind_arcs arcs;
    const struct cairn_profile_insn **insns; /* by function, then address */
    struct callgrind_self *selves;           /* by function; of a thread, in place of `insns` */
    uint8_t *named;                          /* by function: its name was written */
    struct callgrind_names files, objects;
    const char *own_file, *file; /* of the function, and that lines are of now */
};

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_arc(const void *left, const void *right)
{
    const struct callgrind_arc *a = left, *b = right;
    int order = compare(a->caller, b->caller);

    if (!order)
        order = compare(a->site, b->site);
    return order ? order : compare(a->callee, b->callee);
}

static int by_function(const void *left, const void *right)
{
    const struct cairn_profile_insn *const *a = left, *const *b = right;
    const int order = compare((*a)->function, (*b)->function);

    return order ? order : compare((*a)->address, (*b)->address);
}

/* --- arcs --- */

static const struct cairn_profile_insn *insn_at(const struct cairn_profiled *profile,
                                                uint64_t address)
{
    size_t low = 0, high = profile->insn_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (profile->insns[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < profile->insn_count && profile->insns[low].address == address
               ? &profile->insns[low]
               : NULL;
}

static struct callgrind_arc arc_of(const struct cairn_profiled *profile, uint32_t node)
{
    const struct cairn_profile_node *one = &profile->nodes[node];
    const uint32_t caller = profile->nodes[one->parent].function;
    const struct cairn_profile_insn *insn = one->site ? insn_at(profile, one->site) : NULL;
    struct callgrind_arc arc = {.caller = caller, .callee = one->function, .site = one->site};

    /* An interrupt comes anywhere, and a tail call's instruction is not the caller's. */
    if (!insn || insn->function != caller)
        arc.site = profile->functions.list[caller].address;
    return arc;
}

static bool is_arc(const struct cairn_profiled *profile, const struct cairn_profile_node *node)
{
    return node->calls && node->parent && profile->nodes[node->parent].parent;
}

static struct callgrind_arc *find_arc(const struct callgrind_arcs *arcs,
                                      const struct callgrind_arc *arc)
{
    return bsearch(arc, arcs->list, arcs->count, sizeof *arc, by_arc);
}

/* Goes through all chains of a thread; what is inside of an arc that is open already is not counted again. */
static void add_thread(const struct cairn_profiled *profile, uint32_t root,
                       const struct callgrind_arcs *arcs, uint32_t *open)
{
    uint32_t at = profile->nodes[root].child;

    while (at) {
        const struct cairn_profile_node *node = &profile->nodes[at];
        struct callgrind_arc key = arc_of(profile, at), *arc = NULL;

        if (is_arc(profile, node) && (arc = find_arc(arcs, &key)) != NULL) {
            arc->calls += node->calls;
            if (open[arc - arcs->list]++ == 0) {
                arc->instructions += profile->sums[at].instructions;
                arc->cycles += profile->sums[at].cycles;
            }
        }
        if (node->child) {
            at = node->child;
            continue;
        }
        for (;; at = profile->nodes[at].parent) {
            key = arc_of(profile, at);
            arc = at != root && is_arc(profile, &profile->nodes[at]) ? find_arc(arcs, &key) : NULL;
            if (arc)
                open[arc - arcs->list]--;
            if (at == root || profile->nodes[at].next)
                break;
        }
        at = at != root ? profile->nodes[at].next : 0;
    }
}

static bool is_wanted(const struct callgrind *callgrind, size_t thread)
{
    return !callgrind->whoms || callgrind->whoms->of[thread] == callgrind->whom;
}

static cairn_status add_up(struct callgrind *callgrind)
{
    const struct cairn_profiled *profile = callgrind->view->profile;
    uint32_t *open = calloc(callgrind->arcs.count + 1, sizeof *open);

    if (!open)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < profile->thread_count; i++)
        if (is_wanted(callgrind, i))
            add_thread(profile, profile->threads[i].root, &callgrind->arcs, open);
    free(open);
    return CAIRN_OK;
}

/* Of each node whether it is of a thread that is wanted: parents have lower numbers. */
static uint8_t *wanted_nodes(const struct callgrind *callgrind)
{
    const struct cairn_profiled *profile = callgrind->view->profile;
    uint8_t *const wanted = calloc((size_t)profile->node_count + 1, 1);

    for (size_t i = 0; wanted && i < profile->thread_count; i++)
        wanted[profile->threads[i].root] = is_wanted(callgrind, i);
    for (uint32_t i = 1; wanted && i < profile->node_count; i++)
        wanted[i] |= wanted[profile->nodes[i].parent];
    return wanted;
}

static cairn_status find_arcs(struct callgrind *callgrind)
{
    const struct cairn_profiled *profile = callgrind->view->profile;
    struct callgrind_arcs *const arcs = &callgrind->arcs;
    uint8_t *const wanted = wanted_nodes(callgrind);
    size_t made = 0;

    arcs->list = calloc((size_t)profile->node_count + 1, sizeof *arcs->list);
    if (!arcs->list || !wanted) {
        free(wanted);
        return CAIRN_E_MEMORY;
    }
    for (uint32_t i = 1; i < profile->node_count; i++) {
        const struct cairn_profile_node *const node = &profile->nodes[i];

        if (wanted[i] && is_arc(profile, node))
            arcs->list[arcs->count++] = arc_of(profile, i);
        if (wanted[i] && callgrind->selves) {
            callgrind->selves[node->function].instructions += node->instructions;
            callgrind->selves[node->function].cycles += node->cycles;
        }
    }
    free(wanted);
    if (arcs->count)
        qsort(arcs->list, arcs->count, sizeof *arcs->list, by_arc);
    for (size_t i = 0; i < arcs->count; i++)
        if (made == 0 || by_arc(&arcs->list[made - 1], &arcs->list[i]) != 0)
            arcs->list[made++] = arcs->list[i];
    arcs->count = made;
    return add_up(callgrind);
}

/* --- text --- */

/* However long; a line of the format is one. */
static void put_line_text(struct cairn_output *output, const char *text)
{
    for (; *text; text++)
        cairn_output_char(output, *text == '\n' || *text == '\r' ? ' ' : *text);
}

/* "fl=(3) name", and "fl=(3)" from then on. */
static void put_name(struct cairn_output *output, struct callgrind_names *names, const char *key,
                     const char *name)
{
    size_t i = 0;

    name = name ? name : "???";
    while (i < names->count && strcmp(names->list[i], name) != 0)
        i++;
    cairn_output_format(output, "%s=(%zu)", key, i + 1);
    if (i == names->count) {
        const char **grown = realloc(names->list, (i + 1) * sizeof *grown);

        cairn_output_char(output, ' ');
        put_line_text(output, name);
        if (grown) {
            names->list = grown;
            names->list[names->count++] = name;
        }
    }
    cairn_output_line(output);
}

static void put_file(struct callgrind *callgrind, const char *key, const char *file)
{
    put_name(callgrind->view->output, &callgrind->files, key, file);
}

static void put_object(struct callgrind *callgrind, const char *key, uint32_t function)
{
    put_name(callgrind->view->output, &callgrind->objects, key,
             function ? callgrind->view->profile->functions.list[function].object : NULL);
}

static void put_function(struct callgrind *callgrind, const char *key, uint32_t function)
{
    struct cairn_output *output = callgrind->view->output;
    char text[CAIRN_PROFILE_NAME];

    cairn_output_format(output, "%s=(%" PRIu32 ")", key, function + 1);
    if (!callgrind->named[function]) {
        cairn_output_char(output, ' ');
        put_line_text(output, cairn_profile_name(callgrind->view, function, text));
    }
    callgrind->named[function] = 1;
    cairn_output_line(output);
}

static const char *file_of(const struct callgrind *callgrind, uint32_t function, uint32_t *line)
{
    *line = 0;
    return cairn_profile_frame_file(callgrind->view, function, line);
}

/* The file that an address's line is of, as inlined code has another than its function; NULL: none. */
static const char *line_at(const struct callgrind *callgrind, uint32_t function, uint64_t address,
                           uint32_t *line)
{
    const struct cairn_profiled *profile = callgrind->view->profile;
    const struct cairn_profile_insn *insn = insn_at(profile, address);
    const struct cairn_place *place =
        insn ? &profile->counted.list[insn->block].place : &profile->functions.list[function].place;
    const char *file = NULL;
    uint32_t unused;

    *line = 0;
    return cairn_profile_line(profile, place, address, &file, line)
               ? file
               : file_of(callgrind, function, &unused);
}

static bool is_same_file(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

/* Lines are of this file from here on. */
static void go_to_file(struct callgrind *callgrind, const char *file)
{
    if (!is_same_file(file, callgrind->file))
        put_file(callgrind, is_same_file(file, callgrind->own_file) ? "fe" : "fi", file);
    callgrind->file = file;
}

static void put_jump(const struct callgrind *callgrind, const struct cairn_profile_insn *insn,
                     uint32_t line)
{
    const struct cairn_profiled *profile = callgrind->view->profile;
    const struct cairn_block_count *block = &profile->counted.list[insn->block];
    struct cairn_output *output = callgrind->view->output;
    const struct cairn_arch *arch = NULL;
    struct cairn_insn branch;

    for (size_t i = 0; i < profile->source_count; i++)
        if (profile->sources[i].index == block->source)
            arch = cairn_config_arch(profile->sources[i].config);
    if (!(insn->flags & CAIRN_BLOCK_BRANCH) || insn->flags & CAIRN_BLOCK_LINK || !arch ||
        cairn_space_select(profile->space, &block->place) ||
        !cairn_space_insn(profile->space, arch, (enum cairn_isa)insn->isa, insn->address,
                          &branch) ||
        branch.kind != CAIRN_INSN_BRANCH_DIRECT || !insn->taken)
        return;
    const struct cairn_profile_insn *target = insn_at(profile, branch.target);
    if (!target || target->function != insn->function)
        return; /* jumps are drawn inside of a function */
    if (insn->flags & CAIRN_BLOCK_CONDITIONAL)
        cairn_output_format(output, "jcnd=%" PRIu64 "/%" PRIu64, insn->taken, insn->executed);
    else
        cairn_output_format(output, "jump=%" PRIu64, insn->taken);
    uint32_t target_line;
    if (!is_same_file(line_at(callgrind, insn->function, branch.target, &target_line),
                      callgrind->file))
        target_line = 0;
    cairn_output_format(output, " 0x%" PRIx64 " %" PRIu32, branch.target, target_line);
    cairn_output_line(output);
    cairn_output_format(output, "0x%" PRIx64 " %" PRIu32, insn->address, line);
    cairn_output_line(output);
}

static void put_costs(const struct callgrind *callgrind, uint64_t address, uint32_t line,
                      uint64_t instructions, uint64_t cycles)
{
    struct cairn_output *output = callgrind->view->output;

    cairn_output_format(output, "0x%" PRIx64 " %" PRIu32 " %" PRIu64, address, line, instructions);
    if (callgrind->view->profile->has_cycles)
        cairn_output_format(output, " %" PRIu64, cycles);
    cairn_output_line(output);
}

static void put_arc(struct callgrind *callgrind, const struct callgrind_arc *arc)
{
    const struct cairn_function *callee = &callgrind->view->profile->functions.list[arc->callee];
    uint32_t line, site_line;
    const char *file = file_of(callgrind, arc->callee, &line);

    go_to_file(callgrind, line_at(callgrind, arc->caller, arc->site, &site_line));
    put_object(callgrind, "cob", arc->callee);
    put_file(callgrind, "cfi", file);
    put_function(callgrind, "cfn", arc->callee);
    cairn_output_format(callgrind->view->output, "calls=%" PRIu64 " 0x%" PRIx64 " %" PRIu32,
                        arc->calls, arc->callee ? callee->address : 0, line);
    cairn_output_line(callgrind->view->output);
    put_costs(callgrind, arc->site, site_line, arc->instructions, arc->cycles);
}

static size_t first_arc(const struct callgrind_arcs *arcs, uint32_t function)
{
    size_t low = 0, high = arcs->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (arcs->list[middle].caller < function)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put_insns(struct callgrind *callgrind, size_t from, size_t to)
{
    const struct cairn_profiled *profile = callgrind->view->profile;

    for (size_t i = from; i < to; i++) {
        const struct cairn_profile_insn *insn = callgrind->insns[i];
        const struct cairn_place *place = &profile->counted.list[insn->block].place;
        const char *file = callgrind->own_file;
        uint32_t line = 0;

        (void)cairn_profile_line(profile, place, insn->address, &file, &line);
        go_to_file(callgrind, file);
        put_costs(callgrind, insn->address, line, insn->executed, insn->cycles);
        put_jump(callgrind, insn, line);
    }
}

/* Where its head is written; *line is that of its beginning. */
static void put_head(struct callgrind *callgrind, uint32_t function, uint32_t *line)
{
    callgrind->own_file = callgrind->file = file_of(callgrind, function, line);
    cairn_output_line(callgrind->view->output);
    put_object(callgrind, "ob", function);
    put_file(callgrind, "fl", callgrind->own_file);
    put_function(callgrind, "fn", function);
}

static void put_arcs(struct callgrind *callgrind, uint32_t function)
{
    for (size_t i = first_arc(&callgrind->arcs, function);
         i < callgrind->arcs.count && callgrind->arcs.list[i].caller == function; i++)
        put_arc(callgrind, &callgrind->arcs.list[i]);
}

static void put_bodies(struct callgrind *callgrind)
{
    const struct cairn_profiled *profile = callgrind->view->profile;
    uint32_t line;

    for (size_t from = 0, to;
         from < profile->insn_count && cairn_output_wanted(callgrind->view->output); from = to) {
        const uint32_t function = callgrind->insns[from]->function;

        for (to = from; to < profile->insn_count && callgrind->insns[to]->function == function;)
            to++;
        put_head(callgrind, function, &line);
        put_insns(callgrind, from, to);
        put_arcs(callgrind, function);
    }
}

/* Instructions are counted of all threads together, calls of each: what a thread executed is told where its functions begin. */
static void put_selves(struct callgrind *callgrind)
{
    const struct cairn_functions *functions = &callgrind->view->profile->functions;

    for (uint32_t i = 0; i < functions->count && cairn_output_wanted(callgrind->view->output);
         i++) {
        const struct callgrind_self *self = &callgrind->selves[i];
        const size_t arc = first_arc(&callgrind->arcs, i);
        const bool calls = arc < callgrind->arcs.count && callgrind->arcs.list[arc].caller == i;
        uint32_t line;

        if (!self->instructions && !self->cycles && !calls)
            continue;
        put_head(callgrind, i, &line);
        put_costs(callgrind, functions->list[i].address, line, self->instructions, self->cycles);
        put_arcs(callgrind, i);
    }
}

static void put_whom(const struct callgrind *callgrind, const struct cairn_profile_whom *whom)
{
    struct cairn_output *output = callgrind->view->output;
    char text[CAIRN_PROFILE_NAME];

    if (whom->has_process)
        cairn_output_format(output, "pid: %" PRIu64 "\n", whom->process);
    cairn_output_format(output, "thread: %" PRIu64 "\npart: 1\ndesc: Thread: ",
                        whom->has_thread ? whom->thread : (uint64_t)callgrind->whom + 1);
    put_line_text(output, cairn_profile_whom_text(whom, text));
    cairn_output_char(output, '\n');
}

static void put_all(struct callgrind *callgrind, const char *command)
{
    const struct cairn_profiled *profile = callgrind->view->profile;
    const struct cairn_profile_whom *const whom =
        callgrind->whoms ? &callgrind->whoms->list[callgrind->whom] : NULL;
    struct cairn_output *output = callgrind->view->output;

    cairn_output_format(output, "# callgrind format\nversion: 1\ncreator: cairn %s\n",
                        cairn_version());
    if (whom)
        put_whom(callgrind, whom);
    cairn_output_text(output, "cmd: ");
    put_line_text(output, command);
    cairn_output_text(output, "\npositions: instr line\nevent: Ir : Instructions executed\n");
    if (profile->has_cycles)
        cairn_output_text(output, "event: Cy : Cycles\nevents: Ir Cy\n");
    else
        cairn_output_text(output, "events: Ir\n");
    cairn_output_format(output, "summary: %" PRIu64,
                        whom ? whom->instructions : profile->instructions);
    if (profile->has_cycles)
        cairn_output_format(output, " %" PRIu64, whom ? whom->cycles : profile->cycles);
    cairn_output_line(output);
    if (whom)
        put_selves(callgrind);
    else
        put_bodies(callgrind);
}

static cairn_status sort_insns(struct callgrind *callgrind)
{
    const struct cairn_profiled *profile = callgrind->view->profile;

    callgrind->insns = malloc((profile->insn_count + 1) * sizeof *callgrind->insns);
    if (!callgrind->insns)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < profile->insn_count; i++)
        callgrind->insns[i] = &profile->insns[i];
    if (profile->insn_count)
        qsort(callgrind->insns, profile->insn_count, sizeof *callgrind->insns, by_function);
    return CAIRN_OK;
}

static cairn_status put_file_of(struct callgrind *callgrind, const char *command)
{
    const size_t functions = callgrind->view->profile->functions.count;
    cairn_status status = CAIRN_OK;

    callgrind->named = calloc(functions + 1, 1);
    if (!callgrind->named)
        status = CAIRN_E_MEMORY;
    if (callgrind->whoms && !(callgrind->selves = calloc(functions + 1, sizeof *callgrind->selves)))
        status = CAIRN_E_MEMORY;
    if (!status && !callgrind->whoms)
        status = sort_insns(callgrind);
    if (!status)
        status = find_arcs(callgrind);
    if (!status)
        put_all(callgrind, command);
    free(callgrind->arcs.list);
    free(callgrind->insns);
    free(callgrind->selves);
    free(callgrind->named);
    free(callgrind->files.list);
    free(callgrind->objects.list);
    return status;
}

cairn_status cairn_profile_callgrind(const struct cairn_profile_view *view, const char *command)
{
    struct callgrind callgrind = {.view = view};

    return put_file_of(&callgrind, command);
}

cairn_status cairn_profile_callgrind_thread(const struct cairn_profile_view *view,
                                            const char *command,
                                            const struct cairn_profile_whoms *whoms, size_t index)
{
    struct callgrind callgrind = {.view = view, .whoms = whoms, .whom = index};

    return put_file_of(&callgrind, command);
}
