"""The schemas for other programs are those of today's types, and describe what is really written."""

import jsonschema
import msgspec
import pytest

from core.registry import OURS
from events.jsonl import write
from replay.packaged import data_root
from replay.schema import event_schema, header_schema, schemas
from replay.simulate import Batch, simulate


@pytest.mark.parametrize("name", ["header.json", *[f"{kind.slug}.json" for kind in OURS]])
def test_stored_schemas_are_those_of_todays_types(name: str) -> None:
    stored = msgspec.json.decode((data_root() / "schema" / name).read_bytes())
    assert stored == msgspec.json.decode(msgspec.json.encode(schemas()[name])), "run: python -m replay.schema"


def test_schemas_accept_what_is_written_and_refuse_what_is_not() -> None:
    kind = OURS[0]
    tape = next(simulate(Batch(game=kind.slug, seats=2, seed="schema", bots=("random", "random")), 1))
    header, *events = [msgspec.json.decode(line) for line in write(tape)]
    jsonschema.validate(header, header_schema())
    jsonschema.Draft202012Validator.check_schema(schema := event_schema(kind))
    validator = jsonschema.Draft202012Validator(schema)
    shapes = {repr([(name, type(value)) for name, value in event.items()] + [event["type"]]): event for event in events}
    for event in shapes.values():  # one of each: the validator takes its time
        validator.validate(event)
    for broken in ({**events[5], "seat": "x"}, {**events[5], "type": "nothing"}, {"type": "turn_started"}):
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(broken)
