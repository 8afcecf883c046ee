import { Button, FileInput, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useApp } from '../../app/app-context.js';
import { ErrorBox } from '../../parts/error-box.js';
import { faultsByField } from '../../parts/field-faults.js';
import { useFollowedJob } from '../../parts/use-followed-job.js';
import { importDocuments } from './documents.js';

/** The members that show their faults themselves. */
const FIELDS = ['toolName'] as const;

interface Chosen {
  tool?: File | null;
  flow?: File | null;
  env?: File | null;
}

/** Uploads the documents of a tool and imports them: as a tool of its own, or as a version of the tool with the id. */
export function ImportForm({ toolId, onDone }: { toolId?: string; onDone: () => void }) {
  const app = useApp();
  const { start } = useFollowedJob();
  const [toolName, setToolName] = useState('');
  const [chosen, setChosen] = useState<Chosen>({});
  const isExport = chosen.tool?.name.toLowerCase().endsWith('.zip') === true;
  const importAll = async () => {
    const { tool, flow, env } = isExport ? { tool: chosen.tool, flow: chosen.tool, env: chosen.tool } : chosen;
    const started = await importDocuments(app, { toolId, toolName, tool: tool!, flow: flow!, env });
    onDone();
    return started;
  };
  const faults = faultsByField(start.error, FIELDS);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate(importAll);
  };
  const label = toolId === undefined ? 'Import the tool' : 'Import the version';
  return (
    <form onSubmit={submit} aria-label={label}>
      <Stack gap="xs" maw="40rem">
        {toolId === undefined && (
          <TextInput
            label="Name"
            description="The name that people see."
            value={toolName}
            onChange={({ currentTarget }) => setToolName(currentTarget.value)}
            error={faults.toolName && `The name ${faults.toolName}`}
            required
          />
        )}
        <FileInput
          label="Tool, or an export"
          description="tool.json, or the .zip of an export, which has all documents."
          accept=".json,.zip"
          value={chosen.tool ?? null}
          onChange={(tool) => setChosen({ ...chosen, tool })}
          required
        />
        {!isExport && (
          <>
            <FileInput
              label="Flow"
              description="flow.json"
              accept=".json"
              value={chosen.flow ?? null}
              onChange={(flow) => setChosen({ ...chosen, flow })}
              required
            />
            <FileInput
              label="Variables"
              description="env.json, if the tool has variables. A file with secrets is deleted when the import ends."
              accept=".json"
              value={chosen.env ?? null}
              onChange={(env) => setChosen({ ...chosen, env })}
            />
          </>
        )}
        {start.error && <ErrorBox error={start.error} fields={FIELDS} />}
        <Group>
          <Button
            size="xs"
            type="submit"
            loading={start.isPending}
            disabled={!chosen.tool || !(isExport || chosen.flow)}
          >
            {label}
          </Button>
          <Button size="xs" variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Text size="sm">The import checks the documents, and says what is wrong with them.</Text>
        </Group>
      </Stack>
    </form>
  );
}
