/*
 * echo_server.c - a minimal MCP server on standard input and output: legacy, with one tool that
 * answers at once. So the time of a call to it is the time of the transport.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE 4096

static void answer(const char *line)
{
    const char *id = strstr(line, "\"id\":");
    char out[LINE];
    int len;

    if (!id)
        return; /* a notification */
    if (strstr(line, "\"tools/call\""))
        len =
            snprintf(out, sizeof(out),
                     "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[{\"type\":\"text\","
                     "\"text\":\"ok\"}],\"structuredContent\":{\"y\":1}}}\n",
                     strtol(id + 5, NULL, 10));
    else if (strstr(line, "\"tools/list\""))
        len = snprintf(out, sizeof(out),
                       "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"tools\":[{\"name\":\"b\","
                       "\"inputSchema\":{\"type\":\"object\"}}]}}\n",
                       strtol(id + 5, NULL, 10));
    else if (strstr(line, "\"initialize\""))
        len = snprintf(out, sizeof(out),
                       "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"protocolVersion\":"
                       "\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":"
                       "\"echo\",\"version\":\"1\"}}}\n",
                       strtol(id + 5, NULL, 10));
    else
        len = snprintf(out, sizeof(out),
                       "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":-32601,\"message\":"
                       "\"Method not found\"}}\n",
                       strtol(id + 5, NULL, 10));
    if (write(STDOUT_FILENO, out, (size_t)len) != len)
        exit(1);
}

/* Reads the available input, and answers each complete line. */
int main(void)
{
    static char buf[1 << 20];
    size_t len = 0;
    ssize_t n;

    while ((n = read(STDIN_FILENO, buf + len, sizeof(buf) - 1 - len)) > 0) {
        char *line = buf, *end;

        len += (size_t)n;
        buf[len] = '\0';
        while ((end = memchr(line, '\n', len - (size_t)(line - buf)))) {
            *end = '\0';
            answer(line);
            line = end + 1;
        }
        len -= (size_t)(line - buf);
        memmove(buf, line, len);
    }
    return 0;
}
