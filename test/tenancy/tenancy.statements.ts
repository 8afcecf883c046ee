import { newId } from '../../src/kernel/ids.js';
import { AppRepository } from '../../src/modules/tenancy/app.repository.js';
import { EnvironmentRepository } from '../../src/modules/tenancy/environment.repository.js';
import { ProjectRepository } from '../../src/modules/tenancy/project.repository.js';
import { examplesOf, type Examples } from '../support/statement-examples.js';

export const examples: Examples = {
  ...examplesOf(ProjectRepository, (projects) => ({ lock: projects.lock(newId('project')) })),
  ...examplesOf(AppRepository, (apps) => ({ lock: apps.lock(newId('app')) })),
  ...examplesOf(EnvironmentRepository, (environments) => ({
    ref: environments.ref(newId('app'), 'production'),
    lock: environments.lock(newId('environment')),
  })),
};
