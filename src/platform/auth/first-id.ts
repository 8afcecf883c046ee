import type { IdKind } from '../../kernel/ids.js';
import { StartError } from '../../kernel/start-error.js';
import type { ProjectsOfRows } from '../database/in-project.js';
import type { IndexedRoute } from '../route/route-index.js';

/** Returns the first id in the path of a route, which decides about the project of the request. */
export function firstIdIn({ path, pathIds }: Pick<IndexedRoute, 'path' | 'pathIds'>) {
  const [, name = ''] = /\{(\w+)\}/.exec(path) ?? [];
  const kind: IdKind | undefined = pathIds[name];
  return kind && { name, kind };
}

/** Throws if roles in projects count on a route whose path does not lead to a project. */
export function refuseRoutesWithoutProject(routes: readonly IndexedRoute[], projects: ProjectsOfRows): void {
  for (const route of routes) {
    const first = firstIdIn(route);
    if (route.access !== 'administration' || route.rightIn !== 'project' || !first) continue;
    if (projects.knows(first.kind)) continue;
    throw new StartError(
      `${route.verb} ${route.path} begins with an id that does not lead to a project: ${first.name}. Mark its entity with @InProject, or declare the route with rightIn: 'installation'.`,
    );
  }
}
