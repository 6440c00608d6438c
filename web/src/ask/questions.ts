/** The questions of the first page, and the fields that each begins with. */
export type QuestionName = 'processes' | 'machine' | 'limits' | 'network' | 'asynchronous' | 'larger';

export interface AskField {
  name: string;
  label: string;
  /** A file of the project, a number, one of a few words, or several files. */
  as: 'file' | 'number' | 'choice' | 'files';
  /** Kinds of files that fit. */
  kinds?: string[];
  /** The sample, or what stands in an empty field. */
  sample: string;
  hint?: string;
  options?: { value: string; label: string }[];
}

export interface AskQuestion {
  name: QuestionName;
  title: string;
  fields: AskField[];
}

const RUNS = ['table', 'model'];
const HEAT = 'tables/heat.csv';

export const QUESTIONS: AskQuestion[] = [
  {
    name: 'processes',
    title: 'How many processes shall I ask for?',
    fields: [
      { name: 'source', label: 'Runs or model', as: 'file', kinds: RUNS, sample: HEAT },
      { name: 'max_p', label: 'Most processes', as: 'number', sample: '', hint: 'empty: 4 times what was measured' },
      {
        name: 'goal', label: 'Goal', as: 'choice', sample: 'time',
        options: [
          { value: 'time', label: 'Least time' },
          { value: 'efficiency:0.5', label: 'Efficiency of 50 % or more' },
          { value: 'core-hours', label: 'Fewest core-hours' },
          { value: 'deadline:10s', label: 'Within 10 s' },
          { value: 'deadline:60s', label: 'Within a minute' },
          { value: 'deadline:3600s', label: 'Within an hour' },
        ],
      },
    ],
  },
  {
    name: 'machine',
    title: 'Which machine shall I buy?',
    fields: [
      { name: 'application', label: 'Application', as: 'file', kinds: ['application'], sample: 'applications/heat.luau' },
      { name: 'systems', label: 'Systems', as: 'files', kinds: ['system'], sample: 'systems/galera.toml, systems/cluster.toml', hint: '2 to 8 files, with commas between' },
      { name: 'by', label: 'Compare by', as: 'choice', sample: 'time', options: [{ value: 'time', label: 'Time' }, { value: 'energy', label: 'Energy' }, { value: 'price', label: 'Price' }] },
    ],
  },
  {
    name: 'limits',
    title: 'What limits my program?',
    fields: [
      { name: 'source', label: 'Experiment', as: 'file', kinds: ['experiment'], sample: 'experiments/heat.toml' },
      { name: 'p', label: 'Processes', as: 'number', sample: '', hint: 'empty: the largest number of the experiment' },
      { name: 'causes', label: 'Causes', as: 'number', sample: '3' },
    ],
  },
  {
    name: 'network',
    title: 'What if the network were twice as fast?',
    fields: [
      { name: 'experiment', label: 'Experiment', as: 'file', kinds: ['experiment'], sample: 'experiments/heat.toml' },
      {
        name: 'what', label: 'What gets better', as: 'choice', sample: 'bandwidth',
        options: [
          { value: 'bandwidth', label: 'Bandwidth of the network' },
          { value: 'latency', label: 'Latency of the network' },
          { value: 'processor', label: 'Speed of the processors' },
          { value: 'memory', label: 'Bandwidth of the memory' },
        ],
      },
      { name: 'factor', label: 'How many times', as: 'number', sample: '2' },
    ],
  },
  {
    name: 'asynchronous',
    title: 'Synchronous or asynchronous?',
    fields: [
      { name: 'model', label: 'Wavefront model', as: 'file', kinds: ['wavefront'], sample: 'calculators/shared-machines.toml' },
      { name: 'p', label: 'Processes', as: 'number', sample: '', hint: 'empty: as many as the model has' },
      { name: 'digits', label: 'Digits', as: 'number', sample: '6' },
    ],
  },
  {
    name: 'larger',
    title: 'How long will a larger run take?',
    fields: [
      { name: 'source', label: 'Runs', as: 'file', kinds: RUNS, sample: HEAT },
      { name: 'p', label: 'Processes', as: 'number', sample: '', hint: 'empty: 4 times what was measured' },
      { name: 'size', label: 'Size', as: 'number', sample: '', hint: 'empty: the largest that was measured' },
    ],
  },
];

/** The fields of a question with their samples. */
export const samplesOf = (question: AskQuestion): Record<string, string> =>
  Object.fromEntries(question.fields.map((field) => [field.name, field.sample]));

/** Questions that a file of this kind can be the source of. */
export const fitting = (kind: string): AskQuestion[] =>
  QUESTIONS.filter((question) => question.fields[0]!.kinds?.includes(kind));

/** A name that the server takes as that of a file: what is not allowed becomes a dash. */
export function pathOf(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9_]+/, '').slice(-64);
  return plain || 'dropped';
}

export interface Told {
  sentence: string;
  value: number | null;
  low: number | null;
  high: number | null;
  level: number | null;
  unit: string;
  commands: string[];
  documents: Record<string, unknown>[];
  view: string;
  assumptions: string[];
  fields: Record<string, unknown>;
  picture: {
    x: string;
    y: string;
    unit: string;
    points: { x: number; y: number; low: number | null; high: number | null }[];
    bars: { name: string; value: number }[];
    measured_to: number | null;
  };
  why: string[];
  files: Record<string, string>;
  read_as: string | null;
}
