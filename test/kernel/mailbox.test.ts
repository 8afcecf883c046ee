import { getEventListeners } from 'node:events';
import { Mailbox } from '../../src/kernel/mailbox.js';

const LONG_MS = 60_000;

it('waits until a message is put, and returns it once', async () => {
  const mailbox = new Mailbox<string>();
  const waiting = mailbox.arrival(LONG_MS);
  mailbox.put('first');
  mailbox.put('second');
  await waiting;
  expect(mailbox.all()).toEqual(['first', 'second']);
  expect(mailbox.all()).toEqual([]);
});

it('remembers a wake-up that came while no caller waited', async () => {
  const mailbox = new Mailbox<string>();
  mailbox.wake();
  await mailbox.arrival(LONG_MS);
  expect(mailbox.all()).toEqual([]);
});

it('distinguishes messages from a request to look', async () => {
  const mailbox = new Mailbox<string>();
  mailbox.put('all there is to know');
  await mailbox.arrival(LONG_MS);
  expect(mailbox.mustLook()).toBe(false);
  mailbox.wake();
  mailbox.put('not all');
  await mailbox.arrival(LONG_MS);
  expect([mailbox.mustLook(), mailbox.mustLook()]).toEqual([true, false]);
  await mailbox.arrival(1);
  expect(mailbox.mustLook()).toBe(true);
});

it('waits no longer than its time limit', async () => {
  await expect(new Mailbox().arrival(1)).resolves.toBeUndefined();
});

it('throws the reason of the signal, and leaves no listener on it', async () => {
  const mailbox = new Mailbox<string>();
  const abort = new AbortController();
  const waiting = mailbox.arrival(LONG_MS, abort.signal);
  abort.abort(new Error('The client left'));
  await expect(waiting).rejects.toThrow('The client left');
  await expect(mailbox.arrival(LONG_MS, abort.signal)).rejects.toThrow('The client left');
  expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
});
