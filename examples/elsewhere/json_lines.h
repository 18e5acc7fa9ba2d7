/* Reads the lines that `tdcert conform --rows` writes: enough of JSON for them, in the C standard library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text after `"key": `, from `from` on; the program ends where there is none. */
static const char *value_of(const char *from, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *found = strstr(from, quoted);
    if (!found) {
        fprintf(stderr, "no %s in: %.60s\n", key, from);
        exit(1);
    }
    return found + strlen(quoted);
}

static double number(const char *from, const char *key)
{
    return strtod(value_of(from, key), NULL);
}

/* A list of numbers: writes at most `most` of them to `into`, and returns how many there are. */
static int numbers(const char *from, const char *key, double *into, int most)
{
    const char *here = value_of(from, key) + 1; /* behind the bracket */
    int count = 0;
    while (*here != ']') {
        char *end;
        double x = strtod(here, &end);
        if (end == here) {
            fprintf(stderr, "%s is not a list of numbers\n", key);
            exit(1);
        }
        if (count < most)
            into[count] = x;
        count++;
        here = *end == ',' ? end + 1 : end;
    }
    return count;
}

/* 17 digits name a double, whatever it is. */
static void write_numbers(const double *x, int count)
{
    putchar('[');
    for (int i = 0; i < count; i++)
        printf("%s%.17g", i ? ", " : "", x[i]);
    putchar(']');
}

/* The first line of the answers: the id is that of the rows. */
static void write_head(const char *head)
{
    printf("{\"format\": \"tdcert-answers/1\", \"id\": %.34s}\n", value_of(head, "id"));
}
