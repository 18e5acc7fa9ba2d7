"""Models from outside: ``tdcert-model/1`` files and Gymnasium environments, read exactly or refused."""

from theory.files.load import load_model, loads_model
from theory.files.loaded import LoadedModel
from theory.files.overrides import Overrides

__all__ = ["LoadedModel", "Overrides", "load_model", "loads_model"]
