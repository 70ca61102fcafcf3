// An asynchronous tool-call worker for a small photo lab, with nothing but Node 20 or later.
//
//   node server.mjs [PORT]        PORT=4444 node server.mjs        WORKER_SECRET=… node server.mjs
//   node server.mjs PORT FILE     keeps the work that is under way in FILE, and goes on with it after a restart
//
// An engine waits some 20 seconds for an answer, and asks a session one thing at a time. Work that takes longer, or that
// should go on side by side, is done like this:
//
//   1. The engine asks to run a call (tool.execute). The worker begins the work and answers with the empty decision: the
//      call stays open, and the engine may ask for the next one at once.
//   2. When the work is done, the worker settles the call with a request of its own to the engine:
//      POST {engine}/api/machine/sessions/{session_id}/calls/settle
//   3. The engine goes on from there, as if the call had been answered directly.
//
// Where the engine is and with which API key it lets the worker in come from HALLMARK_ENGINE_URL and HALLMARK_API_KEY;
// call them what you like. Without them the worker waits for its work and answers directly.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, join, members, string } from './json.mjs';
import { DECLARED, Refusal, TOOLS } from './lab.mjs';

const MAX_BODY = 16 * 1024 * 1024;
const REMEMBERED = 1000; // how many pieces of work are kept, those that are done included
const SECRET = process.env.WORKER_SECRET || '';
const ENGINE = (process.env.HALLMARK_ENGINE_URL || '').replace(/\/$/, '');
const API_KEY = process.env.HALLMARK_API_KEY || '';
const FILE = process.argv[3] || '';

// ---- decisions ------------------------------------------------------------------------------------------------

const OWN_AGENT = {
  model: 'lab-model',
  llm: 'main',
  system: 'You work at the counter of a photo lab. Use the tools for everything that is done in the darkroom.',
};

class BadRequest extends Error {}

// decide takes the text of a decision request and gives the text of the decision.
async function decide(text) {
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
  // With an action in it, the proposal is the engine's own refusal of the call, and a good answer as it is.
  const refused = JSON.parse(draft.get('actions') ?? '[]')?.length > 0;
  if (type === 'tool.execute' && !refused) return executeTool(request, trigger, draft);
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
  const added = DECLARED.filter((tool) => !taken.has(tool.name)).map((tool) => JSON.stringify(tool));
  const kept = theirs.length > 0 ? [tools.slice(1, -1)] : [];
  agent.set('tools', `[${[...kept, ...added].join(',')}]`);
  draft.set('agent', join(agent));
  return join(draft);
}

// ---- work that goes on after the answer -------------------------------------------------------------------------

// jobs holds every piece of work by the decision that asked for it. An engine that heard no answer asks again under the
// same decision_id: that must find the work that goes on already, or is done, and begin none.
const jobs = new Map();

async function executeTool(request, trigger, draft) {
  const key = ['session_id', 'decision_id'].map((member) => request.get(member)).join();
  let job = jobs.get(key);
  if (!job) {
    job = begin(key, request, trigger);
    remember(key, job);
  }
  // The empty decision lets the call go. When there is no engine to tell, or when it did not take the settle, the answer
  // is all that is left; a job that is done is not waited for.
  if (!job.early && ENGINE && !job.unheard) return join(draft);
  draft.set('actions', `[${JSON.stringify(await job.action)}]`);
  return join(draft);
}

// begin starts the work of one call. What identifies the call is kept with it: settling needs all three, as they came.
function begin(key, request, trigger) {
  const call = { session: string(request.get('session_id')), id: string(trigger.get('id')), attempt: trigger.get('attempt') };
  const name = string(trigger.get('name')) ?? '';
  const input = JSON.parse(trigger.get('input') ?? 'null'); // parsed and checked by the engine; `arguments` is raw text
  const tool = TOOLS.get(name);
  if (!tool || input?.status !== 'valid' || typeof input.value !== 'object' || input.value === null) {
    // Nothing to wait for: a call that cannot run is answered at once.
    const words = tool
      ? `${name} was not run, its arguments are not usable; send one JSON object that fits its input schema`
      : `no tool named "${short(name, 40)}"; the tools are ${[...TOOLS.keys()].join(', ')}`;
    return { early: true, unheard: false, action: Promise.resolve(failure(call, words)) };
  }
  return work(key, { call, name, input: input.value });
}

// work runs a call and settles it when that is done. Until then it is written down.
function work(key, task) {
  const job = { early: false, unheard: false, action: run(TOOLS.get(task.name), task.name, task.input, task.call) };
  if (ENGINE) {
    underWay.set(key, task);
    save();
    job.action.then((action) => settle(task.call, action)).then((taken) => {
      job.unheard = !taken;
      underWay.delete(key);
      save();
    });
  }
  return job;
}

// underWay holds what an engine was not told yet. It is on disk before the empty decision goes out: a worker that is
// replaced by a new one in between loses nothing. The new file takes the place of the old one in one step, so that there
// is a whole one whenever the process ends.
const underWay = new Map();

function save() {
  if (FILE === '') return;
  if (underWay.size === 0) return rmSync(FILE, { force: true });
  writeFileSync(`${FILE}.new`, JSON.stringify([...underWay]));
  renameSync(`${FILE}.new`, FILE);
}

// resume goes on with what was under way when the process ended.
function resume() {
  if (FILE === '' || !ENGINE || !existsSync(FILE)) return;
  for (const [key, task] of JSON.parse(readFileSync(FILE, 'utf8'))) remember(key, work(key, task));
}

// run does the work and always comes back with the one action that settles the call.
async function run(tool, name, input, call) {
  try {
    return { type: 'tool.result', id: call.id, attempt: Number(call.attempt), result: await tool.run(input) };
  } catch (error) {
    if (error instanceof Refusal) return failure(call, error.message);
    console.error(`${name}:`, error); // for us; the model is told no more than it can use
    return failure(call, `${name} failed because of a fault in the worker; the arguments are not to blame`);
  }
}

// In a decision the engine fills in what an error leaves out. The settle endpoint wants to be told: `retryable` is a must.
const failure = (call, error) => ({ type: 'tool.error', id: call.id, attempt: Number(call.attempt), error, retryable: false });

// settle tells the engine how a call ended, and says whether the engine took it. Only what got no answer is sent again: a
// refusal is final. Mostly it says 409: the deadline of the call has passed, or somebody else has settled it.
async function settle(call, action) {
  const url = `${ENGINE}/api/machine/sessions/${encodeURIComponent(call.session)}/calls/settle`;
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${API_KEY}` };
  for (let tries = 0; tries < 5; tries++) {
    if (tries > 0) await sleep(100 * 2 ** tries);
    try {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(action), signal: AbortSignal.timeout(10_000) });
      const text = await response.text();
      if (response.ok) return true;
      if (response.status < 500) {
        console.error(`the engine did not take the settle of ${call.id}: ${response.status} ${short(text, 200)}`);
        return false;
      }
    } catch (error) {
      console.error(`the settle of ${call.id} got no answer: ${error.message}`);
    }
  }
  return false;
}

// A Map keeps its order, so the oldest entry is the first. Without FILE the work is lost in a restart, and the calls then
// end at their deadline.
function remember(key, job) {
  jobs.set(key, job);
  if (jobs.size > REMEMBERED) jobs.delete(jobs.keys().next().value);
}

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
    return [200, await decide(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw))];
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
resume();
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
