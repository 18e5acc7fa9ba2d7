/* TD(lambda)-schedule in C along the trajectories of a trial:
 *
 *   tdcert conform --algorithm td --rows trajectories.jsonl
 *   cc -O2 -o td td.c && ./td < trajectories.jsonl > answers.jsonl
 *   tdcert conform --algorithm td --answers answers.jsonl
 */
#define _POSIX_C_SOURCE 200809L
#include "json_lines.h"

enum { FEATURES = 8, WINDOW = 100 };

/* What the algorithm keeps: the parameters, and the last states and discounts of the episode. */
static double theta[FEATURES], lambdas[WINDOW], phis[WINDOW][FEATURES], discounts[WINDOW];
static int features, window, age;

static void reset(const char *from)
{
    features = numbers(from, "theta0", theta, FEATURES);
    window = numbers(from, "lambdas", lambdas, WINDOW);
    if (features > FEATURES || window > WINDOW)
        exit(1);
    age = 0;
}

/* One transition, which begins at `from`. */
static void step(const char *from)
{
    double phi[FEATURES], next[FEATURES], trace[FEATURES] = {0}, discount = number(from, "discount"), weight = 1;
    numbers(from, "phi", phi, FEATURES);
    numbers(from, "phi_next", next, FEATURES);
    for (int i = 0; i < features; i++)
        trace[i] = phi[i];
    /* c_k = lambda_1 ... lambda_k times the discounts since, newest first */
    for (int k = 1; k <= window && k <= age; k++) {
        int then = (age - k) % WINDOW;
        weight *= lambdas[k - 1] * discounts[then];
        for (int i = 0; i < features; i++)
            trace[i] += weight * phis[then][i];
    }
    double delta = number(from, "reward");
    for (int i = 0; i < features; i++)
        delta += (discount * next[i] - phi[i]) * theta[i];
    for (int i = 0; i < features; i++)
        theta[i] += number(from, "alpha") * delta * trace[i];
    memcpy(phis[age % WINDOW], phi, sizeof phi);
    discounts[age % WINDOW] = discount;
    age = discount == 0 ? 0 : age + 1;
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    if (getline(&line, &size, stdin) < 0)
        return 1;
    write_head(line);
    while (getline(&line, &size, stdin) > 0) {
        reset(line);
        printf("{\"number\": %d, \"theta\": [", (int)number(line, "number"));
        write_numbers(theta, features);
        for (const char *at = strstr(line, "{\"state\": "); at; at = strstr(at + 1, "{\"state\": ")) {
            step(at);
            printf(", ");
            write_numbers(theta, features);
        }
        printf("]}\n");
    }
    free(line);
    return 0;
}
