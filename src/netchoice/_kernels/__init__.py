"""Compiled loops: arrays in, arrays out, no Python objects.

The package imports a kernel module only when it needs one of its kernels. Commands that compute
nothing therefore do not load the compiler.
"""
