import { Button, Group, Text } from '@mantine/core';

interface FurtherProps {
  /** Says how much is shown, or how much is not. */
  text: string;
  label?: string;
  hasMore: boolean;
  isReading: boolean;
  onRead: () => unknown;
  /** Is given if the list no longer refreshes, because it shows more than its newest part. */
  onStartOver?: (() => unknown) | undefined;
}

/** Says how much of a list is shown, and reads more of it on request. */
export function Further({ text, label = 'Show more', hasMore, isReading, onRead, onStartOver }: FurtherProps) {
  return (
    <Group>
      <Text size="sm">{text}</Text>
      {hasMore && (
        <Button variant="default" size="xs" loading={isReading} onClick={() => void onRead()}>
          {label}
        </Button>
      )}
      {onStartOver && (
        <Button variant="default" size="xs" onClick={() => void onStartOver()}>
          Refresh from the top
        </Button>
      )}
    </Group>
  );
}
