import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../eventually.js';
import type { KubernetesApi, KubernetesObject } from './api-server.js';

interface PodSpec {
  containers: [{ command: string[] }];
  volumes: { secret?: { secretName: string } }[];
}

export interface Pod {
  /** Resolves with the rest of the line of its log that begins with these words. */
  said: (words: string) => Promise<string>;
  /** Resolves with the address at which the replica listens. */
  listening: () => Promise<string>;
  /** Resolves with the exit code and the termination log of the container. */
  readonly ended: Promise<{ exitCode: number | null; message: string }>;
  /** Does what the kubelet does with a pod that is deleted. */
  terminate: () => void;
  kill: () => void;
}

/**
 * Does what a kubelet does with the pod of an InferenceService: runs the command of its container, with the values of its
 * Secret in a folder. The folders, the address and the threads are ones of this machine, unless `here` has others.
 */
export async function runPod(api: KubernetesApi, service: KubernetesObject, here: object = {}): Promise<Pod> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-pod-'));
  const terminationLog = join(folder, 'termination-log');
  const { containers, volumes } = (service.spec as { predictor: PodSpec }).predictor;
  for (const { secret } of volumes) if (secret) await mount(api, secret.secretName, folder);
  const [, program, order] = containers[0].command;
  const folders = { modelsFolder: folder, accessFolder: folder, terminationLog };
  // With more threads than processors, the engine computes many times as long.
  const ofMachine = { address: '127.0.0.1', port: 0, threads: 1, ...folders };
  const argument = JSON.stringify({ ...(JSON.parse(expanded(order!)) as object), ...ofMachine, ...here });
  const child = spawn(process.execPath, [program!, argument], { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(async ([exitCode]) => ({
    exitCode: exitCode as number | null,
    message: await readFile(terminationLog, 'utf8').catch(() => ''),
  }));
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const said = async (words: string) => {
    const found = () => lines.find((line) => line.startsWith(words));
    return (await eventually(found, (line) => line !== undefined))!.slice(words.length);
  };
  return {
    said,
    listening: () => said('The replica listens at '),
    ended,
    terminate: () => child.kill('SIGTERM'),
    kill: () => child.kill('SIGKILL'),
  };
}

/** Replaces `$$` and the variables that each pod has. */
function expanded(text: string): string {
  return text.replace(/\$(\$|\(KUBERNETES_SERVICE_HOST\))/g, (_, what) => (what === '$' ? '$' : '10.0.0.1'));
}

async function mount(api: KubernetesApi, name: string, folder: string): Promise<void> {
  const { data } = api.secrets.find(({ metadata }) => metadata.name === name)!;
  for (const [key, value] of Object.entries(data as Record<string, string>))
    await writeFile(join(folder, key), Buffer.from(value, 'base64'));
}
