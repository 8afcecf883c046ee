import { FileInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ActionForm } from '../../parts/action-form.js';
import { useFollowedJob } from '../../parts/use-followed-job.js';
import { useImport } from './documents.js';

interface Chosen {
  tool?: File | null;
  flow?: File | null;
  env?: File | null;
}

/** Uploads the documents of a tool and imports them: as a tool of its own, or as a version of the tool with the id. */
export function ImportForm({ toolId, onDone }: { toolId?: string; onDone: () => void }) {
  const importDocuments = useImport();
  const { follow } = useFollowedJob();
  const [toolName, setToolName] = useState('');
  const [chosen, setChosen] = useState<Chosen>({});
  const isExport = chosen.tool?.name.toLowerCase().endsWith('.zip') === true;
  const send = () => {
    const { tool, flow, env } = isExport ? { tool: chosen.tool, flow: chosen.tool, env: chosen.tool } : chosen;
    return follow(importDocuments({ toolId, toolName, tool: tool!, flow: flow!, env }));
  };
  return (
    <ActionForm
      label={toolId === undefined ? 'Import the tool' : 'Import the version'}
      fields={{ toolName: 'The name' }}
      send={send}
      onDone={onDone}
      onCancel={onDone}
      isDisabled={!chosen.tool || !(isExport || chosen.flow)}
      maw="40rem"
      beside={<Text size="sm">The import checks the documents, and says what is wrong with them.</Text>}
    >
      {(faultOf) => (
        <>
          {toolId === undefined && (
            <TextInput
              label="Name"
              description="The name that people see."
              value={toolName}
              onChange={({ currentTarget }) => setToolName(currentTarget.value)}
              error={faultOf('toolName')}
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
        </>
      )}
    </ActionForm>
  );
}
