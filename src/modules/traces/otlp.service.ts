import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../kernel/actor.js';
import { JsonTexts } from './conventions/json-texts.js';
import { Observing } from './observing.service.js';
import type { ExportTraces, PartialSuccess } from './otlp/export-traces.schema.js';
import { sortOut } from './otlp/sort-out.js';
import { spansOf } from './otlp/spans.js';
import { reportOf } from './report-of-span.js';

/** What instrumented programs tell: every span becomes an observation, and every call of a model a ledger row too. */
@Injectable()
export class OtlpService {
  constructor(private readonly observing: Observing) {}

  /** A span that was taken before changes nothing. Answers with what was wrong with the spans that were not taken. */
  async take(actor: KeyActor, request: ExportTraces): Promise<PartialSuccess | undefined> {
    const { good, partialSuccess } = sortOut(spansOf(request));
    const texts = new JsonTexts();
    const reports = good.map((span) => reportOf(actor.projectId, span, texts));
    if (reports.length > 0) await this.observing.take(actor, actor.projectId, actor.appId, reports);
    return partialSuccess;
  }
}
