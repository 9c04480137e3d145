/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/files.h"
#include "capture/ini.h"
#include "machine/around.h"
#include "machine/embed.h"
#include "machine/journal.h"

#define SNAPSHOT "snapshot.ini"

static bool has_file(const char *folder, const char *name)
{
    struct stat info;
    char *path = cairn_journal_path(folder, name, "");
    const bool has = path && lstat(path, &info) == 0;
    free(path);
    return has;
}

static void remove_file(const char *folder, const char *name, const char *suffix)
{
    char *path = cairn_journal_path(folder, name, suffix);
    if (path)
        unlink(path);
    free(path);
}

static void remove_source(const char *folder, const char *name)
{
    char core[CAIRN_JOURNAL_NAME + 8] = "core_";
    memcpy(core + 5, name, strlen(name) + 1);
    remove_file(folder, name, ".bin");
    remove_file(folder, name, ".index");
    remove_file(folder, name, ".ini");
    remove_file(folder, name, CAIRN_AROUND_MEMORY);
    remove_file(folder, name, CAIRN_AROUND_REGISTERS);
    remove_file(folder, name, CAIRN_AROUND_COUNTS);
    remove_file(folder, core, ".ini");
}

/* What an earlier recording's snapshot.ini says: that it is one, and which sources it has. */
struct earlier {
    const char *folder;
    bool is_recording;
    bool remove;
};

static int earlier_line(void *context, const struct cairn_ini_line *line)
{
    struct earlier *earlier = context;
    if (line->kind != CAIRN_INI_PAIR)
        return 0;
    if (!strcasecmp(line->section, "snapshot") && !strcasecmp(line->key, "recorder"))
        earlier->is_recording = !strcmp(line->value, CAIRN_JOURNAL_RECORDER);
    const size_t length = strlen(line->value);
    if (!earlier->remove || strcasecmp(line->section, "device_list") || length < 5 ||
        length >= CAIRN_JOURNAL_NAME + 4 || strcmp(line->value + length - 4, ".ini"))
        return 0;
    char name[CAIRN_JOURNAL_NAME] = "";
    memcpy(name, line->value, length - 4);
    if (cairn_journal_name_ok(name, sizeof name))
        remove_source(earlier->folder, name);
    return 0;
}

/* True if the folder has the snapshot of a recording. */
static bool visit_snapshot(struct earlier *earlier)
{
    const struct cairn_files files = cairn_files_of_system();
    char *text, *path = cairn_journal_path(earlier->folder, SNAPSHOT, "");
    size_t size;
    if (path && files.read_text(NULL, path, &text, &size, NULL) == CAIRN_OK) {
        cairn_ini_read(text, size, earlier_line, earlier);
        free(text);
    }
    free(path);
    return earlier->is_recording;
}

static int embedded_line(void *context, const struct cairn_ini_line *line)
{
    if (line->kind == CAIRN_INI_PAIR && !strcasecmp(line->key, "file") &&
        cairn_embed_name_ok(line->value)) {
        remove_file(context, line->value, "");
        remove_file(context, line->value, CAIRN_EMBED_PACKAGE);
    }
    return 0;
}

/* The copies of files that program.ini names. */
static void remove_embedded(const char *folder)
{
    const struct cairn_files files = cairn_files_of_system();
    char *text, *path = cairn_journal_path(folder, "program", ".ini");
    size_t size;

    if (path && files.read_text(NULL, path, &text, &size, NULL) == CAIRN_OK) {
        cairn_ini_read(text, size, embedded_line, (void *)(uintptr_t)folder);
        free(text);
    }
    free(path);
}

static void remove_earlier(const char *folder)
{
    struct cairn_journal journal;
    struct earlier earlier = {.folder = folder};
    if (cairn_journal_open(folder, &journal, NULL) == CAIRN_OK) {
        for (size_t i = 0; i < journal.source_count; i++) {
            const char *name = journal.head->rows[i].name;
            if (cairn_journal_name_ok(name, CAIRN_JOURNAL_NAME))
                remove_source(folder, name);
        }
        cairn_journal_close(&journal);
    }
    if (visit_snapshot(&earlier)) {
        earlier.remove = true;
        visit_snapshot(&earlier);
    }
    /* what tells that the folder is a recording's goes last */
    remove_file(folder, "trace", ".ini");
    remove_embedded(folder);
    remove_file(folder, "program", ".ini");
    remove_file(folder, CAIRN_JOURNAL_MEMORY, "");
    remove_file(folder, CAIRN_JOURNAL_CODE, "");
    remove_file(folder, SNAPSHOT, "");
    remove_file(folder, CAIRN_JOURNAL_CTL, "");
}

/* True when it can be read and has nothing in it. */
static bool is_empty(const char *folder)
{
    DIR *list = opendir(folder);
    if (!list)
        return false;
    const struct dirent *entry;
    while ((entry = readdir(list)) != NULL &&
           (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")))
        ;
    closedir(list);
    return entry == NULL;
}

int cairn_folder_lock(const char *folder, bool make, int *number)
{
    char *path = cairn_journal_path(folder, CAIRN_JOURNAL_CTL, "");
    const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    const int fd = !path  ? -1
                   : make ? open(path, flags | O_RDWR | O_CREAT | O_EXCL, 0666)
                          : open(path, flags | O_RDONLY);

    *number = path ? errno : ENOMEM;
    free(path);
    if (fd < 0)
        return -1;
    /* Some file systems have no locks: then nobody is told, and nothing else is lost. */
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(fd);
        *number = EWOULDBLOCK;
        return -1;
    }
    *number = 0;
    return fd;
}

static bool is_recorded_now(const char *folder)
{
    int number;
    const int fd = cairn_folder_lock(folder, false, &number);

    if (fd >= 0)
        close(fd);
    return fd < 0 && number == EWOULDBLOCK;
}

static cairn_status check_existing(const char *folder, bool overwrite, struct cairn_error *error)
{
    struct earlier earlier = {.folder = folder};
    if (!cairn_is_folder(folder))
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "%s: is a file; a recording needs a folder of its own", folder);
    if (access(folder, W_OK | X_OK) != 0)
        return cairn_fail(error, CAIRN_E_IO,
                          "%s: nothing can be written there; give another folder", folder);
    if (is_empty(folder))
        return CAIRN_OK;
    if (!has_file(folder, CAIRN_JOURNAL_CTL) && !visit_snapshot(&earlier))
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "%s: is not empty and holds no recording; give another folder", folder);
    if (is_recorded_now(folder))
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "%s: another process records there at this moment; give another folder",
                          folder);
    if (!overwrite)
        return cairn_fail(
            error, CAIRN_E_ARGUMENT,
            "%s: holds an earlier recording; give another folder, or have it replaced "
            "(--force)",
            folder);
    return CAIRN_OK;
}

/* The folder in which it is to be made. */
static cairn_status check_parent(const char *folder, struct cairn_error *error)
{
    char reason[128];
    char *path = strdup(folder);
    if (!path)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to record", folder);
    const char *parent = dirname(path);
    int number = access(parent, F_OK) == 0 ? 0 : errno;
    if (!number && !cairn_is_folder(parent))
        number = ENOTDIR;
    else if (!number && access(parent, W_OK | X_OK) != 0)
        number = errno;
    const cairn_status status =
        number ? cairn_fail(error, CAIRN_E_IO, "%s: cannot be made, because of %s: %s", folder,
                            parent, strerror_r(number, reason, sizeof reason))
               : CAIRN_OK;
    free(path);
    return status;
}

cairn_status cairn_recording_check(const char *folder, bool overwrite, struct cairn_error *error)
{
    struct stat info;
    if (!folder || !*folder)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "a recording needs a folder with a name");
    return lstat(folder, &info) == 0 ? check_existing(folder, overwrite, error)
                                     : check_parent(folder, error);
}

void cairn_recording_discard(const char *folder, bool folder_too)
{
    remove_earlier(folder);
    if (folder_too)
        (void)rmdir(folder); /* there may be something else in it */
}

cairn_status cairn_folder_prepare(const char *folder, bool overwrite, char **path,
                                  struct cairn_error *error)
{
    char reason[128];
    cairn_status status = cairn_recording_check(folder, overwrite, error);
    if (status != CAIRN_OK)
        return status;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cairn_fail(error, CAIRN_E_IO, "%s: cannot be made: %s", folder,
                          strerror_r(errno, reason, sizeof reason));
    if (!is_empty(folder))
        remove_earlier(folder);
    *path = realpath(folder, NULL);
    if (!*path)
        return cairn_fail(error, CAIRN_E_IO, "%s: cannot be entered: %s", folder,
                          strerror_r(errno, reason, sizeof reason));
    return CAIRN_OK;
}
