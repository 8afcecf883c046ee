import { useProjects } from '../api/use-projects.js';
import { ThingSelect } from './thing-select.js';
import { useFilters } from './use-filters.js';

/** The name of the filter in the address, and of the member of the queries. */
export const BY_PROJECT = { name: 'projectId', label: 'Project' } as const;
const ALL = { id: '', name: 'All projects' };

interface ProjectFilterProps {
  /** The project that is shown, if it is one alone. */
  value: string | undefined;
  /** Whether the user may see all projects at once. */
  canBeAll?: boolean;
}

/** Chooses one of the projects, or all of them. The address says which. */
export function ProjectFilter({ value = ALL.id, canBeAll = true }: ProjectFilterProps) {
  const [, change] = useFilters();
  const { data: projects = [] } = useProjects();
  return (
    <ThingSelect
      label="Project"
      value={value}
      things={canBeAll ? [ALL, ...projects] : projects}
      onChange={(projectId) => change({ projectId })}
    />
  );
}
