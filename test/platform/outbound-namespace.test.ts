import { fileURLToPath } from 'node:url';
import { inNamespace, reportFromNamespace } from '../support/network-namespace.js';

interface Reached {
  asked: number;
  /** The status of each answer, or the reason why there is none. */
  answers: (number | string)[];
  canary: number;
  foreign: number;
}

/**
 * Real connections to foreign addresses are only made in a network namespace of their own, in which there are no real
 * hosts.
 */
const SCRIPT = fileURLToPath(new URL('outbound-namespace.mjs', import.meta.url));

inNamespace('the guarded client, in a network of its own', () => {
  let report: Record<string, Reached>;
  beforeAll(async () => {
    report = await reportFromNamespace(SCRIPT);
  }, 120_000);

  it('has a canary that other processes reach', () => {
    expect(report.unguarded).toMatchObject({ asked: 5, canary: 5 });
  });

  it('never reaches the canary, however its address is spelled and whatever a name resolves to', () => {
    const { asked, answers, canary } = report.closed!;
    expect(asked).toBeGreaterThan(150);
    expect(canary).toBe(0);
    expect(new Set(answers)).toEqual(new Set(['address']));
  });

  it('does not reach it either if the address was not checked before', () => {
    const { answers, canary } = report.closedAtConnect!;
    expect(canary).toBe(0);
    expect(answers.filter((answer) => typeof answer === 'number')).toEqual([]);
  });

  it('reaches public addresses, by name and by number', () => {
    expect(report.public).toMatchObject({ answers: [200, 200], foreign: 2, canary: 0 });
  });

  it('follows no redirect', () => {
    expect(report.redirect).toMatchObject({ answers: [302], foreign: 1, canary: 0 });
  });

  it('connects to the address that it has checked, although the name server changes its answer each time', () => {
    const { answers, canary, foreign } = report.rebinding!;
    expect(canary).toBe(0);
    expect(new Set(answers)).toEqual(new Set([200, 'address']));
    expect(foreign).toBe(answers.filter((answer) => answer === 200).length);
  });
});
