import { expect, it } from 'vitest'
import { operationNodes } from '../../generated/contract.js'
import { examples } from '../../generated/examples.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { caller } from './calls.js'

const statuses = Object.keys(operationNodes.getRun.responses)
  .filter((status) => /^\d+$/.test(status))
  .join(', ')
it.each<[prefer: string, status: number, message?: string]>([
  ['wait=5', 404],
  ['code=404', 404],
  [' Code = "404" ; a, code=500', 404],
  ['code=401, example=missingKey', 401],
  ['code=418', 400, `The header "Prefer" asks for the status 418, but getRun has ${statuses}.`],
  ['code=toString', 400, `The header "Prefer" asks for the status toString, but getRun has ${statuses}.`],
])('with Prefer: %s a run that is unknown gets %i', async (prefer, status, message) => {
  const { body, ...response } = await caller(createSandbox())('/runs/run_0', { prefer })
  expect(response.status).toBe(status)
  if (message) expect(body.message).toBe(message)
})

it('with Prefer an unknown example is refused with those that there are', async () => {
  const { body } = await caller(createSandbox())('/providers', { prefer: 'example=none' })
  const names = Object.keys(examples.listProviders[200]).join(', ')
  expect(body.message).toBe(
    `The header "Prefer" asks for the example "none", but the 200 of listProviders has ${names}.`,
  )
})
