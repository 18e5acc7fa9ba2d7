"""Models from outside: ``tdcert-model/1`` files and Gymnasium environments, read exactly or refused."""

from tdcert.theory.files.load import load_any, load_model, loads_model
from tdcert.theory.files.loaded import LoadedModel
from tdcert.theory.files.npz import LoadedSparse
from tdcert.theory.files.overrides import Overrides

__all__ = ["LoadedModel", "LoadedSparse", "Overrides", "load_any", "load_model", "loads_model"]
