import { readFile } from 'node:fs/promises';
import { eventually } from '../support/eventually.js';
import { filesExecutedBy } from '../support/executed-files.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { accepted, openChannel, replyTo } from '../webhooks/channel.js';

const service = await startService();
const receiver = await Receiver.start();
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const TIMES = 5;

/** Accepted, answered by the mock, recorded in the ledger, and called back. */
const channel = await openChannel(service, { callbackUrl: receiver.url('walked'), events: ['agent.response'] });
let key = 'first';
async function message(): Promise<void> {
  const sent = await accepted(channel, { session_key: key });
  key = sent.session_key;
  await replyTo(receiver, sent);
  await eventually(
    () => service.database.rows(`select from job where state in ('running', 'queued') and every is null`),
    (jobs) => jobs.length === 0,
  );
}

await message();
const executed = await filesExecutedBy(TIMES, message);
const page = await readFile(new URL('../../docs/message.md', import.meta.url), 'utf8');
const named = [...page.matchAll(/\(\.\.\/(src\/[^)]+\.ts)\)/g)].map(([, file]) => file!);
const said = (what: RegExp) => Number(what.exec(page)?.[1]);

it('runs every file that the page about it names', () => {
  expect(named.filter((file) => !executed.includes(file))).toEqual([]);
});

it('is followed through fewer than sixty files, each named once', () => {
  expect(new Set(named).size).toBe(named.length);
  expect(named.length).toBeLessThan(60);
  expect(said(/names\s+(\d+)\s+files/)).toBe(named.length);
});

it('runs no more files than the page says, in each layer', () => {
  if (process.env.SHOW_FILES) console.log(executed.join('\n'));
  const ofLayer = (layer: string) => executed.filter((file) => file.startsWith(`src/${layer}/`)).length;
  const counts = { kernel: ofLayer('kernel'), platform: ofLayer('platform'), modules: ofLayer('modules') };
  console.log(`A message runs functions in ${executed.length} files: ${JSON.stringify(counts)}`);
  expect(executed.length).toBeLessThanOrEqual(said(/runs\s+functions\s+in\s+at\s+most\s+(\d+)/));
  expect(counts.kernel).toBeLessThanOrEqual(said(/(\d+)\s+of\s+the\s+kernel/));
  expect(counts.platform).toBeLessThanOrEqual(said(/(\d+)\s+of\s+the\s+platform/));
  expect(counts.modules).toBeLessThanOrEqual(said(/(\d+)\s+of\s+the\s+modules/));
});
