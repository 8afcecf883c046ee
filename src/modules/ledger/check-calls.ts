import { clock } from '../../kernel/clock.js';
import type { SlipwayError } from '../../kernel/errors.js';
import { DAY_MS } from '../../kernel/spans.js';
import { httpErrors } from '../../platform/route/http.errors.js';
import { check, type Issue, validationError } from '../../platform/route/validation.js';
import { GivenCall } from './call.schema.js';

/** Calls are kept so long; an older one would be deleted as soon as it was written. */
export const KEPT_DAYS = 400;

/** The calls with their defaults, or the refusal that names every bad one: their faults, as far as anybody reads. */
export function checkCalls(rows: readonly unknown[]): GivenCall[] {
  const calls: GivenCall[] = [];
  const issues: Issue[] = [];
  const badRows: number[] = [];
  rows.forEach((row, at) => {
    const { call, faults } = checkCall(row);
    if (faults.length === 0) calls.push(call);
    else badRows.push(at);
    issues.push(...faults.map(({ path, message }) => ({ path: ['generations', at, ...path], message })));
  });
  if (badRows.length > 0) throw refusal(issues, badRows);
  return calls;
}

/** Refuses calls that would be deleted as soon as they were written. */
export function refuseOlder(calls: readonly { timestamp: Date }[], keptDays: number): void {
  const badRows = [...calls.keys()].filter((at) => isOlder(calls[at]!.timestamp, keptDays));
  const message = tooOld(keptDays);
  const issues = badRows.map((at) => ({ path: ['generations', at, 'timestamp'], message }));
  if (badRows.length > 0) throw refusal(issues, badRows);
}

export function isOlder(time: Date, days: number): boolean {
  return clock.now().getTime() - time.getTime() > days * DAY_MS;
}

function refusal(issues: readonly Issue[], badRows: readonly number[]): SlipwayError {
  return httpErrors.validation({ details: { ...validationError(issues).extras.details, badRows } });
}

function checkCall(row: unknown): { call: GivenCall; faults: Issue[] } {
  const { value, issues } = check(GivenCall, row);
  const call = value as GivenCall;
  return { call, faults: issues.length > 0 ? issues : timeFaults(call.timestamp) };
}

function timeFaults(time: Date): Issue[] {
  const path = ['timestamp'];
  if (isOlder(time, KEPT_DAYS)) return [{ path, message: tooOld(KEPT_DAYS) }];
  if (!isOlder(time, -1)) return [{ path, message: 'is more than a day ahead' }];
  return [];
}

const tooOld = (days: number) => `is older than the ${days} days for which calls are kept`;
