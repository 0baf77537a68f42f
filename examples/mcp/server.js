// A server of the Model Context Protocol over standard input and output: list playbooks, trigger one, wait for its run.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createClient, RunTimeoutError, triggerOutcome } from '@workflow-automation/contract'
import { z } from 'zod'

/** A model should not be blocked for longer, in s: clients of this protocol give up after 60. */
const LONGEST = 50

export function createServer(client) {
  const server = new McpServer({ name: 'workflow-automation', version: '1.0.0' })
  const reply = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })
  /** An error as a text for the model: it says what to do, and has no key in it. */
  const failed = (text) => ({ ...reply({ error: text }), isError: true })

  server.registerTool(
    'list_playbooks',
    { description: 'Lists the playbooks of the workspace.', inputSchema: {} },
    async (_, { signal }) => {
      const playbooks = []
      for await (const { id, name, description } of client.paginate('listPlaybooks', {}, { signal }))
        playbooks.push({ id, name, description })
      return reply(playbooks)
    },
  )

  server.registerTool(
    'trigger_playbook',
    {
      description: 'Starts a run of a playbook and returns its id. Never call it again after an error that says so.',
      inputSchema: { playbook: z.string(), inputs: z.record(z.string(), z.string()).default({}) },
      annotations: { destructiveHint: true, idempotentHint: false },
    },
    // Without the signal: a cancelled request does not cancel a run, and its id would be lost. Nor is a trigger sent after the
    // model has given up, which may have called again.
    async ({ playbook, inputs }) => {
      try {
        const { id } = await client.triggerRun(playbook, { inputs }, { totalTimeout: LONGEST * 1_000 })
        return reply({ run: id })
      } catch (error) {
        return failed(
          triggerOutcome(error) === 'safe'
            ? error.message
            : `${error.message} A run may exist: do not trigger it again, ask the user.`,
        )
      }
    },
  )

  server.registerTool(
    'wait_for_run',
    {
      description: `Waits for a run to end or to need an approval, for ${LONGEST} s at most. Call it again while it is running.`,
      inputSchema: { run: z.string(), seconds: z.number().positive().max(LONGEST).default(30) },
      annotations: { readOnlyHint: true },
    },
    async ({ run, seconds }, { signal }) => {
      try {
        return reply(await client.waitForRun(run, { until: 'approval', timeout: seconds * 1_000, signal }))
      } catch (error) {
        if (error instanceof RunTimeoutError) return reply(error.run ?? { id: run, status: 'unknown yet: call again' })
        return failed(error.message)
      }
    },
  )
  return server
}

if (process.argv[1] === import.meta.filename) {
  const { WORKFLOW_BASE_URL: baseUrl, WORKFLOW_API_KEY: apiKey } = process.env
  if (!baseUrl || !apiKey) throw new Error('Set WORKFLOW_BASE_URL and WORKFLOW_API_KEY.')
  await createServer(createClient({ baseUrl, apiKey })).connect(new StdioServerTransport())
}
