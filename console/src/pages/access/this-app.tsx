import { api } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { NamedActions } from '../../parts/named-actions.js';
import { useVisit } from '../../parts/page-link.js';
import { useRemoval } from '../../parts/use-deletion.js';
import { useEnvironments, VersionName } from '../agents/environments.js';

const APP = '/api/admin/v1/apps/{appId}';

/** The app to which the scopes and keys belong, and the agent that answers in each of its environments. */
export function ThisApp() {
  const { appId, projectId, name } = useApp();
  const { data: environments = [], error } = useEnvironments();
  const { replaceBy } = useVisit();
  const params = { path: { appId } };
  const removal = useRemoval([appId], () => api.DELETE(APP, { params }));
  const answering = environments.map((each) => [`Agent in ${each.name}`, <VersionName of={each} />] as const);
  return (
    <>
      {error && <ErrorBox error={error} />}
      <Facts of={{ App: name, Id: appId, Project: projectId, ...Object.fromEntries(answering) }} />
      <NamedActions
        noun="app"
        name={name}
        rename={(next) => api.PATCH(APP, { params, body: { name: next } })}
        removal={removal}
        warning="Its agents, users and sessions are deleted, too. Delete its scopes and webhook subscriptions first."
        onGone={() => replaceBy('/')}
      />
    </>
  );
}
