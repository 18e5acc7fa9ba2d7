"""PufferLib: its compiled GAE, built from its file; rewards arrive with the state they lead to."""

import importlib
import sys
import tempfile

import numpy as np
import pyximport

from taken import file_of

pyximport.install(build_dir=tempfile.mkdtemp(prefix="tdcert-trial-"), setup_args={"include_dirs": np.get_include()})
sys.path.insert(0, str(file_of("pufferlib", "c_gae.pyx").parent))
own = importlib.import_module("c_gae")


def compute_gae(rewards, values, dones, gamma, gae_lambda):
    arrived = np.append(np.zeros(1, dtype=rewards.dtype), rewards)
    return own.compute_gae(dones, values, arrived, gamma, gae_lambda)[:-1]
