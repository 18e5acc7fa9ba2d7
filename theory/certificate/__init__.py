"""Certificates: ``write`` makes them, ``checker`` (standard library only, alone) replays them."""
