import { Button, Group, Text } from '@mantine/core';

interface FurtherProps {
  /** Says how much is shown, or how much is not. */
  text: string;
  label?: string;
  hasMore: boolean;
  isReading: boolean;
  onRead: () => unknown;
}

/** Says how much of a list is shown, and reads more of it on request. */
export function Further({ text, label = 'Show more', hasMore, isReading, onRead }: FurtherProps) {
  return (
    <Group>
      <Text size="sm">{text}</Text>
      {hasMore && (
        <Button variant="default" size="xs" loading={isReading} onClick={() => void onRead()}>
          {label}
        </Button>
      )}
    </Group>
  );
}
