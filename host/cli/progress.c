/* progress.c - draws one line on the terminal, again and again in the same place. */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/loop.h"
#include "base/units.h"

#define PATIENCE_US 500000
#define REDRAW_US (CR_PROGRESS_MS * 1000)
#define WIDTH 79
#define MAX_URL_SHOWN 50

void cr_progress_init(struct cr_progress *p, bool quiet)
{
    *p = (struct cr_progress){.began_us = cr_loop_now()};
    p->wanted = !quiet && isatty(STDERR_FILENO);
}

/* Each line is padded to the same width, so that it covers the one before. */
static void draw(const char *text)
{
    char line[WIDTH + 3];
    int len = snprintf(line, sizeof(line), "\r%-*.*s\r", WIDTH, WIDTH, text);

    if (len > 0)
        (void)!write(STDERR_FILENO, line, (size_t)len);
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
    draw(text);
}

/* Is it time to draw? If so, notes that the line is drawn now. */
static bool is_due(struct cr_progress *p)
{
    int64_t now = cr_loop_now();

    if (!p->wanted || now - p->began_us < PATIENCE_US || now - p->drawn_us < REDRAW_US)
        return false;
    p->shown = true;
    p->drawn_us = now;
    return true;
}

void cr_progress_show(struct cr_progress *p, const char *url, uint64_t got, uint64_t total)
{
    if (is_due(p))
        draw_progress(url, got, total);
}

void cr_progress_set_text(struct cr_progress *p, const char *text)
{
    if (is_due(p))
        draw(text);
}

void cr_progress_end(struct cr_progress *p)
{
    if (p->shown)
        draw("");
    p->shown = false;
}
