"""A tool-call worker for a small public observatory, in one file and with nothing but Python 3.10 or later.

    python3 worker.py [PORT]      PORT=4444 python3 worker.py      WORKER_SECRET=... python3 worker.py

An agent engine POSTs a decision request before each step of an agent's turn. `trigger` says what happened, `proposed`
is what the engine would do next. This worker decides two things itself: which agent and tools a session has
(session.start), and what a tool call answers (tool.execute). Everywhere else it returns `proposed`.
"""

import datetime
import hashlib
import hmac
import json
import os
import re
import signal
import sys
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY = 16 * 1024 * 1024
REMEMBERED = 1000  # how many answers, and how many first attempts, are kept
SECRET = os.environ.get("WORKER_SECRET", "").encode()

# ---- the observatory -------------------------------------------------------------------------------------------------

# Rounded values, good enough here.
CATALOGUE = {
    "Vega": ("star in Lyra", "18h 36m 56s", "+38d 47m 01s", {"B": 0.03, "V": 0.03, "R": 0.07}),
    "Sirius": ("star in Canis Major", "06h 45m 09s", "-16d 42m 58s", {"B": -1.46, "V": -1.46, "R": -1.43}),
    "Betelgeuse": ("star in Orion", "05h 55m 10s", "+07d 24m 25s", {"B": 2.27, "V": 0.42, "R": -1.17}),
    "Polaris": ("star in Ursa Minor", "02h 31m 49s", "+89d 15m 51s", {"B": 2.62, "V": 2.02, "R": 1.53}),
    "M31": ("galaxy in Andromeda", "00h 42m 44s", "+41d 16m 09s", {"B": 4.36, "V": 3.44, "R": 2.66}),
    "M13": ("globular cluster in Hercules", "16h 41m 42s", "+36d 27m 37s", {"B": 6.48, "V": 5.78, "R": 5.34}),
}

# A grey picture of 4 x 4 points, as plain base64: no "data:" prefix, no line breaks.
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAAAAACMmsGiAAAAGklEQVR42mNgEBFhYBD5f0KEQeTEFhBThAEAJ9MD5IcDrPgAAAAASUVORK5CYII="
)


class Refusal(Exception):
    """The answer "no" that a tool gives on purpose. Its text is all that the model reads, so it says what to send
    instead. `retryable` is for faults that pass by themselves: the engine then repeats the identical call."""

    def __init__(self, text, retryable=False, code=None):
        super().__init__(text)
        self.retryable, self.code = retryable, code


# The engine checks arguments against the schema when it knows it. It does not for a call that it cannot trace, so each
# tool looks at its own fields once more.


def object_named(name):
    if not isinstance(name, str):
        raise Refusal('name must be a string such as "Vega"')
    if name not in CATALOGUE:
        known = ", ".join(f'"{key}"' for key in CATALOGUE)
        raise Refusal(f'no object named "{short(name, 40)}" in the catalogue; try one of {known} as name')
    return CATALOGUE[name]


def is_whole(value, low, high):
    """JSON Schema counts 5.0 as an integer. Python counts True as one; nobody else does."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return low <= value <= high and value == int(value)


def is_date(text):
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    try:
        datetime.date.fromisoformat(text)
    except ValueError:  # 30 February
        return False
    return True


def text_block(text):
    return {"type": "text", "text": text}


def find_object(value, call):
    kind, ra, dec, _ = object_named(value.get("name"))
    return {"content": [text_block(f"{value['name']} ({kind}): right ascension {ra}, declination {dec}")]}


def measure_brightness(value, call):
    """A tool with an output schema fails by Refusal, never by a flagged result: the schema would be held against it."""
    name, band = value.get("name"), value.get("filter")
    magnitudes = object_named(name)[3]
    if not isinstance(band, str) or band not in magnitudes:
        raise Refusal('filter must be one of "B", "V", "R"')
    return {
        "content": [text_block(f"{name} has magnitude {magnitudes[band]} in filter {band}")],
        "structuredContent": {"name": name, "magnitude": magnitudes[band], "filter": band},
    }


def reserve_telescope(value, call):
    telescope, night, busy = value.get("telescope"), value.get("night"), value.get("busy_for", 0)
    if telescope not in ("north", "south"):
        raise Refusal('telescope must be "north" or "south"')
    if not is_date(night):
        raise Refusal('night must be a date written YYYY-MM-DD, such as "2026-08-28"')
    if not is_whole(busy, 0, 5):
        raise Refusal("busy_for must be a whole number from 0 to 5, or left out")
    if attempts_so_far(call) <= busy:
        words = f"the dome computer of the {telescope} telescope is busy; the same request can be sent again"
        raise Refusal(words, retryable=True, code="rate_limited")
    first_attempts.pop(call["key"], None)  # the call is over
    return {"content": [text_block(f"the {telescope} telescope is reserved for the night of {night}")]}


def take_exposure(value, call):
    name, seconds = value.get("name"), value.get("seconds")
    object_named(name)
    if not is_whole(seconds, 1, 30):
        raise Refusal("seconds must be a whole number from 1 to 30")
    image = {"type": "image", "data": PICTURE, "mimeType": "image/png"}
    return {"content": [image, text_block(f"exposure of {name}, {int(seconds)} s")]}


def schema(properties, required):
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def name_of(example):
    words = 'Name of a catalogue object, written as in the catalogue, such as "Vega" or "M31".'
    return {"type": "string", "description": words, "examples": [example]}


FILTER = {
    "type": "string",
    "enum": ["B", "V", "R"],
    "description": "B is blue, V is visual, R is red. V is the usual choice.",
}

# What the model is told about each tool. A tool's function takes (value, call), and returns a ToolResult or raises a
# Refusal.
TOOLS = [
    {
        "name": "find_object",
        "description": 'Gives kind and position (right ascension, declination) of a catalogue object, such as "Vega" or '
        '"M31". Use it to find out where something is; for how bright it is use measure_brightness, for a picture '
        "take_exposure.",
        "input": schema({"name": name_of("Vega")}, ["name"]),
    },
    {
        "name": "measure_brightness",
        "description": "Measures the magnitude of a catalogue object in one filter. Prefer it over take_exposure when a "
        "number is wanted and no picture; for the position use find_object.",
        "input": schema({"name": name_of("Vega"), "filter": FILTER}, ["name", "filter"]),
        "output": schema(
            {"name": {"type": "string"}, "magnitude": {"type": "number"}, "filter": FILTER},
            ["name", "magnitude", "filter"],
        ),
    },
    {
        "name": "reserve_telescope",
        "description": "Reserves a telescope for one whole night. Use it for a later night only; to take a picture now "
        "use take_exposure, which needs no reservation.",
        "input": schema(
            {
                "telescope": {
                    "type": "string",
                    "enum": ["north", "south"],
                    "description": "Which dome to reserve.",
                    "examples": ["north"],
                },
                "night": {
                    "type": "string",
                    "format": "date",
                    "pattern": r"^\d{4}-\d{2}-\d{2}$",
                    "description": 'Date on which the night begins, written YYYY-MM-DD, such as "2026-08-28".',
                    "examples": ["2026-08-28"],
                },
                "busy_for": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 5,
                    "description": "For rehearsals: how many attempts find the dome computer busy. Leave it out otherwise.",
                    "examples": [0],
                },
            },
            ["telescope", "night"],
        ),
    },
    {
        "name": "take_exposure",
        "description": "Takes a picture of a catalogue object now and returns it as a PNG image. Use it only when a "
        "picture is wanted; measure_brightness is quicker when a number is enough.",
        "input": schema(
            {
                "name": name_of("M31"),
                "seconds": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 30,
                    "description": "Exposure time in whole seconds, 1 to 30.",
                    "examples": [5],
                },
            },
            ["name", "seconds"],
        ),
    },
]

FUNCTIONS = {
    "find_object": find_object,
    "measure_brightness": measure_brightness,
    "reserve_telescope": reserve_telescope,
    "take_exposure": take_exposure,
}

# ---- decisions -------------------------------------------------------------------------------------------------------

OWN_AGENT = {
    "model": "observatory-model",
    "llm": "main",
    "system": "You help visitors of a small public observatory. Use the tools for every fact about the sky.",
}


class BadRequest(Exception):
    """The body is no decision request."""


def decide(raw):
    """Takes the bytes of a decision request and gives the text of the decision."""
    try:
        text = raw.decode("utf-8")
        # Only to know that it is JSON; the values are read below. Numbers stay text: nothing is rounded or too long.
        json.loads(text, parse_int=str, parse_float=str, parse_constant=not_json)
    except (ValueError, RecursionError):
        raise BadRequest("the body is not JSON in UTF-8") from None
    if not text.strip().startswith("{"):
        raise BadRequest("the body is not a JSON object")
    request = members(text)
    proposed = request.get("proposed", "null")
    if not request.get("trigger", "").startswith("{"):
        raise BadRequest("the body has no trigger: not a decision request")
    trigger = members(request["trigger"])
    kind = string(trigger.get("type"))
    if kind is None:
        raise BadRequest("trigger.type is not a string: not a decision request")
    if proposed != "null" and not proposed.startswith("{"):
        raise BadRequest("proposed is not an object: not a decision request")

    draft = {} if proposed == "null" else members(proposed)
    if kind == "session.start":
        return start_session(draft)
    if kind == "tool.execute" and not json.loads(draft.get("actions", "null"), parse_int=str):
        return execute_tool(request, trigger, draft)
    return "{}" if proposed == "null" else proposed  # the very text that came in, so nothing in it can be damaged


def not_json(word):
    raise ValueError(f"{word} is not JSON")


def start_session(draft):
    """Takes the agent that the engine proposes, or else brings its own, and adds the tools. A tool that the proposed
    agent declares already stays as it is: a name may be declared once only."""
    proposed = draft.get("agent", "null")
    agent = members(proposed if proposed.startswith("{") else json.dumps(OWN_AGENT))
    tools = agent.get("tools", "[]")
    theirs = json.loads(tools, parse_int=str) or []
    taken = [tool.get("name") for tool in theirs if isinstance(tool, dict)]
    added = [json.dumps(tool) for tool in TOOLS if tool["name"] not in taken]
    kept = [tools[1:-1]] if theirs else []
    agent["tools"] = "[" + ",".join(kept + added) + "]"
    draft["agent"] = join(agent)
    return join(draft)


# An engine that heard no answer sends the decision again. The same decision must not act twice, and must read the same,
# so what a tool answered is kept. Only that: a returned `proposed` has to be the one of the newest delivery.
answers = {}
first_attempts = {}
lock = threading.Lock()  # guards both; held while a tool runs, since these tools are quick


def execute_tool(request, trigger, draft):
    parts = [request.get("session_id"), request.get("decision_id")]
    parts += [trigger.get(member) for member in ("id", "name", "attempt", "arguments")]
    key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()  # a short stand-in, since arguments can be long
    with lock:
        if key not in answers:
            remember(answers, key, json.dumps(settle(request, trigger)))
        draft["actions"] = f"[{answers[key]}]"
    return join(draft)


def settle(request, trigger):
    """Runs one call and always comes back with its one result or error."""
    name = string(trigger.get("name")) or ""
    answer = {"id": string(trigger["id"])} if trigger.get("id", "").startswith('"') else {}
    try:
        if name not in FUNCTIONS:
            raise Refusal(f'no tool named "{short(name, 40)}"; the tools are {", ".join(FUNCTIONS)}')
        tool_input = members(trigger["input"]) if trigger.get("input", "").startswith("{") else {}
        # The value was parsed and checked by the engine; `arguments` is raw text.
        if string(tool_input.get("status")) != "valid" or not tool_input.get("value", "").startswith("{"):
            error = string(tool_input.get("error"))
            why = f" ({short(error, 300)})" if error else ""
            words = "was not run, its arguments are not usable"
            raise Refusal(f"{name} {words}{why}; send one JSON object that fits its input schema")
        key = json.dumps([request.get("session_id"), request.get("turn_id"), trigger.get("id")])
        call = {"key": key, "attempt": int(float(trigger.get("attempt", "0")))}
        value = json.loads(tool_input["value"], parse_int=integer)
        return {"type": "tool.result", **answer, "result": FUNCTIONS[name](value, call)}
    except Refusal as no:
        code = {"code": no.code} if no.code else {}
        return {"type": "tool.error", **answer, "error": str(no), "retryable": no.retryable, **code}
    except Exception:
        traceback.print_exc()  # for us; the model is told no more than it can use
        words = f"{name} failed because of a fault in the worker; the arguments are not to blame"
        return {"type": "tool.error", **answer, "error": words, "retryable": False}


def attempts_so_far(call):
    """Whether a first attempt is numbered 0 or 1 is up to the engine, so they are counted from the first one seen."""
    first = min(first_attempts.get(call["key"], call["attempt"]), call["attempt"])
    remember(first_attempts, call["key"], first)
    return call["attempt"] - first + 1


def remember(entries, key, value):
    entries[key] = value
    if len(entries) > REMEMBERED:
        del entries[next(iter(entries))]  # a dict keeps its order: the oldest entry is the first


# ---- JSON without loss -----------------------------------------------------------------------------------------------

STRUCTURE = re.compile(r'["{}\[\],]')


def members(text):
    """Splits the text of a JSON object and leaves each value as the text that was sent: members('{"a": 1.10}') is
    {'a': '1.10'}, where json.loads and json.dumps would make it 1.1. The text must be valid JSON. join is the way back."""
    found, at = {}, 0
    while (start := text.find('"', at)) >= 0:  # the next key; after the last value no quote is left
        end = end_of_string(text, start)
        value = text.index(":", end) + 1
        at = end_of_value(text, value)
        found[json.loads(text[start:end])] = text[value:at].strip()
    return found


def join(parts):
    return "{" + ",".join(f"{json.dumps(key)}:{value}" for key, value in parts.items()) + "}"


def end_of_string(text, start):
    """A quote ends a string unless an odd number of backslashes stands before it."""
    at = start
    while True:
        at = text.index('"', at + 1)
        before = at
        while text[before - 1] == "\\":
            before -= 1
        if (at - before) % 2 == 0:
            return at + 1


def end_of_value(text, at):
    """A member's value ends at the first comma or closing brace that belongs to the object around it."""
    depth = 0
    while True:
        at = STRUCTURE.search(text, at).start()
        mark = text[at]
        if mark == '"':
            at = end_of_string(text, at)
            continue
        if depth == 0 and mark in ",}":
            return at
        depth += (mark in "{[") - (mark in "}]")
        at += 1


def string(raw):
    return json.loads(raw) if raw is not None and raw.startswith('"') else None


def integer(digits):
    """Exact, as Python's integers are; but Python refuses to read thousands of digits, and no tool here wants them."""
    return int(digits) if len(digits) < 400 else float(digits)


def short(text, length):
    """Cuts a text that came from outside, and mends half characters: an engine refuses an answer that holds one."""
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text[:length])


# ---- HTTP ------------------------------------------------------------------------------------------------------------


def signed(raw, header):
    want = "sha256=" + hmac.new(SECRET, raw, hashlib.sha256).hexdigest()
    return not SECRET or hmac.compare_digest(want.encode(), header.encode("utf-8", "replace"))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open
    timeout = 75  # seconds a connection may be idle; an engine keeps its connections for a while
    wbufsize = -1  # head and body leave in one packet, or each answer would wait for an acknowledgement

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if self.path.split("?")[0] != "/":
            return self.fault(404, "decision requests go to /")
        if not re.fullmatch("[0-9]+", length):
            return self.fault(411, "the request has no Content-Length")
        if len(length) > 12 or int(length) > MAX_BODY:
            rest = int(length[:12])
            while rest > 0 and (piece := self.rfile.read(min(rest, 65536))):
                rest -= len(piece)  # read and forgotten: few clients listen while they send
            return self.fault(413, "the body is larger than 16 MB")
        raw = self.rfile.read(int(length))
        if not signed(raw, self.headers.get("X-Substructure-Signature", "")):
            return self.fault(401, "the signature does not fit the body")
        try:
            self.answer(200, decide(raw))
        except BadRequest as bad:
            self.fault(400, str(bad))
        except Exception:
            traceback.print_exc()
            self.fault(500, "fault in the worker")

    def not_allowed(self):
        self.fault(405, "decision requests are sent by POST")

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = not_allowed

    def fault(self, status, text):
        self.close_connection = True  # the body may not have been read
        self.answer(status, json.dumps({"error": text}))

    def answer(self, status, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if status == 405:
            self.send_header("Allow", "POST")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body if self.command != "HEAD" else b"")

    def log_message(self, format, *args):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # connections that may wait to be accepted; the default of 5 is soon full

    def handle_error(self, request, client_address):
        print("connection lost:", sys.exc_info()[1], file=sys.stderr)


def main():
    port = os.environ.get("PORT") or (sys.argv[1] if len(sys.argv) > 1 else "4444")
    server = Server(("127.0.0.1", int(port)), Handler)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
