import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operations as contract, type OperationId } from '../../generated/contract.js'
import { examples } from '../../generated/examples.js'
import { loadContract } from '../../scripts/contract/load.js'
import { createClient } from '../../src/index.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { validateRequest, validateResponse } from '../../src/validators/index.js'
import { repository } from '../support/project.js'

/** What every operation of the contract has, however many there are: nothing but YAML is written for a new one. */
const { operations } = await loadContract(repository)
const reference = readFileSync(join(repository, 'docs/guides/operations.md'), 'utf8')

describe.each(operations)('$id', ({ id, method, path, parameters, requestBody }) => {
  const operation = id as OperationId
  const { success } = contract[operation] as { success: readonly number[] }
  const named = examples[operation] as Record<string, Record<string, unknown>>

  it(`the examples of ${id} are valid`, () => {
    for (const [status, bodies] of Object.entries(named).filter(([status]) => status !== 'request'))
      for (const body of Object.values(bodies)) expect(problemsOf(operation, Number(status), body)).toEqual([])
    for (const body of Object.values(named.request ?? {}))
      expect(validateRequest(operation, { path: pathOf(parameters), body } as never)).toEqual([])
  })

  it(`the client sends ${id} to the sandbox and receives a valid response`, async () => {
    const { client, runId } = await connected()
    const statuses: number[] = []
    client.use({ onResponse: ({ response }) => void statuses.push(response.status) })
    const query = examplesIn(parameters, 'query')
    const params = { ...query, ...(Object.values(named.request ?? {})[0] as object | undefined) }
    const ids = Object.values(pathOf(parameters, path.startsWith('/runs/') ? runId : undefined))
    const call = client[operation] as (...args: unknown[]) => Promise<unknown>
    const value = await call(...ids, ...(Object.keys(params).length > 0 || requestBody ? [params] : []))
    expect(success).toContain(statuses.at(-1))
    expect(problemsOf(operation, statuses.at(-1)!, value)).toEqual([])
  })

  it(`the documentation has ${id} with a sample for each tab`, () => {
    const [section = ''] = reference.split(`\n## ${id}\n\n\`${method} ${path}\`\n`)[1]?.split(/\n##? /) ?? []
    expect(section.match(/^```(bash|typescript)$/gm)).toEqual(['```bash', '```typescript', '```typescript'])
    expect(section).toContain(`client.${id}(`)
  })
})

it.each(operations.filter(({ id }) => 'paged' in contract[id as OperationId]))(
  'the client reads every page of $id',
  async ({ id }) => {
    const { client } = await connected()
    const items: unknown[] = []
    for await (const item of client.paginate(id as 'listPlaybooks')) items.push(item)
    expect(items.length).toBeGreaterThan(0)
  },
)

/** A client of a new sandbox that has a run. */
async function connected() {
  const { baseUrl, keys, playbooks, fetch } = createSandbox({ seed: 1 })
  const client = createClient({ baseUrl, apiKey: keys.valid, fetch })
  const { id } = await client.triggerRun(playbooks.succeeds, examples.triggerRun.request.default)
  return { client, runId: id }
}

/** What is wrong with a body. */
const problemsOf = (operation: OperationId, status: number, body: unknown) =>
  validateResponse(operation, { status, body }).filter((problem) => problem.in !== 'header')

type Parameters = (typeof operations)[number]['parameters']

const examplesIn = (parameters: Parameters, location: string): Record<string, unknown> =>
  Object.fromEntries(
    parameters
      .filter((each) => each.in === location && each.example !== undefined)
      .map(({ name, example }) => [name, example]),
  )

/** The path parameters with the values of their examples, or the id of a run. */
const pathOf = (parameters: Parameters, id?: string): Record<string, unknown> => ({
  ...examplesIn(parameters, 'path'),
  ...(id && { id }),
})
