import type { Schemas } from '../api/client.js';
import { useProjectId } from '../app/app-context.js';
import { useSession } from '../app/session.js';

const READERS: readonly Schemas['AdminRole'][] = ['viewer', 'auditor'];

/**
 * Returns why the user can change nothing, or null if a role allows changes, which the service then checks. On the pages
 * of an app, the roles in other projects do not count.
 */
export function useWhyReadOnly(): string | null {
  const { session } = useSession();
  const shown = useProjectId();
  if (!session) return null;
  const inProjects = session.projectRoles.filter(({ projectId }) => shown === undefined || projectId === shown);
  const roles = [session.role, ...inProjects.map(({ role }) => role)].filter((role) => role !== null);
  if (!roles.every((role) => READERS.includes(role))) return null;
  return 'Your role can read, and change nothing.';
}
