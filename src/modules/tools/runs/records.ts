import { Injectable } from '@nestjs/common';
import { isNestedDeeper } from '../../../kernel/json-rules.js';
import { JsonText } from '../../../kernel/json-text.js';
import { ComputePool } from '../../../platform/compute/compute-pool.js';
import { computeTask, type ComputeWish } from '../../../platform/compute/compute-task.js';
import { NodeFailure } from '../nodes/node-kind.js';
import type { Mask } from './masking.js';
import type { RecordAnswer, RecordRequest } from './record.thread.js';

const task = computeTask<RecordRequest, RecordAnswer>('record', import.meta.url);

const MAX_BYTES = 1024 * 1024;
const MAX_LEVELS = 256;
/** What is longer is masked in a thread. */
const LONG = 16_384;
const MASK_MS = 5_000;

export type RecordWish = Omit<ComputeWish, 'ms'>;

/** What people see of what strangers' nodes take and give. */
@Injectable()
export class Records {
  constructor(private readonly compute: ComputePool) {}

  /**
   * What a node came to, masked; the same where nothing in it is secret. Refuses it before it is written down: what cannot
   * be would have the node run again and again.
   */
  async ofOutput(output: JsonText, mask: Mask, wish: RecordWish): Promise<JsonText> {
    if (Buffer.byteLength(output.text) > MAX_BYTES) {
      throw new NodeFailure('OUTPUT_TOO_LARGE', `The output is larger than ${MAX_BYTES} bytes.`);
    }
    const answer = await this.record(output, mask, wish);
    if (answer !== 'too deep') return answer;
    throw new NodeFailure('OUTPUT_TOO_DEEP', `The output is nested deeper than ${MAX_LEVELS} levels.`);
  }

  /** What was told from outside, masked: it was bounded when it came. */
  async ofPayload(payload: JsonText, mask: Mask, wish: RecordWish): Promise<JsonText> {
    const masked = await this.record(payload, mask, wish, Infinity);
    return masked === 'too deep' ? payload : masked;
  }

  /** What a node did, masked, as JSON; nothing where that is more than is kept. */
  async ofInput(input: unknown, mask: Mask, wish: RecordWish): Promise<string | null> {
    if (input === undefined) return null;
    const json = JsonText.of(input);
    if (json.text.length > MAX_BYTES) return null;
    const masked = await this.record(json, mask, wish);
    return masked === 'too deep' ? null : masked.text;
  }

  /** The same value, where nothing in it is secret. */
  async masked<T>(value: T, mask: Mask, wish: RecordWish): Promise<T> {
    return (await this.ofPayload(JsonText.of(value), mask, wish)).value as T;
  }

  private async record(
    json: JsonText,
    mask: Mask,
    wish: RecordWish,
    mostLevels = MAX_LEVELS,
  ): Promise<JsonText | 'too deep'> {
    if (json.text.length <= LONG && mask.isLight) {
      if (isNestedDeeper(json.value, mostLevels)) return 'too deep';
      const masked = mask.of(json.value);
      return masked === json.value ? json : JsonText.of(masked);
    }
    const request = { text: json.text, secrets: mask.secrets, mostLevels };
    const answer = await this.compute.run(task, request, { ...wish, ms: MASK_MS });
    if (answer.isTooDeep) return 'too deep';
    return answer.masked === undefined ? json : JsonText.parsed(answer.masked);
  }
}
