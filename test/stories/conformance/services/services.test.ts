import { expect, it } from 'vitest'
import { validate } from '../../../../src/validators/index.js'
import { ASSUMED } from '../../../conformance/services/broken/assumed.js'
import { createService } from '../../../conformance/services/create.js'
import { type Driver, drive, type Seen } from '../../../conformance/services/driver.js'
import { freshBroken, freshHonest } from '../../../conformance/services/fresh.js'
import { fromSpecificationBroken } from '../../../conformance/services/from-specification/broken.js'
import { fromSpecificationHonest } from '../../../conformance/services/from-specification/honest.js'
import { heldOutBroken, heldOutHonest } from '../../../conformance/services/held-out.js'
import { assumedOtherwise, brokenServices, honestServices, services } from '../../../conformance/services/index.js'
import type { Json, Operation } from '../../../conformance/services/types.js'
import { unseenBroken, unseenHonest } from '../../../conformance/services/unseen.js'

const SCHEMAS = {
  getCurrentWorkspace: 'Workspace',
  listPlaybooks: 'PlaybookList',
  listProviders: 'ProviderList',
  triggerRun: 'TriggeredRun',
  getRun: 'Run',
} as const
const plain = { create: (options?: object) => createService([], options) }

/** Sends a request until the service is up, and lists what does not match the document. */
async function mismatches(d: Driver, operation: Operation, change = {}): Promise<[Seen, string[]]> {
  for (let attempt = 0; ; attempt++) {
    const seen = await d.send(operation, change).catch((): Seen => ({ status: 503, body: '' }))
    const late = operation === 'getRun' && seen.status === 404
    if ((seen.status < 429 && !late) || attempt > 40) {
      const schema = seen.status < 300 ? SCHEMAS[operation] : seen.status === 429 ? 'RateLimitBody' : 'ErrorBody'
      const readable = seen.status < 400 || typeof seen.body === 'object'
      return [seen, readable ? validate(schema, seen.body).map((problem) => `${operation}: ${problem.message}`) : []]
    }
    d.advance((Number(seen.retryAfter) || 1) * 1000)
  }
}

/** The problems of plain calls: each operation, and a run from its trigger to its end. */
async function plainCalls(d: Driver): Promise<string[]> {
  const { playbooks, keys } = d.service
  const all: string[] = []
  for (const operation of ['getCurrentWorkspace', 'listPlaybooks', 'listProviders'] as const) {
    const [{ status }, problems] = await mismatches(d, operation)
    all.push(...problems, ...(status < 300 ? [] : [`${operation}: ${status}`]))
  }
  for (const id of Object.values(playbooks)) {
    const [{ status, body }, problems] = await mismatches(d, 'triggerRun', { id })
    all.push(...problems, ...(status < 400 ? [] : [`triggerRun: ${status}`]))
    const run = (body as Json | null)?.id
    for (let second = 0; run !== undefined && second < 2; second++, d.advance(2500))
      all.push(...(await mismatches(d, 'getRun', { id: run }))[1])
  }
  const [refused, problems] = await mismatches(d, 'getCurrentWorkspace', { key: `${keys.valid}0` })
  return [...all, ...problems, ...(refused.status === 401 ? [] : [`401: ${refused.status}`])]
}

it('the plain responses of honest services match the contract, unless it assumes more than is stated', async () => {
  const wrong: string[] = []
  for (const service of [
    ...honestServices,
    ...heldOutHonest,
    ...freshHonest,
    ...unseenHonest,
    ...fromSpecificationHonest,
  ]) {
    const problems = await plainCalls(drive(service))
    const assumed = service.beyond !== undefined
    if (service.class === 'combinations' ? !assumed && problems.length > 0 : assumed !== problems.length > 0)
      wrong.push(`${service.class}: ${service.name}: ${problems[0]}`)
  }
  expect(wrong).toEqual([])
})

it('the responses of broken services differ from those of the plain service in the situation that they name', async () => {
  const hidden: string[] = []
  const assumed = assumedOtherwise.map(({ service }) => service)
  const expected = new Map<unknown, string>()
  for (const service of [
    ...brokenServices,
    ...assumed,
    ...heldOutBroken,
    ...freshBroken,
    ...unseenBroken,
    ...fromSpecificationBroken,
  ]) {
    const was = expected.get(service.show) ?? JSON.stringify(await service.show(drive(plain)))
    expected.set(service.show, was)
    const is = JSON.stringify(await service.show(drive(service)))
    if (was === is) hidden.push(`${service.class}: ${service.name}`)
  }
  expect(hidden).toEqual([])
})

it('each service that is named as one that violates only what is assumed is there', () => {
  expect(assumedOtherwise.length).toBe(Object.keys(ASSUMED).length)
})

it('no two services have the same name', () => {
  const names = services.map((service) => `${service.kind}, ${service.class}: ${service.name}`)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})
