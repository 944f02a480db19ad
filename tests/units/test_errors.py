"""Errors form one tree, say what to do, and survive pickling."""

import copy
import inspect
import pickle

import pytest

from streamclip import errors

EXAMPLES = [
    errors.StreamclipError("something went wrong"),
    errors.InvalidJSONError("a comma is missing", 1234),
    errors.InvalidJSONError("no value starts so", 0, "it looks like HTML or XML"),
    errors.IncompleteJSONError("the input ends inside a string", 70),
    errors.IncompleteJSONError("the input is empty", 0, None),
    errors.BudgetTooSmallError(131, "bytes"),
    errors.ClipperBusyError(),
    errors.InternalError("it is not valid JSON"),
    errors.ClipperBusyError("of another kind"),
    errors.InvalidMessageError("its role is missing", 3),
    errors.ReferenceNotFoundError("clip:7f3a9c2k8m4q"),
]


def tree_in_docstring() -> list[str]:
    """Return the names in the drawing at the top of the module."""
    words = inspect.getdoc(errors).replace("(", " ").split()
    return [word for word in words if word in errors.__all__]


def test_the_docstring_draws_every_class() -> None:
    """A class that is added has to be drawn too."""
    classes = inspect.getmembers(errors, inspect.isclass)
    assert sorted(errors.__all__) == sorted(name for name, _ in classes)
    assert sorted(set(tree_in_docstring())) == sorted(errors.__all__)


@pytest.mark.parametrize(
    ("error", "also"),
    [
        (errors.InvalidJSONError, ValueError),
        (errors.IncompleteJSONError, errors.InvalidJSONError),
        (errors.BudgetTooSmallError, ValueError),
        (errors.ClipperBusyError, errors.StreamclipError),
        (errors.InvalidMessageError, ValueError),
        (errors.ReferenceNotFoundError, LookupError),
    ],
)
def test_each_error_is_caught_by_its_kind(
    error: type[Exception], also: type[Exception]
) -> None:
    """Code that knows only the built-in kinds catches them as well."""
    assert issubclass(error, also)
    assert issubclass(error, errors.StreamclipError)


@pytest.mark.parametrize("error", EXAMPLES, ids=repr)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_errors_survive_pickling(error: Exception, protocol: int) -> None:
    """A process pool hands the same error back."""
    again = pickle.loads(pickle.dumps(error, protocol))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


@pytest.mark.parametrize("error", EXAMPLES, ids=repr)
def test_errors_survive_copying(error: Exception) -> None:
    """So does a copy."""
    assert str(copy.copy(error)) == str(error)
    assert vars(copy.deepcopy(error)) == vars(error)


def test_invalid_json_tells_where_and_why() -> None:
    """The attributes are for programs, the message is for people."""
    error = errors.InvalidJSONError("a comma is missing", 1234, "is it YAML?")
    assert (error.reason, error.offset) == ("a comma is missing", 1234)
    assert str(error) == "invalid JSON at byte 1234: a comma is missing (is it YAML?)"


def test_incomplete_json_tells_what_to_do() -> None:
    """The option that accepts such input is named."""
    assert 'incomplete="keep"' in str(errors.IncompleteJSONError("the input ends", 9))


@pytest.mark.parametrize("unit", ["bytes", "chars", "tokens"])
def test_too_small_a_budget_tells_what_is_needed(unit: str) -> None:
    """The message names the size and the option to raise."""
    error = errors.BudgetTooSmallError(131, unit)
    assert (error.needed, error.unit) == (131, unit)
    assert f"131 {unit}" in str(error)
    assert f"max_{unit}" in str(error)


def test_a_lost_reference_is_named() -> None:
    """What was asked for is in the message and in the attribute."""
    error = errors.ReferenceNotFoundError("clip:x")
    assert error.ref == "clip:x"
    assert "'clip:x'" in str(error)
