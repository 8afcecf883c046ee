import { Button, FileInput, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type AppContext, useApp } from '../../app/app-context.js';
import { ErrorBox } from '../../parts/error-box.js';
import { useFollowedJob } from '../../parts/use-followed-job.js';
import { sendDocument } from './documents.js';

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
    const files = await sent(app, isExport ? { tool: chosen.tool, flow: chosen.tool, env: chosen.tool } : chosen);
    const started = await (toolId === undefined
      ? app.asApp.POST('/api/public/tools/import', { body: { toolName: toolName.trim(), ...files } })
      : app.asApp.POST('/api/public/tools/{toolId}/import', { params: { path: { toolId } }, body: files }));
    onDone();
    return started;
  };
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
            required
          />
        )}
        <FileInput
          label="Tool document, or an export"
          description="tool.json, or the .zip of an export, which has all documents."
          accept=".json,.zip"
          value={chosen.tool ?? null}
          onChange={(tool) => setChosen({ ...chosen, tool })}
          required
        />
        {!isExport && (
          <>
            <FileInput
              label="Flow document"
              description="flow.json"
              accept=".json"
              value={chosen.flow ?? null}
              onChange={(flow) => setChosen({ ...chosen, flow })}
              required
            />
            <FileInput
              label="Env document"
              description="env.json, if the tool has variables. A file with secrets is deleted when the import ends."
              accept=".json"
              value={chosen.env ?? null}
              onChange={(env) => setChosen({ ...chosen, env })}
            />
          </>
        )}
        {start.error && <ErrorBox error={start.error} />}
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

/** Uploads the chosen files, each of them once, and returns their ids. */
async function sent(app: AppContext, { tool, flow, env }: Chosen) {
  const ids = new Map<File, string>();
  for (const file of new Set([tool, flow, env])) if (file) ids.set(file, await sendDocument(app, file));
  return {
    toolDataFileId: ids.get(tool!)!,
    flowDataFileId: ids.get(flow!)!,
    ...(env && { envVariablesFileId: ids.get(env)! }),
  };
}
