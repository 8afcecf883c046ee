import { useApp } from '../../app/app-context.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { useEnvironments, VersionName } from '../agents/environments.js';

/** The app to which the scopes and keys belong, and the agent that answers in each of its environments. */
export function ThisApp() {
  const { appId, projectId, name } = useApp();
  const { data: environments = [], error } = useEnvironments();
  const answering = environments.map((each) => [`Agent in ${each.name}`, <VersionName of={each} />] as const);
  return (
    <>
      {error && <ErrorBox error={error} />}
      <Facts of={{ App: name, Id: appId, Project: projectId, ...Object.fromEntries(answering) }} />
    </>
  );
}
