import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeActiveAgent } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { ShellUser } from './command-line.js';
import { CTRL_C, CTRL_D, ENTER, hasTerminal, OnTerminal } from './terminal.js';

const service = await startService();
const tenant = await makeTenant(service);
await makeActiveAgent(service, tenant);
afterAll(() => service.stop());

// The options of `script` differ on other systems, so that a terminal is made with that of util-linux alone.
const onLinux = hasTerminal ? describe : describe.skip;

onLinux('login on a terminal', () => {
  const folderOf = ({ home }: ShellUser) => join(home, '.config', 'slipway');

  it('asks for address and key, does not show the key, and keeps it', async () => {
    const user = new ShellUser();
    const login = new OnTerminal(user, 'login');
    await login.type(service.url + ENTER, 'Address of Slipway: ');
    await login.type(tenant.key + ENTER, 'API key: ');
    expect(await login.ended).toBe(0);
    expect(login.screen).toContain(`You are signed in to ${service.url}`);
    expect(login.screen).not.toContain(tenant.key);
    expect(readFileSync(join(folderOf(user), 'credentials.json'), 'utf8')).toContain(tenant.key);
    expect(readdirSync(folderOf(user))).toEqual(['credentials.json']);
  });

  it.each([
    ['Ctrl-C', CTRL_C, 130],
    ['Ctrl-D', CTRL_D, 2],
    ['an empty key', ENTER, 2],
  ])('keeps nothing after %s', async (_, keys, code) => {
    const user = new ShellUser();
    const login = new OnTerminal(user, 'login', '--url', service.url);
    await login.type(keys, 'API key: ');
    expect(await login.ended).toBe(code);
    expect(login.screen).not.toMatch(/Error|Abort|at /);
    expect(existsSync(folderOf(user))).toBe(false);
  });

  it('keeps nothing after Ctrl-C in the middle of the key, and does not show it', async () => {
    const user = new ShellUser();
    const login = new OnTerminal(user, 'login', '--url', service.url);
    await login.type(tenant.key + CTRL_C, 'API key: ');
    expect(await login.ended).toBe(130);
    expect(login.screen).not.toContain(tenant.key.slice(0, 6));
    expect(existsSync(folderOf(user))).toBe(false);
  });
});

onLinux('chat on a terminal', () => {
  const user = new ShellUser({ SLIPWAY_URL: service.url, SLIPWAY_API_KEY: tenant.key });

  it('answers one message after the other, and ends at Ctrl-D', async () => {
    const chat = new OnTerminal(user, 'chat');
    await chat.type(`First${ENTER}`, '> ');
    await chat.type(`Second${ENTER}`, '> ');
    await chat.type(CTRL_D, '> ');
    expect(await chat.ended).toBe(0);
    expect(chat.screen).toMatch(/First\r+\n\[mock\] You said: First/);
    expect(chat.screen).toContain('[mock] You said: Second');
  });

  it('ends at Ctrl-C and at an empty line', async () => {
    const [interrupted, left] = [new OnTerminal(user, 'chat'), new OnTerminal(user, 'chat')];
    await interrupted.type(CTRL_C, '> ');
    await left.type(ENTER, '> ');
    expect([await interrupted.ended, await left.ended]).toEqual([130, 0]);
  });
});
