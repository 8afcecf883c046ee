import { newId } from '../../src/kernel/ids.js';
import { ConnectionRepository } from '../../src/modules/connections/connection.repository.js';
import { examplesOf, type Examples } from '../support/statement-examples.js';

const projectId = newId('project');

export const examples: Examples = examplesOf(ConnectionRepository, (connections) => ({
  rowInProject: connections.rowInProject(projectId, newId('connection')),
  newestNamed: connections.newestNamed(projectId, 'name'),
  unreadable: connections.unreadable(projectId, [1], 100),
  namesOf: connections.namesOf(projectId, [newId('connection')]),
}));
