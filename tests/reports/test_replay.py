"""What the checker says of a report's certificates does not depend on how many processes ask it."""

from dataclasses import replace
from pathlib import Path

import pytest

from tdcert.reports.documents import certificate_files
from tdcert.reports.output import OutputFolder
from tdcert.reports.replay import replay
from tdcert.theory.certificate.shelf import FiledCertificate
from tdcert.theory.progress import silently
from tdcert.verification.verify import DEFAULT_SEED, verify


@pytest.fixture(scope="module")
def certificates() -> list[FiledCertificate]:
    """Over 64 of them, so that parts hold several; the third and the last but one say what is not so."""
    found = list(verify(["representable_value", "negative_margin"], "quick", DEFAULT_SEED, silently).certificates)
    found = (found * (1 + 70 // len(found)))[:70]
    found = [replace(one, path=f"{k}/{one.path}") for k, one in enumerate(found)]
    for k in (2, -2):
        found[k] = replace(found[k], body={**found[k].body, "digest": "0" * 64})
    return found


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_rejected_certificates_are_named_in_the_order_of_the_report(
    workers: int, certificates: list[FiledCertificate], tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    with OutputFolder(tmp_path / "report") as folder:
        folder.write(certificate_files(certificates))
        checked = replay(folder, certificates, lambda done, total, _: told.append((done, total)), workers)
        nothing = replay(folder, [], silently, workers)
    assert checked.accepted == 68
    assert [line.split(":")[0] for line in checked.rejected] == [certificates[2].path, certificates[-2].path]
    assert all("digest" in line for line in checked.rejected)
    assert told[-1] == (70, 70) and told == sorted(told)
    assert (nothing.accepted, nothing.rejected) == (0, ())
