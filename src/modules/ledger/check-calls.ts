import { clock } from '../../kernel/clock.js';
import { httpErrors } from '../../platform/route/http.errors.js';
import { check, type Issue, validationError } from '../../platform/route/validation.js';
import { GivenCall } from './call.schema.js';

const DAY_MS = 86_400_000;
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
  if (badRows.length > 0)
    throw httpErrors.validation({ details: { ...validationError(issues).extras.details, badRows } });
  return calls;
}

function checkCall(row: unknown): { call: GivenCall; faults: Issue[] } {
  const { value, issues } = check(GivenCall, row);
  const call = value as GivenCall;
  return { call, faults: issues.length > 0 ? issues : timeFaults(call.timestamp) };
}

function timeFaults(time: Date): Issue[] {
  const age = clock.now().getTime() - time.getTime();
  const path = ['timestamp'];
  if (age > KEPT_DAYS * DAY_MS)
    return [{ path, message: `is older than the ${KEPT_DAYS} days for which calls are kept` }];
  if (age < -DAY_MS) return [{ path, message: 'is more than a day ahead' }];
  return [];
}
