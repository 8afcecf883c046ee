import { makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { aCall, at, found, ledgerPath, linesOf, MiB, write, writeLines } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

describe('calls as lines', () => {
  it.each(['\n', '\r\n', '\n\n'])('are written, parted by %j, with or without an end', async (parting) => {
    for (const end of ['', parting]) {
      const tenant = await makeTenant(service);
      const calls = [aCall({ sessionId: 'é\u2028' }), aCall()];
      const answer = await writeLines(tenant, calls.map((call) => JSON.stringify(call)).join(parting) + end);
      expect(answer).toMatchObject({ status: 201, body: { accepted: 2, duplicates: 0 } });
      expect(await found(tenant)).toEqual(calls.map(({ callId }) => callId));
    }
  });

  it('are refused whole for a bad one, which is named by its place', async () => {
    const tenant = await makeTenant(service);
    const answer = await writeLines(tenant, linesOf([aCall(), aCall({ status: 'ok' }), aCall()]));
    expect(answer).toMatchObject({ outcome: '400 VALIDATION_ERROR', faults: ['generations.1.status'] });
    expect(await found(tenant)).toEqual([]);
  });

  it('are refused whole for a line that is no JSON, which is named by its number', async () => {
    const tenant = await makeTenant(service);
    const answer = await writeLines(tenant, `${JSON.stringify(aCall())}\n{"callId":\n`);
    expect(answer.outcome).toBe('400 MALFORMED_JSON');
    expect(answer.text).toContain('line 2');
    expect(await found(tenant)).toEqual([]);
  });

  it('may be ten thousand, and not one more', async () => {
    const tenant = await makeTenant(service);
    const rows = Array.from({ length: 10_001 }, (_, i) => ({ callId: `${i}`, timestamp: at(i), status: 'success' }));
    expect((await writeLines(tenant, linesOf(rows))).outcome).toBe('400 VALIDATION_ERROR');
    expect((await writeLines(tenant, linesOf(rows.slice(1)))).body).toMatchObject({ accepted: 10_000 });
  });
});

describe('a batch may have', () => {
  const padded = (bytes: number) => aCall({ payload: { response: { text: 'x'.repeat(bytes) } } });

  it('16 MiB as JSON, and not more', async () => {
    const tenant = await makeTenant(service);
    expect((await write(tenant, padded(16 * MiB - 300))).outcome).toBe('201');
    expect((await write(tenant, padded(16 * MiB))).outcome).toBe('413 PAYLOAD_TOO_LARGE');
  });

  it('millions of levels are refused without being parsed, and brackets in a text are none', async () => {
    const tenant = await makeTenant(service);
    const deep = `{"generations":${'['.repeat(8 * MiB)}`;
    const answer = await tenant.api.send('POST', ledgerPath(tenant.projectId), { rawBody: deep });
    expect(answer).toMatchObject(faultsAt(''));
    expect(answer.text).toContain('nested deeper than 64 levels');
    const brackets = aCall({ payload: { response: { text: '[{\\"'.repeat(MiB / 2) } } });
    expect((await write(tenant, brackets)).outcome).toBe('201');
  });

  it('64 MiB as lines, and not more', async () => {
    const tenant = await makeTenant(service);
    const of = (mebibytes: number) => linesOf([padded(MiB * mebibytes), padded(MiB), padded(MiB)]);
    expect((await writeLines(tenant, of(61))).body).toMatchObject({ accepted: 3 });
    expect((await writeLines(tenant, of(63))).outcome).toBe('413 PAYLOAD_TOO_LARGE');
  });
});
