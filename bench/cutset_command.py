"""Options of the command cutset that several benchmarks give."""


def size_options(sizes):
    """The sizes of a model as options."""
    return [word for name, size in sizes.items() for word in ("--size", f"{name}={size}")]
