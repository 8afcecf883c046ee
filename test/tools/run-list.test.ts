import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { deployedTool, execute, TOOLS } from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

function list(toolId: string, query: Record<string, string>) {
  const path = `${TOOLS}/${toolId}/runs`;
  return tenant.api.get<{ runs: { runId: string }[]; nextCursor: string | null }>(path, { query });
}

it('has the runs of a tool in both orders, and refuses a cursor of another tool', async () => {
  const [toolId, other] = [await deployedTool(tenant), await deployedTool(tenant)];
  const made: string[] = [];
  for (let run = 0; run < 3; run += 1) made.push((await execute(tenant, toolId)).body.runId);
  await execute(tenant, other);
  for (const [order, expected] of [
    ['asc', made],
    ['desc', made.toReversed()],
  ] as const) {
    const { body: first } = await list(toolId, { order, limit: '2' });
    const cursor = first.nextCursor!;
    const { body: rest } = await list(toolId, { order, limit: '2', cursor });
    expect([...first.runs, ...rest.runs].map(({ runId }) => runId)).toEqual(expected);
    expect(rest.nextCursor).toBeNull();
    for (const refused of [await list(other, { order, cursor }), await list(toolId, { order, cursor: made[0]! })])
      expect([refused.outcome, refused.faults]).toEqual(['400 VALIDATION_ERROR', ['cursor']]);
  }
});
