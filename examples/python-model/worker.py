"""A worker that hosts the model itself: a small library whose librarian is a script.

The engine asks it where it would else ask a provider: by llm.execute. The answer is streamed, piece by piece, when the
engine asks for a stream. Nothing but the standard library is needed.
"""
import hashlib
import hmac
import json
import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SHELVES = {"Moby-Dick": "the second shelf of room 3", "Middlemarch": "the top shelf of room 1"}
TOOLS = [{
    "name": "find_book",
    "description": "Says on which shelf of the library a book stands. Use it for every question about the place of a book.",
    "input": {
        "type": "object",
        "properties": {"title": {"type": "string", "description": "The title in full, such as 'Moby-Dick'.",
                                 "examples": ["Moby-Dick", "Middlemarch"]}},
        "required": ["title"],
    },
}]
MAX_BODY = 16 << 20


def decide(request):
    """Returns the decision and the pieces in which it is to be streamed, or None for a decision in one piece."""
    trigger = request["trigger"]
    proposed = request.get("proposed") or {}
    if trigger["type"] == "session.start":
        agent = proposed.get("agent") or {"model": "librarian", "llm": "main", "system": "You help visitors of a library."}
        taken = {tool["name"] for tool in agent.get("tools") or []}
        tools = (agent.get("tools") or []) + [tool for tool in TOOLS if tool["name"] not in taken]
        return {**proposed, "agent": {**agent, "tools": tools}}, None
    if trigger["type"] == "tool.execute" and not proposed.get("actions"):
        return {"actions": [run(trigger)]}, None
    if trigger["type"] == "llm.execute":
        return answer(trigger)
    return None, None  # everything else is the engine's own proposal


def run(trigger):
    """One tool.result or tool.error for each call, whatever its arguments are."""
    title = (trigger["input"].get("value") or {}).get("title")
    if trigger["name"] != "find_book":
        return {"type": "tool.error", "error": "there is no tool %s; use find_book" % json.dumps(trigger["name"][:60])}
    if trigger["input"]["status"] != "valid" or not isinstance(title, str):
        return {"type": "tool.error", "error": 'find_book needs a title: send {"title": "Moby-Dick"}'}
    if title not in SHELVES:
        return {"type": "tool.error", "error": "the library does not have that book; it has " + " and ".join(SHELVES)}
    return {"type": "tool.result", "result": {"content": [{"type": "text", "text": title + " stands on " + SHELVES[title]}]}}


def answer(trigger):
    """The model: asked for find_book it calls it, shown a result it reads it out, else it greets."""
    request = trigger["request"]
    last = request["messages"][-1] if request["messages"] else {"role": "user"}
    text = spoken(last.get("content"))
    offered = {tool["name"] for tool in request.get("tools") or []}
    response = {"model": request["model"], "finish_reason": "stop", "usage": usage(len(text) + 10, 12)}
    if last["role"] != "tool" and "find_book" in text and "find_book" in offered:
        # The id of the model call makes that of the tool call new in the session.
        call = {"id": "call-" + trigger["id"], "type": "function",
                "function": {"name": "find_book", "arguments": '{"title": "Moby-Dick"}'}}
        response.update(finish_reason="tool_calls", tool_calls=[call])
        pieces = [{"tool_calls": [{"id": call["id"], **call["function"]}]}, {"finish_reason": "tool_calls"}]
    else:
        response["content"] = "I looked it up: " + text if last["role"] == "tool" else "Good day. Which book is it?"
        words = response["content"].split(" ")
        pieces = [{"text": word if i == 0 else " " + word} for i, word in enumerate(words)] + [{"finish_reason": "stop"}]
    action = {"type": "llm.result", "id": trigger["id"], "attempt": trigger["attempt"], "response": response}
    return {"actions": [action]}, pieces if trigger["stream"] else None


def spoken(content):
    if isinstance(content, list):
        return " ".join(part.get("text", "") for part in content)
    return content or ""


def usage(read, written):
    return {"input": read, "uncached_input": read, "cache_read": 0, "cache_write": 0, "output": written, "total": read + written}


def proposal(body):
    """The proposal as it stands in the request, byte for byte: parsing and printing would round large numbers."""
    decoder, i = json.JSONDecoder(), body.index("{") + 1
    while True:
        i = skip(body, i, " \t\r\n,")
        if body[i] == "}":
            return "{}"
        name, i = decoder.raw_decode(body, i)
        start = skip(body, i, " \t\r\n:")
        _, i = decoder.raw_decode(body, start)
        if name == "proposed":
            return body[start:i]


def skip(body, i, blank):
    while body[i] in blank:
        i += 1
    return i


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 120
    disable_nagle_algorithm = True

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MAX_BODY:
            self.close_connection = True
            return self.reply(413 if length.isdigit() else 411, "text/plain", "send a body of known length, at most 16 MB")
        body = self.rfile.read(int(length))
        secret = os.environ.get("WORKER_SECRET")
        if secret:
            want = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
            if not hmac.compare_digest(want.encode(), (self.headers.get("X-Substructure-Signature") or "").encode("latin-1")):
                return self.reply(401, "text/plain", "the signature does not fit")
        try:
            text = body.decode()
            decision, pieces = decide(json.loads(text))
            printed = proposal(text) if decision is None else json.dumps(decision, ensure_ascii=False)
        except Exception as fault:  # a decision that cannot be made is said, and the process lives on
            print("cannot decide:", repr(fault), file=sys.stderr)
            return self.reply(400, "text/plain", "this is no decision request")
        if pieces is None:
            return self.reply(200, "application/json", printed)
        frames = [frame("llm.token.delta", json.dumps(piece, ensure_ascii=False)) for piece in pieces]
        self.stream(frames + [frame("decision.result", printed)])

    def reply(self, status, kind, text):
        data = text.encode("utf-8", "surrogatepass")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, frames):
        """Chunked, so that each frame goes out as it is ready. The last chunk is the empty one."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for text in frames:
            data = text.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


def frame(event, data):
    """One event of a stream: its name, its data, and the empty line that ends it."""
    return "event: " + event + "\ndata: " + data + "\n\n"


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    port = int(os.environ.get("PORT") or (sys.argv[1] if len(sys.argv) > 1 else 4444))
    server = Server(("127.0.0.1", port), Handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print("listening on http://127.0.0.1:%d" % server.server_address[1], flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
