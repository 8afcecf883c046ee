import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { modelsOptions, toolsOptions } from './project-things.js';

/** Returns the name of the model or tool of a dock job, or its id until the name is read and when it is deleted. */
export function useTargetName({ modelId, toolId }: Schemas['DockJob']): string {
  const { projectId } = useApp();
  const { data: modelName } = useQuery({
    ...modelsOptions(projectId),
    enabled: modelId !== undefined,
    select: (models) => models.find((each) => each.modelId === modelId)?.name,
  });
  const { data: toolName } = useQuery({
    ...toolsOptions(projectId),
    enabled: toolId !== undefined,
    select: (tools) => tools.find((each) => each.toolId === toolId)?.toolName,
  });
  return modelName ?? toolName ?? modelId ?? toolId ?? '';
}
