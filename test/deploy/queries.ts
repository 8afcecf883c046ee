import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { load } from 'js-yaml';

export interface Query {
  /** The alert or the panel. */
  readonly of: string;
  readonly text: string;
}

interface Selected {
  metrics: string[];
  labels: string[];
  /** The parts that are no PromQL. */
  faults: string[];
}

interface AdapterRule {
  name: { as: string };
  seriesQuery: string;
  metricsQuery: string;
}

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

export const RULES = pathOf('deploy/prometheus/slipway.rules.yaml');
export const TESTS_OF_RULES = pathOf('deploy/prometheus/slipway.rules.test.yaml');

export function alerts(): Query[] {
  const { groups } = load(readFileSync(RULES, 'utf8')) as { groups: { rules: { alert: string; expr: string }[] }[] };
  return groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ of: alert, text: expr })));
}

export function panels(): Query[] {
  const { panels } = JSON.parse(readFileSync(pathOf('deploy/grafana/slipway.json'), 'utf8')) as { panels: Panel[] };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ of: title, text: expr.replaceAll('$__rate_interval', '5m') })),
  );
}

/** The metrics that the Prometheus adapter makes for the autoscalers, with the labels by which the chart selects them. */
export function adapterRules(): (Query & { foundBy: string })[] {
  const file = readFileSync(pathOf('deploy/helm/prometheus-adapter.values.yaml'), 'utf8');
  const { rules } = load(file) as { rules: { external: AdapterRule[] } };
  return rules.external.map(({ name, seriesQuery, metricsQuery }) => {
    const ofQueue = name.as.startsWith('slipway_jobs') ? ',queue="turns"' : '';
    const matchers = `namespace="apps",app_kubernetes_io_instance="shop"${ofQueue}`;
    return { of: name.as, foundBy: seriesQuery, text: metricsQuery.replaceAll('<<.LabelMatchers>>', matchers) };
  });
}

/** Returns the names of the metrics and labels that a query has, by the grammar of Prometheus's own editor. */
export function selectedBy({ text }: Query): Selected {
  const selected: Selected = { metrics: [], labels: [], faults: [] };
  parser.parse(text).iterate({
    enter({ type, from, to }) {
      const part = text.slice(from, to);
      if (type.isError) selected.faults.push(text.slice(from));
      if (type.name === 'VectorSelector') selected.metrics.push(/^\w+/.exec(part)![0]);
      if (type.name === 'LabelName') selected.labels.push(part);
    },
  });
  return selected;
}

export function pathOf(file: string): string {
  return fileURLToPath(new URL(`../../${file}`, import.meta.url));
}
