"""Kinds about A, C, G and -A'C^-1 A: definite, singular, stable; the fixed point; contractions."""

from __future__ import annotations

from fractions import Fraction

from .budget import Rejected
from .matrices import Matrix, read_symmetric, require_semidefinite, solve
from .model import Case, System
from .reading import brief, choice, listed, read_number


def definite(case: Case) -> str:
    """By a factor of + or - the symmetric part; or, with `rank`, in two cases without forming the matrix.

    C > 0: x'Cx is the sum of d(s) (Phi x)(s)^2 over the class; d > 0, and by rank Phi x = 0 only for x = 0.
    A < 0: K does not leave the class, so x'Ax = -y' D(I-M) y with y = Phi x on the class, and by rank y = 0
    only for x = 0.
    """
    case.open("matrix sign class", "stationary", "kernel", "rank factor")
    name = choice(case.about["matrix"], "about.matrix", ["A", "C", "D(I-M)"])
    sign, system = choice(case.about["sign"], "about.sign", ["positive", "negative"]), System(case)
    match name, sign, sorted(case.witness.keys() - {"stationary"}):
        case "C", "positive", ["rank"]:
            _ = case.law  # that there is one is known; the one given is verified all the same
            case.require_rank(case.support)
        case "A", "negative", ["factor", "rank"]:
            case.require_rank(case.support)
            case.require_definite(symmetric_part(system.D_I_minus_M()), "factor")
        case _, _, ["factor"]:
            form = {"A": system.A, "C": system.C, "D(I-M)": system.D_I_minus_M}[name]
            part = symmetric_part(form())
            case.require_definite(part if sign == "positive" else -part, "factor")
        case _, _, keys:
            raise Rejected(f"witness: the keys {keys} do not prove that {name} is {sign} definite")
    return f"the symmetric part of {system.words(name)} is {sign} definite, on {case.place()}"


def symmetric_part(matrix: Matrix) -> Matrix:
    return Fraction(1, 2) * (matrix + matrix.T)


def not_definite(case: Case) -> str:
    """One vector x != 0 with x'Sx on the wrong side, or zero.

    GTD's form at x = (w, v): -eta w'Cw + eta w'Av - v'A'w = -eta w'Cw + (eta - 1) w'Av.
    """
    case.open("matrix sign class", "stationary vector", "kernel eta")
    name = choice(case.about["matrix"], "about.matrix", ["A", "C", "D(I-M)", "GTD"])
    sign = choice(case.about["sign"], "about.sign", ["positive", "negative"])
    if (name == "GTD") != ("eta" in case.about):
        raise Rejected("about.eta: a positive number is needed for GTD, and none for other matrices")
    system, d = System(case), case.model.d
    if name == "D(I-M)":
        x = case.nonzero_vector(len(case.support))
        value = x.T @ -(system.D_on_class() @ (system.K_on_class() @ x))
    elif name == "GTD":
        if (eta := read_number(case.about["eta"], "about.eta")) <= 0:
            raise Rejected("about.eta: the number is not positive")
        x = case.nonzero_vector(2 * d)
        given = case.vector("vector", 2 * d)
        w, v = Matrix.column(given[:d]), Matrix.column(given[d:])
        value = -eta * (w.T @ system.C() @ w) + (eta - 1) * (w.T @ system.A() @ v)
    else:
        x = case.nonzero_vector(d)
        value = x.T @ ((system.C() if name == "C" else system.A()) @ x)
    total = sum(value.entries())
    if total > 0 if sign == "positive" else total < 0:
        raise Rejected(f"witness.vector: at this x the form of {name} has the sign of a {sign} definite one")
    return f"the symmetric part of {system.words(name)} is not {sign} definite, on {case.place()}"


def nonsingular(case: Case) -> str:
    case.open("matrix class", "stationary prime", "kernel")
    choice(case.about["matrix"], "about.matrix", ["A"])
    case.require_A_nonsingular()
    return f"A is nonsingular, on {case.place()}"


def singular(case: Case) -> str:
    case.open("matrix class", "stationary vector", "kernel columns", "coordinates")
    choice(case.about["matrix"], "about.matrix", ["A"])
    case.quotient()
    system, x = System(case), case.nonzero_vector(case.model.d)
    if not (system.Phi.T @ (system.D @ system.K(system.Phi @ x))).is_zero():
        raise Rejected("witness.vector: A x is not zero")
    return f"A is singular, on {case.place()}"


def gradient_stable(case: Case) -> str:
    """C > 0 (by rank, see `definite`) and A nonsingular: both gradient methods have stable mean dynamics.

    TDC: -A'C^-1 A is negative definite.  GTD, [[-eta C, eta A], [-A', 0]]: for an eigenvector (w, x) the real
    part of the eigenvalue times |w|^2 + eta |x|^2 is -eta w*Cw: negative, unless w = 0, and then A x = 0, so
    x = 0, which no eigenvector is.  With `columns`, of (T w, T x): the norm is that of W^-1 = (T T')^-1, and T has full
    row rank (see `Case.quotient`).
    """
    case.open("class", "stationary rank prime", "kernel columns", "coordinates")
    case.quotient()
    case.require_rank(case.support)
    case.require_A_nonsingular()
    hence = "GTD's mean matrix is Hurwitz for every eta > 0 and -A'C^-1 A is negative definite"
    return f"C is positive definite and A nonsingular, hence {hence}, on {case.place()}"


def lyapunov(case: Case, keys: str) -> tuple[Matrix, Matrix, str, str]:
    """`growth_of` the matrix that is named, and words for it and the bound."""
    case.open("matrix class shift", f"stationary lyapunov {keys}", "kernel eta columns", "coordinates")
    names = ["A"] if "columns" in case.about else ["A", "GTD", "TDC", "TDC joint"]
    name, weight = choice(case.about["matrix"], "about.matrix", names), case.quotient()
    d = case.model.d
    eta = read_number(case.about.get("eta", "1"), "about.eta")
    joint = name in ("GTD", "TDC joint")
    if eta <= 0 or joint != ("eta" in case.about):
        raise Rejected("about.eta: a positive number is needed for GTD and TDC joint, and none for other matrices")
    size = 2 * d if joint else d
    system = System(case)
    A = system.A()
    B = A if weight is None else weight @ A
    above, below = (Matrix(([int(i == j + k) for j in range(d)] for i in range(size)), d) for k in (0, d))
    if name == "GTD":  # [[-eta C, eta A], [-A', 0]], from its blocks
        B = above @ (-eta * system.C()) @ above.T + above @ (eta * A) @ below.T - below @ A.T @ above.T
    elif name == "TDC joint":  # [[A, -(A' + C)], [eta A, -eta C]]
        C = system.C()
        right = above @ (A.T + C) + eta * (below @ C)
        B = (above + eta * below) @ A @ above.T - right @ below.T
    elif name == "TDC":
        B = -(A.T @ solve(system.C(), A))
    words = f"{name} at eta = {brief(case.about['eta'])}" if joint else name
    return *growth_of(case, B), words, f"{brief(case.about['shift'])}, on {case.place()}"


def growth_of(case: Case, matrix: Matrix) -> tuple[Matrix, Matrix]:
    """X of the witness and B'X + XB, B = matrix - shift I."""
    shift, size = read_number(case.about.get("shift", "0"), "about.shift"), matrix.shape[0]
    X = read_symmetric(case.witness["lyapunov"], "witness.lyapunov", size)
    XB = X @ (matrix - shift * Matrix.identity(size))
    return X, XB + XB.T


def hurwitz(case: Case) -> str:
    """X > 0 and B'X + XB < 0 (Lyapunov): every eigenvalue of B = matrix - shift I has negative real part."""
    return all_below(case, *lyapunov(case, "factor_lyapunov factor_decrease"))


def require_decrease(case: Case, X: Matrix, growth: Matrix) -> None:
    case.require_definite(X, "factor_lyapunov")
    case.require_definite(-growth, "factor_decrease")


def all_below(case: Case, X: Matrix, growth: Matrix, name: str, bound: str) -> str:
    require_decrease(case, X, growth)
    return f"every eigenvalue of {name} has real part below {bound}"


def unstable(case: Case) -> str:
    """Along x' = Bx the form x'Xx grows at least like a positive multiple of |x|^2, hence of itself.

    A start where it is positive runs away exponentially: some eigenvalue of B has positive real part.
    """
    return one_above(case, *lyapunov(case, "factor_growth vector"))


def one_above(case: Case, X: Matrix, growth: Matrix, name: str, bound: str) -> str:
    x = case.nonzero_vector(X.shape[0])
    if read_number(case.about["shift"], "about.shift") < 0 or sum((x.T @ X @ x).entries()) <= 0:
        raise Rejected("about.shift is negative, or x'Xx is not positive at witness.vector")
    case.require_definite(growth, "factor_growth")
    return f"some eigenvalue of {name} has real part above {bound}"


def fixed_point(case: Case) -> str:
    """A nonsingular: no other theta does it."""
    case.open("class", "stationary theta prime", "kernel")
    case.require_rest()
    case.require_A_nonsingular()
    return f"A theta + b = 0 at theta = {listed(case.witness['theta'])} and nowhere else, on {case.place()}"


def contraction(case: Case) -> str:
    """|MV|_D <= modulus |V|_D on the class: Z = modulus^2 D - M'DM is positive semidefinite.

    Shown as such; or by `weights`, where M >= 0, so that Z has no positive entry off the diagonal: with y > 0 and
    Z y >= 0 the matrix diag(y) Z diag(y) has row sums y_i (Zy)_i >= 0: it is diagonally dominant, so it is positive
    semidefinite, and so is Z.
    """
    case.open("class modulus", "stationary", "", "weights semidefinite")
    modulus, system = read_number(case.about["modulus"], "about.modulus"), System(case)
    size = len(case.support)
    if modulus < 0 or ("weights" in case.witness) == ("semidefinite" in case.witness):
        raise Rejected("about.modulus is negative, or the witness has not one of weights and semidefinite")
    D, M = system.D_on_class(), system.K_on_class() + Matrix.identity(size)  # kernel "target", so q = 1
    if "semidefinite" in case.witness:
        Z = modulus**2 * D - M.T @ (D @ M)
        require_semidefinite(Z, case.witness["semidefinite"], "witness.semidefinite")
    else:
        y = Matrix.column(case.vector("weights", size))
        if len([x for x in y.entries() if x > 0]) < size:
            raise Rejected("witness.weights: an entry is not positive")
        if any(x < 0 for x in M.entries()):
            raise Rejected("about.class: M has a negative entry")
        if any(x < 0 for x in (modulus**2 * (D @ y) - M.T @ (D @ (M @ y))).entries()):
            raise Rejected("witness.weights: (modulus^2 D - M'DM) y has a negative entry")
    return f"|MV|_D <= {brief(case.about['modulus'])} |V|_D for every V, on {case.place()}"


def not_contraction(case: Case) -> str:
    """One V, on all states: the class need not be closed under M, and D is zero outside it."""
    case.open("class modulus", "stationary vector")
    modulus, system = read_number(case.about["modulus"], "about.modulus"), System(case)
    V = case.nonzero_vector(case.model.n)
    MV = system.K(V) + V  # kernel "target", so q = 1
    if sum((MV.T @ (system.D @ MV) - modulus**2 * (V.T @ (system.D @ V))).entries()) <= 0:
        raise Rejected("witness.vector: |MV|_D <= modulus |V|_D at this V")
    return f"|MV|_D > {brief(case.about['modulus'])} |V|_D for some V, on {case.place()}"
