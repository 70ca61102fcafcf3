// JSON without loss. JSON.parse and JSON.stringify would round 9007199254740993 and rewrite 1.10, and what an engine
// proposes has to go back as it came. So objects are split into the texts of their members instead.

// members splits the text of a JSON object: members('{"a": 9007199254740993}') is Map { 'a' => '9007199254740993' }.
// The text must be valid JSON. join is the way back.
export function members(text) {
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

export function join(map) {
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

export const isObject = (text) => text !== undefined && text.startsWith('{');
export const string = (text) => (text !== undefined && text.startsWith('"') ? JSON.parse(text) : undefined);
