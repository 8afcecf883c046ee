import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.js';
import { Facts } from '../../parts/facts.js';
import { formatJson } from '../../parts/format.js';
import { TextBlock } from '../../parts/text-block.js';
import { OfProtocols, type Protocol } from './protocols.js';

/** The fields of a connection under the labels of its protocol. The API masks their secrets. */
export function ConnectionFields({ of }: { of: Schemas['Connection'] }) {
  return (
    <section aria-label="Fields">
      <Text fw={600} size="sm">
        Fields
      </Text>
      <OfProtocols>
        {(protocols) => (
          <Facts
            of={factsOf(
              of,
              protocols.find(({ provider }) => provider === of.provider),
            )}
          />
        )}
      </OfProtocols>
    </section>
  );
}

/** Names the members for which the form has no field. Programs send them. */
const LABELS: Readonly<Partial<Record<string, string>>> = {
  MODEL_NAME: 'Name of the model',
  LLM_API_URL: 'Address of calls',
  LLM_API_KEY: 'Key of calls',
  isEnable: 'Active',
  mapProvider: 'Protocol of the provider',
  promptVars: 'Variables of prompts',
  customVars: 'Other variables',
};

/** A field of a provider whose plugin is not installed has no label, and is shown under its name. */
function factsOf({ fields }: Schemas['Connection'], protocol: Protocol | undefined): Record<string, ReactNode> {
  const labels = new Map(protocol?.fields.map(({ name, label }) => [name, label]));
  const labelOf = (name: string) => labels.get(name) ?? LABELS[name] ?? name;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [labelOf(name), shown(value)]));
}

function shown(value: unknown): ReactNode {
  if (value === null) return null;
  if (typeof value !== 'object') return formatJson(value);
  return <TextBlock>{formatJson(value)}</TextBlock>;
}
