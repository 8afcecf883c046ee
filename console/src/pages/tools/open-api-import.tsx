import { Button, FileInput, Group, PasswordInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ActionForm } from '../../parts/action-form.js';
import { ErrorBox } from '../../parts/error-box.js';
import type { Texts } from '../../parts/fields-form.js';
import { growing } from '../../parts/growing.js';
import { useFollowedJob } from '../../parts/use-followed-job.js';
import { withVisibleMarks } from '../../parts/visible-marks.js';
import { OperationChoice } from './open-api-operations.js';
import { type OpenApiDocument, readOpenApi } from './open-api-document.js';
import { useImport } from './documents.js';

/** An import has at most this number of operations, and a version of a tool has one. */
const MOST = 50;

interface Read extends OpenApiDocument {
  file: File;
}

interface OpenApiFormProps {
  /** The tool of which a version is imported. */
  toolId?: string;
  onDone: () => void;
}

/** Takes an OpenAPI document as a file or as text, and imports the operations that the user chooses. */
export function OpenApiForm({ toolId, onDone }: OpenApiFormProps) {
  const [pasted, setPasted] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const read = useMutation({
    mutationFn: async (from: File): Promise<Read> => ({ ...(await readOpenApi(await from.text())), file: from }),
  });
  const choose = (chosen: File | null) => {
    setFile(chosen);
    if (chosen) read.mutate(chosen);
  };
  const readPasted = () => {
    setFile(null);
    read.mutate(new File([pasted], /^\s*\{/.test(pasted) ? 'openapi.json' : 'openapi.yaml'));
  };
  return (
    <Stack gap="xs" maw="50rem" component="section" aria-label="Import from an OpenAPI document">
      <FileInput
        label="OpenAPI document"
        description="A document of OpenAPI 3, as .json or .yaml."
        accept=".json,.yaml,.yml"
        value={file}
        onChange={choose}
      />
      <Textarea
        label="Or its text"
        {...growing(8)}
        value={pasted}
        onChange={({ currentTarget }) => setPasted(currentTarget.value)}
      />
      <Group>
        <Button
          size="xs"
          variant="default"
          loading={read.isPending}
          disabled={pasted.trim() === ''}
          onClick={readPasted}
        >
          Read the text
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          Cancel
        </Button>
      </Group>
      {read.error && <ErrorBox error={read.error} />}
      {read.data && <ImportForm key={read.submittedAt} of={read.data} toolId={toolId} onDone={onDone} />}
    </Stack>
  );
}

function ImportForm({ of, toolId, onDone }: { of: Read; toolId: string | undefined; onDone: () => void }) {
  const importDocuments = useImport();
  const { follow } = useFollowedJob();
  const [toolName, setToolName] = useState(of.title);
  const [serverUrl, setServerUrl] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [values, setValues] = useState<Texts>({});
  const schemes = of.operations.filter(({ at }) => chosen.has(at)).flatMap((operation) => operation.schemes);
  const credentials = of.credentials.filter(({ scheme }) => schemes.includes(scheme));
  const hasServer = /^https?:/.test(of.server);
  const most = toolId === undefined ? MOST : 1;
  const variables = credentials
    .filter(({ variable }) => values[variable])
    .map(({ variable: name }) => ({ name, value: values[name], secret: true }));
  const env = useEnv(variables);
  const send = () => {
    // If all operations are chosen, those that cannot be sent are left out with the reason, and do not fail the import.
    const isAll = toolId === undefined && chosen.size === of.operations.length;
    const options = {
      ...(!isAll && { operations: [...chosen] }),
      ...(serverUrl.trim() && { serverUrl: serverUrl.trim() }),
    };
    return follow(importDocuments({ toolId, toolName, tool: of.file, flow: of.file, env, options }));
  };
  return (
    <ActionForm
      label="Import the operations"
      fields={{ toolName: 'The name', serverUrl: 'The address' }}
      send={send}
      onDone={onDone}
      isDisabled={chosen.size === 0 || chosen.size > most}
      beside={
        <Text size="sm" role="status">
          {chosen.size} chosen, at most {most}
        </Text>
      }
    >
      {(faultOf) => (
        <>
          {toolId === undefined && (
            <TextInput
              label="Name"
              description="The name that people see. With several operations, the name of each is appended."
              value={toolName}
              maxLength={128}
              onChange={({ currentTarget }) => setToolName(currentTarget.value)}
              error={faultOf('toolName')}
              required
            />
          )}
          <TextInput
            label="Address of the server"
            description={
              hasServer
                ? `Without one, it is ${withVisibleMarks(of.server)}`
                : 'The document does not have a whole address.'
            }
            classNames={{ description: 'cell' }}
            required={!hasServer}
            type="url"
            maxLength={2_048}
            value={serverUrl}
            onChange={({ currentTarget }) => setServerUrl(currentTarget.value)}
            error={faultOf('serverUrl')}
          />
          <OperationChoice of={of.operations} chosen={chosen} onChange={setChosen} />
          {credentials.map(({ variable, scheme, hint }) => (
            <PasswordInput
              key={variable}
              label={variable}
              description={withVisibleMarks(`The value of ${scheme}. ${hint} It is sealed.`)}
              autoComplete="off"
              value={values[variable] ?? ''}
              onChange={({ currentTarget }) => setValues({ ...values, [variable]: currentTarget.value })}
              visibilityToggleButtonProps={{ 'aria-label': `Show ${variable}` }}
            />
          ))}
        </>
      )}
    </ActionForm>
  );
}

/** Returns the document with the variables, which is the same one until a variable changes. */
function useEnv(variables: readonly object[]): File | null {
  const text = variables.length > 0 ? JSON.stringify({ schemaVersion: '1.0', variables }) : null;
  return useMemo(() => (text === null ? null : new File([text], 'env.json')), [text]);
}
