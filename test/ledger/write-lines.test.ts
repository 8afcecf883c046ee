import { makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { aCall, at, found, ledgerPath, linesOf, MiB, write, writeLines } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

describe('calls as lines', () => {
  it.each(['\n', '\r\n', '\n\n'])(
    'are written if %j separates them, with or without it at the end',
    async (parting) => {
      for (const end of ['', parting]) {
        const tenant = await makeTenant(service);
        const calls = [aCall({ sessionId: 'é\u2028' }), aCall()];
        const answer = await writeLines(tenant, calls.map((call) => JSON.stringify(call)).join(parting) + end);
        expect(answer).toMatchObject({ status: 201, body: { accepted: 2, duplicates: 0 } });
        expect(await found(tenant)).toEqual(calls.map(({ callId }) => callId));
      }
    },
  );

  it('are refused as a whole if one is bad, and the error has its place', async () => {
    const tenant = await makeTenant(service);
    const answer = await writeLines(tenant, linesOf([aCall(), aCall({ status: 'ok' }), aCall()]));
    expect(answer).toMatchObject({ outcome: '400 VALIDATION_ERROR', faults: ['generations.1.status'] });
    expect(await found(tenant)).toEqual([]);
  });

  it('are refused as a whole if a line is not JSON, and the error has its number', async () => {
    const tenant = await makeTenant(service);
    const answer = await writeLines(tenant, `${JSON.stringify(aCall())}\n{"callId":\n`);
    expect(answer.outcome).toBe('400 MALFORMED_JSON');
    expect(answer.text).toContain('line 2');
    expect(await found(tenant)).toEqual([]);
  });

  it('are at most ten thousand', async () => {
    const tenant = await makeTenant(service);
    const rows = Array.from({ length: 10_001 }, (_, i) => ({ callId: `${i}`, timestamp: at(i), status: 'success' }));
    expect((await writeLines(tenant, linesOf(rows))).outcome).toBe('400 VALIDATION_ERROR');
    expect((await writeLines(tenant, linesOf(rows.slice(1)))).body).toMatchObject({ accepted: 10_000 });
  });
});

describe('a batch', () => {
  const padded = (bytes: number) => aCall({ payload: { response: { text: 'x'.repeat(bytes) } } });

  it('may have 16 MiB as JSON', async () => {
    const tenant = await makeTenant(service);
    expect((await write(tenant, padded(16 * MiB - 300))).outcome).toBe('201');
    expect((await write(tenant, padded(16 * MiB))).outcome).toBe('413 PAYLOAD_TOO_LARGE');
  });

  it('with millions of levels is refused before it is parsed, and brackets in a text do not count', async () => {
    const tenant = await makeTenant(service);
    const deep = `{"generations":${'['.repeat(8 * MiB)}`;
    const answer = await tenant.api.send('POST', ledgerPath(tenant.projectId), { rawBody: deep });
    expect(answer).toMatchObject(faultsAt(''));
    expect(answer.text).toContain('nested deeper than 64 levels');
    const brackets = aCall({ payload: { response: { text: '[{\\"'.repeat(MiB / 2) } } });
    expect((await write(tenant, brackets)).outcome).toBe('201');
  });

  it('may have 64 MiB as lines', async () => {
    const tenant = await makeTenant(service);
    const of = (mebibytes: number) => linesOf([padded(MiB * mebibytes), padded(MiB), padded(MiB)]);
    expect((await writeLines(tenant, of(61))).body).toMatchObject({ accepted: 3 });
    expect((await writeLines(tenant, of(63))).outcome).toBe('413 PAYLOAD_TOO_LARGE');
  });
});
