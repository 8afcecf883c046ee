import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { MINUTE_MS } from './durations.js';
import { localOf, timeOf } from './local-time.js';
import { ANY_TIME, faultsOf, hasBounds, isTime, LAST, lastOf, rangeOf } from './period.js';
import { type Filters, useFilters } from './use-filters.js';

const WITH_BOUNDS = 'between';

interface PeriodChoiceProps {
  /** Whether the list shows all times unless the user chooses a period. */
  isOptional?: boolean;
}

/** Chooses one of the periods that end now, or the bounds of another one. */
export function PeriodChoice({ isOptional = false }: PeriodChoiceProps) {
  const [filters, change] = useFilters();
  const last = lastOf(filters);
  const isAny = isOptional && !filters.period;
  const choose = (word: string) => {
    if (word === WITH_BOUNDS) change({ period: undefined, ...boundsOf(last) });
    else change({ period: word === ANY_TIME ? undefined : word, from: undefined, to: undefined });
  };
  return (
    <>
      <NativeSelect
        size="xs"
        label="Period"
        value={hasBounds(filters) ? WITH_BOUNDS : isAny ? ANY_TIME : last}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={[
          ...(isOptional ? [{ value: ANY_TIME, label: 'Any time' }] : []),
          ...Object.entries(LAST).map(([value, { label }]) => ({ value, label })),
          { value: WITH_BOUNDS, label: 'From … to …' },
        ]}
      />
      {hasBounds(filters) && <Bounds filters={filters} />}
    </>
  );
}

/** Shows the bounds in the address in the time of the browser. Others are only taken when the user has entered both. */
function Bounds({ filters }: { filters: Filters }) {
  const [, change] = useFilters();
  const faults = faultsOf(filters);
  const show = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const entered = new FormData(event.currentTarget);
    change({ from: asAddressed(entered.get('from')), to: asAddressed(entered.get('to')) });
  };
  return (
    <form onSubmit={show} aria-label="Bounds of the period" noValidate>
      <Group align="end" gap="xs">
        {(['from', 'to'] as const).map((bound) => (
          <TextInput
            key={`${bound} ${filters[bound]}`}
            size="xs"
            w={210}
            type="datetime-local"
            label={bound === 'from' ? 'From' : 'To'}
            name={bound}
            defaultValue={asEntered(filters[bound])}
            error={faults[bound]}
          />
        ))}
        <Button size="xs" type="submit" variant="default">
          Show
        </Button>
      </Group>
    </form>
  );
}

/** Returns the bounds of a period that ends now, in whole minutes. */
function boundsOf(last: keyof typeof LAST): { from: string; to: string } {
  const { fromDate, toDate } = rangeOf(LAST[last], MINUTE_MS);
  const inMinutes = (time: string) => new Date(Math.floor(Date.parse(time) / MINUTE_MS) * MINUTE_MS).toISOString();
  return { from: inMinutes(fromDate), to: inMinutes(toDate) };
}

function asEntered(time: string | undefined): string {
  return isTime(time) ? localOf(time) : '';
}

function asAddressed(entered: FormDataEntryValue | null): string | undefined {
  return entered ? timeOf(entered as string) : undefined;
}
