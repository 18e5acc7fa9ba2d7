"""What ``import tdcert`` offers; :mod:`tdcert` loads it when it is first asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from tdcert.analysis.request import FLOAT_BITS
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.errors import InputError
from tdcert.theory.files import LoadedModel, LoadedSparse, Overrides, load_any, loads_model
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.sparse_model import SparseModel

__all__ = [
    "InputError",
    "LoadedModel",
    "LoadedSparse",
    "Model",
    "SparseModel",
    "algorithm",
    "analyze",
    "certify",
    "compare",
    "conform",
    "conform_estimator",
    "load_model",
]


def load_model(
    source: str | Path | Mapping[str, Any],
    *,
    discount: str | None = None,
    schedule: str | None = None,
    features: str | None = None,
    policy: str | None = None,
    target: str | None = None,
) -> LoadedModel | LoadedSparse:
    """A model from a ``tdcert-model/1`` file, an ``.npz`` archive, ``gymnasium:ID``, or the same document as a mapping.

    A mapping may hold numbers, fractions, nested lists and NumPy arrays; a float counts as the decimal it
    prints. The other arguments complete or override the model, as the options of ``tdcert analyze`` do.
    Raises :class:`InputError`, one sentence, for anything that is not a valid model.
    """
    given = Overrides(discount, schedule, features, policy, target)
    return loads_model(_text(source), given) if isinstance(source, Mapping) else load_any(source, given)


def analyze(
    model: str | Path | Mapping[str, Any] | Model | LoadedModel | SparseModel | LoadedSparse,
    *,
    discount: str | None = None,
    schedule: str | None = None,
    features: str | None = None,
    policy: str | None = None,
    target: str | None = None,
    arithmetic: str | None = None,
    bits: int = 53,
    simulate: bool = False,
    seed: int = 0,
    steps: str | None = None,
    phase_diagram: bool = False,
    out: str | Path | None = None,
) -> dict[str, Any]:
    """The analysis of a model, format ``tdcert-analysis/1``, as ``tdcert analyze MODEL --json`` prints it.

    ``model`` is anything :func:`load_model` takes, or a model that is already built. ``arithmetic``: ``exact``,
    ``enclosed`` or ``sparse``, by default chosen by the model's size; ``bits``: precision of enclosures, 53 or more.
    ``steps``: asks whether steps are small enough (``"0.1"``, ``"10,100,0.75"`` for 10/(t + 100)^0.75, ``"largest"``);
    ``simulate``: run the algorithms too, with these steps, and with this ``seed``. ``phase_diagram``: draw one too, as
    a figure of the document. ``out``: a folder for the report, as ``--out`` writes it. The other arguments are for what
    :func:`load_model` takes. Raises :class:`InputError` for bad input.

    ``reproduce`` of the document is the command that makes it again. A model that is in no file is saved in the report,
    as ``model.json`` or ``model.npz``, which the command then names; without a report it is None.
    """
    from tdcert.analysis.analyse import Request, analyse
    from tdcert.reports.analysis_json import analysis_document, digest_of
    from tdcert.reports.analysis_report import file_name, file_of, model_of_the_report, written_analysis
    from tdcert.reports.documents import shell_command
    from tdcert.reports.output import Analysed, OutputFolder

    given = {"discount": discount, "schedule": schedule, "features": features, "policy": policy, "target": target}
    source = str(model) if isinstance(model, str | Path) else None
    if isinstance(model, Model | LoadedModel | SparseModel | LoadedSparse):
        if any(value is not None for value in given.values()):
            raise InputError("options were given beside a model that is already built; change the model instead")
        loaded = _loaded(model)
    else:
        loaded = load_model(model, **given)
    named = source if source or out is None else str(Path(out) / file_name(loaded))
    drawn = seed if seed and (simulate or steps is not None) else None
    options = {
        **given,
        "arithmetic": arithmetic,
        "bits": str(bits) if bits > FLOAT_BITS else None,
        "simulate": "" if simulate else None,
        "seed": None if drawn is None else str(drawn),
        "steps": steps,
        "phase-diagram": "" if phase_diagram else None,
    }
    command = None if named is None else shell_command("analyze", named, options)
    request = Request.of_words(
        arithmetic, bits, command, simulate=simulate, seed=drawn, steps=steps, phase_diagram=phase_diagram
    )
    if out is None:
        run = analyse(loaded, _silently, request)
    else:
        with OutputFolder(out, Analysed(source, digest_of(loaded.model))) as folder:
            run = analyse(loaded, _silently, request)
            if source:
                kept = model_of_the_report(source, folder)
            else:
                kept = file_of(loaded, _text(model) if isinstance(model, Mapping) else None)
            written_analysis(folder, run, kept, _silently)
            folder.commit()
    return dict(json.loads(json.dumps(analysis_document(run))))  # plain strings and lists, nothing of ours


def certify(
    model: str | Path | Mapping[str, Any] | Model | LoadedModel,
    *,
    algorithm: str,
    steps: str,
    within: str | float,
    probability: str | float,
    ratio: str | float = "1",
    theta0: str | None = None,
    certificate: str | Path | None = None,
) -> dict[str, Any]:
    """When θ_t is within a distance of θ*: format ``tdcert-certify/1``, as ``tdcert certify --json`` prints it.

    ``one_time``: T with P(|θ_T − θ*| ≤ within) ≥ probability; ``ever_after``: N with P(|θ_t − θ*| ≤ within for all
    t ≥ N) ≥ probability, certified, or null with the reason in ``why``. ``algorithm``: ``td``, ``off_policy_td``,
    ``gtd``, ``tdc``; ``steps``: ``"A,T0"`` or ``"A,T0,P"`` for A/(t + T0)^P, ½ < P ≤ 1; ``ratio``: β/α of GTD and TDC;
    ``theta0``: θ_0 as ``"x,y,…"``, zeros where it is not given, w_0 = 0; the first state is drawn evenly from all.
    ``certificate``: a file to write the certificate to. Floats count as the decimals they print. Raises
    :class:`InputError` for bad input.
    """
    from tdcert.analysis.certify import Question
    from tdcert.analysis.certify import certify as answer
    from tdcert.reports import certify as answers
    from tdcert.reports.replay import rejection
    from tdcert.theory.certificate.write import text

    question = Question.of_words(algorithm, steps, str(within), str(probability), str(ratio), theta0)
    if not isinstance(model, Model):
        loaded = model if isinstance(model, LoadedModel) else load_model(model)
        if not isinstance(loaded.model, Model):
            raise InputError("certify is exact; give a model file or an environment, not an archive")
        model = loaded.model
    found = answer(model, question)
    body = answers.certificate(found)
    rejected = "" if body is None else rejection(body)
    document = answers.document(found, "tdcert.certify", rejected)
    if certificate is not None and body is not None:
        document["certificate"] = str(certificate)
        try:
            Path(certificate).write_text(text(body), encoding="ascii")
        except OSError as error:
            raise InputError(f"the certificate cannot be written to '{certificate}' ({error.strerror})") from None
    return document


def conform(
    target: str | type,
    *,
    algorithm: str,
    schedules: str | None = None,
    discounts: str | None = None,
    seed: int = 0,
    time_limit: float = 60.0,
) -> dict[str, Any]:
    """An implementation of yours on trial: format ``tdcert-conformance/1``, as ``tdcert conform --json`` prints it.

    ``target``: ``"module:Class"``, ``"path/to/file.py:Class"``, ``"notebook.ipynb:Class"``, or a class at the top level
    of a file or a notebook; what is asked of it is in docs/conformance.md. ``algorithm``: ``td``, ``off_policy_td``,
    ``gtd``, ``tdc``, or ``gtd_lambda`` (``tdc_lambda``), the textbook GTD(λ) of one λ; ``schedules``: ``any``,
    ``constant``, ``n_step`` or ``zero``; ``discounts``: ``any`` or ``constant``, which is one γ, and 0 where an episode
    ends; None: what its ``reset`` takes. ``time_limit``: seconds for each process the class runs in.
    Raises :class:`InputError` for a class that is not found and for unknown words.
    """
    from tdcert.reports.conform import document
    from tdcert.sims.conformance.trial import put_on_trial

    found = put_on_trial(target, algorithm, schedules=schedules, discounts=discounts, seed=seed, time_limit=time_limit)
    return document(found, time_limit)


def conform_estimator(
    function: str | Callable[..., Any],
    *,
    estimator: str,
    contract: str | Path | Sequence[str | Path],
    seed: int = 0,
    time_limit: float = 120.0,
    python: str | None = None,
) -> dict[str, Any]:
    """A return estimator of yours on trial: format ``tdcert-estimator-trial/1``, as ``conform --json`` prints it.

    ``function``: ``"module:function"``, ``"path/to/file.py:function"``, or a function at the top level of a file.
    ``estimator``: ``gae``, ``vtrace`` and so on; ``contract``: names or files (docs/estimators.md); it conforms if it
    satisfies one of them. ``time_limit``: seconds for each process the function runs in; ``python``: another Python to
    run it. Raises :class:`InputError` for a function that is not found, and for a contract that contradicts itself.
    """
    from tdcert.reports.estimators import document
    from tdcert.sims.estimators.trial import put_estimator_on_trial

    names = [str(name) for name in ([contract] if isinstance(contract, str | Path) else contract)]
    found = put_estimator_on_trial(function, estimator, names, seed=seed, time_limit=time_limit, python=python)
    return document(found, names, time_limit, python)


def compare(
    model: str | Path | Mapping[str, Any] | Model | LoadedModel | SparseModel | LoadedSparse,
    algorithms: str | Algorithm | Sequence[Algorithm] = "all",
    *,
    simulate: bool = False,
    seed: int = 0,
    step: str | float | None = None,
) -> dict[str, Any]:
    """Declared updates on a model: format ``tdcert-updates/1``, as ``tdcert analyze MODEL --algorithms …`` prints it.

    ``algorithms``: what :func:`algorithm` declared, one or several, or words as that option takes them. ``simulate``:
    run each with this ``seed``, against its exact moments. ``step``: a constant step to ask about. ``reproduce`` is
    empty: nothing in a shell makes it again.
    Raises :class:`InputError` for a model that is not exact, and for a function that is no affine update.
    """
    from tdcert.algorithms import find
    from tdcert.analysis.updates import analyse_updates, constant_step
    from tdcert.reports.updates import document

    built = isinstance(model, Model | LoadedModel | SparseModel | LoadedSparse)
    exact = (_loaded(model) if built else load_model(model)).model  # type: ignore[arg-type]
    if not isinstance(exact, Model):
        raise InputError("declared updates are asked of exact models; give a model file or an environment")
    constant = None if step is None else constant_step(str(step))
    chosen = [algorithms] if isinstance(algorithms, Algorithm) else algorithms
    chosen = find(chosen) if isinstance(chosen, str) else list(chosen)
    return document(analyse_updates(exact, chosen, _silently, simulate=simulate, seed=seed, step=constant), "")


def _loaded(model: Model | LoadedModel | SparseModel | LoadedSparse) -> LoadedModel | LoadedSparse:
    """A model that is already built, with what is known of its origin."""
    if isinstance(model, Model):
        return LoadedModel(model, tuple(f"s{s}" for s in range(model.n)), [], [], model.name or "a model")
    if isinstance(model, SparseModel):
        return LoadedSparse(model, [], [], model.name or "a model")
    return model


def _silently(done: int, total: int, what: str) -> None:
    """No progress is shown."""


def _text(document: Mapping[str, Any]) -> str:
    """A mapping as the JSON text of a model file."""
    try:
        return json.dumps(dict(document), default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the model holds something that is not a number, text or list ({error})") from None


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if hasattr(value, "tolist"):  # NumPy arrays and numbers
        return value.tolist()
    raise TypeError(f"a {type(value).__name__}")
