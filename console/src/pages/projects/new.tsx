import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { FieldsForm, filledIn, NAME, type Texts } from '../../parts/fields-form.js';
import { ForeignName } from '../../parts/foreign-text.js';
import { useVisit } from '../../parts/page-link.js';
import { PROJECT, projectOptions, PROJECTS } from './requests.js';

const bodyOf = (texts: Texts) => filledIn<Schemas['NamingInput']>([NAME], texts);

export function NewProjectForm({ onDone }: { onDone: (projectId?: string) => void }) {
  const create = async (texts: Texts) => (await dataOf(api.POST(PROJECTS, { body: bodyOf(texts) }))).projectId;
  return <FieldsForm label="Create a project" fields={[NAME]} save={create} onDone={onDone} />;
}

interface NewAppFormProps {
  projectId: string;
  onCancel: () => void;
}

/** Creates an app of a project, and leads to its agents, with which it begins. */
export function NewAppForm({ projectId, onCancel }: NewAppFormProps) {
  const { replaceBy } = useVisit();
  const params = { path: { projectId } };
  const { data: project } = useQuery(projectOptions(projectId));
  const create = async (texts: Texts) =>
    (await dataOf(api.POST(`${PROJECT}/apps`, { params, body: bodyOf(texts) }))).appId;
  const leave = (appId?: string) => {
    if (appId === undefined) onCancel();
    // Going back from the app leads to the projects, and not to the form.
    else replaceBy(`/apps/${appId}/agents`);
  };
  return (
    <FieldsForm label="Create an app" fields={[NAME]} save={create} onDone={leave}>
      <Text size="sm" className="cell">
        Project: <ForeignName>{project?.name ?? projectId}</ForeignName>
      </Text>
    </FieldsForm>
  );
}
