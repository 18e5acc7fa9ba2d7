"""Numbers of :data:`LANES` independent runs side by side, as one value of compiled code.

``Lanes`` holds a double, ``Words`` a 64-bit word for each run; + − × (and the operations on bits) act run by run, so
no result depends on which runs share a value. The width is fixed: the compiler splits it into whatever registers
the machine has. Products and sums may be fused, which the bounds of ``sims.rounding`` allow.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

LANES = 16
"""Runs side by side: two registers of eight doubles, so that one chain of additions can wait for the other."""

_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_WORDS = ir.VectorType(ir.IntType(64), LANES)
_FUSED = ("contract",)


class _Lanes(types.Type):  # type: ignore[misc]
    """A double for each run."""


class _Words(types.Type):  # type: ignore[misc]
    """An unsigned 64-bit word for each run."""


LANES_TYPE, WORDS_TYPE = _Lanes("Lanes"), _Words("Words")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, _DOUBLES)


@register_model(_Words)
class _WordsModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, _WORDS)


def _lanewise(symbol: Any, kind: Any, emit: Any) -> None:
    """``symbol`` between two values of one kind, run by run."""

    @type_callable(symbol)  # type: ignore[untyped-decorator]
    def typed(context: Any) -> Any:
        return lambda a, b: kind if a is kind and b is kind else None

    @lower_builtin(symbol, kind, kind)  # type: ignore[untyped-decorator]
    def lowered(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return emit(builder, *values)


def _shift(symbol: Any, emit: Any) -> None:
    """``words << count`` and ``words >> count``, the count a whole number below 64."""

    @type_callable(symbol)  # type: ignore[untyped-decorator]
    def typed(context: Any) -> Any:
        return lambda a, b: WORDS_TYPE if a is WORDS_TYPE and isinstance(b, types.Integer) else None

    @lower_builtin(symbol, WORDS_TYPE, types.Integer)  # type: ignore[untyped-decorator]
    def lowered(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        count = context.cast(builder, values[1], signature.args[1], types.uint64)
        return emit(builder, values[0], _splat(builder, count))


def _splat(builder: Any, scalar: Any) -> Any:
    vector = ir.VectorType(scalar.type, LANES)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, first, zeros)


_lanewise(operator.add, LANES_TYPE, lambda builder, a, b: builder.fadd(a, b, flags=_FUSED))
_lanewise(operator.sub, LANES_TYPE, lambda builder, a, b: builder.fsub(a, b, flags=_FUSED))
_lanewise(operator.mul, LANES_TYPE, lambda builder, a, b: builder.fmul(a, b, flags=_FUSED))
_lanewise(operator.add, WORDS_TYPE, lambda builder, a, b: builder.add(a, b))
_lanewise(operator.mul, WORDS_TYPE, lambda builder, a, b: builder.mul(a, b))
_lanewise(operator.xor, WORDS_TYPE, lambda builder, a, b: builder.xor(a, b))
_lanewise(operator.or_, WORDS_TYPE, lambda builder, a, b: builder.or_(a, b))
_lanewise(operator.and_, WORDS_TYPE, lambda builder, a, b: builder.and_(a, b))
_shift(operator.lshift, lambda builder, a, b: builder.shl(a, b))
_shift(operator.rshift, lambda builder, a, b: builder.lshr(a, b))


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


@intrinsic  # type: ignore[untyped-decorator]
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


@intrinsic  # type: ignore[untyped-decorator]
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


@intrinsic  # type: ignore[untyped-decorator]
def fill(typing: Any, value: Any) -> Any:
    """The same number for every run: a double gives Lanes, an unsigned integer Words."""
    if value is types.float64:
        kind = LANES_TYPE
    elif value is types.uint64:
        kind = WORDS_TYPE
    else:
        return None

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _splat(builder, values[0])

    return kind(value), emit


@intrinsic  # type: ignore[untyped-decorator]
def gather(typing: Any, table: Any, places: Any, beyond: Any) -> Any:
    """``table[places + beyond]`` run by run; ``table`` one-dimensional, of doubles or words."""
    if not (isinstance(table, types.Array) and table.ndim == 1 and table.layout == "C" and places is WORDS_TYPE):
        return None
    if not isinstance(beyond, types.Integer):
        return None
    kind = {types.float64: LANES_TYPE, types.uint64: WORDS_TYPE}.get(table.dtype)
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


@intrinsic  # type: ignore[untyped-decorator]
def below(typing: Any, a: Any, b: Any, first: Any, second: Any) -> Any:
    """Run by run ``first`` where a < b (words), else ``second``."""
    if not all(x is WORDS_TYPE for x in (a, b, first, second)):
        return None

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(builder.icmp_unsigned("<", values[0], values[1]), values[2], values[3])

    return WORDS_TYPE(a, b, first, second), emit


@intrinsic  # type: ignore[untyped-decorator]
def all_below(typing: Any, a: Any, b: Any) -> Any:
    """Whether a < b for every run; a NaN is below nothing."""
    if a is not LANES_TYPE or b is not LANES_TYPE:
        return None

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        mask = builder.fcmp_ordered("<", *values)
        bits = builder.bitcast(mask, ir.IntType(LANES))
        return builder.icmp_unsigned("==", bits, ir.Constant(bits.type, (1 << LANES) - 1))

    return types.boolean(a, b), emit
