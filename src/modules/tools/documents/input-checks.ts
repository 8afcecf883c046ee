import { Injectable } from '@nestjs/common';
import { ComputePool } from '../../../platform/compute/compute-pool.js';
import { ComputeFailure, computeTask } from '../../../platform/compute/compute-task.js';
import { inputCheck, type InputIssue } from './input-schema.js';
import type { InputRequest } from './input.thread.js';

const task = computeTask<InputRequest, InputIssue[]>('input', import.meta.url);

/** The time of one check, including the compilation of the schema. */
const CHECK_MS = 2_000;
/**
 * A short schema without keywords that multiply or read texts checks a short input in a moment, so no thread is needed.
 */
const SHORT_SCHEMA = 4_096;
const SHORT_INPUT = 16_384;
const COSTLY = /pattern|format|uniqueItems|\$ref/;

/** The schema of a tool's input. */
export class InputSchema {
  readonly text: string;
  private readonly isLight: boolean;
  private check: ReturnType<typeof inputCheck> | undefined;

  constructor(private readonly schema: Record<string, unknown>) {
    this.text = JSON.stringify(schema);
    this.isLight = this.text.length <= SHORT_SCHEMA && !COSTLY.test(this.text);
  }

  /** Returns the issues of the input, which is JSON, or undefined if only a compute thread may check it. */
  issuesHere(input: string): InputIssue[] | undefined {
    if (!this.isLight || input.length > SHORT_INPUT) return undefined;
    this.check ??= inputCheck(this.schema);
    return this.check(JSON.parse(input));
  }
}

/** Validates inputs by the schemas of strangers, in compute threads. */
@Injectable()
export class InputChecks {
  constructor(private readonly compute: ComputePool) {}

  async issues(schema: InputSchema, input: string, projectId: string, signal?: AbortSignal): Promise<InputIssue[]> {
    const request = { schema: schema.text, input };
    return this.compute.run(task, request, { projectId, signal, ms: CHECK_MS }).catch((error: unknown) => {
      if (!(error instanceof ComputeFailure)) throw error;
      return [{ path: 'input', message: 'takes too long to be compared with the schema; send less' }];
    });
  }
}
