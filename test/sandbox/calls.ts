import type { Sandbox } from '../../src/sandbox/index.js'

export interface CallResult {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what a body has is what the tests are about
  body: any
}

const resultOf = async (response: Response): Promise<CallResult> => ({
  status: response.status,
  headers: response.headers,
  body: await response.json(),
})

/** Sends GET requests with a key, by default the one that may do everything. */
export const caller =
  ({ fetch, baseUrl, keys }: Sandbox, key = keys.valid) =>
  async (path: string, headers: Record<string, string> = {}): Promise<CallResult> =>
    resultOf(await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } }))

/** Triggers a run of a playbook. */
export const trigger = async (
  { fetch, baseUrl, keys }: Sandbox,
  playbook: string,
  body: unknown = { inputs: {} },
  key = keys.valid,
): Promise<CallResult> =>
  resultOf(
    await fetch(`${baseUrl}/playbooks/${playbook}/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
