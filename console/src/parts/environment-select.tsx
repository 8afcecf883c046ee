import { NativeSelect } from '@mantine/core';
import { ENVIRONMENTS, type Environment } from './environments.js';

interface EnvironmentSelectProps {
  value: Environment;
  onChange: (environment: Environment) => void;
}

export function EnvironmentSelect({ value, onChange }: EnvironmentSelectProps) {
  return (
    <NativeSelect
      size="xs"
      label="Environment"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as Environment)}
      data={[...ENVIRONMENTS]}
    />
  );
}
