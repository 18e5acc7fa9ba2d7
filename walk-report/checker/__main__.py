"""Runs the folder as a program: `python -I -S checker/ [--patient] FILE|FOLDER...`, whatever the folder is called."""

import sys


def load() -> object:
    """The folder as a package. Nothing of the standard library may be looked for in it, so it leaves the path."""
    del sys.path[0]
    from importlib.util import module_from_spec, spec_from_file_location
    from os.path import dirname, join

    spec = spec_from_file_location("checker", join(dirname(__file__), "__init__.py"))
    assert spec is not None and spec.loader is not None
    sys.modules["checker"] = package = module_from_spec(spec)
    spec.loader.exec_module(package)
    return package


if __name__ == "__main__":
    if __package__:  # python -m
        from .program import main
    else:
        main = load().main  # type: ignore[attr-defined]
    sys.exit(main(sys.argv[1:]))
