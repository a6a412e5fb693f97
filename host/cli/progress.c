/* progress.c - decides when the line about progress is drawn, and what it says about fetches. */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/loop.h"
#include "base/units.h"
#include "cli/output.h"

#define PATIENCE_US 500000
#define REDRAW_US (CR_PROGRESS_MS * 1000)
#define MAX_URL_SHOWN 50

void cr_progress_init(struct cr_progress *p, bool quiet)
{
    *p = (struct cr_progress){.began_us = cr_loop_now()};
    p->wanted = !quiet && isatty(STDERR_FILENO);
}

static void draw_progress(const char *url, uint64_t got, uint64_t total)
{
    char text[256], amount[32], whole[40] = "";
    struct cr_buf shown;
    size_t len = strlen(url);

    cr_buf_init(&shown, 4096);
    cr_escape_terminal(&shown, url, len < MAX_URL_SHOWN ? len : MAX_URL_SHOWN);
    cr_units_show_size(got - got % 1024, amount);
    if (total) {
        cr_units_show_size(total - (total > 1024 ? total % 1024 : 0), whole + 4);
        memcpy(whole, " of ", 4);
    }
    (void)snprintf(text, sizeof(text), "caprun: fetching %s%s, %s%s",
                   cr_buf_text(&shown) ? cr_buf_text(&shown) : "", len > MAX_URL_SHOWN ? "..." : "",
                   amount, whole);
    cr_buf_clear(&shown);
    cr_output_status(text);
}

bool cr_progress_is_due(struct cr_progress *p, int64_t patience_us)
{
    int64_t now = cr_loop_now();

    if (!p->wanted || now - p->began_us < patience_us || now - p->drawn_us < REDRAW_US)
        return false;
    p->drawn_us = now;
    return true;
}

void cr_progress_show(struct cr_progress *p, const char *url, uint64_t got, uint64_t total)
{
    if (cr_progress_is_due(p, PATIENCE_US))
        draw_progress(url, got, total);
}

void cr_progress_set_text(struct cr_progress *p, const char *text)
{
    if (cr_progress_is_due(p, PATIENCE_US))
        cr_output_status(text);
}

void cr_progress_end(struct cr_progress *p)
{
    if (p->wanted)
        cr_output_end_status();
}
