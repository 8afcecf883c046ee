import { isNestedDeeper } from '../../../kernel/json-rules.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { Mask } from './masking.js';

export interface RecordRequest {
  /** JSON. */
  text: string;
  secrets: readonly string[];
  mostLevels: number;
}

/** `masked` is JSON; nothing where it is as it was. */
export type RecordAnswer = { isTooDeep: true } | { isTooDeep: false; masked: string | undefined };

/** Steps of one run follow one another, and all have the same secrets. */
const masks = new RecentlyUsed<string, Mask>(4);

/** Takes secrets out of what a stranger’s node came to. */
export default function record({ text, secrets, mostLevels }: RecordRequest): RecordAnswer {
  const value: unknown = JSON.parse(text);
  if (isNestedDeeper(value, mostLevels)) return { isTooDeep: true };
  const masked = maskOf(secrets).of(value);
  return { isTooDeep: false, masked: masked === value ? undefined : JSON.stringify(masked) };
}

function maskOf(secrets: readonly string[]): Mask {
  const name = JSON.stringify(secrets);
  const known = masks.get(name);
  if (known) return known;
  const mask = new Mask(secrets);
  masks.set(name, mask);
  return mask;
}
