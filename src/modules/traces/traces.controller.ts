import { Controller, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { plain } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { Route } from '../../platform/route/route.js';
import { TracesReading } from './traces-reading.service.js';
import { tracesErrors } from './traces.errors.js';
import { toTraceInList, toTraceView, traceIdIn, TraceList, TracesQuery, TraceView } from './traces.schema.js';

const TRACES = '/api/public/apps/{appId}/traces';

@ApiTags('Traces')
@Controller()
export class TracesController {
  constructor(private readonly reading: TracesReading) {}

  @Route(`GET ${TRACES}`, {
    access: 'SESSIONS_LIST',
    summary: 'Search the traces of an app, newest first',
    description:
      'Filters are combined with AND and match exactly. A search by name, status or span examines 1,000 traces per page. The page may have fewer traces than requested, and `nextCursor` says whether there are more.',
    returns: plain(TraceList),
  })
  async list(
    @CallingKey() { projectId }: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @Query({ schema: TracesQuery }) query: TracesQuery,
  ) {
    const { traces, nextCursor } = await this.reading.list(projectId, appId, query);
    return { traces: traces.map(toTraceInList), nextCursor };
  }

  @Route(`GET ${TRACES}/{traceId}`, {
    access: 'SESSIONS_LIST',
    summary: 'Read a trace with its observations',
    description:
      'The path has the id of the trace, or the 32 hexadecimal digits that an SDK of OpenTelemetry shows for it.',
    returns: plain(TraceView),
    errors: [tracesErrors.traceNotFound],
  })
  async read(
    @CallingKey() { projectId }: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @Param('traceId') traceId: string,
  ) {
    return toTraceView(await this.reading.read(projectId, appId, traceIdIn(projectId, traceId)));
  }
}
