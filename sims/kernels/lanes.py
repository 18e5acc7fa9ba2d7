# Numba carries no types of its own.
# mypy: disable-error-code="misc,untyped-decorator,no-untyped-call,assignment"
"""Several numbers as one value of compiled code.

``Words`` and ``Lanes`` hold a 64-bit word or a double for each of ``LANES`` independent runs, ``Quad`` four
neighbouring features of one run. + − × (and the operations on bits) act entry by entry, so no result depends on which
runs share a value. The widths are fixed: the compiler splits them into whatever registers the machine has. Products
and sums may be fused, which the bounds of ``tdcert.sims.rounding`` allow.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from tdcert.sims.kernels.records import LANES, QUAD

INNER: Any = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""A loop that no Python calls needs no code that unpacks its arguments, which takes longer to compile than the loop."""

_QUAD = ir.VectorType(ir.DoubleType(), QUAD)
_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_WORDS = ir.VectorType(ir.IntType(64), LANES)
_FUSED = ("contract",)


class _Lanes(types.Type):
    """A double for each run."""


class _Words(types.Type):
    """An unsigned 64-bit word for each run."""


class _Quad(types.Type):
    """Four neighbouring doubles."""


LANES_TYPE, WORDS_TYPE, QUAD_TYPE = _Lanes("Lanes"), _Words("Words"), _Quad("Quad")


def _is_stored_as(kind: Any, vector: Any) -> None:
    @register_model(kind)
    class _Model(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any):
            super().__init__(manager, kind, vector)


_is_stored_as(_Lanes, _DOUBLES)
_is_stored_as(_Words, _WORDS)
_is_stored_as(_Quad, _QUAD)


_intrinsic: Any = intrinsic
"""Compiled code calls what the function below describes, without its first argument: Numba's types do not say so."""


def _lanewise(symbol: Any, kind: Any, emit: Any) -> None:
    """``symbol`` between two values of one kind, run by run."""

    @type_callable(symbol)
    def typed(context: Any) -> Any:
        return lambda a, b: kind if a is kind and b is kind else None

    @lower_builtin(symbol, kind, kind)
    def lowered(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return emit(builder, *values)


def _shift(symbol: Any, emit: Any) -> None:
    """``words << count`` and ``words >> count``, the count a whole number below 64."""

    @type_callable(symbol)
    def typed(context: Any) -> Any:
        return lambda a, b: WORDS_TYPE if a is WORDS_TYPE and isinstance(b, types.Integer) else None

    @lower_builtin(symbol, WORDS_TYPE, types.Integer)
    def lowered(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        count = context.cast(builder, values[1], signature.args[1], types.uint64)
        return emit(builder, values[0], _splat(builder, count, LANES))


def _splat(builder: Any, scalar: Any, count: int) -> Any:
    vector = ir.VectorType(scalar.type, count)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
    return builder.shuffle_vector(first, first, zeros)


for _kind in (LANES_TYPE, QUAD_TYPE):
    _lanewise(operator.add, _kind, lambda builder, a, b: builder.fadd(a, b, flags=_FUSED))
    _lanewise(operator.sub, _kind, lambda builder, a, b: builder.fsub(a, b, flags=_FUSED))
    _lanewise(operator.mul, _kind, lambda builder, a, b: builder.fmul(a, b, flags=_FUSED))
for _name in ("add", "mul", "xor", "or_", "and_"):
    _lanewise(getattr(operator, _name), WORDS_TYPE, getattr(ir.IRBuilder, _name))
_shift(operator.lshift, ir.IRBuilder.shl)
_shift(operator.rshift, ir.IRBuilder.lshr)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index_type: Any, index: Any, vector: Any) -> Any:
    """The address of row ``index`` of an array (rows, LANES)."""
    data = context.make_array(array_type)(context, builder, array).data
    offset = context.cast(builder, index, index_type, types.intp)
    scaled = builder.mul(offset, ir.Constant(offset.type, LANES))
    return builder.bitcast(builder.gep(data, [scaled]), vector.as_pointer())


def _rows(array: Any) -> Any:
    """What a row of an array (rows, LANES) is; None for any other array."""
    if isinstance(array, types.Array) and array.ndim == 2 and array.layout == "C":
        return {types.float64: (LANES_TYPE, _DOUBLES), types.uint64: (WORDS_TYPE, _WORDS)}.get(array.dtype)
    return None


@_intrinsic
def load(typing: Any, array: Any, row: Any) -> Any:
    """Row ``row`` of an array (rows, LANES) of doubles or words."""
    found = _rows(array)
    if found is None or not isinstance(row, types.Integer):
        return None
    kind, vector = found

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        at = _pointer(context, builder, array, values[0], row, values[1], vector)
        return builder.load(at, align=8)

    return kind(array, row), emit


@_intrinsic
def store(typing: Any, array: Any, row: Any, value: Any) -> Any:
    """Write row ``row`` of an array (rows, LANES)."""
    found = _rows(array)
    if found is None or value is not found[0]:
        return None
    vector = found[1]

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        at = _pointer(context, builder, array, values[0], row, values[1], vector)
        builder.store(values[2], at, align=8)
        return context.get_dummy_value()

    return types.void(array, row, value), emit


@_intrinsic
def entry(typing: Any, array: Any, row: Any, lane: Any) -> Any:
    """``array[row, lane]`` of an array (rows, LANES), neither of them below zero."""
    found = _rows(array)
    if found is None or not (isinstance(row, types.Integer) and isinstance(lane, types.Integer)):
        return None

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        scalar = found[1].element
        at = _pointer(context, builder, array, values[0], row, values[1], scalar)
        return builder.load(builder.gep(at, [context.cast(builder, values[2], lane, types.intp)]))

    return array.dtype(array, row, lane), emit


@_intrinsic
def fill(typing: Any, value: Any) -> Any:
    """One number repeated for every run: a double gives Lanes, an unsigned integer Words."""
    if value is types.float64:
        kind = LANES_TYPE
    elif value is types.uint64:
        kind = WORDS_TYPE
    else:
        return None

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _splat(builder, values[0], LANES)

    return kind(value), emit


@_intrinsic
def gather(typing: Any, table: Any, places: Any, beyond: Any) -> Any:
    """``table[places + beyond]`` run by run; ``table`` one-dimensional, of doubles or words."""
    if not (isinstance(table, types.Array) and table.ndim == 1 and table.layout == "C" and places is WORDS_TYPE):
        return None
    if not isinstance(beyond, types.Integer):
        return None
    kind: Any = {types.float64: LANES_TYPE, types.uint64: WORDS_TYPE}.get(table.dtype)
    if kind is None:
        return None
    vector = _DOUBLES if kind is LANES_TYPE else _WORDS

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = context.make_array(table)(context, builder, values[0]).data
        data = builder.gep(data, [context.cast(builder, values[2], beyond, types.intp)])
        found = ir.Constant(vector, ir.Undefined)
        for lane in range(LANES):
            at = ir.Constant(ir.IntType(32), lane)
            address = builder.gep(data, [builder.extract_element(values[1], at)])
            found = builder.insert_element(found, builder.load(address), at)
        return found

    return kind(table, places, beyond), emit


@_intrinsic
def scatter(typing: Any, table: Any, places: Any, value: Any) -> Any:
    """Write ``table[places]`` run by run; ``table`` one-dimensional, of doubles."""
    if not (_is_flat(table, types.intp) and places is WORDS_TYPE and value is LANES_TYPE):
        return None

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = context.make_array(table)(context, builder, values[0]).data
        for lane in range(LANES):
            at = ir.Constant(ir.IntType(32), lane)
            address = builder.gep(data, [builder.extract_element(values[1], at)])
            builder.store(builder.extract_element(values[2], at), address)
        return context.get_dummy_value()

    return types.void(table, places, value), emit


@_intrinsic
def below(typing: Any, a: Any, b: Any, first: Any, second: Any) -> Any:
    """Run by run ``first`` where a < b (words), else ``second``."""
    if not all(x is WORDS_TYPE for x in (a, b, first, second)):
        return None

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(builder.icmp_unsigned("<", values[0], values[1]), values[2], values[3])

    return WORDS_TYPE(a, b, first, second), emit


def _is_flat(array: Any, index: Any) -> bool:
    """Whether ``array[index]`` is a place in a one-dimensional array of doubles."""
    flat = isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C" and array.dtype is types.float64
    return flat and isinstance(index, types.Integer)


def _quad_pointer(context: Any, builder: Any, signature: Any, array: Any, index: Any) -> Any:
    data = context.make_array(signature.args[0])(context, builder, array).data
    offset = context.cast(builder, index, signature.args[1], types.intp)
    return builder.bitcast(builder.gep(data, [offset]), _QUAD.as_pointer())


@_intrinsic
def quad(typing: Any, array: Any, index: Any) -> Any:
    """``array[index : index + 4]``."""
    if not _is_flat(array, index):
        return None

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load(_quad_pointer(context, builder, signature, *values), align=8)

    return QUAD_TYPE(array, index), emit


@_intrinsic
def put(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write ``array[index : index + 4]``."""
    if not _is_flat(array, index) or value is not QUAD_TYPE:
        return None

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store(values[2], _quad_pointer(context, builder, signature, *values[:2]), align=8)
        return context.get_dummy_value()

    return types.void(array, index, value), emit


@_intrinsic
def spread(typing: Any, value: Any) -> Any:
    """A Quad that holds one double four times."""
    if value is not types.float64:
        return None

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _splat(builder, values[0], QUAD)

    return QUAD_TYPE(value), emit


@_intrinsic
def total(typing: Any, value: Any) -> Any:
    """The sum of all entries: of four, (1 + 3) + (2 + 4)."""
    if value not in (QUAD_TYPE, LANES_TYPE):
        return None

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        (vector,) = values
        while (half := vector.type.count // 2) > 0:
            parts = (range(half), range(half, 2 * half))
            masks = (ir.Constant(ir.VectorType(ir.IntType(32), half), list(part)) for part in parts)
            vector = builder.fadd(*(builder.shuffle_vector(vector, vector, mask) for mask in masks))
        return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))

    return types.float64(value), emit
