"""Models from outside: ``tdcert-model/1`` files and Gymnasium environments, read exactly or refused."""

from theory.files.load import load_any, load_model, loads_model
from theory.files.loaded import LoadedModel
from theory.files.npz import LoadedSparse
from theory.files.overrides import Overrides

__all__ = ["LoadedModel", "LoadedSparse", "Overrides", "load_any", "load_model", "loads_model"]
