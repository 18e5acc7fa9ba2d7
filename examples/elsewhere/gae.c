/* Generalised advantage estimation in C, held to the contract `single-episode`:
 *
 *   tdcert conform --estimator gae --contract single-episode --rows rows.jsonl
 *   cc -O2 -o gae gae.c && ./gae < rows.jsonl > answers.jsonl
 *   tdcert conform --estimator gae --contract single-episode --answers answers.jsonl
 */
#define _POSIX_C_SOURCE 200809L
#include "json_lines.h"

enum { LONGEST = 1000 };

/* Advantages and targets of one row of `steps` steps; `last_value` is 0 where the last step terminates. */
static void gae(int steps, const double *rewards, const double *values, double last_value, double gamma, double lambda,
                double *advantages, double *targets)
{
    double next_value = last_value, advantage = 0;
    for (int t = steps - 1; t >= 0; t--) {
        double delta = rewards[t] + gamma * next_value - values[t];
        advantage = delta + gamma * lambda * advantage;
        advantages[t] = advantage;
        targets[t] = advantage + values[t];
        next_value = values[t];
    }
}

int main(void)
{
    static double rewards[LONGEST], values[LONGEST], advantages[LONGEST], targets[LONGEST];
    char *line = NULL;
    size_t size = 0;
    if (getline(&line, &size, stdin) < 0)
        return 1;
    write_head(line);
    while (getline(&line, &size, stdin) > 0) {
        int steps = numbers(line, "rewards", rewards, LONGEST);
        if (steps > LONGEST || numbers(line, "values", values, LONGEST) != steps)
            return 1;
        gae(steps, rewards, values, number(line, "last_value"), number(line, "gamma"), number(line, "gae_lambda"),
            advantages, targets);
        printf("{\"number\": %d, \"advantages\": ", (int)number(line, "number"));
        write_numbers(advantages, steps);
        printf(", \"targets\": ");
        write_numbers(targets, steps);
        printf("}\n");
    }
    free(line);
    return 0;
}
