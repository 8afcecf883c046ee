import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';

export interface PageEntry {
  path: string;
  title: string;
  page: RouteComponent;
}

/** The pages of the whole installation, in the order of the navigation. */
export const INSTALLATION_PAGES: readonly PageEntry[] = [
  { path: '/', title: 'Projects', page: lazyRouteComponent(() => import('../pages/projects.js')) },
  { path: '/jobs', title: 'Jobs', page: lazyRouteComponent(() => import('../pages/jobs.js')) },
  { path: '/audit', title: 'Audit', page: lazyRouteComponent(() => import('../pages/audit.js')) },
  {
    path: '/administrators',
    title: 'Administrators',
    page: lazyRouteComponent(() => import('../pages/administrators.js')),
  },
  { path: '/system', title: 'System', page: lazyRouteComponent(() => import('../pages/system.js')) },
];

/** The pages of one app. Each has the path `/apps/{appId}/{path}`. */
export const APP_PAGES: readonly PageEntry[] = [
  { path: 'overview', title: 'Overview', page: lazyRouteComponent(() => import('../pages/overview.js')) },
  { path: 'ledger', title: 'Ledger', page: lazyRouteComponent(() => import('../pages/ledger.js')) },
  { path: 'sessions', title: 'Sessions', page: lazyRouteComponent(() => import('../pages/sessions.js')) },
  { path: 'traces', title: 'Traces', page: lazyRouteComponent(() => import('../pages/traces.js')) },
  { path: 'playground', title: 'Playground', page: lazyRouteComponent(() => import('../pages/playground.js')) },
  { path: 'agents', title: 'Agents', page: lazyRouteComponent(() => import('../pages/agents.js')) },
  { path: 'connections', title: 'Connections', page: lazyRouteComponent(() => import('../pages/connections.js')) },
  {
    path: 'mcp-connections',
    title: 'MCP connections',
    page: lazyRouteComponent(() => import('../pages/mcp-connections.js')),
  },
  { path: 'tools', title: 'Tools', page: lazyRouteComponent(() => import('../pages/tools.js')) },
  { path: 'models', title: 'Models', page: lazyRouteComponent(() => import('../pages/models.js')) },
  { path: 'files', title: 'Files', page: lazyRouteComponent(() => import('../pages/files.js')) },
  { path: 'webhooks', title: 'Webhooks', page: lazyRouteComponent(() => import('../pages/webhooks.js')) },
  { path: 'agent-assist', title: 'Agent assist', page: lazyRouteComponent(() => import('../pages/agent-assist.js')) },
  { path: 'access', title: 'Access', page: lazyRouteComponent(() => import('../pages/access.js')) },
];
