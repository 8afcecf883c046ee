import type { Id } from '../../../kernel/ids.js';
import { FindsProblems, type Problem, ProblemSource, quoted } from '../../tenancy/problems.port.js';
import { pauseEndOf, type Subscription } from './subscription.entity.js';
import { SubscriptionRepository } from './subscription.repository.js';

const RECEIVERS = 100;

@FindsProblems()
export class ReceiverProblems extends ProblemSource {
  constructor(private readonly subscriptions: SubscriptionRepository) {
    super();
  }

  async problemsOf(projectId: Id<'project'>): Promise<Problem[]> {
    return (await this.subscriptions.troubled(projectId, RECEIVERS)).map(problemOf);
  }
}

function problemOf(subscription: Subscription): Problem {
  const { id, displayName, status, disabledReason, pausedUntil, failingSince } = subscription;
  const about = (kind: Problem['kind'], text: string) => ({
    kind,
    message: `The receiver ${quoted(displayName)} ${text}`,
    subject: id,
  });
  if (status !== 'ACTIVE')
    return about('RECEIVER_DISABLED', disabledReason === null ? 'is disabled.' : `is disabled. ${disabledReason}.`);
  const pauseEnd = pauseEndOf(subscription);
  if (pauseEnd) return about('RECEIVER_PAUSED', `is paused until ${inWords(pauseEnd)}.`);
  return about('RECEIVER_FAILING', `has failed since ${inWords(failingSince ?? pausedUntil!)}.`);
}

function inWords(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
