// A tool-call worker for a small public observatory, in one file and with nothing but Node 20 or later.
//
//   node server.mjs [PORT]        PORT=4444 node server.mjs        WORKER_SECRET=… node server.mjs
//
// An agent engine POSTs a decision request before each step of an agent's turn. `trigger` says what happened,
// `proposed` is what the engine would do next. This worker decides two things itself: which agent and tools a
// session has (session.start), and what a tool call answers (tool.execute). Everywhere else it returns `proposed`.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const MAX_BODY = 16 * 1024 * 1024;
const REMEMBERED = 1000; // how many answers, and how many first attempts, are kept
const SECRET = process.env.WORKER_SECRET || '';

// ---- the observatory ------------------------------------------------------------------------------------------

// A Map and not a plain object: "constructor" and "__proto__" are no stars. Rounded values, good enough here.
const CATALOGUE = new Map([
  ['Vega', { kind: 'star in Lyra', ra: '18h 36m 56s', dec: '+38d 47m 01s', magnitude: { B: 0.03, V: 0.03, R: 0.07 } }],
  ['Sirius', { kind: 'star in Canis Major', ra: '06h 45m 09s', dec: '-16d 42m 58s', magnitude: { B: -1.46, V: -1.46, R: -1.43 } }],
  ['Betelgeuse', { kind: 'star in Orion', ra: '05h 55m 10s', dec: '+07d 24m 25s', magnitude: { B: 2.27, V: 0.42, R: -1.17 } }],
  ['Polaris', { kind: 'star in Ursa Minor', ra: '02h 31m 49s', dec: '+89d 15m 51s', magnitude: { B: 2.62, V: 2.02, R: 1.53 } }],
  ['M31', { kind: 'galaxy in Andromeda', ra: '00h 42m 44s', dec: '+41d 16m 09s', magnitude: { B: 4.36, V: 3.44, R: 2.66 } }],
  ['M13', { kind: 'globular cluster in Hercules', ra: '16h 41m 42s', dec: '+36d 27m 37s', magnitude: { B: 6.48, V: 5.78, R: 5.34 } }],
]);

// A grey picture of 4 x 4 points, as plain base64: no "data:" prefix, no line breaks.
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAAAAACMmsGiAAAAGklEQVR42mNgEBFhYBD5f0KEQeTEFhBThAEAJ9MD5IcDrPgAAAAASUVORK5CYII=';

// A Refusal is the answer "no" that a tool gives on purpose. Its text is all that the model reads, so it says what to
// send instead. `retryable` is for faults that pass by themselves: the engine then repeats the identical call.
class Refusal extends Error {
  constructor(text, { retryable = false, code } = {}) {
    super(text);
    this.retryable = retryable;
    this.code = code;
  }
}

// The engine checks arguments against the schema when it knows it. It does not for a call that it cannot trace, so
// each tool looks at its own fields once more.
function objectNamed(name) {
  if (typeof name !== 'string') throw new Refusal('name must be a string such as "Vega"');
  const object = CATALOGUE.get(name);
  if (object) return object;
  const known = [...CATALOGUE.keys()].map((key) => `"${key}"`).join(', ');
  throw new Refusal(`no object named "${short(name, 40)}" in the catalogue; try one of ${known} as name`);
}

const isWhole = (value, low, high) => Number.isInteger(value) && value >= low && value <= high;

function isDate(text) {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`); // 30 February rolls over to March, or is no date at all
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const object = (properties, required) => ({ type: 'object', properties, required, additionalProperties: false });
const nameOf = (example) => ({
  type: 'string',
  description: 'Name of a catalogue object, written as in the catalogue, such as "Vega" or "M31".',
  examples: [example],
});
const FILTER = { type: 'string', enum: ['B', 'V', 'R'], description: 'B is blue, V is visual, R is red. V is the usual choice.' };
const text = (words) => ({ type: 'text', text: words });

// Each tool: what the model is told about it, and run(input, call), which returns a ToolResult or throws a Refusal.
const TOOLS = [
  {
    name: 'find_object',
    description:
      'Gives kind and position (right ascension, declination) of a catalogue object, such as "Vega" or "M31". Use it to ' +
      'find out where something is; for how bright it is use measure_brightness, for a picture take_exposure.',
    input: object({ name: nameOf('Vega') }, ['name']),
    run({ name }) {
      const { kind, ra, dec } = objectNamed(name);
      return { content: [text(`${name} (${kind}): right ascension ${ra}, declination ${dec}`)] };
    },
  },
  {
    name: 'measure_brightness',
    description:
      'Measures the magnitude of a catalogue object in one filter. Prefer it over take_exposure when a number is wanted ' +
      'and no picture; for the position use find_object.',
    input: object({ name: nameOf('Vega'), filter: FILTER }, ['name', 'filter']),
    output: object({ name: { type: 'string' }, magnitude: { type: 'number' }, filter: FILTER }, ['name', 'magnitude', 'filter']),
    // A tool with an output schema fails by Refusal, never by a flagged result: the schema would be held against it.
    run({ name, filter }) {
      const found = objectNamed(name);
      if (!FILTER.enum.includes(filter)) throw new Refusal('filter must be one of "B", "V", "R"');
      const magnitude = found.magnitude[filter];
      return {
        content: [text(`${name} has magnitude ${magnitude} in filter ${filter}`)],
        structuredContent: { name, magnitude, filter },
      };
    },
  },
  {
    name: 'reserve_telescope',
    description:
      'Reserves a telescope for one whole night. Use it for a later night only; to take a picture now use take_exposure, ' +
      'which needs no reservation.',
    input: object(
      {
        telescope: { type: 'string', enum: ['north', 'south'], description: 'Which dome to reserve.', examples: ['north'] },
        night: {
          type: 'string',
          format: 'date',
          pattern: '^\\d{4}-\\d{2}-\\d{2}$',
          description: 'Date on which the night begins, written YYYY-MM-DD, such as "2026-08-28".',
          examples: ['2026-08-28'],
        },
        busy_for: {
          type: 'integer',
          minimum: 0,
          maximum: 5,
          description: 'For rehearsals: how many attempts find the dome computer busy. Leave it out otherwise.',
          examples: [0],
        },
      },
      ['telescope', 'night'],
    ),
    run({ telescope, night, busy_for: busy = 0 }, call) {
      if (!['north', 'south'].includes(telescope)) throw new Refusal('telescope must be "north" or "south"');
      if (!isDate(night)) throw new Refusal('night must be a date written YYYY-MM-DD, such as "2026-08-28"');
      if (!isWhole(busy, 0, 5)) throw new Refusal('busy_for must be a whole number from 0 to 5, or left out');
      if (attemptsSoFar(call) <= busy) {
        const words = `the dome computer of the ${telescope} telescope is busy; the same request can be sent again`;
        throw new Refusal(words, { retryable: true, code: 'rate_limited' });
      }
      firstAttempts.delete(call.key); // the call is over
      return { content: [text(`the ${telescope} telescope is reserved for the night of ${night}`)] };
    },
  },
  {
    name: 'take_exposure',
    description:
      'Takes a picture of a catalogue object now and returns it as a PNG image. Use it only when a picture is wanted; ' +
      'measure_brightness is quicker when a number is enough.',
    input: object(
      {
        name: nameOf('M31'),
        seconds: { type: 'integer', minimum: 1, maximum: 30, description: 'Exposure time in whole seconds, 1 to 30.', examples: [5] },
      },
      ['name', 'seconds'],
    ),
    run({ name, seconds }) {
      objectNamed(name);
      if (!isWhole(seconds, 1, 30)) throw new Refusal('seconds must be a whole number from 1 to 30');
      return { content: [{ type: 'image', data: PICTURE, mimeType: 'image/png' }, text(`exposure of ${name}, ${seconds} s`)] };
    },
  },
];

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

// ---- decisions ------------------------------------------------------------------------------------------------

const OWN_AGENT = {
  model: 'observatory-model',
  llm: 'main',
  system: 'You help visitors of a small public observatory. Use the tools for every fact about the sky.',
};

class BadRequest extends Error {}

// decide takes the text of a decision request and gives the text of the decision.
function decide(text) {
  try {
    JSON.parse(text); // only to know that it is JSON; the values are read below
  } catch {
    throw new BadRequest('the body is not JSON');
  }
  if (!isObject(text.trim())) throw new BadRequest('the body is not a JSON object');
  const request = members(text);
  const proposed = request.get('proposed') ?? 'null';
  if (!isObject(request.get('trigger'))) throw new BadRequest('the body has no trigger: not a decision request');
  const trigger = members(request.get('trigger'));
  const type = string(trigger.get('type'));
  if (type === undefined) throw new BadRequest('trigger.type is not a string: not a decision request');
  if (proposed !== 'null' && !isObject(proposed)) throw new BadRequest('proposed is not an object: not a decision request');

  const draft = proposed === 'null' ? new Map() : members(proposed);
  if (type === 'session.start') return startSession(draft);
  if (type === 'tool.execute' && !hasActions(draft)) return executeTool(request, trigger, draft);
  return proposed === 'null' ? '{}' : proposed; // the very text that came in, and so nothing in it can be damaged
}

// startSession takes the agent that the engine proposes, or else brings its own, and adds the tools. A tool that the
// proposed agent declares already stays as it is: a name may be declared once only.
function startSession(draft) {
  const proposed = draft.get('agent');
  const agent = members(isObject(proposed) ? proposed : JSON.stringify(OWN_AGENT));
  const tools = agent.get('tools') ?? '[]';
  const theirs = JSON.parse(tools) ?? [];
  const taken = new Set(theirs.map((tool) => tool?.name));
  const added = TOOLS.filter((tool) => !taken.has(tool.name)).map((tool) => JSON.stringify(tool)); // without run: no JSON
  const kept = theirs.length > 0 ? [tools.slice(1, -1)] : [];
  agent.set('tools', `[${[...kept, ...added].join(',')}]`);
  draft.set('agent', join(agent));
  return join(draft);
}

// An engine that heard no answer sends the decision again. The same decision must not act twice, and must read the same,
// so what a tool answered is kept. Only that: a returned `proposed` has to be the one of the newest delivery.
const answers = new Map();

function executeTool(request, trigger, draft) {
  const call = ['id', 'name', 'attempt', 'arguments'].map((member) => trigger.get(member));
  const whole = JSON.stringify([request.get('session_id'), request.get('decision_id'), ...call]);
  const key = createHash('sha256').update(whole).digest('hex'); // a short stand-in, since arguments can be long
  let action = answers.get(key);
  if (!action) {
    // A tool that has to wait would put its promise here at once, so that a second delivery waits for the first.
    action = JSON.stringify(settle(request, trigger));
    remember(answers, key, action);
  }
  draft.set('actions', `[${action}]`);
  return join(draft);
}

// settle runs one call and always comes back with its one result or error.
function settle(request, trigger) {
  const id = string(trigger.get('id'));
  const name = string(trigger.get('name')) ?? '';
  try {
    const tool = BY_NAME.get(name);
    if (!tool) throw new Refusal(`no tool named "${short(name, 40)}"; the tools are ${[...BY_NAME.keys()].join(', ')}`);
    const input = JSON.parse(trigger.get('input') ?? 'null'); // parsed and checked by the engine; `arguments` is raw text
    if (input?.status !== 'valid' || typeof input.value !== 'object' || input.value === null) {
      const why = typeof input?.error === 'string' ? ` (${short(input.error, 300)})` : '';
      throw new Refusal(`${name} was not run, its arguments are not usable${why}; send one JSON object that fits its input schema`);
    }
    const call = {
      key: JSON.stringify([request.get('session_id'), request.get('turn_id'), id]),
      attempt: Number(trigger.get('attempt')) || 0,
    };
    return { type: 'tool.result', id, result: tool.run(input.value, call) };
  } catch (error) {
    if (error instanceof Refusal) {
      return { type: 'tool.error', id, error: error.message, retryable: error.retryable, code: error.code };
    }
    console.error(`${name}:`, error); // for us; the model is told no more than it can use
    const words = `${name} failed because of a fault in the worker; the arguments are not to blame`;
    return { type: 'tool.error', id, error: words, retryable: false };
  }
}

// Whether a first attempt is numbered 0 or 1 is up to the engine, so attempts are counted from the first one seen.
const firstAttempts = new Map();

function attemptsSoFar({ key, attempt }) {
  const first = Math.min(firstAttempts.get(key) ?? attempt, attempt);
  remember(firstAttempts, key, first);
  return attempt - first + 1;
}

// A Map keeps its order, so the oldest entry is the first.
function remember(map, key, value) {
  map.set(key, value);
  if (map.size > REMEMBERED) map.delete(map.keys().next().value);
}

// ---- JSON without loss ----------------------------------------------------------------------------------------

// members splits the text of a JSON object and leaves each value as the text that was sent:
// members('{"a": 9007199254740993}') is Map { 'a' => '9007199254740993' }, where JSON.parse would round the number.
// The text must be valid JSON. join is the way back.
function members(text) {
  const found = new Map();
  let at = 0;
  for (;;) {
    const open = text.indexOf('"', at); // the next key begins here; after the last value no quote is left
    if (open < 0) return found;
    const close = endOfString(text, open);
    const start = text.indexOf(':', close) + 1;
    at = endOfValue(text, start);
    found.set(JSON.parse(text.slice(open, close)), text.slice(start, at).trim());
  }
}

function join(map) {
  return `{${[...map].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

// A quote ends a string unless an odd number of backslashes stands before it.
function endOfString(text, open) {
  for (let i = text.indexOf('"', open + 1); ; i = text.indexOf('"', i + 1)) {
    let slashes = 0;
    while (text[i - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return i + 1;
  }
}

// A member's value ends at the first comma or closing brace that belongs to the object around it.
function endOfValue(text, start) {
  let depth = 0;
  for (let i = start; ; i++) {
    const c = text[i];
    if (c === '"') i = endOfString(text, i) - 1;
    else if (c === '{' || c === '[') depth++;
    else if (depth > 0 && (c === '}' || c === ']')) depth--;
    else if (depth === 0 && (c === ',' || c === '}')) return i;
  }
}

const isObject = (text) => text !== undefined && text.startsWith('{');
const string = (text) => (text !== undefined && text.startsWith('"') ? JSON.parse(text) : undefined);
const hasActions = (draft) => JSON.parse(draft.get('actions') ?? '[]')?.length > 0;

// short cuts a text that came from outside, and mends half characters: an engine refuses an answer that holds one.
const short = (text, length) => Array.from(text.slice(0, 2 * length)).slice(0, length).join('').toWellFormed();

// ---- HTTP -----------------------------------------------------------------------------------------------------

function signed(raw, header) {
  if (SECRET === '') return true;
  const want = Buffer.from(`sha256=${createHmac('sha256', SECRET).update(raw).digest('hex')}`);
  const got = Buffer.from(header ?? '');
  return got.length === want.length && timingSafeEqual(got, want);
}

async function handle(request) {
  if (request.url.split('?')[0] !== '/') return [404, fault('decision requests go to /')];
  if (request.method !== 'POST') return [405, fault('decision requests are sent by POST')];
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_BODY) chunks.push(chunk); // the rest is read and forgotten
  }
  if (size > MAX_BODY) return [413, fault('the body is larger than 16 MB')];
  const raw = Buffer.concat(chunks);
  if (!signed(raw, request.headers['x-substructure-signature'])) return [401, fault('the signature does not fit the body')];
  try {
    return [200, decide(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw))];
  } catch (error) {
    if (error instanceof BadRequest) return [400, fault(error.message)];
    if (error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return [400, fault('the body is not UTF-8')];
    console.error(error);
    return [500, fault('fault in the worker')];
  }
}

const fault = (text) => JSON.stringify({ error: text });

const server = createServer((request, response) => {
  handle(request).then(
    ([status, body]) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
      response.writeHead(status, status === 405 ? { ...headers, Allow: 'POST' } : headers).end(body);
    },
    () => response.destroy(), // the client went away in the middle of its request
  );
});

// Node closes an idle connection after 5 s unless told otherwise. An engine that sends at that moment loses the request.
server.keepAliveTimeout = 75_000;
server.headersTimeout = 80_000;

server.on('error', (error) => {
  console.error(`cannot listen: ${error.message}`);
  process.exit(1);
});
server.listen(Number(process.env.PORT || process.argv[2] || 4444), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    server.close();
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 2000).unref();
  });
}
