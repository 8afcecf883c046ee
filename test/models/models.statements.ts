import { newId } from '../../src/kernel/ids.js';
import { HostingProcess } from '../../src/modules/models/hosting-process.entity.js';
import { HostingProcessRepository } from '../../src/modules/models/hosting-process.repository.js';
import { ModelDeploymentRepository } from '../../src/modules/models/model-deployment.repository.js';
import { ModelReplica } from '../../src/modules/models/model-replica.entity.js';
import { ModelReplicaRepository } from '../../src/modules/models/model-replica.repository.js';
import { exampleRow, examplesOf, type Examples } from '../support/statement-examples.js';

const id = newId('modelDeployment');

export const examples: Examples = {
  ...examplesOf(HostingProcessRepository, (processes) => ({
    renewLease: processes.renewLease(exampleRow(HostingProcess)),
    delete: processes.delete('process'),
    live: processes.live('host'),
  })),
  ...examplesOf(ModelDeploymentRepository, (deployments) => ({
    claim: deployments.claim('process', 'host', 1),
    releaseAll: deployments.releaseAll('process'),
    noteProgress: deployments.noteProgress('process', id, 50),
    noteTrouble: deployments.noteTrouble('process', id, { code: 'CODE', message: 'message' }),
    servingStateOf: deployments.servingStateOf(id),
    toServeOn: deployments.toServeOn('host'),
    filesInUse: deployments.filesInUse(),
  })),
  ...examplesOf(ModelReplicaRepository, (replicas) => ({
    liveOf: replicas.liveOf(id),
    ofModel: replicas.ofModel(newId('model')),
    shortagesIn: replicas.shortagesIn(newId('project'), ['host']),
    add: replicas.add(exampleRow(ModelReplica)),
    delete: replicas.delete(newId('modelReplica')),
    countByState: replicas.countByState(['host']),
  })),
};
