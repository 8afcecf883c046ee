import type { ComponentType } from 'react';
import type { AppContext } from './app-context.js';

interface PageModule {
  default: ComponentType;
  /** Asks for what the page shows first. The router calls it before the page is drawn. */
  ask?: (app: AppContext, search: Partial<Record<string, string>>) => void;
}

export interface PageEntry {
  path: string;
  title: string;
  load: () => Promise<PageModule>;
}

/** The pages of the whole installation, in the order of the navigation. */
export const INSTALLATION_PAGES: readonly PageEntry[] = [
  { path: '/', title: 'Projects', load: () => import('../pages/projects.js') },
  { path: '/jobs', title: 'Jobs', load: () => import('../pages/jobs.js') },
  { path: '/audit', title: 'Audit', load: () => import('../pages/audit.js') },
  {
    path: '/administrators',
    title: 'Administrators',
    load: () => import('../pages/administrators.js'),
  },
  { path: '/system', title: 'System', load: () => import('../pages/system.js') },
];

/** The pages of one app. Each has the path `/apps/{appId}/{path}`. */
export const APP_PAGES: readonly PageEntry[] = [
  { path: 'overview', title: 'Overview', load: () => import('../pages/overview.js') },
  { path: 'ledger', title: 'Ledger', load: () => import('../pages/ledger.js') },
  { path: 'sessions', title: 'Sessions', load: () => import('../pages/sessions.js') },
  { path: 'traces', title: 'Traces', load: () => import('../pages/traces.js') },
  { path: 'playground', title: 'Playground', load: () => import('../pages/playground.js') },
  { path: 'agents', title: 'Agents', load: () => import('../pages/agents.js') },
  { path: 'connections', title: 'Connections', load: () => import('../pages/connections.js') },
  {
    path: 'mcp-connections',
    title: 'MCP connections',
    load: () => import('../pages/mcp-connections.js'),
  },
  { path: 'tools', title: 'Tools', load: () => import('../pages/tools.js') },
  { path: 'models', title: 'Models', load: () => import('../pages/models.js') },
  { path: 'files', title: 'Files', load: () => import('../pages/files.js') },
  { path: 'webhooks', title: 'Webhooks', load: () => import('../pages/webhooks.js') },
  { path: 'agent-assist', title: 'Agent assist', load: () => import('../pages/agent-assist.js') },
  { path: 'access', title: 'Access', load: () => import('../pages/access.js') },
];
