import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { ComputeThreadHandle } from '../../../platform/compute/compute-task.js';

export interface ScriptRequest {
  code: string;
  /** JSON for each name that the script sees. For an object, it may be the JSON of each of its members. */
  scope: Record<string, string | Record<string, string>>;
  /** The time that the script's clock shows. */
  now: number;
  /** The limit of computing time. */
  timeoutMs: number;
  /** Whether the script is only compiled. */
  isCheck: boolean;
}

export type ScriptAnswer = { output: string | undefined } | { fault: ScriptFault; message: string };

export type ScriptFault = 'compile' | 'threw' | 'timeout' | 'pending' | 'memory' | 'unserializable' | 'tooLarge';

/** The types of Node do not declare WebAssembly. */
declare const WebAssembly: { Memory: new (pages: { initial: number; maximum: number }) => object };

const PAGE_BYTES = 65_536;
const MEMORY_BYTES = 64 * 1024 * 1024;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_STACK_BYTES = 256 * 1024;
const MAX_MESSAGE = 500;
const SCRIPT = 'script.js';

/** The memory itself has the limit, because the engine checks its own limit too late. */
const memory = new WebAssembly.Memory({ initial: 256, maximum: Math.ceil(MEMORY_BYTES / PAGE_BYTES) });
// The types of the package describe its CommonJS variant, but Node loads the module.
const sync = variant as unknown as QuickJSSyncVariant;
const engine = await newQuickJSWASMModuleFromVariant(newVariant(sync, { wasmMemory: memory as never }));

/**
 * Replaces `Date` by one whose clock stands still at `now`, and returns a function that calls the script. The object
 * that it returns has the outcome as soon as the script has ended. The script can reach neither of them.
 */
const PRELUDE = `(now => {
  const Real = Date;
  function Granted(...given) {
    return new.target ? Reflect.construct(Real, given.length > 0 ? given : [now], new.target) : new Real(now).toString();
  }
  Granted.prototype = Real.prototype;
  Real.prototype.constructor = Granted;
  Granted.now = () => now;
  Granted.parse = Real.parse;
  Granted.UTC = Real.UTC;
  globalThis.Date = Granted;
  const { stringify, parse } = JSON;
  return (main, scope) => {
    const outcome = { state: 'pending', value: undefined };
    const fail = (state, error) => {
      outcome.state = state;
      try {
        outcome.value = error instanceof Error ? error.name + ': ' + error.message + '\\n' + error.stack : String(error);
      } catch {
        outcome.value = 'An error without a text';
      }
    };
    main(parse(scope)).then(
      (value) => {
        try {
          outcome.value = stringify(value);
          outcome.state = 'done';
        } catch (error) {
          fail('unserializable', error);
        }
      },
      (error) => fail('threw', error),
    );
    return outcome;
  };
})`;

/** Runs a script of a stranger in a compute thread, in a runtime of its own. */
export default function script(request: ScriptRequest, thread: ComputeThreadHandle): ScriptAnswer {
  const isLate = clockOf(request.timeoutMs);
  try {
    const outcome = run(request, isLate);
    if ('output' in outcome) return outcome;
    if (outcome.isSpoiled) thread.spoil();
    return { fault: outcome.fault, message: outcome.message };
  } catch {
    // The engine itself has failed because its memory or stack was exhausted. Its later results cannot be trusted.
    thread.spoil();
    const [fault, what] = isLate() ? (['timeout', 'time limit'] as const) : (['memory', 'memory limit'] as const);
    return { fault, message: `It exceeded its ${what}` };
  }
}

/** Returns whether the thread has computed for `ms`. On a busy machine, that is less than the time that has passed. */
function clockOf(ms: number): () => boolean {
  const computed = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const begun = performance.now();
  const from = computed();
  return () => performance.now() - begun >= ms && computed() - from >= ms;
}

type Fault = { fault: ScriptFault; message: string; isSpoiled: boolean };
type Outcome = { output: string | undefined } | Fault;
type Handle = Parameters<QuickJSContext['dump']>[0];

function run({ code, scope, now, isCheck }: ScriptRequest, isLate: () => boolean): Outcome {
  const runtime = engine.newRuntime();
  runtime.setMaxStackSize(MAX_STACK_BYTES);
  runtime.setMemoryLimit(MEMORY_BYTES);
  const context = runtime.newContext();
  runtime.setInterruptHandler(isLate);
  // The code begins in the second line. `readable` subtracts one, so that messages have lines of the code.
  const source = `(async ({ input, nodes, env, run }) => {\n${code}\n})`;
  try {
    return isCheck ? checked(context, source, code) : finished(context, source, jsonOf(scope), now, isLate);
  } finally {
    context.dispose();
    runtime.dispose();
  }
}

/** Joins members that are JSON already. */
function jsonOf(scope: Record<string, string | Record<string, string>>): string {
  const members = Object.entries(scope).map(([name, json]) => {
    return `${JSON.stringify(name)}:${typeof json === 'string' ? json : jsonOf(json)}`;
  });
  return `{${members.join(',')}}`;
}

/**
 * Compiles the code in two kinds of function. Code that closes the function around it could compile in one kind, but
 * not in both.
 */
function checked(context: QuickJSContext, source: string, code: string): Outcome {
  for (const form of [source, `async function main({ input, nodes, env, run }) {\n${code}\n}`]) {
    const result = context.evalCode(form, SCRIPT, { compileOnly: true });
    if (result.error) return { fault: 'compile', message: faultIn(context, result.error), isSpoiled: false };
    result.value.dispose();
  }
  return { output: undefined };
}

function finished(context: QuickJSContext, source: string, scope: string, now: number, isLate: () => boolean): Outcome {
  const handles: Handle[] = [];
  const keep = <T extends Handle>(handle: T): T => {
    handles.push(handle);
    return handle;
  };
  const failed = (error: Handle): Fault => {
    const message = faultIn(context, error);
    const fault = faultOf(message, isLate());
    return { fault, message, isSpoiled: fault !== 'threw' };
  };
  try {
    const begin = keep(context.unwrapResult(context.evalCode(`${PRELUDE}(${now})`, 'prelude.js')));
    const main = context.evalCode(source, SCRIPT);
    if (main.error) return failed(main.error);
    const begun = context.callFunction(begin, context.undefined, keep(main.value), keep(context.newString(scope)));
    if (begun.error) return failed(begun.error);
    keep(begun.value);
    const jobs = context.runtime.executePendingJobs();
    if (jobs.error) return failed(jobs.error);
    const state = context.getString(keep(context.getProp(begun.value, 'state')));
    const value = keep(context.getProp(begun.value, 'value'));
    return ended(state, context.typeof(value) === 'string' ? context.getString(value) : undefined, isLate());
  } finally {
    for (const handle of handles.reverse()) handle.dispose();
  }
}

function ended(state: string, value: string | undefined, isLate: boolean): Outcome {
  if (state === 'done') {
    if (value === undefined || Buffer.byteLength(value) <= MAX_OUTPUT_BYTES) return { output: value };
    return { fault: 'tooLarge', message: `It returned more than ${MAX_OUTPUT_BYTES} bytes`, isSpoiled: false };
  }
  if (state === 'pending') {
    if (isLate) return { fault: 'timeout', message: 'It exceeded its time limit', isSpoiled: true };
    return { fault: 'pending', message: 'It waits for a value that never arrives', isSpoiled: false };
  }
  const message = readable(value);
  if (state === 'unserializable') return { fault: 'unserializable', message, isSpoiled: false };
  const fault = faultOf(message, isLate);
  return { fault, message, isSpoiled: fault !== 'threw' };
}

function faultOf(message: string, isLate: boolean): ScriptFault {
  if (isLate || message.startsWith('InternalError: interrupted')) return 'timeout';
  return message.startsWith('InternalError: out of memory') ? 'memory' : 'threw';
}

/** Returns the name and message of an error, and its line in the code if it is known. */
function faultIn(context: QuickJSContext, error: Handle): string {
  const dumped: unknown = context.dump(error);
  error.dispose();
  if (typeof dumped !== 'object' || dumped === null) return readable(String(dumped));
  const { name = 'Error', message = '', stack = '' } = dumped as Record<string, unknown>;
  return readable(`${String(name)}: ${String(message)}\n${String(stack)}`);
}

function readable(text = ''): string {
  const [message = '', ...stack] = text.split('\n');
  const line = /script\.js:(\d+)/.exec(stack.join('\n'))?.[1];
  const shown = message.slice(0, MAX_MESSAGE).toWellFormed();
  return line === undefined ? shown : `${shown} (line ${Math.max(1, Number(line) - 1)})`;
}
