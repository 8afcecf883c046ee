import type { ComponentType } from 'react';
import type { Schemas } from '../api/client.js';
import type { AppContext } from './app-context.js';
import type { Session } from './session.js';

interface PageModule {
  default: ComponentType;
  /** Asks for what the page shows first. The router calls it before the page is drawn. */
  ask?: (app: AppContext, search: Partial<Record<string, string>>) => void;
}

type InstallationPath = '/' | '/jobs' | '/audit' | '/administrators' | '/system';

export type AppPagePath =
  | 'overview'
  | 'ledger'
  | 'sessions'
  | 'traces'
  | 'playground'
  | 'agents'
  | 'connections'
  | 'mcp-connections'
  | 'tools'
  | 'models'
  | 'files'
  | 'webhooks'
  | 'agent-assist'
  | 'access';

/** The address of a page below /console. */
export type PageAddress = InstallationPath | `/apps/${string}/${AppPagePath}`;

export interface PageEntry<Path extends string = string> {
  path: Path;
  title: string;
  load: () => Promise<PageModule>;
  /** Whether roles in single projects do not suffice for the page. */
  needsRoleInInstallation?: boolean;
  /** Roles that may read nothing of the page. */
  closedTo?: readonly Schemas['AdminRole'][];
}

/** The pages of the whole installation, in the order of the navigation. */
export const INSTALLATION_PAGES: readonly PageEntry<InstallationPath>[] = [
  { path: '/', title: 'Projects', load: () => import('../pages/projects/projects.js') },
  { path: '/jobs', title: 'Jobs', load: () => import('../pages/jobs/jobs.js'), needsRoleInInstallation: true },
  {
    path: '/audit',
    title: 'Audit',
    load: () => import('../pages/audit/audit.js'),
    closedTo: ['viewer', 'operator'],
  },
  {
    path: '/administrators',
    title: 'Administrators',
    load: () => import('../pages/administrators/administrators.js'),
    needsRoleInInstallation: true,
  },
  { path: '/system', title: 'System', load: () => import('../pages/system/system.js'), needsRoleInInstallation: true },
];

/** Whether the administrator can read something of the page. */
export function isOpenTo(
  { role, projectRoles }: Pick<Session, 'role' | 'projectRoles'>,
  { needsRoleInInstallation = false, closedTo = [] }: PageEntry,
): boolean {
  const roles = needsRoleInInstallation ? [role] : [role, ...projectRoles.map((each) => each.role)];
  return roles.some((each) => each !== null && !closedTo.includes(each));
}

/** The pages of one app. Each has the path `/apps/{appId}/{path}`. */
export const APP_PAGES: readonly PageEntry<AppPagePath>[] = [
  { path: 'overview', title: 'Overview', load: () => import('../pages/overview/overview.js') },
  { path: 'ledger', title: 'Ledger', load: () => import('../pages/ledger/ledger.js') },
  { path: 'sessions', title: 'Sessions', load: () => import('../pages/sessions/sessions.js') },
  { path: 'traces', title: 'Traces', load: () => import('../pages/traces/traces.js') },
  { path: 'playground', title: 'Playground', load: () => import('../pages/playground/playground.js') },
  { path: 'agents', title: 'Agents', load: () => import('../pages/agents/agents.js') },
  { path: 'connections', title: 'Connections', load: () => import('../pages/connections/connections.js') },
  {
    path: 'mcp-connections',
    title: 'MCP connections',
    load: () => import('../pages/mcp-connections/mcp-connections.js'),
  },
  { path: 'tools', title: 'Tools', load: () => import('../pages/tools/tools.js') },
  { path: 'models', title: 'Models', load: () => import('../pages/models/models.js') },
  { path: 'files', title: 'Files', load: () => import('../pages/files/files.js') },
  { path: 'webhooks', title: 'Webhooks', load: () => import('../pages/webhooks/webhooks.js') },
  { path: 'agent-assist', title: 'Agent assist', load: () => import('../pages/agent-assist/agent-assist.js') },
  { path: 'access', title: 'Access', load: () => import('../pages/access/access.js') },
];
