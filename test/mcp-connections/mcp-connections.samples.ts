import type { Samples, World } from '../support/samples.js';
import { makeMcpConnection } from './make.js';
import { McpDouble } from './mcp-double.js';

const LIST = '/api/admin/v1/projects/{projectId}/mcp-connections';
const ONE = `${LIST}/{mcpConnectionId}` as const;

export const samples: Samples = {
  [`POST ${LIST}`]: ({ tenant: { projectId } }: World) => ({
    params: { projectId },
    body: { name: 'Issue tracker', url: 'https://mcp.example.com/mcp' },
  }),
  [`GET ${LIST}`]: ({ tenant: { projectId } }: World) => ({ params: { projectId } }),
  [`GET ${ONE}`]: async (world: World) => ({ params: await aConnection(world) }),
  [`GET ${ONE}/tools`]: async (world: World) => ({ params: await aConnection(world) }),
  [`PATCH ${ONE}`]: async (world: World) => ({ params: await aConnection(world), body: { allowedTools: ['echo'] } }),
  [`DELETE ${ONE}`]: async (world: World) => ({ params: await aConnection(world) }),
};

let double: Promise<McpDouble> | undefined;

async function aConnection({ service, tenant }: World) {
  double ??= startOnce();
  const { url } = await double;
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url });
  return { projectId: tenant.projectId, mcpConnectionId };
}

/** Starts a server that ends with the process. */
async function startOnce(): Promise<McpDouble> {
  const started = await McpDouble.start({ asJson: true });
  started.unref();
  return started;
}
