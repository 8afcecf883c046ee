import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { Empty } from '../../parts/empty.js';
import { Facts } from '../../parts/facts.js';
import { createApp } from '../../parts/first-requests.js';
import { formatTime } from '../../parts/format.js';
import { NamedActions } from '../../parts/named-actions.js';
import { ReadPanel } from '../../parts/read-panel.js';
import { useDeletion } from '../../parts/use-deletion.js';
import { useAllApps } from './apps.js';
import { PROJECT, projectOptions } from './requests.js';

interface ProjectPanelProps {
  projectId: string;
  onClose: () => void;
}

/** One project, which can be renamed, and deleted when it is empty. */
export function ProjectPanel({ projectId, onClose }: ProjectPanelProps) {
  const params = { path: { projectId } };
  const { data: project, error } = useQuery({ ...projectOptions(projectId), refetchInterval: REFRESH_MS });
  const { data: apps } = useAllApps();
  const hasNoApp = apps?.every((app) => app.projectId !== projectId);
  const removal = useDeletion({ project: projectId }, () => api.DELETE(PROJECT, { params }), onClose);
  return (
    <ReadPanel
      title={project?.name ?? 'Project'}
      request={{ path: filled(PROJECT, { projectId }), access: 'administration' }}
      data={project}
      error={error}
      onClose={onClose}
    >
      {({ name, createdAt }) => (
        <>
          <Facts of={{ Id: projectId, Created: formatTime(createdAt) }} />
          {hasNoApp && (
            <Empty
              text="This project has no app yet. Create one in the table, or with this request:"
              request={createApp(projectId)}
            />
          )}
          <NamedActions
            noun="project"
            name={name}
            rename={(next) => api.PATCH(PROJECT, { params, body: { name: next } })}
            removal={removal}
            warning="Only an empty project can be deleted. Delete its apps, files, connections, models, tools and what else it has first."
          />
        </>
      )}
    </ReadPanel>
  );
}
