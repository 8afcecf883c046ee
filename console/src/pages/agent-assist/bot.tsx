import { Group } from '@mantine/core';
import { useState } from 'react';
import { api, type Schemas } from '../../api/client.js';
import { ChangeButton } from '../../parts/change-button.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { Facts } from '../../parts/facts.js';
import { Refusals } from '../../parts/refusals.js';
import { useRemoval } from '../../parts/use-deletion.js';
import { useClosing, useFilters } from '../../parts/use-filters.js';
import { useBotChoices } from './choices.js';
import { ChangeBotForm } from './form.js';
import { BOT } from './requests.js';

interface BotFactsProps {
  of: Schemas['Bot'];
  /** Leaves the bot when it is deleted. */
  onGone: () => void;
}

/** Shows a bot with what it uses. An id stands in place of a name until that is read, and of what is gone. */
export function BotFacts({ of, onGone }: BotFactsProps) {
  const [isChanging, setChanging] = useState(false);
  const { data: choices } = useBotChoices();
  // Without a bot in the address, the page shows the first one.
  const [{ bot }] = useFilters();
  const leave = useClosing({ bot }, onGone);
  const { botId } = of;
  const removal = useRemoval([botId], async () => {
    await api.DELETE(BOT, { params: { path: { botId } } });
    leave();
  });
  const nameOf = (member: 'connectionId' | 'agentId' | 'subscriptionId') =>
    of[member] && (choices?.[member].find(({ id }) => id === of[member])?.label ?? of[member]);
  return (
    <>
      <Facts
        of={{
          Id: botId,
          Connection: nameOf('connectionId'),
          Agent: nameOf('agentId'),
          'Webhook subscription': nameOf('subscriptionId'),
          'Events out of order': of.strict ? 'are refused' : 'are marked',
        }}
      />
      <Group>
        <ChangeButton variant="default" onClick={() => setChanging(!isChanging)}>
          Change
        </ChangeButton>
        <ConfirmButton
          label="Delete the bot"
          warning="Its conversations are deleted, too, and events that are reported to it are refused."
          isBusy={removal.isPending}
          onConfirm={() => removal.mutate()}
        />
      </Group>
      <Refusals of={[removal]} />
      {isChanging && <ChangeBotForm of={of} onDone={() => setChanging(false)} />}
    </>
  );
}
