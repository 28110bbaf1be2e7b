"""The version of the module, and of the header that it was written for."""

__version__ = "0.1.0"
