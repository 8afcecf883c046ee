import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { dump } from 'js-yaml';

const PROGRAM = process.env.PROMETHEUS ?? 'prometheus';

export const hasPrometheus = spawnSync(PROGRAM, ['--version']).status === 0;

interface Answer<Data> {
  status: 'success' | 'error';
  data: Data;
  error?: string;
}

export interface Prometheus {
  /** Returns the values of a query, one for each series. */
  query(text: string): Promise<number[]>;
  /** Returns the number of series that a selector finds. */
  countSeries(selector: string): Promise<number>;
  /** Returns what Prometheus says about each rule that it has evaluated. */
  rules(): Promise<{ name: string; health: string }[]>;
  stop(): Promise<void>;
}

/** Starts Prometheus itself. It scrapes a process of the service twice a second, and adds labels to what it reads. */
export async function startPrometheus(url: string, labels: Record<string, string>, rules: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-prometheus-'));
  const file = join(folder, 'prometheus.yml');
  const { job, ...others } = labels;
  const target = { targets: [new URL(url).host], labels: others };
  writeFileSync(
    file,
    dump({
      global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
      rule_files: [rules],
      scrape_configs: [{ job_name: job, static_configs: [target] }],
    }),
  );
  const options = [`--config.file=${file}`, `--storage.tsdb.path=${folder}`, '--web.listen-address=127.0.0.1:0'];
  const child = spawn(PROGRAM, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  const address = await addressOf(createInterface(child.stderr));
  const ask = async <Data>(path: string, parameters: Record<string, string> = {}) => {
    const response = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`);
    const { status, data, error } = (await response.json()) as Answer<Data>;
    if (status === 'error') throw new Error(error);
    return data;
  };
  return {
    async query(text) {
      const { result } = await ask<{ result: { value: [number, string] }[] }>('query', { query: text });
      return result.map(({ value: [, value] }) => Number(value));
    },
    countSeries: async (selector) => (await ask<object[]>('series', { 'match[]': selector })).length,
    async rules() {
      const { groups } = await ask<{ groups: { rules: { name: string; health: string }[] }[] }>('rules');
      return groups.flatMap(({ rules }) => rules.map(({ name, health }) => ({ name, health })));
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

/** The log says on which free port the server listens. It is read to its end, because a full pipe would stop the server. */
async function addressOf(log: ReturnType<typeof createInterface>): Promise<string> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    let address = '';
    log.on('line', (line) => {
      lines.push(line);
      address ||= /msg="Listening on" address=(\S+)/.exec(line)?.[1] ?? '';
      if (line.includes('Server is ready')) resolve(address);
    });
    log.once('close', () => reject(new Error(`Prometheus has ended:\n${lines.join('\n')}`)));
  });
}
