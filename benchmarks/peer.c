/* A plain loop of TD, GTD and TDC with a λ-schedule: what the kernels of sims/ are measured against.
 *
 * The same algorithms, the same alias tables, the same recursions (sims/kernels/traces.py has the formulas), one run after
 * another, the features of a state side by side. Known when it is compiled:
 *   ALGORITHM  0 TD, 1 off-policy TD, 2 GTD, 3 TDC
 *   TRACE      6 TD, one-hot features, q one number (c as for 5; m = 0: without end): z_t(s) = q^(t-B) (a_s + b_s (t-B)),
 *              theta(s) + a_s G + b_s H with G = sum q^(t-B) e_t, H = sum (t-B) q^(t-B) e_t since B. As the kernels, but
 *              rounding may grow by up to 2^20 until the sums are cleared, there by 2^6.
 *              0 one step, 1 constant without end, 2 blocks (EqualWeights, n-step, finite constant), 3 window,
 *              4 window of one-hot features, entry by entry, 5 carried (q one number; c: q, q^W/m, q^(W+m)/m)
 *   D          number of features; without it, d is an argument as it is for the kernels
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint64_t keep, own, alias, unused; } record;
typedef struct { double reward, discount, rho, unused; } carried;

static inline uint64_t turn(uint64_t x, int k) { return x << k | x >> (64 - k); }

static inline uint64_t next(uint64_t *s) {
    uint64_t result = turn(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = turn(s[3], 45);
    return result;
}

static inline uint64_t draw(const record *table, int bits, uint64_t state, uint64_t word) {
    const record *r = table + (state << bits) + (word >> (64 - bits));
    return (word & ((UINT64_C(1) << (64 - bits)) - 1)) < r->keep ? r->own : r->alias;
}

/* runs of T steps each from state 0; Phi (states, d), or for one-hot features none: state s has feature s.
   W flat weights, then m - 1 falling ones; c_0 ... c_L; thetas (runs, d) */
void peer(const record *restrict table, int bits, const carried *restrict values, const double *restrict Phi, int features,
          int W, int m, double lambda, const double *restrict c, int L, const double *restrict alphas,
          const double *restrict betas, const uint64_t *restrict seeds, int runs, long T, double *restrict thetas) {
#ifdef D
    enum { d = D };
    double theta[D], w[D], y[D], U[D], U_late[D], I[D];
#else
    const int d = features;
    double *restrict theta = malloc(8 * d), *restrict w = malloc(8 * d), *restrict y = malloc(8 * d);
    double *restrict U = malloc(8 * d), *restrict U_late = malloc(8 * d), *restrict I = malloc(8 * d);
#endif
    const int V = m - 1;
#if TRACE == 6
    int K = 1;
    double *restrict inverse = malloc(8 * 257), *restrict power = malloc(8 * 257), *restrict ab = malloc(16 * d);
    inverse[0] = power[0] = 1;
    for (int k = 1; k <= 256; k++) { power[k] = c[0] * power[k - 1]; inverse[k] = inverse[k - 1] / c[0]; }
    while (K < 256 && inverse[K + 1] < 1048576 && inverse[K + 1] > -1048576) K++;
#define CHANGE(s, da, db) { double A = da, B = db; theta[s] -= A * G + B * H; ab[2 * (s)] += A; ab[2 * (s) + 1] += B; }
#define VALUE(s) (theta[s] + ab[2 * (s)] * G + ab[2 * (s) + 1] * H)
#define CLEAR(k) for (int i = 0; i < d; i++) { \
        theta[i] = VALUE(i); \
        ab[2 * i] = power[k] * (ab[2 * i] + (k) * ab[2 * i + 1]); \
        ab[2 * i + 1] *= power[k]; \
    }
#endif
    long size = 2;
    while (size < L + 3) size *= 2;
    const long mask = size - 1;
    int32_t *restrict states = malloc(4 * size);
    double *restrict qs = malloc(8 * size), *restrict after = malloc(8 * size);
    double *restrict nothing = calloc(d, 8);
    double *restrict back = malloc(8 * (W + 1) * d), *restrict back_late = malloc(8 * m * d);
    (void)U; (void)U_late; (void)I; (void)y; (void)w; (void)lambda; (void)c; (void)betas; (void)V; (void)Phi; (void)nothing;
    for (int run = 0; run < runs; run++) {
        uint64_t s[4], state = 0;
        memcpy(s, seeds + 4 * run, sizeof s);
        for (int i = 0; i < d; i++) theta[i] = w[i] = y[i] = U[i] = U_late[i] = I[i] = 0;
        memset(back, 0, 8 * (W + 1) * d);
        memset(back_late, 0, 8 * m * d);
        double q = 0, P = 1, q_late = 0, P_late = 1;
        int p = 0, p_late = 0;
#if TRACE == 6
        double G = 0, H = 0;
        int x = 0;
        for (int i = 0; i < 2 * d; i++) ab[i] = 0;
#endif
        (void)q; (void)P; (void)q_late; (void)P_late; (void)p; (void)p_late;
        for (long t = 0; t < T; t++) {
            const uint64_t link = draw(table, bits, state, next(s)), following = link >> 32;
            const carried *v = values + (uint32_t)link;
            const double g = v->discount, rho = ALGORITHM ? v->rho : 1;
            states[t & mask] = state;
#if TRACE < 4 || TRACE == 5
            const double *phi = Phi + d * state, *phi_next = Phi + d * following;
#endif
#if TRACE == 0
            for (int i = 0; i < d; i++) y[i] = phi[i];
#elif TRACE == 1
            for (int i = 0; i < d; i++) y[i] = phi[i] + q * y[i];
            q = lambda * g * rho;
#elif TRACE == 2
            if (p == 0) { P = 1; q = 0; }
            for (int i = 0; i < d; i++) { U[i] = phi[i] + q * U[i]; y[i] = U[i] + P * back[(p + 1) * d + i]; }
            if (V > 0 && t >= W) {
                const double *past = Phi + d * states[(t - W) & mask], share = P * after[(t - W) & mask] / m;
                if (p_late == 0) { P_late = 1; q_late = 0; }
                for (int i = 0; i < d; i++) {
                    U_late[i] = past[i] + q_late * U_late[i];
                    I[i] = p_late * past[i] + q_late * I[i];
                    y[i] += share * ((V - p_late) * U_late[i] + I[i] + P_late * back_late[(p_late + 1) * d + i]);
                }
                q_late = qs[(t - W) & mask];
                P_late *= q_late;
                if (++p_late == V) {
                    double product = 1;
                    for (int i = 0; i < d; i++) U_late[i] = 0;
                    for (int j = V - 1; j >= 0; j--) {
                        const long place = (t - W - V + 1 + j) & mask;
                        const double *row = Phi + d * states[place];
                        product *= qs[place];
                        for (int i = 0; i < d; i++) {
                            U_late[i] += product * row[i];
                            back_late[j * d + i] = back_late[(j + 1) * d + i] + U_late[i];
                        }
                    }
                    p_late = 0;
                }
            }
            q = lambda * g * rho;
            qs[t & mask] = q;
            P *= q;
            if (++p == W) {
                double product = 1;
                for (int j = W - 1; j >= 0; j--) {
                    const long place = (t - W + 1 + j) & mask;
                    const double *row = Phi + d * states[place];
                    product *= qs[place];
                    after[place] = product;
                    for (int i = 0; i < d; i++) back[j * d + i] = back[(j + 1) * d + i] + product * row[i];
                }
                p = 0;
            }
#elif TRACE == 5
            const double *gone = t >= W ? Phi + d * states[(t - W) & mask] : nothing;
            const double *left = t >= W + m ? Phi + d * states[(t - W - m) & mask] : nothing;
            if (V > 0)
                for (int i = 0; i < d; i++) {
                    U[i] = c[0] * U[i] + c[1] * gone[i] - c[2] * left[i];
                    y[i] = phi[i] + c[0] * y[i] - U[i];
                }
            else
                for (int i = 0; i < d; i++) y[i] = phi[i] + c[0] * y[i] - c[1] * gone[i];
#elif TRACE == 3
            for (int i = 0; i < d; i++) y[i] = phi[i];
            double product = 1;
            for (int k = 1; k <= L && k <= t; k++) {
                product *= qs[(t - k) & mask];
                const double weight = c[k] * product, *past = Phi + d * states[(t - k) & mask];
                for (int i = 0; i < d; i++) y[i] += weight * past[i];
            }
            qs[t & mask] = g * rho;
#endif
#if TRACE < 4 || TRACE == 5
            double here = 0, there = 0;
            for (int i = 0; i < d; i++) { here += phi[i] * theta[i]; there += phi_next[i] * theta[i]; }
            const double delta = (v->reward + g * there - here) * rho, a = alphas[t];
#if ALGORITHM < 2
            for (int i = 0; i < d; i++) theta[i] += a * delta * y[i];
#else
            double yw = 0, phi_w = 0;
            const double b = betas[t];
            for (int i = 0; i < d; i++) { yw += y[i] * w[i]; phi_w += phi[i] * w[i]; }
            yw *= rho;
            for (int i = 0; i < d; i++) {
                const double difference = phi[i] - g * phi_next[i];
#if ALGORITHM == 2
                theta[i] += a * yw * difference;
#else
                theta[i] += a * (delta * y[i] + yw * difference - phi_w * phi[i]);
#endif
                w[i] += b * (delta * y[i] - phi_w * phi[i]);
            }
#endif
#elif TRACE == 6
            const double up = inverse[x];
            CHANGE(state, up, 0)
            if (m == 1 && t >= W) CHANGE(states[(t - W) & mask], -c[1] * up, 0)
            if (m > 1 && t >= W) CHANGE(states[(t - W) & mask], -c[1] * up * (1 - x), -c[1] * up)
            if (m > 1 && t >= W + m) CHANGE(states[(t - W - m) & mask], c[2] * up * (1 - x), c[2] * up)
            const double e = alphas[t] * power[x] * (v->reward + g * VALUE(following) - VALUE(state));
            G += e;
            H += x * e;
            if (++x == K) { CLEAR(K) G = H = x = 0; }
#else
            const double delta = (v->reward + g * theta[following] - theta[state]) * rho, a = alphas[t];
            double product = 1;
#if ALGORITHM < 2
            theta[state] += a * delta;
            for (int k = 1; k <= L && k <= t; k++) {
                product *= qs[(t - k) & mask];
                theta[states[(t - k) & mask]] += a * delta * c[k] * product;
            }
#else
            const double b = betas[t], phi_w = w[state];
            double yw = w[state];
            for (int k = 1; k <= L && k <= t; k++) {
                product *= qs[(t - k) & mask];
                after[k & mask] = c[k] * product;
                yw += after[k & mask] * w[states[(t - k) & mask]];
            }
            after[0] = 1;
            yw *= rho;
            theta[following] -= a * yw * g;
            theta[state] += a * (yw - (ALGORITHM == 3 ? phi_w : 0));
            w[state] -= b * phi_w;
            for (int k = 0; k <= L && k <= t; k++) {
                const int place = states[(t - k) & mask];
                w[place] += b * delta * after[k & mask];
#if ALGORITHM == 3
                theta[place] += a * delta * after[k & mask];
#endif
            }
#endif
            qs[t & mask] = g * rho;
#endif
            state = following;
        }
#if TRACE == 6
        CLEAR(0)
#endif
        for (int i = 0; i < d; i++) thetas[(long)run * d + i] = theta[i];
    }
    free(states); free(qs); free(after); free(back); free(back_late); free(nothing);
#ifndef D
    free(theta); free(w); free(y); free(U); free(U_late); free(I);
#endif
}
