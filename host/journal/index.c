/* index.c - lists runs: from the database if a journal is unchanged, else from the journal. */
#include "journal/index.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "journal/index_db.h"

struct scan {
    struct cr_index_run *runs;
    size_t count, cap;
    bool out_of_memory;
};

static void add_file(void *data, int dir, const char *name)
{
    struct scan *s = data;
    struct cr_index_run *run;
    struct stat st;

    if (s->out_of_memory || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    if (s->count == s->cap) {
        size_t cap = 2 * s->cap + 64;
        struct cr_index_run *more = realloc(s->runs, cap * sizeof(*more));

        if (!more) {
            s->out_of_memory = true;
            return;
        }
        s->runs = more;
        s->cap = cap;
    }
    run = &s->runs[s->count++];
    *run = (struct cr_index_run){
        .mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
        .size = (int64_t)st.st_size,
    };
    memcpy(run->id, name, CR_STORE_ID);
}

/* An id begins with its time. */
static int latest_first(const void *a, const void *b)
{
    const struct cr_index_run *x = a, *y = b;

    return strcmp(y->id, x->id);
}

/* --- one run -------------------------------------------------------------------------------- */

/* Returns 0 or CAPRUN_E_NOMEM. An unreadable journal gets a summary, too. */
static int read_journal(const char *path, struct cr_index_run *run, struct cr_err *err)
{
    struct cr_journal journal = {0};
    struct cr_err why;
    int r = cr_journal_read(path, -1, &journal, &why);

    if (r < 0 && why.outcome == CAPRUN_OUTCOME_INTERNAL)
        return cr_err_set(err, CAPRUN_E_NOMEM, "%s", why.text);
    /* do not cache that a file cannot be opened: that can change without a new time or size */
    run->is_new = r == 0 || why.outcome == CAPRUN_OUTCOME_JOURNAL_INVALID;
    r = r == 0 ? cr_summary_take(&journal, &run->summary)
               : cr_summary_take_unreadable(&why, &run->summary);
    cr_journal_clear(&journal);
    return r < 0 ? cr_err_set(err, r, "no memory for a list of runs") : 0;
}

static int fill_run(const char *dir, struct cr_index_run *run, struct cr_err *err)
{
    char path[PATH_MAX];

    cr_store_path(dir, run->id, path);
    if (!cr_summary_is_whole(&run->summary) && read_journal(path, run, err) < 0)
        return CAPRUN_E_NOMEM;
    run->is_live = !run->summary.outcome[0] && cr_store_is_live(AT_FDCWD, path);
    return 0;
}

/* --- all runs ------------------------------------------------------------------------------- */

/* Fills the runs that the database has. Returns 0; or an error, and the database is unusable. */
static int find_known_runs(struct cr_index_db *db, struct cr_index_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (cr_index_db_find(db, &list->runs[i], &list->note) < 0)
            return list->note.code;
    return 0;
}

static int fill_runs(const char *dir, struct cr_index_list *list, struct cr_err *err)
{
    struct cr_index_db db;
    bool has_db = cr_index_db_open(dir, &db, &list->note) == 0;
    bool is_good = has_db && find_known_runs(&db, list) == 0;
    int r = 0;

    for (size_t i = 0; r == 0 && i < list->count; i++)
        r = fill_run(dir, &list->runs[i], err);
    if (r == 0 && is_good)
        (void)cr_index_db_keep(&db, list->runs, list->total, latest_first, &list->note);
    if (has_db)
        cr_index_db_close(&db);
    return r;
}

int cr_index_list(const char *dir, size_t most, struct cr_index_list *ret, struct cr_err *err)
{
    struct cr_index_list list = {0};
    struct scan s = {0};
    int r = cr_store_list(dir, add_file, &s, err);

    if (r == 0 && s.out_of_memory)
        r = cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a list of runs");
    list.runs = s.runs;
    list.total = s.count;
    list.count = s.count < most ? s.count : most;
    if (r == 0 && s.count) {
        qsort(s.runs, s.count, sizeof(*s.runs), latest_first);
        r = fill_runs(dir, &list, err);
    }
    if (r < 0) {
        cr_index_clear(&list);
        return r;
    }
    *ret = list;
    return 0;
}

void cr_index_clear(struct cr_index_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        cr_summary_clear(&list->runs[i].summary);
    free(list->runs);
    *list = (struct cr_index_list){0};
}
