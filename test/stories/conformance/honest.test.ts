import { expect, it } from 'vitest'
import type { Depth } from '../../../src/tools/conformance/index.js'
import { detect, entriesOf } from '../../conformance/detection.js'
import { heldOutHonest } from '../../conformance/services/held-out.js'
import { honestServices } from '../../conformance/services/index.js'
import { randomNumbers } from '../../support/random.js'

/** Which quarter of the services is checked, and how deep; all of them are, at every depth, in `npm run suite -- detection`. */
const SEED = Number(process.env.SEED ?? 17)
const random = randomNumbers(SEED)
const depthOf = (at: number): Depth => (at < 0.02 ? 'thorough' : at < 0.2 ? 'normal' : 'quick')
const services = [...honestServices, ...heldOutHonest]
  .filter((_, index) => index % 4 === SEED % 4)
  .map((service) => ({ service, depth: depthOf(random()) }))
const classes = [...new Set(services.map(({ service }) => service.class))]

it.each(classes)('verify fails no honest service of the class "%s"', async (name) => {
  const failed: string[] = []
  for (const { service, depth } of services.filter((each) => each.service.class === name)) {
    const found = entriesOf(await detect(service, depth), 'fail')
    if (found.length > 0) failed.push(`${service.name}, ${depth}: ${found}`)
  }
  expect(failed).toEqual([])
})

it.each(
  honestServices.filter(({ class: group, name }) => group === 'run that is not started' && name.startsWith('400')),
)('verify takes no refusal of a body for a proof where $name refuses the right one too', async (service) => {
  const passed = entriesOf(await detect(service, 'quick'), 'pass')
  expect(passed.filter((id) => ['S26', 'A21'].includes(id))).toEqual([])
})
