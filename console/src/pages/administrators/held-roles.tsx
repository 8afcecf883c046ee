import { Text } from '@mantine/core';
import { useProjects } from '../../api/use-projects.js';
import { ForeignName } from '../../parts/foreign-text.js';

interface HeldRolesProps {
  /** The role in the whole installation. */
  role: string | null;
  projectRoles: readonly { projectId: string; role: string }[];
}

/** Shows a role in the whole installation by its name alone, and the others with the names of their projects. */
export function HeldRoles({ role, projectRoles }: HeldRolesProps) {
  const { data: projects } = useProjects();
  const nameOf = (projectId: string) => projects?.find(({ id }) => id === projectId)?.name ?? projectId;
  return (
    <>
      {role}
      {projectRoles.map((each) => (
        <Text key={each.projectId} size="sm">
          {each.role} in <ForeignName>{nameOf(each.projectId)}</ForeignName>
        </Text>
      ))}
    </>
  );
}
