import { noteDefinition } from '../../kernel/named-definitions.js';
import { StartError } from '../../kernel/start-error.js';

const NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
/** The label in which Prometheus keeps the upper bound of a bucket. */
const BOUND = 'le';

/** A metric of each process. Its name begins with `slipway_`, or with the name of the plugin that defines it. */
export interface MetricDefinition<Label extends string = string> {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  /** A sentence that says what is measured. */
  readonly help: string;
  /** Each combination of their values is a time series, so a label has few values, and never an id. */
  readonly labels: readonly Label[];
  /** The upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[];
}

export interface CounterDefinition<Label extends string = never> extends MetricDefinition<Label> {
  readonly kind: 'counter';
}

export interface GaugeDefinition<Label extends string = never> extends MetricDefinition<Label> {
  readonly kind: 'gauge';
}

export interface HistogramDefinition<Label extends string = never> extends MetricDefinition<Label> {
  readonly kind: 'histogram';
}

interface MetricOptions<Label extends string> {
  help: string;
  labels?: readonly Label[];
}

const definitions: MetricDefinition[] = [];

/** Defines what only grows, such as rows that were made. Its name ends with `_total`. */
export function defineCounter<const Label extends string = never>(
  name: string,
  { help, labels = [] }: MetricOptions<Label>,
): CounterDefinition<Label> {
  return noted({ kind: 'counter', name, help, labels });
}

/** Defines what grows and shrinks, such as things that wait. */
export function defineGauge<const Label extends string = never>(
  name: string,
  { help, labels = [] }: MetricOptions<Label>,
): GaugeDefinition<Label> {
  return noted({ kind: 'gauge', name, help, labels });
}

/** Defines what is measured each time, such as seconds. */
export function defineHistogram<const Label extends string = never>(
  name: string,
  { help, labels = [], buckets }: MetricOptions<Label> & { buckets: readonly number[] },
): HistogramDefinition<Label> {
  return noted({ kind: 'histogram', name, help, labels, buckets });
}

/** All metrics of the modules that are loaded. */
export function metricDefinitions(): readonly MetricDefinition[] {
  return definitions;
}

function noted<Definition extends MetricDefinition>(definition: Definition): Definition {
  const names = [definition.name, ...definition.labels];
  const invalid = names.find((name) => !NAME.test(name));
  if (invalid !== undefined)
    throw new StartError(`The name ${invalid} of a metric or a label needs small letters, digits and underscores.`);
  if (definition.kind === 'counter' && !definition.name.endsWith('_total'))
    throw new StartError(`The name ${definition.name} of a counter must end with _total.`);
  if (definition.labels.includes(BOUND))
    throw new StartError(`The metric ${definition.name} cannot have the label ${BOUND}, which histograms have.`);
  noteDefinition('metric', definition.name);
  definitions.push(definition);
  return definition;
}
