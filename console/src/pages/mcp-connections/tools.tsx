import { Button, Group, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { ErrorBox } from '../../parts/error-box.js';
import { JsonText } from '../../parts/json-text.js';
import { TableHead } from '../../parts/table-head.js';
import { withVisibleMarks } from '../../parts/visible-marks.js';
import { MCP_CONNECTION } from './requests.js';

type Tools = Schemas['McpTools'];

/** Asks the server for its tools, which also shows whether the connection works. */
export function OfferedTools({ of: { mcpConnectionId } }: { of: Schemas['McpConnection'] }) {
  const { projectId } = useApp();
  const ask = useMutation({
    mutationFn: () => dataOf(api.GET(`${MCP_CONNECTION}/tools`, { params: { path: { projectId, mcpConnectionId } } })),
  });
  return (
    <>
      <Group>
        <Button size="xs" loading={ask.isPending} onClick={() => ask.mutate()}>
          Show its tools
        </Button>
        {ask.data && <Text role="status" size="sm">{`The server offers agents ${countOf(ask.data.tools)}.`}</Text>}
      </Group>
      {ask.error && <ErrorBox error={ask.error} />}
      {ask.data && <Listing of={ask.data} />}
    </>
  );
}

function countOf({ length }: readonly unknown[]): string {
  return length === 1 ? '1 tool' : `${length} tools`;
}

function Listing({ of: { tools, omitted } }: { of: Tools }) {
  return (
    <>
      {tools.length > 0 && (
        <Table aria-label="Tools of the server">
          <TableHead titles={['Tool', 'Description']} />
          <Table.Tbody>
            {tools.map((tool) => (
              <Table.Tr key={tool.name}>
                <Table.Td className="cell" dir="auto">
                  {withVisibleMarks(tool.name)}
                </Table.Td>
                <Table.Td className="cell" dir="auto">
                  {tool.description && withVisibleMarks(tool.description)}
                  <InputSchema of={tool} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {omitted.length > 0 && (
        <Table aria-label="Tools that are not offered">
          <TableHead titles={['Not offered', 'Reason']} />
          <Table.Tbody>
            {omitted.map(({ name, reason }, at) => (
              <Table.Tr key={at}>
                <Table.Td className="cell" dir="auto">
                  {withVisibleMarks(name)}
                </Table.Td>
                <Table.Td className="cell" dir="auto">
                  {withVisibleMarks(reason)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  );
}

/** The schemas of a server may be long, so each is shown when it is opened. */
function InputSchema({ of: { name, inputSchema } }: { of: Tools['tools'][number] }) {
  const [isOpen, setOpen] = useState(false);
  const label = isOpen ? 'Hide the input' : 'Show the input';
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        display="block"
        aria-expanded={isOpen}
        aria-label={`${label} of ${name}`}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </Button>
      {isOpen && <JsonText title="Schema of its input" value={inputSchema} />}
    </>
  );
}
