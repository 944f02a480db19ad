"""Declare what pyproject.toml cannot: the extension and the tag of its wheel."""

import sysconfig

from setuptools import find_packages, setup

# One wheel for every CPython from 3.10 on. Free-threaded builds have no limited
# API; each of them gets a wheel of its own.
LIMITED_API = {"bdist_wheel": {"py_limited_api": "cp310"}}
free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))

setup(
    packages=find_packages(include=["streamclip", "streamclip.*"]),
    package_data={"streamclip": ["py.typed"]},
    cffi_modules=["ffi_build.py:ffibuilder"],
    options={} if free_threaded else LIMITED_API,
)
