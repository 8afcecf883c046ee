import { useQuery } from '@tanstack/react-query';
import { api, pageOf } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { readAll } from '../../api/read-all.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { Page } from '../../parts/page.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { Keys } from './keys.js';
import { Scopes, SCOPES } from './scopes.js';
import { ThisApp } from './this-app.js';

export default function AccessPage() {
  const { appId } = useApp();
  const read = useQuery({
    queryKey: ['scopes', appId],
    queryFn: () =>
      readAll((cursor) => pageOf(api.GET(SCOPES, { params: { path: { appId }, query: { limit: 100, cursor } } }))),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page title="Access" request={{ path: filled(SCOPES, { appId }), access: 'administration' }}>
      <ThisApp />
      <Awaited of={read}>
        {(scopes) => (
          <>
            <Keys scopes={scopes} />
            <Scopes scopes={scopes} />
          </>
        )}
      </Awaited>
    </Page>
  );
}
