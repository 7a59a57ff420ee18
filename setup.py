"""The rooms are top-level folders; they install below the namespace ``leitong``."""

from setuptools import find_packages, setup

ROOMS = ("indexer", "cli", "mappings", "reports", "web")

setup(
    package_dir={f"leitong.{room}": room for room in ROOMS},
    packages=[f"leitong.{name}" for name in find_packages(include=[*ROOMS, *(f"{r}.*" for r in ROOMS)])],
)
