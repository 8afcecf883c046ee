import { isNestedDeeper } from '../../../kernel/json-rules.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { Mask } from './masking.js';

export interface RecordRequest {
  /** The input or output of a node as JSON. */
  text: string;
  secrets: readonly string[];
  hidesHeaders: boolean;
  mostLevels: number;
}

/** `masked` is JSON. It is undefined if the text contains no secret. */
export type RecordAnswer = { isTooDeep: true } | { isTooDeep: false; masked: string | undefined };

/** The masks are cached, because all steps of a run have the same secrets. */
const masks = new RecentlyUsed<string, Mask>(4);

/** Masks the secrets in the result of a stranger's node, in a compute thread. */
export default function record({ text, secrets, hidesHeaders, mostLevels }: RecordRequest): RecordAnswer {
  const value: unknown = JSON.parse(text);
  if (isNestedDeeper(value, mostLevels)) return { isTooDeep: true };
  const masked = maskOf(secrets, hidesHeaders).of(value);
  return { isTooDeep: false, masked: masked === value ? undefined : JSON.stringify(masked) };
}

function maskOf(secrets: readonly string[], hidesHeaders: boolean): Mask {
  const name = JSON.stringify([hidesHeaders, secrets]);
  const known = masks.get(name);
  if (known) return known;
  const mask = new Mask(secrets, hidesHeaders);
  masks.set(name, mask);
  return mask;
}
