import { administratorOf, makeKey, makeTenant, revoke } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { atTime, HOUR } from '../support/clock.js';
import { startService } from '../support/service.js';
import { aCall, at, EVER, ledgerPath, makeExportLink, openExport, written } from './calls.js';

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

await written(
  tenant,
  aCall({ model: 'a', status: 'failed', sessionId: 'one' }),
  aCall({ model: 'a', sessionId: 'two' }),
  aCall({ model: 'a', sessionId: 'three' }),
  aCall({ model: 'b', sessionId: 'two' }),
);

const linkTo = async (members: Record<string, unknown> = {}) => (await makeExportLink(tenant, members)).body.url;
const { url, expiresAt } = (await makeExportLink(tenant)).body;

describe('a link to an export', () => {
  it.each([
    ['ndjson', {}],
    ['csv', {}],
    ['csv', { model: 'a', status: 'success', sessionIds: ['two', 'three'] }],
    ['ndjson', { fromDate: at(0), toDate: at(1), provider: 'unknown' }],
    ['ndjson', { name: 'unheard-of' }],
  ])('opens what the export as %s has with the filters %j, to be saved', async (format, filters) => {
    const query = { ...EVER, ...filters } as Record<string, string | string[]>;
    const exported = await tenant.api.get(`${ledgerPath(tenant.projectId)}/export.${format}`, { query });
    const opened = await openExport(service, await linkTo({ format, ...filters }));
    expect([opened.outcome, opened.text]).toEqual(['200', exported.text]);
    expect(opened.headers.get('content-type')).toBe(exported.headers.get('content-type'));
    expect(opened.headers.get('content-disposition')).toBe(`attachment; filename="calls.${format}"`);
    expect(opened.headers.get('cache-control')).toBe('private, no-store, max-age=0');
  });

  it('carries as many sessions as the list takes', async () => {
    const sessionIds = ['one', ...Array.from({ length: 9_999 }, (_, i) => `a-session-${i}`)];
    const opened = await openExport(service, await linkTo({ format: 'ndjson', sessionIds }));
    expect(
      opened.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([{ sessionId: 'one' }]);
  });

  it('is valid until the time that it states', async () => {
    const end = Date.parse(expiresAt);
    expect(Math.abs(end - Date.now() - HOUR)).toBeLessThan(60_000);
    expect((await atTime(end - 1_000, () => openExport(service, url))).outcome).toBe('200');
    expect((await atTime(end, () => openExport(service, url))).outcome).toBe('403 LEDGER_LINK_EXPIRED');
  });

  it('works after the key that made it is revoked', async () => {
    const { api, keyId } = await makeKey(service, tenant.appId, tenant.scopeName);
    const made = (await makeExportLink({ ...tenant, api })).body;
    await revoke(service, tenant.appId, keyId);
    expect((await openExport(service, made.url)).outcome).toBe('200');
  });

  it('is refused as forged when it names another project, format or filter', async () => {
    const other = await makeTenant(service);
    const filters = url.match(/export\.csv\/([\w-]+)/)![1]!;
    const wider = Buffer.from(JSON.stringify({ ...EVER, fromDate: at(0) })).toString('base64url');
    const bent = [
      url.replace(tenant.projectId, other.projectId),
      url.replace('export.csv', 'export.ndjson'),
      url.replace(filters, wider),
      url.replace(filters, `${filters}%3D`),
      url.replace(/expires=(\d+)/, (_, end) => `expires=${Number(end) + 1}`),
      url.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A')),
    ];
    for (const link of bent) expect((await openExport(service, link)).outcome).toBe('403 LEDGER_LINK_INVALID');
  });

  it('opens nothing once its project is deleted, and shows a refusal instead of saving it', async () => {
    const gone = await makeTenant(service);
    await written(gone, aCall());
    const made = (await makeExportLink(gone)).body;
    await revoke(service, gone.appId, gone.keyId);
    const administrator = administratorOf(service);
    const ADMIN = '/api/admin/v1';
    await administrator.delete(`${ADMIN}/apps/${gone.appId}/scopes/${gone.scopeId}`);
    await administrator.delete(`${ADMIN}/apps/${gone.appId}`);
    expect((await administrator.delete(`${ADMIN}/projects/${gone.projectId}`)).outcome).toBe('200');
    const answer = await openExport(service, made.url);
    expect([answer.outcome, answer.headers.get('content-disposition')]).toEqual(['404 PROJECT_NOT_FOUND', null]);
  });

  it('is refused without its members or with more of them', async () => {
    const { origin, pathname } = new URL(url);
    expect((await openExport(service, origin + pathname)).faults.sort()).toEqual(['expires', 'signature']);
    expect((await openExport(service, `${url}&model=a`)).faults).toEqual(['model']);
  });
});

it('no link is made with filters that the export refuses', async () => {
  expect((await makeExportLink(tenant, { model: '' })).outcome).toBe('400 INVALID_FILTER');
  expect((await makeExportLink(tenant, { status: 'x' })).outcome).toBe('400 INVALID_STATUS');
  expect(await makeExportLink(tenant, { format: 'xls' })).toMatchObject(faultsAt('format'));
  expect(await makeExportLink(tenant, { limit: 1 })).toMatchObject(faultsAt('limit'));
  expect(await makeExportLink(tenant, { fromDate: EVER.toDate })).toMatchObject(faultsAt('fromDate'));
});
