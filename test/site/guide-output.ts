import { expect } from 'vitest'

/** What the code of each guide prints, line by line. */
export const GUIDE_OUTPUT: Record<string, unknown[]> = {
  authentication: ["{ id: 'ws_1', name: 'Examples' }"],
  'bring-your-own-client': ['200', 'run_1'],
  caching: [],
  'coming-from-openapi-fetch': ['running', 'running', '200', '200', '200', '200', 'Mine', 'Examples', 'Examples'],
  'connected-providers': [
    expect.stringMatching(/^3 \[ 'billing: .*', 'mail: .*', 'tickets: .*' \]$/),
    'billing.refund by billing',
  ],
  'errors-and-retries': ['There is no such run.', 'No longer wanted.'],
  'getting-started': [
    'Examples',
    'succeeded',
    '3',
    '3',
    'pb_3kX9wq Refund an order',
    'pb_2 Refund an order after an approval',
    'pb_3 Close stale tickets',
  ],
  'in-production': ['succeeded'],
  'limits-and-many-runs': ['60 120', '3'],
  'logging-and-opentelemetry': [
    expect.stringMatching(
      /^\{"message":"response","operation":"getCurrentWorkspace","path":"\/workspaces\/me","method":"GET","attempt":1,"status":200,"headers":\{\},"duration":\d+,"fromCache":false\}$/,
    ),
  ],
  overview: ['succeeded'],
  'pinning-a-release': ['running', 'running'],
  'triggering-and-watching': [
    expect.stringMatching(/^run_/),
    'step_1 running',
    'step_1 succeeded',
    'step_2 running',
    'step_2 succeeded',
    'succeeded',
    "Failed: [ { id: 'step_1', status: 'failed', capability: 'tickets.close' } ]",
    'step_2',
    '2',
    "running [ 'step_1: running' ]",
    "running [ 'step_1: succeeded', 'step_2: running' ]",
    "succeeded [ 'step_1: succeeded', 'step_2: succeeded' ]",
    'false',
  ],
  validators: [
    'running',
    'run_1',
    '/inputs/order type the body property "inputs.order" must be a string',
    '{ page: 2, per_page: 20 }',
    '1',
    'false',
    "{ text: 'running', colour: 'blue' } { text: 'paused', colour: 'grey' }",
    "{ inputs: { order: '42' } }",
  ],
  verifying: [expect.stringMatching(/^true \{[\s\S]*fail: 0,/), 'It begins.', 'refused'],
}
