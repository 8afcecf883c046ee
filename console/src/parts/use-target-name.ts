import { useQuery } from '@tanstack/react-query';
import { api, pageOf, type Schemas } from '../api/client.js';
import { readAll } from '../api/read-all.js';
import { useApp } from '../app/app-context.js';

const MODELS = '/api/admin/v1/projects/{projectId}/models';
const TOOLS = '/api/admin/v1/projects/{projectId}/tools';

/** Returns the name of the model or tool of a dock job, or its id until the name is read and when it is deleted. */
export function useTargetName({ jobType, modelId, toolId }: Schemas['DockJob']): string {
  const { projectId } = useApp();
  const { data: names } = useQuery({
    queryKey: ['names', jobType, projectId],
    queryFn: () => (jobType === 'MODELS' ? readModelNames(projectId) : readToolNames(projectId)),
  });
  const id = modelId ?? toolId ?? '';
  return names?.get(id) ?? id;
}

async function readModelNames(projectId: string): Promise<Map<string, string>> {
  const path = { projectId };
  const models = await readAll((cursor) =>
    pageOf(api.GET(MODELS, { params: { path, query: { limit: 100, cursor } } })),
  );
  return new Map(models.map(({ modelId, name }) => [modelId, name]));
}

async function readToolNames(projectId: string): Promise<Map<string, string>> {
  const path = { projectId };
  const tools = await readAll((cursor) => pageOf(api.GET(TOOLS, { params: { path, query: { limit: 100, cursor } } })));
  return new Map(tools.map(({ toolId, toolName }) => [toolId, toolName]));
}
