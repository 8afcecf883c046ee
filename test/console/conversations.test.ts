import type { Locator } from 'playwright-core';
import { newId } from '../../src/kernel/ids.js';
import { activate, makeActiveAgent, say } from '../agents/make.js';
import { makeProfile } from '../agents/sign-in.js';
import { connectTo } from '../gateway/calls.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { inApp, openSignedIn, untilAnswered } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';
import { makeSession, user } from '../sessions/make.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { MARKUP } from './filled-app.js';

const service = await startService();
const tenant = await makeTenant(service);
const { agentId } = await makeActiveAgent(service, tenant);
const { body: run } = await say(tenant, 'ada', `Hello ${MARKUP}`);
const { sessionId } = run.session;
const double = await ModelDouble.start();
const browser = await openSignedIn(service, double);
const { page } = browser;

const of = (path: string) => inApp(tenant, path);
const box = page.getByRole('textbox', { name: 'Message' });

it('shows a session as the conversation that it was, with each step of its traces', async () => {
  await browser.see(of(`sessions?session=${sessionId}`), `Hello ${MARKUP}`);
  // The user and the reference of the session have the same name.
  await page.getByRole('definition').getByText('ada').nth(1).waitFor();
  await browser.expectAccessible();
  const steps = page.getByRole('table', { name: 'Steps of the trace' });
  await steps.getByRole('cell', { name: 'US$0.00' }).first().waitFor();
  for (const level of [1, 2])
    await steps
      .getByRole('cell', { name: `Level ${level}, ` })
      .first()
      .waitFor();
  await steps.getByRole('button').first().click();
  await page.getByRole('dialog').getByText('Started').waitFor();
  // The opened step stands in the address.
  await page.reload();
  await page.getByRole('dialog').getByText('Started').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

it('lists the sessions with their turns, tokens and cost', async () => {
  await browser.see(of('sessions'), 'Idle');
  const row = page.getByRole('row').filter({ hasText: sessionId });
  const [, , , , , status, turns, tokens, cost] = await row.getByRole('cell').allInnerTexts();
  expect([status?.toLowerCase(), turns]).toEqual(['idle', '1']);
  expect(Number(tokens)).toBeGreaterThan(0);
  expect(cost).toMatch(/^US\$/);
});

it('shows no session twice while others begin', async () => {
  const busy = await makeTenant(service);
  const begin = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, at) => makeSession(busy, [user(`visitor-${at}`)])));
  await begin(55);
  await browser.see(inApp(busy, 'sessions'), '50 of 55 shown');
  await begin(10);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  const ids = await page.getByRole('table', { name: 'Sessions' }).getByRole('button').allInnerTexts();
  expect(ids.length).toBeGreaterThanOrEqual(55);
  expect(new Set(ids).size).toBe(ids.length);
});

it('says that a session has further turns, and which steps have failed', async () => {
  const asked: number[] = [];
  await page.route('**/sessions?session_id=*', async (route) => {
    const at = Number(new URL(route.request().url()).searchParams.get('page'));
    asked.push(at);
    const response = await route.fetch();
    const details = (await response.text()).replaceAll('"status":"success"', '"status":"failed"');
    const pagination = { page: at, limit: 100, total: 101 };
    await route.fulfill({ response, json: { ...(JSON.parse(details) as object), pagination } });
  });
  await browser.goTo(of(`sessions?session=${sessionId}`));
  await page.getByText('100 later turns are not shown').waitFor();
  await page.getByRole('button', { name: 'Show more turns' }).click();
  await eventually(
    () => Promise.resolve(asked),
    (pages) => pages.includes(2),
  );
  // A page that is full is not read again.
  asked.length = 0;
  await browser.comeBackUntil(() => asked.includes(2));
  expect(asked).not.toContain(1);
  const steps = page.getByRole('table', { name: 'Steps of the trace' });
  await steps.getByText('Failed', { exact: true }).first().waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

it('shows all turns of a long session, some at a time', async () => {
  const { body } = await say(tenant, 'grace', 'Message 0');
  await repeatTurn(body.session.sessionId, 249);
  await browser.see(of(`sessions?session=${body.session.sessionId}`), '150 later turns are not shown');
  const turns = page.getByRole('article');
  expect(await turns.count()).toBe(100);
  await page.getByRole('button', { name: 'Show more turns' }).click();
  await page.getByText('50 later turns are not shown').waitFor();
  await page.getByRole('button', { name: 'Show more turns' }).click();
  await page.getByRole('article', { name: 'Turn 250' }).getByText('Message 249').first().waitFor();
  expect(await turns.count()).toBe(250);
  expect(await page.getByRole('button', { name: 'Show more turns' }).count()).toBe(0);
});

/** Records the only turn of a session again, each time with another message. */
async function repeatTurn(sessionId: string, times: number): Promise<void> {
  await service.database.rows(
    `with turn as (select * from trace where session_id = $1),
      made as (
        select *, number * interval '1 second' as later from unnest($2::text[]) with ordinality as made (trace_id, number)),
      traces as (
        insert into trace
        select (jsonb_populate_record(null::trace, to_jsonb(turn) || jsonb_build_object(
          'id', made.trace_id, 'started_at', started_at + later, 'ended_at', ended_at + later))).* from turn, made)
     insert into observation
     select (jsonb_populate_record(observation, jsonb_build_object(
       'trace_id', made.trace_id, 'started_at', observation.started_at + later,
       'ended_at', observation.ended_at + later, 'input', 'Message ' || number))).*
     from observation join turn on observation.project_id = turn.project_id and observation.trace_id = turn.id, made`,
    [sessionId, Array.from({ length: times }, () => newId('trace'))],
  );
}

it('streams an answer in the playground, beside its trace, and keeps the conversation', async () => {
  await browser.open(of('playground'));
  const heights: number[] = [];
  for (const lines of [1, 4, 40]) {
    await box.fill('line\n'.repeat(lines));
    heights.push((await box.boundingBox())!.height);
  }
  // The field grows with its text, up to eight rows.
  expect(heights).toEqual([...heights].sort((a, b) => a - b));
  expect(heights[1]).toBeGreaterThan(heights[0]!);
  expect(heights[2]).toBeLessThan(300);
  await box.fill('');
  await box.pressSequentially('Good');
  await box.press('Shift+Enter');
  await box.pressSequentially('morning');
  await box.press('Enter');
  const steps = page.getByRole('table', { name: 'Steps of the trace' });
  await steps.getByRole('button').first().waitFor();
  const answer = page.getByRole('article').getByRole('group', { name: 'Agent, turn 1' });
  // The answer stands alone until its turn is listed.
  await browser.comeBackUntil(async () => (await answer.count()) === 1);
  const [left, right] = [(await answer.boundingBox())!, (await steps.boundingBox())!];
  expect(right.x).toBeGreaterThanOrEqual(left.x + left.width);
  await browser.expectAccessible();
  await page.reload();
  await page
    .getByRole('article')
    .getByText(/Good\s+morning/)
    .first()
    .waitFor();
});

it('shows the first half of an answer in the playground before its end', async () => {
  const halting = await makeTenant(service);
  await makeActiveAgent(service, halting, { connectionId: await connectTo(halting, double, 'halting') });
  await browser.open(inApp(halting, 'playground'));
  await box.fill('Hello');
  await box.press('Enter');
  // A screen reader waits with a busy part until it is no longer busy.
  const live = page.locator('main [aria-live=polite]');
  await live.and(page.locator('[aria-busy=true]')).getByText('Half', { exact: true }).waitFor();
  const stop = page.getByRole('button', { name: 'Stop' });
  await stop.click();
  await stop.waitFor({ state: 'detached' });
  await live.and(page.locator('[aria-busy=false]')).waitFor({ state: 'attached' });
});

it('stops an answer on request, and when its page is left, and keeps the message', async () => {
  await page.route('**/runs', () => undefined);
  await browser.open(of('playground'));
  const stop = page.getByRole('button', { name: 'Stop' });
  await box.fill('Take your time');
  const send = () => Promise.all([page.waitForRequest('**/runs'), box.press('Enter')]);
  await send();
  const stopped = page.waitForEvent('requestfailed');
  await stop.click();
  await stopped;
  await stop.waitFor({ state: 'detached' });
  expect(await box.inputValue()).toBe('Take your time');
  expect(await page.getByRole('alert').count()).toBe(0);
  await send();
  const left = page.waitForEvent('requestfailed');
  await browser.open(of('agents'));
  await left;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

it('sends a message to two versions side by side, and shows the trace of each answer', async () => {
  const path = `/api/admin/v1/apps/${tenant.appId}/agents/${agentId}`;
  await administratorOf(service).patch(path, { instructions: 'Answer in one word.' });
  await browser.open(of('playground'));
  const left = page.getByRole('region', { name: 'Conversation', exact: true });
  await left.getByRole('option', { name: 'Version 2' }).waitFor({ state: 'attached' });
  await page.getByLabel('Compare two versions').check();
  const right = page.getByRole('region', { name: 'Second conversation' });
  await right.getByText('This version answers here without being active').waitFor();
  expect(await right.getByLabel('Environment').inputValue()).toBe('production');
  expect(await left.getByLabel('Version to try').inputValue()).toBe('');
  await left.getByLabel('Environment').selectOption('development');
  await right.getByLabel('Environment').selectOption('working-copy');
  for (const [column, version] of [
    [left, 'Version 1'],
    [right, 'Version 2'],
  ] as const) {
    await column.getByText('No agent is active here').waitFor();
    await column.getByLabel('Version to try').selectOption(version);
    await column.getByText('This version answers here without being active').waitFor();
  }
  await browser.expectAccessible();
  await box.fill('Compare yourselves');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  for (const column of [left, right]) {
    await column.getByRole('article').getByText('Compare yourselves').first().waitFor();
    const steps = column.getByRole('table', { name: 'Steps of the trace' });
    await steps.getByRole('button').first().waitFor();
    const answer = column.getByRole('group', { name: 'Agent, turn 1' });
    const [below, text] = [(await steps.boundingBox())!, (await answer.boundingBox())!];
    expect(below.y).toBeGreaterThan(text.y);
    await page.setViewportSize({ width: 1_920, height: 900 });
    const [beside, wide] = [(await steps.boundingBox())!, (await answer.boundingBox())!];
    expect(beside.x).toBeGreaterThanOrEqual(wide.x + wide.width);
    await page.setViewportSize({ width: 1_280, height: 900 });
  }
  await browser.expectAccessible();
});

it('talks to an agent whose users sign in for its tools, and names the version that has become active', async () => {
  const guarded = await makeTenant(service);
  await makeProfile(service, guarded);
  const { agentId: guardedAgent } = await makeActiveAgent(service, guarded, { name: 'Guarded desk' });
  await browser.open(inApp(guarded, 'playground'));
  const answered = page.getByRole('article').getByRole('group', { name: 'Agent, turn 1' });
  await page.getByText('Guarded desk, version 1').waitFor();
  await box.fill('Good day');
  await box.press('Enter');
  await answered.waitFor();
  await untilAnswered(box);
  const path = `/api/admin/v1/apps/${guarded.appId}/agents/${guardedAgent}`;
  await administratorOf(service).patch(path, { instructions: 'Answer in one word.' });
  await activate(service, guarded.appId, guardedAgent);
  await box.fill('And now');
  await box.press('Enter');
  await untilAnswered(box);
  await page.getByRole('article').getByText('And now').first().waitFor();
  await page.getByText('Guarded desk, version 2').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  // A screen reader tells the messages apart by the names that they have in the tree of the page.
  const tree = await page.getByRole('region', { name: 'Conversation', exact: true }).ariaSnapshot();
  const names = [...tree.matchAll(/- (?:article|group|region) "([^"]+)"/g)].map(([, name]) => name!);
  const ofTurn = (number: number) => [`Turn ${number}`, `User, turn ${number}`, `Agent, turn ${number}`];
  expect(names.slice(1)).toEqual([...ofTurn(1), ...ofTurn(2)]);
});

it('says beside the message why it was refused, and keeps it', async () => {
  browser.expectRefusals(400);
  const tooLong = 'm'.repeat(100_001);
  await browser.open(of('playground'));
  await box.fill(tooLong);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText(/^The message must /).waitFor();
  expect(await box.inputValue()).toBe(tooLong);
  await browser.expectAccessible();
});

it.each([
  ['ends', ''],
  ['ends within an answer', 'event: delta\ndata: {"content":"Half"}\n\n'],
  ['is no stream of events', 'event: delta\ndata: <html>\n\n'],
])('says that an answer broke off if its stream %s before its last event, and keeps the message', async (_, body) => {
  await page.route('**/runs', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
  await browser.open(of('playground'));
  await box.fill('Are you there?');
  await box.press('Enter');
  await page.getByText(/^The answer broke off/).waitFor();
  expect(await box.inputValue()).toBe('Are you there?');
  await page.unroute('**/runs');
});

it('sends a message that one side refused again to this side alone', async () => {
  browser.expectRefusals(409);
  await browser.open(of('playground?compare=yes'));
  const left = page.getByRole('region', { name: 'Conversation', exact: true });
  const right = page.getByRole('region', { name: 'Second conversation' });
  await right.getByLabel('Environment').selectOption('staging');
  await right.getByText('No agent is active here').waitFor();
  await left.getByLabel('Version to try').selectOption('Version 1');
  await box.fill('Only once');
  await box.press('Enter');
  await right.getByRole('alert').waitFor();
  await left.getByRole('article').getByText('Only once').first().waitFor();
  await page.getByText('Only the one that refused this message gets it again.').waitFor();
  await right.getByLabel('Environment').selectOption('production');
  await box.press('Enter');
  await right.getByRole('article').getByText('Only once').first().waitFor();
  await page.getByText('Enter sends').waitFor();
  expect(await left.getByRole('article').count()).toBe(1);
  await expectSameHeights(left, right);
});

/** Fails if the columns of a comparison stand at different heights when a sentence takes more lines in one of them. */
async function expectSameHeights(...columns: Locator[]): Promise<void> {
  await page.getByText('This version answers here without being active').waitFor();
  await page.setViewportSize({ width: 1_000, height: 900 });
  const topsOf = (find: (column: Locator) => Locator) =>
    Promise.all(columns.map(async (column) => (await find(column).boundingBox())!.y));
  for (const find of [
    (column: Locator) => column.getByLabel('Environment'),
    (column: Locator) => column.getByLabel('Version to try'),
    (column: Locator) => column.getByRole('article'),
  ]) {
    const [first, second] = await topsOf(find);
    expect(second).toBe(first);
  }
  await page.setViewportSize({ width: 1_280, height: 900 });
}
