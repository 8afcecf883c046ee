import { useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../api/client.js';
import { isGone } from '../../api/queries.js';
import { useApp } from '../../app/app-context.js';
import { ChangeActions } from '../../parts/change-actions.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { Facts } from '../../parts/facts.js';
import { Refusals } from '../../parts/refusals.js';
import { useRemoval } from '../../parts/use-deletion.js';
import { useClosing, useFilters } from '../../parts/use-filters.js';
import { agentOptions } from '../agents/requests.js';
import { connectionOptions } from '../connections/requests.js';
import { subscriptionOptions } from '../webhooks/requests.js';
import { ChangeBotForm } from './form.js';
import { BOT } from './requests.js';

type Bot = Schemas['Bot'];

interface BotFactsProps {
  of: Bot;
  /** Leaves the bot when it is deleted. */
  onGone: () => void;
}

/** Shows a bot with what it uses. */
export function BotFacts({ of, onGone }: BotFactsProps) {
  const { connection, agent, subscription } = useUsedBy(of);
  // Without a bot in the address, the page shows the first one.
  const [{ bot }] = useFilters();
  const leave = useClosing({ bot }, onGone);
  const { botId } = of;
  const removal = useRemoval([botId], async () => {
    await api.DELETE(BOT, { params: { path: { botId } } });
    leave();
  });
  // An id stands in place of a name until that is read, and of what is gone.
  const failed = [connection, agent, subscription].filter(({ error }) => !isGone(error));
  return (
    <>
      <Refusals of={failed} />
      <Facts
        of={{
          Id: botId,
          Connection: connection.data?.connectionName ?? of.connectionId,
          Agent: agent.data?.name ?? of.agentId,
          'Webhook subscription': subscription.data?.displayName ?? of.subscriptionId,
          'Events out of order': of.strict ? 'are refused' : 'are marked',
        }}
      />
      <ChangeActions form={(close) => <ChangeBotForm of={of} onDone={close} />} actions={[removal]}>
        <ConfirmButton
          label="Delete the bot"
          warning="Its conversations are deleted, too, and events that are reported to it are refused."
          isBusy={removal.isPending}
          onConfirm={() => removal.mutate()}
        />
      </ChangeActions>
    </>
  );
}

/** Reads the connection, the agent and the subscription of a bot. */
function useUsedBy({ connectionId, agentId, subscriptionId }: Bot) {
  const { projectId, appId } = useApp();
  return {
    connection: useQuery({ ...connectionOptions(projectId, connectionId ?? ''), enabled: connectionId !== null }),
    agent: useQuery({ ...agentOptions(appId, agentId ?? ''), enabled: agentId !== null }),
    subscription: useQuery({ ...subscriptionOptions(subscriptionId ?? ''), enabled: subscriptionId !== null }),
  };
}
