// The photo lab: two tools whose work takes a while. Here it is a timer; it could as well be a queue, another service or
// a person. Nothing in this file knows about engines.

import { setTimeout as sleep } from 'node:timers/promises';

// A Refusal is the answer "no" that a tool gives on purpose. Its text is all that the model reads, so it says what to
// send instead.
export class Refusal extends Error {}

// A Map and not a plain object: "constructor" and "__proto__" are no films.
const FILMS = new Map([
  ['F-101', { frames: 36, kind: 'black and white, ISO 400' }],
  ['F-102', { frames: 24, kind: 'colour negative, ISO 200' }],
  ['F-103', { frames: 12, kind: 'medium format, ISO 100' }],
]);
const SIZES = new Map([
  ['10x15', [100, 150]],
  ['13x18', [130, 180]],
  ['24x30', [240, 300]],
]);

// The engine checks arguments against the schema when it knows it. It does not for a call that it cannot trace, so each
// tool looks at its own fields once more.
function filmNumbered(number) {
  const film = FILMS.get(number);
  if (film) return film;
  throw new Refusal(`there is no such film in the lab; film must be one of "${[...FILMS.keys()].join('", "')}"`);
}

const object = (properties, required) => ({ type: 'object', properties, required, additionalProperties: false });
const FILM = { type: 'string', pattern: '^F-[0-9]{3}$', description: 'Number on the bag of the film, such as "F-101".', examples: ['F-101'] };
const SIZE = { type: 'string', enum: [...SIZES.keys()], description: 'Size of the print in centimetres.' };
const text = (words) => ({ type: 'text', text: words });

const ALL = [
  {
    name: 'develop_film',
    description:
      'Develops a film and says how many frames came out. Use it when a customer has handed a film in; make_print makes ' +
      'prints of a film that has been developed.',
    input: object({ film: FILM }, ['film']),
    async run({ film }) {
      const { frames, kind } = filmNumbered(film);
      await sleep(60);
      return { content: [text(`film ${film} (${kind}) is developed, ${frames} frames came out`)] };
    },
  },
  {
    name: 'make_print',
    description:
      'Makes a print of one frame of a developed film and gives its measures. Use it when a customer has chosen a frame; ' +
      'develop_film is for films that are still in their bag.',
    input: object(
      { film: FILM, frame: { type: 'integer', minimum: 1, maximum: 36, description: 'Number of the frame, from 1.', examples: [7] }, size: SIZE },
      ['film', 'frame', 'size'],
    ),
    output: object({ film: { type: 'string' }, frame: { type: 'integer' }, width_mm: { type: 'integer' }, height_mm: { type: 'integer' } }, [
      'film',
      'frame',
      'width_mm',
      'height_mm',
    ]),
    // A tool with an output schema fails by Refusal, never by a flagged result: the schema would be held against it.
    async run({ film, frame, size }) {
      const { frames } = filmNumbered(film);
      const measures = SIZES.get(size);
      if (!measures) throw new Refusal(`size must be one of "${[...SIZES.keys()].join('", "')}"`);
      if (!Number.isInteger(frame) || frame < 1 || frame > frames) throw new Refusal(`film ${film} has frames 1 to ${frames}; frame must be one of them`);
      await sleep(30);
      const [width_mm, height_mm] = measures;
      return { content: [text(`frame ${frame} of film ${film} is printed, ${width_mm} x ${height_mm} mm`)], structuredContent: { film, frame, width_mm, height_mm } };
    },
  },
];

export const TOOLS = new Map(ALL.map((tool) => [tool.name, tool]));
export const DECLARED = ALL.map(({ run, ...declaration }) => declaration);
