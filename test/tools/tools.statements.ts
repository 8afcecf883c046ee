import { newId } from '../../src/kernel/ids.js';
import { SuspensionRepository } from '../../src/modules/tools/callbacks/suspension.repository.js';
import { ToolRepository } from '../../src/modules/tools/definitions/tool.repository.js';
import { ToolVersionRepository } from '../../src/modules/tools/definitions/tool-version.repository.js';
import { ToolRun, ToolRunStep } from '../../src/modules/tools/runs/tool-run.entity.js';
import { ToolRunRepository } from '../../src/modules/tools/runs/tool-run.repository.js';
import { ToolRunStepRepository } from '../../src/modules/tools/runs/tool-run-step.repository.js';
import { exampleRow, examplesOf, type Examples } from '../support/statement-examples.js';

const [projectId, toolId, runId, now] = [newId('project'), newId('tool'), newId('toolRun'), new Date()];
const suspensionId = newId('suspension');
const run = exampleRow(ToolRun);
const error = { code: 'CODE', message: 'message' };

export const examples: Examples = {
  ...examplesOf(SuspensionRepository, (suspensions) => ({
    add: suspensions.add({ id: suspensionId, runId, number: 1, secretSealed: 'sealed' }),
    byId: suspensions.byId(suspensionId),
    ofRun: suspensions.ofRun(runId, 1),
    stateOf: suspensions.stateOf(suspensionId),
    setExpiry: suspensions.setExpiry(suspensionId, now),
    receive: suspensions.receive(suspensionId, 'payload'),
    expire: suspensions.expire(suspensionId),
  })),
  ...examplesOf(ToolRepository, (tools) => ({
    deploy: tools.deploy(projectId, toolId, {
      deployedVersionId: newId('toolVersion'),
      deployedAt: now,
      modifiedAt: now,
    }),
    offeredAfter: tools.offeredAfter(projectId, toolId, 51),
    offeredAs: tools.offeredAs(projectId, 'find_order'),
  })),
  ...examplesOf(ToolVersionRepository, (versions) => ({ rowOf: versions.rowOf(newId('toolVersion')) })),
  ...examplesOf(ToolRunRepository, (runs) => ({
    add: runs.add(run),
    byKey: runs.byKey(projectId, 'key'),
    byId: runs.byId(runId),
    ofTool: runs.ofTool(projectId, toolId, runId),
    'listed (the first page)': runs.listed(toolId, { after: null, order: 'desc', limit: 20 }),
    'listed (a later page)': runs.listed(toolId, { after: runId, order: 'desc', limit: 20 }),
    unendedOf: runs.unendedOf(toolId),
    lockUnended: runs.lockUnended(toolId),
    lockUnendedFor: runs.lockUnendedFor('session', { name: 'agents', ref: 'ref' }),
    deleteOfSession: runs.deleteOfSession('session'),
    takeOver: runs.takeOver(runId),
    'keep (no step)': runs.keep(run, [], { activeMs: 1, computedMs: 1 }),
    'keep (a step)': runs.keep(run, [exampleRow(ToolRunStep)], { activeMs: 1, computedMs: 1 }),
    'end (completed)': runs.end(run, { output: 'output' }),
    'end (failed)': runs.end(run, { error }),
    fail: runs.fail(runId, error),
    suspend: runs.suspend(run, now),
    wake: runs.wake(runId),
    lock: runs.lock(runId),
  })),
  ...examplesOf(ToolRunStepRepository, (steps) => ({ ofRun: steps.ofRun(runId) })),
};
