import { Client, type RequestOptions } from './client.js';

/** One line of the text that Prometheus reads. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export async function readSamples(target: { url: string }, options?: RequestOptions): Promise<Sample[]> {
  const { outcome, text } = await new Client(target.url).get('/metrics', options);
  if (outcome !== '200') throw new Error(`GET /metrics answered ${outcome}`);
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parse);
}

/** Returns the sum of the samples with this name and these labels. */
export async function readMetric(
  target: { url: string },
  name: string,
  labels: Record<string, string> = {},
): Promise<number> {
  const samples = await readSamples(target);
  const wanted = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
  );
  return wanted.reduce((sum, { value }) => sum + value, 0);
}

function parse(line: string): Sample {
  const { name, labels = '', value } = /^(?<name>\w+)(?:\{(?<labels>.*)\})? (?<value>\S+)$/.exec(line)?.groups ?? {};
  if (name === undefined) throw new Error(`This is not a line that Prometheus reads: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text] as const);
  return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
}
