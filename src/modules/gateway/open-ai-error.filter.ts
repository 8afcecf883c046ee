import { Catch, Injectable } from '@nestjs/common';
import type { SlipwayError } from '../../kernel/errors.js';
import { ErrorFilter } from '../../platform/http/error.filter.js';
import type { Meta } from '../../platform/route/answer.js';
import { openAiError } from './open-ai-error.js';

/** On the routes that OpenAI's clients call, errors have what those look for. */
@Catch()
@Injectable()
export class OpenAiErrorFilter extends ErrorFilter {
  protected override bodyOf(error: SlipwayError, meta: Meta): object {
    return { ...super.bodyOf(error, meta), error: openAiError(error) };
  }
}
