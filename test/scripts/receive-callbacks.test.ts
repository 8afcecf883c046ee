import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How the receiver ends that is started with these options, and what it says to that. */
async function endOf(...options: string[]): Promise<{ code: number; said: string }> {
  const args = ['scripts/receive-callbacks.mjs', '--port', '0', '--secret', 'whsec_c2VjcmV0', ...options];
  const script = spawn(process.execPath, args);
  let said = '';
  script.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(script, 'close')) as [number];
  return { code, said };
}

it('says that no reply has come in the time that it was given, and where to look', async () => {
  const { code, said } = await endOf('--until-reply-to', 'me', '--within', '0.1');
  expect({ code, said }).toEqual({
    code: 1,
    said: expect.stringMatching(/^No reply to me came within 0.1 s\. GET \/api\/v1/) as string,
  });
});

it('refuses an invalid time', async () => {
  expect(await endOf('--until-reply-to', 'me', '--within', 'soon')).toMatchObject({ code: 2 });
});
