import { execFileSync } from 'node:child_process';

/** The programs that the test runs on a compute thread. Some of them misbehave. */
export type Busy =
  | { does: 'echo'; text: string }
  | { does: 'compute'; ms: number }
  /** Nothing terminates the thread while it is in such a call. */
  | { does: 'sleep'; seconds: number }
  | { does: 'loop' | 'sort' | 'regularExpression' | 'promises' | 'eat' | 'throw' };

export default async function busy(ask: Busy): Promise<string> {
  switch (ask.does) {
    case 'echo':
      return ask.text;
    case 'compute': {
      const computed = () => {
        const { user, system } = process.threadCpuUsage();
        return (user + system) / 1_000;
      };
      const begun = computed();
      while (computed() - begun < ask.ms);
      return 'done';
    }
    case 'sleep':
      execFileSync('/bin/sleep', [String(ask.seconds)]);
      return 'done';
    case 'loop':
      for (;;);
    case 'sort':
      for (;;) Array.from({ length: 1_000_000 }, (_, at) => (at * 7_919) % 1_000_003).sort();
    case 'regularExpression':
      return String(/^(a+)+$/.test(`${'a'.repeat(60)}!`));
    case 'promises':
      for (;;) await Promise.resolve();
    case 'eat': {
      const eaten: string[][] = [];
      for (;;) eaten.push(Array.from({ length: 10_000 }, (_, at) => `${eaten.length}-${at}`));
    }
    case 'throw':
      throw new Error('no such thing');
  }
}
