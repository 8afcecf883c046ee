import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../kernel/actor.js';
import { mapInSteps } from '../../kernel/turns.js';
import { JsonTexts } from './conventions/json-texts.js';
import { Observing } from './observing.service.js';
import type { ExportTraces, PartialSuccess } from './otlp/export-traces.schema.js';
import { validateSpans } from './otlp/span-validation.js';
import { spansOf } from './otlp/spans.js';
import { reportOf } from './report-of-span.js';

/**
 * Records the spans of instrumented programs. Every span becomes an observation, and every call of a model a ledger row
 * too.
 */
@Injectable()
export class OtlpService {
  constructor(private readonly observing: Observing) {}

  /**
   * Records all valid spans, and returns what is wrong with the others. A span that is known already changes nothing.
   */
  async record(actor: KeyActor, request: ExportTraces): Promise<PartialSuccess | undefined> {
    const { good, partialSuccess } = validateSpans(await spansOf(request));
    const texts = new JsonTexts();
    const reports = await mapInSteps(good, (span) => reportOf(actor.projectId, span, texts));
    if (reports.length > 0) await this.observing.record(actor, actor.projectId, actor.appId, reports);
    return partialSuccess;
  }
}
