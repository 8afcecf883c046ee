import { Injectable } from '@nestjs/common';
import { isNestedDeeper } from '../../../kernel/json-rules.js';
import { JsonText } from '../../../kernel/json-text.js';
import { ComputePool } from '../../../platform/compute/compute-pool.js';
import { computeTask, type ComputeOptions } from '../../../platform/compute/compute-task.js';
import { NodeFailure } from '../node-kind.port.js';
import type { Mask } from './masking.js';
import type { RecordAnswer, RecordRequest } from './record.thread.js';

const task = computeTask<RecordRequest, RecordAnswer>('record', import.meta.url);

const MAX_BYTES = 1024 * 1024;
const MAX_LEVELS = 256;
/** Longer texts are masked in a compute thread. */
const LONG = 16_384;
const MASK_MS = 5_000;

export type RecordOptions = Omit<ComputeOptions, 'ms'>;

/** Masks the inputs and outputs of nodes for the record of their run, and limits their size and depth. */
@Injectable()
export class Records {
  constructor(private readonly compute: ComputePool) {}

  /**
   * Returns the output of a node with its secrets masked, or the same object if it contains none. An output that cannot
   * be stored is refused here: a failed insert would have the node run again and again.
   */
  async ofOutput(output: JsonText, mask: Mask, options: RecordOptions): Promise<JsonText> {
    if (Buffer.byteLength(output.text) > MAX_BYTES) {
      throw new NodeFailure('OUTPUT_TOO_LARGE', `The output is larger than ${MAX_BYTES} bytes.`);
    }
    const answer = await this.record(output, mask, options);
    if (answer !== 'too deep') return answer;
    throw new NodeFailure('OUTPUT_TOO_DEEP', `The output is nested deeper than ${MAX_LEVELS} levels.`);
  }

  /** Returns the masked payload of a callback. Its size and depth were limited when it arrived. */
  async ofPayload(payload: JsonText, mask: Mask, options: RecordOptions): Promise<JsonText> {
    const masked = await this.record(payload, mask, options, Infinity);
    return masked === 'too deep' ? payload : masked;
  }

  /** Returns what a node did as masked JSON, or null if it is too large to be kept. */
  async ofInput(input: unknown, mask: Mask, options: RecordOptions): Promise<string | null> {
    if (input === undefined) return null;
    const json = JsonText.of(input);
    if (json.text.length > MAX_BYTES) return null;
    const masked = await this.record(json, mask, options);
    return masked === 'too deep' ? null : masked.text;
  }

  /** Returns the value with its secrets masked, or the same object if it contains none. */
  async masked<T>(value: T, mask: Mask, options: RecordOptions): Promise<T> {
    return (await this.ofPayload(JsonText.of(value), mask, options)).value as T;
  }

  private async record(
    json: JsonText,
    mask: Mask,
    options: RecordOptions,
    mostLevels = MAX_LEVELS,
  ): Promise<JsonText | 'too deep'> {
    if (json.text.length <= LONG && mask.isLight) {
      if (isNestedDeeper(json.value, mostLevels)) return 'too deep';
      const masked = mask.of(json.value);
      return masked === json.value ? json : JsonText.of(masked);
    }
    const { secrets, hidesHeaders } = mask;
    const request = { text: json.text, secrets, hidesHeaders, mostLevels };
    const answer = await this.compute.run(task, request, { ...options, ms: MASK_MS });
    if (answer.isTooDeep) return 'too deep';
    return answer.masked === undefined ? json : JsonText.parsed(answer.masked);
  }
}
