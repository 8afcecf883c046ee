import type { Id } from '../../kernel/ids.js';
import { FindsProblems, type Problem, ProblemSource, quoted } from '../tenancy/problems.port.js';
import type { Tool } from './definitions/tool.entity.js';
import { ToolRepository } from './definitions/tool.repository.js';

/** The most failed imports that are listed. */
const MOST = 100;

@FindsProblems()
export class ToolProblems extends ProblemSource {
  constructor(private readonly tools: ToolRepository) {
    super();
  }

  async problemsOf(projectId: Id<'project'>): Promise<Problem[]> {
    return (await this.tools.failed(projectId, MOST)).map(notImported);
  }
}

function notImported({ id, name, failure }: Tool): Problem {
  const message = `The tool ${quoted(name)} could not be imported. ${failure?.message ?? ''}`.trim();
  return { kind: 'TOOL_NOT_IMPORTED', message, subject: id };
}
